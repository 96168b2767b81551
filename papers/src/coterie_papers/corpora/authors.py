"""Publications under ambiguous names, clustered by the person who wrote them."""

from collections import Counter

from coterie.datasets.corpus import Corpus, Split, refuse_other_splits
from coterie_papers.corpora.folder import PathLike, Source, map_rows
from coterie_papers.corpora.rows import CorpusRow, corpus_of_rows

PUBLICATIONS = "publications.csv.gz"
TEXTS = ("title", "authors", "venue", "year", "organization")
SOURCE = Source(
    "aminer_names",
    {
        PUBLICATIONS: f"CSV: item_set, part, cluster, {', '.join(TEXTS)}; the item set is the "
        "ambiguous name, the part train or test"
    },
    "AMiner's name disambiguation set, joe817/name-disambiguation on GitHub",
)


def load_aminer_names(folder: PathLike | None = None, split: Split | None = None) -> Corpus:
    """Read 7,528 publications under 109 ambiguous names, clustered by the person who wrote them.

    There is one item set per name, with 4 to 484 publications; the names belong to 1,546 persons in
    total. The names alternate between training (55) and tests (54). The columns are the texts
    `title`, `authors` (all authors, separated by commas, including the ambiguous name), `venue`,
    `year` and `organization`; missing values are None. An id is the name and the position, such as
    "Ajay Gupta:0".

    Parameters
    ----------
    folder
        The folder that holds `aminer_names`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        "train", "test", or None for both, in the order of the file.

    Examples
    --------
    >>> item_sets, partitions = load_aminer_names(split="train")  # doctest: +SKIP
    >>> len(item_sets), item_sets[0].ids[0], partitions[0].n_clusters  # doctest: +SKIP
    (55, 'Ajay Gupta:0', 9)
    """
    refuse_other_splits(split)
    n_rows: Counter[str] = Counter()

    def convert(name: str, part: str, cluster: str, *values: str) -> CorpusRow | None:
        if split not in (part, None):
            return None
        n_rows[name] += 1
        texts = {key: value or None for key, value in zip(TEXTS, values, strict=True)}
        return CorpusRow(name, f"{name}:{n_rows[name] - 1}", cluster, texts)

    path = SOURCE.find(folder) / PUBLICATIONS
    return corpus_of_rows(map_rows(path, ("item_set", "part", "cluster", *TEXTS), convert))
