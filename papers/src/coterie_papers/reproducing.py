"""The papers' experiments, one module for each with its tables beside ours, and two of our own."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from coterie.exceptions import InputError
from coterie_papers.engine.cells import Cells, Context
from coterie_papers.engine.index import write_results
from coterie_papers.engine.page import write_page
from coterie_papers.engine.storage import QUICK_NOTE, PaperResults, delete_tables, write_tables
from coterie_papers.engine.tables import Table

__all__ = ["PAPERS", "folder_of", "reproduce", "summary", "tables_of", "title_of"]

Maker: TypeAlias = Callable[[Context], list[Table]]
"""Makes a table of a paper; the first line of its docstring says what it shows."""

PAPERS = {
    "svm-cluster": "coterie_papers.svm_cluster",
    "supervised-kmeans": "coterie_papers.supervised_kmeans",
    "left-linking": "coterie_papers.left_linking",
    "sdc": "coterie_papers.sdc",
    "dirichlet": "coterie_papers.dirichlet",
    "beyond": "coterie_papers.beyond",
    "peers": "coterie_papers.peers",
}
"""The packages of the papers, and last those of what is beyond them and beside others.

The docstring of a package is the title; `TABLES` of its module `tables` makes the tables by name.
"""


def title_of(paper: str) -> str:
    """Return the title of a paper.

    >>> title_of("sdc")
    'Li & Roth 2005, Discriminative Training of Clustering Functions'
    """
    return _first_line(import_module(PAPERS[paper])).removesuffix(".")


def tables_of(paper: str) -> Mapping[str, Maker]:
    """Return what makes the tables of a paper, by their names; the paper's module is imported.

    >>> tables_of("em")
    Traceback (most recent call last):
    coterie.exceptions.InputError: there is no paper 'em'; give svm-cluster or supervised-kmeans or
    left-linking or sdc or dirichlet or beyond or peers
    """
    if paper not in PAPERS:
        raise InputError(f"there is no paper {paper!r}; give {' or '.join(PAPERS)}")
    tables: Mapping[str, Maker] = import_module(f"{PAPERS[paper]}.tables").TABLES
    return tables


def summary(make: Maker) -> str:
    """Return the line that says what a table shows."""
    return _first_line(make)


def folder_of(paper: str, out: Path, quick: bool = False) -> Path:
    """Return where the tables of a paper are written, those of quick runs apart.

    >>> folder_of("sdc", Path("out")).as_posix(), folder_of("sdc", Path("out"), True).as_posix()
    ('out/sdc', 'out/sdc/quick')
    """
    return Path(out, paper, "quick") if quick else Path(out, paper)


def reproduce(
    paper: str,
    only: Iterable[str] = (),
    out: Path = Path("coterie-results"),
    data_folder: Path | None = None,
    n_jobs: int | None = None,
    fresh: bool = False,
    quick: bool = False,
) -> Iterator[Table]:
    """Make the tables of a paper one after the other, and write each as soon as it is made.

    Results are kept one by one in the folder `cells` of `folder_of(paper, out, quick)`, from where
    a run that was stopped goes on; the tables are written beside it, as NAME.csv, NAME.md and
    NAME.json, their charts as NAME.svg, and all that were ever made as one page, index.html. The
    tables of each paper stand together in `out`/results/PAPER.md, and what was seen of all papers
    in `out`/results/index.md, quick runs left out.

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
        Whether to forget the kept results of the paper first, and all tables that were made of
        them: those of quick runs, or the others.
    quick
        Whether to take less of the data, fewer folds and fewer settings, for a first look.
    """
    tables = tables_of(paper)
    names = list(dict.fromkeys(only)) or list(tables)
    for name in names:
        if name not in tables:
            raise InputError(f"{paper} has no table {name!r}; give {' or '.join(tables)}")
    folder = folder_of(paper, out, quick)
    cells = Cells(folder / "cells")
    if fresh and folder.is_dir():
        cells.clear()
        delete_tables(folder, tables)
        _write_overviews(paper, Path(out), quick)
    context = Context(cells, data_folder, n_jobs, quick=quick)
    return _made(paper, {name: tables[name] for name in names}, context, Path(out))


def _made(paper: str, tables: Mapping[str, Maker], context: Context, out: Path) -> Iterator[Table]:
    for number, (name, make) in enumerate(tables.items(), 1):
        task = f"{name} ({number} of {len(tables)})" if len(tables) > 1 else name
        own = replace(context, task=task, cell_paths=set())
        made = [_finished(table, name, own.quick) for table in make(own)]
        write_tables(folder_of(paper, out, own.quick), name, made, own.cell_paths)
        _write_overviews(paper, out, own.quick)
        yield from made


def _write_overviews(paper: str, out: Path, quick: bool) -> None:
    """Write the pages of a paper, and what all papers have given, quick runs left out."""
    results = _results(paper, out, quick)
    write_page(results)
    if not quick:
        write_results(out, results, _all_results(out))


def _finished(table: Table, name: str, quick: bool) -> Table:
    if not table.data:
        raise InputError(
            f"{name} makes the table {table.title!r} without a line on its data; give data"
        )
    return replace(table, notes=(*table.notes, QUICK_NOTE)) if quick else table


def _results(paper: str, out: Path, quick: bool = False) -> PaperResults:
    folder = folder_of(paper, out, quick)
    return PaperResults.read(paper, title_of(paper), tables_of(paper), folder, quick)


def _all_results(out: Path) -> list[PaperResults]:
    found = (_results(paper, out) for paper in PAPERS if folder_of(paper, out).is_dir())
    return [results for results in found if results.groups]


def _first_line(documented: object) -> str:
    return (documented.__doc__ or "").strip().partition("\n")[0]
