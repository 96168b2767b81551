from .blockers import check_blocker as check_blocker
from .clusterers import check_clusterer as check_clusterer
from .features import check_features as check_features
from .featurizers import check_featurizer as check_featurizer
from .learners import check_learner as check_learner
from .metrics import check_metric as check_metric
from .objectives import check_objective as check_objective
