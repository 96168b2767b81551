"""Tokens as hashes and their counts, compared with plain Python."""

from collections import Counter
from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie._core.texts import plain_text
from coterie._kernels.texts import tokens as kernels

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(plain_text)
some_texts = st.lists(words | st.from_regex(r"[ab1]{0,3}( [ab1]{1,3}){0,5}", fullmatch=True))
plain_texts = some_texts.map(lambda texts: [plain_text(text) for text in texts])
token_lists = st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=12)


def fnv_hash(text):
    """Return the FNV-1a hash of 64 bits of the code points of a text."""
    value = 14695981039346656037
    for character in text:
        value = (value ^ ord(character)) * 1099511628211 % 2**64
    return value


def trigrams(text):
    padded = f" {text} "
    grams = [padded[place : place + 3] for place in range(len(text))]
    return [ord(gram[0]) << 42 | ord(gram[1]) << 21 | ord(gram[2]) for gram in grams]


def word_pairs(text):
    parts = text.split()
    pairs = [f"{first} {second}" for first, second in pairwise(parts)]
    return [fnv_hash(token) for token in (*parts, *pairs)]


def codes(text):
    parts = text.split()
    neighbours = [first + second for first, second in pairwise(parts)]
    return [fnv_hash(token) for token in (*parts, *neighbours) if set(token) & set("0123456789")]


SPLITS = {
    "hash_whole_texts": lambda text: [fnv_hash(text)] if text else [],
    "hash_trigrams": trigrams,
    "hash_words": lambda text: [fnv_hash(word) for word in text.split()],
    "hash_words_and_pairs": word_pairs,
    "hash_members": lambda text: [fnv_hash(part) for part in text.split("|") if part],
    "hash_codes": codes,
}


def as_arrays(texts):
    characters = np.frombuffer("".join(texts).encode("utf-32-le"), dtype=np.uint32)
    return characters, np.append(0, np.cumsum([len(text) for text in texts])).astype(np.intp)


def split_with_kernel(name, texts):
    """Return the hashes of the tokens of each text."""
    hashes, starts = getattr(kernels, name)(*as_arrays(texts))
    assert hashes.dtype == np.uint64
    assert starts[0] == 0
    assert starts[-1] == len(hashes)
    return [hashes[a:b].tolist() for a, b in pairwise(starts)]


def test_every_splitting_kernel_has_a_twin():
    assert {name for name in dir(kernels) if name.startswith("hash_")} == set(SPLITS)


@pytest.mark.parametrize("name", SPLITS)
@given(plain_texts)
def test_kernels_split_texts_like_plain_python(name, texts):
    texts = ["|".join(text.split()) for text in texts] if name == "hash_members" else texts
    hashes = split_with_kernel(name, texts)
    expected = [Counter(SPLITS[name](text)) for text in texts]
    assert [Counter(text_hashes) for text_hashes in hashes] == expected


@pytest.mark.parametrize("name", SPLITS)
def test_empty_texts_have_no_tokens(name):
    assert split_with_kernel(name, []) == []
    assert split_with_kernel(name, ["", ""]) == [[], []]


def test_codes_count_alone_and_joined_with_their_neighbours():
    assert set(split_with_kernel("hash_codes", ["sony dsc w120 black box"])[0]) == {
        *map(fnv_hash, ("w120", "dscw120", "w120black"))
    }


def test_every_word_and_every_pair_may_be_a_code():
    assert len(split_with_kernel("hash_codes", ["1 " * 499 + "1"])[0]) == 999
    assert len(split_with_kernel("hash_words_and_pairs", ["1 " * 499 + "1", "a b"])[0]) == 999


def test_trigrams_of_the_last_plane_differ():
    last = chr(0x10FFFF)
    first, second = split_with_kernel("hash_trigrams", [last * 3, last * 2 + "a"])
    assert len(set(first + second)) == 5


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5)))
def test_hashes_are_indexed_by_first_occurrence(hashes):
    array = np.array(hashes, dtype=np.uint64)
    distinct, indices = kernels.factorize_hashes(array)
    assert distinct.tolist() == list(dict.fromkeys(hashes))
    np.testing.assert_array_equal(distinct[indices], array)


@pytest.mark.parametrize("step", [1, 2**21, 2**42, 2**54])
def test_many_hashes_are_indexed(step):
    """The hash table must grow, and the hashes differ in few of their bits."""
    array = np.arange(10_000, dtype=np.uint64) * np.uint64(step)
    array = np.concatenate([array, array[::-1]])
    distinct, indices = kernels.factorize_hashes(array)
    assert len(distinct) == len(np.unique(array))
    np.testing.assert_array_equal(distinct[indices], array)


def flat(lists):
    starts = np.append(0, np.cumsum([len(tokens) for tokens in lists])).astype(np.intp)
    return starts, np.array([token for tokens in lists for token in tokens], dtype=np.int32)


@given(token_lists, st.permutations(range(10)))
def test_tokens_of_texts_are_counted(lists, ranks):
    starts, tokens, counts = kernels.count_tokens(*flat(lists), np.array(ranks, dtype=np.int32))
    assert len(starts) == len(lists) + 1
    for text, text_tokens in enumerate(lists):
        part = slice(starts[text], starts[text + 1])
        expected = sorted(Counter(ranks[token] for token in text_tokens).items())
        assert list(zip(tokens[part].tolist(), counts[part].tolist(), strict=True)) == expected


distinct_lists = token_lists.map(lambda lists: [sorted(set(tokens)) for tokens in lists])


@given(distinct_lists, st.data())
def test_rows_and_entities_with_tokens_are_counted(lists, data):
    texts = st.lists(st.integers(0, max(len(lists) - 1, 0)), max_size=20 if lists else 0)
    rows = data.draw(texts)
    entities = sorted(data.draw(st.lists(st.integers(0, 4), min_size=20))[: len(rows)])
    n_rows = np.bincount(np.array(rows, dtype=np.intp), minlength=len(lists))
    row_counts = kernels.count_rows_per_token(*flat(lists), n_rows, 10)
    assert row_counts.tolist() == [sum(token in lists[row] for row in rows) for token in range(10)]
    arrays = np.array(rows, dtype=np.intp), np.array(entities, dtype=np.intp)
    with_tokens = [
        {entity for row, entity in zip(rows, entities, strict=True) if token in lists[row]}
        for token in range(10)
    ]
    entity_counts = kernels.count_entities_per_token(*flat(lists), *arrays, 10)
    assert entity_counts.tolist() == [len(token_entities) for token_entities in with_tokens]


@given(distinct_lists)
def test_weights_have_length_one(lists):
    starts, tokens = flat(lists)
    counts = (tokens % 3 + 1).astype(np.int32)
    count_weights = np.array([0.0, 1.0, 1.0 + log(2), 1.0 + log(3)])
    token_weights = 0.5 + np.arange(10.0)
    weights = kernels.normalise_weights(starts, tokens, counts, count_weights, token_weights)
    for text, text_tokens in enumerate(lists):
        raw = [(1.0 + log(token % 3 + 1)) * (0.5 + token) for token in text_tokens]
        length = sqrt(sum(weight**2 for weight in raw))
        expected = [weight / length for weight in raw]
        np.testing.assert_allclose(weights[starts[text] : starts[text + 1]], expected, rtol=1e-12)
