"""The structural SVM as users call it."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import coterie
from coterie.blocking import Window
from coterie.clusterers import (
    AverageLinkage,
    DiscreteSpectral,
    Greedy,
    KernelKMeans,
    LeftLink,
    Relaxation,
    Spectral,
)
from coterie.datasets import make_synth
from coterie.exceptions import InputError, InterruptedWarning, PartitionError
from coterie.features import (
    RBF,
    ExactKernel,
    GivenFeatures,
    Kernelized,
    Nystroem,
    RandomFourier,
    Scaled,
    WithConstant,
)
from coterie.items import ItemSet
from coterie.learners import (
    FrankWolfe,
    NSlack,
    OneSlack,
    StructuralSVM,
    SupervisedKMeans,
    SVMCluster,
    tune,
)
from coterie.losses import LinkLoss, MitreLoss, PairLoss, TraceLoss
from coterie.metrics import adjusted_rand_score, mitre_loss, pair_loss
from coterie.partition import Partition

SETS, TRUTHS = make_synth(n_sets=4, n_clusters=3, cluster_size=10)


@pytest.mark.parametrize(
    ("clusterer", "loss", "augment", "words"),
    [
        (Greedy(), TraceLoss(), True, "Greedy cannot include TraceLoss.*Correlation.*use PairLoss"),
        (
            KernelKMeans(),
            PairLoss(),
            True,
            "KernelKMeans cannot .* maximises KMeans.*use TraceLoss",
        ),
        (KernelKMeans(), pair_loss, True, "cannot include pair_loss in its search.*augment=False"),
        (Relaxation(), MitreLoss(), True, "with MitreLoss, .*relaxed partitions.*; use PairLoss"),
        (Relaxation(), MitreLoss(), False, "with MitreLoss, .*relaxed partitions.*; use PairLoss"),
        (Spectral(), PairLoss(), False, "relaxed partitions.*use TraceLoss"),
        (Greedy(), LinkLoss(), True, "LinkLoss.*use PairLoss"),
        (
            LeftLink(),
            LinkLoss(),
            True,
            "structural SVM cannot train LeftLink, .*PairwiseClustering",
        ),
        (AverageLinkage(), PairLoss(), True, "structural SVM cannot train AverageLinkage"),
        ("greedy", PairLoss(), True, "clusterer is of type str"),
        (Greedy(), "pair", True, "loss is of type str"),
    ],
)
def test_incompatible_parts_are_refused_and_others_suggested(clusterer, loss, augment, words):
    learner = StructuralSVM(clusterer, loss, augment=augment)
    with pytest.raises(InputError, match=words):
        learner.fit(SETS, TRUTHS)


def half_rand(truth, predicted):
    """Half of one minus the adjusted Rand index, in percent."""
    return 50.0 * (1.0 - adjusted_rand_score(truth, predicted))


@pytest.mark.parametrize("augment", [True, False])
def test_a_function_of_two_partitions_is_a_loss(augment):
    small, truths = make_synth(n_sets=2, n_clusters=2, cluster_size=4, region_size=10)
    learner = SVMCluster(C=1e3, loss=half_rand, solver=NSlack(), augment=augment)
    learner.fit(small, truths)
    assert learner.score(small, truths) > (0.9 if augment else 0.7)


def test_pair_loss_as_a_function_gives_nearly_the_result_of_the_linear_one():
    small, truths = make_synth(n_sets=2, n_clusters=2, cluster_size=4, region_size=10)
    linear = SVMCluster(C=1e3, solver=NSlack()).fit(small, truths)
    called = SVMCluster(C=1e3, solver=NSlack(), loss=pair_loss).fit(small, truths)
    assert called.primal_ == pytest.approx(linear.primal_, rel=0.02)
    incremental = SVMCluster(C=1e3, solver=NSlack(), loss=MitreLoss()).fit(small, truths)
    plain = SVMCluster(C=1e3, solver=NSlack(), loss=mitre_loss).fit(small, truths)
    np.testing.assert_allclose(plain.coef_, incremental.coef_, rtol=1e-6, atol=1e-9)


def test_discrete_k_means_takes_any_loss_without_augmentation():
    learner = StructuralSVM(
        KernelKMeans(), PairLoss(), 10.0, featurizer=GivenFeatures(), augment=False
    )
    assert learner.fit(SETS[:3], TRUTHS[:3]).predict(SETS[3:]) == TRUTHS[3:]


@pytest.mark.parametrize("name", ["iterative", "spectral", "discrete"])
def test_names_select_clusterers(name):
    values = {"iterative": KernelKMeans(), "spectral": Spectral(), "discrete": DiscreteSpectral()}
    named = SupervisedKMeans(clusterer=name, predictor="discrete").fit(SETS[:2], TRUTHS[:2])
    direct = SupervisedKMeans(clusterer=values[name], predictor=DiscreteSpectral())
    np.testing.assert_array_equal(named.coef_, direct.fit(SETS[:2], TRUTHS[:2]).coef_)
    assert named.predict(SETS[3:]) == TRUTHS[3:]


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="clusterer is 'greed'; use one of 'exact', 'greedy'"):
        SVMCluster(clusterer="greed").fit(SETS, TRUTHS)
    with pytest.raises(InputError, match="loss is 'rand'; use one of 'mitre', 'pair'"):
        SVMCluster(loss="rand").fit(SETS, TRUTHS)
    with pytest.raises(InputError, match="solver is of type str; use OneSlack"):
        SVMCluster(solver="one").fit(SETS, TRUTHS)


def test_the_number_of_clusters_must_be_the_truths():
    wrong = [ItemSet(np.eye(4), n_clusters=3)]
    with pytest.raises(PartitionError, match=r"item set 0: n_clusters is 3.*has 2 clusters"):
        SupervisedKMeans().fit(wrong, [[0, 0, 1, 1]])
    unknown = [ItemSet(np.eye(4))]
    assert SupervisedKMeans().fit(unknown, [[0, 0, 1, 1]]).coef_.shape == (4,)


@pytest.mark.parametrize("solver", [OneSlack(tol=1e-4), NSlack(tol=0.01), FrankWolfe(tol=1e-3)])
def test_a_path_agrees_with_single_fits(solver):
    Cs = [1e4, 1e2, 1e3]
    learner = SVMCluster(solver=solver, random_state=3)
    path = learner.fit_path(SETS[:2], TRUTHS[:2], Cs)
    assert [fitted.C for fitted in path] == Cs
    assert not hasattr(learner, "similarity_")
    for C, fitted in zip(Cs, path, strict=True):
        single = SVMCluster(C, solver=solver).fit(SETS[:2], TRUTHS[:2])
        assert fitted.primal_ == pytest.approx(single.primal_, rel=3e-3)


@pytest.mark.parametrize("solver", [OneSlack, FrankWolfe])
def test_threads_change_no_bit(solver):
    one = SVMCluster(solver=solver(n_jobs=1)).fit(SETS, TRUTHS)
    two = SVMCluster(solver=solver(n_jobs=2)).fit(SETS, TRUTHS)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_history_has_bounds_and_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    learner = SVMCluster(solver=NSlack()).fit(SETS, TRUTHS)
    last = learner.history_[-1]
    assert (last.primal, last.dual) == (learner.primal_, learner.dual_)
    assert learner.gap_ == learner.primal_ - learner.dual_
    assert last.n_oracle_calls == learner.n_oracle_calls_ > 0
    duals = [step.dual for step in learner.history_]
    assert duals == sorted(duals)
    axes = learner.history_.plot()
    assert len(axes.lines) == 2


def test_progress_is_reported_once_per_iteration():
    steps = []
    with coterie.progress(steps.append):
        learner = SVMCluster().fit(SETS, TRUTHS)
    assert [step.task for step in steps] == ["fit"] * len(learner.history_)
    assert "objective" in steps[-1].detail


@pytest.mark.parametrize("solver", [OneSlack(tol=1e-9), NSlack(tol=1e-9), FrankWolfe(tol=1e-9)])
def test_an_interrupt_leaves_a_usable_model(solver):
    def stop(step):
        if step.done == 3:
            raise KeyboardInterrupt

    learner = SVMCluster(solver=solver)
    with pytest.warns(UserWarning, match="interrupted"), coterie.progress(stop):
        learner.fit(SETS[:3], TRUTHS[:3])
    assert learner.coef_.any()
    assert learner.score(SETS[3:], TRUTHS[3:]) > 0.5


def stop_at_once(step):
    raise KeyboardInterrupt


def test_an_interrupt_ends_a_path_and_keeps_what_was_fitted():
    with pytest.warns(InterruptedWarning), coterie.progress(stop_at_once):
        path = SVMCluster().fit_path(SETS, TRUTHS, [10.0, 1.0])
    assert hasattr(path[1], "similarity_")
    assert not hasattr(path[0], "similarity_")


@pytest.mark.parametrize("grid", [{"C": [1e3, 1e4]}, {"loss": ["pair", "mitre"]}])
def test_an_interrupt_ends_a_search(grid):
    def stop(step):
        if step.task == "fit":
            raise KeyboardInterrupt

    with coterie.progress(stop), pytest.raises(KeyboardInterrupt):
        tune(SVMCluster(), SETS, TRUTHS, grid, n_folds=2)


def test_a_run_that_ends_before_the_first_search_has_a_model():
    """Greedy cuts may fill all iterations before the first search for a relaxed one."""
    solver = OneSlack(max_iter=3)
    with pytest.warns(ConvergenceWarning):
        learner = SVMCluster(clusterer="relaxation", solver=solver).fit(SETS, TRUTHS)
    assert np.isfinite(learner.primal_)
    assert learner.coef_.any()


def test_n_slack_warns_when_rounding_spoils_the_program():
    """With features of 1e6 beside a constant, the program cannot be solved precisely."""
    rng = np.random.default_rng(0)
    sets = [1e6 * rng.normal(size=(8, 3)) for _ in range(3)]
    truths = [rng.integers(2, size=8) for _ in sets]
    with pytest.warns(ConvergenceWarning, match=r"with Scaled\(featurizer\)"):
        SVMCluster(C=1e8, solver=NSlack()).fit(sets, truths)
    scaled = Scaled(WithConstant(GivenFeatures()))
    learner = SVMCluster(C=1e4, solver=NSlack(), featurizer=scaled).fit(sets, truths)
    assert learner.gap_ <= 1.01 * 1e4 * 0.1


@pytest.mark.parametrize("C", [0, -1.0, float("nan"), "much"])
def test_a_bad_c_is_refused(C):
    with pytest.raises(InputError, match=r"^C is"):
        SVMCluster(C).fit(SETS, TRUTHS)
    with pytest.raises(InputError, match=r"^C is"):
        SVMCluster().fit_path(SETS, TRUTHS, [1.0, C])


@pytest.mark.parametrize("Cs", [1.0, "123"])
def test_a_path_requires_a_list(Cs):
    with pytest.raises(InputError, match="use a list of positive numbers"):
        SVMCluster().fit_path(SETS, TRUTHS, Cs)


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (lambda truth, predicted: float("nan"), "item set 0: the loss <lambda>.*nan"),
        (lambda truth, predicted: -5.0, "-5.0; give a finite number of at least 0"),
        (lambda truth, predicted: None, "None; give a finite number"),
        (lambda truth: 0.0, "cannot be called with two partitions"),
    ],
)
@pytest.mark.parametrize("augment", [True, False])
def test_a_bad_loss_function_is_refused(loss, words, augment):
    with pytest.raises(InputError, match=words):
        SVMCluster(loss=loss, augment=augment).fit(SETS, TRUTHS)


@pytest.mark.parametrize(
    "options",
    [
        {"solver": OneSlack},
        {"blocker": Window},
        {"clusterer": Greedy},
        {"loss": PairLoss},
        {"featurizer": GivenFeatures},
    ],
    ids=str,
)
def test_a_class_in_place_of_an_object_is_refused(options):
    with pytest.raises(InputError, match="the class"):
        SVMCluster(**options).fit(SETS, TRUTHS)


def test_clusterers_without_a_given_number_of_clusters_are_refused():
    with pytest.raises(InputError, match="Greedy cannot make a given number of clusters"):
        SupervisedKMeans(clusterer=Greedy()).fit(SETS, TRUTHS)
    with pytest.raises(InputError, match="predictor is 'foo'"):
        SupervisedKMeans(predictor="foo").fit(SETS, TRUTHS)
    with pytest.raises(PartitionError, match="item set 0: n_clusters is 2, but the truth has 3"):
        SupervisedKMeans(clusterer=KernelKMeans(n_clusters=2)).fit(SETS, TRUTHS)


def test_parameters_set_after_fit_take_effect_in_the_next_fit():
    learner = SVMCluster().fit(SETS, TRUTHS)
    before = learner.predict(SETS)
    learner.set_params(blocker=Window(1), clusterer=AverageLinkage())
    assert learner.predict(SETS) == before
    kmeans = SupervisedKMeans().fit(SETS, TRUTHS)
    assert isinstance(
        kmeans.set_params(predictor="discrete").to_model().clusterer, DiscreteSpectral
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_numbers_are_item_vectors(library):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(9, 2)) for _ in range(3)]
    truths = [rng.integers(3, size=9) for _ in arrays]
    make = {
        "pandas": lambda columns: __import__("pandas").DataFrame(columns),
        "polars": lambda columns: __import__("polars").DataFrame(columns),
        "pyarrow": lambda columns: __import__("pyarrow").table(columns),
    }[library]
    frames = [make({"x": array[:, 0], "y": array[:, 1]}) for array in arrays]
    expected = SVMCluster().fit(arrays, truths)
    np.testing.assert_array_equal(SVMCluster().fit(frames, truths).coef_, expected.coef_)


@pytest.mark.parametrize("solver", [OneSlack, NSlack, FrankWolfe])
def test_a_run_that_ends_early_says_so(solver):
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        SVMCluster(solver=solver(tol=1e-9, max_iter=1)).fit(SETS, TRUTHS)


def test_blocked_pairs_are_all_that_counts():
    """On a window of pairs the loss counts these, and the others score 0."""
    rng = np.random.default_rng(0)
    sets, truths = [], []
    for _ in range(4):
        labels = np.repeat(np.arange(5), 4)
        sets.append(rng.normal(size=(20, 3)) * 0.1 + np.eye(5)[labels] @ rng.normal(size=(5, 3)))
        truths.append(Partition(labels))
    learner = SVMCluster(C=1e4, blocker=Window(3)).fit(sets, truths)
    assert learner.score(sets, truths) > 0.7
    model = learner.to_model()
    assert len(model.scores(ItemSet(sets[0])).scores) == 19 + 18 + 17


def test_nonnegative_weights_over_products_are_certified_kernels():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2], 4)
    nodes = rng.normal(size=(12, 5)) + 3 * np.eye(5)[labels]
    learner = SupervisedKMeans(solver=OneSlack(nonnegative=True)).fit([nodes], [labels])
    assert learner.kernel_certified_
    kernel = learner.to_model().scores(ItemSet(nodes)).to_matrix()
    assert np.linalg.eigvalsh(kernel)[0] >= -1e-9
    assert not SupervisedKMeans().fit([nodes], [labels]).kernel_certified_


def kernel_features(nodes, widths):
    """Gaussian kernels of several widths: the features of pairs, and of items with themselves."""
    squares = ((nodes[:, None] - nodes[None]) ** 2).sum(axis=2)
    upper = np.triu_indices(len(nodes), 1)
    return (
        np.column_stack([np.exp(-squares[upper] / width) for width in widths]),
        np.ones((len(nodes), len(widths))),
    )


def test_given_kernels_are_certified_and_other_pair_features_are_not():
    from coterie.features import DenseFeatures

    rng = np.random.default_rng(2)
    labels = np.repeat([0, 1, 2], 4)
    nodes = rng.normal(size=(12, 2)) + 4 * np.eye(3, 2)[labels]
    pairs, diagonal = kernel_features(nodes, [1.0, 10.0])
    kernels = ItemSet.from_pair_features(DenseFeatures(pairs, diagonal), 12)
    plain = ItemSet.from_pair_features(pairs, 12)
    no_kernels = ItemSet.from_pair_features(DenseFeatures(-pairs, diagonal), 12)
    solver = OneSlack(nonnegative=True)
    certified = [
        SupervisedKMeans(solver=solver).fit([item_set], [labels]).kernel_certified_
        for item_set in (kernels, plain, no_kernels)
    ]
    assert certified == [True, False, False]


@pytest.mark.parametrize(
    "expansion", [ExactKernel(), Nystroem(40), RandomFourier(200)], ids=lambda e: type(e).__name__
)
def test_kernels_of_pair_features_learn_what_linear_weights_cannot(expansion):
    """Finley & Joachims 2008, section 3.3: pairs belong together if two signs agree."""
    rng = np.random.default_rng(0)
    sets, truths = [], []
    for _ in range(3):
        labels = rng.integers(3, size=14)
        together = Partition(labels).together()
        first = rng.choice([-1.0, 1.0], size=len(together))
        features = np.column_stack([first, np.where(together, first, -first)])
        sets.append(ItemSet.from_pair_features(features, 14))
        truths.append(Partition(labels))
    linear = SVMCluster(C=1e5).fit(sets[:2], truths[:2])
    curved = SVMCluster(C=1e5, featurizer=Kernelized(GivenFeatures(), RBF(0.5), expansion))
    assert curved.fit(sets[:2], truths[:2]).score(sets[2:], truths[2:]) == 1.0
    assert linear.score(sets[2:], truths[2:]) < 0.8


def test_sparse_products_with_links_train_without_a_pair_matrix():
    """Node products and linked regions are stacked, as for web pages."""
    from coterie.features import LinkedNodeProducts, NodeProducts, stack

    rng = np.random.default_rng(3)
    sets, truths = [], []
    for _ in range(3):
        labels = rng.integers(4, size=40)
        words = sp.random_array((40, 300), density=0.03, rng=rng, format="csr")
        topics = sp.csr_array((np.ones(40), (np.arange(40), labels)), shape=(40, 300))
        nodes = sp.csr_array(words + topics)
        links = rng.integers(40, size=(60, 2))
        features = stack([NodeProducts(nodes), LinkedNodeProducts(nodes, links)])
        sets.append(ItemSet.from_pair_features(features, 40))
        truths.append(Partition(labels))
    learner = SupervisedKMeans(C=10.0).fit(sets[:2], truths[:2])
    counted = [ItemSet(sets[2].items, n_clusters=truths[2].n_clusters)]
    assert learner.score(counted, truths[2:]) > 0.9
