"""The tables beyond the papers, on made-up corpora: choices, figures and stored cells."""

import os
from itertools import chain, product
from pathlib import Path

import numpy as np
import pytest

from coterie import ItemSet, Partition
from coterie.calibrations import Confidences
from coterie.clusterers import AverageLinkage, Greedy
from coterie.datasets import make_item_sets
from coterie.datasets.corpus import Corpus
from coterie.exceptions import InputError
from coterie.features import GivenFeatures
from coterie.features.operators import to_matrix
from coterie.learners.auto.decoding import threshold_grid
from coterie.learners.pairwise import PairwiseClustering
from coterie.metrics import conll_score, macro, pair_loss, pair_scores
from coterie_papers.beyond import auto, cells, data, methods
from coterie_papers.beyond import tables as beyond
from coterie_papers.beyond.auto import AUTO, ChoiceResult
from coterie_papers.beyond.cells import CONLL, LOSS, PAIR_F1, VI, choose_points, measure_value
from coterie_papers.beyond.citations import citation_features
from coterie_papers.beyond.confidence import _asserted_shares, _observed_by_tenth
from coterie_papers.beyond.data import (
    QUICK_ITEMS,
    QUICK_SETS,
    TASKS,
    Run,
    count_runs,
    read_task,
)
from coterie_papers.beyond.methods import (
    ALONE,
    LOGISTIC,
    QUICK,
    SETTINGS_BY_METHOD,
    STRUCTURED,
    LearnerSetting,
    settings_of,
)
from coterie_papers.beyond.results import MethodResult
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.engine.page import page_text
from coterie_papers.engine.partitions import partitions_of
from coterie_papers.engine.storage import PaperResults, write_tables

DATA = os.environ.get("COTERIE_DATA")
on_data = pytest.mark.skipif(DATA is None, reason="COTERIE_DATA names no folder of corpora")


def made_up(random_state, n_sets=5, ordered=False):
    """Make item sets with the features of their pairs."""
    item_sets, truths = make_item_sets(n_sets=n_sets, random_state=random_state)
    features = [to_matrix(GivenFeatures()(item_set, None)) for item_set in item_sets]
    sets = [
        ItemSet.from_pair_features(matrix, len(truth), ordered=ordered)
        for matrix, truth in zip(features, truths, strict=True)
    ]
    return Corpus(sets, truths)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder for the cells of all tests, so that each cell is computed once."""
    return tmp_path_factory.mktemp("cells")


@pytest.fixture
def context(folder, monkeypatch):
    """Replace the corpora of all tasks by made-up ones."""
    readers = {
        name: reader._replace(
            read_runs=lambda folder, reader=reader: [
                Run(
                    made_up(run, ordered=reader.ordered),
                    made_up(run + 50, ordered=reader.ordered),
                )
                for run in range(reader.n_runs)
            ]
        )
        for name, reader in TASKS.items()
    }
    monkeypatch.setattr(data, "TASKS", readers)
    monkeypatch.setattr(methods, "QUICK", QUICK._replace(gammas=(0.4,), rounds=(2, 8)))
    monkeypatch.setattr(auto, "QUICK_TASKS", ("cora_ksf",))
    monkeypatch.setattr(auto, "QUICK_BUDGET", 0.01)
    read_task.cache_clear()
    yield Context(Cells(folder), None, n_jobs=1, quick=True)
    read_task.cache_clear()


@pytest.mark.parametrize("name", ["gum", "news", "threads", "auto", "confidence", "claims"])
def test_tables_are_made(context, name):
    tables = beyond.TABLES[name](context)
    for table in tables:
        assert table.data
        assert table.rows
        assert any("Quick" in note for note in table.notes)
    if name == "gum":
        assert list(tables[0].rows) == list(ALONE)
        assert list(tables[0].columns) == [CONLL, LOSS]


def test_stored_cells_are_not_computed_again(context, monkeypatch):
    before = beyond.TABLES["news"](context)
    monkeypatch.setattr(cells, "choose_points", None)
    assert beyond.TABLES["news"](context) == before


def test_the_page_does_not_mention_a_paper(context, tmp_path):
    write_tables(tmp_path, "threads", beyond.TABLES["threads"](context), context.cell_paths)
    page = page_text(PaperResults.read("beyond", "Beyond", beyond.TABLES, tmp_path, quick=True))
    assert "Our figures. A dash" in page
    assert "the paper prints" not in page


def test_figures_are_those_of_the_predictions(context):
    """The mean in a table is the metric of the predictions in the cell."""
    results = beyond.method_results(context, "gum", "gum", [LOGISTIC])
    task = read_task("gum", None, True)
    key = {"table": "gum", "data": "gum", "run": 0, "method": LOGISTIC, "version": 1}
    cell = cells.compute_method({**key, "quick": True}, None)
    truths = task.runs[0].test.partitions
    for name, metric, unit in ((CONLL, conll_score, 100), (LOSS, pair_loss, 1)):
        predicted = partitions_of(cell["choices"][name]["predicted"])
        expected = unit * macro(metric, truths, predicted)
        assert results[LOGISTIC].mean(name) == pytest.approx(expected)


def test_the_chosen_point_is_the_best_by_brute_force():
    train = made_up(3)
    n_sets = len(train.partitions)
    setting = settings_of(LOGISTIC, QUICK, ordered=False)[0]
    best = choose_points([setting], train, 2, [PAIR_F1])[PAIR_F1]
    scores_by_set = {}
    for fold in np.array_split(np.random.default_rng(0).permutation(n_sets), 2):
        others = [index for index in range(n_sets) if index not in fold]
        model = setting.learner.fit(*train.at(others)).to_model()
        for index in fold.tolist():
            scores_by_set[index] = model.scores(train.item_sets[index])
    set_scores = [scores_by_set[index] for index in range(n_sets)]
    values = {}
    for clusterer, threshold in product(
        (AverageLinkage(), Greedy()), threshold_grid(set_scores, train.partitions)
    ):
        predicted = [
            clusterer(scores.plus(np.full(len(scores.scores), -threshold))) for scores in set_scores
        ]
        values[clusterer, threshold] = 100 * macro(pair_scores, train.partitions, predicted).f1
    assert best.mean == pytest.approx(max(values.values()))
    assert values[best.clusterer, best.threshold] == pytest.approx(best.mean)


def test_a_worse_setting_is_not_chosen():
    train = made_up(0)
    learners = [PairwiseClustering(C=C) for C in (1e-9, 1.0)]
    settings = [LearnerSetting(learner, {}, (Greedy(),), {"C": learner.C}) for learner in learners]
    best = choose_points(settings, train, 2, [LOSS])[LOSS]
    means = [choose_points([setting], train, 2, [LOSS])[LOSS].mean for setting in settings]
    assert best.mean == max(means)
    assert best.setting == int(np.argmax(means))


@pytest.mark.parametrize("method", SETTINGS_BY_METHOD)
def test_the_settings_of_a_method_have_different_parameters(method):
    settings = settings_of(method, QUICK, ordered=True)
    assert len({tuple(setting.params.items()) for setting in settings}) == len(settings)
    assert all(len(setting.path) <= 1 for setting in settings)


def test_structured_boosting_predicts_with_the_gamma_of_its_training():
    grid = QUICK._replace(boosted_gammas=(0.3, 0.7))
    for setting in settings_of(STRUCTURED, grid, ordered=True):
        assert [clusterer.gamma for clusterer in setting.clusterers] == [setting.params["γ"]]


def test_measures_are_multiplied_by_100_except_losses():
    truth, other = Partition([0, 0, 1, 1]), Partition([0, 1, 1, 1])
    assert measure_value(LOSS, truth, other) == pair_loss(truth, other)
    assert measure_value(PAIR_F1, truth, truth) == 100.0
    assert measure_value(VI, truth, truth) == 0.0


def test_regret_is_the_difference_to_the_best_method_in_either_direction():
    values = {AUTO: [3.0, 5.0], "a": [4.0, 8.0], "b": [2.0, 4.0]}
    higher_is_better = ChoiceResult(PAIR_F1, values, ["a", "b"], 0.0)
    assert (higher_is_better.best_method, higher_is_better.regret) == ("a", 2.0)
    lower_is_better = ChoiceResult(VI, values, ["a", "b", "a"], 0.0)
    assert (lower_is_better.best_method, lower_is_better.regret) == ("b", 1.0)
    assert lower_is_better.choice_text == "a (2), b (1)"


def test_chosen_settings_are_medians_or_the_most_frequent():
    settings = [
        {"η": 0.1, "clusterer": "x"},
        {"η": 0.3, "clusterer": "y"},
        {"η": 0.2, "clusterer": "y"},
    ]
    result = MethodResult({VI: [1.0]}, {VI: settings}, {VI: 1.0})
    assert result.chosen_settings(VI) == {"η": "0.2", "clusterer": "y"}


def test_asserted_clusters_are_counted():
    confidences = [
        Confidences(Partition([0, 0, 0, 1, 1, 2]), np.array([0.9, 0.5, 0.8]), np.zeros(15))
    ]
    truths = [Partition([0, 0, 1, 2, 2, 2])]
    assert _asserted_shares(confidences, truths, 0.7) == {
        "items": 4 / 6,
        "pairs": 1 / 3,
        "single items": 0.0,
    }
    assert _asserted_shares(confidences, truths, 0.85)["single items"] is None
    assert _asserted_shares(confidences, truths, 0.1)["pairs"] == 2 / 4


def test_tenths_without_predictions_are_nan():
    observed = _observed_by_tenth({"said": [0.05, 1.0], "true": [0.5, 0.75]})
    assert (observed[0], observed[9]) == (50.0, 75.0)
    assert np.isnan(observed[1:9]).all()


def citations(**columns):
    empty = {name: ["", ""] for name in ("title", "author", "venue", "year", "pages")}
    return ItemSet({**empty, **columns})


def test_features_of_citations():
    alike = citations(
        title=["Learning to Fly.", "learning to fly"],
        author=["A. Wren and B. Finch", "Wren, A., & Finch, B."],
        year=["(1990).", "1993"],
        pages=["pp. 3-17", "17--20"],
    )
    ((*texts, author, n_authors, years, no_year, same_year, venues, common, differ, rare),) = (
        citation_features(alike)
    )
    assert texts[:4] == [1.0, 1.0, 1.0, 0.0]
    assert texts[11] == 1.0  # neither citation has a venue
    assert (author, n_authors) == (1.0, 0.0)
    assert (years, no_year, same_year) == (3.0, 0.0, 0.0)
    assert (venues, common, differ) == (0.0, 1.0, 0.0)
    assert rare == pytest.approx(1.0)
    different = citations(year=["1990", ""], pages=["1-2", "3-4"])
    assert citation_features(different)[0, 14:19].tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert citation_features(different)[0, 18:20].tolist() == [0.0, 1.0]


def test_unknown_tasks_are_refused():
    with pytest.raises(InputError, match="there is no task 'muc'; give gum or"):
        read_task("muc")


@on_data
@pytest.mark.parametrize("name", ["news", "names, person", "usps"])
def test_tasks_are_divided(name):
    task = read_task(name, Path(DATA or ""))
    assert len(task.runs) == TASKS[name].n_runs == count_runs(name)
    for run in task.runs:
        assert all(item_set.ordered == task.ordered for item_set in run.train.item_sets)
    sizes = {(len(run.train.item_sets), len(run.test.item_sets)) for run in task.runs}
    expected = {"news": (8, 1), "names, person": (1, 1), "usps": (8, 8)}
    assert sizes == {expected[name]}
    if name == "usps":
        (run,) = task.runs
        assert {tuple(truth.sizes) for truth in run.test.partitions} == {(20,) * 5}
        assert list(map(Partition, run.entities)) == run.train.partitions
        assert set(chain.from_iterable(run.entities)) == set(range(5))


@on_data
def test_a_quick_task_has_the_first_items_of_the_same_sets():
    full = read_task("news", Path(DATA or "")).runs[0].train
    quick = read_task("news", Path(DATA or ""), True).runs[0].train
    assert len(quick.item_sets) == QUICK_SETS
    assert quick.partitions[0] == Partition(full.partitions[0].labels[:QUICK_ITEMS])
    pairs = [(0, 1), (3, QUICK_ITEMS - 1)]
    quick_features, full_features = (
        to_matrix(GivenFeatures()(corpus.item_sets[0], pairs)) for corpus in (quick, full)
    )
    assert np.array_equal(quick_features, full_features)
