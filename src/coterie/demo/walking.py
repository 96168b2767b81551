"""The documented uses of Coterie on small made-up tables, so that each function is compiled.

Which functions are compiled, and for which types of arguments, is known only when they are used.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from coterie.datasets import make_records
from coterie.learners.auto.families import AUTO, SLUGS
from coterie.tables import (
    Table,
    TableModel,
    fit,
    infer_schema,
    load,
    plan_fit,
    plan_predict,
    read_table,
    write_table,
)

CLUSTER = "person"
N_SMALL, N_LARGE = 120, 1_700
"""Numbers of rows: all pairs of the small table are compared, and only some of the large one."""

N_SETS, SET_SIZE = 6, 30
"""A table of several sets, so that whole sets are held out."""

KINDS = {
    "surname": "name",
    "birth_date": "date",
    "street": "text",
    "title": "text",
    "city": "category",
    "postcode": "number",
    "phone": "code",
    "email": "short",
    "words": "tokens",
}
"""Columns of every kind."""


MakeTable: TypeAlias = Callable[[], Table]
Use: TypeAlias = Callable[[TableModel, Table], None]


class Stage(NamedTuple):
    """One part of the walk: its name, and what it does in a folder for files."""

    name: str
    run: Callable[[Path], None]


def stages() -> Iterator[Stage]:
    """Yield the parts of the walk; each is independent of the others."""
    yield Stage("all commands", partial(_learn_and_use, small_table, AUTO, _use))
    yield Stage("sets", partial(_learn_and_use, table_of_sets, AUTO, _use))
    yield Stage("kinds of columns", partial(_learn_and_use, table_of_all_kinds, "logistic", _use))
    for learner in SLUGS:
        if learner != AUTO:
            for size, make_table in (("small", small_table), ("large", large_table)):
                name = f"{learner}, a {size} table"
                yield Stage(name, partial(_learn_and_use, make_table, learner, _use_briefly))


def small_table() -> Table:
    """Return records of people."""
    return _people(N_SMALL)


def large_table() -> Table:
    """Return records of so many people that blocking keys select the pairs to compare."""
    people = _people(N_LARGE, duplicates=0.2)
    names = ("id", "given_name", "surname", "birth_date", "city", CLUSTER)
    return Table({name: people[name] for name in names})


def table_of_sets() -> Table:
    """Return records of people in several sets, with numbers as an image has."""
    people = _people(N_SETS * SET_SIZE)
    numbers = np.random.default_rng(0).random(len(people))
    return Table(
        {
            **{name: people[name] for name in ("id", "given_name", "surname", CLUSTER)},
            "region": [f"region {row // SET_SIZE}" for row in range(len(people))],
            "grey": [f"{number:.2f}" for number in numbers],
        }
    )


def table_of_all_kinds() -> Table:
    """Return a table with a column of every kind, some of them long."""
    people = _people(N_SMALL)
    words = [" ".join(row) for row in zip(people["city"], people["street"], strict=True)]
    titles = [" ".join([text, *people["street"][row : row + 3]]) for row, text in enumerate(words)]
    return Table({**{name: people[name] for name in people.names}, "title": titles, "words": words})


def _people(n_rows: int, duplicates: float = 1.0) -> Table:
    corpus = make_records(n_rows, duplicates=duplicates, random_state=0)
    items, truth = corpus.item_sets[0].items, corpus.partitions[0]
    columns = {name: [value or "" for value in items[name]] for name in items}
    ids = [f"r{row}" for row in range(n_rows)]
    return Table({"id": ids, **columns, CLUSTER: [f"p{label}" for label in truth.labels]})


def _learn_and_use(make_table: MakeTable, learner: str, use: Use, folder: Path) -> None:
    """Learn from a table, write and read the model, and use it."""
    write_table(folder / "table.csv", make_table())
    table = read_table(folder / "table.csv")
    set_ = "region" if "region" in table.names else None
    kinds = KINDS if "words" in table.names else None
    fit(table, CLUSTER, set=set_, kinds=kinds, learner=learner).save(folder / "model.coterie")
    use(load(folder / "model.coterie"), table)


def _use(model: TableModel, table: Table) -> None:
    """Do with a model all that the pages of the documentation do."""
    plan_fit(table, infer_schema(table, cluster=CLUSTER))
    plan_predict(table, model)
    new = table.without([CLUSTER])
    predicted = model.predict(new)
    ids = predicted["id"]
    model.predict(new, must_link=[(ids[0], ids[1])], cannot_link=[(ids[2], ids[3])])
    model.evaluate(table)
    model.explain(new, ids[0], ids[1])
    model.clusters(new)
    model.report(table)


def _use_briefly(model: TableModel, table: Table) -> None:
    """Do with a model what depends on its learner and on the size of the table."""
    predicted = model.predict(table.without([CLUSTER]))
    model.explain(table, *predicted["id"][:2])
