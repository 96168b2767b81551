"""Tables clustered by statistics: parts of a table have the scores that they have in the whole."""

from dataclasses import replace

import numpy as np
import pytest

from coterie import tables
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.tables import TableStatistics
from coterie.tables.row_order import content_hashes
from tests.people import people

NAMES = ("given_name", "surname", "birth_date", "street", "city", "email")


@pytest.fixture(scope="module", params=["logistic", "boosted"])
def model(request):
    return tables.fit(people(80, 0, NAMES), "who", learner=request.param)


@pytest.fixture(scope="module")
def blocked(model):
    """The same model, whose keys are used in tables of any size."""
    blocker = replace(model.model.blocker, limit=0)
    return replace(model, model=replace(model.model, blocker=blocker))


def rows_of(table, rows):
    return {name: [cells[row] for row in rows] for name, cells in table.items()}


def table_with_copies(seed):
    """Return a table with copies of some rows, blank rows, and rows of one common cell."""
    table = people(60, seed, NAMES)
    del table["who"]
    rng = np.random.default_rng(seed)
    n_rows = len(table["id"])
    table = rows_of(table, [*range(n_rows), *rng.integers(n_rows, size=20)])
    for name in table:
        table[name] += [""] * 3 + (["Rome"] if name == "city" else [""]) * 4
    return table | {"id": [f"i{row:04}" for row in range(len(table["city"]))]}


def parts_of(table, n_parts):
    """Divide the rows by the hashes of their cells, so that copies stay together."""
    parts = content_hashes(ItemSet({name: table[name] for name in NAMES})) % n_parts
    return [rows_of(table, np.flatnonzero(parts == part)) for part in range(n_parts)]


def scores_by_ids(clustering):
    (clustered,) = clustering.sets
    names = np.array(clustering.ids)[clustered.group.rows]
    ends = map(frozenset, names[clustered.scores.pairs].tolist())
    return dict(zip(ends, clustered.scores.scores.tolist(), strict=True))


def test_statistics_do_not_depend_on_order_ids_or_constraints(blocked):
    table = table_with_copies(1)
    statistics = blocked.statistics(table)
    order = np.random.default_rng(0).permutation(len(table["id"]))
    without_ids = {name: cells for name, cells in rows_of(table, order).items() if name != "id"}
    assert blocked.statistics(without_ids) == statistics
    pairs = {"must_link": [("i0000", "i0003")], "cannot_link": [("i0001", "i0070")]}
    clustering = blocked.cluster(table, **pairs)
    assert replace(clustering.statistics, histogram=statistics.histogram) == statistics
    assert blocked.cluster(table).statistics == statistics
    rows = set(zip(*(table[name] for name in NAMES), strict=True))
    assert statistics.n_rows == len(order)
    assert statistics.n_different == len(rows) + 2  # one of three blank rows is in `rows`
    assert statistics.n_pairs > 0


def test_statistics_of_parts_are_those_of_the_table(blocked):
    table = table_with_copies(2)
    total = TableStatistics({name: blocked.schema.kinds[name] for name in blocked.schema.columns})
    for part in parts_of(table, 3):
        total += blocked.statistics(part)
    statistics = blocked.statistics(table)
    assert replace(total, histogram=statistics.histogram) == statistics


@pytest.mark.parametrize("seed", [3, 8, 9])
def test_pairs_of_a_part_have_the_scores_of_the_table(blocked, seed):
    table = table_with_copies(seed)
    whole = blocked.cluster(table)
    expected, n_same, n_other = scores_by_ids(whole), 0, 0
    for part in parts_of(table, 4):
        counted = blocked.cluster(part, statistics=whole.statistics)
        assert counted.statistics is whole.statistics
        scores, alone = scores_by_ids(counted), scores_by_ids(blocked.cluster(part))
        same = scores.keys() & expected.keys()
        assert {pair: scores[pair] for pair in same} == {pair: expected[pair] for pair in same}
        n_same += len(same)
        n_other += sum(alone.get(pair) != scores[pair] for pair in same)
    assert n_same > 50
    # By the statistics of the part alone, many scores are others.
    assert n_other > 0


def test_one_cluster_alone_is_clustered_as_in_the_table(model):
    table = table_with_copies(4)
    whole = model.cluster(table)
    names = np.array(whole.cluster_ids)
    columns = whole.columns()
    (largest, *_) = sorted(set(names), key=lambda name: -np.sum(names == name))
    rows = np.flatnonzero(names == largest)
    assert len(rows) > 2
    part = model.cluster(rows_of(table, rows), statistics=whole.statistics)
    for name in ("cluster_id", "confidence", "linked_to"):
        assert part.columns()[name] == [columns[name][row] for row in rows]


def test_the_same_statistics_change_nothing(blocked):
    table = table_with_copies(5)
    statistics = blocked.statistics(table)
    assert blocked.predict(table, statistics=statistics) == blocked.predict(table)
    explanations = [
        blocked.explain(table, "i0000", "i0001", **options).to_dict()
        for options in ({}, {"statistics": statistics})
    ]
    assert explanations[0] == explanations[1]
    assert blocked.report(table, statistics=statistics) == blocked.report(table)
    assert blocked.clusters(table, statistics=statistics) == blocked.clusters(table)


def test_the_explanation_of_a_pair_has_its_score(blocked):
    table = table_with_copies(6)
    statistics = blocked.statistics(table_with_copies(7))
    clustering = blocked.cluster(table, statistics=statistics)
    for pair, score in [*scores_by_ids(clustering).items()][::50]:
        explanation = blocked.explain(table, *sorted(pair), statistics=statistics)
        assert explanation.score == pytest.approx(score, abs=1e-9)


def test_statistics_of_another_model_are_refused(blocked):
    other = tables.fit(people(30, 0, NAMES[:3]), "who", learner="logistic")
    statistics = other.statistics(people(30, 1, NAMES[:3]))
    with pytest.raises(InputError, match="give statistics that this model has computed"):
        blocked.predict(table_with_copies(1), statistics=statistics)
    empty = TableStatistics(blocked.statistics(table_with_copies(1)).kinds)
    with pytest.raises(InputError, match="give statistics that this model has computed"):
        blocked.predict(table_with_copies(1), statistics=empty)


def test_statistics_are_of_one_set_of_rows():
    table = people(60, 0, NAMES)
    table["region"] = [name[-1] < "5" for name in table["who"]]
    model = tables.fit(table, "who", set="region", learner="logistic")
    for name in ("statistics", "predict"):
        with pytest.raises(InputError, match="2 sets of rows in column 'region'"):
            getattr(model, name)(table, **({"statistics": 3} if name == "predict" else {}))
    assert model.cluster(table).statistics is None
    (one,) = {value for value in table["region"] if value}
    rows = [row for row, region in enumerate(table["region"]) if region == one]
    part = rows_of(table, rows)
    assert model.cluster(part).statistics == model.statistics(part)


def test_an_empty_table_has_statistics(blocked):
    statistics = blocked.statistics({name: [] for name in NAMES})
    assert (statistics.n_rows, statistics.n_different, statistics.n_pairs) == (0, 0, 0)
    table = table_with_copies(1)
    assert statistics + blocked.statistics(table) == blocked.statistics(table)
