"""Clustering algorithms: frozen callables from `PairScores` to `Partition`.

- Correlation clustering: `Greedy` merges the two clusters with the highest gain, `LocalSearch`
  moves items and clusters, `Relaxation` solves a linear program and rounds its solution, `Exact`
  proves optimality, `Pivot` is a fast approximation, `SumLink` adds one item at a time.
- Left-linking and spanning forests: `LeftLink` adds one item at a time, `SpanningForest` joins
  the items that positive pairs connect.
- k-means: `KernelKMeans` moves items, `Spectral` computes eigenvectors, `DiscreteSpectral` rounds
  them to a partition.
- Clusterers without an objective: `SingleLinkage`, `CompleteLinkage`, `AverageLinkage`,
  `KMedoids`, `RepeatedBisection`, `GraphCut`, and `EstimatorClusterer`, which wraps a clusterer of
  scikit-learn.

The method `solve` of a clusterer returns a `Solution`, with the partition, its value and a bound.
"""

from coterie._core.lazy import attach

__getattr__, __dir__ = attach(__name__)
