"""Noun phrases of news, travel and academic texts, to be clustered by what they refer to."""

import numpy as np
import scipy.sparse as sp

from coterie.datasets._folder import (
    PathLike,
    Source,
    Split,
    open_arrays,
    read_rows,
    refuse_other_splits,
)
from coterie.datasets.corpus import Corpus
from coterie.items import ItemSet
from coterie.partition import Partition

DOCUMENTS, PAIRS = "muc6_like_split.csv", "muc6_like_pairs.npz"
SOURCE = Source("gum_coref", (DOCUMENTS, PAIRS), "the GUM corpus, amir-zeldes/gum on GitHub")

# The type of an entity was annotated together with coreference and never differs inside it.
LEAKING = {"etype_agree", "etype_clash", "both_person_type", "both_place_type", "both_org_type"}
CONSTANT = "constant"


def load_gum_coref(folder: PathLike | None = None, split: Split | None = None) -> Corpus:
    """Read 60 documents of the GUM corpus, whose noun phrases are clustered by coreference.

    The stand-in for the MUC-6 documents of Finley & Joachims 2005: 30 documents to train on, 30 to
    test on, on average 242 noun phrases in 148 clusters, in the order of the text. A pair has the
    50 binary features of Ng & Cardie's kind that do not give the answer away, then its distances d
    in sentences and in noun phrases (at most 255) as ln(1 + d) / 2, so that they spread about as
    much as the binary ones. There is no constant: learners add it.

    Parameters
    ----------
    folder
        The folder that holds `gum_coref`; None takes that of the environment variable COTERIE_DATA,
        or else `coterie` in the user's cache folder.
    split
        "train", "test", or None for both, the documents to train on first.

    Examples
    --------
    >>> item_sets, partitions = load_gum_coref(split="test")  # doctest: +SKIP
    >>> item_sets[0]  # doctest: +SKIP
    ItemSet(280 items, 39060 pairs × 52 features)
    """
    refuse_other_splits(split)
    place = SOURCE.find(folder)
    documents = read_rows(place / DOCUMENTS, ("doc", "part"))
    corpus = Corpus([], [])
    with open_arrays(place / PAIRS) as arrays:
        names = arrays["feature_names"].tolist()
        kept = [column for column, name in enumerate(names) if name not in LEAKING | {CONSTANT}]
        for document in (doc for doc, part in documents if split in (part, None)):
            bits = np.unpackbits(arrays[f"B_{document}"], axis=1, count=len(names))[:, kept]
            distances = np.log1p(arrays[f"D_{document}"], dtype=np.float64) / 2.0
            truth = Partition(arrays[f"y_{document}"])
            features = sp.csr_array(np.hstack([bits, distances]))
            item_set = ItemSet.from_pair_features(features, len(truth), ordered=True)
            corpus.item_sets.append(item_set)
            corpus.partitions.append(truth)
    return corpus
