"""The worst clusters: their rows side by side, with differences marked."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import accumulate, pairwise
from typing import TypeAlias

from rapidfuzz.distance import Levenshtein

from coterie._core.texts import pluralize
from coterie.report._html import NOTHING, figure, isolated, shortened, visible, written
from coterie.report._tables import Cell, number, table
from coterie.report.data import Row, WorstCluster, WorstClusters

Span: TypeAlias = tuple[int, int]


MOST_CLUSTERS = 20
MOST_ROWS = 12
MOST_COLUMNS = 40
N_OPEN = 5
"""So many clusters are open at first; the others open at a click."""

_ONE_LINE = 16
"""Up to this length, a text is not broken into lines: dates, codes, telephone numbers."""

_LONG = 100
_LONGEST_CELL = 400
_SHORTEST_CELL = 24
_BUDGET = 600_000
"""The most bytes of all cells together, which keeps the page small."""


def clusters(worst: WorstClusters) -> str:
    """Write the worst clusters, one below the other."""
    shown = worst.clusters[:MOST_CLUSTERS]
    if not shown:
        return "<p>There is no cluster to show.</p>"
    limit = _cell_limit(shown, len(worst.columns))
    return "\n".join(
        [
            f"<p>{_lead(worst, len(shown))}</p>",
            *(
                _cluster(cluster, worst.columns, limit, at < N_OPEN)
                for at, cluster in enumerate(shown)
            ),
        ]
    )


def _lead(worst: WorstClusters, n_shown: int) -> str:
    shown = f"The {n_shown} worst clusters, worst first." if n_shown > 1 else "One cluster."
    hidden = len(worst.columns) - MOST_COLUMNS
    columns = f" Of each row, the first {MOST_COLUMNS} columns; {hidden:,} more are left out."
    has_truth = any(row.true_cluster for cluster in worst.clusters for row in cluster.rows)
    truth = " ≠ stands before a true cluster that is not that of most rows." if has_truth else ""
    return (
        f"{shown} <mark>Marked</mark> is what differs from the value that most rows of the cluster "
        'have or, where there is none, from the row it is linked to; <mark class="gap"></mark> '
        f"stands where something is left out.{truth}{columns if hidden > 0 else ''}"
    )


def _cell_limit(shown: Sequence[WorstCluster], n_columns: int) -> int:
    """Return the most bytes of a cell, such that all cells together keep to the budget."""
    n_rows = sum(min(len(cluster.rows), MOST_ROWS) for cluster in shown)
    share = _BUDGET // max(n_rows * min(n_columns, MOST_COLUMNS), 1)
    return min(max(share, _SHORTEST_CELL), _LONGEST_CELL)


def _cluster(cluster: WorstCluster, columns: Sequence[str], limit: int, is_open: bool) -> str:
    hidden = cluster.size - min(len(cluster.rows), MOST_ROWS)
    more = f'<p class="more">{pluralize(hidden, "more row")} not shown.</p>' if hidden > 0 else ""
    told = [pluralize(cluster.size, "row")]
    if cluster.weakest_link is not None:
        told.append(f"weakest link {figure(cluster.weakest_link)}")
    if cluster.disagreement is not None:
        told.append(f"disagreement {figure(cluster.disagreement)}")
    return (
        f"<details{' open' if is_open else ''}><summary>"
        f"<h3>Cluster {isolated(cluster.cluster_id)}</h3> <span>{' · '.join(told)}</span></summary>"
        f"{_rows(cluster, columns[:MOST_COLUMNS], limit)}{more}</details>"
    )


def _rows(cluster: WorstCluster, columns: Sequence[str], limit: int) -> str:
    has_truth = any(row.true_cluster is not None for row in cluster.rows)
    heads = [Cell("row"), *([Cell("true")] if has_truth else [])]
    heads += [Cell(written(name, 60) or NOTHING) for name in columns]
    heads += [Cell("linked to", "one"), number("confidence")]
    reference = References(cluster.rows, len(columns))
    truth = _usual_truth(cluster.rows)
    body = [
        [
            _name(row.id),
            *([_truth(row, truth)] if has_truth else []),
            *(
                Cell(cell(text, reference.of(row, at), limit), _kind(text))
                for at, text in enumerate(row.values[: len(columns)])
            ),
            _name(row.linked_to or NOTHING),
            number(figure(row.confidence)),
        ]
        for row in cluster.rows[:MOST_ROWS]
    ]
    return table(f"Rows of cluster {cluster.cluster_id}", heads, body)


def _kind(text: str) -> str:
    """Return the classes of a cell, by which it is as wide as its text asks for."""
    return "v one" if len(text) <= _ONE_LINE else "v long" if len(text) > _LONG else "v"


def _name(text: str) -> Cell:
    return Cell(written(text, 80), _kind(text))


def _usual_truth(rows: Sequence[Row]) -> str | None:
    """Return the true cluster of most rows, or the only one that is known."""
    known = [row.true_cluster for row in rows if row.true_cluster is not None]
    return known[0] if len(set(known)) == 1 else _most_common(known)


def _truth(row: Row, usual: str | None) -> Cell:
    if row.true_cluster is None or row.true_cluster == usual:
        return _name(row.true_cluster or NOTHING)
    name = _name(row.true_cluster)
    return Cell(f"≠ {name.html}", f"{name.kind} other")


class References:
    """With which text each cell of a cluster is compared."""

    def __init__(self, rows: Sequence[Row], n_columns: int) -> None:
        self._by_id: Mapping[str, Row] = {row.id: row for row in rows}
        self._usual = [_most_common([row.values[at] for row in rows]) for at in range(n_columns)]

    def of(self, row: Row, column: int) -> str | None:
        """Return the most common text of the column, else that of the linked row, else None."""
        usual = self._usual[column]
        if usual is not None:
            return usual
        linked = self._by_id.get(row.linked_to or "")
        return linked.values[column] if linked else None


def _most_common(texts: Sequence[str]) -> str | None:
    """Return the text that more cells hold than any other, at least two; None without one."""
    found = Counter(text for text in texts if text).most_common(2)
    counts = [count for _, count in found]
    return found[0][0] if counts and counts[0] > max([1, *counts[1:]]) else None


def cell(text: str, reference: str | None, limit: int) -> str:
    """Write a cell, with what differs from the reference marked, and its length where it is cut."""
    if not text:
        return f'<span class="none">{NOTHING}</span>'
    shown, is_whole = shortened(text, limit)
    spans = _spans(text, reference, limit) if reference else []
    within = [span for span in spans if span[0] < len(shown) or is_whole]
    html = marked(shown, within)
    if is_whole:
        return html
    later = "; differs further on" if reference not in (None, "", text) and not within else ""
    return f"{html}… <small>{len(text):,} characters{later}</small>"


def _spans(text: str, reference: str, limit: int) -> list[Span]:
    """Compare more than is shown, because what one text has in front moves where it is cut."""
    return differences(visible(text[: 2 * limit]), visible(reference[: 2 * limit]))


"""From the first character to the one behind the last; equal where something is left out."""

SHORT_TEXT = 64
"""Up to this length, texts are compared by characters, beyond by words."""

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LEAST_SHARED = 0.5
_GAP = '<mark class="gap"></mark>'


def differences(text: str, other: str) -> list[Span]:
    """Return where a text has what another one has not, or lacks what that has.

    Short texts are compared by characters and long ones by words; what shares little with the other
    differs as a whole. The cost is bounded by the product of the lengths.

    >>> differences("Jane Smyth", "Jane Smith")
    [(7, 8)]
    >>> differences("Jon", "John")
    [(2, 2)]
    """
    if text == other:
        return []
    by_character = max(len(text), len(other)) <= SHORT_TEXT
    own, others = (list(each) if by_character else _WORDS.findall(each) for each in (text, other))
    edits = Levenshtein.opcodes(own, others)
    shared = (own[edit.src_start : edit.src_end] for edit in edits if edit.tag == "equal")
    if sum(map(_length, shared)) < _LEAST_SHARED * max(_length(own), _length(others)):
        return [(0, len(text))]
    at = [0, *accumulate(map(len, own))]
    return _merged(
        text, [(at[edit.src_start], at[edit.src_end]) for edit in edits if edit.tag != "equal"]
    )


def _length(pieces: Iterable[str]) -> int:
    """Count the characters but for blanks, which are alike everywhere."""
    return sum(len(piece) for piece in pieces if not piece.isspace())


def _merged(text: str, spans: Sequence[Span]) -> list[Span]:
    """Unite spans with hardly anything between, because confetti cannot be read."""
    merged = list(spans[:1])
    for before, after in pairwise(spans):
        between = text[before[1] : after[0]]
        if len(between) <= 1 or between.isspace():
            merged[-1] = merged[-1][0], after[1]
        else:
            merged.append(after)
    return merged


def marked(text: str, spans: Sequence[Span]) -> str:
    """Return a text as HTML, with marks on the spans.

    >>> marked("Jane Smyth", [(4, 4), (7, 8)])
    'Jane<mark class="gap"></mark> Sm<mark>y</mark>th'
    """
    html, at = [], 0
    for start, end in spans:
        html += [escape(text[at:start], quote=False), _mark(text[start:end])]
        at = end
    return "".join([*html, escape(text[at:], quote=False)])


def _mark(text: str) -> str:
    return f"<mark>{escape(text, quote=False)}</mark>" if text else _GAP
