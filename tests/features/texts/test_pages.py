"""Features of pages, against products and regions that are written out."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coterie import Model
from coterie.blocking import AllPairs
from coterie.clusterers import Greedy
from coterie.exceptions import FeatureError
from coterie.features import PageFeatures
from coterie.features.operators import to_matrix
from coterie.items import ItemSet
from coterie.pairs import all_pairs
from coterie.similarities import LinearSimilarity

WORDS = ["course", "staff", "student", "home", "page", "北京", "cse"]
PAGES = {
    "text": ["our course page", "staff page, home page", None, "the course of staff", "student"],
    "anchors": ["the course", "", "student home", "the course home", None],
    "links": [[1, 2], [0, 0, 7], None, [2, 3, 4], []],
}


def dense(features):
    matrix = to_matrix(features)
    return matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)


def vectors(texts, vocabulary):
    """Compute the weights of the words of each text, one by one, as `PageFeatures` defines them."""
    weights = np.zeros((len(texts), len(vocabulary.words)))
    for row, text in zip(weights, texts, strict=True):
        words = [word.strip(",") for word in (text or "").split()]
        for column, (word, idf) in enumerate(zip(vocabulary.words, vocabulary.idf, strict=True)):
            if word in words:
                row[column] = (1 + np.log(words.count(word))) * idf
    lengths = np.linalg.norm(weights, axis=1, keepdims=True)
    return weights / np.where(lengths == 0.0, 1.0, lengths)


def plain_features(pages, featurizer, ids):
    """Write all regions out, pair by pair."""
    nodes = np.hstack(
        [
            vectors(pages[name], vocabulary)
            for name, vocabulary in zip(("text", "anchors"), featurizer.vocabularies, strict=False)
        ]
    )
    numbers = {page_id: number for number, page_id in enumerate(ids)}
    targets_of_pages = [
        {numbers[target] for target in targets or () if target in numbers}
        for targets in pages["links"]
    ]
    rows = []
    for i, j in all_pairs(len(ids)):
        products = nodes[i] * nodes[j]
        linked = j in targets_of_pages[i] or i in targets_of_pages[j]
        cited = any({i, j} <= targets - {page} for page, targets in enumerate(targets_of_pages))
        region = np.append(products, 1.0)
        rows.append([*products, *(linked * region), *(cited * region)])
    return np.array(rows)


@pytest.mark.parametrize("ids", [None, ["a", "b", "c", "d", "e"]])
def test_regions_are_the_products_that_are_written_out(ids):
    names = list(range(5)) if ids is None else ids
    pages = PAGES | {
        "links": [
            [names[target] if target < 5 else "z" for target in targets or ()]
            for targets in PAGES["links"]
        ]
    }
    item_set = ItemSet(pages, ids=ids)
    featurizer = PageFeatures(anchors="anchors", links="links").fit([item_set])
    features = dense(featurizer(item_set, None))
    np.testing.assert_allclose(features, plain_features(pages, featurizer, names), atol=1e-12)
    assert features.shape[1] == len(featurizer.names)
    pairs = [(3, 0), (1, 2)]
    positions = [list(map(tuple, all_pairs(5).tolist())).index(tuple(sorted(p))) for p in pairs]
    np.testing.assert_allclose(dense(featurizer(item_set, pairs)), features[positions], atol=1e-12)
    diagonal = featurizer(item_set, None).diagonal @ np.ones(features.shape[1])
    parts = (dense(featurizer.encode(item_set).words.diagonal) ** 1.0).sum(axis=1)
    np.testing.assert_allclose(diagonal, parts, atol=1e-12)


def test_words_alone_have_one_region():
    featurizer = PageFeatures().fit([ItemSet(PAGES)])
    assert featurizer.names == ("word: course", "word: page", "word: staff")
    pages = {"text": ["Course PAGE", "page"]}
    assert (dense(featurizer(ItemSet(pages), None)) != 0).tolist() == [[False, True, False]]


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=5), min_size=2, max_size=6),
    st.randoms(use_true_random=False),
)
def test_the_order_of_pages_does_not_matter(texts, random):
    n_pages = len(texts)
    links = [random.sample(range(n_pages), random.randrange(n_pages)) for _ in texts]
    items = {"text": [" ".join(words) for words in texts], "links": links}
    order = random.sample(range(n_pages), n_pages)
    shuffled_items = {name: [column[at] for at in order] for name, column in items.items()}
    given_set, shuffled_set = (
        ItemSet(items, ids=range(n_pages)),
        ItemSet(shuffled_items, ids=order),
    )
    featurizer = PageFeatures(links="links").fit([given_set])
    positions = {page: at for at, page in enumerate(order)}
    pairs = [(positions[i], positions[j]) for i, j in all_pairs(n_pages).tolist()]
    np.testing.assert_allclose(
        dense(featurizer(given_set, None)), dense(featurizer(shuffled_set, pairs)), atol=1e-12
    )


def test_unknown_words_are_ignored_and_empty_pages_have_no_features():
    featurizer = PageFeatures().fit([ItemSet(PAGES)])
    features = dense(featurizer(ItemSet({"text": ["", None, "unheard of", "page"]}), None))
    assert np.isfinite(features).all()
    assert not features.any()


def test_a_model_with_pages_is_saved(tmp_path):
    item_set = ItemSet(PAGES)
    featurizer = PageFeatures(anchors="anchors", links="links").fit([item_set])
    coef = np.linspace(-1, 1, len(featurizer.names))
    model = Model(AllPairs(), LinearSimilarity(featurizer, coef), Greedy())
    model.save(tmp_path / "pages.coterie")
    loaded = Model.load(tmp_path / "pages.coterie")
    np.testing.assert_array_equal(loaded.scores(item_set).scores, model.scores(item_set).scores)


def links_of(links, ids=None):
    """Return which pairs of two pages are linked, and which are cited together."""
    item_set = ItemSet({"text": ["a"] * len(links), "links": links}, ids=ids)
    featurizer = PageFeatures(links="links").fit([item_set])
    return [tuple(row) for row in dense(featurizer(item_set, None))[:, -2:].astype(int).tolist()]


@pytest.mark.parametrize(
    ("links", "ids"),
    [
        ([[7], [-1, 8.0]], None),
        ([["c"], ["http://d"]], ["a", "b"]),
        ([["c", 5], []], ["a", "b"]),
        (["a b", ""], ["a", "b"]),
        ([[None, float("nan")], None], None),
        ([["a"], ["b"]], ["a", "b"]),
        ([[], []], ["a", "b"]),
        ([[7], []], ["a", 2]),
    ],
)
def test_links_out_of_the_item_set_and_to_the_page_itself_are_ignored(links, ids):
    assert links_of(links, ids) == [(0, 0)]


@pytest.mark.parametrize(
    ("links", "ids"),
    [
        ([[1.0], []], None),
        ([np.array([1]), np.array([], dtype=int)], None),
        ([[], 0], None),
        (["b", None], ["a", "b"]),
        ([{"b", 9}, ()], ["a", "b"]),
        ([["1"], ["x"]], [0, "1"]),
        ([[(0, 1)], []], [(0, 0), (0, 1)]),
    ],
)
def test_links_are_ids_of_any_type(links, ids):
    assert links_of(links, ids) == [(1, 0)]


@pytest.mark.parametrize(
    ("links", "ids", "message"),
    [
        (
            [[], [[1]]],
            None,
            r"links of item 1 has \[1\], which cannot be an id; give a list of item ids",
        ),
        ([[], [([1],)]], None, "links of item 1 has .*, which cannot be an id"),
        ([{1: 2}, []], None, "links of item 0 has {1: 2}, which cannot be an id"),
        ([[0], [True]], None, "links of item 1 has True, which cannot be an id"),
        ([[1], np.array([False])], None, "links of item 1 has .*False.*, which cannot be an id"),
        ([[1], False], None, "links of item 1 has False, which cannot be an id"),
        (
            [[], [None, "1"]],
            [0, 1],
            "links of item 1 has '1', of type str, but ids are of type int",
        ),
        (["1", "0"], None, "links of item 0 has '1', of type str, .* or item indices"),
        (
            [[0], [7]],
            ["0", "1"],
            "links of item 0 has 0, of type int, but ids are of type str; give",
        ),
        ([[0], []], ["0", (1,)], "but ids are of type str and tuple; give"),
    ],
)
def test_links_that_cannot_be_ids_are_refused(links, ids, message):
    with pytest.raises(FeatureError, match=message):
        links_of(links, ids)


def test_errors_say_what_to_do():
    for vocabularies in (3, "ab", [None]):
        with pytest.raises(FeatureError, match=r"vocabularies has .*, not a Vocabulary; give"):
            PageFeatures(vocabularies=vocabularies)
    with pytest.raises(FeatureError, match="PageFeatures is not fitted; call fit"):
        PageFeatures().names  # noqa: B018
    with pytest.raises(FeatureError, match="item set 0: text of item 1 is 5, not a string; give"):
        PageFeatures().fit([ItemSet({"text": ["a", 5]})])
    with pytest.raises(FeatureError, match="no column 'links'; the columns are text"):
        PageFeatures(links="links").fit([ItemSet({"text": ["a", "a"]})])(
            ItemSet({"text": ["a", "a"]}), None
        )
    fitted = PageFeatures().fit([ItemSet(PAGES)])
    with pytest.raises(
        FeatureError,
        match="vocabularies has length 1, but must have one for each of the columns text, anchors",
    ):
        PageFeatures(anchors="anchors", vocabularies=fitted.vocabularies).names  # noqa: B018
