"""The cache of a kernel on disk, in the place of that of Numba, which trusts the files it finds."""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numba
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps, loads

from coterie._kernels.storing import (
    folders,
    is_built_in,
    read,
    remove,
    user_folder,
    user_path,
    warn,
    write,
)
from coterie._kernels.targets import shipped_target

Target: TypeAlias = tuple[str, str, str]
"""The system, the name of the processor and its features, as Numba names them."""

loaded_files: dict[str, Path] = {}
"""The files of kernels that this process loaded, by their names."""

written_files: dict[str, Path] = {}
"""The files of kernels that this process compiled and wrote, by their names."""


class KernelCache:
    """One file for each kernel and signature, with the methods that Numba calls.

    The name of a file says for what it was compiled, so there is no index that processes could
    overwrite. Whatever cannot be loaded is removed, and the kernel is compiled again.

    Parameters
    ----------
    function
        A function of a module.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.module, self.function = function.__module__, function.__qualname__
        last = self.module.rpartition(".")[2]
        self.name = re.sub(r"[^\w.]", "_", f"{last}.{self.function}")
        # The source as it is now, when the module is imported: later it may be another one.
        self.stamp = source_stamp(function.__code__.co_filename)
        self.is_enabled = True

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel, or None if there is none that can be loaded."""
        target_context.refresh()
        if not self.is_enabled:
            return None
        for path, identity in self._places(sig, target_context.codegen().magic_tuple()):
            try:
                payload = read(path, identity)
                if payload is None:
                    continue
                stored_sig, parts = loads(payload)
                if stored_sig == sig:  # two types can have the same name
                    result = CompileResult._rebuild(target_context, *parts)  # noqa: SLF001
                    loaded_files[path.name] = path
                    return result
            except MemoryError:
                raise
            except Exception:  # noqa: BLE001 - a bad file can fail in any way
                remove(path)
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        """Keep a compiled kernel for later processes, if that is possible."""
        folder = user_folder() if self.is_enabled else None
        if folder is None or result.lifted or result.library.has_dynamic_globals:
            return
        name, identity = self._address(sig, result.codegen.magic_tuple())
        try:
            payload = dumps((sig, result._reduce()))  # noqa: SLF001
            write(folder / name, identity, payload)
            written_files[name] = folder / name
            self._remove_stale(folder)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - the kernel is compiled, and works
            warn(folder, error)

    @property
    def cache_path(self) -> str | None:
        """The folder for what is compiled."""
        path = user_path()
        return None if path is None else str(path)

    def enable(self) -> None:
        """Load and keep compiled kernels, which is the default."""
        self.is_enabled = True

    def disable(self) -> None:
        """Compile in each process anew."""
        self.is_enabled = False

    def flush(self) -> None:
        """Remove what the user keeps of this kernel."""
        folder = user_folder()
        if folder is not None:
            for path in folder.glob(f"{self.name}-*"):
                remove(path)

    def _places(self, sig: Any, target: Target) -> Iterator[tuple[Path, bytes]]:
        """Yield the files to try, and all that their code depends on."""
        shipped = shipped_target(target)
        for folder in folders():
            if shipped is not None and is_built_in(folder):
                name, identity = self._address(sig, shipped)
                yield folder / name, identity
            name, identity = self._address(sig, target)
            yield folder / name, identity

    def _address(self, sig: Any, target: Target) -> tuple[str, bytes]:
        """Return the name of a file, and all that its code depends on."""
        python = sys.implementation.cache_tag, getattr(sys, "abiflags", "")
        compiler = numba.__version__, target
        identity = repr((self.module, self.function, self.stamp, str(sig), python, compiler))
        digest = sha256(identity.encode()).hexdigest()[:16]
        return f"{self.name}-{self.stamp}-{digest}.nbc", identity.encode()

    def _remove_stale(self, folder: Path) -> None:
        """Remove the files of this kernel that were compiled from another source."""
        for path in folder.glob(f"{self.name}-*"):
            if not path.name.startswith(f"{self.name}-{self.stamp}-"):
                remove(path)


@cache
def source_stamp(file: str) -> str:
    """Return a digest of a file and of the kernels that it imports, which become part of its code.

    A module imports its kernels before it decorates a function, so they are loaded by now.
    """
    source = Path(file).read_bytes()
    files = [sys.modules[name].__file__ or "" for name in imported_kernels(source)]
    stamps = [source_stamp(name).encode() for name in files]
    return sha256(b"".join([source, *stamps])).hexdigest()[:16]


def imported_kernels(source: bytes) -> list[str]:
    r"""Return the modules of kernels from which a source imports.

    >>> imported_kernels(b"import numpy\nfrom coterie._kernels.texts.tokens import BLANK\n")
    ['coterie._kernels.texts.tokens']
    """
    names = re.findall(rb"^from (coterie\._kernels\.[\w.]+) import ", source, re.MULTILINE)
    return [name.decode() for name in names]
