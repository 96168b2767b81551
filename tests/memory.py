"""A limit on the memory of tests that does not depend on the machine."""

from typing import Any

from coterie._core.memory import MemoryLimit


def limit_memory(monkeypatch: Any, n_bytes: float) -> None:
    """Let Coterie take a process for one that may take only so many more bytes."""
    limit = MemoryLimit(n_bytes, "`ulimit -v`")
    for module in ("_core.memory", "_core.arrays", "tables.io.sources", "tables.io.delimited"):
        monkeypatch.setattr(f"coterie.{module}.memory_limit", lambda: limit)
