"""On which processors the kernels of a wheel run."""

import platform

import pytest
from numba import config

from coterie._kernels import targets
from coterie._kernels.targets import CPU_FEATURES, CPU_NAME, FEATURES, shipped_target

SYSTEM = "x86_64-unknown-linux-gnu"
HOST = (SYSTEM, "znver5", "+avx2,+avx512f")
SHIPPED = (SYSTEM, CPU_NAME, CPU_FEATURES)


@pytest.fixture
def processor(monkeypatch):
    """Return the features of a made-up processor, which the test may change; all are there."""
    features = dict.fromkeys(FEATURES, True) | {"avx512f": False}
    monkeypatch.setattr(targets.llvm, "get_host_cpu_features", lambda: features)
    monkeypatch.setattr(config, "CPU_NAME", None)
    monkeypatch.setattr(config, "CPU_FEATURES", None)
    monkeypatch.setattr(config, "ENABLE_AVX", True)
    targets.has_features.cache_clear()
    yield features
    targets.has_features.cache_clear()


def test_a_processor_with_all_features_runs_them(processor):
    assert shipped_target(HOST) == SHIPPED


@pytest.mark.parametrize("feature", FEATURES)
def test_a_processor_that_lacks_a_feature_does_not(processor, feature):
    processor[feature] = False
    assert shipped_target(HOST) is None


def test_a_feature_that_llvm_does_not_list_is_missing(processor):
    del processor["avx2"]
    assert shipped_target(HOST) is None


def test_a_processor_that_llvm_does_not_know_does_not(processor, monkeypatch):
    def fail():
        raise RuntimeError("failed to get host cpu features")

    monkeypatch.setattr(targets.llvm, "get_host_cpu_features", fail)
    assert shipped_target(HOST) is None


def test_another_kind_of_processor_does_not(processor):
    assert shipped_target(("aarch64-apple-darwin", "apple-m1", "")) is None


@pytest.mark.parametrize(
    ("name", "value"), [("CPU_NAME", "generic"), ("CPU_FEATURES", ""), ("ENABLE_AVX", False)]
)
def test_what_the_user_says_about_the_processor_counts(processor, monkeypatch, name, value):
    monkeypatch.setattr(config, name, value)
    assert shipped_target(HOST) is None


@pytest.mark.skipif(platform.machine() != "x86_64", reason="LLVM names them for x86-64 only")
def test_llvm_knows_all_names(processor, monkeypatch):
    monkeypatch.undo()
    assert set(FEATURES) <= set(targets.llvm.get_host_cpu_features())
