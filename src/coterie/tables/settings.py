"""The settings of `coterie fit` as a TOML file, which holds a complete run."""

from collections.abc import Callable, Iterable, Mapping
from math import inf
from typing import Any, NamedTuple

from coterie._core.texts import one_line
from coterie.exceptions import InputError
from coterie.learners.auto.families import AUTO, SLUGS
from coterie.learners.sampled.efforts import EFFORTS, NORMAL
from coterie.tables.limits import AUTO as AUTO_SIZE
from coterie.tables.schema import IGNORED, Schema, kind_classes, shown_value
from coterie.tables.toml import parse_toml

METRIC = "b_cubed"
"""The metric by which learners are chosen, unless another one is named."""

MIN_ENTITIES = 5
"""The number of entities that must share a value whose hash is stored, unless another is named."""

LONGEST_COMMENT = 300
"""The largest number of characters of a comment."""


class Requirement(NamedTuple):
    """A check of a value in a file, and what it requires in words."""

    is_met: Callable[[Any], bool]
    text: str


class Setting(NamedTuple):
    """A setting of a run.

    Parameters
    ----------
    name
        The name in files and, with hyphens, of the option.
    requirement
        What values are allowed.
    comment
        What the file says about it.
    default
        The value of a run that does not set it; None if it then has no value.
    example
        A value that a file shows in a comment if there is no default.
    """

    name: str
    requirement: Requirement
    comment: str
    default: Any = None
    example: Any = "COLUMN"


def _is_whole(value: object, least: int) -> bool:
    """Return whether a value is a whole number of at most 64 bits, as the TOML format has them."""
    # True and False are of a subclass of int.
    return type(value) is int and least <= value < 2**63


_TEXT = Requirement(lambda value: isinstance(value, str), "a string")
_TEXTS = Requirement(
    lambda value: isinstance(value, list) and all(isinstance(text, str) for text in value),
    'a list of strings, such as ["name", "town"]',
)
_COUNT = Requirement(lambda value: _is_whole(value, 1), "a whole number of at least 1")
_SEED = Requirement(lambda value: _is_whole(value, 0), "a whole number of at least 0")
_TRUTH = Requirement(lambda value: isinstance(value, bool), "true or false")
_SECONDS = Requirement(
    lambda value: _is_whole(value, 1) or (type(value) is float and 0 < value < inf),
    "a number of seconds above 0",
)
_SIZE = Requirement(
    lambda value: value in ("auto", "none") or _is_whole(value, 1),
    'a whole number of at least 1, "none" or "auto"',
)
_TABLE = Requirement(lambda value: isinstance(value, dict), "a table of columns and their kinds")

ROLES = (
    Setting("id", _TEXT, "The column of row ids, which are not compared."),
    Setting("cluster", _TEXT, "The column of true clusters."),
    Setting("set", _TEXT, "The column of sets: rows of different sets are never compared."),
)

SETTINGS = (
    *ROLES,
    Setting(
        "ignore", _TEXTS, "Columns to leave out, whatever their kind; new tables may lack them.", ()
    ),
    Setting("effort", _TEXT, f"How much work to put into learning: {', '.join(EFFORTS)}.", NORMAL),
    Setting("learner", _TEXT, f"The learning method: {', '.join(SLUGS)}.", AUTO),
    Setting("metric", _TEXT, "The metric by which learners are chosen.", METRIC),
    Setting("budget", _SECONDS, "Seconds after which no further learner starts.", None, 60),
    Setting(
        "max_size",
        _SIZE,
        'The most different rows of a cluster: a number, "none" or "auto".',
        AUTO_SIZE,
    ),
    Setting(
        "min_entities",
        _COUNT,
        "The model holds hashes of values that so many entities share.",
        MIN_ENTITIES,
    ),
    Setting(
        "sample", _TEXT, 'The rows that the model holds for a test: "made-up" or "rows".', "made-up"
    ),
    Setting(
        "jobs",
        _COUNT,
        "The number of threads; by default, one per processor.",
        None,
        2,
    ),
    Setting("seed", _SEED, "The seed of all random choices.", 0),
    Setting("format", _TEXT, "The format of the table; by default, its name tells.", None, "csv"),
    Setting(
        "long_cells", _TRUTH, "Whether to read cells of more than 1,048,576 characters.", False
    ),
)
"""All settings but the kinds of columns, in the order of the file: a new one needs one line."""

_REQUIREMENTS = {**{setting.name: setting.requirement for setting in SETTINGS}, "kinds": _TABLE}


def schema_text(
    schema: Schema,
    source: str,
    settings: Mapping[str, Any] | None = None,
    notes: Mapping[str, Iterable[str]] | None = None,
) -> str:
    """Return the settings of a run as the text of a TOML file that people can edit.

    Parameters
    ----------
    schema
        The columns with roles, and the kinds of the others.
    source
        The name of the table.
    settings
        Values of settings that are not their defaults, by the names in files.
    notes
        Lines of comments on columns, by their names.

    Examples
    --------
    >>> text = schema_text(Schema({"name": "name"}, cluster="who"), "people.csv")
    >>> print(text[:text.index("learner")] + "…" + text[text.index("[kinds]"):])
    # Settings of `coterie fit` for people.csv. Correct them where needed, then run:
    #     coterie fit TABLE --schema THIS_FILE -o MODEL
    # Lines such as `# budget = 60` have no effect until you remove the #.
    <BLANKLINE>
    # The column of row ids, which are not compared.
    # id = "COLUMN"
    # The column of true clusters.
    cluster = "who"
    # The column of sets: rows of different sets are never compared.
    # set = "COLUMN"
    # Columns to leave out, whatever their kind; new tables may lack them.
    ignore = []
    # How much work to put into learning: quick, normal, thorough.
    effort = "normal"
    # The learning method: auto, logistic, forest, left-linking, boosted, structured.
    …[kinds]
    # The kinds are category, code, date, name, number, short, text, tokens, ignored.
    name = "name"
    <BLANKLINE>
    """
    values = {role.name: getattr(schema, role.name) for role in ROLES} | dict(settings or {})
    notes = notes or {}
    roles = {getattr(schema, role.name) for role in ROLES}
    cluster = " --cluster COLUMN" if schema.cluster is None else ""
    lines = [
        *_comment(f"Settings of `coterie fit` for {source}. Correct them where needed, then run:"),
        f"#     coterie fit TABLE --schema THIS_FILE{cluster} -o MODEL",
        "# Lines such as `# budget = 60` have no effect until you remove the #.",
        "",
    ]
    for setting in SETTINGS:
        value = values.get(setting.name, setting.default)
        lines += _comment(setting.comment)
        if setting in ROLES and value is not None:
            lines += [line for note in notes.get(value, ()) for line in _comment(note)]
        lines.append(_assignment(setting, value))
    lines += ["", "[kinds]", f"# The kinds are {', '.join((*kind_classes(), IGNORED))}."]
    for name, kind in schema.kinds.items():
        lines += [""] if notes.get(name) else []
        lines += [line for note in notes.get(name, ()) for line in _comment(note)]
        lines.append(f"{_quoted(name, bare=True)} = {_quoted(kind)}")
    lines += [
        line
        for name in notes
        if name not in roles and name not in schema.kinds
        for note in notes[name]
        for line in _comment(f"{name}: {note}")
    ]
    return "\n".join([*lines, ""])


def _comment(text: str) -> list[str]:
    """Return a comment, on one line."""
    return [f"# {one_line(text, LONGEST_COMMENT)}"]


def _assignment(setting: Setting, value: Any) -> str:
    """Return the line of a setting; without a value, as a comment that shows how to set it."""
    if value is None:
        return f"# {setting.name} = {_literal(setting.example)}"
    return f"{setting.name} = {_literal(value)}"


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_quoted, value))}]"
    return repr(value)


def read_settings(text: str, source: str) -> dict[str, Any]:
    """Read the settings in the text of a TOML file: columns, kinds, and how to learn."""
    settings = parse_toml(text, source)
    for key, value in settings.items():
        if key not in _REQUIREMENTS:
            raise InputError(
                f"{source} has the unknown key {shown_value(key)}; the keys are "
                f"{', '.join(_REQUIREMENTS)}"
            )
        requirement = _REQUIREMENTS[key]
        if not requirement.is_met(value):
            raise InputError(
                f"{source}: {key} is {shown_value(value)}; it must be {requirement.text}"
            )
    for column, kind in settings.get("kinds", {}).items():
        if not isinstance(kind, str):
            raise InputError(
                f"{source}: the kind of {shown_value(column)} is {shown_value(kind)}; it must be "
                'a string, such as "name"'
            )
    return settings


def _quoted(text: str, *, bare: bool = False) -> str:
    """Return a text as a TOML string; `bare` leaves out the quotes of a key that needs none."""
    if bare and text.isascii() and text.replace("_", "").replace("-", "").isalnum():
        return text
    escaped = {ord("\\"): "\\\\", ord('"'): '\\"', 0x7F: "\\u007f"}
    escaped |= {code: f"\\u{code:04x}" for code in range(32)}
    return f'"{text.translate(escaped)}"'
