"""The context of pairs, against plain loops over rows of scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import ItemSet, PairScores
from coterie.blocking import AllPairs, NearestNeighbours, Window
from coterie.checks import check_featurizer
from coterie.exceptions import FeatureError, InputError, PairError
from coterie.features import ContextFeatures, GivenFeatures, Stacked, to_matrix
from coterie.features.context import MAX_SCORE, context_columns
from coterie.pairs import all_pairs
from coterie.similarities import ConstantSimilarity, LinearSimilarity

LINEAR = LinearSimilarity(GivenFeatures(), [1.0, -0.5], bias=0.2)
NAMES = ContextFeatures(LINEAR).names
RANKS, MATES, MARGINS, COMMON = slice(0, 2), slice(2, 4), slice(4, 6), 6


def plain_context(n_items, pairs, scores):
    """Compute the context of each pair from a dict of scores per item."""
    rows = [{} for _ in range(n_items)]
    for (i, j), score in zip(pairs, scores, strict=True):
        rows[i][j] = rows[j][i] = score
    mates = [sum(1 / (1 + np.exp(-score)) for score in row.values()) for row in rows]
    strong = [{k for k, score in row.items() if score > 0} for row in rows]
    columns = []
    for (i, j), score in zip(pairs, scores, strict=True):
        ranks, margins = [], []
        for item, partner in ((i, j), (j, i)):
            rivals = [value for k, value in rows[item].items() if k != partner]
            ranks.append(np.log1p(sum(value > score for value in rivals)))
            margins.append(score - max(rivals, default=0.0))
        common, either = strong[i] & strong[j], (strong[i] | strong[j]) - {i, j}
        log_mates = [np.log(0.01 + mates[item]) for item in (i, j)]
        share = len(common) / len(either) if either else 0.0
        columns.append([*sorted(ranks), *sorted(log_mates), *sorted(margins), share])
    return np.array(columns).reshape(len(pairs), len(NAMES))


def random_scores(rng, n_items, share, mean=0.0):
    """Return a share of all pairs in random order, and random scores with ties."""
    pairs = rng.permutation(all_pairs(n_items))
    pairs = pairs[: int(share * len(pairs))]
    return pairs, np.round(rng.normal(mean, 2.0, size=len(pairs)), 1)


@pytest.mark.parametrize("share", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("mean", [-6.0, -3.0, 0.0, 3.0])
def test_context_agrees_with_plain_loops(share, mean, rng):
    pairs, scores = random_scores(rng, 30, share, mean)
    columns = context_columns(PairScores(30, pairs, scores))
    np.testing.assert_allclose(columns, plain_context(30, pairs, scores), rtol=1e-12, atol=1e-12)
    assert not columns.flags.writeable


def test_scores_of_all_pairs_need_no_list_of_pairs(rng):
    scores = rng.normal(size=45)
    columns = context_columns(PairScores(10, None, scores))
    np.testing.assert_allclose(columns, plain_context(10, all_pairs(10), scores), atol=1e-12)


@given(st.integers(0, 12), st.floats(0.0, 1.0), st.randoms(use_true_random=False))
def test_the_order_of_items_and_of_pairs_does_not_matter(n_items, share, random):
    rng = np.random.default_rng(random.randrange(2**32))
    pairs, scores = random_scores(rng, n_items, share)
    new_items, order = rng.permutation(n_items), rng.permutation(len(pairs))
    permuted = context_columns(PairScores(n_items, new_items[pairs[order]], scores[order]))
    expected = context_columns(PairScores(n_items, pairs, scores))[order]
    np.testing.assert_allclose(permuted, expected, rtol=1e-12, atol=1e-12)


@given(st.integers(3, 12), st.floats(-50.0, 50.0), st.randoms(use_true_random=False))
def test_a_shift_of_all_scores_leaves_ranks_and_margins(n_items, shift, random):
    rng = np.random.default_rng(random.randrange(2**32))
    scores = np.round(rng.normal(size=len(all_pairs(n_items))), 1)
    base, shifted = (context_columns(PairScores(n_items, None, scores + by)) for by in (0.0, shift))
    np.testing.assert_array_equal(base[:, RANKS], shifted[:, RANKS])
    np.testing.assert_allclose(base[:, MARGINS], shifted[:, MARGINS], atol=1e-9)
    assert np.all((shifted[:, MATES] - base[:, MATES]) * shift >= -1e-12)


def test_rounding_errors_do_not_change_ranks(rng):
    """Sums that differ only by the order of summation count as equal."""
    scores = np.round(rng.normal(size=45), 0)
    noisy = scores * (1.0 + 1e-14 * rng.normal(size=45)) + 1e-14 * rng.normal(size=45)
    exact, rounded = (context_columns(PairScores(10, None, row)) for row in (scores, noisy))
    np.testing.assert_allclose(rounded, exact, atol=1e-9)


@pytest.mark.parametrize("largest", [36.0, 5000.0, 1e300])
def test_the_context_of_large_scores_is_finite(largest, rng):
    scores = rng.choice([-largest, 0.0, largest], size=45)
    for extreme in (scores, np.full(45, largest), np.full(45, -largest)):
        assert np.isfinite(context_columns(PairScores(10, None, extreme))).all()


def test_large_scores_are_bounded():
    columns = context_columns(PairScores(3, None, [1e300, -1e300, 0.0]))
    assert columns[:, MARGINS].max() == 2 * MAX_SCORE


def test_the_margin_of_a_single_pair_is_its_score():
    columns = context_columns(PairScores(3, [(0, 2)], [1.5]))[0]
    assert columns[RANKS].tolist() == [0.0, 0.0]
    assert columns[MARGINS].tolist() == [1.5, 1.5]
    assert columns[COMMON] == 0.0


@pytest.mark.parametrize("n_items", [0, 1, 2])
def test_no_pairs_have_an_empty_context(n_items):
    assert context_columns(PairScores(n_items, [], [])).shape == (0, len(NAMES))


def test_context_features_keep_the_contract_of_a_featurizer(rng):
    vectors = ItemSet(rng.normal(size=(12, 2)))
    pairs = rng.permutation(all_pairs(8))[:15]
    some_pairs = ItemSet.from_pair_features(rng.normal(size=(15, 2)), 8, pairs)
    check_featurizer(ContextFeatures(LINEAR), [vectors, some_pairs])
    check_featurizer(ContextFeatures(LINEAR, AllPairs()), [vectors, some_pairs])


def test_features_are_the_context_of_the_scores(rng):
    vectors = ItemSet(rng.normal(size=(9, 2)))
    columns = to_matrix(ContextFeatures(LINEAR)(vectors, None))
    np.testing.assert_array_equal(columns, context_columns(LINEAR.pair_scores(vectors)))


@pytest.mark.parametrize("blocker", [Window(2), NearestNeighbours(3)])
def test_only_candidate_pairs_enter_the_context(blocker, rng):
    vectors = ItemSet(rng.normal(size=(9, 2)))
    candidates = blocker(vectors)
    featurizer = ContextFeatures(LINEAR, blocker)
    columns = to_matrix(featurizer(vectors, candidates[3:6]))
    expected = plain_context(9, candidates, LINEAR(vectors, candidates))[3:6]
    np.testing.assert_allclose(columns, expected, rtol=1e-12, atol=1e-12)
    among_all_pairs = to_matrix(ContextFeatures(LINEAR)(vectors, candidates[3:6]))
    assert np.any(np.abs(expected - among_all_pairs) > 1e-3)


def test_a_pair_that_is_not_a_candidate_has_no_context(rng):
    vectors = ItemSet(rng.normal(size=(9, 2)))
    featurizer = ContextFeatures(LINEAR, Window(2))
    for pairs in ([(0, 1), (0, 8)], None):
        with pytest.raises(
            PairError, match=r"^candidate pairs of the blocker: pair .0, [83]. is not among the"
        ):
            featurizer(vectors, pairs)


def test_context_can_be_stacked_with_other_columns(rng):
    vectors = ItemSet(rng.normal(size=(9, 2)))
    stacked = Stacked((GivenFeatures(), ContextFeatures(LINEAR))).fit([vectors])
    assert stacked.names == ("feature 0", "feature 1", *NAMES)
    assert stacked(vectors, None).shape == (36, 2 + len(NAMES))


@pytest.mark.parametrize("similarity", [LinearSimilarity, None, "linear"])
def test_values_without_pair_scores_are_refused(similarity):
    with pytest.raises(FeatureError, match="has no pair_scores"):
        ContextFeatures(similarity)


@pytest.mark.parametrize("blocker", [AllPairs, "all"])
def test_values_that_are_not_blockers_are_refused(blocker):
    with pytest.raises(InputError, match="blocker is"):
        ContextFeatures(ConstantSimilarity(1.0), blocker)
