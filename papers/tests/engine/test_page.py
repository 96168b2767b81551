"""The pages of a paper and the index of all papers, after one run or several."""

import json
import logging
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from importlib import import_module

import pytest

from coterie_papers.engine.index import index_text
from coterie_papers.engine.page import NO_CHART
from coterie_papers.engine.provenance import Origins, machine, now
from coterie_papers.engine.storage import QUICK_NOTE, PaperResults, StoredTable, TableGroup
from coterie_papers.engine.tables import Table
from coterie_papers.reproducing import PAPERS, folder_of, reproduce


class Page(HTMLParser):
    """A parsed page: checks that all elements are closed, and collects ids, links and texts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.headings, self.tags = [], [], [], [], set()
        self.text = ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.add(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values[name] for name in ("href", "src") if name in values]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data
            if self.open[-1:] in (["h1"], ["h2"]):
                self.headings.append(data)


def reproduced(fake, only=(), paper="fake", quick=False):
    """Make tables and return the HTML page and the Markdown page."""
    list(reproduce(paper, only, fake / "out", fake, n_jobs=1, quick=quick))
    page = folder_of(paper, fake / "out", quick) / "index.html"
    results = fake / "out" / "results" / f"{paper}.md"
    return page.read_text(encoding="utf-8"), (
        results.read_text(encoding="utf-8") if results.exists() else ""
    )


def index(fake):
    return (fake / "out" / "results" / "index.md").read_text(encoding="utf-8")


def test_a_page_shows_tables_notes_and_origin(fake):
    page = Page(reproduced(fake)[0])
    assert page.headings == [
        "Nobody & Co. 1999, Squares",
        "What the paper claims",
        "Tables",
        "Squares",
        "Half 0",
        "Half 1",
        "How this was computed",
    ]
    assert "4.0 (4.1)" in page.text
    assert "– (9)" in page.text
    assert "Data: the paper's own <numbers>." in page.text
    assert "Not all agree." in page.text
    assert "Commandcoterie reproduce fakeComputed3 cells" in page.text
    assert machine() in page.text
    assert now()[:10] in page.text
    assert QUICK_NOTE not in page.text
    assert "Not made yet" not in page.text


def test_a_page_needs_no_other_files(fake):
    text, _ = reproduced(fake)
    page = Page(text)
    assert not re.search(r"https?:|//\w|@import|<script|<link|<!ENTITY|<img", text)
    assert {"svg", "table"} <= page.tags
    assert len(page.ids) == len(set(page.ids))  # although there are two charts
    references = re.findall(r"url\(#([^)]+)\)", text)
    assert references
    assert {link.removeprefix("#") for link in page.links} | set(references) <= set(page.ids)


def test_texts_of_tables_are_escaped(fake):
    text, _ = reproduced(fake, quick=True)
    assert "&lt;numbers&gt;" in text
    assert "Less &lt;b&gt;data&lt;/b&gt;." in text
    assert "x &amp; y" in text
    assert "<numbers>" not in text


def test_a_quick_page_says_so_and_is_not_among_the_results(fake):
    text, results = reproduced(fake, quick=True)
    page = Page(text)
    assert page.text.count(QUICK_NOTE) == 1 + 4
    assert "coterie reproduce fake --quick" in page.text
    assert results == ""


def test_a_page_has_the_tables_of_several_runs(fake):
    text, results = reproduced(fake, ["table2"])
    assert "Not made yet: claims, table1." in Page(text).text
    assert "Not made yet: claims, table1." in results
    for only in (["table1"], ["claims"], ["table2"]):
        text, results = reproduced(fake, only)
    order = ["What the paper claims", "Squares", "Half 0", "Half 1"]
    assert [heading for heading in Page(text).headings if heading in order] == order
    assert re.findall(r"\*\*(.+)\*\*", results) == order
    assert "Not made yet" not in text + results


def test_a_stopped_run_has_a_page(fake):
    tables = reproduce("fake", out=fake / "out", data_folder=fake, n_jobs=1)
    next(tables)
    tables.close()
    text = (fake / "out" / "fake" / "index.html").read_text(encoding="utf-8")
    assert "Squares" in Page(text).headings
    assert "Not made yet: claims, table2." in text


def test_tables_that_were_removed_from_the_paper_are_left_out(fake, monkeypatch):
    reproduced(fake)
    module = import_module("fake_paper.tables")
    monkeypatch.setattr(module, "TABLES", {"table1": module.squares})
    text, results = reproduced(fake)
    assert "Half" not in text
    assert "Half" not in results
    assert (fake / "out" / "fake" / "table2.json").exists()


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b'{"tables": [{}], "cells": {}}'])
def test_a_damaged_table_is_left_out(fake, damage, caplog):
    reproduced(fake)
    (fake / "out" / "fake" / "table2.json").write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        text, results = reproduced(fake, ["table1"])
    assert "table2.json is damaged" in caplog.text
    assert "Not made yet: table2." in text
    assert "Half" not in results


def test_a_page_without_matplotlib(fake, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = Page(reproduced(fake)[0])
    assert page.text.count(NO_CHART) == 2
    assert "svg" not in page.tags


def test_results_of_all_papers(fake, monkeypatch):
    module, other = type(sys)("other_paper"), type(sys)("other_paper.tables")
    module.__doc__ = "Somebody 2001, Others."
    table = Table.from_rows("Other", {"a": {"x": 1.0}}, data="made.")
    other.TABLES = {"table9": lambda context: [table]}
    monkeypatch.setitem(sys.modules, "other_paper", module)
    monkeypatch.setitem(sys.modules, "other_paper.tables", other)
    monkeypatch.setitem(PAPERS, "other", "other_paper")
    others = reproduced(fake, paper="other")[1]
    squares = reproduced(fake)[1]
    today, lines = now()[:10], index(fake)
    assert lines.startswith("# Results\n\nThe figures on these pages were computed by `coterie")
    assert f"Written on {today}. Machine: {machine()}." in lines
    summary = "2 of 8 confirmed, 1 not significant, 3 not tested (1 as claimed)"
    title = "[Nobody & Co. 1999, Squares](fake.md)"
    row = f"| {title} | `coterie reproduce fake` | {summary} | 0 s by 1 process | {today} |"
    assert row in lines
    assert "| [Somebody 2001, Others](other.md) | `coterie reproduce other` | – |" in lines
    weaker = "Not confirmed: Squares shrink; Squares jump; Squares run."
    unclear = "Not significant: Squares wobble. Not tested: Squares are even."
    assert f"- {title}: {weaker} {unclear}\n" in lines
    assert lines.endswith("(other.md): no claims of the paper were tested.\n")
    assert len(lines.splitlines()) <= 45
    assert squares.startswith("# Nobody & Co. 1999, Squares\n")
    assert (
        f"\n\ncommand: `coterie reproduce fake`; claims: {summary}; computing time: 0 s" in squares
    )
    assert others.endswith(f"{table.to_markdown()}\n")
    assert table.to_markdown() not in squares


@pytest.mark.parametrize(
    ("verdicts", "summary"),
    [
        (["yes", "yes: no significant difference", "no"], "2 of 3 confirmed"),
        (["no: the reverse", "mixed", "no: significant difference"], "0 of 3 confirmed"),
        (["yes", "not significant"], "1 of 2 confirmed, 1 not significant"),
        (["no, not tested", "not tested"], "0 of 2 confirmed, 2 not tested (0 as claimed)"),
    ],
)
def test_verdicts_are_counted(tmp_path, verdicts, summary):
    rows = {f"claim {n}": {"confirmed": verdict} for n, verdict in enumerate(verdicts)}
    rows["a claim (Not in the paper)"] = {"confirmed": "yes"}
    stored = StoredTable("claims", Table.from_rows("Claims", rows), has_chart=False)
    groups = [TableGroup("claims", [stored], Origins({}))]
    assert f"| {summary} |" in index_text([PaperResults("p", "P", tmp_path, False, groups, [])])


def test_unconfirmed_claims_are_named_by_their_place(tmp_path):
    verdicts = {
        "Table 1, C_R*: a better than b": "no",
        "Table 1, C_R*: a better than c": "no: the reverse",
        "Table 2: a better than b": "yes, not tested",
        "Table 3: a level with b": "not tested",
        "Table 3: a better than c": "no, not tested",
    }
    table = Table.from_rows(
        "Claims", {text: {"confirmed": verdict} for text, verdict in verdicts.items()}
    )
    groups = [TableGroup("claims", [StoredTable("claims", table, has_chart=False)], Origins({}))]
    lines = index_text([PaperResults("p", "P", tmp_path, False, groups, [])])
    assert lines.endswith("Not confirmed: Table 1, C_R\\* (2 times); Table 3. Not tested: Table 3.")
    confirmed = groups[0].tables[0]._replace(table=_confirmed_only(table))
    groups = [TableGroup("claims", [confirmed], Origins({}))]
    assert index_text([PaperResults("p", "P", tmp_path, False, groups, [])]).endswith(": none.")


def _confirmed_only(table):
    """Leave only the claim that is confirmed."""
    return replace(table, rows=table.rows[2:3], entries=table.entries[2:3])


def test_cells_of_several_tables_count_once(fake):
    reproduced(fake)
    folder = fake / "out" / "fake"
    counts = [
        len(json.loads((folder / f"{name}.json").read_bytes())["cells"])
        for name in ("table1", "table2", "claims")
    ]
    assert counts == [3, 2, 3]
    for path in (folder / "cells").iterdir():
        content = json.loads(path.read_bytes())
        path.write_text(json.dumps(content | {"seconds": 100.0, "commit": "abc1234+"}))
    (folder / "cells" / "n=9-version=0-0123456789abcdef.json").write_text("{}")  # no table uses it
    text, results = reproduced(fake)
    assert "5 min by 1 process, 5 min in total" in Page(text).text
    assert "abc1234+" in text
    assert "| 5 min by 1 process |" in index(fake)
    assert "computing time: 5 min by 1 process; " in results
    for text in (results, index(fake)):
        assert "A + after a commit means" in text
