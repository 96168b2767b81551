"""Results that are kept on disk one by one, so that an experiment goes on where it was stopped."""

import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import coterie
from coterie.exceptions import CoterieError, InputError
from coterie.toolkit import as_whole, replacing, report, uninterrupted
from coterie_papers.engine.encoding import decode_number, to_json
from coterie_papers.engine.provenance import commit, machine, n_cores, now

Key: TypeAlias = Mapping[str, str | int | float | bool | None]
"""All that a result depends on, by name; `version` is a number that the author raises when the
computation changes."""

Values: TypeAlias = dict[str, Any]
"""Numbers, texts, lists and mappings of these by name; arrays become lists."""

log = logging.getLogger(__name__)

_CELL = re.compile(r"-[0-9a-f]{16}\.json$")


@dataclass(frozen=True)
class Cells:
    """A folder of results, one file each, under keys that name all that they depend on.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> def compute(key):
    ...     print("computing")
    ...     return {"loss": key["C"] / 4}
    >>> with TemporaryDirectory() as folder:
    ...     cells = Cells(Path(folder))
    ...     cells.run([{"data": "news", "C": 10.0, "version": 1}], compute, n_jobs=1)
    ...     cells.run([{"data": "news", "C": 10.0, "version": 1}], compute, n_jobs=1)
    computing
    [{'loss': 2.5}]
    [{'loss': 2.5}]
    """

    folder: Path

    def run(
        self,
        keys: Iterable[Key],
        compute: Callable[..., Mapping[str, Any]],
        n_jobs: int | None = None,
        task: str = "cells",
        arguments: tuple[Any, ...] = (),
    ) -> list[Values]:
        """Return the values under each key; those missing are computed by `n_jobs` processes.

        Each is kept as soon as it is there, so that whatever stops the work, the next run goes on
        from it. `compute` is called with a key and the arguments in another process: it must be a
        function that can be imported, or a `functools.partial` of one. None takes all cores; 1
        stays in this process.
        """
        keys = list(keys)
        kept = ((self.path(key), self.find(key)) for key in keys)
        found = {path: values for path, values in kept if values is not None}
        missing = {self.path(key): key for key in keys if self.path(key) not in found}
        total = len(found) + len(missing)
        report(task, len(found), total)
        work = partial(self._keep, compute, arguments)
        for key, values in self._computed(list(missing.values()), work, n_jobs):
            found[self.path(key)] = values
            report(task, len(found), total, _slug(key))
        return [found[self.path(key)] for key in keys]

    def find(self, key: Key) -> Values | None:
        """Return the values under `key`, None where there are none or the file is damaged."""
        path = self.path(key)
        try:
            kept = json.loads(path.read_text(encoding="utf-8"), object_hook=decode_number)
            values: Values = kept["values"]
            if _canonical(kept["key"]) == _canonical(key) and isinstance(values, dict):
                return values
            fault = "it has another key"
        except (FileNotFoundError, NotADirectoryError):  # the latter is told before it is written
            return None
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            fault = str(error)
        log.warning("the cell %s is damaged (%s); it is computed again", path, fault)
        return None

    def path(self, key: Key) -> Path:
        """Return the file of a key."""
        return self.folder / f"{_slug(key)}-{_digest(key)}.json"

    def forget(self) -> None:
        """Delete all cells, and nothing else that is in the folder."""
        for path in self.folder.glob("*.json"):
            if _CELL.search(path.name):
                path.unlink(missing_ok=True)

    def _keep(
        self,
        compute: Callable[..., Mapping[str, Any]],
        arguments: tuple[Any, ...],
        key: Key,
        processes: int,
    ) -> tuple[Key, Values]:
        """Compute the values of a key, and write them before anything else can happen."""
        make_folder(self.folder)
        used = commit()  # before the work: the files may change while it goes on
        started = time.perf_counter()
        with uninterrupted():
            values_found = to_json(_as_values(compute(key, *arguments)))
        content = {
            "key": to_json(key),
            "values": values_found,
            "seconds": round(time.perf_counter() - started, 3),
            "processes": processes,
            "coterie": coterie.__version__,
            "commit": used,
            "date": now(),
            "machine": machine(),
        }
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
        make_folder(self.folder)  # again: where another cell failed first, it was removed
        with replacing(self.path(key)) as file:
            file.write(text.encode())
        # As they will be read from now on: arrays are lists, tuples too.
        return key, json.loads(text, object_hook=decode_number)["values"]

    def _computed(
        self,
        keys: Sequence[Key],
        work: Callable[[Key, int], tuple[Key, Values]],
        n_jobs: int | None,
    ) -> Iterator[tuple[Key, Values]]:
        """Yield the keys with their values as they are computed, in whatever order."""
        from joblib import Parallel, delayed  # noqa: PLC0415
        from joblib.externals.loky.process_executor import TerminatedWorkerError  # noqa: PLC0415

        n_jobs = n_cores() if n_jobs is None else as_whole("n_jobs", n_jobs, 1)
        if not keys:
            return
        made = make_folder(self.folder)
        processes = min(n_jobs, len(keys))
        # One by one: how long cells take says nothing about how long the next ones will.
        parallel = Parallel(n_jobs=processes, return_as="generator_unordered", batch_size=1)
        # Kept by the process that computes them, so that no stop can lose them on the way.
        try:
            yield from parallel(delayed(work)(key, processes) for key in keys)
        except TerminatedWorkerError as error:
            raise CoterieError(
                "a process was ended from outside, perhaps for want of memory; what is finished is "
                "kept: run again, with fewer jobs"
            ) from error
        finally:
            _remove_empty(made)


@dataclass(frozen=True)
class Context:
    """What the tables of a paper are made with: kept results, data and processes.

    Parameters
    ----------
    cells
        Where results are kept.
    data_folder
        The folder of the corpora; None stands for the default one.
    n_jobs
        The number of processes; None takes all cores.
    task
        The name under which progress is reported.
    quick
        Whether to take less of the data, fewer folds and fewer settings, so that a paper takes
        minutes; what is found so is kept apart.
    cell_paths
        The files of the cells that were asked for.
    """

    cells: Cells
    data_folder: Path | None = None
    n_jobs: int | None = None
    task: str = "cells"
    quick: bool = False
    cell_paths: set[Path] = field(default_factory=set, compare=False, repr=False)

    def run(
        self, keys: Iterable[Key], compute: Callable[[Key, Path | None], Mapping[str, Any]]
    ) -> list[Values]:
        """Return the values under each key, those missing by `compute(key, data_folder)`."""
        keys = list(keys)
        self.cell_paths.update(map(self.cells.path, keys))
        return self.cells.run(keys, compute, self.n_jobs, self.task, (self.data_folder,))


def make_folder(folder: Path) -> list[Path]:
    """Make a folder before hours are spent on what it shall hold.

    Return those that were not there before, the inner ones first.
    """
    try:
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made ({error}); give another folder") from error
    if not os.access(folder, os.W_OK):
        raise InputError(f"{folder} cannot be written to; give another folder")
    return made


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove folders up to the first that holds something, so that a failure leaves none behind."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _as_values(values: object) -> Mapping[str, Any]:
    if not isinstance(values, Mapping):
        raise InputError(f"a cell was computed as {values!r}; return a mapping of names to values")
    return values


def _canonical(key: Key) -> str:
    """Write a key in the one way that does not depend on the order of its names."""
    for name, value in key.items():
        if not isinstance(value, str | int | float | None):
            raise InputError(
                f"the key has {name!r}: {value!r}; give texts, numbers, True, False or None by name"
            )
    as_whole("the key's version", key.get("version"))  # type: ignore[arg-type]
    return json.dumps(to_json(key), sort_keys=True, ensure_ascii=False)


def _digest(key: Key) -> str:
    return hashlib.sha256(_canonical(key).encode()).hexdigest()[:16]


def _slug(key: Key) -> str:
    """Name a key in a file name's letters, so that a folder of cells can be read."""
    text = "-".join(f"{name}={key[name]}" for name in sorted(key))
    return re.sub(r"[^\w.=+-]+", "_", text, flags=re.ASCII)[:80]
