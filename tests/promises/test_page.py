"""Each guarantee of docs/reliability.md names a test that exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (?!guarantee |:--)(.+) \| (.+) \|$", re.MULTILINE)
TEST = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
ROWS = ROW.findall((ROOT / "docs/reliability.md").read_text(encoding="utf-8"))


def names_of(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_each_guarantee_has_a_test(row):
    match = TEST.fullmatch(row[1])
    assert match, f"name one test as `path.py::test_name`, not {row[1]}"
    path = ROOT / "tests" / match[1]
    assert path.is_file()
    assert match[2] in names_of(path)


def test_the_page_has_rows():
    assert len(ROWS) > 30
