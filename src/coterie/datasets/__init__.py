"""Data sets: generators, and readers of public corpora; each returns a `Corpus`."""

from typing import TYPE_CHECKING

__all__ = [
    "CATALOGUE",
    "DEDUP_TABLES",
    "GUM_GENRES",
    "PEER_TABLES",
    "Corpus",
    "RecordChunk",
    "ScorerCase",
    "gum_genre",
    "iter_records",
    "load_aminer_names",
    "load_cora_ksf",
    "load_cora_refs",
    "load_coref_scorer_tests",
    "load_corrclust_graphs",
    "load_dedup",
    "load_digit_sets",
    "load_entity_names",
    "load_google_news_2013",
    "load_google_news_day",
    "load_gum_coref",
    "load_gum_mentions",
    "load_irc_ubuntu",
    "load_litbank_coref",
    "load_news_articles",
    "load_news_ecbplus",
    "load_newsgroups_threads",
    "load_ontogum_mentions",
    "load_peers",
    "load_source_names",
    "load_uci_news_sample",
    "load_usps",
    "load_webkb",
    "make_item_sets",
    "make_records",
    "make_synth",
    "scrambled",
]

if TYPE_CHECKING:
    from coterie.datasets.authors import load_aminer_names as load_aminer_names
    from coterie.datasets.catalogue import CATALOGUE as CATALOGUE
    from coterie.datasets.cora import load_cora_ksf as load_cora_ksf
    from coterie.datasets.cora import load_cora_refs as load_cora_refs
    from coterie.datasets.corpus import Corpus as Corpus
    from coterie.datasets.graphs import load_corrclust_graphs as load_corrclust_graphs
    from coterie.datasets.gum import GUM_GENRES as GUM_GENRES
    from coterie.datasets.gum import gum_genre as gum_genre
    from coterie.datasets.gum import load_gum_coref as load_gum_coref
    from coterie.datasets.gum import load_gum_mentions as load_gum_mentions
    from coterie.datasets.gum import load_ontogum_mentions as load_ontogum_mentions
    from coterie.datasets.headlines import load_google_news_2013 as load_google_news_2013
    from coterie.datasets.headlines import load_google_news_day as load_google_news_day
    from coterie.datasets.headlines import load_uci_news_sample as load_uci_news_sample
    from coterie.datasets.irc import load_irc_ubuntu as load_irc_ubuntu
    from coterie.datasets.linkage import DEDUP_TABLES as DEDUP_TABLES
    from coterie.datasets.linkage import PEER_TABLES as PEER_TABLES
    from coterie.datasets.linkage import load_dedup as load_dedup
    from coterie.datasets.linkage import load_peers as load_peers
    from coterie.datasets.litbank import load_litbank_coref as load_litbank_coref
    from coterie.datasets.names import load_entity_names as load_entity_names
    from coterie.datasets.names import load_source_names as load_source_names
    from coterie.datasets.news import load_news_articles as load_news_articles
    from coterie.datasets.news import load_news_ecbplus as load_news_ecbplus
    from coterie.datasets.newsgroups import load_newsgroups_threads as load_newsgroups_threads
    from coterie.datasets.orders import scrambled as scrambled
    from coterie.datasets.records import RecordChunk as RecordChunk
    from coterie.datasets.records import iter_records as iter_records
    from coterie.datasets.records import make_records as make_records
    from coterie.datasets.scorer import ScorerCase as ScorerCase
    from coterie.datasets.scorer import load_coref_scorer_tests as load_coref_scorer_tests
    from coterie.datasets.synth import make_synth as make_synth
    from coterie.datasets.usps import load_usps as load_usps
    from coterie.datasets.vectors import load_digit_sets as load_digit_sets
    from coterie.datasets.vectors import make_item_sets as make_item_sets
    from coterie.datasets.webkb import load_webkb as load_webkb
else:
    from coterie._lazy import lazily

    __getattr__, __dir__ = lazily(
        __name__,
        {
            "authors": ["load_aminer_names"],
            "catalogue": ["CATALOGUE"],
            "cora": ["load_cora_ksf", "load_cora_refs"],
            "corpus": ["Corpus"],
            "graphs": ["load_corrclust_graphs"],
            "gum": [
                "GUM_GENRES",
                "gum_genre",
                "load_gum_coref",
                "load_gum_mentions",
                "load_ontogum_mentions",
            ],
            "headlines": ["load_google_news_2013", "load_google_news_day", "load_uci_news_sample"],
            "irc": ["load_irc_ubuntu"],
            "linkage": ["DEDUP_TABLES", "PEER_TABLES", "load_dedup", "load_peers"],
            "litbank": ["load_litbank_coref"],
            "names": ["load_entity_names", "load_source_names"],
            "news": ["load_news_articles", "load_news_ecbplus"],
            "newsgroups": ["load_newsgroups_threads"],
            "orders": ["scrambled"],
            "records": ["RecordChunk", "iter_records", "make_records"],
            "scorer": ["ScorerCase", "load_coref_scorer_tests"],
            "synth": ["make_synth"],
            "usps": ["load_usps"],
            "vectors": ["load_digit_sets", "make_item_sets"],
            "webkb": ["load_webkb"],
        },
    )
