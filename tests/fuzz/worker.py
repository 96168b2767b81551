"""A process that runs cases: `python -m tests.fuzz.worker TARGET …`, one seed per line of input.

It writes one line of JSON per case, and `{}` when it is ready. The system ends it if a case takes
too much time, because an exception raised by an alarm could leave compiled kernels half made.
"""

import faulthandler
import json
import os
import resource
import signal
import sys
import tempfile
import time
import warnings
from contextlib import chdir
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.fuzz.cases import ViolationError, failure_of, load_target, run_case


def main(name: str, home: str, seconds: int, megabytes: int) -> None:
    """Run the cases whose seeds are read from standard input; all files are in `home`."""
    results = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    tempfile.tempdir = home
    os.chdir(home)
    guard(Path(home))
    target = load_target(name)
    target.prepare()
    limit_memory(megabytes)
    _write(results, {})
    for line in sys.stdin:
        limit_time(seconds)
        _write(results, result_of(target, int(line)))


def _write(stream: Any, result: dict[str, Any]) -> None:
    stream.write(json.dumps(result) + "\n")
    stream.flush()


def result_of(target: ModuleType, seed: int) -> dict[str, Any]:
    """Run a case in a new folder, and return its outcome and its CPU time."""
    result: dict[str, Any] = {}
    before = time.process_time()
    with tempfile.TemporaryDirectory() as folder, chdir(folder), warnings.catch_warnings():
        try:
            result["outcome"] = run_case(target, seed, Path(folder))
        # Whatever a case raises is recorded, also what usually ends a program.
        except BaseException as error:  # noqa: BLE001
            result["failure"] = failure_of(error)
    return result | {"cpu": time.process_time() - before}


def limit_memory(megabytes: int) -> None:
    """Let whatever needs more memory fail with a MemoryError."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, hard))


def limit_time(seconds: int) -> None:
    """Let the system end this process, after its traceback, if it works for so long from now."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + seconds, hard))


def guard(home: Path) -> None:
    """Refuse to write outside of a folder, to run programs and to connect to others."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()
    faulthandler.register(signal.SIGXCPU, chain=True)
    roots = (f"{home.resolve()}{os.sep}", "/dev/", "/proc/")
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

    def check(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("os.system", "socket.connect"):
            raise ViolationError(f"{event} is called: {arguments}")
        if event == "open" and isinstance(arguments[0], str | bytes) and arguments[2] & writing:
            path = os.path.realpath(os.fsdecode(arguments[0]))
            # Numba keeps its compiled kernels there.
            if not path.startswith(roots) and "__pycache__" not in path and ".nb" not in path:
                raise ViolationError(f"a file outside of the folder is opened to write: {path}")

    sys.addaudithook(check)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
