"""The memory that a process may take: the narrowest of several limits, and refusals before work."""

import math
import resource

import pytest

from coterie._core import memory
from coterie._core.arrays import refuse_too_large
from coterie._core.memory import MemoryUse, cgroup_limit, memory_limit, refuse_beyond_memory
from coterie.exceptions import InputError, ItemSetError
from tests.memory import limit_memory

GB = 10**9


@pytest.fixture
def system(monkeypatch):
    """Return a function that sets the limits of a made-up system, in GB."""

    def set_limits(machine=math.inf, cgroup=math.inf, **soft_limits):
        monkeypatch.setattr(memory, "physical_memory", lambda: machine * GB)
        monkeypatch.setattr(memory, "cgroup_limit", lambda _process, _cgroups: cgroup * GB)
        limits = {getattr(resource, name): int(size * GB) for name, size in soft_limits.items()}
        unlimited = resource.RLIM_INFINITY
        monkeypatch.setattr(
            resource, "getrlimit", lambda name: (limits.get(name, unlimited), unlimited)
        )
        monkeypatch.setattr(memory, "_memory_use", lambda: MemoryUse(3 * GB, GB, 2 * GB))

    return set_limits


@pytest.mark.parametrize(
    ("limits", "n_gigabytes", "cause"),
    [
        ({"machine": 16}, 15, "the memory of this machine"),
        ({"machine": 16, "cgroup": 4}, 3, "the limit of its cgroup"),
        ({"machine": 16, "cgroup": 4, "RLIMIT_AS": 5}, 2, "`ulimit -v`"),
        ({"machine": 16, "RLIMIT_DATA": 6}, 4, "`ulimit -d`"),
        ({"machine": 16, "RLIMIT_AS": 2}, 0, "`ulimit -v`"),
    ],
)
def test_the_narrowest_limit_counts_less_what_is_in_use(system, limits, n_gigabytes, cause):
    system(**limits)
    assert memory_limit() == (n_gigabytes * GB, cause)


def test_a_real_limit_is_below_the_memory_of_the_machine():
    limit = memory_limit()
    assert 0 < limit.n_bytes < memory.physical_memory()


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "700\n"}, 700),
        ("0::/a/b\n", {"a/b/memory.max": "500\n", "a/memory.max": "700\n"}, 500),
        ("0::/\n", {"memory.max": "900\n"}, 900),
        ("0::/path/of/the/host\n", {"memory.max": "900\n"}, 900),
        ("0::/a\n", {"a/memory.max": "max\n"}, math.inf),
        ("0::/a\n", {"a/memory.max": "broken\n"}, math.inf),
        ("4:cpu:/a\n3:memory:/a\n", {"memory/a/memory.limit_in_bytes": "300\n"}, 300),
        ("3:cpu,memory:/a\n", {"memory/memory.limit_in_bytes": "200\n"}, 200),
        ("3:memory:/\n", {"memory/memory.limit_in_bytes": "9223372036854771712\n"}, math.inf),
        ("3:memory:/a:b\n", {"memory/a:b/memory.limit_in_bytes": "100\n"}, 100),
        ("", {}, math.inf),
    ],
)
def test_the_limits_of_a_cgroup_and_of_those_around_it(groups, files, expected, tmp_path):
    write(tmp_path, {"process/cgroup": groups})
    write(tmp_path / "cgroups", files)
    assert cgroup_limit(tmp_path / "process", tmp_path / "cgroups") == expected


def test_a_system_without_these_files_has_no_limit(tmp_path, monkeypatch):
    assert cgroup_limit(tmp_path / "process", tmp_path) == math.inf
    monkeypatch.setattr(memory, "PROCESS", tmp_path)
    assert memory._memory_use() == (0, 0, 0)


def test_work_beyond_the_limit_is_refused_with_the_numbers(monkeypatch):
    limit_memory(monkeypatch, 700e6)
    refuse_beyond_memory(700e6, "clustering", "split the table")
    with pytest.raises(InputError) as caught:
        refuse_beyond_memory(3.1e9, "clustering 9 rows", "split the table")
    assert str(caught.value) == (
        "clustering 9 rows needs at least 3.1 GB more memory, but this process may take only "
        "700 MB more (`ulimit -v`); raise the limit, or split the table"
    )
    refuse_too_large(10**6, "a matrix")
    with pytest.raises(ItemSetError, match=r"a matrix takes 800 MB, more than .* 700 MB"):
        refuse_too_large(10**8, "a matrix")
