"""Features of pairs of mentions in a text, for coreference."""

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


def _crossed(*groups: Iterable[str | Conjunction]) -> tuple[Conjunction, ...]:
    """Take one of each group, in every combination.

    >>> _crossed(["a", "b"], [("c", "d")])
    (('a', 'c', 'd'), ('b', 'c', 'd'))
    """
    return tuple(
        tuple(name for part in parts for name in ((part,) if isinstance(part, str) else part))
        for parts in product(*groups)
    )


def _later(*names: str) -> tuple[str, ...]:
    return tuple(f"later {name}" for name in names)


def _earlier(*names: str) -> tuple[str, ...]:
    return tuple(f"earlier {name}" for name in names)


def _pairs_of(*pairs: str) -> tuple[Conjunction, ...]:
    """Take "a-b" as the earlier one being a, the later one b."""
    split = (pair.split("-") for pair in pairs)
    return tuple((f"earlier {a}", f"later {b}") for a, b in split)


PRONOUN_PAIRS = _pairs_of(
    *(f"{name}-{name}" for name in PRONOUN_TYPES),
    "i-we", "we-i", "i-you", "you-i", "he or she-they", "they-he or she", "it-they", "they-it",
    "it-demonstrative", "demonstrative-it", "he-she", "she-he", "he or she-it", "it-he or she",
    "speech pronoun-third pronoun", "third pronoun-speech pronoun",
)  # fmt: skip
NOUNS = tuple(name for name in NOUN_TYPES if name != "clause")
SPEECH_PAIRS = _pairs_of("i-i", "you-you", "i-you", "you-i")

TYPES: tuple[Conjunction, ...] = (
    *_crossed(_later(*PRONOUN_TYPES, *NOUN_TYPES), _earlier("pronoun", "name", "noun")),
    *_crossed(_later("it", "demonstrative", "demonstrative noun"), _earlier("clause")),
    *PRONOUN_PAIRS,
)
DISTANCES: tuple[Conjunction, ...] = (
    *_crossed(
        _later("speech pronoun", "third pronoun", "other pronoun", "name", "noun"), SENTENCES
    ),
    *_crossed(_later("third pronoun"), MENTIONS),
)
TEXTS: tuple[Conjunction, ...] = (
    *_crossed(["same string"], _later("pronoun", *NOUNS)),
    *_crossed(["same core"], _later("name", "the noun", "other noun")),
    *_crossed(["same lemma"], _later(*NOUNS[1:])),
    *_crossed(
        ["same lemma"], ["no new modifier", "other modifiers"], _later("the noun", "other noun")
    ),
    *_crossed(["same lemma"], ["same possessor", "other possessor", "other digits"]),
    *_crossed(["same lemma"], _later("noun"), SENTENCES),
    *_crossed(
        ["same beginning", "later words in earlier", "earlier words in later"],
        _later("name", "noun"),
    ),
    ("later head in earlier",),
    ("earlier head in later",),
    ("half of the words shared",),
)
NAMES: tuple[Conjunction, ...] = _crossed(
    [
        "names shared", "later name in earlier", "earlier name in later", "same last name",
        "same first name", "other first name", "no name shared", "acronym", "name in words",
    ]
)  # fmt: skip
AGREEMENT: tuple[Conjunction, ...] = (
    *_crossed(
        _later("he or she", "it", "they", "other pronoun"),
        _earlier(*CLASSES, "unknown class"),
    ),
    *_crossed(_later("he or she", "it", "they"), ["number agrees", "number clashes"]),
    *_crossed(_later("he or she"), ["gender agrees", "gender clashes"]),
    *_crossed(_later("he or she"), ["gender agrees"], _earlier("name", "noun")),
    ("later it", "gender clashes"),
    *_crossed(_later("speech pronoun", "name", "noun"), ["class agrees", "class clashes"]),
    *_crossed(_later("name", "noun"), ["number clashes"]),
    ("later name", "gender clashes"),
    *_crossed(_later("the noun"), ["class agrees"], _earlier("pronoun", "name", "noun")),
)
SYNTAX: tuple[Conjunction, ...] = (
    *_crossed(
        _later("third pronoun"),
        _earlier("subject", "object", "oblique", "possessor", "predicate"),
    ),
    *_crossed(_later("third pronoun"), _earlier("subject"), SENTENCES[:3]),
    *_crossed(_later("third pronoun"), ["same role", "same governor", "governs"]),
    *_crossed(_later("third pronoun"), ["same role"], SENTENCES[:2]),
    *_crossed(_later("possessive", "reflexive"), _earlier("subject"), SENTENCES[:1]),
    ("later reflexive", "same governor"),
    *_crossed(["nested"], _later("pronoun", "possessive", "name", "noun")),
    *_crossed(["apposition", "comma between", "conjuncts"], _later("name", "noun")),
    *_crossed(["subject of"], _later(*NOUNS)),
    *_crossed(["copula between"], _later("name", "the noun", "other noun")),
)
SPEECH: tuple[Conjunction, ...] = (
    *_crossed(
        ["same speaker", "other speaker", "speakers unknown"],
        [*SPEECH_PAIRS, *_pairs_of("we-we")],
    ),
    *_crossed(
        ["no quotation", "one quoted", "same turn", "next turn", "turn after next"], SPEECH_PAIRS
    ),
    *_crossed(["one quoted"], _later("he or she"), _earlier("pronoun", "name", "noun")),
    *_crossed(["utters", "speaker named"], [*_later("i", "you"), *_earlier("i", "you")]),
)
CONJUNCTIONS = (*TYPES, *DISTANCES, *TEXTS, *NAMES, *AGREEMENT, *SYNTAX, *SPEECH)

GROUPED = ("pronoun", "name", "noun")
NUMBERS = tuple(
    f"log {unit} apart & later {group}" for unit in ("sentences", "mentions") for group in GROUPED
)


@dataclass(frozen=True)
class MentionFeatures(PairFeaturizer):
    """Compare mentions in a text by type, words, agreement, syntax, speech and distance.

    The features of noun phrase pairs of Ng & Cardie 2002 and Bengtson & Roth 2008, many of them
    conjoined, since a similarity that is linear can weigh a distance by the type of a mention only
    where both are one feature. All are 0 or 1 but the last, the distances d as ln(1 + d) / 2. The
    earlier mention of a pair is the one that starts first (of two, the longer one; of equal spans,
    that of the lower `position`), whatever their order in the item set, and no other mention
    changes a pair. See `docs/mention-features.md`.

    The items are columns: `text` (its words with blanks between), `start` and `end` (its first and
    last word, counted over the document) and `sentence`. The more of the others there are, the more
    is known: `position` among the mentions, `before` and `after` (the words beside it), `turn` (how
    many quotations began up to here) and `quoted` (0 or 1), `speaker`, `form` (PRON, NOM or PROP),
    and syntax in the words of Universal Dependencies: `head`, `lemma`, `upos`, `number`, `gender`,
    `role` and `governor` (a lemma), also `name`, the proper part of a name. What they do not tell
    is read off the text by small tables of English words. There is no constant: learners add it.

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
        """What must hold, with & between; then the distances."""
        return (*(" & ".join(conjunction) for conjunction in CONJUNCTIONS), *NUMBERS)

    def encode(self, item_set: ItemSet) -> EncodedMentions:
        """Read each mention once."""
        return encode_mentions(item_set.items)

    def compare(self, encoded: EncodedMentions, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all, sparse."""
        couples = _in_text_order(encoded, as_pairs(pairs, len(encoded)))
        known = _known_conjunctions(encoded.properties)
        relations, numbers = relation_bits(couples), _numbers(couples)
        rows = conjunction_rows(couples.earlier, couples.later, relations, known, numbers)
        return SparseFeatures.of_checked(freeze(_as_matrix(*rows)))


def _in_text_order(mentions: EncodedMentions, listed: Pairs | None) -> MentionPairs:
    """Tell the earlier from the later mention: it starts first, or else ends last."""
    first, second = (all_pairs(len(mentions)) if listed is None else listed).T
    rank = np.empty(len(mentions), np.intp)
    places = mentions.places
    order = np.lexsort((places["position"], -places["end"], places["start"]))
    rank[order] = np.arange(len(mentions))
    swapped = rank[first] > rank[second]
    earlier, later = np.where(swapped, second, first), np.where(swapped, first, second)
    return MentionPairs(mentions, earlier, later)


@cache
def _masks() -> Bits:
    """Return the bits of each conjunction: of the earlier one, of the later one, of the pair."""
    masks = np.zeros((3, len(CONJUNCTIONS)), dtype=np.uint64)
    for number, conjunction in enumerate(CONJUNCTIONS):
        for name in conjunction:
            word, bit = _word_and_bit(name)
            masks[word, number] |= bit
    return masks


def _word_and_bit(name: str) -> tuple[int, np.uint64]:
    if name in RELATIONS:
        return 2, np.uint64(1 << RELATIONS.index(name))
    which, _, own = name.partition(" ")
    return ("earlier", "later").index(which), property_bit(own)


@cache
def _by_relation() -> Bits:
    """Return the conjunctions that ask for each relation, and, last, for none, as sets."""
    relations = _masks()[2]
    asked = [(relations & np.uint64(1 << bit)) > 0 for bit in range(64)]
    return _as_sets(np.array([*asked, relations == 0]))


def _as_sets(members: Bools) -> Bits:
    """Pack rows of truth values into words of 64 bits."""
    padded = np.zeros((len(members), -(-members.shape[1] // 64) * 64), dtype=bool)
    padded[:, : members.shape[1]] = members
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def _known_conjunctions(own: Bits) -> Conjunctions:
    """Say which conjunctions each mention allows as the earlier and as the later one."""
    as_earlier, as_later, relations = _masks()
    earlier = _as_sets((own[:, None] & as_earlier) == as_earlier)
    later = _as_sets((own[:, None] & as_later) == as_later)
    return Conjunctions(earlier, later, _by_relation(), relations)


def _numbers(couples: MentionPairs) -> Floats:
    """Return the distances, each in the row of the group of the later mention, 0 elsewhere."""
    groups = [couples.mentions.has(group)[couples.later] for group in GROUPED]
    logs = [np.log1p(apart) / 2.0 for apart in distances(couples)]
    return np.array([log * group for log in logs for group in groups])


def _as_matrix(starts: Ints, columns: Ints, data: Floats) -> Any:
    """Put rows together, with indices of 32 bits where these are enough."""
    narrow = np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64
    shape = len(starts) - 1, len(CONJUNCTIONS) + len(NUMBERS)
    return sp.csr_array((data, columns, starts.astype(narrow)), shape=shape)
