"""What may hold of two mentions, the earlier and the later one in the text, as bits."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np

from coterie._core.arrays import Bools, Ints
from coterie._kernels.texts.mentions import Bits, shared_words
from coterie.features.mentions.encoding import EncodedMentions, WordSets

Named: TypeAlias = Iterator[tuple[str, Bools]]

SENTENCE_STEPS = {"0": 0, "1": 1, "2": 2, "3-5": 3, "6-15": 6, "16 or more": 16}
MENTION_STEPS = {"1": 0, "2": 2, "3-4": 3, "5-8": 5, "9-16": 9, "17-40": 17, "41 or more": 41}
SENTENCES = tuple(f"sentences apart: {step}" for step in SENTENCE_STEPS)
MENTIONS = tuple(f"mentions apart: {step}" for step in MENTION_STEPS)

RELATIONS = (
    "same string", "same core", "same lemma", "same beginning",
    "same possessor", "other possessor", "other digits", "acronym",
    "later head in earlier", "earlier head in later", "later words in earlier",
    "earlier words in later", "half of the words shared", "no new modifier",
    "other modifiers", "names shared", "later name in earlier", "earlier name in later",
    "same last name", "same first name", "no name shared", "other first name", "name in words",
    "number agrees", "number clashes", "gender agrees", "gender clashes", "class agrees",
    "class clashes", "nested", "apposition", "comma between", "subject of", "copula between",
    "conjuncts", "same role", "same governor", "governs", "same speaker", "other speaker",
    "speakers unknown", "speaker named", "no quotation",
    "one quoted", "same turn", "next turn", "turn after next", "utters",
    *SENTENCES, *MENTIONS,
)  # fmt: skip
"""The relations of a pair, a bit each."""


@dataclass(frozen=True, eq=False)
class MentionPairs:
    """Pairs of mentions, each with its earlier and its later one."""

    mentions: EncodedMentions
    earlier: Ints
    later: Ints

    def places(self, name: str) -> tuple[Ints, Ints]:
        """Return a place of the earlier and of the later ones."""
        column = self.mentions.places[name]
        return column[self.earlier], column[self.later]

    def codes(self, name: str, other: str | None = None) -> tuple[Ints, Ints]:
        """Return a text of the earlier and, the same or another, of the later ones."""
        codes = self.mentions.codes
        return codes[name][self.earlier], codes[other or name][self.later]

    def same(self, name: str, other: str | None = None) -> Bools:
        """Tell where both texts are known and the same."""
        earlier, later = self.codes(name, other)
        same: Bools = (earlier == later) & (earlier > 0)
        return same

    def differ(self, name: str) -> Bools:
        """Tell where both texts are known and not the same."""
        earlier, later = self.codes(name)
        differ: Bools = (earlier != later) & (earlier > 0) & (later > 0)
        return differ

    def shared(self, earlier: WordSets, later: WordSets) -> Ints:
        """Count the words of the earlier ones that are words of the later ones."""
        counts: Ints = shared_words(*earlier, self.earlier, *later, self.later)
        return counts


def relation_bits(couples: MentionPairs) -> Bits:
    """Return the relations of each pair."""
    bits = np.zeros(len(couples.earlier), dtype=np.uint64)
    known = {name: np.uint64(bit) for bit, name in enumerate(RELATIONS)}
    texts = _of_texts(couples), _of_words(couples), _of_names(couples), _of_agreement(couples)
    for name, holds in chain(*texts, _of_syntax(couples), _of_speech(couples), _of_places(couples)):
        bits |= holds.astype(np.uint64) << known[name]
    return bits


def distances(couples: MentionPairs) -> tuple[Ints, Ints]:
    """Return how many sentences and mentions it is from the earlier to the later one."""
    sentences, positions = couples.places("sentence"), couples.places("position")
    return np.abs(np.subtract(*sentences)), np.abs(np.subtract(*positions))


def _of_texts(couples: MentionPairs) -> Named:
    for name in ("string", "core", "lemma", "beginning", "possessor"):
        yield f"same {name}", couples.same(name)
    for name in ("possessor", "digits"):
        yield f"other {name}", couples.differ(name)
    yield "acronym", couples.same("initials", "capitals") | couples.same("capitals", "initials")


def _of_words(couples: MentionPairs) -> Named:
    mentions, earlier, later = couples.mentions, couples.earlier, couples.later
    words, modifiers = mentions.words, mentions.modifiers
    shared = couples.shared(words, words)
    n_earlier, n_later = words.sizes[earlier], words.sizes[later]
    some = shared > 0
    yield "half of the words shared", some & (2 * shared >= np.maximum(n_earlier, n_later))
    yield "later words in earlier", some & (shared == n_later)
    yield "earlier words in later", some & (shared == n_earlier)
    yield "later head in earlier", couples.shared(words, mentions.heads) > 0
    yield "earlier head in later", couples.shared(mentions.heads, words) > 0
    n_new = modifiers.sizes[later] - couples.shared(words, modifiers)
    n_gone = modifiers.sizes[earlier] - couples.shared(modifiers, words)
    yield "no new modifier", (n_new == 0) & (modifiers.sizes[later] > 0)
    yield "other modifiers", (n_new > 0) & (n_gone > 0)


def _of_names(couples: MentionPairs) -> Named:
    names, earlier, later = couples.mentions.names, couples.earlier, couples.later
    shared = couples.shared(names, names)
    least = np.minimum(names.sizes[earlier], names.sizes[later])
    both = least > 0
    last = couples.same("last name")
    yield "names shared", shared > 0
    yield "later name in earlier", both & (shared == names.sizes[later])
    yield "earlier name in later", both & (shared == names.sizes[earlier])
    yield "same last name", last
    yield "same first name", couples.same("first name")
    yield "no name shared", both & (shared == 0)
    yield "other first name", last & (least > 1) & couples.differ("first name")
    words = couples.mentions.words
    in_words = couples.shared(names, words) + couples.shared(words, names)
    yield "name in words", ~both & (in_words > 0)


def _of_agreement(couples: MentionPairs) -> Named:
    for name, column in {"number": "number", "gender": "gender", "class": "kind"}.items():
        yield f"{name} agrees", couples.same(column)
        yield f"{name} clashes", couples.differ(column)


def _of_syntax(couples: MentionPairs) -> Named:
    has, earlier, later = couples.mentions.has, couples.earlier, couples.later
    (start, later_start), (end, later_end) = couples.places("start"), couples.places("end")
    yield "nested", (later_start >= start) & (later_end <= end)
    together = np.equal(*couples.places("sentence"))
    governed = together & couples.same("lemma", "governor")
    apposed, joined = has("apposition")[later], has("conjunct")[later]
    yield "apposition", governed & apposed
    yield "conjuncts", governed & joined
    yield "governs", governed & ~apposed & ~joined
    yield "subject of", together & couples.same("governor", "lemma") & has("subject")[earlier]
    yield "comma between", together & (later_start == end + 2) & has("after comma")[later]
    near = (later_start > end) & (later_start <= end + 4)
    yield "copula between", together & near & has("before copula")[earlier]
    yield "same role", couples.same("role")
    yield "same governor", together & couples.same("governor")


def _of_speech(couples: MentionPairs) -> Named:
    earlier, later = couples.codes("speaker")
    yield "same speaker", (earlier == later) & (earlier > 0)
    yield "other speaker", (earlier != later) & ((earlier > 0) | (later > 0))
    yield "speakers unknown", (earlier == 0) & (later == 0)
    turn, later_turn = couples.places("turn")
    quoted, speaks = couples.mentions.has("quoted"), couples.mentions.has("speaks")
    inside, later_inside = quoted[couples.earlier], quoted[couples.later]
    both, ahead = inside & later_inside, later_turn - turn
    yield "no quotation", ~(inside | later_inside)
    yield "one quoted", inside ^ later_inside
    for step, name in enumerate(("same turn", "next turn", "turn after next")):
        yield name, both & (ahead == step)
    begins = speaks[couples.earlier] & later_inside & (ahead == 1)
    ends = inside & speaks[couples.later] & (ahead == 0)
    yield "utters", begins | ends
    names, speakers = couples.mentions.names, couples.mentions.speakers
    named = couples.shared(names, speakers) + couples.shared(speakers, names)
    yield "speaker named", named > 0


def _of_places(couples: MentionPairs) -> Named:
    sentences, mentions = distances(couples)
    for names, steps, apart in (
        (SENTENCES, SENTENCE_STEPS, sentences),
        (MENTIONS, MENTION_STEPS, mentions),
    ):
        step = np.searchsorted(list(steps.values()), apart, side="right") - 1
        yield from ((name, step == number) for number, name in enumerate(names))
