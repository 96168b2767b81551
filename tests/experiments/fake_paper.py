"""A tiny paper: three cells, two tables, one of them of two parts."""

import os
import time
from pathlib import Path

from coterie.experiments.tables import Table

KEYS = [{"n": n, "version": 1} for n in range(3)]


def compute(key, data_folder):
    """Square a number, and say in a file of the data folder that it was done."""
    with Path(data_folder, "computed.txt").open("a", encoding="utf-8") as lines:
        lines.write(f"{key['n']}\n")
    time.sleep(float(os.environ.get("FAKE_PAPER_SECONDS", "0")) * key["n"])
    return {"square": float(key["n"] ** 2)}


def squares(context):
    """Squares of small numbers.

    With more to say of them.
    """
    found = context.run(KEYS, compute)
    ours = {
        str(key["n"]): {"square": values["square"]} for key, values in zip(KEYS, found, strict=True)
    }
    return [Table.beside("Squares", ours, {"2": {"square": 4.1}}, notes=["Not all agree."])]


def halves(context):
    """Halves, in two tables."""
    values = context.run(KEYS[1:], compute)
    return [
        Table.beside(f"Half {n}", {"row": {"half": v["square"] / 2}}) for n, v in enumerate(values)
    ]


TABLES = {"table1": squares, "table2": halves}
