"""The assumptions of a plan: only those that its estimates rest on."""

from dataclasses import replace

import pytest

from coterie import tables
from coterie.blocking import Prefix, Union, WholeValue
from coterie.items import ItemSet
from coterie.tables import Table, plan_fit, plan_predict
from tests.people import people as records


def people(n_rows, seed, n_sets=1):
    columns = records(n_rows, seed, ("surname", "birth_date"), ids=False)
    return columns | {"office": [f"o{row % n_sets}" for row in range(n_rows)]}


@pytest.fixture(scope="module")
def models():
    """Return models by their column of sets; they always use keys."""
    fitted = {
        column: tables.fit(people(120, 0), cluster="who", set=column, learner="logistic")
        for column in (None, "office")
    }
    return {
        column: replace(
            model, model=replace(model.model, blocker=replace(model.model.blocker, limit=0))
        )
        for column, model in fitted.items()
    }


@pytest.mark.parametrize(
    ("n_rows", "n_sets", "growth"),
    [
        (90, 1, None),
        (150, 1, None),
        (300, 1, "between samples of 100 and 200 rows"),
        (400, 2, "between samples of 100 and 171 rows"),  # 171 of the 200 rows are different
        (300, 2, "between samples of 100 and 126 rows"),
        (120, 2, "per row as the largest set"),
    ],
)
def test_pairs_grow_only_where_they_were_not_counted(models, n_rows, n_sets, growth, monkeypatch):
    monkeypatch.setattr("coterie.tables.planning.SAMPLES", (100, 200))
    table = Table(people(n_rows, 1, n_sets))
    plan = plan_predict(table, models[None if n_sets == 1 else "office"])
    first = plan.assumed[0]
    if growth is None:
        assert first.startswith("the times of blocking, comparing and scoring were measured on")
        clustering = models[None].cluster(table)
        # A few more pairs may be compared by a second look.
        assert plan.pairs <= len(clustering.sets[0].item_scores.scores) <= 1.05 * plan.pairs
    else:
        assert growth in first
    assert not any("a set" in line for line in plan.assumed)


@pytest.mark.parametrize(
    ("limit", "column", "text"),
    [
        (4_950, None, None),
        (4_949, None, "a table with over 4,949 pairs needs about 10 comparisons per row"),
        (1_225, "office", None),
        (1_224, "office", "a set with over 1,224 pairs needs about 10 comparisons per row"),
    ],
)
def test_a_plan_of_learning_names_sets_only_if_there_are_any(limit, column, text, monkeypatch):
    monkeypatch.setattr("coterie.tables.learning_plan.ALL_UP_TO", limit)
    table = Table(people(100, 0, 2))
    schema = tables.infer_schema(table.without(["who"]), set=column)
    plan = plan_fit(table, schema)
    if text is None:
        assert plan.pairs == plan.all_pairs
        assert not any("comparisons per row" in line for line in plan.assumed)
    else:
        assert plan.pairs == 1_000
        assert plan.assumed[0] == text


def test_blocks_that_are_too_large_in_the_table_are_too_large_in_its_samples(models, monkeypatch):
    """A plan counts the pairs of blocks as they are capped in the whole table."""
    monkeypatch.setattr("coterie.tables.planning.SAMPLES", (500, 1_500))
    model = models[None]
    blocker = Union([WholeValue("birth_date"), Prefix("surname", 6)], max_block=500)
    blocked = replace(model, model=replace(model.model, blocker=blocker))
    n_rows = 6_000
    table = {
        "id": [str(row) for row in range(n_rows)],
        "surname": [f"{row % 307:03}abc{row}" for row in range(n_rows)],
        "birth_date": [f"19{10 + row % 4}-01-01" for row in range(n_rows)],
        "office": [""] * n_rows,
    }
    plan = plan_predict(Table(table), blocked)
    counted = len(blocker(ItemSet(table)))
    assert 0.7 * counted <= plan.pairs <= 1.5 * counted
