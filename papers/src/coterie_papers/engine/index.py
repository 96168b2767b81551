"""The results of all papers in Markdown: one page per paper, and an index of one screen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from coterie.toolkit import replacing
from coterie_papers.engine.cells import make_folder
from coterie_papers.engine.claims import UNCLEAR, UNTESTED
from coterie_papers.engine.provenance import Origins, machine, now
from coterie_papers.engine.storage import CLAIMS, PaperResults
from coterie_papers.engine.tables import escaped

LEGEND = """\
What `coterie reproduce PAPER` gave: our figures, and in brackets those that the papers print; – \
stands where there is none, and the notes say why. Below each table a line says whether its data \
are the paper's own; on others, figures compare in kind alone. Searches that are not exact make \
some figures depend a little on the machine."""

COLUMNS = ("paper", "command", "claims", "computing", "computed", "commit")
WEAKER = "Weaker than in the papers, or not seen, by the places of their claims:"
CHANGED = "A + after a commit: with changes that were not committed yet."
OURS = "not in the paper"
"""Marks a claim of our own."""


def write_results(out: Path, paper: PaperResults, papers: Sequence[PaperResults]) -> None:
    """Write the page of a paper and the index of all, into the folder `results` of `out`."""
    folder = Path(out, "results")
    make_folder(folder)
    _write(folder / "index.md", index_text(papers))
    page = folder / f"{paper.name}.md"
    if paper.groups:
        _write(page, paper_text(paper))
    else:
        page.unlink(missing_ok=True)  # it would show tables that were forgotten


def index_text(papers: Sequence[PaperResults]) -> str:
    """Return one line per paper: what it is made by, and what is seen of its claims."""
    origins = Origins(
        {
            f"{paper.name}/{file}": origin
            for paper in papers
            for file, origin in paper.origins.cells.items()
        }
    )
    made = [f"Written on {now()[:10]}. {_computed_on(origins)}", *_remarks(origins)]
    lines = [COLUMNS, ["--"] * len(COLUMNS), *map(_line, papers)]
    overview = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    weaker = "\n".join(f"- {_link(paper)}: {_weaker(paper)}" for paper in papers)
    return "\n\n".join(["# Results", LEGEND, " ".join(made), overview, WEAKER, weaker])


def paper_text(paper: PaperResults) -> str:
    """Return all tables of a paper, below what they were made with."""
    facts = (f"{name}: {fact}" for name, fact in zip(COLUMNS[1:], _line(paper)[1:], strict=True))
    remarks = [_computed_on(paper.origins), *_remarks(paper.origins)]
    made = f"{'; '.join(facts)}. {' '.join(remarks)}"
    tables = [part.table.to_markdown() for made in paper.groups for part in made.tables]
    missing = [f"Not made yet: {', '.join(paper.missing)}."] if paper.missing else []
    back = "[All papers](index.md)"
    return "\n\n".join([f"# {paper.title}", back, LEGEND, made, *tables, *missing])


def _write(path: Path, text: str) -> None:
    with replacing(path) as stream:
        stream.write(f"{text}\n".encode())


def _computed_on(origins: Origins) -> str:
    return f"Computed on: {'; '.join(origins.machines or [machine()])}."


def _remarks(origins: Origins) -> Iterator[str]:
    """Explain what is not plain about the commits."""
    if any(commit.endswith("+") for commit in origins.commits):
        yield CHANGED
    if any(not origin.commit for origin in origins.cells.values()):
        yield "Not every cell tells its commit: those listed are of the others."


def _link(paper: PaperResults) -> str:
    return f"[{paper.title}]({paper.name}.md)"


def _line(paper: PaperResults) -> list[str]:
    origins = paper.origins
    commits = ", ".join(origins.commits)
    seen = _count(list(_verdicts(paper).values()))
    return [_link(paper), f"`{paper.command}`", seen, origins.time, origins.dates, commits or "–"]


def _verdicts(paper: PaperResults) -> dict[str, str]:
    """Return what is seen of each of the paper's claims, our own left out."""
    return {
        text: str(row[0].value)
        for made in paper.groups
        if made.name == CLAIMS
        for part in made.tables
        for text, row in zip(part.table.rows, part.table.entries, strict=True)
        if OURS not in text.lower()
    }


def _count(verdicts: Sequence[str]) -> str:
    if not verdicts:
        return "–"
    untested = [verdict for verdict in verdicts if verdict.endswith(UNTESTED)]
    n_seen, n_agreeing = (
        sum(verdict.startswith("yes") for verdict in each) for each in (verdicts, untested)
    )
    counts = {
        f"of {len(verdicts)} seen": n_seen - n_agreeing,
        "not significantly": verdicts.count(UNCLEAR),
        f"not tested ({n_agreeing} as claimed)": len(untested),
    }
    return ", ".join(f"{n} {words}" for words, n in counts.items() if n or words.endswith("seen"))


def _weaker(paper: PaperResults) -> str:
    """Name the claims that are not seen, each by what stands before its colon."""
    verdicts = _verdicts(paper)
    if not verdicts:
        return "no claims of the paper were tested."
    places: dict[str, Counter[str]] = {}
    for text, verdict in verdicts.items():
        if not verdict.startswith("yes"):
            kind = verdict if verdict in (UNCLEAR, UNTESTED) else "not seen"
            places.setdefault(kind, Counter())[text.partition(":")[0]] += 1
    named = [
        f"{kind.capitalize()}: {'; '.join(_times(*place) for place in places[kind].items())}."
        for kind in ("not seen", UNCLEAR, UNTESTED)
        if kind in places
    ]
    return escaped(" ".join(named) or "nothing.")


def _times(place: str, n_claims: int) -> str:
    return f"{place} ({n_claims} times)" if n_claims > 1 else place
