from datetime import date
from itertools import pairwise

import numpy as np
import pytest

from coterie.datasets._record_edits import EDITS
from coterie.datasets._record_tables import CITIES, GIVEN_NAMES, SURNAMES
from coterie.datasets.records import iter_records, make_records
from coterie.exceptions import InputError

FIELDS = ["given_name", "surname", "birth_date", "street", "city", "postcode", "phone", "email"]


def concatenate_chunks(chunks):
    chunks = list(chunks)
    columns = {field: [v for c in chunks for v in c.columns[field]] for field in FIELDS}
    return columns, [e for c in chunks for e in c.entities.tolist()]


def columns_of(n_rows, **options):
    return dict(make_records(n_rows, **options).item_sets[0].items)


def share_changed(n_rows, errors):
    clean, spoiled = columns_of(n_rows, errors=0.0), columns_of(n_rows, errors=errors)
    return {
        field: np.mean([a != b for a, b in zip(clean[field], spoiled[field], strict=True)])
        for field in FIELDS
    }


@pytest.mark.parametrize("chunk_size", [1, 7, 60, 1000])
def test_chunks_do_not_change_records(chunk_size):
    assert concatenate_chunks(iter_records(60, chunk_size)) == concatenate_chunks(iter_records(60))


def test_stream_and_item_set_are_the_same_records():
    (item_set,), (partition,) = make_records(2500, random_state=4)
    columns, entities = concatenate_chunks(iter_records(2500, 999, random_state=4))
    assert {field: list(column) for field, column in item_set.items.items()} == columns
    assert partition == type(partition)(entities)


def test_no_row_is_lost():
    chunks = list(iter_records(1001, 250))
    assert [len(chunk.entities) for chunk in chunks] == [250, 250, 250, 250, 1]
    assert all(len(column) == len(c.entities) for c in chunks for column in c.columns.values())


def test_seed_repeats_and_differs():
    assert columns_of(300, random_state=5) == columns_of(300, random_state=5)
    first, second = columns_of(300, random_state=5), columns_of(300, random_state=6)
    assert all(first[field] != second[field] for field in FIELDS)


def test_records_stay_what_they_were():
    columns, entities = concatenate_chunks(iter_records(5, random_state=3))
    assert entities == [0, 1, 0, 1, 0]
    assert columns["city"] == ["Aldrrford", "Alderford", "Alcerford", "Alderford", "Alderford"]


def test_without_errors_records_of_a_person_are_equal():
    columns, entities = concatenate_chunks(iter_records(3000, errors=0))
    persons = {}
    for entity, *record in zip(entities, *columns.values(), strict=True):
        assert persons.setdefault(entity, record) == record
    assert len({tuple(record) for record in persons.values()}) == len(persons)


def test_people_are_numbered_without_gaps():
    _, entities = concatenate_chunks(iter_records(2000))
    assert sorted(set(entities)) == list(range(max(entities) + 1))


def test_without_duplicates_all_are_alone():
    assert make_records(500, duplicates=0).partitions[0].n_clusters == 500


@pytest.mark.parametrize("duplicates", [0.3, 1.0, 4.0])
def test_mean_cluster_size(duplicates):
    sizes = np.bincount(concatenate_chunks(iter_records(20_000, 20_000, duplicates=duplicates))[1])
    assert sizes.mean() == pytest.approx(1 + duplicates, rel=0.05)
    assert sizes.min() == 1


def test_records_of_a_person_are_scattered():
    _, entities = concatenate_chunks(iter_records(20_000))
    assert np.mean([a == b for a, b in pairwise(entities)]) < 0.002


def test_values_are_texts_or_none():
    columns = columns_of(3000, errors=0.5)
    for column in columns.values():
        assert {type(value) for value in column} == {str, type(None)}
        assert not {"", "None", "nan", "NaN"} & set(column)


def test_without_errors_nothing_is_missing():
    assert all(None not in column for column in columns_of(1000, errors=0).values())


def test_postcodes_are_texts_that_begin_by_city():
    columns = columns_of(3000, errors=0)
    assert all(len(code) == 5 and code.isdigit() for code in columns["postcode"])
    assert any(code.startswith("0") for code in columns["postcode"])
    areas = [code[:3] for code in columns["postcode"]]
    assert len(set(zip(areas, columns["city"], strict=True))) == len(set(columns["city"]))


def test_birth_dates_are_dates_even_when_wrong():
    for text in columns_of(3000, errors=1)["birth_date"]:
        assert text is None or 1920 < date.fromisoformat(text).year < 2030


def test_different_people_share_names_homes_and_phones():
    columns = columns_of(4000, duplicates=0, errors=0)
    names = set(zip(columns["given_name"], columns["surname"], strict=True))
    homes = set(zip(columns["street"], columns["postcode"], strict=True))
    assert len(names) < 3800
    assert 1500 < len(homes) < 3500
    assert len(set(columns["phone"])) < 3900
    assert len(set(columns["email"])) > 3980


def test_surnames_have_a_long_tail():
    surnames = columns_of(20_000, duplicates=0, errors=0)["surname"]
    assert len(set(surnames)) > 3000
    assert max(np.unique(surnames, return_counts=True)[1]) > 200


@pytest.mark.parametrize("errors", [0.05, 0.2, 0.6])
def test_errors_is_the_rate_of_corrupted_fields(errors):
    for share in share_changed(5000, errors).values():
        assert errors - 0.03 < share < 1.4 * errors + 0.03


def test_certain_errors_spare_no_field():
    assert all(share > 0.999 for share in share_changed(2000, 1.0).values())


def test_records_of_a_person_can_be_found_by_some_field():
    columns, entities = concatenate_chunks(iter_records(5000))
    first, agree = {}, []
    for entity, *record in zip(entities, *columns.values(), strict=True):
        other = first.setdefault(entity, record)
        agree.append(any(a is not None and a == b for a, b in zip(record, other, strict=True)))
    assert np.mean(agree) > 0.99


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("given_name", "Bo"),
        ("given_name", "Zoë"),
        ("surname", "O'Brien-Müller"),
        ("birth_date", "2000-02-29"),
        ("birth_date", "1999-12-31"),
        ("street", "1 Elm Street"),
        ("city", "Saint Elden"),
        ("postcode", "00000"),
        ("phone", "0123 000 0000"),
        ("email", "a.b1@postbox.example"),
    ],
)
def test_first_error_of_a_field_always_changes_it(field, text):
    edits = list(EDITS[field])
    draws = np.random.default_rng(0).integers(0, 2**64, 200, dtype=np.uint64).tolist()
    assert all(edits[0](text, bits) != text for bits in draws)
    assert all(edit(text, bits) != "" for edit in edits for bits in draws)


def test_tables_have_letters_beyond_ascii():
    for table in (GIVEN_NAMES, SURNAMES, CITIES):
        assert any(not word.isascii() for word in table.flat)
    assert GIVEN_NAMES.size >= 300


def test_no_rows():
    (item_set,), (partition,) = make_records(0)
    assert dict(item_set.items) == dict.fromkeys(FIELDS, ())
    assert (len(item_set), len(partition)) == (0, 0)
    assert list(iter_records(0)) == []


def test_one_row():
    (item_set,), (partition,) = make_records(1)
    assert item_set.ids == ("r0000000",)
    assert partition.labels.tolist() == [0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_rows": -1}, r"n_rows is -1; give a whole number from 0 to 10000000"),
        ({"n_rows": 10_000_001}, r"n_rows is 10000001; give a whole number from 0"),
        ({"n_rows": 2.0}, r"n_rows is 2\.0; give a whole number"),
        ({"chunk_size": 0}, r"chunk_size is 0; give a whole number of at least 1"),
        ({"chunk_size": "many"}, r"chunk_size is 'many'; give a whole number"),
        ({"duplicates": -0.5}, r"duplicates is -0\.5; give a finite number of at least 0"),
        ({"duplicates": float("inf")}, r"duplicates is inf; give a finite number of at least 0"),
        ({"duplicates": 10**400}, r"give a finite number of at least 0"),
        ({"errors": 1.5}, r"errors is 1\.5; give a finite number from 0 to 1"),
        ({"errors": float("nan")}, r"errors is nan; give a finite number from 0 to 1"),
        ({"errors": "few"}, r"errors is 'few'; give a finite number"),
        ({"random_state": -3}, r"random_state is -3; give a whole number of at least 0"),
        ({"random_state": None}, r"random_state is None; give a whole number"),
    ],
)
def test_bad_arguments_are_refused_at_once(options, message):
    with pytest.raises(InputError, match=message):
        iter_records(**({"n_rows": 5} | options))
