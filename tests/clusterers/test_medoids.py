"""k-medoids against enumeration and the kmedoids package."""

from itertools import combinations

import kmedoids
import numpy as np
import pytest

from coterie._kernels.kmeans.medoids import swap_medoids
from coterie.clusterers.medoids import KMedoids
from coterie.exceptions import InputError, ItemSetError
from coterie.pairs import PairScores
from coterie.partition import Partition


def random_distances(rng, n_items, euclidean):
    if euclidean:
        points = rng.normal(size=(n_items, 2))
        return np.linalg.norm(points[:, None] - points, axis=2)
    distances = rng.random((n_items, n_items))
    distances += distances.T
    np.fill_diagonal(distances, 0.0)
    return distances


def loss(distances, medoids):
    return distances[:, medoids].min(axis=1).sum()


def scores_of(distances, highest=10.0):
    matrix = highest - distances
    np.fill_diagonal(matrix, 0.0)
    return PairScores.from_matrix(matrix)


@pytest.mark.parametrize("euclidean", [True, False])
def test_no_single_swap_is_better(euclidean, rng):
    for _ in range(60):
        n_items = int(rng.integers(1, 25))
        k = int(rng.integers(1, n_items + 1))
        distances = random_distances(rng, n_items, euclidean)
        medoids = rng.choice(n_items, k, replace=False).astype(np.intp)
        start = loss(distances, medoids)
        final_loss = swap_medoids(distances, medoids)
        assert len(set(medoids.tolist())) == k
        assert final_loss == pytest.approx(loss(distances, medoids))
        assert final_loss <= start
        for place in range(k):
            for candidate in range(n_items):
                other = medoids.copy()
                other[place] = candidate
                assert loss(distances, other) >= final_loss - 1e-9


@pytest.mark.parametrize("euclidean", [True, False])
def test_losses_equal_the_kmedoids_package(euclidean, rng):
    """From the same medoids almost always the very same loss, and not worse on average."""
    losses, package_losses = [], []
    for _ in range(50):
        n_items, k = int(rng.integers(20, 80)), int(rng.integers(2, 8))
        distances = random_distances(rng, n_items, euclidean)
        medoids = rng.choice(n_items, k, replace=False).astype(np.intp)
        package_losses.append(
            kmedoids.fasterpam(distances, medoids.astype(np.uint64), n_cpu=1).loss
        )
        losses.append(swap_medoids(distances, medoids))
    assert np.count_nonzero(np.isclose(losses, package_losses, rtol=1e-12)) >= 45
    assert np.mean(losses) <= np.mean(package_losses) * (1 + 1e-3)


def test_many_starts_find_the_best_medoids(rng):
    for n_items in (1, 2, 5, 8):
        distances = random_distances(rng, n_items, euclidean=False)
        # The clusterer takes the largest score as distance 0.
        distances -= distances[np.triu_indices(n_items, 1)].min(initial=np.inf)
        distances = np.where(np.isfinite(distances), distances, 0.0)
        np.fill_diagonal(distances, 0.0)
        for k in range(1, n_items + 1):
            best = min(loss(distances, list(m)) for m in combinations(range(n_items), k))
            partition = KMedoids(k, n_init=40)(scores_of(distances))
            assert partition.n_clusters == k
            spread = sum(distances[np.ix_(c, c)].sum(axis=0).min() for c in partition.clusters)
            assert spread == pytest.approx(best)


def test_absent_pairs_score_zero():
    """Items 0 and 1 repel each other, so that an absent pair is the better one."""
    scores = PairScores(4, [(0, 1), (0, 2), (1, 3)], [-5.0, 2.0, 2.0], n_clusters=2)
    assert KMedoids()(scores) == Partition([0, 1, 0, 1])
    negative = PairScores(3, [(0, 1)], [-5.0], n_clusters=2)
    assert not KMedoids()(negative).together([(0, 1)])[0]


def test_equal_items_still_make_k_clusters():
    for score in (-1.0, 0.0, 3.0):
        scores = PairScores(6, None, np.full(15, score))
        assert [KMedoids(k)(scores).n_clusters for k in range(1, 7)] == list(range(1, 7))
    distances = np.ones((4, 4)) - np.eye(4)
    distances[0, 1] = distances[1, 0] = 0.0
    assert KMedoids(4)(scores_of(distances)).n_clusters == 4


def test_seeds_and_numbers(rng):
    scores = scores_of(random_distances(rng, 40, euclidean=False))
    partitions = [KMedoids(6, n_init=1, random_state=seed)(scores) for seed in range(6)]
    assert len(set(partitions)) > 1
    assert partitions == [KMedoids(6, n_init=1, random_state=seed)(scores) for seed in range(6)]
    assert KMedoids(2).objective is None
    with pytest.raises(ItemSetError, match="use at most"):
        KMedoids(41)(scores)
    with pytest.raises(ItemSetError, match="not known"):
        KMedoids()(scores)
    with pytest.raises(InputError, match="n_init"):
        KMedoids(2, n_init=0)


def test_swaps_end_where_the_loss_is_zero_up_to_rounding():
    pairs = [[3, 5], [0, 5], [1, 4], [3, 4], [1, 2], [2, 5], [0, 3]]
    values = [-0.705836982208772, -0.6048386105388726, -0.44118199142204373, -0.6584621349680586]
    values += [-0.10423017695092507, -0.932150135175087, -0.8097533600951012]
    partition = KMedoids()(PairScores(6, pairs, values, n_clusters=2))
    assert partition.n_clusters == 2


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e9])
def test_swaps_end_at_any_scale(rng, scale):
    for _ in range(5):
        scores = PairScores(50, None, scale * rng.integers(0, 3, 1225).astype(float))
        assert KMedoids(n_clusters=1)(scores).n_clusters == 1
    assert KMedoids(n_clusters=1)(PairScores(3, [(0, 1)], [2.2944729481689397e-12])).n_clusters == 1


def test_huge_scores_give_the_partition_of_smaller_ones(rng):
    """The sums of the distances would overflow otherwise."""
    for _ in range(10):
        scores = rng.normal(size=66)
        expected = KMedoids(3)(PairScores(12, None, scores))
        assert KMedoids(3)(PairScores(12, None, np.ldexp(scores, 1021))) == expected
