"""Mentions as numbers: the properties of each as bits, its words as codes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

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
"""Types taken together."""

PROPERTIES = (
    *PRONOUN_TYPES, *NOUN_TYPES, *GROUPS, *CLASSES, "unknown class", "reflexive", "possessive",
    "subject", "object", "oblique", "possessor", "predicate", "apposition", "conjunct", "quoted",
    "speaks", "before copula", "after comma",
)  # fmt: skip
"""What may hold of one mention, a bit each."""

CODED = (
    "string", "core", "possessor", "lemma", "beginning", "first name", "last name", "digits",
    "initials", "capitals", "number", "gender", "kind", "role", "governor", "speaker",
)  # fmt: skip
"""The texts that are compared for equality."""

PLACES = ("start", "end", "sentence", "position", "turn")


class WordSets(NamedTuple):
    """A set of words for each mention: ascending codes at `starts[i]:starts[i + 1]`."""

    starts: Ints
    words: Ints

    @property
    def sizes(self) -> Ints:
        """How many words each mention has."""
        return np.diff(self.starts)


@dataclass(frozen=True, eq=False)
class EncodedMentions:
    """What is known of each mention; texts as codes, 0 for none, that are the same everywhere."""

    properties: Bits
    places: dict[str, Ints]
    codes: dict[str, Ints]
    words: WordSets
    heads: WordSets
    modifiers: WordSets
    names: WordSets
    speakers: WordSets

    def __len__(self) -> int:
        return len(self.properties)

    def has(self, name: str) -> Bools:
        """Tell which mentions have a property."""
        return (self.properties & property_bit(name)) > 0


def property_bit(name: str) -> np.uint64:
    """Return the bit of a property."""
    return np.uint64(1 << PROPERTIES.index(name))


def encode_mentions(items: Any) -> EncodedMentions:
    """Read every mention once."""
    rows = mention_rows(items) if len(items) else []
    readings = [read_mention(row) for row in rows]
    codes = TextCodes()
    return EncodedMentions(
        properties=np.array([_bits(reading) for reading in readings], dtype=np.uint64),
        places={name: _whole_column(name, [row.get(name, 0) for row in rows]) for name in PLACES},
        codes={name: codes.of_texts(_texts(name, readings)) for name in CODED},
        words=codes.of_sets([reading.words for reading in readings]),
        heads=codes.of_sets([(reading.head,) for reading in readings]),
        modifiers=codes.of_sets([reading.modifiers for reading in readings]),
        names=codes.of_sets([reading.names for reading in readings]),
        speakers=codes.of_sets([reading.speaker_names for reading in readings]),
    )


class TextCodes:
    """Numbers texts by when they come first; "" is 0."""

    def __init__(self) -> None:
        self._codes = {"": 0}

    def of_texts(self, texts: Iterable[str]) -> Ints:
        """Return the code of each text."""
        return np.array([self._code(text) for text in texts], dtype=np.intp)

    def of_sets(self, sets: Sequence[tuple[str, ...]]) -> WordSets:
        """Return the codes of the words of each set."""
        coded = [sorted({self._code(word) for word in words if word}) for words in sets]
        starts = np.cumsum([0, *map(len, coded)], dtype=np.intp)
        return WordSets(starts, np.array(list(chain.from_iterable(coded)), dtype=np.intp))

    def _code(self, text: str) -> int:
        return self._codes.setdefault(text, len(self._codes))


def _whole_column(name: str, values: Sequence[Any]) -> Ints:
    column = np.asarray(values)
    if column.size and (column.dtype.kind not in "iu" or column.ndim != 1):
        raise FeatureError(f"column {name!r} must be whole numbers; give one an item")
    return column.astype(np.intp)


def _texts(name: str, readings: Sequence[MentionReading]) -> list[str]:
    """Return the texts that CODED names."""
    if name in ("first name", "last name"):
        place = 0 if name == "first name" else -1
        return [reading.names[place] if reading.names else "" for reading in readings]
    return [getattr(reading, name) for reading in readings]


def _bits(reading: MentionReading) -> int:
    """Set the bit of each property; a role that has none is left out."""
    beside = {reading.before, reading.after}
    holds = {
        "reflexive": reading.head in REFLEXIVE,
        "possessive": reading.string in POSSESSIVE,
        "quoted": reading.quoted,
        "speaks": not reading.quoted and not beside.isdisjoint(SPEECH_VERBS),
        "before copula": reading.after in COPULAS,
        "after comma": reading.before in BREAKS,
        reading.role: reading.role in PROPERTIES,
    }
    bits = TYPE_BITS[reading.type] | 1 << PROPERTIES.index(reading.kind or "unknown class")
    return bits | sum(1 << PROPERTIES.index(name) for name, is_so in holds.items() if is_so)


TYPE_BITS = {
    type_: sum(
        1 << PROPERTIES.index(name)
        for name in (type_, *(group for group, types in GROUPS.items() if type_ in types))
    )
    for type_ in (*PRONOUN_TYPES, *NOUN_TYPES)
}
"""The bits of each type and of its groups."""
