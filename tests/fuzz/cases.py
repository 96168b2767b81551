"""What the fuzzer runs: cases of some targets, each made from one seed.

A target is a module of `tests/fuzz/targets`, listed below. It has two functions:

- `case(rng, folder)` tries one random input, and writes files only into the folder, which is empty
  and the working folder. It returns `ACCEPTED` or `REFUSED`; any exception is a failure.
- `prepare()` does what takes long and is the same for all cases, such as compiling kernels.
"""

import random
import traceback
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple

import coterie
from coterie.exceptions import CoterieError

TARGETS = {
    "models": "tests.fuzz.targets.models",
    "tables": "tests.fuzz.targets.tables",
    "toml": "tests.fuzz.targets.toml",
    "constraints": "tests.fuzz.targets.constraints",
    "learners": "tests.fuzz.targets.learners",
    "streams": "tests.fuzz.targets.streams",
}
"""The names of the targets and their modules."""

ACCEPTED, REFUSED = "accepted", "refused"

MOST_CHARACTERS = 2000
"""The length of an error that people can still read."""

SOURCE = str(Path(coterie.__file__).parent)


class ViolationError(AssertionError):
    """A promise of Coterie was broken."""


class Failure(NamedTuple):
    """A failure: what makes it differ from others, one line about it, and its traceback."""

    key: str
    line: str
    traceback: str


def require(is_kept: object, message: str) -> None:
    """Raise an error unless a promise is kept."""
    if not is_kept:
        raise ViolationError(message)


def is_refused(call: Callable[[], Any]) -> bool:
    """Return whether a call is refused by a readable error of Coterie."""
    try:
        call()
    # This error of scikit-learn is imported where it is raised only: workers start faster without.
    except Exception as error:
        if type(error).__name__ == "NotFittedError":
            return True
        if not isinstance(error, CoterieError):
            raise
        text = str(error)
        if not text or len(text) > MOST_CHARACTERS:
            raise ViolationError(f"an error has {len(text)} characters: {text[:200]}") from error
        return True
    return False


def case_seed(seed: int, target: str, index: int) -> int:
    """Return the seed of a case, by which it can be repeated without the others."""
    return int.from_bytes(sha256(f"{seed} {target} {index}".encode()).digest()[:6])


def warm_up(case: Callable[[random.Random, Path], str], count: int) -> None:
    """Run some cases so that kernels are compiled; their failures do not count."""
    for number in range(count):
        with suppress(Exception), TemporaryDirectory() as folder:
            case(random.Random(number), Path(folder))  # noqa: S311


def load_target(name: str) -> ModuleType:
    """Import the module of a target, which may also be given by its full name."""
    return import_module(TARGETS.get(name, name))


def run_case(target: ModuleType, seed: int, folder: Path) -> str:
    """Run a case in the folder, and return its outcome."""
    outcome = target.case(random.Random(seed), folder)  # noqa: S311
    require(outcome in (ACCEPTED, REFUSED), f"the outcome of the case is {outcome!r}")
    return outcome


def failure_of(error: BaseException) -> Failure:
    """Describe an exception by its type and the innermost function of Coterie that it left."""
    root = origin(error)
    frames = traceback.extract_tb(root.__traceback__)
    inner = [frame for frame in frames if frame.filename.startswith(SOURCE)]
    last = (inner or [frame for frame in frames if frame.name != "require"])[-1]
    place = f"{Path(last.filename).name}:{last.name}"
    kind = type(root).__name__
    # Broken promises of one check differ by what they say, up to the first number or quotation.
    words = str(root).split(":")[0][:60] if isinstance(root, ViolationError) else ""
    key = " ".join(filter(None, (kind, "in", place, words)))
    message = " ".join(str(error).split())[:300]
    first = f"{kind} at {Path(last.filename).name}:{last.lineno} in {last.name}: "
    cause = "" if root is error else f" ({' '.join(str(root).split())[:200]})"
    return Failure(key, first + message + cause, "".join(traceback.format_exception(error)))


def origin(error: BaseException) -> BaseException:
    """Return the unexpected error that a command ended with, or else the error itself."""
    cause: BaseException | None = error
    while isinstance(cause, ViolationError | SystemExit):
        cause = cause.__cause__ or cause.__context__
    return error if cause is None or isinstance(cause, CoterieError) else cause
