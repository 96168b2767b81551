"""The model card: a description of a model for tables for people, in Markdown."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from coterie import __version__
from coterie._core.texts import pluralize
from coterie.tables.sample import MADE_UP, ROWS

if TYPE_CHECKING:
    from coterie.tables.model import TableModel

_SPECIAL = frozenset("\\`*_[]|~$")

_CONFIDENCE = """
The column `confidence` of a prediction rates the cluster that the row is in. For a cluster of
several rows it is the probability that all of them truly belong together; for a single row it is
the probability that no other row belongs to it. Review clusters with a low confidence first."""

_LIMITS = """
The model was trained on the entities and columns of its training table. On entities of another
kind, language or source it may be less accurate: evaluate it on some of your rows whose true
clusters you know."""

_USE = """
```
coterie predict MODEL TABLE -o OUT
coterie evaluate MODEL TABLE --cluster COLUMN
```
"""


def card(model: "TableModel") -> str:
    """Return the card of a model: training table, learner, metrics, limits and use."""
    parts = [
        ("# A model for tables", ["", "It finds the rows of a table that belong together."]),
        ("## Training table", _training_table(model)),
        ("## Learning", _learning(model.facts)),
        ("## Quality", _quality(model.facts)),
        ("## Confidence", [_CONFIDENCE, *_uncalibrated(model.facts)]),
        ("## Limits", [_LIMITS, *_leaks(model.facts)]),
        ("## What it holds of the training table", ["", *contents(model)]),
        ("## How to use it", [_USE]),
    ]
    return "\n\n".join("\n".join([title, *lines]).rstrip() for title, lines in parts) + "\n"


def escaped(text: Any, most: int = 80) -> str:
    r"""Return any text as one line of Markdown, cut if it is long.

    >>> print(escaped("a|b `c` <d>"), escaped("two\nlines"))
    a\|b \`c\` &lt;d&gt; two\\nlines
    """
    line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in str(text))
    cut = line if len(line) <= most else f"{line[: most - 1]}…"
    marked = "".join(f"\\{char}" if char in _SPECIAL else char for char in cut)
    return marked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _training_table(model: "TableModel") -> list[str]:
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


def _learning(facts: dict[str, Any]) -> list[str]:
    blocking = facts.get("blocking", {})
    recalls = (blocking.get("recall"), blocking.get("held_out_recall"))
    return [
        "",
        f"- Coterie: {__version__}",
        f"- Learner: {escaped(facts.get('learner', 'unknown'))}",
        f"- Metric of the choice: {escaped(facts.get('metric', 'unknown'))}",
        f"- Seed: {escaped(facts.get('seed', 'unknown'))}",
        "- Candidate pairs: all pairs of a small table, else those that any of these keys finds:",
        *(f"  - {escaped(key, 400)}" for key in blocking.get("keys", ())),
        f"- Share of the true pairs that these keys find: {_number(recalls[0])}",
        (
            "- Share of the true pairs in one half of the clusters that keys chosen with the other "
            f"half find: {_number(recalls[1])}"
        ),
    ]


def _quality(facts: dict[str, Any]) -> list[str]:
    held_out = facts.get("held_out")
    if not held_out:
        return ["", "Unknown: the training table is too small to hold entities out."]
    rows = [(name, _number(value)) for name, value in held_out.items()]
    return ["", "On held-out entities:", "", *_table("Metric", "Value", rows)]


def _uncalibrated(facts: dict[str, Any]) -> list[str]:
    if facts.get("held_out"):
        return []
    return [
        "",
        "No entities were held out, so these confidences are guesses that were never tested.",
    ]


def _leaks(facts: dict[str, Any]) -> list[str]:
    leaks = facts.get("leaks", ())
    if not leaks:
        return []
    return [
        "",
        "These columns of the training table may give its true clusters away:",
        "",
        *(f"- {escaped(leak['column'])}: {escaped(leak['reason'], 400)}" for leak in leaks),
    ]


def contents(model: "TableModel") -> list[str]:
    """Return in two sentences what a model holds of the training table, which may be private."""
    # Models of version 0.1.0 hold rows, and do not say so.
    is_made_up = model.facts.get("sample", ROWS) == MADE_UP
    rows = "no rows" if is_made_up else pluralize(len(model.sample.labels), "row")
    least = model.facts.get("min_entities", 1)
    sharers = f"{least:,} or more entities" if least > 1 else "two or more rows"
    hashes = (
        f"It holds hashes of the values and words that {sharers} share, and how often they occur"
    )
    guess = "whoever has the model can find these values by trying"
    return [f"The model holds {rows} of the training table.", f"{hashes}; {guess}."]


def _table(first: str, second: str, rows: Iterable[tuple[Any, Any]]) -> list[str]:
    lines = [f"| {escaped(left)} | {escaped(right)} |" for left, right in rows]
    return [f"| {first} | {second} |", "|---|---|", *lines]


def _number(value: Any) -> str:
    is_number = isinstance(value, int | float) and math.isfinite(value)
    return f"{value:.3f}" if is_number else "unknown"
