"""How commands end: what the user must mend is one line, and nothing is ever a traceback."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from coterie._core.files import discard_output
from coterie.exceptions import CoterieError

MEND, STOPPED = 2, 130
"""The exit codes of what the user must mend, and of what the user has stopped."""

Usage: type[Exception] = typer.BadParameter.__mro__[1]
"""The error of wrong options and arguments, of whichever Click is below."""


class Commands(TyperGroup):
    """Run a command, and end with the right code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        with ending():
            return super().invoke(ctx)


@contextmanager
def ending() -> Iterator[None]:
    """End the program with a line and a code where the work inside fails."""
    try:
        yield
    except CoterieError as error:
        _tell(str(error))
        sys.exit(MEND)
    except Usage as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # of newer versions alone
            raise
        _tell(_usage(error))
        sys.exit(MEND)
    except KeyboardInterrupt:
        _tell("stopped")
        sys.exit(STOPPED)
    except BrokenPipeError:
        discard_output()
        sys.exit(0)


def _tell(message: str) -> None:
    typer.echo(f"coterie: {' '.join(message.split())}", err=True)


def _usage(error: Any) -> str:
    """Say what is wrong with the words of a command, and where it says which are right."""
    command = "coterie" if error.ctx is None else error.ctx.command_path
    return f"{error.format_message().rstrip('.')}; see `{command} --help`"
