"""Trees of LightGBM and scikit-learn against what these libraries predict themselves."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor

from coterie.exceptions import InputError
from coterie.learners.boosting.tree_import import from_histogram, from_lightgbm
from coterie.similarities import Trees

PARAMS = {
    "num_leaves": 15,
    "min_data_in_leaf": 5,
    "max_bin": 1023,
    "use_missing": False,
    "verbosity": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}


@pytest.fixture
def lightgbm():
    return pytest.importorskip("lightgbm")


@pytest.fixture
def data(rng):
    """Make columns of reals, of few and of nearly equal values; an output with interactions."""
    matrix = rng.normal(size=(800, 6))
    matrix[:, 3] = np.round(matrix[:, 3])
    matrix[:, 4] = 1.0 + 1e-12 * np.round(10 * matrix[:, 4])
    output = matrix[:, 0] * matrix[:, 1] + np.sin(3 * matrix[:, 2]) + matrix[:, 3]
    return matrix, output + 1e12 * (matrix[:, 4] - 1.0) / 20


def fresh(matrix, rng, n_rows=400):
    """Draw rows from the values of the data, so that some values are next to thresholds."""
    columns = [rng.choice(column, size=n_rows) for column in matrix.T]
    return np.column_stack(columns)


def trained(lightgbm, data, n_rounds=25, **params):
    return lightgbm.train({**PARAMS, **params}, lightgbm.Dataset(*data), n_rounds)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"boost_from_average": False, "learning_rate": 0.3},
        {"bagging_fraction": 0.5, "bagging_freq": 1, "feature_fraction": 0.5},
        {"data_sample_strategy": "goss"},
        {"use_missing": True},  # makes no difference, because no number is missing
    ],
)
def test_lightgbm_predicts_the_same(params, lightgbm, data, rng):
    booster = trained(lightgbm, data, **params)
    trees, rows = from_lightgbm(booster), fresh(data[0], rng)
    assert len(trees) == booster.num_trees() == 25
    # The same bits: thresholds and values are restored exactly, and summed in the same order.
    assert np.array_equal(trees(rows), booster.predict(rows, raw_score=True, num_threads=1))
    parts = booster.predict(rows, pred_contrib=True, num_threads=1)
    mean, contributions = trees.contributions(rows)
    np.testing.assert_allclose(contributions, parts[:, :-1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(mean, parts[:, -1], rtol=0, atol=1e-11)


def test_some_trees_of_lightgbm(lightgbm, data, rng):
    booster, rows = trained(lightgbm, data), fresh(data[0], rng)
    for start, count in [(0, 1), (7, 3), (24, 1)]:
        expected = booster.predict(rows, start_iteration=start, num_iteration=count)
        assert np.array_equal(from_lightgbm(booster, start, count)(rows), expected)
    last = from_lightgbm(booster, 20)
    assert np.array_equal(last(rows), booster.predict(rows, start_iteration=20))
    assert len(from_lightgbm(booster, 3, 0)) == 0
    all_trees = Trees.joined([from_lightgbm(booster, index, 1) for index in range(25)])
    assert np.array_equal(all_trees(rows), booster.predict(rows))


def test_trees_after_the_best_iteration_are_included(lightgbm, data):
    booster = trained(lightgbm, data)
    booster.best_iteration = 4
    assert len(from_lightgbm(booster)) == 25


def test_trees_of_a_custom_objective(lightgbm, data, rng):
    matrix, output = data
    booster = lightgbm.Booster({**PARAMS, "objective": "none"}, lightgbm.Dataset(matrix))

    def objective(scores, _):
        return scores - output, np.ones(len(output))

    trees = []
    for index in range(10):
        booster.update(fobj=objective)
        trees.append(from_lightgbm(booster, index, 1))
    rows = fresh(matrix, rng)
    assert np.array_equal(Trees.joined(trees)(rows), booster.predict(rows, raw_score=True))


def test_a_tree_that_lightgbm_could_not_split(lightgbm, data):
    booster = trained(lightgbm, (data[0], np.full(800, 3.0)), n_rounds=1)
    trees = from_lightgbm(booster)
    assert (repr(trees), trees(data[0][:2]).tolist()) == ("Trees(1 of 1 leaves)", [3.0, 3.0])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"zero_as_missing": True, "use_missing": True}, "zeros as missing values"),
        ({"categorical_feature": [3], "cat_smooth": 1}, "categorical splits"),
        ({"linear_tree": True}, "linear leaves, .*; train it on numeric columns only"),
        ({"objective": "multiclass", "num_class": 3}, "several trees per round, or averages"),
        ({"boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1}, "or averages its trees"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_trees_of_lightgbm_are_refused(params, message, lightgbm, data):
    matrix, output = data[0].copy(), data[1]
    matrix[:, 3] = np.abs(matrix[:, 3])
    output = output + 9.0 * (matrix[:, 3] == 1.0)
    if "num_class" in params:
        output = np.digitize(output, [-1.0, 1.0])
    with pytest.raises(InputError, match=message):
        from_lightgbm(trained(lightgbm, (matrix, output), n_rounds=3, **params))


@pytest.mark.parametrize("max_bins", [255, 16])
def test_scikit_learn_predicts_the_same(max_bins, data, rng):
    model = HistGradientBoostingRegressor(
        max_iter=20, max_bins=max_bins, min_samples_leaf=5, early_stopping=False
    ).fit(*data)
    trees = Trees.joined([from_histogram(stage[0].nodes) for stage in model._predictors])
    rows = fresh(data[0], rng)
    base = float(model._baseline_prediction.item())
    np.testing.assert_allclose(trees(rows) + base, model.predict(rows), rtol=0, atol=1e-11)
    mean, parts = trees.contributions(rows)
    np.testing.assert_allclose(mean + parts.sum(axis=1), trees(rows), rtol=0, atol=1e-11)
    np.testing.assert_allclose(mean, trees(data[0]).mean(), rtol=0, atol=1e-11)


def test_a_tree_that_scikit_learn_could_not_split(data):
    model = HistGradientBoostingRegressor(max_iter=1, min_samples_leaf=800).fit(*data)
    trees = from_histogram(model._predictors[0][0].nodes)
    assert repr(trees) == "Trees(1 of 1 leaves)"
    assert trees.covers.tolist() == [800]


def test_categories_of_scikit_learn_are_refused(data):
    matrix = np.abs(np.round(data[0][:, 3:4]))
    model = HistGradientBoostingRegressor(max_iter=1, categorical_features=[0])
    nodes = model.fit(matrix, data[0][:, 3] ** 2)._predictors[0][0].nodes
    with pytest.raises(InputError, match="categorical splits; train the model on numeric columns"):
        from_histogram(nodes)
