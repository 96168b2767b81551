"""What the columns of a table are: the id, the cluster, the set, and fields of some kinds."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coterie._core.lazy import members
from coterie._core.values import Value
from coterie.exceptions import InputError
from coterie.features import kinds as kinds_module
from coterie.features.kinds.base import Kind
from coterie.features.kinds.profile import Profile
from coterie.features.records import Field
from coterie.tables.table import Table, listed

OURS = ("cluster_id", "confidence", "linked_to", "reason")
"""The columns that a prediction adds."""

INPUT = "cluster_id_input"
"""What a column of given clusters is called in a prediction, if it has the name of ours."""

IGNORED = "ignored"
"""The kind of a column that is not compared."""

IDS = ("id", "_id", "rec_id", "record_id", "row_id", "uid", "uuid")
"""Names of columns of ids, where these are unique; one called id must be."""


def kind_classes() -> dict[str, type[Kind]]:
    """Return the kinds of columns by the words that name them."""
    every = members(kinds_module).values()
    return {kind.word: kind for kind in every if issubclass(kind, Kind)}


@dataclass(frozen=True, eq=False)
class Schema(Value):
    """Say what each column of a table is.

    Parameters
    ----------
    kinds
        The kind of each column that may be compared, by its word, such as "name" or "ignored".
    cluster
        The column that says which rows belong together, in tables to learn from.
    set
        The column that says which rows are clustered with each other; None: all.
    id
        The column that names rows; None: their numbers do.
    """

    kinds: Mapping[str, str]
    cluster: str | None = None
    set: str | None = field(default=None)
    id: str | None = None

    def __post_init__(self) -> None:
        known = kind_classes()
        for column, kind in self.kinds.items():
            if kind != IGNORED and kind not in known:
                words = ", ".join((*known, IGNORED))
                raise InputError(f"column {column!r} is of the kind {kind!r}; give one of {words}")
        object.__setattr__(self, "kinds", dict(self.kinds))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return tuple(column for column, kind in self.kinds.items() if kind != IGNORED)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns that are compared, with their kinds, which know nothing yet."""
        known = kind_classes()
        return tuple(Field(column, known[self.kinds[column]]()) for column in self.columns)


def infer_schema(
    table: Table,
    *,
    cluster: str | None = None,
    set_: str | None = None,
    id_: str | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Schema:
    """Find out what the columns of a table are; what is given goes before what is inferred.

    >>> table = Table({"id": ["1", "2"], "name": ["Ann Lee", "Bob Ray"], "age": ["31", "7"]})
    >>> infer_schema(table).kinds
    {'name': 'name', 'age': 'number'}
    """
    given = dict(kinds or {})
    roles = [("cluster", cluster), ("set", set_), ("id", id_)]
    for role, name in roles:
        if name is not None:
            refuse_absent(table, [name], f"--{role}")
    refuse_absent(table, given, "the schema")
    id_ = _inferred_id(table, {cluster, set_, *given}) if id_ is None else id_
    taken = {cluster, set_, id_}
    columns = [name for name in table.names if name not in taken]
    found = {name: given.get(name) or inferred_kind(table[name]) for name in columns}
    schema = Schema(found, cluster, set_, id_)
    if not schema.columns:
        raise InputError(
            f"{table.name} has no column to compare; beside ids, clusters and sets it needs one "
            "with values that differ"
        )
    return schema


def inferred_kind(texts: Sequence[str]) -> str:
    """Return the word of the kind that a column looks like most; one value alone says nothing."""
    profile = Profile.of(texts)
    if len(profile.counts) < 2:
        return IGNORED
    classes = kind_classes()
    return max(classes, key=lambda word: classes[word].likeness(profile))


def refuse_absent(table: Table, names: Any, who: str) -> None:
    """Refuse a table that lacks a column; `who` says what asks for it."""
    absent = [name for name in names if name not in table.names]
    if absent:
        raise InputError(
            f"{table.name} has no column {absent[0]!r}, which {who} asks for; its columns are "
            f"{listed(table.names)}"
        )


def refuse_ours(table: Table, cluster: str | None) -> None:
    """Refuse columns that have the names of those that a prediction adds."""
    clash = [name for name in table.names if name in OURS and name != cluster]
    if cluster in OURS and INPUT in table.names:
        clash.append(INPUT)
    if clash:
        raise InputError(
            f"{table.name} has a column {clash[0]!r}, which is the name of one that a prediction "
            "adds; rename it"
        )


def refuse_predicted(table: Table, cluster: str | None) -> None:
    """Refuse to take the clusters that a prediction has added for those that were given."""
    if cluster in OURS and INPUT in table.names:
        raise InputError(
            f"{table.name} was written by a prediction: {cluster!r} is what was predicted, and "
            f"what was given is {INPUT!r}; name that by --cluster"
        )


def _inferred_id(table: Table, taken: Any) -> str | None:
    for name in table.names:
        if name.lower() not in IDS or name in taken:
            continue
        if name.lower() == "id" or len(set(table[name])) == len(table):
            return name
    return None


# The schema as a file.

_KEYS: dict[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(("cluster", "set", "id", "learner", "metric"), ((str,), "a text")),
    **dict.fromkeys(("seed", "jobs"), ((int,), "a whole number")),
    "budget": ((int, float), "a number of seconds"),
    "kinds": ((dict,), "a kind for each of some columns"),
}
"""What a file may say, of which types, and that in words."""


def schema_text(schema: Schema, source: str) -> str:
    """Write a schema as TOML, to be edited.

    >>> print(schema_text(Schema({"name": "name"}, cluster="who"), "people.csv"))
    # What the columns of people.csv are; edit it, and give it to `coterie fit --schema`.
    # Kinds: category, code, date, name, number, short, text, tokens, ignored.
    <BLANKLINE>
    cluster = "who"
    <BLANKLINE>
    [kinds]
    name = "name"
    <BLANKLINE>
    """
    roles = [(role, getattr(schema, role)) for role in ("id", "cluster", "set")]
    lines = [
        f"# What the columns of {source} are; edit it, and give it to `coterie fit --schema`.",
        f"# Kinds: {', '.join((*kind_classes(), IGNORED))}.",
        "",
        *(f"{role} = {_quoted(name)}" for role, name in roles if name is not None),
        "",
        "[kinds]",
        *(f"{_quoted(name, bare=True)} = {_quoted(kind)}" for name, kind in schema.kinds.items()),
        "",
    ]
    return "\n".join(lines)


def read_settings(text: str, source: str) -> dict[str, Any]:
    """Read what a TOML file says: roles of columns, kinds, and how to learn."""
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source} is no TOML: {error}; correct it") from error
    for key, value in read.items():
        if key not in _KEYS:
            raise InputError(f"{source} has the key {key!r}; give some of {', '.join(_KEYS)}")
        types, words = _KEYS[key]
        if type(value) not in types:
            raise InputError(f"{source}: {key} is {value!r}; give {words}")
    for column, kind in read.get("kinds", {}).items():
        if not isinstance(kind, str):
            raise InputError(f"{source}: the kind of {column!r} is {kind!r}; give a text")
    return read


def _quoted(text: str, *, bare: bool = False) -> str:
    """Write a text as TOML does; `bare` leaves out the quotes of a key that needs none."""
    if bare and text.isascii() and text.replace("_", "").replace("-", "").isalnum():
        return text
    escaped = {ord("\\"): "\\\\", ord('"'): '\\"', 0x7F: "\\u007f"}
    escaped |= {code: f"\\u{code:04x}" for code in range(32)}
    return f'"{text.translate(escaped)}"'
