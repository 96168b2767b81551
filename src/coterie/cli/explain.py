"""`coterie explain`."""

from typing import TYPE_CHECKING, Annotated

import typer

from coterie._core.texts import one_line
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.options import Apart, AsJson, Format, IdColumn, ModelFile, TableFile, Together
from coterie.cli.shown import number, print_json, print_table

if TYPE_CHECKING:
    from coterie.tables import Explanation, Link

RowId = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="A row: its id, or its number if there are no ids.",
        show_default=False,
    ),
]


def explain(  # noqa: PLR0913, PLR0917 - what a command can be told are its parameters
    model: ModelFile,
    table: TableFile,
    first: RowId,
    second: RowId,
    together: Together = None,
    apart: Apart = None,
    id_: IdColumn = None,
    format_: Format = None,
    as_json: AsJson = False,
) -> None:
    """Say why two rows are in one cluster, or are not.

    Above 0, a score speaks for one cluster; what the fields add sums to it. 0 is where clusters of
    held-out entities came out best, not always where a pair is as likely together as apart.
    """
    from coterie.tables import load, read_table

    pairs = pair_files(table, together, apart)
    table_model = load(model)
    read = read_table(table, format=format_)
    with bars():
        found = table_model.explain(read, first, second, id=id_, **pairs)
    note_pairs(pairs)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found)


def _show(found: "Explanation") -> None:
    first, second = map(one_line, found.ids)
    where = "in one cluster" if found.together else "in different clusters"
    typer.echo(f"{first} and {second} are {where}.")
    typer.echo()
    _show_fields(found)
    typer.echo()
    typer.echo(
        f"A score of {number(found.score, 2, signed=True)} alone is together with probability "
        f"{number(found.probability)}."
    )
    _show_links(found)


def _show_fields(found: "Explanation") -> None:
    """Print what each field adds, the strongest first."""
    from coterie.features.records import WHOLE_RECORD

    fields = sorted(found.contributions.items(), key=lambda each: -abs(each[1]))
    rows = [
        (
            one_line(name),
            *map(one_line, found.values.get(name, ("", ""))),
            number(value, 2, signed=True),
        )
        for name, value in fields
    ]
    rows.append(("every pair", "", "", number(found.bias, 2, signed=True)))
    rows.append(("score", "", "", number(found.score, 2, signed=True)))
    print_table(("field", *map(one_line, found.ids), "adds"), rows, "   x")
    if WHOLE_RECORD in found.contributions:
        typer.echo(f"({WHOLE_RECORD}: the words of all fields, compared as one text)")


def _show_links(found: "Explanation") -> None:
    """Print the chain of links, and the strongest that was refused."""
    if found.links:
        typer.echo("Linked by:")
        for link in found.links:
            ends = f"{one_line(link.first)} and {one_line(link.second)}"
            typer.echo(f"  {ends}, {_strength(link, 'together')}")
    elif found.together:
        typer.echo("No links that were looked at join them.")
    if found.refused is None:
        typer.echo("No link was refused.")
        return
    ends = f"{one_line(found.refused.first)} and {one_line(found.refused.second)}"
    typer.echo(f"The strongest link that was refused: {ends}, {_strength(found.refused, 'apart')}")


def _strength(link: "Link", how: str) -> str:
    score = [] if link.score is None else [f"score {number(link.score, 2, signed=True)}"]
    return ", ".join([*score, *[f"told to be {how}"] * link.told])
