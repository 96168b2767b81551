"""The section of doubtful clusters: their rows, with differences marked."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import TypeAlias

from rapidfuzz.distance import Levenshtein

from coterie._core.texts import pluralize
from coterie.report import _texts
from coterie.report._html import (
    NO_VALUE,
    isolated_html,
    number_html,
    replace_invisible,
    shorten,
    text_html,
)
from coterie.report._tables import Cell, facts_html, number_cell, table_html
from coterie.report.data import Row, WorstCluster, WorstClusters

Span: TypeAlias = tuple[int, int]
"""Start and end of a part of a text; both are equal where text is missing."""

MAX_CLUSTERS, MAX_ROWS, MAX_COLUMNS = 20, 12, 40
"""Largest number of clusters on the page, of rows per cluster and of columns."""

N_OPEN = 5
"""Number of clusters whose rows are visible at first; the others open at a click."""

UNBROKEN_LENGTH, LONG_LENGTH = 16, 100
"""Texts up to the first length, such as dates, stay on one line; columns of texts above the second
are wider."""

MIN_CELL_BYTES, MAX_CELL_BYTES = 24, 400
ALL_CELLS_BYTES = 600_000
"""Limits of the size of one cell and of all cells together, which keep the page small."""


def cluster_section(worst: WorstClusters) -> str:
    """Return the doubtful clusters, one below the other, with an explanation."""
    clusters = worst.clusters[:MAX_CLUSTERS]
    if not clusters:
        return f"<p>{_texts.NO_DOUBTFUL_CLUSTERS}</p>"
    limit = _cell_limit(clusters, len(worst.columns))
    return "\n".join(
        [
            _introduction_html(worst, len(clusters)),
            *(
                _cluster_html(cluster, worst.columns, limit, rank < N_OPEN)
                for rank, cluster in enumerate(clusters)
            ),
        ]
    )


def _introduction_html(worst: WorstClusters, n_clusters: int) -> str:
    title = (
        f"The {n_clusters} most doubtful clusters of two or more rows, worst first."
        if n_clusters > 1
        else "The most doubtful cluster of two or more rows."
    )
    has_truth = any(row.true_cluster for cluster in worst.clusters for row in cluster.rows)
    n_hidden = len(worst.columns) - MAX_COLUMNS
    hidden = f" The tables show the first {MAX_COLUMNS} columns; {n_hidden:,} more are not shown."
    return (
        f"<p>{title}</p>\n{facts_html(_texts.CLUSTER_TERMS)}\n"
        f"<p>{_texts.MARKS}{_texts.TRUTH_MARKS if has_truth else ''}"
        f"{hidden if n_hidden > 0 else ''}</p>"
    )


def _cell_limit(clusters: Sequence[WorstCluster], n_columns: int) -> int:
    """Return the largest number of bytes per cell for which all cells fit `ALL_CELLS_BYTES`."""
    n_rows = sum(min(len(cluster.rows), MAX_ROWS) for cluster in clusters)
    share = ALL_CELLS_BYTES // max(n_rows * min(n_columns, MAX_COLUMNS), 1)
    return min(max(share, MIN_CELL_BYTES), MAX_CELL_BYTES)


def _cluster_html(cluster: WorstCluster, columns: Sequence[str], limit: int, is_open: bool) -> str:
    n_hidden = cluster.size - min(len(cluster.rows), MAX_ROWS)
    more = f'<p class="more">{pluralize(n_hidden, "more row")} not shown.</p>'
    facts = [pluralize(cluster.size, "row")]
    if cluster.weakest_link is not None:
        facts.append(f"weakest link {number_html(cluster.weakest_link)}")
    if cluster.disagreement is not None:
        facts.append(f"disagreement {number_html(cluster.disagreement)}")
    name = isolated_html(cluster.cluster_id)
    return (
        f"<details{' open' if is_open else ''}><summary>"
        f"<h3>Cluster {name}</h3> <span>{' · '.join(facts)}</span></summary>"
        f"{_row_table(cluster, columns[:MAX_COLUMNS], limit)}{more if n_hidden > 0 else ''}"
        "</details>"
    )


def _row_table(cluster: WorstCluster, columns: Sequence[str], limit: int) -> str:
    has_truth = any(row.true_cluster is not None for row in cluster.rows)
    headings = [Cell("row"), *([Cell("true cluster")] if has_truth else [])]
    headings += [Cell(text_html(name, 60) or NO_VALUE) for name in columns]
    headings += [Cell("linked to", "one"), number_cell("confidence")]
    references = References(cluster.rows, len(columns))
    usual_truth = _usual_truth(cluster.rows)
    cells = [
        [
            _name_cell(row.id),
            *([_truth_cell(row, usual_truth)] if has_truth else []),
            *(
                Cell(value_html(text, references.of(row, column), limit), _width_classes(text))
                for column, text in enumerate(row.values[: len(columns)])
            ),
            _name_cell(row.linked_to or NO_VALUE),
            number_cell(number_html(row.confidence)),
        ]
        for row in cluster.rows[:MAX_ROWS]
    ]
    return table_html(f"Rows of cluster {cluster.cluster_id}", headings, cells)


def _width_classes(text: str) -> str:
    """Return the CSS classes that make a cell as wide as its text needs."""
    if len(text) <= UNBROKEN_LENGTH:
        return "v one"
    return "v long" if len(text) > LONG_LENGTH else "v"


def _name_cell(text: str) -> Cell:
    return Cell(text_html(text, 80), _width_classes(text))


def _usual_truth(rows: Sequence[Row]) -> str | None:
    """Return the true cluster of most rows; if there is none, that of the first row."""
    truths = [row.true_cluster for row in rows if row.true_cluster is not None]
    return _most_common(truths) or next(iter(truths), None)


def _truth_cell(row: Row, usual_truth: str | None) -> Cell:
    if row.true_cluster is None or row.true_cluster == usual_truth:
        return _name_cell(row.true_cluster or NO_VALUE)
    cell = _name_cell(row.true_cluster)
    return Cell(f"≠ {cell.html}", f"{cell.classes} differs")


class References:
    """The texts with which the cells of a cluster are compared."""

    def __init__(self, rows: Sequence[Row], n_columns: int) -> None:
        self._row_by_id: Mapping[str, Row] = {row.id: row for row in rows}
        self._usual_texts = [
            _most_common([row.values[column] for row in rows]) for column in range(n_columns)
        ]

    def of(self, row: Row, column: int) -> str | None:
        """Return the most common text of a column, else that of the linked row, else None."""
        usual_text = self._usual_texts[column]
        if usual_text is not None:
            return usual_text
        linked_row = self._row_by_id.get(row.linked_to or "")
        return linked_row.values[column] if linked_row else None


def _most_common(texts: Sequence[str]) -> str | None:
    """Return the text that occurs most often and at least twice; None if there is no such text."""
    top_two = Counter(text for text in texts if text).most_common(2)
    counts = [count for _, count in top_two]
    return top_two[0][0] if counts and counts[0] > max([1, *counts[1:]]) else None


def value_html(text: str, reference: str | None, limit: int) -> str:
    """Return a value, with marks where it differs from the reference, and its length if it is cut.

    `limit` is the largest number of bytes.
    """
    if not text:
        return f'<span class="missing">{NO_VALUE}</span>'
    start, is_complete = shorten(text, limit)
    spans = _differences_near_start(text, reference, limit) if reference else []
    visible_spans = [span for span in spans if span[0] < len(start) or is_complete]
    html = mark_spans(start, visible_spans)
    if is_complete:
        return html
    differs_later = reference not in (None, "", text) and not visible_spans
    note = "; differs in the part that is not shown" if differs_later else ""
    return f"{html}… <small>{len(text):,} characters{note}</small>"


def _differences_near_start(text: str, reference: str, limit: int) -> list[Span]:
    """Compare twice the length that is shown: an insertion shifts the position of the cut."""
    return differences(
        replace_invisible(text[: 2 * limit]), replace_invisible(reference[: 2 * limit])
    )


SHORT_TEXT = 64
"""Texts up to this length are compared by characters, longer ones by words."""

MIN_SHARED = 0.5
"""A text that shares a smaller part of its characters with the other differs as a whole."""

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_GAP = '<mark class="gap"></mark>'


def differences(text: str, other: str) -> list[Span]:
    """Return the parts of a text that another one does not have, and the places of missing parts.

    Short texts are compared by characters and long ones by words. A text that shares little with
    the other differs as a whole. The time is bounded by the product of the lengths.

    >>> differences("Jane Smyth", "Jane Smith")
    [(7, 8)]
    >>> differences("Jon", "John")
    [(2, 2)]
    """
    if text == other:
        return []
    by_character = max(len(text), len(other)) <= SHORT_TEXT
    pieces, other_pieces = (
        list(string) if by_character else _WORDS.findall(string) for string in (text, other)
    )
    edits = Levenshtein.opcodes(pieces, other_pieces)
    shared = (pieces[edit.src_start : edit.src_end] for edit in edits if edit.tag == "equal")
    if sum(map(_length, shared)) < MIN_SHARED * max(_length(pieces), _length(other_pieces)):
        return [(0, len(text))]
    starts = [0, *accumulate(map(len, pieces))]
    spans = [
        (starts[edit.src_start], starts[edit.src_end]) for edit in edits if edit.tag != "equal"
    ]
    return _merge_spans(text, spans)


def _length(pieces: Iterable[str]) -> int:
    """Count the characters other than blanks, which all texts have."""
    return sum(len(piece) for piece in pieces if not piece.isspace())


def _merge_spans(text: str, spans: Sequence[Span]) -> list[Span]:
    """Merge spans with at most one character or only blanks between; many small marks confuse."""
    merged = list(spans[:1])
    for before, after in pairwise(spans):
        between = text[before[1] : after[0]]
        if len(between) <= 1 or between.isspace():
            merged[-1] = merged[-1][0], after[1]
        else:
            merged.append(after)
    return merged


def mark_spans(text: str, spans: Sequence[Span]) -> str:
    """Return a text as HTML, with marks on the spans.

    >>> mark_spans("Jane Smyth", [(4, 4), (7, 8)])
    'Jane<mark class="gap"></mark> Sm<mark>y</mark>th'
    """
    html, position = [], 0
    for start, end in spans:
        html += [escape(text[position:start], quote=False), _mark_html(text[start:end])]
        position = end
    return "".join([*html, escape(text[position:], quote=False)])


def _mark_html(text: str) -> str:
    return f"<mark>{escape(text, quote=False)}</mark>" if text else _GAP
