"""Columns that give the true clusters away are named, and honest columns are not."""

import warnings
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import tables
from coterie.exceptions import InputError, LeakWarning
from coterie.tables import Table, read_table
from coterie.tables.leaks.agreement import agreement_of
from coterie.tables.leaks.answers import MOST_ROWS, sample_rows
from coterie.tables.leaks.finding import find_leaks
from coterie.tables.leaks.order import nearness
from tests.commands import run
from tests.people import people
from tests.tables.leaks.plants import PLANTED, PLANTS, planted, with_label_at_end

NAMES = (*("given_name", "surname", "birth_date", "street", "city", "postcode", "phone", "email"),)

CLEAN = {
    "peers/abtbuy": ("cluster_id", set()),
    "peers/affiliations": ("cluster_id", set()),
    "peers/cora": ("cluster_id", set()),
    "peers/febrl3": ("cluster_id", {"id"}),
    "peers/restaurant": ("cluster_id", set()),
    "dedup/RLdata500": ("cluster", set()),
    "dedup/RLdata10000": ("cluster", set()),
    "dedup/chicago_early_childhood": ("cluster", set()),
    "dedup/febrl1": ("cluster", {"rec_id"}),
    "dedup/febrl3": ("cluster", {"rec_id"}),
    # Half of the ids are the names of the clusters.
    "dedup/dblp_acm": ("cluster", {"id"}),
    "dedup/abt_buy": ("cluster", {"id"}),
    # It counts the rows of each cluster.
    "dedup/musicbrainz_20k": ("CID", {"CTID"}),
    # The ids of persons follow the names of the clusters.
    "dedup/patstat_nl": ("cluster", {"person_id"}),
    "dedup/restaurants": ("cluster", set()),
    "multisource/movies": ("cluster", set()),
    "multisource/s2aff": ("cluster", set()),
    "multisource/wdc_products": ("cluster", set()),
    "multisource/pricerunner": ("cluster", set()),
    "multisource/historical_50k": ("cluster", set()),
}
"""Public tables, their columns of clusters, and the columns that do give clusters away."""


@cache
def read(path):
    return read_table(path)


def leaking(table, cluster):
    """Return the columns that are named, as `fit` finds them."""
    names = [name for name in table.names if name != cluster]
    ids = next((name for name in names if name in {"id", "rec_id"}), None)
    if ids is not None and len({*table[ids]}) < len(table):
        ids = None
    columns = [name for name in names if name != ids and len({*table[name]}) > 1]
    return {leak.column for leak in find_leaks(table, cluster, columns, ids)}


@pytest.fixture(scope="module", params=[(600, 0), (1500, 1), (5000, 2)], ids=str)
def made_table(request):
    n_rows, seed = request.param
    return Table(people(n_rows, seed, NAMES))


@pytest.mark.parametrize("plant", PLANTS)
def test_every_planted_leak_is_named_and_nothing_else(made_table, plant):
    table = planted(made_table, "who", plant)
    assert leaking(table, "who") - {"number_of_row"} == {PLANTED}


@pytest.mark.parametrize("column", ["street", "surname"])
def test_a_label_inside_of_honest_texts_is_named(made_table, column):
    table = with_label_at_end(made_table, "who", column)
    assert leaking(table, "who") == {column}


def test_parts_of_a_label_in_two_columns_are_both_named():
    table = Table(people(2000, 3, NAMES))
    numbers = [int(name.removeprefix("e")) for name in table["who"]]
    halves = {
        "first": [str(number // 32) for number in numbers],
        "last": [str(number % 32) for number in numbers],
    }
    assert leaking(table.with_columns(halves), "who") == {"first", "last"}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_rows", [200, 900])
def test_honest_columns_of_made_records_are_not_named(n_rows, seed):
    assert leaking(Table(people(n_rows, 10 + seed, NAMES)), "who") == set()


def test_unique_and_random_columns_are_not_named():
    table = Table(people(900, 5, NAMES))
    drawn = np.random.default_rng(0)
    columns = {
        "number": list(map(str, drawn.permutation(len(table)).tolist())),
        "code": [f"x{value:x}" for value in drawn.integers(2**40, size=len(table)).tolist()],
        "group": list(map(str, drawn.integers(50, size=len(table)).tolist())),
    }
    assert leaking(table.with_columns(columns), "who") == set()


@pytest.mark.parametrize("name", CLEAN)
def test_honest_columns_of_public_tables_are_not_named(data_folder, name):
    cluster, leaks = CLEAN[name]
    assert leaking(read(data_folder / f"{name}.csv.gz"), cluster) == leaks


@pytest.mark.parametrize("plant", PLANTS)
@pytest.mark.parametrize(
    "name", ["peers/febrl3", "dedup/dblp_acm", "dedup/chicago_early_childhood"]
)
def test_leaks_in_public_tables_are_named(data_folder, name, plant):
    table = read(data_folder / f"{name}.csv.gz")
    cluster, leaks = CLEAN[name]
    named = leaking(planted(table, cluster, plant), cluster)
    assert named - {"number_of_row"} == leaks | {PLANTED}


@pytest.mark.parametrize("plant", ["running numbers", "one of 60 codes per cluster"])
def test_the_order_of_rows_changes_nothing(plant):
    table = planted(Table(people(900, 6, NAMES)), "who", plant)
    order = np.random.default_rng(1).permutation(len(table)).tolist()
    named = find_leaks(table, "who", [*NAMES, PLANTED])
    assert named == find_leaks(table.take(order), "who", [*NAMES, PLANTED])


def test_a_sample_has_whole_clusters_whatever_the_order():
    names = [str(row // 3) for row in range(3 * MOST_ROWS)]
    table = Table({"row": list(map(str, range(len(names)))), "who": names})
    sample = sample_rows(table, "who")
    assert len(sample) <= MOST_ROWS
    assert set(Counter(sample["who"]).values()) == {3}
    turned = sample_rows(table.take(range(len(table) - 1, -1, -1)), "who")
    assert {*turned["row"]} == {*sample["row"]}


KEYS = st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3)), min_size=1, max_size=12)


@given(KEYS)
def test_agreement_counts_pairs_as_brute_force_does(rows):
    keys, labels = (np.array(column) for column in zip(*rows, strict=True))
    agreement = agreement_of(keys, labels)
    filled = [row for row in rows if row[0] >= 0]
    for share, of in ((agreement.precision, 0), (agreement.recall, 1)):
        shares = []
        for i, row in enumerate(filled):
            others = [other for j, other in enumerate(filled) if j != i and other[of] == row[of]]
            if others:
                shares.append(sum(other == row for other in others) / len(others))
        assert share == pytest.approx(np.mean(shares) if shares else 0.0)
    assert agreement.coverage == pytest.approx(len(filled) / len(rows))


def test_random_numbers_are_as_near_as_by_chance():
    drawn = np.random.default_rng(0)
    labels = np.repeat(np.arange(300), 3)
    assert abs(nearness(drawn.random(900), labels)) < 0.05
    assert nearness(labels + drawn.random(900), labels) == pytest.approx(1.0, abs=0.01)


CELL = st.sampled_from(
    ["", "0", "1", "01", "-1.5", "1e400", "²", "a b", "2001-02-03", "x@y.z", "١"]
)


@given(st.lists(st.tuples(CELL, CELL, st.sampled_from("abc")), min_size=2, max_size=60))
def test_any_small_table_is_tested_without_a_failure(rows):
    first, second, labels = zip(*rows, strict=True)
    table = Table({"first": first, "second": second, "who": labels})
    find_leaks(table, "who", ["first", "second"])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_rows", [600, 2500])
def test_honest_values_without_any_error_are_not_named(n_rows, seed):
    columns = people(n_rows, 50 + seed, NAMES, ids=False)
    for name in ("birth_date", "street", "city", "postcode", "phone", "email"):
        first: dict[str, str] = {}
        pairs = zip(columns["who"], columns[name], strict=True)
        columns[name] = [first.setdefault(label, value) for label, value in pairs]
    assert leaking(Table(columns), "who") == set()


def test_fit_warns_and_records_leaks_and_ignore_leaves_them_out():
    table = planted(Table(people(300, 7)), "who", "hashes")
    with pytest.warns(LeakWarning, match="column planted may give the true clusters away"):
        model = tables.fit(table, cluster="who", learner="logistic")
    assert [leak["column"] for leak in model.facts["leaks"]] == [PLANTED]
    assert "planted" in model.schema.columns
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        honest = tables.fit(table, cluster="who", learner="logistic", ignore=[PLANTED])
    assert honest.facts["leaks"] == []
    assert honest.schema.kinds[PLANTED] == "ignored"
    assert len(honest.predict(table.without([PLANTED, "who"]))) == 300
    with pytest.raises(InputError, match="no column 'planted', which the model compares; add it"):
        model.predict(table.without([PLANTED, "who"]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ignore": ["town"]}, "no column 'town', which `ignore=` names; its columns are"),
        ({"ignore": "town"}, "`ignore=` is the single string 'town'; give a list"),
        ({"ignore": ["who"]}, "`cluster=` and `ignore=` both name the column 'who'"),
        ({"ignore": ["id"], "id": "id"}, "`id=` and `ignore=` both name the column 'id'"),
    ],
)
def test_columns_that_cannot_be_ignored_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        tables.fit(Table(people(60, 0)), cluster="who", **settings)


def test_commands_name_leaks_and_leave_columns_out(tmp_path):
    table = planted(Table(people(300, 7)), "who", "hashes")
    tables.write_table(tmp_path / "t.csv", table)
    words = ("fit", tmp_path / "t.csv", "--cluster", "who", "--learner", "logistic")
    done = run(*words, "-o", tmp_path / "m.coterie")
    assert "coterie: column planted may give the true clusters away: rows with the" in done.stderr
    assert "leave it out with --ignore" in done.stderr
    done = run(*words, "--ignore", "planted", "--ignore", "email", "-o", tmp_path / "m.coterie")
    assert "may give" not in done.stderr
    kinds = tables.load(tmp_path / "m.coterie").schema.kinds
    assert [kinds[name] for name in ("planted", "email")] == ["ignored", "ignored"]
    done = run("plan", tmp_path / "t.csv", "--ignore", "planted", "--ignore", "city")
    assert "no column 'city', which --ignore names" in done.stderr
