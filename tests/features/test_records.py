"""RecordFeatures: fields by their kinds, whole records, and what `fit` learns."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from coterie import ItemSet, Model, Partition
from coterie.blocking import AllPairs
from coterie.clusterers import SingleLinkage
from coterie.datasets import make_records
from coterie.exceptions import FeatureError
from coterie.features import Field, RecordFeatures, kinds, records
from coterie.features.kinds import Category, Code, Date, Name, Number, Short, Text
from coterie.features.kinds.base import Kind
from coterie.features.records import WHOLE_RECORD
from coterie.pairs import all_pairs
from coterie.similarities import LinearSimilarity
from coterie.tables import Table, infer_schema

PEOPLE = ItemSet(
    {
        "name": ["Ann Lee", "Anne Lee", "Bob Ray", None, "ann  lee", "Lee Ann"],
        "born": ["2001-02-03", "3/2/2001", "", "1999-01-01", "2001-03-02", float("nan")],
        "town": ["Ulm", "Ulm", "Bonn", "Bonn", "ulm", "Köln"],
    }
)
TRUTH = Partition([0, 0, 1, 2, 0, 3])
FIELDS = (Field("name", Name()), Field("born", Date()), Field("town", Short()))


def matrix(features, item_set=PEOPLE, pairs=None):
    return features(item_set, pairs).to_matrix()


def rows_of(item_set, rows):
    return ItemSet({name: [cells[row] for row in rows] for name, cells in item_set.items.items()})


@pytest.fixture(scope="module")
def people():
    """Records of people, and features that were fitted to the first half of them."""
    item_sets, partitions = make_records(400)
    columns = item_sets[0].items
    first_half = ItemSet({name: column[:200] for name, column in columns.items()})
    fields = [
        *(Field(name, Short()) for name in ("given_name", "surname", "city")),
        *(Field(name, Code()) for name in ("postcode", "phone")),
        *(Field("birth_date", Date()), Field("street", Name()), Field("email", Text())),
    ]
    fitted = RecordFeatures(fields).fit([first_half], [Partition(partitions[0].labels[:200])])
    return item_sets[0], fitted


def test_every_column_has_a_name_and_an_owner():
    fitted = RecordFeatures(FIELDS).fit([PEOPLE])
    assert matrix(fitted).shape == (15, len(fitted.names)) == (15, len(fitted.owners))
    assert all(
        name.startswith(f"{owner}: ")
        for name, owner in zip(fitted.names, fitted.owners, strict=True)
    )
    assert list(dict.fromkeys(fitted.owners)) == ["name", "born", "town", WHOLE_RECORD]
    assert len(set(fitted.names)) == len(fitted.names)


def test_each_field_is_compared_by_its_kind():
    fitted = RecordFeatures(FIELDS).fit([PEOPLE], [TRUTH])
    features, owners = matrix(fitted), np.array(fitted.owners)
    left, right = all_pairs(len(PEOPLE)).T
    for field in FIELDS:
        cells = [cell if isinstance(cell, str) else "" for cell in PEOPLE.items[field.column]]
        column = field.kind.read(cells)
        kind = field.kind.learn(column, TRUTH.labels)
        expected = kind.compare(kind.encode(column), left, right)
        np.testing.assert_array_equal(features[:, owners == field.column], expected)


def test_the_whole_record_is_all_fields_in_one_text():
    fitted = RecordFeatures(FIELDS).fit([PEOPLE])
    whole_record = matrix(fitted)[:, np.array(fitted.owners) == WHOLE_RECORD]
    texts = [
        " ".join(cell if isinstance(cell, str) else "" for cell in row)
        for row in zip(*(PEOPLE.items[field.column] for field in FIELDS), strict=True)
    ]
    single = RecordFeatures([Field("all", Text())]).fit([ItemSet({"all": texts})])
    assert WHOLE_RECORD not in single.owners
    np.testing.assert_array_equal(whole_record, matrix(single, ItemSet({"all": texts})))


def test_missing_values_may_be_none_or_nan():
    fitted = RecordFeatures(FIELDS).fit([PEOPLE])
    columns = dict(zip(fitted.names, matrix(fitted, pairs=[(2, 5), (0, 3)]).T, strict=True))
    assert columns["born: missing in both"].tolist() == [1.0, 0.0]
    assert columns["name: missing in one"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_batches_do_not_change_the_features(people, monkeypatch, batch_size):
    item_set, fitted = people
    pairs = np.random.default_rng(0).permutation(all_pairs(len(item_set)))[:300]
    expected = matrix(fitted, item_set, pairs)
    assert np.isfinite(expected).all()
    monkeypatch.setattr(records, "BATCH_SIZE", batch_size)
    np.testing.assert_array_equal(matrix(fitted, item_set, pairs), expected)
    encoded = fitted.encode(item_set)
    parts = [fitted.compare(encoded, part).to_matrix() for part in np.array_split(pairs, 7)]
    np.testing.assert_array_equal(np.concatenate(parts), expected)
    np.testing.assert_array_equal(matrix(fitted, item_set, pairs[:, ::-1]), expected)


def test_the_order_of_rows_does_not_matter(people):
    item_set, fitted = people
    order = np.random.default_rng(1).permutation(len(item_set))
    permuted = rows_of(item_set, order)
    new_rows = np.argsort(order)
    pairs = all_pairs(len(item_set))[::97]
    np.testing.assert_allclose(
        matrix(fitted, permuted, new_rows[pairs]), matrix(fitted, item_set, pairs), atol=1e-12
    )


def test_learning_from_some_rows_ignores_the_others():
    rows = np.array([0, 2, 3])
    expected = RecordFeatures(FIELDS).fit([rows_of(PEOPLE, rows)], [Partition(TRUTH.labels[rows])])
    features = RecordFeatures(FIELDS)
    fitted = features.learned(features.read([PEOPLE]), TRUTH.labels, rows)
    np.testing.assert_array_equal(matrix(fitted), matrix(expected))


def test_item_sets_share_no_entities():
    """The same label in two item sets means two entities."""
    texts = ItemSet({"name": ["Ann Lee", "Ann Lee"]})
    fitted = RecordFeatures([Field("name", Name())]).fit([texts, texts], [Partition([0, 0])] * 2)
    words = fitted.fields[0].kind.words
    assert (words.n_rows, words.n_entities) == (4, 2)
    assert words.n_entities_with.tolist() == [2, 2]
    without_partitions = RecordFeatures([Field("name", Name())]).fit([texts, texts])
    assert without_partitions.fields[0].kind.words.n_entities == 4


def test_rarity_counts_training_rows_and_compared_rows():
    texts = ItemSet({"name": ["Ann Lee", "Ann Ray"]})
    common = ItemSet({"name": ["Ann Li"] * 20})
    features = RecordFeatures([Field("name", Name())])
    column = features.names.index("name: rarity of shared words")
    frequent, rare = features.fit([common]), features.fit([texts])
    new = ItemSet({"name": ["Ann Lee", "Ann Ray", "Bob"]})
    assert 0.0 < matrix(frequent, new)[0, column] < matrix(rare, new)[0, column]


@pytest.mark.parametrize("n_rows", [0, 1, 2])
def test_tables_of_few_rows_have_finite_features(n_rows):
    table = ItemSet({"name": ["a 1"] * n_rows, "born": [""] * n_rows, "town": ["?"] * n_rows})
    fitted = RecordFeatures(FIELDS).fit([table])
    features = matrix(fitted, table)
    assert features.shape == (n_rows // 2, len(fitted.names))
    assert np.isfinite(features).all()
    assert np.isfinite(matrix(fitted)).all()


def test_a_saved_model_has_the_same_features(tmp_path, people):
    item_set, fitted = people
    similarity = LinearSimilarity(fitted, np.linspace(-1.0, 1.0, len(fitted.names)))
    model = Model(AllPairs(), similarity, SingleLinkage(threshold=0.0))
    model.save(tmp_path / "people.coterie")
    loaded = Model.load(tmp_path / "people.coterie").similarity.featurizer
    pairs = all_pairs(len(item_set))[::101]
    assert loaded.names == fitted.names
    expected = matrix(fitted, item_set, pairs)
    np.testing.assert_array_equal(matrix(loaded, item_set, pairs), expected)


def test_every_kind_can_be_saved(tmp_path):
    members = [getattr(kinds, name) for name in kinds.__all__]
    fields = [Field(kind.word, kind()) for kind in members if issubclass(kind, Kind)]
    table = ItemSet({field.column: list(PEOPLE.items["name"]) for field in fields})
    fitted = RecordFeatures(fields).fit([table], [TRUTH])
    similarity = LinearSimilarity(fitted, np.ones(len(fitted.names)))
    Model(AllPairs(), similarity, SingleLinkage(threshold=0.0)).save(tmp_path / "all.coterie")
    loaded = Model.load(tmp_path / "all.coterie").similarity.featurizer
    np.testing.assert_array_equal(matrix(loaded, table), matrix(fitted, table))


def test_the_error_names_a_missing_column():
    lacking = ItemSet({name: PEOPLE.items[name] for name in ("name", "born")})
    with pytest.raises(FeatureError, match=r"item set 1: there is no column 'town'; .* name, born"):
        RecordFeatures(FIELDS).fit([PEOPLE, lacking])
    with pytest.raises(FeatureError, match="RecordFeatures compares columns"):
        RecordFeatures(FIELDS).encode(ItemSet(np.eye(3)))


@pytest.mark.parametrize("value", [7, b"Ann", ["Ann"], True])
def test_values_that_are_not_texts_are_refused(value):
    items = ItemSet({"name": ["Ann", None, value]})
    with pytest.raises(FeatureError, match=r"column 'name', item 2: .* is not a string; convert"):
        RecordFeatures([Field("name", Name())]).encode(items)


def test_texts_of_other_types_are_texts():
    text_class = type("Text", (str,), {})
    fitted = RecordFeatures([Field("name", Short())]).fit([PEOPLE])
    features = matrix(fitted, ItemSet({"name": [np.str_("Ann"), text_class("ann")]}))
    assert features[0, fitted.names.index("name: equal")] == 1.0


@pytest.mark.parametrize("fields", [[], [Field("a", Name()), Field("a", Short())]])
def test_two_fields_of_one_column_are_refused(fields):
    with pytest.raises(
        FeatureError, match="give at least one field, and no two fields for the same column"
    ):
        RecordFeatures(fields)


def test_a_field_without_a_kind_is_refused():
    with pytest.raises(FeatureError, match="the kind of 'name' is 'short'; give one from"):
        Field("name", "short")
    with pytest.raises(FeatureError, match="give one from"):
        Field("name", Number)


@dataclass(frozen=True, eq=False)
class Initial(Category):
    """Compare the first letter: a kind that a user has added."""

    word: ClassVar = "initial"

    @classmethod
    def likeness(cls, profile):
        return 1.0 if profile.length < 5 else 0.0

    def _clean(self, text):
        return text[:1]


def test_a_kind_that_was_added_is_inferred_and_used(monkeypatch):
    monkeypatch.setattr(kinds, "Initial", Initial, raising=False)
    monkeypatch.setattr(kinds, "__all__", [*kinds.__all__, "Initial"])
    columns = {"letter": ["abc", "axy", "bcd"], "name": ["Ann Lee", "Bob Ray", "Cy Poe"]}
    schema = infer_schema(Table(columns))
    assert schema.kinds == {"letter": "initial", "name": "name"}
    fitted = RecordFeatures(schema.fields).fit([ItemSet(columns)])
    equal = matrix(fitted, ItemSet(columns))[:, fitted.names.index("letter: equal")]
    assert equal.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("fields", [0.5, None, range(3), ["name"], [("name", Name())], np.array(1)])
def test_fields_that_are_not_a_list_of_fields_are_refused(fields):
    with pytest.raises(FeatureError, match=r"give a list of Field\(column, kind\)"):
        RecordFeatures(fields)
