"""`coterie explain`."""

from typing import TYPE_CHECKING, Annotated

import typer

from coterie._core.texts import one_line
from coterie.cli.bars import bars
from coterie.cli.constraints import note_pairs, pair_files
from coterie.cli.options import (
    AsJson,
    CannotLink,
    Format,
    IdColumn,
    LongCells,
    MaxBlock,
    MaxSize,
    ModelFile,
    MustLink,
    TableFile,
)
from coterie.cli.shown import number, print_json, print_table

if TYPE_CHECKING:
    from coterie.tables import Explanation, Link

FirstId = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The id of a row. If the table has no column of ids: its number, counting from 1.",
        show_default=False,
    ),
]
SecondId = Annotated[
    str, typer.Argument(metavar="ID", help="The id of another row.", show_default=False)
]


def explain(
    model: ModelFile,
    table: TableFile,
    first: FirstId,
    second: SecondId,
    must_link: MustLink = None,
    cannot_link: CannotLink = None,
    max_block: MaxBlock = None,
    max_size: MaxSize = "auto",
    id_: IdColumn = None,
    format_: Format = None,
    long_cells: LongCells = False,
    as_json: AsJson = False,
) -> None:
    """Explain why two rows are, or are not, in one cluster.

    Prints what each column adds to the score of the two rows. A positive score is evidence that
    they belong together, a negative score that they do not. Then prints the links that join them,
    and the best pair that was not linked: of the pairs with one row in their cluster and one
    outside it, the one with the highest score.
    """
    from coterie.tables import load, read_table

    pairs = pair_files(table, must_link, cannot_link)
    table_model = load(model).with_limits(max_block=max_block, max_size=max_size)
    rows = read_table(table, format=format_, long_cells=long_cells)
    with bars():
        explanation = table_model.explain(rows, first, second, id=id_, **pairs)
    note_pairs(pairs)
    if as_json:
        print_json(explanation.to_dict())
    else:
        _print_explanation(explanation)


def _print_explanation(explanation: "Explanation") -> None:
    first, second = map(one_line, explanation.ids)
    where = "in one cluster" if explanation.together else "in different clusters"
    typer.echo(f"{first} and {second} are {where}.")
    typer.echo()
    _print_fields(explanation)
    typer.echo()
    typer.echo(
        f"By this score alone, {number(explanation.score, 2, signed=True)}, the probability that "
        f"they belong together is {number(explanation.probability)}."
    )
    _print_links(explanation)


def _print_fields(explanation: "Explanation") -> None:
    """Print what each column adds to the score, the largest contribution first."""
    from coterie.features.records import WHOLE_RECORD

    fields = sorted(explanation.contributions.items(), key=lambda field: -abs(field[1]))
    rows = [
        (
            one_line(name),
            *map(one_line, explanation.values.get(name, ("", ""))),
            number(value, 2, signed=True),
        )
        for name, value in fields
    ]
    rows.append(("same for every pair", "", "", number(explanation.bias, 2, signed=True)))
    rows.append(("score", "", "", number(explanation.score, 2, signed=True)))
    print_table(("column", *map(one_line, explanation.ids), "adds"), rows, "   x")
    if WHOLE_RECORD in explanation.contributions:
        typer.echo(f"({WHOLE_RECORD}: the words of all columns, compared as one text)")


def _print_links(explanation: "Explanation") -> None:
    """Print the links on the path between the rows, and the best pair that was not linked."""
    if explanation.links:
        typer.echo("They are linked by:")
        for link in explanation.links:
            typer.echo(f"  {_link_text(link)}")
    elif explanation.together:
        typer.echo("No chain of compared pairs connects them.")
    if explanation.refused is None:
        typer.echo(
            "No row of their cluster was compared with a row outside it."
            if explanation.together
            else "No row of one cluster was compared with a row of the other."
        )
    else:
        typer.echo(f"The best pair that was not linked: {_link_text(explanation.refused)}")


def _link_text(link: "Link") -> str:
    ends = f"{one_line(link.first)} and {one_line(link.second)}"
    score = None if link.score is None else f"score {number(link.score, 2, signed=True)}"
    constraint = link.constraint and f"a {link.constraint} pair"
    return ", ".join(filter(None, (ends, score, constraint)))
