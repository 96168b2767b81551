"""Effective sample size and R-hat, against plain twins and chains of known autocorrelation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.dirichlet.diagnostics import effective_sample_size, r_hat
from coterie.exceptions import InputError


def autoregressive(rng, phi, n_chains, n_samples):
    """Chains x_t = φ x_{t−1} + noise, started from their stationary distribution."""
    chains = rng.normal(size=(n_chains, n_samples))
    chains[:, 0] /= np.sqrt(1 - phi**2)
    for t in range(1, n_samples):
        chains[:, t] += phi * chains[:, t - 1]
    return chains


def slow_halves(chains):
    half = len(chains[0]) // 2
    return [np.array(part) for chain in chains for part in (chain[:half], chain[-half:])]


def slow_r_hat(chains):
    halves = slow_halves(chains)
    within = np.mean([np.var(half, ddof=1) for half in halves])
    n = len(halves[0])
    between = np.var([np.mean(half) for half in halves], ddof=1)
    return np.sqrt(((n - 1) / n * within + between) / within)


def slow_size(chains):
    """Add up autocorrelations one by one, by the definitions."""
    halves = slow_halves(chains)
    m, n = len(halves), len(halves[0])
    within = np.mean([np.var(half, ddof=1) for half in halves])
    total = (n - 1) / n * within + np.var([np.mean(half) for half in halves], ddof=1)

    def correlation(lag):
        if lag == 0:
            return 1.0
        products = [
            sum((h[t] - h.mean()) * (h[t + lag] - h.mean()) for t in range(n - lag)) / n
            for h in halves
        ]
        return 1 - (within - np.mean(products)) / total

    tau, previous = -1.0, np.inf
    for lag in range(0, n - 1, 2):
        pair = correlation(lag) + correlation(lag + 1)
        if pair <= 0:
            break
        previous = min(previous, pair)
        tau += 2 * previous
    return m * n / max(tau, 1 / np.log10(m * n))


@pytest.mark.parametrize("n_samples", [4, 5, 31, 60])
@pytest.mark.parametrize("n_chains", [1, 3])
@pytest.mark.parametrize("phi", [-0.8, 0.0, 0.9])
def test_same_as_the_definitions(rng, phi, n_chains, n_samples):
    chains = autoregressive(rng, phi, n_chains, n_samples) + 5.0
    assert effective_sample_size(chains) == pytest.approx(slow_size(chains))
    assert r_hat(chains) == pytest.approx(slow_r_hat(chains))


@pytest.mark.parametrize("phi", [-0.3, 0.0, 0.5, 0.9])
def test_autoregressive_chains_have_their_known_size(rng, phi):
    runs = [autoregressive(rng, phi, n_chains=4, n_samples=5000) for _ in range(20)]
    expected = 20_000 * (1 - phi) / (1 + phi)
    sizes = [effective_sample_size(run) for run in runs]
    assert np.mean(sizes) == pytest.approx(expected, rel=0.06)
    assert np.mean([r_hat(run) for run in runs]) == pytest.approx(1.0, abs=0.005)


def test_chains_that_disagree_are_found_out(rng):
    chains = rng.normal(size=(4, 500)) + 3.0 * np.arange(4)[:, None]
    assert r_hat(chains) > 2
    assert effective_sample_size(chains) < 10


def test_a_trend_is_found_out_in_one_chain(rng):
    assert r_hat(rng.normal(size=(1, 400)) + np.linspace(0, 8, 400)) > 1.5


@pytest.mark.parametrize("value", [0.0, 0.1, -1e9 / 3])
def test_constant_chains(value):
    assert r_hat(np.full((3, 10), value)) == 1
    assert effective_sample_size(np.full((3, 10), value)) == 30
    several = np.repeat([[value], [value + 0.1], [value + 0.7]], 11, axis=1)
    assert r_hat(several) == np.inf
    assert 3 <= effective_sample_size(several) <= 5


def test_short_chains_say_nothing():
    assert np.isnan(r_hat([[1, 2, 3]]))
    assert np.isnan(effective_sample_size([[1, 2, 3], [1, 2, 3]]))


@given(st.integers(0, 10_000), st.sampled_from([-3.0, 0.5, 1024.0]), st.integers(-1000, 1000))
def test_scale_and_place_do_not_matter(seed, scale, place):
    chains = np.random.default_rng(seed).integers(0, 5, size=(2, 12)).astype(float)
    moved = scale * chains + place
    assert r_hat(moved) == pytest.approx(r_hat(chains))
    assert effective_sample_size(moved) == pytest.approx(effective_sample_size(chains))


@pytest.mark.parametrize("chains", [[1.0, 2.0], np.empty((0, 5)), [[1, 2, np.nan, 3]], "abc"])
def test_what_is_no_chain_is_refused(chains):
    for measure in (r_hat, effective_sample_size):
        with pytest.raises(InputError, match="chains"):
            measure(chains)
