"""The tables of SVM-cluster on made-up corpora: right folds, right choices, resumed."""

import numpy as np
import pytest

from coterie.datasets import make_synth
from coterie.datasets.corpus import Corpus
from coterie.experiments import _svm_cells, svm_cluster
from coterie.experiments.cells import Cells, Context
from coterie.experiments.published import SVM_CLUSTER
from coterie.learners import NSlack, OneSlack, SVMCluster
from coterie.metrics import pair_loss

ALL = make_synth(n_sets=6, n_clusters=2, cluster_size=4, region_size=10, noise=0.4)
SPLITS = {
    "train": Corpus(ALL.item_sets[:4], ALL.partitions[:4]),
    "test": Corpus(ALL.item_sets[4:], ALL.partitions[4:]),
}


@pytest.fixture
def context(monkeypatch, tmp_path):
    tasks = {
        "gum": _svm_cells.Task("gum", 2, 2, 4, NSlack(tol=1.0), ("C_G",)),
        "news": _svm_cells.Task("news", 2, 3, 4, OneSlack(tol=0.1), ("C_G", "C_R")),
    }
    monkeypatch.setattr(_svm_cells, "_read", lambda name, folder, split: SPLITS[split])
    monkeypatch.setattr(_svm_cells, "TASKS", tasks)
    monkeypatch.setattr(svm_cluster, "COREFERENCE", tasks["gum"])
    monkeypatch.setattr(svm_cluster, "NEWS", tasks["news"])
    monkeypatch.setattr(_svm_cells, "THRESHOLDS", [-0.5, 0.0, 0.5])
    return Context(Cells(tmp_path), n_jobs=1)


@pytest.mark.parametrize("name", svm_cluster.TABLES)
def test_every_table_has_the_papers_rows_and_figures(context, name):
    table = svm_cluster.TABLES[name](context)[0]
    printed = SVM_CLUSTER[name]
    assert list(table.rows) == list(printed)
    for row, entries in zip(table.rows, table.entries, strict=True):
        shown = dict(zip(table.columns, entries, strict=True))
        for column, figure in printed[row].items():
            assert shown[column].paper == figure
            assert 0 <= shown[column].ours <= 100


def test_a_second_run_computes_nothing(context, monkeypatch):
    first = svm_cluster.table3(context)[0].entries
    monkeypatch.setattr(SVMCluster, "fit_path", None)
    assert svm_cluster.table3(context)[0].entries == first


def test_no_set_is_measured_by_what_was_trained_on_it(context, monkeypatch):
    seen = []
    fit_path = SVMCluster.fit_path

    def fit(self, item_sets, partitions, Cs):
        seen.append({id(item_set) for item_set in item_sets})
        return fit_path(self, item_sets, partitions, Cs)

    monkeypatch.setattr(SVMCluster, "fit_path", fit)
    svm_cluster.structural(context, _svm_cells.TASKS["gum"], "pair")
    train = {id(item_set) for item_set in SPLITS["train"].item_sets}
    folds = [train - trained for trained in seen[:2]]
    assert set.union(*folds) == train
    assert not set.intersection(*folds)
    assert all(trained <= train for trained in seen)


def test_the_choice_is_the_least_cross_validated_loss(context):
    """By hand: the same folds and paths of C, means over all held-out sets."""
    task = _svm_cells.TASKS["gum"]
    chosen = svm_cluster.structural(context, task, "pair")
    train, test = SPLITS["train"], SPLITS["test"]
    errors, tests = {}, {}
    for powers in ([2, 3, 4], [5], [6], [1], [0]):
        Cs = [10.0**power for power in powers]
        learner = SVMCluster(solver=NSlack(tol=1.0))
        lost = [
            losses(fitted, _svm_cells.part(train, fold))
            for fold in task.folds(4)
            for fitted in learner.fit_path(
                *_svm_cells.part(train, np.setdiff1d(np.arange(4), fold)), Cs
            )
        ]
        for at, (C, final) in enumerate(zip(Cs, learner.fit_path(*train, Cs), strict=True)):
            errors[f"C = {C:g}"] = np.mean(lost[at :: len(Cs)])
            tests[f"C = {C:g}"] = losses(final, test)
    inner = [errors[f"C = {10.0**power:g}"] for power in (2, 3, 4)]
    assert errors[chosen.name] <= min(inner)
    assert chosen.losses == tests[chosen.name]


def losses(learner, corpus):
    predicted = learner.predict(corpus.item_sets)
    return [pair_loss(t, p) for t, p in zip(corpus.partitions, predicted, strict=True)]
