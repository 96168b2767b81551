"""Messages on standard error: one line each, of limited length, without control characters."""

import typer

from coterie._core.texts import one_line

LONGEST, END = 2000, 500
"""The largest number of characters of a message, and of the end of one that is cut."""


def as_line(text: str) -> str:
    r"""Return a message as one line; of a long one, the middle is left out.

    >>> as_line("two\nlines,\x1b[31m red")
    'two lines,\\x1b[31m red'
    >>> len(as_line("long" * 1000))
    2000
    """
    # A character that cannot be printed becomes several, so that the text is cut a second time.
    return _cut(one_line(" ".join(_cut(text).split()), 10 * LONGEST))


def print_line(text: str) -> None:
    """Print a message to standard error, after the name of the program."""
    typer.echo(f"coterie: {as_line(text)}", err=True)


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - END - 3]} … {text[-END:]}"
