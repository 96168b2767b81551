"""SoftTFIDF: how alike names are by the tokens they have in common, up to their spelling."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from rapidfuzz.distance.JaroWinkler import similarity
from rapidfuzz.process import cdist, cpdist

from coterie._core.arguments import as_floats, as_real
from coterie._core.arrays import Floats, Ints, Pairs, read_only
from coterie._kernels.texts.soft_tfidf import TokenRows, count_close, gather_close, matched_sums
from coterie._types import Features
from coterie.exceptions import FeatureError, located
from coterie.features.featurizer import PairFeaturizer
from coterie.features.names.tokens import fold_case, item_texts, name_tokens
from coterie.features.operators import DenseFeatures
from coterie.features.operators.base import refuse_unwritable
from coterie.features.operators.blocks import pairs_at, row_blocks
from coterie.items import ItemSet, as_item_sets
from coterie.pairs import as_pairs, count_pairs

Scored: TypeAlias = tuple[Ints, Ints, Floats]
"""Pairs of tokens, the lower number first, and how close they are."""

ROUNDING = 1e-9
"""How far below the threshold a number may be that is the threshold but for rounding."""

MARGIN = 1e-6
"""By how much RapidFuzz may miss a cutoff: those of Jaro-Winkler are not exact."""

BLOCK = 2**20
"""How many pairs of names, or of their tokens, are looked at together."""

LISTING = 16
"""How many times longer a pair of tokens takes that is listed than as one of all pairs."""


class WeightedNames(NamedTuple):
    """The tokens of names, in alphabetical order, and each name as weights of some of them."""

    tokens: tuple[str, ...]
    names: TokenRows

    @property
    def sizes(self) -> Ints:
        """How many different tokens each name has."""
        return np.diff(self.names.starts)


@dataclass(frozen=True, eq=False)
class SoftTFIDF(PairFeaturizer):
    """Compare names by the TF-IDF cosine in which tokens of close spelling count as common.

    The similarity of Cohen, Ravikumar & Fienberg 2003, Σ V(w, S) · V(v, T) · J(w, v) over tokens w
    of one name and v of the other whose Jaro-Winkler similarity J is at least the threshold. In a
    name that has w tf times, V is proportional to ln(1 + tf) · idf, and the squares of its V sum to
    1. Of n names of `fit`, df of which have w, idf is ln((n + 1) / (df + ½)): above 0 for a word of
    all names, and finite for one of none, which is how words count that `fit` did not see.

    The published sum matches each w with the v nearest to it, so that it depends on which name is
    S, and exceeds 1 where several w have the same v. Here each token is matched once, the nearest
    pairs first (of equally near ones that of the larger weights, then in alphabetical order): the
    names may be swapped, and by Cauchy and Schwarz the sum is at most 1, as of a name and itself.
    Where the nearest tokens are each other's nearest, it is the published one.

    Neither case nor the marks of Latin and Greek letters matter. A name that is missing, or has
    neither letters nor digits nor symbols, is like no other, and not counted.

    Parameters
    ----------
    name
        The name of the column of names; items that are texts are names themselves.
    threshold
        From which Jaro-Winkler similarity on tokens are close; with 1 it is the TF-IDF cosine.
    words, idf
        What `fit` learned: the words of names, and their idf; last, that of all other words.

    Examples
    --------
    >>> names = ItemSet(["John Kennedy", "Kennedy, Jhon", "John Wilson", "Brian Wilson"])
    >>> featurizer = SoftTFIDF().fit([names])
    >>> featurizer(names, [(0, 1), (0, 2), (2, 3)]).to_matrix().round(2)
    array([[0.92],
           [0.5 ],
           [0.35]])

    As a similarity, with a threshold of 0.8:

    >>> from coterie.similarities import LinearSimilarity
    >>> similarity = LinearSimilarity(SoftTFIDF().fit([names]), [1.0], bias=-0.8)
    >>> similarity(names, [(0, 1), (0, 2)]) > 0.0
    array([ True, False])
    """

    name: str = "name"
    threshold: float = 0.9
    words: tuple[str, ...] | None = field(default=None, kw_only=True, repr=False)
    idf: Floats | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", as_real("threshold", self.threshold, high=1.0))
        if self.words is not None or self.idf is not None:
            words, idf = _as_learned(self.words, self.idf)
            object.__setattr__(self, "words", words)
            object.__setattr__(self, "idf", idf)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the only column; that of another column than `name` begins with its."""
        before = "" if self.name == "name" else f"{self.name}: "
        return (f"{before}soft TF-IDF",)

    @property
    def distances(self) -> tuple[bool, ...]:
        """Whether each column grows with distance: the only one is higher for names more alike."""
        return (False,)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Learn which words names have, and how rare each is."""
        found: Counter[str] = Counter()
        n_names = 0
        for number, item_set in enumerate(as_item_sets(item_sets)):
            with located(f"item set {number}"):
                counted = self._counted(item_set)
            for counts in counted:
                found.update(counts.keys())
                n_names += bool(counts)
        words = sorted(found)
        frequencies = np.array([*(found[word] for word in words), 0])
        return replace(self, words=tuple(words), idf=np.log((n_names + 1) / (frequencies + 0.5)))

    def encode(self, item_set: ItemSet) -> WeightedNames:
        """Weigh the tokens of each name."""
        idf, known = self._learned
        counted = self._counted(item_set)
        tokens = sorted({token for counts in counted for token in counts})
        numbers = {token: number for number, token in enumerate(tokens)}
        columns = np.array([numbers[token] for counts in counted for token in counts], np.intp)
        repeats = np.array([n for counts in counted for n in counts.values()], np.float64)
        weights = np.log1p(repeats) * idf[[known.get(token, -1) for token in tokens]][columns]
        starts = np.cumsum([0, *map(len, counted)])
        matrix = sp.csr_array((weights, columns, starts), shape=(len(counted), len(tokens)))
        return WeightedNames(tuple(tokens), _as_rows(_of_length_1(matrix)))

    def compare(self, encoded: WeightedNames, pairs: ArrayLike | None) -> Features:
        """Return the similarity of some pairs of names, None for all."""
        n_names = len(encoded.sizes)
        listed = as_pairs(pairs, n_names)
        n_pairs = count_pairs(n_names, listed)
        refuse_unwritable((n_pairs, 1), n_pairs)
        close = _close_tokens(encoded, listed, self.threshold)
        column = np.empty((n_pairs, 1))
        for start in range(0, n_pairs, BLOCK):
            rows = slice(start, min(start + BLOCK, n_pairs))
            some = _pairs_of(rows, n_names) if listed is None else listed[rows]
            column[rows, 0] = _similarities(encoded, some, close)
        return DenseFeatures(column)

    def _counted(self, item_set: ItemSet) -> list[Counter[str]]:
        names = item_texts(item_set, self.name, "SoftTFIDF")
        return [Counter(map(fold_case, name_tokens(name or ""))) for name in names]

    @cached_property
    def _learned(self) -> tuple[Floats, dict[str, int]]:
        if self.words is None or self.idf is None:
            raise FeatureError("how rare the words of names are is not known yet; call fit first")
        return self.idf, {word: number for number, word in enumerate(self.words)}


def _as_learned(words: Any, idf: Any) -> tuple[tuple[str, ...], Floats]:
    known = tuple(words) if isinstance(words, Sequence) else ()
    rarity = as_floats("idf", idf, FeatureError)
    if len(set(known)) < len(known) or not all(isinstance(word, str) for word in known):
        raise FeatureError("words must be different texts; give each once")
    if rarity.shape != (len(known) + 1,) or not np.all((rarity > 0) & np.isfinite(rarity)):
        raise FeatureError(
            f"idf has shape {rarity.shape} for {len(known)} words; give one finite number above 0 "
            "for each, and another for all other words"
        )
    return known, rarity


def _of_length_1(matrix: Any) -> Any:
    """Return the rows in order and divided by their lengths; those without tokens stay empty."""
    matrix.sort_indices()
    lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=1)).ravel())
    matrix.data /= np.repeat(lengths, np.diff(matrix.indptr))
    return matrix


def _as_rows(matrix: Any) -> TokenRows:
    starts, tokens = (part.astype(np.intp, copy=False) for part in (matrix.indptr, matrix.indices))
    return TokenRows(read_only(starts), read_only(tokens), read_only(matrix.data))


def _pairs_of(rows: slice, n_names: int) -> Pairs:
    return pairs_at(np.arange(rows.start, rows.stop), n_names)


def _similarities(encoded: WeightedNames, pairs: Pairs, close: TokenRows) -> Floats:
    """Return the similarity of each pair of names, some at a time where tokens are many."""
    counts = count_close(pairs, encoded.names, close)
    alike = np.flatnonzero(counts)
    found = np.zeros(len(pairs))
    for cut in _cuts(counts[alike], BLOCK):
        some = alike[cut]
        found[some] = _matched(encoded, read_only(pairs[some]), close, int(counts[some].sum()))
    return np.minimum(found, 1.0)  # beyond which it is rounding


def _matched(encoded: WeightedNames, pairs: Pairs, close: TokenRows, n_close: int) -> Floats:
    """Match the tokens of each pair of names, the closest first, and sum up."""
    owners, places, scores = gather_close(pairs, encoded.names, close, n_close)
    weights = encoded.names.values[places].prod(axis=0)
    tokens = encoded.names.tokens[places]
    low, high = np.sort(tokens, axis=0)
    order = np.lexsort((high, low, -weights, -scores, owners))
    tokens, gains = np.ascontiguousarray(tokens[:, order]), (weights * scores)[order]
    sums: Floats = matched_sums(owners[order], tokens, gains, len(pairs), len(encoded.tokens))
    return sums


def _close_tokens(encoded: WeightedNames, listed: Pairs | None, threshold: float) -> TokenRows:
    """Return the tokens close to each that may meet it in a pair of names, itself included."""
    n_tokens = len(encoded.tokens)
    if listed is None or _meet_often(encoded, listed):
        blocks = _close_of_all(encoded.tokens, threshold)
    else:
        blocks = _close_of_listed(encoded, listed, threshold)
    none = np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)
    low, high, scores = map(np.concatenate, zip(none, *blocks, strict=True))
    _, once = np.unique(low * n_tokens + high, return_index=True)
    low, high, scores, own = low[once], high[once], scores[once], np.arange(n_tokens)
    places = np.concatenate([low, high, own]), np.concatenate([high, low, own])
    values = np.concatenate([scores, scores, np.ones(n_tokens)])
    matrix = sp.csr_array((values, places), shape=(n_tokens, n_tokens))
    matrix.sort_indices()
    return _as_rows(matrix)


def _meet_often(encoded: WeightedNames, listed: Pairs) -> bool:
    """Tell whether to compare all tokens is faster than to list those that meet."""
    n_meetings = encoded.sizes[listed].prod(axis=1).sum()
    return bool(n_meetings * LISTING >= count_pairs(len(encoded.tokens)))


def _close_of_all(tokens: Sequence[str], threshold: float) -> Iterator[Scored]:
    """Compare all tokens, a block of rows of the upper triangle at a time."""
    for rows in row_blocks(len(tokens), len(tokens)):
        block = np.triu(_jaro_winkler(cdist, tokens[rows], tokens[rows.start :], threshold), 1)
        low, high = np.nonzero(block)
        yield low + rows.start, high + rows.start, block[low, high]


def _close_of_listed(encoded: WeightedNames, listed: Pairs, threshold: float) -> Iterator[Scored]:
    """Compare the tokens that meet in listed pairs of names, each pair of them once a block."""
    starts, tokens, sizes = encoded.names.starts, encoded.names.tokens, encoded.sizes
    first, second = listed.T
    own = tokens[_ranges(starts[first], sizes[first])]
    partners = np.repeat(second, sizes[first])
    texts = np.array(encoded.tokens, dtype=object)
    for cut in _cuts(sizes[partners], BLOCK):
        with_each = sizes[partners[cut]]
        others = tokens[_ranges(starts[partners[cut]], with_each)]
        each = np.repeat(own[cut], with_each)
        keys = np.minimum(each, others) * len(texts) + np.maximum(each, others)
        low, high = np.divmod(np.unique(keys), len(texts))
        low, high = low[low < high], high[low < high]
        scores = _jaro_winkler(cpdist, texts[low], texts[high], threshold)
        close = np.flatnonzero(scores)
        yield low[close], high[close], scores[close]


def _jaro_winkler(compare: Callable[..., Any], one: Any, other: Any, threshold: float) -> Floats:
    """Compare tokens by a function of RapidFuzz; what is below the threshold is 0."""
    cutoff = max(threshold - MARGIN, 0.0)
    scores: Floats = compare(one, other, scorer=similarity, score_cutoff=cutoff, dtype=np.float64)
    scores[scores < threshold - ROUNDING] = 0.0
    return scores


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """Return start, start + 1, … of each start, one behind the other.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    ranges: Ints = np.repeat(starts - ends + sizes, sizes) + np.arange(sizes.sum())
    return ranges


def _cuts(sizes: Ints, most: int) -> Iterator[slice]:
    """Yield slices that sum to `most` or less each, or have one entry.

    >>> [(cut.start, cut.stop) for cut in _cuts(np.array([1, 2, 9, 0, 1]), most=3)]
    [(0, 2), (2, 3), (3, 5)]
    """
    ends = np.cumsum(sizes)
    start = before = 0
    while start < len(sizes):
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield slice(start, stop)
        start, before = stop, int(ends[stop - 1])
