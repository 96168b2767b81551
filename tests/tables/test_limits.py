"""Limits on the sizes of clusters and of blocks: shown, changed, and lifted by the user."""

from collections import Counter
from math import inf

import pytest

from coterie.clusterers import AverageLinkage
from coterie.exceptions import InputError
from coterie.tables import Table, fit, write_table
from tests.commands import error_of, run
from tests.people import people

NAMES = ("given_name", "surname", "birth_date", "street", "postcode", "email")


def small_clusters(n_rows, seed):
    """Return a table of people without the third and further rows of each."""
    table = people(n_rows, seed, NAMES)
    counts: Counter[str] = Counter()
    rows = []
    for row, name in enumerate(table["who"]):
        counts[name] += 1
        if counts[name] <= 2:
            rows.append(row)
    return {name: [cells[row] for row in rows] for name, cells in table.items()}


@pytest.fixture(scope="module")
def model():
    """A model of a table whose clusters have at most two rows."""
    return fit(small_clusters(200, 0), "who", learner="logistic")


@pytest.fixture(scope="module")
def files(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    write_table(folder / "train.csv", Table(small_clusters(200, 0)))
    write_table(folder / "new.csv", Table(people(40, 1, NAMES)).without(["who"]))
    model.save(folder / "m.coterie")
    return folder


def test_small_true_clusters_make_larger_ones_cost_more_and_never_impossible(model):
    clusterer = model.model.clusterer
    assert clusterer.max_size == 2
    assert 0.0 < clusterer.size_cost < inf
    assert "no true cluster of the training table has more than 2 different rows" in (
        model.size_limit
    )


def test_commands_show_the_limit_and_how_to_lift_it(files):
    words = ("--cluster", "who", "--learner", "logistic", "-o", files / "again.coterie")
    fitted = run("fit", files / "train.csv", *words)
    predicted = run("predict", files / "m.coterie", files / "new.csv", "-o", files / "out.csv")
    for done in (fitted, predicted):
        assert done.exit_code == 0
        (line,) = [line for line in done.stderr.splitlines() if "2 different rows" in line]
        assert line.startswith("coterie: ")
        assert "--max-size" in line


def test_the_limit_can_be_lifted_when_learning_and_when_predicting(model, files):
    free = fit(small_clusters(200, 0), "who", learner="logistic", max_size="none")
    for unlimited in (free, model.with_limits(max_size="none")):
        assert getattr(unlimited.model.clusterer, "max_size", None) is None
        assert unlimited.size_limit is None
    words = ("predict", files / "m.coterie", files / "new.csv", "-o", files / "free.csv")
    assert "different rows" not in run(*words, "--max-size", "none").stderr


def test_copies_do_not_count(model):
    table = people(30, 2, NAMES)
    base = max(range(30), key=lambda row: sum(bool(table[name][row]) for name in NAMES))
    copied = {name: [*cells, *[cells[base]] * 4] for name, cells in table.items() if name in NAMES}
    predicted = model.with_limits(max_size=2).predict(copied)["cluster_id"]
    assert len({predicted[base], *predicted[30:]}) == 1


def test_a_limit_that_the_user_sets_is_never_exceeded(model):
    table = people(120, 3, NAMES)
    strict = model.with_limits(max_size=1)
    assert "no cluster has more than 1 different row" in strict.size_limit
    rows = list(zip(*(table[name] for name in NAMES), strict=True))
    by_cluster: dict[str, set] = {}
    for row, name in zip(rows, strict.predict(table)["cluster_id"], strict=True):
        by_cluster.setdefault(name, set()).add(row)
    assert max(map(len, by_cluster.values())) == 1


def test_blocks_may_be_larger(model):
    blocker = model.with_limits(max_block=1_000).model.blocker
    assert blocker.otherwise.max_block == 1_000
    assert model.with_limits().model.blocker is model.model.blocker


def test_other_limits_are_refused(model, files):
    with pytest.raises(InputError, match="`max_size=` is 'many'; give a number of rows"):
        model.with_limits(max_size="many")
    words = ("predict", files / "m.coterie", files / "new.csv", "-o", files / "none.csv")
    assert "--max-size is 'many'" in error_of(run(*words, "--max-size", "many"))
    assert isinstance(model.model.clusterer, AverageLinkage)
