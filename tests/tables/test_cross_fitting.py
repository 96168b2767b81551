"""Rows that are learned from, compared as new ones are."""

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


def taken(item_set, rows):
    return ItemSet({name: [own[row] for row in rows] for name, own in item_set.items.items()})


@pytest.fixture(scope="module")
def people():
    item_sets, partitions = make_records(60)
    return item_sets[0], partitions[0]


def naive(item_set, entities, pairs):
    """Fit to the rows of other parts, pair by pair."""
    parts = assign_parts(Partition(entities), 4, 0)
    gone = excluded_parts(parts[pairs], pairs.sum(axis=1), 4)
    found = []
    for pair, own in zip(pairs, gone, strict=True):
        rest = np.flatnonzero(~np.isin(parts, own))
        fitted = FEATURES.fit([taken(item_set, rest)], [Partition(entities[rest])])
        found.append(fitted(item_set, pair[None]).to_matrix()[0])
    return np.array(found)


@pytest.mark.parametrize("listed", [False, True])
def test_pairs_are_compared_without_their_parts(people, monkeypatch, listed):
    monkeypatch.setattr(cross_fitting, "N_PARTS", 4)
    item_set, truth = people
    pairs = all_pairs(len(item_set))[::7] if listed else None
    (made,) = compare_cross_fitted(FEATURES, [item_set], [truth.labels], [pairs])
    chosen = np.arange(made.items.features.shape[0])[::23]
    every = all_pairs(len(item_set)) if pairs is None else pairs
    expected = naive(item_set, truth.labels, every[chosen])
    np.testing.assert_allclose(made.items.features[chosen], expected, atol=1e-12)


def test_an_entity_of_two_sets_is_left_out_of_both(monkeypatch):
    monkeypatch.setattr(cross_fitting, "N_PARTS", 4)
    features = RecordFeatures([Field("name", Name())])
    sets = [
        ItemSet({"name": ["ann", "ann", "bob", "cy"]}),
        ItemSet({"name": ["ann", "ann", "eve", "fox"]}),
    ]
    entities = [np.array([0, 0, 1, 2]), np.array([0, 0, 3, 4])]
    first, _ = compare_cross_fitted(features, sets, entities, [None, None])
    at = features.names.index("name: rarity among entities if equal")
    # No other entity is called Ann: what is known of it says so.
    assert first.items.features[0, at] == 1.0
    namesakes = [entities[0], np.array([5, 5, 3, 4])]
    found = []
    for seed in range(20):
        monkeypatch.setattr(cross_fitting, "SEED", seed)
        first, _ = compare_cross_fitted(features, sets, namesakes, [None, None])
        found.append(first.items.features[0, at])
    assert min(found) < 1.0


def test_how_much_is_known_does_not_tell_who_belongs_together():
    """Each pair leaves out two parts, whether it is of one or of two."""
    parts = np.array(list(combinations(np.repeat(np.arange(5), 4), 2)))
    gone = excluded_parts(parts, np.arange(len(parts)), 5)
    assert (gone[:, 0] < gone[:, 1]).all()
    assert all(set(own) <= set(out) for own, out in zip(parts, gone, strict=True))
    within = gone[parts[:, 0] == parts[:, 1]]
    assert len(np.unique(within, axis=0)) == 10


def test_new_entities_look_as_those_learned_from():
    """Twin tables without a word in common: what is learned of the one holds for the other."""
    words = ["".join(letters) for letters in combinations("abcdefgh", 3)]
    rows = [
        f"{words[3 * entity]} {words[3 * entity + row % 3]}"
        for entity in range(12)
        for row in range(4)
    ]
    entities = np.repeat(np.arange(12), 4)
    new = [row.translate(str.maketrans("abcdefgh", "stuvwxyz")) for row in rows]
    features = RecordFeatures([Field("name", Name())])
    (old,) = compare_cross_fitted(features, [ItemSet({"name": rows})], [entities], [None])
    fitted = features.fit([ItemSet({"name": rows})], [Partition(entities)])
    names = ("name: rarity among entities if equal", "name: rarest shared phrases, among entities")
    at = [features.names.index(name) for name in names]
    expected = fitted(ItemSet({"name": new}), None).to_matrix()[:, at]
    np.testing.assert_allclose(old.items.features[:, at], expected, atol=1e-12)


@pytest.mark.parametrize("n_entities", [2, 3])
def test_few_entities(n_entities):
    item_set = ItemSet({"surname": ["ann", "bob", "ann", "cy"], "street": ["a 1", "b", "", "c"]})
    entities = np.arange(4) % n_entities
    (made,) = compare_cross_fitted(FEATURES, [item_set], [entities], [None])
    assert np.isfinite(made.items.features).all()
    assert made.items.features.shape == (6, len(FEATURES.names))
