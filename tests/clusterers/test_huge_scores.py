"""Scores near the largest number: sums of them overflow, but nothing hangs or crashes."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.clusterers import AverageLinkage, CompleteLinkage, SingleLinkage
from coterie.exceptions import CoterieError, ItemSetError
from coterie.pairs import PairScores, all_pairs

NUMBERS = [0.0, 1.0, -1.0, 1e150, -1e150, 1e300, -1e300, 1.7e308, -1.7e308]
CLUSTERERS = [
    AverageLinkage(),
    AverageLinkage(n_clusters=1),
    AverageLinkage(threshold=1e300),
    AverageLinkage(missing=-1e308),
    AverageLinkage(max_size=2),
    AverageLinkage(max_size=2, size_cost=1e308),
    CompleteLinkage(),
    CompleteLinkage(max_size=2),
    SingleLinkage(),
]


@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=repr)
@given(st.data())
def test_any_scores_are_clustered_or_refused(clusterer, data):
    n_items = data.draw(st.integers(2, 8))
    pairs = all_pairs(n_items)
    size = {"min_size": len(pairs), "max_size": len(pairs)}
    scores = np.array(data.draw(st.lists(st.sampled_from(NUMBERS), **size)))
    is_listed = np.array(data.draw(st.lists(st.booleans(), **size)))
    for pair_scores in (
        PairScores(n_items, None, scores),
        PairScores(n_items, pairs[is_listed], scores[is_listed]),
    ):
        with suppress(CoterieError):
            assert len(clusterer(pair_scores)) == n_items


def test_scores_that_linkage_cannot_add_up_are_named():
    with pytest.raises(ItemSetError, match=r"AverageLinkage cannot add up .* as large as 1e\+308"):
        AverageLinkage()(PairScores(3, None, [1e308, 1.0, 2.0]))


def test_large_scores_that_can_be_added_up_are_clustered():
    labels = AverageLinkage()(PairScores(4, None, [1e290, -1e290, 0, -1e290, 0, 1e290])).labels
    assert labels.tolist() == [0, 0, 1, 1]
