"""A tiny paper with three cells and three functions: one table, two tables, and the claims."""

import os
import time
from pathlib import Path

from coterie_papers.engine.charts import Bars
from coterie_papers.engine.tables import Table

KEYS = [{"n": n, "version": 1} for n in range(3)]


def compute(key, data_folder):
    """Square a number, and record it in a file of the data folder."""
    with Path(data_folder, "computed.txt").open("a", encoding="utf-8") as lines:
        lines.write(f"{key['n']}\n")
    time.sleep(float(os.environ.get("FAKE_PAPER_SECONDS", "0")) * key["n"])
    return {"square": float(key["n"] ** 2)}


def squares(context):
    """Squares of small numbers.

    The summary of a function is the first line of its docstring only.
    """
    results = context.run(KEYS, compute)
    rows = {
        str(key["n"]): {"square": values["square"]}
        for key, values in zip(KEYS, results, strict=True)
    }
    notes = ["Not all agree.", *(["Less <b>data</b>."] if context.quick else [])]
    published = {"2": {"square": 4.1}, "x & y": {"square": 9}}
    return [
        Table.from_rows("Squares", rows, published, notes=notes, data="the paper's own <numbers>.")
    ]


def halves(context):
    """Halves, in two tables."""
    values = context.run(KEYS[1:], compute)
    charts = [Bars("Halves", ["a"], {"p": {"half": [v["square"] / 2]}}) for v in values]
    return [
        Table.from_rows(f"Half {n}", {"row": {"half": v["square"] / 2}}, data="made.", chart=chart)
        for n, (v, chart) in enumerate(zip(values, charts, strict=True))
    ]


def claims(context):
    """Claims about squares."""
    # Imported here, because the processes that compute import this file but make no claims.
    from coterie_papers.engine.claims import Claim, claims_table

    values = context.run(KEYS, compute)
    squares_claims = [
        Claim("Squares grow", values[2]["square"], 0.01),
        Claim("Squares are equal", 0.0, 0.7, equal=True),
        Claim("Squares shrink", -1.0, 0.3),
        Claim("Squares wobble", 0.1, 0.2),
        Claim("Squares jump", 3.0, 0.01, direction=-1.0),
        Claim("Squares rest", 1.0),
        Claim("Squares run", -1.0),
        Claim("Squares are even", 0.0, equal=True),
        Claim("Not in the paper: squares are square", 1.0),
    ]
    return [claims_table(squares_claims, data="made.")]


TABLES = {"table1": squares, "table2": halves, "claims": claims}
