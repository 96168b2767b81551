"""Sets of tokens: keywords, co-authors, tags, set apart by semicolons or bars."""

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coterie._core.arrays import Floats, Ints
from coterie._core.texts import plain_text
from coterie._kernels.texts.tokens import hash_members, hash_trigrams
from coterie.features.kinds._edits import Texts, beginnings, token_sets
from coterie.features.kinds._tokens import NOTHING, KnownTokens
from coterie.features.kinds._words import AMONG_ENTITIES, AMONG_ROWS
from coterie.features.kinds.base import EncodedColumn, Kind
from coterie.features.kinds.profile import SEPARATED, Profile

_GAP = re.compile(f"{SEPARATED.pattern}|,")


@dataclass(frozen=True, eq=False)
class TokenSet(Kind):
    """Compare sets: what is in both and in one alone, by how rare it is, and the spelling."""

    words: KnownTokens = NOTHING
    grams: KnownTokens = NOTHING

    word: ClassVar = "tokens"
    measures: ClassVar = (
        "words as sets",
        "cosine of members",
        "cosine of trigrams",
        *(said.replace("words", "members") for said in (*AMONG_ROWS, *AMONG_ENTITIES)),
    )
    splits: ClassVar = {"words": hash_members, "grams": hash_trigrams}

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Values that semicolons or bars divide."""
        return 0.85 if profile.separated > 0.3 else 0.0

    def _measured(self, encoded: EncodedColumn, left: Ints, right: Ints) -> Floats:
        own = encoded.tokens["words"]
        among_rows, among_entities = own.overlaps(0, left, right), own.overlaps(1, left, right)
        return np.column_stack(
            [
                token_sets(encoded.more, left, right),
                among_rows[:, -1],
                encoded.tokens["grams"].cosines(left, right),
                among_rows[:, :-1],
                among_entities[:, :-1],
            ]
        )

    def _cleaned(self, text: str) -> str:
        return "|".join(sorted(filter(None, {plain_text(part) for part in _GAP.split(text)})))

    def _more(self, texts: list[str]) -> Texts:
        return beginnings(text.replace("|", " ") for text in texts)
