"""Running cases in worker processes, and counting what becomes of them."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz.cases import SOURCE, Failure, case_seed

ROOT = Path(__file__).parents[2]
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")


class Limits(NamedTuple):
    """How long a run may take, and what a case may use."""

    seconds: float = 600.0
    """Seconds of the whole run, divided equally among the targets."""
    cases: int | None = None
    """Number of cases per target; None for no limit."""
    cpu_seconds: int = 60
    """Seconds of CPU time per case."""
    megabytes: int = 6 * 1024
    """Address space of a worker."""
    wall_seconds: float = 1200.0
    """Seconds after which a case hangs even if it uses no CPU time."""


@dataclass
class Tally:
    """What became of the cases of a target."""

    cases: int = 0
    seconds: float = 0.0
    accepted: int = 0
    refused: int = 0
    slowest: tuple[float, int] = (0.0, 0)
    """CPU seconds of the slowest case, and its seed."""
    failures: dict[str, list[tuple[int, Failure]]] = field(default_factory=dict)
    """The seeds and descriptions of the failures, by what makes failures differ."""

    def add(self, seed: int, result: dict[str, Any]) -> None:
        """Count the result of a case."""
        self.cases += 1
        self.slowest = max(self.slowest, (result["cpu"], seed))
        if "failure" in result:
            failure = Failure(*result["failure"])
            self.failures.setdefault(failure.key, []).append((seed, failure))
        else:
            self.accepted += result["outcome"] == "accepted"
            self.refused += result["outcome"] == "refused"

    def merge(self, other: "Tally") -> None:
        """Add the counts of another process."""
        self.cases += other.cases
        self.seconds = max(self.seconds, other.seconds)
        self.accepted += other.accepted
        self.refused += other.refused
        self.slowest = max(self.slowest, other.slowest)
        for key, cases in other.failures.items():
            self.failures.setdefault(key, []).extend(cases)

    @property
    def n_failed(self) -> int:
        """Number of cases that failed."""
        return sum(map(len, self.failures.values()))


class Worker:
    """A process that runs the cases of a target, and is started again whenever it ends."""

    def __init__(self, target: str, limits: Limits) -> None:
        self.target, self.limits = target, limits
        self.process: subprocess.Popen[str] | None = None

    def run(self, seed: int) -> dict[str, Any]:
        """Run a case; if it ends the process, that is its failure."""
        process = self.process or self._start()
        assert process.stdin is not None
        process.stdin.write(f"{seed}\n")
        process.stdin.flush()
        line = self._read(self.limits.wall_seconds)
        return json.loads(line) if line else self._ended()

    def close(self) -> None:
        """End the process and the processes that it started."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()
            self.process = None
            self.home.cleanup()

    def _start(self) -> "subprocess.Popen[str]":
        # A process that is killed cannot delete its files.
        self.home = tempfile.TemporaryDirectory(prefix="coterie-fuzz-", ignore_cleanup_errors=True)
        words = [self.target, self.home.name, self.limits.cpu_seconds, self.limits.megabytes]
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = dict.fromkeys(THREADS, "1") | {"PYTHONPATH": os.pathsep.join(paths)}
        self.log = Path(self.home.name) / "log.txt"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", "tests.fuzz.worker", *map(str, words)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | environment,
                start_new_session=True,
            )
        # Compiling all kernels takes minutes.
        if not self._read(30 * 60):
            text = self._ended()["failure"].traceback
            raise RuntimeError(f"the cases of {self.target} cannot be prepared:\n{text}")
        return self.process

    def _read(self, seconds: float) -> str:
        """Return the next line of the process, or nothing if it ends or is silent for so long."""
        assert self.process is not None
        assert self.process.stdout is not None
        if select.select([self.process.stdout], [], [], seconds)[0]:
            return self.process.stdout.readline()
        # It writes where it is, and ends.
        self.process.send_signal(signal.SIGXCPU)
        return ""

    def _ended(self) -> dict[str, Any]:
        assert self.process is not None
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            code = -signal.SIGXCPU
        text = self.log.read_text("utf-8", "replace")[-20_000:]
        self.close()
        failure = death(code, text)
        is_hang = code == -signal.SIGXCPU
        return {"failure": failure, "cpu": float(self.limits.cpu_seconds if is_hang else 0)}


def death(code: int, text: str) -> Failure:
    """Describe the end of a process by its exit code and the traceback that it wrote."""
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    kind = {"SIGXCPU": "hang", "SIGKILL": "killed"}.get(name, f"crash {name}")
    current = text[text.rfind("most recent call first") :]
    frames = re.findall(r'File "([^"]+)", line (\d+) in (\S+)', current)
    inner = (
        [frame for frame in frames if frame[0].startswith(SOURCE)] or frames or [("?", "0", "?")]
    )
    path, line, function = inner[0]
    place = f"{Path(path).name}:{function}"
    return Failure(f"{kind} in {place}", f"{kind} at {Path(path).name}:{line} in {function}", text)


def run_target(target: str, seed: int, limits: Limits, jobs: int = 1) -> Tally:
    """Run the cases of a target, in some processes at once; each takes every jobs-th case."""
    total = Tally()
    with ThreadPoolExecutor(jobs) as pool:
        indices = [count(job, jobs) for job in range(jobs)]
        for tally in pool.map(lambda part: run_cases(target, seed, part, limits), indices):
            total.merge(tally)
    return total


def run_cases(target: str, seed: int, indices: Iterator[int], limits: Limits) -> Tally:
    """Run the cases with some indices until the time or the number of cases is used up."""
    tally = Tally()
    worker = Worker(target, limits)
    start = time.monotonic()
    try:
        for index in indices:
            tally.seconds = time.monotonic() - start
            is_last = limits.cases is not None and index >= limits.cases
            if is_last or tally.seconds >= limits.seconds:
                break
            one = case_seed(seed, target, index)
            tally.add(one, worker.run(one))
    finally:
        worker.close()
    return tally
