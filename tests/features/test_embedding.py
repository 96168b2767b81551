"""Classical multidimensional scaling of distances."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from coterie._saving import load_value, save_value
from coterie.exceptions import FeatureError, InputError
from coterie.features import (
    AbsoluteDifferences,
    AsDistances,
    EuclideanEmbedding,
    GivenFeatures,
    NameFeatures,
)
from coterie.items import ItemSet
from tests.memory import limit_memory

STAR = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
"""Distances of a centre and three ends: 1 from the centre, 2 between ends; not Euclidean."""


def item_set_with(columns, **kwargs):
    matrix = np.column_stack(columns)
    n_items = int((1 + np.sqrt(1 + 8 * len(matrix))) // 2)
    return ItemSet.from_pair_features(matrix, n_items, **kwargs)


def embedded(item_set, n_dimensions):
    return EuclideanEmbedding(GivenFeatures(), n_dimensions).fit([item_set])(item_set)


@pytest.mark.parametrize("n_dimensions", [3, 5])
def test_euclidean_distances_are_reproduced(n_dimensions, rng):
    points = [rng.normal(size=(12, 3)), rng.normal(size=(12, 2)), np.zeros((12, 1))]
    item_set = item_set_with([pdist(cloud) for cloud in points])
    vectors = embedded(item_set, n_dimensions).items
    assert vectors.shape == (12, 3 * n_dimensions)
    for index, cloud in enumerate(points):
        columns = vectors[:, index * n_dimensions : (index + 1) * n_dimensions]
        np.testing.assert_allclose(pdist(columns), pdist(cloud), atol=1e-6)
        np.testing.assert_allclose(columns.sum(axis=0), 0.0, atol=1e-6)
    embedding = EuclideanEmbedding(GivenFeatures(), n_dimensions).fit([item_set])
    np.testing.assert_allclose(embedding.strain(item_set), 0.0, atol=1e-6)


def test_columns_are_principal_components_with_fixed_signs(rng):
    points = rng.normal(size=(15, 4)) * [4.0, 3.0, 2.0, 1.0]
    vectors = embedded(item_set_with([pdist(points)]), 2).items
    centred = points - points.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs(vectors), np.abs(left[:, :2] * sizes[:2]), atol=1e-8)
    assert np.all(vectors.max(axis=0) >= -vectors.min(axis=0))


def test_too_few_dimensions_lose_what_the_next_ones_have(rng):
    points = rng.normal(size=(10, 3))
    item_set = item_set_with([pdist(points)])
    products = (points - points.mean(axis=0)) @ (points - points.mean(axis=0)).T
    values = np.sort(np.linalg.eigvalsh(products))[::-1]
    strains = [
        EuclideanEmbedding(GivenFeatures(), count).fit([item_set]).strain(item_set)[0]
        for count in (1, 2, 3)
    ]
    expected = [np.linalg.norm(values[count:]) / np.linalg.norm(values) for count in (1, 2, 3)]
    np.testing.assert_allclose(strains, expected, atol=1e-6)
    assert strains[0] > strains[1] > 0.01


def test_distances_that_are_not_euclidean_lose_in_any_dimension():
    item_set = item_set_with([STAR])
    embedding = EuclideanEmbedding(GivenFeatures(), 4).fit([item_set])
    vectors = embedding(item_set).items
    assert np.isfinite(vectors).all()
    assert np.abs(pdist(vectors) - STAR).max() > 0.1
    squares = squareform(STAR**2)
    centring = np.eye(4) - 0.25
    values = np.linalg.eigvalsh(-0.5 * centring @ squares @ centring)
    assert values[0] < -0.1
    expected = np.linalg.norm(values[values < 0]) / np.linalg.norm(values)
    np.testing.assert_allclose(embedding.strain(item_set), [expected])


def test_ids_and_options_of_the_item_set_are_kept():
    item_set = item_set_with([STAR], ids=list("abcd"), n_clusters=2, ordered=True)
    result = embedded(item_set, 2)
    assert (result.ids, result.n_clusters, result.ordered) == (tuple("abcd"), 2, True)


def test_names_are_those_of_the_distances():
    sets = [ItemSet([[0.0, 1.0], [2.0, 3.0]])]
    embedding = EuclideanEmbedding(AbsoluteDifferences()).fit(sets)
    assert embedding.names == ("feature 0, 1", "feature 0, 2", "feature 1, 1", "feature 1, 2")
    assert embedding(sets[0]).items.shape == (2, 4)


@pytest.mark.parametrize("n_items", [0, 1, 2])
def test_few_items_are_embedded_too(n_items):
    item_set = ItemSet(np.arange(2.0 * n_items).reshape(n_items, 2))
    embedding = EuclideanEmbedding(AbsoluteDifferences(n_columns=2), 3)
    vectors = embedding(item_set).items
    assert vectors.shape == (n_items, 6)
    assert embedding.strain(item_set).shape == (2,)
    if n_items == 2:
        np.testing.assert_allclose(pdist(vectors[:, :3]), 2.0)


def test_embeddings_are_saved_and_loaded(tmp_path):
    item_set = item_set_with([STAR])
    classes = {"EuclideanEmbedding": EuclideanEmbedding, "GivenFeatures": GivenFeatures}
    embedding = EuclideanEmbedding(GivenFeatures(), 1).fit([item_set])
    save_value(tmp_path / "a", embedding, classes.get)
    loaded = load_value(tmp_path / "a", classes.get)
    assert loaded == embedding
    np.testing.assert_array_equal(loaded(item_set).items, embedding(item_set).items)


def test_columns_that_are_not_distances_are_refused():
    names = [ItemSet(["Ann Lee", "A. Lee", "Bo"])]
    with pytest.raises(
        FeatureError, match="'honorific equal' is a similarity, not a distance; wrap"
    ):
        EuclideanEmbedding(NameFeatures()).fit(names)
    reversed_names = EuclideanEmbedding(AsDistances(NameFeatures())).fit(names)
    n_distances = len(reversed_names.featurizer.names)
    assert reversed_names(names[0]).items.shape == (3, 2 * n_distances)
    negative = item_set_with([STAR, -STAR])
    with pytest.raises(FeatureError, match="'feature 1' is -2 for a pair, but distances must"):
        embedded(negative, 2)


def test_bad_parameters_are_refused():
    with pytest.raises(InputError, match="n_dimensions is 0; give"):
        EuclideanEmbedding(GivenFeatures(), 0)
    with pytest.raises(FeatureError, match="the featurizer is 'given'; give"):
        EuclideanEmbedding("given")


def test_large_matrices_are_refused(monkeypatch):
    limit_memory(monkeypatch, 100.0)
    with pytest.raises(InputError, match="a full matrix of 4 items"):
        embedded(item_set_with([STAR]), 2)
