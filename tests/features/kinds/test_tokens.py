"""Rarities of tokens, against plain counts."""

from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie._kernels.texts.tokens import hash_trigrams, hash_words, hash_words_and_pairs
from coterie.exceptions import FeatureError
from coterie.features.kinds import KnownTokens, Name
from coterie.features.kinds._tokens import DistinctCells, TokenCounts


def naive_counts(cells, entities, split):
    """Count the rows and the entities with each token."""
    tokens = [set(split(cell)) for cell in cells]
    vocabulary = set().union(*tokens)
    rows = {token: sum(token in cell_tokens for cell_tokens in tokens) for token in vocabulary}
    entities_with = {
        token: {
            entity
            for cell_tokens, entity in zip(tokens, entities, strict=True)
            if token in cell_tokens
        }
        for token in vocabulary
    }
    return rows, {token: len(members) for token, members in entities_with.items()}


def learn_tokens(cells, tokenizer, entities, min_entities=1):
    distinct = DistinctCells.of(cells)
    counts = TokenCounts.of(distinct.texts, tokenizer)
    labels = np.array(entities, dtype=np.intp)
    return KnownTokens.learn(counts, distinct.text_of_row, labels, min_entities)


def plain_grams(text):
    return [f" {text} "[start : start + 3] for start in range(len(text))]


def plain_phrases(text):
    words = text.split()
    return [*words, *(f"{first} {second}" for first, second in pairwise(words))]


TWINS = {
    "words": (hash_words, str.split),
    "phrases": (hash_words_and_pairs, plain_phrases),
    "trigrams": (hash_trigrams, plain_grams),
}
phrases = st.lists(st.sampled_from(["a b", "a", "b c d", "c d", "", "a a b", "d"]), max_size=9)


@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
@given(training=phrases, new=phrases, data=st.data())
def test_rarities_are_those_of_naive_counts(twin, training, new, data):
    tokenizer, split = twin
    entities = data.draw(st.lists(st.integers(0, 3), min_size=9, max_size=9))[: len(training)]
    known_tokens = learn_tokens(training, tokenizer, entities)
    rows, entities_with = naive_counts(training, entities, split)
    repeated = {token: n for token, n in rows.items() if n > 1}
    assert sorted(known_tokens.n_rows_with) == sorted(repeated.values())
    assert (known_tokens.n_rows, known_tokens.n_entities) == (len(training), len(set(entities)))

    distinct = DistinctCells.of(new)
    weights = known_tokens.weigh(TokenCounts.of(distinct.texts, tokenizer), distinct.text_of_row)
    new_rows, _ = naive_counts(new, [0] * len(new), split)
    n, n_entities = len(training) + len(new), len(set(entities))
    for index, text in enumerate(dict.fromkeys(new)):
        part = slice(weights.starts[index], weights.starts[index + 1])
        counts = {token: split(text).count(token) for token in split(text)}
        among_rows, among_entities = weights.rarities[:, weights.tokens[part]]
        df = {token: repeated.get(token, 0) + new_rows[token] for token in counts}
        idf = {token: log((1 + n) / (1 + df[token])) for token in counts}
        relative = sorted(idf[token] / log(1 + n) for token in counts)
        np.testing.assert_allclose(sorted(among_rows), relative, atol=1e-12)
        entity_df = [entities_with[token] if token in repeated else 0 for token in counts]
        expected = [
            log((2 + n_entities) / (2 + df)) / log((2 + n_entities) / 2) if training else 1.0
            for df in entity_df
        ]
        np.testing.assert_allclose(sorted(among_entities), sorted(expected), atol=1e-12)
        raw = [(1 + log(count)) * (1 + idf[token]) for token, count in counts.items()]
        normalised = np.sort(raw) / np.linalg.norm(raw)
        np.testing.assert_allclose(np.sort(weights.weights[part]), normalised, atol=1e-12)


def test_entities_with_many_rows_count_once():
    tokens = learn_tokens(["a b", "a", "a", "b", "c"], hash_words, [5, 5, 5, 9, 9])
    counts = dict(zip(tokens.n_rows_with.tolist(), tokens.n_entities_with.tolist(), strict=True))
    assert counts == {3: 1, 2: 2}
    assert tokens.n_entities == 2


@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
@given(cells=phrases, data=st.data(), min_entities=st.integers(1, 4))
def test_tokens_of_few_entities_are_not_stored(twin, cells, data, min_entities):
    tokenizer, split = twin
    entities = data.draw(st.lists(st.integers(0, 3), min_size=9, max_size=9))[: len(cells)]
    tokens = learn_tokens(cells, tokenizer, entities, min_entities)
    rows, entities_with = naive_counts(cells, entities, split)
    stored = [token for token, n in entities_with.items() if n >= min_entities and rows[token] > 1]
    assert sorted(tokens.n_rows_with) == sorted(rows[token] for token in stored)
    assert sorted(tokens.n_entities_with) == sorted(entities_with[token] for token in stored)


def test_entities_of_tokens_that_are_not_stored_are_estimated_from_the_compared_rows():
    cells = ["common rare", "common rare", *["common"] * 4]
    tokens = learn_tokens(cells, hash_words, [0, 1, 2, 3, 4, 5], min_entities=5)
    assert tokens.n_entities_with.tolist() == [6]
    # Six rows, as in training: five have one word, two another, and one has a third.
    new = ["often", "often twice", "often twice once", "often", "often", "common"]
    counts = TokenCounts.of(new, hash_words)
    weights = tokens.weigh(counts, np.arange(6))
    among_entities = {
        word: weights.rarities[1][TokenCounts.of([word], hash_words).hashes[0] == counts.hashes]
        for word in ("often", "twice", "once", "common")
    }
    n_entities = {"often": 2, "twice": 1, "once": 0, "common": 6}
    for word, count in n_entities.items():
        np.testing.assert_allclose(among_entities[word], [log(8 / (2 + count)) / log(8 / 2)])
    doubled = tokens.weigh(counts, np.append(np.arange(6), np.arange(6)))
    np.testing.assert_allclose(doubled.rarities[1], weights.rarities[1])
    # Had five entities a word, it would be stored.
    many = TokenCounts.of(["often"], hash_words)
    assert tokens.weigh(many, np.zeros(600, np.intp)).rarities[1][0] >= log(8 / 6) / log(8 / 2)


@pytest.mark.parametrize(
    ("tokens", "rows", "entities"), [([2, 1], [1, 1], [1, 1]), ([1], [1, 2], [1]), ([1], [1], [-1])]
)
def test_impossible_counts_are_refused(tokens, rows, entities):
    with pytest.raises(FeatureError, match="must be"):
        KnownTokens(np.array(tokens), np.array(rows), np.array(entities))


def test_a_hundred_thousand_texts_have_different_hashes():
    cells = [f"{number:x} {number % 997}" for number in range(100_000)]
    column = Name().read(cells)
    kind = Name().learn(column, np.arange(len(cells)))
    encoded = kind.encode(column)
    assert len(encoded.tokens["values"].rarities[0]) == len(cells)
    rows = np.arange(len(cells) - 1)
    features = kind.compare(encoded, rows, rows + 1)
    assert not features[:, kind.names.index("equal")].any()
    assert np.isfinite(features).all()


def test_one_long_text_in_many_rows_takes_little_memory():
    """Tokens are counted text by text, not row by row."""
    cells = [" ".join(map(str, range(2_000)))] * 20_000
    tokens = learn_tokens(cells, hash_words, np.arange(len(cells)) // 2)
    assert set(tokens.n_entities_with.tolist()) == {10_000}
