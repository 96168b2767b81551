"""Noun phrases in texts of many genres, clustered by the entity to which they refer."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from coterie.datasets.corpus import Corpus, DevSplit, Split, refuse_other_splits
from coterie.exceptions import InputError
from coterie.items import ItemSet
from coterie.partition import Partition
from coterie_papers.corpora.conll import read_mentions
from coterie_papers.corpora.folder import (
    PathLike,
    Record,
    Source,
    map_json_lines,
    map_lines,
    open_arrays,
    read_rows,
    reading,
)
from coterie_papers.corpora.mention_columns import (
    Columns,
    Document,
    Span,
    as_document,
    corpus_of,
    text_columns,
)

DOCUMENTS, PAIRS = "muc6_like_split.csv", "muc6_like_pairs.npz"
MENTIONS, ONTONOTES = "gum.jsonl.gz", "ontogum.conll.gz"
ORIGIN = "the GUM corpus, amir-zeldes/gum on GitHub"
SOURCE = Source(
    "gum_coref",
    {
        DOCUMENTS: "CSV: doc, part; the part is train or test",
        PAIRS: "NumPy arrays: feature_names, B_DOC, D_DOC, y_DOC; for each document DOC, B and D "
        "have one row per pair of mentions: B the binary features packed into bytes, D the "
        "distances in sentences and mentions; y has the cluster of each mention",
    },
    ORIGIN,
)
_MENTION_FILES = {
    MENTIONS: "JSON lines: doc, genre, split, sents, speakers, mentions [s, e, cluster, name, "
    "head, head_lemma, upos, deprel, gov, feats [Number, Gender]]; one line per document; sents "
    "are lists of tokens, s and e are the first and last token of a mention, the split is train, "
    "dev or test"
}
MENTION_SOURCE = Source("gum_coref", _MENTION_FILES, ORIGIN)
ONTONOTES_SOURCE = Source(
    "gum_coref",
    {
        **_MENTION_FILES,
        ONTONOTES: "lines with tabs: number, token, coreference; '(3' where a mention of cluster "
        "3 begins, '3)' where it ends, and # begin document and # end document around each "
        "document",
    },
    ORIGIN,
)

GUM_GENRES = (
    "academic", "bio", "court", "essay", "fiction", "interview", "letter", "news", "podcast",
    "speech", "textbook", "voyage", "vlog", "whow",
)  # fmt: skip
"""The genres of the documents of `load_gum_mentions` and `load_ontogum_mentions`."""

Entity: TypeAlias = tuple[Span, str]

# The type of an entity was annotated together with coreference, and all mentions of an entity have
# the same type; so these features would leak the answer.
LEAKING = {"etype_agree", "etype_clash", "both_person_type", "both_place_type", "both_org_type"}
CONSTANT = "constant"


def load_gum_coref(folder: PathLike | None = None, split: Split | None = None) -> Corpus:
    """Read 60 documents of the GUM corpus, whose noun phrases are clustered by coreference.

    This is the stand-in for the MUC-6 documents of Finley & Joachims 2005: 30 documents for
    training and 30 for tests, with 242 noun phrases in 148 clusters on average, in the order of the
    text. A pair has 50 binary features like those of Ng & Cardie; features that leak the answer are
    left out. Then follow its distances d in sentences and in noun phrases (at most 255) as ln(1 +
    d) / 2, so that they vary about as much as the binary features. There is no constant feature,
    because learners add it.

    Parameters
    ----------
    folder
        The folder that holds `gum_coref`; None takes that of the environment variable COTERIE_DATA,
        or else `coterie` in the user's cache folder.
    split
        "train", "test", or None for both, first the documents for training.

    Examples
    --------
    >>> item_sets, partitions = load_gum_coref(split="test")  # doctest: +SKIP
    >>> item_sets[0]  # doctest: +SKIP
    ItemSet(280 items, 39060 pairs × 52 features)
    """
    refuse_other_splits(split)
    corpus_folder = SOURCE.find(folder)
    documents = read_rows(corpus_folder / DOCUMENTS, ("doc", "part"))
    corpus = Corpus([], [])
    with open_arrays(corpus_folder / PAIRS) as arrays:
        names = arrays["feature_names"].tolist()
        dropped = LEAKING | {CONSTANT}
        columns = [column for column, name in enumerate(names) if name not in dropped]
        for document in (doc for doc, part in documents if split in (part, None)):
            bits = np.unpackbits(arrays[f"B_{document}"], axis=1, count=len(names))[:, columns]
            distances = np.log1p(arrays[f"D_{document}"], dtype=np.float64) / 2.0
            truth = Partition(arrays[f"y_{document}"])
            features = sp.csr_array(np.hstack([bits, distances]))
            item_set = ItemSet.from_pair_features(features, len(truth), ordered=True)
            corpus.item_sets.append(item_set)
            corpus.partitions.append(truth)
    return corpus


def load_gum_mentions(
    folder: PathLike | None = None, split: DevSplit | None = None, genre: str | None = None
) -> Corpus:
    """Read the 222 documents of the GUM corpus, whose noun phrases are clustered by coreference.

    The documents have 14 genres: 166 documents for training, 28 for the choice of parameters and 28
    for tests. On average a document has 275 mentions in 146 clusters, including clusters of one, in
    the order of the text. The columns of a mention hold its text, its position, the tokens around
    it, the speaker, and the gold syntax of its head. Annotations that were made together with
    coreference are left out: the type of the entity, whether it is new or known, its salience, and
    links to Wikipedia. `MentionFeatures` compares such mentions; `gum_genre` returns the genre of a
    document.

    Parameters
    ----------
    folder
        The folder that holds `gum_coref`; None takes that of the environment variable COTERIE_DATA,
        or else `coterie` in the user's cache folder.
    split
        "train", "dev", "test", or None for all in the order of the file.
    genre
        One of `GUM_GENRES`, or None for all.

    Examples
    --------
    >>> item_sets, partitions = load_gum_mentions(split="dev", genre="news")  # doctest: +SKIP
    >>> item_sets[0].items["lemma"][:2], gum_genre(item_sets[0])  # doctest: +SKIP
    (('parent', 'treatment'), 'news')
    """
    _refuse_others(split, genre)
    path = MENTION_SOURCE.find(folder) / MENTIONS

    def convert(record: Record) -> Document | None:
        if not _is_selected(record, split, genre):
            return None
        mentions = record["mentions"]
        columns = _columns(record, [(m["s"], m["e"]) for m in mentions])
        return as_document(record["doc"], columns, [m["cluster"] for m in mentions])

    return corpus_of(map_json_lines(path, convert))


def load_ontogum_mentions(
    folder: PathLike | None = None, split: DevSplit | None = None, genre: str | None = None
) -> Corpus:
    """Read the documents of `load_gum_mentions` as annotated by the guidelines of OntoNotes.

    By these guidelines, phrases without coreference are not mentions. On average a document has 125
    mentions in 29 clusters. 26,577 of the 27,682 spans are also mentions of `load_gum_mentions` and
    have the same columns. The others, verbs and phrases with other limits, have no head; their
    columns of syntax are "", and `MentionFeatures` uses the text instead. Six spans occur twice, in
    two clusters.

    Parameters
    ----------
    folder, split, genre
        As in `load_gum_mentions`.

    Examples
    --------
    >>> item_sets, partitions = load_ontogum_mentions(split="dev")  # doctest: +SKIP
    >>> len(item_sets), sum(truth.n_clusters for truth in partitions)  # doctest: +SKIP
    (28, 794)
    """
    _refuse_others(split, genre)
    corpus_folder = ONTONOTES_SOURCE.find(folder)
    annotated = iter(list(_read_ontonotes(corpus_folder / ONTONOTES)))

    def convert(record: Record) -> Document | None:
        n_tokens, entities = next(annotated, (0, []))
        if not _is_selected(record, split, genre):
            return None
        _refuse_other_length(record, n_tokens)
        columns = _columns(record, [span for span, _ in entities])
        return as_document(record["doc"], columns, [entity for _, entity in entities])

    return corpus_of(map_json_lines(corpus_folder / MENTIONS, convert))


def gum_genre(item_set: ItemSet) -> str:
    """Return the genre of a document of `load_gum_mentions` or `load_ontogum_mentions`.

    >>> gum_genre(ItemSet({"text": ["we"]}, ids=["GUM_news_homeopathic:0"]))
    'news'
    """
    first = str(item_set.ids[0]) if item_set.ids else ""
    genre = first.split("_")[1] if first.count("_") > 1 else None
    if genre not in GUM_GENRES:
        raise InputError(
            f"the first id is {first!r}, which is not the id of a GUM document; give an item set "
            "as the reader returned it"
        )
    return genre


def _refuse_others(split: str | None, genre: str | None) -> None:
    refuse_other_splits(split, ("train", "dev", "test"))
    if genre is not None and genre not in GUM_GENRES:
        raise InputError(f"genre is {genre!r}; give one of {', '.join(GUM_GENRES)}, or None")


def _is_selected(record: Record, split: str | None, genre: str | None) -> bool:
    return split in (record["split"], None) and genre in (record["genre"], None)


def _columns(record: Record, spans: Sequence[Span]) -> Columns:
    """Return the columns of spans: their text, and their syntax if they are mentions of GUM."""
    columns = text_columns(record["sents"], spans)
    speakers = record["speakers"] or [""] * len(record["sents"])
    columns["speaker"] = [speakers[sentence] or "" for sentence in columns["sentence"]]
    mentions = {(m["s"], m["e"]): m for m in record["mentions"]}
    syntax = [_syntax(mentions[span]) if span in mentions else {} for span in spans]
    for name in ("head", "lemma", "name", "upos", "number", "gender", "role", "governor"):
        columns[name] = [fields.get(name) or "" for fields in syntax]
    return columns


def _syntax(mention: Record) -> dict[str, Any]:
    feats = mention["feats"]
    return {
        "head": mention["head"],
        "lemma": mention["head_lemma"],
        "name": mention["name"],
        "upos": mention["upos"],
        "number": feats.get("Number"),
        "gender": feats.get("Gender"),
        "role": mention["deprel"],
        "governor": mention["gov"],
    }


def _refuse_other_length(record: Record, n_tokens: int) -> None:
    """Refuse a document with different numbers of tokens in the two files."""
    expected = sum(map(len, record["sents"]))
    if n_tokens != expected:
        raise InputError(
            f"{record['doc']} has {expected} tokens in {MENTIONS}, but {n_tokens} in {ONTONOTES}; "
            "fetch both files again"
        )


def _entities(brackets: Sequence[str]) -> list[Entity]:
    """Return the entities in the coreference column, in the order of the text.

    >>> _entities(["(3(4)", "_", "3)"])
    [((0, 2), '3'), ((0, 0), '4')]
    """
    entities = [(span, name) for _, name, span in read_mentions(brackets)]
    return sorted(entities, key=lambda entity: (entity[0][0], -entity[0][1]))


def _read_ontonotes(path: Path) -> Iterator[tuple[int, list[Entity]]]:
    """Yield the number of tokens and the entities of each document."""
    brackets: list[str] = []
    for column in map_lines(path, _column):
        if column.startswith("# begin document"):
            brackets = []
        elif column.startswith("# end document"):
            with reading(path):
                entities = _entities(brackets)
            yield len(brackets), entities
        elif column:
            brackets.append(column)


def _column(line: str) -> str:
    """Return the coreference of a token, or the full line if it is empty or a comment."""
    if line.startswith("#") or not line.strip():
        return line.strip()
    _, _, column = line.rstrip("\n").split("\t")
    return column
