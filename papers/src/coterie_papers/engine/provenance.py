"""Where results come from: when, how long, by which commit and on what machine."""

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

_WAIT = 10.0
"""Seconds that git may take to answer."""


class Origin(NamedTuple):
    """Where a result comes from.

    Parameters
    ----------
    date
        When it was there, in UTC as ISO 8601 writes it.
    seconds
        How long it was computed.
    processes
        How many were computed side by side.
    commit
        The commit by which, as `commit_of` gives it.
    machine
        The machine on which, as `machine` gives it; "" where it is not known.
    """

    date: str
    seconds: float = 0.0
    processes: int = 1
    commit: str = ""
    machine: str = ""

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read where a cell comes from; older ones tell only how long they were computed."""
        kept = json.loads(path.read_text(encoding="utf-8"))
        known = {name: kept[name] for name in cls._fields if name in kept}
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return cls(iso(written), processes=n_cores())._replace(**known)


@dataclass(frozen=True)
class Origins:
    """Where many results come from, by the names of their cells."""

    cells: Mapping[str, Origin]

    @classmethod
    def union(cls, parts: Iterable["Origins"]) -> "Origins":
        """Return those of all parts; what several are made of counts once."""
        return cls({name: origin for part in parts for name, origin in part.cells.items()})

    @property
    def seconds(self) -> float:
        """The seconds of computing, as if by one process."""
        return sum(each.seconds for each in self.cells.values())

    @property
    def commits(self) -> list[str]:
        """The commits that are known, the first one first."""
        return self._known([each.commit for each in self._sorted()])

    @property
    def machines(self) -> list[str]:
        """The machines that are known, the first one first."""
        return self._known([each.machine for each in self._sorted()])

    @property
    def dates(self) -> str:
        """The day on which they were computed, or the first and the last day."""
        days = [each.date[:10] for each in self._sorted()]
        return "" if not days else " to ".join(dict.fromkeys([days[0], days[-1]]))

    @property
    def time(self) -> str:
        """The time of computing, with the processes that shared it."""
        most = max((each.processes for each in self.cells.values()), default=1)
        shared = sum(each.seconds / each.processes for each in self.cells.values())
        return f"{time_text(shared)} by {most} process{'es' * (most > 1)}"

    def _sorted(self) -> list[Origin]:
        return sorted(self.cells.values())

    @staticmethod
    def _known(texts: Sequence[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if text]


def iso(date: datetime) -> str:
    """Write a time of UTC to the second.

    >>> iso(datetime(2024, 5, 17, 8, 30, tzinfo=UTC))
    '2024-05-17T08:30:00Z'
    """
    return f"{date:%Y-%m-%dT%H:%M:%SZ}"


def now() -> str:
    """Return the time of UTC to the second."""
    return iso(datetime.now(UTC))


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    from joblib import cpu_count  # noqa: PLC0415

    return int(cpu_count())


@cache
def machine() -> str:
    """Describe the machine: cores, memory, Python and system."""
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
    """Return the commit of this package, "" where it is in no checkout."""
    return commit_of(Path(coterie.__file__).parent)


def commit_of(package: Path) -> str:
    """Return the short hash of the commit that a package is checked out at.

    A "+" after it says that the files of the package are not those of the commit; "" that there is
    no git, or that the package is no part of a checkout, as in an environment inside of another's.
    """
    if not _git(package, "ls-files", "__init__.py"):
        return ""
    status = _git(package, "status", "--porcelain=v2", "--branch", "--", ".")
    found = re.match("# branch.oid ([0-9a-f]{7})", status)
    changed = any(not line.startswith("#") for line in status.splitlines())
    return f"{found[1]}{'+' * changed}" if found else ""


def _git(folder: Path, *arguments: str) -> str:
    """Return what git answers, "" where it cannot."""
    git = shutil.which("git")
    if git is None:
        return ""
    # Without locks: others may be at work in the checkout.
    command = [git, "--no-optional-locks", "-C", str(folder), *arguments]
    try:
        answer = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=_WAIT, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout
