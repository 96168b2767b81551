"""The facts about how a model was learned: plain values, checked when made and when loaded."""

from collections.abc import Mapping
from typing import Any

from coterie.exceptions import InputError
from coterie.tables.bounds import (
    Check,
    many,
    mapping,
    number,
    number_or_nan,
    one_of,
    optional,
    refuse,
    text,
    truth_value,
    whole,
)
from coterie.tables.fingerprint import BITS
from coterie.tables.sample import SAMPLES

MOST_TEXT, MOST_LINES = 1_000_000, 1_000
"""The largest number of characters of a text, such as a key of many columns, and of entries."""

MOST_LEAKS = 10_001
"""The largest number of columns that are compared, and one of ids."""

_LARGEST = 2**53
_TEXT = text(MOST_TEXT)
_COUNT = whole(0, _LARGEST)
_SHARE = optional(number(0.0, 1.0))


def _record(checks: Mapping[str, Check], required: tuple[str, ...] = ()) -> Check:
    """Require a mapping of some of these keys, and all required ones, to checked values."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, Mapping):
            refuse(path, value, "a mapping of names to values")
        for key, entry in value.items():
            if key not in checks:
                refuse(f"a name in {path}", key, f"one of {', '.join(checks)}")
            checks[key](entry, f"{path}[{key!r}]")
        for key in required:
            if key not in value:
                refuse(path, value, f"a mapping that has {key}")

    return check


def _leak(value: Any, path: str) -> None:
    """Require a column that may give the true clusters away, and the reason."""
    names = ("column", "reason")
    _record(dict.fromkeys(names, _TEXT), names)(value, path)


def _choice(value: Any, path: str) -> None:
    """Require a table with a chosen row."""
    names = ("headings", "rows", "chosen", "reason")
    line = many(_TEXT, 0, MOST_LINES)
    checks = (line, many(line, 1, MOST_LINES), _COUNT, _TEXT)
    _record(dict(zip(names, checks, strict=True)), names)(value, path)
    if any(len(row) != len(value["headings"]) for row in value["rows"]):
        refuse(f"{path}['rows']", value["rows"], "a list of rows with one cell per heading")
    whole(0, len(value["rows"]) - 1)(value["chosen"], f"{path}['chosen']")


_FACTS = _record(
    {
        **dict.fromkeys(("rows", "clusters", "sets", "divided_clusters"), _COUNT),
        "pairs_across_sets": _SHARE,
        "learner": _TEXT,
        "effort": _TEXT,
        "metric": _TEXT,
        "seed": whole(0, None),
        "min_entities": whole(1, _LARGEST),
        "fingerprint": whole(0, (1 << BITS) - 1),
        "sample": one_of(*SAMPLES),
        "leaks": many(_leak, 0, MOST_LEAKS),
        "held_out": mapping(number_or_nan, MOST_LINES, MOST_TEXT),
        "choice": _choice,
        "blocking": _record(
            {
                "all_pairs": truth_value,
                "pairs": _COUNT,
                "keys": many(_TEXT, 0, MOST_LINES),
                "recall": _SHARE,
                "connected": _SHARE,
                "held_out_recall": _SHARE,
            }
        ),
    }
)
"""Every fact is optional, but cards and reports rely on the types and keys of those given."""


def checked_facts(facts: Any) -> dict[str, Any]:
    """Return facts after a check of their names, types and sizes."""
    if not isinstance(facts, dict):
        raise InputError(f"facts is damaged: it is a {type(facts).__name__}, not a dict")
    _FACTS(facts, "facts")
    return facts
