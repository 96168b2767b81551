"""Files of pairs of rows that must be together, or apart."""

from typing import TYPE_CHECKING

from coterie._core.texts import pluralize
from coterie.cli.files import refuse_many_streams
from coterie.cli.shown import note

if TYPE_CHECKING:
    from coterie.tables import PairFile


def pair_files(table: str, together: str | None, apart: str | None) -> "dict[str, PairFile]":
    """Return the files that are named, as `TableModel.predict` takes them."""
    from coterie.tables import PairFile

    refuse_many_streams(table, together, apart)
    files = {"together": together, "apart": apart}
    return {how: PairFile(path) for how, path in files.items() if path is not None}


def note_pairs(files: "dict[str, PairFile]") -> None:
    """Tell how many pairs were held."""
    for how, file in files.items():
        note(f"{pluralize(file.n_pairs, 'pair')} of {file.path} held {how}")
