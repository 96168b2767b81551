"""What commands write depends on their input alone, and no command uses the network."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coterie.tables import Table, write_table
from tests.people import people
from tests.promises.everything import commands

ENVIRONMENTS = {
    "one": {"PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    "other": {
        "PYTHONHASHSEED": "2",
        "OMP_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
        "NUMBA_NUM_THREADS": "2",
        "TZ": "Pacific/Auckland",
        "LC_ALL": "C",
        "COLUMNS": "60",
    },
}
"""Environments that differ in all that must not matter."""

FILES = ("schema.toml", "m.coterie", "out.csv", "report.html")


def run_everything(folder: Path, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    write_table(folder / "train.csv", Table(people(70, 0)))
    write_table(folder / "new.csv", Table(people(40, 1)).without(["who"]))
    words = [sys.executable, Path(__file__).with_name("everything.py"), folder]
    root = Path(__file__).parents[2]
    return subprocess.run(  # noqa: S603
        words, capture_output=True, text=True, env=os.environ | environment, cwd=root, check=False
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folders = {name: tmp_path_factory.mktemp(name) for name in ENVIRONMENTS}
    return {
        name: (folder, run_everything(folder, ENVIRONMENTS[name]))
        for name, folder in folders.items()
    }


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_no_command_uses_the_network(runs, name):
    done = runs[name][1]
    ended = [line for line in done.stderr.splitlines() if line.endswith(" 0")]
    assert ended == [f"{words[0]} 0" for words in commands()], done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("file", FILES)
def test_hash_seeds_threads_time_zones_and_locales_change_no_byte(runs, file):
    digests = {
        hashlib.sha256((folder / file).read_bytes()).hexdigest() for folder, _ in runs.values()
    }
    assert len(digests) == 1


def test_the_network_is_noticed(tmp_path):
    code = "import sys; from tests.promises.everything import stop_at_network as s\n"
    code += "sys.addaudithook(s); import socket; socket.create_connection(('127.0.0.1', 9))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=root, check=False)  # noqa: S603
    assert done.returncode == 9
