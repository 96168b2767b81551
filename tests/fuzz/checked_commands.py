"""Commands that are run in this process, and what all of them promise."""

from pathlib import Path
from typing import Any

from tests import commands
from tests.fuzz.cases import MOST_CHARACTERS, ViolationError, require


def run(*words: object, output: Path | None = None) -> bool:
    """Run a command, and return whether it accepted its input; `output` is the file it writes."""
    if output is not None:
        words = (*words, "-o", output)
    done = commands.run(*words)
    require_ending(done, words[0])
    if output is not None:
        has_file = output.exists()
        require(has_file == (done.exit_code == 0), f"{words[0]}: it wrote a file: {has_file}")
    return bool(done.exit_code == 0)


def require_ending(done: Any, command: object) -> None:
    """Require one line of text from a refusal, and nothing but notes from a success."""
    if done.exit_code not in (0, 2):
        message = f"{command} ended with {done.exit_code}: {done.stderr[-300:]}"
        raise ViolationError(message) from done.exception
    lines = done.stderr.splitlines()
    strange = [line for line in lines if not line.startswith("coterie: ")]
    require(not strange, f"{command} wrote to standard error: {strange[:1]}")
    if done.exit_code == 2:
        require(len(lines) == 1, f"{command} was refused with {len(lines)} lines: {lines[:3]}")
        message = lines[0].removeprefix("coterie: ")
        require(len(message) <= MOST_CHARACTERS, f"{command} was refused at length: {message}")
        require(done.stdout == "", f"{command} was refused, and printed: {done.stdout[:100]}")
    done.stdout.encode()
