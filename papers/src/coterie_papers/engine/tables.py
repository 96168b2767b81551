"""Tables of results, with our figures and those that a paper prints."""

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
"""A number, a text that is shown as it is, or None if there is no figure."""

Figures: TypeAlias = Mapping[str, Mapping[str, float | str]]
"""The figures that a paper prints in one table: row → column → figure."""

NOTHING = "–"
"""The sign that stands for a missing figure."""

_JSON_FIELDS = ("title", "rows", "columns", "entries", "notes", "digits", "data")
"""The fields of a table that are stored as JSON: all but the chart."""


class Entry(NamedTuple):
    """One cell of a table: our value, the paper's value, and a note on ours ("p = 0.03")."""

    value: Value = None
    paper: Value = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows and columns of values, with the paper's values in brackets.

    Parameters
    ----------
    title
        One line that says what the table shows.
    rows, columns
        The names of the rows and of the columns.
    entries
        One sequence per row, with one `Entry` per column.
    notes
        Sentences below the table.
    digits
        The number of digits after the point of our values: one number for all rows, or one number
        per row. Whole numbers have no such digits, and the paper's figures stay as it prints them.
    chart
        A chart of the same figures, or None. It is written beside the table.
    data
        A line that says whether the data are the paper's own, made by its recipe, or similar.

    Examples
    --------
    >>> rows = {"Δ_P": {"Greedy": Entry(2.9134, note="p = 0.03"), "Default": 3.6}}
    >>> published = {"Δ_P": {"Greedy": 2.89}}
    >>> print(Table.from_rows("Losses", rows, published, digits=2).to_markdown())
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
                f"the table {self.title!r} has {len(self.rows)} row names and "
                f"{len(self.columns)} column names, but its rows have {lengths} entries; give one "
                "row of entries per name, with one entry per column"
            )
        if not isinstance(self.digits, int) and len(self.digits) != len(self.rows):
            raise InputError(
                f"the table {self.title!r} has {len(self.rows)} rows, but digits has "
                f"{len(self.digits)} numbers; give one number per row, or one number for all rows"
            )

    @classmethod
    def from_rows(
        cls,
        title: str,
        rows: Mapping[str, Mapping[str, Value | Entry]],
        published: Mapping[str, Mapping[str, float | str]] | None = None,
        *,
        notes: Sequence[str] = (),
        digits: int | Sequence[int] = 1,
        chart: Chart | None = None,
        data: str = "",
    ) -> Self:
        """Combine our figures with those of the paper, both given as row → column → figure.

        The rows and columns are in the order of our figures; those that only the paper has follow.
        A figure of ours may be an `Entry`, so that it can have a note.
        """
        published = {} if published is None else published
        names = tuple(dict.fromkeys([*rows, *published]))
        all_rows = [*rows.values(), *published.values()]
        columns = tuple(dict.fromkeys(column for row in all_rows for column in row))
        entries = tuple(
            tuple(_entry(name, column, rows, published) for column in columns) for name in names
        )
        return cls(title, names, columns, entries, tuple(notes), digits, chart, data)

    def to_rich(self) -> "RenderableType":
        """Return the table for a terminal: the paper's figures dim, notes on a second line."""
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
                Text.assemble(value, (paper, "dim"), (note and f"\n{note}", "dim"))
                for value, paper, note in row
            )
            table.add_row(Text(name), *texts)
        return Group(table, *map(Text, self._all_notes))

    def to_markdown(self) -> str:
        """Return the table in Markdown, with its title above and its notes below."""
        lines = [[self.corner, *self.columns]]
        for name, row in zip(self.rows, self.texts(), strict=True):
            figures = (f"{value} {paper.strip()}".strip() for value, paper, _ in row)
            notes = (note and f", {note}" for _, _, note in row)
            lines.append([name, *map("".join, zip(figures, notes, strict=True))])
        table_lines = ["| " + " | ".join(map(_cell_text, line)) + " |" for line in lines]
        table_lines.insert(1, "|:--|" + "--:|" * len(self.columns))
        below = map(escaped, self._all_notes)
        return "\n\n".join([f"**{escaped(self.title)}**", "\n".join(table_lines), *below])

    def to_csv(self, path: FileName) -> None:
        """Write the table as comma-separated values with all digits, completely or not at all.

        The paper's figures and the notes are separate columns, where there are any.
        """
        parts = [
            (name if field == "value" else f"{name}, {field}", column, field)
            for column, name in enumerate(self.columns)
            for field in Entry._fields
            if field == "value" or self._has(column, field)
        ]
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["", *(heading for heading, _, _ in parts)])
        for name, row in zip(self.rows, self.entries, strict=True):
            writer.writerow([name, *(getattr(row[column], field) for _, column, field in parts)])
        with replacing(path) as file:
            file.write(stream.getvalue().encode())

    def to_json(self) -> dict[str, Any]:
        """Return all fields but the chart as values for JSON."""
        fields: dict[str, Any] = to_json({name: getattr(self, name) for name in _JSON_FIELDS})
        return fields

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        """Return the table that `to_json` turned into these fields, without its chart."""
        entries = tuple(tuple(Entry(*entry) for entry in row) for row in fields["entries"])
        return cls(**{name: fields[name] for name in _JSON_FIELDS} | {"entries": entries})

    @property
    def _all_notes(self) -> list[str]:
        """The lines below the table: the data, then the notes."""
        return [f"Data: {self.data}", *self.notes] if self.data else list(self.notes)

    def _has(self, column: int, field: str) -> bool:
        return any(getattr(row[column], field) not in (None, "") for row in self.entries)

    @property
    def corner(self) -> str:
        """The heading of the column of row names; it explains the brackets if there are any."""
        has_brackets = any(self._has(column, "paper") for column in range(len(self.columns)))
        return "ours (paper)" if has_brackets else ""

    def texts(self) -> list[list[tuple[str, str, str]]]:
        """Return our value, the paper's value in brackets, and the note of each entry as texts.

        The texts in brackets have one width per column.
        """
        digits = [self.digits] * len(self.rows) if isinstance(self.digits, int) else self.digits
        brackets = [
            _bracketed([row[column].paper for row in self.entries])
            for column in range(len(self.columns))
        ]
        return [
            [
                (_text(entry.value, digits[number]), brackets[column][number], entry.note)
                for column, entry in enumerate(row)
            ]
            for number, row in enumerate(self.entries)
        ]


def p_text(p_value: float) -> str:
    """Write a p-value with three digits.

    >>> p_text(0.0002), p_text(0.25)
    ('p < 0.001', 'p = 0.250')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def _entry(
    row: str,
    column: str,
    rows: Mapping[str, Mapping[str, Value | Entry]],
    published: Mapping[str, Mapping[str, float | str]],
) -> Entry:
    figure = rows.get(row, {}).get(column)
    entry = figure if isinstance(figure, Entry) else Entry(figure)
    paper_figure = published.get(row, {}).get(column)
    return entry if paper_figure is None else entry._replace(paper=paper_figure)


def _text(value: Value, digits: int | None = None) -> str:
    """Write a value; without `digits`, a number is written as it is, like those of papers."""
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
    """Escape asterisks, and join lines, so that Markdown shows the text as it is."""
    return re.sub(r"\s*[\r\n]\s*", " ", text).replace("*", "\\*")


def _cell_text(text: str) -> str:
    """Escape a text for a cell of a Markdown table."""
    return escaped(text).replace("|", "\\|")
