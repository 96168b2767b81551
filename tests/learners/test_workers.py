"""Processes among which work is divided."""

from coterie.learners import workers


def test_a_process_watches_its_parent_and_then_takes_memory_for_its_work(monkeypatch):
    called = []
    monkeypatch.setattr(workers, "end_with_parent", called.append)
    monkeypatch.setattr(workers, "take_buffers_under_limit", lambda: called.append("buffers"))
    workers.start_worker(7)
    assert called == [7, "buffers"]
