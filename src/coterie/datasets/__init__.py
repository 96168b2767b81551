"""Data sets: generators, and readers of public corpora; each returns a `Corpus`."""

from typing import TYPE_CHECKING

__all__ = [
    "GUM_GENRES",
    "Corpus",
    "RecordChunk",
    "gum_genre",
    "iter_records",
    "load_cora_ksf",
    "load_cora_refs",
    "load_digit_sets",
    "load_entity_names",
    "load_gum_coref",
    "load_gum_mentions",
    "load_irc_ubuntu",
    "load_litbank_coref",
    "load_news_ecbplus",
    "load_newsgroups_threads",
    "load_ontogum_mentions",
    "load_source_names",
    "load_usps",
    "make_item_sets",
    "make_records",
    "make_synth",
    "scrambled",
]

if TYPE_CHECKING:
    from coterie.datasets.cora import load_cora_ksf as load_cora_ksf
    from coterie.datasets.cora import load_cora_refs as load_cora_refs
    from coterie.datasets.corpus import Corpus as Corpus
    from coterie.datasets.gum import GUM_GENRES as GUM_GENRES
    from coterie.datasets.gum import gum_genre as gum_genre
    from coterie.datasets.gum import load_gum_coref as load_gum_coref
    from coterie.datasets.gum import load_gum_mentions as load_gum_mentions
    from coterie.datasets.gum import load_ontogum_mentions as load_ontogum_mentions
    from coterie.datasets.irc import load_irc_ubuntu as load_irc_ubuntu
    from coterie.datasets.litbank import load_litbank_coref as load_litbank_coref
    from coterie.datasets.names import load_entity_names as load_entity_names
    from coterie.datasets.names import load_source_names as load_source_names
    from coterie.datasets.news import load_news_ecbplus as load_news_ecbplus
    from coterie.datasets.newsgroups import load_newsgroups_threads as load_newsgroups_threads
    from coterie.datasets.orders import scrambled as scrambled
    from coterie.datasets.records import RecordChunk as RecordChunk
    from coterie.datasets.records import iter_records as iter_records
    from coterie.datasets.records import make_records as make_records
    from coterie.datasets.synth import make_synth as make_synth
    from coterie.datasets.usps import load_usps as load_usps
    from coterie.datasets.vectors import load_digit_sets as load_digit_sets
    from coterie.datasets.vectors import make_item_sets as make_item_sets
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "cora": ["load_cora_ksf", "load_cora_refs"],
            "corpus": ["Corpus"],
            "gum": [
                "GUM_GENRES",
                "gum_genre",
                "load_gum_coref",
                "load_gum_mentions",
                "load_ontogum_mentions",
            ],
            "news": ["load_news_ecbplus"],
            "records": ["RecordChunk", "iter_records", "make_records"],
            "synth": ["make_synth"],
            "vectors": ["load_digit_sets", "make_item_sets"],
            "irc": ["load_irc_ubuntu"],
            "litbank": ["load_litbank_coref"],
            "newsgroups": ["load_newsgroups_threads"],
            "orders": ["scrambled"],
            "names": ["load_entity_names", "load_source_names"],
            "usps": ["load_usps"],
        },
    )
