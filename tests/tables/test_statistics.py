"""Statistics of tables: they add up, they are saved exactly, and damaged ones are refused."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import tables
from coterie._core.texts import plain_text
from coterie.exceptions import InputError
from coterie.features import Field, RecordFeatures
from coterie.features.kinds import Name, Short
from coterie.features.kinds.counts import RowCounts
from coterie.items import ItemSet
from coterie.tables import TableStatistics
from coterie.tables.statistics import EDGES, N_BINS

KINDS = {"name": "name", "town": "short"}
FEATURES = RecordFeatures([Field("name", Name()), Field("town", Short())])

WORDS = st.sampled_from(["ann", "bo", "lee", "x1", "ray"])
CELLS = st.lists(WORDS, max_size=3).map(" ".join)
ROWS = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12)
COUNTS = st.dictionaries(st.integers(0, 2**64 - 1), st.integers(1, 9), max_size=8)


def row_counts(counts):
    tokens = np.array(sorted(counts), dtype=np.uint64)
    return RowCounts(tokens, np.array([counts[int(t)] for t in tokens], dtype=np.int64))


def statistics_of(rows):
    """Count rows of which none is a copy or blank."""
    read = FEATURES.read(
        [ItemSet(dict(zip(KINDS, map(list, zip(*rows, strict=True)), strict=True)))]
    )
    return TableStatistics(KINDS, len(rows), *FEATURES.count(read))


@given(COUNTS, COUNTS, COUNTS)
def test_counts_of_tokens_add_up_in_any_order(first, second, third):
    expected = Counter(first) + Counter(second) + Counter(third)
    parts = [row_counts(counts) for counts in (first, second, third)]
    total = parts[0].merge(parts[1]).merge(parts[2])
    assert dict(zip(total.tokens.tolist(), total.n_rows_with.tolist(), strict=True)) == expected
    assert total == parts[2].merge(parts[1].merge(parts[0]))
    tokens = np.array([*expected, 17], dtype=np.uint64)
    assert total.of(tokens).tolist() == [*expected.values(), expected[17]]


@settings(max_examples=50, deadline=None)
@given(ROWS, st.data())
def test_statistics_of_parts_add_up_to_those_of_the_table(rows, data):
    parts = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    total = TableStatistics(KINDS)
    for part in {*parts}:
        total = (
            statistics_of([row for row, p in zip(rows, parts, strict=True) if p == part]) + total
        )
    assert total == statistics_of(rows)
    words = Counter(word for name, _ in rows for word in set(plain_text(name).split()))
    assert sorted(total.tokens[0]["words"].n_rows_with) == sorted(words.values())
    whole_words = Counter(word for row in rows for word in set(" ".join(row).split()))
    assert sorted(total.tokens[2]["words"].n_rows_with) == sorted(whole_words.values())


@given(st.lists(st.floats(-40, 40), max_size=30), st.integers(0, 30))
def test_the_histogram_counts_each_score_in_the_bin_between_its_edges(scores, n_first):
    statistics = TableStatistics(KINDS).with_scores(scores)
    bounds = [-np.inf, *EDGES, np.inf]
    expected = [sum(low <= s < high for s in scores) for low, high in pairwise(bounds)]
    assert statistics.histogram.tolist() == expected
    assert statistics.n_pairs == len(scores)
    assert statistics.histogram.dtype == np.int64
    again = TableStatistics(KINDS).with_scores(scores[n_first:]).with_scores(scores[:n_first])
    assert again == statistics


def test_saved_statistics_are_equal_and_have_equal_bytes(tmp_path):
    statistics = statistics_of([("ann lee", "ulm"), ("bo", "")]).with_scores([0.5, -30.0])
    for name in ("a", "b"):
        statistics.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = TableStatistics.load(tmp_path / "a")
    assert loaded == statistics
    assert hash(loaded) == hash(statistics)
    assert loaded != statistics.with_scores([0.5])
    assert loaded != replace(statistics, n_rows=3)
    assert repr(loaded) == "TableStatistics(2 rows, 2 different, 2 pairs of 2 columns)"


@pytest.mark.parametrize("place", [0, 0.3, 0.6, 0.95])
def test_a_damaged_file_is_refused_or_read_as_it_was(tmp_path, place):
    statistics = statistics_of([("ann lee", "ulm"), ("bo", "")]).with_scores([0.5])
    path = tmp_path / "statistics"
    statistics.save(path)
    content = bytearray(path.read_bytes())
    start = int(place * len(content))
    content[start : start + 40] = b"\xff" * len(content[start : start + 40])
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a file of statistics"):
        TableStatistics.load(path)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "file"
    path.write_text("name,town\nann,ulm\n")
    with pytest.raises(InputError, match="not a file of statistics"):
        TableStatistics.load(path)
    table = {"name": ["Ann Lee", "Anne Lee", "Bob Ray"], "who": [1, 1, 2]}
    tables.fit(table, "who", learner="logistic").save(path)
    with pytest.raises(InputError, match="not a file of statistics"):
        TableStatistics.load(path)


SMALL = statistics_of([("ann lee", "ulm"), ("bo", "")])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kinds": {}}, "kinds must map"),
        ({"kinds": {"name": 3}}, "kinds must map"),
        ({"n_rows": -1}, "n_rows is -1"),
        ({"n_rows": 2.0}, "n_rows is 2.0"),
        ({"n_rows": 2**60}, "n_rows is 1152921504606846976"),
        ({"n_different": 3}, "n_different is 3, but there are 2 rows"),
        ({"n_different": 0}, "more rows have a token"),
        ({"tokens": SMALL.tokens[:2]}, "for each column"),
        ({"tokens": [3, 3, 3]}, "for each column"),
        ({"tokens": [{"words": 3}] * 3}, "by the names of the families"),
        ({"histogram": np.zeros(3, dtype=np.int64)}, f"must be {N_BINS} whole numbers"),
        ({"histogram": np.zeros(N_BINS)}, f"must be {N_BINS} whole numbers"),
        ({"histogram": np.full(N_BINS, -1)}, "a count below 0"),
        ({"histogram": np.full(N_BINS, 2**60)}, "too large"),
    ],
)
def test_impossible_statistics_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(SMALL, **changes)


@pytest.mark.parametrize(
    ("tokens", "counts"),
    [
        (np.array([3, 3], dtype=np.uint64), np.array([1, 1])),
        (np.array([4, 3], dtype=np.uint64), np.array([1, 1])),
        (np.array([3, 4]), np.array([1, 1])),
        (np.array([3, 4], dtype=np.uint64), np.array([1, 0])),
        (np.array([3, 4], dtype=np.uint64), np.array([1.0, 1.0])),
        (np.array([3, 4], dtype=np.uint64), np.array([1])),
    ],
)
def test_impossible_counts_are_refused(tokens, counts):
    with pytest.raises(InputError, match=r"ascending order|whole numbers"):
        RowCounts(tokens, counts)


def test_statistics_of_other_columns_are_not_merged():
    with pytest.raises(InputError, match="different names or kinds"):
        SMALL.merge(TableStatistics({"name": "short", "town": "short"}))
    with pytest.raises(InputError, match="different families"):
        SMALL.merge(replace(SMALL, tokens=[{}, {}, {}]))
    with pytest.raises(InputError, match="not a TableStatistics"):
        SMALL.merge(3)
