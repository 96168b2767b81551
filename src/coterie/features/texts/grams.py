"""The n-grams of texts: which are known, how often each text has them, and how rare they are.

Words and n-grams have numbers. An n-gram is known by the number of what it begins with, its first
n − 1 words, and by that of its last word: texts that have it have these too, so that they are known
where it is.
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
"""Thai, Lao, Burmese, Khmer, Han and kana, which are written without blanks between words."""

JOINERS = str.maketrans("_", " ", "\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Drops what stands inside words unseen; an underscore parts words."""

LETTERS_END = 0x20000
"""Beyond it are only Han characters, and marks that are not seen."""

MIN_TEXTS = 2
"""In how many texts an n-gram is that is known; all others are taken to be in one."""

KNOWN_STEMS = 2**17
"""How many stems are remembered once they were found."""


def multilingual_words(text: str) -> list[str]:
    """Return the words of a text in any script, without case: letters, digits and their marks.

    Of scripts without blanks between words each character is one. Symbols are none.

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
    """Return the patterns of a word, and of a character that is one, each with marks behind it."""
    characters = map(chr, range(LETTERS_END))
    marks = "".join(character for character in characters if category(character)[0] == "M")
    return re.compile(rf"\w[\w{marks}]*"), re.compile(f"[{UNSPACED}][{marks}]*")


@lru_cache(KNOWN_STEMS)
def stem_of(word: str, algorithm: str) -> str:
    """Return the stem of a word by one of Snowball's algorithms.

    >>> stem_of("elections", "porter")
    'elect'
    """
    import snowballstemmer  # noqa: PLC0415

    try:
        # One each, since threads must not share one; it costs little.
        stemmer = snowballstemmer.stemmer(algorithm)
    except KeyError as error:
        known = ", ".join(snowballstemmer.algorithms())
        raise FeatureError(f"stems has {algorithm!r}; give None or one of {known}") from error
    stem: str = stemmer.stemWord(word)
    return stem


class Words(NamedTuple):
    """Texts as numbers of words: the words, each once, and those of the texts in a row."""

    words: tuple[str, ...]
    numbers: Ints
    texts: Ints
    n_texts: int

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        """Read the words of texts."""
        found = list(map(multilingual_words, texts))
        words = sorted(set(chain.from_iterable(found)))
        places = {word: place for place, word in enumerate(words)}
        sizes = np.array([len(each) for each in found], dtype=np.intp)
        numbers = (places[word] for word in chain.from_iterable(found))
        return cls(
            tuple(words),
            np.fromiter(numbers, np.intp, sizes.sum()),
            np.repeat(np.arange(len(found)), sizes),
            len(found),
        )

    def stemmed(self, algorithm: str | None) -> "Words":
        """Replace words by their stems; None leaves them."""
        if algorithm is None:
            return self
        stems = [stem_of(word, algorithm) for word in self.words]
        kinds = sorted(set(stems))
        places = {stem: place for place, stem in enumerate(kinds)}
        numbers = np.array([places[stem] for stem in stems], dtype=np.intp)
        return self._replace(words=tuple(kinds), numbers=numbers[self.numbers])


class Grams(NamedTuple):
    """The n-grams of texts: their `keys` in order, the number of each, and where it begins.

    A key is the number of the beginning times the number of words, plus the last word; that of a
    word is its number.
    """

    keys: Ints
    numbers: Ints
    starts: Ints

    def kept(self, which: Ints) -> "Grams":
        """Keep some of the n-grams, which get new numbers."""
        renumbered = np.full(len(self.keys), -1)
        renumbered[which] = np.arange(len(which))
        numbers = renumbered[self.numbers]
        return Grams(self.keys[which], numbers[numbers >= 0], self.starts[numbers >= 0])


def single_grams(words: Words) -> Grams:
    """Return the words themselves."""
    places = np.arange(len(words.numbers))
    return Grams(np.arange(len(words.words)), words.numbers, places)


def longer_grams(shorter: Grams, single: Grams, words: Words, size: int) -> Grams:
    """Return the n-grams of a size whose beginnings and last words are among those given."""
    last = np.full(len(words.numbers), -1)
    last[single.starts] = single.numbers
    ends = shorter.starts + size - 1
    within = ends < len(last)
    ends, starts, begun = ends[within], shorter.starts[within], shorter.numbers[within]
    fits = (words.texts[starts] == words.texts[ends]) & (last[ends] >= 0)
    keys = begun[fits] * len(single.keys) + last[ends[fits]]
    kinds, numbers = np.unique(keys, return_inverse=True)
    return Grams(kinds, numbers, starts[fits])


@dataclass(frozen=True, eq=False)
class KnownGrams(Value):
    """Know the n-grams of some texts, up to a size, and how rare each is.

    Parameters
    ----------
    words
        The words, each once, in order.
    keys
        The longer n-grams, those of each size in order: the number of the n-gram that one begins
        with, times the number of words, plus the number of its last word.
    idf
        The inverse document frequency of the n-grams of each size; last, that of all others.

    Examples
    --------
    >>> known = KnownGrams.learned(Words.of(["to be or not to be", "to be is to do"]), size=2)
    >>> known.words, known.keys[0].tolist()
    (('be', 'to'), [2])
    >>> known.weights(Words.of(["not to be", "to be"]), sizes=[2])[0].toarray().round(2)
    array([[0.58],
           [1.  ]])
    """

    words: tuple[str, ...]
    keys: tuple[Ints, ...]
    idf: tuple[Floats, ...]

    def __post_init__(self) -> None:
        words, keys = tuple(self.words), tuple(np.asarray(each) for each in self.keys)
        idf = tuple(as_floats("idf", each, FeatureError) for each in self.idf)
        _refuse_wrong(words, keys, idf)
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "keys", tuple(map(read_only, keys)))
        object.__setattr__(self, "idf", idf)

    @classmethod
    def learned(cls, words: Words, size: int, *, rare: bool = True) -> Self:
        """Learn the n-grams, up to a size, that at least two texts have.

        Of n texts, one that df have gets the idf 1 + ln((1 + n) / (1 + df)). All others get that of
        df = 1; unless `rare`, it is 0, so that they are ignored.
        """
        other = 1.0 + np.log((1.0 + words.n_texts) / 2.0) if rare else 0.0
        found, idf = [], []
        grams = single = single_grams(words)
        for length in range(1, size + 1):
            if length > 1:
                grams = longer_grams(grams, single, words, length)
            frequencies = _frequencies(grams, words)
            which = np.flatnonzero(frequencies >= MIN_TEXTS)
            grams = grams.kept(which)
            single = grams if length == 1 else single
            found.append(grams.keys)
            rarity = 1.0 + np.log((1.0 + words.n_texts) / (1.0 + frequencies[which]))
            idf.append(np.append(rarity, other))
        known = tuple(words.words[place] for place in found[0])
        return cls(known, tuple(found[1:]), tuple(idf))

    def weights(self, words: Words, sizes: Sequence[int]) -> list[Any]:
        """Return the TF-IDF of the n-grams of some sizes that two texts or more have in common.

        There is a `csr_array` a size, of texts × n-grams. Before the others were dropped, each text
        was of length 1 (0 without n-grams).
        """
        found = dict(enumerate(self._levels(words), start=1))
        return [_weights(*found[size], words) for size in sizes]

    def _levels(self, words: Words) -> Iterator[tuple[Grams, Floats]]:
        """Yield the n-grams of texts, and their idf, size by size."""
        grams = single = single_grams(words)
        places = self._places
        known_words = np.array([places.get(word, -1) for word in words.words], dtype=np.intp)
        known = known_words
        yield grams, self.idf[0][known]
        for size, (keys, idf) in enumerate(zip(self.keys, self.idf[1:], strict=True), start=2):
            grams = longer_grams(grams, single, words, size)
            begun, last = np.divmod(grams.keys, max(len(words.words), 1))
            known = _found(keys, known[begun], known_words[last], len(self.words))
            yield grams, idf[known]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}


def _found(keys: Ints, begun: Ints, last: Ints, n_words: int) -> Ints:
    """Return the numbers of n-grams by their parts, −1 for those that are not known."""
    wanted = np.where((begun < 0) | (last < 0), -1, begun * n_words + last)
    places = np.searchsorted(keys, wanted)
    # Behind the last key there is none.
    return np.where(np.append(keys, -2)[places] == wanted, places, -1)


def _frequencies(grams: Grams, words: Words) -> Ints:
    """Return in how many texts each n-gram is."""
    n_texts = max(words.n_texts, 1)
    once = np.unique(grams.numbers * n_texts + words.texts[grams.starts])
    return np.bincount(once // n_texts, minlength=len(grams.keys))


def _weights(grams: Grams, idf: Floats, words: Words) -> Any:
    places = words.texts[grams.starts], grams.numbers
    shape = words.n_texts, len(grams.keys)
    matrix = sp.coo_array((idf[grams.numbers], places), shape=shape).tocsr()
    lengths = np.sqrt(np.asarray(matrix.power(2).sum(axis=1)).ravel())
    matrix.data /= np.repeat(np.where(lengths > 0.0, lengths, 1.0), np.diff(matrix.indptr))
    n_texts = np.bincount(matrix.indices, minlength=shape[1])
    return matrix[:, np.flatnonzero((n_texts > 1) & (idf > 0.0))]


def _refuse_wrong(words: tuple[Any, ...], keys: Sequence[Any], idf: Sequence[Floats]) -> None:
    if not all(isinstance(word, str) for word in words) or sorted(set(words)) != list(words):
        raise FeatureError("words must be different texts in order; give each once")
    if len(idf) != len(keys) + 1:
        raise FeatureError(f"there is idf of {len(idf)} sizes for {len(keys) + 1}; give one a size")
    n_before = len(words)
    _refuse_wrong_idf(idf[0], n_before)
    for each, rarity in zip(keys, idf[1:], strict=True):
        ordered = each.ndim == 1 and each.dtype.kind == "i" and np.all(each[1:] > each[:-1])
        if not ordered or np.any((each < 0) | (each >= n_before * len(words))):
            raise FeatureError("keys must be those of n-grams in order; give them as learned")
        n_before = len(each)
        _refuse_wrong_idf(rarity, n_before)


def _refuse_wrong_idf(idf: Floats, n_grams: int) -> None:
    if idf.shape != (n_grams + 1,) or not np.all((idf >= 0) & np.isfinite(idf)):
        raise FeatureError(
            f"idf has shape {idf.shape} for {n_grams} n-grams; give one finite number of at least "
            "0 for each, and another for all others"
        )
