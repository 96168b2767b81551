"""The catalogue of the public corpora that have a reader.

The counts are those of complete files. They agree with the counts that publishers of corpora state.
"""

from collections.abc import Mapping
from typing import Any

from coterie_papers.corpora import (
    authors,
    cora,
    graphs,
    gum,
    headlines,
    irc,
    linkage,
    litbank,
    names,
    news,
    newsgroups,
    scorer,
    usps,
    webkb,
)
from coterie_papers.corpora.entries import CorpusEntry, Reading, check
from coterie_papers.corpora.folder import Source

__all__ = ["CATALOGUE", "CorpusEntry", "Reading", "check"]

Sizes = tuple[int, int, int]


def _sets(loader: str, source: Source, sizes: Sizes, /, **arguments: Any) -> Reading:
    """Return a reading that expects these numbers of item sets, items and clusters."""
    counts = dict(zip(("item sets", "items", "clusters"), sizes, strict=True))
    return Reading(loader, source, counts, arguments)


def _names_of(kind: str, sizes: Sizes) -> Reading:
    return _sets("load_entity_names", names.SOURCE, sizes, kind=kind)


def _names_from(source: str, kind: str, n_names: int, n_entities: int) -> Reading:
    sizes = (1, n_names, n_entities)
    return _sets("load_source_names", names.SOURCE, sizes, source=source, kind=kind)


def _tables(
    loader: str, tables: Mapping[str, linkage.RecordTable], sizes: Mapping[str, tuple[int, int]]
) -> tuple[Reading, ...]:
    return tuple(
        _sets(loader, tables[name].source, (1, *counts), name=name)
        for name, counts in sizes.items()
    )


_DEDUP_SIZES = {
    "febrl1": (1_000, 500),
    "febrl3": (5_000, 2_000),
    "RLdata500": (500, 450),
    "RLdata10000": (10_000, 9_000),
    "restaurants": (864, 752),
    "musicbrainz_20k": (19_375, 10_000),
    "patstat_nl": (2_379, 102),
    "chicago_early_childhood": (3_337, 1_162),
    "abt_buy": (2_152, 1_076),
    "dblp_acm": (4_910, 2_686),
}
_PEER_SIZES = {
    "cora": (1_879, 182),
    "affiliations": (2_260, 330),
    "abtbuy": (2_161, 1_076),
    "restaurant": (864, 752),
    "febrl3": (5_000, 2_000),
}
_UNSTATED = "not stated; for research"

_ENTRIES = (
    CorpusEntry(
        "aminer_names",
        "publications by author",
        "extra",
        (),
        _UNSTATED,
        (_sets("load_aminer_names", authors.SOURCE, (109, 7_528, 1_546)),),
    ),
    CorpusEntry(
        "cora_ksf",
        "citations by publication",
        "near",
        ("dirichlet Table 2",),
        "Apache-2.0; for research",
        (_sets("load_cora_ksf", cora.KSF, (3, 1_292, 110)),),
    ),
    CorpusEntry(
        "cora_refs",
        "citations by publication",
        "near",
        ("dirichlet Table 2",),
        "CC0; for research",
        (_sets("load_cora_refs", cora.REFS, (3, 1_879, 182)),),
    ),
    CorpusEntry(
        "coref_scorer_tests",
        "tests of coreference scores",
        "extra",
        (),
        "CC BY-SA 4.0",
        (Reading("load_coref_scorer_tests", scorer.SOURCE, {"cases": 36, "figures": 282}),),
    ),
    CorpusEntry(
        "corrclust_graphs",
        "signed graphs, no truth",
        "extra",
        (),
        "not stated",
        (
            Reading(
                "load_corrclust_graphs",
                graphs.SOURCE,
                {"item sets": 5, "items": 994, "positive pairs": 32_971},
            ),
        ),
    ),
    CorpusEntry(
        "dedup",
        "ten tables of records",
        "extra",
        (),
        "BSD-3 (febrl), GPL (RLdata), CC0, MIT or Apache-2.0",
        _tables("load_dedup", linkage.DEDUP, _DEDUP_SIZES),
    ),
    CorpusEntry(
        "entity_names",
        "names by entity",
        "near",
        ("sdc Figures 4-7",),
        "CC BY, CC BY-NC-SA 4.0",
        (
            _names_of("person", (6, 1_805, 901)),
            _names_of("location", (6, 1_801, 1_149)),
            _names_of("organization", (6, 1_801, 1_065)),
        ),
        (
            _names_from("gum", "person", 1_791, 705),
            _names_from("gum", "location", 2_305, 796),
            _names_from("gum", "organization", 1_078, 433),
            _names_from("ecbplus", "person", 710, 197),
            _names_from("ecbplus", "location", 187, 93),
            _names_from("ecbplus", "organization", 540, 165),
            _names_from("hipe2020", "person", 154, 73),
            _names_from("hipe2020", "location", 487, 245),
            _names_from("hipe2020", "organization", 120, 79),
            _names_from("topres19th", "location", 3_781, 1_129),
        ),
    ),
    CorpusEntry(
        "google_news_2013",
        "news snippets by story",
        "near",
        ("svm-cluster Table 2", "supervised-kmeans News"),
        "not stated",
        (_sets("load_google_news_2013", headlines.SETS, (14, 2_026, 140)),),
        (_sets("load_google_news_day", headlines.DAY, (1, 11_109, 152)),),
    ),
    CorpusEntry(
        "gum_coref",
        "noun phrases by referent",
        "near",
        ("svm-cluster Tables 1, 3, 4", "left-linking Table 1"),
        "CC BY 4.0; texts partly NC",
        (_sets("load_gum_mentions", gum.MENTION_SOURCE, (222, 60_940, 32_512)),),
        (
            _sets("load_gum_coref", gum.SOURCE, (60, 14_544, 8_892)),
            _sets("load_ontogum_mentions", gum.ONTONOTES_SOURCE, (222, 27_682, 6_463)),
        ),
    ),
    CorpusEntry(
        "irc_ubuntu",
        "chat messages by thread",
        "near",
        ("left-linking Table 2",),
        "CC BY 4.0",
        (_sets("load_irc_ubuntu", irc.SOURCE, (173, 66_293, 10_147)),),
    ),
    CorpusEntry(
        "litbank_coref",
        "mentions in fiction",
        "near",
        ("left-linking Table 1", "svm-cluster Table 1"),
        "CC BY 4.0",
        (_sets("load_litbank_coref", litbank.SOURCE, (100, 29_094, 7_235)),),
    ),
    CorpusEntry(
        "news_ecbplus",
        "news articles by story",
        "near",
        ("svm-cluster Tables 2, 4", "supervised-kmeans News"),
        "CC BY 3.0; texts: research",
        (_sets("load_news_articles", news.TEXT_SOURCE, (9, 958, 86)),),
        (_sets("load_news_ecbplus", news.SOURCE, (9, 958, 86)),),
    ),
    CorpusEntry(
        "newsgroups_threads",
        "posts by thread or author",
        "near",
        ("left-linking Table 2",),
        "CC BY 4.0",
        (_sets("load_newsgroups_threads", newsgroups.SOURCE, (97, 17_639, 10_652)),),
        (
            _sets(
                "load_newsgroups_threads", newsgroups.SOURCE, (97, 17_639, 13_007), target="author"
            ),
        ),
    ),
    CorpusEntry(
        "peers",
        "five tables of records",
        "extra",
        (),
        "CC0, MIT, Apache-2.0, BSD-3",
        _tables("load_peers", linkage.PEERS, _PEER_SIZES),
    ),
    CorpusEntry(
        "uci_news_sample",
        "headlines by story",
        "near",
        ("svm-cluster Table 2", "supervised-kmeans News"),
        "CC BY 4.0",
        (_sets("load_uci_news_sample", headlines.SAMPLE, (6, 1_083, 75)),),
        (_sets("load_uci_news_sample", headlines.SAMPLE, (6, 5_408, 75), n_per_story=None),),
    ),
    CorpusEntry(
        "usps",
        "handwritten digits",
        "same",
        ("dirichlet Table 1",),
        _UNSTATED,
        (_sets("load_usps", usps.SOURCE, (92, 9_200, 460)),),
        (
            _sets("load_usps", usps.SOURCE, (2, 4_960, 10), split="train", n_items=2_480),
            _sets("load_usps", usps.SOURCE, (1, 4_338, 5), split="test", n_items=4_338),
        ),
    ),
    CorpusEntry(
        "webkb",
        "web pages by kind",
        "same",
        ("supervised-kmeans Tables 2-4",),
        _UNSTATED,
        (_sets("load_webkb", webkb.SOURCE, (4, 4_162, 24)),),
        (_sets("load_webkb", webkb.SOURCE, (4, 4_158, 24), departments=False),),
    ),
)

CATALOGUE: Mapping[str, CorpusEntry] = {entry.name: entry for entry in _ENTRIES}
"""All corpora by name."""
