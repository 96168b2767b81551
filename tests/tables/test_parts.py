"""What a model for tables may hold: the parts that `fit` chooses, with bounded numbers."""

import subprocess
import sys
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from coterie import clusterers, tables
from coterie._core.budgets import time_budget
from coterie.blocking import AllIfSmall, NearestTexts, QGrams, Union
from coterie.blocking.learning import candidate_keys, first_keys
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.learners.auto.candidates import CANDIDATES, Setup, SizeLimit
from coterie.model import _find_class
from coterie.pairs import PairScores
from coterie.similarities import Trees, TreeSimilarity
from coterie.tables import TableModel, saving
from coterie.tables.parts import MOST_KEYS, MOST_NODES_PER_TREE, PARTS, check_model, part
from coterie.tables.sample import Sample, predict_sample
from tests.tables.model_files import change_fields, check_refused, rewrite, table


@pytest.fixture(scope="module")
def model():
    return tables.fit(table(60, 1), cluster="who", learner="logistic")


@pytest.fixture
def file(model, tmp_path):
    model.save(tmp_path / "people.coterie")
    return tmp_path / "people.coterie"


def with_part(model, **parts):
    return replace(model, model=replace(model.model, **parts))


LOAD = """
import sys
from coterie.exceptions import InputError
from coterie.tables import load
try:
    load(sys.argv[1])
except InputError as error:
    print(error)
"""


def as_tree(clusterer):
    """Return a clusterer as it would be in a file."""
    values = {field.name: getattr(clusterer, field.name) for field in fields(clusterer)}
    return {"class": type(clusterer).__name__, "fields": values}


@pytest.mark.parametrize(
    "clusterer",
    [
        clusterers.Pivot(n_init=10**15),
        clusterers.LocalSearch(sweeps=10**15),
        clusterers.KernelKMeans(n_clusters=2, n_init=10**15),
    ],
    ids=lambda clusterer: type(clusterer).__name__,
)
def test_a_clusterer_that_would_never_end_is_refused_when_saved_and_when_loaded(
    model, file, tmp_path, clusterer
):
    name = type(clusterer).__name__
    with pytest.raises(InputError, match=rf"model\.clusterer is a {name}; it must be one of"):
        with_part(model, clusterer=clusterer).save(tmp_path / "m")
    assert not (tmp_path / "m").exists()
    hostile = as_tree(clusterer)
    rewrite(
        file,
        model=change_fields(lambda parts: parts["model"]["fields"].update(clusterer=hostile)),
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", LOAD, str(file)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert f"the model contains a {name}, which is not a part that coterie" in done.stdout


def test_every_class_of_the_list_exists_and_its_checks_are_of_its_fields():
    for name, checks in PARTS.items():
        cls = {"Schema": tables.Schema}.get(name) or _find_class(name)
        if name != "Sample":
            assert checks.keys() <= {field.name for field in fields(cls)}, name


def test_everything_that_fit_can_choose_may_be_saved():
    columns = [f"column {index}" for index in range(8)]
    keys = [*first_keys(columns), *candidate_keys(columns)]
    for start in range(0, len(keys), MOST_KEYS):
        part("AllIfSmall")(AllIfSmall(Union(keys[start : start + MOST_KEYS])), "blocker")
    for limit in (None, SizeLimit(3)):
        setup = Setup(limit=limit)
        for candidate in CANDIDATES:
            for variant in setup.variants(candidate):
                for clusterer in setup.clusterers(variant):
                    part("AverageLinkage", "Greedy")(clusterer, "clusterer")


@pytest.mark.parametrize("learner", ["left-linking", "boosted", "structured"])
def test_models_of_all_learners_can_be_saved(learner, tmp_path):
    rows = table(150, 2)
    model = tables.fit(rows, cluster="who", learner=learner)
    model.save(tmp_path / "m")
    assert tables.load(tmp_path / "m").predict(rows) == model.predict(rows)


def union(key):
    return AllIfSmall(Union([key]))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"blocker": union(QGrams("surname", size=50))}, r"keys\[0\]\.size is 50; it must"),
        ({"blocker": union(NearestTexts(["surname"] * 2))}, "a list without duplicates"),
        ({"blocker": union(NearestTexts("surname", 10**15))}, "n_neighbours is 1000000000000000"),
        ({"blocker": AllIfSmall(AllIfSmall(QGrams("surname")))}, "otherwise is a AllIfSmall"),
        ({"blocker": QGrams("surname")}, "it must be one of AllIfSmall"),
        (
            {"clusterer": clusterers.AverageLinkage(n_clusters=3)},
            "clusterer.n_clusters is 3; it must be as by default",
        ),
        ({"clusterer": clusterers.AverageLinkage(max_size=10**20)}, "max_size is 100000000000000"),
        ({"calibration": None}, "model.calibration is None; it must be one of ClusterCalibration"),
    ],
)
def test_parts_out_of_bounds_are_refused_when_saved(model, tmp_path, parts, message):
    with pytest.raises(InputError, match=message):
        with_part(model, **parts).save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_numbers_out_of_bounds_are_refused_when_loaded(file):
    def change(parts):
        blocker = parts["model"]["fields"]["blocker"]["fields"]
        blocker["otherwise"]["fields"]["keys"] = {
            "tuple": [{"class": "QGrams", "fields": {"column": "surname", "size": 50}}]
        }

    rewrite(file, model=change_fields(change))
    check_refused(file, r"model\.blocker\.otherwise\.keys\[0\]\.size is 50; it must be a whole")


def test_one_huge_tree_is_refused(model):
    # A tree whose inner nodes all have a leaf as their left child.
    n_inner = MOST_NODES_PER_TREE // 2 + 1
    columns, lefts, rights, covers = [], [], [], []
    for index in range(n_inner):
        columns += [0, -1]
        lefts += [2 * index + 1, 0]
        rights += [2 * index + 2, 0]
        covers += [n_inner + 1 - index, 1]
    arrays = (columns, [0.0] * 2 * n_inner, lefts, rights, [0.0] * 2 * n_inner, covers)
    nodes = zip(arrays, (-1, 0, 0, 0, 0, 1), strict=True)
    trees = Trees([0], *([*array, last_leaf] for array, last_leaf in nodes))
    featurizer = model.model.similarity.featurizer
    with pytest.raises(InputError, match="has a tree of 1,003 nodes, but a tree can have 1,000"):
        check_model(with_part(model, similarity=TreeSimilarity(featurizer, trees)))


@dataclass(frozen=True)
class Newer(clusterers.Greedy):
    """A class with a field that the list does not know."""

    size_cost: float = 0.0


def test_a_field_without_a_check_must_have_its_default(monkeypatch):
    monkeypatch.setitem(PARTS, "Newer", {})
    part("Newer")(Newer(), "clusterer")
    with pytest.raises(InputError, match=r"clusterer\.size_cost is 1\.0; it must be as by default"):
        part("Newer")(Newer(1.0), "clusterer")


def test_a_plain_model_may_hold_any_clusterer(tmp_path, model):
    from coterie import Model

    plain = replace(model.model, clusterer=clusterers.Pivot(n_init=3))
    plain.save(tmp_path / "m")
    assert Model.load(tmp_path / "m").clusterer == clusterers.Pivot(n_init=3)


# Samples.


def sample_fields(change):
    return change_fields(lambda parts: change(parts["sample"]["fields"]))


def test_long_cells_and_many_rows_are_refused(file):
    def lengthen(sample):
        sample["columns"]["dict"]["surname"][0] = "x" * 1_001

    rewrite(file, model=sample_fields(lengthen))
    check_refused(file, "sample is damaged: it has too long texts")


def test_rows_of_different_lengths_are_refused(file):
    rewrite(file, model=sample_fields(lambda sample: sample["columns"]["dict"]["surname"].pop()))
    check_refused(file, "the model cannot predict its own sample of rows: ")


@pytest.mark.parametrize("fault", [MemoryError, OSError, ImportError])
def test_a_fault_of_the_machine_is_no_fault_of_the_file(file, monkeypatch, fault):
    def fail(sample, model):
        raise fault("not the file")

    monkeypatch.setattr(Sample, "holds", fail)
    with pytest.raises(fault, match=r"^not the file$"):
        tables.load(file)


def test_a_sample_without_candidate_pairs_is_refused_in_version_2(file):
    rewrite(file, model=sample_fields(lambda sample: sample.pop("candidates")))
    check_refused(file, "checksum|not in the manifest|does not fit the schema")


@pytest.mark.parametrize("name", ["facts", "schema", "sample", "model"])
def test_long_values_are_not_shown(file, name):
    def change(parts):
        node = parts[name]
        node = node.get("dict") or node["fields"]
        node["x" * 100_000] = "y" * 100_000

    rewrite(file, model=change_fields(change))
    with pytest.raises(InputError) as caught:
        tables.load(file)
    assert len(str(caught.value)) - len(str(file)) < 400
    assert "x" * 81 not in str(caught.value)
    assert "y" * 81 not in str(caught.value)


def test_loading_has_a_budget_of_time(file, monkeypatch):
    assert TableModel.load(file)
    monkeypatch.setattr(saving, "LOADING_SECONDS", 0.0)
    with pytest.raises(InputError, match="its own sample of rows: it takes over 0 seconds"):
        TableModel.load(file)


@pytest.mark.parametrize("work", ["keys", "reading", "comparing"])
def test_the_budget_is_checked_in_all_long_work(model, work, monkeypatch):
    sample, parts = model.sample, model.model
    items = ItemSet(dict(sample.columns))
    encoded = parts.similarity.featurizer.encode(items)
    calls = {
        "keys": lambda: predict_sample(parts, sample.columns),
        "reading": lambda: parts.similarity.featurizer.encode(items),
        "comparing": lambda: parts.similarity.featurizer.compare(encoded, None),
    }
    if work == "keys":  # what comes before them takes no time here
        monkeypatch.setattr(type(parts.similarity), "pair_scores", _no_scores)
    with time_budget(0.0), pytest.raises(InputError, match="of processor time"):
        calls[work]()


def _no_scores(similarity, item_set, pairs):
    n_items = len(item_set)
    return PairScores(n_items, None, np.zeros(n_items * (n_items - 1) // 2))
