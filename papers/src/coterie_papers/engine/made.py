"""Tables as they were made, kept on disk, so that those of several runs stand together."""

import json
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from coterie.toolkit import replacing
from coterie_papers.engine.cells import make_folder
from coterie_papers.engine.encoding import decoded
from coterie_papers.engine.provenance import Origin, Origins
from coterie_papers.engine.tables import Table

log = logging.getLogger(__name__)

CLAIMS = "claims"
"""The name of the table that says what a paper claims; it stands first."""

QUICK = "A quick run: less data, fewer folds and settings; not the figures to quote."


class Part(NamedTuple):
    """A table, the name of its files, and whether it has a chart."""

    file: str
    table: Table
    charted: bool


class Made(NamedTuple):
    """What one name of a paper's `TABLES` made: one table or more, and the cells behind them."""

    name: str
    parts: Sequence[Part]
    origins: Origins


@dataclass(frozen=True)
class Results:
    """What is on disk of a paper.

    Parameters
    ----------
    name, title
        Those of the paper.
    folder
        Where its tables are.
    quick
        Whether they are of a quick run.
    made
        Its tables, the claims first.
    missing
        The names of those that are not made yet.
    """

    name: str
    title: str
    folder: Path
    quick: bool
    made: Sequence[Made]
    missing: Sequence[str]

    @classmethod
    def of(cls, name: str, title: str, names: Iterable[str], folder: Path, quick: bool) -> Self:
        """Read the tables of these names; others that are in the folder are none of the paper's."""
        ordered = sorted(names, key=lambda each: each != CLAIMS)
        found = {each: find(folder, each) for each in ordered}
        made = [each for each in found.values() if each is not None]
        missing = [each for each, its in found.items() if its is None]
        return cls(name, title, folder, quick, made, missing)

    @property
    def command(self) -> str:
        """What makes all these tables."""
        return f"coterie reproduce {self.name}{' --quick' * self.quick}"

    @property
    def origins(self) -> Origins:
        """Where the results of all these tables come from."""
        return Origins.union(each.origins for each in self.made)


def keep(folder: Path, name: str, tables: Sequence[Table], cells: Iterable[Path]) -> None:
    """Write tables as CSV and Markdown, their charts as SVG, and all that a page needs as JSON."""
    make_folder(folder)
    files = [name] if len(tables) == 1 else [f"{name}-{n}" for n in range(1, len(tables) + 1)]
    for file, table in zip(files, tables, strict=True):
        _write(table, folder, file)
    kept = {
        "tables": [
            {"file": file, "charted": table.chart is not None, "table": table.to_json()}
            for file, table in zip(files, tables, strict=True)
        ],
        "cells": {path.name: Origin.of(path) for path in sorted(cells)},
    }
    with replacing(folder / f"{name}.json") as stream:
        stream.write(json.dumps(kept, ensure_ascii=False, allow_nan=False).encode())


def find(folder: Path, name: str) -> Made | None:
    """Return what was kept under a name; None where there is nothing, or it is damaged."""
    path = folder / f"{name}.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"), object_hook=decoded)
        parts = [
            Part(each["file"], Table.from_json(each["table"]), each["charted"])
            for each in kept["tables"]
        ]
        origins = Origins({file: Origin(*each) for file, each in kept["cells"].items()})
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        log.warning("%s is damaged (%s) and left out; make the table again", path, error)
        return None
    return Made(name, parts, origins)


def forget(folder: Path, names: Iterable[str]) -> None:
    """Delete all that was written of the tables of these names, and nothing else."""
    files = "|".join(map(re.escape, names))
    written = re.compile(rf"(?:{files})(?:-\d+)?\.(?:csv|md|svg|json)")
    for path in folder.glob("*"):
        if written.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _write(table: Table, folder: Path, file: str) -> None:
    table.to_csv(folder / f"{file}.csv")
    with replacing(folder / f"{file}.md") as stream:
        stream.write(f"{table.to_markdown()}\n".encode())
    chart = folder / f"{file}.svg"
    chart.unlink(missing_ok=True)  # one of other figures, should this one not be drawn
    if table.chart is not None:
        table.chart.write(chart)
