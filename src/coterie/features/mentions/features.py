"""Features of pairs of mentions, for coreference resolution."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arrays import Bools, Floats, Ints, Pairs
from coterie._kernels.texts.mentions import Bits, Conjunctions, conjunction_rows
from coterie._types import Features
from coterie.features.featurizer import PairFeaturizer
from coterie.features.mentions.encoding import (
    CLASSES,
    EncodedMentions,
    encode_mentions,
    property_bit,
)
from coterie.features.mentions.readings import NOUN_TYPES, PRONOUN_TYPES
from coterie.features.mentions.relations import (
    MENTIONS,
    RELATIONS,
    SENTENCES,
    MentionPairs,
    distances,
    relation_bits,
)
from coterie.features.operators import SparseFeatures
from coterie.features.operators.blocks import freeze
from coterie.items import ItemSet
from coterie.pairs import all_pairs, as_pairs

Conjunction: TypeAlias = tuple[str, ...]


def _combine(*groups: Iterable[str | Conjunction]) -> tuple[Conjunction, ...]:
    """Return all conjunctions of one member of each group.

    >>> _combine(["a", "b"], [("c", "d")])
    (('a', 'c', 'd'), ('b', 'c', 'd'))
    """
    return tuple(
        tuple(
            name
            for member in members
            for name in ((member,) if isinstance(member, str) else member)
        )
        for members in product(*groups)
    )


def _later(*names: str) -> tuple[str, ...]:
    return tuple(f"later {name}" for name in names)


def _earlier(*names: str) -> tuple[str, ...]:
    return tuple(f"earlier {name}" for name in names)


def _type_pairs(*pairs: str) -> tuple[Conjunction, ...]:
    """Return the conjunction of each "a-b": the earlier mention is a, the later one b."""
    types = (pair.split("-") for pair in pairs)
    return tuple((f"earlier {earlier}", f"later {later}") for earlier, later in types)


PRONOUN_PAIRS = _type_pairs(
    *(f"{name}-{name}" for name in PRONOUN_TYPES),
    "i-we", "we-i", "i-you", "you-i", "he or she-they", "they-he or she", "it-they", "they-it",
    "it-demonstrative", "demonstrative-it", "he-she", "she-he", "he or she-it", "it-he or she",
    "speech pronoun-third pronoun", "third pronoun-speech pronoun",
)  # fmt: skip
NOUNS = tuple(name for name in NOUN_TYPES if name != "clause")
SPEECH_PAIRS = _type_pairs("i-i", "you-you", "i-you", "you-i")

TYPES: tuple[Conjunction, ...] = (
    *_combine(_later(*PRONOUN_TYPES, *NOUN_TYPES), _earlier("pronoun", "name", "noun")),
    *_combine(_later("it", "demonstrative", "demonstrative noun"), _earlier("clause")),
    *PRONOUN_PAIRS,
)
DISTANCES: tuple[Conjunction, ...] = (
    *_combine(
        _later("speech pronoun", "third pronoun", "other pronoun", "name", "noun"), SENTENCES
    ),
    *_combine(_later("third pronoun"), MENTIONS),
)
TEXTS: tuple[Conjunction, ...] = (
    *_combine(["same string"], _later("pronoun", *NOUNS)),
    *_combine(["same core"], _later("name", "the noun", "other noun")),
    *_combine(["same lemma"], _later(*NOUNS[1:])),
    *_combine(
        ["same lemma"], ["no new modifier", "other modifiers"], _later("the noun", "other noun")
    ),
    *_combine(["same lemma"], ["same possessor", "other possessor", "other digits"]),
    *_combine(["same lemma"], _later("noun"), SENTENCES),
    *_combine(
        ["same beginning", "later words in earlier", "earlier words in later"],
        _later("name", "noun"),
    ),
    ("later head in earlier",),
    ("earlier head in later",),
    ("half of the words shared",),
)
NAMES: tuple[Conjunction, ...] = _combine(
    [
        "names shared", "later name in earlier", "earlier name in later", "same last name",
        "same first name", "other first name", "no name shared", "acronym", "name in words",
    ]
)  # fmt: skip
AGREEMENT: tuple[Conjunction, ...] = (
    *_combine(
        _later("he or she", "it", "they", "other pronoun"),
        _earlier(*CLASSES, "unknown class"),
    ),
    *_combine(_later("he or she", "it", "they"), ["number agrees", "number clashes"]),
    *_combine(_later("he or she"), ["gender agrees", "gender clashes"]),
    *_combine(_later("he or she"), ["gender agrees"], _earlier("name", "noun")),
    ("later it", "gender clashes"),
    *_combine(_later("speech pronoun", "name", "noun"), ["class agrees", "class clashes"]),
    *_combine(_later("name", "noun"), ["number clashes"]),
    ("later name", "gender clashes"),
    *_combine(_later("the noun"), ["class agrees"], _earlier("pronoun", "name", "noun")),
)
SYNTAX: tuple[Conjunction, ...] = (
    *_combine(
        _later("third pronoun"),
        _earlier("subject", "object", "oblique", "possessor", "predicate"),
    ),
    *_combine(_later("third pronoun"), _earlier("subject"), SENTENCES[:3]),
    *_combine(_later("third pronoun"), ["same role", "same governor", "governs"]),
    *_combine(_later("third pronoun"), ["same role"], SENTENCES[:2]),
    *_combine(_later("possessive", "reflexive"), _earlier("subject"), SENTENCES[:1]),
    ("later reflexive", "same governor"),
    *_combine(["nested"], _later("pronoun", "possessive", "name", "noun")),
    *_combine(["apposition", "comma between", "conjuncts"], _later("name", "noun")),
    *_combine(["subject of"], _later(*NOUNS)),
    *_combine(["copula between"], _later("name", "the noun", "other noun")),
)
SPEECH: tuple[Conjunction, ...] = (
    *_combine(
        ["same speaker", "other speaker", "speakers unknown"],
        [*SPEECH_PAIRS, *_type_pairs("we-we")],
    ),
    *_combine(
        ["no quotation", "one quoted", "same turn", "next turn", "turn after next"], SPEECH_PAIRS
    ),
    *_combine(["one quoted"], _later("he or she"), _earlier("pronoun", "name", "noun")),
    *_combine(["utters", "speaker named"], [*_later("i", "you"), *_earlier("i", "you")]),
)
CONJUNCTIONS = (*TYPES, *DISTANCES, *TEXTS, *NAMES, *AGREEMENT, *SYNTAX, *SPEECH)

DISTANCE_GROUPS = ("pronoun", "name", "noun")
LOG_DISTANCES = tuple(
    f"log {unit} apart & later {group}"
    for unit in ("sentences", "mentions")
    for group in DISTANCE_GROUPS
)
"""The features that are numbers: a distance, where the later mention is in a group, else 0."""


@dataclass(frozen=True)
class MentionFeatures(PairFeaturizer):
    """Compare mentions in a text by type, words, agreement, syntax, speech and distance.

    These are the features of Ng & Cardie 2002 and Bengtson & Roth 2008 for pairs of noun phrases,
    many of them as conjunctions: a linear similarity can weight a distance by the type of a mention
    only if both are one feature. All features are 0 or 1, except the last ones, which are
    ln(1 + d) / 2 of a distance d. `docs/mention-features.md` explains each feature.

    The earlier mention of a pair is the one that starts first, whatever the order of the items. Of
    two that start together it is the longer one, and of equal spans the one with the lower
    `position`. The features of a pair do not depend on other mentions.

    The items are columns. Required are `text` (the words of the mention, separated by blanks),
    `start` and `end` (the indices of its first and last word in the document) and `sentence` (the
    index of its sentence). All other columns are optional, and each adds information: `position`
    (the index of the mention), `before` and `after` (the words next to it), `turn` (the number of
    quotations that have begun), `quoted` (0 or 1), `speaker`, `form` (PRON, NOM or PROP), and, in
    the terms of Universal Dependencies, `head`, `lemma`, `upos`, `number`, `gender`, `role` and
    `governor` (a lemma); also `name`, the proper part of a name. Missing information is read from
    the text with small tables of English words. Learners add the constant feature.

    Examples
    --------
    >>> texts = {"text": ["Mrs. Dalloway", "the flowers", "she"], "sentence": [0, 0, 1]}
    >>> mentions = ItemSet(texts | {"start": [0, 6, 9], "end": [1, 7, 9]})
    >>> row = MentionFeatures()(mentions, [(0, 2)]).to_matrix()
    >>> [MentionFeatures().names[column] for column in row.indices[-4:-2]]
    ['later he or she & number agrees', 'later he or she & gender agrees']
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The feature names: the conditions of each conjunction, joined by &, and the distances."""
        return (*(" & ".join(conjunction) for conjunction in CONJUNCTIONS), *LOG_DISTANCES)

    def encode(self, item_set: ItemSet) -> EncodedMentions:
        """Read each mention once."""
        return encode_mentions(item_set.items)

    def compare(self, encoded: EncodedMentions, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs of mentions, as a sparse matrix; None means all pairs."""
        ordered = _order_pairs(encoded, as_pairs(pairs, len(encoded)))
        conjunctions = _possible_conjunctions(encoded.properties)
        relations, numbers = relation_bits(ordered), _log_distances(ordered)
        rows = conjunction_rows(ordered.earlier, ordered.later, relations, conjunctions, numbers)
        return SparseFeatures.of_checked(freeze(_as_matrix(*rows)))


def _order_pairs(mentions: EncodedMentions, candidate_pairs: Pairs | None) -> MentionPairs:
    """Find the earlier mention of each pair: the one that starts first, or else ends last."""
    pairs = all_pairs(len(mentions)) if candidate_pairs is None else candidate_pairs
    first, second = pairs.T
    ranks = np.empty(len(mentions), np.intp)
    positions = mentions.positions
    order = np.lexsort((positions["position"], -positions["end"], positions["start"]))
    ranks[order] = np.arange(len(mentions))
    is_swapped = ranks[first] > ranks[second]
    earlier, later = np.where(is_swapped, second, first), np.where(is_swapped, first, second)
    return MentionPairs(mentions, earlier, later)


@cache
def _required_bits() -> Bits:
    """Return the bits that conjunctions require, one column per conjunction.

    The rows are the properties of the earlier mention, those of the later one, and the relations.
    """
    required = np.zeros((3, len(CONJUNCTIONS)), dtype=np.uint64)
    for column, conjunction in enumerate(CONJUNCTIONS):
        for name in conjunction:
            row, bit = _row_and_bit(name)
            required[row, column] |= bit
    return required


def _row_and_bit(name: str) -> tuple[int, np.uint64]:
    if name in RELATIONS:
        return 2, np.uint64(1 << RELATIONS.index(name))
    mention, _, property_name = name.partition(" ")
    return ("earlier", "later").index(mention), property_bit(property_name)


@cache
def _conjunctions_by_relation() -> Bits:
    """Return the set of conjunctions that require each relation; last, those that require none."""
    relations = _required_bits()[2]
    require_relation = [(relations & np.uint64(1 << bit)) > 0 for bit in range(64)]
    return _pack_sets(np.array([*require_relation, relations == 0]))


def _pack_sets(members: Bools) -> Bits:
    """Pack rows of truth values into words of 64 bits, the first value in the lowest bit."""
    padded = np.zeros((len(members), -(-members.shape[1] // 64) * 64), dtype=bool)
    padded[:, : members.shape[1]] = members
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def _possible_conjunctions(properties: Bits) -> Conjunctions:
    """Return the conjunctions that each mention permits as the earlier and as the later one."""
    for_earlier, for_later, relations = _required_bits()
    earlier = _pack_sets((properties[:, None] & for_earlier) == for_earlier)
    later = _pack_sets((properties[:, None] & for_later) == for_later)
    return Conjunctions(earlier, later, _conjunctions_by_relation(), relations)


def _log_distances(pairs: MentionPairs) -> Floats:
    """Return the features `LOG_DISTANCES`, one per row."""
    groups = [pairs.mentions.has(group)[pairs.later] for group in DISTANCE_GROUPS]
    logs = [np.log1p(distance) / 2.0 for distance in distances(pairs)]
    return np.array([log * is_in_group for log in logs for is_in_group in groups])


def _as_matrix(starts: Ints, columns: Ints, data: Floats) -> Any:
    """Return a `csr_array` of the rows, with row starts of 32 bits if these are large enough."""
    index_type = np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64
    shape = len(starts) - 1, len(CONJUNCTIONS) + len(LOG_DISTANCES)
    return sp.csr_array((data, columns, starts.astype(index_type)), shape=shape)
