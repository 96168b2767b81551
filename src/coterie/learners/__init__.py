"""Learners: scikit-learn estimators whose samples are item sets, and what they are made of."""

from typing import TYPE_CHECKING

__all__ = [
    "Coarse",
    "Fine",
    "FrankWolfe",
    "NSlack",
    "OneSlack",
    "PairwiseClustering",
    "SVMCluster",
    "StructuralSVM",
    "SupervisedKMeans",
    "Tuned",
    "Untrained",
    "tune",
]

if TYPE_CHECKING:
    from coterie.learners.baselines import Coarse as Coarse
    from coterie.learners.baselines import Fine as Fine
    from coterie.learners.baselines import Untrained as Untrained
    from coterie.learners.cutting_planes import NSlack as NSlack
    from coterie.learners.cutting_planes import OneSlack as OneSlack
    from coterie.learners.frank_wolfe import FrankWolfe as FrankWolfe
    from coterie.learners.pairwise import PairwiseClustering as PairwiseClustering
    from coterie.learners.recipes import SupervisedKMeans as SupervisedKMeans
    from coterie.learners.recipes import SVMCluster as SVMCluster
    from coterie.learners.structural_svm import StructuralSVM as StructuralSVM
    from coterie.learners.tuning import Tuned as Tuned
    from coterie.learners.tuning import tune as tune
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "baselines": ["Coarse", "Fine", "Untrained"],
            "cutting_planes": ["NSlack", "OneSlack"],
            "frank_wolfe": ["FrankWolfe"],
            "pairwise": ["PairwiseClustering"],
            "recipes": ["SVMCluster", "SupervisedKMeans"],
            "structural_svm": ["StructuralSVM"],
            "tuning": ["Tuned", "tune"],
        },
    )
