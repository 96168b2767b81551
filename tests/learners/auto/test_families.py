"""The one list of families that the automatic choice compares, and who reads it."""

import pytest

from coterie import tables
from coterie.learners import AutoLearner
from coterie.learners.auto.candidates import CANDIDATES, Setup
from coterie.learners.auto.families import AUTO, FAMILIES, SECONDS, SLUGS
from coterie.learners.base import Learner


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.slug)
@pytest.mark.parametrize("ordered", [False, True])
def test_a_family_makes_learners(family, ordered):
    variants = family.variants(Setup(ordered=ordered, random_state=3))
    assert all(isinstance(each.learner, Learner) for each in variants)
    assert {each.learner.random_state for each in variants} == {3}


def test_names_and_slugs_differ():
    assert len({each.name for each in FAMILIES}) == len({each.slug for each in FAMILIES})
    assert len({each.name for each in FAMILIES}) == len(FAMILIES)


def test_all_that_lists_learners_reads_the_list():
    assert list(SLUGS) == [AUTO, *(each.slug for each in FAMILIES)]
    assert set(SECONDS) <= set(SLUGS)
    assert [each.name for each in CANDIDATES[::2]] == list(SLUGS[AUTO])
    frame = {"name": ["Ann", "Anne", "Bo"], "who": [1, 1, 2]}
    with pytest.raises(ValueError, match=f"give one of {', '.join(SLUGS)}$"):
        tables.fit(frame, "who", learner="other")
    with pytest.raises(ValueError, match=f"give some of {', '.join(map(str, CANDIDATES))}$"):
        AutoLearner(candidates=["other"]).fit([[[0.0], [1.0]]], [[0, 1]])
