"""What the tests of both distributions share."""

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import settings

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

# No deadline: a slow machine is no failure. In CI the examples are always the same ones.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator of the same random numbers for each test."""
    return np.random.default_rng(0)


@pytest.fixture
def data_folder() -> Path:
    """Return the folder of the corpora; tests that need one skip where it is missing."""
    folder = Path(os.environ.get("COTERIE_DATA", ""))
    if not os.environ.get("COTERIE_DATA") or not folder.is_dir():
        pytest.skip("the corpora are missing; name their folder by COTERIE_DATA")
    return folder


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a file in one process, and in one those of the slowest kernels to compile.

    Two processes that need a kernel at the same time both compile it, and each makes the fixtures
    of a module anew.
    """
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 - only where it is installed

    class LoadSubjects(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "dirichlet" if "dirichlet" in nodeid.lower() else nodeid.partition("::")[0]

    return LoadSubjects(config, log)


# What `COTERIE_REQUIRE` may name, separated by commas, and what the reason of a skip says then.
REQUIREMENTS = {"data": "COTERIE_DATA", "libraries": "could not import"}


def required() -> list[str]:
    """Return the texts that no reason to skip may have."""
    names = [name for name in os.environ.get("COTERIE_REQUIRE", "").split(",") if name]
    for name in names:
        if name not in REQUIREMENTS:
            raise pytest.UsageError(
                f"COTERIE_REQUIRE names {name!r}; give some of {', '.join(REQUIREMENTS)}"
            )
    return [REQUIREMENTS[name] for name in names]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that is skipped for want of what is required."""
    return failed_if_required((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a file of tests that is skipped for want of what is required."""
    return failed_if_required((yield))


def failed_if_required(report: Report) -> Report:
    """Turn a skip into a failure where its reason is the want of what is required."""
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2]
        if any(text in reason for text in required()):
            report.outcome = "failed"
            report.longrepr = f"{reason} (but COTERIE_REQUIRE is set)"
    return report
