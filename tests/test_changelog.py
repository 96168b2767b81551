"""What the changelog says of names and modules that moved is true."""

import re
from importlib import import_module
from pathlib import Path

import pytest

ROW = re.compile(r"^\| `(coterie[\w.]*)`(?:: (.*?))? \| `(coterie[\w.]*)` \|$", re.MULTILINE)
CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
MOVED = ROW.findall(CHANGELOG.read_text(encoding="utf-8"))


def test_the_tables_are_read():
    assert len(MOVED) > 60


@pytest.mark.parametrize(
    ("names", "new"), [row[1:] for row in MOVED], ids=[row[0] for row in MOVED]
)
def test_what_moved_is_where_the_changelog_says(names, new):
    module = import_module(new)
    for name in re.findall(r"`(\w+)`", names):
        assert hasattr(module, name)
