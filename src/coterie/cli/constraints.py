"""Files of must-link and cannot-link pairs."""

from typing import TYPE_CHECKING, TypedDict

from coterie._core.files import STREAM
from coterie._core.texts import pluralize
from coterie.cli.files import refuse_many_streams
from coterie.cli.shown import note

if TYPE_CHECKING:
    from coterie.tables import PairFile


class PairFiles(TypedDict, total=False):
    """The files of pairs that a command names, by parameters of `TableModel.predict`."""

    must_link: "PairFile"
    cannot_link: "PairFile"


def pair_files(table: str, must_link: str | None, cannot_link: str | None) -> PairFiles:
    """Return the files of pairs, as `TableModel.predict` takes them."""
    from coterie.tables import PairFile

    refuse_many_streams(table, must_link, cannot_link)
    files: PairFiles = {}
    if must_link is not None:
        files["must_link"] = PairFile(must_link)
    if cannot_link is not None:
        files["cannot_link"] = PairFile(cannot_link)
    return files


def note_pairs(files: PairFiles) -> None:
    """Report the number of pairs that were used."""
    if "must_link" in files:
        _note("must-link", files["must_link"])
    if "cannot_link" in files:
        _note("cannot-link", files["cannot_link"])


def _note(constraint: str, file: "PairFile") -> None:
    name = "standard input" if file.path == STREAM else file.path
    note(f"used {pluralize(file.n_pairs, f'{constraint} pair')} from {name}")
