"""Measure the layout, the names and the comments: `python tests/house.py [FOLDER …]`.

Prints one column per folder. A folder holds packages, such as `src`. The code is parsed, never
imported, so that two states of the repository can be measured side by side.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

FILLER_NAMES = {
    "own",
    "each",
    "found",
    "told",
    "known",
    "kept",
    "shown",
    "said",
    "seen",
    "made",
    "listed",
    "both",
    "ours",
    "theirs",
    "wanted",
    "asked",
    "gone",
    "taken",
    "given",
    "whole",
    "there",
    "what",
}
"""Names that say nothing of what they hold."""


class Module(NamedTuple):
    """A Python file and its dotted name."""

    name: str
    path: Path
    tree: ast.Module
    is_package: bool

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def n_lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def is_private(self) -> bool:
        """True if the last part of its name begins with one underscore: for its folder alone."""
        return not self.is_package and is_private(self.name.rpartition(".")[2])


def is_private(part: str) -> bool:
    return part.startswith("_") and not part.startswith("__")


def modules_of(folder: Path) -> dict[str, Module]:
    """Parse all files of Python below a folder of packages."""
    modules = {}
    for path in sorted(folder.rglob("*.py")):
        *parts, last = path.relative_to(folder).with_suffix("").parts
        name = ".".join(parts if last == "__init__" else [*parts, last])
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules[name] = Module(name, path, tree, last == "__init__")
    return modules


def imports_of(module: Module) -> Iterator[str]:
    """Yield the dotted names that a module imports, those of `from x import y` as x.y."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def private_imports(modules: Mapping[str, Module]) -> list[tuple[str, str]]:
    """List who imports what is private to another package: x._y is for the modules below x."""
    listed = []
    for module in modules.values():
        for name in imports_of(module):
            parts = name.split(".")
            if parts[0] not in {"coterie", "coterie_papers"}:
                continue
            for at, part in enumerate(parts):
                # What is private to the root, such as `coterie._core`, is for the whole package.
                owner = ".".join(parts[:at])
                if is_private(part) and not f"{module.name}.".startswith(f"{owner}."):
                    listed.append((module.name, f"{owner}.{part}"))
    return sorted(set(listed))


def class_names_in_two_modules(modules: Mapping[str, Module]) -> dict[str, list[str]]:
    homes: dict[str, list[str]] = {}
    for module in modules.values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module.name)
    return {name: sorted(homes[name]) for name in sorted(homes) if len(homes[name]) > 1}


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Yield each name that the code gives: to variables, parameters, functions and classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def body_lines(module: Module) -> Iterator[tuple[str, int]]:
    """Yield each function with the number of lines of its body, without the docstring."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[ast.get_docstring(node) is not None :]
            yield node.name, (node.end_lineno or 0) - body[0].lineno + 1 if body else 0


def filler_share(modules: Mapping[str, Module]) -> float:
    """Return how many percent of all bound names are fillers."""
    counts = Counter(name for module in modules.values() for name in bound_names(module.tree))
    return 100 * sum(counts[name] for name in FILLER_NAMES) / max(counts.total(), 1)


def comment_lines(module: Module) -> int:
    """Count the lines that hold a comment for readers; directives to tools are none."""
    tokens = tokenize.generate_tokens(io.StringIO(module.text).readline)
    comments = (token.string for token in tokens if token.type == tokenize.COMMENT)
    return sum(not text.startswith(("# noqa", "# type:", "# fmt:")) for text in comments)


def code_lines(module: Module) -> int:
    """Count the lines with code, without blank lines, comments and docstrings."""
    ignored = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in ignored | {tokenize.ENDMARKER}:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def comments_per_100(modules: Iterable[Module]) -> float:
    """Return how many lines of comments there are per 100 lines of code."""
    chosen = list(modules)
    return 100 * sum(map(comment_lines, chosen)) / max(sum(map(code_lines, chosen)), 1)


def single_importers(modules: Mapping[str, Module]) -> list[tuple[str, str]]:
    """List the private modules that one other module imports, and which."""
    importers: dict[str, set[str]] = {}
    for module in modules.values():
        for name in imports_of(module):
            for known in (name, name.rpartition(".")[0]):
                if known in modules:
                    importers.setdefault(known, set()).add(module.name)
                    break
    return sorted(
        (name, *importers[name])
        for name, module in modules.items()
        if module.is_private and len(importers.get(name, ())) == 1
    )


def figures_of(folder: Path) -> dict[str, int | float]:
    """Return the figures of the packages below a folder."""
    modules = modules_of(folder)
    per_folder = Counter(module.path.parent for module in modules.values())
    kernels = [module for name, module in modules.items() if "._kernels." in name]
    return {
        "files": len(modules),
        "lines": sum(module.n_lines for module in modules.values()),
        "longest file, lines": max(module.n_lines for module in modules.values()),
        "most files in one folder": max(per_folder.values()),
        "private modules": sum(module.is_private for module in modules.values()),
        "private modules with one importer": len(single_importers(modules)),
        "private imports across packages": len(private_imports(modules)),
        "class names in two modules": len(class_names_in_two_modules(modules)),
        "filler names, % of bound names": round(filler_share(modules), 2),
        "comment lines per 100 of code": round(comments_per_100(modules.values()), 1),
        "the same, kernels": round(comments_per_100(kernels), 1),
    }


def main() -> None:
    repository = Path(__file__).parents[1]
    named = [Path(name) for name in sys.argv[1:]]
    folders = named or [repository / "src", repository / "papers" / "src"]
    figures = {str(folder): figures_of(folder) for folder in folders}
    width = max(map(len, next(iter(figures.values()))))
    sys.stdout.write(f"{'':{width}}  {'  '.join(figures)}\n")
    for name in next(iter(figures.values())):
        row = (f"{column[name]:>{len(folder)},}" for folder, column in figures.items())
        sys.stdout.write(f"{name:{width}}  {'  '.join(row)}\n")


if __name__ == "__main__":
    main()
