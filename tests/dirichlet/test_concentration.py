"""The Chinese restaurant process against enumeration, and its concentration against grids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from coterie.dirichlet.concentration import (
    estimate_concentration,
    log_crp,
    sample_concentration,
)
from coterie.exceptions import InputError
from tests.partitions import all_partitions


def restaurant(rng, alpha, n_items):
    """Seat items one by one."""
    labels, sizes = [], []
    for item in range(n_items):
        chances = np.array([*sizes, alpha]) / (item + alpha)
        table = int(rng.choice(len(chances), p=chances))
        sizes = [*sizes, 0] if table == len(sizes) else sizes
        sizes[table] += 1
        labels.append(table)
    return labels


@pytest.mark.parametrize("alpha", [1e-3, 0.7, 30.0])
@pytest.mark.parametrize("n_items", [0, 1, 4, 6])
def test_all_partitions_together_have_probability_one(alpha, n_items):
    total = sum(np.exp(log_crp(labels, alpha)) for labels in all_partitions(n_items))
    assert total == pytest.approx(1)


def test_same_as_seating_one_by_one():
    alpha, labels = 0.6, [0, 1, 0, 0, 2, 1]
    chances = [alpha, alpha, 1, 2, alpha, 1]
    seated = np.prod([chance / (alpha + i) for i, chance in enumerate(chances)])
    assert np.exp(log_crp(labels, alpha)) == pytest.approx(seated)


@given(st.lists(st.lists(st.integers(0, 4), max_size=12), max_size=4))
def test_no_other_concentration_is_more_probable(sets):
    alpha = estimate_concentration(sets)
    assert 0 < alpha < np.inf

    def log_posterior(log_alpha):
        prior = 0.1 * log_alpha - 0.01 * np.exp(log_alpha)
        return prior + sum(log_crp(labels, np.exp(log_alpha)) for labels in sets)

    grid = np.log(alpha) + np.linspace(-3, 3, 61)
    values = [log_posterior(point) for point in grid]
    assert np.argmax(values) == 30 or max(values) == pytest.approx(values[30], abs=1e-9)


@pytest.mark.parametrize("alpha", [0.5, 5.0, 50.0])
def test_a_known_concentration_is_recovered(rng, alpha):
    sets = [restaurant(rng, alpha, 100) for _ in range(60)]
    assert estimate_concentration(sets) == pytest.approx(alpha, rel=0.2)


def test_extreme_partitions_keep_it_finite_and_positive():
    for n_items in (1, 2, 100, 10_000):
        alone = estimate_concentration([np.arange(n_items)] * 3)
        together = estimate_concentration([np.zeros(n_items)] * 3)
        assert 0 < together <= alone < np.inf
    assert alone > 10_000
    assert together < 0.01
    assert estimate_concentration([]) == pytest.approx(10)


@pytest.mark.parametrize(("n_clusters", "n_items"), [(1, 1), (1, 50), (4, 30), (20, 25)])
def test_samples_follow_the_exact_posterior(n_clusters, n_items):
    """Compare the distribution functions; p(α | K, n) ∝ α^K Γ(α) / Γ(α + n) e^−α."""
    rng = np.random.default_rng(n_items)
    grid = np.exp(np.linspace(-14, 6, 20_001))
    log_density = n_clusters * np.log(grid) + gammaln(grid) - gammaln(grid + n_items) - grid
    mass = np.exp(log_density - log_density.max()) * grid
    exact = np.cumsum(mass) / mass.sum()
    alpha, draws = 1.0, []
    for _ in range(12_000):
        alpha = sample_concentration(alpha, n_clusters, n_items, rng)
        draws.append(alpha)
    sampled = np.searchsorted(np.sort(draws), grid) / len(draws)
    assert np.abs(sampled - exact).max() < 0.025


def test_without_items_the_prior_is_drawn(rng):
    draws = [sample_concentration(3.0, 0, 0, rng) for _ in range(5000)]
    assert np.mean(draws) == pytest.approx(1, abs=0.06)
    assert np.mean(np.array(draws) < 1) == pytest.approx(1 - np.exp(-1), abs=0.03)


def test_what_is_no_concentration_is_refused(rng):
    with pytest.raises(InputError, match="alpha is 0"):
        log_crp([0, 1], 0)
    with pytest.raises(InputError, match="n_clusters is 3"):
        sample_concentration(1.0, 3, 2, rng)
    with pytest.raises(InputError, match="n_clusters is 0"):
        sample_concentration(1.0, 0, 2, rng)
    with pytest.raises(InputError, match="rate is 0"):
        estimate_concentration([[0]], rate=0)
