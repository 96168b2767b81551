"""What a user sees of the package before using it: names, imports, safety."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import coterie

SOURCE = Path(coterie.__file__).parent
FAMILIES = [
    "coterie",
    "coterie.checks",
    "coterie.clusterers",
    "coterie.datasets",
    "coterie.dirichlet",
    "coterie.features",
    "coterie.learners",
    "coterie.losses",
    "coterie.metrics",
    "coterie.report",
    "coterie.stream",
    "coterie.tables",
]


@pytest.mark.parametrize("name", FAMILIES)
def test_every_public_name_is_there_and_known_to_type_checkers(name):
    family = importlib.import_module(name)
    assert sorted(dir(family)) == sorted(set(family.__all__))
    assert len(set(family.__all__)) == len(family.__all__)
    for member in family.__all__:
        assert getattr(family, member) is not None
    assert typed_names(Path(family.__file__)) == set(family.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        family.nothing  # noqa: B018


def typed_names(path):
    """The names that a package imports for type checkers alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    return {alias.asname for node in block.body for alias in node.names}


def modules_after(code):
    program = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_is_light():
    """Nothing at run time, not even numpy."""
    loaded = modules_after("import coterie")
    heavy = {"numpy", "scipy", "scipy.stats", "sklearn", "numba", "narwhals", "typer", "rich"}
    assert not loaded & heavy


def test_help_loads_no_numbers():
    loaded = modules_after("import coterie.cli")
    assert not loaded & {"numpy", "scipy", "sklearn", "narwhals"}


def test_solutions_need_no_compiler():
    """Kernels are loaded when a clusterer is used, not when its family is named."""
    loaded = modules_after("import coterie; coterie.clusterers.Solution; coterie.losses.PairLoss")
    assert "numba" not in loaded
    assert "highspy" not in loaded


def test_values_need_no_scikit_learn():
    loaded = modules_after("import coterie; coterie.ItemSet; coterie.metrics.b_cubed")
    assert "sklearn" not in loaded


def calls_and_imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Call):
            yield ast.unparse(node.func)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.name)
def test_nothing_unpickles_evaluates_or_connects(path):
    forbidden = {"pickle", "marshal", "shelve", "eval", "exec", "socket", "urllib.request", "http"}
    assert not forbidden & set(calls_and_imports(path))
    assert "allow_pickle=True" not in path.read_text(encoding="utf-8")
