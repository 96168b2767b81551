"""Properties of single mentions: type, head, number, gender, entity class, role and words.

Each property is taken from its column if there is one and it is not empty. Otherwise it is derived
from the text by rules and small tables of English words.
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
    STOP_WORDS,
    TITLES,
)

MentionRow: TypeAlias = dict[str, Any]
"""The values of one mention by the names of their columns."""

REQUIRED = ("text", "start", "end", "sentence")
TEXT_COLUMNS = (
    "before", "after", "speaker", "form", "head", "lemma", "name", "upos", "number", "gender",
    "role", "governor",
)  # fmt: skip
NUMBER_COLUMNS = ("position", "turn", "quoted")
"""The optional columns: texts, where "" means unknown, and numbers."""

ROLES = {
    "nsubj": "subject", "nsubj:pass": "subject", "nsubj:outer": "subject", "csubj": "subject",
    "obj": "object", "iobj": "object", "xcomp": "object", "ccomp": "object",
    "obl": "oblique", "obl:agent": "oblique", "obl:unmarked": "oblique", "nmod": "oblique",
    "nmod:unmarked": "oblique", "nmod:poss": "possessor", "compound": "compound",
    "conj": "conjunct", "appos": "apposition", "root": "predicate", "vocative": "vocative",
    "dislocated": "dislocated",
}  # fmt: skip
TYPES_BY_DETERMINER = {
    "definite": "definite",
    "demonstrative": "demonstrative noun",
    "possessive": "possessed",
    "indefinite": "indefinite",
}
"""The type of a noun phrase by the kind of its determiner."""

NOUN_TYPES = ("name", *TYPES_BY_DETERMINER.values(), "bare", "clause")
GENITIVE_MARKS = {"'s", "’s", "'", "’"}
CLAUSE_TAGS = {"VERB", "AUX", "SCONJ"}
PRONOUN_TYPES = tuple(dict.fromkeys(PRONOUNS.values()))


class MentionReading(NamedTuple):
    """The properties of a mention; "" means unknown, and an empty tuple no words."""

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
    entity_class: str
    role: str
    governor: str
    speaker: str
    speaker_names: tuple[str, ...]
    before: str
    after: str
    quoted: bool


def mention_rows(items: Any) -> list[MentionRow]:
    """Return the mentions of an item set, each as a mapping of its columns to its values."""
    columns = _as_columns(items)
    missing = [name for name in REQUIRED if name not in columns]
    if missing:
        raise FeatureError(
            f"there is no column {' and no column '.join(missing)}; give at least the columns "
            f"{', '.join(REQUIRED)}"
        )
    names = [name for name in (*REQUIRED, *TEXT_COLUMNS, *NUMBER_COLUMNS) if name in columns]
    values = (
        _as_texts(name, columns[name]) if name in ("text", *TEXT_COLUMNS) else columns[name]
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
            f"columns, or a data frame, with at least the columns {', '.join(REQUIRED)}"
        ) from error
    columns: Mapping[str, Any] = frame.to_dict(as_series=False)
    return columns


def _as_texts(name: str, column: Iterable[Any]) -> list[str]:
    """Check that a column holds texts; missing values become empty, which means unknown."""
    texts = ["" if is_missing(value) else value for value in column]
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise FeatureError(
                f"{name} of item {i} is {text!r}, not a string; give a string, or None if it is "
                "missing"
            )
    return texts


def read_mention(row: MentionRow) -> MentionReading:
    """Return the properties of one mention, from its columns and its text."""
    tokens = _tokens(row["text"])
    lower = [token.lower() for token in tokens]
    head_token = row.get("head") or _find_head(tokens)
    head = head_token.lower()
    type_ = _mention_type(row, tokens, head_token)
    lemma = (row.get("lemma") or _singular(head, type_)).lower()
    before_head = lower[: _head_index(tokens, head_token)]
    core = _content_words([*before_head, head])
    names = _name_parts(row, tokens) if type_ == "name" else ()
    gender, entity_class = _gender_and_class(type_, lower, head, lemma, names)
    initials = "".join(token[0] for token in tokens if token[:1].isupper())
    return MentionReading(
        type=type_,
        string=" ".join(lower),
        core=" ".join(names or core),
        possessor=_possessor([*before_head, head]),
        head=head,
        lemma=lemma,
        beginning=head[:4] if len(head) > 4 else "",
        words=_content_words(lower),
        modifiers=tuple(word for word in core if word not in (head, lemma)),
        names=names,
        digits=" ".join(sorted(word for word in lower if any(map(str.isdigit, word)))),
        initials=initials if len(initials) > 1 else "",
        capitals=_acronym_letters(head_token),
        number=_grammatical_number(row, lower, head, type_),
        gender=row.get("gender") or gender,
        entity_class=entity_class,
        role=_grammatical_role(row, lower),
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
        raise FeatureError(f"quoted is {value!r}; give 1 for a mention inside a quotation, else 0")
    return bool(value)


def _content_words(words: list[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in STOP_WORDS)


def _tokens(text: str) -> list[str]:
    """Split a text into words, without punctuation and genitive marks at its end."""
    tokens = text.split() or [""]
    while len(tokens) > 1 and (
        tokens[-1] in GENITIVE_MARKS or not any(map(str.isalnum, tokens[-1]))
    ):
        tokens.pop()
    return tokens


def _find_head(tokens: list[str]) -> str:
    """Return the last word before a preposition, a clause or a comma, which is mostly the head.

    >>> _find_head("the old house of my father".split())
    'house'
    """
    for i, token in enumerate(tokens[1:], start=1):
        if token.lower() in HEAD_ENDS:
            return tokens[i - 1]
    return tokens[-1]


def _mention_type(row: MentionRow, tokens: list[str], head: str) -> str:
    upos, form, lower = row.get("upos"), row.get("form"), head.lower()
    is_single_word = len(tokens) == 1
    if (is_single_word or upos == "PRON" or form == "PRON") and lower in PRONOUNS:
        return PRONOUNS[lower]
    if upos in ("PRON", "DET") or form == "PRON":
        return PRONOUNS.get(tokens[0].lower(), "indefinite pronoun")
    if upos in CLAUSE_TAGS:
        return "clause"
    is_unclear = upos in ("ADJ", "X", "", None) and not form
    if upos == "PROPN" or form == "PROP" or (is_unclear and _looks_like_name(row, head)):
        return "name"
    determiner = DETERMINERS.get(tokens[0].lower(), "")
    if any(token in GENITIVE_MARKS for token in tokens[: _head_index(tokens, head)]):
        determiner = "possessive"
    return TYPES_BY_DETERMINER.get(determiner, "bare")


def _head_index(tokens: list[str], head: str) -> int:
    """Return the index of the head, or the number of tokens if the head is not one of them."""
    return tokens.index(head) if head in tokens else len(tokens)


def _possessor(lower: list[str]) -> str:
    """Return the owner of the head: my, his, or the word before a genitive mark."""
    for i, word in enumerate(lower[1:], start=1):
        if word in GENITIVE_MARKS:
            return lower[i - 1]
    return lower[0] if DETERMINERS.get(lower[0]) == "possessive" and len(lower) > 1 else ""


def _looks_like_name(row: MentionRow, head: str) -> bool:
    """Return whether the head has a capital that is not due to the start of a sentence."""
    starts_sentence = row.get("before") == "" and row["text"].startswith(head)
    return head[:1].isupper() and not starts_sentence


def _name_parts(row: MentionRow, tokens: list[str]) -> tuple[str, ...]:
    """Return the words of a name with a capital or a digit, without titles if others are left."""
    words = row.get("name", "").split() or tokens
    capitalized = [word.lower() for word in words if word[:1].isupper() or word[:1].isdigit()]
    parts = [word for word in capitalized if word not in STOP_WORDS]
    return tuple([word for word in parts if word not in TITLES] or parts)


def _acronym_letters(head: str) -> str:
    """Return the letters of a head that is all in capitals, such as U.N.; else an empty text."""
    letters = head.replace(".", "")
    return letters if len(letters) > 1 and letters.isupper() and letters.isalpha() else ""


def _singular(head: str, type_: str) -> str:
    """Return the singular of a noun; names stay as they are.

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


def _grammatical_number(row: MentionRow, lower: list[str], head: str, type_: str) -> str:
    if type_ in PRONOUN_TYPES:
        return PRONOUN_NUMBERS.get(head, "")
    number = row.get("number")
    if number:
        return "Plur" if number in ("Plur", "Ptan") else "Sing"
    if "and" in lower[1:-1] or lower[0] in PLURAL_DETERMINERS:
        return "Plur"
    if lower[0] in SINGULAR_DETERMINERS or (type_ == "name" and lower[0] != "the"):
        return "Sing"
    return "Plur" if _is_plural(head) else "Sing"


def _gender_and_class(
    type_: str, lower: list[str], head: str, lemma: str, names: tuple[str, ...]
) -> tuple[str, str]:
    """Return the gender (Masc, Fem, Neut) and the class (person, group, place, time, thing)."""
    if type_ in PRONOUN_TYPES:
        gender = {"he": "Masc", "she": "Fem", "it": "Neut"}.get(type_, "")
        return gender, PRONOUN_CLASSES.get(head, "")
    if type_ == "name":
        return _name_gender_and_class(lower, names)
    gender = GENDERED_NOUNS.get(lemma, "")
    is_person = gender or lemma.endswith(PERSON_ENDINGS)
    entity_class = "person" if is_person else _noun_class(lemma)
    return gender or ("Neut" if entity_class in ("place", "time", "thing") else ""), entity_class


def _noun_class(word: str) -> str:
    return NOUN_CLASSES.get(word, "").removesuffix(" name")


def _name_gender_and_class(lower: list[str], names: tuple[str, ...]) -> tuple[str, str]:
    for word in lower:
        if word in TITLES and len(lower) > 1:
            return TITLES[word].replace("person", ""), "person"
    word_classes = [_noun_class(word) for word in lower]
    for entity_class in ("group", "place", "time"):
        if entity_class in word_classes:
            return "Neut", entity_class
    first = names[0] if names else ""
    gender = FIRST_NAMES.get(first) or GENDERED_NOUNS.get(first, "")
    return gender, "person" if gender else ""


def _grammatical_role(row: MentionRow, lower: list[str]) -> str:
    """Return the role by syntax, or else a guess from case and the words before and after."""
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
    """Split the name of a speaker into words, even if it is written without blanks.

    >>> _speaker_names("JimmyWales")
    ('jimmy', 'wales')
    """
    spaced = "".join(f" {c}" if c.isupper() else c for c in speaker.replace("_", " "))
    return tuple(word.lower() for word in spaced.split() if len(word) > 1)
