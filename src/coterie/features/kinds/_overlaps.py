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
COSINES = ("cosine of words", "cosine of trigrams")
AMONG_ROWS = tuple(said.format("words") for said in _SAID)
AMONG_ENTITIES = tuple(f"{said.format('phrases')}, among entities" for said in _SAID)
GRAMS = tuple(said.format("trigrams") for said in _SAID[4:])
CODES = tuple(said.format("codes") for said in _SAID[:3])
OVERLAPS = (*COSINES, *AMONG_ROWS, *AMONG_ENTITIES, *GRAMS, *CODES)


def overlaps_of(encoded: Encoded, left: Ints, right: Ints) -> Floats:
    """Return what `OVERLAPS` names, of pairs of distinct texts."""
    words = encoded.tokens["words"].overlaps(0, left, right)
    phrases = encoded.tokens["phrases"].overlaps(1, left, right)
    grams = encoded.tokens["grams"].overlaps(0, left, right)
    codes = encoded.tokens["codes"].overlaps(0, left, right)
    cosines = words[:, -1], grams[:, -1]
    own = words[:, :-1], phrases[:, :-1], grams[:, 4:-1], codes[:, : len(CODES)]
    return np.column_stack([*cosines, *own])
