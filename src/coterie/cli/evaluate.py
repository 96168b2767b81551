"""`coterie evaluate`."""

from coterie.cli.bars import bars
from coterie.cli.constraints import ToldFiles
from coterie.cli.files import load_model
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
from coterie.cli.shown import named, note, number, print_json, print_table


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
    from coterie.tables import read_table

    told = ToldFiles(table, together, apart)
    known = load_model(model)
    read = read_table(table, format=format_)
    with bars():
        found = known.evaluate(read, cluster, id=id_, **told.read(known, read, id_))
    told.tell()
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
        f"{named(len(found.truth), 'row')}; {named(found.truth.n_clusters, 'cluster')}, "
        f"{found.predicted.n_clusters:,} predicted"
    )
