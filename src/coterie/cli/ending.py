"""The end of a command: errors become one line of text and an exit code, never a traceback."""

import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from coterie._core.files import discard_output
from coterie.exceptions import CoterieError, InputError

FAILED, STOPPED = 2, 130
"""The exit codes of a command that got wrong input, and of one that the user stopped."""

Usage: type[Exception] = typer.BadParameter.__mro__[1]
"""The error of wrong options and arguments, from the version of Click that typer uses."""


class Commands(TyperGroup):
    """The group of all commands; it turns errors into one line of text."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        with ending():
            return super().invoke(ctx)


@contextmanager
def ending() -> Iterator[None]:
    """End the program with one line of text and an exit code if the work inside fails."""
    try:
        yield
    except CoterieError as error:
        _print_error(with_flags(str(error)))
        sys.exit(FAILED)
    except Usage as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # newer versions only
            raise
        _print_error(_usage(error))
        sys.exit(FAILED)
    except KeyboardInterrupt:
        _print_error("stopped")
        sys.exit(STOPPED)
    except BrokenPipeError:
        discard_output()
        sys.exit(0)


def _print_error(message: str) -> None:
    typer.echo(f"coterie: {' '.join(message.split())}", err=True)


FLAGS = {"kinds": "--schema", "n_jobs": "--jobs", "random_state": "--seed"}
"""Options that are not called as the parameter of the library."""


def with_flags(message: str) -> str:
    """Replace the names of parameters in an error of the library by names of options.

    >>> with_flags("name another column with `cluster=`")
    'name another column with --cluster'
    """
    return _rename_parameters(message, _flag)


@contextmanager
def naming_file(path: str | None, keys: Collection[str]) -> Iterator[None]:
    """Let errors about the parameters that a file of settings gave name the file."""
    try:
        yield
    except CoterieError as error:
        text = _rename_parameters(
            str(error), lambda name: f"`{name}` in {path}" if name in keys else f"`{name}=`"
        )
        raise InputError(text) from error


def _rename_parameters(message: str, new_name: Callable[[str], str]) -> str:
    """Replace the parameters that a message of the library names, such as `cluster=`."""
    return re.sub(r"`(\w+)=`", lambda match: new_name(match[1]), message)


def _flag(parameter: str) -> str:
    return FLAGS.get(parameter, f"--{parameter.replace('_', '-')}")


def _usage(error: Any) -> str:
    """Return the fault in the options of a command, and the command that lists them."""
    command = "coterie" if error.ctx is None else error.ctx.command_path
    message = error.format_message().rstrip(".")
    return f"{message}{' See' if message.endswith('?') else '; see'} `{command} --help`"
