"""The tables beyond the papers, on made-up corpora: right choices, right figures, kept."""

import os
from itertools import product
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
from coterie.features.operators import written
from coterie.learners.auto.decoding import threshold_grid
from coterie.learners.pairwise import PairwiseClustering
from coterie.metrics import conll_score, macro, pair_loss, pair_scores
from coterie_papers.beyond import auto, cells, data, methods
from coterie_papers.beyond import tables as beyond
from coterie_papers.beyond.auto import AUTO, Choice
from coterie_papers.beyond.cells import CONLL, LOSS, PAIR_F1, VI, chosen, measured
from coterie_papers.beyond.citations import citation_columns
from coterie_papers.beyond.confidence import _by_tenth, _kept
from coterie_papers.beyond.data import FEW_ITEMS, FEW_SETS, TASKS, Run, count_runs, task
from coterie_papers.beyond.methods import (
    ALONE,
    LOGISTIC,
    MAKERS,
    QUICK,
    STRUCTURED,
    Setting,
    settings_of,
)
from coterie_papers.beyond.results import Result
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.engine.page import page_text
from coterie_papers.engine.partitions import partitions_of
from coterie_papers.engine.storage import PaperResults, write_tables

DATA = os.environ.get("COTERIE_DATA")
on_data = pytest.mark.skipif(DATA is None, reason="COTERIE_DATA names no folder of corpora")


def made_up(random_state, n_sets=5, ordered=False):
    """Make item sets with the features of their pairs."""
    item_sets, truths = make_item_sets(n_sets=n_sets, random_state=random_state)
    features = [written(GivenFeatures()(each, None)) for each in item_sets]
    sets = [
        ItemSet.from_pair_features(matrix, len(truth), ordered=ordered)
        for matrix, truth in zip(features, truths, strict=True)
    ]
    return Corpus(sets, truths)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Keep what one test computes, for others to find."""
    return tmp_path_factory.mktemp("cells")


@pytest.fixture
def context(folder, monkeypatch):
    """Put made-up corpora in the place of all tasks."""
    fakes = {
        name: kind._replace(
            runs=lambda folder, kind=kind: [
                Run(made_up(run, ordered=kind.ordered), made_up(run + 50, ordered=kind.ordered))
                for run in range(kind.n_runs)
            ]
        )
        for name, kind in TASKS.items()
    }
    monkeypatch.setattr(data, "TASKS", fakes)
    monkeypatch.setattr(methods, "QUICK", QUICK._replace(gammas=(0.4,), rounds=(2, 8)))
    monkeypatch.setattr(auto, "QUICK_TASKS", ("cora_ksf",))
    monkeypatch.setattr(auto, "QUICK_BUDGET", 0.01)
    task.cache_clear()
    yield Context(Cells(folder), None, n_jobs=1, quick=True)
    task.cache_clear()


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


def test_kept_cells_are_not_computed_again(context, monkeypatch):
    before = beyond.TABLES["news"](context)
    monkeypatch.setattr(cells, "chosen", None)
    assert beyond.TABLES["news"](context) == before


def test_the_page_speaks_of_no_paper(context, tmp_path):
    write_tables(tmp_path, "threads", beyond.TABLES["threads"](context), context.cell_paths)
    page = page_text(PaperResults.read("beyond", "Beyond", beyond.TABLES, tmp_path, quick=True))
    assert "Our figures; –" in page
    assert "the paper prints" not in page


def test_figures_are_those_of_the_predictions(context):
    """The mean that a table shows is the metric of what the cell predicted."""
    results = beyond.results_of(context, "gum", "gum", [LOGISTIC])
    own = task("gum", None, True)
    key = {"table": "gum", "data": "gum", "run": 0, "method": LOGISTIC, "version": 1}
    cell = cells.tested({**key, "quick": True}, None)
    truths = own.runs[0].test.partitions
    for name, metric, unit in ((CONLL, conll_score, 100), (LOSS, pair_loss, 1)):
        predicted = partitions_of(cell["choices"][name]["predicted"])
        expected = unit * macro(metric, truths, predicted)
        assert results[LOGISTIC].mean(name) == pytest.approx(expected)


def test_the_best_point_is_found_by_brute_force():
    train = made_up(3)
    setting = settings_of(LOGISTIC, QUICK, ordered=False)[0]
    best = chosen([setting], train, 2, [PAIR_F1])[PAIR_F1]
    folds = np.array_split(np.random.default_rng(0).permutation(len(train.partitions)), 2)
    scored = {}
    for fold in folds:
        others = [n for n in range(len(train.partitions)) if n not in fold]
        sets, truths = ([side[n] for n in others] for side in train)
        model = setting.learner.fit(sets, truths).to_model()
        scored.update({n: model.scores(train.item_sets[n]) for n in fold.tolist()})
    in_order = [scored[n] for n in range(len(scored))]
    values = {}
    for clusterer, threshold in product(
        (AverageLinkage(), Greedy()), threshold_grid(in_order, train.partitions)
    ):
        costs = [np.full(len(each.scores), -threshold) for each in in_order]
        found = [clusterer(s.plus(cost)) for s, cost in zip(in_order, costs, strict=True)]
        values[clusterer, threshold] = 100 * macro(pair_scores, train.partitions, found).f1
    assert best.mean == pytest.approx(max(values.values()))
    assert values[best.clusterer, best.threshold] == pytest.approx(best.mean)


def test_a_setting_that_is_worse_is_not_chosen():
    train = made_up(0)
    learners = [PairwiseClustering(C=C) for C in (1e-9, 1.0)]
    settings = [Setting(each, {}, (Greedy(),), {"C": each.C}) for each in learners]
    both = chosen(settings, train, 2, [LOSS])[LOSS]
    alone = [chosen([each], train, 2, [LOSS])[LOSS].mean for each in settings]
    assert both.mean == max(alone)
    assert both.setting == int(np.argmax(alone))


@pytest.mark.parametrize("method", MAKERS)
def test_settings_have_names_of_their_own(method):
    settings = settings_of(method, QUICK, ordered=True)
    assert len({tuple(each.params.items()) for each in settings}) == len(settings)
    assert all(len(each.path) <= 1 for each in settings)


def test_structured_boosting_predicts_with_its_own_temperature():
    effort = QUICK._replace(boosted_gammas=(0.3, 0.7))
    for each in settings_of(STRUCTURED, effort, ordered=True):
        assert [clusterer.gamma for clusterer in each.clusterers] == [each.params["γ"]]


def test_measures_are_shown_times_100():
    truth, other = Partition([0, 0, 1, 1]), Partition([0, 1, 1, 1])
    assert measured(LOSS, truth, other) == pair_loss(truth, other)
    assert measured(PAIR_F1, truth, truth) == 100.0
    assert measured(VI, truth, truth) == 0.0


def test_regret_is_to_the_best_single_method_in_either_direction():
    values = {AUTO: [3.0, 5.0], "a": [4.0, 8.0], "b": [2.0, 4.0]}
    assert (Choice(PAIR_F1, values, ["a", "b"], 0.0).best) == "a"
    assert Choice(PAIR_F1, values, ["a", "b"], 0.0).regret == 2.0
    assert Choice(VI, values, ["a", "a"], 0.0).best == "b"
    assert Choice(VI, values, ["a", "a"], 0.0).regret == 1.0
    assert Choice(VI, values, ["a", "b", "a"], 0.0).chosen == "a (2), b (1)"


def test_chosen_settings_are_medians_and_the_most_frequent():
    runs = [
        {"η": 0.1, "clusterer": "x"},
        {"η": 0.3, "clusterer": "y"},
        {"η": 0.2, "clusterer": "y"},
    ]
    assert Result({VI: [1.0]}, {VI: runs}, {VI: 1.0}).chosen(VI) == {"η": "0.2", "clusterer": "y"}


def test_what_is_asserted_is_counted():
    sure = Confidences(Partition([0, 0, 0, 1, 1, 2]), np.array([0.9, 0.5, 0.8]), np.zeros(15))
    truth = Partition([0, 0, 1, 2, 2, 2])
    assert _kept([sure], [truth], 0.7) == {"items": 4 / 6, "pairs": 1 / 3, "single items": 0.0}
    assert _kept([sure], [truth], 0.85)["single items"] is None
    assert _kept([sure], [truth], 0.1)["pairs"] == 2 / 4


def test_tenths_without_anything_are_left_out():
    found = _by_tenth({"said": [0.05, 1.0], "true": [0.5, 0.75]})
    assert (found[0], found[9]) == (50.0, 75.0)
    assert np.isnan(found[1:9]).all()


def citations(**columns):
    given = {"title": ["", ""], "author": ["", ""], "venue": ["", ""], "year": ["", ""]}
    return ItemSet({**given, "pages": ["", ""], **columns})


def test_columns_of_citations():
    alike = citations(
        title=["Learning to Fly.", "learning to fly"],
        author=["A. Wren and B. Finch", "Wren, A., & Finch, B."],
        year=["(1990).", "1993"],
        pages=["pp. 3-17", "17--20"],
    )
    ((*texts, author, n_authors, years, no_year, same_year, venues, common, differ, rare),) = (
        citation_columns(alike)
    )
    assert texts[:4] == [1.0, 1.0, 1.0, 0.0]
    assert texts[11] == 1.0  # no venue on either side
    assert (author, n_authors) == (1.0, 0.0)
    assert (years, no_year, same_year) == (3.0, 0.0, 0.0)
    assert (venues, common, differ) == (0.0, 1.0, 0.0)
    assert rare == pytest.approx(1.0)
    other = citations(year=["1990", ""], pages=["1-2", "3-4"])
    assert citation_columns(other)[0, 14:19].tolist() == [1.0, 1.0, 0.0, 0.0, 0.0]
    assert citation_columns(other)[0, 18:20].tolist() == [0.0, 1.0]


def test_tasks_that_are_not_there():
    with pytest.raises(InputError, match="there is no task 'muc'; give gum or"):
        task("muc")


@on_data
@pytest.mark.parametrize("name", ["news", "names, person", "usps"])
def test_tasks_are_divided(name):
    own = task(name, Path(DATA or ""))
    assert len(own.runs) == TASKS[name].n_runs == count_runs(name)
    for run in own.runs:
        assert all(each.ordered == own.ordered for each in run.train.item_sets)
    sizes = {(len(run.train.item_sets), len(run.test.item_sets)) for run in own.runs}
    expected = {"news": (8, 1), "names, person": (1, 1), "usps": (8, 8)}
    assert sizes == {expected[name]}
    if name == "usps":
        assert {tuple(truth.sizes) for truth in own.runs[0].test.partitions} == {(20,) * 5}
        together = map(Partition, own.runs[0].entities)
        assert list(together) == own.runs[0].train.partitions
        assert set(np.concatenate(own.runs[0].entities)) == set(range(5))


@on_data
def test_a_quick_task_has_the_first_items_of_the_same_sets():
    whole = task("news", Path(DATA or "")).runs[0].train
    few = task("news", Path(DATA or ""), True).runs[0].train
    assert len(few.item_sets) == FEW_SETS
    assert few.partitions[0] == Partition(whole.partitions[0].labels[:FEW_ITEMS])
    first, every = few.item_sets[0], whole.item_sets[0]
    pairs = [(0, 1), (3, FEW_ITEMS - 1)]
    taken = (written(GivenFeatures()(each, pairs)) for each in (first, every))
    assert np.array_equal(*taken)
