"""Citations of the Cora collection, to be clustered by the publication that they cite."""

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
    """Read 1,879 citations in three files, one an author, clustered by publication.

    A full-size stand-in for the citations of Daumé & Marcu 2004, Table 2: what was found for
    Fahlman (529 citations of 65 publications), Kibler (594 of 45) and Utgoff (756 of 72), with the
    clusters as they were corrected later. No publication is in two files. The fields were marked by
    machine and have its errors.

    The columns are `title`, `author`, `venue` (the book, or else the journal, the report or the
    institution) and `year` (or else the date), as they were printed, the reference as a whole
    (`text`) and all other fields. What is missing is None. The ids are those of the file, where the
    citations of a publication follow each other: shuffle them for methods that go by their order.

    Parameters
    ----------
    folder
        The folder that holds `cora_refs`; None takes that of the environment variable COTERIE_DATA,
        or else `coterie` in the user's cache folder.
    split
        The number of one of three folds, each a file: 0 to 2; or None for all, in the order above.

    Examples
    --------
    >>> item_sets, partitions = load_cora_refs(split=2)  # doctest: +SKIP
    >>> len(item_sets[0]), partitions[0].n_clusters, item_sets[0].items["year"][0]  # doctest: +SKIP
    (756, 72, '(1992),')
    """
    refuse_other_folds(split, len(REFS_SETS))
    path = REFS.find(folder) / CITATIONS
    return _read(path, _chosen(REFS_SETS, split), ("item_set", "gold_cluster"), REFS_TEXTS, _joint)


def load_cora_ksf(folder: PathLike | None = None, split: int | None = None) -> Corpus:
    """Read 1,292 citations of Kearns, Schapire and Freund, clustered by publication.

    The nearest public data to the citations of Daumé & Marcu 2004, Table 2: 658 citations of 47
    publications, 309 of 38 and 325 of 25. A publication of several of the three authors is in the
    set of the one who mostly comes first. Three citations of none of them are left out. The fields
    were marked by machine and have its errors; all is in lower case.

    The columns are `title`, `author`, `venue` and `year`, as they were printed, and all other
    fields. What is missing is None. The ids are those of the file, where the citations of a
    publication are near each other: shuffle them for methods that go by their order.

    Parameters
    ----------
    folder
        The folder that holds `cora_ksf`; None takes that of the environment variable COTERIE_DATA,
        or else `coterie` in the user's cache folder.
    split
        The number of one of three folds, each an author: 0 to 2; or None for all, in the order
        above.

    Examples
    --------
    >>> item_sets, partitions = load_cora_ksf(split=0)  # doctest: +SKIP
    >>> len(item_sets[0]), partitions[0].n_clusters  # doctest: +SKIP
    (658, 47)
    """
    refuse_other_folds(split, len(KSF_SETS))
    path = KSF.find(folder) / CITATIONS
    return _read(path, _chosen(KSF_SETS, split), ("author_set", "cluster"), KSF_TEXTS, dict)


def _chosen(names: tuple[str, ...], fold: int | None) -> tuple[str, ...]:
    return names if fold is None else (names[fold],)


def _read(
    path: Path,
    names: Sequence[str],
    labels: tuple[str, str],
    texts: tuple[str, ...],
    completed: Callable[[Citation], Citation],
) -> Corpus:
    """Read the item sets of some names; `labels` say the columns of the set and the cluster."""

    def take(name: str, cluster: str, number: str, *values: str) -> CorpusRow:
        return CorpusRow(name, int(number), cluster, completed(_citation(texts, values)))

    rows = map_rows(path, (*labels, "id", *texts), take)
    with reading(path):
        return corpus_of_rows([row for name in names for row in _own(rows, name)])


def _own(rows: Sequence[CorpusRow], name: str) -> list[CorpusRow]:
    own = [row for row in rows if row.item_set == name]
    if not own:
        raise ValueError(f"there are no citations of {name}")
    return own


def _citation(names: tuple[str, ...], values: Sequence[str]) -> Citation:
    return {name: value or None for name, value in zip(names, values, strict=True)}


def _joint(citation: Citation) -> Citation:
    """Add the venue of a citation, and its year where only a date is marked."""
    venue, year = (_first(citation, names) for names in (REFS_VENUES, REFS_YEARS))
    return {**citation, "venue": venue, "year": year}


def _first(citation: Citation, names: tuple[str, ...]) -> str | None:
    return next((citation[name] for name in names if citation[name]), None)
