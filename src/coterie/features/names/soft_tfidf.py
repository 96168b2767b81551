"""SoftTFIDF: the TF-IDF cosine of names, where tokens of similar spelling match too."""

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

ScoredTokens: TypeAlias = tuple[Ints, Ints, Floats]
"""Pairs of token indices, the lower index first, and the Jaro-Winkler similarity of each."""

ROUNDING = 1e-9
"""A similarity may be this far below the threshold by rounding alone, and counts as reaching it."""

MARGIN = 1e-6
"""Amount by which RapidFuzz's cutoff is lowered, since its Jaro-Winkler cutoffs are not exact."""

BLOCK = 2**20
"""Maximum number of pairs of names, or of their tokens, that are processed at a time."""

LISTING_COST = 16
"""Time to list and compare one pair of tokens, relative to a pair in a table of all tokens."""


class WeightedNames(NamedTuple):
    """The distinct tokens of names, in alphabetical order, and the token weights of each name."""

    tokens: tuple[str, ...]
    names: TokenRows

    @property
    def sizes(self) -> Ints:
        """The number of distinct tokens of each name."""
        return np.diff(self.names.starts)


@dataclass(frozen=True, eq=False)
class SoftTFIDF(PairFeaturizer):
    """Compare names by a TF-IDF cosine in which tokens of similar spelling match, too.

    The similarity of Cohen, Ravikumar & Fienberg 2003 is Σ V(w, S) · V(v, T) · J(w, v) over the
    tokens w of a name S and v of a name T whose Jaro-Winkler similarity J is at least the
    threshold. If S has w tf times, V(w, S) is proportional to ln(1 + tf) · idf, and the squares of
    V(·, S) sum to 1. If df of the n training names have w, its idf is ln((n + 1) / (df + ½)). This
    is above 0 for a word of all names, and finite for a new word, which has df = 0.

    The published sum matches each w with the v most similar to it. So it depends on which name is
    S, and exceeds 1 where several w have the same v. Here each token is matched at most once. The
    most similar tokens are matched first; among equally similar ones, those with the largest
    product of weights, then in alphabetical order. So the order of the two names does not matter,
    and by the Cauchy-Schwarz inequality the sum is at most 1, which a name reaches with itself.
    Where the most similar tokens choose each other, the sum is the published one.

    Case and the marks of Latin and Greek letters are ignored. A name that is missing, or has no
    letters, digits or symbols, has similarity 0 to every name and does not count in n.

    Parameters
    ----------
    name
        The column that holds the names. Items that are plain texts are names themselves.
    threshold
        Jaro-Winkler similarity from which tokens match. With 1, this is the TF-IDF cosine.
    words, idf
        The result of `fit`: the words of the training names, and the idf of each; last, the idf of
        all other words.

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
            words, idf = _as_words_and_idf(self.words, self.idf)
            object.__setattr__(self, "words", words)
            object.__setattr__(self, "idf", idf)

    @property
    def names(self) -> tuple[str, ...]:
        """The feature name; it begins with the column of the items, unless that is `name`."""
        prefix = "" if self.name == "name" else f"{self.name}: "
        return (f"{prefix}soft TF-IDF",)

    @property
    def distances(self) -> tuple[bool, ...]:
        """False for the only feature, which is a similarity, not a distance."""
        return (False,)

    def fit(self, item_sets: Sequence[ItemSet]) -> Self:
        """Learn the words of the names and their idf."""
        name_counts: Counter[str] = Counter()
        n_names = 0
        for i, item_set in enumerate(as_item_sets(item_sets)):
            with located(f"item set {i}"):
                token_counts = self._count_tokens(item_set)
            for counts in token_counts:
                name_counts.update(counts.keys())
                n_names += bool(counts)
        words = sorted(name_counts)
        frequencies = np.array([*(name_counts[word] for word in words), 0])
        return replace(self, words=tuple(words), idf=np.log((n_names + 1) / (frequencies + 0.5)))

    def encode(self, item_set: ItemSet) -> WeightedNames:
        """Compute the weight of each token of each name."""
        idf, word_indices = self._fitted
        token_counts = self._count_tokens(item_set)
        tokens = sorted({token for counts in token_counts for token in counts})
        indices = {token: i for i, token in enumerate(tokens)}
        columns = np.array([indices[token] for counts in token_counts for token in counts], np.intp)
        repeats = np.array([n for counts in token_counts for n in counts.values()], np.float64)
        # An unknown token has index −1: the last idf is that of all other words.
        token_idf = idf[[word_indices.get(token, -1) for token in tokens]]
        weights = np.log1p(repeats) * token_idf[columns]
        starts = np.cumsum([0, *map(len, token_counts)])
        matrix = sp.csr_array((weights, columns, starts), shape=(len(token_counts), len(tokens)))
        return WeightedNames(tuple(tokens), _as_rows(_normalize_rows(matrix)))

    def compare(self, encoded: WeightedNames, pairs: ArrayLike | None) -> Features:
        """Return the similarities of pairs of names; None means all pairs."""
        n_names = len(encoded.sizes)
        candidate_pairs = as_pairs(pairs, n_names)
        n_pairs = count_pairs(n_names, candidate_pairs)
        refuse_unwritable((n_pairs, 1), n_pairs)
        similar = _similar_tokens(encoded, candidate_pairs, self.threshold)
        column = np.empty((n_pairs, 1))
        for start in range(0, n_pairs, BLOCK):
            rows = slice(start, min(start + BLOCK, n_pairs))
            block = _pairs_in_rows(candidate_pairs, rows, n_names)
            column[rows, 0] = _similarities(encoded, block, similar)
        return DenseFeatures(column)

    def _count_tokens(self, item_set: ItemSet) -> list[Counter[str]]:
        names = item_texts(item_set, self.name, "SoftTFIDF")
        return [Counter(map(fold_case, name_tokens(name or ""))) for name in names]

    @cached_property
    def _fitted(self) -> tuple[Floats, dict[str, int]]:
        """The idf of the words, and the index of each word in it."""
        if self.words is None or self.idf is None:
            raise FeatureError("SoftTFIDF is not fitted; call fit and use the copy that it returns")
        return self.idf, {word: i for i, word in enumerate(self.words)}


def _as_words_and_idf(words: Any, idf: Any) -> tuple[tuple[str, ...], Floats]:
    """Check that there are distinct words and an idf for each, and one more for other words."""
    vocabulary = tuple(words) if isinstance(words, Sequence) else ()
    idf_values = as_floats("idf", idf, FeatureError)
    are_texts = all(isinstance(word, str) for word in vocabulary)
    if len(set(vocabulary)) < len(vocabulary) or not are_texts:
        raise FeatureError("words must be distinct strings; give each word once")
    is_valid = np.all((idf_values > 0) & np.isfinite(idf_values))
    if idf_values.shape != (len(vocabulary) + 1,) or not is_valid:
        raise FeatureError(
            f"idf has shape {idf_values.shape} for {len(vocabulary)} words; give one finite number "
            "above 0 per word, and one more for all other words"
        )
    return vocabulary, idf_values


def _normalize_rows(matrix: Any) -> Any:
    """Sort the columns of each row and divide it by its length; empty rows stay empty."""
    matrix.sort_indices()
    lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=1)).ravel())
    matrix.data /= np.repeat(lengths, np.diff(matrix.indptr))
    return matrix


def _as_rows(matrix: Any) -> TokenRows:
    starts, tokens = (part.astype(np.intp, copy=False) for part in (matrix.indptr, matrix.indices))
    return TokenRows(read_only(starts), read_only(tokens), read_only(matrix.data))


def _pairs_in_rows(pairs: Pairs | None, rows: slice, n_names: int) -> Pairs:
    """Return a slice of the pairs, or of all pairs of the names if `pairs` is None."""
    return pairs_at(np.arange(rows.start, rows.stop), n_names) if pairs is None else pairs[rows]


def _similarities(encoded: WeightedNames, pairs: Pairs, similar: TokenRows) -> Floats:
    """Return the similarity of each pair of names."""
    counts = count_close(pairs, encoded.names, similar)
    with_matches = np.flatnonzero(counts)
    similarities = np.zeros(len(pairs))
    for batch in _batches(counts[with_matches], BLOCK):
        rows = with_matches[batch]
        similarities[rows] = _match_tokens(
            encoded, read_only(pairs[rows]), similar, int(counts[rows].sum())
        )
    return np.minimum(similarities, 1.0)  # rounding may exceed 1


def _match_tokens(
    encoded: WeightedNames, pairs: Pairs, similar: TokenRows, n_similar: int
) -> Floats:
    """Match the tokens of each pair of names, the most similar first, and sum up their products."""
    owners, offsets, scores = gather_close(pairs, encoded.names, similar, n_similar)
    weights = encoded.names.values[offsets].prod(axis=0)
    tokens = encoded.names.tokens[offsets]
    low, high = np.sort(tokens, axis=0)
    order = np.lexsort((high, low, -weights, -scores, owners))
    tokens, gains = np.ascontiguousarray(tokens[:, order]), (weights * scores)[order]
    sums: Floats = matched_sums(owners[order], tokens, gains, len(pairs), len(encoded.tokens))
    return sums


def _similar_tokens(
    encoded: WeightedNames, candidate_pairs: Pairs | None, threshold: float
) -> TokenRows:
    """Return the similar tokens of each token, itself included.

    Only tokens that occur together in a candidate pair of names need to be there.
    """
    n_tokens = len(encoded.tokens)
    if candidate_pairs is None or _is_table_faster(encoded, candidate_pairs):
        blocks = _compare_all_tokens(encoded.tokens, threshold)
    else:
        blocks = _compare_listed_tokens(encoded, candidate_pairs, threshold)
    empty = np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)
    low, high, scores = map(np.concatenate, zip(empty, *blocks, strict=True))
    _, first_rows = np.unique(low * n_tokens + high, return_index=True)
    low, high, scores = low[first_rows], high[first_rows], scores[first_rows]
    diagonal = np.arange(n_tokens)
    coordinates = np.concatenate([low, high, diagonal]), np.concatenate([high, low, diagonal])
    values = np.concatenate([scores, scores, np.ones(n_tokens)])
    matrix = sp.csr_array((values, coordinates), shape=(n_tokens, n_tokens))
    matrix.sort_indices()
    return _as_rows(matrix)


def _is_table_faster(encoded: WeightedNames, pairs: Pairs) -> bool:
    """Return whether comparing all tokens takes less time than listing those of the pairs."""
    n_token_pairs = encoded.sizes[pairs].prod(axis=1).sum()
    return bool(n_token_pairs * LISTING_COST >= count_pairs(len(encoded.tokens)))


def _compare_all_tokens(tokens: Sequence[str], threshold: float) -> Iterator[ScoredTokens]:
    """Yield the similar tokens among all, from one block of rows of the upper triangle each."""
    for rows in row_blocks(len(tokens), len(tokens)):
        block = np.triu(_jaro_winkler(cdist, tokens[rows], tokens[rows.start :], threshold), 1)
        low, high = np.nonzero(block)
        yield low + rows.start, high + rows.start, block[low, high]


def _compare_listed_tokens(
    encoded: WeightedNames, pairs: Pairs, threshold: float
) -> Iterator[ScoredTokens]:
    """Yield the similar tokens among those that occur together in a pair of names.

    Within one block each pair of tokens is compared once; blocks may repeat pairs of tokens.
    """
    starts, tokens, sizes = encoded.names.starts, encoded.names.tokens, encoded.sizes
    first, second = pairs.T
    first_tokens = tokens[_concatenate_ranges(starts[first], sizes[first])]
    second_names = np.repeat(second, sizes[first])
    texts = np.array(encoded.tokens, dtype=object)
    for batch in _batches(sizes[second_names], BLOCK):
        names = second_names[batch]
        second_tokens = tokens[_concatenate_ranges(starts[names], sizes[names])]
        repeated = np.repeat(first_tokens[batch], sizes[names])
        low, high = np.minimum(repeated, second_tokens), np.maximum(repeated, second_tokens)
        low, high = np.divmod(np.unique(low * len(texts) + high), len(texts))
        low, high = low[low < high], high[low < high]
        scores = _jaro_winkler(cpdist, texts[low], texts[high], threshold)
        similar = np.flatnonzero(scores)
        yield low[similar], high[similar], scores[similar]


def _jaro_winkler(compare: Callable[..., Any], first: Any, second: Any, threshold: float) -> Floats:
    """Return Jaro-Winkler similarities by `cdist` or `cpdist`, with 0 below the threshold."""
    cutoff = max(threshold - MARGIN, 0.0)
    scores: Floats = compare(
        first, second, scorer=similarity, score_cutoff=cutoff, dtype=np.float64
    )
    scores[scores < threshold - ROUNDING] = 0.0
    return scores


def _concatenate_ranges(starts: Ints, sizes: Ints) -> Ints:
    """Concatenate the ranges start, start + 1, …, each with its start and its size.

    >>> _concatenate_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(sizes)
    ranges: Ints = np.repeat(starts - ends + sizes, sizes) + np.arange(sizes.sum())
    return ranges


def _batches(sizes: Ints, max_total: int) -> Iterator[slice]:
    """Yield slices of consecutive entries whose sizes sum to at most `max_total`.

    An entry that is larger than that has a slice of its own.

    >>> [(batch.start, batch.stop) for batch in _batches(np.array([1, 2, 9, 0, 1]), max_total=3)]
    [(0, 2), (2, 3), (3, 5)]
    """
    ends = np.cumsum(sizes)
    start = total_before = 0
    while start < len(sizes):
        end = int(np.searchsorted(ends, total_before + max_total, side="right"))
        stop = max(end, start + 1)
        yield slice(start, stop)
        start, total_before = stop, int(ends[stop - 1])
