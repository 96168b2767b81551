"""Links between rows, where some pairs were told to be together though nobody looked at them."""

import numpy as np

from coterie import Partition
from coterie.pairs import PairScores
from coterie.tables.links import Told, bonds_of, spanning_tree, strongest, weaknesses

NONE = np.empty((0, 2), dtype=np.intp)
SCORES = PairScores(4, [(0, 1), (1, 2)], [2.0, -1.0])


def told(*together):
    return Told(np.array(together, dtype=np.intp).reshape(-1, 2), NONE)


def test_without_told_pairs_the_bonds_are_the_scores():
    bonds = bonds_of(SCORES, told())
    assert bonds.pairs is SCORES.pairs
    assert bonds.scores is SCORES.scores


def test_told_pairs_bind_most_whether_they_were_looked_at_or_not():
    bonds = bonds_of(SCORES, told((1, 2), (2, 3)))
    assert bonds.pairs.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert bonds.scores.tolist() == [2.0, np.inf, np.inf]
    found = strongest(bonds, np.ones(3, dtype=bool))
    assert found.others.tolist() == [1, 2, 1, 2]


def test_a_cluster_is_as_weak_as_the_weakest_link_that_nobody_told():
    partition = Partition([0, 0, 0, 0])
    assert weaknesses(bonds_of(SCORES, told()), partition).weakest.tolist() == [-np.inf]
    bonds = bonds_of(SCORES, told((1, 2), (2, 3)))
    assert sorted(map(tuple, spanning_tree(bonds, partition).links.tolist())) == [
        (0, 1), (1, 2), (2, 3),
    ]  # fmt: skip
    weakest, disagreement = weaknesses(bonds, partition)
    assert weakest.tolist() == [2.0]
    assert disagreement.tolist() == [0.5]


def test_who_must_be_apart_is_known_in_either_order():
    both = Told(NONE, np.array([[1, 3]]))
    assert both.keeps_apart(3, 1)
    assert both.keeps_apart(1, 3)
    assert not both.keeps_apart(1, 2)
    assert not told().keeps_apart(0, 1)
