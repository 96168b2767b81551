"""The list of families that the automatic choice compares, and its readers."""

import pytest

from coterie import tables
from coterie.learners import AutoLearner
from coterie.learners.auto.candidates import CANDIDATES, Setup
from coterie.learners.auto.families import AUTO, FAMILIES, SLUGS
from coterie.learners.base import Learner


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.slug)
@pytest.mark.parametrize("ordered", [False, True])
def test_a_family_makes_learners(family, ordered):
    variants = family.variants(Setup(ordered=ordered, random_state=3))
    assert all(isinstance(variant.learner, Learner) for variant in variants)
    assert {variant.learner.random_state for variant in variants} == {3}


def test_names_and_slugs_differ():
    assert len({family.slug for family in FAMILIES}) == len(FAMILIES)
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)


def test_tables_and_candidates_have_all_families_in_order():
    assert list(SLUGS) == [AUTO, *(family.slug for family in FAMILIES)]
    assert [candidate.name for candidate in CANDIDATES[::2]] == list(SLUGS[AUTO])
    frame = {"name": ["Ann", "Anne", "Bo"], "who": [1, 1, 2]}
    with pytest.raises(ValueError, match=f"use one of {', '.join(SLUGS)}$"):
        tables.fit(frame, "who", learner="other")
    with pytest.raises(ValueError, match=f"use some of {', '.join(map(str, CANDIDATES))}$"):
        AutoLearner(candidates=["other"]).fit([[[0.0], [1.0]]], [[0, 1]])
