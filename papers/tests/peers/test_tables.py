"""The comparison with other tools, on made-up tables: halves, figures and stored cells."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from coterie import Partition
from coterie.clusterers import AverageLinkage
from coterie.datasets import make_records
from coterie.features.operators import to_matrix
from coterie.learners.auto.candidates import SizeLimit
from coterie.learners.auto.decoding import threshold_grid, with_size_cost
from coterie.learners.auto.plan import entity_folds, pool_scores
from coterie.metrics import adjusted_rand_score, b_cubed, pair_scores
from coterie.tables import fit
from coterie.tables.table import Table
from coterie_papers.corpora import PEER_TABLES, load_peers
from coterie_papers.corpora.linkage import PEERS
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.engine.partitions import texts_of
from coterie_papers.peers import cells as peers_cells
from coterie_papers.peers import methods
from coterie_papers.peers import tables as peers
from coterie_papers.peers.data import SEEDS, compare_halves, read_halves
from coterie_papers.peers.methods import METHODS, PAPER_CLUSTERERS, VARIANTS, tune
from coterie_papers.peers.results import (
    PAIR_F1,
    LearnerResult,
    SplitResult,
    requested_runs,
    tool_row,
)
from coterie_papers.peers.tools import TOOL_RUNS, ToolRun, best_tool

DATA = os.environ.get("COTERIE_DATA")
on_data = pytest.mark.skipif(DATA is None, reason="COTERIE_DATA names no folder of corpora")

# Persons in the columns of restaurants, which are compared in the same way.
RENAMED = {"name": "surname", "addr": "email", "city": "phone", "type": "given_name"}
N_ROWS = 220


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a made-up table of restaurants, with a column that reveals the clusters."""
    path = tmp_path_factory.mktemp("data")
    (item_set,), (truth,) = make_records(N_ROWS, random_state=5)
    columns = {name: item_set.items[field] for name, field in RENAMED.items()}
    rows = ["id,name,addr,city,type,phone,cluster_id"]
    for row in range(N_ROWS):
        cells = [f"{columns[name][row] or ''}".replace(",", " ").lower() for name in columns]
        label = truth.labels[row]
        rows.append(",".join([f"x{row}", *cells, f"telling {label}", str(label)]))
    (path / "peers").mkdir()
    with gzip.open(path / "peers" / "restaurant.csv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    compare_halves.cache_clear()
    yield path
    compare_halves.cache_clear()


@pytest.fixture(scope="module")
def cell_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cells")


@pytest.fixture
def context(folder, cell_folder):
    return Context(Cells(cell_folder), folder, n_jobs=1, quick=True)


def test_halves_are_of_other_clusters_and_have_the_columns_of_the_protocol(folder):
    truth = load_peers("restaurant", folder).partitions[0]
    for seed in SEEDS:
        train, test = read_halves("restaurant", folder, seed)
        assert train.names == test.names == ("id", "name", "addr", "city", "type", "cluster_id")
        names = np.array(sorted({*train["cluster_id"], *test["cluster_id"]}))
        np.random.default_rng(seed).shuffle(names)
        train_names = set(names[: len(names) // 2].tolist())
        assert set(train["cluster_id"]) == train_names
        assert set(test["cluster_id"]) == set(names.tolist()) - train_names
        assert len(names) == truth.n_clusters
        assert sorted(train["id"] + test["id"]) == sorted(f"x{row}" for row in range(N_ROWS))
    assert read_halves("restaurant", folder, 0).train != read_halves("restaurant", folder, 1).train


def test_pairs_are_compared_as_in_a_fit(folder):
    """The features are those of the fitted model, of the same rows in another order."""
    train, test = read_halves("restaurant", folder, 0)
    halves = compare_halves("restaurant", folder, 0)
    lengths = [len(half.truths[0]) for half in (halves.train, halves.test)]
    assert lengths == [len(train), len(test)]
    model = fit(train, "cluster_id", learner="logistic")
    (clustered,) = model.cluster(test).sets
    features = model.model.similarity.featurizer(clustered.group.item_set, None)
    (item_set,) = halves.test.item_sets
    expected, actual = to_matrix(features), item_set.items.features
    assert actual.shape[0] == expected.shape[0]
    assert np.allclose(actual.sum(axis=0), _unscaled(model, expected).sum(axis=0))
    assert min(halves.seconds) > 0.0


def _unscaled(model, features):
    scale = getattr(model.model.similarity.featurizer, "scale", None)
    return features if scale is None else features * scale


def test_rows_are_shuffled(folder):
    """Rows of a cluster may be next to each other in files, which ordered decoders would use."""
    truth = compare_halves("restaurant", folder, 0).train.truths[0]
    table = read_halves("restaurant", folder, 0).train
    by_id = sorted(range(len(table)), key=table["id"].__getitem__)
    in_order = Partition([table["cluster_id"][row] for row in by_id])
    assert truth != in_order
    assert sorted(truth.sizes) == sorted(in_order.sizes)


@pytest.mark.parametrize("method", ["logistic", *VARIANTS])
def test_a_cell_of_each_learner(folder, method, monkeypatch):
    sdc, forest = "DiscriminativeClustering", "SpanningForestLearner"
    (variant,) = VARIANTS[sdc]
    short_variant = variant._replace(learner=clone(variant.learner).set_params(max_iter=2))
    monkeypatch.setitem(methods.VARIANTS, sdc, [short_variant])
    monkeypatch.setitem(methods.VARIANTS, forest, VARIANTS[forest][:1])
    key = {"data": "restaurant", "seed": 0, "method": method, "version": 1}
    values = peers_cells.compute_learner(key, folder)
    result = SplitResult.of(values)
    assert result.pair_f1 > 0.8
    assert result.n_true == len(set(read_halves("restaurant", folder, 0).test["cluster_id"]))
    assert min(values["fit"], values["predict"]) > 0.0
    assert result.choice


def test_a_cell_has_the_prediction_of_the_model(folder):
    train, test = read_halves("restaurant", folder, 1)
    values = peers_cells.compute_learner(
        {"data": "restaurant", "seed": 1, "method": "logistic", "version": 1}, folder
    )
    evaluation = fit(train, "cluster_id", learner="logistic").evaluate(test)
    figures = {figure.name: figure.value for figure in evaluation.figures}
    result = SplitResult.of(values)
    assert result.pair_f1 == pytest.approx(figures["pair_scores.f1"])
    assert result.b_cubed == pytest.approx(figures["b_cubed.f1"])
    assert result.rand == pytest.approx(figures["adjusted_rand_score"])
    assert result.n_clusters == evaluation.predicted.n_clusters


def test_the_rule_is_the_best_on_held_out_entities_by_brute_force(folder):
    train = compare_halves("restaurant", folder, 0).train
    tuned = tune("BestLeftLinkLearner", train)
    (variant,) = VARIANTS["BestLeftLinkLearner"]
    (truth,) = train.truths
    limit = SizeLimit.of([truth])
    clusterers = methods.PaperSetup(limit=limit).clusterers(variant)
    values = {}
    for n_passes in variant.lengths:
        learner = clone(variant.learner).set_params(n_passes=n_passes)
        scores = pool_scores(
            [
                fold.held_out[0].scores(learner.fit(*fold.training_examples).to_model())
                for fold in entity_folds(train, [truth.labels], np.array([0]), 5, 0)
            ]
        )
        grid = threshold_grid([scores], [truth])
        costly = [with_size_cost(clusterer, limit, [scores], [truth]) for clusterer in clusterers]
        shifted = [scores.plus(np.full(len(scores.scores), -threshold)) for threshold in grid]
        for clusterer in costly:
            f1_values = [
                b_cubed(truth, clusterer(candidate_scores)).f1 for candidate_scores in shifted
            ]
            for index, threshold in enumerate(grid):
                rule = n_passes, type(clusterer).__name__, threshold
                # The mean over neighbouring thresholds.
                smoothed = np.mean(f1_values[max(index - 2, 0) : index + 3])
                values[rule] = max(values.get(rule, 0.0), smoothed)
    clusterer, threshold = tuned.rule.clusterer, tuned.rule.threshold
    value = values[tuned.learner.n_passes, type(clusterer).__name__, threshold]
    assert value == pytest.approx(max(values.values()))
    assert value > min(values.values())


@pytest.mark.parametrize("lengths", [(1, 1_000_000), (1_000_000, 1)])
def test_the_better_setting_is_chosen_in_any_order(folder, monkeypatch, lengths):
    """With C = 1, nothing is learned."""
    train = compare_halves("restaurant", folder, 0).train
    (variant,) = VARIANTS["SVMCluster"]
    monkeypatch.setitem(methods.VARIANTS, "SVMCluster", [variant._replace(lengths=lengths)])
    tuned = tune("SVMCluster", train)
    assert tuned.learner.C == 1_000_000
    assert tuned.text.startswith("C = 1e+06")


def test_every_learner_of_a_paper_has_its_clusterer():
    for variants in VARIANTS.values():
        for variant in variants:
            clusterers = methods.PaperSetup(limit=SizeLimit(3)).clusterers(variant)
            assert clusterers[0] == PAPER_CLUSTERERS[type(variant.learner)]
            assert AverageLinkage(max_size=3) in clusterers
            assert len(set(clusterers)) == len(clusterers)


@pytest.mark.parametrize("name", peers.TABLES)
def test_tables_are_made(context, name):
    (table,) = peers.TABLES[name](context)
    assert table.data
    assert any("Quick" in note for note in table.notes)
    if name in ("quality", "tables"):
        assert list(table.rows) == ["coterie, logistic", *TOOL_RUNS["restaurant"]]
    if name == "claims":
        tool = "that of LR, complete linkage, tuned"
        assert list(table.rows) == [
            f"restaurant, pair F1: coterie, logistic above 0.957, {tool}",
            f"restaurant, B³ in the first split: coterie, logistic above 0.995, {tool}",
        ]


def test_stored_cells_are_not_computed_again(context, monkeypatch):
    before = peers.TABLES["quality"](context)
    monkeypatch.setattr(peers_cells, "fit_table", None)
    assert peers.TABLES["quality"](context) == before


def test_a_full_run_requests_every_learner_on_every_split(folder, cell_folder, monkeypatch):
    requested = []

    def run(self, keys, compute):
        keys = list(keys)
        requested.extend(keys)
        values = {"truth": "0 0 1", "fit": 1.0, "predict": 2.0, "chosen": "x"}
        return [{**values, "predicted": "0 0 1" if key["seed"] else "0 1 2"} for key in keys]

    monkeypatch.setattr(Context, "run", run)
    context = Context(Cells(cell_folder), folder, n_jobs=1)
    (table,) = peers.TABLES["quality"](context)
    assert len(requested) == len(PEER_TABLES) * len(METHODS) * len(SEEDS)
    assert len({tuple(key.items()) for key in requested}) == len(requested)
    assert table.columns == PEER_TABLES
    assert table.entries[0][0].value == pytest.approx(2 / 3)
    (claims,) = peers.TABLES["claims"](context)
    assert len(claims.rows) == 2 * len(PEER_TABLES)
    assert len(peers.TABLES["tables"](context)) == len(PEER_TABLES)
    assert len(peers.TABLES["chosen"](context)) == len(PEER_TABLES)


def split_result(f1, b3=0.9):
    return SplitResult(f1, b3, 0.0, 10, 12, 1.0, 2.0, "x")


@pytest.mark.parametrize(
    ("data", "f1", "verdict"),
    [
        ("cora", 0.9811, "yes"),
        ("cora", 0.981, "no"),
        ("febrl3", 0.9976, "yes"),
        ("febrl3", 0.9974, "no"),
    ],
)
def test_the_limit_is_exceeded_or_reached(data, f1, verdict):
    result = LearnerResult([split_result(f1 - 0.001), split_result(f1 + 0.001)])
    first, second = peers._claims_of_table(data, {"logistic": result, "auto": result})
    assert first.verdict == f"{verdict}, not tested"
    assert "auto" in first.text
    assert second.verdict == "no, not tested"


def test_limits_are_those_of_the_best_tools():
    limits = {data: TOOL_RUNS[data][best_tool(data)].pair_f1 for data in TOOL_RUNS}
    assert limits == {
        "cora": 0.981, "affiliations": 0.815, "abtbuy": 0.728, "restaurant": 0.957, "febrl3": 0.998,
    }  # fmt: skip
    assert tuple(TOOL_RUNS) == PEER_TABLES
    for runs in TOOL_RUNS.values():
        for run in runs.values():
            assert min(run.pair_f1, run.b_cubed, run.rand) >= 0.0
            assert max(run.pair_f1, run.b_cubed, run.rand) <= 1.0
            assert run.n_splits in (1, 2, 3)


def test_a_row_is_a_mean_over_splits():
    row = LearnerResult([split_result(0.5), split_result(0.7)]).row()
    assert row[PAIR_F1] == pytest.approx(0.6)
    assert row["clusters, true"] == "10, 12"
    assert row["fit, s"] == "1.0"


def test_the_entry_of_a_tool_has_its_number_of_splits():
    row = tool_row(ToolRun(0.9, 2, 0.8, 0.7, 5, None, 1.0), 6)
    assert row[PAIR_F1].note == "n = 2"
    assert (row["clusters, true"], row["fit, s"]) == ("5, 6", None)
    assert tool_row(ToolRun(0.9, 3, 0.8, 0.7, 5, 2.0, 1.0), 6)[PAIR_F1].note == ""


def test_a_split_result_measures_the_prediction():
    truth, predicted = Partition([0, 0, 1, 1, 2]), Partition([0, 0, 0, 1, 2])
    truth_text, predicted_text = texts_of([truth, predicted])
    cell = {"truth": truth_text, "predicted": predicted_text}
    result = SplitResult.of({**cell, "fit": 1.0, "predict": 2.0, "chosen": "x"})
    assert result.pair_f1 == pair_scores(truth, predicted).f1
    assert result.b_cubed == b_cubed(truth, predicted).f1
    assert result.rand == adjusted_rand_score(truth, predicted)
    assert (result.n_clusters, result.n_true) == (3, 3)


def test_a_quick_run_is_small(context):
    assert requested_runs(context) == (("restaurant",), ("logistic",), (0,))


@on_data
@pytest.mark.parametrize("name", PEER_TABLES)
def test_downloaded_tables_have_the_halves_of_the_protocol(name):
    train, test = read_halves(name, Path(DATA or ""), 0)
    assert isinstance(train, Table)
    assert train.names == ("id", *PEERS[name].columns, "cluster_id")
    expected = {"cora": 91, "affiliations": 165, "abtbuy": 538, "restaurant": 376, "febrl3": 1000}
    assert len(set(test["cluster_id"])) == expected[name]
    assert not {*train["cluster_id"]} & {*test["cluster_id"]}
