"""Free texts: descriptions, addresses in one line, abstracts."""

from dataclasses import dataclass
from typing import ClassVar

from coterie.features.kinds._words import Worded
from coterie.features.kinds.name import MOST_WORDS
from coterie.features.kinds.profile import Profile


@dataclass(frozen=True, eq=False)
class Text(Worded):
    """Compare long texts: their words by how rare these are, trigrams, codes and acronyms."""

    word: ClassVar = "text"

    @classmethod
    def likeness(cls, profile: Profile) -> float:
        """Values of many words."""
        return 0.5 if profile.n_words > MOST_WORDS else 0.0
