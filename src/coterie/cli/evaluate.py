"""`coterie evaluate`."""

import typer

from coterie._core.texts import pluralize
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.options import (
    AsJson,
    CannotLink,
    Cluster,
    Format,
    IdColumn,
    LongCells,
    MaxBlock,
    MaxSize,
    ModelFile,
    MustLink,
    TableFile,
)
from coterie.cli.shown import (
    note,
    note_divided,
    note_limit,
    note_training_table,
    number,
    print_json,
    print_table,
)


def evaluate(
    model: ModelFile,
    table: TableFile,
    cluster: Cluster = None,
    must_link: MustLink = None,
    cannot_link: CannotLink = None,
    max_block: MaxBlock = None,
    max_size: MaxSize = "auto",
    id_: IdColumn = None,
    format_: Format = None,
    long_cells: LongCells = False,
    as_json: AsJson = False,
) -> None:
    """Cluster a table with known clusters, and measure the result.

    The columns "from" and "to" give a range that holds the true value of a metric with a
    probability of about 95%. It is found by measuring the metric on many random samples of the
    true clusters.
    """
    from coterie.tables import load, read_table

    pairs = pair_files(table, must_link, cannot_link)
    table_model = load(model).with_limits(max_block=max_block, max_size=max_size)
    rows = read_table(table, format=format_, long_cells=long_cells)
    with bars():
        evaluation = table_model.evaluate(rows, cluster, id=id_, **pairs)
    note_training_table(table_model, rows)
    note_pairs(pairs)
    note_limit(table_model)
    note_divided(evaluation.divided)
    if as_json:
        print_json(evaluation.to_dict())
        return
    lines = [
        (
            ", ".join(filter(None, (figure.name, figure.unit))),
            *map(number, (figure.value, figure.low, figure.high)),
        )
        for figure in evaluation.figures
    ]
    print_table(("metric", "value", "from", "to"), lines, " xxx")
    for reason in dict.fromkeys(figure.reason for figure in evaluation.figures if figure.reason):
        names = [figure.name for figure in evaluation.figures if figure.reason == reason]
        typer.echo(f"– stands for unknown in {', '.join(names)}: {reason}.")
    lower = [figure.name for figure in evaluation.figures if not figure.higher_is_better]
    typer.echo(f"Lower is better for {' and '.join(lower)}, higher for all others.")
    note(
        f"{pluralize(len(evaluation.truth), 'row')} in "
        f"{pluralize(evaluation.truth.n_clusters, 'true cluster')}, "
        f"{evaluation.predicted.n_clusters:,} predicted"
    )
