"""Relations between the earlier and the later mention of a pair, as bits."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np

from coterie._core.arrays import Bools, Ints
from coterie._kernels.texts.mentions import Bits, shared_words
from coterie.features.mentions.encoding import EncodedMentions, WordSets

NamedRelations: TypeAlias = Iterator[tuple[str, Bools]]
"""Names of relations, and for each pair of mentions whether the relation holds."""

SENTENCE_STEPS = {"0": 0, "1": 1, "2": 2, "3-5": 3, "6-15": 6, "16 or more": 16}
MENTION_STEPS = {"1": 0, "2": 2, "3-4": 3, "5-8": 5, "9-16": 9, "17-40": 17, "41 or more": 41}
"""The steps of distances in sentences and in mentions: their names and least distances."""

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
"""The relations that a pair of mentions may have, one bit each."""


@dataclass(frozen=True, eq=False)
class MentionPairs:
    """Pairs of mentions: the indices of the earlier and of the later mention of each."""

    mentions: EncodedMentions
    earlier: Ints
    later: Ints

    def positions(self, name: str) -> tuple[Ints, Ints]:
        """Return a position column of the earlier and of the later mentions."""
        column = self.mentions.positions[name]
        return column[self.earlier], column[self.later]

    def codes(self, name: str, later_name: str | None = None) -> tuple[Ints, Ints]:
        """Return the codes of a text of the earlier mentions, and of the later mentions.

        `later_name` is the text of the later mentions, by default the same.
        """
        codes = self.mentions.codes
        return codes[name][self.earlier], codes[later_name or name][self.later]

    def have_same(self, name: str, later_name: str | None = None) -> Bools:
        """Return for each pair whether its two texts are known and the same."""
        earlier, later = self.codes(name, later_name)
        are_same: Bools = (earlier == later) & (earlier > 0)
        return are_same

    def have_different(self, name: str) -> Bools:
        """Return for each pair whether its two texts are known and different."""
        earlier, later = self.codes(name)
        are_different: Bools = (earlier != later) & (earlier > 0) & (later > 0)
        return are_different

    def count_shared(self, earlier: WordSets, later: WordSets) -> Ints:
        """Count the words that a set of the earlier mention shares with a set of the later one."""
        counts: Ints = shared_words(*earlier, self.earlier, *later, self.later)
        return counts


def relation_bits(pairs: MentionPairs) -> Bits:
    """Return the relations of each pair as bits, in the order of `RELATIONS`."""
    bits = np.zeros(len(pairs.earlier), dtype=np.uint64)
    shifts = {name: np.uint64(i) for i, name in enumerate(RELATIONS)}
    relations = chain(
        _text_relations(pairs),
        _word_relations(pairs),
        _name_relations(pairs),
        _agreement_relations(pairs),
        _syntax_relations(pairs),
        _speech_relations(pairs),
        _distance_relations(pairs),
    )
    for name, holds in relations:
        bits |= holds.astype(np.uint64) << shifts[name]
    return bits


def distances(pairs: MentionPairs) -> tuple[Ints, Ints]:
    """Return the distances of each pair, in sentences and in mentions."""
    sentences, positions = pairs.positions("sentence"), pairs.positions("position")
    return np.abs(np.subtract(*sentences)), np.abs(np.subtract(*positions))


def _text_relations(pairs: MentionPairs) -> NamedRelations:
    for name in ("string", "core", "lemma", "beginning", "possessor"):
        yield f"same {name}", pairs.have_same(name)
    for name in ("possessor", "digits"):
        yield f"other {name}", pairs.have_different(name)
    is_earlier_acronym = pairs.have_same("capitals", "initials")
    is_later_acronym = pairs.have_same("initials", "capitals")
    yield "acronym", is_earlier_acronym | is_later_acronym


def _word_relations(pairs: MentionPairs) -> NamedRelations:
    mentions, earlier, later = pairs.mentions, pairs.earlier, pairs.later
    words, modifiers = mentions.words, mentions.modifiers
    n_shared = pairs.count_shared(words, words)
    n_earlier, n_later = words.sizes[earlier], words.sizes[later]
    share_words = n_shared > 0
    yield "half of the words shared", share_words & (2 * n_shared >= np.maximum(n_earlier, n_later))
    yield "later words in earlier", share_words & (n_shared == n_later)
    yield "earlier words in later", share_words & (n_shared == n_earlier)
    yield "later head in earlier", pairs.count_shared(words, mentions.heads) > 0
    yield "earlier head in later", pairs.count_shared(mentions.heads, words) > 0
    n_later_only = modifiers.sizes[later] - pairs.count_shared(words, modifiers)
    n_earlier_only = modifiers.sizes[earlier] - pairs.count_shared(modifiers, words)
    yield "no new modifier", (n_later_only == 0) & (modifiers.sizes[later] > 0)
    yield "other modifiers", (n_later_only > 0) & (n_earlier_only > 0)


def _name_relations(pairs: MentionPairs) -> NamedRelations:
    names, earlier, later = pairs.mentions.names, pairs.earlier, pairs.later
    n_shared = pairs.count_shared(names, names)
    min_size = np.minimum(names.sizes[earlier], names.sizes[later])
    are_names = min_size > 0
    same_last = pairs.have_same("last name")
    yield "names shared", n_shared > 0
    yield "later name in earlier", are_names & (n_shared == names.sizes[later])
    yield "earlier name in later", are_names & (n_shared == names.sizes[earlier])
    yield "same last name", same_last
    yield "same first name", pairs.have_same("first name")
    yield "no name shared", are_names & (n_shared == 0)
    yield "other first name", same_last & (min_size > 1) & pairs.have_different("first name")
    words = pairs.mentions.words
    n_in_words = pairs.count_shared(names, words) + pairs.count_shared(words, names)
    yield "name in words", ~are_names & (n_in_words > 0)


def _agreement_relations(pairs: MentionPairs) -> NamedRelations:
    texts = {"number": "number", "gender": "gender", "class": "entity_class"}
    for name, text in texts.items():
        yield f"{name} agrees", pairs.have_same(text)
        yield f"{name} clashes", pairs.have_different(text)


def _syntax_relations(pairs: MentionPairs) -> NamedRelations:
    has, earlier, later = pairs.mentions.has, pairs.earlier, pairs.later
    start, later_start = pairs.positions("start")
    end, later_end = pairs.positions("end")
    yield "nested", (later_start >= start) & (later_end <= end)
    in_one_sentence = np.equal(*pairs.positions("sentence"))
    earlier_governs_later = in_one_sentence & pairs.have_same("lemma", "governor")
    is_apposition, is_conjunct = has("apposition")[later], has("conjunct")[later]
    yield "apposition", earlier_governs_later & is_apposition
    yield "conjuncts", earlier_governs_later & is_conjunct
    yield "governs", earlier_governs_later & ~is_apposition & ~is_conjunct
    later_governs_earlier = in_one_sentence & pairs.have_same("governor", "lemma")
    yield "subject of", later_governs_earlier & has("subject")[earlier]
    # One word between the two: the comma, bracket or dash before the later mention.
    has_gap_of_one = in_one_sentence & (later_start == end + 2)
    yield "comma between", has_gap_of_one & has("after comma")[later]
    starts_soon = (later_start > end) & (later_start <= end + 4)
    yield "copula between", in_one_sentence & starts_soon & has("before copula")[earlier]
    yield "same role", pairs.have_same("role")
    yield "same governor", in_one_sentence & pairs.have_same("governor")


def _speech_relations(pairs: MentionPairs) -> NamedRelations:
    earlier, later = pairs.codes("speaker")
    yield "same speaker", (earlier == later) & (earlier > 0)
    yield "other speaker", (earlier != later) & ((earlier > 0) | (later > 0))
    yield "speakers unknown", (earlier == 0) & (later == 0)
    turn, later_turn = pairs.positions("turn")
    n_turns_later = later_turn - turn
    quoted, speaks = pairs.mentions.has("quoted"), pairs.mentions.has("speaks")
    is_quoted, is_later_quoted = quoted[pairs.earlier], quoted[pairs.later]
    are_quoted = is_quoted & is_later_quoted
    yield "no quotation", ~(is_quoted | is_later_quoted)
    yield "one quoted", is_quoted ^ is_later_quoted
    for step, name in enumerate(("same turn", "next turn", "turn after next")):
        yield name, are_quoted & (n_turns_later == step)
    introduces_quotation = speaks[pairs.earlier] & is_later_quoted & (n_turns_later == 1)
    follows_quotation = is_quoted & speaks[pairs.later] & (n_turns_later == 0)
    yield "utters", introduces_quotation | follows_quotation
    names, speakers = pairs.mentions.names, pairs.mentions.speakers
    n_shared = pairs.count_shared(names, speakers) + pairs.count_shared(speakers, names)
    yield "speaker named", n_shared > 0


def _distance_relations(pairs: MentionPairs) -> NamedRelations:
    sentences, mentions = distances(pairs)
    for names, steps, values in (
        (SENTENCES, SENTENCE_STEPS, sentences),
        (MENTIONS, MENTION_STEPS, mentions),
    ):
        step_indices = np.searchsorted(list(steps.values()), values, side="right") - 1
        yield from ((name, step_indices == step) for step, name in enumerate(names))
