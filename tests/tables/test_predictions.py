"""Tables that contain a prediction: predicted again, evaluated and learned from."""

import inspect

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import coterie as ct
from coterie import tables
from coterie.exceptions import InputError
from coterie.tables import is_predicted, read_table, read_typed, write_table
from coterie.tables.io.frames import as_table
from coterie.tables.predictions import COLUMNS
from tests.people import people

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "mapping": dict}


@pytest.fixture(scope="module")
def model():
    return tables.fit(people(100, 0), cluster="who", learner="logistic")


@pytest.fixture(scope="module")
def new_people():
    columns = people(40, 1)
    del columns["who"]
    return columns


@pytest.mark.parametrize("frame", FRAMES)
def test_a_prediction_replaces_the_columns_of_an_earlier_one(model, new_people, frame):
    first = model.predict(FRAMES[frame](new_people))
    again = model.predict(first)
    assert type(again) is type(first)
    assert as_table(again) == as_table(first)


def test_predictions_in_files_are_replaced_too(model, new_people, tmp_path):
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        write_table(tmp_path / name, new_people)
        first = model.predict(read_typed(tmp_path / name, to=name[2:]))
        write_table(tmp_path / f"p{name}", first, format=name[2:])
        again = model.predict(read_typed(tmp_path / f"p{name}", to=name[2:]))
        write_table(tmp_path / f"q{name}", again, format=name[2:])
        assert (tmp_path / f"q{name}").read_bytes() == (tmp_path / f"p{name}").read_bytes()


def test_keep_renames_the_columns_of_an_earlier_prediction(model, new_people):
    first = model.predict(new_people)
    edited_table = {**first, "cluster_id": ["mine"] * 40}
    second = model.predict(edited_table, keep=True)
    assert second["cluster_id_input"] == ["mine"] * 40
    assert second["reason_input"] == first["reason"]
    assert second["cluster_id"] == first["cluster_id"]
    third = model.predict(second, keep=True)
    assert third["cluster_id_input"] == ["mine"] * 40
    assert third["cluster_id_input_2"] == first["cluster_id"]


def test_columns_of_the_user_are_never_overwritten(model, new_people):
    mine = {**new_people, "reason": ["because"] * 40}
    with pytest.raises(InputError, match=r"has a column 'reason', but predictions add .*; rename"):
        model.predict(mine)
    assert model.predict(mine, keep=True)["reason_input"] == ["because"] * 40


def test_a_prediction_can_be_corrected_and_learned_from(model):
    labelled = people(60, 2)
    truth = labelled.pop("who")
    predicted = {**model.predict(labelled), "cluster_id": truth}
    fitted = tables.fit(predicted, cluster="cluster_id", learner="logistic")
    assert set(fitted.schema.columns) == {"surname", "birth_date", "email"}
    with pytest.raises(InputError, match="rename"):
        tables.fit({**people(60, 2), "confidence": ["1"] * 60}, cluster="who")


def test_true_clusters_are_not_mistaken_for_predicted_ones(model):
    labelled = people(60, 2)
    labelled["cluster_id"] = labelled.pop("who")
    fitted = tables.fit(labelled, cluster="cluster_id", learner="logistic")
    predicted = fitted.predict(labelled)
    assert predicted["cluster_id_input"] == labelled["cluster_id"]
    with pytest.raises(InputError, match="cluster_id_input'; name that column with `cluster=`"):
        fitted.evaluate(predicted)
    evaluation = fitted.evaluate(predicted, "cluster_id_input")
    assert evaluation.truth.n_clusters == len(set(labelled["cluster_id"]))
    again = fitted.predict(predicted)
    assert again["cluster_id_input"] == labelled["cluster_id"]
    assert again["cluster_id"] == predicted["cluster_id"]


def test_all_methods_accept_a_prediction(model, new_people):
    predicted = model.predict(new_people)
    assert is_predicted(predicted)
    assert model.cluster(predicted).cluster_ids == predicted["cluster_id"]
    assert model.clusters(predicted) == model.clusters(new_people)
    assert model.report(predicted) == model.report(new_people)
    linked = next(row for row in range(40) if predicted["linked_to"][row])
    pair = predicted["id"][linked], predicted["linked_to"][linked]
    assert model.explain(predicted, *pair).together


# Constraints by their present and their former names.


def test_former_names_of_constraints_still_work(model, new_people):
    pairs = {"must": [("r000", "r001")], "cannot": [("r000", "r002")]}
    expected = model.predict(new_people, must_link=pairs["must"], cannot_link=pairs["cannot"])
    assert expected["cluster_id"][0] == expected["cluster_id"][1] != expected["cluster_id"][2]
    assert expected["reason"][1].startswith("must-link; ")
    former = {"together": pairs["must"], "apart": pairs["cannot"]}
    assert model.predict(new_people, **former) == expected
    assert model.cluster(new_people, **former).cluster_ids == expected["cluster_id"]
    assert model.clusters(new_people, **former) == model.clusters(
        new_people, must_link=pairs["must"], cannot_link=pairs["cannot"]
    )
    assert model.explain(new_people, "r000", "r001", **former).together
    assert "must-link" in model.report(new_people, **former)
    assert model.evaluate(people(40, 1), **former).predicted.n_clusters
    with pytest.raises(TypeError, match="both must_link= and together="):
        model.predict(new_people, must_link=[], together=[])


def test_former_names_are_not_in_signatures(model):
    for method in (model.predict, model.cluster, model.explain, ct.report.report_of):
        names = set(inspect.signature(method).parameters)
        assert {"must_link", "cannot_link"} <= names
        assert not {"together", "apart"} & names


def test_fit_declares_its_parameters():
    names = list(inspect.signature(tables.fit).parameters)
    assert names == [
        "frame", "cluster", "set", "id", "kinds", "ignore", "effort", "learner", "metric", "budget",
        "max_size", "min_entities", "sample", "n_jobs", "random_state",
    ]  # fmt: skip
    assert list(inspect.signature(tables.fit_table).parameters) == names


# Short descriptions.


def test_objects_have_short_representations(model, new_people, tmp_path):
    write_table(tmp_path / "t.csv", new_people)
    fitted = tables.fit_table(people(60, 0), cluster="who", learner="logistic")
    predicted = model.predict(new_people)
    objects = [
        model,
        model.sample,
        model.schema,
        fitted,
        model.cluster(new_people),
        model.evaluate(people(40, 1)),
        model.explain(new_people, "r000", "r001"),
        tables.plan_predict(new_people, model),
        read_table(tmp_path / "t.csv"),
        read_typed(tmp_path / "t.csv"),
        ct.report.report_of(model, new_people),
        ct.items.as_item_set(predicted),
    ]
    for value in objects:
        assert len(repr(value)) < 500, type(value)
        assert type(value).__name__ in repr(value)
    assert "b_cubed.f1 " in repr(model.evaluate(people(40, 1)))


def test_a_prediction_adds_exactly_the_documented_columns(model, new_people):
    assert set(COLUMNS) == set(model.predict(new_people)) - set(new_people)
