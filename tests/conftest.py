"""What the tests share."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# No deadline: a slow machine is no failure. In CI the examples are always the same ones.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("thorough", deadline=None, max_examples=2000)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def data_folder() -> Path:
    """The folder of the corpora; tests that need one skip where it is missing."""
    folder = Path(os.environ.get("COTERIE_DATA", ""))
    if not os.environ.get("COTERIE_DATA") or not folder.is_dir():
        pytest.skip("the corpora are missing; name their folder by COTERIE_DATA")
    return folder


def all_partitions(n_items: int) -> Iterator[list[int]]:
    """Yield the labels of every partition of n items, by restricted growth."""

    def grow(labels: list[int], used: int) -> Iterator[list[int]]:
        if len(labels) == n_items:
            yield labels
            return
        for label in range(used + 1):
            yield from grow([*labels, label], max(used, label + 1))

    return grow([], 0)
