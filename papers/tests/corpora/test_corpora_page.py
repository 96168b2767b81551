"""`papers/corpora.md` says what the catalogue says; run this file to write it anew."""

from pathlib import Path

from coterie_papers.corpora.catalogue import CATALOGUE
from coterie_papers.corpora.folder import layout_texts

PAGE = Path(__file__).parents[2] / "corpora.md"

START = """# Corpora

The readers of `coterie_papers.corpora` find a corpus in a folder of its name, inside the folder
that is their argument `folder` (`--data` on the command line), or else that of the environment
variable `COTERIE_DATA`, or else `coterie` in the user's cache folder. No corpus comes with Coterie:
get it from its source, and write files as below. `coterie data list` shows which are there,
`coterie data show NAME` all that is known of one, and `coterie data check` reads them and compares
their sizes with those below.
"""
FILES = """## Files

Of each file, its format and the fields that are read; it may have others. Text is in UTF-8; a
name that ends in `.gz` says that the file is packed by gzip. CSV has the names of its columns in
the first line. JSON lines have one object a line; what is in brackets are the fields of the
objects in a list, or of one object. NumPy arrays are in one file, without pickles.
"""
DATA = {"same": "a paper's own", "near": "a stand-in", "extra": "of no paper"}


def page():
    entries = CATALOGUE.values()
    corpora = table(
        ["corpus", "what", "data", "serves", "size", "licence", "read by"], map(corpus, entries)
    )
    files = table(
        ["corpus", "files", "made from"], (row for each in entries for row in files_of(each))
    )
    return "\n".join([START, *corpora, "", FILES, *files, ""])


def corpus(entry):
    size = ", ".join(f"{count:,} {what}" for what, count in entry.counts.items())
    loaders = dict.fromkeys(f"`{each.loader}`" for each in entry.readings + entry.others)
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
    """A row for each origin of files."""
    for origin in dict.fromkeys(entry.origins.values()):
        own = {file: entry.files[file] for file in entry.files if entry.origins[file] == origin}
        yield f"`{entry.name}`", "<br>".join(layout_texts(own)), origin


def table(head, rows):
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(cells)} |"


def test_the_page_says_what_the_catalogue_says():
    assert PAGE.read_text(encoding="utf-8") == page()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
