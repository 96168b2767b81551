import importlib.util
import sys
from pathlib import Path

import pytest

from coterie_papers.reproducing import PAPERS, Paper


@pytest.fixture
def fake(monkeypatch, tmp_path):
    """Register the tiny paper; return a folder for what it computes and writes."""
    path = Path(__file__).with_name("fake_paper.py")
    spec = importlib.util.spec_from_file_location("fake_paper", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "fake_paper", module)
    monkeypatch.setitem(PAPERS, "fake", Paper("Nobody & Co. 1999, Squares", "fake_paper"))
    return tmp_path
