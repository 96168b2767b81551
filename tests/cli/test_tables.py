"""The commands of tables: what they print and write, and how they refuse what cannot be used."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coterie import cli
from coterie.datasets import make_records
from coterie.tables import Table, load, read_table, write_table

OURS = ("cluster_id", "confidence", "linked_to", "reason")


def run(*words, stdin=None):
    """Run a command as `coterie` does."""
    return CliRunner().invoke(cli.app, [str(word) for word in words], input=stdin)


def people(n_rows, seed):
    corpus = make_records(n_rows, random_state=seed)
    columns = {"id": [f"r{row:03d}" for row in range(n_rows)]}
    for name in ("given_name", "surname", "birth_date", "city"):
        columns[name] = [value or "" for value in corpus.item_sets[0].items[name]]
    columns["who"] = [f"e{label}" for label in corpus.partitions[0].labels]
    return Table(columns)


def rows_of(table):
    return [
        dict(zip(table.names, row, strict=True))
        for row in zip(*table.columns.values(), strict=True)
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A table to learn from, its model, another table, and the same without clusters."""
    folder = tmp_path_factory.mktemp("tables")
    write_table(folder / "train.csv", people(150, 0))
    write_table(folder / "test.csv", people(60, 1))
    write_table(folder / "plain.csv", people(60, 1).without(["who"]))
    done = run("fit", folder / "train.csv", "--cluster", "who", "--learner", "logistic", "-o",
               folder / "m.coterie", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    (folder / "fit.json").write_text(done.stdout)
    return folder


def refused(done, *said):
    """Check that a command ended with code 2 and one line that says something."""
    assert done.exit_code == 2, done.output
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("coterie: ")
    for word in said:
        assert word in lines[0]
    assert done.stdout == ""


# What the commands print and write.


def test_fit_prints_one_object(files):
    told = json.loads((files / "fit.json").read_text())
    assert told["cluster"] == "who"
    assert told["id"] == "id"
    assert told["kinds"]["birth_date"] == "date"
    assert told["rows"] == 150
    assert told["blocking"]["pairs"] == 150 * 149 // 2
    assert 0.8 < told["held_out"]["b_cubed.f1"] <= 1.0
    assert told["choice"]["name"] == told["tried"][0]["name"] == "logistic regression"
    assert told["choice"]["mean"] == pytest.approx(told["held_out"]["b_cubed.f1"], abs=0.05)
    assert told["choice"]["clusterer"] in {"AverageLinkage", "Greedy"}


def test_fit_tells_kinds_blocking_choice_and_metrics(files, tmp_path):
    done = run("fit", files / "train.csv", "--cluster", "who", "--learner", "logistic", "-o",
               tmp_path / "m.coterie")  # fmt: skip
    assert done.exit_code == 0
    for words in (
        "birth_date",
        "11,175 pairs compared",
        "held-out entities",
        "logistic",
        "b_cubed.f1",
    ):
        assert words in done.stdout
    assert "wrote the model to" in done.stderr
    # Times are told, but not kept: the same fit makes the same file.
    assert (tmp_path / "m.coterie").read_bytes() == (files / "m.coterie").read_bytes()


def test_flags_go_before_the_file_and_that_before_defaults(files, tmp_path):
    schema = tmp_path / "s.toml"
    schema.write_text('cluster = "city"\nlearner = "logistic"\nseed = 7\n[kinds]\ncity = "text"\n')
    done = run("fit", files / "train.csv", "--schema", schema, "--cluster", "who", "--seed", 3,
               "-o", tmp_path / "m", "--json")  # fmt: skip
    told = json.loads(done.stdout)
    assert (told["cluster"], told["seed"], told["kinds"]["city"]) == ("who", 3, "text")
    assert told["learner"] == "logistic regression"
    assert told["metric"] == "b_cubed"


def test_predict_writes_four_columns_more(files, tmp_path):
    out = tmp_path / "out.csv"
    done = run("predict", files / "m.coterie", files / "plain.csv", "-o", out)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert "60 rows in" in done.stderr
    written = read_table(out)
    assert written.names == (*read_table(files / "plain.csv").names, *OURS)
    assert written.without(OURS) == read_table(files / "plain.csv")
    assert set(written["cluster_id"]) <= set(written["id"])


def test_predict_is_the_same_by_way_of_streams(files, tmp_path):
    out = tmp_path / "out.csv"
    run("predict", files / "m.coterie", files / "plain.csv", "-o", out)
    text = (files / "plain.csv").read_text()
    done = run("predict", files / "m.coterie", "-", "-o", "-", stdin=text)
    assert done.exit_code == 0
    assert done.stdout == out.read_text()


def test_numbers_stay_numbers_in_json_lines(files, tmp_path):
    out = tmp_path / "out.jsonl"
    done = run("predict", files / "m.coterie", files / "plain.csv", "-o", out, "--json")
    assert json.loads(done.stdout)["rows"] == 60
    row = json.loads(out.read_text().splitlines()[0])
    assert isinstance(row["confidence"], float)
    assert isinstance(row["id"], str)


def test_types_stay_in_json_lines(files, tmp_path):
    records = [
        {"code": row, "tags": [row, None], **own}
        for row, own in enumerate(rows_of(read_table(files / "test.csv")))
    ]
    del records[3]["tags"]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    done = run("predict", files / "m.coterie", "-", "-o", tmp_path / "o.jsonl", stdin=lines)
    assert done.exit_code == 0, done.output
    written = [json.loads(line) for line in (tmp_path / "o.jsonl").read_text().splitlines()]
    assert [{k: v for k, v in own.items() if k not in OURS} for own in written] == records
    assert all(isinstance(own["confidence"], float) for own in written)


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
    assert written.drop_columns(list(OURS)).equals(frame)
    text = read_table(tmp_path / "o.csv")
    assert text["since"][0] == "2020-01-01"
    assert text["cluster_id"] == tuple(written["cluster_id"].to_pylist())


def test_the_input_may_be_the_output(files, tmp_path):
    same = tmp_path / "same.csv"
    same.write_bytes((files / "plain.csv").read_bytes())
    assert run("predict", files / "m.coterie", same, "-o", same).exit_code == 0
    assert read_table(same).names[-4:] == OURS


@pytest.fixture(scope="module")
def told(files):
    """A row, one of its cluster that it must be apart from, one of another to be together with."""
    table = load(files / "m.coterie").predict(read_table(files / "plain.csv"))
    before = dict(zip(table["id"], table["cluster_id"], strict=True))
    sizes = Counter(before.values())
    row, foe = next(
        (a, b) for a in before for b in before if a < b and before[a] == before[b]
        and sizes[before[a]] == 2
    )  # fmt: skip
    friend = next(a for a in before if sizes[before[a]] == 1)
    (files / "apart.csv").write_text(f"{row},{foe}\n")
    (files / "together.csv").write_text(f"one,other\n{row},{friend}\n")
    options = ("--must-link", files / "together.csv", "--cannot-link", files / "apart.csv")
    return row, foe, friend, options


def test_constraints_hold_and_are_the_reason(files, told, tmp_path):
    row, foe, friend, options = told
    out = tmp_path / "out.csv"
    done = run("predict", files / "m.coterie", files / "plain.csv", "-o", out, *options)
    assert done.exit_code == 0, done.output
    assert "used 1 must-link pair" in done.stderr
    table = read_table(out)
    after = {own["id"]: own for own in rows_of(table)}
    assert after[row]["cluster_id"] == after[friend]["cluster_id"] != after[foe]["cluster_id"]
    assert after[row]["linked_to"] == friend
    assert after[friend]["linked_to"] == row
    assert after[row]["reason"].startswith("must-link; ")
    assert after[foe]["reason"].endswith(", a cannot-link pair")


def test_explain_tells_what_was_told(files, told):
    row, foe, friend, options = told
    explain = ("explain", files / "m.coterie", files / "plain.csv", row)
    shown = run(*explain, friend, *options).stdout
    assert f"{row} and {friend}, a must-link pair" in shown
    record = json.loads(run(*explain, foe, *options, "--json").stdout)
    assert not record["together"]
    assert record["refused"]["constraint"] == "cannot-link"
    assert {record["refused"]["first"], record["refused"]["second"]} == {row, foe}
    record = json.loads(run(*explain, foe, "--json").stdout)
    assert record["together"]


def test_constraints_hold_in_every_command(files, told, tmp_path):
    row, foe, friend, options = told
    own = (files / "m.coterie", files / "test.csv")
    listed = json.loads(run("clusters", *own, *options, "--json", "--top", 60).stdout)["clusters"]
    assert {row, friend} in [set(each["rows"]) for each in listed]
    assert {row, foe} not in [set(each["rows"]) for each in listed]
    metrics = [json.loads(run("evaluate", *own, *each, "--json").stdout) for each in ((), options)]
    assert metrics[1] != metrics[0]
    done = run("report", *own, *options, "-o", tmp_path / "page.html")
    assert done.exit_code == 0, done.output
    assert "must-link" in (tmp_path / "page.html").read_text()


def test_contradictions_are_refused(files, tmp_path):
    (tmp_path / "a.csv").write_text("r000,r001\n")
    done = run("predict", files / "m.coterie", files / "plain.csv", "-o", tmp_path / "o.csv",
               "--must-link", tmp_path / "a.csv", "--cannot-link", tmp_path / "a.csv")  # fmt: skip
    refused(done, "must-link pairs connect them: r000 = r001")
    assert not (tmp_path / "o.csv").exists()


def test_evaluate_tells_metrics_with_intervals(files):
    done = run("evaluate", files / "m.coterie", files / "test.csv", "--json")
    told = json.loads(done.stdout)
    figure = told["metrics"]["b_cubed.f1"]
    assert figure["low"] <= figure["value"] <= figure["high"]
    shown = run("evaluate", files / "m.coterie", files / "test.csv", "--cluster", "who").stdout
    assert f"{figure['value']:.3f}" in shown


def test_explain_keeps_its_contract(files):
    done = run("explain", files / "m.coterie", files / "test.csv", "r000", "r001", "--json")
    told = json.loads(done.stdout)
    assert {"score", "bias", "contributions", "together", "path"} <= set(told)
    total = told["bias"] + sum(told["contributions"].values())
    assert total == pytest.approx(told["score"], abs=1e-9)


def test_explain_shows_the_chain_of_two_rows_that_are_together(files):
    table = read_table(files / "test.csv")
    found = load(files / "m.coterie").predict(table)
    first = next(row for row in range(60) if found["linked_to"][row])
    ids = found["id"][first], found["linked_to"][first]
    shown = run("explain", files / "m.coterie", files / "test.csv", *ids).stdout
    assert "in one cluster" in shown
    assert "They are linked by:" in shown
    assert "birth_date" in shown
    assert "the words of all fields" in shown


def test_clusters_come_worst_first(files):
    done = run("clusters", files / "m.coterie", files / "test.csv", "--json", "--top", 5)
    found = json.loads(done.stdout)["clusters"]
    weakest = [each["weakest_link"] for each in found]
    assert weakest == sorted(weakest)
    assert all(len(each["rows"]) == each["size"] > 1 for each in found)
    shown = run("clusters", files / "m.coterie", files / "test.csv", "--top", 2).stdout
    assert len(shown.splitlines()) == 3
    assert found[0]["cluster_id"] in shown


def test_report_is_one_page(files, tmp_path):
    page = tmp_path / "r.html"
    assert run("report", files / "m.coterie", files / "test.csv", "-o", page).exit_code == 0
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert "b_cubed.f1" in text
    plain = run("report", files / "m.coterie", files / "plain.csv", "-o", "-")
    assert "true clusters of this table are not known" in plain.stdout


def test_init_writes_what_fit_reads(files, tmp_path):
    shown = run("init", files / "train.csv", "--cluster", "who").stdout
    assert 'cluster = "who"' in shown
    schema = tmp_path / "s.toml"
    assert run("init", files / "train.csv", "--cluster", "who", "-o", schema).exit_code == 0
    assert schema.read_text() == shown
    done = run("fit", files / "train.csv", "--schema", schema, "--learner", "logistic", "-o",
               tmp_path / "m")  # fmt: skip
    assert done.exit_code == 0
    assert (tmp_path / "m").read_bytes() == (files / "m.coterie").read_bytes()


def test_plan_tells_pairs_before_any_work(files):
    for words in ([], ["--model", files / "m.coterie"]):
        told = json.loads(run("plan", files / "plain.csv", *words, "--json").stdout)
        assert (told["rows"], told["all_pairs"], told["pairs"]) == (60, 1770, 1770)
        assert told["memory_bytes"] > 0
        assert all(seconds >= 0 for seconds in told["seconds"].values())
    assert "pairs to compare" in run("plan", files / "plain.csv").stdout


# What is refused: one line, exit code 2, and nothing is written.

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
def test_fit_refuses(name, tmp_path):
    content, said = TABLES[name]
    (tmp_path / "t.csv").write_bytes(content)
    done = run("fit", tmp_path / "t.csv", "--cluster", "who", "-o", tmp_path / "m.coterie")
    refused(done, said, "t.csv")
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]


def test_what_is_read_is_not_written_onto(files, tmp_path):
    table, pairs = tmp_path / "t.csv", tmp_path / "pairs.csv"
    table.write_bytes((files / "train.csv").read_bytes())
    pairs.write_text("a,b\n")
    model = tmp_path / "m.coterie"
    model.write_bytes((files / "m.coterie").read_bytes())
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    for words in (
        ("fit", table, "--cluster", "who", "-o", table),
        ("predict", model, table, "--must-link", pairs, "-o", pairs),
        ("report", model, table, "-o", model),
        ("init", table, "-o", f"{tmp_path}/../{tmp_path.name}/t.csv"),
    ):
        refused(run(*words), "is also an input and would be lost; write to another file")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


OPTIONS = {
    "learner": (["--learner", "magic"], "the learner is 'magic'"),
    "metric": (["--metric", "magic"], "the metric is 'magic'"),
    "format": (["--format", "xls"], "the format is 'xls'"),
    "set": (["--set", "magic"], "no column 'magic', which --set names"),
    "id": (["--id", "magic"], "no column 'magic', which --id names"),
    "jobs": (["--jobs", "0"], "--jobs"),
    "seed": (["--seed", "-1"], "--seed"),
    "budget": (["--budget", "nan"], "budget"),
    "schema": (["--schema", "magic.toml"], "magic.toml cannot be read"),
    "option": (["--magic"], "No such option"),
    "no cluster": (["--cluster", ""], "no column ''"),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_fit_refuses_options(name, files, tmp_path):
    words, said = OPTIONS[name]
    out = tmp_path / "m.coterie"
    refused(run("fit", files / "train.csv", "--cluster", "who", "-o", out, *words), said)
    assert not any(tmp_path.iterdir())


SCHEMAS = {
    "no TOML": ("kinds", "is not valid TOML"),
    "key": ("magic = 1", "has the unknown key 'magic'"),
    "kind": ('[kinds]\ncity = "magic"', "the kind of column 'city' is 'magic'"),
    "column": ('[kinds]\nmagic = "text"', "no column 'magic', which --schema names"),
    "learner": ("learner = 3", "learner is 3"),
    "seed": ('seed = "x"', "seed is 'x'"),
    "truth": ("jobs = true", "jobs is True"),
    "list": ("id = [1]", "id is [1]"),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_fit_refuses_schemas(name, files, tmp_path):
    text, said = SCHEMAS[name]
    (tmp_path / "s.toml").write_text(text)
    words = ("--schema", tmp_path / "s.toml", "-o", tmp_path / "m.coterie")
    refused(run("fit", files / "train.csv", "--cluster", "who", *words), said)
    assert not (tmp_path / "m.coterie").exists()


def test_the_column_of_clusters_must_be_named(files, tmp_path):
    refused(run("fit", files / "train.csv", "-o", tmp_path / "m"), "--cluster")


@pytest.mark.parametrize("place", ["no/folder/o.csv", ".", "-"])
def test_places_that_cannot_be_written_are_refused_before_work(place, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(run("fit", files / "train.csv", "--cluster", "who", "-o", place))
    if place != "-":
        refused(run("predict", files / "m.coterie", files / "plain.csv", "-o", place))
        refused(run("report", files / "m.coterie", files / "plain.csv", "-o", place))
        refused(run("init", files / "plain.csv", "-o", place))
    assert not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_to_is_refused(files):
    refused(run("predict", files / "m.coterie", files / "plain.csv", "-o", "/proc/o.csv"), "/proc")


def test_a_name_that_tells_no_format_is_refused(files, tmp_path):
    refused(
        run("predict", files / "m.coterie", files / "plain.csv", "-o", tmp_path / "o"), "format"
    )
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["predict", "evaluate", "clusters", "report", "explain"])
def test_models_that_are_none_are_refused(command, files, tmp_path):
    last = ("r000", "r001") if command == "explain" else ()
    last = ("-o", tmp_path / "o.csv") if command in ("predict", "report") else last
    for model in (files / "plain.csv", files, files / "none.coterie", "-"):
        refused(run(command, model, files / "plain.csv", *last))
    assert not any(tmp_path.iterdir())


def test_a_table_that_is_a_folder_or_is_not_there_is_refused(files, tmp_path):
    out = tmp_path / "o.csv"
    refused(run("predict", files / "m.coterie", files, "-o", out), "is a folder")
    refused(run("predict", files / "m.coterie", files / "x.csv", "-o", out), "there is no file")
    assert not any(tmp_path.iterdir())


def test_a_table_that_lacks_a_field_is_refused(files, tmp_path):
    write_table(tmp_path / "t.csv", people(5, 0).without(["city"]))
    done = run("predict", files / "m.coterie", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    refused(done, "no column 'city'")
    assert not (tmp_path / "o.csv").exists()


def test_columns_of_ours_are_refused_at_predict(files, tmp_path):
    table = people(5, 0).with_columns({"linked_to": ["x"] * 5})
    write_table(tmp_path / "t.csv", table)
    done = run("predict", files / "m.coterie", tmp_path / "t.csv", "-o", tmp_path / "o.csv")
    refused(done, "has a column 'linked_to'")


def test_what_predict_wrote_can_be_explained(files, tmp_path):
    out = tmp_path / "out.csv"
    run("predict", files / "m.coterie", files / "test.csv", "-o", out)
    for command in (("explain", "r000", "r001"), ("clusters",), ("evaluate",)):
        words = [files / "m.coterie", out, *command[1:]]
        again = run(command[0], *words, "--json")
        words[1] = files / "test.csv"
        assert again.exit_code == 0, again.output
        assert again.stdout == run(command[0], *words, "--json").stdout


def test_ids_that_are_not_there_are_refused(files):
    explain = ("explain", files / "m.coterie", files / "test.csv")
    refused(run(*explain, "r000", "r999"), "r999")
    refused(run(*explain, "r000", "r000"), "two different rows")


def test_standard_input_is_read_once(files):
    done = run("predict", files / "m.coterie", "-", "-o", "-", "--cannot-link", "-", stdin="a,b\n")
    refused(done, "only once")


def test_json_and_a_table_do_not_go_to_one_place(files):
    refused(run("predict", files / "m.coterie", files / "plain.csv", "-o", "-", "--json"), "JSON")


def test_a_cluster_column_of_our_name_is_kept_by_another(files, tmp_path):
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
    refused(run("evaluate", *predicted), "was predicted", "cluster_id_input")
    first = run("evaluate", *predicted, "--cluster", "cluster_id_input", "--json")
    assert first.exit_code == 0, first.output
    assert json.loads(first.stdout)["true_clusters"] == len(set(table["who"]))


# How a run ends.


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
"""The command line, where work waits for a signal as soon as its first step is done."""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_an_interrupt_ends_with_130_and_writes_nothing(files, tmp_path):
    words = ("fit", files / "train.csv", "--cluster", "who", "-o", tmp_path / "m.coterie")
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    child = coterie(*words, program=("-c", WAITING), **piped)
    assert child.stdout.readline() == "begun\n"
    child.send_signal(signal.SIGINT)
    _, told = child.communicate()
    assert child.returncode == 130
    assert told == "coterie: stopped\n"
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_has_seen_enough_is_no_error(files):
    words = ("clusters", files / "m.coterie", files / "test.csv")
    child = coterie(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stdout.close()
    told = child.stderr.read()
    child.wait()
    child.stderr.close()
    assert "Traceback" not in told
    assert "Error" not in told
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
