"""RESULTS.md: the tables of all papers that are in a folder, and how they were made."""

from collections.abc import Sequence
from pathlib import Path

from coterie.toolkit import replacing
from coterie_papers.engine.claims import UNCLEAR, UNTESTED
from coterie_papers.engine.made import CLAIMS, Results
from coterie_papers.engine.provenance import Origins, machine, now

HEAD = """\
What `coterie reproduce PAPER` gave: our figures, and in brackets those that the papers print; – \
stands where there is none, and the notes say why. Below each table a line says whether its data \
are the paper's own; on others, figures compare in kind alone. Searches that are not exact make \
some figures depend a little on the machine."""

COLUMNS = ("paper", "command", "claims", "computing", "computed", "commit")
OURS = "not in the paper"
"""Marks a claim of our own."""


def write_results(out: Path, papers: Sequence[Results]) -> None:
    """Write all tables of the papers into one file of Markdown, `out`/RESULTS.md."""
    with replacing(out / "RESULTS.md") as stream:
        stream.write(f"{results_text(papers)}\n".encode())


def results_text(papers: Sequence[Results]) -> str:
    """Return the tables of the papers in Markdown, below what they were made with."""
    origins = Origins(
        {
            f"{paper.name}/{file}": origin
            for paper in papers
            for file, origin in paper.origins.cells.items()
        }
    )
    machines = "; ".join(origins.machines or [machine()])
    made = f"Written on {now()[:10]}. Computed on: {machines}."
    if any(commit.endswith("+") for commit in origins.commits):
        made += " A + after a commit: with changes that were not committed yet."
    if any(not origin.commit for origin in origins.cells.values()):
        made += " Not every cell tells its commit: those listed are of the others."
    lines = [COLUMNS, ["--"] * len(COLUMNS), *map(_line, papers)]
    overview = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join(["# Results", HEAD, made, overview, *map(_section, papers)])


def _line(paper: Results) -> list[str]:
    origins = paper.origins
    commits = ", ".join(origins.commits)
    seen = _claims(paper)
    return [paper.title, f"`{paper.command}`", seen, origins.time, origins.dates, commits or "–"]


def _claims(paper: Results) -> str:
    """Count what is seen of the paper's claims, our own left out."""
    verdicts = [
        str(row[0].ours)
        for made in paper.made
        if made.name == CLAIMS
        for part in made.parts
        for text, row in zip(part.table.rows, part.table.entries, strict=True)
        if OURS not in text.lower()
    ]
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


def _section(paper: Results) -> str:
    tables = [part.table.to_markdown() for made in paper.made for part in made.parts]
    missing = f"Not made yet: {', '.join(paper.missing)}."
    return "\n\n".join([f"## {paper.title}", *tables, *([missing] if paper.missing else [])])
