"""Rules of candidates, compared with brute force, and the items that streams remember."""

from dataclasses import FrozenInstanceError
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.blocking import AllPairs, NearestNeighbours, SharedKeys, Window
from coterie.clusterers import LeftLink, SumLink
from coterie.exceptions import FeatureError, InputError, ItemSetError
from coterie.model import Model
from coterie.similarities import ConstantSimilarity
from coterie.stream import (
    EveryEarlier,
    Latest,
    LatestInTime,
    LatestOfKeys,
    NearestOfLatest,
    Stream,
    _trackers,
)
from tests.stream.plain_stream import (
    CUTS,
    SIMILARITY,
    MatrixSimilarity,
    assert_same,
    feed,
    labels,
    plain_assignments,
    random_scores,
    stream_of,
)

KEYS = st.sampled_from(["a", "b", "c", None, "", 7]) | st.lists(st.sampled_from("abc"), max_size=2)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(KEYS, KEYS), min_size=1, max_size=12),
    st.sampled_from([LeftLink(0), LeftLink(0.2), SumLink()]),
    CUTS,
)
def test_shared_keys_give_the_clusters_of_batch_prediction(keys, clusterer, cuts):
    records = [{"one": a, "two": b, "number": k} for k, (a, b) in enumerate(keys)]
    columns = {name: [record[name] for record in records] for name in records[0]}
    similarity = MatrixSimilarity(random_scores(len(keys)))
    model = Model(SharedKeys(["one", "two"], max_block=12), similarity, clusterer)
    assert labels(feed(Stream(model), records, cuts)) == model.predict([columns])[0].labels.tolist()


def test_default_rules_follow_the_blocker():
    def rule(blocker):
        return Stream(Model(blocker, ConstantSimilarity(1.0), LeftLink())).candidates

    assert rule(AllPairs()) == EveryEarlier()
    assert rule(Window(3)) == Latest(3)
    assert rule(SharedKeys(["a"], max_block=5)) == LatestOfKeys(["a"], n=4)
    with pytest.raises(InputError, match="candidates=NearestOfLatest"):
        rule(NearestNeighbours(3))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(KEYS, st.integers(0, 9) | st.none()), min_size=1, max_size=14),
    st.integers(1, 4),
    st.integers(1, 6) | st.none(),
    CUTS,
)
def test_latest_items_of_keys_and_times_are_the_candidates(keys_and_times, n, window, cuts):
    matrix = random_scores(len(keys_and_times))
    records = [{"key": key, "time": t, "number": k} for k, (key, t) in enumerate(keys_and_times)]
    rules = {
        LatestOfKeys("key", n, window): candidates_with_keys(
            [key for key, _ in keys_and_times], n, window
        ),
        LatestInTime("time", 2, n): candidates_in_time([time for _, time in keys_and_times], 2, n),
    }
    for rule, lefts in rules.items():
        stream = stream_of(matrix, LeftLink(0.5), rule)
        assignments = feed(stream, records, cuts)
        assert_same(assignments, plain_assignments(matrix, LeftLink(0.5), lefts))
        remembered = {j: c for c, members in stream.clusters.items() for j in members}
        assert all(assignments[j].cluster == c for j, c in remembered.items())


def candidates_with_keys(keys, n, window):
    tokens = [set(key if isinstance(key, list) else [key]) - {None, ""} for key in keys]
    candidates = []
    for item, item_tokens in enumerate(tokens):
        latest = [[j for j in range(item) if token in tokens[j]][-n:] for token in item_tokens]
        low = 0 if window is None else item - window
        candidates.append(sorted({j for lefts in latest for j in lefts if j >= low}))
    return candidates


def candidates_in_time(times, span, n):
    def is_near(first, second):
        return None not in (first, second) and abs(first - second) <= span

    return [
        [j for j in range(max(item - n, 0), item) if is_near(times[j], time)]
        for item, time in enumerate(times)
    ]


@settings(max_examples=60)
@given(
    st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=14),
    st.integers(1, 3),
    st.integers(1, 8),
    CUTS,
)
def test_nearest_of_the_latest_items_are_the_candidates(rows, n_neighbours, window, cuts):
    vectors = np.array(rows, dtype=float)
    model = Model(AllPairs(), SIMILARITY, LeftLink(0.5))
    matrix = model.scores(vectors).to_matrix()
    lefts = [nearest_candidates(vectors, item, n_neighbours, window) for item in range(len(rows))]
    expected = plain_assignments(matrix, LeftLink(0.5), lefts)
    for items in (vectors, sp.csr_array(vectors)):
        stream = Stream(model, NearestOfLatest(n_neighbours, window))
        assert_same(feed(stream, items, cuts), expected)


def nearest_candidates(vectors, item, count, window):
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    lefts = [j for j in range(max(item - window, 0), item) if units[j].any() and units[item].any()]
    return sorted(sorted(lefts, key=lambda j: (-round(units[item] @ units[j], 9), j))[:count])


RULES = [
    EveryEarlier(),
    Latest(3),
    LatestInTime("time", 2, 4),
    LatestOfKeys("key", 2),
    LatestOfKeys("key", 5, window=4),
]


@pytest.mark.parametrize("rule", RULES)
def test_blocks_change_nothing(rule, monkeypatch, rng):
    records = [
        {"key": "abcd"[rng.integers(4)], "time": k // 3, "number": k % 40} for k in range(120)
    ]
    unblocked = stream_of(random_scores(40), LeftLink(0.4), rule)
    expected = unblocked.add_many(records)
    monkeypatch.setattr(_trackers, "MOST_ITEMS", 7)
    stream_of_blocks = stream_of(random_scores(40), LeftLink(0.4), rule)
    assert stream_of_blocks.add_many(records) == expected
    assert stream_of_blocks.clusters == unblocked.clusters
    assert repr(stream_of_blocks) == repr(unblocked)


@pytest.mark.parametrize("rule", RULES)
def test_items_that_fail_leave_no_trace(rule, rng):
    keys = rng.integers(3, size=30)
    records = [{"key": int(k), "time": t, "number": t} for t, k in enumerate(keys)]
    undisturbed, disturbed = (stream_of(random_scores(30), LeftLink(0.4), rule) for _ in range(2))
    expected = feed(undisturbed, records, [7, 9])
    for start, stop in ((0, 7), (7, 16), (16, 17), (17, 30)):
        with pytest.raises(IndexError):
            disturbed.add_many([*records[start:stop], {"key": 0, "time": 0, "number": 99}])
        assert disturbed.add_many(records[start:stop]) == expected[start:stop]
    assert disturbed.clusters == undisturbed.clusters


@pytest.mark.parametrize(
    ("rule", "max_remembered"),
    [
        (Latest(5), 5),
        (LatestInTime("number", 1, 6), 6),
        (LatestOfKeys("key", 2), 6),
        (LatestOfKeys(["key", "number"], 50, window=8), 8),
        (LatestOfKeys("number", 3, window=4), 3),
    ],
)
def test_the_number_of_remembered_items_is_bounded(rule, max_remembered):
    stream = stream_of(np.zeros((1, 1)), LeftLink(1), rule)
    for size in (1, 3, 40, 1, 1, 200, 7):
        items = [{"key": k % 3, "number": 0.0} for k in range(size)]
        stream.add_many(items)
        n_remembered = sum(map(len, stream.clusters.values()))
        assert n_remembered == min(max_remembered, len(stream)) == len(stream._rows)
    assert len(stream) == 253


def test_keys_of_forgotten_items_are_removed():
    stream = stream_of(np.zeros((1, 1)), LeftLink(), LatestOfKeys("key", 2, window=10))
    for start in range(0, 300, 30):
        stream.add_many([{"key": [k, k + 1, "x"], "number": 0} for k in range(start, start + 30)])
        assert len(stream._tracker.latest) <= 22
        assert len(stream._tracker.keys) == len(stream._rows) == 10


# Times.


def test_times_may_be_moments_of_any_kind():
    noon = datetime(2020, 3, 1, 12, tzinfo=UTC)
    east = noon.astimezone(timezone(timedelta(hours=5)))
    moments = [
        noon,
        east + timedelta(hours=1),
        np.datetime64("2020-03-01T14:00", "ns"),
        date(2020, 3, 2),
        pd.Timestamp("2020-03-02 01:00"),
        pd.NaT,
        datetime(2020, 3, 1, 13, 30),  # noqa: DTZ001
    ]
    rule = LatestInTime("at", timedelta(hours=1), n=9)
    stream = stream_of(np.ones((1, 1)), LeftLink(), rule)
    assignments = feed(stream, [{"at": moment, "number": 0} for moment in moments], [2, 2])
    assert labels(assignments) == [0, 0, 0, 1, 1, 2, 0]
    assert assignments[-1].linked_to == 1


def test_times_may_be_columns_of_moments():
    rule = LatestInTime("at", timedelta(minutes=1), n=9)
    times = np.array(["2020-01-01T00:00", "2020-01-01T00:01", "NaT"], dtype="datetime64[ns]")
    for make in (dict, pd.DataFrame):
        stream = stream_of(np.ones((1, 1)), LeftLink(), rule)
        assert labels(stream.add_many(make({"at": times, "number": np.zeros(3)}))) == [0, 0, 1]


# Refusals.


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Latest(0), "n is 0"),
        (lambda: LatestInTime(3, 1.0, 5), "name of the column"),
        (lambda: LatestInTime("at", -1.0, 5), "span is -1.0"),
        (lambda: LatestInTime("at", timedelta(days=-1), 5), "timedelta of at least 0"),
        (lambda: LatestOfKeys([], 5), "at least one column"),
        (lambda: LatestOfKeys("a", 0), "n is 0"),
        (lambda: LatestOfKeys("a", 5, window=0), "window is 0"),
        (lambda: NearestOfLatest(0, 5), "n_neighbours is 0"),
        (lambda: NearestOfLatest(5, 0), "window is 0"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_rules_are_values():
    assert LatestOfKeys(["a"], 2) == LatestOfKeys("a", 2, None)
    assert LatestOfKeys("a", 2).get_params() == {"columns": ("a",), "n": 2, "window": None}
    with pytest.raises(FrozenInstanceError):
        Latest(3).n = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("rule", "items", "message"),
    [
        (Latest(3), [[1.0, 2.0]], "item 0: the features have 3 columns"),
        (LatestInTime("at", 1, 3), [[1.0]], "item 0: .* column 'at', but the items are vectors"),
        (LatestInTime("at", 1, 3), {"to": [1]}, "no column 'at'; the columns are to"),
        (LatestInTime("at", 1, 3), {"at": [1.0, "x"]}, "items 0 on: column 'at', item 1: 'x'"),
        (
            LatestInTime("at", 1, 3),
            {"at": [date(2020, 1, 1)]},
            "dates in the column and a timedelta",
        ),
        (LatestInTime("at", timedelta(1), 3), {"at": [3.0]}, "dates in the column and a timedelta"),
        (LatestOfKeys("at", 3), {"at": ["x", ["y", []]]}, r"item 1: \['y', \[\]\] cannot be a key"),
        (LatestOfKeys("at", 3), {"at": [[np.ones(2)]]}, "item 0: .* cannot be a key"),
        (LatestOfKeys("at", 3), ["text"], "column 'at', but the items are objects"),
        (NearestOfLatest(3, 9), ["text"], "NearestOfLatest compares vectors"),
    ],
)
def test_items_that_do_not_fit_are_refused_at_once(rule, items, message):
    stream = Stream(Model(AllPairs(), SIMILARITY, LeftLink()), rule)
    with pytest.raises((ItemSetError, FeatureError), match=message):
        stream.add_many(items)
    assert len(stream) == 0
    assert stream.clusters == {}
