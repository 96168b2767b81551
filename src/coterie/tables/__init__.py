"""Tables: learn from one that says which of its rows belong together, and cluster others."""

from typing import TYPE_CHECKING

__all__ = [
    "Clustering",
    "Evaluation",
    "Explanation",
    "Figure",
    "Schema",
    "Table",
    "TableModel",
    "fit",
    "fit_table",
    "infer_schema",
    "load",
    "read_table",
    "write_table",
]

if TYPE_CHECKING:
    from coterie.tables._clustering import Clustering as Clustering
    from coterie.tables._evaluating import Evaluation as Evaluation
    from coterie.tables._evaluating import Figure as Figure
    from coterie.tables._explaining import Explanation as Explanation
    from coterie.tables._fitting import fit as fit
    from coterie.tables._fitting import fit_table as fit_table
    from coterie.tables._model import TableModel as TableModel
    from coterie.tables._model import load as load
    from coterie.tables._reading import read_table as read_table
    from coterie.tables._schema import Schema as Schema
    from coterie.tables._schema import infer_schema as infer_schema
    from coterie.tables._table import Table as Table
    from coterie.tables._writing import write_table as write_table
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "_clustering": ["Clustering"],
            "_evaluating": ["Evaluation", "Figure"],
            "_explaining": ["Explanation"],
            "_fitting": ["fit", "fit_table"],
            "_model": ["TableModel", "load"],
            "_reading": ["read_table"],
            "_schema": ["Schema", "infer_schema"],
            "_table": ["Table"],
            "_writing": ["write_table"],
        },
    )
