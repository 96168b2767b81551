"""`coterie fit`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie._core.texts import join_with_or, one_line, pluralize
from coterie.cli.bars import bars
from coterie.cli.files import check_model_target, read_text, refuse_many_streams, refuse_overwriting
from coterie.cli.options import AsJson, Cluster, Format, IdColumn, SetColumn, TableFile
from coterie.cli.shown import note, number, print_json, print_table
from coterie.exceptions import InputError
from coterie.learners.auto.families import AUTO, SLUGS

if TYPE_CHECKING:
    from coterie.learners.auto.learner import Tried
    from coterie.tables import Fitted, TableModel

ModelOut = Annotated[
    str, typer.Option("--output", "-o", metavar="MODEL", help="The file to write the model to.")
]
SchemaFile = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="What columns are, as `coterie init` writes it, edited."),
]
Learner = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"{join_with_or(SLUGS)}.",
        show_default=AUTO,
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="What to be good by: b_cubed, pair_scores, muc or another metric.",
        show_default="b_cubed",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="How long to try learners; else there is no limit."),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="How many processes to use.", show_default="1"),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", help="The seed of all that is drawn.", show_default="0"),
]

ROLES = ("cluster", "set", "id")
OPTIONS = {"learner": "learner", "metric": "metric", "budget": "budget"}
OPTIONS |= {"jobs": "n_jobs", "seed": "random_state"}
"""What a file and flags call the options of `coterie.tables.fit`."""


def fit(  # noqa: PLR0913, PLR0917 - what a command can be told are its parameters
    table: TableFile,
    output: ModelOut,
    cluster: Cluster = None,
    set_: SetColumn = None,
    id_: IdColumn = None,
    schema: SchemaFile = None,
    learner: Learner = None,
    metric: Metric = None,
    budget: Budget = None,
    jobs: Jobs = None,
    seed: Seed = None,
    format_: Format = None,
    as_json: AsJson = False,
) -> None:
    """Learn from a table which of the rows of another belong together."""
    from coterie.tables import fit_table, read_table

    refuse_many_streams(table, schema)
    given = {"cluster": cluster, "set": set_, "id": id_, "learner": learner, "metric": metric}
    settings = _settings(schema, given | {"budget": budget, "jobs": jobs, "seed": seed})
    refuse_overwriting(output, table, schema)
    check_model_target(output)
    read = read_table(table, format=format_)
    with bars(settings.get("n_jobs", 1)):
        fitted = fit_table(read, **settings)
    fitted.model.save(output)
    if as_json:
        print_json({"model": output, **_record(fitted)})
    else:
        _show(fitted)
    note(f"the model is in {output}")


def _settings(schema: str | None, flags: dict[str, Any]) -> dict[str, Any]:
    """Return what `fit_table` is to be told: flags go before the file."""
    from coterie.tables import read_settings

    read = {} if schema is None else read_settings(read_text(schema), schema)
    told = read | {name: value for name, value in flags.items() if value is not None}
    if "cluster" not in told:
        raise InputError("nothing says which rows belong together; name a column by --cluster")
    return {OPTIONS.get(name, name): value for name, value in told.items()}


def _record(fitted: "Fitted") -> dict[str, Any]:
    schema, facts = fitted.model.schema, fitted.model.facts
    roles = {role: getattr(schema, role) for role in ROLES}
    learner = fitted.learner
    return {
        **roles,
        "kinds": dict(schema.kinds),
        **facts,
        "choice": {**_row(learner.choice_), "reason": facts["choice"]["reason"]},
        "tried": [_row(each) for each in learner.table_],
        "seconds": learner.seconds_,
    }


def _row(tried: "Tried") -> dict[str, Any]:
    clusterer = None if tried.clusterer is None else type(tried.clusterer).__name__
    return {**tried._asdict(), "clusterer": clusterer}


def _show(fitted: "Fitted") -> None:
    _show_columns(fitted.model)
    typer.echo()
    _show_blocking(fitted.model.facts)
    typer.echo()
    typer.echo(fitted.learner.report())
    typer.echo()
    _show_reached(fitted.model.facts)


def _show_columns(model: "TableModel") -> None:
    schema = model.schema
    roles = [(getattr(schema, role), role) for role in ("id", "cluster", "set")]
    columns = [(name, role) for name, role in roles if name is not None]
    rows = [(one_line(name), kind) for name, kind in (*columns, *schema.kinds.items())]
    print_table(("column", "kind"), rows)


def _show_blocking(facts: dict[str, Any]) -> None:
    """Say which pairs are looked at, here and in large tables."""
    rows = f"{pluralize(facts['rows'], 'row')} in {pluralize(facts['clusters'], 'cluster')}"
    facts = facts["blocking"]
    which = "all of them" if facts["all_pairs"] else "those found by any of the keys"
    typer.echo(f"{rows}; {pluralize(facts['pairs'], 'pair')} looked at, {which}.")
    typer.echo(
        f"In tables too large for all pairs: {pluralize(len(facts['keys']), 'key')}, which find "
        f"{number(facts['recall'])} of the pairs that belong together, and "
        f"{number(facts['held_out_recall'])} of those of held-out entities."
    )


def _show_reached(facts: dict[str, Any]) -> None:
    if not facts["held_out"]:
        typer.echo("No metrics: the table is too small to hold entities out.")
        return
    rows = [(name, number(value, 4)) for name, value in facts["held_out"].items()]
    print_table(("on held-out entities", "value"), rows, " x")
