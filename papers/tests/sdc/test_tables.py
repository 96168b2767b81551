"""The tables of SDC: halves by entity, raw pairs, tables of faked cells, and one real cell."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

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
from coterie_papers.sdc import results as sdc_tables
from coterie_papers.sdc import tables as discriminative
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
    cut,
    raw,
)
from coterie_papers.sdc.data import Names, divided, drawn
from coterie_papers.sdc.results import FULL, KINDS, QUICK, Results, against, results_of

LABELS = np.random.default_rng(0).integers(0, 20, size=60)
WORDS = ["Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gil", "Hana", "Ida", "Jon"]


def named(labels, first_id=0):
    """Make names that tell their cluster, most of the time."""
    rng = np.random.default_rng(first_id)
    names = [
        f"{WORDS[label % 10]} {WORDS[(label * 7) // 10 % 10]}"[: int(rng.integers(5, 12))]
        for label in labels
    ]
    columns = {"name": names, "doc": ["d"] * len(labels), "source": ["s"] * len(labels)}
    return ItemSet(columns, ids=range(first_id, first_id + len(labels)))


def two_sets(folder=None, split=None, kind="person", pair=1):
    """Return two sets without a common entity, other ones for each kind and pair."""
    sizes = {"person": 40, "location": 36, "organization": 44}[kind] + pair
    labels = np.random.default_rng(sizes).integers(0, 15, size=(2, sizes))
    return Corpus(
        [named(labels[0]), named(labels[1] + 15, 1000)],
        [Partition(labels[0]), Partition(labels[1])],
    )


@pytest.fixture
def small(monkeypatch):
    """Put made-up names in the place of the corpus."""
    monkeypatch.setattr(data, "load_entity_names", two_sets)


def entity_of(corpus):
    """Return the entity of each id of a corpus of one pair."""
    return {
        number: (which, int(label))
        for which, (item_set, truth) in enumerate(zip(*corpus, strict=True))
        for number, label in zip(item_set.ids, truth.labels, strict=True)
    }


# Divisions.


def test_run_1_takes_the_two_sets_as_they_come(small):
    given = two_sets()
    found = divided(None, "person", 1, run=1)
    for before, after in zip(given.item_sets, found.item_sets, strict=True):
        assert set(before.ids) == set(after.ids)
        assert before.ids != after.ids  # in another order
        names = dict(zip(before.ids, before.items["name"], strict=True))
        assert names == dict(zip(after.ids, after.items["name"], strict=True))


@pytest.mark.parametrize("run", [1, 2, 3])
@pytest.mark.parametrize("kind", ["person", "location"])
def test_halves_share_no_entity_and_keep_what_is_together(small, run, kind):
    entities = entity_of(two_sets(kind=kind, pair=2))
    halves = divided(None, kind, 2, run)
    owned = [{entities[number] for number in half.ids} for half in halves.item_sets]
    assert not owned[0] & owned[1]
    assert sum(len(half) for half in halves.item_sets) == len(entities)
    for half, truth in zip(*halves, strict=True):
        assert truth == Partition([str(entities[number]) for number in half.ids])


def test_runs_divide_anew_by_halves_and_always_alike(small):
    seen = []
    for run in range(2, 8):
        halves = divided(None, "person", 1, run)
        again = divided(None, "person", 1, run)
        assert [half.ids for half in halves.item_sets] == [half.ids for half in again.item_sets]
        n_first, n_all = len(halves.item_sets[0]), sum(map(len, halves.item_sets))
        largest = max(max(truth.sizes) for truth in halves.partitions)
        assert n_all / 2 <= n_first < n_all / 2 + largest
        seen.append(frozenset(halves.item_sets[0].ids))
    assert len(set(seen)) == len(seen)


def test_whole_clusters_are_drawn_until_a_share_is_reached():
    truth = Partition(LABELS)
    for share in (0.1, 0.5, 0.9):
        kept = drawn(truth, share, np.random.default_rng(1))
        chosen = set(truth.labels[kept])
        assert np.isin(truth.labels, list(chosen)).sum() == len(kept) >= share * 60
        for cluster in chosen:  # without the one drawn last there were too few
            assert np.array_equal(np.flatnonzero(truth.labels == cluster), truth.clusters[cluster])
        smallest = min(truth.sizes[list(chosen)])
        assert len(kept) - max(truth.sizes[list(chosen)]) < share * 60 or smallest == len(kept)
    assert len(drawn(truth, 1.0, np.random.default_rng(1))) == 60
    parts = [set(drawn(truth, share / 10, np.random.default_rng(1))) for share in range(1, 11)]
    assert all(less <= more for less, more in pairwise(parts))


def test_a_part_has_the_features_of_its_pairs(small):
    names, _ = data.halves_of(None, "person", 1, 1)
    kept = np.array([7, 2, 30, 11])
    part = names.part(kept)
    assert part.names.items["name"] == tuple(names.names.items["name"][n] for n in sorted(kept))
    alone = data._compared(part.names, part.truth)
    assert np.array_equal(_dense(part.features), _dense(alone.features))
    assert part.counted.n_clusters == part.truth.n_clusters
    assert part.uncounted.n_clusters is None


def _dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


# Scores.


def fake_names(truth):
    return Names(named(truth.labels), np.zeros((count_pairs(len(truth)), 1)), truth)


def test_raw_scores_of_transitive_pairs_are_those_of_their_partition():
    truth = Partition(LABELS)
    for seed in range(5):
        predicted = Partition(np.random.default_rng(seed).integers(0, 25, size=60))
        assert raw(predicted.together(), fake_names(truth)) == pair_scores(truth, predicted)
    nothing = np.zeros(count_pairs(60), dtype=bool)
    assert raw(nothing, fake_names(truth)).f1 == 0.0


def test_the_best_threshold_has_the_highest_f1():
    rng = np.random.default_rng(3)
    for _ in range(20):
        truth = Partition(rng.integers(0, 6, size=12))
        scores = rng.integers(0, 8, size=count_pairs(12)) / 8 + truth.together() / 4
        names = fake_names(truth)
        found = raw(scores > best_threshold(scores, truth.together()), names).f1
        tried = [raw(scores > at - 1e-6, names).f1 for at in [*np.unique(scores), 99.0]]
        assert found == max(tried)


def test_a_threshold_is_tuned_on_training_pairs_alone():
    train, test = Partition([0, 0, 1, 2]), Partition([0, 1, 1, 2])
    known = PairScores.from_matrix([[0, 3, 1, 1], [3, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]])
    scores = PairScores.from_matrix([[0, 2, 1, 1], [2, 0, 3, 1], [1, 3, 0, 1], [1, 1, 1, 0]])
    assert cut(known, train, scores, fake_names(test)).f1 == 1.0


# Tables.


def fake(key, rows):
    """Compute a cell without learning: another number for each row, fold and division."""
    number = 100 * FULL.pairs.index(key["pair"]) + key["run"] + len(str(key["kind"]))
    return {
        "folds": [
            {row: [0.5, 0.25, (at + 7 * fold + number % 13) / 100] for at, row in enumerate(rows)}
            for fold in range(2)
        ]
    }


def faked(rows, key, folder):
    return fake(key, rows)


@pytest.fixture
def context(tmp_path, monkeypatch):
    """Fake all cells, of two runs."""
    monkeypatch.setattr(sdc_tables, "FULL", FULL._replace(n_runs=2))
    clusterers, approaches = sdc_approaches.CLUSTERERS, discriminative
    rows = {
        "approaches": [*approaches.BEYOND, *approaches.IN_PAPER],
        "stopping": [cells.tuned(SDC), cells.tuned(UNIFORM), OVER_P],
        "sizes": [cells.at_share(r, s) for s in cells.SHARES for r in approaches.LEARNED],
        "algorithms": [cells.under(c, r) for c in clusterers for r in approaches.COMPARED],
        "rates": [cells.at_rate(r, a) for a in cells.RATES for r in (SDC, BY_F1)],
    }
    for name, own in rows.items():
        for module in (discriminative, claims):
            made = partial(faked, own)
            monkeypatch.setattr(module, name, made, raising=False)
    own = [
        name
        for clusterer in remedies.CLUSTERERS
        for row in (f"{clusterer}: {row}" for row in remedies.ROWS)
        for name in (row, f"{row}, on training")
    ]
    monkeypatch.setattr(remedies, "cell", lambda key, folder: fake(key, own))
    fresh = [f"{name}: {row}" for name in remedies.CLUSTERERS for row in sdc_fresh.ROWS]
    other = {"pair": 1, "kind": "person"}
    monkeypatch.setattr(sdc_fresh, "cell", lambda key, folder: fake({**other, **key}, fresh))
    return Context(Cells(tmp_path / "cells"), n_jobs=1)


@pytest.mark.parametrize("name", discriminative.TABLES)
def test_every_table_is_full_and_figures_have_a_chart(context, name):
    tables = discriminative.TABLES[name](context)
    for table in tables:
        for entry in (each for row in table.entries for each in row):
            finite = isinstance(entry.value, float) and np.isfinite(entry.value)
            assert finite or entry.value or name == "claims"
    assert all(table.data for table in tables)
    if name in ("remedies", "fresh", "claims"):
        return
    assert tables[0].chart is not None
    assert b"<svg" in tables[0].chart.to_svg()
    assert list(tables[0].chart.panels) == list(KINDS)


def test_figure_4_has_the_printed_figures_and_the_papers_rows_first(context):
    figure, against_sdc, against_warm, both = discriminative.figure4(context)
    assert figure.rows[:7] == discriminative.IN_PAPER
    shown = dict(zip(figure.columns, figure.entries[figure.rows.index(SDC)], strict=True))
    assert {kind: entry.paper for kind, entry in shown.items()} == {
        "People": 92.7,
        "Locations": 92.4,
        "Organizations": 95.7,
    }
    assert SDC not in against_sdc.rows
    assert WARM not in against_warm.rows
    assert len(against_sdc.rows) == len(against_warm.rows) == 18
    assert both.entries[0][0].value == "50.0 / 25.0"


def test_results_are_collected_by_kind_pair_and_fold(tmp_path):
    context = Context(Cells(tmp_path), n_jobs=1)
    results = results_of(context, "t", lambda key, folder: fake(key, ["a", "b"]))
    assert len(list(tmp_path.glob("*.json"))) == 3 * 3 * FULL.n_runs
    for kind, called in KINDS.items():
        own = results.f1("b", kind)
        assert own.shape == (3, 2 * FULL.n_runs)
        key = {"kind": called, "pair": 3, "run": 4}
        first, second = fake(key, ["a", "b"])["folds"]
        assert own[2, 6:8] == pytest.approx([100 * first["b"][2], 100 * second["b"][2]])
        assert results.mean("a", kind, sdc_tables.PRECISION) == pytest.approx(50.0)


def test_differences_have_the_sign_of_the_first_row_and_count_pairs():
    ours = np.full((3, 4, 3), 60.0) + np.arange(12.0).reshape(3, 4, 1) / 10
    worse, mixed = ours - 5.0, ours.copy()
    mixed[0] += 9.0
    mixed[1] -= 1.0
    of = {
        row: dict.fromkeys(KINDS, values)
        for row, values in {SDC: ours, "worse": worse, "mixed": mixed}.items()
    }
    table = against("t", SDC, Results(of))
    shown = {row: table.entries[number][0] for number, row in enumerate(table.rows)}
    assert shown["worse"].value == pytest.approx(5.0)
    assert shown["worse"].note.endswith("3 of 3")
    assert shown["mixed"].value == pytest.approx(-8.0 / 3)
    assert shown["mixed"].note.endswith("1 of 3")
    # Twelve of twelve: 2/4096, twice for the two rows.
    assert shown["worse"].note.startswith("p < 0.001")


def test_charts_are_written_with_the_tables(context, tmp_path, monkeypatch):
    made = list(reproduce("sdc", ["figure7"], tmp_path / "out", n_jobs=1))
    assert made[0].chart is not None
    first = (tmp_path / "out" / "sdc" / "figure7.svg").read_bytes()
    list(reproduce("sdc", ["figure7"], tmp_path / "out", n_jobs=1, fresh=True))
    assert (tmp_path / "out" / "sdc" / "figure7.svg").read_bytes() == first


# Claims.


def claimed(f1):
    """Return the rows of claims, each with what is seen, of results by the name of their row."""
    of = {
        row: dict.fromkeys(KINDS, np.repeat(np.asarray(values)[..., None], 3, axis=2))
        for row, values in f1.items()
    }
    return Results(of)


STEPS = np.arange(12.0).reshape(3, 4) / 10


def test_a_claim_has_the_sign_of_the_first_and_counts_pairs_of_sets():
    mixed = STEPS + np.array([[9.0], [-1.0], [-1.0]])
    seen = claims._better("t", STEPS, mixed)
    assert seen.gain == pytest.approx(-7.0 / 3)
    assert seen.spread == "2 of 3 pairs of sets"
    seen = claims._better("t", STEPS + 5.0, STEPS)
    assert (seen.verdict, seen.spread) == ("yes", "3 of 3 pairs of sets")
    assert seen.p_value == pytest.approx(2 / 2**12)


def test_the_best_of_several_stands_for_them():
    levels = {SDC: 60.0, claims.OVER_SOFT: 50.0, OVER_P: 61.0, claims.OVER_W: 55.0}
    levels |= {SOFT_BEST: 40.0, LMR_P: 45.0, claims.LMR_W: 59.0}
    found = list(claims._of_approaches(claimed({r: STEPS + at for r, at in levels.items()})))
    assert [seen.text for seen in found[::3]] == [
        "Figure 4, People: SDC better than Clustering over SoftTFIDF",
        "Figure 4, People: SDC better than Clustering over LMR (P)",
        "Figure 4, People: SDC better than LMR classifier (W)",
    ]
    assert [seen.verdict for seen in found[::3]] == ["yes", "no: the reverse", "yes"]
    assert [seen.gain for seen in found[::3]] == pytest.approx([10.0, -1.0, 1.0])


def test_shares_are_taken_alone_at_first_and_in_the_mean_later():
    rows = (SDC, LMR_P, claims.LMR_W, OVER_P, claims.OVER_W)
    level = {SDC: 50.0, LMR_P: 55.0}
    f1 = {
        cells.at_share(row, share): STEPS + level.get(row, 40.0)
        for row in rows
        for share in cells.SHARES
    }
    # Far behind at 20 %, which no claim is about; ahead by 8 at each share from 30 % on.
    f1[cells.at_share(SDC, 20)] = STEPS
    for share in range(30, 101, 10):
        f1[cells.at_share(SDC, share)] = STEPS + 63.0
    few, many = list(claims._of_sizes(claimed(f1)))[::3]
    assert (few.gain, many.gain) == pytest.approx((5.0, 8.0))
    assert few.verdict == many.verdict == "yes"


def test_rates_are_level_or_not():
    noise = np.random.default_rng(0).permuted(np.tile(np.arange(4.0), (12, 1)), axis=1)
    alike = {cells.at_rate(SDC, r): noise[:, n] for n, r in enumerate(cells.RATES)}
    apart = {cells.at_rate(SDC, r): np.full(12, r) for r in cells.RATES}
    for f1, verdict in ((alike, "yes: level"), (apart, "no: they differ")):
        results = claimed({row: values.reshape(3, 4) for row, values in f1.items()})
        seen = list(claims._of_rates(results))
        assert {each.verdict for each in seen} == {verdict}
    assert seen[0].gain == pytest.approx(999.0)


@pytest.mark.parametrize("n_results", range(1, 6))
def test_rates_are_tested_where_one_order_in_all_results_is_significant(n_results):
    reached = [np.full(n_results, rate) for rate in cells.RATES]
    best = stats.friedmanchisquare(*reached).pvalue
    found = claims._friedman(reached)
    assert found == (pytest.approx(best) if best < 0.05 else None)
    same = claims._friedman([reached[0]] * 4)
    assert same == (None if found is None else 1.0)


def test_claims_count_pairs_of_sets(context):
    (table,) = discriminative.TABLES["claims"](context)
    assert list(discriminative.TABLES)[-1] == "claims"
    assert table.columns == ("seen", "better by", "spread")
    assert len(table.rows) == 36
    spreads = {f"{n} of 3 pairs of sets" for n in range(4)} | {None}
    assert {row[-1].value for row in table.entries} <= spreads


# Quick runs.


@pytest.mark.parametrize("name", discriminative.TABLES)
def test_quick_tables_take_one_run_of_one_pair(context, tmp_path, name):
    quick = replace(context, quick=True)
    tables = discriminative.TABLES[name](quick)
    n_cells = {"fresh": 4, "claims": 12}.get(name, 3)
    assert len(list((tmp_path / "cells").glob("*.json"))) == n_cells
    shown = " ".join(note for table in tables for note in table.notes)
    if name.startswith("figure"):
        assert "over 2 results (pairs of sets: 1; runs" in shown
    assert [table.rows for table in tables] == [
        table.rows for table in discriminative.TABLES[name](context)
    ] or name == "claims"


def test_a_quick_run_takes_what_a_full_one_does_first():
    assert set(QUICK.pairs) < set(FULL.pairs)
    assert QUICK.n_runs < FULL.n_runs
    assert QUICK.n_fresh < FULL.n_fresh


# Cells.


@pytest.mark.parametrize("name", ["approaches", "stopping", "sizes", "algorithms", "rates"])
def test_every_cell_is_computed_alike_twice(small, monkeypatch, name):
    quick = {called: cells.CLUSTERERS[called] for called in ("Complete linkage", "k-medoids")}
    monkeypatch.setattr(cells, "CLUSTERERS", quick)
    monkeypatch.setattr(cells, "SHARES", (50, 100))
    key = {"table": "t", "kind": "person", "pair": 1, "run": 2, "version": 1}
    compute = getattr(cells, name)
    found = compute(key, None)
    assert compute(key, None) == found
    first, second = found["folds"]
    assert list(first) == list(second)
    assert first != second
    for scores in first.values():
        assert all(0.0 <= value <= 1.0 for value in scores)


def test_the_best_threshold_on_test_is_no_worse_than_the_tuned_one(small):
    key = {"kind": "location", "pair": 3, "run": 1}
    for fold in cells.approaches(key, None)["folds"]:
        assert fold[SOFT_BEST].f1 >= fold[cells.tuned(SOFT)].f1
        assert set(fold) >= {*discriminative.IN_PAPER, *discriminative.BEYOND}


def test_figures_agree_where_they_ask_the_same(small, monkeypatch):
    """All names, single linkage and α = 100 are what Figure 4 has."""
    monkeypatch.setattr(cells, "SHARES", (100,))
    halves = data.halves_of(None, "organization", 1, 2)
    known = cells._approaches(*halves, 2)
    rates, sizes = cells._rates(*halves, 2), cells._sizes(*halves, 2)
    clusterers = cells._algorithms(*halves, 2)
    for row in (SDC, BY_F1):
        assert rates[cells.at_rate(row, 100.0)] == known[row]
        assert clusterers[cells.under("Single linkage", row)] == known[row]
        assert sizes[cells.at_share(row, 100)] == known[row]
    assert clusterers[cells.under("Single linkage", UNIFORM)] == known[UNIFORM]
    assert sizes[cells.at_share(LMR_P, 100)] == known[LMR_P]
    assert len(clusterers) == len(cells.CLUSTERERS) * len(discriminative.COMPARED)


def test_a_real_cell(data_folder):
    if not (data_folder / "entity_names").is_dir():
        pytest.skip("the corpus entity_names is missing from COTERIE_DATA")
    given = load_entity_names(data_folder, None, "organization", 1)
    assert [len(each) for each in given.item_sets] == [301, 300]
    key = {"kind": "organization", "pair": 1, "run": 1}
    for fold in cells.approaches(key, data_folder)["folds"]:
        for row in (LMR_P, SDC, BY_F1, UNIFORM, SOFT_BEST):
            assert fold[row].f1 > 0.3


def test_more_names_are_of_other_entities(data_folder):
    if not (data_folder / "entity_names").is_dir():
        pytest.skip("the corpus entity_names is missing from COTERIE_DATA")
    halves = data.halves_of(data_folder, "person", 1, 2)
    known = {number for half in halves for number in half.names.ids}
    sets = data.more_names(data_folder, "person", halves, np.random.default_rng(0))
    assert len(sets) == data.MOST_SETS
    found = [number for names in sets for number in names.names.ids]
    assert len(set(found)) == len(found)
    assert not known & set(found)
    for names in sets:
        assert 200 <= len(names.truth) <= 500
        columns = names.names.items
        each = set(zip(columns["name"], columns["doc"], names.truth.labels.tolist(), strict=True))
        assert len(each) == len(names.truth)


def test_fresh_names_are_divided_by_entity(data_folder):
    if not (data_folder / "entity_names").is_dir():
        pytest.skip("the corpus entity_names is missing from COTERIE_DATA")
    first, second = data.fresh_names(
        data_folder, "hipe2020", "organization", np.random.default_rng(0)
    )
    whole = load_source_names(data_folder, "hipe2020", "organization")
    entity = dict(zip(whole.item_sets[0].ids, whole.partitions[0].labels.tolist(), strict=True))
    found = [{entity[number] for number in half.names.ids} for half in (first, second)]
    assert not found[0] & found[1]
    for half in (first, second):
        labels = [entity[number] for number in half.names.ids]
        assert Partition(labels) == half.truth
        assert len(labels) > 20
    key = {"data": "Organizations, HIPE", "run": 1}
    for fold in sdc_fresh.cell(key, data_folder)["folds"]:
        assert set(fold) == {f"{c}: {r}" for c in remedies.CLUSTERERS for r in sdc_fresh.ROWS}
