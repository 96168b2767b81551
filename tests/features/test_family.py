"""Every featurizer, on difficult items: empty, repeated, with missing values, in any script."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import ItemSet, features
from coterie.checks import check_featurizer
from coterie.exceptions import FeatureError
from coterie.features import kinds
from coterie.features.differences import AbsoluteDifferences, AsDistances, SquaredDifferences
from coterie.features.expansions import ExactKernel, Kernelized
from coterie.features.given import GivenFeatures, Scaled, WithConstant
from coterie.features.kernels import RBF
from coterie.features.kinds.base import Kind
from coterie.features.operators import to_matrix
from coterie.features.stacked import Stacked
from coterie.features.texts.features import TextFeatures
from coterie.pairs import all_pairs
from coterie.similarities import LinearSimilarity

EMPTY, FIRST, SECOND = 0, 1, 2
"""The indices of an empty item, and of two equal items."""

TEXTS = (
    "",
    "President John F. Kennedy spoke. “We choose to go,” he said.",
    "President John F. Kennedy spoke. “We choose to go,” he said.",
    "Kennedy, J. F. speaks",
    None,
    "北京奥运会2008年开幕。",
    "नई दिल्ली में बारिश हुई।",
    "السلام عليكم، قال الرئيس",
    "Владимир Путин «сказал» 🙂👍🏽",
    "e\u0301té \u200d ﬁn Straße\u0301 \ud800",
)
N_ITEMS = len(TEXTS)


def reversed_rest(values: Any) -> Any:
    """Reverse the order of all values but the empty one and the two equal ones."""
    return [*values[:3], *values[:2:-1]]


def repeated(values: Any) -> list[Any]:
    """Give the two equal items the same value."""
    return [*values[:SECOND], values[FIRST], *values[SECOND + 1 :]]


ARTICLES = {"title": reversed_rest(TEXTS), "text": list(TEXTS)}
CITATIONS = {
    "title": list(TEXTS),
    "author": reversed_rest(TEXTS),
    "venue": [None, "ICML", "ICML", "", None, "會議", "ICML", None, "Конференция", "ICML"],
    "year": [None, "(1999)", "(1999)", 2001, "", "二〇〇五", float("nan"), "1888", None, "२००५"],
}
POSTS = {
    "text": list(TEXTS),
    "time": repeated(list(range(N_ITEMS))),
    "position": repeated(list(range(N_ITEMS))),
    "author": [None, "ann", "ann", "", float("nan"), "北京", "नई", "ann", "Владимир", "\u0301"],
}
POSITIONS = {
    "start": repeated(list(range(0, 3 * N_ITEMS, 3))),
    "end": repeated(list(range(1, 3 * N_ITEMS, 3))),
    "sentence": repeated([number // 2 for number in range(N_ITEMS)]),
}
GAPS = dict.fromkeys(
    ("before", "after", "head", "lemma", "upos", "number", "gender", "role", "governor", "name"),
    reversed_rest(TEXTS),
)
MENTIONS = {
    "text": list(TEXTS),
    **POSITIONS,
    **GAPS,
    "speaker": POSTS["author"],
    "form": [None, "PROP", "PROP", "NOM", None, "PROP", "NOM", "PRON", "PROP", ""],
    "quoted": [None, 1, 1, 0, None, 0, 0, 1, float("nan"), 0],
}
MEMBERS = [getattr(kinds, name) for name in kinds.__all__]
KINDS = [member for member in MEMBERS if issubclass(member, Kind)]
RECORDS = {
    kind.word: reversed_rest(TEXTS) if row % 2 else list(TEXTS) for row, kind in enumerate(KINDS)
}
VECTORS = np.array([[0.0, 0.0], [1.0, -2.0], [1.0, -2.0], [0.0, 3.5], [50.0, 1e-3], [-1.0, 0.0]])


@dataclass(frozen=True)
class Sample:
    """A featurizer with symmetric columns, and the items of some item sets."""

    featurizer: Any
    items: tuple[Any, ...]

    @property
    def item_sets(self):
        return [ItemSet(items) for items in self.items]


texts_alone = {"name": list(TEXTS)}
SAMPLES = {
    "AbsoluteDifferences": Sample(AbsoluteDifferences(), (VECTORS,)),
    "AsDistances": Sample(AsDistances(features.SoftTFIDF()), (texts_alone,)),
    "CitationFeatures": Sample(features.CitationFeatures(), (CITATIONS,)),
    "ContextFeatures": Sample(
        features.ContextFeatures(LinearSimilarity(GivenFeatures(), [1.0, 0.5])), (VECTORS,)
    ),
    "GivenFeatures": Sample(GivenFeatures(), (VECTORS, sp.csr_array(VECTORS))),
    "Kernelized": Sample(Kernelized(GivenFeatures(), RBF(0.5), ExactKernel()), (VECTORS,)),
    "MentionFeatures": Sample(
        features.MentionFeatures(), (MENTIONS, {"text": MENTIONS["text"], **POSITIONS})
    ),
    "NameFeatures": Sample(features.NameFeatures(), (texts_alone, TEXTS)),
    "PageFeatures": Sample(features.PageFeatures(anchors="title"), (ARTICLES,)),
    "PostFeatures": Sample(
        features.PostFeatures(author="author"),
        (
            POSTS,
            POSTS | {"time": [None, *POSTS["time"][1:]], "position": repeated([None] * N_ITEMS)},
        ),
    ),
    "RecordFeatures": Sample(
        features.RecordFeatures([features.Field(kind.word, kind()) for kind in KINDS]), (RECORDS,)
    ),
    "Scaled": Sample(Scaled(TextFeatures()), (ARTICLES,)),
    "SoftTFIDF": Sample(features.SoftTFIDF(), (texts_alone, TEXTS)),
    "SquaredDifferences": Sample(SquaredDifferences(), (VECTORS, sp.csr_array(VECTORS))),
    "Stacked": Sample(Stacked((features.SoftTFIDF("title"), TextFeatures(["text"]))), (ARTICLES,)),
    "TextFeatures": Sample(TextFeatures(), (ARTICLES,)),
    "WithConstant": Sample(WithConstant(features.NameFeatures()), (texts_alone,)),
}

every_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)


def dense(features):
    matrix = to_matrix(features)
    return matrix.toarray() if sp.issparse(matrix) else matrix


def backwards(items):
    """Reverse the order of items."""
    if isinstance(items, dict):
        return {name: column[::-1] for name, column in items.items()}
    return items[np.arange(items.shape[0])[::-1]] if hasattr(items, "shape") else items[::-1]


def without(items, index):
    """Remove an item."""
    if isinstance(items, dict):
        return {name: without(column, index) for name, column in items.items()}
    if hasattr(items, "shape"):
        return items[np.delete(np.arange(items.shape[0]), index)]
    return [*items[:index], *items[index + 1 :]]


def first_rows(items, n_rows):
    if isinstance(items, dict):
        return {name: column[:n_rows] for name, column in items.items()}
    return items[:n_rows]


def is_featurizer(name):
    kind = getattr(features, name)
    methods = ("fit", "encode", "compare")
    return isinstance(kind, type) and all(hasattr(kind, method) for method in methods)


def test_every_featurizer_has_a_sample():
    assert {name for name in features.__all__ if is_featurizer(name)} <= set(SAMPLES)
    assert all(type(sample.featurizer).__name__ == name for name, sample in SAMPLES.items())


@every_sample
def test_features_are_finite(sample):
    n_columns = set()
    fitted = sample.featurizer.fit(sample.item_sets)
    for item_set in sample.item_sets:
        matrix = dense(fitted(item_set, None))
        assert np.isfinite(matrix).all()
        assert np.any(matrix != 0.0)
        n_columns.add(matrix.shape[1])
    assert n_columns == {len(fitted.names)}


@every_sample
def test_features_of_items_that_were_not_fitted_are_finite(sample):
    """Each featurizer is fitted without one of the items, and then to the empty item alone."""
    for items in sample.items:
        for index in (EMPTY, FIRST):
            fitted = sample.featurizer.fit([ItemSet(without(items, index))])
            assert np.isfinite(dense(fitted(ItemSet(items), None))).all()
        fitted = sample.featurizer.fit([ItemSet(first_rows(items, EMPTY + 1))])
        assert np.isfinite(dense(fitted(ItemSet(items), None))).all()


@every_sample
def test_every_featurizer_keeps_the_contract(sample):
    check_featurizer(sample.featurizer, sample.item_sets)


@every_sample
def test_reversing_the_items_changes_no_features(sample):
    fitted = sample.featurizer.fit(sample.item_sets)
    for items, item_set in zip(sample.items, sample.item_sets, strict=True):
        n_items = len(item_set)
        pairs = all_pairs(n_items)
        forward = dense(fitted(item_set, pairs))
        backward = dense(fitted(ItemSet(backwards(items)), n_items - 1 - pairs))
        is_same = np.all(np.isclose(forward, backward, rtol=1e-9, atol=1e-9), axis=0)
        changed_names = [fitted.names[column] for column in np.flatnonzero(~is_same)]
        assert not changed_names


@every_sample
def test_equal_items_have_the_same_features(sample):
    fitted = sample.featurizer.fit(sample.item_sets)
    for item_set in sample.item_sets:
        partners = [item for item in range(len(item_set)) if item not in (FIRST, SECOND)]
        first, second = (
            dense(fitted(item_set, [(item, partner) for partner in partners]))
            for item in (FIRST, SECOND)
        )
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-9)


def test_mentions_without_a_position_are_refused():
    """The distance of two mentions is unknown without their positions."""
    sample = SAMPLES["MentionFeatures"]
    items = sample.items[0] | {"start": [None, *sample.items[0]["start"][1:]]}
    fitted = sample.featurizer.fit(sample.item_sets)
    with pytest.raises(FeatureError, match="column 'start'"):
        fitted(ItemSet(items), None)
