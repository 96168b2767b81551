"""Handwritten digits of the US Postal Service, clustered by digit."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.datasets.corpus import Corpus, Split
from coterie.datasets.digits import DigitSampler
from coterie.toolkit import Floats
from coterie_papers.corpora.folder import PathLike, Source, open_arrays

IMAGES = "usps.npz"
SOURCE = Source(
    "usps",
    {
        IMAGES: "NumPy arrays: X_train, y_train, X_test, y_test; X has one row of 256 grey "
        "levels per image, as whole numbers from -1000 to 1000, and y the digit of each image"
    },
    "the USPS digits, niuers/Learning-From-Data-A-Short-Course on GitHub",
)
HALVES = ("train", "test")
N_PIXELS = 256
MOST_IN_SET = 4338
"""The number of images in the smaller split."""

WHITE = 1000
"""The integer that stands for a grey level of 1."""


def load_usps(
    folder: PathLike | None = None,
    split: Split | None = None,
    n_items: int = 100,
    random_state: int = 0,
    *,
    digits: Collection[int] | None = None,
) -> Corpus:
    """Read sets of handwritten digits of the US Postal Service, clustered by digit.

    These are the data of Daumé & Marcu 2004, Table 1. The digits for training (0, 2, 4, 6, 7; 4,960
    images) are not those for tests (1, 3, 5, 8, 9; 4,338 images). An image has 16 × 16 pixels with
    grey levels from -1 to 1. The training half and the test half of the published file are pooled,
    because they were made for the classification of known digits. Each image is in one set.

    Parameters
    ----------
    folder
        The folder that holds `usps`; None takes that of the environment variable COTERIE_DATA, or
        else `coterie` in the user's cache folder.
    split
        "train", "test", or None for both, first the sets for training.
    n_items
        The number of images per set; images that do not fill a set are not used.
    random_state
        The seed of the division into sets.
    digits
        The digits to use instead of those of a split.

    Examples
    --------
    >>> item_sets, partitions = load_usps(split="test")  # doctest: +SKIP
    >>> len(item_sets), item_sets[0], partitions[0].n_clusters  # doctest: +SKIP
    (43, ItemSet(100 items × 256 features), 5)
    """
    sampler = DigitSampler.from_arguments(split, digits, n_items, MOST_IN_SET, random_state)
    return sampler(*_read_images(SOURCE.find(folder) / IMAGES))


def _read_images(path: Path) -> tuple[Floats, NDArray[Any]]:
    """Return the images of both halves, one per row, and the digit of each image."""
    with open_arrays(path) as arrays:
        images = np.concatenate([arrays[f"X_{half}"] for half in HALVES])
        digits = np.concatenate([arrays[f"y_{half}"] for half in HALVES])
        if images.shape != (len(digits), N_PIXELS) or images.dtype.kind != "i":
            raise ValueError(
                f"the images have the shape {images.shape} and the type {images.dtype}, but there "
                f"must be {len(digits)} images of {N_PIXELS} whole numbers"
            )
    return images / WHITE, digits
