"""What scores mean in larger tables: against mixtures whose densities and sizes are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from coterie.exceptions import InputError
from coterie.sizing import (
    MAX_LOG_ODDS,
    ScoreCounts,
    bin_edges,
    count_scores,
    odds_at_size,
    odds_at_training_size,
)

TABLE_EDGES = np.arange(-320, 321) / 16.0
N_ROWS, MATCHES_PER_ROW, OTHERS_PER_SQUARE = 1000, 0.8, 0.02


def expected(density, edges):
    """The share of a distribution in each bin, of which the first and the last are open."""
    return np.diff(np.concatenate([[0.0], density.cdf(edges), [1.0]]))


def counts(density, number, edges, rng):
    return rng.poisson(number * expected(density, edges)).astype(float)


MATCH, OTHER = norm(6.0, 3.0), norm(-7.0, 2.5)


def held_out(rng, match=MATCH, other=OTHER):
    sample = match.rvs(2000, random_state=rng)
    edges = bin_edges(sample, np.ones(2000, dtype=bool), 1.0)
    return ScoreCounts(
        edges,
        counts(match, MATCHES_PER_ROW * N_ROWS, edges, rng),
        counts(other, OTHERS_PER_SQUARE * N_ROWS**2, edges, rng),
        N_ROWS,
    )


def table(n_rows, rng):
    """Numbers of candidate pairs in a table of so many rows, where no block is cut."""
    return counts(MATCH, MATCHES_PER_ROW * n_rows, TABLE_EDGES, rng) + counts(
        OTHER, OTHERS_PER_SQUARE * n_rows**2, TABLE_EDGES, rng
    )


def true_log_odds(scores, n_rows):
    ratio = MATCHES_PER_ROW * n_rows / (OTHERS_PER_SQUARE * n_rows**2)
    return MATCH.logpdf(scores) - OTHER.logpdf(scores) + np.log(ratio)


@pytest.mark.parametrize("seed", range(3))
def test_the_training_size_has_the_log_odds_of_the_held_out_pairs(seed):
    odds = odds_at_training_size(held_out(np.random.default_rng(seed)))
    truth = true_log_odds(odds.centres, N_ROWS)
    is_mixed = np.abs(truth) < 2.0
    assert np.abs(odds.log_odds - truth)[is_mixed].max() < 1.0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("times", [3, 10, 30, 100])
def test_larger_tables_have_the_log_odds_of_the_mixture(seed, times):
    rng = np.random.default_rng(seed)
    n_rows = times * N_ROWS
    odds = odds_at_size(held_out(rng), n_rows, TABLE_EDGES, table(n_rows, rng))
    truth = true_log_odds(odds.centres, n_rows)
    is_mixed = np.abs(truth) < 2.0
    assert np.abs(odds.log_odds - truth)[is_mixed].max() < 1.0
    assert odds.score_at(0.0) > odds_at_training_size(held_out(rng)).score_at(0.0)


@pytest.mark.parametrize("times", [3, 10, 30, 100])
def test_stated_probabilities_are_right_on_average(times):
    errors = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        n_rows = times * N_ROWS
        odds = odds_at_size(held_out(rng), n_rows, TABLE_EDGES, table(n_rows, rng))
        above = odds.score_at(0.0)
        stated = 1.0 / (1.0 + np.exp(-odds.log_odds))
        edges = np.append(above, np.linspace(above + 0.1, 30.0, 200))
        n_match = MATCHES_PER_ROW * n_rows * expected(MATCH, edges)[1:]
        n_other = OTHERS_PER_SQUARE * n_rows**2 * expected(OTHER, edges)[1:]
        probabilities = np.interp(edges, odds.centres, stated)
        total = np.sum(n_match + n_other)
        errors.append(np.sum(probabilities * (n_match + n_other)) / total - n_match.sum() / total)
    assert abs(np.mean(errors)) < 0.05


def test_more_rows_never_make_a_score_more_likely_right():
    rng = np.random.default_rng(0)
    trained = held_out(rng)
    thresholds = [
        odds_at_size(trained, times * N_ROWS, TABLE_EDGES, table(times * N_ROWS, rng)).score_at(0.0)
        for times in (1, 10, 100)
    ]
    assert thresholds[0] < thresholds[1] < thresholds[2]


@st.composite
def histograms(draw):
    kind = draw(st.sampled_from(["none", "one bin", "few", "many"]))
    numbers = np.zeros(len(TABLE_EDGES) + 1)
    if kind == "one bin":
        numbers[draw(st.integers(0, len(numbers) - 1))] = draw(st.integers(1, 10**9))
    elif kind != "none":
        size = len(numbers) if kind == "many" else 5
        rng = np.random.default_rng(draw(st.integers(0, 99)))
        chosen = rng.choice(len(numbers), size, replace=False)
        numbers[chosen] = rng.integers(0, 10 ** draw(st.integers(1, 9)), size)
    return numbers


@st.composite
def trained_counts(draw):
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    edges = bin_edges(rng.normal(5.0, 2.0, 50), rng.random(50) < 0.5, draw(st.floats(1e-3, 1e3)))
    n_bins = len(edges) + 1
    kinds = [draw(st.sampled_from([0, 1, 10**7])) for _ in range(2)]
    matches, others = (rng.integers(0, kind + 1, n_bins).astype(float) for kind in kinds)
    return ScoreCounts(edges, matches, others, draw(st.integers(1, 10**6)))


@settings(deadline=None, max_examples=60)
@given(trained=trained_counts(), numbers=histograms(), n_rows=st.integers(0, 10**8))
def test_any_counts_give_rising_finite_log_odds(trained, numbers, n_rows):
    for odds in (
        odds_at_training_size(trained),
        odds_at_size(trained, n_rows, TABLE_EDGES, numbers),
    ):
        assert np.all(np.diff(odds.log_odds) >= 0.0)
        assert np.all(np.abs(odds.log_odds) <= MAX_LOG_ODDS)
        assert np.isfinite(odds.spread_above(0.0))


def test_scores_are_counted_once_also_beyond_the_limits():
    scores = [-9.0, 0.0, 0.5, 1.0, 9.0]
    assert count_scores(scores, [0.0, 1.0]).tolist() == [1.0, 2.0, 2.0]
    assert count_scores(scores, [0.0, 1.0], [1, 2, 3, 4, 5]).tolist() == [1.0, 5.0, 9.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edges": [0.0, 2.0, 1.0, 3.0]}, "edges must be at least four numbers"),
        ({"edges": [0.0, 1.0]}, "edges must be at least four numbers"),
        ({"matches": [1.0]}, "matches must be 5 counts"),
        ({"others": [1.0, 1.0, -1.0, 0.0, 0.0]}, "others must be 5 counts"),
        ({"n_rows": 0}, "n_rows is 0"),
    ],
)
def test_counts_that_cannot_be_are_refused(changes, message):
    counts = {"edges": [0.0, 1.0, 2.0, 3.0], "matches": [0.0] * 5, "others": [0.0] * 5, "n_rows": 9}
    with pytest.raises(InputError, match=message):
        ScoreCounts(**{**counts, **changes})
