"""Blockers: which pairs of an item set are looked at.

A blocker is a frozen callable from an item set to its pairs, i < j, sorted, each once; None stands
for all pairs. Of an item set of pair features only the pairs that it has are ever returned.

- of any items: `AllPairs`, `Window`; of vectors: `NearestNeighbours`, `Canopies` (of texts too);
- of columns of any values: `SharedKeys`;
- of columns of texts, keys: `WholeValue`, `Prefix`, `Combined`, `RareTokens`, `QGrams`,
  `SortedNeighbourhood`, `NearestTexts`, and `Union` of several; `AllIfSmall` takes all pairs where
  they are few. `learn_blocking` chooses keys from a partition.
"""

from typing import TYPE_CHECKING

__all__ = [
    "AllIfSmall",
    "AllPairs",
    "Canopies",
    "Combined",
    "LearnedBlocking",
    "Listed",
    "NearestNeighbours",
    "NearestTexts",
    "Prefix",
    "QGrams",
    "RareTokens",
    "SharedKeys",
    "SortedNeighbourhood",
    "Union",
    "WholeValue",
    "Window",
    "learn_blocking",
]

if TYPE_CHECKING:
    from coterie.blocking._cosines import directions as directions
    from coterie.blocking.all_pairs import AllPairs as AllPairs
    from coterie.blocking.all_pairs import Window as Window
    from coterie.blocking.canopies import Canopies as Canopies
    from coterie.blocking.learning import LearnedBlocking as LearnedBlocking
    from coterie.blocking.learning import learn_blocking as learn_blocking
    from coterie.blocking.nearest_texts import NearestTexts as NearestTexts
    from coterie.blocking.neighbours import NearestNeighbours as NearestNeighbours
    from coterie.blocking.parts import QGrams as QGrams
    from coterie.blocking.parts import RareTokens as RareTokens
    from coterie.blocking.shared_keys import SharedKeys as SharedKeys
    from coterie.blocking.small import AllIfSmall as AllIfSmall
    from coterie.blocking.sorted_rows import SortedNeighbourhood as SortedNeighbourhood
    from coterie.blocking.union import Listed as Listed
    from coterie.blocking.union import Union as Union
    from coterie.blocking.values import Combined as Combined
    from coterie.blocking.values import Prefix as Prefix
    from coterie.blocking.values import WholeValue as WholeValue
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "_cosines": ["directions"],
            "all_pairs": ["AllPairs", "Window"],
            "canopies": ["Canopies"],
            "learning": ["LearnedBlocking", "learn_blocking"],
            "nearest_texts": ["NearestTexts"],
            "neighbours": ["NearestNeighbours"],
            "parts": ["QGrams", "RareTokens"],
            "shared_keys": ["SharedKeys"],
            "small": ["AllIfSmall"],
            "sorted_rows": ["SortedNeighbourhood"],
            "union": ["Listed", "Union"],
            "values": ["Combined", "Prefix", "WholeValue"],
        },
    )
