"""Item sets of vectors: Gaussian clusters, and handwritten digits."""

from collections.abc import Collection
from typing import Literal

import numpy as np
from sklearn.datasets import load_digits

from coterie._core.arguments import as_real, as_whole
from coterie.datasets.corpus import Corpus
from coterie.datasets.digits import Draw
from coterie.items import ItemSet
from coterie.partition import Partition

MOST_IN_SET = 896
"""How many images the smaller split has."""


def make_item_sets(
    n_sets: int = 10,
    n_items: int = 30,
    n_clusters: int = 5,
    n_features: int = 4,
    n_nuisance: int = 4,
    separation: float = 5.0,
    random_state: int = 0,
) -> Corpus:
    """Make item sets of Gaussian clusters whose vectors also have nuisance dimensions.

    Cluster centers are normal with standard deviation `separation` in the first `n_features`
    dimensions, items normal around them with deviation 1. The `n_nuisance` further dimensions have
    the same spread but tell nothing: what a learner must find out. Each item belongs to one of
    `n_clusters` clusters at random, so that their number varies from set to set.

    Examples
    --------
    >>> item_sets, partitions = make_item_sets(n_sets=3, n_items=8)
    >>> item_sets[0], len(partitions[0])
    (ItemSet(8 items × 8 features), 8)
    """
    rng = np.random.default_rng(as_whole("random_state", random_state))
    n_clusters, n_items = as_whole("n_clusters", n_clusters, 1), as_whole("n_items", n_items)
    n_features = as_whole("n_features", n_features)
    n_nuisance = as_whole("n_nuisance", n_nuisance)
    separation = as_real("separation", separation)
    corpus = Corpus([], [])
    for _ in range(as_whole("n_sets", n_sets)):
        labels = rng.integers(n_clusters, size=n_items)
        centers = rng.normal(scale=separation, size=(n_clusters, n_features))
        signal = centers[labels] + rng.normal(size=(n_items, n_features))
        nuisance = rng.normal(scale=np.hypot(separation, 1.0), size=(n_items, n_nuisance))
        corpus.item_sets.append(ItemSet(np.hstack([signal, nuisance])))
        corpus.partitions.append(Partition(labels))
    return corpus


def load_digit_sets(
    split: Literal["train", "test"] | None = None,
    n_items: int = 60,
    random_state: int = 0,
    *,
    digits: Collection[int] | None = None,
) -> Corpus:
    """Return sets of handwritten digits, to be clustered by digit; no file is needed.

    As in Daumé & Marcu 2004 the digits to train on (0, 2, 4, 6, 7) are others than those to test on
    (1, 3, 5, 8, 9), here over scikit-learn's 1,797 images of 8 × 8 pixels, whose grey levels run
    from 0 to 1. Each image is in one set.

    Parameters
    ----------
    split
        "train", "test", or None for both, the sets to train on first.
    n_items
        Images in a set; those left over are not used.
    random_state
        Seed of the division into sets.
    digits
        The digits to draw from, in place of those of a split.

    Examples
    --------
    >>> item_sets, partitions = load_digit_sets("test")
    >>> len(item_sets), item_sets[0], partitions[0].n_clusters
    (15, ItemSet(60 items × 64 features), 5)
    """
    draw = Draw.checked(split, digits, n_items, MOST_IN_SET, random_state)
    images, labels = load_digits(return_X_y=True)
    return draw(images / 16.0, labels)
