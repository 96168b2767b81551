"""Tables of results, ours beside those that a paper prints."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from coterie.exceptions import InputError
from coterie.toolkit import FileName, replacing
from coterie_papers.engine.charts import Chart
from coterie_papers.engine.encoding import to_json

if TYPE_CHECKING:
    from rich.console import RenderableType

Value: TypeAlias = float | str | None
"""A number, a text that is shown as it stands, or None where there is nothing."""

Figures: TypeAlias = Mapping[str, Mapping[str, float | str]]
"""The figures that a paper prints of one table: row → column → figure."""

NOTHING = "–"

_KEPT = ("title", "rows", "columns", "entries", "notes", "digits", "data")
"""The parts of a table that are kept as JSON."""


class Entry(NamedTuple):
    """What stands in one place: our value, the paper's, and a word on ours ("p = 0.03")."""

    value: Value = None
    paper: Value = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows and columns of values: ours, and the paper's in brackets.

    Parameters
    ----------
    title
        What the table shows, in one line.
    rows, columns
        Their names.
    entries
        One sequence a row, with one `Entry` a column.
    notes
        Sentences that stand below the table.
    digits
        Digits after the point of our values, one number for all rows or one for each; whole numbers
        have none, and the paper's figures stand as it prints them.
    chart
        The same figures drawn, where they are; it is written beside the table.
    data
        A line that says whether the data are the paper's own, made as it says, or like them.

    Examples
    --------
    >>> ours = {"Δ_P": {"Greedy": Entry(2.9134, note="p = 0.03"), "Default": 3.6}}
    >>> printed = {"Δ_P": {"Greedy": 2.89}}
    >>> print(Table.from_rows("Losses", ours, printed, digits=2).to_markdown())
    **Losses**
    <BLANKLINE>
    | ours (paper) | Greedy | Default |
    |:--|--:|--:|
    | Δ_P | 2.91 (2.89), p = 0.03 | 3.60 |
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    entries: Sequence[Sequence[Entry]]
    notes: Sequence[str] = ()
    digits: int | Sequence[int] = 1
    chart: Chart | None = None
    data: str = ""

    def __post_init__(self) -> None:
        lengths = [len(row) for row in self.entries]
        if lengths != [len(self.columns)] * len(self.rows):
            raise InputError(
                f"the table {self.title!r} has {len(self.rows)} rows × {len(self.columns)} columns "
                f"by name, but rows of {lengths} entries; give one entry for each"
            )
        if not isinstance(self.digits, int) and len(self.digits) != len(self.rows):
            raise InputError(
                f"the table {self.title!r} has {len(self.rows)} rows, but digits for "
                f"{len(self.digits)}; give one number for each, or one for all"
            )

    @classmethod
    def from_rows(
        cls,
        title: str,
        ours: Mapping[str, Mapping[str, Value | Entry]],
        paper: Mapping[str, Mapping[str, float | str]] | None = None,
        *,
        notes: Sequence[str] = (),
        digits: int | Sequence[int] = 1,
        chart: Chart | None = None,
        data: str = "",
    ) -> Self:
        """Put our figures beside the paper's, both as row → column → figure.

        Rows and columns stand in the order in which ours, then the paper's name them. A figure of
        ours may be an `Entry`, to carry a note.
        """
        paper = {} if paper is None else paper
        rows = tuple(dict.fromkeys([*ours, *paper]))
        named = [*ours.values(), *paper.values()]
        columns = tuple(dict.fromkeys(column for row in named for column in row))
        entries = tuple(
            tuple(_entry(row, column, ours, paper) for column in columns) for row in rows
        )
        return cls(title, rows, columns, entries, tuple(notes), digits, chart, data)

    def to_rich(self) -> "RenderableType":
        """Return the table as Rich shows it: the paper's figures dim, notes on a second line."""
        from rich.box import SIMPLE_HEAD  # noqa: PLC0415
        from rich.console import Group  # noqa: PLC0415
        from rich.table import Table as RichTable  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        table = RichTable(title=Text(self.title), title_justify="left", box=SIMPLE_HEAD)
        table.add_column(self.corner, min_width=9)
        for column in self.columns:
            table.add_column(Text(column), justify="right", no_wrap=True)
        for name, row in zip(self.rows, self.texts(), strict=True):
            texts = (
                Text.assemble(ours, (paper, "dim"), (note and f"\n{note}", "dim"))
                for ours, paper, note in row
            )
            table.add_row(Text(name), *texts)
        return Group(table, *map(Text, self._below))

    def to_markdown(self) -> str:
        """Return the table in Markdown, with its title above and its notes below."""
        lines = [[self.corner, *self.columns]]
        for name, row in zip(self.rows, self.texts(), strict=True):
            shown = (f"{ours} {paper.strip()}".strip() for ours, paper, _ in row)
            notes = (note and f", {note}" for _, _, note in row)
            lines.append([name, *map("".join, zip(shown, notes, strict=True))])
        ruled = ["| " + " | ".join(map(_cell, line)) + " |" for line in lines]
        ruled.insert(1, "|:--|" + "--:|" * len(self.columns))
        below = map(escaped, self._below)
        return "\n\n".join([f"**{escaped(self.title)}**", "\n".join(ruled), *below])

    def to_csv(self, path: FileName) -> None:
        """Write the table as comma-separated values, numbers in full, whole or not at all.

        Where the paper has figures, or ours have notes, these are columns of their own.
        """
        parts = [
            (name if kind == "value" else f"{name}, {kind}", number, kind)
            for number, name in enumerate(self.columns)
            for kind in Entry._fields
            if kind == "value" or self._has(number, kind)
        ]
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["", *(heading for heading, _, _ in parts)])
        for name, row in zip(self.rows, self.entries, strict=True):
            writer.writerow([name, *(getattr(row[number], kind) for _, number, kind in parts)])
        with replacing(path) as file:
            file.write(stream.getvalue().encode())

    def to_json(self) -> dict[str, Any]:
        """Return all but the chart as JSON holds it."""
        fields = {name: getattr(self, name) for name in _KEPT}
        kept: dict[str, Any] = to_json(fields)
        return kept

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Return the table that was written so, without its chart."""
        entries = tuple(tuple(Entry(*entry) for entry in row) for row in kept["entries"])
        return cls(**{name: kept[name] for name in _KEPT} | {"entries": entries})

    @property
    def _below(self) -> list[str]:
        """What stands below the table: the data, then the notes."""
        return [f"Data: {self.data}", *self.notes] if self.data else list(self.notes)

    def _has(self, column: int, kind: str) -> bool:
        return any(getattr(row[column], kind) not in (None, "") for row in self.entries)

    @property
    def corner(self) -> str:
        """What stands above the names of the rows."""
        compared = any(self._has(column, "paper") for column in range(len(self.columns)))
        return "ours (paper)" if compared else ""

    def texts(self) -> list[list[tuple[str, str, str]]]:
        """Write out our value, the paper's in brackets of one width a column, and the note."""
        digits = [self.digits] * len(self.rows) if isinstance(self.digits, int) else self.digits
        papers = [
            _bracketed([row[column].paper for row in self.entries])
            for column in range(len(self.columns))
        ]
        return [
            [
                (_text(entry.value, digits[number]), papers[column][number], entry.note)
                for column, entry in enumerate(row)
            ]
            for number, row in enumerate(self.entries)
        ]


def p_text(p_value: float) -> str:
    """Write a p-value.

    >>> p_text(0.0002), p_text(0.25)
    ('p < 0.001', 'p = 0.250')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def _entry(
    row: str,
    column: str,
    ours: Mapping[str, Mapping[str, Value | Entry]],
    paper: Mapping[str, Mapping[str, float | str]],
) -> Entry:
    found = ours.get(row, {}).get(column)
    entry = found if isinstance(found, Entry) else Entry(found)
    printed = paper.get(row, {}).get(column)
    return entry if printed is None else entry._replace(paper=printed)


def _text(value: Value, digits: int | None = None) -> str:
    """Write a value; a number without `digits` stands as it is, which is how papers print it."""
    if value is None:
        return NOTHING
    if isinstance(value, str | Integral) or digits is None:
        return str(value)
    return f"{value:.{digits}f}"


def _bracketed(values: Sequence[Value]) -> list[str]:
    if all(value is None for value in values):
        return [""] * len(values)
    texts = [f" ({_text(value)})" for value in values]
    width = max(map(len, texts))
    return [text.rjust(width) for text in texts]


def escaped(text: str) -> str:
    """Keep Markdown from reading signs that are meant, and a text in its line."""
    return re.sub(r"\s*[\r\n]\s*", " ", text).replace("*", "\\*")


def _cell(text: str) -> str:
    """Keep a text in its place of a row, too."""
    return escaped(text).replace("|", "\\|")
