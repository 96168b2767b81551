"""Files of pairs of rows that must be together, or apart."""

from typing import TYPE_CHECKING, Any

from coterie.cli.files import refuse_many_streams
from coterie.cli.shown import named, note

if TYPE_CHECKING:
    from coterie.tables import Table, TableModel


class ToldFiles:
    """Pairs of ids, by the files that hold them.

    Parameters
    ----------
    table
        The name of the table, which may be standard input.
    together, apart
        The names of the files, or None where there is none.
    """

    def __init__(self, table: str, together: str | None, apart: str | None) -> None:
        refuse_many_streams(table, together, apart)
        self.files = {"together": together, "apart": apart}
        self.counts: dict[str, int] = {}

    def read(self, model: "TableModel", table: "Table", id_: str | None) -> dict[str, Any]:
        """Read the pairs, as `TableModel.predict` takes them."""
        from coterie.tables.constraints import read_links
        from coterie.tables.groups import row_ids

        there = {how: path for how, path in self.files.items() if path is not None}
        ids = row_ids(table, model.schema_of(table, id_).id) if there else ()
        links = {how: read_links(path, ids) for how, path in there.items()}
        self.counts = {how: len(own) for how, own in links.items()}
        return {how: [(ids[one], ids[two]) for one, two in own] for how, own in links.items()}

    def tell(self) -> None:
        """Tell how many pairs were held."""
        for how, count in self.counts.items():
            note(f"{named(count, 'pair')} of {self.files[how]} held {how}")
