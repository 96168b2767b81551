"""The documentation: links are not broken, and `docs/library.md` lists the public names."""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import coterie

ROOT = Path(__file__).parents[1]
SOURCE = Path(coterie.__file__).parent
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "papers/*.md", "papers/results/*.md")
    for page in ROOT.glob(pattern)
)

# Packages that have their own pages, and operators, which `coterie.features` exports.
DOCUMENTED_ELSEWHERE = {"cli", "demo", "features.operators", "report", "tables"}
MODULES = {"coterie.calibrations", "coterie.exceptions", "coterie.objectives"}
FAMILIES = {
    "coterie" + ".".join(["", *stub.parent.relative_to(SOURCE).parts])
    for stub in SOURCE.rglob("__init__.pyi")
    if ".".join(stub.parent.relative_to(SOURCE).parts) not in DOCUMENTED_ELSEWHERE
} | MODULES

CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@cache
def text_of(page):
    """Return the text of a page without its blocks of code."""
    return CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))


def anchor_of(heading):
    """Return the anchor that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors_of(page):
    return {anchor_of(heading) for heading in HEADING.findall(text_of(page))}


def broken_links(page):
    for target in LINK.findall(CODE.sub("", text_of(page))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        path = page.parent / name if name else page
        if not path.exists() or (fragment and fragment not in anchors_of(path)):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_pages_are_not_broken(page):
    assert list(broken_links(page)) == []


def test_broken_links_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# One `word`\n[a](page.md) [b](#one-word) [c](#two) [d](none.md) [e](https://f.example)\n"
    )
    assert list(broken_links(page)) == ["#two", "none.md"]


def documented_names():
    """Return the names in the first columns of the tables of `docs/library.md` by module."""
    _, _, reference = text_of(ROOT / "docs/library.md").partition("## What there is")
    names = {}
    for section in reference.split("\n### ")[1:]:
        module = re.search(r"`(coterie[\w.]*)`", section)
        cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        if module and cells:
            names[module[1]] = re.findall(r"`(\w+)`", " ".join(cells))
    return names


DOCUMENTED = documented_names()


def test_every_family_is_documented():
    assert set(DOCUMENTED) == FAMILIES


@pytest.mark.parametrize("module", sorted(FAMILIES - {"coterie"}))
def test_documented_names_are_the_public_ones(module):
    assert sorted(DOCUMENTED.get(module, [])) == sorted(import_module(module).__all__)


def test_documented_names_of_the_top_level():
    """The page has a section per subpackage, and one for all learners."""
    in_sections = {name for name in coterie.__all__ if (SOURCE / name).exists()}
    in_sections |= {module.removeprefix("coterie.") for module in MODULES}
    in_sections |= set(coterie.learners.__all__)
    assert sorted(DOCUMENTED["coterie"]) == sorted(set(coterie.__all__) - in_sections)
