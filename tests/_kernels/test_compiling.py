"""Compiled kernels on disk: what is damaged, foreign or unsafe is compiled again.

The kernels are tiny, in modules that a test writes into a folder that it adds to the package.
"""

import ast
import errno
import importlib
import os
import random
import shutil
import subprocess
import sys
from itertools import count
from pathlib import Path

import llvmlite.binding as llvm
import numba
import pytest

from coterie import _kernels, tables
from coterie._core.compilation import compilation
from coterie._kernels import caching, storing, targets
from tests import commands

SOURCE = """
from coterie._kernels.compiling import kernel

@kernel
def double(value):
    return 2 * value

@kernel
def triple(value):
    return 3 * value
"""
MODELS = Path(__file__).parents[1] / "_saving" / "models"
NUMBERS = count()
POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no owners and modes")


@pytest.fixture(autouse=True)
def _first_warning():
    storing._has_warned.clear()


@pytest.fixture
def caches(monkeypatch, tmp_path):
    """Return the folder that `NUMBA_CACHE_DIR` names; it does not exist yet."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "caches"))
    return tmp_path / "caches"


@pytest.fixture
def name(monkeypatch, tmp_path):
    """Return the name of a module of `coterie._kernels`, which the test may load repeatedly."""
    folder = tmp_path / "sources"
    folder.mkdir()
    monkeypatch.setattr(_kernels, "__path__", [*_kernels.__path__, str(folder)])
    name = f"tiny{next(NUMBERS)}"
    (folder / f"{name}.py").write_text(SOURCE)
    return name


def load(name):
    """Load a module as a new process would."""
    importlib.invalidate_caches()
    caching.source_stamp.cache_clear()
    sys.modules.pop(f"coterie._kernels.{name}", None)
    return importlib.import_module(f"coterie._kernels.{name}")


def n_loaded(kernel):
    return sum(kernel.stats.cache_hits.values())


def n_compiled(kernel):
    return sum(kernel.stats.cache_misses.values())


def doubles(name):
    """Load the module, check that its first kernel is right, and return whether it was compiled."""
    kernel = load(name).double
    assert kernel(21) == 42
    assert n_loaded(kernel) + n_compiled(kernel) == 1
    return n_compiled(kernel) == 1


def the_file(caches, text="double"):
    (file,) = caches.rglob(f"*{text}*.nbc")
    return file


def warnings_of(caplog):
    return [record.getMessage() for record in caplog.records if record.name == storing.LOGGER]


def run(program, *words, **environment):
    """Run a program in another process, and return its output."""
    command = [sys.executable, "-c", program, *map(str, words)]
    variables = {**os.environ, **{name: str(value) for name, value in environment.items()}}
    return subprocess.run(  # noqa: S603
        command, env=variables, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


# Loading.


def test_the_next_process_loads_what_this_one_compiled(name, caches):
    assert doubles(name)
    assert not doubles(name)
    assert not list(caches.rglob("*.tmp"))


def test_one_file_holds_one_signature(name, caches):
    kernel = load(name).double
    assert (kernel(21), kernel(0.25)) == (42, 0.5)
    assert len(list(caches.rglob("*double*.nbc"))) == 2
    kernel = load(name).double
    assert (kernel(21), kernel(0.25)) == (42, 0.5)
    assert (n_loaded(kernel), n_compiled(kernel)) == (2, 0)


def check_mends(name, file):
    """Check that a kernel is compiled again, once, and that its file is then a good one."""
    assert doubles(name)
    assert file.is_file()
    assert not doubles(name)


def test_a_truncated_file_is_compiled_again(name, caches, rng):
    doubles(name)
    content = the_file(caches).read_bytes()
    for length in [0, 1, 31, 32, 33, len(content) - 1, *rng.integers(len(content), size=6)]:
        the_file(caches).write_bytes(content[:length])
        check_mends(name, the_file(caches))


def test_a_file_with_flipped_bits_is_compiled_again(name, caches):
    doubles(name)
    content = the_file(caches).read_bytes()
    generator = random.Random(0)  # noqa: S311
    for place in [0, 31, 32, len(content) - 1, *generator.sample(range(len(content)), 8)]:
        flipped = bytearray(content)
        flipped[place] ^= 1 << generator.randrange(8)
        the_file(caches).write_bytes(flipped)
        check_mends(name, the_file(caches))


def test_no_bad_byte_is_unpickled(name, caches, monkeypatch):
    doubles(name)
    the_file(caches).write_bytes(the_file(caches).read_bytes()[:-1])
    monkeypatch.setattr(caching, "loads", pytest.fail)
    assert doubles(name)


def test_files_in_each_others_place_are_compiled_again(name, caches):
    module = load(name)
    assert (module.double(21), module.triple(21)) == (42, 63)
    first, second = the_file(caches, "double"), the_file(caches, "triple")
    shutil.copy(second, first)
    check_mends(name, first)
    assert load(name).triple(21) == 63


def test_a_folder_in_the_place_of_a_file_is_replaced(name, caches):
    doubles(name)
    file = the_file(caches)
    file.unlink()
    file.mkdir()
    check_mends(name, file)


def test_a_full_folder_in_the_place_of_a_file_stays(name, caches, caplog):
    doubles(name)
    file = the_file(caches)
    file.unlink()
    (file / "inside").mkdir(parents=True)
    assert doubles(name)
    assert doubles(name)
    assert (file / "inside").is_dir()
    assert len(warnings_of(caplog)) == 1


def test_a_file_that_cannot_be_read_is_compiled_again(name, caches, monkeypatch):
    doubles(name)

    read_bytes = Path.read_bytes

    def refuse(path):
        if path.suffix == ".nbc":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return read_bytes(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        assert doubles(name)
    assert not doubles(name)


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setattr(numba, "__version__", "0.1"),
        lambda patch: patch.setattr(sys.implementation, "cache_tag", "cpython-20"),
        lambda patch: patch.setattr(
            numba.core.codegen.CPUCodegen, "magic_tuple", lambda _: ("riscv", "unknown", "")
        ),
    ],
    ids=["numba", "python", "processor"],
)
def test_the_files_of_other_versions_are_left_alone(name, caches, monkeypatch, change):
    with monkeypatch.context() as patch:
        change(patch)
        doubles(name)
    assert doubles(name)
    assert len(list(caches.rglob("*double*.nbc"))) == 2
    assert not doubles(name)


def test_a_module_that_cannot_be_imported_is_no_fault_of_the_kernel(name, caches, monkeypatch):
    """A file can be unpickled only if the module has the name under which it was compiled."""
    doubles(name)

    def fail(_):
        raise ModuleNotFoundError("No module named '<dynamic>'")

    with monkeypatch.context() as patch:
        patch.setattr(caching, "loads", fail)
        assert doubles(name)
    assert not doubles(name)


DYNAMIC = """
import sys
module = {"__name__": sys.argv[2]}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), module)
print(module["double"](21), *module["double"].stats.cache_misses.values())
"""


def test_a_module_of_another_name_is_compiled_again(name, caches):
    """Numba calls a module without a name `<dynamic>`, and cannot import it."""
    doubles(name)
    file = Path(_kernels.__path__[-1], f"{name}.py")
    for _ in range(2):
        assert run(DYNAMIC, file, "<dynamic>", NUMBA_CACHE_DIR=caches) == "42 1\n"
    assert not doubles(name)


PAIRS = """
from typing import NamedTuple

class First:
    class Pair(NamedTuple):
        a: float
        b: float

class Second:
    class Pair(NamedTuple):
        b: float
        a: float

@kernel
def a_of(pair):
    return pair.a
"""


def test_signatures_of_the_same_name_are_told_apart(name, caches):
    Path(_kernels.__path__[-1], f"{name}.py").write_text(SOURCE + PAIRS)
    for kind, value in (("First", 1.0), ("Second", 2.0), ("First", 1.0)):
        module = load(name)
        assert module.a_of(getattr(module, kind).Pair(1.0, 2.0)) == value
        assert n_compiled(module.a_of) == 1
    assert the_file(caches, "a_of")


# Sources.


def test_a_kernel_is_compiled_again_when_one_that_it_calls_changes(name, caches, tmp_path):
    caller = tmp_path / "sources" / f"{name}_caller.py"
    caller.write_text(
        "from coterie._kernels.compiling import kernel\n"
        f"from coterie._kernels.{name} import double\n"
        "@kernel\ndef quadruple(value):\n    return double(double(value))\n"
    )
    called = tmp_path / "sources" / f"{name}.py"
    for source, expected, compiled in ((SOURCE, 8, 1), (SOURCE, 8, 0), (None, 18, 1)):
        called.write_text(source or SOURCE.replace("2 * value", "3 * value"))
        load(name)
        module = load(f"{name}_caller")
        assert module.quadruple(2) == expected
        assert n_compiled(module.quadruple) == compiled


def test_the_file_of_an_older_source_is_removed(name, caches, tmp_path):
    doubles(name)
    old = the_file(caches)
    with (tmp_path / "sources" / f"{name}.py").open("a") as source:
        source.write("# changed\n")
    assert doubles(name)
    assert the_file(caches) != old


SOURCES = sorted(storing.SOURCES.rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_every_import_of_kernels_is_followed(path):
    """Only the form `from coterie._kernels.x import y` is followed."""
    text = path.read_text(encoding="utf-8")
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            imported.add(node.module)
    followed = set(caching.imported_kernels(text.encode()))
    assert {name for name in imported if name.startswith("coterie._kernels")} == followed


# Saving.


@pytest.mark.parametrize("after", [0, 100, 5_000], ids="after {} bytes".format)
def test_a_full_disk_is_reported_once_and_nothing_stays(name, caches, monkeypatch, caplog, after):
    class Full:
        def __init__(self, descriptor, _):
            self.stream, self.left = open(descriptor, "wb"), after  # noqa: PTH123, SIM115

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.stream.close()

        def write(self, content):
            self.stream.write(content[: self.left])
            self.left -= len(content)
            if self.left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", Full)
        module = load(name)
        assert (module.double(21), module.triple(21), module.double(0.5)) == (42, 63, 1.0)
    (folder,) = caches.iterdir()
    assert list(folder.iterdir()) == []
    (line,) = warnings_of(caplog)
    assert line == (
        f"compiled code cannot be kept in {folder} (No space left on device), so every run "
        "compiles it again, which takes some seconds; free space there, or set NUMBA_CACHE_DIR "
        "to another folder"
    )
    assert doubles(name)
    assert not doubles(name)


def test_a_file_in_the_place_of_the_folder_is_reported_once(name, caches, caplog):
    caches.write_text("no folder")
    module = load(name)
    assert (module.double(21), module.triple(21)) == (42, 63)
    (line,) = warnings_of(caplog)
    assert line.startswith(f"compiled code cannot be kept in {caches}")
    assert line.endswith("takes some seconds; set NUMBA_CACHE_DIR to another folder")


def test_without_a_home_folder_nothing_fails(name, monkeypatch, caplog):
    def fail():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", fail)
    module = load(name)
    assert (module.double(21), module.triple(21)) == (42, 63)
    (line,) = warnings_of(caplog)
    assert "cannot be kept in ~ (there is no home folder)" in line
    assert module.double.stats.cache_path is None


def test_what_cannot_be_pickled_works(name, caches, monkeypatch, caplog):
    monkeypatch.setattr(caching, "dumps", lambda _: 1 / 0)
    assert doubles(name)
    assert doubles(name)
    assert len(warnings_of(caplog)) == 1


def test_a_source_that_cannot_be_read_works(caches, caplog):
    module = {"__name__": "of_one_file"}
    exec(compile(SOURCE, "/no/such/file.py", "exec"), module)  # noqa: S102
    assert module["double"](21) == 42
    (line,) = warnings_of(caplog)
    assert "/no/such/file.py (No such file or directory)" in line


def test_a_name_is_for_one_installation(monkeypatch, caches, tmp_path):
    first = storing.user_folder()
    monkeypatch.setattr(storing, "SOURCES", tmp_path)
    assert storing.user_folder() != first
    assert storing.user_folder().parent == first.parent == caches


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="other systems have other folders")
@pytest.mark.parametrize(
    ("variable", "expected"), [("/x/y", "/x/y"), ("relative", "/h/.cache"), (None, "/h/.cache")]
)
def test_the_folder_follows_the_rules_of_the_system(monkeypatch, variable, expected):
    monkeypatch.setenv("HOME", "/h")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if variable:
        monkeypatch.setenv("XDG_CACHE_HOME", variable)
    assert storing._user_caches() == Path(expected)


PROGRAM = """
import sys
from coterie import _kernels
_kernels.__path__.append(sys.argv[1])
from coterie._kernels import {name} as module
print(module.double(21), module.triple(21), module.double(0.25))
"""


def test_four_processes_at_once(name, caches):
    command = [sys.executable, "-c", PROGRAM.format(name=name), _kernels.__path__[-1]]
    options = {"env": {**os.environ, "NUMBA_CACHE_DIR": str(caches)}, "stdout": subprocess.PIPE}
    children = [subprocess.Popen(command, **options) for _ in range(4)]  # noqa: S603
    outputs = [child.communicate()[0] for child in children]
    assert outputs == [b"42 63 0.5\n"] * 4
    (folder,) = caches.iterdir()
    assert len(list(folder.iterdir())) == 3
    kernel = load(name).double
    assert (kernel(21), kernel(0.25), n_compiled(kernel)) == (42, 0.5, 0)


# Who may write.


class Marker:
    """A value that writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.fixture
def planted(name, caches, tmp_path):
    """Return the file of a kernel, with the right checksum, that does something when unpickled."""
    marker, kernel = tmp_path / "marker", load(name).double
    kernel(21)
    codegen, sig = kernel.targetctx.codegen(), kernel.signatures[0]
    file_name, identity = kernel._cache._address(sig, codegen.magic_tuple())
    file = the_file(caches)
    assert file.name == file_name
    storing.write(file, identity, caching.dumps((sig, Marker(marker))))
    storing._prepared.cache_clear()
    return file


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "marker"


def test_a_planted_file_would_run(name, planted, marker):
    """Otherwise the tests below show nothing."""
    doubles(name)
    assert marker.exists()


@POSIX
def test_the_folder_is_private(name, caches):
    previous = os.umask(0)
    try:
        doubles(name)
    finally:
        os.umask(previous)
    (folder,) = caches.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert the_file(caches).stat().st_mode & 0o777 == 0o600


@POSIX
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777], ids=oct)
def test_a_folder_to_which_others_can_write_is_emptied(name, planted, marker, mode, caplog):
    planted.parent.chmod(mode)
    assert doubles(name)
    assert not marker.exists()
    assert planted.parent.stat().st_mode & 0o777 == 0o700
    (line,) = warnings_of(caplog)
    assert line.startswith(f"others could write to {planted.parent}; the folder is private now")
    assert not doubles(name)


@POSIX
def test_a_disk_without_modes_is_not_used(name, planted, marker, monkeypatch, caplog):
    planted.parent.chmod(0o777)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    assert doubles(name)
    assert doubles(name)
    assert not marker.exists()
    assert "(other users can write to it)" in warnings_of(caplog)[-1]


@pytest.fixture
def another_user(caches, monkeypatch):
    """Let the files be those of another user than the one of this process."""
    real_stat = Path.stat

    def stat(path, **options):
        status = real_stat(path, **options)
        is_foreign = path.is_relative_to(caches)
        return os.stat_result([*status[:4], 54321, *status[5:10]]) if is_foreign else status

    monkeypatch.setattr(Path, "stat", stat)


@POSIX
def test_the_folder_of_another_user_is_not_used(name, planted, marker, another_user, caplog):
    assert doubles(name)
    assert doubles(name)
    assert not marker.exists()
    assert planted.exists()
    (line,) = warnings_of(caplog)
    assert f"cannot be kept in {planted.parent} (it belongs to another user), so every" in line


@POSIX
@pytest.mark.parametrize("mode", [0o666, 0o620], ids=oct)
def test_a_file_to_which_others_can_write_is_removed(name, planted, marker, mode):
    planted.chmod(mode)
    check_mends(name, planted)
    assert not marker.exists()


# Kernels that were compiled before.


@pytest.fixture
def built_in(name, caches, monkeypatch, tmp_path):
    """Return a folder of the package with the kernels; the user has none."""
    doubles(name)
    folder = tmp_path / "compiled"
    shutil.copytree(caches / next(caches.iterdir()), folder)
    shutil.rmtree(caches)
    storing._prepared.cache_clear()
    monkeypatch.setattr(storing, "BUILT_IN", folder)
    return folder


def test_kernels_in_the_package_come_first(name, caches, built_in):
    assert not doubles(name)
    assert not caches.exists()


def test_kernels_that_the_package_lacks_go_to_the_user(name, caches, built_in):
    before = sorted(built_in.iterdir())
    for compiled in (1, 0):
        kernel = load(name).triple
        assert (kernel(21), n_compiled(kernel)) == (63, compiled)
    assert sorted(built_in.iterdir()) == before
    assert the_file(caches, "triple")


def test_a_damaged_kernel_in_the_package_is_compiled_for_the_user(
    name, caches, built_in, monkeypatch
):
    the_file(built_in).write_bytes(b"damaged")
    monkeypatch.setattr(caching, "remove", lambda _: None)  # a read-only package
    assert doubles(name)
    assert not doubles(name)
    assert the_file(caches)


@POSIX
def test_a_package_to_which_others_can_write_is_not_used(name, caches, built_in):
    built_in.chmod(0o777)
    assert doubles(name)
    assert the_file(caches)


@POSIX
def test_a_package_of_a_group_is_used_by_the_group(name, caches, built_in, monkeypatch):
    """With the umask 002, the group can write to all files, and to the source beside them too."""
    built_in.chmod(0o775)
    the_file(built_in).chmod(0o664)
    status = os.stat_result

    def as_group(path, stat=Path.stat):
        fields = list(stat(path))
        if path in {storing.SOURCES, Path(storing.__file__)}:
            fields[0] |= 0o020
        return status(fields)

    monkeypatch.setattr(Path, "stat", as_group)
    assert not doubles(name)
    the_file(built_in).chmod(0o666)
    assert doubles(name)


@POSIX
def test_a_package_of_another_group_is_not_used(name, caches, built_in, monkeypatch):
    built_in.chmod(0o775)
    status = os.stat_result

    def as_group(path, stat=Path.stat):
        fields = list(stat(path))
        if path == storing.SOURCES:
            fields[0] |= 0o020
            fields[5] += 1
        return status(fields)

    monkeypatch.setattr(Path, "stat", as_group)
    assert doubles(name)


# Kernels of a wheel, which run on many processors.


@pytest.fixture
def wheel(name, caches, monkeypatch, tmp_path):
    """Return a folder of the package with kernels that were compiled as for a wheel."""
    if targets.shipped_target((llvm.get_process_triple(), "", "")) is None:
        pytest.skip("this processor does not run them")
    program = PROGRAM.format(name=name)
    run(
        *(program, _kernels.__path__[-1]),
        NUMBA_CACHE_DIR=caches,
        NUMBA_CPU_NAME=targets.CPU_NAME,
        NUMBA_CPU_FEATURES=targets.CPU_FEATURES,
    )
    folder = tmp_path / "compiled"
    shutil.copytree(next(caches.iterdir()), folder)
    shutil.rmtree(caches)
    storing._prepared.cache_clear()
    monkeypatch.setattr(storing, "BUILT_IN", folder)
    return folder


def test_this_processor_runs_the_kernels_of_a_wheel(name, caches, wheel):
    assert not doubles(name)
    assert not caches.exists()


def test_the_kernels_of_a_wheel_are_not_taken_for_the_users(name, caches, wheel, monkeypatch):
    monkeypatch.setattr(storing, "BUILT_IN", wheel.parent / "none")
    shutil.copytree(wheel, storing.user_folder(), dirs_exist_ok=True)
    assert doubles(name)


def test_without_avx2_kernels_are_compiled(name, caches, wheel, monkeypatch):
    monkeypatch.setattr(targets, "has_features", lambda: False)
    assert doubles(name)
    assert not doubles(name)
    assert the_file(caches)


def test_with_another_numba_kernels_are_compiled(name, caches, wheel, monkeypatch):
    monkeypatch.setattr(numba, "__version__", "0.1")
    assert doubles(name)
    assert not doubles(name)


def test_a_damaged_kernel_of_a_wheel_is_compiled(name, caches, wheel):
    for file in wheel.iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    assert doubles(name)
    assert not doubles(name)


# The time of compiling.


def test_compiling_is_timed_and_loading_is_not(name, caches):
    for is_compiled in (True, False):
        before = len(compilation.spans)
        assert doubles(name) == is_compiled
        assert len(compilation.spans) == before + is_compiled


# All together.


def test_predict_works_with_a_damaged_cache(tmp_path):
    """Many of the files that a prediction needs are truncated, each at another length."""
    model = str(MODELS / "table.coterie")
    columns = tables.load(model).sample.columns
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    table = tmp_path / "people.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected, output = tmp_path / "expected.csv", tmp_path / "output.csv"
    done = commands.run("predict", model, table, "-o", expected)  # compiles what is missing
    assert done.exit_code == 0, done.output
    folder = tmp_path / "caches" / storing.user_folder().name
    shutil.copytree(storing.user_folder(), folder)
    damaged = sorted(folder.glob("tokens.hash_*.nbc"))
    for place, file in enumerate(damaged):
        file.write_bytes(file.read_bytes()[: 1_000 * place])
    program = "import sys; from coterie import cli; sys.argv[0] = 'coterie'; cli.main()"
    words = (model, table, "-o", output)
    assert run(program, "predict", *words, NUMBA_CACHE_DIR=tmp_path / "caches") == ""
    assert output.read_bytes() == expected.read_bytes()
    assert sum(file.stat().st_size > 30_000 for file in damaged) >= 4


def test_numba_without_compilation_works(name, caches):
    program = PROGRAM.format(name=name)
    folder = _kernels.__path__[-1]
    output = run(program, folder, NUMBA_CACHE_DIR=caches, NUMBA_DISABLE_JIT=1)
    assert output == "42 63 0.5\n"
    assert not caches.exists()
