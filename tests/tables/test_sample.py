"""Samples: what a model computes for a few rows is computed again when it is loaded."""

from dataclasses import replace

import numpy as np
import pytest

from coterie import tables
from coterie.blocking import AllIfSmall, Prefix, Union
from coterie.calibrations import Isotonic, Logistic
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.tables.made_up import N_MADE_UP, made_up_columns
from coterie.tables.sample import MADE_UP, N_ROWS, ROWS, longest_cell, make_sample
from coterie.tables.schema import inferred_kind, kind_classes
from tests.people import people
from tests.tables.model_files import check_refused, table

NAMES = ("given_name", "surname", "birth_date", "street", "city", "postcode", "phone", "email")


@pytest.fixture(scope="module")
def model():
    return tables.fit(people(200, 1, NAMES), cluster="who", learner="logistic")


def changed(model, **parts):
    return replace(model, model=replace(model.model, **parts))


def changed_curve(model, name, curve):
    return changed(model, calibration=replace(model.model.calibration, **{name: curve}))


def steeper(curve):
    """Return a curve that is slightly steeper."""
    if isinstance(curve, Logistic):
        return replace(curve, slope=1.1 * curve.slope + 0.01)
    return Isotonic(curve.scores, curve.probabilities**1.1 * 0.99)


@pytest.mark.parametrize("name", ["pairs", "clusters", "singletons"])
def test_a_changed_calibration_is_refused(model, tmp_path, name):
    curve = steeper(getattr(model.model.calibration, name))
    changed_curve(model, name, curve).save(tmp_path / "m")
    check_refused(tmp_path / "m", "does not predict as it did when it was saved")


def test_changed_blocking_keys_are_refused(model, tmp_path):
    blocker = model.model.blocker
    keys = blocker.otherwise.keys
    assert len(keys) > 1
    longer = [replace(key, length=key.length + 1) for key in keys if isinstance(key, Prefix)]
    for changed_keys in (keys[:-1], keys[1:], [*keys, Prefix("surname", 1)], [*keys[:1], *longer]):
        blocker = AllIfSmall(Union(list(changed_keys)))
        changed(model, blocker=blocker).save(tmp_path / "m")
        check_refused(tmp_path / "m", "does not predict as it did when it was saved")


def test_the_keys_are_used_though_all_pairs_of_few_rows_are_compared(model):
    rows = len(model.sample.labels)
    keys, first, second = model.sample.candidates.T
    assert set(keys) == set(range(len(model.model.blocker.otherwise.keys)))
    assert (first < second).all()
    assert second.max() < rows


def test_made_up_rows_have_pairs_together_and_apart(model):
    sizes = np.bincount(model.sample.labels)
    assert sizes.max() > 1
    assert (sizes == 1).sum() > 1
    assert model.sample.scores.min() < 0 < model.sample.scores.max()


def test_made_up_rows_change_every_feature(model):
    """Only then does a wrong weight change a score."""
    similarity = model.model.similarity
    columns = {name: list(cells) for name, cells in model.sample.columns.items()}
    features = similarity.featurizer(ItemSet(columns), None).to_matrix()
    varies = np.ptp(features, axis=0) > 0
    names = np.array(similarity.featurizer.names)
    assert varies.mean() > 0.85, names[~varies]


def test_made_up_columns_have_their_kinds():
    kinds = {f"the {kind}": kind for kind in kind_classes()}
    columns = made_up_columns(kinds, 1_000)
    assert {len(cells) for cells in columns.values()} == {N_MADE_UP}
    assert N_MADE_UP <= N_ROWS
    assert all("" in cells for cells in columns.values())
    for name, kind in kinds.items():
        if kind != "category":  # the values of categories occur in many rows
            assert inferred_kind(columns[name]) == kind


def test_rows_of_the_table_are_held_only_on_request():
    rows = people(120, 3, ("surname", "email"))
    model = tables.fit(rows, cluster="who", learner="logistic", sample=ROWS)
    assert model.facts["sample"] == ROWS
    assert set(model.sample.columns["email"]) <= set(rows["email"])
    default = tables.fit(rows, cluster="who", learner="logistic")
    assert default.facts["sample"] == MADE_UP
    assert not set(default.sample.columns["email"]) & set(rows["email"]) - {""}


def test_other_words_for_the_sample_are_refused():
    with pytest.raises(InputError, match="`sample=` is 'none'; use one of made-up, rows"):
        tables.fit(table(60, 1), cluster="who", learner="logistic", sample="none")


def test_cells_of_a_sample_are_cut(tmp_path):
    rows = table(60, 1)
    rows["notes"] = [f"{name} " + "x y " * 2_000 for name in rows["surname"]]
    model = tables.fit(rows, cluster="who", learner="logistic", sample=ROWS)
    longest = max(len(cell) for cells in model.sample.columns.values() for cell in cells)
    assert longest == longest_cell(3) == 1_000
    model.save(tmp_path / "m")
    tables.load(tmp_path / "m")
    assert longest_cell(10**6) == 1


def test_the_sample_of_an_older_model_is_completed_when_it_is_saved(model, tmp_path):
    sample = model.sample
    older = replace(sample, candidates=None, probabilities=None, confidences=None, curves=None)
    assert not older.is_complete
    assert older.holds(model.model)
    replace(model, sample=older).save(tmp_path / "m")
    loaded = tables.load(tmp_path / "m")
    assert loaded.sample.is_complete
    assert np.array_equal(loaded.sample.candidates, sample.candidates)
    assert older.completed(model.model).is_complete


def test_a_table_of_one_column_has_a_sample():
    model = make_sample(
        tables.fit(
            {"name": ["Ann", "Ann", "Bo", "Bob"] * 20, "who": [0, 0, 1, 1] * 20}, "who"
        ).model,
        {"name": "name"},
    )
    assert model.is_complete
