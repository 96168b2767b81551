"""The package before its first use: public names, light imports and safety."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import coterie

SOURCE = Path(coterie.__file__).parent
FAMILIES = sorted(
    "coterie" + ".".join(["", *stub.parent.relative_to(SOURCE).parts])
    for stub in SOURCE.rglob("__init__.pyi")
)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_public_name_can_be_imported(name):
    family = importlib.import_module(name)
    names = dir(family)
    assert names == sorted(set(names)) == family.__all__
    assert names == sorted(names_in_stub(Path(family.__file__).with_suffix(".pyi")))
    for member in names:
        assert getattr(family, member) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        family.nothing  # noqa: B018


@pytest.mark.parametrize("name", FAMILIES)
def test_no_public_name_is_hidden_by_a_module(name):
    """Otherwise `import coterie.x.y` would replace the public name y of x by the module."""
    family = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(family.__path__)}
    for member in modules & set(dir(family)):
        assert getattr(family, member) is importlib.import_module(f"{name}.{member}")


def names_in_stub(stub):
    """Return the public names that the stub of a package lists."""
    nodes = ast.parse(stub.read_text(encoding="utf-8")).body
    return [
        alias.asname for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names
    ]


def modules_after(code):
    program = f"import sys; {code}; print(*sys.modules)"
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_coterie_loads_no_library():
    """The import loads not even NumPy."""
    loaded = modules_after("import coterie")
    heavy = {"numpy", "scipy", "scipy.stats", "sklearn", "numba", "narwhals", "typer", "rich"}
    assert not loaded & heavy


def test_the_help_loads_no_numerical_library():
    loaded = modules_after("import coterie.cli.application")
    assert not loaded & {"numpy", "scipy", "sklearn", "narwhals"}


def test_naming_a_clusterer_loads_no_compiler():
    """Kernels are loaded when a clusterer is used, not when its package is imported."""
    loaded = modules_after("import coterie; coterie.clusterers.Solution; coterie.losses.PairLoss")
    assert "numba" not in loaded
    assert "highspy" not in loaded


def test_values_and_metrics_load_no_scikit_learn():
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
