"""Streams, compared with batch clusterers and with the online rule in plain Python."""

import gc
import math
import weakref
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import ItemSet, progress
from coterie._kernels.linking.streams import list_pairs, positions_of
from coterie.blocking import AllPairs, Window
from coterie.clusterers import Greedy, LeftLink, SumLink
from coterie.exceptions import InputError, ItemSetError, PairError
from coterie.features import GivenFeatures
from coterie.model import Model
from coterie.similarities import ConstantSimilarity, LinearSimilarity
from coterie.stream import Assignment, EveryEarlier, Latest, LatestOfKeys, RunnerUp, Stream
from tests.stream.plain_stream import (
    CUTS,
    SIMILARITY,
    assert_same,
    feed,
    item_numbers,
    labels,
    plain_assignments,
    stream_of,
    symmetric,
)

CLUSTERERS = [LeftLink(0), LeftLink(0.2), LeftLink(1), SumLink()]
HALVES = st.integers(-6, 6).map(lambda number: number / 2)
DECIMALS = st.floats(-3, 3).map(lambda number: round(number, 3))


@settings(max_examples=80)
@given(st.data(), st.integers(1, 9), st.sampled_from(CLUSTERERS), CUTS, st.integers(1, 9))
def test_assignments_are_the_rule_written_out(data, n_items, clusterer, cuts, n):
    size = n_items * n_items
    values = data.draw(st.lists(HALVES | DECIMALS, min_size=size, max_size=size))
    matrix = symmetric(np.array(values).reshape(n_items, n_items))
    for rule, reach in ((EveryEarlier(), n_items), (Latest(n), n)):
        lefts = [range(max(item - reach, 0), item) for item in range(n_items)]
        assignments = feed(stream_of(matrix, clusterer, rule), item_numbers(matrix), cuts)
        assert_same(assignments, plain_assignments(matrix, clusterer, lefts))


@pytest.mark.parametrize("gamma", [0.2, 1.0])
def test_large_scores_neither_overflow_nor_hide_the_runner_up(gamma):
    big = 1e4 * gamma
    matrix = symmetric(np.full((4, 4), -big))
    matrix[3, :3] = [-big, big, -2 * big]
    matrix = symmetric(matrix.T)
    last = feed(stream_of(matrix, LeftLink(gamma)), item_numbers(matrix))[-1]
    # A new cluster weighs exp(−1e4), and the two others weigh less. It is ahead by its weight,
    # not by its position.
    assert last == Assignment(1, 1.0, 1, RunnerUp(None, 0.0))
    last = feed(stream_of(matrix - 1.5 * big, LeftLink(gamma)), item_numbers(matrix))[-1]
    assert last == Assignment(3, 1.0, None, RunnerUp(1, 0.0))
    assignments = feed(
        stream_of(symmetric(np.full((2, 2), big)), LeftLink(gamma)), item_numbers(np.eye(2))
    )
    assert assignments[1].probability == 1.0
    assert assignments[1].runner_up == RunnerUp(None, 0.0)


def test_probabilities_of_two_choices_sum_to_1():
    matrix = symmetric(np.array([[0, 0.7], [0, 0]]))
    _, last = feed(stream_of(matrix, LeftLink(0.5)), item_numbers(matrix))
    assert last.probability == pytest.approx(1 / (1 + math.exp(-1.4)))
    assert last.probability + last.runner_up.probability == pytest.approx(1.0)


# Comparison with batch prediction.

VECTORS = st.lists(st.tuples(*[HALVES] * 3), min_size=1, max_size=14)


@settings(max_examples=40)
@given(VECTORS, st.sampled_from(CLUSTERERS), CUTS, st.integers(1, 5))
def test_streams_give_the_clusters_of_batch_prediction(rows, clusterer, cuts, n):
    # Halves multiply and add without rounding, so that ties are ties in any order of summation.
    matrix = np.array(rows)
    records = [dict(zip("abc", row, strict=True)) for row in rows]
    for blocker in (AllPairs(), Window(n)):
        model = Model(blocker, SIMILARITY, clusterer)
        expected = model.predict([matrix])[0].labels.tolist()
        for items in (matrix, sp.csr_array(matrix), records):
            assert labels(feed(Stream(model), items, cuts)) == expected


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame])
def test_tables_give_the_same_clusters(make, rng):
    matrix = rng.integers(-2, 3, size=(30, 3)) / 2
    model = Model(Window(9), SIMILARITY, LeftLink(0.2))
    stream = Stream(model)
    tables = [make(dict(zip("abc", part.T, strict=True))) for part in (matrix[:9], matrix[9:])]
    assignments = [a for table in tables for a in stream.add_many(table)]
    assert labels(assignments) == model.predict([matrix])[0].labels.tolist()
    assert assignments == Stream(model).add_many(matrix.tolist())


@pytest.mark.parametrize("clusterer", CLUSTERERS)
def test_long_tables_are_added_in_blocks(clusterer, rng):
    matrix = rng.integers(-2, 3, size=(1200, 3)).astype(float)
    for blocker in (AllPairs(), Window(7)):
        model = Model(blocker, SIMILARITY, clusterer)
        expected = model.predict([matrix])[0].labels.tolist()
        steps = []
        with progress(lambda step: steps.append(step.done)):  # noqa: B023
            assert labels(Stream(model).add_many(matrix)) == expected
        assert len(steps) > 1
        assert steps[-1] == 1200


# Remembered items.


def test_numbers_of_forgotten_clusters_are_not_used_again():
    scores = np.ones((9, 9))
    stream = stream_of(scores, LeftLink(), LatestOfKeys("key", 1, window=2))
    keys = [*"abab", *"cc", *"ab", "c"]
    assignments = stream.add_many([{"key": key, "number": 0} for key in keys])
    assert labels(assignments) == [0, 1, 0, 1, 2, 2, 3, 4, 5]
    assert stream.clusters == {4: [7], 5: [8]}
    assert (len(stream), stream.n_clusters) == (9, 6)
    assert repr(stream).startswith("Stream(9 items, 6 clusters, candidates=LatestOfKeys(")


class Thing:
    pass


def test_forgotten_items_are_freed():
    stream = Stream(Model(Window(2), ConstantSimilarity(1.0), LeftLink()))
    things = [Thing() for _ in range(5)]
    references = [weakref.ref(thing) for thing in things]
    stream.add_many(things)
    del things
    gc.collect()
    assert [reference() is not None for reference in references] == [
        False,
        False,
        False,
        True,
        True,
    ]


def test_remembered_vectors_do_not_keep_their_matrix_alive():
    stream = Stream(Model(Window(2), ConstantSimilarity(1.0), LeftLink()))
    matrix = np.ones((50, 2))
    reference = weakref.ref(matrix)
    stream.add_many(matrix)
    del matrix
    gc.collect()
    assert reference() is None


# Items of every kind.


@dataclass(frozen=True)
class Lengths:
    """A similarity that is high for texts of similar lengths."""

    def __call__(self, item_set, pairs=None):
        lengths = np.array([len(text) for text in item_set.items])
        return 1.5 - np.abs(lengths[pairs[:, 0]] - lengths[pairs[:, 1]])

    pair_scores = None


def test_texts_can_be_streamed():
    texts = ["a", "bb", "cccc", "d", "eeeee"]
    model = Model(AllPairs(), Lengths(), LeftLink())
    assert labels(feed(Stream(model), texts)) == [0, 0, 1, 0, 1]
    assert labels(Stream(model).add_many(np.array(texts))) == [0, 0, 1, 0, 1]
    assert Stream(model).add_many([]) == []


def test_rows_of_sparse_matrices_can_be_added():
    stream = Stream(Model(AllPairs(), SIMILARITY, LeftLink()))
    rows = sp.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    shapes = [rows[[0]], sp.coo_array(rows[[1]].toarray()[0]), sp.csr_matrix(rows[[2]])]
    assert labels([stream.add(row) for row in shapes]) == [0, 0, 1]


def test_fields_of_records_may_come_in_any_order():
    stream = Stream(Model(AllPairs(), SIMILARITY, LeftLink()))
    assignments = [
        stream.add({"a": 1.0, "b": 0.0, "c": 1.0}),
        stream.add({"c": 2.0, "a": 1.0, "b": 0.0}),
        *stream.add_many({"b": [9.0], "c": [0.0], "a": [0.0]}),
    ]
    expected = SIMILARITY([[1.0, 0.0, 1.0], [1.0, 0.0, 2.0], [0.0, 9.0, 0.0]])
    assert labels(assignments) == [0, 0, 1]
    assert expected[0] > 0 > expected[1:].max()


# Refusals.


@dataclass(frozen=True)
class Contextual(ConstantSimilarity):
    needs_context: ClassVar[bool] = True


@dataclass(frozen=True)
class Around:
    parts: tuple[Any, ...]

    def __call__(self, item_set, pairs=None):
        raise NotImplementedError

    pair_scores = __call__


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Stream(LeftLink()), "give a Model"),
        (lambda: Stream(Model(AllPairs(), Lengths(), Greedy())), "LeftLink or SumLink"),
        (lambda: Stream(Model(AllPairs(), Contextual(1.0), LeftLink())), "without context"),
        (
            lambda: Stream(Model(AllPairs(), Around((Around((Contextual(1.0),)),)), LeftLink())),
            "without context",
        ),
        (lambda: Stream(Model(AllPairs(), Lengths(), LeftLink()), Window(3)), "such as Latest"),
        (lambda: Stream(Model(AllPairs(), Lengths(), LeftLink()), Latest), "such as Latest"),
    ],
)
def test_unusable_models_and_rules_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


PAIRS = ItemSet.from_pair_features(np.ones((1, 3)), 2)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (PAIRS, "only features of pairs"),
        (ItemSet(np.ones((2, 3)), n_clusters=1), "leave n_clusters out"),
        (np.ones((2, 4)), "vectors of 4 numbers, but earlier items are vectors of 3 numbers"),
        (sp.csr_array(np.ones((2, 3))), "sparse vectors of 3 numbers"),
        (["a text"], "the items are objects"),
        ({"a": [1.0], "b": [2.0], "c": [0.0]}, "records of a, b, c"),
        ([{"a": 1}, {"b": 2}], "record 1 is {'b': 2}, but record 0 has 'a'"),
        ([{"a": 1}, "b"], "record 1 is 'b'"),
    ],
)
def test_items_of_another_type_are_refused(items, message):
    stream = Stream(Model(AllPairs(), SIMILARITY, LeftLink()))
    stream.add([1.0, 2.0, 3.0])
    with pytest.raises(ItemSetError, match=message):
        stream.add_many(items)
    assert len(stream) == 1


@pytest.mark.parametrize("scores", [np.array([np.nan]), np.ones(2)])
def test_anything_but_one_finite_score_per_pair_is_refused(scores):
    @dataclass(frozen=True)
    class Broken(Lengths):
        def __call__(self, item_set, pairs=None):
            return scores if len(pairs) else np.empty(0)

    stream = Stream(Model(AllPairs(), Broken(), LeftLink()))
    stream.add("a")
    with pytest.raises(PairError, match="item 1: the similarity returned"):
        stream.add("b")
    assert len(stream) == 1


# Kernels.


@settings(max_examples=60)
@given(st.lists(st.frozensets(st.integers(0, 30), max_size=5), min_size=1, max_size=8))
def test_pairs_are_sorted_by_their_first_items(left_items):
    sorted_left_items = list(map(sorted, left_items))
    first = 31
    flat = np.array(
        [left for item_lefts in sorted_left_items for left in item_lefts], dtype=np.intp
    )
    starts = np.concatenate([[0], np.cumsum(list(map(len, sorted_left_items)))])
    earlier = np.unique(flat)
    places = positions_of(flat, earlier, first)
    assert np.array_equal(places, np.searchsorted(earlier, flat))
    pairs, order = list_pairs(starts, places, len(earlier))
    owners = len(earlier) + np.repeat(np.arange(len(sorted_left_items)), np.diff(starts))
    expected = np.lexsort((owners, places))
    assert np.array_equal(order, expected)
    assert np.array_equal(pairs, np.column_stack([places, owners])[expected])


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({}, "an empty mapping"),
        (pd.Series({"a": 1.0}), "the item is a Series; give a mapping"),
        (pd.DataFrame({"a": [1.0]}), "the item is a DataFrame; give a mapping"),
    ],
)
def test_rows_of_frames_and_empty_mappings_are_refused_one_by_one(item, message):
    model = Model(AllPairs(), LinearSimilarity(GivenFeatures(), [1.0]), LeftLink())
    with pytest.raises(ItemSetError, match=message):
        Stream(model).add(item)
