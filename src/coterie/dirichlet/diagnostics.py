"""Diagnostics of the convergence of chains: effective sample size and R-hat."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats
from coterie.exceptions import InputError

__all__ = ["Diagnostics", "effective_sample_size", "r_hat"]

MIN_SAMPLES = 4
"""The least number of samples of a chain for which each half has a variance."""


class Diagnostics(NamedTuple):
    """The convergence of a posterior's chains, measured by three quantities.

    `pair` is the pair of items that is least certain to be together or apart, or None if all pairs
    are certain.
    """

    ess_log_joint: float
    r_hat_log_joint: float
    ess_n_clusters: float
    r_hat_n_clusters: float
    pair: tuple[int, int] | None
    ess_pair: float
    r_hat_pair: float


def r_hat(chains: ArrayLike) -> float:
    """Return the potential scale reduction of chains, each split into two halves.

    It is √(V / W), where W is the mean variance within half chains and V = W (n − 1)/n + the
    variance of their means (Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, eq. 1-4, without
    ranks). It is near 1 if the chains agree; above 1.01, sample longer. It is 1 if all samples are
    equal, infinite if chains are constant at different values, and NaN for chains of fewer than 4
    samples.

    Parameters
    ----------
    chains
        The samples, one row per chain, of shape (n_chains, n_samples).

    Examples
    --------
    >>> r_hat([[1, 2, 1, 2], [2, 1, 2, 1]]), r_hat([[1, 1, 1, 1], [2, 2, 2, 2]])
    (0.7071067811865476, inf)
    """
    halves = _halves(chains)
    if halves is None:
        return float("nan")
    within, total = _variances(halves)
    if not within:
        return float("inf") if total else 1.0
    return float(np.sqrt(total / within))


def effective_sample_size(chains: ArrayLike) -> float:
    """Return the number of independent samples that would give the mean as precisely.

    It is n_chains n_samples / τ. Here τ = −1 + 2 Σ P, where P are sums of two neighbouring
    autocorrelations of half chains; they are added up while they are positive, and none counts more
    than the one before (Geyer 1992, Vehtari et al. 2021, eq. 10-13, without ranks). The result is
    at most N log₁₀ N for N samples. It is N if all samples are equal, about one per chain if chains
    are constant at different values, and NaN for chains of fewer than 4 samples.

    Parameters
    ----------
    chains
        The samples, one row per chain, of shape (n_chains, n_samples).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> steps = rng.normal(size=(4, 1000))
    >>> round(effective_sample_size(steps)), round(effective_sample_size(steps.cumsum(axis=1)))
    (3932, 5)
    """
    halves = _halves(chains)
    if halves is None:
        return float("nan")
    within, total = _variances(halves)
    if not total:
        return float(np.size(chains))
    correlations = 1 - (within - _autocovariances(halves)) / total
    correlations[0] = 1.0
    paired = correlations[: len(correlations) // 2 * 2].reshape(-1, 2).sum(axis=1)
    n_positive = int(np.argmin(np.append(paired, -1.0) > 0))
    tau = -1 + 2 * np.minimum.accumulate(paired[:n_positive]).sum()
    return float(halves.size / max(tau, 1 / np.log10(halves.size)))


def _halves(chains: ArrayLike) -> Floats | None:
    """Split each chain into two rows, without the middle sample if the length is odd.

    Returns None for chains that are too short.
    """
    values = as_floats("chains", chains)
    if values.ndim != 2 or not len(values) or not np.all(np.isfinite(values)):
        raise InputError(
            f"chains have shape {values.shape}; give an array of finite numbers of shape "
            "(n_chains, n_samples), one row per chain"
        )
    n_samples = values.shape[1]
    if n_samples < MIN_SAMPLES:
        return None
    half = n_samples // 2
    # Shifted, constant chains are exactly 0, and a large mean does not cost precision.
    shifted: Floats = values - values[0, 0]
    return np.concatenate([shifted[:, :half], shifted[:, n_samples - half :]])


def _centred(halves: Floats) -> Floats:
    shifted = halves - halves[:, :1]
    centred: Floats = shifted - shifted.mean(axis=1, keepdims=True)
    return centred


def _variances(halves: Floats) -> tuple[float, float]:
    """Return W, the mean variance within half chains, and V, the estimated total variance."""
    n_samples = halves.shape[1]
    within = float((_centred(halves) ** 2).sum(axis=1).mean()) / (n_samples - 1)
    between = float(halves.mean(axis=1).var(ddof=1))
    return within, within * (n_samples - 1) / n_samples + between


def _autocovariances(halves: Floats) -> Floats:
    """Return the mean over half chains of the autocovariance at each lag, divided by n."""
    n_samples = halves.shape[1]
    spectrum = np.fft.rfft(_centred(halves), 2 * n_samples)
    power = (np.abs(spectrum) ** 2).mean(axis=0)
    covariances: Floats = np.fft.irfft(power, 2 * n_samples)[:n_samples] / n_samples
    return covariances
