"""Featurizers side by side."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from coterie import ItemSet, Model
from coterie.checks import check_featurizer
from coterie.clusterers import AverageLinkage
from coterie.exceptions import FeatureError
from coterie.features import (
    AsDistances,
    GivenFeatures,
    NameFeatures,
    SoftTFIDF,
    Stacked,
    WithConstant,
    to_matrix,
)
from coterie.learners import DiscriminativeClustering, PairwiseClustering

NAMES = ["John Kennedy", "JFK", "Mr. Kennedy", "Bob Dole", "Robert Dole", "IBM", "I.B.M. Corp."]
LABELS = [0, 0, 0, 1, 1, 2, 2]


@pytest.fixture
def names():
    return ItemSet({"name": NAMES, "title": NAMES[::-1]})


def test_stacks_keep_the_contract_of_featurizers(names):
    check_featurizer(Stacked([NameFeatures(), SoftTFIDF()]), [names])
    check_featurizer(Stacked([SoftTFIDF("title")]), [names])


def test_columns_are_those_of_the_parts(names):
    parts = NameFeatures(), SoftTFIDF("title").fit([names])
    stacked = Stacked(parts)
    expected = np.hstack([to_matrix(part(names, None)) for part in parts])
    np.testing.assert_array_equal(to_matrix(stacked(names, None)), expected)
    assert stacked.names == parts[0].names + parts[1].names
    assert stacked.distances == parts[0].distances + parts[1].distances


def test_a_stack_knows_its_distances_only_if_all_parts_do():
    vectors = ItemSet(np.ones((3, 2)))
    stacked = Stacked([GivenFeatures()]).fit([vectors])
    assert stacked.distances is None
    with pytest.raises(FeatureError, match="does not say"):
        AsDistances(stacked).fit([vectors])


def test_learners_accept_stacks_and_models_save_them(names, tmp_path):
    featurizer = Stacked([NameFeatures(), SoftTFIDF()])
    for learner in (
        DiscriminativeClustering(AverageLinkage(), featurizer=featurizer),
        PairwiseClustering(AverageLinkage(), LogisticRegression(), featurizer=featurizer),
    ):
        learner.fit([names], [LABELS])
        learner.to_model().save(tmp_path / "m.coterie")
        loaded = Model.load(tmp_path / "m.coterie")
        assert loaded.predict([names]) == learner.predict([names])


def test_invalid_stacks_are_refused(names):
    for featurizers in ([], NameFeatures(), "names"):
        with pytest.raises(FeatureError, match="give a list of at least one"):
            Stacked(featurizers)
    with pytest.raises(FeatureError, match="with the methods fit, encode and compare"):
        Stacked([NameFeatures])
    with pytest.raises(FeatureError, match="two columns are called 'soft TF-IDF'"):
        Stacked([SoftTFIDF(), WithConstant(SoftTFIDF())]).fit([names])
    stacked = Stacked([SoftTFIDF(), SoftTFIDF("title")]).fit([names])
    assert stacked.names == ("soft TF-IDF", "title: soft TF-IDF")
