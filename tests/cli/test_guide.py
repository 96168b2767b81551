"""The commands of the README and of the guide to tables, run in order without changes."""

import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from coterie.datasets import make_records
from coterie.tables import Table, write_table

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "docs/tables.md"]


def commands_of(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    return [shlex.split(line) for line in re.findall(r"^\$ coterie (.+)$", text, re.MULTILINE)]


def write_records(path, seed):
    (item_set,), (truth,) = make_records(120, random_state=seed)
    columns = {name: [cell or "" for cell in cells] for name, cells in item_set.items.items()}
    ids = [f"r{row}" for row in range(len(truth))]
    labels = [str(label) for label in truth.labels]
    write_table(path, Table({"id": ids, **columns, "person": labels}))


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(page, tmp_path):
    write_records(tmp_path / "people.csv", seed=1)
    for name in ("new-people.csv", "some-new-people.csv"):
        write_records(tmp_path / name, seed=2)
    (tmp_path / "same.csv").write_text("r0,r1\n", encoding="utf-8")
    (tmp_path / "different.csv").write_text("r0,r2\n", encoding="utf-8")
    commands = commands_of(page)
    assert {"fit", "predict"} <= {command[0] for command in commands}
    for command in commands:
        result = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "coterie", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not result.returncode, (command, result.stderr)
        for option, name in pairwise(command):
            if option == "-o":
                assert (tmp_path / name).stat().st_size > 0
