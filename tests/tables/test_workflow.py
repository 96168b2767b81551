"""From a table to clusters: the same whatever holds the table, and in any order of its rows."""

import random
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from coterie import metrics, tables
from coterie.datasets import make_records
from coterie.exceptions import InputError
from coterie.features import Field
from coterie.features.kinds import Date, Name
from coterie.partition import Partition
from coterie.report import page, report_of
from coterie.tables import Table, read_table, write_table
from coterie.tables.clustering import reasons
from coterie.tables.explaining import field_contributions
from coterie.tables.io.frames import as_table
from coterie.tables.planning import SAMPLES, plan_fit, plan_predict

OURS = ("cluster_id", "confidence", "linked_to", "reason")
HOLDERS = ("csv", "jsonl", "parquet", "pandas", "polars", "pyarrow")


def people(n_rows, seed, *, ids=True):
    corpus = make_records(n_rows, random_state=seed)
    columns = {"id": [f"r{row:03d}" for row in range(n_rows)]} if ids else {}
    for name in ("surname", "birth_date", "email"):
        columns[name] = [value or "" for value in corpus.item_sets[0].items[name]]
    return columns | {"who": [f"e{label}" for label in corpus.partitions[0].labels]}


def shuffled(columns, seed):
    order = list(range(len(columns["who"])))
    random.Random(seed).shuffle(order)  # noqa: S311
    return {name: [cells[row] for row in order] for name, cells in columns.items()}, order


def held(columns, holder, folder):
    """Give a table as a file that is read, or as a frame."""
    if holder in ("csv", "tsv", "jsonl", "parquet"):
        path = folder / f"table-of-{holder}.{holder}"
        write_table(path, columns)
        return read_table(path)
    if holder == "records":
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    ways = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "mapping": dict}
    return ways[holder](columns)


def as_columns(frame):
    """Take a prediction as columns of text, whatever holds it."""
    return as_table(frame).columns


def in_order(columns, names, keys):
    order = np.argsort(keys, kind="stable")
    return {name: [columns[name][row] for row in order] for name in names}


@pytest.fixture(scope="module")
def model():
    return tables.fit(people(100, 0), cluster="who", learner="logistic")


@pytest.fixture(scope="module")
def expected(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.coterie"
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_holds_the_table_and_its_order_change_nothing(holder, model, expected, tmp_path):
    train, _ = shuffled(people(100, 0), holder)
    own = tables.fit(held(train, holder, tmp_path), cluster="who", learner="logistic")
    own.save(tmp_path / "own.coterie")
    assert (tmp_path / "own.coterie").read_bytes() == expected
    test, _ = shuffled(people(80, 1), f"{holder} again")
    found = as_columns(own.predict(held(test, holder, tmp_path)))
    known = as_columns(model.predict(people(80, 1)))
    assert in_order(found, OURS, found["id"]) == {name: list(known[name]) for name in OURS}


@pytest.fixture(scope="module")
def without_ids():
    return tables.fit(people(80, 0, ids=False), cluster="who", learner="logistic")


@pytest.mark.parametrize("holder", ["csv", "parquet", "pandas", "records"])
def test_without_ids_too(holder, without_ids, tmp_path):
    without_ids.save(tmp_path / "one")
    mixed, _ = shuffled(people(80, 0, ids=False), holder)
    own = tables.fit(held(mixed, holder, tmp_path), cluster="who", learner="logistic")
    own.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    test = people(60, 1, ids=False)
    mixed, order = shuffled(test, f"{holder} again")
    found = as_columns(own.predict(held(mixed, holder, tmp_path)))
    known = as_columns(without_ids.predict(test))
    # Rows are named by their numbers, which are others in another order.
    before = {name: [known[name][row] for row in order] for name in OURS}
    assert Partition(found["cluster_id"]) == Partition(before["cluster_id"])
    assert list(found["confidence"]) == before["confidence"]
    assert linked(found, mixed) == linked(before, test)


def linked(found, columns):
    """Return what the rows hold that others are linked to; which of equal ones, nobody can say."""
    rows = list(zip(*columns.values(), strict=True))
    return [rows[int(name) - 1] if name else None for name in found["linked_to"]]


def test_rows_that_are_equal_but_for_their_cluster_keep_the_order_of_no_table(tmp_path):
    rows = [("Ann", "x"), ("Ann", "y"), ("Anna", "x"), ("Bob", "y"), ("Bobby", "z"), ("Cid", "z")]
    files = []
    for seed in range(4):
        random.Random(seed).shuffle(rows)  # noqa: S311
        columns = {"name": [row[0] for row in rows], "who": [row[1] for row in rows]}
        tables.fit(columns, cluster="who", learner="logistic").save(tmp_path / "m")
        files.append((tmp_path / "m").read_bytes())
    assert all(one == other for one, other in pairwise(files))


def test_the_result_is_of_the_same_kind(model):
    test = people(10, 1)
    for holder, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)):
        frame = held(test, holder, None)
        found = model.predict(frame)
        assert type(found) is kind is type(frame)
    assert isinstance(model.predict(test), dict)
    assert isinstance(model.predict(held(test, "records", None)), list)
    assert isinstance(model.predict(as_table(test)), Table)


def test_a_column_of_clusters_of_our_name_is_renamed_in_every_frame():
    train = people(60, 0)
    train["cluster_id"] = train.pop("who")
    own = tables.fit(train, cluster="cluster_id", learner="logistic")
    for holder in ("pandas", "polars", "pyarrow", "mapping", "records"):
        found = as_columns(own.predict(held(train, holder, None)))
        assert list(found["cluster_id_input"]) == train["cluster_id"]
    rows = tuple(held(train, "records", None))
    assert "cluster_id_input" in as_columns(own.predict(rows))
    found = own.predict(Table(train, "people.csv"))
    assert (found.name, found["cluster_id_input"]) == ("people.csv", tuple(train["cluster_id"]))


@pytest.mark.parametrize("n_rows", [1, 2])
def test_tiny_tables_are_predicted(n_rows, model):
    found = as_columns(model.predict(people(n_rows, 1)))
    assert len(found["cluster_id"]) == n_rows


def test_rows_without_any_value_are_predicted(model):
    test = people(5, 1)
    for name in ("surname", "birth_date", "email"):
        test[name] = [""] * 5
    assert len(set(model.predict(test)["cluster_id"])) >= 1
    assert set(model.predict(test)["reason"]) != {""}


def test_one_column_of_text_is_enough():
    train = people(100, 0)
    own = tables.fit(
        {"größe": train["email"], "who": train["who"]}, cluster="who", learner="logistic"
    )
    found = own.predict({"größe": ["anna@x.example", "anna@x.example", "carl.z@y.example"]})
    assert found["cluster_id"] == ["1", "1", "3"]


def test_sets_are_clustered_apart():
    train = people(120, 0) | {"town": ["a", "b"] * 60}
    own = tables.fit(train, cluster="who", set="town", learner="logistic")
    found = own.predict(train)
    towns = dict(zip(found["id"], found["town"], strict=True))
    assert all(
        towns[first] == town for first, town in zip(found["cluster_id"], found["town"], strict=True)
    )
    with pytest.raises(InputError, match="in different sets"):
        own.explain(train, "r000", "r001")
    with pytest.raises(InputError, match="are a must-link pair, but are in the sets"):
        own.predict(train, must_link=[("r000", "r001")])
    both = zip(train["town"], train["who"], strict=True)
    assert own.evaluate(train).truth == Partition(sorted(both, key=lambda each: each[0]))


def test_metrics_are_those_of_the_prediction(model):
    test = people(80, 1)
    found = model.evaluate(test)
    predicted = model.predict(test)["cluster_id"]
    figures = {each.name: each for each in found.figures}
    assert figures["b_cubed.f1"].value == pytest.approx(metrics.b_cubed(test["who"], predicted).f1)
    assert figures["pair_scores.f1"].value == pytest.approx(
        metrics.pair_scores(test["who"], predicted).f1
    )
    # By another name of the column too, and in another order of the rows.
    other, _ = shuffled({**test, "true": test["who"]}, 5)
    again = {each.name: each for each in model.evaluate(other, "true").figures}
    assert again["b_cubed.f1"] == figures["b_cubed.f1"]


def test_truths_stay_with_their_rows_where_rows_are_equal(model):
    """Of rows without ids that are equal but for their clusters, none is taken for another."""
    one = {"surname": "Lee", "birth_date": "1970-01-01", "email": ""}
    rows = [one | {"who": who} for who in ("b", "a", "c")]
    found = model.evaluate(rows)
    order = found.clustering.sets[0].group.rows
    assert found.truth == Partition([rows[row]["who"] for row in order])


def test_contributions_sum_to_the_score_that_clustered(model):
    test = people(80, 1)
    clustering = model.cluster(as_table(test))
    found = clustering.sets[0]
    for row in range(0, len(found.scores.scores), 797):
        first, second = (clustering.ids[found.group.rows[item]] for item in found.scores.pairs[row])
        told = model.explain(test, first, second)
        assert told.bias + sum(told.contributions.values()) == pytest.approx(told.score, abs=1e-9)
        assert told.score == pytest.approx(found.scores.scores[row], abs=1e-9)


def test_contributions_of_many_pairs_are_those_of_each(model):
    found = model.cluster(as_table(people(20, 1))).sets[0]
    item_set, pairs = found.group.item_set, found.scores.pairs
    bias, parts = field_contributions(model.model, item_set, pairs)
    assert bias + sum(parts.values()) == pytest.approx(found.scores.scores, abs=1e-9)


def test_the_chain_leads_from_row_to_row(model):
    test = people(80, 1)
    found = model.predict(test)
    sizes = {name: found["cluster_id"].count(name) for name in found["cluster_id"]}
    largest = max(sizes, key=sizes.get)
    members = [
        name for name, own in zip(found["id"], found["cluster_id"], strict=True) if own == largest
    ]
    told = model.explain(test, members[0], members[-1])
    assert told.together
    assert (told.path[0], told.path[-1]) == (members[0], members[-1])
    assert set(told.path) <= set(members)
    assert [(link.first, link.second) for link in told.links] == list(pairwise(told.path))


def test_a_report_holds_what_was_measured(model):
    test = Table(people(80, 1), "people.csv")
    data = report_of(model, test, cluster="who")
    figures = {each.name: each.value for each in data.quality.metrics}
    assert figures["b_cubed.f1"] == pytest.approx(
        metrics.b_cubed(test["who"], model.predict(test)["cluster_id"]).f1
    )
    assert sum(size * count for size, count in data.sizes.true.items()) == 80
    at = list(data.quality.curve.thresholds).index(0.0)
    assert data.quality.curve.b_cubed[at] == pytest.approx(figures["b_cubed.f1"])
    assert data.quality.curve.recall[0] >= data.quality.curve.recall[-1]
    assert {each.name for each in data.fields} >= {"surname", "email"}
    total = sum(each.mean_for for each in data.fields)
    assert total > sum(each.mean_against for each in data.fields)
    assert data.choice.rows[data.choice.chosen][0] == model.facts["learner"]
    assert page(data).startswith("<!DOCTYPE html>")


def test_a_report_of_unknown_clusters_measures_nothing(model):
    data = report_of(model, Table(people(30, 1)).without(["who"]))
    assert data.quality is None
    assert data.sizes.true is None
    assert data.worst.clusters


def test_a_large_report_varies_no_threshold(model, monkeypatch):
    monkeypatch.setattr("coterie.report.of_tables.MOST_ROWS", 20)
    data = report_of(model, Table(people(30, 1)), cluster="who")
    assert data.quality.curve is None
    assert "over 20 rows" in dict(data.facts)["quality at other thresholds"]


def test_a_plan_foresees_the_pairs_of_keys(model, monkeypatch):
    from dataclasses import replace

    keyed = replace(
        model, model=replace(model.model, blocker=replace(model.model.blocker, limit=0))
    )
    test = Table(people(900, 1))
    monkeypatch.setattr("coterie.tables.planning.SAMPLES", (200, 400))
    plan = plan_predict(test, keyed)
    listed = len(keyed.cluster(test).sets[0].scores.scores)
    assert 0.6 * listed < plan.pairs < 1.6 * listed
    assert plan.all_pairs == 900 * 899 // 2
    assert SAMPLES[0] < SAMPLES[1]


def test_a_plan_of_little_looks_at_all_pairs(model):
    test = Table(people(30, 1))
    for plan in (plan_predict(test, model), plan_fit(test, model.schema)):
        assert plan.pairs == plan.all_pairs == 435
        assert plan.memory > 0
    assert plan_predict(Table(people(1, 1)), model).pairs == 0
    assert plan_fit(Table(people(1, 1)), model.schema).pairs == 0


def test_many_sets_are_learned_from_and_explained():
    """Where there are enough sets, nothing is chosen that cannot be explained."""
    table = people(120, 3)
    table["block"] = [f"b{row % 6}" for row in range(120)]
    found = tables.fit_table(table, cluster="who", set="block", learner="logistic")
    assert [row.context for row in found.learner.table_] == [False]
    assert found.learner.choice_.status == "tried"
    one, two = (table["id"][row] for row in (0, 6))
    assert np.isfinite(found.model.explain(table, one, two).score)


def test_an_option_that_is_not_there_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sets'"):
        tables.fit(people(20, 0), cluster="who", sets="surname")


def test_reasons_know_the_kinds_of_columns():
    rows = {
        "name": [
            "IBM",
            "International Business Machines",
            "Makita BS-15 drill",
            "Drill bs-15 Makita!",
        ],
        "born": ["2021-10-29", "29/10/2021", "1999-01-02", "24 Dec 1987"],
    }
    fields = [Field("name", Name()), Field("born", Date())]
    told = reasons(rows, fields, np.array([0, 2]), np.array([1, 3]))
    assert told == ["born equal; name similar", "name similar; born different"]
