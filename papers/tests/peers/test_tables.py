"""The comparison with other tools, on made-up tables: right halves, right figures, kept."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from coterie import Partition
from coterie.clusterers import AverageLinkage
from coterie.datasets import make_records
from coterie.features.operators import written
from coterie.learners.auto.candidates import size_bound
from coterie.learners.auto.decoding import threshold_grid
from coterie.learners.auto.plan import entity_folds, pool_scores
from coterie.metrics import adjusted_rand_score, b_cubed, pair_scores
from coterie.tables import fit
from coterie.tables.table import Table
from coterie_papers.corpora import PEER_TABLES, load_peers
from coterie_papers.corpora.linkage import PEERS
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.peers import cells as peers_cells
from coterie_papers.peers import methods
from coterie_papers.peers import tables as peers
from coterie_papers.peers.data import SEEDS, compared, halves
from coterie_papers.peers.measured import MEASURED, Measured, best_tool
from coterie_papers.peers.methods import METHODS, OWN, VARIANTS, tuned
from coterie_papers.peers.results import PAIR_F1, Result, Split, asked, tool_row

DATA = os.environ.get("COTERIE_DATA")
on_data = pytest.mark.skipif(DATA is None, reason="COTERIE_DATA names no folder of corpora")

# Persons in the columns of restaurants: what tells them apart is the same.
RENAMED = {"name": "surname", "addr": "email", "city": "phone", "type": "given_name"}
N_ROWS = 220


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write a made-up table in the place of that of restaurants, with a column that tells all."""
    path = tmp_path_factory.mktemp("data")
    (item_set,), (truth,) = make_records(N_ROWS, random_state=5)
    columns = {name: item_set.items[own] for name, own in RENAMED.items()}
    rows = ["id,name,addr,city,type,phone,cluster_id"]
    for row in range(N_ROWS):
        cells = [f"{columns[name][row] or ''}".replace(",", " ").lower() for name in columns]
        label = truth.labels[row]
        rows.append(",".join([f"x{row}", *cells, f"telling {label}", str(label)]))
    (path / "peers").mkdir()
    with gzip.open(path / "peers" / "restaurant.csv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    compared.cache_clear()
    yield path
    compared.cache_clear()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("cells")


@pytest.fixture
def context(folder, kept):
    return Context(Cells(kept), folder, n_jobs=1, quick=True)


def test_halves_are_of_other_clusters_and_have_the_columns_of_the_protocol(folder):
    whole = load_peers("restaurant", folder).partitions[0]
    for seed in SEEDS:
        train, test = halves("restaurant", folder, seed)
        assert train.names == test.names == ("id", "name", "addr", "city", "type", "cluster_id")
        names = np.array(sorted({*train["cluster_id"], *test["cluster_id"]}))
        np.random.default_rng(seed).shuffle(names)
        half = set(names[: len(names) // 2].tolist())
        assert set(train["cluster_id"]) == half
        assert set(test["cluster_id"]) == set(names.tolist()) - half
        assert len(names) == whole.n_clusters
        assert sorted(train["id"] + test["id"]) == sorted(f"x{row}" for row in range(N_ROWS))
    assert halves("restaurant", folder, 0).train != halves("restaurant", folder, 1).train


def test_pairs_are_compared_as_a_fit_does(folder):
    """The features are those of the fitted model, of the same rows in another order."""
    train, test = halves("restaurant", folder, 0)
    own = compared("restaurant", folder, 0)
    assert [len(each.truths[0]) for each in (own.train, own.test)] == [len(train), len(test)]
    model = fit(train, "cluster_id", learner="logistic")
    (clustered,) = model.cluster(test).sets
    features = model.model.similarity.featurizer(clustered.group.item_set, None)
    (item_set,) = own.test.item_sets
    expected, given = written(features), item_set.items.features
    assert given.shape[0] == expected.shape[0]
    assert np.allclose(given.sum(axis=0), _unscaled(model, expected).sum(axis=0))
    assert min(own.seconds) > 0.0


def _unscaled(model, features):
    scale = getattr(model.model.similarity.featurizer, "scale", None)
    return features if scale is None else features * scale


def test_rows_are_shuffled(folder):
    """Files may have the rows of a cluster side by side, which decoders in order would see."""
    own = compared("restaurant", folder, 0).train.truths[0]
    table = halves("restaurant", folder, 0).train
    by_id = sorted(range(len(table)), key=table["id"].__getitem__)
    in_order = Partition([table["cluster_id"][row] for row in by_id])
    assert own != in_order
    assert sorted(own.sizes) == sorted(in_order.sizes)


@pytest.mark.parametrize("method", ["logistic", *VARIANTS])
def test_a_cell_of_each_learner(folder, method, monkeypatch):
    distances, forests = "DiscriminativeClustering", "SpanningForestLearner"
    few = VARIANTS[distances][0]
    few = few._replace(learner=clone(few.learner).set_params(max_iter=2))
    monkeypatch.setitem(methods.VARIANTS, distances, [few])
    monkeypatch.setitem(methods.VARIANTS, forests, VARIANTS[forests][:1])
    key = {"data": "restaurant", "seed": 0, "method": method, "version": 1}
    values = peers_cells.tested(key, folder)
    split = Split.of(values)
    assert split.pair_f1 > 0.8
    assert split.n_true == len(set(halves("restaurant", folder, 0).test["cluster_id"]))
    assert min(values["fit"], values["predict"]) > 0.0
    assert split.chosen


def test_a_cell_is_what_the_model_predicts(folder):
    train, test = halves("restaurant", folder, 1)
    values = peers_cells.tested(
        {"data": "restaurant", "seed": 1, "method": "logistic", "version": 1}, folder
    )
    evaluation = fit(train, "cluster_id", learner="logistic").evaluate(test)
    figures = {each.name: each.value for each in evaluation.figures}
    split = Split.of(values)
    assert split.pair_f1 == pytest.approx(figures["pair_scores.f1"])
    assert split.b_cubed == pytest.approx(figures["b_cubed.f1"])
    assert split.rand == pytest.approx(figures["adjusted_rand_score"])
    assert split.n_clusters == evaluation.predicted.n_clusters


def test_the_point_is_the_best_on_held_out_entities_by_brute_force(folder):
    train = compared("restaurant", folder, 0).train
    found = tuned("BestLeftLinkLearner", train)
    (variant,) = VARIANTS["BestLeftLinkLearner"]
    (truth,) = train.truths
    clusterers = methods.PaperSetup(max_size=size_bound([truth])).clusterers(variant)
    values = {}
    for passes in variant.lengths:
        learner = clone(variant.learner).set_params(n_passes=passes)
        scores = pool_scores(
            [
                fold.held_out[0].scores(learner.fit(*fold.training_examples).to_model())
                for fold in entity_folds(train, [truth.labels], np.array([0]), 5, 0)
            ]
        )
        grid = threshold_grid([scores], [truth])
        for clusterer in clusterers:
            lowered = [scores.plus(np.full(len(scores.scores), -each)) for each in grid]
            reached = [b_cubed(truth, clusterer(each)).f1 for each in lowered]
            for place, threshold in enumerate(grid):
                at = passes, type(clusterer).__name__, threshold
                own = np.mean(reached[max(place - 2, 0) : place + 3])
                values[at] = max(values.get(at, 0.0), own)
    point = found.point
    reached = values[found.learner.n_passes, type(point.clusterer).__name__, point.threshold]
    assert reached == pytest.approx(max(values.values()))
    assert reached > min(values.values())


def test_settings_are_chosen_not_taken(folder, monkeypatch):
    """A setting that learns nothing is passed over, whatever its place."""
    train = compared("restaurant", folder, 0).train
    (svm,) = VARIANTS["SVMCluster"]
    both = [svm._replace(lengths=lengths) for lengths in ((1, 1_000_000), (1_000_000, 1))]
    for variant in both:
        monkeypatch.setitem(methods.VARIANTS, "SVMCluster", [variant])
        found = tuned("SVMCluster", train)
        assert found.learner.C == 1_000_000
        assert found.words.startswith("C = 1e+06")


def test_every_learner_of_a_paper_has_its_clusterer():
    for variants in VARIANTS.values():
        for variant in variants:
            setup = methods.PaperSetup(max_size=3)
            clusterers = setup.clusterers(variant)
            assert clusterers[0] == OWN[type(variant.learner)]
            assert AverageLinkage(max_size=3) in clusterers
            assert len(set(clusterers)) == len(clusterers)


@pytest.mark.parametrize("name", peers.TABLES)
def test_tables_are_made(context, name):
    (table,) = peers.TABLES[name](context)
    assert table.data
    assert any("Quick" in note for note in table.notes)
    if name in ("quality", "tables"):
        assert list(table.rows) == ["coterie, logistic", *MEASURED["restaurant"]]
    if name == "claims":
        bar = "that of LR, complete linkage, tuned"
        assert list(table.rows) == [
            f"restaurant, pair F1: coterie, logistic above 0.957, {bar}",
            f"restaurant, B³ in the first split: coterie, logistic above 0.995, {bar}",
        ]


def test_kept_cells_are_not_computed_again(context, monkeypatch):
    before = peers.TABLES["quality"](context)
    monkeypatch.setattr(peers_cells, "fit_table", None)
    assert peers.TABLES["quality"](context) == before


def test_a_whole_run_asks_for_every_learner_on_every_split(folder, kept, monkeypatch):
    seen = []

    def fake(self, keys, compute):
        keys = list(keys)
        seen.extend(keys)
        one = {"truth": "0 0 1", "fit": 1.0, "predict": 2.0, "chosen": "x"}
        return [{**one, "predicted": "0 0 1" if key["seed"] else "0 1 2"} for key in keys]

    monkeypatch.setattr(Context, "run", fake)
    whole = Context(Cells(kept), folder, n_jobs=1)
    (table,) = peers.TABLES["quality"](whole)
    assert len(seen) == len(PEER_TABLES) * len(METHODS) * len(SEEDS)
    assert len({tuple(key.items()) for key in seen}) == len(seen)
    assert table.columns == PEER_TABLES
    assert table.entries[0][0].value == pytest.approx(2 / 3)
    claims = peers.TABLES["claims"](whole)[0]
    assert len(claims.rows) == 2 * len(PEER_TABLES)
    assert len(peers.TABLES["tables"](whole)) == len(PEER_TABLES)
    assert len(peers.TABLES["chosen"](whole)) == len(PEER_TABLES)


def split(f1, b3=0.9):
    return Split(f1, b3, 0.0, 10, 12, 1.0, 2.0, "x")


@pytest.mark.parametrize(
    ("data", "f1", "verdict"),
    [
        ("cora", 0.9811, "yes"),
        ("cora", 0.981, "no"),
        ("febrl3", 0.9976, "yes"),
        ("febrl3", 0.9974, "no"),
    ],
)
def test_a_bar_is_passed_or_reached(data, f1, verdict):
    result = Result([split(f1 - 0.001), split(f1 + 0.001)])
    first, second = peers._claims_of(data, {"logistic": split, "auto": result})
    assert first.verdict == f"{verdict}, not tested"
    assert "auto" in first.text
    assert second.verdict == "no, not tested"


def test_bars_are_those_of_the_best_tools():
    bars = {data: MEASURED[data][best_tool(data)].pair_f1 for data in MEASURED}
    assert bars == {
        "cora": 0.981, "affiliations": 0.815, "abtbuy": 0.728, "restaurant": 0.957, "febrl3": 0.998,
    }  # fmt: skip
    assert tuple(MEASURED) == PEER_TABLES
    for tools in MEASURED.values():
        for tool in tools.values():
            assert min(tool.pair_f1, tool.b_cubed, tool.rand) >= 0.0
            assert max(tool.pair_f1, tool.b_cubed, tool.rand) <= 1.0
            assert tool.n_splits in (1, 2, 3)


def test_a_row_is_a_mean_over_splits():
    row = Result([split(0.5), split(0.7)]).row()
    assert row[PAIR_F1] == pytest.approx(0.6)
    assert row["clusters, true"] == "10, 12"
    assert row["fit, s"] == "1.0"


def test_a_tool_tells_how_many_splits_it_had():
    row = tool_row(Measured(0.9, 2, 0.8, 0.7, 5, None, 1.0), 6)
    assert row[PAIR_F1].note == "n = 2"
    assert (row["clusters, true"], row["fit, s"]) == ("5, 6", None)
    assert tool_row(Measured(0.9, 3, 0.8, 0.7, 5, 2.0, 1.0), 6)[PAIR_F1].note == ""


def test_a_split_measures_the_prediction():
    truth, found = Partition([0, 0, 1, 1, 2]), Partition([0, 0, 0, 1, 2])
    texts = (" ".join(map(str, each.labels)) for each in (truth, found))
    names = ("truth", "predicted")
    cell = {**dict(zip(names, texts, strict=True)), "fit": 1.0, "predict": 2.0, "chosen": "x"}
    own = Split.of(cell)
    assert own.pair_f1 == pair_scores(truth, found).f1
    assert own.b_cubed == b_cubed(truth, found).f1
    assert own.rand == adjusted_rand_score(truth, found)
    assert (own.n_clusters, own.n_true) == (3, 3)


def test_a_quick_run_is_small(context):
    assert asked(context) == (("restaurant",), ("logistic",), (0,))


@on_data
@pytest.mark.parametrize("name", PEER_TABLES)
def test_tables_that_are_there_have_the_halves_of_the_protocol(name):
    train, test = halves(name, Path(DATA or ""), 0)
    assert isinstance(train, Table)
    assert train.names == ("id", *PEERS[name].columns, "cluster_id")
    expected = {"cora": 91, "affiliations": 165, "abtbuy": 538, "restaurant": 376, "febrl3": 1000}
    assert len(set(test["cluster_id"])) == expected[name]
    assert not {*train["cluster_id"]} & {*test["cluster_id"]}
