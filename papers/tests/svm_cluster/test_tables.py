"""The tables of SVM-cluster on generated corpora: folds, choices, and cells that are kept."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from coterie.datasets import make_synth
from coterie.datasets.corpus import Corpus
from coterie.learners import NSlack, OneSlack, PairwiseClustering, SVMCluster
from coterie.metrics import pair_loss
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.svm_cluster import cells, efficiency
from coterie_papers.svm_cluster import tables as svm_cluster
from coterie_papers.svm_cluster.choices import choose_classifier, choose_structural, default_losses
from coterie_papers.svm_cluster.published import SVM_CLUSTER

ALL = make_synth(n_sets=6, n_clusters=2, cluster_size=4, region_size=10, noise=0.4)
SPLITS = {
    "train": Corpus(ALL.item_sets[:4], ALL.partitions[:4]),
    "test": Corpus(ALL.item_sets[4:], ALL.partitions[4:]),
}


SMALL = cells.TuningEffort(thresholds=(-0.5, 0.0, 0.5), timed_powers=(2,))
TASKS = {
    "gum": cells.TrainingTask("gum", 2, 2, 4, NSlack(tol=1.0), ("C_G",), SMALL),
    "news": cells.TrainingTask("news", 2, 3, 4, OneSlack(tol=0.1), ("C_G", "C_R"), SMALL),
}


@pytest.fixture(scope="module")
def cell_folder(tmp_path_factory):
    """Return a folder of cells that most tests share, so that few models are trained twice."""
    return tmp_path_factory.mktemp("cells")


@pytest.fixture
def context(monkeypatch, cell_folder):
    monkeypatch.setattr(cells, "_read", lambda name, folder, split: SPLITS[split])
    monkeypatch.setattr(cells, "FULL", TASKS)
    return Context(Cells(cell_folder), n_jobs=1)


@pytest.fixture
def fresh(context, tmp_path):
    return replace(context, cells=Cells(tmp_path))


def entries_of(table):
    """Return row → column → entry."""
    return {
        row: dict(zip(table.columns, entries, strict=True))
        for row, entries in zip(table.rows, table.entries, strict=True)
    }


@pytest.mark.parametrize("number", range(1, 6))
def test_every_table_has_the_papers_rows_and_figures(context, number):
    table = svm_cluster.TABLES[f"table{number}"](context)[0]
    printed = SVM_CLUSTER[f"table{number}"]
    assert list(table.rows) == list(printed)
    for row, entries in entries_of(table).items():
        for column, figure in printed[row].items():
            assert entries[column].paper == figure
            assert 0 <= entries[column].value <= 100


@pytest.mark.parametrize("name", svm_cluster.TABLES)
def test_every_table_describes_its_data(context, name):
    first, *others = svm_cluster.TABLES[name](context)
    expected = ("similar to the paper's: ", "as in the tables above.")
    assert first.data.startswith(expected[name == "claims"])
    assert all(table.data == expected[1] for table in others)


def test_a_second_run_computes_nothing(context, monkeypatch):
    first = svm_cluster.table3(context)[0].entries
    monkeypatch.setattr(SVMCluster, "fit_path", None)
    assert svm_cluster.table3(context)[0].entries == first


def test_no_set_is_measured_by_a_model_that_was_trained_on_it(fresh, monkeypatch):
    trained_ids = []
    fit_path = SVMCluster.fit_path

    def fit(self, item_sets, partitions, Cs):
        trained_ids.append({id(item_set) for item_set in item_sets})
        return fit_path(self, item_sets, partitions, Cs)

    monkeypatch.setattr(SVMCluster, "fit_path", fit)
    choose_structural(fresh, TASKS["gum"], "pair")
    train = {id(item_set) for item_set in SPLITS["train"].item_sets}
    folds = [train - ids for ids in trained_ids[:2]]
    assert set.union(*folds) == train
    assert not set.intersection(*folds)
    assert all(ids <= train for ids in trained_ids)


def test_the_choice_is_the_least_cross_validated_loss(context):
    """Compute the choice by hand: the same folds and values of C, means over all held-out sets."""
    task = TASKS["gum"]
    chosen = choose_structural(context, task, "pair")
    train, test = SPLITS["train"], SPLITS["test"]
    errors, tests = {}, {}
    for powers in ([2, 3, 4], [5], [6], [1], [0]):
        Cs = [10.0**power for power in powers]
        learner = SVMCluster(solver=NSlack(tol=1.0))
        held_out = [
            losses(fitted, train.at(fold))
            for fold in task.folds(4)
            for fitted in learner.fit_path(*train.at(np.setdiff1d(np.arange(4), fold)), Cs)
        ]
        for index, (C, final) in enumerate(zip(Cs, learner.fit_path(*train, Cs), strict=True)):
            errors[f"C = {C:g}"] = np.mean(held_out[index :: len(Cs)])
            tests[f"C = {C:g}"] = losses(final, test)
    inner = [errors[f"C = {10.0**power:g}"] for power in (2, 3, 4)]
    assert errors[chosen.name] <= min(inner)
    assert chosen.losses == tests[chosen.name]


def losses(learner, corpus):
    predicted = learner.predict(corpus.item_sets)
    return [pair_loss(t, p) for t, p in zip(corpus.partitions, predicted, strict=True)]


# Efficiency.


def test_costs_are_those_of_the_training(context):
    """Compare with the same fit, whose counts do not depend on the machine."""
    rows = entries_of(svm_cluster.efficiency(context)[0])
    train = SPLITS["train"]
    for solver in ("N-slack", "1-slack"):
        row = rows[f"NP-coreference, Δ_P, {solver}"]
        C = choose_structural(context, TASKS["gum"], "pair").C
        learner = SVMCluster(C, solver=efficiency.SOLVERS[solver]).fit(*train)
        last = learner.history_[-1]
        assert row["constraints"].value == last.n_planes
        assert row["QPs"].value == last.n_programs
        assert row["gap, %"].value == pytest.approx(100 * learner.gap_ / learner.primal_)
        assert row["seconds"].note == f"C = {C:g}"
        assert 0 < row["% clustering"].value < 100
    assert rows["NP-coreference, PCC"]["constraints"].value == 4 * 28


def test_median_and_longest_times_are_over_all_trainings(context):
    spread = entries_of(svm_cluster.efficiency(context)[1])
    timings = [timing for timing in efficiency._timings(context) if timing.solver == "N-slack"]
    seconds = [timing.values["seconds"] for timing in timings]
    row = spread["SVM-cluster, N-slack"]
    assert row["trainings"].value == len({(t.training.name, t.C) for t in timings}) == len(seconds)
    assert row["typical, s"].value == np.median(seconds)
    assert row["longest, s"].value == max(seconds)


def test_times_are_not_measured_again(context, monkeypatch):
    first = svm_cluster.efficiency(context)
    monkeypatch.setattr(SVMCluster, "fit", None)
    monkeypatch.setattr(PairwiseClustering, "fit", None)
    assert svm_cluster.efficiency(context) == first


def test_algorithm_1_solves_its_program_once_per_constraint():
    for solver in efficiency.SOLVERS.values():
        history = SVMCluster(1e4, solver=solver).fit(*SPLITS["train"]).history_
        assert history[-1].n_programs >= history[-1].n_planes > 0
        assert [step.n_programs for step in history] == sorted(step.n_programs for step in history)
    algorithm = SVMCluster(1e4, solver=efficiency.ALGORITHM_1).fit(*SPLITS["train"])
    assert algorithm.history_[-1].n_programs == algorithm.history_[-1].n_planes


# Claims.


def test_claims_are_tested_by_the_papers_t_test(context):
    rows = entries_of(svm_cluster.claims(context)[0])
    losses = choose_structural(context, TASKS["gum"], "pair").losses
    for name, tuned in (("PCC", False), ("tuned PCC (not in the paper)", True)):
        other = choose_classifier(context, TASKS["gum"], "pair", tuned=tuned).losses
        row = rows[f"Table 1, Δ_P on coreference: SVM-cluster better than {name}"]
        assert row["better by"].value == pytest.approx(np.mean(other) - np.mean(losses))
        if np.ptp(np.subtract(losses, other)) > 0:
            assert f"{stats.ttest_rel(losses, other).pvalue:.3f}" in row["better by"].note
    crossed = choose_structural(context, TASKS["gum"], "mitre").measures["pair"]
    row = rows["Section 7.2, Δ_P: training on Δ_M level with Default"]
    alone = default_losses(context, TASKS["gum"], "pair")
    assert row["better by"].value == pytest.approx(np.mean(alone) - np.mean(crossed))


def test_on_mitre_the_paper_claims_only_that_losses_are_level(context):
    rows = entries_of(svm_cluster.claims(context)[0])
    equal = rows["Table 3, Δ_M: training on Δ_M level with training on Δ_P"]
    better = rows["Table 3, Δ_M: training on Δ_M better than on Δ_P (not in the paper)"]
    assert equal["better by"] == better["better by"]
    assert equal["confirmed"].value in (
        "yes: no significant difference",
        "no: significant difference",
    )
    assert better["confirmed"].value not in (
        "yes: no significant difference",
        "no: significant difference",
    )


def test_every_claim_of_the_paper_has_a_row(context):
    texts = list(svm_cluster.claims(context)[0].rows)
    counts = {
        name: sum(text.startswith(name) for text in texts)
        for name in ("Table 1", "Table 2", "Table 3", "Section 7.2", "Table 4", "Table 5")
    }
    assert list(counts.values()) == [4, 6, 3, 1, 4, 2]
    assert len(texts) == sum(counts.values())


# Quick runs.


def test_a_quick_run_uses_less_data_and_fewer_settings():
    for few, many in zip(cells.tasks(True), cells.tasks(False), strict=True):
        assert few.n_folds < many.n_folds
        assert few.high - few.low < many.high - many.low
        assert set(few.effort.thresholds) < set(many.effort.thresholds)
        assert few.effort.n_extensions < many.effort.n_extensions
        assert many.label == many.name != few.label


def test_a_quick_run_trains_and_tests_on_the_first_sets_only(fresh, monkeypatch):
    few = {
        name: replace(task, n_folds=2, effort=replace(SMALL, n_sets=2, n_extensions=0))
        for name, task in TASKS.items()
    }
    monkeypatch.setattr(cells, "QUICK", few)
    fit_path, trained_ids = SVMCluster.fit_path, set()

    def fit(self, item_sets, partitions, Cs):
        trained_ids.update(map(id, item_sets))
        return fit_path(self, item_sets, partitions, Cs)

    monkeypatch.setattr(SVMCluster, "fit_path", fit)
    (table,) = svm_cluster.table3(replace(fresh, quick=True))
    assert trained_ids == set(map(id, SPLITS["train"].item_sets[:2]))
    assert "here only the first 2 sets of each" in table.data
    assert {path.name.partition("data=")[2][:5] for path in fresh.cells.folder.iterdir()} == {
        "gum-2"
    }


def test_keys_of_full_runs_are_unchanged(context):
    """A full run finds the cells of earlier runs."""
    key = {
        "data": "gum",
        "train": "C_G",
        "loss": "pair",
        "augment": True,
        "low": 2,
        "high": 4,
        "solver": repr(NSlack(tol=1.0)),
        "folds": 2,
        "fold": "test",
        "version": 1,
    }
    choose_structural(context, TASKS["gum"], "pair")
    assert context.cells.find(key) is not None
