"""N-grams of texts: the known ones of training texts, their idf, and their weights in other texts.

Words and n-grams are identified by indices. The key of an n-gram is made of the index of its prefix
(its first n − 1 words) and the index of its last word. Every text with the n-gram also has its
prefix and its last word, so that these are known whenever the n-gram is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Any, NamedTuple, Self
from unicodedata import category, normalize

import numpy as np
import scipy.sparse as sp

from coterie._core.arguments import as_floats
from coterie._core.arrays import Floats, Ints, read_only
from coterie._core.values import Value
from coterie.exceptions import FeatureError

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Characters of Thai, Lao, Burmese, Khmer, Han and kana, which have no blanks between words."""

JOINERS = str.maketrans("_", " ", "\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Translation that drops invisible characters inside words and makes an underscore a blank."""

SEARCHED_CHARACTERS = 0x20000
"""Number of code points that are searched for marks; the only marks beyond are invisible."""

MIN_TEXTS = 2
"""Number of training texts from which an n-gram is known; others count as if in one text."""

CACHED_STEMS = 2**17
"""Number of stems that are cached."""


def multilingual_words(text: str) -> list[str]:
    """Return the words of a text in any script, with case folded: letters, digits and their marks.

    In scripts without blanks between words, each character is a word. Symbols are ignored.

    >>> multilingual_words("It's a FULL Ｗｉｄｔｈ naïve e-mail 🙂")
    ['it', 's', 'a', 'full', 'width', 'naïve', 'e', 'mail']
    >>> multilingual_words("नई दिल्ली, 北京2008")
    ['नई', 'दिल्ली', '北', '京', '2008']
    """
    if text.isascii():
        return re.findall(r"[a-z0-9]+", text.lower())
    word, unspaced = _patterns()
    plain = normalize("NFKC", normalize("NFKC", text).casefold()).translate(JOINERS)
    return word.findall(unspaced.sub(r" \g<0> ", plain))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a word with its marks, and of a character that is a word by itself."""
    characters = map(chr, range(SEARCHED_CHARACTERS))
    marks = "".join(character for character in characters if category(character)[0] == "M")
    return re.compile(rf"\w[\w{marks}]*"), re.compile(f"[{UNSPACED}][{marks}]*")


@lru_cache(CACHED_STEMS)
def stem_word(word: str, algorithm: str) -> str:
    """Return the stem of a word by a Snowball algorithm.

    >>> stem_word("elections", "porter")
    'elect'
    """
    import snowballstemmer  # noqa: PLC0415

    try:
        # A new stemmer per call, because threads must not share one; creating it is cheap.
        stemmer = snowballstemmer.stemmer(algorithm)
    except KeyError as error:
        algorithms = ", ".join(snowballstemmer.algorithms())
        raise FeatureError(
            f"stems has {algorithm!r}, which is not a Snowball algorithm; give None or one of "
            f"{algorithms}"
        ) from error
    stem: str = stemmer.stemWord(word)
    return stem


class Words(NamedTuple):
    """The distinct words of texts, and the texts as one sequence of word indices."""

    words: tuple[str, ...]
    indices: Ints
    """The index of each word of the concatenated texts."""
    texts: Ints
    """The index of the text that each of these words belongs to."""
    n_texts: int

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Self:
        """Split texts into words."""
        text_words = list(map(multilingual_words, texts))
        words = sorted(set(chain.from_iterable(text_words)))
        word_indices = {word: i for i, word in enumerate(words)}
        sizes = np.array(list(map(len, text_words)), dtype=np.intp)
        indices = (word_indices[word] for word in chain.from_iterable(text_words))
        return cls(
            tuple(words),
            np.fromiter(indices, np.intp, sizes.sum()),
            np.repeat(np.arange(len(text_words)), sizes),
            len(text_words),
        )

    def stemmed(self, algorithm: str | None) -> "Words":
        """Return the texts with words replaced by their stems; None leaves them as they are."""
        if algorithm is None:
            return self
        stems = [stem_word(word, algorithm) for word in self.words]
        distinct_stems = sorted(set(stems))
        stem_indices = {stem: i for i, stem in enumerate(distinct_stems)}
        new_indices = np.array([stem_indices[stem] for stem in stems], dtype=np.intp)
        return self._replace(words=tuple(distinct_stems), indices=new_indices[self.indices])


class Grams(NamedTuple):
    """The n-grams of one size in texts.

    The key of a single word is its index. The key of a longer n-gram is the index of its prefix
    times the number of words, plus the index of its last word.
    """

    keys: Ints
    """The distinct keys in ascending order; their positions are the indices of the n-grams."""
    indices: Ints
    """The index of the n-gram of each occurrence."""
    starts: Ints
    """The position of the first word of each occurrence in the concatenated texts."""

    def subset(self, selected: Ints) -> "Grams":
        """Return the n-grams with the selected indices, which are numbered anew."""
        new_indices = np.full(len(self.keys), -1)
        new_indices[selected] = np.arange(len(selected))
        indices = new_indices[self.indices]
        return Grams(self.keys[selected], indices[indices >= 0], self.starts[indices >= 0])


def single_grams(words: Words) -> Grams:
    """Return the n-grams of size 1: the words themselves."""
    return Grams(np.arange(len(words.words)), words.indices, np.arange(len(words.indices)))


def longer_grams(shorter: Grams, single: Grams, words: Words, size: int) -> Grams:
    """Return the n-grams of a size whose prefix is in `shorter` and whose last word in `single`."""
    word_indices = np.full(len(words.indices), -1)
    word_indices[single.starts] = single.indices
    ends = shorter.starts + size - 1
    inside = ends < len(word_indices)
    ends, starts, prefixes = ends[inside], shorter.starts[inside], shorter.indices[inside]
    is_valid = (words.texts[starts] == words.texts[ends]) & (word_indices[ends] >= 0)
    keys = prefixes[is_valid] * len(single.keys) + word_indices[ends[is_valid]]
    distinct_keys, indices = np.unique(keys, return_inverse=True)
    return Grams(distinct_keys, indices, starts[is_valid])


@dataclass(frozen=True, eq=False)
class KnownGrams(Value):
    """The n-grams of training texts up to some size, with the idf of each.

    Parameters
    ----------
    words
        Distinct words in alphabetical order.
    keys
        The longer n-grams, by size and in ascending order. A key is the index of the prefix (the
        n-gram without its last word) times the number of words, plus the index of the last word.
    idf
        For each size, the inverse document frequency of the n-grams; last, that of all other
        n-grams of this size.

    Examples
    --------
    >>> grams = KnownGrams.learned(
    ...     Words.from_texts(["to be or not to be", "to be is to do"]), size=2
    ... )
    >>> grams.words, grams.keys[0].tolist()
    (('be', 'to'), [2])
    >>> grams.weights(Words.from_texts(["not to be", "to be"]), sizes=[2])[0].toarray().round(2)
    array([[0.58],
           [1.  ]])
    """

    words: tuple[str, ...]
    keys: tuple[Ints, ...]
    idf: tuple[Floats, ...]

    def __post_init__(self) -> None:
        words, keys = tuple(self.words), tuple(map(np.asarray, self.keys))
        idf = tuple(as_floats("idf", values, FeatureError) for values in self.idf)
        _refuse_inconsistent(words, keys, idf)
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "keys", tuple(map(read_only, keys)))
        object.__setattr__(self, "idf", idf)

    @classmethod
    def learned(cls, words: Words, size: int, *, rare: bool = True) -> Self:
        """Learn the n-grams, up to a size, that occur in at least two texts.

        An n-gram that occurs in df of n texts has the idf 1 + ln((1 + n) / (1 + df)). All other
        n-grams have the idf of df = 1, or, unless `rare`, the idf 0, so that they are ignored.
        """
        other_idf = 1.0 + np.log((1.0 + words.n_texts) / 2.0) if rare else 0.0
        keys, idf = [], []
        grams = single = single_grams(words)
        for length in range(1, size + 1):
            if length > 1:
                grams = longer_grams(grams, single, words, length)
            text_counts = _count_texts(grams, words)
            frequent = np.flatnonzero(text_counts >= MIN_TEXTS)
            grams = grams.subset(frequent)
            single = grams if length == 1 else single
            keys.append(grams.keys)
            gram_idf = 1.0 + np.log((1.0 + words.n_texts) / (1.0 + text_counts[frequent]))
            idf.append(np.append(gram_idf, other_idf))
        frequent_words = tuple(words.words[index] for index in keys[0])
        return cls(frequent_words, tuple(keys[1:]), tuple(idf))

    def weights(self, words: Words, sizes: Sequence[int]) -> list[Any]:
        """Return the TF-IDF of n-grams: for each size a `csr_array` of texts × n-grams.

        Each text with n-grams is scaled to length 1. Then the n-grams of a single text are dropped,
        since they add nothing to the cosine of two texts.
        """
        levels = dict(enumerate(self._levels(words), start=1))
        return [_tfidf(*levels[size], words) for size in sizes]

    def _levels(self, words: Words) -> Iterator[tuple[Grams, Floats]]:
        """Yield the n-grams of texts, and their idf, for each size."""
        grams = single = single_grams(words)
        indices = self._word_indices
        word_indices = np.array([indices.get(word, -1) for word in words.words], dtype=np.intp)
        # The index in `self` of each n-gram of the texts, −1 for one that is not known.
        known_indices = word_indices
        yield grams, self.idf[0][known_indices]
        for size, (keys, idf) in enumerate(zip(self.keys, self.idf[1:], strict=True), start=2):
            grams = longer_grams(grams, single, words, size)
            prefixes, last = np.divmod(grams.keys, max(len(words.words), 1))
            known_indices = _look_up(
                keys, known_indices[prefixes], word_indices[last], len(self.words)
            )
            yield grams, idf[known_indices]

    @cached_property
    def _word_indices(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)}


def _look_up(keys: Ints, prefixes: Ints, last_words: Ints, n_words: int) -> Ints:
    """Return the index of each n-gram in ascending keys, −1 for an n-gram that is not known."""
    are_parts_known = (prefixes >= 0) & (last_words >= 0)
    searched_keys = np.where(are_parts_known, prefixes * n_words + last_words, -1)
    indices = np.searchsorted(keys, searched_keys)
    # An index may be one past the last key; −2 there equals no searched key.
    return np.where(np.append(keys, -2)[indices] == searched_keys, indices, -1)


def _count_texts(grams: Grams, words: Words) -> Ints:
    """Count the texts in which each n-gram occurs."""
    n_texts = max(words.n_texts, 1)
    occurrences = np.unique(grams.indices * n_texts + words.texts[grams.starts])
    return np.bincount(occurrences // n_texts, minlength=len(grams.keys))


def _tfidf(grams: Grams, idf: Floats, words: Words) -> Any:
    """Return the TF-IDF of the n-grams that several texts have, scaled with all n-grams."""
    coordinates = words.texts[grams.starts], grams.indices
    shape = words.n_texts, len(grams.keys)
    matrix = sp.coo_array((idf[grams.indices], coordinates), shape=shape).tocsr()
    lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=1)).ravel())
    matrix.data /= np.repeat(np.where(lengths > 0.0, lengths, 1.0), np.diff(matrix.indptr))
    text_counts = np.bincount(matrix.indices, minlength=shape[1])
    return matrix[:, np.flatnonzero((text_counts > 1) & (idf > 0.0))]


def _refuse_inconsistent(
    words: tuple[Any, ...], keys: Sequence[Any], idf: Sequence[Floats]
) -> None:
    if not all(isinstance(word, str) for word in words) or sorted(set(words)) != list(words):
        raise FeatureError(
            "words must be distinct strings in alphabetical order; use the words that "
            "were learned by fit"
        )
    if len(idf) != len(keys) + 1:
        raise FeatureError(
            f"idf has {len(idf)} arrays, but there are n-grams of {len(keys) + 1} sizes; give one "
            "array per size"
        )
    n_prefixes = len(words)
    _refuse_wrong_idf(idf[0], n_prefixes)
    for size_keys, size_idf in zip(keys, idf[1:], strict=True):
        are_ints = size_keys.ndim == 1 and size_keys.dtype.kind == "i"
        are_ascending = are_ints and np.all(size_keys[1:] > size_keys[:-1])
        max_key = n_prefixes * len(words) - 1
        if not are_ascending or np.any((size_keys < 0) | (size_keys > max_key)):
            raise FeatureError(
                "keys must have one array of ascending integers for each n-gram size, from 2 "
                "words up; use the keys that were learned by fit"
            )
        n_prefixes = len(size_keys)
        _refuse_wrong_idf(size_idf, n_prefixes)


def _refuse_wrong_idf(idf: Floats, n_grams: int) -> None:
    if idf.shape != (n_grams + 1,) or not np.all((idf >= 0) & np.isfinite(idf)):
        raise FeatureError(
            f"idf has shape {idf.shape} for {n_grams} n-grams; give one finite number of at least "
            "0 per n-gram, and one more for all other n-grams"
        )
