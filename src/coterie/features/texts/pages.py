"""Features of pairs of pages: their words, the words of links to them, and the links."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from coterie._core.arrays import Pairs
from coterie._types import Features
from coterie.exceptions import FeatureError, located
from coterie.features.columns import column_of, is_missing, tokens_of
from coterie.features.featurizer import PairFeaturizer
from coterie.features.operators import LinkedNodeProducts, NodeProducts, stack
from coterie.features.texts.vocabulary import Vocabulary, as_texts
from coterie.items import ItemSet, as_item_sets
from coterie.pairs import as_links, as_pairs

REGIONS = ("linked", "co-cited")


class EncodedPages(NamedTuple):
    """What is read of each page once: the weights of its words, and the links between pages."""

    words: NodeProducts
    links: Pairs | None
    citations: Pairs | None


@dataclass(frozen=True, eq=False)
class PageFeatures(PairFeaturizer):
    """Compare pages by the words that both have, all the more where links join them.

    The features of Finley & Joachims 2008, section 6.1.1. A page is a vector of the TF-IDF weights
    of its words, of length 1; with `anchors`, those of the words by which other pages link to it
    follow, of length 1 too. A pair has the product of both pages' weights of each word: WebKB-N.
    With `links` there are two more regions of such products, each with an indicator 1 at its end:
    of pairs of which one page links to the other, and of pairs to which some page of the item set
    links; they are 0 for all other pairs: WebKB-L. What the paper adds to the words of WebKB-L it
    does not say; the words of links are our reading. Nothing is written out pair by pair.

    Parameters
    ----------
    text
        The name of the column of texts; None counts as empty.
    anchors
        The name of the column of texts by which other pages link to the page, if there is one.
    links
        The name of the column of the pages that a page links to: a list of ids of items, or of
        their numbers where the item set has no ids. A text is one id, even with blanks in it. Links
        to pages outside of the item set are ignored, unless none can be an id, as texts where ids
        are numbers: they are refused.
    vocabularies
        What `fit` learned: the words that at least two texts have, and their IDF, of texts and,
        where there are, of links.

    Examples
    --------
    >>> pages = {"text": ["our course", "our staff", "the staff"], "links": [[1, 2], [], []]}
    >>> featurizer = PageFeatures(links="links").fit([ItemSet(pages)])
    >>> featurizer.names[-3:]
    ('co-cited, word: our', 'co-cited, word: staff', 'co-cited')
    >>> featurizer(ItemSet(pages), None)
    StackedFeatures(3 pairs × 8 columns)
    """

    text: str = "text"
    anchors: str | None = None
    links: str | None = None
    vocabularies: tuple[Vocabulary, ...] | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        if self.vocabularies is not None:
            object.__setattr__(self, "vocabularies", _as_vocabularies(self.vocabularies))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, known after `fit`."""
        kinds = zip(("word", "anchor"), self._known, strict=False)
        words = [f"{kind}: {word}" for kind, known in kinds for word in known.words]
        if self.links is None:
            return tuple(words)
        regions = ([*(f"{region}, {word}" for word in words), region] for region in REGIONS)
        return (*words, *(name for region in regions for name in region))

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Learn the words and how rare each is."""
        sets = as_item_sets(item_sets)
        return replace(
            self,
            vocabularies=tuple(Vocabulary.learned(_all_texts(sets, name)) for name in self._texts),
        )

    def encode(self, item_set: ItemSet) -> EncodedPages:
        """Weigh the words of each page, and look up its links."""
        parts = [
            known.tfidf(known.counts(_texts(item_set, name)))
            for name, known in zip(self._texts, self._known, strict=True)
        ]
        words = NodeProducts(sp.hstack(parts, format="csr"))
        if self.links is None:
            return EncodedPages(words, None, None)
        links = _links(item_set, self.links)
        return EncodedPages(words, links, _cited_together(links, len(item_set)))

    def compare(self, encoded: EncodedPages, pairs: ArrayLike | None) -> Features:
        """Return the features of some pairs, None for all."""
        listed = as_pairs(pairs, encoded.words.nodes.shape[0])
        words = encoded.words.at(listed)
        if encoded.links is None or encoded.citations is None:
            return words
        regions = (
            LinkedNodeProducts(words.nodes, linked, listed)
            for linked in (encoded.links, encoded.citations)
        )
        return stack([words, *regions])

    @property
    def _texts(self) -> tuple[str, ...]:
        """The names of the columns of texts."""
        return (self.text,) if self.anchors is None else (self.text, self.anchors)

    @property
    def _known(self) -> tuple[Vocabulary, ...]:
        if self.vocabularies is None:
            raise FeatureError("the words of pages are not known yet; call fit first")
        if len(self.vocabularies) != len(self._texts):
            raise FeatureError(
                f"there are {len(self.vocabularies)} vocabularies for the columns "
                f"{' and '.join(self._texts)}; call fit again"
            )
        return self.vocabularies


def _as_vocabularies(given: Any) -> tuple[Vocabulary, ...]:
    known = tuple(given) if isinstance(given, Iterable) else (given,)
    for each in known:
        if not isinstance(each, Vocabulary):
            raise FeatureError(f"vocabularies has {each!r}; give what fit learned, or None")
    return known


def _all_texts(item_sets: Sequence[ItemSet], name: str) -> Iterator[str]:
    for number, item_set in enumerate(item_sets):
        with located(f"item set {number}"):
            yield from _texts(item_set, name)


def _texts(item_set: ItemSet, name: str) -> list[str]:
    return as_texts(_column(item_set, name), name)


def _links(item_set: ItemSet, name: str) -> Pairs:
    """Return the pairs (from, to) of items that are linked, but for links to themselves."""
    ids = range(len(item_set)) if item_set.ids is None else item_set.ids
    numbers = {known: number for number, known in enumerate(ids)}
    targets = list(_targets(item_set, name))
    found = [(number, numbers[target]) for number, target in targets if target in numbers]
    if not found:
        _refuse_other_kind(name, targets, ids)
    between = [(number, linked) for number, linked in found if linked != number]
    return np.array(between, dtype=np.intp).reshape(-1, 2)


def _targets(item_set: ItemSet, name: str) -> Iterator[tuple[int, Hashable]]:
    """Yield the number of an item and what it links to, link by link."""
    for number, value in enumerate(_column(item_set, name)):
        for target in () if is_missing(value) else tokens_of(value):
            if isinstance(target, bool | np.bool_) or not _is_hashable(target):
                raise FeatureError(
                    f"{name} of item {number} has {target!r}, which is no id; give a list of ids "
                    "of items"
                )
            yield number, target


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:  # also a tuple that holds a list
        return False
    return True


def _refuse_other_kind(
    name: str, targets: Sequence[tuple[int, Hashable]], ids: Sequence[Hashable]
) -> None:
    """Refuse links none of which is of a kind that an id has; others lead out of the item set."""
    given = [(number, target) for number, target in targets if not is_missing(target)]
    if given and {_kind(target) for _, target in given}.isdisjoint(map(_kind, ids)):
        number, target = given[0]
        kinds = " and ".join(sorted({type(own).__name__ for own in ids}))
        raise FeatureError(
            f"{name} of item {number} has {target!r}, of type {type(target).__name__}, but ids are "
            f"of type {kinds}; give ids of items, or their numbers where they have none"
        )


def _kind(value: Hashable) -> type:
    """Return the type of an id; all numbers are of one, since 1 equals 1.0."""
    return next((kind for kind in (Number, str) if isinstance(value, kind)), type(value))


def _cited_together(links: Pairs, n_items: int) -> Pairs:
    """Return the pairs of items to which one item links."""
    citing = sp.csr_array((np.ones(len(links)), tuple(links.T)), shape=(n_items, n_items))
    together = sp.coo_array(sp.triu(citing.T @ citing, 1))
    return as_links(np.stack(together.coords, axis=1), n_items)


def _column(item_set: ItemSet, name: str) -> list[Any]:
    return column_of(item_set.items, name, "PageFeatures", FeatureError) if len(item_set) else []
