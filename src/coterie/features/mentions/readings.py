"""What one mention says about itself: its type, head, number, gender, class, role and words.

Each is taken from a column where there is one that tells, otherwise read off the text by rule.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import narwhals as nw

from coterie.exceptions import FeatureError
from coterie.features.columns import is_missing
from coterie.features.mentions.words import (
    ACCUSATIVE,
    COPULAS,
    DETERMINERS,
    FIRST_NAMES,
    GENDERED_NOUNS,
    HEAD_ENDS,
    IDLE,
    IRREGULAR_PLURALS,
    NOMINATIVE,
    NOUN_CLASSES,
    PERSON_ENDINGS,
    PLURAL_DETERMINERS,
    PREPOSITIONS,
    PRONOUN_CLASSES,
    PRONOUN_NUMBERS,
    PRONOUNS,
    SINGULAR_DETERMINERS,
    TITLES,
)

Row: TypeAlias = dict[str, Any]

REQUIRED = ("text", "start", "end", "sentence")
TOLD = (
    "before", "after", "speaker", "form", "head", "lemma", "name", "upos", "number", "gender",
    "role", "governor",
)  # fmt: skip
COUNTED = ("position", "turn", "quoted")
"""Columns that are read where they are there: texts, "" for what is not known, and numbers."""

ROLES = {
    "nsubj": "subject", "nsubj:pass": "subject", "nsubj:outer": "subject", "csubj": "subject",
    "obj": "object", "iobj": "object", "xcomp": "object", "ccomp": "object",
    "obl": "oblique", "obl:agent": "oblique", "obl:unmarked": "oblique", "nmod": "oblique",
    "nmod:unmarked": "oblique", "nmod:poss": "possessor", "compound": "compound",
    "conj": "conjunct", "appos": "apposition", "root": "predicate", "vocative": "vocative",
    "dislocated": "dislocated",
}  # fmt: skip
DETERMINED = {
    "definite": "definite",
    "demonstrative": "demonstrative noun",
    "possessive": "possessed",
    "indefinite": "indefinite",
}
NOUN_TYPES = ("name", *DETERMINED.values(), "bare", "clause")
MARKS = {"'s", "’s", "'", "’"}
CLAUSES = {"VERB", "AUX", "SCONJ"}
PRONOUN_TYPES = tuple(dict.fromkeys(PRONOUNS.values()))


class MentionReading(NamedTuple):
    """A mention; "" stands for what is not known, an empty tuple for no words."""

    type: str
    string: str
    core: str
    possessor: str
    head: str
    lemma: str
    beginning: str
    words: tuple[str, ...]
    modifiers: tuple[str, ...]
    names: tuple[str, ...]
    digits: str
    initials: str
    capitals: str
    number: str
    gender: str
    kind: str
    role: str
    governor: str
    speaker: str
    speaker_names: tuple[str, ...]
    before: str
    after: str
    quoted: bool


def mention_rows(items: Any) -> list[Row]:
    """Return the mentions of an item set, each a mapping of the known columns to its values."""
    columns = _as_columns(items)
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise FeatureError(
            f"there is no column {' and no column '.join(missing)}; give at least "
            f"{', '.join(REQUIRED)}"
        )
    names = [name for name in (*REQUIRED, *TOLD, *COUNTED) if name in columns]
    values = (
        _as_texts(name, columns[name]) if name in ("text", *TOLD) else columns[name]
        for name in names
    )
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def _as_columns(items: Any) -> Mapping[str, Any]:
    if isinstance(items, Mapping):
        return items
    try:
        frame = nw.from_native(items, eager_only=True)
    except TypeError as error:
        raise FeatureError(
            f"the items are of type {type(items).__name__}; give mentions as a mapping of names to "
            f"columns, with {', '.join(REQUIRED)} among them"
        ) from error
    columns: Mapping[str, Any] = frame.to_dict(as_series=False)
    return columns


def _as_texts(name: str, column: Iterable[Any]) -> list[str]:
    """Take a column of texts; what is missing, None or not a number, is not known."""
    texts = ["" if is_missing(value) else value for value in column]
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise FeatureError(f"{name} of item {number} is {text!r}; give a text, or None")
    return texts


def read_mention(row: Row) -> MentionReading:
    """Read one mention."""
    tokens = _tokens(row["text"])
    lower = [token.lower() for token in tokens]
    given_head = row.get("head") or _head(tokens)
    head = given_head.lower()
    type_ = _type(row, tokens, given_head)
    lemma = (row.get("lemma") or _singular(head, type_)).lower()
    before = lower[: _place(tokens, given_head)]
    core = _telling([*before, head])
    names = _names(row, tokens) if type_ == "name" else ()
    gender, kind = _gender_and_class(type_, lower, head, lemma, names)
    initials = "".join(token[0] for token in tokens if token[:1].isupper())
    return MentionReading(
        type=type_,
        string=" ".join(lower),
        core=" ".join(names or core),
        possessor=_possessor([*before, head]),
        head=head,
        lemma=lemma,
        beginning=head[:4] if len(head) > 4 else "",
        words=_telling(lower),
        modifiers=tuple(word for word in core if word not in (head, lemma)),
        names=names,
        digits=" ".join(sorted(word for word in lower if any(map(str.isdigit, word)))),
        initials=initials if len(initials) > 1 else "",
        capitals=_capitals(given_head),
        number=_number(row, lower, head, type_),
        gender=row.get("gender") or gender,
        kind=kind,
        role=_role(row, lower),
        governor=row.get("governor", "").lower(),
        speaker=row.get("speaker", ""),
        speaker_names=_speaker_names(row.get("speaker", "")),
        before=row.get("before", "").lower(),
        after=row.get("after", "").lower(),
        quoted=_is_quoted(row.get("quoted")),
    )


def _is_quoted(value: Any) -> bool:
    if is_missing(value):
        return False
    if value not in (0, 1):
        raise FeatureError(f"quoted is {value!r}; give 1 inside a quotation, else 0")
    return bool(value)


def _telling(words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in IDLE)


def _tokens(text: str) -> list[str]:
    """Split a text into words, without the marks at its end."""
    tokens = text.split() or [""]
    while len(tokens) > 1 and (tokens[-1] in MARKS or not any(map(str.isalnum, tokens[-1]))):
        tokens.pop()
    return tokens


def _head(tokens: list[str]) -> str:
    """Find the head by rule: the last word before a preposition, a clause or a comma.

    >>> _head("the old house of my father".split())
    'house'
    """
    for place, token in enumerate(tokens[1:], start=1):
        if token.lower() in HEAD_ENDS:
            return tokens[place - 1]
    return tokens[-1]


def _type(row: Row, tokens: list[str], head: str) -> str:
    upos, form, lower = row.get("upos"), row.get("form"), head.lower()
    single = len(tokens) == 1
    if (single or upos == "PRON" or form == "PRON") and lower in PRONOUNS:
        return PRONOUNS[lower]
    if upos in ("PRON", "DET") or form == "PRON":
        return PRONOUNS.get(tokens[0].lower(), "indefinite pronoun")
    if upos in CLAUSES:
        return "clause"
    untold = upos in ("ADJ", "X", "", None) and not form
    if upos == "PROPN" or form == "PROP" or (untold and _looks_named(row, head)):
        return "name"
    first = DETERMINERS.get(tokens[0].lower(), "")
    if any(token in MARKS for token in tokens[: _place(tokens, head)]):
        first = "possessive"
    return DETERMINED.get(first, "bare")


def _place(tokens: list[str], head: str) -> int:
    return tokens.index(head) if head in tokens else len(tokens)


def _possessor(lower: list[str]) -> str:
    """Return whose the head is: my, his, or the last word before a genitive."""
    for place, word in enumerate(lower[1:], start=1):
        if word in MARKS:
            return lower[place - 1]
    return lower[0] if DETERMINERS.get(lower[0]) == "possessive" and len(lower) > 1 else ""


def _looks_named(row: Row, head: str) -> bool:
    """Take a capital for a name, unless it may be that of the first word of a sentence."""
    starts_sentence = row.get("before") == "" and row["text"].startswith(head)
    return head[:1].isupper() and not starts_sentence


def _names(row: Row, tokens: list[str]) -> tuple[str, ...]:
    given = row.get("name", "").split() or tokens
    capital = [token.lower() for token in given if token[:1].isupper() or token[:1].isdigit()]
    named = [token for token in capital if token not in IDLE and token not in TITLES]
    return tuple(named or [token for token in capital if token not in IDLE])


def _capitals(head: str) -> str:
    letters = head.replace(".", "")
    return letters if len(letters) > 1 and letters.isupper() and letters.isalpha() else ""


def _singular(head: str, type_: str) -> str:
    """Drop the ending of a plural.

    >>> [_singular(word, "bare") for word in ("cities", "boxes", "dogs", "glass", "women")]
    ['city', 'box', 'dog', 'glass', 'woman']
    """
    if type_ == "name" or not _is_plural(head):
        return head
    if head in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[head]
    if head.endswith("ies") and len(head) > 4:
        return head[:-3] + "y"
    return head[:-2] if head.endswith(("ches", "shes", "sses", "xes", "zes")) else head[:-1]


def _is_plural(word: str) -> bool:
    regular = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3
    return regular or word in IRREGULAR_PLURALS


def _number(row: Row, lower: list[str], head: str, type_: str) -> str:
    if type_ in PRONOUN_TYPES:
        return PRONOUN_NUMBERS.get(head, "")
    given = row.get("number")
    if given:
        return "Plur" if given in ("Plur", "Ptan") else "Sing"
    if "and" in lower[1:-1] or lower[0] in PLURAL_DETERMINERS:
        return "Plur"
    if lower[0] in SINGULAR_DETERMINERS or (type_ == "name" and lower[0] != "the"):
        return "Sing"
    return "Plur" if _is_plural(head) else "Sing"


def _gender_and_class(
    type_: str, lower: list[str], head: str, lemma: str, names: tuple[str, ...]
) -> tuple[str, str]:
    """Tell gender (Masc, Fem, Neut) and class (person, group, place, time, thing)."""
    if type_ in PRONOUN_TYPES:
        gender = {"he": "Masc", "she": "Fem", "it": "Neut"}.get(type_, "")
        return gender, PRONOUN_CLASSES.get(head, "")
    if type_ == "name":
        return _of_name(lower, names)
    gender = GENDERED_NOUNS.get(lemma, "")
    kind = "person" if gender or lemma.endswith(PERSON_ENDINGS) else _class(lemma)
    return gender or ("Neut" if kind in ("place", "time", "thing") else ""), kind


def _class(word: str) -> str:
    return NOUN_CLASSES.get(word, "").removesuffix(" name")


def _of_name(lower: list[str], names: tuple[str, ...]) -> tuple[str, str]:
    for word in lower:
        if word in TITLES and len(lower) > 1:
            return TITLES[word].replace("person", ""), "person"
    classes = [_class(word) for word in lower]
    for kind in ("group", "place", "time"):
        if kind in classes:
            return "Neut", kind
    first = names[0] if names else ""
    gender = FIRST_NAMES.get(first) or GENDERED_NOUNS.get(first, "")
    return gender, "person" if gender else ""


def _role(row: Row, lower: list[str]) -> str:
    """Tell the grammatical role from syntax, or guess it from case and the words around."""
    if row.get("role"):
        return ROLES.get(row["role"], "other")
    if len(lower) == 1 and lower[0] in NOMINATIVE:
        return "subject"
    before, after = row.get("before", "").lower(), row.get("after", "").lower()
    if before in PREPOSITIONS:
        return "oblique"
    if len(lower) == 1 and lower[0] in ACCUSATIVE:
        return "object"
    if len(lower) == 1 and lower[0] in ("my", "his", "its", "our", "their", "your", "thy"):
        return "possessor"
    return "subject" if after in COPULAS or after.endswith("ed") else ""


def _speaker_names(speaker: str) -> tuple[str, ...]:
    """Split the name of a speaker, also one written together.

    >>> _speaker_names("JimmyWales")
    ('jimmy', 'wales')
    """
    spaced = "".join(f" {c}" if c.isupper() else c for c in speaker.replace("_", " "))
    return tuple(word.lower() for word in spaced.split() if len(word) > 1)
