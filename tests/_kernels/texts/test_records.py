"""Tokens that records share, compared with sets in plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coterie._kernels.texts.records import N_MEASURES, cosines, overlaps

token_sets = st.lists(st.sets(st.integers(0, 9), max_size=8), min_size=1, max_size=8)
RARITIES = np.linspace(0.0, 1.0, 10)
WEIGHTS = np.linspace(0.3, 0.6, 10)


def flat(sets):
    starts = np.append(0, np.cumsum([len(tokens) for tokens in sets])).astype(np.intp)
    return starts, np.array([token for tokens in sets for token in sorted(tokens)], dtype=np.int32)


def every_pair(sets):
    return map(np.ravel, np.indices((len(sets), len(sets))))


def plain_overlap(first, second):
    shared = sum(RARITIES[token] for token in first & second)
    differences = first - second, second - first
    less, more = sorted(sum(RARITIES[token] for token in tokens) for tokens in differences)
    greatest = max((RARITIES[token] for token in first & second), default=0.0)
    shares = (shared / (shared + less), shared / (shared + less + more)) if shared else (0.0, 0.0)
    cosine = sum(WEIGHTS[token] ** 2 for token in first & second)
    return [shared, greatest, less, more, *shares, cosine]


@given(token_sets)
def test_overlaps_are_those_of_sets(sets):
    left, right = every_pair(sets)
    starts, tokens = flat(sets)
    records = starts, tokens, WEIGHTS[tokens], RARITIES
    measures = overlaps(*records, left, right)
    assert measures.shape == (len(left), N_MEASURES)
    expected = [plain_overlap(sets[i], sets[j]) for i, j in zip(left, right, strict=True)]
    np.testing.assert_allclose(measures, expected, rtol=1e-12, atol=1e-12)
    swapped = overlaps(*records, right, left)
    np.testing.assert_array_equal(measures, swapped)


@given(token_sets, st.integers(0, 99))
def test_cosines_are_products_of_vectors(sets, seed):
    starts, tokens = flat(sets)
    weights = np.random.default_rng(seed).uniform(0.1, 1.0, len(tokens))
    vectors = np.zeros((len(sets), 10))
    vectors[np.repeat(np.arange(len(sets)), np.diff(starts)), tokens] = weights
    left, right = every_pair(sets)
    products = cosines(starts, tokens, weights, left, right)
    np.testing.assert_allclose(products, (vectors @ vectors.T)[left, right], rtol=1e-12, atol=1e-15)


def test_no_pairs_have_no_measures():
    none = np.empty(0, dtype=np.intp)
    starts, tokens = flat([{1, 2}])
    assert overlaps(starts, tokens, np.ones(2), RARITIES, none, none).shape == (0, N_MEASURES)
    assert cosines(starts, tokens, np.ones(2), none, none).shape == (0,)
