"""`coterie plan`."""

from typing import TYPE_CHECKING, Annotated

import typer

from coterie._core.texts import join_with_or
from coterie.cli.options import (
    AsJson,
    ClusterToLearn,
    Format,
    IdColumn,
    Ignore,
    LongCells,
    SetColumn,
    TableFile,
)
from coterie.cli.shown import print_json, print_table
from coterie.exceptions import InputError
from coterie.learners.sampled.efforts import EFFORTS, NORMAL

if TYPE_CHECKING:
    from coterie.tables import Plan

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="A file that `coterie fit` wrote. With it, `coterie predict` is estimated, not "
        "`coterie fit`.",
    ),
]

EffortOption = Annotated[
    str,
    typer.Option(
        "--effort",
        metavar="NAME",
        help=f"The effort of `coterie fit`: {join_with_or(EFFORTS)}.",
    ),
]


def plan(
    table: TableFile,
    model: ModelOption = None,
    cluster: ClusterToLearn = None,
    set_: SetColumn = None,
    id_: IdColumn = None,
    ignore: Ignore = None,
    effort: EffortOption = NORMAL,
    format_: Format = None,
    long_cells: LongCells = False,
    as_json: AsJson = False,
) -> None:
    """Estimate the time and memory that `fit` or `predict` needs."""
    from coterie.tables import infer_schema, load, plan_fit, plan_predict, read_table

    if model is not None and not cluster is set_ is None:
        raise InputError(
            "the model already names the columns of clusters and sets; leave out --cluster and "
            "--set"
        )
    if model is not None and ignore:
        raise InputError("the model already names the columns to compare; leave out --ignore")
    table_model = None if model is None else load(model)
    rows = read_table(table, format=format_, long_cells=long_cells)
    if table_model is None:
        schema = infer_schema(rows, cluster=cluster, set=set_, id=id_, ignore=ignore or ())
        estimate = plan_fit(rows, schema, effort)
    else:
        estimate = plan_predict(rows, table_model, id_)
    if as_json:
        print_json(estimate.to_dict())
    else:
        _print_plan(estimate)


def _print_plan(estimate: "Plan") -> None:
    rows = [
        ("rows", f"{estimate.rows:,}"),
        *([("sets", f"{estimate.sets:,}")] if estimate.sets > 1 else []),
        ("all pairs", f"{estimate.all_pairs:,}"),
        ("pairs to compare", _number_of_pairs(estimate)),
        *((part, _about_seconds(seconds)) for part, seconds in estimate.seconds.items()),
        ("all together", _about_seconds(sum(estimate.seconds.values()))),
        ("memory", f"about {estimate.memory / 1e9:.1f} GB"),
    ]
    print_table(("", "estimate"), rows, " x")
    typer.echo()
    typer.echo("Assumptions:")
    for assumption in estimate.assumed:
        typer.echo(f"- {assumption}")


def _number_of_pairs(estimate: "Plan") -> str:
    """Return the number of pairs to compare; it is exact if all pairs are compared."""
    if estimate.pairs == estimate.all_pairs:
        return f"{estimate.pairs:,}"
    return f"about {float(f'{estimate.pairs:.2g}'):,.0f}"


def _about_seconds(seconds: float) -> str:
    return f"about {seconds:,.0f} s" if seconds >= 10 else f"about {seconds:.1f} s"
