"""Every learner keeps the contract of the family."""

import pytest
from sklearn.tree import DecisionTreeClassifier

from coterie import learners
from coterie.blocking import Window
from coterie.checks import check_learner
from coterie.clusterers import AverageLinkage, Greedy, KMedoids, Relaxation
from coterie.dirichlet import MaximumPosterior, NormalPrior
from coterie.features import Euclidean
from coterie.learners import (
    CCCP,
    SGD,
    AutoLearner,
    BestLeftLinkLearner,
    Coarse,
    CorrelationRisk,
    DirichletClustering,
    DiscriminativeClustering,
    ExactUpdate,
    Fine,
    FrankWolfe,
    HistogramTrees,
    LatentLeftLinking,
    LogisticRisk,
    NSlack,
    PairSVM,
    PairwiseClustering,
    SpanningForestLearner,
    StructuralSVM,
    StructuredBoosting,
    SumLinkLearner,
    SupervisedKMeans,
    SVMCluster,
    Untrained,
    WithContext,
)
from coterie.learners.base import Learner
from coterie.losses import MitreLoss, PairLoss

IN_ORDER = {"order_free": False}
K_MEANS = {"needs_n_clusters": True, "order_free": False}
BLIND = {"sees_features": False}

MEMBERS = {
    "SVMCluster greedy": (SVMCluster(), {}),
    "SVMCluster relaxed": (SVMCluster(clusterer=Relaxation()), IN_ORDER),
    "SVMCluster exact": (SVMCluster(1e3, "exact", solver=FrankWolfe(tol=0.01)), {}),
    "SVMCluster mitre": (SVMCluster(loss=MitreLoss()), {}),
    "SVMCluster not augmented": (SVMCluster(solver=NSlack(), augment=False), {}),
    "StructuralSVM": (StructuralSVM(Greedy(), PairLoss(), 1e4, blocker=Window(3)), IN_ORDER),
    "SupervisedKMeans iterative": (SupervisedKMeans(10.0), K_MEANS),
    "SupervisedKMeans spectral": (SupervisedKMeans(10.0, "spectral", "iterative"), K_MEANS),
    "SupervisedKMeans discrete": (SupervisedKMeans(10.0, "discrete"), K_MEANS),
    "PairSVM": (PairSVM(10.0, AverageLinkage()), IN_ORDER),
    "PairwiseClustering": (PairwiseClustering(balanced=True, threshold=0.1), {}),
    "PairwiseClustering tree": (
        PairwiseClustering(AverageLinkage(), DecisionTreeClassifier(max_depth=2)),
        {"saves": False, **IN_ORDER},
    ),
    "LatentLeftLinking": (LatentLeftLinking(), IN_ORDER),
    "LatentLeftLinking best links": (LatentLeftLinking(0.0, solver=SGD(average=False)), IN_ORDER),
    "LatentLeftLinking in batch": (LatentLeftLinking(0.5, 1e-2, solver=CCCP()), IN_ORDER),
    "SpanningForestLearner": (SpanningForestLearner(), {}),
    "SumLinkLearner": (SumLinkLearner(), IN_ORDER),
    "BestLeftLinkLearner": (BestLeftLinkLearner(blocker=Window(3)), IN_ORDER),
    "BestLeftLinkLearner firsts": (BestLeftLinkLearner(teach_firsts=True), IN_ORDER),
    "DiscriminativeClustering": (DiscriminativeClustering(), {}),
    "DiscriminativeClustering medoids": (
        DiscriminativeClustering(KMedoids(), update=ExactUpdate(distance=Euclidean())),
        K_MEANS,
    ),
    "DiscriminativeClustering greedy": (DiscriminativeClustering(Greedy(), n_init=2), {}),
    "DirichletClustering": (DirichletClustering(10, 10, 1), IN_ORDER),
    "DirichletClustering type per cluster": (
        DirichletClustering(
            *(10, 10, 1, 2),
            NormalPrior(repulsion=True, type_per_cluster=True),
            MaximumPosterior(),
        ),
        IN_ORDER,
    ),
    "StructuredBoosting": (StructuredBoosting(n_rounds=5), IN_ORDER),
    "StructuredBoosting correlation": (StructuredBoosting(CorrelationRisk(), n_rounds=5), {}),
    "StructuredBoosting pairs": (
        StructuredBoosting(LogisticRisk(), HistogramTrees(min_pairs=2), n_rounds=5),
        IN_ORDER,
    ),
    "WithContext": (WithContext(PairwiseClustering(balanced=True)), {}),
    "WithContext in order": (
        WithContext(LatentLeftLinking(blocker=Window(3)), PairSVM(10.0)),
        IN_ORDER,
    ),
    "AutoLearner": (AutoLearner(), {}),
    "Untrained": (Untrained(), {}),
    "Coarse": (Coarse(), BLIND),
    "Fine": (Fine(), BLIND),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_contract(name):
    learner, options = MEMBERS[name]
    check_learner(learner, **options)


def test_the_table_covers_the_family():
    members = [getattr(learners, name) for name in learners.__all__]
    family = {m for m in members if isinstance(m, type) and issubclass(m, Learner)}
    assert {type(learner) for learner, _ in MEMBERS.values()} == family
