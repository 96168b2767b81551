"""The registry of the experiments: five papers, and two experiments that go beyond them."""

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
"""A function that makes tables of a paper; its docstring begins with a line that describes them."""

PAPERS = {
    "svm-cluster": "coterie_papers.svm_cluster",
    "supervised-kmeans": "coterie_papers.supervised_kmeans",
    "left-linking": "coterie_papers.left_linking",
    "sdc": "coterie_papers.sdc",
    "dirichlet": "coterie_papers.dirichlet",
    "beyond": "coterie_papers.beyond",
    "peers": "coterie_papers.peers",
}
"""The packages of the papers by name; the last two hold the experiments beyond the papers.

The docstring of a package is the title of the paper. The mapping `TABLES` in its module `tables`
holds the functions that make the tables, by name.
"""


def title_of(paper: str) -> str:
    """Return the title of a paper.

    >>> title_of("sdc")
    'Li & Roth 2005, Discriminative Training of Clustering Functions'
    """
    return _first_line(import_module(PAPERS[paper])).removesuffix(".")


def tables_of(paper: str) -> Mapping[str, Maker]:
    """Import the package of a paper and return the functions that make its tables, by name.

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
    """Return the line that describes the tables of a function."""
    return _first_line(make)


def folder_of(paper: str, out: Path, quick: bool = False) -> Path:
    """Return the folder of a paper's tables; quick runs have a separate folder.

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

    Each single result is stored in the folder `cells` of `folder_of(paper, out, quick)`, so that a
    stopped run can continue. Beside that folder are the tables as NAME.csv, NAME.md and NAME.json,
    the charts as NAME.svg, and a page with all tables of all runs, index.html. The file
    `out`/results/PAPER.md holds all tables of a paper, and `out`/results/index.md summarises the
    claims of all papers. Quick runs are not part of these two files.

    Parameters
    ----------
    paper
        A name in `PAPERS`.
    only
        The names of the tables to make; if there are none, all tables are made.
    out
        The folder of results.
    data_folder
        The folder of the corpora; None means the default folder.
    n_jobs
        The number of processes; None means all cores.
    fresh
        Whether to delete the stored results and the tables of the paper first. With `quick`, those
        of quick runs are deleted; without it, the others.
    quick
        Whether to use less data, fewer folds and fewer settings, for a first look.
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
        _write_pages(paper, Path(out), quick)
    context = Context(cells, data_folder, n_jobs, quick=quick)
    return _make_tables(paper, {name: tables[name] for name in names}, context, Path(out))


def _make_tables(
    paper: str, functions: Mapping[str, Maker], context: Context, out: Path
) -> Iterator[Table]:
    for number, (name, make) in enumerate(functions.items(), 1):
        task = f"{name} ({number} of {len(functions)})" if len(functions) > 1 else name
        # A new set of cell paths per table, so that a table knows its cells.
        table_context = replace(context, task=task, cell_paths=set())
        quick = context.quick
        tables = [_with_quick_note(table, name, quick) for table in make(table_context)]
        write_tables(folder_of(paper, out, quick), name, tables, table_context.cell_paths)
        _write_pages(paper, out, quick)
        yield from tables


def _write_pages(paper: str, out: Path, quick: bool) -> None:
    """Write the pages of a paper and the index of all papers, which leaves out quick runs."""
    results = _results(paper, out, quick)
    write_page(results)
    if not quick:
        write_results(out, results, _all_results(out))


def _with_quick_note(table: Table, name: str, quick: bool) -> Table:
    if not table.data:
        raise InputError(
            f"{name} makes the table {table.title!r} without a line on its data; set data of the "
            "table"
        )
    return replace(table, notes=(*table.notes, QUICK_NOTE)) if quick else table


def _results(paper: str, out: Path, quick: bool = False) -> PaperResults:
    folder = folder_of(paper, out, quick)
    return PaperResults.read(paper, title_of(paper), tables_of(paper), folder, quick)


def _all_results(out: Path) -> list[PaperResults]:
    papers = (_results(paper, out) for paper in PAPERS if folder_of(paper, out).is_dir())
    return [results for results in papers if results.groups]


def _first_line(documented: object) -> str:
    return (documented.__doc__ or "").strip().partition("\n")[0]
