"""Cells: single results on disk, so that a stopped experiment can continue where it stopped."""

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
"""All values that a result depends on, by name.

One of them is `version`, a number that the author raises whenever the computation changes.
"""

Values: TypeAlias = dict[str, Any]
"""The values of a result by name: numbers, texts, and lists and mappings of these.

Arrays become lists.
"""

log = logging.getLogger(__name__)

_CELL_NAME = re.compile(r"-[0-9a-f]{16}\.json$")


@dataclass(frozen=True)
class Cells:
    """A folder of results, one file per result; the key of a result names all that it depends on.

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
        """Return the values of each key; compute those that are missing with `n_jobs` processes.

        Each result is written as soon as it is computed. If the work stops for any reason, the next
        run continues from there. `compute` is called with a key and the arguments, in another
        process: it must be a function that can be imported, or a `functools.partial` of one. If
        `n_jobs` is None, all cores are used; if it is 1, all work is done in this process.
        """
        keys = list(keys)
        stored = ((self.path(key), self.find(key)) for key in keys)
        results = {path: values for path, values in stored if values is not None}
        missing = {self.path(key): key for key in keys if self.path(key) not in results}
        total = len(results) + len(missing)
        report(task, len(results), total)
        compute_one = partial(self._compute_and_write, compute, arguments)
        for key, values in self._compute_all(list(missing.values()), compute_one, n_jobs):
            results[self.path(key)] = values
            report(task, len(results), total, _slug(key))
        return [results[self.path(key)] for key in keys]

    def find(self, key: Key) -> Values | None:
        """Return the values of `key`, or None if they are missing or the file is damaged."""
        path = self.path(key)
        try:
            content = json.loads(path.read_text(encoding="utf-8"), object_hook=decode_number)
            values: Values = content["values"]
            if _canonical(content["key"]) == _canonical(key) and isinstance(values, dict):
                return values
            fault = "it has another key"
        except (FileNotFoundError, NotADirectoryError):  # `make_folder` reports a file in the way
            return None
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            fault = str(error)
        log.warning("the cell %s is damaged (%s) and will be computed again", path, fault)
        return None

    def path(self, key: Key) -> Path:
        """Return the path of the file of a key."""
        return self.folder / f"{_slug(key)}-{_digest(key)}.json"

    def clear(self) -> None:
        """Delete all cells, and no other files in the folder."""
        for path in self.folder.glob("*.json"):
            if _CELL_NAME.search(path.name):
                path.unlink(missing_ok=True)

    def _compute_and_write(
        self,
        compute: Callable[..., Mapping[str, Any]],
        arguments: tuple[Any, ...],
        key: Key,
        processes: int,
    ) -> tuple[Key, Values]:
        """Compute the values of a key and write them at once."""
        make_folder(self.folder)
        commit_before = commit()  # the files of the package may change during the work
        started = time.perf_counter()
        with uninterrupted():
            values = to_json(_as_values(compute(key, *arguments)))
        content = {
            "key": to_json(key),
            "values": values,
            "seconds": round(time.perf_counter() - started, 3),
            "processes": processes,
            "coterie": coterie.__version__,
            "commit": commit_before,
            "date": now(),
            "machine": machine(),
        }
        text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
        make_folder(self.folder)  # again: if another cell failed first, the folder was removed
        with replacing(self.path(key)) as file:
            file.write(text.encode())
        # The same types as when the file is read later: arrays and tuples are lists.
        return key, json.loads(text, object_hook=decode_number)["values"]

    def _compute_all(
        self,
        keys: Sequence[Key],
        compute_one: Callable[[Key, int], tuple[Key, Values]],
        n_jobs: int | None,
    ) -> Iterator[tuple[Key, Values]]:
        """Yield the keys with their values as they are computed, in any order."""
        from joblib import Parallel, delayed  # noqa: PLC0415
        from joblib.externals.loky.process_executor import TerminatedWorkerError  # noqa: PLC0415

        n_jobs = n_cores() if n_jobs is None else as_whole("n_jobs", n_jobs, 1)
        if not keys:
            return
        new_folders = make_folder(self.folder)
        processes = min(n_jobs, len(keys))
        # No batches: the time of a cell does not predict the time of the next one.
        parallel = Parallel(n_jobs=processes, return_as="generator_unordered", batch_size=1)
        # The process that computes a cell also writes it, so that a stop cannot lose it.
        try:
            yield from parallel(delayed(compute_one)(key, processes) for key in keys)
        except TerminatedWorkerError as error:
            raise CoterieError(
                "a process was ended from outside, perhaps because memory ran out; finished "
                "results are saved: run again with fewer jobs"
            ) from error
        finally:
            _remove_empty(new_folders)


@dataclass(frozen=True)
class Context:
    """The settings with which the tables of a paper are made: stored results, data, processes.

    Parameters
    ----------
    cells
        The folder of single results.
    data_folder
        The folder of the corpora; None means the default folder.
    n_jobs
        The number of processes; None means all cores.
    task
        The name under which progress is reported.
    quick
        Whether to use less data, fewer folds and fewer settings, so that a paper takes minutes.
        The results of quick runs are stored separately.
    cell_paths
        The files of the cells that `run` has returned.
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
        """Return the values of each key; `compute(key, data_folder)` computes missing ones."""
        keys = list(keys)
        self.cell_paths.update(map(self.cells.path, keys))
        return self.cells.run(keys, compute, self.n_jobs, self.task, (self.data_folder,))


def make_folder(folder: Path) -> list[Path]:
    """Create a folder, so that a bad path is reported before hours of computing.

    Return the folders that did not exist before, the innermost first.
    """
    try:
        new_folders = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be created ({error}); give another folder") from error
    if not os.access(folder, os.W_OK):
        raise InputError(f"{folder} cannot be written to; give another folder")
    return new_folders


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove folders until one is not empty, so that a failure leaves no empty folders behind."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _as_values(values: object) -> Mapping[str, Any]:
    if not isinstance(values, Mapping):
        raise InputError(
            f"computing a cell returned {values!r}; return a mapping of names to values"
        )
    return values


def _canonical(key: Key) -> str:
    """Write a key as a text that does not depend on the order of its names."""
    for name, value in key.items():
        if not isinstance(value, str | int | float | None):
            raise InputError(
                f"the value of {name!r} in the key is {value!r}; give a string, a number, True, "
                "False or None"
            )
    as_whole("the key's version", key.get("version"))  # type: ignore[arg-type]
    return json.dumps(to_json(key), sort_keys=True, ensure_ascii=False)


def _digest(key: Key) -> str:
    return hashlib.sha256(_canonical(key).encode()).hexdigest()[:16]


def _slug(key: Key) -> str:
    """Describe a key in letters that a file name may have, so that people can read the folder."""
    text = "-".join(f"{name}={key[name]}" for name in sorted(key))
    return re.sub(r"[^\w.=+-]+", "_", text, flags=re.ASCII)[:80]
