"""`coterie fit`."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie._core.texts import join_with_or, one_line, pluralize
from coterie.cli.bars import bars
from coterie.cli.ending import naming_file
from coterie.cli.files import check_model_target, refuse_many_streams, refuse_overwriting
from coterie.cli.options import (
    AsJson,
    ClusterToLearn,
    Format,
    IdColumn,
    Ignore,
    LongCells,
    MaxSizeToLearn,
    SetColumn,
    TableFile,
)
from coterie.cli.runs import ROLES, check_saved, merge_settings
from coterie.cli.shown import (
    note,
    note_divided,
    note_limit,
    noting_leaks,
    number,
    print_json,
    print_table,
)
from coterie.learners.auto.families import AUTO, SLUGS

if TYPE_CHECKING:
    from coterie.learners.auto.choice import Tried
    from coterie.tables import Fitted, Table, TableModel

ModelOut = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The file to write the model to, for example people.coterie.",
    ),
]
SchemaFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="A TOML file with the kinds of the columns and all other settings, as `coterie init` "
        "and --save-schema write it. Options on the command line take precedence; --ignore adds to "
        "the columns that the file ignores.",
    ),
]
SavedSchema = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Write all settings of this run to a TOML file, with which --schema repeats it.",
    ),
]
EffortOption = Annotated[
    str | None,
    typer.Option(
        "--effort",
        metavar="NAME",
        help="How much work to put into learning: quick (about a second per 1,000 rows), normal, "
        "or thorough (all learners and all pairs; ten times as long as normal, or more, and "
        "seldom much better). [default: normal]",
    ),
]
Learner = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"The learning method: {join_with_or(SLUGS)}. {AUTO} tries several, and chooses "
        f"the one that is best at finding clusters left out of training. [default: {AUTO}]",
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The metric by which the learner and its settings are chosen: b_cubed (all rows count "
        "equally), pair_scores (all pairs of rows count equally), or any other metric of "
        "coterie.metrics, such as adjusted_rand_score, muc, lea, blanc or v_measure. "
        "[default: b_cubed]",
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Start no further learner after this many seconds. [default: no limit]",
    ),
]
MinEntities = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="The model holds a hash of a value or word only if at least this many entities share "
        "it. Whoever has the model can find such values by trying. [default: 5]",
    ),
]
SampleRows = Annotated[
    str | None,
    typer.Option(
        metavar="WORD",
        help="The rows that the model holds, to test it whenever it is loaded: made-up (rows that "
        "are made up from the kinds of the columns) or rows (up to 12 rows of the table). "
        "[default: made-up]",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="The number of threads or, with --effort thorough, of processes, at most one per "
        "processor. [default: one per processor]",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", help="The seed of all random choices. [default: 0]"),
]


def fit(
    table: TableFile,
    output: ModelOut,
    cluster: ClusterToLearn = None,
    set_: SetColumn = None,
    id_: IdColumn = None,
    ignore: Ignore = None,
    schema: SchemaFile = None,
    save_schema: SavedSchema = None,
    effort: EffortOption = None,
    learner: Learner = None,
    metric: Metric = None,
    budget: Budget = None,
    max_size: MaxSizeToLearn = None,
    min_entities: MinEntities = None,
    sample: SampleRows = None,
    jobs: Jobs = None,
    seed: Seed = None,
    format_: Format = None,
    long_cells: LongCells = False,
    as_json: AsJson = False,
) -> None:
    """Learn from a table with known clusters how to cluster others.

    A column of the table must hold the true cluster of each row: name it with --cluster, or in the
    --schema file. Each other column is compared according to its kind, such as name, date or
    number; the kinds are inferred.
    """
    from coterie.tables import fit_table, read_table

    refuse_many_streams(table, schema)
    options = {
        "cluster": cluster,
        "set": set_,
        "id": id_,
        "ignore": ignore,
        "effort": effort,
        "learner": learner,
        "metric": metric,
        "budget": budget,
        "max_size": max_size,
        "min_entities": min_entities,
        "sample": sample,
        "jobs": jobs,
        "seed": seed,
        "format": format_,
        "long_cells": long_cells or None,
    }
    run = merge_settings(schema, options)
    arguments = run.arguments
    refuse_overwriting(output, table, schema)
    check_model_target(output)
    check_saved(save_schema, output, table)
    rows = read_table(table, **run.reading)
    with naming_file(schema, run.from_file), bars(), noting_leaks():
        fitted = fit_table(rows, **arguments)
    fitted.model.save(output)
    if save_schema is not None:
        run.save(save_schema, fitted.model.schema, rows.name)
    if as_json:
        print_json({"model": output, **_record(fitted)})
    else:
        _print_fit(fitted)
    _note_doubts(fitted.model, rows)
    note(f"wrote the model to {output}")


def _note_doubts(model: "TableModel", table: "Table") -> None:
    """Print which columns could not be read by their kinds, and whether sets divide clusters."""
    from coterie.tables.divided import DividedClusters
    from coterie.tables.unreadable import unreadable_columns

    for sentence in unreadable_columns(table, model.schema):
        note(sentence)
    facts = model.facts
    note_divided(DividedClusters(facts["divided_clusters"], facts["pairs_across_sets"]))


def _record(fitted: "Fitted") -> dict[str, Any]:
    schema, facts = fitted.model.schema, fitted.model.facts
    roles = {role: getattr(schema, role) for role in ROLES}
    choice = fitted.choice
    return {
        **roles,
        "kinds": dict(schema.kinds),
        **facts,
        "choice": {**_row(choice.chosen), "reason": facts["choice"]["reason"]},
        "tried": [_row(tried) for tried in choice.table],
        "seconds": choice.seconds,
    }


def _row(tried: "Tried") -> dict[str, Any]:
    clusterer = None if tried.clusterer is None else type(tried.clusterer).__name__
    return {**tried._asdict(), "clusterer": clusterer}


def _print_fit(fitted: "Fitted") -> None:
    from coterie.tables.card import contents

    _print_columns(fitted.model)
    typer.echo()
    _print_blocking(fitted.model.facts)
    typer.echo()
    typer.echo(fitted.choice.report())
    typer.echo(
        f"(mean: the mean of {fitted.model.facts['metric']} on held-out entities; std error: the "
        "uncertainty of the difference from the best learner)"
    )
    typer.echo()
    _print_quality(fitted.model.facts)
    note_limit(fitted.model)
    typer.echo()
    typer.echo(" ".join(contents(fitted.model)))


def _print_columns(model: "TableModel") -> None:
    schema = model.schema
    roles = [(getattr(schema, role), role) for role in ("id", "cluster", "set")]
    columns = [(name, role) for name, role in roles if name is not None]
    rows = [(one_line(name), kind) for name, kind in (*columns, *schema.kinds.items())]
    print_table(("column", "kind"), rows)


def _print_blocking(facts: dict[str, Any]) -> None:
    """Print how many pairs were compared, and how pairs of large tables are found."""
    rows = f"{pluralize(facts['rows'], 'row')} in {pluralize(facts['clusters'], 'cluster')}"
    facts = facts["blocking"]
    which = "all pairs" if facts["all_pairs"] else "found by blocking keys"
    typer.echo(f"{rows}; {pluralize(facts['pairs'], 'pair')} compared: {which}.")
    recall, connected = f"{facts['recall']:.1%}", f"{facts['connected']:.1%}"
    chains = (
        "" if recall == connected else f" Chains of them connect {connected} of the true pairs."
    )
    typer.echo(
        "In large tables, only pairs of rows that share one of "
        f"{pluralize(len(facts['keys']), 'blocking key')} will be compared. These pairs "
        f"include {recall} of the true pairs of this table.{chains}"
    )
    if facts["held_out_recall"] is not None:
        typer.echo(
            "Keys that are chosen with one half of its clusters find "
            f"{facts['held_out_recall']:.1%} of the true pairs of the other half."
        )


def _print_quality(facts: dict[str, Any]) -> None:
    if not facts["held_out"]:
        typer.echo("The quality is unknown: the table is too small to hold entities out.")
        return
    rows = [(name, number(value, 4)) for name, value in facts["held_out"].items()]
    print_table(("on held-out entities", "value"), rows, " x")
    if any(math.isnan(value) for value in facts["held_out"].values()):
        typer.echo("– stands for unknown: too few held-out rows truly belong together.")
