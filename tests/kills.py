"""Kill `coterie fit --jobs 2` at many moments, and list what it leaves behind.

    python tests/kills.py --moments 200 --seed 0

The moments are spread evenly over a run, at random within equal parts of it. SIGINT goes to all
processes of the command, as from a terminal, and the other signals only to the first. Afterwards no
process, no shared memory and no temporary folder of the command may be left, and the model must be
the old or the new one. Only hidden files of an unfinished write may remain beside it: the next
write removes them.
"""

import argparse
import csv
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coterie.datasets import make_records

MARK = "COTERIE_TEST_OF_KILLS"
"""The environment variable by which the processes of a command are recognised."""

PATIENCE = 60.0
"""Seconds to wait for processes and files to disappear; only a guard against waiting for ever."""

SHARED = Path("/dev", "shm")


class Started(NamedTuple):
    """A command that was started, the mark of its processes, and its folder of temporary files."""

    process: "subprocess.Popen[bytes]"
    mark: str
    temporary: Path

    def processes(self) -> list[int]:
        """Return the ids of all processes that have the mark, whoever their parent is now."""
        mark = f"{MARK}={self.mark}".encode()
        return [pid for pid in _all_processes() if mark in _environment(pid)]

    def shared(self) -> list[str]:
        """Return the names of the shared memory that the first process, or joblib for it, made."""
        pid = str(self.process.pid)
        names = [entry.name for entry in SHARED.iterdir()] if SHARED.is_dir() else []
        return [name for name in names if pid in name.replace("-", "_").split("_")]

    def remains(self) -> list[str]:
        """Return all that is left of the command: processes, shared memory, temporary files."""
        return [
            *(f"process {pid}" for pid in self.processes()),
            *(f"shared memory {name}" for name in self.shared()),
            *(f"temporary file {path.name}" for path in self.temporary.iterdir()),
        ]

    def end(self, number: signal.Signals) -> list[str]:
        """Send a signal, and return what is left when nothing more disappears."""
        if self.process.poll() is None:
            send = os.killpg if number == signal.SIGINT else os.kill
            send(self.process.pid, number)
        self.process.wait(PATIENCE)
        wait_until(lambda: not self.remains())
        remains = self.remains()
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        return remains


def start(words: list[str], folder: Path) -> Started:
    """Start a Python program as the leader of a process group, with temporary files in a folder."""
    mark = uuid.uuid4().hex
    temporary = folder / f"temporary-{mark}"
    temporary.mkdir()
    process = subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, *words],
        env={**os.environ, MARK: mark, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return Started(process, mark, temporary)


def wait_until(holds: Callable[[], bool]) -> bool:
    """Wait until a condition holds, and return whether it does."""
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def _all_processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # it ended meanwhile, or belongs to another user
        return b""


class Bench:
    """A table, and the models that `coterie fit` writes if it is not killed."""

    def __init__(self, folder: Path, n_rows: int) -> None:
        self.folder, self.model = folder, folder / "people.coterie"
        corpus = make_records(n_rows)
        columns = {**corpus.item_sets[0].items, "person": corpus.partitions[0].labels.tolist()}
        with (folder / "people.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        self.old = self._whole_run(1)
        begin = time.monotonic()
        self.new = self._whole_run(0)
        self.seconds = time.monotonic() - begin

    def fit(self, seed: int) -> Started:
        """Start a fit that replaces the model."""
        words = f"-m coterie fit --cluster person --learner logistic --jobs 2 --seed {seed}"
        files = [str(self.folder / "people.csv"), "-o", str(self.model)]
        return start([*words.split(), *files], self.folder)

    def _whole_run(self, seed: int) -> bytes:
        started = self.fit(seed)
        if started.process.wait() != 0 or not wait_until(lambda: not started.remains()):
            raise SystemExit(f"a run that was not killed left {started.remains()}")
        return self.model.read_bytes()

    def kill_after(self, seconds: float, number: signal.Signals) -> list[str]:
        """Kill a fit after some seconds, and return everything that is wrong afterwards."""
        self.model.write_bytes(self.old)
        started = self.fit(0)
        time.sleep(seconds)
        faults = started.end(number)
        if self.model.read_bytes() not in (self.old, self.new):
            faults.append("a model that is neither the old nor the new one")
        return faults

    def hidden(self) -> list[Path]:
        """Return the files of unfinished writes."""
        return list(self.folder.glob(".*.tmp"))


def main() -> None:
    """Kill the command at all moments, and print what is left."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--moments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, default=150)
    parser.add_argument("--signals", nargs="+", default=["SIGKILL"])
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), options.rows)
        _print(f"a run takes {bench.seconds:.1f} s")
        faults: Counter[str] = Counter()
        n_wrong = n_new = 0
        for moment in range(options.moments):
            # A little longer than a run, as its duration varies.
            seconds = 1.1 * bench.seconds * (moment + rng.random()) / options.moments
            number = signal.Signals[options.signals[moment % len(options.signals)]]
            wrong = bench.kill_after(seconds, number)
            n_new += bench.model.read_bytes() == bench.new
            if wrong:
                n_wrong += 1
                faults.update(fault.partition(" ")[0] for fault in wrong)
                _print(f"{number.name} after {seconds:.2f} s: {'; '.join(wrong)}")
        n_hidden = len(bench.hidden())
        _print(
            f"{options.moments} kills: {n_wrong} left something {dict(faults)}; "
            f"{n_new} had written the new model; {n_hidden} files of unfinished writes"
        )
    sys.exit(n_wrong > 0)


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
