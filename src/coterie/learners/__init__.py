"""Learners: scikit-learn estimators whose samples are item sets, and what they are made of."""

from typing import TYPE_CHECKING

__all__ = [
    "CCCP",
    "PAV",
    "SGD",
    "AutoLearner",
    "BestLeftLinkLearner",
    "Calibrated",
    "Coarse",
    "CorrelationRisk",
    "DirichletClustering",
    "DiscriminativeClustering",
    "ExactUpdate",
    "Fine",
    "FrankWolfe",
    "HistogramTrees",
    "LatentLeftLinking",
    "LeftLinkRisk",
    "LightTrees",
    "LogisticRisk",
    "NSlack",
    "OneSlack",
    "PairSVM",
    "PairwiseClustering",
    "PaperUpdate",
    "Platt",
    "Reliabilities",
    "Reliability",
    "SVMCluster",
    "Sampled",
    "Softmax",
    "SpanningForestLearner",
    "Stopping",
    "StructuralSVM",
    "StructuredBoosting",
    "SumLinkLearner",
    "SupervisedKMeans",
    "Tuned",
    "Untrained",
    "Winnow",
    "WithContext",
    "calibrate",
    "save_reliability_plot",
    "tune",
]

if TYPE_CHECKING:
    from coterie.learners.auto import AutoLearner as AutoLearner
    from coterie.learners.baselines import Coarse as Coarse
    from coterie.learners.baselines import Fine as Fine
    from coterie.learners.baselines import Untrained as Untrained
    from coterie.learners.best_left_link import BestLeftLinkLearner as BestLeftLinkLearner
    from coterie.learners.boosting import StructuredBoosting as StructuredBoosting
    from coterie.learners.calibration import Calibrated as Calibrated
    from coterie.learners.calibration import calibrate as calibrate
    from coterie.learners.cccp import CCCP as CCCP
    from coterie.learners.context import WithContext as WithContext
    from coterie.learners.curve_fits import PAV as PAV
    from coterie.learners.curve_fits import Platt as Platt
    from coterie.learners.cutting_planes import NSlack as NSlack
    from coterie.learners.cutting_planes import OneSlack as OneSlack
    from coterie.learners.dirichlet import DirichletClustering as DirichletClustering
    from coterie.learners.discriminative import DiscriminativeClustering as DiscriminativeClustering
    from coterie.learners.frank_wolfe import FrankWolfe as FrankWolfe
    from coterie.learners.left_linking import LatentLeftLinking as LatentLeftLinking
    from coterie.learners.pair_svm import PairSVM as PairSVM
    from coterie.learners.pairwise import PairwiseClustering as PairwiseClustering
    from coterie.learners.recipes import SupervisedKMeans as SupervisedKMeans
    from coterie.learners.recipes import SVMCluster as SVMCluster
    from coterie.learners.reliability import Reliabilities as Reliabilities
    from coterie.learners.reliability import Reliability as Reliability
    from coterie.learners.reliability import save_reliability_plot as save_reliability_plot
    from coterie.learners.risks import CorrelationRisk as CorrelationRisk
    from coterie.learners.risks import LeftLinkRisk as LeftLinkRisk
    from coterie.learners.risks import LogisticRisk as LogisticRisk
    from coterie.learners.sampled import Sampled as Sampled
    from coterie.learners.sgd import SGD as SGD
    from coterie.learners.softmax import Softmax as Softmax
    from coterie.learners.spanning_forest import SpanningForestLearner as SpanningForestLearner
    from coterie.learners.stopping import Stopping as Stopping
    from coterie.learners.structural_svm import StructuralSVM as StructuralSVM
    from coterie.learners.sum_link import SumLinkLearner as SumLinkLearner
    from coterie.learners.trees import HistogramTrees as HistogramTrees
    from coterie.learners.trees import LightTrees as LightTrees
    from coterie.learners.tuning import Tuned as Tuned
    from coterie.learners.tuning import tune as tune
    from coterie.learners.updates import ExactUpdate as ExactUpdate
    from coterie.learners.updates import PaperUpdate as PaperUpdate
    from coterie.learners.winnow import Winnow as Winnow
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "baselines": ["Coarse", "Fine", "Untrained"],
            "best_left_link": ["BestLeftLinkLearner"],
            "calibration": ["Calibrated", "calibrate"],
            "curve_fits": ["PAV", "Platt"],
            "reliability": ["Reliabilities", "Reliability", "save_reliability_plot"],
            "context": ["WithContext"],
            "cutting_planes": ["NSlack", "OneSlack"],
            "frank_wolfe": ["FrankWolfe"],
            "left_linking": ["LatentLeftLinking"],
            "pairwise": ["PairwiseClustering"],
            "recipes": ["SVMCluster", "SupervisedKMeans"],
            "sgd": ["SGD"],
            "structural_svm": ["StructuralSVM"],
            "sum_link": ["SumLinkLearner"],
            "tuning": ["Tuned", "tune"],
            "cccp": ["CCCP"],
            "spanning_forest": ["SpanningForestLearner"],
            "softmax": ["Softmax"],
            "winnow": ["Winnow"],
            "discriminative": ["DiscriminativeClustering"],
            "updates": ["ExactUpdate", "PaperUpdate"],
            "dirichlet": ["DirichletClustering"],
            "sampled": ["Sampled"],
            "pair_svm": ["PairSVM"],
            "boosting": ["StructuredBoosting"],
            "risks": ["CorrelationRisk", "LeftLinkRisk", "LogisticRisk"],
            "trees": ["HistogramTrees", "LightTrees"],
            "stopping": ["Stopping"],
            "auto": ["AutoLearner"],
        },
    )
