"""The tables of a paper on disk, so that a page shows the tables of several runs together."""

import json
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from coterie.toolkit import replacing
from coterie_papers.engine.cells import make_folder
from coterie_papers.engine.encoding import decode_number
from coterie_papers.engine.provenance import Origin, Origins
from coterie_papers.engine.tables import Table

log = logging.getLogger(__name__)

CLAIMS = "claims"
"""The name of the table that lists the claims of a paper. It comes first on a page."""

QUICK_NOTE = "A quick run with less data, fewer folds and fewer settings; do not quote its figures."


class StoredTable(NamedTuple):
    """A table, the name of its files without their endings, and whether it has a chart."""

    file: str
    table: Table
    has_chart: bool


class TableGroup(NamedTuple):
    """The tables that one function of a paper's `TABLES` returned, and the cells behind them."""

    name: str
    tables: Sequence[StoredTable]
    origins: Origins


@dataclass(frozen=True)
class PaperResults:
    """The tables of a paper that are on disk.

    Parameters
    ----------
    name, title
        The name and the title of the paper.
    folder
        The folder of its tables.
    quick
        Whether the tables come from quick runs.
    groups
        The tables, those of the claims first.
    missing
        The names in `TABLES` whose tables are not on disk yet.
    """

    name: str
    title: str
    folder: Path
    quick: bool
    groups: Sequence[TableGroup]
    missing: Sequence[str]

    @classmethod
    def read(cls, name: str, title: str, names: Iterable[str], folder: Path, quick: bool) -> Self:
        """Read the tables with these names; other files in the folder are ignored."""
        ordered = sorted(names, key=lambda group_name: group_name != CLAIMS)
        results = {group_name: read_tables(folder, group_name) for group_name in ordered}
        groups = [group for group in results.values() if group is not None]
        missing = [group_name for group_name, group in results.items() if group is None]
        return cls(name, title, folder, quick, groups, missing)

    @property
    def command(self) -> str:
        """The command that makes all tables of the paper."""
        return f"coterie reproduce {self.name}{' --quick' * self.quick}"

    @property
    def origins(self) -> Origins:
        """The origins of all results in these tables."""
        return Origins.union(group.origins for group in self.groups)


def write_tables(
    folder: Path, name: str, tables: Sequence[Table], cell_paths: Iterable[Path]
) -> None:
    """Write tables as CSV and Markdown, charts as SVG, and all that a page needs as JSON."""
    make_folder(folder)
    files = [name] if len(tables) == 1 else [f"{name}-{n}" for n in range(1, len(tables) + 1)]
    for file, table in zip(files, tables, strict=True):
        _write_files(table, folder, file)
    content = {
        "tables": [
            {"file": file, "charted": table.chart is not None, "table": table.to_json()}
            for file, table in zip(files, tables, strict=True)
        ],
        "cells": {path.name: Origin.of(path) for path in sorted(cell_paths)},
    }
    with replacing(folder / f"{name}.json") as stream:
        stream.write(json.dumps(content, ensure_ascii=False, allow_nan=False).encode())


def read_tables(folder: Path, name: str) -> TableGroup | None:
    """Return the tables that `write_tables` wrote, or None if they are missing or damaged."""
    path = folder / f"{name}.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"), object_hook=decode_number)
        tables = [
            StoredTable(item["file"], Table.from_json(item["table"]), item["charted"])
            for item in content["tables"]
        ]
        origins = Origins({file: Origin(*fields) for file, fields in content["cells"].items()})
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        log.warning("%s is damaged (%s), and is left out; make the table again", path, error)
        return None
    return TableGroup(name, tables, origins)


def delete_tables(folder: Path, names: Iterable[str]) -> None:
    """Delete all files that `write_tables` wrote under these names, and no other files."""
    alternatives = "|".join(map(re.escape, names))
    pattern = re.compile(rf"(?:{alternatives})(?:-\d+)?\.(?:csv|md|svg|json)")
    for path in folder.glob("*"):
        if pattern.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _write_files(table: Table, folder: Path, file: str) -> None:
    table.to_csv(folder / f"{file}.csv")
    with replacing(folder / f"{file}.md") as stream:
        stream.write(f"{table.to_markdown()}\n".encode())
    chart_path = folder / f"{file}.svg"
    # An old chart shows other figures; it must not stay if the new one cannot be drawn.
    chart_path.unlink(missing_ok=True)
    if table.chart is not None:
        table.chart.write(chart_path)
