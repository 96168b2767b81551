"""Ends of commands: whatever fails, users get one line of text and an exit code."""

import errno
import os
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from coterie.cli.application import options
from coterie.cli.ending import Commands
from coterie.cli.lines import LONGEST
from coterie.exceptions import InputError

FAULTS = {
    "memory": MemoryError("Unable to allocate 3.2 GiB"),
    "memory without words": MemoryError(),
    "library": ImportError("libllvmlite.so: failed to map segment from shared object"),
    "library in short": ImportError("the installation seems to be broken"),
    "thread": RuntimeError("can't start new thread"),
    "system": OSError(errno.ENOMEM, "Cannot allocate memory"),
    "model": InputError("the model: it cannot predict its own sample"),
    "worker": BrokenProcessPool("A worker process managed by the executor was terminated."),
    "remote": ValueError("could not pickle the task"),
    "disk": OSError(errno.ENOSPC, "No space left on device", "some.csv"),
    "depth": RecursionError("maximum recursion depth exceeded"),
    "value": ValueError("wrong"),
    "assertion": AssertionError(),
    "key": KeyError("name"),
    "group": ExceptionGroup("several", [ValueError("wrong")]),
    "control": RuntimeError("\x1b[31mred\x00\r\n\x9b \u202eleft and\u2028right"),
    "long": RuntimeError("x" * 10_000_000),
    "many lines": RuntimeError("line\n" * 10_000),
    "long input": InputError("x" * 100_000 + "; give a shorter one"),
    "full": InputError("o.csv cannot be written: No space left on device"),
}
FAULTS["full"].__cause__ = OSError(errno.ENOSPC, "No space left on device")
FAULTS["library in short"].__cause__ = FAULTS["library"]
FAULTS["model"].__context__ = MemoryError()


class _RemoteTraceback(Exception):  # noqa: N818 - called as in joblib
    """The traceback of a process, as text."""


FAULTS["remote"].__cause__ = _RemoteTraceback("Traceback:\nnumpy._ArrayMemoryError: Unable to")


def failing(error):
    """Return a program with a command that raises an error, and one that does nothing."""
    app = typer.Typer(cls=Commands, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.callback()(options)

    @app.command()
    def fit(name: Annotated[str | None, typer.Argument()] = None) -> None:
        if name is None:
            raise error
        typer.echo(name)

    @app.command()
    def predict() -> None:
        pass

    return app


def run(error, *words, **options):
    return CliRunner().invoke(failing(error), list(words), prog_name="coterie", **options)


def the_line(done):
    (line,) = done.stderr.splitlines()
    assert line.startswith("coterie: ")
    assert line.count("coterie: ") == 1
    return line.removeprefix("coterie: ")


@pytest.mark.parametrize("name", FAULTS)
def test_any_error_is_one_short_line_and_exit_code_1_unless_the_input_is_wrong(name):
    error = FAULTS[name]
    done = run(error, "fit")
    line = the_line(done)
    assert len(line) <= LONGEST
    assert line.isprintable()
    assert done.stdout == ""
    assert done.exit_code == (2 if name == "long input" else 1)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("memory", "`coterie fit` ran out of memory (Unable to allocate 3.2 GiB); give it fewer"),
        ("memory without words", "`coterie fit` ran out of memory; give it fewer rows, a smaller"),
        ("library", "`coterie fit` ran out of memory (libllvmlite.so: failed to map segment from"),
        ("library in short", "`coterie fit` ran out of memory (the installation seems to be"),
        ("thread", "`coterie fit` ran out of memory (can't start new thread); give it fewer"),
        ("system", "`coterie fit` ran out of memory ([Errno 12] Cannot allocate memory); give"),
        ("model", "`coterie fit` ran out of memory (the model: it cannot predict its own sample)"),
        ("remote", "`coterie fit` ran out of memory (could not pickle the task); give it fewer"),
        ("worker", "one of its processes was ended from outside, or had too little memory; use f"),
        ("disk", "`coterie fit` failed: [Errno 28] No space left on device: 'some.csv'; check the"),
        ("depth", "`coterie fit` failed: its input is nested too deeply; make it simpler, or run"),
        ("value", "`coterie fit` failed with an unexpected error, ValueError: wrong; this is a"),
        ("value", "run it again with --debug, and report what it prints"),
        ("control", "\\x1b[31mred\\x00 \\x9b \\u202eleft and right; this is a fault of Coterie"),
        ("long input", "xxx; give a shorter one"),
    ],
)
def test_the_line_says_what_failed_where_and_what_to_do(name, words):
    assert words in the_line(run(FAULTS[name], "fit"))


@pytest.mark.parametrize("words", [["--debug", "fit"], ["fit", "--debug"]])
def test_debug_shows_the_traceback_before_the_line(words):
    done = run(ValueError("wrong"), *words)
    assert done.exit_code == 1
    first, *_, last = done.stderr.splitlines()
    assert first == "Traceback (most recent call last):"
    assert "raise error" in done.stderr
    assert last.startswith("coterie: `coterie fit` failed with an unexpected error, ValueError")


@pytest.mark.parametrize(("value", "is_shown"), [("1", True), ("0", False), ("", False)])
def test_debug_is_also_a_variable_of_the_environment(value, is_shown):
    done = run(ValueError("wrong"), "fit", env={"COTERIE_DEBUG": value})
    assert ("Traceback" in done.stderr) == is_shown


def test_debug_shows_no_traceback_of_wrong_options():
    assert "No such option" in the_line(run(None, "fit", "--debug", "--nonsense"))


def test_debug_after_two_dashes_is_a_word_like_others():
    assert run(None, "fit", "--", "--debug").stdout == "--debug\n"


def test_errors_of_options_before_the_command_are_one_line():
    done = run(None, "--nonsense")
    assert done.exit_code == 2
    assert the_line(done) == "No such option: --nonsense; see `coterie --help`"


def test_a_stop_that_a_library_turned_into_another_error_is_a_stop():
    error = ImportError("numpy failed to load")
    error.__cause__ = KeyboardInterrupt()
    done = run(error, "fit")
    assert done.exit_code == 130
    assert the_line(done) == "stopped"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("wrong"), None])
def test_a_stop_that_a_library_ignored_is_a_stop(error, monkeypatch):
    monkeypatch.setattr("coterie.cli.interrupts._Stop.is_requested", True)
    done = run(error, *(["predict"] if error is None else ["fit"]))
    assert done.exit_code == 130
    assert the_line(done) == "stopped"


def test_a_command_may_say_itself_that_it_was_stopped(monkeypatch):
    monkeypatch.setattr("coterie.cli.interrupts._Stop.is_requested", True)
    done = run(typer.Exit(130), "fit")
    assert (done.exit_code, done.stderr) == (130, "")


def test_exit_codes_of_commands_stay():
    assert run(typer.Exit(3), "fit").exit_code == 3
    assert run(SystemExit(4), "fit").exit_code == 4
    assert run(None, "predict").exit_code == 0


# Standard streams that are closed or full, in real processes.


def coterie(words, **streams):
    options = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE) | streams
    command = [sys.executable, "-m", "coterie", *map(str, words)]
    return subprocess.run(command, text=True, check=False, timeout=300, **options)  # noqa: S603


needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("ends") / "t.csv"
    path.write_text("name,who\nAnn Lee,1\nAnne Lee,1\nBob Ray,2\n" * 3, encoding="utf-8")
    return path


@needs_full
@pytest.mark.parametrize("words", ["--help", "--version", "fit --help", "init TABLE", "plan TABLE"])
def test_a_full_standard_output_is_one_line_and_exit_code_1(words, table):
    words = [table if word == "TABLE" else word for word in words.split()]
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
        done = coterie(words, stdout=full)
        assert done.returncode == 1
        reason = "No space left on device; write to a file"
        assert the_line(done) == f"standard output cannot be written to: {reason}"


@needs_full
def test_full_standard_output_and_error_are_silent_and_exit_code_1():
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
        assert coterie(["--version"], stdout=full, stderr=full).returncode == 1


@needs_full
def test_a_full_standard_error_is_silent_and_exit_code_1(table, tmp_path):
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
        done = coterie(["init", table, "-o", tmp_path / "s.toml"], stderr=full)
        assert (done.returncode, done.stdout) == (1, "")
        done = coterie(["init", tmp_path / "none.csv"], stderr=full)
        assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.skipif(os.name == "nt", reason="needs a shell of Unix")
@pytest.mark.parametrize(
    ("words", "closed", "code", "reason"),
    [
        (["--version"], ">&-", 1, "standard output cannot be written to: Bad file descriptor"),
        (["init", "TABLE"], ">&-", 1, "standard output cannot be written to: Bad file descriptor"),
        (["init", "TABLE", "-o", "s.toml"], ">&-", 0, "wrote the kinds of columns to s.toml"),
        (["init", "TABLE"], "2>&-", 0, None),
        (["init", "none.csv"], "2>&-", 2, None),
        (["init", "none.csv"], "<&- >&- 2>&-", 2, None),
        (["init", "TABLE", "-o", "s.toml"], "<&- >&- 2>&-", 0, None),
        (["init", "-"], "<&-", 1, "standard input cannot be read: [Errno 9] Bad file descriptor"),
    ],
)
def test_closed_streams_are_one_line_or_silence(words, closed, code, reason, table, tmp_path):
    words = [table if word == "TABLE" else word for word in words]
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "coterie"]
    done = subprocess.run(  # noqa: S603
        [*shell, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=tmp_path,
    )
    assert done.returncode == code
    assert (done.stderr == "") if reason is None else the_line(done).startswith(reason)
    if "-o" in words:
        assert (
            (tmp_path / "s.toml")
            .read_text(encoding="utf-8")
            .startswith("# Settings of `coterie fit`")
        )
