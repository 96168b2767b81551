"""Wheels: one that holds compiled functions compiles nothing, wherever it is installed."""

import os
import platform
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from coterie._kernels import storing, targets

ROOT = Path(__file__).parents[1]

PROGRAM = """
import csv, sys
import coterie
from numba.core import event

class Compiled(event.Listener):
    names = []
    def on_start(self, event):
        self.names.append(str(event.data["dispatcher"]))
    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
from coterie._kernels import caching, storing
from coterie.cli.application import app
from coterie.learners.auto.families import SLUGS

def run(*words):
    app([str(word) for word in words], standalone_mode=False)

run("demo", "-o", "demo")
with open("demo/people.csv") as stream:
    lines = stream.readlines()[:151]
with open("few.csv", "w") as stream:
    stream.writelines(lines)
ids = [row["id"] for row in csv.DictReader(lines)]
run("init", "few.csv", "--cluster", "person")
run("plan", "few.csv", "--cluster", "person")
for learner in SLUGS:
    run("fit", "few.csv", "--cluster", "person", "--learner", learner, "-o", "few.coterie")
    run("predict", "few.coterie", "few.csv", "-o", "grouped.csv")
    run("evaluate", "few.coterie", "few.csv")
    run("explain", "few.coterie", "few.csv", *ids[:2])
    run("clusters", "few.coterie", "few.csv")
    run("report", "few.coterie", "few.csv", "-o", "report.html")
assert {path.parent for path in caching.loaded_files.values()} == {storing.BUILT_IN}
print(coterie.__file__, len(caching.loaded_files), Compiled.names, sep="\\n", file=sys.stderr)
"""


def build(folder: Path, **environment: str) -> Path:
    """Build a wheel, and return its file."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(  # noqa: S603
        command, cwd=ROOT, env={**os.environ, **environment}, check=True, capture_output=True
    )
    (wheel,) = folder.iterdir()
    return wheel


@pytest.fixture(scope="module", autouse=True)
def _builder():
    pytest.importorskip("hatchling")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return a wheel with compiled functions; they are compiled once for all runs of the tests."""
    target = "x86_64-linux" if platform.machine() == "x86_64" else platform.machine()
    if targets.shipped_target((target, "", "")) is None:
        pytest.skip("this processor does not run compiled functions of wheels")
    caches = storing.user_path().parent
    folder = tmp_path_factory.mktemp("wheel")
    return build(folder, COTERIE_BUILD_KERNELS="1", NUMBA_CACHE_DIR=str(caches))


def test_a_wheel_runs_everywhere_unless_compiled_functions_are_requested(tmp_path):
    pure = build(tmp_path, COTERIE_BUILD_KERNELS="")
    assert pure.name.endswith("-py3-none-any.whl")
    assert not [name for name in ZipFile(pure).namelist() if name.endswith(".nbc")]


def test_a_wheel_with_compiled_functions_is_for_one_python_and_system(wheel):
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert f"-{python}-{python}" in wheel.name
    assert wheel.stem.endswith(f"_{platform.machine()}".lower())


def test_an_installed_wheel_compiles_nothing(wheel, tmp_path):
    pytest.importorskip("pip")
    first, second, home = (tmp_path / name for name in ("first", "second", "home"))
    home.mkdir()
    install = ["install", "--quiet", "--no-deps", "--no-index", "--target", str(first), str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True)  # noqa: S603
    first.rename(second)
    for path in second.rglob("*"):
        os.utime(path)
    settings = {"PYTHONPATH": second, "HOME": home, "NUMBA_CACHE_DIR": home / "kernels"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM],
        cwd=home,
        env={**os.environ, **{name: str(value) for name, value in settings.items()}},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    file, n_loaded, compiled = done.stderr.splitlines()[-3:]
    assert Path(file).is_relative_to(second)
    assert compiled == "[]"
    assert int(n_loaded) > 20
    assert not (home / "kernels").exists()
