"""The page `papers/corpora.md` agrees with the catalogue; run this file to write the page."""

from pathlib import Path

from coterie_papers.corpora.catalogue import CATALOGUE
from coterie_papers.corpora.folder import layout_texts

PAGE = Path(__file__).parents[2] / "corpora.md"

START = """# Corpora

No corpus comes with Coterie. Get a corpus from its source, and write its files as described below,
into a folder with the name of the corpus. The readers of `coterie_papers.corpora` look for this
folder inside the folder that is given by their argument `folder` (`--data` on the command line). If
it is not given, they look inside the folder in the environment variable `COTERIE_DATA`, and if that
is not set, inside `coterie` in the user's cache folder. `coterie data list` lists the corpora and
whether their files are there. `coterie data show NAME` shows all facts about a corpus. `coterie
data check` reads the corpora and compares their sizes with the table below.

The column "data" says whether a corpus is the data of a paper, a stand-in for such data, or not
from a paper; the column "used for" names the tables and figures.
"""
FILES = """## Files

The second column gives the name of each file, its format, and the fields that are read; files may
have other fields. Text is in UTF-8. Files whose names end in `.gz` are compressed with gzip. CSV
files have the names of the columns in the first line. JSON lines have one object per line; the
names in brackets are the fields of the objects in a list, or of one object. NumPy arrays of a file
are stored without pickles.
"""
DATA = {"same": "of a paper", "near": "stand-in", "extra": "not from a paper"}


def page():
    entries = CATALOGUE.values()
    corpora = table(
        ["corpus", "content", "data", "used for", "size", "licence", "read by"],
        map(corpus, entries),
    )
    files = table(
        ["corpus", "files", "made from"], (row for entry in entries for row in files_of(entry))
    )
    return "\n".join([START, *corpora, "", FILES, *files, ""])


def corpus(entry):
    size = ", ".join(f"{count:,} {noun}" for noun, count in entry.counts.items())
    loaders = dict.fromkeys(f"`{reading.loader}`" for reading in entry.readings + entry.others)
    serves = "; ".join(entry.serves)
    return (
        f"`{entry.name}`",
        entry.about,
        DATA[entry.data],
        serves,
        size,
        entry.licence,
        ", ".join(loaders),
    )


def files_of(entry):
    """Yield one row per origin of files."""
    for origin in dict.fromkeys(entry.origins.values()):
        files = {file: entry.files[file] for file in entry.files if entry.origins[file] == origin}
        yield f"`{entry.name}`", "<br>".join(layout_texts(files)), origin


def table(head, rows):
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cells)} |"


def test_the_page_agrees_with_the_catalogue():
    assert PAGE.read_text(encoding="utf-8") == page()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
