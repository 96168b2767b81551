"""Item sets of vectors: Gaussian clusters, and handwritten digits."""

from collections.abc import Collection
from typing import Literal

import numpy as np
from sklearn.datasets import load_digits

from coterie._core.arguments import as_real, as_whole
from coterie.datasets.corpus import Corpus
from coterie.datasets.digits import DigitSampler
from coterie.items import ItemSet
from coterie.partition import Partition

MOST_IN_SET = 896
"""The number of images of the smaller split."""


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

    In the first `n_features` dimensions, cluster centers are normal with standard deviation
    `separation`, and items are normal around them with standard deviation 1. The `n_nuisance`
    further dimensions have the same variance but no information about clusters, which a learner
    must find out. Each item is assigned to one of `n_clusters` clusters at random, so that sets may
    have fewer clusters.

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
    """Return item sets of images of handwritten digits, whose clusters are the digits.

    The images are the 1,797 images of 8 × 8 pixels that come with scikit-learn, with grey levels
    from 0 to 1. As in Daumé & Marcu 2004, the digits of the training split (0, 2, 4, 6, 7) are
    different from those of the test split (1, 3, 5, 8, 9). Each image is in at most one set.

    Parameters
    ----------
    split
        "train", "test", or None for both, with the training sets first.
    n_items
        The number of images per set; remaining images are not used.
    random_state
        The seed of the division into sets.
    digits
        The digits to use, instead of those of a split.

    Examples
    --------
    >>> item_sets, partitions = load_digit_sets("test")
    >>> len(item_sets), item_sets[0], partitions[0].n_clusters
    (15, ItemSet(60 items × 64 features), 5)
    """
    sampler = DigitSampler.from_arguments(split, digits, n_items, MOST_IN_SET, random_state)
    images, labels = load_digits(return_X_y=True)
    return sampler(images / 16.0, labels)
