"""Looking at the pairs that share a canopy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_real
from coterie._core.arrays import Ints, refuse_too_large
from coterie.blocking._base import PairBlocker, as_names, directions
from coterie.exceptions import ItemSetError
from coterie.features.columns import describe_items
from coterie.features.names.tokens import item_texts
from coterie.features.texts.vocabulary import Vocabulary
from coterie.items import ItemSet

__all__ = ["Canopies"]

ROUNDING = 1e-9
"""How far below a threshold a cosine may be that equals it but for rounding."""


@dataclass(frozen=True)
class Canopies(PairBlocker):
    """Look at the pairs that share a canopy, by a cheap distance: 1 less the cosine.

    McCallum, Nigam & Ungar 2000: the first item that is left becomes a centre; all items whose
    distance from it is at most `loose` are its canopy, and those at most `tight` away are no longer
    left to become centres; this goes on until none is left. Canopies overlap. Centres are taken by
    the order of the items, in the original at random. The smaller `tight`, the more there are; at
    0, all pairs at most `loose` apart are looked at. Items of zeros or without words are near none.

    Texts are compared by the TF-IDF of their words, as `Vocabulary` has it, learned from the items.

    Parameters
    ----------
    loose
        Up to which distance, 0 to 2, an item is in the canopy of a centre.
    tight
        Up to which distance, at most `loose`, an item is no centre of its own.
    columns
        Names of columns of texts, whose words are taken together. None compares items that are
        texts or vectors themselves.

    Examples
    --------
    >>> titles = ItemSet(["Learning to fly", "To fly", "Kites", "On kites"])
    >>> Canopies(loose=0.7, tight=0.3)(titles).tolist()
    [[0, 1], [2, 3]]
    """

    loose: float = 0.8
    tight: float = 0.4
    columns: Sequence[str] | None = None

    def __post_init__(self) -> None:
        loose = as_real("loose", self.loose, high=2.0)
        object.__setattr__(self, "loose", loose)
        object.__setattr__(self, "tight", as_real("tight", self.tight, high=loose))
        if self.columns is not None:
            object.__setattr__(self, "columns", as_names(self.columns))

    def _keys(self, items: Any, n_items: int) -> Ints:
        vectors, which = directions(self._vectors(items))
        canopies = _canopies(vectors, 1.0 - self.loose, 1.0 - self.tight)
        sizes = np.array([len(members) for members in canopies], dtype=np.intp)
        refuse_too_large(min(int(sizes @ sizes), n_items**2), "what canopies have in common")
        members = which[np.concatenate([which[:0], *canopies])]
        parts = np.ones(len(members), np.bool_), members, np.cumsum([0, *sizes])
        inside = sp.csr_array(parts, shape=(len(canopies), n_items))
        low, high = sp.triu(inside.T @ inside, 1).nonzero()
        return np.sort(low.astype(np.intp) * n_items + high)

    def _vectors(self, items: Any) -> Any:
        if self.columns is None and (isinstance(items, np.ndarray) or sp.issparse(items)):
            return items
        texts = _texts(items, self.columns)
        known = Vocabulary.learned(texts, min_texts=1)
        return known.tfidf(known.counts(texts))


def _texts(items: Any, columns: Sequence[str] | None) -> list[str]:
    """Return the text of each item: itself, or those of columns with blanks between."""
    if columns is None and not isinstance(items, tuple):
        raise ItemSetError(
            f"Canopies compares texts or vectors, but the items are {describe_items(items)}; give "
            "the names of columns of texts, or another blocker"
        )
    read = [item_texts(ItemSet(items), name, "Canopies") for name in columns or ("text",)]
    return [" ".join(text or "" for text in texts) for texts in zip(*read, strict=True)]


def _canopies(vectors: Any, loose: float, tight: float) -> list[Ints]:
    """Return the members of each canopy, those whose cosine with its centre is `loose` or more."""
    others = vectors.T.tocsr() if sp.issparse(vectors) else vectors.T
    left = np.ones(vectors.shape[0], dtype=np.bool_)
    found = []
    for centre in range(len(left)):
        if left[centre]:
            row = vectors[[centre]] @ others
            cosines = row.toarray()[0] if sp.issparse(row) else row[0]
            found.append(np.flatnonzero(cosines >= loose - ROUNDING))
            left &= cosines < tight - ROUNDING
    return found
