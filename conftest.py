"""What the tests of both distributions share."""

import os
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
    """Return a generator of the same random numbers for each test."""
    return np.random.default_rng(0)


@pytest.fixture
def data_folder() -> Path:
    """Return the folder of the corpora; tests that need one skip where it is missing."""
    folder = Path(os.environ.get("COTERIE_DATA", ""))
    if not os.environ.get("COTERIE_DATA") or not folder.is_dir():
        pytest.skip("the corpora are missing; name their folder by COTERIE_DATA")
    return folder
