"""Items with absurd numbers: they are refused, or left out as candidates, and hinder no others."""

import logging
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.blocking import AllPairs
from coterie.clusterers import LeftLink, SumLink
from coterie.exceptions import FeatureError, InputError, PairError
from coterie.features import AbsoluteDifferences, GivenFeatures
from coterie.items import ItemSet
from coterie.model import Model
from coterie.similarities import LinearSimilarity
from coterie.stream import (
    EveryEarlier,
    Latest,
    LatestInTime,
    LatestOfKeys,
    NearestOfLatest,
    Stream,
)
from tests.stream.plain_stream import CUTS, feed, labels

PRODUCTS = LinearSimilarity(GivenFeatures(), [1.0, -0.5])
"""The square of 1e308 is infinite, so that this item has no finite score with itself."""


@dataclass(frozen=True)
class Squares:
    """A similarity by squared differences, which raises an error where one is infinite."""

    def __call__(self, item_set, pairs=None):
        first, second = (np.asarray(item_set.items)[pairs[:, end]] for end in (0, 1))
        squares = np.square(first - second)
        if not np.isfinite(squares).all():
            raise FeatureError("a feature is infinite")
        return 1.0 - squares[:, 0] - 0.5 * squares[:, 1]

    pair_scores = None


SQUARES = Squares()
"""The score of 1e200 with itself is finite, and with other items it raises an error."""

DIFFERENCES = LinearSimilarity(AbsoluteDifferences(), [-2.0, -2.0], bias=1.0)
"""1e308 has no finite score with any other item."""

NEVER_FULL = [
    EveryEarlier(),
    Latest(200),
    LatestInTime("time", 1e9, 200),
    LatestOfKeys("key", 200),
    LatestOfKeys("key", 200, window=200),
    NearestOfLatest(200, 200),
]
SMALL = [
    Latest(3),
    LatestInTime("time", 4, 3),
    LatestOfKeys("key", 2),
    LatestOfKeys("key", 3, window=4),
    NearestOfLatest(2, 4),
]
REAL = [1.0, -1.5, 0.25, 0.0, 2.0, 1e-308]
ABSURD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 1e200, 1e154, -1e154]


def stream_of(similarity, rule, clusterer=LeftLink(0.5)):  # noqa: B008 - a frozen value
    return Stream(Model(AllPairs(), similarity, clusterer), rule)


@dataclass(frozen=True, eq=False)
class OfColumns:
    """A similarity that scores the columns a and b of records as another scores vectors."""

    similarity: Any

    def __call__(self, item_set, pairs=None):
        columns = item_set.items
        vectors = np.column_stack([columns["a"], columns["b"]]).astype(float)
        return self.similarity(ItemSet(vectors), pairs)

    pair_scores = None


def items_for(rule, vectors):
    """Return the items of a rule: vectors, or records with keys and times."""
    if not hasattr(rule, "column") and not hasattr(rule, "columns"):
        return vectors
    return [{"a": a, "b": b, "key": f"{abs(b) > 0.5}", "time": 0.0} for a, b in np.asarray(vectors)]


def similarity_for(rule, similarity):
    is_of_columns = hasattr(rule, "column") or hasattr(rule, "columns")
    return OfColumns(similarity) if is_of_columns else similarity


def poisoned(vectors, poison, rng):
    """Return vectors with a poison at random places, and the places of the others."""
    places = np.sort(rng.choice(len(vectors) + 12, len(vectors), replace=False))
    mixed = np.full((len(vectors) + 12, 2), poison)
    mixed[places] = vectors
    return mixed, places


@pytest.mark.parametrize("rule", NEVER_FULL + SMALL)
@pytest.mark.parametrize("poison", [1e308, -1e308, 1e200, np.nan, np.inf])
def test_refused_items_leave_no_trace(rule, poison, rng):
    vectors = rng.choice(REAL[:4], size=(40, 2))
    mixed, places = poisoned(vectors, poison, rng)
    similarity = similarity_for(rule, PRODUCTS)
    pure, disturbed = stream_of(similarity, rule), stream_of(similarity, rule)
    expected = feed(pure, items_for(rule, vectors))
    assignments = []
    for place, item in enumerate(items_for(rule, mixed)):
        if place in places:
            assignments.append(disturbed.add(item))
        else:
            before = repr(disturbed), disturbed.clusters
            with pytest.raises(InputError):
                disturbed.add(item)
            assert (repr(disturbed), disturbed.clusters) == before
    assert assignments == expected
    assert disturbed.clusters == pure.clusters
    assert disturbed.n_dropped == 0


@pytest.mark.parametrize("rule", NEVER_FULL)
@pytest.mark.parametrize(
    ("similarity", "poison"), [(SQUARES, 1e200), (SQUARES, -1e160), (DIFFERENCES, 1e308)]
)
@pytest.mark.parametrize("clusterer", [LeftLink(0.5), SumLink()])
def test_candidates_without_a_finite_score_change_no_other_item(
    rule, similarity, poison, clusterer, rng
):
    vectors = rng.choice(REAL[:4], size=(40, 2))
    mixed, places = poisoned(vectors, poison, rng)
    similarity = similarity_for(rule, similarity)
    expected = feed(stream_of(similarity, rule, clusterer), items_for(rule, vectors))
    stream = stream_of(similarity, rule, clusterer)
    mixed_assignments = feed(stream, items_for(rule, mixed))
    assert_same_links([mixed_assignments[place] for place in places], expected, places)
    assert stream.n_dropped > 0
    blocks = stream_of(similarity, rule, clusterer)
    assert blocks.add_many(items_for(rule, mixed)) == mixed_assignments
    assert blocks.n_dropped == stream.n_dropped


def assert_same_links(assignments, expected, places):
    """Check that items are in the same clusters, for the same reasons, by other numbers."""
    number = dict(zip(labels(expected), labels(assignments), strict=True))
    assert [number[label] for label in labels(expected)] == labels(assignments)
    for actual, correct in zip(assignments, expected, strict=True):
        assert (actual.probability is None) == (correct.probability is None)
        assert actual.probability is None or actual.probability == pytest.approx(
            correct.probability, rel=1e-12
        )
        linked = correct.linked_to
        assert actual.linked_to == (None if linked is None else places[linked])
        assert (actual.runner_up is None) == (correct.runner_up is None)


def test_a_full_window_of_poison_blocks_nothing():
    stream = stream_of(SQUARES, Latest(2))
    for number in (1e200, -1e200, 1e170):
        stream.add([number, 0.0])
    assert stream.add([1.0, 1.0]).linked_to is None
    assert stream.add([1.0, 1.0]).linked_to == 3
    assert stream.n_dropped == 6


@settings(max_examples=60)
@given(
    st.lists(st.tuples(*[st.sampled_from(REAL + ABSURD)] * 2), max_size=14),
    st.sampled_from([PRODUCTS, SQUARES, DIFFERENCES]),
    st.sampled_from([EveryEarlier(), Latest(3), NearestOfLatest(2, 5)]),
    CUTS,
)
def test_ordinary_items_are_never_refused(rows, similarity, rule, cuts):
    stream, accepted = stream_of(similarity, rule), []
    assignments = []
    for row in rows:
        before = repr(stream), stream.clusters, stream.n_dropped
        try:
            assignments.append(stream.add(list(row)))
            accepted.append(row)
        except InputError:
            assert set(row) & set(ABSURD)
            assert (repr(stream), stream.clusters, stream.n_dropped) == before
    blocks = stream_of(similarity, rule)
    assert feed(blocks, np.array(accepted).reshape(-1, 2), cuts) == assignments
    assert (blocks.clusters, blocks.n_dropped) == (stream.clusters, stream.n_dropped)


def test_of_many_items_none_is_added_if_one_is_absurd():
    vectors = np.ones((3000, 2))
    vectors[2999] = 1e308
    stream = stream_of(PRODUCTS, Latest(5))
    with pytest.raises(PairError, match=r"item 2999: .* no finite score of the item with itself"):
        stream.add_many(vectors)
    with pytest.raises(PairError, match="item 2999"):
        stream.add_many(sp.csr_array(vectors))
    assert len(stream) == 0
    assert len(stream.add_many(vectors[:2999])) == 2999


def test_the_first_left_out_candidate_is_logged(caplog):
    stream = stream_of(SQUARES, Latest(5))
    with caplog.at_level(logging.WARNING, "coterie"):
        feed(stream, [[1e200, 0.0], [0.0, 0.0], [0.0, 1.0]])
    (message,) = caplog.messages
    assert "item 1 or a later one has no finite score with a candidate" in message
    assert stream.n_dropped == 2


def test_errors_about_every_item_stay_what_they_are():
    stream = stream_of(PRODUCTS, Latest(5))
    with pytest.raises(FeatureError, match="item 0: the features have 3 columns"):
        stream.add_many(np.ones((4, 3)))
    assert len(stream) == 0
