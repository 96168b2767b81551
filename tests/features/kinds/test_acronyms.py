"""Acronyms of kinds, against plain loops."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coterie.features.kinds import Name, Text
from coterie.features.kinds._words import ACRONYMS

WORDS = ["abc", "ab", "bcd", "arts", "bank", "coin", "dome", "of", "a", "b", "c"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), max_size=7)


def initials(text):
    """Return the initials of two to six words in a row, small ones left out or not."""
    every = text.split()
    found = set()
    for words in (every, [word for word in every if len(word) > 3]):
        for first, last in combinations(range(len(words) + 1), 2):
            if 2 <= last - first <= 6:
                found.add("".join(word[0] for word in words[first:last]))
    return found


def acronyms(one, two):
    """Return what one text spells and has not, and the other has or spells."""
    found = set()
    for own, other in ((one, two), (two, one)):
        known = set(other.split()) | initials(other)
        found |= (initials(own) - set(own.split())) & known
    return found


def compared(cells):
    read = Name().read(cells)
    learned = Name().learned(read, np.arange(len(cells)))
    left, right = np.triu_indices(len(cells), 1)
    found = learned.compare(learned.encode(read), left, right)[:, -len(ACRONYMS) :]
    return left, right, found


@given(texts)
def test_the_rarest_acronym_is_that_of_plain_loops(cells):
    read = Name().read(cells)
    own = Name().learned(read, np.arange(len(cells)))
    rarities = own.encode(read).tokens["words"].rarities
    hashes = read.tokens["words"].hashes
    numbers = {}
    for word in {word for text in cells for word in text.split()}:
        (alone,) = Name().read([word]).tokens["words"].hashes
        numbers[word] = int(np.searchsorted(hashes, alone))
        assert hashes[numbers[word]] == alone
    left, right, found = compared(cells)
    for one, two, values in zip(left, right, found, strict=True):
        spelled = [numbers[word] for word in acronyms(cells[one], cells[two]) if word in numbers]
        expected = rarities[:, spelled].max(axis=1, initial=0.0)
        both = cells[one] and cells[two]
        np.testing.assert_allclose(values, expected if both else 0.0, atol=1e-12)


def test_an_institute_is_found_by_its_acronym():
    cells = ["M.I.T.", "MIT, Cambridge", "Massachusetts Inst. of Technology", "Stanford"]
    left, right, found = compared(cells)
    is_found = {
        pair for pair, own in zip(zip(left, right, strict=True), found, strict=True) if own.all()
    }
    assert is_found == {(0, 1), (0, 2), (1, 2)}


def test_texts_have_acronyms_too():
    assert Text.measures[-2:] == ACRONYMS
