"""What kinds know of tokens, against plain counts."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie._kernels.texts.tokens import hash_trigrams, hash_words, hash_words_and_pairs
from coterie.exceptions import FeatureError
from coterie.features.kinds import KnownTokens, Name
from coterie.features.kinds._tokens import Counted, DistinctCells


def naive_counts(cells, entities, split):
    """Count the rows and the entities with each token."""
    tokens = [set(split(cell)) for cell in cells]
    every = set().union(*tokens)
    rows = {token: sum(token in own for own in tokens) for token in every}
    with_tokens = {
        token: {entity for own, entity in zip(tokens, entities, strict=True) if token in own}
        for token in every
    }
    return rows, {token: len(own) for token, own in with_tokens.items()}


def learned_of(cells, kernel, entities):
    distinct = DistinctCells.of(cells)
    counted = Counted.of(distinct.texts, kernel)
    return KnownTokens.learned(counted, distinct.text_of_row, np.array(entities, dtype=np.intp))


def plain_grams(text):
    return [f" {text} "[place : place + 3] for place in range(len(text))]


def plain_phrases(text):
    own = text.split()
    return [*own, *(" ".join(own[place : place + 2]) for place in range(len(own) - 1))]


TWINS = {
    "words": (hash_words, str.split),
    "phrases": (hash_words_and_pairs, plain_phrases),
    "trigrams": (hash_trigrams, plain_grams),
}
phrases = st.lists(st.sampled_from(["a b", "a", "b c d", "c d", "", "a a b", "d"]), max_size=9)


@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
@given(learned=phrases, new=phrases, data=st.data())
def test_rarities_are_those_of_naive_counts(twin, learned, new, data):
    kernel, split = twin
    entities = data.draw(st.lists(st.integers(0, 3), min_size=9, max_size=9))[: len(learned)]
    known = learned_of(learned, kernel, entities)
    rows, with_entities = naive_counts(learned, entities, split)
    kept = {token: n for token, n in rows.items() if n > 1}
    assert sorted(known.n_rows_with) == sorted(kept.values())
    assert (known.n_rows, known.n_entities) == (len(learned), len(set(entities)))

    distinct = DistinctCells.of(new)
    weighed = known.weighed(Counted.of(distinct.texts, kernel), distinct.text_of_row)
    new_rows, _ = naive_counts(new, [0] * len(new), split)
    n, n_entities = len(learned) + len(new), len(set(entities))
    for place, text in enumerate(dict.fromkeys(new)):
        part = slice(weighed.starts[place], weighed.starts[place + 1])
        own = {token: split(text).count(token) for token in split(text)}
        among_rows, among_entities = weighed.rarities[:, weighed.tokens[part]]
        df = {token: kept.get(token, 0) + new_rows[token] for token in own}
        rarity = {token: log((1 + n) / (1 + df[token])) for token in own}
        relative = sorted(rarity[token] / log(1 + n) for token in own)
        np.testing.assert_allclose(sorted(among_rows), relative, atol=1e-12)
        n_with = [with_entities[token] if token in kept else 0 for token in own]
        expected = [
            log((2 + n_entities) / (2 + each)) / log((2 + n_entities) / 2) if learned else 1.0
            for each in n_with
        ]
        np.testing.assert_allclose(sorted(among_entities), sorted(expected), atol=1e-12)
        raw = [(1 + log(count)) * (1 + rarity[token]) for token, count in own.items()]
        weights = np.sort(raw) / np.linalg.norm(raw)
        np.testing.assert_allclose(np.sort(weighed.weights[part]), weights, atol=1e-12)


def test_entities_with_many_rows_count_once():
    known = learned_of(["a b", "a", "a", "b", "c"], hash_words, [5, 5, 5, 9, 9])
    counts = dict(zip(known.n_rows_with.tolist(), known.n_entities_with.tolist(), strict=True))
    assert counts == {3: 1, 2: 2}
    assert known.n_entities == 2


@pytest.mark.parametrize(
    ("tokens", "rows", "entities"), [([2, 1], [1, 1], [1, 1]), ([1], [1, 2], [1]), ([1], [1], [-1])]
)
def test_what_cannot_be_known_is_refused(tokens, rows, entities):
    with pytest.raises(FeatureError, match="must be"):
        KnownTokens(np.array(tokens), np.array(rows), np.array(entities))


def test_a_hundred_thousand_texts_are_told_apart():
    """No two hashes are the same."""
    cells = [f"{number:x} {number % 997}" for number in range(100_000)]
    read = Name().read(cells)
    learned = Name().learned(read, np.arange(len(cells)))
    encoded = learned.encode(read)
    assert len(encoded.tokens["values"].rarities[0]) == len(cells)
    rows = np.arange(len(cells) - 1)
    found = learned.compare(encoded, rows, rows + 1)
    assert not found[:, learned.names.index("equal")].any()
    assert np.isfinite(found).all()


def test_one_long_text_in_many_rows_takes_little_room():
    """Tokens are counted text by text, not row by row."""
    cells = [" ".join(map(str, range(2_000)))] * 20_000
    known = learned_of(cells, hash_words, np.arange(len(cells)) // 2)
    assert set(known.n_entities_with.tolist()) == {10_000}
