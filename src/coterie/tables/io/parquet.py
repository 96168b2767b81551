"""Parquet files, which are read by pyarrow, an optional dependency."""

import re
from importlib import import_module
from typing import Any

from coterie._core.memory import refuse_beyond_memory
from coterie._core.texts import pluralize
from coterie.exceptions import InputError
from coterie.tables.io import sources
from coterie.tables.io.cells import CELL_BYTES, refuse_long_cells
from coterie.tables.io.frames import text_columns

_INDEX = re.compile(r"__index_level_\d+__")


def parquet_frame(data: bytes) -> Any:
    """Read a Parquet file as a table of pyarrow."""
    arrow, parquet = load_pyarrow()
    file = parquet.ParquetFile(arrow.BufferReader(data))
    _refuse_large(file.metadata)
    _refuse_large_texts(data, file)
    return file.read()


def read_parquet(data: bytes, *, long_cells: bool = False) -> dict[str, list[str]]:
    """Read the columns without an index that pandas may have added.

    With `long_cells`, cells may have more than `cells.MAX_CELL` characters.
    """
    arrow, _ = load_pyarrow()
    # Damaged files make pyarrow raise all of these.
    damage = (arrow.ArrowException, OSError, UnicodeError, OverflowError, KeyError)
    try:
        table = parquet_frame(data)
        names = [name for name in table.column_names if not _INDEX.fullmatch(name)]
        columns = text_columns(table.select(names) if len(names) < table.num_columns else table)
    except MemoryError as error:  # before the others: that of pyarrow is one of them, too
        raise InputError(
            f"the Parquet file needs more memory than there is{_reason(error)}: it is too large, "
            "or damaged; split it into several files, or write it again"
        ) from error
    except damage as error:
        raise InputError(f"the Parquet file is damaged{_reason(error)}; write it again") from error
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


def _reason(error: BaseException) -> str:
    """Return the first line of an error in brackets, nothing if it says nothing."""
    reason = str(error).split("\n", 1)[0].rstrip(".")
    return f" ({reason})" if reason else ""


def _refuse_large(metadata: Any) -> None:
    groups = range(metadata.num_row_groups)
    size = sum(metadata.row_group(group).total_byte_size for group in groups)
    n_cells = metadata.num_rows * metadata.num_columns
    if size > sources.MAX_BYTES or n_cells > sources.MAX_CELLS:
        raise InputError(
            f"the table has {metadata.num_rows:,} rows, {metadata.num_columns:,} columns and "
            f"{size:,} bytes, which is too large; split it into several files"
        )
    work = (
        f"a table of {pluralize(metadata.num_rows, 'row')} and "
        f"{pluralize(metadata.num_columns, 'column')}"
    )
    refuse_beyond_memory(CELL_BYTES * n_cells, work, _SPLIT)


_SPLIT = "split the table into several files"


def _refuse_large_texts(data: bytes, file: Any) -> None:
    """Refuse texts that are too large once they are written out.

    A file holds a text once that occurs in many rows, so that a small file can expand to a very
    large table.
    """
    arrow, parquet = load_pyarrow()
    compute = import_module("pyarrow.compute")
    names = [field.name for field in file.schema_arrow if _is_text(arrow, field.type)]
    if not names:
        return
    # As dictionaries, columns stay about as small as they are in the file.
    compact = parquet.ParquetFile(arrow.BufferReader(data), read_dictionary=names)
    n_bytes = 0
    for batch in compact.iter_batches(columns=names):
        for column in filter(lambda column: arrow.types.is_dictionary(column.type), batch.columns):
            lengths = compute.binary_length(column.dictionary)
            n_bytes += compute.sum(compute.take(lengths, column.indices)).as_py() or 0
        if n_bytes > sources.MAX_BYTES:
            raise InputError(
                f"the texts of the table have over {n_bytes:,} bytes, which is too large; {_SPLIT}"
            )
        refuse_beyond_memory(n_bytes, f"a table with over {n_bytes:,} bytes of text", _SPLIT)


def _is_text(arrow: Any, kind: Any) -> bool:
    """Return whether the values of a column are texts, or bytes."""
    kind = kind.value_type if arrow.types.is_dictionary(kind) else kind
    types = arrow.types
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_binary(kind)
        or types.is_large_binary(kind)
    )
