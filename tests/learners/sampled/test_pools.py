"""Weighted samples of pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coterie import Partition
from coterie.learners.sampled.pools import PairPool, draw_by, draw_rows
from coterie.pairs import all_pairs


@given(
    st.integers(0, 2000), st.integers(0, 100), st.integers(0, 300), st.integers(10, 500), st.data()
)
def test_weights_count_each_stratum_and_pairs_are_distinct(n, n_together, n_similar, most, data):
    seed = data.draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    together, is_similar = order < n_together, order < n_together + n_similar
    rows, weights = draw_rows(together, is_similar, most, rng)
    assert (np.diff(rows) > 0).all()
    assert len(rows) <= most + 1  # shares are rounded
    for stratum in (together, is_similar & ~together, ~is_similar):
        assert np.isclose(weights[stratum[rows]].sum(), stratum.sum())


def test_weighted_sums_are_unbiased():
    rng = np.random.default_rng(0)
    values = rng.normal(size=400)
    together, is_similar = values > 1.5, values > 0.5
    sums = []
    for _ in range(400):
        rows, weights = draw_rows(together, is_similar, 60, rng)
        sums.append(weights @ values[rows])
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - values.sum()) < 4 * error


def test_weighted_sums_are_unbiased_if_each_pair_has_a_chance_of_its_own():
    rng = np.random.default_rng(0)
    values = rng.normal(size=2000)
    together, chances = values > 1.5, np.exp(values)
    sums, sizes, n_drawn = [], [], np.zeros(len(values))
    for _ in range(400):
        rows, weights = draw_by(together, chances, 300, rng)
        assert (np.diff(rows) > 0).all()
        sums.append(weights @ values[rows])
        sizes.append(len(rows))
        n_drawn[rows] += 1
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - values.sum()) < 4 * error
    assert 200 < np.mean(sizes) <= 300
    assert n_drawn[~together & (values > 1.0)].mean() > 3 * n_drawn[values < -1.0].mean()


class Numbers:
    """Each pair has its own number as its only feature."""

    n_columns = 1

    def __init__(self, n_pairs):
        self.n_pairs = n_pairs

    def blocks(self, rows=None):
        numbers = np.arange(self.n_pairs) if rows is None else rows
        for part in np.array_split(np.random.default_rng(0).permutation(numbers), 3):
            yield np.sort(part), np.sort(part)[:, None].astype(np.float32)


def test_pairs_of_several_sets_are_numbered_across_them():
    truths = [Partition([0, 0, 1]), Partition([0]), Partition([0, 1, 1, 0])]
    listed = [None, np.empty((0, 2), dtype=np.intp), np.array([[0, 3], [1, 2], [1, 3]])]
    pool = PairPool(truths, listed, Numbers(6))
    assert pool.ends.tolist() == [[0, 1], [0, 2], [1, 2], [4, 7], [5, 6], [5, 7]]
    assert pool.together.tolist() == [True, False, False, True, True, False]
    assert all_pairs(3).tolist() == pool.ends[:3].tolist()
    scores = pool.set_scores(np.arange(6.0))
    assert [part.scores.tolist() for part in scores] == [[0, 1, 2], [], [3, 4, 5]]
    sample = pool.sample(np.ones(6, dtype=np.bool_), 20, 0)
    assert sample.matrix[:, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert sample.weights.tolist() == [1.0] * 6
    assert sample.take(sample.together).ends.tolist() == [[0, 1], [4, 7], [5, 6]]
