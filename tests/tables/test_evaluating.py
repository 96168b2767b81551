"""Metrics of tables that cannot show them, their intervals, and clusters that sets divide."""

import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import tables
from coterie.partition import Partition
from coterie.tables.divided import divided_clusters
from coterie.tables.evaluating import _figures
from tests.commands import run
from tests.people import people

LABELS = st.lists(st.integers(0, 5), min_size=1, max_size=10)


def figures_of(truth, predicted):
    figures = _figures(Partition(truth), Partition(predicted))
    return {figure.name: figure for figure in figures}


@settings(max_examples=60)
@given(st.data(), LABELS)
def test_intervals_hold_their_value(data, truth):
    predicted = data.draw(st.lists(st.integers(0, 5), min_size=len(truth), max_size=len(truth)))
    for figure in figures_of(truth, predicted).values():
        if math.isnan(figure.value):
            assert figure.reason
            assert figure.low is figure.high is None
        elif figure.low is not None:
            assert 0.0 <= figure.low <= figure.value <= figure.high <= 1.0


def test_metrics_of_pairs_are_unknown_without_true_pairs():
    figures = figures_of([0, 1, 2, 3], [0, 1, 2, 3])
    unknown = [name for name, figure in figures.items() if math.isnan(figure.value)]
    names = ["precision", "recall", "f1"]
    assert unknown == [*(f"pair_scores.{name}" for name in names), "adjusted_rand_score"]
    assert {figures[name].reason for name in unknown} == {"no two rows truly belong together"}
    assert figures["b_cubed.f1"].value == 1.0
    # A predicted pair is wrong, which is known.
    assert figures_of([0, 1, 2], [0, 0, 1])["pair_scores.precision"].value == 0.0


def test_precision_is_unknown_without_predicted_pairs():
    figures = figures_of([0, 0, 1, 1], [0, 1, 2, 3])
    precision = figures["pair_scores.precision"]
    assert math.isnan(precision.value)
    assert precision.reason == "no two rows were predicted to belong together"
    recall, f1 = figures["pair_scores.recall"], figures["pair_scores.f1"]
    assert (recall.value, recall.low, recall.high) == (0.0, 0.0, 0.0)
    assert (f1.value, f1.low, f1.high) == (0.0, 0.0, 0.0)


def test_one_cluster_with_pairs_gives_no_interval():
    recall = figures_of([0, 0, 0, 1, 2], [0, 0, 1, 2, 3])["pair_scores.recall"]
    assert recall.value == pytest.approx(1 / 3)
    assert recall.low is recall.high is None
    assert "at least two true clusters" in recall.reason


def test_draws_without_pairs_do_not_widen_an_interval():
    # Whatever clusters are drawn, no pair is right.
    precision = figures_of([0, 0, 1, 1, 2, 3], [0, 1, 2, 3, 0, 2])["pair_scores.precision"]
    assert (precision.value, precision.low, precision.high) == (0.0, 0.0, 0.0)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), max_size=12))
def test_pairs_across_sets_are_counted(rows):
    sets = [[f"c{cluster}" for place, cluster in rows if place == number] for number in range(3)]
    divided = divided_clusters(sets)
    pairs = [(a[0] == b[0]) for a, b in combinations(rows, 2) if a[1] == b[1]]
    n_sets = Counter(cluster for _, cluster in set(rows))
    assert divided.n_clusters == sum(count > 1 for count in n_sets.values())
    assert divided.share == (None if not pairs else pytest.approx(pairs.count(False) / len(pairs)))
    assert (divided.note() is None) == (divided.n_clusters == 0)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with a table whose sets divide clusters, and its model."""
    folder = tmp_path_factory.mktemp("tables")
    table = people(90, 0)
    table["town"] = [str(row % 2) for row in range(90)]
    tables.write_table(folder / "people.csv", table)
    done = run(
        *("fit", folder / "people.csv", "--cluster", "who", "--set", "town"),
        *("--learner", "logistic", "-o", folder / "m.coterie"),
    )
    assert done.exit_code == 0, done.output
    return folder, table, done


def test_commands_say_how_many_clusters_the_sets_divide(files):
    folder, table, fitted = files
    sets = [
        [name for name, town in zip(table["who"], table["town"], strict=True) if town == number]
        for number in "01"
    ]
    divided = divided_clusters(sets)
    assert divided.n_clusters > 5
    start = f"coterie: the sets divide {divided.n_clusters} true clusters: {divided.share:.1%} of"
    assert start in fitted.stderr
    facts = tables.load(folder / "m.coterie").facts
    assert (facts["divided_clusters"], facts["pairs_across_sets"]) == divided
    done = run("evaluate", folder / "m.coterie", folder / "people.csv", "--json")
    assert start in done.stderr
    record = json.loads(done.stdout)
    assert record["clusters_divided_by_sets"] == divided.n_clusters
    assert record["true_pairs_across_sets"] == divided.share


def test_evaluate_prints_a_dash_and_the_reason_for_unknown_metrics(files, tmp_path):
    folder, table, _ = files
    firsts = [table["who"].index(name) for name in dict.fromkeys(table["who"])]
    single = {name: [cells[row] for row in firsts] for name, cells in table.items()}
    tables.write_table(tmp_path / "single.csv", single)
    done = run("evaluate", folder / "m.coterie", tmp_path / "single.csv")
    assert done.exit_code == 0, done.output
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("pair_scores.recall"))
    assert line.split() == ["pair_scores.recall", "–", "–", "–"]
    assert "pair_scores.f1, adjusted_rand_score: no two rows truly belong together." in done.stdout
    assert "the sets divide" not in done.stderr
    record = json.loads(
        run("evaluate", folder / "m.coterie", tmp_path / "single.csv", "--json").stdout
    )
    assert record["metrics"]["pair_scores.recall"] == {
        "value": None, "low": None, "high": None, "reason": "no two rows truly belong together"
    }  # fmt: skip


def test_held_out_rows_with_one_true_pair_do_not_measure_pairs():
    names = [f"{a}{b}" for a in "abcdefgh" for b in "klmnopqr"]
    table = {"name": [*names, names[0]], "who": [*map(str, range(len(names))), "0"]}
    facts = tables.fit(table, "who", learner="logistic").facts["held_out"]
    assert facts
    unknown = {name for name, value in facts.items() if np.isnan(value)}
    assert unknown == {name for name in facts if not name.startswith("b_cubed")}
