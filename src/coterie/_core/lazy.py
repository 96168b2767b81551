"""Packages that import each of their public names when it is first used.

This module is loaded before the command line can catch a signal, so it loads no others by itself.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any

_modules: dict[str, Mapping[str, str]] = {}
"""The modules of the names of each package whose stub has been read."""


def attach(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a package whose public names a stub lists.

    The stub is `__init__.pyi` in the package's folder, which type checkers read too. It has one
    line per name, `from .module import name as name`, or `from . import module as module` for a
    module. It is parsed when a name of the package is first used.
    """

    def __getattr__(name: str) -> object:  # noqa: N807
        from importlib import import_module  # noqa: PLC0415

        if name == "__all__":
            return __dir__()
        module = _modules_of_names(package).get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if module == package:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(module), name)
        # As an attribute of the package, it is found without this function the next time.
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted(_modules_of_names(package))

    return __getattr__, __dir__


def public_names(package: ModuleType) -> list[str]:
    """Return `package.__all__`, which type checkers do not find in a stub."""
    return list(package.__all__)


def members(package: ModuleType) -> dict[str, Any]:
    """Return the public members of a package as a mapping of names to members."""
    return {name: getattr(package, name) for name in public_names(package)}


def _modules_of_names(package: str) -> Mapping[str, str]:
    """Return a mapping of the public names of a package to the modules that define them."""
    if package not in _modules:
        _modules[package] = _read_stub(package)
    return _modules[package]


def _read_stub(package: str) -> Mapping[str, str]:
    import ast  # noqa: PLC0415
    from importlib.util import resolve_name  # noqa: PLC0415
    from pkgutil import get_data  # noqa: PLC0415

    stub = get_data(package, "__init__.pyi")
    assert stub is not None  # noqa: S101 - a package that has none would not call `attach`
    return {
        alias.name: resolve_name("." * node.level + (node.module or ""), package)
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
