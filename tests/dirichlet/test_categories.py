"""Categorical dimensions against one item after the other, and simulated clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie._saving import load_value, save_value
from coterie.dirichlet.categories import BOUNDS, Categories, fit_categories
from coterie.exceptions import FeatureError, PartitionError


def simulated(rng, betas, shares, n_clusters=400, size=10):
    """Draw clusters of equal size, and their values in each dimension."""
    columns = []
    for beta, share in zip(betas, shares, strict=True):
        thetas = rng.dirichlet(beta * np.array(share), size=n_clusters)
        columns.append([rng.choice(len(share), p=theta) for theta in thetas for _ in range(size)])
    return np.array(columns).T, np.repeat(np.arange(n_clusters), size)


def betas_of(categories):
    return np.add.reduceat(categories.pseudo_counts, categories.offsets[:-1])


def one_by_one(categories, positions):
    """Multiply the chance of each item's values given the items before it."""
    totals = betas_of(categories)
    counts, log_chance = categories.pseudo_counts.copy(), 0.0
    for number, row in enumerate(positions):
        log_chance += np.log(counts[row] / (totals + number)).sum()
        counts[row] += 1
    return log_chance


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(5, 8)), min_size=1, max_size=8))
def test_the_marginal_is_that_of_one_item_after_the_other(items):
    categories = Categories(([0, 1, 2], [5, 7]), [0.3, 0.1, 2.0, 0.05, 4.0, 1.0, 0.5])
    positions = categories.encode(items)
    counts = np.bincount(positions.ravel(), minlength=7)
    assert categories.log_marginal(counts) == pytest.approx(one_by_one(categories, positions))


def test_many_clusters_at_once():
    categories = Categories(([0, 1], [5]), [0.3, 0.1, 2.0, 0.05, 4.0])
    counts = np.array([[2, 0, 0, 1, 1], [1, 1, 1, 0, 3], [0, 0, 0, 0, 0]])
    actual = categories.log_marginal(counts)
    assert actual == pytest.approx([categories.log_marginal(row) for row in counts])
    assert actual[2] == 0


def test_simulated_clusters_give_their_beta_and_shares_back(rng):
    betas, shares = (0.5, 3.0, 40.0), ([0.3, 0.7], [0.2, 0.3, 0.5], [0.25] * 4)
    codes, labels = simulated(rng, betas, shares)
    categories = fit_categories([codes[:2000], codes[2000:]], [labels[:2000], labels[2000:]])
    assert betas_of(categories) == pytest.approx(betas, rel=0.25)
    for index, expected in enumerate(shares):
        start, stop = categories.offsets[index : index + 2]
        learned_shares = categories.pseudo_counts[start:stop] / betas_of(categories)[index]
        assert learned_shares[:-1] == pytest.approx(expected, abs=0.05)
        assert 0 < learned_shares[-1] < 0.001


def test_beta_is_the_most_likely_one(rng):
    codes, labels = simulated(rng, [1.5], [[0.2, 0.3, 0.5]], n_clusters=30, size=4)
    categories = fit_categories([codes], [labels])
    counts = np.zeros((30, 4))
    np.add.at(counts, (labels, categories.encode(codes)[:, 0]), 1)

    def likelihood(factor):
        other = Categories(categories.values, factor * categories.pseudo_counts)
        return other.log_marginal(counts).sum()

    values = [likelihood(factor) for factor in np.exp(np.linspace(-3, 3, 61))]
    assert np.argmax(values) == 30


def test_extreme_clusters_reach_the_bounds():
    pure = fit_categories([[[0]] * 20 + [[1]] * 20], [[0] * 20 + [1] * 20])
    assert betas_of(pure)[0] < 0.5
    mixed = fit_categories([[[0], [1]] * 200], [np.repeat(np.arange(20), 20)])
    assert betas_of(mixed)[0] == pytest.approx(BOUNDS[1], rel=0.01)


def test_clusters_of_one_item_say_nothing_of_beta():
    categories = fit_categories([[[0, 1], [1, 1], [0, 0]]], [[0, 1, 2]])
    assert betas_of(categories) == pytest.approx([1, 1], abs=1e-4)


@pytest.mark.parametrize("texts", [False, True])
def test_values_are_found_and_all_others_have_one_place(texts):
    codes = np.array([[3, 10], [7, 10], [3, 20]])
    new = np.array([[7, 20], [5, 10], [100, 0]])
    if texts:
        codes, new = codes.astype(str), new.astype(str).astype(object)
    categories = fit_categories([codes], [[0, 1, 0]])
    assert categories.offsets.tolist() == [0, 3, 6]
    assert categories.encode(codes).tolist() == [[0, 3], [1, 3], [0, 4]]
    assert categories.encode(new).tolist() == [[1, 4], [2, 3], [2, 5]]
    assert np.all(categories.pseudo_counts > 0)
    assert categories.encode(new).dtype == np.intp


def test_no_dimension_and_no_items():
    none = fit_categories([np.empty((4, 0))], [[0, 0, 1, 1]])
    assert none.encode(np.empty((3, 0))).shape == (3, 0)
    assert none.log_marginal(np.empty((2, 0))).tolist() == [0, 0]
    empty = fit_categories([np.empty((0, 2))], [[]])
    assert empty.encode([[1, 2]]).tolist() == [[0, 1]]


def test_names_of_clusters_and_the_order_of_sets_do_not_matter(rng):
    codes, labels = simulated(rng, [1.0], [[0.5, 0.5]], n_clusters=20, size=3)
    halves = [(codes[:30], labels[:30]), (codes[30:], labels[30:])]
    actual = fit_categories(*zip(*halves, strict=True))
    other = fit_categories(*zip(*[(c, 100 - y) for c, y in halves[::-1]], strict=True))
    assert actual.pseudo_counts == pytest.approx(other.pseudo_counts, rel=1e-4)


def test_a_file_keeps_them(tmp_path):
    categories = fit_categories([[["a", "x"], ["b", "x"]]], [[0, 0]])
    path = tmp_path / "categories.coterie"
    save_value(path, categories, {"Categories": Categories}.get)
    loaded = load_value(path, {"Categories": Categories}.get)
    assert np.array_equal(loaded.pseudo_counts, categories.pseudo_counts)
    assert loaded.encode([["b", "y"]]).tolist() == categories.encode([["b", "y"]]).tolist()


@pytest.mark.parametrize(
    "codes",
    [
        [[[1], [2]], [[1, 2]]],
        [[["a"]], [[1]]],
        [],
        [[1, 2]],
        [[[np.nan]]],
        [[[None]]],
        [[[1], [1, 2]]],
    ],
)
def test_bad_codes_are_refused(codes):
    with pytest.raises(FeatureError, match=r"item set|categor"):
        fit_categories(codes, [[0] * len(set_codes) for set_codes in codes])


def test_what_does_not_fit_is_refused():
    categories = fit_categories([[[1], [2]]], [[0, 0]])
    with pytest.raises(FeatureError, match="2 categorical columns"):
        categories.encode([[1, 2]])
    with pytest.raises(FeatureError, match="strings in one item set"):
        categories.encode([["a"]])
    with pytest.raises(FeatureError, match="pseudo_counts"):
        Categories(([1],), [0.5])
    with pytest.raises(PartitionError, match="covers 1 items"):
        fit_categories([[[1], [2]]], [[0]])
