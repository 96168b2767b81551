"""`coterie plan`."""

from typing import TYPE_CHECKING, Annotated

import typer

from coterie.cli.options import AsJson, Cluster, Format, IdColumn, SetColumn, TableFile
from coterie.cli.shown import print_json, print_table
from coterie.exceptions import InputError

if TYPE_CHECKING:
    from coterie.tables import Plan

ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="MODEL", help="Estimate `coterie predict` with this model."),
]


def plan(
    table: TableFile,
    model: ModelOption = None,
    cluster: Cluster = None,
    set_: SetColumn = None,
    id_: IdColumn = None,
    format_: Format = None,
    as_json: AsJson = False,
) -> None:
    """Estimate pairs, memory and time before any work: of `coterie fit`, or of `predict`."""
    from coterie.tables import infer_schema, load, plan_fit, plan_predict, read_table

    if model is not None and not cluster is set_ is None:
        raise InputError("--cluster and --set are those of the model; leave them out")
    table_model = None if model is None else load(model)
    read = read_table(table, format=format_)
    if table_model is None:
        found = plan_fit(read, infer_schema(read, cluster=cluster, set_=set_, id_=id_))
    else:
        found = plan_predict(read, table_model, id_)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found)


def _show(found: "Plan") -> None:
    rows = [
        ("rows", f"{found.rows:,}"),
        *([("sets", f"{found.sets:,}")] if found.sets > 1 else []),
        ("all pairs", f"{found.all_pairs:,}"),
        ("pairs to look at", f"about {found.pairs:,}"),
        *((part, f"about {seconds:,.1f} s") for part, seconds in found.seconds.items()),
        ("memory", f"about {found.memory / 1e9:.1f} GB"),
    ]
    print_table(("what", "estimate"), rows, " x")
    typer.echo()
    typer.echo(f"Assumed: {'; '.join(found.assumed)}.")
