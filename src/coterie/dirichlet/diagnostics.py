"""How far sampled chains can be trusted: effective sample size and R-hat."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats
from coterie.exceptions import InputError

__all__ = ["Diagnostics", "effective_sample_size", "r_hat"]

FEWEST = 4
"""The fewest samples a chain whose halves have a variance."""


class Diagnostics(NamedTuple):
    """The convergence of a posterior's chains, by three of its quantities.

    The pair is the one whose items are the least surely together or apart: None where all are sure.
    """

    ess_log_joint: float
    r_hat_log_joint: float
    ess_n_clusters: float
    r_hat_n_clusters: float
    pair: tuple[int, int] | None
    ess_pair: float
    r_hat_pair: float


def r_hat(chains: ArrayLike) -> float:
    """Return the potential scale reduction of chains that are split in halves.

    It is √(V / W) with W the mean variance within half chains and V = W (n − 1)/n + the variance of
    their means (Vehtari, Gelman, Simpson, Carpenter & Bürkner 2021, eq. 1-4, without ranks): near 1
    where they agree, and above 1.01 a reason to sample longer. Chains that are constant have 1
    where all are at one value and infinity where they are not; chains of fewer than 4 samples NaN.

    Parameters
    ----------
    chains
        One row a chain, of shape (n_chains, n_samples).

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
    """Return how many independent samples would tell the mean of the chains as well.

    It is n_chains n_samples / τ, where τ = −1 + 2 Σ P sums the autocorrelations of half chains by
    neighbouring pairs P, as long as they are positive and no larger than those before (Geyer 1992,
    Vehtari et al. 2021, eq. 10-13, without ranks). It is at most N log₁₀ N of N samples. Samples
    that all are one value count in full; chains that are constant at several values count about one
    each; chains of fewer than 4 samples have NaN.

    Parameters
    ----------
    chains
        One row a chain, of shape (n_chains, n_samples).

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
    """Split each chain in two rows, without the middle of an odd number; None for short chains."""
    values = as_floats("chains", chains)
    if values.ndim != 2 or not len(values) or not np.all(np.isfinite(values)):
        raise InputError(
            f"chains have shape {values.shape}; give finite numbers, one row a chain, in an array "
            "of shape (n_chains, n_samples)"
        )
    n_samples = values.shape[1]
    if n_samples < FEWEST:
        return None
    half = n_samples // 2
    # What is constant is exactly 0 from here on, and a large mean takes no digits.
    moved: Floats = values - values[0, 0]
    return np.concatenate([moved[:, :half], moved[:, n_samples - half :]])


def _centred(halves: Floats) -> Floats:
    moved = halves - halves[:, :1]
    centred: Floats = moved - moved.mean(axis=1, keepdims=True)
    return centred


def _variances(halves: Floats) -> tuple[float, float]:
    """Return the mean variance within half chains, and the estimate of that of all draws."""
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
