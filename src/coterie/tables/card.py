"""The card of a model of tables: what it is, for people."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from coterie import __version__

if TYPE_CHECKING:
    from coterie.tables.model import TableModel

_SPECIAL = frozenset("\\`*_[]|~$")

_CONFIDENCE = """
The column `confidence` of a prediction is that of the cluster of the row. Of several rows it is the
share of their pairs that is expected to be truly together; of a row alone, the probability that it
truly is alone. Review the clusters with low ones first."""

_LIMITS = """
It knows entities and columns such as those of its table, written as they are there. Of entities of
another kind, another language or another source it may know little: evaluate it on some rows of
yours that say what belongs together."""

_USE = """
```
coterie predict MODEL TABLE -o OUT
coterie evaluate MODEL TABLE --cluster COLUMN
```
"""


def card(model: "TableModel") -> str:
    """Write what a model was learned from, how, what it reached, and how to use it."""
    parts = [
        ("# A model of tables", ["", "It tells which rows of a table belong together."]),
        ("## What it was learned from", _source(model)),
        ("## How it was learned", _way(model.facts)),
        ("## What it reached", _reached(model.facts)),
        ("## What its confidence means", [_CONFIDENCE, *_uncalibrated(model.facts)]),
        ("## Limits", [_LIMITS, *_kept(model)]),
        ("## How to use it", [_USE]),
    ]
    return "\n\n".join("\n".join([title, *lines]).rstrip() for title, lines in parts) + "\n"


def escaped(text: Any, most: int = 80) -> str:
    r"""Write any text as one line of Markdown that shows it, cut where it is long.

    >>> print(escaped("a|b `c` <d>"), escaped("two\nlines"))
    a\|b \`c\` &lt;d&gt; two\\nlines
    """
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in str(text))
    cut = shown if len(shown) <= most else f"{shown[: most - 1]}…"
    marked = "".join(f"\\{char}" if char in _SPECIAL else char for char in cut)
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _source(model: "TableModel") -> list[str]:
    schema, facts = model.schema, model.facts
    roles = [
        f"- Column of {role}: {escaped(name)}"
        for role, name in (("ids", schema.id), ("clusters", schema.cluster), ("sets", schema.set))
        if name is not None
    ]
    counts = f"{facts.get('rows', 'unknown')} rows in {facts.get('clusters', 'unknown')} clusters"
    return [
        "",
        f"- Table: {counts}",
        *roles,
        "",
        *_table("Column", "Kind", schema.kinds.items()),
    ]


def _way(facts: dict[str, Any]) -> list[str]:
    blocking = facts.get("blocking", {})
    recalls = (blocking.get("recall"), blocking.get("held_out_recall"))
    return [
        "",
        f"- Coterie: {__version__}",
        f"- Learner: {escaped(facts.get('learner', 'unknown'))}",
        f"- Chosen by the metric: {escaped(facts.get('metric', 'unknown'))}",
        f"- Seed: {escaped(facts.get('seed', 'unknown'))}",
        "- Pairs that are compared: all of a small table, otherwise those found by any of",
        *(f"  - {escaped(key, 400)}" for key in blocking.get("keys", ())),
        f"- Share of the pairs that belong together that these keys find: {_number(recalls[0])}",
        f"- The same of held-out entities: {_number(recalls[1])}",
    ]


def _reached(facts: dict[str, Any]) -> list[str]:
    held_out = facts.get("held_out")
    if not held_out:
        return ["", "Unknown: the table is too small to hold entities out."]
    rows = [(name, _number(value)) for name, value in held_out.items()]
    return ["", "On entities that were held out:", "", *_table("Metric", "Value", rows)]


def _uncalibrated(facts: dict[str, Any]) -> list[str]:
    if facts.get("held_out"):
        return []
    return ["", "No entities were held out, so that it is a guess: it was held against nothing."]


def _kept(model: "TableModel") -> list[str]:
    """Say what of the table is in the file, which matters where it is private."""
    return [
        "",
        f"The file contains {len(model.sample.labels)} rows of the table, by which it is seen",
        "whether it still predicts as it did, and the values and words that several rows have.",
    ]


def _table(first: str, second: str, rows: Iterable[tuple[Any, Any]]) -> list[str]:
    lines = [f"| {escaped(one)} | {escaped(two)} |" for one, two in rows]
    return [f"| {first} | {second} |", "|---|---|", *lines]


def _number(value: Any) -> str:
    known = isinstance(value, int | float) and math.isfinite(value)
    return f"{value:.3f}" if known else "unknown"
