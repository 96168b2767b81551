"""The schema of a table: its columns of ids, clusters and sets, and its fields by kind."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coterie._core.lazy import members
from coterie._core.renaming import renamed_parameters
from coterie._core.texts import one_line
from coterie._core.values import Value
from coterie.exceptions import InputError
from coterie.features import kinds as kinds_module
from coterie.features.kinds.base import Kind
from coterie.features.kinds.profile import Profile
from coterie.features.records import Field
from coterie.tables.io.delimited import other_delimiter
from coterie.tables.io.frames import as_table
from coterie.tables.predictions import COLUMNS, is_predicted
from coterie.tables.table import Table, column_list

IGNORED = "ignored"
"""The kind of a column that is not compared."""

MOST_COLUMNS = 10_000
"""The largest number of columns that are compared."""

IDS = ("id", "_id", "rec_id", "record_id", "row_id", "uid", "uuid")
"""Names of columns that hold ids if their values are unique; one called id must be unique."""


def kind_classes() -> dict[str, type[Kind]]:
    """Return the kinds of columns by their names, such as "date"."""
    classes = members(kinds_module).values()
    return {kind.word: kind for kind in classes if issubclass(kind, Kind)}


@dataclass(frozen=True, eq=False)
class Schema(Value):
    """The role of each column of a table.

    Parameters
    ----------
    kinds
        The kind of each column that may be compared, such as "name", "date" or "ignored".
    cluster
        The column that holds the true cluster of each row, in tables to learn from.
    set
        The column that divides the table into sets; only rows of one set are compared with each
        other. None if all rows are one set.
    id
        The column that holds the id of each row; None if rows are named by their numbers.
    """

    kinds: Mapping[str, str]
    cluster: str | None = None
    set: str | None = field(default=None)
    id: str | None = None

    def __post_init__(self) -> None:
        names = (*kind_classes(), IGNORED)
        for column, kind in self.kinds.items():
            if kind not in names:
                raise InputError(
                    f"the kind of column {shown_value(column)} is {shown_value(kind)}; use one of "
                    f"{', '.join(names)}"
                )
        object.__setattr__(self, "kinds", dict(self.kinds))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return tuple(column for column, kind in self.kinds.items() if kind != IGNORED)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns that are compared, with their kinds, which are not yet fitted."""
        classes = kind_classes()
        return tuple(Field(column, classes[self.kinds[column]]()) for column in self.columns)


@renamed_parameters(table="frame", set_="set", id_="id")
def infer_schema(
    frame: Any,
    *,
    cluster: str | None = None,
    set: str | None = None,  # noqa: A002
    id: str | None = None,  # noqa: A002
    kinds: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
) -> Schema:
    """Infer the schema of a table from the names and values of its columns.

    Parameters
    ----------
    frame
        As for `fit`.
    cluster, set, id
        The columns with these roles; None for no column of clusters or sets. If no column of ids
        is named, one called id, _id, rec_id, record_id, row_id, uid or uuid is used.
    kinds
        The kinds of some columns; the others are inferred.
    ignore
        Columns that are not compared, whatever their kind.

    Examples
    --------
    >>> table = Table({"id": ["1", "2"], "name": ["Ann Lee", "Bob Ray"], "age": ["31", "7"]})
    >>> infer_schema(table).kinds
    {'name': 'name', 'age': 'number'}
    """
    table = as_table(frame)
    kinds = {**(kinds or {}), **dict.fromkeys(_as_ignored(table, ignore), IGNORED)}
    named = {
        role: name
        for role, name in (("cluster", cluster), ("set", set), ("id", id))
        if name is not None
    }
    for role, name in named.items():
        refuse_absent(table, [name], f"which `{role}=` names")
    _refuse_two_roles(named, kinds)
    _refuse_ignored_roles(named, ignore)
    refuse_absent(table, kinds, "which `kinds=` names")
    id = _inferred_id(table, {cluster, set, *kinds}) if id is None else id  # noqa: A001
    advice = other_delimiter(table.names)
    if advice is not None:
        raise InputError(f"{table.name} has a single column, {table.names[0]!r}; {advice}")
    roles = {cluster, set, id}
    columns = [name for name in table.names if name not in roles]
    n_compared = sum(kinds.get(name) != IGNORED for name in columns)
    if n_compared > MOST_COLUMNS:
        raise InputError(
            f"{table.name} has {n_compared:,} columns to compare; leave out columns, so that at "
            f"most {MOST_COLUMNS:,} remain"
        )
    schema = Schema(
        {name: kinds.get(name) or _inferred_kind(table, name) for name in columns},
        cluster,
        set,
        id,
    )
    if not schema.columns:
        raise InputError(
            f"{table.name} has no column to compare; besides ids, clusters and sets it needs "
            "a column whose values are not all equal"
        )
    return schema


def inferred_kind(texts: Sequence[str]) -> str:
    """Return the kind that fits the values of a column best, "ignored" if all are equal."""
    profile = Profile.of(texts)
    if len(profile.counts) < 2:
        return IGNORED
    classes = kind_classes()
    return max(classes, key=lambda word: classes[word].likeness(profile))


def _inferred_kind(table: Table, name: str) -> str:
    """Return the kind of a column; the columns of an earlier prediction are never compared."""
    if name in COLUMNS and is_predicted(table.names):
        return IGNORED
    return inferred_kind(table[name])


def refuse_absent(table: Table, names: Iterable[str], reason: str) -> None:
    """Refuse a table that lacks columns; the reason says why it should have them."""
    absent = [name for name in names if name not in table.names]
    if absent:
        shown = one_line(repr(absent[0]), 80)
        columns = f"column {shown}" if len(absent) == 1 else f"columns {column_list(absent)}"
        its_columns = f"its columns are {column_list(table.names)}"
        advice = other_delimiter(table.names) or its_columns
        raise InputError(f"{table.name} has no {columns}, {reason}; {advice}")


def _refuse_two_roles(named: Mapping[str, str], kinds: Mapping[str, str]) -> None:
    """Refuse a column that is named for two of the roles, or for a role and to be compared."""
    role_of: dict[str, str] = {}
    for role, name in named.items():
        other = role_of.setdefault(name, role)
        if other != role:
            raise InputError(
                f"`{other}=` and `{role}=` both name the column {name!r}; name two columns"
            )
    for name, role in role_of.items():
        if kinds.get(name, IGNORED) != IGNORED:
            raise InputError(
                f"`{role}=` names the column {name!r}, which is therefore not compared; leave it "
                "out of `kinds=`"
            )


def _as_ignored(table: Table, ignore: Collection[str]) -> Collection[str]:
    """Return the columns to leave out, after a check that they exist."""
    if isinstance(ignore, str):
        raise InputError(
            f"`ignore=` is the single string {shown_value(ignore)}; give a list of columns, such "
            f"as [{shown_value(ignore)}]"
        )
    refuse_absent(table, ignore, "which `ignore=` names")
    return ignore


def _refuse_ignored_roles(named: Mapping[str, str], ignore: Collection[str]) -> None:
    """Refuse a column that is to be left out and is named for a role."""
    for role, name in named.items():
        if name in ignore:
            raise InputError(
                f"`{role}=` and `ignore=` both name the column {shown_value(name)}; name it only "
                "once"
            )


def _inferred_id(table: Table, other_roles: Any) -> str | None:
    for name in table.names:
        if name.lower() not in IDS or name in other_roles:
            continue
        if name.lower() == "id" or len({*table[name]}) == len(table):
            return name
    return None


def shown_value(value: object) -> str:
    """Return a value for an error: on one line, and cut if it is long."""
    try:
        return one_line(repr(value), 100)
    except ValueError:  # Python does not print numbers of thousands of digits
        return "a number of thousands of digits"
