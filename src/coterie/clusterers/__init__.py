"""Clustering algorithms: frozen callables from `PairScores` to `Partition`.

- of correlation clustering: `Greedy` merges the two clusters that gain most, `LocalSearch` moves
  items and clusters, `Relaxation` solves a linear program and rounds it, `Exact` proves optimality,
  `Pivot` is a fast first pass, `SumLink` takes one item at a time;
- of left-linking and forests: `LeftLink` takes one item at a time, `SpanningForest` joins what
  positive pairs connect;
- of k-means: `KernelKMeans` moves items, `Spectral` takes eigenvectors, `DiscreteSpectral` rounds
  them;
- without an objective: `SingleLinkage`, `CompleteLinkage`, `AverageLinkage`, `KMedoids`,
  `RepeatedBisection`, `GraphCut`, and `EstimatorClusterer` around those of scikit-learn.

A clusterer's `solve` returns a `Solution`, which says what is proved about the partition.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
