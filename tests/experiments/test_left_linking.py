"""The tables of left-linking on made-up corpora: right divisions, right choices, resumed."""

import numpy as np
import pytest

from coterie.datasets import make_synth
from coterie.datasets.corpus import Corpus
from coterie.experiments import (
    _left_cells,
    _left_controls,
    _left_coreference,
    _left_data,
    _left_forum,
    _left_results,
    _left_techniques,
    left_linking,
)
from coterie.experiments._left_cells import tested as compute
from coterie.experiments._left_data import NOTHING, Division, division_of, drawn
from coterie.experiments._left_results import Result
from coterie.experiments._left_techniques import Task
from coterie.experiments.cells import Cells, Context
from coterie.experiments.published import LEFT_LINKING
from coterie.features import GivenFeatures
from coterie.learners.cccp import CCCP
from coterie.learners.sgd import SGD
from coterie.learners.spanning_forest import SpanningForestLearner
from coterie.learners.sum_link import SumLinkLearner
from coterie.metrics import b_cubed, conll_score, macro, micro, muc, variation_of_information
from coterie.partition import Partition

ALL = make_synth(n_sets=8, n_clusters=2, cluster_size=4, region_size=10, noise=0.45)
OFTEN = Task(conll_score, (1, 2), (1, None), (0.1, 0.01), (1e-4,), exact=True)
PAPER_TABLES = {
    "coref-gum": "ACE 2004",
    "coref-genres": "OntoNotes-5.0",
    "coref-ontogum": "OntoNotes-5.0",
    "coref-litbank": "ACE 2004",
    "coref-gum-60": "ACE 2004",
    "forum": "forum",
    "starts": "starts",
    "order": "order",
}


def part(*numbers):
    return Corpus([ALL.item_sets[n] for n in numbers], [ALL.partitions[n] for n in numbers])


def by_split(folder, which):
    return Division(part(0, 1, 2, 3), part(4, 5), part(6, 7))


def whole(folder, which):
    return Division(part(0, 1, 2, 3, 4), NOTHING, part(6, 7))


def by_fold(folder, fold):
    return _left_data._by_fold([part(number) for number in range(8)], fold)


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    """Make all data and all grids small; what one test computes, others find."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        _make_small(monkeypatch)
        _left_data._division.cache_clear()
        yield Context(Cells(tmp_path_factory.mktemp("cells")), n_jobs=1)
        _left_data._division.cache_clear()


def _make_small(monkeypatch):
    data = dict.fromkeys(("gum", "ontogum", "irc"), by_split)
    data |= dict.fromkeys(("author", "author, no words", "topic", "litbank"), by_fold) | {
        "gum-60": whole
    }
    monkeypatch.setattr(_left_data, "READERS", data)
    monkeypatch.setattr(_left_data, "FEATURES", {})
    tasks = _left_techniques.TASKS | dict.fromkeys(("gum", "ontogum", "gum-60", "litbank"), OFTEN)
    few = {name: task._replace(corr=(1e5,), forest=(0.1,)) for name, task in tasks.items()}
    monkeypatch.setattr(_left_cells, "TASKS", few)
    monkeypatch.setattr(_left_techniques, "GAMMAS", (0.0, 1.0))
    genres = [{"data": "gum/news"}, {"data": "gum/bio"}]
    folds = {target: [{"data": target, "fold": fold} for fold in (0, 7)] for target in data}
    for name, divisions in {"GENRES": genres, "LITBANK": folds["litbank"]}.items():
        corpus = getattr(left_linking, name)._replace(divisions=divisions)
        monkeypatch.setattr(left_linking, name, corpus)
    monkeypatch.setattr(_left_forum, "FOLDS", folds)
    ordered = {
        name: own._replace(divisions=own.divisions[:2])
        for name, own in _left_controls.ORDERED.items()
    }
    monkeypatch.setattr(_left_controls, "ORDERED", ordered)
    for name, value in {"N_STARTS": 3, "N_SUBSETS": 2, "N_SUBSET": 2}.items():
        monkeypatch.setattr(_left_controls, name, value)
    monkeypatch.setattr(_left_coreference, "RELAXED_PASSES", 1)
    monkeypatch.setitem(_left_cells.SOLVERS, _left_cells.WHOLE, CCCP(max_iter=2))
    quick = SpanningForestLearner(solver=CCCP(max_iter=2, inner_max_iter=3))
    learners = {_left_techniques.FOREST: quick}
    monkeypatch.setattr(_left_techniques, "BATCH", _left_techniques.BATCH | learners)


@pytest.mark.parametrize("name", left_linking.TABLES)
def test_every_table_has_the_papers_rows_and_figures(context, name):
    table = left_linking.TABLES[name](context)[0]
    assert not [entry for row in table.entries for entry in row if entry.ours == "nan"]
    for row, figures in LEFT_LINKING.get(PAPER_TABLES.get(name), {}).items():
        shown = dict(zip(table.columns, table.entries[table.rows.index(row)], strict=True))
        for column, figure in figures.items():
            assert shown[column].paper == figure
            assert np.isfinite(shown[column].ours)


def test_a_second_run_computes_nothing(context, monkeypatch):
    first = left_linking.coref_ontogum(context)[0].entries
    monkeypatch.setattr(_left_cells, "tune", None)
    assert left_linking.coref_ontogum(context)[0].entries == first


def test_the_order_table_shares_the_cells_of_the_others(context):
    left_linking.coref_gum(context)
    left_linking.forum(context)
    natural = set(context.cells.folder.glob("*order=natural*"))
    left_linking.order(context)
    assert set(context.cells.folder.glob("*order=natural*")) == natural
    assert len(list(context.cells.folder.glob("*order=scrambled*"))) == 3 * (1 + 2 + 2)


def test_folds_are_tested_on_chosen_by_and_trained_on():
    for fold in range(8):
        train, dev, test = by_fold(None, fold)
        assert test.item_sets == [ALL.item_sets[fold]]
        assert dev.item_sets == [ALL.item_sets[(fold + 1) % 8]]
        known = {id(each) for each in train.item_sets}
        assert known == {id(ALL.item_sets[n]) for n in range(8) if n not in (fold, (fold + 1) % 8)}
    train, dev, test = by_fold(None, _left_data.SKETCH)
    assert train == part(0, 1, 2, 3, 4)
    assert dev == part(5)
    assert test == part(6, 7)


def test_features_are_fitted_to_the_training_sets_alone(context, monkeypatch):
    fitted = []

    class Watched(GivenFeatures):
        def fit(self, item_sets):
            fitted.append(list(item_sets))
            return super().fit(item_sets)

    monkeypatch.setattr(_left_data, "FEATURES", {"gum": (Watched(), _left_data.Window(2))})
    _left_data._division.cache_clear()
    found = division_of({"data": "gum"}, None)
    assert fitted == [by_split(None, None).train.item_sets]
    pairs = found.test.item_sets[0].items.pairs
    assert np.all(pairs[:, 1] - pairs[:, 0] <= 2)
    assert len(pairs) == 7 + 6
    _left_data._division.cache_clear()


def test_a_random_order_keeps_the_clusters_and_the_features_of_pairs(context):
    natural = division_of({"data": "gum"}, None).train
    moved = division_of({"data": "gum", "order": "scrambled"}, None).train
    changed = 0
    for before, after, truth, other in zip(
        natural.item_sets, moved.item_sets, natural.partitions, moved.partitions, strict=True
    ):
        assert sorted(truth.sizes) == sorted(other.sizes)
        assert truth.n_clusters == other.n_clusters
        changed += truth != other
        features = [each.items.features for each in (before, after)]
        together = [
            side.T @ partition.together(None).astype(float)
            for side, partition in zip(features, (truth, other), strict=True)
        ]
        assert together[0] == pytest.approx(together[1])
    assert changed


def test_the_choice_is_the_best_on_the_development_sets(context):
    """By hand: all settings, one by one; with one pass, and with as many as are best."""
    values = compute({"data": "gum", "technique": "Sum-Link"}, None)
    train, dev, test = by_split(None, None)
    trials = {
        (rate, passes): SumLinkLearner(
            lam=1e-4, n_passes=passes, solver=SGD(learning_rate=rate)
        ).fit(*train)
        for rate in (0.1, 0.01)
        for passes in (1, 2)
    }
    scores = {
        at: macro(conll_score, dev.partitions, learner.predict(dev.item_sets))
        for at, learner in trials.items()
    }
    for name, allowed in {"tuned": (1, 2), "tuned, 1": (1,)}.items():
        found = values["choices"][name]
        at = found["params"]["solver__learning_rate"], found["params"]["n_passes"]
        best = max(score for (_, passes), score in scores.items() if passes in allowed)
        assert at[1] in allowed
        assert found["dev"] == pytest.approx(best)
        assert scores[at] == pytest.approx(best)
        predicted = trials[at].predict(test.item_sets)
        assert found["predicted"] == [
            " ".join(map(str, each.labels.tolist())) for each in predicted
        ]


def test_fixed_gamma_is_one_of_the_choices_of_tuned_gamma(context):
    choices = compute({"data": "gum", "technique": "L3M"}, None)["choices"]
    assert set(choices) == {"tuned", "tuned, 1", "gamma 0", "gamma 0, 1"}
    assert choices["gamma 0"]["params"]["gamma"] == 0.0
    assert choices["tuned"]["dev"] >= max(own["dev"] for own in choices.values())


def test_scores_of_groups():
    truths = ["0 0 1", "0 1 1 1"], ["0 0"]
    guesses = ["0 0 0", "0 1 1 2"], ["0 1"]
    cells = [
        {"truth": truth, "choices": {"tuned": {"predicted": guess, "params": {"C": C}}}}
        for truth, guess, C in zip(truths, guesses, (1.0, 3.0), strict=True)
    ]
    result = Result.of(cells, "tuned")
    first, second, third = result.examples
    assert [truth.labels.tolist() for truth, _ in (first, third)] == [[0, 0, 1], [0, 0]]
    by_group = [micro(b_cubed, *zip(first, second, strict=True)).f1, b_cubed(*third).f1]
    assert result.coreference()["B³"] == pytest.approx(100 * np.mean(by_group))
    both = list(zip(first, second, third, strict=True))
    assert result.pooled().coreference()["MUC"] == pytest.approx(100 * micro(muc, *both).f1)
    assert result.apart().coreference()["B³"] == pytest.approx(100 * macro(b_cubed, *both).f1)
    assert result.information() == pytest.approx(100 * macro(variation_of_information, *both))
    assert result.chosen() == {"C": "2"}


def test_conversations_found_whole():
    truth, guess = Partition([0, 0, 1, 1, 2, 3]), Partition([0, 0, 1, 1, 1, 2])
    assert _left_results.exact_match([(truth, guess)]) == pytest.approx(2 / (2 + 2))
    assert _left_results.exact_match([(truth, truth)]) == 1.0
    # The same items in another item set are others.
    assert _left_results.exact_match([(truth, guess), (guess, truth)]) == pytest.approx(0.5)


def test_item_sets_are_drawn_until_there_are_enough():
    assert len(drawn(ALL, 0, n_sets=3).item_sets) == 3
    sample = drawn(ALL, 1, n_items=17)
    assert len(sample.item_sets) == 3  # of 8 items each
    assert len({id(each) for each in sample.item_sets}) == 3
    assert drawn(ALL, 1, n_items=17) == sample
    for item_set, truth in zip(*sample, strict=True):
        assert truth == ALL.partitions[[id(s) for s in ALL.item_sets].index(id(item_set))]


def test_random_starts_are_other_starts(context):
    key = {"data": "author", "fold": 0, "n_items": 16, "starts": 4}
    found = _left_cells.started(key, None)
    assert len(found["measured"]) == 4
    assert len({*found["measured"], found["from zeros"]}) > 1
    assert _left_cells.started(key, None) == found
