"""The contract of each family as code: one function a family, for its members and for yours.

Each raises an `AssertionError` that says what is broken. Run them over your own blockers,
clusterers, features, featurizers, learners, metrics and objectives in your tests.
"""

from typing import TYPE_CHECKING

__all__ = [
    "check_blocker",
    "check_clusterer",
    "check_features",
    "check_featurizer",
    "check_learner",
    "check_metric",
    "check_objective",
]

if TYPE_CHECKING:
    from coterie.checks.blockers import check_blocker as check_blocker
    from coterie.checks.clusterers import check_clusterer as check_clusterer
    from coterie.checks.features import check_features as check_features
    from coterie.checks.featurizers import check_featurizer as check_featurizer
    from coterie.checks.learners import check_learner as check_learner
    from coterie.checks.metrics import check_metric as check_metric
    from coterie.checks.objectives import check_objective as check_objective
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "blockers": ["check_blocker"],
            "clusterers": ["check_clusterer"],
            "features": ["check_features"],
            "featurizers": ["check_featurizer"],
            "learners": ["check_learner"],
            "metrics": ["check_metric"],
            "objectives": ["check_objective"],
        },
    )
