"""Model files of version 0.1.0, which must load and predict the same as then.

`models/` holds the files, and `expected.json` the inputs, the labels that 0.1.0 predicted for them
and its scores of the first input. They are never written again: a change that breaks one of them
breaks the files of users. If a later version saves differently, its files are added.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import coterie as ct
from coterie.tables import load

MODELS = Path(__file__).with_name("models")
EXPECTED = json.loads((MODELS / "expected.json").read_text())
OF_PAIRS = {"svm", "kmeans"}
"""The models whose item sets have features of pairs; those of the others have vectors."""


def item_sets_of(name):
    if name not in OF_PAIRS:
        return [ct.ItemSet(items) for items in EXPECTED["new"]]
    features = [np.array(features, dtype=float) for features in EXPECTED["synth"]]
    return [ct.ItemSet.from_pair_features(matrix, n_items=12, n_clusters=3) for matrix in features]


def test_every_stored_model_has_expected_labels():
    assert {path.stem for path in MODELS.glob("*.coterie")} == set(EXPECTED["labels"])


@pytest.mark.parametrize("name", sorted(EXPECTED["scores"]))
def test_models_predict_as_in_the_version_that_saved_them(name):
    model = ct.Model.load(MODELS / f"{name}.coterie")
    item_sets = item_sets_of(name)
    labels = [partition.labels.tolist() for partition in model.predict(item_sets)]
    assert labels == EXPECTED["labels"][name]
    scores = model.similarity(item_sets[0], model.blocker(item_sets[0]))
    np.testing.assert_allclose(scores, EXPECTED["scores"][name], rtol=1e-6, atol=1e-6)


def test_a_table_model_predicts_as_in_the_version_that_saved_it():
    predicted = load(MODELS / "table.coterie").predict(EXPECTED["table"])
    assert list(map(str, predicted["cluster_id"])) == EXPECTED["labels"]["table"]
