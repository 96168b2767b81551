"""The papers' experiments: one module for each paper, with its tables beside ours."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, TypeAlias

from coterie._files import replacing
from coterie.exceptions import InputError
from coterie.experiments.cells import Cells, Context, make_folder
from coterie.experiments.tables import Table

__all__ = ["PAPERS", "Paper", "reproduce", "summary", "tables_of"]

Maker: TypeAlias = Callable[[Context], list[Table]]
"""Makes a table of a paper; the first line of its docstring says what it shows."""


class Paper(NamedTuple):
    """A paper by its title, and the module whose `TABLES` makes its tables by name."""

    title: str
    module: str


PAPERS = {
    "svm-cluster": Paper(
        "Finley & Joachims 2005, Supervised Clustering with Support Vector Machines",
        "coterie.experiments.svm_cluster",
    ),
    "supervised-kmeans": Paper(
        "Finley & Joachims 2008, Supervised k-Means Clustering",
        "coterie.experiments.supervised_kmeans",
    ),
    "left-linking": Paper(
        "Samdani, Chang & Roth 2014, A Discriminative Latent Variable Model for Online Clustering",
        "coterie.experiments.left_linking",
    ),
    "sdc": Paper(
        "Li & Roth 2005, Discriminative Training of Clustering Functions",
        "coterie.experiments.discriminative",
    ),
    "dirichlet": Paper(
        "Daumé & Marcu 2004, Supervised Clustering with the Dirichlet Process",
        "coterie.experiments.dirichlet",
    ),
}


def tables_of(paper: str) -> Mapping[str, Maker]:
    """Return what makes the tables of a paper, by their names; the paper's module is imported.

    >>> tables_of("em")
    Traceback (most recent call last):
    coterie.exceptions.InputError: there is no paper 'em'; give svm-cluster or supervised-kmeans or
    left-linking or sdc or dirichlet
    """
    if paper not in PAPERS:
        raise InputError(f"there is no paper {paper!r}; give {' or '.join(PAPERS)}")
    tables: Mapping[str, Maker] = import_module(PAPERS[paper].module).TABLES
    return tables


def summary(make: Maker) -> str:
    """Return the line that says what a table shows."""
    return (make.__doc__ or "").strip().partition("\n")[0]


def reproduce(
    paper: str,
    only: Iterable[str] = (),
    out: Path = Path("coterie-results"),
    data_folder: Path | None = None,
    n_jobs: int | None = None,
    fresh: bool = False,
) -> Iterator[Table]:
    """Make the tables of a paper one after the other, and write each as soon as it is made.

    Results are kept one by one in `out`/`paper`/cells, from where a run that was stopped goes on;
    the tables are written beside it, as NAME.csv and NAME.md, and their charts as NAME.svg.

    Parameters
    ----------
    paper
        A name of `PAPERS`.
    only
        The names of the tables to make; none stands for all.
    out
        The folder of results.
    data_folder
        The folder of the corpora; None stands for the default one.
    n_jobs
        The number of processes; None takes all cores.
    fresh
        Whether to forget the kept results of the paper first.
    """
    tables = tables_of(paper)
    names = list(dict.fromkeys(only)) or list(tables)
    for name in names:
        if name not in tables:
            raise InputError(f"{paper} has no table {name!r}; give {' or '.join(tables)}")
    cells = Cells(Path(out) / paper / "cells")
    if fresh:
        cells.forget()
    context = Context(cells, data_folder, n_jobs)
    return _made({name: tables[name] for name in names}, context, cells.folder.parent)


def _made(tables: Mapping[str, Maker], context: Context, folder: Path) -> Iterator[Table]:
    for name, make in tables.items():
        made = make(replace(context, task=name))
        for number, table in enumerate(made, 1):
            _write(table, folder, name if len(made) == 1 else f"{name}-{number}")
            yield table


def _write(table: Table, folder: Path, name: str) -> None:
    make_folder(folder)
    table.to_csv(folder / f"{name}.csv")
    with replacing(folder / f"{name}.md") as file:
        file.write(f"{table.to_markdown()}\n".encode())
    if table.chart is not None:
        table.chart.write(folder / f"{name}.svg")
