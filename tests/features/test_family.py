"""Every featurizer, on what corpora are full of: nothing, the same again, gaps and any script."""

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
from coterie.features.operators import written
from coterie.features.stacked import Stacked
from coterie.features.texts.features import TextFeatures
from coterie.pairs import all_pairs
from coterie.similarities import LinearSimilarity

EMPTY, FIRST, SECOND = 0, 1, 2
"""The places of the item without anything, and of two that are the same."""

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


def turned(values: Any) -> Any:
    """Turn the order of values around; the empty one and the same ones stay where they are."""
    return [*values[:3], *values[:2:-1]]


def repeated(values: Any) -> list[Any]:
    """Let the two items that are the same have the same value."""
    return [*values[:SECOND], values[FIRST], *values[SECOND + 1 :]]


ARTICLES = {"title": turned(TEXTS), "text": list(TEXTS)}
CITATIONS = {
    "title": list(TEXTS),
    "author": turned(TEXTS),
    "venue": [None, "ICML", "ICML", "", None, "會議", "ICML", None, "Конференция", "ICML"],
    "year": [None, "(1999)", "(1999)", 2001, "", "二〇〇五", float("nan"), "1888", None, "२००५"],
}
POSTS = {
    "text": list(TEXTS),
    "time": repeated(list(range(N_ITEMS))),
    "position": repeated(list(range(N_ITEMS))),
    "author": [None, "ann", "ann", "", float("nan"), "北京", "नई", "ann", "Владимир", "\u0301"],
}
PLACES = {
    "start": repeated(list(range(0, 3 * N_ITEMS, 3))),
    "end": repeated(list(range(1, 3 * N_ITEMS, 3))),
    "sentence": repeated([number // 2 for number in range(N_ITEMS)]),
}
GAPS = dict.fromkeys(
    ("before", "after", "head", "lemma", "upos", "number", "gender", "role", "governor", "name"),
    turned(TEXTS),
)
MENTIONS = {
    "text": list(TEXTS),
    **PLACES,
    **GAPS,
    "speaker": POSTS["author"],
    "form": [None, "PROP", "PROP", "NOM", None, "PROP", "NOM", "PRON", "PROP", ""],
    "quoted": [None, 1, 1, 0, None, 0, 0, 1, float("nan"), 0],
}
MEMBERS = [getattr(kinds, name) for name in kinds.__all__]
KINDS = [member for member in MEMBERS if issubclass(member, Kind)]
RECORDS = {kind.word: turned(TEXTS) if row % 2 else list(TEXTS) for row, kind in enumerate(KINDS)}
VECTORS = np.array([[0.0, 0.0], [1.0, -2.0], [1.0, -2.0], [0.0, 3.5], [50.0, 1e-3], [-1.0, 0.0]])


@dataclass(frozen=True)
class Sample:
    """A featurizer, all of whose columns are symmetric, and the items of item sets for it."""

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
        features.MentionFeatures(), (MENTIONS, {"text": MENTIONS["text"], **PLACES})
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


def dense(found):
    matrix = written(found)
    return matrix.toarray() if sp.issparse(matrix) else matrix


def backwards(items):
    """Turn the order of items around."""
    if isinstance(items, dict):
        return {name: column[::-1] for name, column in items.items()}
    return items[np.arange(items.shape[0])[::-1]] if hasattr(items, "shape") else items[::-1]


def without(items, place):
    """Leave an item out."""
    if isinstance(items, dict):
        return {name: without(column, place) for name, column in items.items()}
    if hasattr(items, "shape"):
        return items[np.delete(np.arange(items.shape[0]), place)]
    return [*items[:place], *items[place + 1 :]]


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
        found = dense(fitted(item_set, None))
        assert np.isfinite(found).all()
        assert np.any(found != 0.0)
        n_columns.add(found.shape[1])
    assert n_columns == {len(fitted.names)}


@every_sample
def test_features_are_finite_for_what_was_not_fitted(sample):
    """Fitted without an item that is new, and to nothing but the one without anything."""
    for items in sample.items:
        for place in (EMPTY, FIRST):
            rest = ItemSet(without(items, place))
            fitted = sample.featurizer.fit([rest])
            assert np.isfinite(dense(fitted(ItemSet(items), None))).all()
        fitted = sample.featurizer.fit([ItemSet(first_rows(items, EMPTY + 1))])
        assert np.isfinite(dense(fitted(ItemSet(items), None))).all()


@every_sample
def test_the_contract_holds(sample):
    check_featurizer(sample.featurizer, sample.item_sets)


@every_sample
def test_items_may_be_swapped(sample):
    fitted = sample.featurizer.fit(sample.item_sets)
    for items, item_set in zip(sample.items, sample.item_sets, strict=True):
        n_items = len(item_set)
        pairs = all_pairs(n_items)
        forth = dense(fitted(item_set, pairs))
        back = dense(fitted(ItemSet(backwards(items)), n_items - 1 - pairs))
        same = np.all(np.isclose(forth, back, rtol=1e-9, atol=1e-9), axis=0)
        changed = [fitted.names[column] for column in np.flatnonzero(~same)]
        assert not changed


@every_sample
def test_the_same_items_have_the_same_features(sample):
    fitted = sample.featurizer.fit(sample.item_sets)
    for item_set in sample.item_sets:
        others = [place for place in range(len(item_set)) if place not in (FIRST, SECOND)]
        one, other = (
            dense(fitted(item_set, [(place, other) for other in others]))
            for place in (FIRST, SECOND)
        )
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_mentions_without_a_place_are_refused():
    """What lies between two mentions cannot be guessed."""
    sample = SAMPLES["MentionFeatures"]
    items = sample.items[0] | {"start": [None, *sample.items[0]["start"][1:]]}
    fitted = sample.featurizer.fit(sample.item_sets)
    with pytest.raises(FeatureError, match="column 'start'"):
        fitted(ItemSet(items), None)
