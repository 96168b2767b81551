"""Long cells: character by character, only their beginnings are compared."""

import numpy as np
import pytest
from rapidfuzz import process

from coterie._core.texts import MAX_CHARACTERS
from coterie.features.kinds import Text
from coterie.features.records import Field, RecordFeatures
from coterie.items import ItemSet
from coterie.tables import clustering
from coterie.tables.clustering import reasons
from coterie.tables.schema import kind_classes

LENGTH = 2_500


@pytest.fixture
def lengths(monkeypatch):
    """Return the lengths of all texts that are compared character by character."""
    compared = []
    cpdist = process.cpdist

    def cpdist_and_count(first, second, **options):
        compared.extend(map(len, (*first, *second)))
        return cpdist(first, second, **options)

    monkeypatch.setattr(process, "cpdist", cpdist_and_count)
    return compared


def long_texts(count):
    return [f"{number} {'lorem ipsum ' * (LENGTH // 12)}{number % 2}" for number in range(count)]


def test_reasons_compare_the_beginnings_of_long_cells(lengths):
    rows = {"text": [f"{'a' * LENGTH}b", f"{'a' * LENGTH}c", "z" * LENGTH]}
    texts = reasons(rows, [Field("text", Text())], np.array([0, 0]), np.array([1, 2]))
    assert texts == ["text similar", "text different"]
    assert max(lengths) == MAX_CHARACTERS


def test_reasons_of_short_cells_do_not_depend_on_the_limit(monkeypatch):
    rows = {"text": ["Ann Lee", "Anne Lee", "Bob Ray", "A L"]}
    compared = [Field("text", Text())], np.array([0, 0, 0]), np.array([1, 2, 3])
    texts = reasons(rows, *compared)
    monkeypatch.setattr(clustering, "first_characters", str)
    assert reasons(rows, *compared) == texts


def test_no_kind_compares_long_cells_as_a_whole(lengths):
    kinds = kind_classes()
    fields = [Field(name, kind()) for name, kind in kinds.items()]
    rows = ItemSet({name: long_texts(6) for name in kinds})
    features = RecordFeatures(fields).fit([rows])(rows, None).to_matrix()
    assert np.isfinite(features).all()
    assert max(lengths) == MAX_CHARACTERS
