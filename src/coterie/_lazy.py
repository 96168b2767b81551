"""Modules whose names are imported when they are first used."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module


def lazily(
    package: str, names: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make a package's `__getattr__` and `__dir__` from a table of module → the names it defines.

    The names under the module "" are themselves modules of the package.
    """
    home = {name: module for module, members in names.items() for name in members}

    def __getattr__(name: str) -> object:  # noqa: N807
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not home[name]:
            return import_module(f"{package}.{name}")
        return getattr(import_module(f"{package}.{home[name]}"), name)

    def __dir__() -> list[str]:  # noqa: N807
        return sorted(home)

    return __getattr__, __dir__
