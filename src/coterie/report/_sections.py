"""The sections of the page above the clusters."""

from collections.abc import Sequence
from math import isfinite

from coterie._core.texts import pluralize
from coterie.report import _drawings
from coterie.report._drawings import Axis, curves
from coterie.report._html import NOTHING, figure, written
from coterie.report._tables import Cell, facts, number, table
from coterie.report.data import Choice, FieldWeight, Quality, Sizes
from coterie.tables import Figure

MOST_LINES = 60
"""The most rows of a table or lines of a list; the rest is counted."""

UNLABELLED = "The true clusters of this table are not known, so nothing could be measured."
LOWER = "lower is better"
NO_METRICS = "No metric was measured."
NO_CURVE = "No operating points were compared."
NO_FIELDS = "What each field adds to a score is not known: the similarity is no sum over fields."
NO_CHOICE = "Nothing was compared: the learner was given."
NO_BLOCKING = "Nothing was noted on how pairs were found."
NO_CLUSTERS = "There are no clusters."


def metrics(quality: Quality | None) -> str:
    """Write what was measured, with intervals."""
    if quality is None:
        return f"<p>{UNLABELLED}</p>"
    if not quality.metrics:
        return f"<p>{NO_METRICS}</p>"
    shown = quality.metrics[:MOST_LINES]
    axis = _drawings.on_one_axis(shown)
    drawn = [Cell(f"<span>{_bounds(axis)}</span>", "drawn ends")] if axis else []
    heads = [Cell("metric"), number("value"), number("95 % interval"), *drawn]
    rows = [_metric(metric, axis) for metric in shown]
    return table("Metrics, against the true clusters", heads, rows) + _rest(quality.metrics)


def _bounds(axis: Axis) -> str:
    places = 1 if round(axis.low, 1) == axis.low and round(axis.high, 1) == axis.high else 2
    ends = f"{axis.low:.{places}f}", f"{axis.high:.{places}f}"
    return "</span> <span>".join(ends)


def _metric(metric: Figure, axis: Axis | None) -> list[Cell]:
    said = [part for part in (metric.unit, "" if metric.higher_is_better else LOWER) if part]
    small = f" <small>{written(', '.join(said))}</small>" if said else ""
    has_interval = any(end is not None and isfinite(end) for end in (metric.low, metric.high))
    ends = f"{figure(metric.low)} to {figure(metric.high)}" if has_interval else NOTHING
    cells = [Cell(written(metric.name) + small), number(figure(metric.value)), number(ends)]
    if axis:
        drawn = _drawings.interval(metric, axis) if _drawings.is_drawn(metric) else ""
        cells.append(Cell(drawn, "drawn"))
    return cells


def operating_point(quality: Quality | None) -> str:
    """Write the curves over the operating point."""
    if quality is None:
        return f"<p>{UNLABELLED}</p>"
    return curves(quality.curve) if quality.curve else f"<p>{NO_CURVE}</p>"


def sizes(given: Sizes) -> str:
    """Write how many clusters have which size, predicted and in truth."""
    every = [given.predicted] + ([given.true] if given.true is not None else [])
    found = [_drawings.binned(counts) for counts in every]
    most = max((count for counts in found for count in counts.values()), default=0)
    if not most:
        return f"<p>{NO_CLUSTERS}</p>"
    names = ["predicted", "true"][: len(every)]
    keys = [number(f'<i class="key s{at}"></i>{name}') for at, name in enumerate(names)]
    rows = []
    for first in sorted(set().union(*found)):
        counts = [own.get(first, 0) for own in found]
        drawn = Cell(_drawings.counts(counts, most), "drawn")
        rows.append([Cell(_bin(first)), *(number(f"{count:,}") for count in counts), drawn])
    told = "" if given.true is not None else "<p>The true sizes are not known.</p>"
    caption = f"{pluralize(given.n_clusters, 'cluster')}, by the number of their rows"
    return table(caption, [Cell("rows"), *keys, Cell("clusters", "drawn")], rows) + told


def _bin(first: int) -> str:
    last = _drawings.bin_end(first)
    return f"{first:,}" if last == first else f"{first:,}–{last:,}"


def fields(given: Sequence[FieldWeight]) -> str:
    """Write what the fields add to the score, those that tell most first."""
    if not given:
        return f"<p>{NO_FIELDS}</p>"
    ranked = sorted(zip(_drawings.shares(given), given, strict=True), key=lambda each: -each[0])
    every = [_drawings.known(mean) for own in given for mean in (own.mean_for, own.mean_against)]
    most = max(map(abs, every))
    heads = [
        Cell("field"),
        number('<i class="key s0"></i>joined'),
        number('<i class="key s1"></i>refused'),
        number("share"),
        Cell("<span>apart</span> <span>together</span>", "drawn ends"),
    ]
    rows = [_field(own, share, most) for share, own in ranked[:MOST_LINES]]
    caption = (
        "Mean part of each field in the score of pairs that were joined and of pairs that were "
        "refused; its share in what tells them apart"
    )
    return table(caption, heads, rows) + _rest(given)


def _field(own: FieldWeight, share: float, most: float) -> list[Cell]:
    means = [own.mean_for, own.mean_against]
    return [
        Cell(f"{written(own.name)} <small>{written(own.kind)}</small>"),
        *(number(figure(mean)) for mean in means),
        number(f"{100 * share:.0f} %"),
        Cell(_drawings.diverging(means, most), "drawn"),
    ]


def choice(given: Choice | None) -> str:
    """Write what was compared, and which was chosen."""
    if given is None:
        return f"<p>{NO_CHOICE}</p>"
    rows = list(enumerate(given.rows))[:MOST_LINES]
    if given.chosen >= MOST_LINES:
        rows = [(given.chosen, given.rows[given.chosen]), *rows[:-1]]
    body = [[_compared(text) for text in row] for _, row in rows]
    for (at, _), cells in zip(rows, body, strict=True):
        if at == given.chosen and cells:
            cells[0] = Cell(f'{cells[0].html} <strong class="tag">chosen</strong>')
    chosen = [at for at, _ in rows].index(given.chosen)
    aligned = [any(row[at].kind == "n" for row in body) for at in range(len(given.headings))]
    heads = [
        Cell(written(name), "n" if at and aligned[at] else "")
        for at, name in enumerate(given.headings)
    ]
    told = f"<p>{written(given.reason, 400)}</p>" if given.reason else ""
    return table("What was compared", heads, body, chosen) + _rest(given.rows) + told


def _compared(text: str) -> Cell:
    is_number = (
        text.strip().lstrip("+-−").replace(".", "").replace(",", "").rstrip(" %").isdecimal()
    )
    return Cell(written(text), "n" if is_number else "v" if len(text) > 24 else "")


def blocking(given: Sequence[tuple[str, str]]) -> str:
    """Write how the pairs to look at were found."""
    if not given:
        return f"<p>{NO_BLOCKING}</p>"
    return facts(given[:MOST_LINES]) + _rest(given)


def _rest(every: Sequence[object]) -> str:
    hidden = len(every) - MOST_LINES
    return f'<p class="more">{hidden:,} more not shown.</p>' if hidden > 0 else ""
