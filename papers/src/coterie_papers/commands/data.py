"""The command `coterie data`: list, describe and check the public corpora."""

import json
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie.cli.bars import bars
from coterie.exceptions import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from coterie_papers.corpora.catalogue import CorpusEntry

app = typer.Typer(
    help="For researchers: list and check the data of the papers.",
    no_args_is_help=True,
)

Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="The folder of the data sets. [default: the environment variable COTERIE_DATA]",
    ),
]
COLORS = {"ok": "green", "wrong": "red", "missing": "yellow"}
HINT = "`coterie data show NAME` shows the source and the content of each file."
DATA = {
    "same": "the data of a paper",
    "near": "a stand-in for the data of a paper",
    "extra": "not from a paper",
}


@app.command("list")
def list_corpora(
    data: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all facts as JSON.")] = False,
) -> None:
    """List the data sets with their state, size, content and licence."""
    from rich.console import Console

    from coterie_papers.corpora.catalogue import CATALOGUE

    entries = list(CATALOGUE.values())
    if as_json:
        typer.echo(json.dumps([_record(entry, data) for entry in entries], indent=2))
        return
    Console().print(_table(entries, data))
    missing = [line for entry in entries for line in _origins(entry, entry.missing(data))]
    if missing:
        typer.echo("\nMissing files, and what they are made from:")
        typer.echo("\n".join(_wrapped(line, indent=4, first="  ") for line in missing))
        typer.echo(f"\n{HINT}")


@app.command()
def show(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="The names of data sets.")],
    data: Folder = None,
) -> None:
    """Show all facts about data sets: the content of each file, and how to read it."""
    for number, entry in enumerate(_entries(names)):
        typer.echo("\n" * (number > 0) + "\n".join(_details(entry, data)))


@app.command()
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="The names of data sets. [default: all]"),
    ] = None,
    data: Folder = None,
) -> None:
    """Read data sets, and check that they have the sizes that they should have.

    The exit code is 1 if the sizes of a data set are wrong, or if a named data set is missing.
    """
    from coterie_papers.corpora.catalogue import check as check_entries

    results = check_entries(_entries(names or []), data)
    counts = dict.fromkeys(COLORS, 0)
    while True:
        with bars():
            result = next(results, None)
        if result is None:
            break
        counts[_print_result(*result, data)] += 1
    typer.echo(", ".join(f"{count} {word}" for word, count in counts.items() if count))
    if counts["missing"]:
        typer.echo(HINT)
    if counts["wrong"] or (names and counts["missing"]):
        raise typer.Exit(1)


def _entries(names: list[str]) -> "list[CorpusEntry]":
    from coterie_papers.corpora.catalogue import CATALOGUE

    for name in names:
        if name not in CATALOGUE:
            raise InputError(f"there is no corpus {name!r}; give one of {', '.join(CATALOGUE)}")
    return [CATALOGUE[name] for name in dict.fromkeys(names or CATALOGUE)]


def _print_result(entry: "CorpusEntry", faults: list[str], data: Path | None) -> str:
    """Print the result of a check, and return its first word."""
    if entry.state(data) == "missing":
        word, lines = "missing", ["all of its files are missing"]
    elif faults:
        word, lines = "wrong", faults
    else:
        word, lines = "ok", [_counts(entry)]
    start = f"{word:8} {entry.name:18}  "
    for line in lines:
        text = _wrapped(line, len(start), start)
        typer.echo(typer.style(text[:8], fg=COLORS[word]) + text[8:])
        start = " " * len(start)
    return word


def _counts(entry: "CorpusEntry") -> str:
    return ", ".join(f"{count:,} {noun}" for noun, count in entry.counts.items())


def _details(entry: "CorpusEntry", data: Path | None) -> Iterator[str]:
    """Yield the lines of all facts about a corpus."""
    from coterie_papers.corpora.folder import layout_texts

    readings = entry.readings + entry.others
    origins = _origins(entry, list(entry.files))
    loaders = list(dict.fromkeys(reading.loader for reading in readings))
    facts: dict[str, Iterable[str]] = {
        "state": [f"{entry.state(data)}, in {readings[0].source.path(data)}"],
        "data": [DATA[entry.data]],
        "used for": entry.serves,
        "licence": [entry.licence],
        "size": [_counts(entry)],
        "files": layout_texts(entry.files),
        "made from": origins if len(origins) > 1 else [readings[0].source.origin],
        "read by": [str(reading) for reading in readings],
        "in Python": [f"from coterie_papers.corpora import {', '.join(loaders)}"]
        + [f"help({loader})" for loader in loaders],
    }
    yield f"{entry.name}: {entry.about}"
    for name, lines in facts.items():
        start = f"  {name:9}  "
        for line in lines:
            yield _wrapped(line, len(start), start)
            start = " " * len(start)


def _origins(entry: "CorpusEntry", files: list[str]) -> list[str]:
    """Return one line per origin with the files that are made from it."""
    files_by_origin: dict[str, list[str]] = {}
    for file in files:
        files_by_origin.setdefault(entry.origins[file], []).append(f"{entry.name}/{file}")
    return [f"{', '.join(names)}: {origin}" for origin, names in files_by_origin.items()]


def _record(entry: "CorpusEntry", data: Path | None) -> dict[str, Any]:
    return {
        **{name: getattr(entry, name) for name in ("name", "about", "data", "serves", "licence")},
        "state": entry.state(data),
        "missing": entry.missing(data),
        "counts": entry.counts,
        "files": entry.files,
        "origins": entry.origins,
        "readers": [str(reading) for reading in entry.readings + entry.others],
    }


def _table(entries: "list[CorpusEntry]", data: Path | None) -> "Table":
    from rich.table import Table
    from rich.text import Text

    from coterie_papers.corpora.folder import default_folder

    table = Table(
        title=Text(f"Corpora in {data or default_folder()}"),
        title_justify="left",
        box=None,
        padding=(0, 2, 0, 0),
        pad_edge=False,
    )
    table.add_column("corpus", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for name in ("sets", "items", "clusters"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("content and licence")
    for entry in entries:
        counts = [entry.counts.get(name) for name in ("item sets", "items", "clusters")]
        numbers = ["" if count is None else f"{count:,}" for count in counts]
        description = Text.assemble(entry.about, "\n", (entry.licence, "dim"))
        table.add_row(entry.name, entry.state(data), *numbers, description)
    return table


def _wrapped(text: str, indent: int, first: str) -> str:
    """Break a text into lines of the terminal; the first line starts with the text `first`."""
    return textwrap.fill(
        text,
        width=shutil.get_terminal_size().columns,
        initial_indent=first,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
