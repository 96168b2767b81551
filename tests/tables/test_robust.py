"""Robust commands: no traceback for any table, and no half-written file at any interrupt."""

import random
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from coterie import cli
from coterie.datasets import make_records
from coterie.tables import read_table, write_table
from tests.tables.fuzzed import random_table, similar_table

PREDICTED_COLUMNS = ("cluster_id", "confidence", "linked_to", "reason")


def run(*words):
    done = CliRunner().invoke(cli.app, list(map(str, words)))
    if done.exit_code not in (0, 2):
        raise AssertionError(f"{words} ended with {done.exit_code}") from done.exception
    if done.exit_code == 2:
        assert len(done.stderr.splitlines()) == 1
        assert done.stderr.startswith("coterie: ")
    return done


def check_fuzzed(seed, folder):
    """Fit to a random table and predict another; return whether the first was accepted."""
    rng = random.Random(seed)  # noqa: S311
    learned, other = folder / f"{seed}.csv", folder / f"{seed}-other.csv"
    model, out = folder / f"{seed}.coterie", folder / f"{seed}-out.csv"
    table = random_table(rng)
    write_table(learned, table)
    write_table(other, similar_table(rng, table))
    words = ("--cluster", "who", "--learner", "logistic", "-o", model)
    if run("fit", learned, *words).exit_code == 2:
        assert not model.exists()
        return False
    done = run("predict", model, other, "-o", out)
    assert out.exists() == (done.exit_code == 0)
    if done.exit_code == 0:
        before, after = read_table(other), read_table(out)
        assert after.without(PREDICTED_COLUMNS) == before
        assert set(after["cluster_id"]) <= {*map(str, range(len(before) + 1)), *_ids(before)}
    run(*_random_command(rng, model, learned, other, folder))
    return True


def _ids(table):
    return [cell for name in table.names if name == "ID" for cell in table[name]]


def _random_command(rng, model, learned, other, folder):
    """Return a random command other than fit and predict."""
    return rng.choice(
        [
            ("evaluate", model, learned, "--json"),
            ("clusters", model, other),
            ("explain", model, learned, "1", "2"),
            ("report", model, learned, "-o", folder / "r.html"),
            ("plan", other, "--model", model, "--json"),
            ("plan", learned),
            ("init", learned),
        ]
    )


def test_sixty_fuzzed_tables(tmp_path):
    is_accepted = [check_fuzzed(seed, tmp_path) for seed in range(60)]
    assert sum(is_accepted) > 20


@pytest.mark.slow
def test_two_thousand_fuzzed_tables(tmp_path):
    is_accepted = [check_fuzzed(seed, tmp_path) for seed in range(60, 2000)]
    assert sum(is_accepted) > 600


# Commands that are killed.


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    for name, seed in (("train", 0), ("test", 1)):
        corpus = make_records(60, random_state=seed)
        items = corpus.item_sets[0].items
        columns = {column: list(items[column]) for column in ("surname", "birth_date")}
        truth = list(map(str, corpus.partitions[0].labels))
        write_table(folder / f"{name}.csv", columns | {"who": truth})
    return folder


def commands(folder):
    train, test, model = (folder / name for name in ("train.csv", "test.csv", "m.coterie"))
    fit = ("fit", train, "--cluster", "who", "--learner", "logistic", "-o", model)
    return {"fit": (fit, model), "predict": (("predict", model, test, "-o"), folder / "o.csv")}


def start_command(*words):
    command = [sys.executable, "-m", "coterie", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603


def kill(child, after):
    """Kill a process after some seconds; the assertions of the tests hold at every moment."""
    time.sleep(after)
    child.kill()
    child.wait()


def temporary_files(folder):
    return [path for path in folder.iterdir() if path.suffix == ".tmp"]


WRITER = """
import sys
from coterie.tables import load, write_table
model, table = load(sys.argv[1]), {"name": ["Ann"] * 100_000}
for count in range(1000):
    table["count"] = [str(count % 2)] * 100_000
    write_table(sys.argv[2], table)
    model.save(sys.argv[3])
    print("written", flush=True)
"""


def test_a_file_that_is_being_written_is_the_old_or_the_new_one(files):
    fit, model = commands(files)["fit"]
    assert run(*fit).exit_code == 0
    expected = model.read_bytes()
    table, saved = files / "written.csv", files / "written.coterie"
    rows = ["Ann,0\n" * 100_000, "Ann,1\n" * 100_000]
    rng = random.Random(0)  # noqa: S311
    for _ in range(4):
        words = [sys.executable, "-c", WRITER, model, table, saved]
        with subprocess.Popen(words, stdout=subprocess.PIPE) as child:  # noqa: S603
            assert child.stdout.readline() == b"written\n"
            kill(child, 0.3 * rng.random())
        assert table.read_text().removeprefix("name,count\n") in rows
        assert saved.read_bytes() == expected
    # A killed process leaves its unfinished file under a temporary name, at most one per run.
    assert len(temporary_files(files)) <= 4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fit", "predict"])
def test_a_command_that_is_killed_leaves_the_old_file_or_the_new_one(name, files):
    assert run(*commands(files)["fit"][0]).exit_code == 0
    words, out = commands(files)[name]
    words = words if name == "fit" else (*words, out)
    start = time.monotonic()
    start_command(*words).wait()
    took = time.monotonic() - start
    new = out.read_bytes()
    rng = random.Random(1)  # noqa: S311
    target = out.with_name(f"killed-{out.name}")
    words = (*words[:-1], target)
    for number in range(20):
        target.write_bytes(b"old")
        # Half of the moments are random, the others are near the time when files are written.
        share = rng.random() if number % 2 else rng.uniform(0.85, 1.05)
        kill(start_command(*words), took * share)
        assert target.read_bytes() in (b"old", new)
    assert len(temporary_files(files)) <= 20
