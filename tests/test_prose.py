"""The wording of everything that people read: no text has a habit that `tests/prose.py` knows."""

from pathlib import Path

import pytest

from tests import prose

ROOT = Path(__file__).parents[1]
READ_BY_PEOPLE = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs")),
    *(ROOT / name for name in ("src", "papers/src", "papers/README.md", "papers/corpora.md")),
]


def findings(text, folder):
    path = folder / "text.py"
    path.write_text(text, encoding="utf-8")
    return [finding.advice for finding in prose.findings_in(path)]


def test_no_text_has_a_known_habit():
    all_findings = [
        finding for path in prose.files_below(READ_BY_PEOPLE) for finding in prose.findings_in(path)
    ]
    assert all_findings == []


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('"""How many rows there are."""', "start with a noun or an imperative"),
        ("# The value is no number.", "say 'is not a'"),
        ('raise ValueError("give one label an item")', "say 'per'"),
        ('"""Return one row a pair."""', "say 'per'"),
    ],
)
def test_a_habit_is_found(text, advice, tmp_path):
    assert findings(text, tmp_path) == [advice]


@pytest.mark.parametrize(
    "text",
    ['"""Return one row per pair."""', "# One of a row.", "# There is no longer a limit."],
)
def test_plain_english_has_no_findings(text, tmp_path):
    assert findings(text, tmp_path) == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
