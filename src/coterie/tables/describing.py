"""Descriptions of the columns of a table: why they have their kinds, and what they hold."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from coterie._core.texts import one_line, quote
from coterie.exceptions import InputError
from coterie.features.kinds.date import NOT_A_DATE, are_epoch_times, date_of
from coterie.features.kinds.number import number_of
from coterie.features.kinds.profile import Profile
from coterie.tables.groups import row_ids, true_clusters
from coterie.tables.leaks.finding import find_leaks
from coterie.tables.predictions import COLUMNS, is_predicted
from coterie.tables.schema import IGNORED, Schema, infer_schema
from coterie.tables.table import Table

N_EXAMPLES, LONGEST_EXAMPLE = 3, 40
"""The number of examples of a column, and the largest number of characters of one."""

MOST_DESCRIBED = 1_000
"""The largest number of columns that are described, so that a file stays small."""


class ProposedSchema(NamedTuple):
    """A schema that can be used as it is, with lines about its columns."""

    schema: Schema
    notes: Mapping[str, Sequence[str]]
    warnings: Sequence[str]
    """Sentences about columns that cannot be ids, or that may give the true clusters away."""

    def __repr__(self) -> str:
        return f"ProposedSchema({len(self.schema.kinds)} columns)"


def propose_schema(
    table: Table,
    *,
    cluster: str | None = None,
    set: str | None = None,  # noqa: A002
    id: str | None = None,  # noqa: A002
    ignore: Sequence[str] = (),
    has_examples: bool = True,
) -> ProposedSchema:
    """Infer a schema that `fit` accepts, and describe its columns.

    Parameters
    ----------
    table
        The table.
    cluster, set, id, ignore
        As for `infer_schema`. A column of ids that is not named is proposed only if it can be used.
    has_examples
        Whether to describe columns by values of the table, too.
    """
    schema = infer_schema(table, cluster=cluster, set=set, id=id, ignore=ignore)
    notes = {
        name: _described(table, name, schema.kinds.get(name), ignore, has_examples)
        for name in table.names
    }
    warnings = []
    fault = None if id is not None or schema.id is None else _fault_of_ids(table, schema.id)
    if fault is not None and schema.id is not None:
        bad = schema.id
        schema = infer_schema(table, cluster=cluster, set=set, ignore=(*ignore, bad))
        warnings.append(f"column {quote(bad)} is not used for ids: {fault}")
        notes[bad] = (f"Ignored, and not used for ids: {fault}.", *notes[bad][1:])
    for name, text in _leaks(table, schema):
        warnings.append(text)
        notes[name] = (*notes[name], f"Warning: {text}.".replace("`ignore=`", "`ignore`"))
    return ProposedSchema(schema, notes, warnings)


def _leaks(table: Table, schema: Schema) -> list[tuple[str, str]]:
    """Return columns that may give the true clusters away, if these are complete."""
    if schema.cluster is None:
        return []
    try:
        true_clusters(table, schema)
    except InputError:
        return []
    leaks = find_leaks(table, schema.cluster, schema.columns, schema.id)
    return [(leak.column, str(leak)) for leak in leaks]


def _fault_of_ids(table: Table, column: str) -> str | None:
    """Return why the values of a column cannot be ids; None if they can."""
    try:
        row_ids(table, column)
    except InputError:
        cells = table[column]
        n_missing = cells.count("")
        if n_missing:
            return f"{n_missing:,} of {len(cells):,} rows have no value"
        return f"only {len({*cells}):,} of {len(cells):,} values are different"
    return None


def _described(
    table: Table, name: str, kind: str | None, ignore: Sequence[str], has_examples: bool
) -> tuple[str, ...]:
    """Return the reason for the kind of a column, how full it is, and examples."""
    if len(table.names) > MOST_DESCRIBED:
        return ()
    cells = table[name]
    profile = Profile.of(cells)
    filled = f"{profile.n_rows / max(len(cells), 1):.0%} filled"
    values = f"{filled}, {len(profile.counts):,} different"
    if kind is None:
        lines = [f"Has a role: {values}."]
    elif kind == IGNORED:
        lines = [f"{_why_ignored(table, name, profile, ignore)}: {values}."]
    else:
        lines = [f"{_REASONS.get(kind, _plain_reason)(profile)}: {values}."]
    if has_examples and profile.counts:
        lines.append(f"Such as {_examples(profile)}.")
    return tuple(lines)


def _examples(profile: Profile) -> str:
    """Return a few values, evenly spread over the different ones in their order."""
    values = list(profile.counts)
    places = range(min(N_EXAMPLES, len(values)))
    chosen = [values[place * len(values) // len(places)] for place in places]
    return ", ".join(f'"{one_line(value, LONGEST_EXAMPLE)}"' for value in chosen)


def _why_ignored(table: Table, name: str, profile: Profile, ignore: Sequence[str]) -> str:
    if name in ignore:
        return "Ignored, as requested"
    if name in COLUMNS and is_predicted(table.names):
        return "Ignored, a column of an earlier prediction"
    if len(profile.counts) < 2:
        return "Ignored, because it has no two different values"
    return "Ignored"


def _dates(profile: Profile) -> str:
    if are_epoch_times(profile):
        return "Times in seconds or milliseconds since 1970"
    return f"{profile.share(lambda text: date_of(text) != NOT_A_DATE):.0%} of the values are dates"


def _numbers(profile: Profile) -> str:
    n_readable = profile.share(lambda text: number_of(text) == number_of(text))
    return f"{n_readable:.0%} of the values are numbers"


def _plain_reason(profile: Profile) -> str:
    return f"A value has {profile.n_words:.1f} words and {profile.length:.0f} characters on average"


_REASONS: dict[str, Callable[[Profile], str]] = {
    "date": _dates,
    "number": _numbers,
    "category": lambda profile: f"A value occurs in {profile.n_repeats:,.0f} rows on average",
    "code": lambda profile: f"{profile.with_digits:.0%} of the values have digits",
    "tokens": lambda profile: f"{profile.separated:.0%} of the values have ; or a vertical bar",
}
"""Why a column seems to be of a kind; for the others, the lengths of values tell."""
