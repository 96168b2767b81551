"""`coterie data`: which corpora are there, and whether they are whole."""

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
    help="Show which public corpora are there and what their files hold, and check them.",
    no_args_is_help=True,
)

Folder = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="The folder of the corpora; else that of COTERIE_DATA."),
]
COLORS = {"ok": "green", "wrong": "red", "missing": "yellow"}
HINT = "`coterie data show NAME` says what a corpus is made from and its files hold."
DATA = {
    "same": "the same as a paper's",
    "near": "a stand-in for a paper's",
    "extra": "no paper's",
}


@app.command("list")
def list_corpora(
    data: Folder = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print all that is known of them as JSON.")
    ] = False,
) -> None:
    """List the corpora: what they are, whether they are there, their size and licence."""
    from rich.console import Console

    from coterie_papers.corpora.catalogue import CATALOGUE

    entries = list(CATALOGUE.values())
    if as_json:
        typer.echo(json.dumps([_record(entry, data) for entry in entries], indent=2))
        return
    Console().print(_table(entries, data))
    absent = [line for entry in entries for line in _origins(entry, entry.missing(data))]
    if absent:
        typer.echo("\nMissing files, and what they are made from:")
        typer.echo("\n".join(_wrapped(line, indent=4, first="  ") for line in absent))
        typer.echo(f"\n{HINT}")


@app.command()
def show(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Corpora.")],
    data: Folder = None,
) -> None:
    """Show all that is known of corpora, with what each file holds and how it is read."""
    for number, entry in enumerate(_named(names)):
        typer.echo("\n" * (number > 0) + "\n".join(_full(entry, data)))


@app.command()
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Corpora; else all there are.")
    ] = None,
    data: Folder = None,
) -> None:
    """Read corpora and compare their counts with those expected.

    The exit code is 1 if any is wrong, or one that was named is missing.
    """
    from coterie_papers.corpora.catalogue import check as check_entries

    results = check_entries(_named(names or []), data)
    seen = dict.fromkeys(COLORS, 0)
    while True:
        with bars():
            result = next(results, None)
        if result is None:
            break
        seen[_tell(*result, data)] += 1
    typer.echo(", ".join(f"{count} {word}" for word, count in seen.items() if count))
    if seen["missing"]:
        typer.echo(HINT)
    if seen["wrong"] or (names and seen["missing"]):
        raise typer.Exit(1)


def _named(names: list[str]) -> "list[CorpusEntry]":
    from coterie_papers.corpora.catalogue import CATALOGUE

    for name in names:
        if name not in CATALOGUE:
            raise InputError(f"there is no corpus {name!r}; give {', '.join(CATALOGUE)}")
    return [CATALOGUE[name] for name in dict.fromkeys(names or CATALOGUE)]


def _tell(entry: "CorpusEntry", faults: list[str], data: Path | None) -> str:
    """Print what was found of a corpus, and return it in a word."""
    if entry.state(data) == "missing":
        word, lines = "missing", ["none of its files is there"]
    elif faults:
        word, lines = "wrong", faults
    else:
        word, lines = "ok", [_counts(entry)]
    start = f"{word:8} {entry.name:18}  "
    for line in lines:
        shown = _wrapped(line, len(start), start)
        typer.echo(typer.style(shown[:8], fg=COLORS[word]) + shown[8:])
        start = " " * len(start)
    return word


def _counts(entry: "CorpusEntry") -> str:
    return ", ".join(f"{count:,} {what}" for what, count in entry.counts.items())


def _full(entry: "CorpusEntry", data: Path | None) -> Iterator[str]:
    """Yield the lines that say all of a corpus."""
    from coterie_papers.corpora.folder import layout_texts

    readings = entry.readings + entry.others
    made = _origins(entry, list(entry.files))
    loaders = list(dict.fromkeys(reading.loader for reading in readings))
    parts: dict[str, Iterable[str]] = {
        "state": [f"{entry.state(data)}, in {readings[0].source.place(data)}"],
        "data": [DATA[entry.data]],
        "serves": entry.serves,
        "licence": [entry.licence],
        "size": [_counts(entry)],
        "files": layout_texts(entry.files),
        "made from": made if len(made) > 1 else [readings[0].source.origin],
        "read by": [str(reading) for reading in readings],
        "in Python": [f"from coterie_papers.corpora import {', '.join(loaders)}"]
        + [f"help({loader})" for loader in loaders],
    }
    yield f"{entry.name}: {entry.about}"
    for what, lines in parts.items():
        start = f"  {what:9}  "
        for line in lines:
            yield _wrapped(line, len(start), start)
            start = " " * len(start)


def _origins(entry: "CorpusEntry", files: list[str]) -> list[str]:
    """Say what files are made from, those that come from the same place together."""
    made: dict[str, list[str]] = {}
    for file in files:
        made.setdefault(entry.origins[file], []).append(f"{entry.name}/{file}")
    return [f"{', '.join(named)}: {origin}" for origin, named in made.items()]


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
    table.add_column("what it is, and its licence")
    for entry in entries:
        counts = [entry.counts.get(name) for name in ("item sets", "items", "clusters")]
        numbers = ["" if count is None else f"{count:,}" for count in counts]
        what = Text.assemble(entry.about, "\n", (entry.licence, "dim"))
        table.add_row(entry.name, entry.state(data), *numbers, what)
    return table


def _wrapped(text: str, indent: int, first: str) -> str:
    """Break a text into lines of the terminal, the first with words in front of it."""
    return textwrap.fill(
        text,
        width=shutil.get_terminal_size().columns,
        initial_indent=first,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
