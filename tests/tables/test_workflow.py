"""From a table to clusters: the same for every format of the table and every order of rows."""

import random
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from coterie import metrics, tables
from coterie.exceptions import InputError
from coterie.features import Field
from coterie.features.kinds import Date, Name
from coterie.partition import Partition
from coterie.report import page, report_of
from coterie.tables import Table, read_table, write_table
from coterie.tables.clustering import reasons
from coterie.tables.explaining import field_contributions
from coterie.tables.io.frames import as_table
from coterie.tables.learning_plan import plan_fit
from coterie.tables.planning import SAMPLES, plan_predict
from tests.people import people

PREDICTED_COLUMNS = ("cluster_id", "confidence", "linked_to", "reason")
TABLE_FORMATS = ("csv", "jsonl", "parquet", "pandas", "polars", "pyarrow")


def shuffled(columns, seed):
    order = list(range(len(columns["who"])))
    random.Random(seed).shuffle(order)  # noqa: S311
    return {name: [cells[row] for row in order] for name, cells in columns.items()}, order


def table_in(columns, table_format, folder):
    """Return a table that was read from a file, or a data frame."""
    if table_format in ("csv", "tsv", "jsonl", "parquet"):
        path = folder / f"table-of-{table_format}.{table_format}"
        write_table(path, columns)
        return read_table(path)
    if table_format == "records":
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    ways = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "mapping": dict}
    return ways[table_format](columns)


def as_columns(frame):
    """Return the columns of a prediction as text."""
    return as_table(frame).columns


def columns_sorted_by(columns, names, keys):
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


@pytest.mark.parametrize("table_format", TABLE_FORMATS)
def test_neither_the_format_nor_the_order_of_a_table_changes_results(
    table_format, model, expected, tmp_path
):
    train_rows, _ = shuffled(people(100, 0), table_format)
    refitted = tables.fit(
        table_in(train_rows, table_format, tmp_path), cluster="who", learner="logistic"
    )
    refitted.save(tmp_path / "own.coterie")
    assert (tmp_path / "own.coterie").read_bytes() == expected
    test_rows, _ = shuffled(people(80, 1), f"{table_format} again")
    predicted = as_columns(refitted.predict(table_in(test_rows, table_format, tmp_path)))
    expected_columns = as_columns(model.predict(people(80, 1)))
    assert columns_sorted_by(predicted, PREDICTED_COLUMNS, predicted["id"]) == {
        name: list(expected_columns[name]) for name in PREDICTED_COLUMNS
    }


@pytest.fixture(scope="module")
def without_ids():
    return tables.fit(people(80, 0, ids=False), cluster="who", learner="logistic")


@pytest.mark.parametrize("table_format", ["csv", "parquet", "pandas", "records"])
def test_tables_without_ids_have_the_same_results_in_any_order(table_format, without_ids, tmp_path):
    without_ids.save(tmp_path / "one")
    shuffled_rows, _ = shuffled(people(80, 0, ids=False), table_format)
    refitted = tables.fit(
        table_in(shuffled_rows, table_format, tmp_path), cluster="who", learner="logistic"
    )
    refitted.save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    test = people(60, 1, ids=False)
    shuffled_rows, order = shuffled(test, f"{table_format} again")
    predicted = as_columns(refitted.predict(table_in(shuffled_rows, table_format, tmp_path)))
    predicted_unshuffled = as_columns(without_ids.predict(test))
    # Row numbers serve as ids, and they differ in another order of rows.
    before = {
        name: [predicted_unshuffled[name][row] for row in order] for name in PREDICTED_COLUMNS
    }
    assert Partition(predicted["cluster_id"]) == Partition(before["cluster_id"])
    assert list(predicted["confidence"]) == before["confidence"]
    assert linked_rows(predicted, shuffled_rows) == linked_rows(before, test)


def linked_rows(predicted, columns):
    """Return the cells of the rows that rows are linked to; equal rows cannot be told apart."""
    rows = list(zip(*columns.values(), strict=True))
    return [rows[int(name) - 1] if name else None for name in predicted["linked_to"]]


def test_models_do_not_depend_on_the_order_of_rows_that_differ_only_in_cluster(tmp_path):
    rows = [("Ann", "x"), ("Ann", "y"), ("Anna", "x"), ("Bob", "y"), ("Bobby", "z"), ("Cid", "z")]
    files = []
    for seed in range(4):
        random.Random(seed).shuffle(rows)  # noqa: S311
        columns = {"name": [row[0] for row in rows], "who": [row[1] for row in rows]}
        tables.fit(columns, cluster="who", learner="logistic").save(tmp_path / "m")
        files.append((tmp_path / "m").read_bytes())
    assert all(one == other for one, other in pairwise(files))


def test_the_result_is_of_the_same_type_as_the_table(model):
    test = people(10, 1)
    for table_format, kind in (
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
    ):
        frame = table_in(test, table_format, None)
        predicted = model.predict(frame)
        assert type(predicted) is kind is type(frame)
    assert isinstance(model.predict(test), dict)
    assert isinstance(model.predict(table_in(test, "records", None)), list)
    assert isinstance(model.predict(as_table(test)), Table)


def test_a_true_column_named_cluster_id_is_renamed_in_every_frame():
    train = people(60, 0)
    train["cluster_id"] = train.pop("who")
    model = tables.fit(train, cluster="cluster_id", learner="logistic")
    for table_format in ("pandas", "polars", "pyarrow", "mapping", "records"):
        predicted = as_columns(model.predict(table_in(train, table_format, None)))
        assert list(predicted["cluster_id_input"]) == train["cluster_id"]
    rows = tuple(table_in(train, "records", None))
    assert "cluster_id_input" in as_columns(model.predict(rows))
    predicted = model.predict(Table(train, "people.csv"))
    assert (predicted.name, predicted["cluster_id_input"]) == (
        "people.csv",
        tuple(train["cluster_id"]),
    )


@pytest.mark.parametrize("n_rows", [1, 2])
def test_tiny_tables_are_predicted(n_rows, model):
    predicted = as_columns(model.predict(people(n_rows, 1)))
    assert len(predicted["cluster_id"]) == n_rows


def test_rows_without_any_value_are_predicted(model):
    test = people(5, 1)
    for name in ("surname", "birth_date", "email"):
        test[name] = [""] * 5
    assert len(set(model.predict(test)["cluster_id"])) >= 1
    assert set(model.predict(test)["reason"]) != {""}


def test_one_column_of_text_is_enough():
    train = people(100, 0)
    model = tables.fit(
        {"größe": train["email"], "who": train["who"]}, cluster="who", learner="logistic"
    )
    predicted = model.predict({"größe": ["anna@x.example", "anna@x.example", "carl.z@y.example"]})
    assert predicted["cluster_id"] == ["1", "1", "3"]


def test_rows_of_different_sets_are_never_joined():
    train = people(120, 0) | {"town": ["a", "b"] * 60}
    model = tables.fit(train, cluster="who", set="town", learner="logistic")
    predicted = model.predict(train)
    towns = dict(zip(predicted["id"], predicted["town"], strict=True))
    assert all(
        towns[first] == town
        for first, town in zip(predicted["cluster_id"], predicted["town"], strict=True)
    )
    with pytest.raises(InputError, match="in different sets"):
        model.explain(train, "r000", "r001")
    with pytest.raises(InputError, match="are a must-link pair, but are in different sets"):
        model.predict(train, must_link=[("r000", "r001")])
    town_and_entity = zip(train["town"], train["who"], strict=True)
    assert model.evaluate(train).truth == Partition(
        sorted(town_and_entity, key=lambda pair: pair[0])
    )


def test_metrics_are_those_of_the_prediction(model):
    test = people(80, 1)
    evaluation = model.evaluate(test)
    predicted = model.predict(test)["cluster_id"]
    figures = {figure.name: figure for figure in evaluation.figures}
    assert figures["b_cubed.f1"].value == pytest.approx(metrics.b_cubed(test["who"], predicted).f1)
    assert figures["pair_scores.f1"].value == pytest.approx(
        metrics.pair_scores(test["who"], predicted).f1
    )
    # The same holds under another name of the column and in another order of the rows.
    reordered, _ = shuffled({**test, "true": test["who"]}, 5)
    again = {figure.name: figure for figure in model.evaluate(reordered, "true").figures}
    assert again["b_cubed.f1"] == figures["b_cubed.f1"]


def test_equal_rows_keep_their_true_clusters(model):
    """Rows without ids that differ only in their clusters are not exchanged."""
    fields = {"surname": "Lee", "birth_date": "1970-01-01", "email": ""}
    rows = [fields | {"who": who} for who in ("b", "a", "c")]
    evaluation = model.evaluate(rows)
    order = evaluation.clustering.sets[0].group.rows
    assert evaluation.truth == Partition([rows[row]["who"] for row in order])


def test_contributions_sum_to_the_score_of_the_clustering(model):
    test = people(80, 1)
    clustering = model.cluster(as_table(test))
    clustered_set = clustering.sets[0]
    for row in range(0, len(clustered_set.scores.scores), 797):
        first, second = (
            clustering.ids[clustered_set.group.rows[item]]
            for item in clustered_set.scores.pairs[row]
        )
        explanation = model.explain(test, first, second)
        assert explanation.bias + sum(explanation.contributions.values()) == pytest.approx(
            explanation.score, abs=1e-9
        )
        assert explanation.score == pytest.approx(clustered_set.scores.scores[row], abs=1e-9)


def test_contributions_of_many_pairs_sum_to_their_scores(model):
    clustered_set = model.cluster(as_table(people(20, 1))).sets[0]
    item_set = clustered_set.equal_rows.items(clustered_set.group.item_set)
    scores = clustered_set.item_scores
    bias, parts = field_contributions(model.model, item_set, scores.pairs)
    assert bias + sum(parts.values()) == pytest.approx(scores.scores, abs=1e-9)


def test_the_chain_leads_from_row_to_row(model):
    test = people(80, 1)
    predicted = model.predict(test)
    sizes = {name: predicted["cluster_id"].count(name) for name in predicted["cluster_id"]}
    largest = max(sizes, key=sizes.get)
    members = [
        name
        for name, cluster_id in zip(predicted["id"], predicted["cluster_id"], strict=True)
        if cluster_id == largest
    ]
    explanation = model.explain(test, members[0], members[-1])
    assert explanation.together
    assert (explanation.path[0], explanation.path[-1]) == (members[0], members[-1])
    assert set(explanation.path) <= set(members)
    assert [(link.first, link.second) for link in explanation.links] == list(
        pairwise(explanation.path)
    )


def test_a_report_contains_the_metrics(model):
    test = Table(people(80, 1), "people.csv")
    data = report_of(model, test, cluster="who")
    figures = {entry.name: entry.value for entry in data.quality.metrics}
    assert figures["b_cubed.f1"] == pytest.approx(
        metrics.b_cubed(test["who"], model.predict(test)["cluster_id"]).f1
    )
    assert sum(size * count for size, count in data.sizes.true.items()) == 80
    position = list(data.quality.curve.thresholds).index(0.0)
    assert data.quality.curve.b_cubed[position] == pytest.approx(figures["b_cubed.f1"])
    assert data.quality.curve.recall[0] >= data.quality.curve.recall[-1]
    assert {entry.name for entry in data.fields} >= {"surname", "email"}
    total = sum(entry.mean_for for entry in data.fields)
    assert total > sum(entry.mean_against for entry in data.fields)
    assert data.choice.rows[data.choice.chosen][0] == model.facts["learner"]
    assert page(data).startswith("<!DOCTYPE html>")


def test_a_report_without_true_clusters_has_no_metrics(model):
    data = report_of(model, Table(people(30, 1)).without(["who"]))
    assert data.quality is None
    assert data.sizes.true is None
    assert data.worst.clusters


def test_a_large_report_varies_no_threshold(model, monkeypatch):
    monkeypatch.setattr("coterie.report.of_tables.MOST_ROWS", 20)
    data = report_of(model, Table(people(30, 1)), cluster="who")
    assert data.quality.curve is None
    assert "over 20 rows" in dict(data.facts)["quality at other thresholds"]


def test_a_plan_estimates_the_pairs_of_blocking_keys(model, monkeypatch):
    from dataclasses import replace

    keyed = replace(
        model, model=replace(model.model, blocker=replace(model.model.blocker, limit=0))
    )
    test = Table(people(900, 1))
    monkeypatch.setattr("coterie.tables.planning.SAMPLES", (200, 400))
    plan = plan_predict(test, keyed)
    n_pairs = len(keyed.cluster(test).sets[0].scores.scores)
    assert 0.6 * n_pairs < plan.pairs < 1.6 * n_pairs
    assert plan.all_pairs == 900 * 899 // 2
    assert SAMPLES[0] < SAMPLES[1]


def test_a_plan_for_few_rows_counts_all_pairs(model):
    test = Table(people(30, 1))
    for plan in (plan_predict(test, model), plan_fit(test, model.schema)):
        assert plan.all_pairs == 435
        # Rows that are equal to another one are not compared again.
        assert plan.pairs == (435 if plan.seconds.get("comparing") else 351)
        assert plan.memory > 0
    assert plan_predict(Table(people(1, 1)), model).pairs == 0
    assert plan_fit(Table(people(1, 1)), model.schema).pairs == 0


def test_many_sets_are_learned_from_and_explained():
    """Even with enough sets to hold out, no model is chosen that cannot be explained."""
    table = people(120, 3)
    table["block"] = [f"b{row % 6}" for row in range(120)]
    fitted = tables.fit_table(table, cluster="who", set="block", learner="logistic")
    assert [row.context for row in fitted.choice.table] == [False]
    assert fitted.choice.chosen.status == "tried"
    one, two = (table["id"][row] for row in (0, 6))
    assert np.isfinite(fitted.model.explain(table, one, two).score)


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sets'"):
        tables.fit(people(20, 0), cluster="who", sets="surname")


def test_reasons_depend_on_the_kinds_of_columns():
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
    texts = reasons(rows, fields, np.array([0, 2]), np.array([1, 3]))
    assert texts == ["born equal; name similar", "name similar; born different"]
