"""Cross-fitting: features of training rows are computed without their own entities."""

from itertools import combinations

import numpy as np
import pytest

from coterie import ItemSet, Partition
from coterie.datasets import make_records
from coterie.features import Field, RecordFeatures
from coterie.features.kinds import Name, Short
from coterie.learners.parts import assign_parts
from coterie.pairs import all_pairs
from coterie.tables import cross_fitting
from coterie.tables.cross_fitting import compare_cross_fitted, excluded_parts

FEATURES = RecordFeatures([Field("surname", Short()), Field("street", Name())])


def rows_of(item_set, rows):
    return ItemSet({name: [cells[row] for row in rows] for name, cells in item_set.items.items()})


@pytest.fixture(scope="module")
def people():
    item_sets, partitions = make_records(60)
    return item_sets[0], partitions[0]


def naive_features(item_set, entities, pairs):
    """Compute the features of each pair after fitting to the rows of other parts."""
    parts = assign_parts(Partition(entities), 4, 0)
    excluded = excluded_parts(parts[pairs], pairs.sum(axis=1), 4)
    rows = []
    for pair, excluded_of_pair in zip(pairs, excluded, strict=True):
        other_rows = np.flatnonzero(~np.isin(parts, excluded_of_pair))
        fitted = FEATURES.fit([rows_of(item_set, other_rows)], [Partition(entities[other_rows])])
        rows.append(fitted(item_set, pair[None]).to_matrix()[0])
    return np.array(rows)


@pytest.mark.parametrize("with_list", [False, True])
def test_pairs_are_compared_without_their_parts(people, monkeypatch, with_list):
    monkeypatch.setattr(cross_fitting, "N_PARTS", 4)
    item_set, truth = people
    pairs = all_pairs(len(item_set))[::7] if with_list else None
    (set_of_features,) = compare_cross_fitted(FEATURES, [item_set], [truth.labels], [pairs])
    rows = np.arange(set_of_features.items.features.shape[0])[::23]
    compared_pairs = all_pairs(len(item_set)) if pairs is None else pairs
    expected = naive_features(item_set, truth.labels, compared_pairs[rows])
    np.testing.assert_allclose(set_of_features.items.features[rows], expected, atol=1e-12)


def test_an_entity_of_two_sets_is_left_out_of_both(monkeypatch):
    monkeypatch.setattr(cross_fitting, "N_PARTS", 4)
    features = RecordFeatures([Field("name", Name())])
    sets = [
        ItemSet({"name": ["ann", "ann", "bob", "cy"]}),
        ItemSet({"name": ["ann", "ann", "eve", "fox"]}),
    ]
    entities = [np.array([0, 0, 1, 2]), np.array([0, 0, 3, 4])]
    first, _ = compare_cross_fitted(features, sets, entities, [None, None])
    column = features.names.index("name: rarity among entities if equal")
    # No other entity is called Ann, so the name has the greatest rarity.
    assert first.items.features[0, column] == 1.0
    namesakes = [entities[0], np.array([5, 5, 3, 4])]
    rarities = []
    for seed in range(20):
        monkeypatch.setattr(cross_fitting, "SEED", seed)
        first, _ = compare_cross_fitted(features, sets, namesakes, [None, None])
        rarities.append(first.items.features[0, column])
    assert min(rarities) < 1.0


def test_every_pair_leaves_out_two_parts():
    """A pair of one part and a pair of two parts both leave out two, which hides the difference."""
    parts = np.array(list(combinations(np.repeat(np.arange(5), 4), 2)))
    excluded = excluded_parts(parts, np.arange(len(parts)), 5)
    assert (excluded[:, 0] < excluded[:, 1]).all()
    assert all(
        set(own_parts) <= set(excluded_of_pair)
        for own_parts, excluded_of_pair in zip(parts, excluded, strict=True)
    )
    within = excluded[parts[:, 0] == parts[:, 1]]
    assert len(np.unique(within, axis=0)) == 10


def test_training_entities_have_the_features_of_new_ones():
    """Two tables of the same structure without common words have the same features."""
    words = ["".join(letters) for letters in combinations("abcdefgh", 3)]
    rows = [
        f"{words[3 * entity]} {words[3 * entity + row % 3]}"
        for entity in range(12)
        for row in range(4)
    ]
    entities = np.repeat(np.arange(12), 4)
    new_rows = [row.translate(str.maketrans("abcdefgh", "stuvwxyz")) for row in rows]
    features = RecordFeatures([Field("name", Name())])
    (set_of_features,) = compare_cross_fitted(
        features, [ItemSet({"name": rows})], [entities], [None]
    )
    fitted = features.fit([ItemSet({"name": rows})], [Partition(entities)])
    names = ("name: rarity among entities if equal", "name: rarest shared phrases, among entities")
    columns = [features.names.index(name) for name in names]
    expected = fitted(ItemSet({"name": new_rows}), None).to_matrix()[:, columns]
    np.testing.assert_allclose(set_of_features.items.features[:, columns], expected, atol=1e-12)


@pytest.mark.parametrize("n_entities", [2, 3])
def test_two_or_three_entities_are_enough(n_entities):
    item_set = ItemSet({"surname": ["ann", "bob", "ann", "cy"], "street": ["a 1", "b", "", "c"]})
    entities = np.arange(4) % n_entities
    (set_of_features,) = compare_cross_fitted(FEATURES, [item_set], [entities], [None])
    assert np.isfinite(set_of_features.items.features).all()
    assert set_of_features.items.features.shape == (6, len(FEATURES.names))


@pytest.mark.parametrize("most_bytes", [0, 10**9])
def test_pairs_are_compared_in_blocks_whether_features_are_held_in_memory_or_not(
    people, monkeypatch, most_bytes
):
    monkeypatch.setattr(cross_fitting, "MOST_BYTES", most_bytes)
    monkeypatch.setattr(cross_fitting, "BLOCK", 50)
    item_set, truth = people
    half = ItemSet({name: cells[:30] for name, cells in item_set.items.items()})
    sets, entities = [item_set, half], [truth.labels, truth.labels[:30]]
    pairs = [all_pairs(len(item_set))[::3], None]
    expected = np.concatenate(
        [part.items.features for part in compare_cross_fitted(FEATURES, sets, entities, pairs)]
    )
    compared = cross_fitting.CrossFittedPairs(FEATURES, sets, entities, pairs)
    for rows in (None, np.arange(0, len(expected), 5)):
        matrix = np.full(expected.shape, np.nan)
        for block, features in compared.blocks(rows):
            assert len(block) <= 50
            matrix[block] = features
        wanted = np.arange(len(expected)) if rows is None else rows
        np.testing.assert_allclose(matrix[wanted], expected[wanted], rtol=1e-6)
        assert np.isnan(np.delete(matrix, wanted, axis=0)).all()
