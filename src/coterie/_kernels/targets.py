"""The processors for which kernels are compiled ahead: those of the level x86-64-v3, with AVX2."""

from functools import cache

import llvmlite.binding as llvm
from numba import config

CPU_NAME, CPU_FEATURES = "x86-64-v3", ""
"""Values of `NUMBA_CPU_NAME` and `NUMBA_CPU_FEATURES` while these kernels are compiled."""

FEATURES = (
    *("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf"),
    *("sse3", "sse4.1", "sse4.2", "ssse3", "xsave"),
)
"""The features of a processor of this level, as LLVM calls them."""


def shipped_target(target: tuple[str, str, str]) -> tuple[str, str, str] | None:
    """Return the target of kernels that were compiled ahead; None if they cannot run here.

    Parameters
    ----------
    target
        The target for which Numba compiles in this process: the system, the name of the processor,
        and its features. If the user chose them, kernels are compiled as the user says.
    """
    system, settings = target[0], vars(config)
    is_chosen = settings["CPU_NAME"] is not None or settings["CPU_FEATURES"] is not None
    if is_chosen or not settings["ENABLE_AVX"] or not system.startswith("x86_64"):
        return None
    return (system, CPU_NAME, CPU_FEATURES) if has_features() else None


@cache
def has_features() -> bool:
    """Return whether this processor has all features, and the system lets programs use them."""
    try:
        features = llvm.get_host_cpu_features()
    except RuntimeError:  # LLVM does not know the processor
        return False
    return all(features.get(name, False) for name in FEATURES)
