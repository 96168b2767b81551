"""Model files of earlier versions, which must load and predict the same as then.

`models/` holds the files, and `expected.json` the inputs, the labels that were predicted for them
and the scores of the first input. They are never written again: a change that breaks one of them
breaks the files of users. If a later version saves differently, its files are added. All are of
version 0.1.0, except for models for tables in format 2, which is that of 0.2.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import coterie as ct
from coterie.tables import load
from coterie.tables.card import contents
from tests.tables.model_files import change_fields, check_refused, rewrite

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


@pytest.mark.parametrize("name", ["table", "table_format_2"])
def test_a_table_model_predicts_as_in_the_version_that_saved_it(name):
    predicted = load(MODELS / f"{name}.coterie").predict(EXPECTED[name])
    assert list(map(str, predicted["cluster_id"])) == EXPECTED["labels"][name]


def test_the_first_format_holds_rows_and_the_second_does_not():
    first, second = (load(MODELS / f"{name}.coterie") for name in ("table", "table_format_2"))
    assert not first.sample.is_complete
    assert second.sample.is_complete
    assert "The model holds 12 rows of the training table." in contents(first)
    assert "The model holds no rows of the training table." in contents(second)


def test_an_older_table_model_is_saved_in_the_newest_format(tmp_path):
    older = load(MODELS / "table.coterie")
    older.save(tmp_path / "m")
    newer = load(tmp_path / "m")
    assert newer.sample.is_complete
    assert newer.sample.columns == older.sample.columns
    assert newer.predict(EXPECTED["table"]) == older.predict(EXPECTED["table"])


def test_the_rows_of_an_older_table_model_are_predicted_again(tmp_path):
    shutil.copy(MODELS / "table.coterie", tmp_path / "m")

    def change(parts):
        parts["model"]["fields"]["similarity"]["fields"]["bias"] += 0.01

    rewrite(tmp_path / "m", model=change_fields(change))
    check_refused(tmp_path / "m", "does not predict as it did when it was saved")
