"""The public names as a type checker sees them; the file can also be run."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import coterie as ct
from coterie._types import (
    Blocker,
    Clusterer,
    Featurizer,
    LinearLoss,
    SearchedLoss,
    Similarity,
)
from coterie.metrics import Scores

item_sets = [
    ct.ItemSet(np.ones((3, 2)), ids=["a", "b", "c"]),
    ct.ItemSet.from_pair_features(np.ones((3, 1)), n_items=3, n_clusters=2),
]
truth, predicted = ct.Partition(["x", "x", "y"]), ct.as_partition([[0], [1, 2]])
scores = ct.PairScores.from_matrix(np.zeros((3, 3)))

assert_type(item_sets, list[ct.ItemSet])
assert_type(scores.plus(np.ones(3)).to_matrix(), NDArray[np.float64])
assert_type(ct.objectives.LeftLink(gamma=0.5).value(truth, scores), float)
assert_type(ct.features.NodeProducts(np.ones((3, 2))) @ np.ones(2), NDArray[np.float64])
assert_type(ct.metrics.pair_loss(truth, predicted), float)
assert_type(ct.metrics.b_cubed(["x", "y"], [0, 1]), Scores)
assert_type(ct.metrics.variation_of_information(truth, predicted, base=2), float)
assert_type(ct.metrics.micro(ct.metrics.muc, [truth], [predicted]), Scores)
assert_type(ct.metrics.macro(ct.metrics.pair_loss, [truth], [predicted]), float)
assert_type(ct.metrics.compare([1.0], [2.0]).p_value, float)
assert_type(ct.datasets.make_item_sets(n_sets=1).partitions, list[ct.Partition])
family: list[Clusterer] = [
    ct.clusterers.Greedy(),
    ct.clusterers.LocalSearch(start=truth, sweeps=1),
    ct.clusterers.Relaxation(rounding=ct.clusterers.BallRounding(threshold=0.7)),
    ct.clusterers.Exact(time_limit=1.0),
    ct.clusterers.KernelKMeans(n_clusters=2),
    ct.clusterers.Spectral(n_clusters=2),
    ct.clusterers.AverageLinkage(threshold=0.5),
    ct.clusterers.LeftLink(gamma=0.5),
]
assert_type(ct.clusterers.Greedy()(scores), ct.Partition)
assert_type(ct.clusterers.Exact().solve(scores), ct.clusterers.Solution)
assert_type(ct.clusterers.Exact().solve(scores).weights, NDArray[np.float64])
linear: list[LinearLoss] = [ct.losses.PairLoss(), ct.losses.TraceLoss(), ct.losses.LinkLoss()]
searched: SearchedLoss = ct.losses.MitreLoss()
learners: list[ct.StructuralSVM] = [
    ct.SVMCluster(C=1e4, clusterer="relaxation", solver=ct.NSlack(tol=0.1)),
    ct.SupervisedKMeans(clusterer=ct.clusterers.Spectral(), predictor="discrete"),
    ct.StructuralSVM(ct.clusterers.Greedy(), ct.metrics.pair_loss, solver=ct.FrankWolfe()),
]
vectors = [ct.ItemSet(np.eye(3)), ct.ItemSet(np.eye(3))]
fitted = ct.SVMCluster().fit(vectors, [truth, [0, 0, 1]])
assert_type(fitted, ct.SVMCluster)
assert_type(fitted.predict(vectors), list[ct.Partition])
assert_type(fitted.score(vectors, [truth, truth]), float)
assert_type(fitted.to_model(), ct.Model)
assert_type(ct.SVMCluster().fit_path(vectors, [truth, truth], [1.0]), list[ct.SVMCluster])
featurizers: list[Featurizer] = [
    ct.features.Scaled(ct.features.WithConstant(ct.features.GivenFeatures())),
    ct.features.Kernelized(
        ct.features.GivenFeatures(), ct.features.RBF(0.5), ct.features.Nystroem(10)
    ),
]
blockers: list[Blocker] = [ct.blocking.AllPairs(), ct.blocking.Window(3)]
similarity: Similarity = ct.similarities.LinearSimilarity(featurizers[0], np.ones(3))
