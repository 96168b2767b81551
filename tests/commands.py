"""Commands that are run inside the process of the test, and the line that a refused one prints."""

from typing import Any

from typer.testing import CliRunner

from coterie import cli


def run(*words: object, stdin: str | None = None) -> Any:
    """Run a command as `coterie` does."""
    return CliRunner().invoke(cli.app, [str(word) for word in words], input=stdin)


def error_of(done: Any) -> str:
    """Check that a command ended with code 2, one line of text and no output; return the line."""
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("coterie: ")
    return line.removeprefix("coterie: ")
