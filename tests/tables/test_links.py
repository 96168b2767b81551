"""Links between rows, where must-link pairs may never have been candidates."""

import numpy as np

from coterie import Partition
from coterie.pairs import PairScores
from coterie.tables.links import (
    RowConstraints,
    cluster_weaknesses,
    maximum_spanning_forest,
    scored_links,
    strongest_links,
)

NONE = np.empty((0, 2), dtype=np.intp)
SCORES = PairScores(4, [(0, 1), (1, 2)], [2.0, -1.0])


def must_link(*pairs):
    return RowConstraints(np.array(pairs, dtype=np.intp).reshape(-1, 2), NONE)


def test_without_must_links_the_links_are_the_scored_pairs():
    links = scored_links(SCORES, must_link())
    assert links.pairs is SCORES.pairs
    assert links.scores is SCORES.scores


def test_must_links_are_the_strongest_whether_they_were_candidates_or_not():
    links = scored_links(SCORES, must_link((1, 2), (2, 3)))
    assert links.pairs.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert links.scores.tolist() == [2.0, np.inf, np.inf]
    strongest = strongest_links(links, np.ones(3, dtype=bool))
    assert strongest.partners.tolist() == [1, 2, 1, 2]


def test_a_cluster_is_as_weak_as_its_weakest_learned_link():
    partition = Partition([0, 0, 0, 0])
    unlinked = scored_links(SCORES, must_link())
    assert cluster_weaknesses(
        unlinked, partition, np.ones(len(unlinked.pairs))
    ).weakest.tolist() == [-np.inf]
    links = scored_links(SCORES, must_link((1, 2), (2, 3)))
    assert sorted(map(tuple, maximum_spanning_forest(links, partition).links.tolist())) == [
        (0, 1), (1, 2), (2, 3),
    ]  # fmt: skip
    weakest, disagreement = cluster_weaknesses(links, partition, np.ones(len(links.pairs)))
    assert weakest.tolist() == [2.0]
    assert disagreement.tolist() == [0.5]


def test_cannot_link_pairs_are_found_in_either_order():
    constraints = RowConstraints(NONE, np.array([[1, 3]]))
    assert constraints.forbids(3, 1)
    assert constraints.forbids(1, 3)
    assert not constraints.forbids(1, 2)
    assert not must_link().forbids(0, 1)
