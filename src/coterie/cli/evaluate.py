"""`coterie evaluate`."""

from coterie._core.texts import pluralize
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.options import (
    Apart,
    AsJson,
    Cluster,
    Format,
    IdColumn,
    ModelFile,
    TableFile,
    Together,
)
from coterie.cli.shown import note, number, print_json, print_table


def evaluate(
    model: ModelFile,
    table: TableFile,
    cluster: Cluster = None,
    together: Together = None,
    apart: Apart = None,
    id_: IdColumn = None,
    format_: Format = None,
    as_json: AsJson = False,
) -> None:
    """Cluster a table that says which rows belong together, and compare.

    The intervals hold the metric in 95 of 100 draws of entities. The column of clusters is that
    of the model, if no other is named.
    """
    from coterie.tables import load, read_table

    pairs = pair_files(table, together, apart)
    table_model = load(model)
    read = read_table(table, format=format_)
    with bars():
        found = table_model.evaluate(read, cluster, id=id_, **pairs)
    note_pairs(pairs)
    if as_json:
        print_json(found.to_dict())
        return
    names = [", ".join(filter(None, (each.name, each.unit))) for each in found.figures]
    rows = [
        (name, *map(number, (each.value, each.low, each.high)))
        for name, each in zip(names, found.figures, strict=True)
    ]
    print_table(("metric", "value", "from", "to"), rows, " xxx")
    note(
        f"{pluralize(len(found.truth), 'row')}; {pluralize(found.truth.n_clusters, 'cluster')}, "
        f"{found.predicted.n_clusters:,} predicted"
    )
