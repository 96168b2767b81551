"""Citations of the Cora collection, clustered by publication."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from coterie.datasets.corpus import Corpus, refuse_other_folds
from coterie_papers.corpora.folder import PathLike, Source, map_rows, reading
from coterie_papers.corpora.rows import CorpusRow, corpus_of_rows

Citation: TypeAlias = Mapping[str, str | None]

CITATIONS = "citations.csv.gz"
REFS_SETS = ("fahl", "kibl", "utgo")
REFS_TEXTS = (
    "text", "author", "title", "booktitle", "journal", "volume", "pages", "year", "date", "month",
    "publisher", "address", "institution", "tech", "type", "editor", "note",
)  # fmt: skip
REFS = Source(
    "cora_refs",
    {
        CITATIONS: f"CSV: item_set, gold_cluster, id, {', '.join(REFS_TEXTS)}; the item set is "
        "fahl, kibl or utgo"
    },
    "cora-refs by A. McCallum, ReDFoX43rus/simple_papers_deduplication on GitHub",
)
REFS_VENUES = ("booktitle", "journal", "tech", "institution")
REFS_YEARS = ("year", "date")
KSF_SETS = ("kearns", "schapire", "freund")
KSF_TEXTS = (
    "author", "title", "venue", "year", "volume", "pages", "month", "publisher", "address",
    "institution", "editor", "note",
)  # fmt: skip
KSF = Source(
    "cora_ksf",
    {
        CITATIONS: f"CSV: author_set, cluster, id, {', '.join(KSF_TEXTS)}; the author set is "
        "kearns, schapire or freund"
    },
    "the Cora citations of AI-team-UoA/pyJedAI on GitHub",
)


def load_cora_refs(folder: PathLike | None = None, split: int | None = None) -> Corpus:
    """Read 1,879 citations in three files, one per author, clustered by publication.

    This is a stand-in of full size for the citations of Daumé & Marcu 2004, Table 2: the results of
    searches for Fahlman (529 citations of 65 publications), Kibler (594 of 45) and Utgoff (756 of
    72). The clusters include later corrections. No publication is in two files. The fields were
    marked by a program and contain its errors.

    The columns are `title`, `author`, `venue` (the book, or if it is missing the journal, the
    report or the institution), `year` (or if it is missing the date), the full reference (`text`)
    and all other fields, as they were printed. Missing values are None. The ids are those of the
    file. In the file, the citations of a publication follow each other: shuffle them for methods
    that depend on the order.

    Parameters
    ----------
    folder
        The folder that holds `cora_refs`; None takes that of the environment variable COTERIE_DATA,
        or else `coterie` in the user's cache folder.
    split
        The number of a fold, 0 to 2, or None for all, in the order above. A fold is a file.

    Examples
    --------
    >>> item_sets, partitions = load_cora_refs(split=2)  # doctest: +SKIP
    >>> len(item_sets[0]), partitions[0].n_clusters, item_sets[0].items["year"][0]  # doctest: +SKIP
    (756, 72, '(1992),')
    """
    refuse_other_folds(split, len(REFS_SETS))
    path = REFS.find(folder) / CITATIONS
    return _read(
        path,
        _sets_of_fold(REFS_SETS, split),
        ("item_set", "gold_cluster"),
        REFS_TEXTS,
        _with_venue_and_year,
    )


def load_cora_ksf(folder: PathLike | None = None, split: int | None = None) -> Corpus:
    """Read 1,292 citations of Kearns, Schapire and Freund, clustered by publication.

    These are the public data nearest to the citations of Daumé & Marcu 2004, Table 2: 658 citations
    of 47 publications by Kearns, 309 of 38 by Schapire, and 325 of 25 by Freund. A publication by
    several of them is in the set of the author who usually comes first. Three citations of other
    authors are left out. The fields were marked by a program and contain its errors; all texts are
    in lower case.

    The columns are `title`, `author`, `venue` and `year`, as they were printed, and all other
    fields. Missing values are None. The ids are those of the file. In the file, the citations of a
    publication are near each other: shuffle them for methods that depend on the order.

    Parameters
    ----------
    folder
        The folder that holds `cora_ksf`; None takes that of the environment variable COTERIE_DATA,
        or else `coterie` in the user's cache folder.
    split
        The number of a fold, 0 to 2, or None for all, in the order above. A fold is an author.

    Examples
    --------
    >>> item_sets, partitions = load_cora_ksf(split=0)  # doctest: +SKIP
    >>> len(item_sets[0]), partitions[0].n_clusters  # doctest: +SKIP
    (658, 47)
    """
    refuse_other_folds(split, len(KSF_SETS))
    path = KSF.find(folder) / CITATIONS
    return _read(path, _sets_of_fold(KSF_SETS, split), ("author_set", "cluster"), KSF_TEXTS, dict)


def _sets_of_fold(names: tuple[str, ...], fold: int | None) -> tuple[str, ...]:
    return names if fold is None else (names[fold],)


def _read(
    path: Path,
    names: Sequence[str],
    labels: tuple[str, str],
    texts: tuple[str, ...],
    complete: Callable[[Citation], Citation],
) -> Corpus:
    """Read the item sets with these names; `labels` are the columns of the set and the cluster."""

    def convert(name: str, cluster: str, number: str, *values: str) -> CorpusRow:
        return CorpusRow(name, int(number), cluster, complete(_citation(texts, values)))

    rows = map_rows(path, (*labels, "id", *texts), convert)
    with reading(path):
        return corpus_of_rows([row for name in names for row in _rows_of_set(rows, name)])


def _rows_of_set(rows: Sequence[CorpusRow], name: str) -> list[CorpusRow]:
    set_rows = [row for row in rows if row.item_set == name]
    if not set_rows:
        raise ValueError(f"the rows of the item set {name!r} are missing")
    return set_rows


def _citation(names: tuple[str, ...], values: Sequence[str]) -> Citation:
    return {name: value or None for name, value in zip(names, values, strict=True)}


def _with_venue_and_year(citation: Citation) -> Citation:
    """Add the venue of a citation, and its year if only a date is marked."""
    venue, year = (_first_value(citation, names) for names in (REFS_VENUES, REFS_YEARS))
    return {**citation, "venue": venue, "year": year}


def _first_value(citation: Citation, names: tuple[str, ...]) -> str | None:
    return next((citation[name] for name in names if citation[name]), None)
