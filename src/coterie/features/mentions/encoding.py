"""Mentions as arrays: the properties of each mention as bits, its texts and words as codes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from coterie._core.arrays import Bools, Ints
from coterie._kernels.texts.mentions import Bits
from coterie.exceptions import FeatureError
from coterie.features.mentions.readings import (
    NOUN_TYPES,
    PRONOUN_TYPES,
    MentionReading,
    mention_rows,
    read_mention,
)
from coterie.features.mentions.words import BREAKS, COPULAS, POSSESSIVE, REFLEXIVE, SPEECH_VERBS

CLASSES = ("person", "group", "place", "time", "thing")
GROUPS = {
    "pronoun": PRONOUN_TYPES,
    "noun": tuple(name for name in NOUN_TYPES if name != "name"),
    "speech pronoun": ("i", "we", "you"),
    "third pronoun": ("he", "she", "it", "they"),
    "he or she": ("he", "she"),
    "other pronoun": ("demonstrative", "here", "indefinite pronoun"),
    "the noun": ("definite", "demonstrative noun"),
    "other noun": ("possessed", "indefinite", "bare", "clause"),
}
"""Groups of mention types that features treat as one."""

PROPERTIES = (
    *PRONOUN_TYPES, *NOUN_TYPES, *GROUPS, *CLASSES, "unknown class", "reflexive", "possessive",
    "subject", "object", "oblique", "possessor", "predicate", "apposition", "conjunct", "quoted",
    "speaks", "before copula", "after comma",
)  # fmt: skip
"""The properties that a mention may have, one bit each."""

COMPARED_TEXTS = (
    "string", "core", "possessor", "lemma", "beginning", "first name", "last name", "digits",
    "initials", "capitals", "number", "gender", "entity_class", "role", "governor", "speaker",
)  # fmt: skip
"""The texts of a mention that are compared for equality."""

POSITION_COLUMNS = ("start", "end", "sentence", "position", "turn")
"""Columns of whole numbers that locate a mention in its document."""


class WordSets(NamedTuple):
    """One set of words per mention: the ascending codes `words[starts[i]:starts[i + 1]]`."""

    starts: Ints
    words: Ints

    @property
    def sizes(self) -> Ints:
        """The number of words of each mention."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class EncodedMentions:
    """The mentions of an item set as arrays.

    All texts and words share one code; 0 is the code of an empty text.
    """

    properties: Bits
    positions: dict[str, Ints]
    codes: dict[str, Ints]
    words: WordSets
    heads: WordSets
    modifiers: WordSets
    names: WordSets
    speakers: WordSets

    def __len__(self) -> int:
        return len(self.properties)

    def has(self, name: str) -> Bools:
        """Return for each mention whether it has a property."""
        return (self.properties & property_bit(name)) > 0


def property_bit(name: str) -> np.uint64:
    """Return the bit of a property."""
    return np.uint64(1 << PROPERTIES.index(name))


def encode_mentions(items: Any) -> EncodedMentions:
    """Read each mention, and encode its properties and texts."""
    is_empty = not sp.issparse(items) and not len(items)
    rows = [] if is_empty else mention_rows(items)
    readings = [read_mention(row) for row in rows]
    codes = TextCodes()
    return EncodedMentions(
        properties=np.array([_bits(reading) for reading in readings], dtype=np.uint64),
        positions={
            name: _int_column(name, [row.get(name, 0) for row in rows]) for name in POSITION_COLUMNS
        },
        codes={name: codes.encode_texts(_texts(name, readings)) for name in COMPARED_TEXTS},
        words=codes.encode_sets([reading.words for reading in readings]),
        heads=codes.encode_sets([(reading.head,) for reading in readings]),
        modifiers=codes.encode_sets([reading.modifiers for reading in readings]),
        names=codes.encode_sets([reading.names for reading in readings]),
        speakers=codes.encode_sets([reading.speaker_names for reading in readings]),
    )


class TextCodes:
    """Assigns codes to texts in the order of their first occurrence; the empty text has code 0."""

    def __init__(self) -> None:
        self._codes = {"": 0}

    def encode_texts(self, texts: Iterable[str]) -> Ints:
        """Return the code of each text."""
        return np.array([self._code(text) for text in texts], dtype=np.intp)

    def encode_sets(self, sets: Sequence[tuple[str, ...]]) -> WordSets:
        """Return the codes of the words of each set; empty words are dropped."""
        code_lists = [sorted({self._code(word) for word in words if word}) for words in sets]
        starts = np.cumsum([0, *map(len, code_lists)], dtype=np.intp)
        return WordSets(starts, np.array(list(chain.from_iterable(code_lists)), dtype=np.intp))

    def _code(self, text: str) -> int:
        return self._codes.setdefault(text, len(self._codes))


def _int_column(name: str, values: Sequence[Any]) -> Ints:
    try:
        column = np.asarray(values)
    except ValueError:  # numbers and lists
        column = np.array(["not numbers"])
    if column.size and (column.dtype.kind not in "iu" or column.ndim != 1):
        raise FeatureError(f"column {name!r} must be whole numbers; give one whole number per item")
    return column.astype(np.intp)


def _texts(name: str, readings: Sequence[MentionReading]) -> list[str]:
    """Return one of the texts `COMPARED_TEXTS` of each mention."""
    if name in ("first name", "last name"):
        index = 0 if name == "first name" else -1
        return [reading.names[index] if reading.names else "" for reading in readings]
    return [getattr(reading, name) for reading in readings]


def _bits(reading: MentionReading) -> int:
    """Return the properties of a mention as bits; a role that is not a property is left out."""
    neighbours = {reading.before, reading.after}
    holds = {
        "reflexive": reading.head in REFLEXIVE,
        "possessive": reading.string in POSSESSIVE,
        "quoted": reading.quoted,
        "speaks": not reading.quoted and not neighbours.isdisjoint(SPEECH_VERBS),
        "before copula": reading.after in COPULAS,
        "after comma": reading.before in BREAKS,
        reading.role: reading.role in PROPERTIES,
    }
    bits = TYPE_BITS[reading.type] | 1 << PROPERTIES.index(reading.entity_class or "unknown class")
    return bits | sum(
        1 << PROPERTIES.index(name) for name, has_property in holds.items() if has_property
    )


TYPE_BITS = {
    type_: sum(
        1 << PROPERTIES.index(name)
        for name in (type_, *(group for group, types in GROUPS.items() if type_ in types))
    )
    for type_ in (*PRONOUN_TYPES, *NOUN_TYPES)
}
"""The bits of each type: its own, and those of its groups."""
