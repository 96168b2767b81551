"""Canopy blocking: items that share a canopy by a cheap distance are candidate pairs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_real
from coterie._core.arrays import Ints, refuse_too_large
from coterie.blocking._base import PairBlocker, as_column_names, directions
from coterie.exceptions import ItemSetError
from coterie.features.columns import describe_items
from coterie.features.names.tokens import item_texts
from coterie.features.texts.vocabulary import Vocabulary
from coterie.items import ItemSet

__all__ = ["Canopies"]

ROUNDING = 1e-9
"""Cosines up to this much below a threshold count as equal to it."""


@dataclass(frozen=True)
class Canopies(PairBlocker):
    """List the pairs of items that share a canopy. The distance is 1 - cosine.

    McCallum, Nigam & Ungar 2000: the first remaining item becomes a centre. All items whose
    distance from it is at most `loose` form its canopy; those whose distance is at most `tight` no
    longer remain. This repeats until no item remains. Canopies overlap. Centres are chosen in the
    order of the items, whereas the original draws them at random. A smaller `tight` makes more
    canopies; at 0, all pairs at a distance of at most `loose` are candidates. Zero vectors and
    texts without words are in no pair.

    Texts are compared by TF-IDF vectors of their words, whose document frequencies are those of the
    items (see `Vocabulary`).

    Parameters
    ----------
    loose
        The largest distance, 0 to 2, of an item from the centre of a canopy that it is in.
    tight
        The largest distance, at most `loose`, at which an item cannot become a centre itself.
    columns
        Names of columns of texts, whose words are pooled. None means that the items themselves are
        texts or vectors.

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
            object.__setattr__(self, "columns", as_column_names(self.columns))

    def _pair_ids(self, items: Any, n_items: int) -> Ints:
        vectors, indices = directions(self._vectors(items))
        canopies = _canopies(vectors, 1.0 - self.loose, 1.0 - self.tight)
        sizes = np.array([len(members) for members in canopies], dtype=np.intp)
        refuse_too_large(min(int(sizes @ sizes), n_items**2), "the overlap of canopies")
        members = indices[np.concatenate([indices[:0], *canopies])]
        parts = np.ones(len(members), np.bool_), members, np.cumsum([0, *sizes])
        inside = sp.csr_array(parts, shape=(len(canopies), n_items))
        low, high = sp.triu(inside.T @ inside, 1).nonzero()
        return np.sort(low.astype(np.intp) * n_items + high)

    def _vectors(self, items: Any) -> Any:
        if self.columns is None and (isinstance(items, np.ndarray) or sp.issparse(items)):
            return items
        texts = _texts(items, self.columns)
        vocabulary = Vocabulary.learned(texts, min_texts=1)
        return vocabulary.tfidf(vocabulary.counts(texts))


def _texts(items: Any, columns: Sequence[str] | None) -> list[str]:
    """Return the text of each item: the item itself, or its cells joined by blanks."""
    if columns is None and not isinstance(items, tuple):
        raise ItemSetError(
            f"Canopies compares texts or vectors, but the items are {describe_items(items)}; "
            "give the names of text columns, or another blocker"
        )
    cells = [item_texts(ItemSet(items), name, "Canopies") for name in columns or ("text",)]
    return [" ".join(text or "" for text in texts) for texts in zip(*cells, strict=True)]


def _canopies(vectors: Any, loose: float, tight: float) -> list[Ints]:
    """Return the members of each canopy; `loose` and `tight` are bounds of the cosine here."""
    others = vectors.T.tocsr() if sp.issparse(vectors) else vectors.T
    remaining = np.ones(vectors.shape[0], dtype=np.bool_)
    canopies = []
    for centre in range(len(remaining)):
        if remaining[centre]:
            row = vectors[[centre]] @ others
            cosines = row.toarray()[0] if sp.issparse(row) else row[0]
            canopies.append(np.flatnonzero(cosines >= loose - ROUNDING))
            remaining &= cosines < tight - ROUNDING
    return canopies
