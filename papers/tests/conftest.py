import sys
from pathlib import Path

import pytest

from coterie_papers.reproducing import PAPERS


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Register the tiny paper; return a folder for what it computes and writes."""
    for name in ("fake_paper", "fake_paper.tables"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(Path(__file__).parent)
    monkeypatch.setitem(PAPERS, "fake", "fake_paper")
    yield tmp_path
    for name in ("fake_paper", "fake_paper.tables"):
        sys.modules.pop(name, None)
