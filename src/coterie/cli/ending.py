"""The end of a command: errors become one line of text and an exit code, never a traceback."""

import errno
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import typer
from typer.core import TyperGroup

from coterie._core.files import discard_output
from coterie.cli.interrupts import STOPPED, is_stopped, stop_if_requested
from coterie.cli.lines import print_line
from coterie.cli.shortage import has_lost_worker, is_short_of_memory
from coterie.cli.streams import fault_of_output
from coterie.exceptions import CoterieError, InputError

FAILED, WRONG_INPUT = 1, 2
"""The exit codes of a command that failed for another reason, and of one that got wrong input."""

DEBUG = "--debug"

Usage: type[Exception] = typer.BadParameter.__mro__[1]
"""The error of wrong options and arguments, from the version of Click that typer uses."""

_BAD_DEVICE = {errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EBADF, getattr(errno, "EDQUOT", None)}
"""Codes of errors of the system that no other file name or table would avoid."""


class Commands(TyperGroup):
    """The group of all commands; it turns errors into one line of text."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; `--debug` may also come after the name of the command."""
        args = _with_debug_first(sys.argv[1:] if args is None else args)
        run = partial(super().main, args, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run(windows_expand_args=windows_expand_args)
        with ending():
            code = run(windows_expand_args=windows_expand_args)
            if code == STOPPED and is_stopped():
                raise KeyboardInterrupt
            sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        with ending(ctx):
            return super().invoke(ctx)


def _with_debug_first(args: Sequence[str]) -> list[str]:
    """Return the words of a command line with `--debug` moved before the name of the command.

    >>> _with_debug_first(["fit", "t.csv", "--debug", "--", "--debug"])
    ['--debug', 'fit', 't.csv', '--', '--debug']
    """
    end = args.index("--") if "--" in args else len(args)
    others = [word for word in args[:end] if word != DEBUG]
    return [*[DEBUG] * (len(others) < end), *others, *args[end:]]


@contextmanager
def ending(ctx: Any = None) -> Iterator[None]:
    """End the program with one line of text and an exit code if the work inside fails.

    The context has the name of the command and says whether to print a traceback first.
    """
    try:
        yield
        stop_if_requested()
    except SystemExit:
        raise
    except typer.Exit as end:
        if end.exit_code == STOPPED:  # the command has said in its own words that it was stopped
            sys.exit(STOPPED)
        raise
    except BaseException as error:  # noqa: BLE001 - whatever fails, users get one line of text
        if ctx is not None and ctx.params.get("debug") and not isinstance(error, Usage):
            with suppress(OSError, ValueError):
                traceback.print_exception(error)
        name = getattr(ctx, "invoked_subcommand", None)
        sys.exit(_end(error, f"`coterie {name}`" if name else "the command"))


def _end(error: BaseException, command: str) -> int:
    """Print the line of an error, and return the exit code."""
    if isinstance(error, BrokenPipeError):
        discard_output()
        return 0
    if type(error).__name__ == "NoArgsIsHelpError":  # newer versions of Click only
        error.show()  # type: ignore[attr-defined]
        return WRONG_INPUT
    line, code = _line_and_code(error, command)
    if fault_of_output(error) is not None:
        discard_output()
    try:
        print_line(line)
    except (OSError, ValueError):
        discard_output(sys.stderr)
        return max(code, FAILED)
    return code


def _line_and_code(error: BaseException, command: str) -> tuple[str, int]:
    """Return what to say about an error, and the exit code."""
    if is_stopped(error):
        return "stopped", STOPPED
    if isinstance(error, Usage):
        return _usage(error), WRONG_INPUT
    if isinstance(error, CoterieError) and not is_short_of_memory(error):
        is_device = getattr(error.__cause__, "errno", 0) in _BAD_DEVICE
        return with_flags(str(error)), FAILED if is_device else WRONG_INPUT
    return _failure(error, command), FAILED


def _failure(error: BaseException, command: str) -> str:
    """Return what to say about an error that the input need not have caused."""
    text, again = str(error), f"run it again with {DEBUG}"
    if has_lost_worker(error):
        return (
            f"{command} failed: one of its processes was ended from outside, or had too little "
            "memory; use fewer --jobs, or give it more memory"
        )
    if is_short_of_memory(error):
        return (
            f"{command} ran out of memory{f' ({text})' if text else ''}; give it fewer rows, a "
            "smaller --max-block where it has that option, or more memory; `coterie plan` "
            "estimates how much it needs"
        )
    if isinstance(error, OSError):
        fault = fault_of_output(error)
        if fault is not None:
            return f"standard output cannot be written to: {fault}; write to a file"
        return f"{command} failed: {text}; check the disk and the files, or {again}"
    if isinstance(error, RecursionError):
        return f"{command} failed: its input is nested too deeply; make it simpler, or {again}"
    return (
        f"{command} failed with an unexpected error, {type(error).__name__}: {text}; this is a "
        f"fault of Coterie: {again}, and report what it prints"
    )


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
