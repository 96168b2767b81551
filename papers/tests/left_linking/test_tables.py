"""The tables of left-linking on generated corpora: divisions, choices, and cells that are kept."""

import gzip
import json

import numpy as np
import pytest

from coterie.datasets import make_synth
from coterie.datasets.corpus import Corpus
from coterie.features import GivenFeatures
from coterie.learners.linking.sgd import SGD
from coterie.learners.linking.sum_link import SumLinkLearner
from coterie.metrics import b_cubed, conll_score, macro, micro, muc, variation_of_information
from coterie.partition import Partition
from coterie_papers.engine import claims
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.engine.partitions import texts_of
from coterie_papers.left_linking import cells as left_cells
from coterie_papers.left_linking import claims as left_claims
from coterie_papers.left_linking import controls, forum, protocol, statistics, techniques
from coterie_papers.left_linking import data as left_data
from coterie_papers.left_linking import results as left_results
from coterie_papers.left_linking import tables as left_linking
from coterie_papers.left_linking.cells import tune_and_test as compute
from coterie_papers.left_linking.data import NOTHING, Division, division_of, draw_item_sets
from coterie_papers.left_linking.protocol import FULL, QUICK, limits_of
from coterie_papers.left_linking.published import LEFT_LINKING
from coterie_papers.left_linking.results import TechniquePredictions
from coterie_papers.left_linking.techniques import TASKS, TaskSettings

ALL = make_synth(n_sets=8, n_clusters=2, cluster_size=4, region_size=10, noise=0.45)
OFTEN = TaskSettings(conll_score, (1, 2), (1, None), (0.1, 0.01), (1e-4,), solve_exactly=True)
SMALL = {
    "n_starts": 3,
    "n_sampled": 20,
    "n_subsets": 2,
    "n_subset": 2,
    "n_iterations": 2,
    "relaxed": FULL.relaxed._replace(passes=1),
}
PAPER_TABLES = {
    "statistics": "statistics",
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


def without_dev(folder, which):
    return Division(part(0, 1, 2, 3, 4), NOTHING, part(6, 7))


def by_fold(folder, fold):
    return left_data._by_fold([part(number) for number in range(8)], fold)


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    """Make all data and all grids small; all tests share the computed cells."""
    folder = tmp_path_factory.mktemp("data")
    write_posts(folder / "newsgroups_threads")
    with pytest.MonkeyPatch.context() as monkeypatch:
        _make_small(monkeypatch)
        left_data._division.cache_clear()
        yield Context(Cells(tmp_path_factory.mktemp("cells")), folder, n_jobs=1)
        left_data._division.cache_clear()


def write_posts(folder):
    """Write two item sets with one author in common, and a post that is in no item set."""
    folder.mkdir()
    (folder / "item_sets.csv").write_text("item_set,fold\n1_sci,0\n2_sci,1\n")
    rows = [(1, 5, 7, "Yes."), (1, 5, 7, "> Yes.\nNo, it is"), (1, 6, 8, "a b c"), (2, 5, 7, "a")]
    rows += [(3, 9, 9, "of a day without an item set")]
    posts = [
        {"id": n, "time": n, "day": day, "family": "sci", "author": a, "thread": t, "text": text}
        for n, (day, a, t, text) in enumerate(rows)
    ]
    with gzip.open(folder / "posts.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(post)}\n" for post in posts)


def _make_small(monkeypatch):
    data = dict.fromkeys(("gum", "ontogum", "irc"), by_split)
    data |= dict.fromkeys(("author", "author, no words", "topic", "litbank"), by_fold) | {
        "gum-60": without_dev
    }
    monkeypatch.setattr(left_data, "READERS", data)
    monkeypatch.setattr(left_data, "FEATURES", {})
    tasks = techniques.TASKS | dict.fromkeys(("gum", "ontogum", "gum-60", "litbank"), OFTEN)
    few = {"corr": (1e5,), "forest": (0.1,), "forest_passes": 2, "gammas": (0.0, 1.0)}
    tasks = {name: task._replace(**few) for name, task in tasks.items()}
    monkeypatch.setattr(left_cells, "TASKS", tasks)
    genres = [{"data": "gum/news"}, {"data": "gum/bio"}]
    folds = {target: [{"data": target, "fold": fold} for fold in (0, 7)] for target in data}
    for name, divisions in {"GENRES": genres, "LITBANK": folds["litbank"]}.items():
        corpus = getattr(left_linking, name)._replace(divisions=divisions)
        for module in (left_linking, left_claims):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, corpus)
    monkeypatch.setattr(forum, "FOLDS", folds)
    ordered = {
        name: ordered_data._replace(divisions=folds.get(name.lower(), ordered_data.divisions))
        for name, ordered_data in controls.ORDERED.items()
    }
    for module in (controls, left_claims):
        monkeypatch.setattr(module, "ORDERED", ordered)
    monkeypatch.setattr(protocol, "FULL", FULL._replace(**SMALL))


@pytest.mark.parametrize("name", left_linking.TABLES)
def test_every_table_has_the_papers_rows_and_figures(context, name):
    tables = left_linking.TABLES[name](context)
    assert all(table.data for table in tables)
    table = tables[0]
    assert not [entry for row in table.entries for entry in row if entry.value == "nan"]
    for row, figures in LEFT_LINKING.get(PAPER_TABLES.get(name), {}).items():
        entries = dict(zip(table.columns, table.entries[table.rows.index(row)], strict=True))
        for column, figure in figures.items():
            assert entries[column].paper == figure
            assert np.isfinite(entries[column].value)


def test_a_second_run_computes_nothing(context, monkeypatch):
    first = left_linking.coref_ontogum(context)[0].entries
    monkeypatch.setattr(left_cells, "tune", None)
    assert left_linking.coref_ontogum(context)[0].entries == first


def test_the_order_table_shares_the_cells_of_the_others(context):
    left_linking.coref_gum(context)
    left_linking.forum(context)
    natural = set(context.cells.folder.glob("*order=natural*"))
    left_linking.order(context)
    assert set(context.cells.folder.glob("*order=natural*")) == natural
    assert len(list(context.cells.folder.glob("*order=scrambled*"))) == 3 * (1 + 2 + 2)


def test_folds_are_divided_into_training_choice_and_test():
    for fold in range(8):
        train, dev, test = by_fold(None, fold)
        assert test.item_sets == [ALL.item_sets[fold]]
        assert dev.item_sets == [ALL.item_sets[(fold + 1) % 8]]
        train_ids = {id(item_set) for item_set in train.item_sets}
        assert train_ids == {
            id(ALL.item_sets[n]) for n in range(8) if n not in (fold, (fold + 1) % 8)
        }
    train, dev, test = by_fold(None, left_data.SKETCH)
    assert train == part(0, 1, 2, 3, 4)
    assert dev == part(5)
    assert test == part(6, 7)


def test_features_are_fitted_to_the_training_sets_alone(context, monkeypatch):
    fitted = []

    class Watched(GivenFeatures):
        def fit(self, item_sets):
            fitted.append(list(item_sets))
            return super().fit(item_sets)

    monkeypatch.setattr(left_data, "FEATURES", {"gum": (Watched(), left_data.Window(2))})
    left_data._division.cache_clear()
    division = division_of({"data": "gum"}, None)
    assert fitted == [by_split(None, None).train.item_sets]
    pairs = division.test.item_sets[0].items.pairs
    assert np.all(pairs[:, 1] - pairs[:, 0] <= 2)
    assert len(pairs) == 7 + 6
    left_data._division.cache_clear()


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
        features = [item_set.items.features for item_set in (before, after)]
        together = [
            side.T @ partition.together(None).astype(float)
            for side, partition in zip(features, (truth, other), strict=True)
        ]
        assert together[0] == pytest.approx(together[1])
    assert changed


def test_the_choice_is_the_best_on_the_development_sets(context):
    """Try all settings by hand, with one pass and with the best number of passes."""
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
        settings: macro(conll_score, dev.partitions, learner.predict(dev.item_sets))
        for settings, learner in trials.items()
    }
    for name, allowed in {"tuned": (1, 2), "tuned, 1": (1,)}.items():
        choice = values["choices"][name]
        params = choice["params"]
        settings = params["solver__learning_rate"], params["n_passes"]
        best = max(score for (_, passes), score in scores.items() if passes in allowed)
        assert settings[1] in allowed
        assert choice["dev"] == pytest.approx(best)
        assert scores[settings] == pytest.approx(best)
        predicted = trials[settings].predict(test.item_sets)
        assert choice["predicted"] == texts_of(predicted)


def test_fixed_gamma_is_one_of_the_choices_of_tuned_gamma(context):
    choices = compute({"data": "gum", "technique": "L3M"}, None)["choices"]
    assert set(choices) == {"tuned", "tuned, 1", "gamma 0", "gamma 0, 1"}
    assert choices["gamma 0"]["params"]["gamma"] == 0.0
    assert choices["tuned"]["dev"] >= max(choice["dev"] for choice in choices.values())


def test_scores_of_groups():
    truths = ["0 0 1", "0 1 1 1"], ["0 0"]
    guesses = ["0 0 0", "0 1 1 2"], ["0 1"]
    cells = [
        {"truth": truth, "choices": {"tuned": {"predicted": guess, "params": {"C": C}}}}
        for truth, guess, C in zip(truths, guesses, (1.0, 3.0), strict=True)
    ]
    result = TechniquePredictions.of(cells, "tuned")
    first, second, third = result.examples
    assert [truth.labels.tolist() for truth, _ in (first, third)] == [[0, 0, 1], [0, 0]]
    by_group = [micro(b_cubed, *zip(first, second, strict=True)).f1, b_cubed(*third).f1]
    assert result.coreference_scores()["B³"] == pytest.approx(100 * np.mean(by_group))
    pairs = list(zip(first, second, third, strict=True))
    assert result.pooled().coreference_scores()["MUC"] == pytest.approx(100 * micro(muc, *pairs).f1)
    assert result.separated().coreference_scores()["B³"] == pytest.approx(
        100 * macro(b_cubed, *pairs).f1
    )
    assert result.mean_vi() == pytest.approx(100 * macro(variation_of_information, *pairs))
    assert result.chosen_settings() == {"C": "2"}


def test_exact_match_of_conversations():
    truth, guess = Partition([0, 0, 1, 1, 2, 3]), Partition([0, 0, 1, 1, 1, 2])
    assert left_results.exact_match([(truth, guess)]) == pytest.approx(2 / (2 + 2))
    assert left_results.exact_match([(truth, truth)]) == 1.0
    # The same items in another item set are others.
    assert left_results.exact_match([(truth, guess), (guess, truth)]) == pytest.approx(0.5)


def test_item_sets_are_drawn_until_there_are_enough():
    assert len(draw_item_sets(ALL, 0, n_sets=3).item_sets) == 3
    sample = draw_item_sets(ALL, 1, n_items=17)
    assert len(sample.item_sets) == 3  # of 8 items each
    assert len({id(item_set) for item_set in sample.item_sets}) == 3
    assert draw_item_sets(ALL, 1, n_items=17) == sample
    for item_set, truth in zip(*sample, strict=True):
        assert truth == ALL.partitions[[id(s) for s in ALL.item_sets].index(id(item_set))]


def test_random_starts_are_other_starts(context):
    key = {"data": "author", "fold": 0, "n_items": 16, "starts": 4}
    values = left_cells.train_from_random_starts(key, None)
    assert len(values["measured"]) == 4
    assert len({*values["measured"], values["from zeros"]}) > 1
    assert left_cells.train_from_random_starts(key, None) == values


def test_posts_are_counted_in_total_and_per_item_set(context):
    counts = statistics.count_data({"statistics": "posts"}, context.data_folder)
    assert counts == {
        "authors": 2,
        "item sets": 2,
        "posts": 4,
        "posts per author": 2.0,
        "posts per item set": 2.0,
        "tokens per post": (1 + 5 + 3 + 1) / 4,
        "tokens per post, without quotations": (1 + 3 + 3 + 1) / 4,
        "most posts of an author in an item set": 2,
        "threads": 2,
        "posts per thread": 2.0,
    }


def test_mentions_are_counted(context):
    counts = statistics.count_data({"statistics": "gum"}, None)
    assert list(counts.values())[:6] == [8, 4, 2, 2, 64, 16]
    assert counts["alone"] == 0.0
    table = left_linking.statistics(context)[1]
    assert len(table.rows) == 4
    for row, entries in zip(table.rows, table.entries, strict=True):
        papers = [entry.paper for entry in entries[:4]]
        assert papers == list(LEFT_LINKING["corpora"][row.rpartition("for ")[2]].values())
        assert papers[0] == sum(papers[1:])


def test_printed_statistics_agree_with_each_other():
    printed = {row: figures["posts"] for row, figures in LEFT_LINKING["statistics"].items()}
    assert printed["posts per author"] == round(printed["posts"] / printed["authors"], 2)
    assert printed["posts per item set"] == round(printed["posts"] / printed["item sets"])


def test_claims_have_the_figures_and_p_values_of_the_tables(context, monkeypatch):
    monkeypatch.setattr(
        claims, "SIGNIFICANCE_LEVEL", np.inf
    )  # else so few sets would not be tested
    table = left_linking.claims(context)[0]
    entries = dict(zip(table.rows, table.entries, strict=True))
    table = left_linking.coref_gum(context)[0]
    scores = dict(zip(table.rows, (row[-1] for row in table.entries), strict=True))
    reference = scores[techniques.TUNED_L3M]
    for row in ("L³M (γ = 0)", "Sum-Link", "Bin-Left-Link", "Spanning Forest", "Corr-Clustering"):
        gain = entries[f"GUM (Table 1): L³M (tuned γ) better than {row}"][1]
        assert gain.value == pytest.approx(reference.value - scores[row].value)
        assert gain.note == scores[row].note
    table = left_linking.forum(context)[0]
    losses = dict(zip(table.rows, (row[1] for row in table.entries), strict=True))
    gain = entries["Topic (Table 2): L³M (tuned γ) better than Sum-Link"][1]
    difference = losses["Sum-Link"].value - losses[techniques.TUNED_L3M].value
    assert (gain.value, gain.note) == (pytest.approx(difference), losses["Sum-Link"].note)
    worse = left_linking.order(context)[0].entries[3][2]
    claim = entries["Author (5.4): the natural order level with a random one"][1]
    assert claim == worse._replace(paper=None)


def predicted(n_sets, n_clusters):
    """Return predictions with a number of clusters in each item set."""
    truth, guess = Partition([0, 0, 0]), Partition([min(n, n_clusters - 1) for n in range(3)])
    return TechniquePredictions([([truth], [guess])] * n_sets, [])


@pytest.mark.parametrize(
    ("n_sets", "measured", "verdict"),
    [(10, 1.0, "mixed"), (10, -1.0, "no: the reverse"), (6, 1.0, "yes, not tested")],
)
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_technique_that_is_better_in_total_may_lose_on_most_sets(
    n_sets, measured, verdict, direction
):
    """Losses are numbers of clusters; L³M has one more in each set, and p is corrected for five."""
    results = {row: predicted(n_sets, 1) for row in left_claims.COMPARED_ROWS}
    results[techniques.TUNED_L3M] = reference = predicted(n_sets, 2)
    claimed = list(
        left_claims._claims_against_others(
            "Made up",
            results,
            lambda truth, guess: direction * len(guess.sizes),
            lambda result: -direction * measured * (result is reference),
            direction,
        )
    )
    assert {(claim.gain, claim.verdict) for claim in claimed} == {(measured, verdict)}
    assert {claim.spread for claim in claimed} == {f"0 of {n_sets}"}


def test_a_small_deviation_over_starts_confirms_the_claim(context, monkeypatch):
    values = {"Coreference": {"measured": [0.8, 0.801]}, "Topic": {"measured": [0.4, 0.8]}}
    monkeypatch.setattr(left_claims, "start_values", lambda context: values)
    small, large = left_claims._claims_on_starts(context)
    assert (small.verdict, large.verdict) == ("yes, not tested", "no, not tested")
    deviation = np.std([0.8, 0.801], ddof=1) / 0.8005
    assert small.gain == pytest.approx(100 * (0.01 - deviation))


def test_keys_of_full_runs_are_unchanged(context):
    """A full run finds its earlier cells, because only the keys of quick runs have a mark."""
    full = protocol.full_key(context, {"data": "gum"})
    assert full == {"data": "gum", "version": 1}
    assert limits_of(full) is protocol.FULL


def test_a_quick_run_uses_less_data_and_fewer_settings(context, monkeypatch, tmp_path):
    monkeypatch.setattr(protocol, "QUICK", QUICK._replace(n_sets=(2, 1, 1), n_divisions=1))
    calls = []
    monkeypatch.setattr(left_cells, "tune", lambda *args, **kwargs: calls.append(args) or 1 / 0)
    quick = Context(Cells(tmp_path), context.data_folder, n_jobs=1, quick=True)
    with pytest.raises(ZeroDivisionError):
        left_linking.coref_genres(quick)
    ((_, item_sets, _, grid),) = calls
    first, last = part(0, 3), part(4)
    assert item_sets == first.item_sets + last.item_sets
    assert set(grid) == {"lam", "solver__learning_rate", "n_passes"}
    assert max(map(len, grid.values())) <= 2


@pytest.mark.parametrize("name", TASKS)
def test_a_quick_run_can_report_what_tables_show(name):
    full, quick = TASKS[name], TASKS[name].narrowed(QUICK.settings)
    assert full.narrowed({}) == full
    assert (
        {passes for passes in quick.reported_passes if passes}
        <= set(quick.passes)
        <= set(full.passes)
    )
    assert 0.0 in quick.gammas
    assert set(quick.rates) <= set(full.rates)
    assert set(quick.lams) <= set(full.lams)


def test_a_quick_run_describes_its_limits(context):
    notes = left_linking.TABLES["cccp"](context)[0].notes
    assert not any("Quick" in note for note in notes)
    (note,) = protocol.quick_notes(Context(context.cells, quick=True))
    assert "at most 12 item sets for training" in note
    assert "γ is one of 0, 0.4, 1;" in note
