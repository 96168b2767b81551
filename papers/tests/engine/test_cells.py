"""Cells: each is computed once and stored completely, even if the work is stopped."""

import json
import logging
import math
import os
from datetime import UTC, datetime, timedelta
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coterie
from coterie.exceptions import CoterieError, InputError
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.engine.provenance import Origin, commit, machine

KEY = {"data": "news", "C": 1e4, "fold": 3, "loss": True, "seed": None, "version": 1}


@pytest.fixture
def cells(tmp_path):
    return Cells(tmp_path / "deep" / "cells")


def never(key=None):
    raise AssertionError("no cell may be computed")


def get(cells, key, compute):
    """Return the values of one cell."""
    (values,) = cells.run([key], lambda key: compute(), n_jobs=1)
    return values


def test_a_cell_is_computed_once(cells):
    calls = []

    def compute():
        calls.append(1)
        return {"loss": 2.5}

    assert cells.find(KEY) is None
    assert get(cells, KEY, compute) == {"loss": 2.5}
    assert get(cells, dict(reversed(KEY.items())), compute) == {"loss": 2.5}
    assert cells.find(KEY) == {"loss": 2.5}
    assert len(calls) == 1


def test_a_cell_stores_its_key_values_and_origin(cells):
    get(cells, KEY, lambda: {"loss": 2.5})
    content = json.loads(cells.path(KEY).read_text())
    assert content["key"] == KEY
    assert content["values"] == {"loss": 2.5}
    assert content["seconds"] >= 0
    assert content["coterie"] == coterie.__version__
    assert content["processes"] == 1
    assert content["commit"] == commit()
    assert content["machine"] == machine()
    age = datetime.now(UTC) - datetime.fromisoformat(content["date"])
    assert timedelta() <= age < timedelta(minutes=5)
    assert [path.name for path in cells.folder.iterdir()] == [cells.path(KEY).name]


def test_file_names_describe_the_key(cells):
    key = {"data": "GUM, tiny/π", "C": 1e-3, "version": 2}
    assert cells.path(key).name.startswith("C=0.001-data=GUM_tiny_-version=2-")
    assert len(cells.path({"text": "x" * 1000, "version": 1}).name) < 110


@pytest.mark.parametrize(
    "other",
    [
        KEY | {"version": 2},
        KEY | {"fold": "3"},
        KEY | {"fold": 3.5},
        KEY | {"loss": 1},
        KEY | {"loss": False},
        KEY | {"seed": 0},
        {name: value for name, value in KEY.items() if name != "seed"},
    ],
)
def test_another_key_is_another_cell(cells, other):
    get(cells, KEY, lambda: {"loss": 2.5})
    assert cells.path(other) != cells.path(KEY)
    assert cells.find(other) is None


@pytest.mark.parametrize("key", [{"C": [1], "version": 1}, {"C": np.arange(2), "version": 1}])
def test_keys_hold_plain_values_only(cells, key):
    with pytest.raises(InputError, match=r"the value of 'C' in the key is .*; give"):
        get(cells, key, never)


@pytest.mark.parametrize("key", [{}, {"C": 1.0}, {"version": "1"}])
def test_keys_have_a_version(cells, key):
    with pytest.raises(InputError, match="the key's version is"):
        get(cells, key, never)


NUMBERS = st.floats() | st.integers(-(2**53), 2**53)
PLAIN = st.recursive(
    NUMBERS | st.booleans() | st.text() | st.none(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def same(first, second):
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[n], second[n]) for n in first)
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    both_nan = isinstance(first, float) and math.isnan(first) and math.isnan(second)
    return type(first) is type(second) and (both_nan or first == second)


@given(values=st.dictionaries(st.text(), PLAIN))
def test_values_are_restored_unchanged(tmp_path_factory, values):
    cells = Cells(tmp_path_factory.mktemp("cells"))
    assert same(get(cells, KEY, lambda: values), values)
    assert same(cells.find(KEY), values)
    text = cells.path(KEY).read_text(encoding="utf-8")
    json.loads(text, parse_constant=pytest.fail)  # NaN and Infinity are not valid JSON


def test_arrays_become_lists_at_once_and_later(cells):
    values = {
        "losses": np.array([1.5, np.inf]),
        "n": np.int64(3),
        "mean": np.float64(np.nan),
        "pair": (1, 2),
    }
    for stored in (get(cells, KEY, lambda: values), cells.find(KEY)):
        assert stored["losses"] == [1.5, np.inf]
        assert stored["n"] == 3
        assert type(stored["n"]) is int
        assert math.isnan(stored["mean"])
        assert stored["pair"] == [1, 2]


@pytest.mark.parametrize("values", [{"loss": {1, 2}}, {"loss": object()}, [1, 2], None])
def test_other_values_are_refused(cells, values):
    with pytest.raises(InputError, match=r"a cell (cannot hold|returned)"):
        get(cells, KEY, lambda: values)
    assert cells.find(KEY) is None


def test_a_failure_leaves_no_files(cells):
    with pytest.raises(ZeroDivisionError):
        get(cells, KEY, lambda: {"loss": 1 / 0})
    assert not cells.folder.exists()


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b'{"key": {"C"',
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"key": 3, "values": {}}',
        b'{"key": {"version": 2}, "values": {}}',
        b'{"values": {"loss": {"$float": "many"}}}',
    ],
)
def test_a_damaged_cell_is_computed_again(cells, damage, caplog):
    get(cells, KEY, lambda: {"loss": 1.0})
    cells.path(KEY).write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        assert get(cells, KEY, lambda: {"loss": 2.0}) == {"loss": 2.0}
    assert cells.path(KEY).name in caplog.text
    assert "damaged" in caplog.text
    assert get(cells, KEY, never) == {"loss": 2.0}


def test_clearing_deletes_cells_only(cells):
    cells.clear()
    get(cells, KEY, lambda: {"loss": 2.5})
    other_file = cells.folder / "other.json"
    other_file.write_text("{}")
    cells.clear()
    assert list(cells.folder.iterdir()) == [other_file]


def numbered(n_cells):
    return [{"n": n, "version": 1} for n in range(n_cells)]


def square(key):
    return {"square": key["n"] ** 2}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_running_many(cells, n_jobs):
    keys = [*numbered(5), *numbered(2)]
    steps = []
    with coterie.progress(steps.append):
        results = cells.run(keys, partial(dict, more=7), n_jobs, task="table1")
    assert results == [key | {"more": 7} for key in keys]
    assert [(step.task, step.done, step.total) for step in steps] == [
        ("table1", done, 5) for done in range(6)
    ]
    assert {step.detail for step in steps[1:]} == {f"n={n}-version=1" for n in range(5)}
    assert len(list(cells.folder.iterdir())) == 5


@pytest.mark.parametrize(("n_cells", "processes"), [(1, 1), (3, 2)])
def test_cells_store_the_number_of_parallel_processes(cells, n_cells, processes):
    cells.run(numbered(n_cells), square, n_jobs=2)
    origins = [Origin.of(cells.path(key)) for key in numbered(n_cells)]
    assert [origin.processes for origin in origins] == [processes] * n_cells


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_one_job_stays_in_this_process(cells, n_jobs):
    results = cells.run(numbered(3), lambda key: {"process": os.getpid()}, n_jobs)
    assert (os.getpid() in {values["process"] for values in results}) == (n_jobs == 1)


def test_a_second_run_computes_what_is_missing(cells):
    cells.run(numbered(3), square, n_jobs=1)
    cells.path(numbered(3)[1]).unlink()
    calls = []

    def record_and_square(key):
        calls.append(key["n"])
        return square(key)

    steps = []
    with coterie.progress(steps.append):
        results = cells.run(numbered(5), record_and_square, n_jobs=1)
    assert results == [{"square": n * n} for n in range(5)]
    assert calls == [1, 3, 4]
    assert [step.done for step in steps] == [2, 3, 4, 5]
    cells.run(numbered(5), never, n_jobs=2)
    assert cells.run([], never) == []


@pytest.mark.parametrize("stop", [InputError("two is too many"), KeyboardInterrupt()])
def test_results_before_a_stop_are_kept(cells, stop):
    def stop_at_two(key):
        if key["n"] == 2:
            raise stop
        return square(key)

    with pytest.raises(type(stop)):
        cells.run(numbered(4), stop_at_two, n_jobs=1)
    assert [cells.find(key) for key in numbered(4)] == [{"square": 0}, {"square": 1}, None, None]
    calls = []
    cells.run(numbered(4), lambda key: calls.append(key["n"]) or square(key), n_jobs=1)
    assert calls == [2, 3]


def test_an_error_in_another_process_is_raised_and_other_results_are_kept(cells):
    def fail_at_three(key):
        if key["n"] == 3:
            raise InputError("three is too many")
        return dict(key)

    with pytest.raises(InputError, match="three is too many"):
        cells.run(numbered(4), fail_at_three, n_jobs=2)
    assert cells.find(numbered(4)[0]) == {"n": 0, "version": 1}
    assert cells.find(numbered(4)[3]) is None


def test_a_failure_leaves_no_new_folders(cells, tmp_path):
    def fail(key):
        raise InputError("no data")

    for n_jobs in (1, 2):
        with pytest.raises(InputError, match="no data"):
            cells.run(numbered(1), fail, n_jobs)
        assert list(tmp_path.iterdir()) == []
    cells.folder.parent.mkdir()
    with pytest.raises(InputError, match="no data"):
        cells.run(numbered(1), fail, 1)
    assert list(tmp_path.rglob("*")) == [cells.folder.parent]  # it existed before


def test_a_cell_is_written_even_if_a_failure_removed_the_folder(cells):
    def compute():
        cells.folder.rmdir()
        return {"loss": 2.5}

    assert get(cells, KEY, compute) == {"loss": 2.5}
    assert cells.find(KEY) == {"loss": 2.5}


def test_an_ended_process_is_reported(cells):
    with pytest.raises(CoterieError, match="ended from outside"):
        cells.run(numbered(2), lambda key: os._exit(1), n_jobs=2)
    assert cells.run(numbered(2), dict, n_jobs=2) == numbered(2)


def test_a_folder_that_cannot_be_created_is_reported_before_computing(tmp_path):
    (tmp_path / "file").write_text("")
    for run in (lambda cells: get(cells, KEY, never), lambda cells: cells.run([KEY], never, 1)):
        with pytest.raises(InputError, match=r"cannot be created .*; give another folder"):
            run(Cells(tmp_path / "file" / "cells"))


@pytest.mark.parametrize("n_jobs", [0, -1, 1.5])
def test_n_jobs_must_be_a_positive_whole_number(cells, n_jobs):
    with pytest.raises(InputError, match="n_jobs is"):
        cells.run([KEY], never, n_jobs)


def test_a_context_passes_the_data_folder_on(cells, tmp_path):
    def compute(key, data_folder):
        return square(key) | {"folder": str(data_folder)}

    context = Context(cells, tmp_path, n_jobs=1, task="table7")
    steps = []
    with coterie.progress(steps.append):
        results = context.run(numbered(2), compute)
    assert results == [{"square": n * n, "folder": str(tmp_path)} for n in range(2)]
    assert {step.task for step in steps} == {"table7"}
    assert context.cell_paths == {cells.path(key) for key in numbered(2)}
