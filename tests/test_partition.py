import copy
import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import Partition, as_partition
from coterie.exceptions import PairError, PartitionError
from coterie.partition import as_partitions
from tests.partitions import all_partitions

labels_of = st.lists(st.integers(0, 5), max_size=30)


@given(labels_of)
def test_labels_are_canonical(labels):
    canonical = Partition(labels).labels.tolist()
    distinct = list(dict.fromkeys(labels))
    assert canonical == [distinct.index(label) for label in labels]


@given(labels_of, st.permutations(range(6)))
def test_names_of_labels_do_not_matter(labels, names):
    renamed = [f"cluster {names[label]}" for label in labels]
    assert Partition(labels) == Partition(renamed)
    assert hash(Partition(labels)) == hash(Partition(renamed))


@given(labels_of)
def test_labels_may_have_any_type(labels):
    expected = Partition(labels)
    kinds = [
        np.array(labels, dtype=np.int32),
        np.array(labels, dtype=np.uint8),
        np.array(labels, dtype=float) * 1.5,
        np.array(labels, dtype=np.int64) * 10**15,
        np.array([f"x{label}" for label in labels], dtype=str),
        [(label, "tuple") for label in labels],
        [frozenset([label]) for label in labels],
        pd.Series(labels, dtype="int64"),
        pl.Series([str(label) for label in labels], dtype=pl.String),
        tuple(labels),
    ]
    for kind in kinds:
        assert Partition(kind) == expected


@given(labels_of)
def test_clusters_and_sizes_agree_with_labels(labels):
    partition = Partition(labels)
    clusters = [cluster.tolist() for cluster in partition.clusters]
    assert [len(cluster) for cluster in clusters] == partition.sizes.tolist()
    assert partition.n_clusters == len(set(labels))
    assert Partition.from_clusters(clusters) == partition
    assert as_partition(clusters) == partition
    assert as_partition([set(cluster) for cluster in clusters]) == partition


@given(labels_of)
def test_together_agrees_with_labels(labels):
    partition = Partition(labels)
    pairs = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
    expected = [labels[i] == labels[j] for i, j in pairs]
    assert partition.together().tolist() == expected
    assert partition.together(np.array(pairs, dtype=int).reshape(-1, 2)).tolist() == expected


@given(labels_of)
def test_links_inside_clusters_restore_the_partition(labels):
    partition = Partition(labels)
    links = [
        (first, second) for cluster in partition.clusters for first, second in pairwise(cluster)
    ]
    assert Partition.from_links(links, len(labels)) == partition


def test_all_links_make_one_cluster():
    assert Partition.from_links([(0, 1), (0, 2), (1, 2)], 3).n_clusters == 1


def test_partitions_are_counted_once():
    assert len({Partition(labels) for labels in all_partitions(6)}) == 203


def test_partitions_are_frozen_and_can_be_copied():
    partition = Partition([1, 0, 1])
    with pytest.raises(ValueError, match="read-only"):
        partition.labels[0] = 5
    with pytest.raises(AttributeError):
        partition.labels = np.zeros(3)
    for copied in (pickle.loads(pickle.dumps(partition)), copy.deepcopy(partition)):  # noqa: S301
        assert copied == partition
        assert not copied.labels.flags.writeable
    assert partition != [0, 1, 0]
    assert Partition(partition) == partition


def test_long_partitions_have_a_short_repr():
    assert len(repr(Partition(range(10_000)))) < 100


def test_no_items_have_no_clusters():
    assert len(Partition([])) == 0
    assert Partition([]).clusters == ()
    assert Partition.from_clusters([]) == Partition.from_links([], 0) == as_partition([])


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, None, 1], "item 1 has no label"),
        ([0.0, 1.0, float("nan")], "item 2 has no label"),
        (np.array([0.0, np.nan]), "item 1 has no label"),
        (pd.Series(["a", None]), "item 1 has no label"),
        (pd.Series([1, pd.NA], dtype="Int64"), "item 1 has no label"),
        ([{}, {}], "labels must be hashable"),
        (np.zeros((2, 2)), r"labels have shape \(2, 2\)"),
        (np.ma.array([1, 2], mask=[False, True]), "item 1 has no label"),
        ({"a": 0, "b": 1}, "labels are of type dict; give a list or an array"),
        ({1, 2}, "labels are of type set"),
        (5, "labels are of type int"),
        (None, "labels are of type NoneType"),
        ("abc", "labels are of type str"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(PartitionError, match=message):
        Partition(labels)


@pytest.mark.parametrize(
    ("clusters", "n_items", "message"),
    [
        ([[0, 1], [1, 2]], 3, "item 1 is in more than one cluster"),
        ([[0], [2]], None, "item 2 is in a cluster, but the 2 items are numbered from 0 to 1"),
        ([[0], [-1]], 2, "item -1 is in a cluster"),
        ([["a"], ["b"]], None, "give a list of item indices"),
    ],
)
def test_bad_clusters_are_refused(clusters, n_items, message):
    with pytest.raises(PartitionError, match=message):
        Partition.from_clusters(clusters, n_items)


@pytest.mark.parametrize(
    ("clusters", "n_items", "message"),
    [
        (5, None, "clusters are of type int; give a list"),
        ([5], None, "5 is not a cluster"),
        ([[0, [1]]], None, "is not a cluster"),
        ([[0.5]], None, "is not a cluster"),
        ([], -1, "n_items is -1"),
        ([[0]], 2.0, "n_items is 2.0; give a whole number"),
    ],
)
def test_values_that_are_not_clusters_are_refused(clusters, n_items, message):
    with pytest.raises(PartitionError, match=message):
        Partition.from_clusters(clusters, n_items)


def test_clusters_may_have_any_type():
    expected = Partition([0, 0, 1, 1, 1])
    assert as_partition([range(2), range(2, 5)]) == expected
    assert as_partition([[0, 1], [], [2, 3, 4]]) == expected
    assert as_partition({frozenset([0, 1]), frozenset([2, 3, 4])}) == expected
    mixed = [np.array([0, 1], dtype=np.uint64), np.array([2, 3, 4], dtype=np.int8)]
    assert Partition.from_clusters(mixed) == expected


def test_mappings_are_refused_as_ambiguous():
    with pytest.raises(PartitionError, match=r"give list\(d\.values\(\)\)"):
        as_partition({"e1": [0, 1], "e2": [2]})


@pytest.mark.parametrize(
    ("links", "n_items", "error"),
    [
        (None, 4, PairError),
        ([(0, 9)], 4, PairError),
        ([(0.5, 1.0)], 4, PairError),
        ([(0, 1)], -3, PartitionError),
        ([(0, 1)], 2.5, PartitionError),
    ],
)
def test_bad_links_are_refused(links, n_items, error):
    with pytest.raises(error):
        Partition.from_links(links, n_items)


def test_links_may_repeat():
    assert Partition.from_links([(0, 1), (1, 0), (2, 2)], 3) == Partition([0, 0, 1])


@pytest.mark.parametrize("pairs", [[(-1, 0)], [(0, 3)], [(0.5, 1.0)], [(0, 1, 2)], 5])
def test_together_refuses_bad_pairs(pairs):
    with pytest.raises(PairError):
        Partition([0, 1, 0]).together(pairs)


def test_together_accepts_no_pairs():
    assert Partition([0, 1, 0]).together([]).tolist() == []


def test_tuples_are_refused_as_ambiguous():
    with pytest.raises(PartitionError, match="could be labels or clusters"):
        as_partition([("a", "b"), ("c", "d")])


def test_errors_name_the_item_set():
    with pytest.raises(PartitionError, match="partition of item set 1: the partition covers 3"):
        as_partitions([[0, 0], [0, 1, 1]], [2, 2])
    with pytest.raises(PartitionError, match="there are 3 item sets, but 1 partitions"):
        as_partitions([[0, 0]], [2, 2, 2])


@given(st.lists(st.lists(st.integers(0, 4), max_size=6), max_size=5))
def test_concatenated_partitions_share_no_cluster(labels):
    parts = [Partition(part) for part in labels]
    named = [(number, label) for number, part in enumerate(labels) for label in part]
    assert Partition.concatenate(parts) == Partition(named)
    assert Partition.concatenate(iter(parts)).n_clusters == sum(part.n_clusters for part in parts)
