"""Time the features of real items: mentions, articles and pages.

    python benchmarks/features.py [mentions] [articles] [pages]

Needs the corpora gum_coref, news_ecbplus and webkb in the folder COTERIE_DATA. Times are seconds of
CPU of one thread, from item sets in memory to features of all pairs, with compiled kernels.
Features of mentions and articles are written out as matrices. Features of pages are operators; each
is multiplied once from the right and once from the left. `--profile` shows where the time goes.
"""

import cProfile
import pstats
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
from threadpoolctl import threadpool_limits

from coterie._core.progress import report
from coterie._types import Features, Featurizer
from coterie.cli.bars import bars
from coterie.features import MentionFeatures, PageFeatures, TextFeatures, to_matrix
from coterie.items import ItemSet
from coterie_papers.corpora import load_gum_mentions, load_news_articles, load_webkb


def write_out(features: Features) -> None:
    to_matrix(features)


def apply(features: Features) -> None:
    scores = features @ np.ones(features.shape[1])
    features.T @ scores


def measure(
    name: str, item_sets: Sequence[ItemSet], featurizer: Featurizer, use: Callable[[Features], None]
) -> None:
    use(featurizer.fit(item_sets[:1])(item_sets[0], None))
    start = time.process_time()
    fitted = featurizer.fit(item_sets)
    fit = time.process_time() - start
    n_pairs = 0
    for number, item_set in enumerate(item_sets):
        features = fitted(item_set, None)
        use(features)
        n_pairs += features.shape[0]
        report(name, number + 1, len(item_sets))
    total = time.process_time() - start
    n_items = sum(map(len, item_sets))
    print(
        f"{name:9} {len(item_sets):4} item sets {n_items:7,} items {n_pairs:10,} pairs × "
        f"{len(fitted.names):6,} features: {total:5.1f} s, of which {fit:4.1f} s to fit"
    )


def mentions() -> None:
    measure("mentions", load_gum_mentions().item_sets, MentionFeatures(), write_out)


def articles() -> None:
    measure("articles", load_news_articles().item_sets, TextFeatures(), write_out)


def pages() -> None:
    measure("pages", load_webkb().item_sets, PageFeatures("text", "anchors", "links"), apply)


JOBS = {"mentions": mentions, "articles": articles, "pages": pages}


def main() -> None:
    names = [name for name in sys.argv[1:] if name != "--profile"] or list(JOBS)
    with threadpool_limits(1, "blas"), bars(), cProfile.Profile(time.process_time) as profile:
        if "--profile" not in sys.argv:
            profile.disable()
        for name in names:
            JOBS[name]()
    if "--profile" in sys.argv:
        pstats.Stats(profile).sort_stats("tottime").print_stats(12)


if __name__ == "__main__":
    main()
