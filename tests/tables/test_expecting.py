"""The expected quality of a clustered table."""

import numpy as np
import pytest

from coterie import Partition
from coterie.calibrations import Confidences, Logistic
from coterie.datasets import make_records
from coterie.sized_calibrations import SizedCalibration, TableCalibration
from coterie.tables import fit, load
from coterie.tables.expecting import expected_quality


def calibration(**changes):
    curve = Logistic()
    return TableCalibration(curve, curve, curve, **{"recall": 0.9, "n_entities": 50, **changes})


def confidences(labels, clusters):
    return Confidences(Partition(labels), np.array(clusters), np.empty(0))


def people(n_rows, seed):
    (item_set,), (truth,) = make_records(n_rows, random_state=seed)
    columns = {
        name: ["" if cell is None else cell for cell in cells]
        for name, cells in item_set.items.items()
    }
    return {**columns, "person": truth.labels.tolist()}


@pytest.fixture(scope="module")
def model():
    return fit(people(300, 1), cluster="person", learner="logistic")


def test_precision_is_the_expected_share_of_right_pairs():
    predictions = [(confidences([0, 0, 1, 1, 2], [0.9, 0.5, 0.1]), calibration())]
    quality = expected_quality(predictions, 1.0)
    assert quality.precision.value == pytest.approx(0.7)
    assert quality.precision.low < 0.7 < quality.precision.high
    assert quality.recall.value == pytest.approx(0.9)
    assert expected_quality(predictions, 0.5).recall.value == pytest.approx(0.45)


def test_right_clusters_of_many_rows_count_by_their_pairs():
    predictions = [(confidences([0, 0, 0, 0, 1, 1], [1.0, 0.0]), calibration())]
    assert expected_quality(predictions, 1.0).precision.value == pytest.approx(6 / 7)


def test_larger_tables_and_fewer_entities_widen_the_intervals():
    prediction = confidences([0, 0, 1, 1], [0.9, 0.9])

    def width(name, **changes):
        expected = getattr(expected_quality([(prediction, calibration(**changes))], 1.0), name)
        return expected.high - expected.low

    assert width("precision", growth=4.0) > width("precision")
    assert width("precision", spread=1.0) > width("precision")
    assert width("recall", n_entities=5) > width("recall", n_entities=500)


def test_without_pairs_or_held_out_entities_the_quality_is_unknown():
    single = [(confidences([0, 1], [0.9, 0.9]), calibration())]
    assert expected_quality(single, 1.0) == (None, None)
    unknown = expected_quality([(confidences([0, 0], [0.9]), calibration(n_entities=0))], 1.0)
    assert unknown.recall is None
    assert unknown.to_dict()["recall"] is None


def test_a_table_has_an_expected_quality_near_the_true_one(model):
    table = people(300, 2)
    quality = model.expected_quality(table)
    metrics = model.evaluate(table).to_dict()["metrics"]
    for name in ("precision", "recall"):
        expected = getattr(quality, name)
        assert expected.low <= expected.value <= expected.high
        assert abs(expected.value - metrics[f"pair_scores.{name}"]["value"]) < 0.05


def _keys(scores):
    return scores.pairs @ np.array([scores.n_items, 1])


def test_the_score_of_a_larger_table_is_explained_minus_its_threshold(model):
    table = people(1500, 3)
    clustered = model.cluster(table).sets[0]
    threshold = clustered.calibration.threshold
    assert threshold >= 0.0
    items = clustered.equal_rows.items(clustered.group.item_set)
    raw = clustered.model.candidates(items).scores
    scores = clustered.item_scores
    is_listed = np.isin(_keys(scores), _keys(raw))
    order = np.argsort(_keys(scores)[is_listed])
    raw_order = np.argsort(_keys(raw))
    assert np.allclose(scores.scores[is_listed][order], raw.scores[raw_order] - threshold)
    doubt = model.cluster(table).doubts()[0]
    first, second = (model.cluster(table).ids[row] for row in doubt.rows[:2])
    explanation = model.explain(table, first, second)
    pairs = clustered.group.rows[clustered.scores.pairs]
    is_pair = (np.sort(pairs, axis=1) == np.sort(doubt.rows[:2])).all(axis=1)
    assert np.allclose(clustered.scores.scores[is_pair], explanation.score)
    assert explanation.probability == pytest.approx(
        float(clustered.calibration([explanation.score])[0])
    )


def test_the_order_of_rows_changes_neither_threshold_nor_expectation(model):
    table = people(700, 4)
    order = np.random.default_rng(0).permutation(700)
    shuffled = {name: [cells[row] for row in order] for name, cells in table.items()}
    first, second = (model.cluster(each, id=None) for each in (table, shuffled))
    assert first.sets[0].calibration.threshold == second.sets[0].calibration.threshold
    assert first.expected.precision.value == pytest.approx(second.expected.precision.value)


def test_a_saved_model_keeps_its_calibration(model, tmp_path):
    model.save(tmp_path / "people.coterie")
    loaded = load(tmp_path / "people.coterie")
    assert isinstance(loaded.model.calibration, SizedCalibration)
    table = people(700, 5)
    assert loaded.expected_quality(table) == model.expected_quality(table)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_tables_of_hardly_any_rows_have_no_expectation(model, n_rows):
    table = {name: cells[:n_rows] for name, cells in people(5, 6).items()}
    clustering = model.cluster(table)
    assert clustering.expected is None or clustering.expected == (None, None)
