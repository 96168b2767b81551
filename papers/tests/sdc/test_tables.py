"""The tables of SDC: halves by entity, pair decisions, tables of fake cells, and one real cell."""

from dataclasses import replace
from functools import partial
from itertools import chain, pairwise

import numpy as np
import pytest
from scipy import stats

from coterie.datasets.corpus import Corpus
from coterie.items import ItemSet
from coterie.metrics import pair_scores
from coterie.pairs import PairScores, count_pairs
from coterie.partition import Partition
from coterie_papers.corpora.names import load_entity_names, load_source_names
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.reproducing import reproduce
from coterie_papers.sdc import approaches as sdc_approaches
from coterie_papers.sdc import cells, claims, data, remedies
from coterie_papers.sdc import fresh as sdc_fresh
from coterie_papers.sdc import results as sdc_results
from coterie_papers.sdc import tables as sdc_tables
from coterie_papers.sdc.approaches import (
    BY_F1,
    LMR_P,
    OVER_P,
    SDC,
    SOFT,
    SOFT_BEST,
    UNIFORM,
    WARM,
    best_threshold,
    score_decisions,
    score_tuned_linkage,
)
from coterie_papers.sdc.data import NameSet, divide_names, draw_clusters
from coterie_papers.sdc.results import (
    FULL,
    KINDS,
    QUICK,
    FoldScores,
    comparison_table,
    fold_scores,
)

LABELS = np.random.default_rng(0).integers(0, 20, size=60)
WORDS = ["Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gil", "Hana", "Ida", "Jon"]


def make_names(labels, first_id=0):
    """Make names that are mostly specific to their cluster."""
    rng = np.random.default_rng(first_id)
    names = [
        f"{WORDS[label % 10]} {WORDS[(label * 7) // 10 % 10]}"[: int(rng.integers(5, 12))]
        for label in labels
    ]
    columns = {"name": names, "doc": ["d"] * len(labels), "source": ["s"] * len(labels)}
    return ItemSet(columns, ids=range(first_id, first_id + len(labels)))


def two_sets(folder=None, split=None, kind="person", pair=1):
    """Return two sets without a common entity, different ones for each kind and pair."""
    sizes = {"person": 40, "location": 36, "organization": 44}[kind] + pair
    labels = np.random.default_rng(sizes).integers(0, 15, size=(2, sizes))
    return Corpus(
        [make_names(labels[0]), make_names(labels[1] + 15, 1000)],
        [Partition(labels[0]), Partition(labels[1])],
    )


@pytest.fixture
def small(monkeypatch):
    """Replace the corpus by made-up names."""
    monkeypatch.setattr(data, "load_entity_names", two_sets)


def entity_of(corpus):
    """Return the entity of each id of a corpus of one pair."""
    return {
        name_id: (set_index, int(label))
        for set_index, (item_set, truth) in enumerate(zip(*corpus, strict=True))
        for name_id, label in zip(item_set.ids, truth.labels, strict=True)
    }


# Divisions.


def test_run_1_uses_the_two_sets_as_they_are(small):
    corpus = two_sets()
    halves = divide_names(None, "person", 1, run=1)
    for before, after in zip(corpus.item_sets, halves.item_sets, strict=True):
        assert set(before.ids) == set(after.ids)
        assert before.ids != after.ids  # in another order
        names = dict(zip(before.ids, before.items["name"], strict=True))
        assert names == dict(zip(after.ids, after.items["name"], strict=True))


@pytest.mark.parametrize("run", [1, 2, 3])
@pytest.mark.parametrize("kind", ["person", "location"])
def test_halves_share_no_entity_and_keep_the_clusters(small, run, kind):
    entities = entity_of(two_sets(kind=kind, pair=2))
    halves = divide_names(None, kind, 2, run)
    first, second = ({entities[name_id] for name_id in half.ids} for half in halves.item_sets)
    assert not first & second
    assert sum(len(half) for half in halves.item_sets) == len(entities)
    for half, truth in zip(*halves, strict=True):
        assert truth == Partition([str(entities[name_id]) for name_id in half.ids])


def test_each_run_divides_into_other_halves_but_always_the_same(small):
    first_halves = []
    for run in range(2, 8):
        halves = divide_names(None, "person", 1, run)
        again = divide_names(None, "person", 1, run)
        assert [half.ids for half in halves.item_sets] == [half.ids for half in again.item_sets]
        n_first, n_all = len(halves.item_sets[0]), sum(map(len, halves.item_sets))
        largest = max(max(truth.sizes) for truth in halves.partitions)
        assert n_all / 2 <= n_first < n_all / 2 + largest
        first_halves.append(frozenset(halves.item_sets[0].ids))
    assert len(set(first_halves)) == len(first_halves)


def test_whole_clusters_are_drawn_until_a_share_is_reached():
    truth = Partition(LABELS)
    for share in (0.1, 0.5, 0.9):
        items = draw_clusters(truth, share, np.random.default_rng(1))
        clusters = sorted(set(truth.labels[items]))
        assert np.array_equal(items, np.flatnonzero(np.isin(truth.labels, clusters)))
        assert len(items) >= share * 60
        # Without the cluster that was drawn last, there were too few items.
        sizes = truth.sizes[clusters]
        assert len(items) - max(sizes) < share * 60 or min(sizes) == len(items)
    assert len(draw_clusters(truth, 1.0, np.random.default_rng(1))) == 60
    parts = [
        set(draw_clusters(truth, share / 10, np.random.default_rng(1))) for share in range(1, 11)
    ]
    assert all(smaller <= larger for smaller, larger in pairwise(parts))


def test_a_subset_has_the_features_of_its_pairs(small):
    name_set, _ = data.halves_of(None, "person", 1, 1)
    indices = np.array([7, 2, 30, 11])
    subset = name_set.subset(indices)
    names = name_set.names.items["name"]
    assert subset.names.items["name"] == tuple(names[index] for index in sorted(indices))
    expected = data._with_features(subset.names, subset.truth)
    assert np.array_equal(_dense(subset.features), _dense(expected.features))
    assert subset.with_count.n_clusters == subset.truth.n_clusters
    assert subset.without_count.n_clusters is None


def _dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


# Scores.


def fake_names(truth):
    features = np.zeros((count_pairs(len(truth)), 1))
    return NameSet(make_names(truth.labels), features, truth)


def test_decisions_of_a_partition_have_the_scores_of_the_partition():
    truth = Partition(LABELS)
    name_set = fake_names(truth)
    for seed in range(5):
        predicted = Partition(np.random.default_rng(seed).integers(0, 25, size=60))
        assert score_decisions(predicted.together(), name_set) == pair_scores(truth, predicted)
    no_pairs = np.zeros(count_pairs(60), dtype=bool)
    assert score_decisions(no_pairs, name_set).f1 == 0.0


def test_the_best_threshold_has_the_highest_f1():
    rng = np.random.default_rng(3)
    for _ in range(20):
        truth = Partition(rng.integers(0, 6, size=12))
        scores = rng.integers(0, 8, size=count_pairs(12)) / 8 + truth.together() / 4
        name_set = fake_names(truth)
        best = best_threshold(scores, truth.together())
        f1_by_threshold = [
            score_decisions(scores > threshold - 1e-6, name_set).f1
            for threshold in [*np.unique(scores), 99.0]
        ]
        assert score_decisions(scores > best, name_set).f1 == max(f1_by_threshold)


def test_a_threshold_is_tuned_on_training_pairs_alone():
    train, test = Partition([0, 0, 1, 2]), Partition([0, 1, 1, 2])
    train_scores = PairScores.from_matrix([[0, 3, 1, 1], [3, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    test_scores = PairScores.from_matrix([[0, 2, 1, 1], [2, 0, 3, 1], [1, 3, 0, 1], [1, 1, 1, 0]])
    assert score_tuned_linkage(train_scores, train, test_scores, fake_names(test)).f1 == 1.0


# Tables.


def fake_cell(key, rows):
    """Return a cell without learning: with a different F1 for each row, fold and division."""
    number = 100 * FULL.pairs.index(key["pair"]) + key["run"] + len(str(key["kind"]))
    return {
        "folds": [
            {
                row: [0.5, 0.25, (index + 7 * fold + number % 13) / 100]
                for index, row in enumerate(rows)
            }
            for fold in range(2)
        ]
    }


def compute_fake(rows, key, folder):
    return fake_cell(key, rows)


@pytest.fixture
def context(tmp_path, monkeypatch):
    """Replace all cells by fake ones, of two runs."""
    monkeypatch.setattr(sdc_results, "FULL", FULL._replace(n_runs=2))
    rows_by_function = {
        "compute_approaches": [*sdc_tables.BEYOND, *sdc_tables.IN_PAPER],
        "compute_stopping": [cells.tuned_row(SDC), cells.tuned_row(UNIFORM), OVER_P],
        "compute_sizes": [
            cells.row_at_share(row, share) for share in cells.SHARES for row in sdc_tables.LEARNED
        ],
        "compute_clusterers": [
            cells.row_under(clusterer, row)
            for clusterer in sdc_approaches.CLUSTERERS
            for row in sdc_tables.COMPARED
        ],
        "compute_rates": [
            cells.row_at_rate(row, rate) for rate in cells.RATES for row in (SDC, BY_F1)
        ],
    }
    for function, rows in rows_by_function.items():
        for module in (sdc_tables, claims):
            monkeypatch.setattr(module, function, partial(compute_fake, rows), raising=False)
    test_rows = [f"{name}: {row}" for name in remedies.CLUSTERERS for row in remedies.ROWS]
    remedy_rows = [name for row in test_rows for name in (row, f"{row}, on training")]
    monkeypatch.setattr(remedies, "compute_remedies", partial(compute_fake, remedy_rows))
    fresh_rows = [f"{name}: {row}" for name in remedies.CLUSTERERS for row in sdc_fresh.ROWS]
    missing = {"pair": 1, "kind": "person"}
    monkeypatch.setattr(
        sdc_fresh, "compute_fresh", lambda key, folder: fake_cell({**missing, **key}, fresh_rows)
    )
    return Context(Cells(tmp_path / "cells"), n_jobs=1)


@pytest.mark.parametrize("name", sdc_tables.TABLES)
def test_every_table_is_full_and_figures_have_a_chart(context, name):
    tables = sdc_tables.TABLES[name](context)
    for table in tables:
        for entry in chain.from_iterable(table.entries):
            finite = isinstance(entry.value, float) and np.isfinite(entry.value)
            assert finite or entry.value or name == "claims"
    assert all(table.data for table in tables)
    if name in ("remedies", "fresh", "claims"):
        return
    assert tables[0].chart is not None
    assert b"<svg" in tables[0].chart.to_svg()
    assert list(tables[0].chart.panels) == list(KINDS)


def test_figure_4_has_the_printed_figures_and_the_papers_rows_first(context):
    figure, against_sdc, against_warm, precision_and_recall = sdc_tables.figure4(context)
    assert figure.rows[:7] == sdc_tables.IN_PAPER
    entries = dict(zip(figure.columns, figure.entries[figure.rows.index(SDC)], strict=True))
    assert {kind: entry.paper for kind, entry in entries.items()} == {
        "People": 92.7,
        "Locations": 92.4,
        "Organizations": 95.7,
    }
    assert SDC not in against_sdc.rows
    assert WARM not in against_warm.rows
    assert len(against_sdc.rows) == len(against_warm.rows) == 18
    assert precision_and_recall.entries[0][0].value == "50.0 / 25.0"


def test_scores_are_collected_by_kind_pair_and_fold(tmp_path):
    context = Context(Cells(tmp_path), n_jobs=1)
    scores = fold_scores(context, "t", lambda key, folder: fake_cell(key, ["a", "b"]))
    assert len(list(tmp_path.glob("*.json"))) == 3 * 3 * FULL.n_runs
    for column, kind in KINDS.items():
        f1 = scores.f1("b", column)
        assert f1.shape == (3, 2 * FULL.n_runs)
        first, second = fake_cell({"kind": kind, "pair": 3, "run": 4}, ["a", "b"])["folds"]
        assert f1[2, 6:8] == pytest.approx([100 * first["b"][2], 100 * second["b"][2]])
        assert scores.mean("a", column, sdc_results.PRECISION) == pytest.approx(50.0)


def test_differences_have_the_sign_of_the_reference_row_and_count_pairs():
    reference = np.full((3, 4, 3), 60.0) + np.arange(12.0).reshape(3, 4, 1) / 10
    worse, mixed = reference - 5.0, reference.copy()
    mixed[0] += 9.0
    mixed[1] -= 1.0
    by_row = {
        row: dict.fromkeys(KINDS, values)
        for row, values in {SDC: reference, "worse": worse, "mixed": mixed}.items()
    }
    table = comparison_table("t", SDC, FoldScores(by_row))
    entries = {row: table.entries[index][0] for index, row in enumerate(table.rows)}
    assert entries["worse"].value == pytest.approx(5.0)
    assert entries["worse"].note.endswith("3 of 3")
    assert entries["mixed"].value == pytest.approx(-8.0 / 3)
    assert entries["mixed"].note.endswith("1 of 3")
    # Twelve wins in twelve results: p is 2/4096, doubled for the two rows.
    assert entries["worse"].note.startswith("p < 0.001")


def test_charts_are_written_with_the_tables(context, tmp_path, monkeypatch):
    tables = list(reproduce("sdc", ["figure7"], tmp_path / "out", n_jobs=1))
    assert tables[0].chart is not None
    first = (tmp_path / "out" / "sdc" / "figure7.svg").read_bytes()
    list(reproduce("sdc", ["figure7"], tmp_path / "out", n_jobs=1, fresh=True))
    assert (tmp_path / "out" / "sdc" / "figure7.svg").read_bytes() == first


# Claims.


def scores_from(f1_by_row):
    """Return fold scores with the same F1 on each kind, from an array per row."""
    by_row = {
        row: dict.fromkeys(KINDS, np.repeat(np.asarray(f1)[..., None], 3, axis=2))
        for row, f1 in f1_by_row.items()
    }
    return FoldScores(by_row)


STEPS = np.arange(12.0).reshape(3, 4) / 10


def test_a_claim_has_the_sign_of_the_first_and_counts_pairs_of_sets():
    mixed = STEPS + np.array([[9.0], [-1.0], [-1.0]])
    claim = claims._better_claim("t", STEPS, mixed)
    assert claim.gain == pytest.approx(-7.0 / 3)
    assert claim.spread == "2 of 3 pairs of sets"
    claim = claims._better_claim("t", STEPS + 5.0, STEPS)
    assert (claim.verdict, claim.spread) == ("yes", "3 of 3 pairs of sets")
    assert claim.p_value == pytest.approx(2 / 2**12)


def test_claims_are_about_the_best_of_several_approaches():
    levels = {SDC: 60.0, claims.OVER_SOFT: 50.0, OVER_P: 61.0, claims.OVER_W: 55.0}
    levels |= {SOFT_BEST: 40.0, LMR_P: 45.0, claims.LMR_W: 59.0}
    scores = scores_from({row: STEPS + level for row, level in levels.items()})
    of_people = list(claims._claims_of_approaches(scores))[::3]
    assert [claim.text for claim in of_people] == [
        "Figure 4, People: SDC better than Clustering over SoftTFIDF",
        "Figure 4, People: SDC better than Clustering over LMR (P)",
        "Figure 4, People: SDC better than LMR classifier (W)",
    ]
    assert [claim.verdict for claim in of_people] == ["yes", "no: the reverse", "yes"]
    assert [claim.gain for claim in of_people] == pytest.approx([10.0, -1.0, 1.0])


def test_claims_use_the_smallest_share_alone_and_the_mean_of_the_large_shares():
    rows = (SDC, LMR_P, claims.LMR_W, OVER_P, claims.OVER_W)
    levels = {SDC: 50.0, LMR_P: 55.0}
    f1_by_row = {
        cells.row_at_share(row, share): STEPS + levels.get(row, 40.0)
        for row in rows
        for share in cells.SHARES
    }
    # SDC is far behind at 20 %, which no claim is about, and ahead by 8 at each share from 30 % on.
    f1_by_row[cells.row_at_share(SDC, 20)] = STEPS
    for share in range(30, 101, 10):
        f1_by_row[cells.row_at_share(SDC, share)] = STEPS + 63.0
    smallest, large = list(claims._claims_of_sizes(scores_from(f1_by_row)))[::3]
    assert (smallest.gain, large.gain) == pytest.approx((5.0, 8.0))
    assert smallest.verdict == large.verdict == "yes"


@pytest.mark.parametrize(
    ("differ", "verdict"),
    [(False, "yes: no significant difference"), (True, "no: significant difference")],
)
def test_rates_are_tested_for_a_difference(differ, verdict):
    noise = np.random.default_rng(0).permuted(np.tile(np.arange(4.0), (12, 1)), axis=1)
    f1_by_row = {
        cells.row_at_rate(SDC, rate): np.full((3, 4), rate) if differ else noise[:, index]
        for index, rate in enumerate(cells.RATES)
    }
    scores = scores_from({row: f1.reshape(3, 4) for row, f1 in f1_by_row.items()})
    tested_claims = list(claims._claims_of_rates(scores))
    assert {claim.verdict for claim in tested_claims} == {verdict}
    if differ:
        assert tested_claims[0].gain == pytest.approx(999.0)


@pytest.mark.parametrize("n_results", range(1, 6))
def test_rates_are_tested_if_the_same_order_in_all_results_would_be_significant(n_results):
    f1_by_rate = [np.full(n_results, rate) for rate in cells.RATES]
    least = stats.friedmanchisquare(*f1_by_rate).pvalue
    p_value = claims._friedman(f1_by_rate)
    assert p_value == (pytest.approx(least) if least < 0.05 else None)
    p_value_of_equals = claims._friedman([f1_by_rate[0]] * 4)
    assert p_value_of_equals == (None if p_value is None else 1.0)


def test_claims_count_pairs_of_sets(context):
    (table,) = sdc_tables.TABLES["claims"](context)
    assert list(sdc_tables.TABLES)[-1] == "claims"
    assert table.columns == ("confirmed", "better by", "spread")
    assert len(table.rows) == 36
    spreads = {f"{n} of 3 pairs of sets" for n in range(4)} | {None}
    assert {row[-1].value for row in table.entries} <= spreads


# Quick runs.


@pytest.mark.parametrize("name", sdc_tables.TABLES)
def test_quick_tables_use_one_run_of_one_pair(context, tmp_path, name):
    quick = replace(context, quick=True)
    tables = sdc_tables.TABLES[name](quick)
    n_cells = {"fresh": 4, "claims": 12}.get(name, 3)
    assert len(list((tmp_path / "cells").glob("*.json"))) == n_cells
    notes = " ".join(note for table in tables for note in table.notes)
    if name.startswith("figure"):
        assert "over 2 results (pairs of sets: 1; runs" in notes
    assert [table.rows for table in tables] == [
        table.rows for table in sdc_tables.TABLES[name](context)
    ] or name == "claims"


def test_a_quick_run_is_a_part_of_a_full_run():
    assert set(QUICK.pairs) < set(FULL.pairs)
    assert QUICK.n_runs < FULL.n_runs
    assert QUICK.n_fresh < FULL.n_fresh


# Cells.


@pytest.mark.parametrize("name", ["approaches", "stopping", "sizes", "clusterers", "rates"])
def test_a_cell_is_the_same_when_it_is_computed_again(small, monkeypatch, name):
    names = ("Complete linkage", "k-medoids")
    monkeypatch.setattr(cells, "CLUSTERERS", {name: cells.CLUSTERERS[name] for name in names})
    monkeypatch.setattr(cells, "SHARES", (50, 100))
    key = {"table": "t", "kind": "person", "pair": 1, "run": 2, "version": 1}
    compute = getattr(cells, f"compute_{name}")
    values = compute(key, None)
    assert compute(key, None) == values
    first, second = values["folds"]
    assert list(first) == list(second)
    assert first != second
    for scores in first.values():
        assert all(0.0 <= value <= 1.0 for value in scores)


def test_the_best_threshold_on_test_is_no_worse_than_the_tuned_one(small):
    key = {"kind": "location", "pair": 3, "run": 1}
    for fold in cells.compute_approaches(key, None)["folds"]:
        assert fold[SOFT_BEST].f1 >= fold[cells.tuned_row(SOFT)].f1
        assert set(fold) >= {*sdc_tables.IN_PAPER, *sdc_tables.BEYOND}


def test_figures_agree_where_their_settings_are_the_same(small, monkeypatch):
    """Figure 4 uses all names, single linkage and α = 100."""
    monkeypatch.setattr(cells, "SHARES", (100,))
    halves = data.halves_of(None, "organization", 1, 2)
    approaches = cells._score_approaches(*halves, 2)
    rates, sizes = cells._score_rates(*halves, 2), cells._score_sizes(*halves, 2)
    clusterers = cells._score_clusterers(*halves, 2)
    for row in (SDC, BY_F1):
        assert rates[cells.row_at_rate(row, 100.0)] == approaches[row]
        assert clusterers[cells.row_under("Single linkage", row)] == approaches[row]
        assert sizes[cells.row_at_share(row, 100)] == approaches[row]
    assert clusterers[cells.row_under("Single linkage", UNIFORM)] == approaches[UNIFORM]
    assert sizes[cells.row_at_share(LMR_P, 100)] == approaches[LMR_P]
    assert len(clusterers) == len(cells.CLUSTERERS) * len(sdc_tables.COMPARED)


def test_a_real_cell(data_folder):
    if not (data_folder / "entity_names").is_dir():
        pytest.skip("the corpus entity_names is missing from COTERIE_DATA")
    corpus = load_entity_names(data_folder, None, "organization", 1)
    assert [len(item_set) for item_set in corpus.item_sets] == [301, 300]
    key = {"kind": "organization", "pair": 1, "run": 1}
    for fold in cells.compute_approaches(key, data_folder)["folds"]:
        for row in (LMR_P, SDC, BY_F1, UNIFORM, SOFT_BEST):
            assert fold[row].f1 > 0.3


def test_more_names_are_of_other_entities(data_folder):
    if not (data_folder / "entity_names").is_dir():
        pytest.skip("the corpus entity_names is missing from COTERIE_DATA")
    halves = data.halves_of(data_folder, "person", 1, 2)
    ids_of_halves = {name_id for half in halves for name_id in half.names.ids}
    name_sets = data.more_names(data_folder, "person", halves, np.random.default_rng(0))
    assert len(name_sets) == data.MAX_SETS
    ids = [name_id for name_set in name_sets for name_id in name_set.names.ids]
    assert len(set(ids)) == len(ids)
    assert not ids_of_halves & set(ids)
    for name_set in name_sets:
        assert 200 <= len(name_set.truth) <= 500
        columns = name_set.names.items
        labels = name_set.truth.labels.tolist()
        rows = set(zip(columns["name"], columns["doc"], labels, strict=True))
        assert len(rows) == len(name_set.truth)


def test_fresh_names_are_divided_by_entity(data_folder):
    if not (data_folder / "entity_names").is_dir():
        pytest.skip("the corpus entity_names is missing from COTERIE_DATA")
    first, second = data.fresh_names(
        data_folder, "hipe2020", "organization", np.random.default_rng(0)
    )
    corpus = load_source_names(data_folder, "hipe2020", "organization")
    entities = dict(zip(corpus.item_sets[0].ids, corpus.partitions[0].labels.tolist(), strict=True))
    labels_of_halves = [
        [entities[name_id] for name_id in half.names.ids] for half in (first, second)
    ]
    assert not set(labels_of_halves[0]) & set(labels_of_halves[1])
    for half, labels in zip((first, second), labels_of_halves, strict=True):
        assert Partition(labels) == half.truth
        assert len(labels) > 20
    key = {"data": "Organizations, HIPE", "run": 1}
    for fold in sdc_fresh.compute_fresh(key, data_folder)["folds"]:
        assert set(fold) == {
            f"{clusterer}: {row}" for clusterer in remedies.CLUSTERERS for row in sdc_fresh.ROWS
        }
