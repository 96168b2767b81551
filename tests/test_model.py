"""Models: prediction, and the same prediction after loading, also in another process."""

import json
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

import coterie
from coterie import ItemSet, PairScores, Partition, clusterers
from coterie.blocking import AllPairs, NearestNeighbours, SharedKeys, Window
from coterie.calibrations import ClusterCalibration, Isotonic
from coterie.clusterers import Greedy, LeftLink, Relaxation, SearchRounding
from coterie.exceptions import FeatureError, InputError, ItemSetError, PairError
from coterie.features import GivenFeatures, Scaled, WithConstant
from coterie.model import Logistic, Model, _find_class
from coterie.similarities import ClassifierSimilarity, LinearSimilarity

BLOCKERS = [AllPairs(), Window(3), NearestNeighbours(2)]


def model_of(item_sets, blocker=None, clusterer=None, calibration=None):
    featurizer = WithConstant(Scaled(GivenFeatures())).fit(item_sets)
    similarity = LinearSimilarity(featurizer, [1.0, -0.5, 0.1, 0.05])
    return Model(blocker or AllPairs(), similarity, clusterer or Greedy(), calibration)


@pytest.fixture
def item_sets(rng):
    return [ItemSet(rng.normal(size=(n, 3)), n_clusters=k) for n, k in [(8, 3), (1, 1), (12, 4)]]


def test_prediction_blocks_then_scores_then_clusters(item_sets):
    model = model_of(item_sets, Window(4), LeftLink(), Logistic(2.0, -1.0))
    for item_set, predicted in zip(item_sets, model.predict(item_sets), strict=True):
        pairs = Window(4)(item_set)
        expected = model.similarity(item_set, pairs)
        assert np.array_equal(model.scores(item_set).scores, expected)
        assert model.scores(item_set).n_clusters == item_set.n_clusters
        assert predicted == LeftLink()(PairScores(len(item_set), pairs, expected))
        odds = 2.0 * expected - 1.0
        assert np.allclose(model.probabilities(item_set), 1 / (1 + np.exp(-odds)))


def test_plain_arrays_and_empty_lists_are_item_sets_too(item_sets):
    model = model_of(item_sets)
    plain = [item_set.items.tolist() for item_set in item_sets]
    assert model.predict(plain) == model.predict(item_sets)
    assert model.predict([[], item_sets[0]]) == [Partition([]), *model.predict(item_sets[:1])]
    assert model.predict([]) == []


def test_prediction_reports_progress(item_sets):
    steps = []
    with coterie.progress(steps.append):
        model_of(item_sets).predict(item_sets)
    assert [(step.task, step.done, step.total) for step in steps] == [
        ("predict", 1, 3),
        ("predict", 2, 3),
        ("predict", 3, 3),
    ]


def test_errors_name_the_item_set(item_sets):
    model = model_of(item_sets)
    with pytest.raises(FeatureError, match="item set 1: "):
        model.predict([item_sets[0], np.ones((3, 2))])
    with pytest.raises(FeatureError, match="item set 0: row 0, column 0 is nan"):
        model.predict([[[np.nan]]])
    with pytest.raises(ItemSetError, match="wrap it in a list"):
        model.predict(item_sets[0])
    with pytest.raises(InputError, match="no calibration, so its scores cannot be turned"):
        model.probabilities(item_sets[0])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("blocker", AllPairs, "the blocker is the class AllPairs; give an instance"),
        ("similarity", None, "the similarity is None, which cannot be called; give a similarity"),
        ("similarity", len, "which has no method pair_scores"),
        (
            "clusterer",
            "greedy",
            "the clusterer is 'greedy', which cannot be called; give a clusterer",
        ),
        ("calibration", 1.0, "the calibration is 1.0, which cannot be called; give a calibration"),
    ],
)
def test_invalid_models_are_refused(item_sets, name, value, message):
    parts = {
        "blocker": AllPairs(),
        "similarity": model_of(item_sets).similarity,
        "clusterer": Greedy(),
    }
    with pytest.raises(InputError, match=message):
        Model(**{**parts, name: value})


def test_confidences_are_those_of_the_scores_and_the_partition(item_sets):
    calibration = ClusterCalibration(Logistic(2.0, -1.0), Logistic(), Logistic(0.5))
    model = model_of(item_sets, Window(4), calibration=calibration)
    for item_set, predicted in zip(item_sets, model.predict(item_sets), strict=True):
        confidences = model.confidences(item_set)
        assert confidences.partition == predicted
        assert np.array_equal(confidences.pairs, model.probabilities(item_set))
        expected = calibration.confidences(model.scores(item_set), predicted).clusters
        assert np.array_equal(confidences.clusters, expected)
        for precision in (0.0, float(np.median(expected)), 1.0):
            abstained = model.abstain(item_set, precision)
            assert abstained.partition == predicted
            assert np.array_equal(abstained.is_asserted, confidences.items >= precision)
    assert len(model.confidences([]).clusters) == 0


@pytest.mark.parametrize("calibration", [None, Logistic()])
def test_confidences_need_a_calibration_of_clusters(item_sets, calibration):
    model = model_of(item_sets, calibration=calibration)
    with pytest.raises(
        InputError, match=r"no calibration of clusters; give it a ClusterCalibration"
    ):
        model.confidences(item_sets[0])
    with pytest.raises(InputError, match="no calibration of clusters"):
        model.abstain(item_sets[0], 0.9)


def test_a_loaded_model_has_the_same_confidences(item_sets, tmp_path):
    calibration = ClusterCalibration(Isotonic([-1.0, 1.0], [0.1, 0.8]), Logistic(), Logistic())
    model = model_of(item_sets, calibration=calibration)
    model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    for item_set in item_sets:
        assert np.array_equal(
            loaded.confidences(item_set).clusters, model.confidences(item_set).clusters
        )


@pytest.mark.parametrize("blocker", BLOCKERS, ids=repr)
@pytest.mark.parametrize("sparse", [False, True])
def test_a_loaded_model_predicts_the_same(item_sets, blocker, sparse, tmp_path):
    if sparse:
        item_sets = [ItemSet(sp.csr_array(item_set.items)) for item_set in item_sets]
    model = model_of(item_sets, blocker, calibration=Logistic(3.0))
    model.save(tmp_path / "m.coterie")
    loaded = Model.load(str(tmp_path / "m.coterie"))
    assert loaded.predict(item_sets) == model.predict(item_sets)
    for item_set in item_sets:
        assert np.array_equal(loaded.scores(item_set).scores, model.scores(item_set).scores)
        assert np.array_equal(loaded.probabilities(item_set), model.probabilities(item_set))
    assert repr(loaded) == repr(model)


MEMBERS = [getattr(clusterers, name) for name in clusterers.__all__ if name != "EstimatorClusterer"]


@pytest.mark.parametrize("kind", [kind for kind in MEMBERS if hasattr(kind, "solve")])
def test_every_clusterer_can_be_saved(item_sets, kind, tmp_path):
    model = model_of(item_sets, clusterer=kind())
    model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    assert loaded.clusterer == model.clusterer
    assert loaded.predict(item_sets) == model.predict(item_sets)


def test_nested_values_are_saved_and_loaded(item_sets, tmp_path):
    clusterer = Relaxation(SearchRounding(threshold=0.6), time_limit=None)
    model = model_of(item_sets, SharedKeys(("name",)), clusterer)
    model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    assert (loaded.blocker, loaded.clusterer) == (model.blocker, model.clusterer)
    assert loaded.similarity.named_coef() == model.similarity.named_coef()


PROGRAM = """
import json, sys
import numpy as np
from coterie.model import Model

sets = [np.array(rows) for rows in json.loads(sys.argv[2])]
model = Model.load(sys.argv[1])
print(json.dumps([p.labels.tolist() for p in model.predict(sets)]))
print(json.dumps([model.scores(s).scores.tolist() for s in sets]))
assert "sklearn" not in sys.modules
"""


def test_a_loaded_model_predicts_the_same_in_another_process(item_sets, tmp_path):
    model = model_of(item_sets, Window(5))
    model.save(tmp_path / "m")
    rows = json.dumps([item_set.items.tolist() for item_set in item_sets])
    arguments = [sys.executable, "-c", PROGRAM, str(tmp_path / "m"), rows]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)  # noqa: S603
    labels, scores = map(json.loads, done.stdout.splitlines())
    assert labels == [p.labels.tolist() for p in model.predict(item_sets)]
    assert scores == [model.scores(item_set).scores.tolist() for item_set in item_sets]


@dataclass(frozen=True)
class Nearer:
    """A similarity of a user."""

    reach: float

    def __call__(self, item_set, pairs):
        return self.pair_scores(item_set, pairs).scores

    def pair_scores(self, item_set, pairs):
        gaps = [abs(a - b) for i, [a] in enumerate(item_set.items) for [b] in item_set.items[:i]]
        return PairScores(len(item_set), None, self.reach - np.array(gaps))


def test_user_classes_are_loaded_if_they_are_given(tmp_path):
    items = [[[0.0], [1.0], [5.0]]]
    Model(AllPairs(), Nearer(2.0), Greedy()).save(tmp_path / "m")
    with pytest.raises(InputError, match=r"similarity is a Nearer, .* classes=\[Nearer\]"):
        Model.load(tmp_path / "m")
    assert Model.load(tmp_path / "m", classes=[Nearer]).similarity == Nearer(2.0)
    assert Model.load(tmp_path / "m", classes=[Nearer]).predict(items) == [Partition([0, 0, 1])]
    with pytest.raises(InputError, match="give dataclasses, not their instances"):
        Model.load(tmp_path / "m", classes=[Nearer(2.0)])
    with pytest.raises(InputError, match="give dataclasses"):
        Model.load(tmp_path / "m", classes=[dict])


def test_user_classes_with_names_of_coterie_are_refused(item_sets, tmp_path):
    user_class = dataclass(type("Greedy", (), {"__call__": lambda self, scores: None}))
    with pytest.raises(InputError, match=r"clusterer is of your own class Greedy, .*; rename"):
        Model(AllPairs(), model_of(item_sets).similarity, user_class()).save(tmp_path / "m")
    model_of(item_sets).save(tmp_path / "m")
    with pytest.raises(
        InputError, match="classes contains Greedy, but another class has this name"
    ):
        Model.load(tmp_path / "m", classes=[user_class])
    twin = dataclass(type("Nearer", (), {}))
    with pytest.raises(
        InputError, match="classes contains Nearer, but another class has this name"
    ):
        Model.load(tmp_path / "m", classes=[Nearer, twin])
    assert Model.load(tmp_path / "m", classes=[Greedy, Nearer, Nearer]).clusterer == Greedy()


def test_a_scikit_learn_classifier_is_refused_and_the_old_file_is_kept(item_sets, tmp_path):
    model = model_of(item_sets)
    model.save(tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    similarity = ClassifierSimilarity(GivenFeatures(), LogisticRegression())
    with pytest.raises(
        InputError, match=r"similarity\.classifier is a LogisticRegression, which cannot be saved; "
    ):
        Model(AllPairs(), similarity, Greedy()).save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == before
    with pytest.raises(InputError, match="there is no folder"):
        model.save(tmp_path / "none" / "m")


@dataclass(frozen=True)
class Steps:
    """A classifier that is a value: pairs with a high first feature are together."""

    threshold: float

    def decision_function(self, features):
        return features[:, 0] - self.threshold


def test_a_classifier_that_is_a_value_is_saved(item_sets, tmp_path):
    model = Model(AllPairs(), ClassifierSimilarity(GivenFeatures(), Steps(0.5)), Greedy())
    model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m", classes=[Steps])
    assert loaded.predict(item_sets) == model.predict(item_sets)


def test_saving_again_makes_the_same_bytes(item_sets, tmp_path):
    model = model_of(item_sets)
    model.save(tmp_path / "a")
    model.save(tmp_path / "b")
    Model.load(tmp_path / "a").save(tmp_path / "c")
    assert len({(tmp_path / name).read_bytes() for name in "abc"}) == 1


def test_a_file_of_something_else_is_refused(item_sets, tmp_path):
    from coterie._saving import save_value

    save_value(tmp_path / "m", Greedy(), _find_class)
    with pytest.raises(InputError, match="the file holds a Greedy, not a Model"):
        Model.load(tmp_path / "m")


def test_only_classes_are_found_by_name():
    assert _find_class("AllPairs") is AllPairs
    assert _find_class("Partition") is Partition
    for name in ("os", "blocking", "__name__", "import_module", "", "coterie.model.Model"):
        assert _find_class(name) is None


def test_constraints_hold_in_their_item_sets(item_sets):
    model = model_of(item_sets)
    plain = model.predict(item_sets)
    partitions = model.predict(item_sets, must_link=[[(0, 7), (7, 3)], None, []], cannot_link=None)
    assert partitions[0].together([(0, 7), (3, 7)]).all()
    assert partitions[1:] == plain[1:]
    pairs_together = [p.clusters[0][:2].tolist() for p in plain]
    cannot_link_pairs = [[pairs_together[0]], None, [pairs_together[2]]]
    for partition, pairs in zip(
        model.predict(item_sets, cannot_link=cannot_link_pairs), cannot_link_pairs, strict=True
    ):
        assert pairs is None or not partition.together(pairs).any()
    assert model.predict(item_sets, must_link=[None] * 3, cannot_link=[None] * 3) == plain
    # The former names of both parameters.
    assert model.predict(item_sets, apart=cannot_link_pairs) == model.predict(
        item_sets, cannot_link=cannot_link_pairs
    )
    assert model.predict(item_sets, together=cannot_link_pairs) == model.predict(
        item_sets, must_link=cannot_link_pairs
    )


def test_constraints_that_do_not_fit_are_refused(item_sets):
    model = model_of(item_sets)
    with pytest.raises(InputError, match="must_link has 1 entries for 3 item sets; give an array"):
        model.predict(item_sets, must_link=[[(0, 1)]])
    with pytest.raises(InputError, match="cannot_link is of type int; give a list with an array"):
        model.predict(item_sets, cannot_link=3)
    with pytest.raises(InputError, match="cannot_link is of type dict; give a list with an array"):
        model.predict(item_sets, cannot_link={0: [(0, 1)], 1: None, 2: None})
    with pytest.raises(PairError, match=r"item set 2: items 0 and 4 .* connect them: 0 = 2 = 4"):
        model.predict(
            item_sets, must_link=[None, None, [(0, 2), (2, 4)]], cannot_link=[None, None, [(4, 0)]]
        )
    with pytest.raises(PairError, match="item set 0: LeftLink does not support must-link pairs"):
        model_of(item_sets, clusterer=LeftLink()).predict(item_sets[:1], must_link=[[(0, 1)]])
