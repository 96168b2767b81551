"""The origin of results: date, time of computing, commit and machine."""

import json
import math
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

import coterie
from coterie.toolkit import physical_memory, time_text

UNCOMMITTED = "A + after a commit means that the package had changes that were not committed."

_GIT_TIMEOUT = 10.0
"""The number of seconds after which git is given up."""


class Origin(NamedTuple):
    """The origin of one result.

    Parameters
    ----------
    date
        The time at which the result was finished, in UTC, in the format of ISO 8601.
    seconds
        The time of computing.
    processes
        The number of processes that computed results at the same time.
    commit
        The commit of the package, as `commit_of` returns it.
    machine
        The machine, as `machine` describes it; "" if it is unknown.
    """

    date: str
    seconds: float = 0.0
    processes: int = 1
    commit: str = ""
    machine: str = ""

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read the origin of a cell.

        Old cells hold only the time of computing. For these the date is that of the file.
        """
        content = json.loads(path.read_text(encoding="utf-8"))
        fields = {name: content[name] for name in cls._fields if name in content}
        file_date = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return cls(iso(file_date), processes=n_cores())._replace(**fields)


@dataclass(frozen=True)
class Origins:
    """The origins of many results, by the file names of their cells."""

    cells: Mapping[str, Origin]

    @classmethod
    def union(cls, parts: Iterable["Origins"]) -> "Origins":
        """Return the origins of all parts; a cell that several parts use counts once."""
        return cls({name: origin for part in parts for name, origin in part.cells.items()})

    @property
    def seconds(self) -> float:
        """The total time of computing over all processes."""
        return sum(origin.seconds for origin in self.cells.values())

    @property
    def commits(self) -> list[str]:
        """The commits, in the order of time; results without one are left out."""
        return self._distinct([origin.commit for origin in self._by_date()])

    @property
    def machines(self) -> list[str]:
        """The machines, in the order of time; results without one are left out."""
        return self._distinct([origin.machine for origin in self._by_date()])

    @property
    def dates(self) -> str:
        """The day of computing, or the first and the last day."""
        days = [origin.date[:10] for origin in self._by_date()]
        return "" if not days else " to ".join(dict.fromkeys([days[0], days[-1]]))

    @property
    def time(self) -> str:
        """The time of computing, and the number of processes that shared the work."""
        origins = self.cells.values()
        processes = max((origin.processes for origin in origins), default=1)
        seconds = sum(origin.seconds / origin.processes for origin in origins)
        return f"{time_text(seconds)} by {processes} process{'es' * (processes > 1)}"

    def _by_date(self) -> list[Origin]:
        return sorted(self.cells.values())

    @staticmethod
    def _distinct(texts: Sequence[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if text]


def iso(date: datetime) -> str:
    """Write a UTC time to the second, in the format of ISO 8601.

    >>> iso(datetime(2024, 5, 17, 8, 30, tzinfo=UTC))
    '2024-05-17T08:30:00Z'
    """
    return f"{date:%Y-%m-%dT%H:%M:%SZ}"


def now() -> str:
    """Return the current UTC time to the second."""
    return iso(datetime.now(UTC))


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    from joblib import cpu_count  # noqa: PLC0415

    return int(cpu_count())


@cache
def machine() -> str:
    """Describe this machine: cores, memory, Python and operating system."""
    cores, memory = n_cores(), physical_memory()
    parts = [
        f"{cores} core{'s' * (cores > 1)}",
        *([f"{memory / 2**30:.0f} GB of memory"] if math.isfinite(memory) else []),
        f"Python {platform.python_version()}",
        f"{platform.system()} {platform.machine()}",
    ]
    return ", ".join(parts)


@cache
def commit() -> str:
    """Return the commit of the installed `coterie`, or "" if it is not in a git checkout."""
    return commit_of(Path(coterie.__file__).parent)


def commit_of(package: Path) -> str:
    """Return the short hash of the commit at which a package is checked out.

    A "+" after the hash means that the files of the package differ from the commit. The result is
    "" if git is missing, or if the package is not part of a checkout. A package in a virtual
    environment inside a checkout is not part of it.
    """
    if not _git(package, "ls-files", "__init__.py"):
        return ""
    status = _git(package, "status", "--porcelain=v2", "--branch", "--", ".")
    match = re.match("# branch.oid ([0-9a-f]{7})", status)
    changed = any(not line.startswith("#") for line in status.splitlines())
    return f"{match[1]}{'+' * changed}" if match else ""


def _git(folder: Path, *arguments: str) -> str:
    """Return the output of a git command, or "" if it fails."""
    git = shutil.which("git")
    if git is None:
        return ""
    # Without locks, because other processes may use the checkout.
    command = [git, "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        process = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=_GIT_TIMEOUT, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return process.stdout
