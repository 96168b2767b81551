"""The architecture page and the glossary: layers agree with the linter, words are sorted."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def rows_below(page, heading):
    """Return the first cells of the table below a heading, without the head of the table."""
    section = (ROOT / page).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1]
    cells = re.findall(r"^\| (.*?) \|", section.split("\n## ")[0], re.MULTILINE)
    return cells[1:]


def test_the_documented_layers_are_those_of_import_linter():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = next(c["layers"] for c in contracts["contracts"] if c["id"] == "layers")
    rows = rows_below("docs/architecture.md", "Layers")
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows] == [
        set(re.findall(r"\w+", layer)) for layer in layers
    ]


def test_the_glossary_is_sorted_and_has_each_word_once():
    for heading in ("Words", "Methods, metrics and papers"):
        words = [word.lower() for word in rows_below("docs/glossary.md", heading)]
        assert len(words) > 40
        assert words == sorted(set(words))
