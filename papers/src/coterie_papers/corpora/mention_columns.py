"""The mentions of a document as an item set with columns."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from coterie.datasets.corpus import Corpus
from coterie.items import ItemSet
from coterie.partition import Partition

Columns: TypeAlias = dict[str, list[Any]]
Sentences: TypeAlias = Sequence[Sequence[str]]
Span: TypeAlias = tuple[int, int]
Document: TypeAlias = tuple[ItemSet, Partition]

OPENING, CLOSING, EITHER = {"“", "``"}, {"”", "''"}, {'"'}


def text_columns(sentences: Sentences, spans: Sequence[Span]) -> Columns:
    """Return columns with the text and the position of each span.

    A span is its first and its last token. `position` counts the spans, and `before` and `after`
    are the tokens around a span ("" at the ends of a sentence). `turn` counts the quotations up to
    the span, and `quoted` is 1 inside a quotation and 0 outside.
    """
    tokens = [token for sentence in sentences for token in sentence]
    ends = list(accumulate(map(len, sentences)))
    sentence_of = [number for number, sentence in enumerate(sentences) for _ in sentence]
    quotes = quotation_numbers(tokens)
    turns = list(accumulate(quotes, max))
    sentence_limits = {0, *ends}
    return {
        "text": [" ".join(tokens[start : end + 1]) for start, end in spans],
        "start": [start for start, _ in spans],
        "end": [end for _, end in spans],
        "sentence": [sentence_of[start] for start, _ in spans],
        "position": list(range(len(spans))),
        "before": ["" if start in sentence_limits else tokens[start - 1] for start, _ in spans],
        "after": ["" if end + 1 in sentence_limits else tokens[end + 1] for _, end in spans],
        "turn": [turns[start] for start, _ in spans],
        "quoted": [int(quotes[start] > 0) for start, _ in spans],
    }


def quotation_numbers(tokens: Sequence[str]) -> list[int]:
    """Return the number of the quotation of each token, from 1; tokens outside have 0.

    Quotation marks belong to their quotation.

    >>> quotation_numbers(["No", ",", "“", "Yes", "”", "he", "said", '"', "Go", '"'])
    [0, 0, 1, 1, 1, 0, 0, 2, 2, 2]
    """
    numbers, count, inside = [], 0, False
    for token in tokens:
        opens = token in OPENING or (token in EITHER and not inside)
        closes = token in CLOSING or (token in EITHER and inside)
        count += opens
        inside = (inside or opens) and not closes
        numbers.append(count if inside or (closes and count) else 0)
    return numbers


def as_document(name: str, columns: Mapping[str, Any], clusters: Sequence[Any]) -> Document:
    """Return the item set and the partition of a document whose mentions are in text order."""
    ids = [f"{name}:{position}" for position in columns["position"]]
    return ItemSet(columns, ids=ids, ordered=True), Partition(clusters)


def corpus_of(documents: Iterable[Document | None]) -> Corpus:
    """Combine documents into a corpus; documents that are None are left out."""
    corpus = Corpus([], [])
    for item_set, partition in filter(None, documents):
        corpus.item_sets.append(item_set)
        corpus.partitions.append(partition)
    return corpus
