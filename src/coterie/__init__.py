"""Supervised clustering: learn from example partitions how to cluster new item sets."""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = [
    "CCCP",
    "SGD",
    "AutoLearner",
    "BestLeftLinkLearner",
    "Coarse",
    "DirichletClustering",
    "DiscriminativeClustering",
    "ExactUpdate",
    "Fine",
    "FrankWolfe",
    "ItemSet",
    "LatentLeftLinking",
    "Model",
    "NSlack",
    "OneSlack",
    "PairSVM",
    "PairScores",
    "PairwiseClustering",
    "PaperUpdate",
    "Partition",
    "SVMCluster",
    "SpanningForestLearner",
    "StructuralSVM",
    "StructuredBoosting",
    "SumLinkLearner",
    "SupervisedKMeans",
    "Untrained",
    "WithContext",
    "as_item_set",
    "as_partition",
    "blocking",
    "calibrate",
    "checks",
    "clusterers",
    "datasets",
    "dirichlet",
    "exceptions",
    "features",
    "learners",
    "losses",
    "metrics",
    "objectives",
    "progress",
    "similarities",
    "stream",
    "tune",
]

if TYPE_CHECKING:
    from coterie import blocking as blocking
    from coterie import checks as checks
    from coterie import clusterers as clusterers
    from coterie import datasets as datasets
    from coterie import dirichlet as dirichlet
    from coterie import exceptions as exceptions
    from coterie import features as features
    from coterie import learners as learners
    from coterie import losses as losses
    from coterie import metrics as metrics
    from coterie import objectives as objectives
    from coterie import similarities as similarities
    from coterie import stream as stream
    from coterie._progress import progress as progress
    from coterie.items import ItemSet as ItemSet
    from coterie.items import as_item_set as as_item_set
    from coterie.learners import CCCP as CCCP
    from coterie.learners import SGD as SGD
    from coterie.learners import AutoLearner as AutoLearner
    from coterie.learners import BestLeftLinkLearner as BestLeftLinkLearner
    from coterie.learners import Coarse as Coarse
    from coterie.learners import DirichletClustering as DirichletClustering
    from coterie.learners import DiscriminativeClustering as DiscriminativeClustering
    from coterie.learners import ExactUpdate as ExactUpdate
    from coterie.learners import Fine as Fine
    from coterie.learners import FrankWolfe as FrankWolfe
    from coterie.learners import LatentLeftLinking as LatentLeftLinking
    from coterie.learners import NSlack as NSlack
    from coterie.learners import OneSlack as OneSlack
    from coterie.learners import PairSVM as PairSVM
    from coterie.learners import PairwiseClustering as PairwiseClustering
    from coterie.learners import PaperUpdate as PaperUpdate
    from coterie.learners import SpanningForestLearner as SpanningForestLearner
    from coterie.learners import StructuralSVM as StructuralSVM
    from coterie.learners import StructuredBoosting as StructuredBoosting
    from coterie.learners import SumLinkLearner as SumLinkLearner
    from coterie.learners import SupervisedKMeans as SupervisedKMeans
    from coterie.learners import SVMCluster as SVMCluster
    from coterie.learners import Untrained as Untrained
    from coterie.learners import WithContext as WithContext
    from coterie.learners import calibrate as calibrate
    from coterie.learners import tune as tune
    from coterie.model import Model as Model
    from coterie.pairs import PairScores as PairScores
    from coterie.partition import Partition as Partition
    from coterie.partition import as_partition as as_partition
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "": [
                "blocking",
                "checks",
                "clusterers",
                "datasets",
                "dirichlet",
                "exceptions",
                "features",
                "learners",
                "losses",
                "metrics",
                "objectives",
                "similarities",
                "stream",
            ],
            "_progress": ["progress"],
            "items": ["ItemSet", "as_item_set"],
            "model": ["Model"],
            "pairs": ["PairScores"],
            "partition": ["Partition", "as_partition"],
            "learners": [
                "AutoLearner",
                "BestLeftLinkLearner",
                "CCCP",
                "Coarse",
                "DirichletClustering",
                "DiscriminativeClustering",
                "ExactUpdate",
                "Fine",
                "FrankWolfe",
                "LatentLeftLinking",
                "NSlack",
                "OneSlack",
                "PairSVM",
                "PairwiseClustering",
                "PaperUpdate",
                "SGD",
                "SVMCluster",
                "SpanningForestLearner",
                "StructuralSVM",
                "StructuredBoosting",
                "SumLinkLearner",
                "SupervisedKMeans",
                "Untrained",
                "WithContext",
                "calibrate",
                "tune",
            ],
        },
    )
