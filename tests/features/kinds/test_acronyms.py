"""Acronyms of kinds, against plain loops."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coterie.features.kinds import Name, Text
from coterie.features.kinds._words import ACRONYM_MEASURES

WORDS = ["abc", "ab", "bcd", "arts", "bank", "coin", "dome", "of", "a", "b", "c"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=7)


def initials(text):
    """Return the initials of two to six consecutive words, with and without small words."""
    all_words = text.split()
    result = set()
    for words in (all_words, [word for word in all_words if len(word) > 3]):
        for first, last in combinations(range(len(words) + 1), 2):
            if 2 <= last - first <= 6:
                result.add("".join(word[0] for word in words[first:last]))
    return result


def acronyms(first, second):
    """Return the initials of one text, without its own words, that the other has or spells."""
    result = set()
    for text, other in ((first, second), (second, first)):
        candidates = set(other.split()) | initials(other)
        result |= (initials(text) - set(text.split())) & candidates
    return result


def compare_all(cells):
    """Compare all pairs of cells; return the acronym measures."""
    column = Name().read(cells)
    kind = Name().learn(column, np.arange(len(cells)))
    left, right = np.triu_indices(len(cells), 1)
    columns = kind.compare(kind.encode(column), left, right)
    return left, right, columns[:, -len(ACRONYM_MEASURES) :]


@given(texts)
def test_the_rarest_acronym_is_that_of_plain_loops(cells):
    column = Name().read(cells)
    kind = Name().learn(column, np.arange(len(cells)))
    rarities = kind.encode(column).tokens["words"].rarities
    hashes = column.tokens["words"].hashes
    tokens = {}
    for word in {word for text in cells for word in text.split()}:
        (word_hash,) = Name().read([word]).tokens["words"].hashes
        tokens[word] = int(np.searchsorted(hashes, word_hash))
        assert hashes[tokens[word]] == word_hash
    left, right, measures = compare_all(cells)
    for i, j, values in zip(left, right, measures, strict=True):
        shared = [tokens[word] for word in acronyms(cells[i], cells[j]) if word in tokens]
        expected = rarities[:, shared].max(axis=1, initial=0.0)
        is_missing = not (cells[i] and cells[j])
        np.testing.assert_allclose(values, 0.0 if is_missing else expected, atol=1e-12)


def test_an_institute_is_found_by_its_acronym():
    cells = ["M.I.T.", "MIT, Cambridge", "Massachusetts Inst. of Technology", "Stanford"]
    left, right, measures = compare_all(cells)
    matches = {(i, j) for i, j, values in zip(left, right, measures, strict=True) if values.all()}
    assert matches == {(0, 1), (0, 2), (1, 2)}


def test_texts_have_acronyms_too():
    assert Text.measures[-2:] == ACRONYM_MEASURES
