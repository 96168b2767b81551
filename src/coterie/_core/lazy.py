"""Packages whose names are imported when they are first used."""

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import resolve_name
from pkgutil import get_data
from types import ModuleType
from typing import Any


def attach(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make the `__getattr__` and `__dir__` of a package from its one list of names.

    That list is `__init__.pyi` beside the package's `__init__.py`, which type checkers read too:
    one line per name, `from .module import name as name`, and `from . import module as module` for
    a module. It is read when a name is first asked for.
    """

    def __getattr__(name: str) -> object:  # noqa: N807
        if name == "__all__":
            return __dir__()
        home = _homes(package).get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home == package:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home), name)
        # Kept, so that the next look finds it at once.
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted(_homes(package))

    return __getattr__, __dir__


def public_names(package: ModuleType) -> list[str]:
    """Return the public names of a package; type checkers do not see `__all__` of a stub."""
    return list(package.__all__)


def members(package: ModuleType) -> dict[str, Any]:
    """Return the public members of a package by their names."""
    return {name: getattr(package, name) for name in public_names(package)}


@cache
def _homes(package: str) -> Mapping[str, str]:
    """Return the module of each public name of a package."""
    stub = get_data(package, "__init__.pyi")
    assert stub is not None  # noqa: S101 - a package that has none would not call `attach`
    return {
        alias.name: resolve_name("." * node.level + (node.module or ""), package)
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
