"""The memory that this process may take: the limits of the machine, of its cgroup and of ulimit."""

import os
from collections.abc import Iterator
from functools import cache
from math import inf
from pathlib import Path
from typing import NamedTuple

from coterie.exceptions import InputError

PROCESS, CGROUPS = Path("/proc/self"), Path("/sys/fs/cgroup")
"""Where Linux describes this process, and the limits of groups of processes, such as containers."""

_UNLIMITED = 2**60
"""Version 1 of cgroups writes a number above this if there is no limit."""


class MemoryLimit(NamedTuple):
    """The number of bytes that this process may still take, and what limits it."""

    n_bytes: float
    cause: str


class MemoryUse(NamedTuple):
    """The memory of this process in bytes: all addresses, those in memory, and those of data."""

    addresses: int
    resident: int
    data: int


def memory_limit() -> MemoryLimit:
    """Return the narrowest limit on the memory that this process may still take.

    >>> limit = memory_limit()
    >>> limit.n_bytes > 0 and len(limit.cause) > 0
    True
    """
    use = _memory_use()
    limits = [
        MemoryLimit(physical_memory() - use.resident, "the memory of this machine"),
        MemoryLimit(cgroup_limit(PROCESS, CGROUPS) - use.resident, "the limit of its cgroup"),
        *(
            limit._replace(n_bytes=limit.n_bytes - used)
            for limit, used in zip(ulimits(), (use.addresses, use.data), strict=True)
        ),
    ]
    narrowest = min(limits, key=lambda limit: limit.n_bytes)
    return narrowest._replace(n_bytes=max(narrowest.n_bytes, 0.0))


def ulimits() -> tuple[MemoryLimit, MemoryLimit]:
    """Return the limits on all addresses of this process, and on those of data, used or not."""
    return (
        MemoryLimit(_soft_limit("RLIMIT_AS"), "`ulimit -v`"),
        MemoryLimit(_soft_limit("RLIMIT_DATA"), "`ulimit -d`"),
    )


def available_memory() -> float:
    """Return the number of bytes that this process may still take."""
    return memory_limit().n_bytes


def physical_memory() -> float:
    """Return the size of the memory of the machine in bytes, infinity where it is unknown."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return inf


def bytes_text(n_bytes: float) -> str:
    """Return a number of bytes as text.

    >>> bytes_text(3.14e9), bytes_text(7e8), bytes_text(5e15)
    ('3.1 GB', '700 MB', '5,000,000 GB')
    """
    if n_bytes < 1e9:
        return f"{n_bytes / 1e6:.0f} MB"
    n_gigabytes = n_bytes / 1e9
    return f"{n_gigabytes:.1f} GB" if n_gigabytes < 100 else f"{n_gigabytes:,.0f} GB"


def refuse_beyond_memory(n_bytes: float, work: str, remedy: str) -> None:
    """Raise an error if work needs more bytes than this process may still take.

    Parameters
    ----------
    n_bytes
        The least number of bytes that the work needs.
    work
        What needs them, such as "clustering 50,000 rows".
    remedy
        What the user can do, besides raising the limit.
    """
    limit = memory_limit()
    if n_bytes > limit.n_bytes:
        raise InputError(
            f"{work} needs at least {bytes_text(n_bytes)} more memory, but this process may take "
            f"only {bytes_text(limit.n_bytes)} more ({limit.cause}); raise the limit, or {remedy}"
        )


def _soft_limit(name: str) -> float:
    try:
        import resource  # noqa: PLC0415 - Windows does not have it
    except ImportError:
        return inf
    soft, _hard = resource.getrlimit(getattr(resource, name))
    return inf if soft == resource.RLIM_INFINITY else float(soft)


def _memory_use() -> MemoryUse:
    """Return what this process uses, zeros where the system does not say."""
    try:
        pages = [int(field) for field in (PROCESS / "statm").read_text().split()]
        size = os.sysconf("SC_PAGE_SIZE")
        return MemoryUse(pages[0] * size, pages[1] * size, pages[5] * size)
    except (AttributeError, ValueError, OSError, IndexError):
        return MemoryUse(0, 0, 0)


@cache  # limits are asked for often, and those of a cgroup hardly ever change
def cgroup_limit(process: Path, cgroups: Path) -> float:
    """Return the smallest limit of the cgroup of a process and of those that contain it.

    Parameters
    ----------
    process
        The folder that describes the process.
    cgroups
        The folder of the limits of all cgroups.
    """
    return min(map(_number_in, _limit_files(process, cgroups)), default=inf)


def _limit_files(process: Path, cgroups: Path) -> Iterator[Path]:
    """Yield the files that may hold a limit, of versions 1 and 2 of cgroups."""
    try:
        lines = (process / "cgroup").read_text().splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        # Such as 4:memory:/group in version 1, and 0::/group in version 2.
        _number, _, controllers_and_path = line.partition(":")
        controllers, _, path = controllers_and_path.partition(":")
        if controllers == "":
            root, name = cgroups, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = cgroups / "memory", "memory.limit_in_bytes"
        else:
            continue
        # In a container, the path may be that of the host; then only the root exists.
        group = Path(path.lstrip("/"))
        yield from (root / parent / name for parent in (group, *group.parents))


def _number_in(path: Path) -> float:
    """Return the number of bytes in a file, infinity for `max` and for a file that is missing."""
    try:
        n_bytes = int(path.read_text())
    except (OSError, ValueError):
        return inf
    return float(n_bytes) if n_bytes < _UNLIMITED else inf
