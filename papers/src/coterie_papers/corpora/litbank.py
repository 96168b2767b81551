"""Mentions of people and places in English fiction, clustered by entity."""

from coterie.datasets.corpus import Corpus, refuse_other_folds
from coterie_papers.corpora.folder import PathLike, Record, Source, map_json_lines
from coterie_papers.corpora.mention_columns import Document, as_document, corpus_of, text_columns

DOCUMENTS = "litbank.jsonl.gz"
SOURCE = Source(
    "litbank_coref",
    {
        DOCUMENTS: "JSON lines: doc, fold, sents, mentions [s, e, form, cluster]; one line per "
        "work; the fold is 0 to 9, sents are lists of tokens, s and e are the first and last token "
        "of a mention, the form is PRON, NOM or PROP"
    },
    "the LitBank corpus, dbamman/litbank on GitHub",
)
N_FOLDS = 10


def load_litbank_coref(folder: PathLike | None = None, split: int | None = None) -> Corpus:
    """Read 100 works of English fiction, whose mentions are clustered by coreference.

    The texts are the beginnings of the works, about 2,000 words each. On average a text has 291
    mentions of people, places, organisations and vehicles in 72 clusters, in the order of the text.
    The columns of a mention hold its text, its position, the tokens around it, whether it is inside
    a quotation, and its `form`: PRON, NOM or PROP. Annotations that were made together with
    coreference are left out: the type of the entity, its name, appositions and copulas.
    `MentionFeatures` compares such mentions.

    Parameters
    ----------
    folder
        The folder that holds `litbank_coref`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.
    split
        The number of a fold of ten works, 0 to 9, or None for all. The corpus is made for ten-fold
        cross-validation, with fold k for tests and fold k + 1 for the choice of parameters.

    Examples
    --------
    >>> item_sets, partitions = load_litbank_coref(split=0)  # doctest: +SKIP
    >>> item_sets[0].items["text"][:3]  # doctest: +SKIP
    ('Chancery', 'London', 'Lord Chancellor')
    """
    refuse_other_folds(split, N_FOLDS)
    path = SOURCE.find(folder) / DOCUMENTS

    def convert(record: Record) -> Document | None:
        if split not in (record["fold"], None):
            return None
        mentions = record["mentions"]
        columns = text_columns(record["sents"], [(m["s"], m["e"]) for m in mentions])
        columns["form"] = [m["form"] for m in mentions]
        return as_document(record["doc"], columns, [m["cluster"] for m in mentions])

    return corpus_of(map_json_lines(path, convert))
