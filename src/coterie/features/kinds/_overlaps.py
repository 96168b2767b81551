"""What the words and codes of two texts share, by how rare these are."""

import numpy as np

from coterie._arrays import Floats, Ints
from coterie.features.kinds._base import Encoded

_SAID = (
    "rarity of shared {}",
    "rarest shared {}",
    "rarity of {} of the poorer alone",
    "rarity of {} of the richer alone",
    "shared {} of the poorer",
    "shared {} of both",
)
AMONG_ROWS = tuple(said.format("words") for said in _SAID)
AMONG_ENTITIES = tuple(f"{said.format('phrases')}, among entities" for said in _SAID)
GRAMS = tuple(said.format("trigrams") for said in _SAID[4:])
CODES = tuple(said.format("codes") for said in _SAID[:3])


def overlaps_of(encoded: Encoded, left: Ints, right: Ints) -> Floats:
    """Return what `AMONG_ROWS`, `AMONG_ENTITIES` and `CODES` name, of pairs of distinct texts."""
    words, codes = encoded.tokens["words"], encoded.tokens["codes"]
    phrases, grams = encoded.tokens["phrases"], encoded.tokens["grams"]
    return np.column_stack(
        [
            words.overlaps(0, left, right),
            phrases.overlaps(1, left, right),
            grams.overlaps(0, left, right)[:, -len(GRAMS) :],
            codes.overlaps(0, left, right)[:, : len(CODES)],
        ]
    )
