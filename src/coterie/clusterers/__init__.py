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

from typing import TYPE_CHECKING

__all__ = [
    "AverageLinkage",
    "BallRounding",
    "CompleteLinkage",
    "DiscreteSpectral",
    "EstimatorClusterer",
    "Exact",
    "GraphCut",
    "Greedy",
    "KMedoids",
    "KernelKMeans",
    "LeftLink",
    "LocalSearch",
    "Pivot",
    "Relaxation",
    "RepeatedBisection",
    "SearchRounding",
    "SingleLinkage",
    "Solution",
    "SpanningForest",
    "Spectral",
    "SumLink",
]

if TYPE_CHECKING:
    from coterie.clusterers._base import Solution as Solution
    from coterie.clusterers.bisection import RepeatedBisection as RepeatedBisection
    from coterie.clusterers.estimators import EstimatorClusterer as EstimatorClusterer
    from coterie.clusterers.exact import Exact as Exact
    from coterie.clusterers.graph_cut import GraphCut as GraphCut
    from coterie.clusterers.greedy import Greedy as Greedy
    from coterie.clusterers.kmeans import KernelKMeans as KernelKMeans
    from coterie.clusterers.left_link import LeftLink as LeftLink
    from coterie.clusterers.linkage import AverageLinkage as AverageLinkage
    from coterie.clusterers.linkage import CompleteLinkage as CompleteLinkage
    from coterie.clusterers.linkage import SingleLinkage as SingleLinkage
    from coterie.clusterers.local_search import LocalSearch as LocalSearch
    from coterie.clusterers.medoids import KMedoids as KMedoids
    from coterie.clusterers.pivot import Pivot as Pivot
    from coterie.clusterers.relaxation import Relaxation as Relaxation
    from coterie.clusterers.rounding import BallRounding as BallRounding
    from coterie.clusterers.rounding import SearchRounding as SearchRounding
    from coterie.clusterers.spanning_forest import SpanningForest as SpanningForest
    from coterie.clusterers.spectral import DiscreteSpectral as DiscreteSpectral
    from coterie.clusterers.spectral import Spectral as Spectral
    from coterie.clusterers.sum_link import SumLink as SumLink
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "_base": ["Solution"],
            "bisection": ["RepeatedBisection"],
            "exact": ["Exact"],
            "graph_cut": ["GraphCut"],
            "greedy": ["Greedy"],
            "kmeans": ["KernelKMeans"],
            "left_link": ["LeftLink"],
            "linkage": ["AverageLinkage", "CompleteLinkage", "SingleLinkage"],
            "local_search": ["LocalSearch"],
            "medoids": ["KMedoids"],
            "pivot": ["Pivot"],
            "relaxation": ["Relaxation"],
            "rounding": ["BallRounding", "SearchRounding"],
            "spanning_forest": ["SpanningForest"],
            "spectral": ["DiscreteSpectral", "Spectral"],
            "sum_link": ["SumLink"],
            "estimators": ["EstimatorClusterer"],
        },
    )
