"""Every public class and function whose arguments users write: right arguments, and a use."""

from collections.abc import Callable
from inspect import isclass, signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import DBSCAN
from sklearn.linear_model import LogisticRegression

import coterie
from coterie import (
    Model,
    Partition,
    blocking,
    calibrations,
    clusterers,
    dirichlet,
    features,
    learners,
    losses,
    objectives,
    similarities,
    stream,
)
from coterie._core.lazy import members
from coterie.features import kinds
from coterie.learners.base import Learner
from tests.arguments.uses import (
    MODEL,
    RECORDS,
    SETS,
    TRUTHS,
    VECTORS,
    Use,
    add,
    boost,
    boost_risk,
    cluster,
    compare,
    compare_records,
    descend,
    fit,
    list_pairs,
    map_vectors,
    multiply,
    nothing,
    sample,
    score,
    solve,
    stream_items,
    view_texts,
)
from tests.clusterers.test_family import MEMBERS as CLUSTERERS
from tests.features.test_family import SAMPLES


class Member(NamedTuple):
    """A public class or function, arguments with which it works, and a use of what it returns."""

    make: Callable[..., Any]
    arguments: dict[str, Any]
    use: Use


RESULTS = {
    *("Abstained", "Assignment", "Calibrated", "Confidences", "Diagnostics", "LearnedBlocking"),
    *("Listed", "Reliabilities", "Reliability", "RunnerUp", "Solution", "Tuned"),
}
"""Classes whose instances the library returns; users do not call them."""

ABSTRACT = {"Estimate", "Gibbs"}
"""Base classes without instances."""

FEW = {"n_rounds": 3, "n_samples": 2, "burn_in": 2, "n_chains": 1, "max_iter": 3, "n_folds": 2}
"""Arguments for parameters whose default takes long."""

LEARNERS: dict[str, dict[str, Any]] = {
    "AutoLearner": {"candidates": ["logistic regression"]},
    "StructuralSVM": {"clusterer": clusterers.Greedy(), "loss": losses.PairLoss()},
    "WithContext": {"learner": learners.PairwiseClustering()},
}
GRID = {"C": [1.0, 10.0]}
TYPES = dirichlet.ReferenceTypes(np.ones((1, 2)))

TREES: dict[str, Any] = {
    "roots": [0],
    "columns": [0, -1, -1],
    "thresholds": [0.5, 0.0, 0.0],
    "lefts": [1, -1, -1],
    "rights": [2, -1, -1],
    "values": [0.0, 1.0, 2.0],
    "covers": [4.0, 2.0, 2.0],
}

PARTS: dict[str, tuple[dict[str, Any], Use]] = {
    **dict.fromkeys(["OneSlack", "NSlack", "FrankWolfe"], ({}, solve)),
    **dict.fromkeys(["SGD", "CCCP"], ({}, descend)),
    **dict.fromkeys(
        ["LeftLinkRisk", "CorrelationRisk", "LogisticRisk"],
        ({}, boost_risk),
    ),
    **dict.fromkeys(["HistogramTrees", "LightTrees"], ({}, lambda trees: boost(trees=trees))),
    "Stopping": ({}, lambda stopping: boost(stopping=stopping)),
    **dict.fromkeys(
        ["PaperUpdate", "ExactUpdate"],
        ({}, lambda update: fit(learners.DiscriminativeClustering(max_iter=2, update=update))),
    ),
    **dict.fromkeys(
        ["PAV", "Platt"],
        (
            {},
            lambda method: coterie.calibrate(
                learners.Untrained(), SETS, TRUTHS, method=method, n_folds=2
            ),
        ),
    ),
    **dict.fromkeys(
        ["Sampled", "Softmax"],
        (
            {"classifier": LogisticRegression()},
            lambda classifier: fit(learners.PairwiseClustering(classifier=classifier)),
        ),
    ),
    "Winnow": (
        {},
        lambda classifier: fit(
            learners.PairwiseClustering(
                classifier=classifier, featurizer=features.AbsoluteDifferences()
            )
        ),
    ),
    "tune": (
        {
            "learner": learners.PairwiseClustering(),
            "item_sets": SETS,
            "partitions": TRUTHS,
            "grid": GRID,
            "n_folds": 2,
            "widen": False,
        },
        nothing,
    ),
    "calibrate": (
        {"learner": learners.Untrained(), "item_sets": SETS, "partitions": TRUTHS, "n_folds": 2},
        nothing,
    ),
    # Clusterers.
    "EstimatorClusterer": (
        {"estimator": DBSCAN(metric="precomputed")},
        cluster,
    ),
    **dict.fromkeys(
        ["BallRounding", "SearchRounding"],
        ({}, lambda rounding: cluster(clusterers.Relaxation(rounding))),
    ),
    # Blockers and blocking keys.
    "AllIfSmall": ({"otherwise": blocking.Window(1), "limit": 2}, list_pairs),
    "AllPairs": ({}, list_pairs),
    "Canopies": ({"columns": ["name"]}, list_pairs),
    "Combined": (
        {"keys": [blocking.WholeValue("name"), blocking.Prefix("city", 1)]},
        lambda key: list_pairs(blocking.Union([key])),
    ),
    "NearestNeighbours": ({"n_neighbours": 1}, list_pairs),
    "NearestTexts": ({"columns": ["name"]}, list_pairs),
    "SharedKeys": ({"columns": ["name"]}, list_pairs),
    "SortedNeighbourhood": ({"column": "name"}, list_pairs),
    "Union": ({"keys": [blocking.WholeValue("name")]}, list_pairs),
    "Window": ({"n": 2}, list_pairs),
    **dict.fromkeys(["QGrams", "RareTokens", "WholeValue"], ({"column": "name"}, list_pairs)),
    "Prefix": ({"column": "name", "length": 2}, list_pairs),
    # Parts of featurizers.
    "ConstantFeatures": ({"n_pairs": 3}, multiply),
    "DenseFeatures": ({"matrix": np.ones((3, 2))}, multiply),
    "SparseFeatures": ({"matrix": np.ones((3, 2))}, multiply),
    "NodeProducts": ({"nodes": np.ones((3, 2))}, multiply),
    "LinkedNodeProducts": ({"nodes": np.ones((3, 2)), "links": np.array([[0, 1]])}, multiply),
    **dict.fromkeys(["Euclidean", "Manhattan"], ({}, nothing)),
    "EuclideanEmbedding": ({"featurizer": features.AbsoluteDifferences()}, nothing),
    **dict.fromkeys(
        ["ExactKernel", "Nystroem", "RandomFourier"],
        ({}, lambda expansion: map_vectors(features.RBF(), expansion)),
    ),
    **dict.fromkeys(
        ["RBF", "Polynomial"], ({}, lambda kernel: map_vectors(kernel, features.ExactKernel()))
    ),
    "Field": (
        {"column": "name", "kind": kinds.Name()},
        lambda field: compare([RECORDS])(features.RecordFeatures([field])),
    ),
    "Joined": ({"views": ("title", "text")}, view_texts),
    "KnownGrams": (
        {"words": ("a",), "keys": (), "idf": (np.ones(2),)},
        nothing,
    ),
    **dict.fromkeys(["Lead", "Quotations"], ({"view": "text"}, view_texts)),
    "Vocabulary": ({"words": ("a",), "idf": np.array([1.0])}, nothing),
    **dict.fromkeys(
        ["Category", "Code", "Date", "Name", "Number", "Short", "Text", "TokenSet"],
        ({}, compare_records),
    ),
    "KnownTokens": (
        {
            "tokens": np.array([1], dtype=np.uint64),
            "n_rows_with": np.array([1]),
            "n_entities_with": np.array([1]),
        },
        lambda known: compare_records(kinds.Category(known)),
    ),
    # Losses and similarities.
    "LinkLoss": (
        {},
        lambda loss: loss.linearize(Partition(TRUTHS[0]), None),
    ),
    **dict.fromkeys(["MitreLoss", "PairLoss", "TraceLoss"], ({}, nothing)),
    "ClassifierSimilarity": (
        {
            "featurizer": features.GivenFeatures(),
            "classifier": LogisticRegression().fit(np.eye(2), [0, 1]),
        },
        score,
    ),
    "ConstantSimilarity": ({"value": 1.0}, score),
    "ContextSimilarity": (
        {"featurizer": features.GivenFeatures(), "similarity": MODEL.similarity},
        score,
    ),
    "DistanceSimilarity": (
        {"featurizer": features.AbsoluteDifferences(), "coef": [1.0, 2.0]},
        score,
    ),
    "LinearSimilarity": ({"featurizer": features.GivenFeatures(), "coef": [1.0, 2.0]}, score),
    "TreeSimilarity": (
        {
            "featurizer": features.GivenFeatures(),
            "trees": similarities.Trees(**TREES),
        },
        score,
    ),
    "Trees": (
        TREES,
        lambda trees: score(similarities.TreeSimilarity(features.GivenFeatures(), trees)),
    ),
    # Dirichlet processes.
    "AuxiliaryGibbs": ({}, lambda gibbs: sample(prior=dirichlet.NormalPrior(gibbs=gibbs))),
    **dict.fromkeys(["CollapsedGibbs", "ConditionalGibbs"], ({}, nothing)),
    "Categories": (
        {"values": (np.array([0.0, 1.0]),), "pseudo_counts": np.ones(3)},
        nothing,
    ),
    "DirichletSimilarity": (
        {
            "types": (TYPES,),
            "alpha": 1.0,
            "prior_variance": np.ones(2),
            "sampler": dirichlet.Sampler(2, 2, 1, 1),
        },
        lambda similarity: Model(blocking.AllPairs(), similarity, clusterers.Greedy()).predict(
            SETS
        ),
    ),
    **dict.fromkeys(
        ["MaximumPosterior", "MinimumPairLoss", "MinimumVariation"],
        ({}, lambda estimate: sample(estimate=estimate)),
    ),
    "NormalPrior": ({}, lambda prior: sample(prior=prior)),
    "Posterior": (
        {"labels": np.zeros((1, 2, 3), np.int32), "log_joint": [[0.0, 0.0]]},
        nothing,
    ),
    "ReferenceTypes": ({"precisions": np.ones((1, 2))}, nothing),
    "Sampler": (
        {"n_samples": 2, "burn_in": 2, "n_chains": 1},
        lambda sampler: dirichlet.DirichletSimilarity(
            (TYPES,), 1.0, np.ones(2), sampler=sampler
        ).pair_scores(SETS[0], None),
    ),
    "Space": ({}, lambda space: sample(prior=dirichlet.NormalPrior(featurizer=space.featurizer))),
    "SplitMerge": ({}, lambda moves: sample(prior=dirichlet.NormalPrior(split_merge=moves))),
    # Streams.
    "EveryEarlier": ({}, stream_items),
    "Latest": ({"n": 2}, stream_items),
    "LatestInTime": ({"column": "time", "span": 2.0, "n": 2}, stream_items),
    "LatestOfKeys": ({"columns": ["name"], "n": 2}, stream_items),
    "NearestOfLatest": ({"n_neighbours": 1, "window": 2}, stream_items),
    "Stream": ({"model": MODEL}, add),
    # What everything takes.
    "ItemSet": ({"items": VECTORS}, nothing),
    "Model": (
        {"blocker": MODEL.blocker, "similarity": MODEL.similarity, "clusterer": MODEL.clusterer},
        lambda model: model.predict(SETS),
    ),
    "PairScores": (
        {"n_items": 3, "pairs": [[0, 1], [1, 2]], "scores": [1.0, -1.0]},
        clusterers.Greedy(),
    ),
    "Partition": ({"labels": [0, 0, 1]}, nothing),
    "LeftLink": ({}, nothing),
    "Logistic": ({}, lambda curve: curve([0.0, 1.0])),
    "Isotonic": ({"scores": [0.0, 1.0], "probabilities": [0.1, 0.9]}, lambda curve: curve([0.5])),
    "ClusterCalibration": (
        {
            "pairs": calibrations.Logistic(),
            "clusters": calibrations.Logistic(),
            "singletons": calibrations.Logistic(),
        },
        nothing,
    ),
}

PACKAGES = (
    *(coterie, learners, clusterers, blocking, features, kinds, losses, similarities, dirichlet),
    stream,
)


def public_classes() -> dict[str, Any]:
    """Return the public classes that users call, and two functions, by their names."""
    classes = {
        name: value
        for package in PACKAGES
        for name, value in members(package).items()
        if isclass(value) and not issubclass(value, Exception)
    }
    classes |= {name: getattr(calibrations, name) for name in calibrations.__all__}
    classes |= {"objectives.LeftLink": objectives.LeftLink}
    functions = {"tune": coterie.tune, "calibrate": coterie.calibrate}
    return {
        name: value for name, value in classes.items() if name not in RESULTS | ABSTRACT
    } | functions


def member(name: str, make: Any) -> Member:
    """Return a public class or function with arguments and a use; each must have one."""
    if isclass(make) and issubclass(make, Learner):
        few = {key: value for key, value in FEW.items() if key in signature(make).parameters}
        return Member(make, few | LEARNERS.get(name, {}), fit)
    if make in CLUSTERERS:
        return Member(make, {}, cluster)
    if name in SAMPLES:
        sample = SAMPLES[name]
        return Member(make, sample.featurizer.get_params(deep=False), compare(sample.item_sets))
    return Member(make, *PARTS[name.rpartition(".")[2]])


MEMBERS = {name: member(name, make) for name, make in public_classes().items()}
