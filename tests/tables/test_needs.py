"""Tables that do not fit into memory are refused before work, with the numbers."""

import sys
from subprocess import run

import numpy as np
import pytest

from coterie import tables
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.learners import AutoLearner
from coterie.model import Model
from coterie.similarities import base
from coterie.tables import Table, needs, schema, write_table
from coterie.tables.needs import reading_bytes
from tests.memory import limit_memory
from tests.people import people


@pytest.fixture(scope="module")
def model():
    return tables.fit(people(80, 0), cluster="who", learner="logistic")


def refuse_work(*_values):
    raise AssertionError("the work must not start")


def test_the_estimate_counts_different_cells_and_the_text_of_each_row():
    columns = {"a": ["xx", "xx", "yyy"], "b": ["1", "2", ""]}
    cells, records, characters = needs.CELL_BYTES, needs.RECORD_BYTES, needs.CHARACTER_BYTES
    assert reading_bytes(ItemSet(columns)) == (2 + 3) * cells + 3 * records + 9 * characters
    assert reading_bytes(ItemSet({"a": columns["a"]})) == 2 * cells


def test_a_table_that_does_not_fit_is_refused_before_it_is_clustered(model, monkeypatch):
    new = Table(people(300, 1)).without(["who"])
    limit_memory(monkeypatch, 1e5)
    monkeypatch.setattr(Model, "decide", refuse_work)
    for command in (
        model.predict,
        model.clusters,
        model.report,
        lambda table: model.explain(table, "r000", "r001"),
    ):
        with pytest.raises(InputError, match=r"clustering \d+ different rows needs .*ulimit"):
            command(new)
    with pytest.raises(InputError, match=r"clustering 3.. different rows needs at least"):
        model.evaluate(people(400, 1))


def test_equal_rows_count_once(model, monkeypatch):
    few = people(80, 1)
    n_bytes = reading_bytes(ItemSet({name: few[name] for name in model.schema.columns}))
    copies = {name: cells * 50 for name, cells in few.items() if name != "id"}
    limit_memory(monkeypatch, 50 * n_bytes)
    assert len(model.predict(copies)["cluster_id"]) == 4_000


def test_many_pairs_are_refused_once_they_are_counted(model, monkeypatch):
    new = Table(people(100, 1)).without(["who"])
    monkeypatch.setattr(base, "BATCH_SIZE", 1_000)
    monkeypatch.setattr(base, "PAIR_BYTES", 10_000)  # more than the features of a batch
    n_pairs = 100 * 99 // 2
    limit_memory(monkeypatch, base.PAIR_BYTES * n_pairs)
    monkeypatch.setattr("coterie.tables.comparing.refuse_clustering", lambda _items: None)
    rows = ItemSet({name: list(new[name]) for name in model.schema.columns})
    score = model.model.similarity.scorer(rows)
    assert len(score(None).scores) == n_pairs
    limit_memory(monkeypatch, base.PAIR_BYTES * n_pairs - 1)
    with pytest.raises(InputError, match=r"comparing 4,950 pairs of 100 items needs .*max_block="):
        score(None)


def test_learning_is_refused_before_keys_are_chosen_if_all_pairs_are_compared(monkeypatch):
    limit_memory(monkeypatch, 1e6)
    monkeypatch.setattr("coterie.tables.fitting.learn_blocking", refuse_work)
    with pytest.raises(InputError, match=r"learning from 80 rows and 3,160 pairs of them needs"):
        tables.fit(people(80, 0), cluster="who")


def test_learning_is_refused_once_candidate_pairs_are_counted(monkeypatch):
    monkeypatch.setattr("coterie.tables.fitting.ALL_UP_TO", 0)
    monkeypatch.setattr(AutoLearner, "fit", refuse_work)
    counted = []

    def refuse_later(sets, n_pairs, n_features):
        counted.append(n_pairs)
        if len(counted) > 1:
            limit_memory(monkeypatch, 1e6)
        needs.refuse_learning(sets, n_pairs, n_features)

    monkeypatch.setattr("coterie.tables.fitting.refuse_learning", refuse_later)
    with pytest.raises(InputError, match="learning from 80 rows and 3,160 pairs"):
        tables.fit(people(80, 0), cluster="who")
    assert counted == [0, 3_160]


LIMITED = """
import resource, sys
import coterie.cli
from coterie._core.memory import _memory_use
from coterie.tables import load
load(sys.argv[2])  # the program itself, with all that it imports, must fit
used = _memory_use().addresses
resource.setrlimit(resource.RLIMIT_AS, (used + 192 * 2**20, used + 192 * 2**20))
coterie.cli.app(sys.argv[1:])
"""


def test_a_command_under_a_limit_of_ulimit_ends_in_one_line(model, tmp_path):
    rng = np.random.default_rng(0)
    n_rows = 100_000
    columns = {
        name: [f"{name} {number}" for number in rng.integers(10**9, size=n_rows)]
        for name in model.schema.columns
    }
    write_table(tmp_path / "t.csv", Table(columns))
    model.save(tmp_path / "m.coterie")
    words = ["predict", tmp_path / "m.coterie", tmp_path / "t.csv", "-o", tmp_path / "o.csv"]
    done = run(  # noqa: S603
        [sys.executable, "-c", LIMITED, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert "more memory, but this process may take only " in done.stderr
    assert not (tmp_path / "o.csv").exists()


def test_too_many_columns_are_refused_before_their_kinds_are_inferred(monkeypatch):
    monkeypatch.setattr("coterie.tables.schema.inferred_kind", refuse_work)
    columns = {f"c{number}": ["1", "2"] for number in range(schema.MOST_COLUMNS + 2)}
    for infer in (tables.infer_schema, lambda table: tables.fit(table, cluster="c0")):
        with pytest.raises(InputError, match=r"has 10,00\d columns to compare; leave out columns"):
            infer(columns)
    allowed = dict.fromkeys(["c0", "c1"], schema.IGNORED)
    monkeypatch.setattr("coterie.tables.schema.inferred_kind", lambda _texts: "number")
    assert len(tables.infer_schema(columns, kinds=allowed).columns) == schema.MOST_COLUMNS
