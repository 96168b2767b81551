"""Differences of item vectors, features turned into distances, and distances of pairs."""

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import ItemSet
from coterie.checks import check_featurizer
from coterie.exceptions import FeatureError, InputError
from coterie.features import (
    AbsoluteDifferences,
    AsDistances,
    Euclidean,
    GivenFeatures,
    Manhattan,
    Scaled,
    SoftTFIDF,
    SquaredDifferences,
    WithConstant,
    to_matrix,
)
from coterie.features.differences import distance_flags
from coterie.pairs import all_pairs
from coterie.similarities import DistanceSimilarity


@pytest.fixture
def vectors():
    rng = np.random.default_rng(0)
    return rng.normal(size=(9, 4)) * (rng.random((9, 4)) < 0.6)


def sets_of(vectors):
    first, second = all_pairs(len(vectors)).T
    differences = np.abs(vectors[first] - vectors[second])
    return {
        "dense": ItemSet(vectors),
        "sparse": ItemSet(sp.csr_array(vectors)),
        "pairs": ItemSet.from_pair_features(differences, len(vectors)),
    }


@pytest.mark.parametrize("kind", ["dense", "sparse", "pairs"])
@pytest.mark.parametrize("featurizer", [AbsoluteDifferences(), SquaredDifferences()])
def test_differences_keep_the_contract_of_featurizers(vectors, featurizer, kind):
    check_featurizer(featurizer, [sets_of(vectors)[kind]])
    check_featurizer(
        AsDistances(featurizer, np.array([True, False, True, True])), [ItemSet(vectors)]
    )


def test_differences_are_those_of_each_column(vectors):
    first, second = all_pairs(len(vectors)).T
    differences = np.abs(vectors[first] - vectors[second])
    for kind, item_set in sets_of(vectors).items():
        squared = to_matrix(SquaredDifferences()(item_set, None))
        np.testing.assert_allclose(
            to_matrix(AbsoluteDifferences()(item_set, None)), differences, atol=1e-12
        )
        np.testing.assert_allclose(
            squared, differences if kind == "pairs" else differences**2, atol=1e-12
        )
        pairs = [(3, 5), (0, 8)]
        np.testing.assert_allclose(
            to_matrix(AbsoluteDifferences()(item_set, pairs)),
            np.abs(vectors[[3, 0]] - vectors[[5, 8]]),
            atol=1e-12,
        )


def test_flags_say_which_columns_grow_with_distance(vectors):
    sets = [ItemSet(vectors)]
    assert distance_flags(AbsoluteDifferences().fit(sets)) == (True,) * 4
    assert distance_flags(Scaled(SquaredDifferences()).fit(sets)) is None
    assert distance_flags(SoftTFIDF()) == (False,)
    assert distance_flags(GivenFeatures().fit(sets)) is None
    assert distance_flags(AbsoluteDifferences().fit([sets_of(vectors)["pairs"]])) is None
    # A constant grows with neither distance nor similarity, so that the flags are not known.
    assert distance_flags(WithConstant(SquaredDifferences()).fit(sets)) is None


def test_similarities_are_turned_into_distances():
    names = ItemSet({"name": ["Ann Lee", "Ann Lee", "Bob"]})
    featurizer = AsDistances(SoftTFIDF()).fit([names])
    assert featurizer.names == SoftTFIDF().names
    assert featurizer.distances == (True,)
    similar = to_matrix(featurizer.featurizer(names, None))
    np.testing.assert_allclose(to_matrix(featurizer(names, None)), 1.0 - similar, atol=1e-12)


def test_columns_of_unknown_direction_are_refused(vectors):
    with pytest.raises(FeatureError, match="does not say which columns grow with distance"):
        AsDistances(GivenFeatures()).fit([ItemSet(vectors)])
    with pytest.raises(FeatureError, match=r"AsDistances is not fitted, .* call fit"):
        AsDistances(GivenFeatures())(ItemSet(vectors), None)
    with pytest.raises(FeatureError, match="give one value per column"):
        AsDistances(GivenFeatures(), similar=[True])(ItemSet(vectors), None)
    with pytest.raises(FeatureError, match="a finite number for each column"):
        AsDistances(GivenFeatures(), similar=[True], origin=[np.nan])
    with pytest.raises(FeatureError, match="a list of True or False, one per column"):
        AsDistances(GivenFeatures(), similar=[1.0, 0.0])


@pytest.mark.parametrize("distance", [Manhattan(), Euclidean()])
def test_slopes_agree_with_finite_differences(vectors, distance):
    features = SquaredDifferences()(ItemSet(vectors), None)
    rng = np.random.default_rng(1)
    coef, weights = rng.random(4) + 0.1, rng.normal(size=features.shape[0])
    for column, slope in enumerate(distance.slopes(features, coef, weights)):
        step = np.zeros(4)
        step[column] = 1e-6
        ahead, behind = distance(features, coef + step), distance(features, coef - step)
        assert slope == pytest.approx(weights @ (ahead - behind) / 2e-6, rel=1e-5, abs=1e-7)


def test_equal_items_are_at_distance_0_whatever_the_rounding():
    item = np.random.default_rng(2).normal(size=(1, 30)) * 1e3
    features = SquaredDifferences()(ItemSet(np.repeat(item, 3, axis=0)), None)
    coef = np.full(30, 1 / 30)
    distances = Euclidean()(features, coef)
    assert np.all(distances >= 0.0)
    assert np.all(np.isfinite(Euclidean().slopes(features, coef, np.ones(3))))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_differences_of_any_size_are_exact(dtype):
    vectors = np.array([[0.0, 0.0], [1e-30, 1e30], [3e-30, 3e30]], dtype=dtype)
    differences = to_matrix(AbsoluteDifferences()(ItemSet(vectors), None))
    expected = np.abs(vectors[[0, 0, 1]].astype(float) - vectors[[1, 2, 2]])
    np.testing.assert_array_equal(differences, expected)
    far = ItemSet(np.array([[1e9], [1e9 + 1.0], [1e9 + 3.0]]))
    np.testing.assert_allclose(SquaredDifferences()(far, None) @ [1.0], [1.0, 9.0, 4.0])


def test_scores_are_nearer_than_the_furthest_or_the_threshold(vectors):
    items, coef = ItemSet(vectors, n_clusters=2), np.array([0.1, 0.2, 0.3, 0.4])
    first, second = all_pairs(len(vectors)).T
    distances = np.abs(vectors[first] - vectors[second]) @ coef
    plain = DistanceSimilarity(AbsoluteDifferences(), coef)
    assert plain.needs_context
    np.testing.assert_allclose(plain(items), distances.max() - distances, atol=1e-12)
    scores = plain.pair_scores(items)
    assert scores.n_clusters == 2
    np.testing.assert_allclose(scores.diagonal, distances.max())
    near = DistanceSimilarity(AbsoluteDifferences(4), coef, threshold=0.5)
    assert not near.needs_context
    np.testing.assert_allclose(near(items), 0.5 - distances, atol=1e-12)
    for similarity in (plain, near):
        bias, parts = similarity.contributions(items)
        np.testing.assert_allclose(bias + parts.sum(axis=1), similarity(items), atol=1e-12)
    assert list(near.named_coef().values()) == coef.tolist()


def test_a_euclidean_distance_is_not_explained_by_parts(vectors):
    similarity = DistanceSimilarity(SquaredDifferences(), np.ones(4), 1.0, Euclidean())
    first, second = all_pairs(len(vectors)).T
    lengths = np.linalg.norm(vectors[first] - vectors[second], axis=1)
    np.testing.assert_allclose(similarity(vectors), 1.0 - lengths, atol=1e-9)
    with pytest.raises(InputError, match=r"is not a sum over features, .*; use Manhattan"):
        similarity.contributions(vectors)
    with pytest.raises(InputError, match=r"give Manhattan\(\) or Euclidean\(\)"):
        DistanceSimilarity(SquaredDifferences(), np.ones(4), 1.0, Euclidean)
    with pytest.raises(FeatureError, match="takes no weights below 0"):
        DistanceSimilarity(SquaredDifferences(), [1.0, -1.0], 1.0, Euclidean())


def test_there_are_no_scores_without_pairs():
    similarity = DistanceSimilarity(AbsoluteDifferences(n_columns=1), [1.0])
    assert similarity([[1.0]]).shape == (0,)
