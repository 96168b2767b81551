"""The tables of SCM: digits, citations, choices, systems, and tables of fake cells."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from coterie import ItemSet, Partition
from coterie.datasets import make_item_sets
from coterie.datasets.corpus import Corpus
from coterie.dirichlet import MaximumPosterior, Posterior
from coterie.learners import DirichletClustering
from coterie_papers.corpora import load_usps
from coterie_papers.dirichlet import budget, claims, data, effort, systems
from coterie_papers.dirichlet import cells as dirichlet_cells
from coterie_papers.dirichlet import results as dirichlet_results
from coterie_papers.dirichlet import tables as dirichlet
from coterie_papers.dirichlet.budget import schedule_of, time_scm
from coterie_papers.dirichlet.cells import MEASURES, measures_of
from coterie_papers.dirichlet.data import (
    CITATIONS,
    DIVISIONS,
    IMAGES,
    TWO_DIGITS,
    SystemTask,
    citation_task,
    digit_task,
    to_bytes,
    to_distances,
    to_vectors,
    unchanged,
)
from coterie_papers.dirichlet.effort import FULL, PAPER_SCHEDULE, QUICK, Schedule
from coterie_papers.dirichlet.published import DIRICHLET
from coterie_papers.dirichlet.results import (
    CITATION_ROWS,
    DIGIT_ROWS,
    SystemScores,
    choices_note,
    comparison_note,
    difference_table,
)
from coterie_papers.dirichlet.systems import (
    COARSE,
    EMBEDDED,
    ESTIMATES,
    FINE,
    ONE_TYPE,
    PER_CLUSTER,
    PT,
    REPULSION,
    SCM,
    SVM,
    SYSTEMS,
    TUNED,
    folds,
    partially_trained,
    scm,
)
from coterie_papers.engine.cells import Cells, Context

TINY = Schedule(3, 2, 1)
LEAST = replace(FULL, schedule=TINY, trial=TINY)


@pytest.fixture
def quick(monkeypatch):
    """Let chains run for only a few sweeps, with fewer settings to choose from."""
    monkeypatch.setattr(effort, "FULL", LEAST)
    monkeypatch.setattr(systems, "WEIGHTS", (1.0,))


def vector_task():
    """Return a task with three training sets and two test sets of well separated clusters."""
    corpus = make_item_sets(n_sets=5, n_items=14, n_clusters=3, separation=9.0, n_nuisance=1)
    parts = [Corpus(*(part[chosen] for part in corpus)) for chosen in (slice(3), slice(3, 5))]
    return SystemTask(*parts, IMAGES)


TITLES = (
    "On Trees and Leaves",
    "Learning to Fly",
    "A Theory of Kites",
    "Winds",
    "Storms of Spring",
)


def citations(first):
    """Return citations of some publications with errors."""
    rng = np.random.default_rng(first)
    labels = np.sort(rng.integers(0, len(TITLES), size=18))
    titles = [TITLES[label][: int(rng.integers(9, 22))] for label in labels]
    columns = {
        "title": titles,
        "author": ["A. Ash" if label < 3 else "B. Birch and A. Ash" for label in labels],
        "venue": ["J. of Wood" if label % 2 else None for label in labels],
        "year": [str(1990 + label) for label in labels],
    }
    return ItemSet(columns, ids=range(first, first + len(labels))), Partition(labels)


def three_authors(folder=None):
    pairs = [citations(100 * number) for number in range(3)]
    return Corpus([item_set for item_set, _ in pairs], [truth for _, truth in pairs])


@pytest.fixture
def cora(monkeypatch):
    """Replace the corpora by generated citations."""
    names = dict.fromkeys(("cora_refs", "cora_ksf"), three_authors)
    monkeypatch.setattr(data, "CORA", names)
    monkeypatch.setattr(dirichlet_cells, "CORA", names)


# Tasks.


def images_of(corpus):
    return [image.tobytes() for item_set in corpus.item_sets for image in item_set.items]


@pytest.mark.parametrize("n_digits", [5, 2])
def test_subsets_of_digits_have_no_image_in_common(n_digits):
    n_subsets, n_train, n_test, n_items = DIVISIONS["digits"]
    tasks = [digit_task("digits", None, subset, n_digits) for subset in range(n_subsets)]
    for task in tasks:
        assert [len(part.item_sets) for part in (task.train, task.test)] == [n_train, n_test]
        assert {len(truth) for truth in (*task.train.partitions, *task.test.partitions)} == {
            n_items
        }
        assert {truth.n_clusters for truth in task.train.partitions} == {n_digits}
        assert {truth.n_clusters for truth in task.test.partitions} == {5}
    tested_on = [image for task in tasks for image in images_of(task.test)]
    assert len(set(tested_on)) == len(tested_on)
    for first, task in enumerate(tasks):
        for other in tasks[:first]:
            if n_digits == 5:  # pairs of digits overlap, and are drawn by themselves
                assert not set(images_of(task.train)) & set(images_of(other.train))
        assert not set(images_of(task.train)) & set(tested_on)


def test_the_two_digits_are_taken_in_turn():
    n_subsets = DIVISIONS["digits"].n_subsets
    images = [images_of(digit_task("digits", None, subset, 2).train) for subset in range(n_subsets)]
    for number in range(n_subsets - len(TWO_DIGITS)):
        assert not set(images[number]) & set(images[number + len(TWO_DIGITS)])
    same = [digit_task("digits", None, 3, n_digits).test for n_digits in (2, 5)]
    assert images_of(same[0]) == images_of(same[1])


def test_subsets_of_usps(data_folder):
    if not (data_folder / "usps").is_dir():
        pytest.skip("the corpus usps is missing from COTERIE_DATA")
    n_subsets, n_train, n_test, n_items = DIVISIONS["usps"]
    assert len(load_usps(data_folder, "train").item_sets) >= n_subsets * n_train
    assert len(load_usps(data_folder, "test").item_sets) >= n_subsets * n_test
    for digits in TWO_DIGITS:
        sets = load_usps(data_folder, digits=digits, n_items=n_items).item_sets
        assert len(sets) >= n_train * n_subsets // len(TWO_DIGITS)
    task = digit_task("usps", data_folder, n_subsets - 1, 2)
    assert [truth.n_clusters for truth in task.train.partitions] == [2] * n_train
    assert len(task.test.item_sets) == n_test


def test_citations_are_held_out_once_and_mixed(cora):
    corpus = three_authors()
    for held_out in range(3):
        task = citation_task("cora_refs", None, held_out)
        assert len(task.train.item_sets) == 2
        (item_set,), (truth,) = task.test
        assert item_set.ids != corpus.item_sets[held_out].ids
        indices = {id_: index for index, id_ in enumerate(corpus.item_sets[held_out].ids)}
        labels = corpus.partitions[held_out].labels[[indices[id_] for id_ in item_set.ids]]
        assert truth == Partition(labels)
        assert not {id_ for part in task.train.item_sets for id_ in part.ids} & set(item_set.ids)


def test_transforms():
    train = [ItemSet([[-1.0, 0.0], [1.0, 0.5]]), ItemSet([[0.0, 0.0]])]
    transformed = to_bytes(train, 0.0)(ItemSet([[-1.0, 1.0], [0.0, 0.0]]))
    assert transformed.items.tolist() == [[0.0, 255.0], [127.5, 127.5]]
    assert unchanged(train, 0.0)(train[0]) is train[0]
    sets = three_authors().item_sets
    near, far = (to_distances(sets[:2], width)(sets[2]).items.features for width in (0.1, 0.2))
    np.testing.assert_allclose(far**2 - near**2, 0.03)
    assert to_vectors(sets[:2], 0.1)(sets[2]).items.shape == (18, 14)


def test_folds_leave_out_one_set_at_a_time():
    task = vector_task()
    corpus = task.train
    parts = list(folds(task))
    assert len(parts) == systems.N_FOLDS
    for number, (train, held_out) in enumerate(parts):
        assert held_out.item_sets[0] is corpus.item_sets[number]
        assert held_out.partitions == [corpus.partitions[number]]
        expected = [item_set for index, item_set in enumerate(corpus.item_sets) if index != number]
        assert all(a is b for a, b in zip(train.item_sets, expected, strict=True))


# Choices.


class Fake:
    """A learner in place of SCM: right if its prior has the best shape, else all items alone."""

    def __init__(self, prior, schedule, seed, best_shape, set_counts):
        self.is_right = prior.shape == best_shape / 20.0
        self.set_counts = set_counts

    def fit(self, item_sets, partitions):
        self.set_counts.append(len(partitions))
        return self

    def posterior(self, item_set):
        labels = item_set.items[:, 0].astype(int) if self.is_right else np.arange(len(item_set))
        return Posterior([[labels]], [[0.0]])

    def predict(self, item_sets):
        return [MaximumPosterior().partition(self.posterior(item_set)) for item_set in item_sets]


@pytest.mark.parametrize("best_shape", [1.0, 10.0, 100.0])
def test_the_shape_with_the_highest_f_on_left_out_sets_is_chosen(best_shape, monkeypatch):
    labels = [np.array([0, 0, 1, 1, 2]), np.array([1, 1, 1, 0, 0])] * 2
    sets = [ItemSet(column[:, None].astype(float)) for column in labels]
    truths = list(map(Partition, labels))
    set_counts = []
    fake_learner = partial(Fake, best_shape=best_shape, set_counts=set_counts)
    monkeypatch.setattr(systems, "scm_learner", fake_learner)
    task = SystemTask(Corpus(sets[:3], truths[:3]), Corpus(sets[3:], truths[3:]), IMAGES)
    output = scm(task, (0, 1), FULL)
    assert output.facts == {"shape": best_shape, "resolution": 0.0}
    assert output.predictions[""] == [truths[3:]] * 2
    assert set_counts == [2] * 6 + [3] * 2


# Systems.


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name != EMBEDDED])
def test_systems_on_vectors(name, quick):
    task = vector_task()
    output, again = (SYSTEMS[name](task, (3,), LEAST) for _ in range(2))
    assert output == again
    for predictions in output.predictions.values():
        assert list(map(len, predictions[0])) == [14, 14]
    assert set(output.predictions) == ({""} if name in (COARSE, FINE, SVM) else set(ESTIMATES))
    if name in TUNED:
        assert output.facts["shape"] in IMAGES.shapes


def test_scm_finds_clear_clusters():
    task = vector_task()
    for name in (SCM, ONE_TYPE, PER_CLUSTER):
        predictions = SYSTEMS[name](task, (0,), FULL).predictions[""][0]
        for truth, answer in zip(task.test.partitions, predictions, strict=True):
            assert measures_of(truth, answer)[3] > 0.8


@pytest.mark.parametrize("name", [SVM, SCM, PT, EMBEDDED, REPULSION])
def test_systems_on_citations(name, quick, cora):
    key = {"data": "cora_ksf", "run": 1, "system": name, "n_digits": 0}
    values = dirichlet_cells.run_system(key, None)
    assert np.shape(values["scores"][""]) == (len(FULL.seeds), 1, 5)
    if name == SVM:
        assert 0 < values["pairs"] <= 2 * 18 * 17 // 2
    if name in TUNED:
        assert values["resolution"] in CITATIONS.resolutions


def test_the_partially_trained_model_has_the_identity_and_what_training_says():
    task = vector_task()
    output = partially_trained(task, (4,), LEAST)
    learner = DirichletClustering(n_samples=1, burn_in=0, n_chains=1).fit(*task.train)
    centre = learner.similarity_.space.centre
    identity_learner = DirichletClustering.with_types(
        np.ones((1, 5)),
        learner.alpha_,
        learner.prior_variance_,
        **TINY._asdict(),
        prior=systems.PRIOR,
        random_state=4,
    )
    for item_set, answer in zip(task.test.item_sets, output.predictions[""][0], strict=True):
        posterior = identity_learner.posterior(ItemSet(item_set.items - centre))
        assert ESTIMATES[""].partition(posterior) == answer
    assert output.facts["alpha"] == learner.alpha_


def test_cells_of_digits(quick):
    key = {"data": "digits", "run": 1, "system": COARSE, "n_digits": 5}
    (scores,) = dirichlet_cells.run_system(key, None)["scores"][""]
    for rand, precision, recall, f1, nes in scores:
        assert rand == pytest.approx(precision)
        assert precision < 0.25
        assert recall == 1.0
        assert f1 == pytest.approx(2 * precision / (1 + precision))
        assert nes > 0.5
    (scores,) = dirichlet_cells.run_system({**key, "system": FINE}, None)["scores"][""]
    for rand, *pairs, nes in scores:
        assert pairs == [0.0, 0.0, 0.0]
        assert rand > 0.75
        assert nes == pytest.approx(5 / 60)


# Tables.


def fake(key, folder):
    """Return a cell without learning: scores rise with the order of systems and with the run."""
    number = list(SYSTEMS).index(key["system"])
    level = 0.1 + 0.05 * number + 0.01 * key["run"] + 0.02 * key["n_digits"]
    n_seeds, n_tests = (3, 1) if key["data"].startswith("cora") else (1, 2)
    spread = np.arange(n_seeds * n_tests).reshape(n_seeds, n_tests, 1) / 1000
    scores = (level + spread + np.arange(5) / 100).tolist()
    return {
        "scores": dict.fromkeys(ESTIMATES, scores),
        "shape": 20.0 if key["run"] else 2.0,
        "resolution": 0.1 if n_seeds == 3 else 0.0,
        "pairs": 4000 + key["run"],
    }


def fake_time(key, folder):
    factor = key["factor"]
    names = ("log_joint", "n_clusters", "pair")
    rest = {f"{diagnostic}_{name}": 1.5 for diagnostic in ("ess", "r_hat") for name in names}
    return {"fit": 2.0 * factor, "predict": 8.0 * factor, "F": 0.5, "NES": 0.6, **rest}


@pytest.fixture
def context(tmp_path, monkeypatch):
    """Replace the computation of all cells."""
    monkeypatch.setattr(dirichlet_results, "run_system", fake)
    monkeypatch.setattr(budget, "time_scm", fake_time)
    return Context(Cells(tmp_path / "cells"), n_jobs=1)


@pytest.mark.parametrize("name", dirichlet.TABLES)
def test_every_table_is_full(context, name):
    tables = dirichlet.TABLES[name](context)
    assert len(tables) == {"cora": 4, "budget": 1, "claims": 1}.get(name, 2)
    for table in tables:
        assert table.data
        for entry in (entry for row in table.entries for entry in row):
            assert entry.value if isinstance(entry.value, str) else np.isfinite(entry.value)
        assert not any("{" in note for note in table.notes)
    repeated = dirichlet.TABLES[name](context)
    assert [table.to_markdown() for table in tables] == [table.to_markdown() for table in repeated]


def test_table_1_has_the_rows_of_the_paper_and_the_spread(context):
    table = dirichlet.usps(context)[0]
    entries = dict(zip(table.rows, table.entries, strict=True))
    assert set(DIRICHLET["table1"]) < set(table.rows)
    assert table.columns == MEASURES
    entry = entries["5 digits: SCM"][3]
    assert entry.paper == 0.639
    number = list(SYSTEMS).index(SCM)
    # Six subsets of two test sets each, and steps of 0.01 between subsets.
    assert entry.value == pytest.approx(0.1 + 0.05 * number + 0.025 + 0.1 + 0.0005 + 0.03)
    assert entry.note == f"± {np.std(np.arange(6) / 100, ddof=1):.3f}"
    assert entries["5 digits: SCM, most probable sample"][0].paper is None
    assert any("4,000 or 4,001 or" in note for note in table.notes)
    assert any("of the shape 2 (1×) and 20 (5×)" in note for note in table.notes)
    share = entries[COARSE][MEASURES.index("P")].value
    assert f"the same digit is {share:.3f}." in table.notes[0]


def test_table_2_is_by_author_and_seed(context):
    refs, _, ksf, differences = dirichlet.cora(context)
    assert refs.rows == ksf.rows
    assert {entry.note for entry in refs.entries[0]} == {"± 0.009"}
    assert SCM not in differences.rows
    assert differences.entries[0][0].note == "3 of 3"
    assert "0.1 (3×)" in " ".join(refs.notes)


def test_all_cells_have_different_keys(context, tmp_path):
    dirichlet.usps(context)
    n_rows = len(DIGIT_ROWS)
    assert len(list((tmp_path / "cells").glob("*.json"))) == 6 * n_rows
    dirichlet.digits(context)
    assert len(list((tmp_path / "cells").glob("*.json"))) == 13 * n_rows


def results(**rows):
    scores = {}
    for name, values in rows.items():
        scores[name] = np.zeros((len(values), 1, 5))
        scores[name][:, 0, 3] = values
        scores[name][:, 0, 4] = 0.5
    return SystemScores(scores, {})


def test_comparisons_have_the_sign_of_scm_and_count_runs():
    low = np.arange(10) / 100
    scores = results(ours=low + 0.5, worse=low + 0.4, mixed=low[::-1] + 0.5)
    others = {"Worse": "worse", "Mixed": "mixed"}
    table = difference_table("t", scores, {"5 digits": ("ours", others)}, "made up")
    assert table.data == "made up"
    assert table.columns == ("F, 5 digits", "NES, 5 digits")
    worse, mixed = table.entries
    assert worse[0].value == pytest.approx(0.1)
    assert worse[0].note == "10 of 10, p = 0.004"  # 2/1024, twice
    assert mixed[0].note == "5 of 10, p = 1.000"
    assert worse[1].note == "0 of 10, p = 1.000"
    note = comparison_note(scores, "ours", others)
    assert "In F, ours (0.545) is above Worse (0.445); not above Mixed (0.545)." in note
    assert "In NES, ours (0.500) is not above Worse (0.500), Mixed (0.500)." in note


def test_choices_of_rows_that_were_tuned():
    cells = {"a": [{"shape": 2.0, "resolution": 0.0}] * 2, "b": [{}]}
    rows = {"a": dirichlet_results.SystemRow(SCM), "b": dirichlet_results.SystemRow(SVM)}
    assert (
        choices_note(SystemScores({}, cells), rows)
        == "Chosen in the runs: a: multiple of the shape 2 (2×)."
    )


# Claims.


def test_claims_are_tested_over_subsets_and_counted_over_authors(context):
    (table,) = dirichlet.TABLES["claims"](context)
    assert list(dirichlet.TABLES)[-1] == "claims"
    entries = dict(zip(table.rows, table.entries, strict=True))
    # In all runs, neighbouring systems differ by 0.05, and one more digit adds 0.02.
    places = {name: number for number, name in enumerate(SYSTEMS)}
    verdict, gain, spread = entries["Table 1, USPS, 5 digits, F: SCM better than PT-SCM"]
    assert verdict.value == "yes"
    assert gain.value == pytest.approx(0.05 * (places[SCM] - places[PT]))
    assert gain.note == "p = 0.031"
    assert spread.value == "± 0.000, 6 of 6"
    claim = "SCM trained on 5 digits better than on 2 (not in the paper's text)"
    text = f"Table 1, USPS, NES: {claim}"
    assert entries[text][1].value == pytest.approx(0.06)
    verdict, gain, spread = entries["Table 2, Cora (KSF), NES: SCM better than SVM"]
    assert (verdict.value, gain.note, spread.value) == (
        "yes, not tested",
        "",
        "± 0.000, 3 of 3",
    )
    assert gain.value == pytest.approx(0.05)
    assert len(table.rows) == 2 * 10 + 4 + 2 * 8


def test_a_claim_has_the_spread_of_the_difference():
    scores = results(ours=[0.5, 0.4, 0.6], other=[0.4, 0.5, 0.3])
    claim = claims._better("t", scores, "ours", "other", 3)
    assert claim.gain == pytest.approx(0.1)
    assert claim.p_value is None
    assert claim.spread == f"± {np.std([0.1, -0.1, 0.3], ddof=1):.3f}, 2 of 3"
    claim = claims._better("t", scores, "other", "ours", 3)
    assert claim.verdict == "no, not tested"


# Quick runs.


def test_quick_cells_are_marked_and_others_stay_as_they_are(context, tmp_path):
    quick = replace(context, quick=True)
    folder = tmp_path / "cells"
    n_usps, n_refs = (QUICK.n_runs[name] for name in ("usps", "cora_refs"))
    dirichlet.usps(quick)
    dirichlet.budget(quick)
    n_cells = n_usps * len(DIGIT_ROWS) + 3 * len(QUICK.budgets)
    assert len(list(folder.glob("*quick=True*.json"))) == len(list(folder.glob("*"))) == n_cells
    (table,) = dirichlet.claims(quick)
    assert len(list(folder.glob("*"))) == n_cells + 2 * n_refs * len(CITATION_ROWS)
    assert len(table.rows) == 40
    assert effort.with_quick_mark(context, {"version": 1}) == {"version": 1}


def test_quick_tables_describe_their_settings(context):
    quick = replace(context, quick=True)
    for name in ("usps", "cora"):
        notes = " ".join(dirichlet.TABLES[name](quick)[0].notes)
        assert f"{QUICK.schedule.n_chains} chains of {QUICK.schedule.n_sweeps} sweeps" in notes
        assert "Chosen in the runs" not in notes
        assert "prior is 10" in notes
    assert "1, 10 and 100 times its default" in " ".join(dirichlet.usps(context)[0].notes)


def test_a_quick_cell_uses_the_quick_schedule(cora, monkeypatch):
    monkeypatch.setattr(effort, "QUICK", replace(QUICK, schedule=TINY))
    schedules = []
    learner = systems.scm_learner
    monkeypatch.setattr(
        systems,
        "scm_learner",
        lambda prior, schedule, seed: schedules.append(schedule) or learner(prior, schedule, seed),
    )
    key = {"data": "cora_refs", "run": 0, "system": SCM, "n_digits": 0, "quick": True}
    values = dirichlet_cells.run_system(key, None)
    assert schedules == [TINY] * len(QUICK.seeds)
    assert np.shape(values["scores"][""]) == (len(QUICK.seeds), 1, 5)
    kind = QUICK.citations
    assert (values["shape"], values["resolution"]) == (*kind.shapes, *kind.resolutions)


# Budgets.


def test_the_schedule_of_the_paper_takes_440_times_as_long():
    assert PAPER_SCHEDULE.n_sweeps == 110_000
    assert round(PAPER_SCHEDULE.n_sweeps / FULL.schedule.n_sweeps) == 440
    assert schedule_of(1.0).n_sweeps == 500
    assert schedule_of(0.5).n_sweeps == 250
    learner = systems.scm_learner(systems.PRIOR, PAPER_SCHEDULE, 0)
    assert (learner.n_samples, learner.burn_in, learner.spacing) == (1000, 10_000, 100)


def test_budgets_are_extrapolated(context):
    (table,) = dirichlet.budget(context)
    assert len(table.rows) == 9
    # Ten seconds for 500 sweeps.
    assert f"about {10 / 500 * 110_000 / 3600:.1f} h (USPS)" in table.notes[-1]
    assert [row[0].value for row in table.entries[:3]] == [1, 2, 10]


def test_constant_chains_have_no_diagnostics(context, monkeypatch):
    missing = {"ess_pair": np.nan, "r_hat_pair": np.nan}
    monkeypatch.setattr(budget, "time_scm", lambda key, folder: fake_time(key, folder) | missing)
    (table,) = dirichlet.budget(context)
    entries = dict(zip(table.columns, table.entries[0], strict=True))
    assert entries["ESS, a pair"].value is entries["R̂, a pair"].value is None
    assert entries["ESS, clusters"].value == 2


def test_a_timed_cell(monkeypatch, cora):
    monkeypatch.setattr(budget, "schedule_of", lambda factor: TINY)
    values = time_scm({"data": "cora_refs", "factor": 1.0}, None)
    assert values["fit"] > 0
    assert values["predict"] > 0
    assert set(MEASURES) < set(values)
    assert {"ess_log_joint", "r_hat_pair"} < set(values)


# Printed figures.


def test_all_printed_figures_but_two_agree():
    odd = []
    for table, rows in DIRICHLET.items():
        for row, figures in rows.items():
            precision, recall = figures["P"], figures["R"]
            f1 = 2 * precision * recall / (precision + recall) if recall else 0.0
            if abs(f1 - figures["F"]) > 0.002:
                odd.append((table, row))
    assert odd == [("table2", "Coarse"), ("table2", "SVM")]
