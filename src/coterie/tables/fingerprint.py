"""A fingerprint of the table from which a model learned, to notice an evaluation on that table."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from coterie.tables.schema import Schema
from coterie.tables.table import Table

BITS = 12
"""Size of a fingerprint: it is too small to tell anything about a row of the table.

Of 4,096 other tables with as many rows, one has the same fingerprint.
"""


def fingerprint(table: Table, schema: Schema) -> int:
    """Return a number that depends on the compared cells of a table, in any order of its rows.

    >>> schema = Schema({"name": "name", "age": "number"})
    >>> table = Table({"age": ["31", "7"], "name": ["Ann", "Bob"], "who": ["a", "b"]})
    >>> fingerprint(table, schema) == fingerprint(table.take([1, 0]), schema)
    True
    """
    columns = [table.columns[name] for name in sorted(schema.columns)]
    # Cells have no NUL. The sum does not depend on the order of rows.
    total = sum(_hash("\0".join(row)) for row in zip(*columns, strict=True))
    return _hash(str(total)) % (1 << BITS)


def is_training_table(table: Table, schema: Schema, facts: Mapping[str, Any]) -> bool:
    """Return whether a table seems to be the one from which a model with these facts learned."""
    return (
        facts.get("rows") == len(table)
        and set(schema.columns) <= set(table.names)
        and facts.get("fingerprint") == fingerprint(table, schema)
    )


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
