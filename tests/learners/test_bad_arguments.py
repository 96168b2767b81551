"""Extreme features and arguments of the wrong type: learners end at once, with a clear error."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from coterie import ItemSet, calibrate
from coterie.datasets import make_item_sets
from coterie.exceptions import CoterieError, FeatureError
from coterie.features import Scaled
from coterie.features.given import GivenFeatures
from coterie.learners import (
    AutoLearner,
    PairSVM,
    PairwiseClustering,
    SpanningForestLearner,
    StructuredBoosting,
    SupervisedKMeans,
    SVMCluster,
    Untrained,
    WithContext,
)

SETS, TRUTHS = make_item_sets(n_sets=2)
LABELS = [0, 0, 1, 1]


def extreme_sets(value, convert=np.asarray):
    """Return pair features of four items whose second column has an extreme value."""
    features = np.random.default_rng(0).normal(size=(6, 3))
    features[2, 1] = value
    return [ItemSet.from_pair_features(convert(features), 4)]


@pytest.mark.parametrize("value", [1e51, -1e100, 1e154, 1e300])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    "learner",
    [
        PairwiseClustering(),
        PairwiseClustering(classifier=LogisticRegression()),
    ],
)
def test_classifiers_refuse_extreme_features(learner, value, convert):
    with pytest.raises(FeatureError, match=r"'feature 1' is .*=Scaled"):
        learner.fit(extreme_sets(value, convert), [LABELS])


@pytest.mark.parametrize("value", [1e52, -1e100, 1e154, 1e308])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    "learner", [SVMCluster(), PairSVM(), SpanningForestLearner(), SupervisedKMeans()]
)
def test_margin_learners_refuse_extreme_features(learner, value, convert):
    with pytest.raises(FeatureError, match=r"item set 0: 'feature 1' is above 1e\+50 .*=Scaled"):
        learner.fit(extreme_sets(value, convert), [LABELS])


def test_extreme_vectors_are_refused_where_their_products_are_features():
    with pytest.raises(FeatureError, match="is above 1e"):
        SVMCluster().fit([[[1.0, 1e30], [2.0, 1e30]]], [[0, 0]])


def test_calibration_refuses_scores_whose_squares_overflow():
    vectors = [[1.0, 0.1], [0.9, -0.1], [-1.0, 0.2], [-0.8, 0.0], [0.7, 0.3], [-1.2, 0.1]]
    items, labels = 1e154 * np.array(vectors), [0, 0, 1, 1, 0, 1]
    with np.errstate(all="ignore"), pytest.raises(CoterieError, match="too large for a curve"):
        calibrate(Untrained(), [items, items], [labels, labels], n_folds=2)


def test_learners_with_context_refuse_extreme_features():
    with pytest.raises(FeatureError, match=r"'feature 1' is 1e\+100 for a pair"):
        WithContext(PairwiseClustering()).fit(extreme_sets(1e100), [LABELS])


@pytest.mark.parametrize("value", [1e12, 1e50, 1e-300, 0.0])
def test_classifiers_take_features_up_to_the_bound(value):
    learner = PairwiseClustering().fit(extreme_sets(value), [LABELS])
    assert np.isfinite(learner.similarity_.coef).all()


def test_scaled_features_may_be_larger():
    sets = extreme_sets(1e100)
    learner = PairwiseClustering(featurizer=Scaled(GivenFeatures())).fit(sets, [LABELS])
    assert np.isfinite(learner.similarity_(sets[0])).all()


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (AutoLearner(candidates=3), "candidates is 3; give a list of names"),
        (AutoLearner(candidates="boosted trees"), "give a list of names"),
        (AutoLearner(candidates=object()), "give a list of names"),
        (AutoLearner(metric=type), "type is not a function of"),
        (AutoLearner(metric=3), "3 is not a function of"),
        (StructuredBoosting(n_rounds=10**400), "n_rounds is 1000"),
        (StructuredBoosting(n_rounds=np.nan), "n_rounds is nan"),
    ],
)
def test_bad_arguments_are_refused(learner, message):
    with pytest.raises(CoterieError, match=message):
        learner.fit(SETS, TRUTHS)
