"""The sections of the page, except for the doubtful clusters."""

from collections.abc import Sequence
from math import isfinite

from coterie._core.texts import pluralize
from coterie.report import _texts
from coterie.report._drawings import (
    Axis,
    bin_end,
    charts_html,
    count_bars,
    count_by_bin,
    field_shares,
    interval_bar,
    is_share,
    shared_axis,
    signed_bars,
    value_or_zero,
)
from coterie.report._html import NO_VALUE, number_html, text_html
from coterie.report._tables import Cell, facts_html, number_cell, table_html
from coterie.report.data import Choice, FieldWeight, Quality, Sizes
from coterie.tables import Figure

MAX_LINES = 60
"""Largest number of rows of a table, or of facts, that a section shows."""


def quality_section(quality: Quality | None) -> str:
    """Return a table of the metrics with their intervals."""
    if quality is None:
        return f"<p>{_texts.UNLABELLED}</p>"
    if not quality.metrics:
        return f"<p>{_texts.NO_METRICS}</p>"
    metrics = quality.metrics[:MAX_LINES]
    axis = shared_axis(metrics)
    headings = [Cell("metric"), number_cell("value"), number_cell("95% interval")]
    if axis:
        headings.append(Cell(f"<span>{_ends_html(axis)}</span>", "drawing ends"))
    rows = [_metric_cells(metric, axis) for metric in metrics]
    table = table_html("Metrics of the clusters", headings, rows)
    return f"<p>{_texts.QUALITY}</p>{table}{_remainder_html(quality.metrics)}"


def _ends_html(axis: Axis) -> str:
    places = 1 if round(axis.low, 1) == axis.low and round(axis.high, 1) == axis.high else 2
    return f"{axis.low:.{places}f}</span> <span>{axis.high:.{places}f}"


def _metric_cells(metric: Figure, axis: Axis | None) -> list[Cell]:
    notes = [metric.unit, "" if metric.higher_is_better else _texts.LOWER_IS_BETTER]
    remarks = [", ".join(filter(None, notes)), _texts.METRICS.get(metric.name, "")]
    small = "".join(f" <small>{text_html(remark)}</small>" for remark in remarks if remark)
    has_interval = any(end is not None and isfinite(end) for end in (metric.low, metric.high))
    ends = f"{number_html(metric.low)} to {number_html(metric.high)}" if has_interval else NO_VALUE
    cells = [
        Cell(text_html(metric.name) + small),
        number_cell(number_html(metric.value)),
        number_cell(ends),
    ]
    if axis:
        cells.append(Cell(interval_bar(metric, axis) if is_share(metric) else "", "drawing"))
    return cells


def threshold_section(quality: Quality | None) -> str:
    """Return charts of the quality at other thresholds."""
    if quality is None:
        return f"<p>{_texts.UNLABELLED}</p>"
    if quality.curve is None:
        return f"<p>{_texts.NO_CURVE}</p>"
    return f"<p>{_texts.THRESHOLDS}</p>{charts_html(quality.curve)}"


def size_section(sizes: Sizes) -> str:
    """Return a table of the numbers of predicted and true clusters by their size."""
    counts_by_bin = [count_by_bin(sizes.predicted)]
    if sizes.true is not None:
        counts_by_bin.append(count_by_bin(sizes.true))
    max_count = max((count for counts in counts_by_bin for count in counts.values()), default=0)
    if not max_count:
        return f"<p>{_texts.NO_CLUSTERS}</p>"
    names = ["clusters", "true clusters"][: len(counts_by_bin)]
    headings = [
        Cell("rows per cluster"),
        *(number_cell(f'<i class="key s{index}"></i>{name}') for index, name in enumerate(names)),
        Cell("number of clusters", "drawing"),
    ]
    rows = []
    for first in sorted(set().union(*counts_by_bin)):
        counts = [by_bin.get(first, 0) for by_bin in counts_by_bin]
        numbers = [number_cell(f"{count:,}") for count in counts]
        rows.append(
            [Cell(_bin_text(first)), *numbers, Cell(count_bars(counts, max_count), "drawing")]
        )
    note = "" if sizes.true is not None else f"<p>{_texts.NO_TRUE_SIZES}</p>"
    caption = f"{pluralize(sizes.n_clusters, 'cluster')} by their number of rows"
    return table_html(caption, headings, rows) + note


def _bin_text(first: int) -> str:
    last = bin_end(first)
    return f"{first:,}" if last == first else f"{first:,}–{last:,}"


def field_section(fields: Sequence[FieldWeight]) -> str:
    """Return a table of what the fields add to scores; the most decisive field comes first."""
    if not fields:
        return f"<p>{_texts.NO_FIELDS}</p>"
    by_share = sorted(zip(field_shares(fields), fields, strict=True), key=lambda ranked: -ranked[0])
    max_mean = max(
        abs(value_or_zero(mean))
        for field in fields
        for mean in (field.mean_for, field.mean_against)
    )
    headings = [
        Cell("column"),
        number_cell('<i class="key s0"></i>same cluster'),
        number_cell('<i class="key s1"></i>different clusters'),
        number_cell("share"),
        Cell("<span>negative</span> <span>positive</span>", "drawing ends"),
    ]
    rows = [_field_cells(field, share, max_mean) for share, field in by_share[:MAX_LINES]]
    table = table_html("Mean number that each column adds to the score of a pair", headings, rows)
    return f"<p>{_texts.FIELDS}</p>{table}{_remainder_html(fields)}"


def _field_cells(field: FieldWeight, share: float, max_mean: float) -> list[Cell]:
    means = [field.mean_for, field.mean_against]
    return [
        Cell(f"{text_html(field.name)} <small>compared as {text_html(field.kind)}</small>"),
        *(number_cell(number_html(mean)) for mean in means),
        number_cell(f"{100 * share:.0f}%"),
        Cell(signed_bars(means, max_mean), "drawing"),
    ]


def choice_section(choice: Choice | None) -> str:
    """Return a table of the compared learners, in which the chosen one is highlighted."""
    if choice is None:
        return f"<p>{_texts.NO_CHOICE}</p>"
    indices = list(range(min(len(choice.rows), MAX_LINES)))
    if choice.chosen >= MAX_LINES:
        indices = [choice.chosen, *indices[:-1]]
    rows = [[_learner_cell(text) for text in choice.rows[index]] for index in indices]
    chosen = indices.index(choice.chosen)
    if rows[chosen]:
        first = rows[chosen][0].html
        rows[chosen][0] = Cell(f'{first} <strong class="tag">chosen</strong>')
    headings = [
        Cell(text_html(name), "n" if column and _has_numbers(rows, column) else "")
        for column, name in enumerate(choice.headings)
    ]
    return "".join(
        [
            f"<p>{_texts.CHOICE}</p>" if len(rows) > 1 else "",
            table_html("Learners", headings, rows, chosen),
            _remainder_html(choice.rows),
            f"<p>{text_html(choice.reason, 400)}</p>" if choice.reason else "",
            _headings_html(choice.headings),
        ]
    )


def _has_numbers(rows: Sequence[Sequence[Cell]], column: int) -> bool:
    return any(cells[column].classes == "n" for cells in rows)


def _headings_html(headings: Sequence[str]) -> str:
    """Return the meanings of the columns whose names need an explanation."""
    meanings = [(name, _texts.HEADINGS[name]) for name in headings if name in _texts.HEADINGS]
    return facts_html(meanings) if meanings else ""


def _learner_cell(text: str) -> Cell:
    digits = text.strip().lstrip("+-−").replace(".", "").replace(",", "").rstrip(" %")
    if digits.isdecimal():
        return number_cell(text_html(text.replace("-", "−")))
    return Cell(text_html(text), "v" if len(text) > 24 else "")


def blocking_section(facts: Sequence[tuple[str, str]]) -> str:
    """Return the facts about the candidate pairs."""
    if not facts:
        return f"<p>{_texts.NO_BLOCKING}</p>"
    return f"<p>{_texts.BLOCKING}</p>{facts_html(facts[:MAX_LINES])}{_remainder_html(facts)}"


def _remainder_html(lines: Sequence[object]) -> str:
    """Return a note with the number of lines that are not shown."""
    n_hidden = len(lines) - MAX_LINES
    return f'<p class="more">{n_hidden:,} more not shown.</p>' if n_hidden > 0 else ""
