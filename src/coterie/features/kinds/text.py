"""Free texts: descriptions, addresses in one line, abstracts."""

from dataclasses import dataclass
from typing import ClassVar

from coterie.features.kinds._words import WordKind
from coterie.features.kinds.name import MAX_WORDS
from coterie.features.kinds.profile import Profile


@dataclass(frozen=True, eq=False)
class Text(WordKind):
    """Compare long texts by the rarity of shared words, trigrams, codes and acronyms."""

    word: ClassVar = "text"

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Return how well a column fits: values of many words."""
        return 0.5 if profile.n_words > MAX_WORDS else 0.0
