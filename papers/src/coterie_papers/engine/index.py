"""The results of all papers in Markdown: one page per paper, and an index of one screen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from coterie.toolkit import replacing
from coterie_papers.engine.cells import make_folder
from coterie_papers.engine.claims import UNCLEAR, UNTESTED
from coterie_papers.engine.provenance import UNCOMMITTED, Origins, machine, now
from coterie_papers.engine.storage import CLAIMS, PaperResults
from coterie_papers.engine.tables import escaped

LEGEND = """\
The figures on these pages were computed by `coterie reproduce PAPER`. Figures in brackets are \
those that the papers print. A dash (–) means that there is no figure; the notes say why. The line \
"Data" below a table says whether the data are the paper's own. If they are not, the order of the \
methods can be compared with the paper, but not the figures. Some searches are not exact, so that \
some figures depend a little on the machine."""

COLUMNS = ("paper", "command", "claims", "computing time", "computed on", "commit")
UNCONFIRMED = "not confirmed"
WEAKER = "Claims that the results do not confirm, by their place in the paper:"
NO_COMMIT = "Some results were stored without a commit; the commits shown are those of the others."
EXTRA_CLAIM = "not in the paper"
"""The mark in the text of a claim that the paper does not make."""


def write_results(out: Path, paper: PaperResults, papers: Sequence[PaperResults]) -> None:
    """Write the page of a paper and the index of all papers into `out`/results."""
    folder = Path(out, "results")
    make_folder(folder)
    _write(folder / "index.md", index_text(papers))
    page = folder / f"{paper.name}.md"
    if paper.groups:
        _write(page, paper_text(paper))
    else:
        page.unlink(missing_ok=True)  # an old page would show tables that were deleted


def index_text(papers: Sequence[PaperResults]) -> str:
    """Return the index: one line per paper with its command and a summary of its claims."""
    origins = Origins(
        {
            f"{paper.name}/{file}": origin
            for paper in papers
            for file, origin in paper.origins.cells.items()
        }
    )
    facts = [f"Written on {now()[:10]}. {_machines(origins)}", *_remarks(origins)]
    lines = [COLUMNS, ["--"] * len(COLUMNS), *map(_line, papers)]
    overview = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    weaker = "\n".join(f"- {_link(paper)}: {_weaker(paper)}" for paper in papers)
    return "\n\n".join(["# Results", LEGEND, " ".join(facts), overview, WEAKER, weaker])


def paper_text(paper: PaperResults) -> str:
    """Return the page of a paper: the facts of its computation, then all tables."""
    facts = (f"{name}: {fact}" for name, fact in zip(COLUMNS[1:], _line(paper)[1:], strict=True))
    remarks = [_machines(paper.origins), *_remarks(paper.origins)]
    computation = f"{'; '.join(facts)}. {' '.join(remarks)}"
    tables = [stored.table.to_markdown() for group in paper.groups for stored in group.tables]
    missing = [f"Not made yet: {', '.join(paper.missing)}."] if paper.missing else []
    back = "[All papers](index.md)"
    return "\n\n".join([f"# {paper.title}", back, LEGEND, computation, *tables, *missing])


def _write(path: Path, text: str) -> None:
    with replacing(path) as stream:
        stream.write(f"{text}\n".encode())


def _machines(origins: Origins) -> str:
    return f"Machine: {'; '.join(origins.machines or [machine()])}."


def _remarks(origins: Origins) -> Iterator[str]:
    """Explain commits with changes, and results without a commit."""
    if any(commit.endswith("+") for commit in origins.commits):
        yield UNCOMMITTED
    if any(not origin.commit for origin in origins.cells.values()):
        yield NO_COMMIT


def _link(paper: PaperResults) -> str:
    return f"[{paper.title}]({paper.name}.md)"


def _line(paper: PaperResults) -> list[str]:
    origins = paper.origins
    commits = ", ".join(origins.commits) or "–"
    claims = _count(list(_verdicts(paper).values()))
    return [_link(paper), f"`{paper.command}`", claims, origins.time, origins.dates, commits]


def _verdicts(paper: PaperResults) -> dict[str, str]:
    """Return the verdict on each claim of the paper; claims that are not in it are left out."""
    return {
        text: str(row[0].value)
        for group in paper.groups
        if group.name == CLAIMS
        for stored in group.tables
        for text, row in zip(stored.table.rows, stored.table.entries, strict=True)
        if EXTRA_CLAIM not in text.lower()
    }


def _count(verdicts: Sequence[str]) -> str:
    if not verdicts:
        return "–"
    untested = [verdict for verdict in verdicts if verdict.endswith(UNTESTED)]
    n_yes, n_untested_yes = (
        sum(verdict.startswith("yes") for verdict in group) for group in (verdicts, untested)
    )
    counts = {
        f"of {len(verdicts)} confirmed": n_yes - n_untested_yes,
        UNCLEAR: verdicts.count(UNCLEAR),
        f"{UNTESTED} ({n_untested_yes} as claimed)": len(untested),
    }
    # The first count stays even if it is 0.
    return ", ".join(f"{n} {words}" for words, n in counts.items() if n or words.startswith("of"))


def _weaker(paper: PaperResults) -> str:
    """Name the claims that are not confirmed by the text before their colon."""
    verdicts = _verdicts(paper)
    if not verdicts:
        return "no claims of the paper were tested."
    places: dict[str, Counter[str]] = {}
    for text, verdict in verdicts.items():
        if not verdict.startswith("yes"):
            kind = verdict if verdict in (UNCLEAR, UNTESTED) else UNCONFIRMED
            places.setdefault(kind, Counter())[text.partition(":")[0]] += 1
    sentences = [
        f"{kind.capitalize()}: {'; '.join(_times(*place) for place in places[kind].items())}."
        for kind in (UNCONFIRMED, UNCLEAR, UNTESTED)
        if kind in places
    ]
    return escaped(" ".join(sentences) or "none.")


def _times(place: str, n_claims: int) -> str:
    return f"{place} ({n_claims} times)" if n_claims > 1 else place
