"""Data sets: generators, and readers of public corpora; each returns a `Corpus`."""

from typing import TYPE_CHECKING

__all__ = [
    "Corpus",
    "RecordChunk",
    "iter_records",
    "load_digit_sets",
    "load_gum_coref",
    "load_news_ecbplus",
    "make_item_sets",
    "make_records",
    "make_synth",
]

if TYPE_CHECKING:
    from coterie.datasets.corpus import Corpus as Corpus
    from coterie.datasets.gum import load_gum_coref as load_gum_coref
    from coterie.datasets.news import load_news_ecbplus as load_news_ecbplus
    from coterie.datasets.records import RecordChunk as RecordChunk
    from coterie.datasets.records import iter_records as iter_records
    from coterie.datasets.records import make_records as make_records
    from coterie.datasets.synth import make_synth as make_synth
    from coterie.datasets.vectors import load_digit_sets as load_digit_sets
    from coterie.datasets.vectors import make_item_sets as make_item_sets
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "corpus": ["Corpus"],
            "gum": ["load_gum_coref"],
            "news": ["load_news_ecbplus"],
            "records": ["RecordChunk", "iter_records", "make_records"],
            "synth": ["make_synth"],
            "vectors": ["load_digit_sets", "make_item_sets"],
        },
    )
