"""Supervised k-means on tiny Synth data: what is left out, choices, losses and tables."""

import warnings
from itertools import combinations, product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from coterie.clusterers import DiscreteSpectral, KernelKMeans, Spectral
from coterie.datasets.corpus import Corpus
from coterie.features import PageFeatures, TextFeatures, WithConstant
from coterie.items import ItemSet
from coterie.learners import PairSVM, PairwiseClustering, SupervisedKMeans, Untrained
from coterie.learners.structural.cutting_planes import OneSlack
from coterie.metrics import trace_loss
from coterie.pairs import PairScores
from coterie.partition import Partition
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.supervised_kmeans import cells, times
from coterie_papers.supervised_kmeans import tables as supervised_kmeans
from coterie_papers.supervised_kmeans.cells import (
    collect_stops,
    prediction_loss,
    trainer_of,
    without_constant,
)
from coterie_papers.supervised_kmeans.claims import claims_of
from coterie_papers.supervised_kmeans.data import (
    WEBKB_L,
    WEBKB_N,
    GoogleNews,
    Stories,
    Synth,
    _draw_items,
)
from coterie_papers.supervised_kmeans.published import SUPERVISED_KMEANS
from coterie_papers.supervised_kmeans.results import (
    HeldOutResult,
    Outcome,
    leave_one_out,
    loss_table,
    losses_on_other_data,
    win_table,
)
from coterie_papers.supervised_kmeans.tables import (
    FULL,
    QUICK,
    ExperimentPlan,
    claims,
    synth,
    table4,
)
from coterie_papers.supervised_kmeans.times import MeanTiming, Size, exponent, times_tables

TINY = Synth(noise=0.5, n_clusterings=4, cluster_size=4, region_size=6, low=-1, high=0)
SMALL = {"cluster_size": 4, "region_size": 6, "low": -1, "high": 0}
FAST = SupervisedKMeans(clusterer=KernelKMeans(n_init=2), solver=OneSlack(tol=0.01))


@pytest.fixture
def context(tmp_path):
    return Context(Cells(tmp_path), n_jobs=1)


class Spy(Untrained):
    """A learner that learns nothing, and records the truths that it is trained on."""

    trainings = []  # noqa: RUF012

    def __init__(self, C=1.0):
        super().__init__()
        self.C = C

    def _fit(self, examples):
        Spy.trainings.append((self.C, tuple(examples.truths)))
        super()._fit(examples)


@pytest.fixture
def spied(monkeypatch):
    Spy.trainings = []
    monkeypatch.setattr(cells, "SYNTH_TRAINERS", {"Spy": Spy(), "None": Untrained()})
    return Spy.trainings


def test_clusterings_are_left_out_of_training_and_trainings_are_not_repeated(context, spied):
    truths = TINY.corpus(None).partitions
    assert len(set(truths)) == TINY.n_sets
    leave_one_out(context, TINY, ["Spy", "None"])
    left_out = [set(numbers) for size in (1, 2) for numbers in combinations(range(4), size)]
    parts = [tuple(truths[n] for n in range(4) if n not in numbers) for numbers in left_out]
    assert sorted(spied, key=str) == sorted(product([0.1, 1.0], parts), key=str)


def test_only_missing_cells_are_computed(context, spied):
    first = leave_one_out(context, TINY, ["Spy"])
    spied.clear()
    assert leave_one_out(context, TINY, ["Spy"]) == first
    assert not spied
    context.cells.path(TINY.key("Spy", (1, 3))).unlink()
    assert leave_one_out(context, TINY, ["Spy"]) == first
    truths = TINY.corpus(None).partitions
    assert {trained for _, trained in spied} == {(truths[0], truths[2])}


def test_keys_differ_wherever_cells_differ():
    keys = [
        TINY.key("Pair", (0,)),
        TINY.key("Pair", (0, 1)),
        TINY.key("None", (0,)),
        Synth(**SMALL).key("Pair", (0,)),
        Synth(**SMALL, random_state=1).key("Pair", (0,)),
        Synth(**{**SMALL, "high": 1}).key("Pair", (0,)),
    ]
    assert len({str(sorted(key.items())) for key in keys}) == len(keys)


def nested_by_hand(test, corpus, weights):
    """Choose C and predictor by leaving out one of the others, step by step."""
    predictors = {
        "Iterative": KernelKMeans(),
        "Spectral": Spectral(),
        "Discrete": DiscreteSpectral(),
    }
    numbers = [number for number in range(len(corpus.item_sets)) if number != test]

    def losses(train, held):
        fitted = FAST.fit_path(
            [corpus.item_sets[n] for n in train], [corpus.partitions[n] for n in train], weights
        )
        scores = [learner.to_model().scores(corpus.item_sets[held]) for learner in fitted]
        return {
            (C, name): prediction_loss(predictor, scored, corpus.partitions[held])
            for C, scored in zip(weights, scores, strict=True)
            for name, predictor in predictors.items()
        }

    inner = [losses([n for n in numbers if n != held], held) for held in numbers]
    best = min(inner[0], key=lambda choice: np.mean([by_choice[choice] for by_choice in inner]))
    return losses(numbers, test)[best], *best


def test_choices_are_those_of_nested_leave_one_out(context, monkeypatch):
    monkeypatch.setattr(cells, "SYNTH_TRAINERS", {"Iterative": FAST})
    outcome = leave_one_out(context, TINY, ["Iterative"])["Iterative"]
    corpus = TINY.corpus(None)
    expected = [nested_by_hand(test, corpus, [0.1, 1.0]) for test in range(4)]
    assert [test[:3] for test in outcome.tests] == expected
    assert len({choice[1:] for choice in expected}) > 1  # else the data choose nothing
    assert outcome.n_fits == 2 * 10
    shares = [test.positive_share for test in outcome.tests]
    assert all(0 < share < 1 for share in shares)
    assert outcome.positive_share == pytest.approx(np.mean(shares))


def test_the_least_weight_and_the_first_predictor_win_ties(context, spied):
    outcomes = leave_one_out(context, TINY, ["Spy", "None"])
    assert {test.C for test in outcomes["Spy"].tests} == {0.1}
    untrained = [test.loss for test in outcomes["None"].tests]
    truths = TINY.corpus(None).partitions
    start = KernelKMeans(n_clusters=5)(PairScores(20, None, np.full(190, 5.0)))
    assert untrained == [trace_loss(truth, start) for truth in truths]


def test_loss_of_relaxed_prediction_is_that_of_its_matrix():
    rng = np.random.default_rng(0)
    truth = Partition(np.repeat(range(3), [2, 3, 4]))
    kernel = rng.normal(size=(9, 9))
    scores = PairScores.from_matrix(kernel + kernel.T, n_clusters=3)
    vectors = np.linalg.eigh(scores.to_matrix())[1][:, -3:]
    Y = (truth.labels[:, None] == range(3)) / np.sqrt(truth.sizes)
    expected = 100 * (1 - np.sum((Y.T @ vectors) ** 2) / 3)
    assert prediction_loss(Spectral(), scores, truth) == pytest.approx(expected)
    for predictor in (KernelKMeans(), DiscreteSpectral()):
        assert prediction_loss(predictor, scores, truth) == trace_loss(truth, predictor(scores))
    assert prediction_loss(Spectral(), PairScores.from_matrix(Y @ Y.T, 3), truth) == pytest.approx(
        0
    )


def test_convergence_warnings_are_collected_and_others_pass():
    stopped = []

    def fit():
        with collect_stops() as warned:
            for message, kind in [("slow", ConvergenceWarning), ("other", UserWarning)] * 2:
                warnings.warn(message, kind, stacklevel=1)
        stopped.extend(warned)

    with pytest.warns(UserWarning, match="^other$") as passed:
        fit()
    assert [str(warning.message) for warning in stopped] == ["slow", "slow"]
    assert {warning.category for warning in passed} == {UserWarning}


def outcome_of(losses, n_stopped=0):
    return Outcome([HeldOutResult(loss, 10.0, "Discrete", 0.2) for loss in losses], n_stopped, 90)


def test_loss_table_has_means_and_choices():
    paper = {"Synth, 1": {"Pair": 48.1}, "Synth, 2": {"Pair": 54.7}}
    outcomes = {"Pair": outcome_of([10, 20], n_stopped=3), "None": outcome_of([70, 80])}
    table = loss_table("T", outcomes, list(paper), paper, ["Why."], "made.")
    assert table.rows == ("Synth, 1", "Synth, 2", "mean")
    assert table.entries[0] == ((10, 48.1, "10 Discrete"), (70, None, ""))
    assert table.entries[2] == ((15, 51.4, ""), (75, None, ""))
    assert table.notes[0] == "Why."
    assert "3 of 90 by Pair" in table.notes[-1]
    assert "None" not in table.notes[-1]
    assert table.data == "made."
    bare = loss_table("T", {"None": outcomes["None"]}, list(paper), {}, [], "made.")
    assert bare.rows == table.rows
    assert bare.notes[-1].endswith("converged: none.")


def test_win_table_gives_the_papers_figures_from_its_losses():
    printed = SUPERVISED_KMEANS["table3"]
    rows = [row for name, row in printed.items() if name.startswith("Synth")]
    outcomes = {name: outcome_of([row[name] for row in rows]) for name in ("Iterative", "Spect")}
    same = {**outcomes, "Spect": outcomes["Iterative"]}
    table = win_table({"Synth": outcomes, "other": same}, "made.")
    figures = dict(zip(table.columns, (entry.value for entry in table.entries[0]), strict=True))
    expected = {"Win": 5, "Tie": 0, "Lose": 0, "W": "15", "n_s/r": 5, "P_1-tail": 1 / 32}
    assert figures == pytest.approx(expected)
    assert [entry.paper for entry in table.entries[0]] == [5, 0, 0, 15, 5, 0.05]
    assert [entry.value for entry in table.entries[1]] == [0, 5, 0, "0", 0, 1.0]


PAPER_TRAINERS = ("Iterative", "Spect", "Pair", "None")


@pytest.fixture
def small(context, monkeypatch):
    """Replace the learners by fast ones and Synth by a small one, and return the context."""
    few = SupervisedKMeans(clusterer="spectral", solver=OneSlack(max_iter=10))
    monkeypatch.setitem(cells.SYNTH_TRAINERS, "Spect", few)
    monkeypatch.setitem(cells.SYNTH_TRAINERS, "Iterative", FAST)
    tiny = Synth(**{**SMALL, "high": -1})
    monkeypatch.setattr(supervised_kmeans, "FULL", FULL._replace(synth=tiny))
    return context


def test_tables_of_synth(small):
    tables = synth(small)
    paper = ("Iterative", "Spect", "Pair", "None")
    columns = [paper, paper, ("Iterative", "Pair", "Balanced", "Squared")]
    assert [table.columns for table in tables] == columns
    rows = (*(f"Synth, {number}" for number in range(1, 6)), "mean")
    for table in tables:
        assert table.rows == rows
        assert table.data
        losses = np.array([[entry.value for entry in row] for row in table.entries])
        np.testing.assert_allclose(losses[-1], losses[:-1].mean(axis=0))
        assert ((losses >= 0) & (losses < 100)).all()
    for table in tables[:2]:
        assert [entry.paper for entry in table.entries[0]] == [43.3, 55.6, 48.1, 74.7]
        assert [entry.paper for entry in table.entries[-1]] == [46.5, 58.8, 50.2, 74.7]
    easy, hard = (np.array([e.value for e in t.entries[-1]], dtype=float) for t in tables[:2])
    assert (easy[:3] < hard[:3]).all()
    assert easy[3] == hard[3]  # the truths are the same, and so is the random start


def test_table_four_and_claims_concatenate_the_news(small, monkeypatch):
    outcomes = {
        "WebKB-L": {name: outcome_of([10, 20, 30, 40]) for name in PAPER_TRAINERS},
        "WebKB-N": {name: outcome_of([11, 22, 33, 44]) for name in PAPER_TRAINERS},
        "Google News 1-7": {name: outcome_of([1, 2]) for name in PAPER_TRAINERS},
        "Google News 8-14": {name: outcome_of([3]) for name in PAPER_TRAINERS},
        "ECB+": {name: outcome_of([4, 5]) for name in PAPER_TRAINERS},
    }

    def fake_leave_one_out(context, data, trainers):
        name = getattr(data, "name", None)
        return outcomes[name] if name in outcomes else leave_one_out(context, data, trainers)

    monkeypatch.setattr(supervised_kmeans, "leave_one_out", fake_leave_one_out)
    wins = table4(small)[0]
    assert wins.rows == (*outcomes, "Synth", "News", "Synth, noise 0.45")
    assert sum(entry.value for entry in wins.entries[wins.rows.index("News")][:3]) == 5
    table = claims(small)[0]
    assert "WebKB-L better than WebKB-N (6.3.3, sign test)" in table.rows
    links = table.entries[table.rows.index("WebKB-L better than WebKB-N (6.3.3, sign test)")]
    assert links[0].value == "yes"
    assert links[1].value == pytest.approx(2.5)


def test_claims_that_hold_are_confirmed():
    better = {
        "Iterative": outcome_of([1, 2, 3, 4, 5, 6, 7]),
        "Spect": outcome_of([2, 1, 4, 3, 6, 5, 7]),
        "Pair": outcome_of([11, 12, 13, 14, 15, 16, 17]),
        "None": outcome_of([0, 0, 0, 0, 0, 0, 0]),
    }
    table = claims_of({"WebKB-L": better, "WebKB-N": better}, *[better] * 3, "made.")
    verdicts = {
        row: entries[0].value for row, entries in zip(table.rows, table.entries, strict=True)
    }
    assert verdicts["News: Iterative better than Pair (6.3.1)"] == "yes"
    assert verdicts["News: Spect better than None (6.3.1)"] == "no: the reverse"
    assert verdicts["News: Iterative level with Spect (6.3.2)"] == "yes: no significant difference"
    assert verdicts["WebKB-L better than WebKB-N (6.3.3, sign test)"] == "no"


def test_choices_are_applied_to_other_data(context, monkeypatch):
    monkeypatch.setitem(cells.SYNTH_TRAINERS, "Iterative", FAST)
    chosen = [
        HeldOutResult(0.0, C, by, 0.0) for C in (0.1, 1.0) for by in ("Iterative", "Discrete")
    ]
    losses = losses_on_other_data(context, TINY, {"Iterative": Outcome(chosen, 0, 0)})["Iterative"]
    corpus = TINY.corpus(None)
    for number, test in enumerate(chosen):
        train = [other for other in range(4) if other != number]
        (learner,) = FAST.fit_path(
            [corpus.item_sets[n] for n in train], [corpus.partitions[n] for n in train], [test.C]
        )
        by = {"Iterative": KernelKMeans(), "Discrete": DiscreteSpectral()}[test.predictor]
        scores = learner.to_model().scores(corpus.item_sets[number])
        assert losses[number] == prediction_loss(by, scores, corpus.partitions[number])


def test_constants_are_left_out_of_scores():
    corpus = TINY.corpus(None)
    item_set = corpus.item_sets[0]
    for learner in (PairSVM(C=1e-3), PairwiseClustering(C=1e-3), Untrained()):
        model = learner.fit(*corpus).to_model()
        bare = without_constant(model)
        apart = model.scores(item_set).scores - bare.scores(item_set).scores
        constant = getattr(learner, "coef_", [getattr(model.similarity, "bias", 0.0)])[-1]
        np.testing.assert_allclose(apart, constant, atol=1e-12)
    assert constant == 0.0


def test_grids_and_sets_are_those_of_the_paper():
    printed = SUPERVISED_KMEANS["statistics"]
    for data, name in [(WEBKB_L, "WebKB-L"), (WEBKB_N, "WebKB-N"), (Synth(), "Synth")]:
        assert data.n_sets == printed[name]["n"]
        assert (f"1e{data.low}", f"1e{data.high}") == (
            printed[name]["low C"],
            printed[name]["high C"],
        )
    for data in (*(GoogleNews(part=part) for part in ("train", "test")), Stories()):
        assert (data.low, data.high) == (0, 5)
    assert [data.n_sets for data in FULL.news] == [7, 7, 9]
    assert WEBKB_L.rows == ["WebKB-L, Cornell", "WebKB-L, Texas", "WebKB-L, Washington",
                            "WebKB-L, Wisconsin"]  # fmt: skip
    assert set(WEBKB_L.rows + WEBKB_N.rows) <= set(SUPERVISED_KMEANS["table3"])


def test_trainers_get_the_features_of_their_data():
    assert isinstance(trainer_of(WEBKB_L, "Spect").featurizer, PageFeatures)
    assert trainer_of(WEBKB_L, "Spect").featurizer.links == "links"
    assert trainer_of(WEBKB_N, "Spect").featurizer.links is None
    pair = trainer_of(Stories(), "Pair").featurizer
    assert isinstance(pair, WithConstant)
    assert isinstance(pair.featurizer, TextFeatures)
    assert len(pair.featurizer.names) == 30
    assert trainer_of(TINY, "Pair").featurizer is None


def test_quick_runs_use_fewer_settings():
    assert isinstance(QUICK, ExperimentPlan)
    for quick, full in zip((*QUICK.web, *QUICK.news), (*FULL.web, *FULL.news), strict=True):
        assert len(quick.grid) < len(full.grid)
        assert quick.key("Pair", (0,)) != full.key("Pair", (0,))


def test_drawn_items_keep_their_clusters():
    items = ItemSet({"text": list("abcdef"), "links": [[1], [], [], [0], [], []]}, ids=range(6))
    truth = Partition([0, 0, 1, 1, 2, 2])
    (some,), (partition,) = _draw_items(Corpus([items], [truth]), 4)
    assert len(some) == len(partition) == 4
    assert some.n_clusters == partition.n_clusters
    for place, number in enumerate(some.ids):
        assert some.items["text"][place] == "abcdef"[number]
        for other, further in enumerate(some.ids):
            together = truth.labels[number] == truth.labels[further]
            assert (partition.labels[place] == partition.labels[other]) == together
    (full_set,), _ = _draw_items(Corpus([items], [truth]), None)
    assert full_set.ids == tuple(range(6))


def test_times_have_exponents_and_charts(context, monkeypatch):
    monkeypatch.setattr(times, "LEARNERS", {"Iterative": FAST})
    tables = times_tables(context, 1, {"points": (10, 20)})
    assert tables[0].rows == ("10", "20", "exponent")
    assert tables[0].chart.positions == [10.0, 20.0]
    seconds = [entries[0].value for entries in tables[0].entries]
    assert seconds[2] == pytest.approx(np.log2(seconds[1] / seconds[0]))


def test_exponents_are_those_of_powers():
    timings = [MeanTiming(3.0 * value**1.5, 1.0) for value in (1, 10, 50)]
    assert exponent((1, 10, 50), timings) == pytest.approx(1.5)
    assert len(Size(features=150).make(0).item_sets) == 5
