import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coterie import ItemSet, Partition, datasets
from coterie.datasets import Corpus
from coterie.exceptions import InputError, PartitionError
from coterie.features import NodeProducts
from coterie.features.given import GivenFeatures
from coterie.features.operators import as_operator
from coterie.pairs import all_pairs
from coterie_papers.corpora.orders import scrambled

KINDS = {
    "vectors": lambda n, rng: ItemSet(rng.normal(size=(n, 2)), ids=range(n)),
    "sparse vectors": lambda n, rng: ItemSet(sp.csr_array(rng.normal(size=(n, 2))), ids=range(n)),
    "columns": lambda n, rng: ItemSet({"x": rng.normal(size=n)}, ids=range(n)),
    "pairs": lambda n, rng: ItemSet.from_pair_features(
        rng.normal(size=(n * (n - 1) // 2, 2)), n, ids=range(n)
    ),
    "listed pairs": lambda n, rng: ItemSet.from_pair_features(
        rng.normal(size=(n // 2, 2)),
        n,
        rng.permutation(n)[: n // 2 * 2].reshape(-1, 2),
        ids=range(n),
    ),
    "products": lambda n, rng: ItemSet.from_pair_features(
        NodeProducts(rng.normal(size=(n, 2))), n, ids=range(n)
    ),
}


def by_identity(item_set):
    """Return the features of each pair of ids, computed with one product per column."""
    features = as_operator(GivenFeatures()(item_set, None))
    pairs = getattr(item_set.items, "pairs", None)
    pairs = all_pairs(len(item_set)) if pairs is None else pairs
    columns = [features @ unit for unit in np.eye(features.shape[1])]
    ids = np.array(item_set.ids, dtype=int)
    return {
        frozenset(ids[pair].tolist()): row
        for pair, row in zip(pairs, zip(*columns, strict=True), strict=True)
    }


def clusters(item_set, partition):
    return {frozenset(item_set.ids[item] for item in cluster) for cluster in partition.clusters}


@given(
    st.sampled_from(sorted(KINDS)),
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=9), max_size=3),
    st.integers(0, 2**32),
)
def test_pairs_keep_their_features_and_clusters_their_items(kind, labels, seed):
    rng = np.random.default_rng(seed)
    truths = [Partition(set_labels) for set_labels in labels]
    corpus = Corpus([KINDS[kind](len(truth), rng) for truth in truths], truths)
    moved = scrambled(corpus, random_state=seed)
    assert len(moved.item_sets) == len(moved.partitions) == len(truths)
    for before, after in zip(zip(*corpus, strict=True), zip(*moved, strict=True), strict=True):
        assert by_identity(after[0]) == by_identity(before[0])
        assert clusters(*after) == clusters(*before)


def test_orders_repeat_by_seed():
    corpus = datasets.make_item_sets(n_sets=4, n_items=20)
    one, same, other = (scrambled(corpus, random_state=seed) for seed in (1, 1, 2))
    assert one.partitions == same.partitions
    assert one.partitions != other.partitions
    for first, second in zip(one.item_sets, same.item_sets, strict=True):
        assert np.array_equal(first.items, second.items)
    assert not any(
        np.array_equal(first.items, second.items)
        for first, second in zip(corpus.item_sets, one.item_sets, strict=True)
    )


def test_an_invalid_seed_is_refused():
    with pytest.raises(InputError, match="random_state is -1; give a whole number of at least 0"):
        scrambled(datasets.make_item_sets(n_sets=1), random_state=-1)


def test_partitions_that_do_not_fit_are_refused():
    two = ItemSet([[1.0], [2.0]])
    for partitions, words in (
        ([Partition([0, 1, 2])], "item set 0"),
        ([Partition([0])], "item set 0"),
        ([], "1 item sets and 0 partitions"),
    ):
        with pytest.raises(PartitionError, match=words):
            scrambled(Corpus([two], partitions))
    assert scrambled(Corpus([two], [[0, 1]])).partitions == [Partition([0, 1])]
