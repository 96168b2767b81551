"""Commands where memory is limited by ulimit: each ends, with one line of text if it fails."""

import subprocess
import sys
from math import inf

import numpy as np
import pytest

from coterie._core.memory import MemoryLimit
from coterie.cli import room
from tests.commands import run

resource = pytest.importorskip("resource", reason="limits are those of Unix")

GUARD = 300
"""Seconds after which a command is taken for one that hangs."""

MB = 10**6


def limited(words, n_bytes, kind="RLIMIT_AS"):
    """Run Python in a process that may take only so many bytes."""

    def limit():
        resource.setrlimit(getattr(resource, kind), (n_bytes, n_bytes))

    return subprocess.run(  # noqa: S603
        [sys.executable, *map(str, words)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
        timeout=GUARD,
    )


def refusal_of(monkeypatch, addresses=inf, data=inf, n_threads="1", n_processors=4):
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", n_threads)
    monkeypatch.setattr(room, "_n_processors", lambda: n_processors)
    limits = MemoryLimit(addresses, "`ulimit -v`"), MemoryLimit(data, "`ulimit -d`")
    monkeypatch.setattr(room, "ulimits", lambda: limits)
    return room.want_of_room()


def test_too_little_memory_for_the_libraries_is_one_line_at_once():
    done = limited(["-m", "coterie", "predict", "none.coterie", "none.csv", "-o", "o"], 250 * MB)
    assert done.returncode == 1, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("coterie: this process may use 250 MB of memory (`ulimit -v`), but ")
    assert "to start; raise the limit" in line


def test_help_needs_little_memory():
    done = limited(["-m", "coterie", "predict", "--help"], 150 * MB)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--output" in done.stdout


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        ({}, None),
        ({"addresses": 800 * MB, "data": 330 * MB}, None),
        ({"addresses": 799 * MB}, "799 MB of memory (`ulimit -v`), but Coterie needs about 800 MB"),
        ({"data": 100 * MB}, "100 MB of memory (`ulimit -d`), but Coterie needs about 330 MB"),
        ({"addresses": 900 * MB, "n_threads": "3"}, "968 MB to start; raise the limit, or set OPE"),
        ({"addresses": 900 * MB, "n_threads": "3", "n_processors": 2}, None),
        ({"addresses": 900 * MB, "n_threads": "0"}, "1.1 GB to start; raise the limit, or set OPE"),
        ({"addresses": 700 * MB, "n_threads": "many"}, "but Coterie needs about 1.1 GB to start"),
    ],
)
def test_the_memory_to_start_grows_with_the_threads_of_openblas(limits, line, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("GOTO_NUM_THREADS", raising=False)
    refusal = refusal_of(monkeypatch, **limits)
    assert (refusal is None) if line is None else (line in refusal)


def test_a_program_that_has_loaded_the_libraries_is_not_refused(monkeypatch):
    assert refusal_of(monkeypatch, addresses=100 * MB) is not None
    monkeypatch.setitem(sys.modules, "numba", None)
    assert room.want_of_room() is None


def test_a_refused_command_does_not_begin(monkeypatch, tmp_path):
    refused = refusal_of(monkeypatch, addresses=100 * MB)
    done = run("init", tmp_path / "none.csv")
    assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"coterie: {refused}\n")
    assert run("init", "--help").exit_code == 0


PRODUCTS = """
import resource
from coterie._core.blas import SIZE, take_buffers_under_limit
from coterie._core.memory import _memory_use
import numpy as np
from scipy.linalg.blas import dgemm
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))  # where OpenBLAS tries again for ever
take_buffers_under_limit()
most = _memory_use().addresses + 8 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (most, most))
matrix = np.ones((SIZE, SIZE))
assert (matrix @ matrix == SIZE).all() and (dgemm(1.0, matrix, matrix) == SIZE).all()
print("multiplied")
"""


def test_buffers_of_openblas_are_there_before_memory_is_short():
    assert limited(["-c", PRODUCTS], 2**42).stdout == "multiplied\n"


# All commands under many limits. The outcome depends on the machine; that there is one does not.

PROGRESS = " so far"
"""The words of each line about the progress of long work."""

COMMANDS = {
    "init": "init few.csv -o s.toml",
    "predict": "predict m.coterie few.csv -o o.csv",
    "predict many": "predict m.coterie many.csv -o o.csv",
    "fit": "fit train.csv --cluster who --learner logistic -o f.coterie",
    "fit --jobs": "fit train.csv --cluster who --learner logistic --jobs 2 -o f.coterie",
}


def write_rows(path, n_rows):
    rng = np.random.default_rng(n_rows)
    lines, name = ["id,name,phone,who"], ""
    for row in range(n_rows):
        if row % 2 == 0:
            name = "".join(rng.choice(list("abcdefghijklmnop"), 7))
        lines.append(
            f"{row},{name} {rng.choice(list('xyz'))} smith,{rng.integers(10**6)},{row // 2}"
        )
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("limited")
    for name, n_rows in {"train": 300, "few": 100, "many": 20_000}.items():
        write_rows(path / f"{name}.csv", n_rows)
    done = run("fit", path / "train.csv", "--cluster", "who", "-o", path / "m.coterie")
    assert done.exit_code == 0, done.stderr
    return path


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("kind", "limits"),
    [
        ("RLIMIT_AS", [150, 200, 250, 300, 500, 800, 860, 900, 950, 1_000, 1_100, 1_500]),
        ("RLIMIT_DATA", [50, 100, 200, 330, 400, 420, 450, 500, 600, 800]),
    ],
)
def test_every_command_ends_in_one_line_under_every_limit(command, kind, limits, folder):
    words = [
        folder / word if "." in word and " " not in word else word
        for word in COMMANDS[command].split()
    ]
    for limit in limits:
        done = limited(["-m", "coterie", *words], limit * MB, kind)
        assert done.returncode in {0, 1, 2}, (limit, done.stderr)
        lines = [line for line in done.stderr.splitlines() if PROGRESS not in line]
        assert all(line.startswith("coterie: ") for line in lines), (limit, lines)
        assert done.returncode == 0 or len(lines) == 1, (limit, lines)
        assert "fault of Coterie" not in done.stderr, (limit, lines)
