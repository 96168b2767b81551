"""Parquet files, which are read by pyarrow, an optional dependency."""

import re
from importlib import import_module
from typing import Any

from coterie.exceptions import InputError
from coterie.tables.io import sources
from coterie.tables.io.cells import refuse_long_cells
from coterie.tables.io.frames import text_columns

_INDEX = re.compile(r"__index_level_\d+__")


def parquet_frame(data: bytes) -> Any:
    """Read a Parquet file as a table of pyarrow."""
    arrow, parquet = load_pyarrow()
    file = parquet.ParquetFile(arrow.BufferReader(data))
    _refuse_large(file.metadata)
    return file.read()


def read_parquet(data: bytes, *, long_cells: bool = False) -> dict[str, list[str]]:
    """Read the columns without an index that pandas may have added.

    With `long_cells`, cells may have more than `cells.MAX_CELL` characters.
    """
    arrow, _ = load_pyarrow()
    # Damaged files make pyarrow raise all of these.
    damage = (arrow.ArrowException, OSError, UnicodeError, MemoryError, OverflowError, KeyError)
    try:
        table = parquet_frame(data)
        names = [name for name in table.column_names if not _INDEX.fullmatch(name)]
        columns = text_columns(table.select(names) if len(names) < table.num_columns else table)
    except damage as error:
        reason = str(error).split("\n", 1)[0].rstrip(".")
        raise InputError(f"the Parquet file is damaged ({reason}); write it again") from error
    if not any(columns.values()):
        raise InputError("the table has no rows; it needs at least one")
    if not long_cells:
        refuse_long_cells(columns)
    return columns


def load_pyarrow() -> tuple[Any, Any]:
    """Import pyarrow and its module for Parquet."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except (ImportError, OSError) as error:  # OSError: a shared library is missing
        raise InputError(
            "Parquet files need pyarrow; install it with: pip install 'coterie[parquet]'"
        ) from error


def _refuse_large(metadata: Any) -> None:
    groups = range(metadata.num_row_groups)
    size = sum(metadata.row_group(group).total_byte_size for group in groups)
    if size > sources.MAX_BYTES or metadata.num_rows * metadata.num_columns > sources.MAX_CELLS:
        raise InputError(
            f"the table has {metadata.num_rows:,} rows, {metadata.num_columns:,} columns and "
            f"{size:,} bytes, which is too large; split it into several files"
        )
