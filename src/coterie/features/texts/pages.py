"""Features of pairs of web pages: their words, the words of links to them, and the links."""

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
    """The word weights of each page, the linked pairs of pages, and the co-cited ones."""

    words: NodeProducts
    links: Pairs | None
    co_citations: Pairs | None


@dataclass(frozen=True, eq=False)
class PageFeatures(PairFeaturizer):
    """Compare web pages by the words that they share, with extra features for linked pages.

    The features of Finley & Joachims 2008, section 6.1.1. Each page is a vector of the TF-IDF
    weights of its words, scaled to length 1. With `anchors`, a second vector of length 1 follows,
    with the words by which other pages link to it. The features of a pair are the products of the
    two pages' weights of each word: these are the features WebKB-N of the paper.

    With `links` there are two more regions of such products, each with a 1 at its end: one for
    pairs in which a page links to the other, and one for co-cited pairs, to which some page of the
    item set links. For all other pairs the regions are 0. These are the features WebKB-L. The paper
    does not say which words it adds for WebKB-L; the words of links are our interpretation. The
    features are computed from the pages when they are needed, and never stored for each pair.

    Parameters
    ----------
    text
        The name of the column of texts. None in it is an empty text.
    anchors
        The name of the column of texts by which other pages link to the page. None means that
        there is no such column.
    links
        The name of the column of the pages that a page links to: a list of item ids, or of item
        indices if the item set has no ids. A string is a single id, even if it has blanks. Links to
        pages outside of the item set are ignored; but if no link can be an id, such as strings
        where ids are numbers, they are refused.
    vocabularies
        The result of `fit`: the words that occur in at least two training texts, with their IDF;
        with `anchors`, a second such vocabulary.

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
        """The feature names, which are known after `fit`."""
        vocabularies = zip(("word", "anchor"), self._fitted_vocabularies, strict=False)
        words = [
            f"{kind}: {word}" for kind, vocabulary in vocabularies for word in vocabulary.words
        ]
        if self.links is None:
            return tuple(words)
        regions = ([*(f"{region}, {word}" for word in words), region] for region in REGIONS)
        return (*words, *(name for region in regions for name in region))

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Learn the words and their IDF."""
        sets = as_item_sets(item_sets)
        return replace(
            self,
            vocabularies=tuple(
                Vocabulary.learned(_all_texts(sets, name)) for name in self._text_columns
            ),
        )

    def encode(self, item_set: ItemSet) -> EncodedPages:
        """Compute the word weights of each page, and find its links."""
        columns = zip(self._text_columns, self._fitted_vocabularies, strict=True)
        word_weights = [
            vocabulary.tfidf(vocabulary.counts(_texts(item_set, name)))
            for name, vocabulary in columns
        ]
        words = NodeProducts(sp.hstack(word_weights, format="csr"))
        if self.links is None:
            return EncodedPages(words, None, None)
        links = _links(item_set, self.links)
        return EncodedPages(words, links, _co_cited_pairs(links, len(item_set)))

    def compare(self, encoded: EncodedPages, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs of pages; None means all pairs."""
        candidate_pairs = as_pairs(pairs, encoded.words.nodes.shape[0])
        words = encoded.words.at(candidate_pairs)
        if encoded.links is None or encoded.co_citations is None:
            return words
        regions = (
            LinkedNodeProducts(words.nodes, region_pairs, candidate_pairs)
            for region_pairs in (encoded.links, encoded.co_citations)
        )
        return stack([words, *regions])

    @property
    def _text_columns(self) -> tuple[str, ...]:
        """The names of the columns of texts."""
        return (self.text,) if self.anchors is None else (self.text, self.anchors)

    @property
    def _fitted_vocabularies(self) -> tuple[Vocabulary, ...]:
        if self.vocabularies is None:
            raise FeatureError(
                "PageFeatures is not fitted; call fit and use the copy that it returns"
            )
        if len(self.vocabularies) != len(self._text_columns):
            raise FeatureError(
                f"vocabularies has length {len(self.vocabularies)}, but must have one for "
                f"each of the columns {', '.join(self._text_columns)}; call fit again"
            )
        return self.vocabularies


def _as_vocabularies(values: Any) -> tuple[Vocabulary, ...]:
    vocabularies = tuple(values) if isinstance(values, Iterable) else (values,)
    for vocabulary in vocabularies:
        if not isinstance(vocabulary, Vocabulary):
            raise FeatureError(
                f"vocabularies has {vocabulary!r}, not a Vocabulary; give the vocabularies of a "
                "fitted featurizer, or None"
            )
    return vocabularies


def _all_texts(item_sets: Sequence[ItemSet], name: str) -> Iterator[str]:
    for i, item_set in enumerate(item_sets):
        with located(f"item set {i}"):
            yield from _texts(item_set, name)


def _texts(item_set: ItemSet, name: str) -> list[str]:
    return as_texts(_column(item_set, name), name)


def _links(item_set: ItemSet, name: str) -> Pairs:
    """Return the pairs (from, to) of linked items, without links of items to themselves."""
    ids = range(len(item_set)) if item_set.ids is None else item_set.ids
    indices = {item_id: i for i, item_id in enumerate(ids)}
    targets = list(_link_targets(item_set, name))
    inner_links = [(source, indices[target]) for source, target in targets if target in indices]
    if not inner_links:
        _refuse_other_types(name, targets, ids)
    links = [(source, target) for source, target in inner_links if source != target]
    return np.array(links, dtype=np.intp).reshape(-1, 2)


def _link_targets(item_set: ItemSet, name: str) -> Iterator[tuple[int, Hashable]]:
    """Yield the index of an item and the id that it links to, for each link."""
    for i, value in enumerate(_column(item_set, name)):
        for target in () if is_missing(value) else tokens_of(value):
            if isinstance(target, bool | np.bool_) or not _is_hashable(target):
                raise FeatureError(
                    f"{name} of item {i} has {target!r}, which cannot be an id; give a list of "
                    "item ids"
                )
            yield i, target


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:  # raised for lists, but also for tuples that contain one
        return False
    return True


def _refuse_other_types(
    name: str, targets: Sequence[tuple[int, Hashable]], ids: Sequence[Hashable]
) -> None:
    """Refuse links if none has the type of an id; otherwise they lead out of the item set."""
    present = [(source, target) for source, target in targets if not is_missing(target)]
    if present and {_id_type(target) for _, target in present}.isdisjoint(map(_id_type, ids)):
        source, target = present[0]
        types = " and ".join(sorted({type(item_id).__name__ for item_id in ids}))
        raise FeatureError(
            f"{name} of item {source} has {target!r}, of type {type(target).__name__}, but ids are "
            f"of type {types}; give item ids, or item indices if the item set has no ids"
        )


def _id_type(value: Hashable) -> type:
    """Return the type of an id; all numbers have one type, because 1 equals 1.0."""
    return next((type_ for type_ in (Number, str) if isinstance(value, type_)), type(value))


def _co_cited_pairs(links: Pairs, n_items: int) -> Pairs:
    """Return the pairs of items to which the same item links."""
    adjacency = sp.csr_array((np.ones(len(links)), tuple(links.T)), shape=(n_items, n_items))
    co_citations = sp.coo_array(sp.triu(adjacency.T @ adjacency, 1))
    return as_links(np.stack(co_citations.coords, axis=1), n_items)


def _column(item_set: ItemSet, name: str) -> list[Any]:
    return column_of(item_set.items, name, "PageFeatures", FeatureError) if len(item_set) else []
