"""The commands of tables: their outputs, and their refusals of bad input."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from coterie import cli
from coterie.tables import Table, TableStatistics, load, read_table, write_table
from tests.commands import error_of, run
from tests.people import people as records

PREDICTED_COLUMNS = ("cluster_id", "confidence", "linked_to", "reason")


def people(n_rows, seed):
    return Table(records(n_rows, seed, ("given_name", "surname", "birth_date", "city")))


def rows_of(table):
    return [
        dict(zip(table.names, row, strict=True))
        for row in zip(*table.columns.values(), strict=True)
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Write a training table, its model, a test table, and the test table without clusters."""
    folder = tmp_path_factory.mktemp("tables")
    write_table(folder / "train.csv", people(150, 0))
    write_table(folder / "test.csv", people(60, 1))
    write_table(folder / "plain.csv", people(60, 1).without(["who"]))
    done = run("fit", folder / "train.csv", "--cluster", "who", "--learner", "logistic", "-o",
               folder / "m.coterie", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    (folder / "fit.json").write_text(done.stdout)
    return folder


def check_refused(done, *texts):
    """Check that a command ended with code 2 and one line that contains all texts."""
    line = error_of(done)
    for text in texts:
        assert text in line


# Outputs of the commands.


def test_fit_prints_one_object(files):
    summary = json.loads((files / "fit.json").read_text())
    assert summary["cluster"] == "who"
    assert summary["id"] == "id"
    assert summary["kinds"]["birth_date"] == "date"
    assert summary["rows"] == 150
    assert summary["blocking"]["pairs"] == 150 * 149 // 2
    assert 0.8 < summary["held_out"]["b_cubed.f1"] <= 1.0
    assert summary["choice"]["name"] == summary["tried"][0]["name"] == "logistic regression"
    assert summary["choice"]["mean"] == pytest.approx(summary["held_out"]["b_cubed.f1"], abs=0.05)
    assert summary["choice"]["clusterer"] in {"AverageLinkage", "Greedy"}


def test_fit_prints_kinds_blocking_choice_and_metrics(files, tmp_path):
    done = run("fit", files / "train.csv", "--cluster", "who", "--learner", "logistic", "-o",
               tmp_path / "m.coterie")  # fmt: skip
    assert done.exit_code == 0
    for words in (
        "birth_date",
        "11,175 pairs compared",
        "held-out entities",
        "logistic",
        "b_cubed.f1",
        "The model holds no rows of the training table. It holds hashes of the values and words",
        "that 5 or more entities share",
    ):
        assert words in done.stdout
    assert "wrote the model to" in done.stderr
    # Times are printed, but not saved: the same fit makes the same file.
    assert (tmp_path / "m.coterie").read_bytes() == (files / "m.coterie").read_bytes()


def test_flags_override_the_schema_file_and_it_overrides_defaults(files, tmp_path):
    schema = tmp_path / "s.toml"
    schema.write_text(
        'cluster = "city"\nlearner = "logistic"\nseed = 7\nmin_entities = 9\nsample = "made-up"\n'
        '[kinds]\ncity = "text"\n'
    )
    done = run("fit", files / "train.csv", "--schema", schema, "--cluster", "who", "--seed", 3,
               "--sample", "rows", "-o", tmp_path / "m", "--json")  # fmt: skip
    summary = json.loads(done.stdout)
    assert (summary["cluster"], summary["seed"], summary["kinds"]["city"]) == ("who", 3, "text")
    assert summary["learner"] == "logistic regression"
    assert summary["metric"] == "b_cubed"
    assert (summary["min_entities"], summary["sample"]) == (9, "rows")


def test_predict_adds_four_columns(files, tmp_path):
    out = tmp_path / "out.csv"
    done = run("predict", files / "m.coterie", files / "plain.csv", "-o", out)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert "60 rows in" in done.stderr
    written = read_table(out)
    assert written.names == (*read_table(files / "plain.csv").names, *PREDICTED_COLUMNS)
    assert written.without(PREDICTED_COLUMNS) == read_table(files / "plain.csv")
    assert set(written["cluster_id"]) <= set(written["id"])


def test_predict_writes_the_same_to_files_and_to_standard_output(files, tmp_path):
    out = tmp_path / "out.csv"
    run("predict", files / "m.coterie", files / "plain.csv", "-o", out)
    text = (files / "plain.csv").read_text()
    done = run("predict", files / "m.coterie", "-", "-o", "-", stdin=text)
    assert done.exit_code == 0
    assert done.stdout == out.read_text()


def test_predict_writes_statistics_and_uses_them_again(files, tmp_path):
    path, out = tmp_path / "statistics", tmp_path / "out.csv"
    command = "predict", files / "m.coterie", files / "plain.csv", "-o", out, "--statistics", path
    done = run(*command)
    assert done.exit_code == 0
    assert f"wrote the statistics of the table to {path}" in done.stderr
    statistics = TableStatistics.load(path)
    assert statistics == load(files / "m.coterie").statistics(read_table(files / "plain.csv"))
    predicted, content = out.read_text(), path.read_bytes()
    done = run(*command)
    assert f"used the statistics in {path}, not those of the table" in done.stderr
    assert (out.read_text(), path.read_bytes()) == (predicted, content)
    statistics.merge(statistics).save(path)
    run(*command)
    assert out.read_text() != predicted


def test_predict_refuses_files_that_hold_no_statistics(files, tmp_path):
    model, table, out = files / "m.coterie", files / "plain.csv", tmp_path / "out.csv"
    predict = "predict", model, table, "-o", out, "--statistics"
    check_refused(run(*predict, table), "not a file of statistics")
    check_refused(run(*predict, model), "not a file of statistics")
    check_refused(run(*predict, out), "is also the file of the table")
    check_refused(run(*predict, "-"), "give a file name")
    assert not out.exists()
    out.write_text("old")
    check_refused(run(*predict, out), "would be overwritten")
    assert out.read_text() == "old"
    check_refused(run(*predict, tmp_path / "no" / "statistics"), "no")
    assert out.read_text() == "old"


def test_numbers_stay_numbers_in_json_lines(files, tmp_path):
    out = tmp_path / "out.jsonl"
    done = run("predict", files / "m.coterie", files / "plain.csv", "-o", out, "--json")
    assert json.loads(done.stdout)["rows"] == 60
    row = json.loads(out.read_text().splitlines()[0])
    assert isinstance(row["confidence"], float)
    assert isinstance(row["id"], str)


def test_types_stay_in_json_lines(files, tmp_path):
    records = [
        {"code": row, "tags": [row, None], **cells}
        for row, cells in enumerate(rows_of(read_table(files / "test.csv")))
    ]
    del records[3]["tags"]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    done = run("predict", files / "m.coterie", "-", "-o", tmp_path / "o.jsonl", stdin=lines)
    assert done.exit_code == 0, done.output
    written = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [
        {k: v for k, v in row.items() if k not in PREDICTED_COLUMNS} for row in written
    ] == records
    assert all(isinstance(row["confidence"], float) for row in written)


def test_types_stay_in_parquet(files, tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = dict(read_table(files / "test.csv").columns)
    columns = {"count": list(range(60)), "since": [date(2020, 1, 1)] * 60, **columns}
    frame = arrow.table({name: list(cells) for name, cells in columns.items()})
    parquet.write_table(frame, tmp_path / "t.parquet")
    for name in ("o.parquet", "o.csv"):
        done = run("predict", files / "m.coterie", tmp_path / "t.parquet", "-o", tmp_path / name)
        assert done.exit_code == 0, done.output
    written = parquet.read_table(tmp_path / "o.parquet")
    assert written.drop_columns(list(PREDICTED_COLUMNS)).equals(frame)
    text = read_table(tmp_path / "o.csv")
    assert text["since"][0] == "2020-01-01"
    assert text["cluster_id"] == tuple(written["cluster_id"].to_pylist())


def test_the_input_may_be_the_output(files, tmp_path):
    same = tmp_path / "same.csv"
    same.write_bytes((files / "plain.csv").read_bytes())
    assert run("predict", files / "m.coterie", same, "-o", same).exit_code == 0
    assert read_table(same).names[-4:] == PREDICTED_COLUMNS


@pytest.fixture(scope="module")
def constraints(files):
    """Return a row, a row to part from, a row to join, and the options that say so."""
    table = load(files / "m.coterie").predict(read_table(files / "plain.csv"))
    before = dict(zip(table["id"], table["cluster_id"], strict=True))
    sizes = Counter(before.values())
    row, cannot_link_row = next(
        (a, b) for a in before for b in before if a < b and before[a] == before[b]
        and sizes[before[a]] == 2
    )  # fmt: skip
    must_link_row = next(a for a in before if sizes[before[a]] == 1)
    (files / "apart.csv").write_text(f"{row},{cannot_link_row}\n")
    (files / "together.csv").write_text(f"one,other\n{row},{must_link_row}\n")
    options = ("--must-link", files / "together.csv", "--cannot-link", files / "apart.csv")
    return row, cannot_link_row, must_link_row, options


def test_constraints_hold_and_are_the_reason(files, constraints, tmp_path):
    row, cannot_link_row, must_link_row, options = constraints
    out = tmp_path / "out.csv"
    done = run("predict", files / "m.coterie", files / "plain.csv", "-o", out, *options)
    assert done.exit_code == 0, done.output
    assert "used 1 must-link pair" in done.stderr
    table = read_table(out)
    after = {written["id"]: written for written in rows_of(table)}
    assert (
        after[row]["cluster_id"]
        == after[must_link_row]["cluster_id"]
        != after[cannot_link_row]["cluster_id"]
    )
    assert after[row]["linked_to"] == must_link_row
    assert after[must_link_row]["linked_to"] == row
    assert after[row]["reason"].startswith("must-link; ")
    assert after[cannot_link_row]["reason"].endswith(", a cannot-link pair")


def test_explain_names_the_constraints_of_a_pair(files, constraints):
    row, cannot_link_row, must_link_row, options = constraints
    explain = ("explain", files / "m.coterie", files / "plain.csv", row)
    text = run(*explain, must_link_row, *options).stdout
    assert f"{row} and {must_link_row}, a must-link pair" in text
    record = json.loads(run(*explain, cannot_link_row, *options, "--json").stdout)
    assert not record["together"]
    assert record["refused"]["constraint"] == "cannot-link"
    assert {record["refused"]["first"], record["refused"]["second"]} == {row, cannot_link_row}
    record = json.loads(run(*explain, cannot_link_row, "--json").stdout)
    assert record["together"]


def test_constraints_hold_in_every_command(files, constraints, tmp_path):
    row, cannot_link_row, must_link_row, options = constraints
    paths = (files / "m.coterie", files / "test.csv")
    clusters = json.loads(run("clusters", *paths, *options, "--json", "--top", 60).stdout)[
        "clusters"
    ]
    assert {row, must_link_row} in [set(cluster["rows"]) for cluster in clusters]
    assert {row, cannot_link_row} not in [set(cluster["rows"]) for cluster in clusters]
    metrics = [
        json.loads(run("evaluate", *paths, *flags, "--json").stdout) for flags in ((), options)
    ]
    assert metrics[1] != metrics[0]
    done = run("report", *paths, *options, "-o", tmp_path / "page.html")
    assert done.exit_code == 0, done.output
    assert "must-link" in (tmp_path / "page.html").read_text()


def test_contradictions_are_refused(files, tmp_path):
    (tmp_path / "a.csv").write_text("r000,r001\n")
    done = run("predict", files / "m.coterie", files / "plain.csv", "-o", tmp_path / "o.csv",
               "--must-link", tmp_path / "a.csv", "--cannot-link", tmp_path / "a.csv")  # fmt: skip
    check_refused(done, "must-link pairs connect them: r000 = r001")
    assert not (tmp_path / "o.csv").exists()


def test_evaluate_prints_metrics_with_intervals(files):
    done = run("evaluate", files / "m.coterie", files / "test.csv", "--json")
    evaluation = json.loads(done.stdout)
    figure = evaluation["metrics"]["b_cubed.f1"]
    assert figure["low"] <= figure["value"] <= figure["high"]
    text = run("evaluate", files / "m.coterie", files / "test.csv", "--cluster", "who").stdout
    assert f"{figure['value']:.3f}" in text


def test_explain_keeps_its_contract(files):
    done = run("explain", files / "m.coterie", files / "test.csv", "r000", "r001", "--json")
    explanation = json.loads(done.stdout)
    assert {"score", "bias", "contributions", "together", "path"} <= set(explanation)
    total = explanation["bias"] + sum(explanation["contributions"].values())
    assert total == pytest.approx(explanation["score"], abs=1e-9)


def test_explain_shows_the_chain_of_two_rows_that_are_together(files):
    table = read_table(files / "test.csv")
    predicted = load(files / "m.coterie").predict(table)
    first = next(row for row in range(60) if predicted["linked_to"][row])
    ids = predicted["id"][first], predicted["linked_to"][first]
    text = run("explain", files / "m.coterie", files / "test.csv", *ids).stdout
    assert "in one cluster" in text
    assert "They are linked by:" in text
    assert "birth_date" in text
    assert "the words of all columns" in text


def test_clusters_are_sorted_from_the_worst(files):
    done = run("clusters", files / "m.coterie", files / "test.csv", "--json", "--top", 5)
    clusters = json.loads(done.stdout)["clusters"]
    weakest = [cluster["weakest_link"] for cluster in clusters]
    assert weakest == sorted(weakest)
    assert all(len(cluster["rows"]) == cluster["size"] > 1 for cluster in clusters)
    text = run("clusters", files / "m.coterie", files / "test.csv", "--top", 2).stdout
    assert len(text.splitlines()) == 3
    assert clusters[0]["cluster_id"] in text


def test_report_is_one_page(files, tmp_path):
    page = tmp_path / "r.html"
    assert run("report", files / "m.coterie", files / "test.csv", "-o", page).exit_code == 0
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert "b_cubed.f1" in text
    plain = run("report", files / "m.coterie", files / "plain.csv", "-o", "-")
    assert "true clusters of this table are not known" in plain.stdout


def test_init_writes_what_fit_reads(files, tmp_path):
    text = run("init", files / "train.csv", "--cluster", "who").stdout
    assert 'cluster = "who"' in text
    schema = tmp_path / "s.toml"
    assert run("init", files / "train.csv", "--cluster", "who", "-o", schema).exit_code == 0
    assert schema.read_text() == text
    done = run("fit", files / "train.csv", "--schema", schema, "--learner", "logistic", "-o",
               tmp_path / "m")  # fmt: skip
    assert done.exit_code == 0
    assert (tmp_path / "m").read_bytes() == (files / "m.coterie").read_bytes()


def test_plan_counts_pairs_before_any_work(files):
    plain = read_table(files / "plain.csv")
    n_different = len(set(zip(*plain.without(["id"]).columns.values(), strict=True)))
    n_pairs = n_different * (n_different - 1) // 2
    # Only `predict` compares copies of a row once.
    for words, expected in (([], 1770), (["--model", files / "m.coterie"], n_pairs)):
        plan = json.loads(run("plan", files / "plain.csv", *words, "--json").stdout)
        assert (plan["rows"], plan["all_pairs"], plan["pairs"]) == (60, 1770, expected)
        assert plan["memory_bytes"] > 0
        assert all(seconds >= 0 for seconds in plan["seconds"].values())
    assert "pairs to compare" in run("plan", files / "plain.csv").stdout


# Refusals: one line, exit code 2, and nothing is written.

TABLES = {
    "empty": (b"", "empty"),
    "header only": (b"id,name,who\n", "no rows"),
    "ragged": (b"id,name,who\n1,a,x\n2,b\n", "line 3 has 2 cells"),
    "not UTF-8": (b"id,name,who\n1,M\xfcller,x\n", "line 2 has the byte 0xfc"),
    "equal ids": (b"id,name,who\n1,a,x\n1,b,x\n2,c,y\n", "rows 1 and 2 have the same id 1"),
    "missing id": (b"id,name,who\n1,a,x\n,b,x\n2,c,y\n", "row 2: the id in column 'id'"),
    "one cluster": (b"id,name,who\n1,a,x\n2,b,x\n", "all rows have the same value in column 'who'"),
    "no pair": (b"id,name,who\n1,a,x\n2,b,y\n", "no two rows have the same value in column 'who'"),
    "missing cluster": (b"id,name,who\n1,a,x\n2,b,\n3,c,x\n", "row 2: the cluster in column 'who'"),
    "no field": (b"id,who\n1,x\n2,x\n3,y\n", "has no column to compare"),
    "column of ours": (b"reason,name,who\n1,a,x\n2,b,x\n3,c,y\n", "has a column 'reason'"),
    "no column": (b"id,name\n1,a\n2,b\n", "has no column 'who'"),
    "semicolons": (
        b"id;name;who\n1;a;x\n2;b,c;x\n",
        "the cells seem to be separated by semicolons",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_fit_refuses_bad_tables(name, tmp_path):
    content, message = TABLES[name]
    (tmp_path / "t.csv").write_bytes(content)
    done = run("fit", tmp_path / "t.csv", "--cluster", "who", "-o", tmp_path / "m.coterie")
    check_refused(done, message, "t.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_an_input_is_never_overwritten(files, tmp_path):
    table, pairs = tmp_path / "t.csv", tmp_path / "pairs.csv"
    table.write_bytes((files / "train.csv").read_bytes())
    pairs.write_text("a,b\n")
    model = tmp_path / "m.coterie"
    model.write_bytes((files / "m.coterie").read_bytes())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for words in (
        ("fit", table, "--cluster", "who", "-o", table),
        ("predict", model, table, "--must-link", pairs, "-o", pairs),
        ("report", model, table, "-o", model),
        ("init", table, "-o", f"{tmp_path}/../{tmp_path.name}/t.csv"),
    ):
        check_refused(run(*words), "is also an input, and would be overwritten; give another file")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


OPTIONS = {
    "learner": (["--learner", "magic"], "--learner is 'magic'"),
    "metric": (["--metric", "magic"], "--metric is 'magic'"),
    "format": (["--format", "xls"], "the format is 'xls'"),
    "set": (["--set", "magic"], "no column 'magic', which --set names"),
    "id": (["--id", "magic"], "no column 'magic', which --id names"),
    "jobs": (["--jobs", "0"], "--jobs"),
    "seed": (["--seed", "-1"], "--seed"),
    "budget": (["--budget", "nan"], "budget"),
    "entities": (["--min-entities", "0"], "--min-entities"),
    "sample": (["--sample", "magic"], "--sample is 'magic'; use one of made-up, rows"),
    "schema": (["--schema", "magic.toml"], "magic.toml cannot be read"),
    "option": (["--magic"], "No such option"),
    "no cluster": (["--cluster", ""], "no column ''"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_fit_refuses_bad_options(name, files, tmp_path):
    words, message = OPTIONS[name]
    out = tmp_path / "m.coterie"
    check_refused(run("fit", files / "train.csv", "--cluster", "who", "-o", out, *words), message)
    assert not any(tmp_path.iterdir())


SCHEMAS = {
    "no TOML": ("kinds", "is not valid TOML"),
    "key": ("magic = 1", "has the unknown key 'magic'"),
    "kind": ('[kinds]\ncity = "magic"', "the kind of column 'city' is 'magic'"),
    "column": ('[kinds]\nmagic = "text"', "no column 'magic', which `kinds` in "),
    "learner": ("learner = 3", "learner is 3"),
    "seed": ('seed = "x"', "seed is 'x'"),
    "entities": ("min_entities = 0", "min_entities is 0"),
    "sample": ('sample = "magic"', "`sample` in "),
    "truth": ("jobs = true", "jobs is True"),
    "list": ("id = [1]", "id is [1]"),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_fit_refuses_bad_schemas(name, files, tmp_path):
    text, message = SCHEMAS[name]
    (tmp_path / "s.toml").write_text(text)
    words = ("--schema", tmp_path / "s.toml", "-o", tmp_path / "m.coterie")
    check_refused(run("fit", files / "train.csv", "--cluster", "who", *words), message)
    assert not (tmp_path / "m.coterie").exists()


def test_the_column_of_clusters_must_be_named(files, tmp_path):
    check_refused(run("fit", files / "train.csv", "-o", tmp_path / "m"), "--cluster")


@pytest.mark.parametrize("place", ["no/folder/o.csv", ".", "-"])
def test_places_that_cannot_be_written_are_refused_before_work(place, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_refused(run("fit", files / "train.csv", "--cluster", "who", "-o", place))
    if place != "-":
        check_refused(run("predict", files / "m.coterie", files / "plain.csv", "-o", place))
        check_refused(run("report", files / "m.coterie", files / "plain.csv", "-o", place))
        check_refused(run("init", files / "plain.csv", "-o", place))
    assert not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_to_is_refused(files):
    check_refused(
        run("predict", files / "m.coterie", files / "plain.csv", "-o", "/proc/o.csv"), "/proc"
    )


def test_an_output_name_without_a_format_is_refused(files, tmp_path):
    check_refused(
        run("predict", files / "m.coterie", files / "plain.csv", "-o", tmp_path / "o"), "format"
    )
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["predict", "evaluate", "clusters", "report", "explain"])
def test_files_that_are_not_models_are_refused(command, files, tmp_path):
    last = ("r000", "r001") if command == "explain" else ()
    last = ("-o", tmp_path / "o.csv") if command in ("predict", "report") else last
    for model in (files / "plain.csv", files, files / "none.coterie", "-"):
        check_refused(run(command, model, files / "plain.csv", *last))
    assert not any(tmp_path.iterdir())


def test_a_table_that_is_a_folder_or_does_not_exist_is_refused(files, tmp_path):
    out = tmp_path / "o.csv"
    check_refused(run("predict", files / "m.coterie", files, "-o", out), "is a folder")
    check_refused(
        run("predict", files / "m.coterie", files / "x.csv", "-o", out), "there is no file"
    )
    assert not any(tmp_path.iterdir())


def test_a_table_that_lacks_a_field_is_refused(files, tmp_path):
    write_table(tmp_path / "t.csv", people(5, 0).without(["city"]))
    done = run("predict", files / "m.coterie", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    check_refused(done, "no column 'city'")
    assert not (tmp_path / "o.csv").exists()


def test_columns_with_the_names_of_predictions_are_refused(files, tmp_path):
    table = people(5, 0).with_columns({"linked_to": ["x"] * 5})
    write_table(tmp_path / "t.csv", table)
    done = run("predict", files / "m.coterie", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    check_refused(done, "has a column 'linked_to'")


def test_what_predict_wrote_can_be_explained(files, tmp_path):
    out = tmp_path / "out.csv"
    run("predict", files / "m.coterie", files / "test.csv", "-o", out)
    for command in (("explain", "r000", "r001"), ("clusters",), ("evaluate",)):
        words = [files / "m.coterie", out, *command[1:]]
        again = run(command[0], *words, "--json")
        words[1] = files / "test.csv"
        assert again.exit_code == 0, again.output
        assert again.stdout == run(command[0], *words, "--json").stdout


def test_unknown_ids_are_refused(files):
    explain = ("explain", files / "m.coterie", files / "test.csv")
    check_refused(run(*explain, "r000", "r999"), "r999")
    check_refused(run(*explain, "r000", "r000"), "two different rows")


def test_standard_input_is_read_once(files):
    done = run("predict", files / "m.coterie", "-", "-o", "-", "--cannot-link", "-", stdin="a,b\n")
    check_refused(done, "only once")


def test_json_and_a_table_are_not_both_written_to_standard_output(files):
    check_refused(
        run("predict", files / "m.coterie", files / "plain.csv", "-o", "-", "--json"), "JSON"
    )


def test_a_true_column_named_cluster_id_is_kept_under_another_name(files, tmp_path):
    table = people(60, 0)
    columns = dict(table.columns)
    columns["cluster_id"] = columns.pop("who")
    write_table(tmp_path / "t.csv", columns)
    done = run("fit", tmp_path / "t.csv", "--cluster", "cluster_id", "--learner", "logistic", "-o",
               tmp_path / "m")  # fmt: skip
    assert done.exit_code == 0
    run("predict", tmp_path / "m", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    written = read_table(tmp_path / "o.csv")
    assert written["cluster_id_input"] == table["who"]
    assert "cluster_id" in written.names
    columns["cluster_id_input"] = columns["cluster_id"]
    write_table(tmp_path / "t.csv", columns)
    done = run("predict", tmp_path / "m", tmp_path / "t.csv", "-o", tmp_path / "p.csv")
    assert read_table(tmp_path / "p.csv")["cluster_id_input_2"] == table["who"]
    predicted = (tmp_path / "m", tmp_path / "o.csv")
    check_refused(run("evaluate", *predicted), "holds predicted clusters", "cluster_id_input")
    first = run("evaluate", *predicted, "--cluster", "cluster_id_input", "--json")
    assert first.exit_code == 0, first.output
    assert json.loads(first.stdout)["true_clusters"] == len(set(table["who"]))


# Ends of runs.


def coterie(*words, program=("-m", "coterie"), **options):
    command = [sys.executable, *program, *map(str, words)]
    return subprocess.Popen(command, **options)  # noqa: S603


WAITING = """
import signal
from contextlib import contextmanager
from coterie import cli
from coterie.cli import bars

@contextmanager
def lines(processes):
    def show(step):
        print("begun", flush=True)
        signal.pause()
    yield show

bars._lines = lines
cli.main()
"""
"""Code that runs the command line and waits for a signal after the first step of the work."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_an_interrupt_ends_with_130_and_writes_nothing(files, tmp_path):
    words = ("fit", files / "train.csv", "--cluster", "who", "-o", tmp_path / "m.coterie")
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    child = coterie(*words, program=("-c", WAITING), **piped)
    assert child.stdout.readline() == "begun\n"
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate()
    assert child.returncode == 130
    assert errors == "coterie: stopped\n"
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_stops_early_is_not_an_error(files):
    words = ("clusters", files / "m.coterie", files / "test.csv")
    child = coterie(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stdout.close()
    errors = child.stderr.read()
    child.wait()
    child.stderr.close()
    assert "Traceback" not in errors
    assert "Error" not in errors
    assert child.returncode == 0


def test_help_is_quick():
    script = "import sys; from coterie.cli import app; app(['--help'], standalone_mode=False);"
    script += "sys.exit(len({'numpy', 'scipy', 'sklearn', 'coterie.tables'} & set(sys.modules)))"
    before = os.times()
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)  # noqa: S603
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    assert spent < 1.0  # 0.2 s, but the machine may be busy


def test_every_command_has_help():
    for command in ("fit", "predict", "evaluate", "explain", "clusters", "report", "init", "plan"):
        done = run(command, "--help")
        assert done.exit_code == 0
        assert Path(cli.__file__).with_name(f"{command}.py").exists()
