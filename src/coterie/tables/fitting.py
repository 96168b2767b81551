"""Learning from a table that says which of its rows belong together."""

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from coterie import metrics
from coterie._core.arguments import as_positive, as_whole
from coterie._core.lazy import members
from coterie._core.progress import report
from coterie.blocking import LearnedBlocking, learn_blocking
from coterie.exceptions import InputError
from coterie.features.records import RecordFeatures
from coterie.items import ItemSet
from coterie.learners import AutoLearner
from coterie.learners.auto.entities import as_entities
from coterie.learners.auto.families import AUTO, SLUGS
from coterie.learners.auto.text import HEADINGS, row_cells
from coterie.learners.calibration.calibrated import fit_calibration
from coterie.model import Model
from coterie.partition import Partition
from coterie.tables.cross_fitting import compared_as_new
from coterie.tables.groups import Group, grouped, row_ids
from coterie.tables.io.frames import as_table
from coterie.tables.model import TableModel
from coterie.tables.sample import sampled
from coterie.tables.schema import Schema, infer_schema, refuse_ours
from coterie.tables.table import Table


class Options(TypedDict, total=False):
    """What `fit` can be told beside the table and its column of clusters; see there."""

    set: str | None
    id: str | None
    kinds: Mapping[str, str] | None
    learner: str
    metric: str
    budget: float | None
    n_jobs: int
    random_state: int


class Fitted(NamedTuple):
    """A model of tables, and what was found on the way to it."""

    model: TableModel
    learner: AutoLearner
    blocking: LearnedBlocking


def fit(frame: Any, cluster: str, **options: Unpack[Options]) -> TableModel:
    """Learn from a table which of the rows of another belong together.

    Parameters
    ----------
    frame
        A data frame of pandas, polars or pyarrow, a mapping of names to columns, or a list of
        dicts. All cells count as text.
    cluster
        The column that says which rows belong together. The same value in two sets names the same
        entity, which is held out of both when learners are compared.
    **options
        `set`: the column that says which rows are clustered with each other, None for all. `id`:
        the column that names rows; None takes one called id, if there is one. `kinds`: the kinds of
        some columns by name, such as {"zip": "code"}; the others are inferred. `learner`: "auto",
        or one of those that `coterie fit --help` lists, such as "logistic". `metric`: the name of
        the metric of `coterie.metrics` to be good by. `budget`: seconds to choose in, None for no
        limit. `n_jobs`: number of processes. `random_state`: seed of all that is drawn.

    Examples
    --------
    >>> from coterie.tables import fit
    >>> names = ["Ann Lee", "Anne Lee", "Bob Ray", "Rob Ray", "Cy Orr", "Cy Orr Jr", "Di Poe"]
    >>> model = fit({"name": names, "who": [1, 1, 2, 2, 3, 3, 4]}, cluster="who")
    >>> model.predict({"name": ["Eve Fox", "Dan Poe", "Eva Fox"]})["cluster_id"]
    ['3', '2', '3']
    """
    return fit_table(frame, cluster, **options).model


def fit_table(frame: Any, cluster: str, **options: Unpack[Options]) -> Fitted:
    """Learn as `fit` does, and return what was found on the way too."""
    for name in sorted(options.keys() - Options.__annotations__.keys()):
        known = ", ".join(Options.__annotations__)
        raise TypeError(f"there is no option {name!r}; give some of {known}")
    table = as_table(frame)
    refuse_ours(table, cluster)
    schema = infer_schema(
        table,
        cluster=cluster,
        set_=options.get("set"),
        id_=options.get("id"),
        kinds=options.get("kinds"),
    )
    learner = _learner(options)
    row_ids(table, schema.id)
    groups = grouped(table, schema, labelled=True)
    _refuse_telling_nothing(groups, table, cluster)
    return _fitted(schema, groups, learner, options)


def _fitted(schema: Schema, groups: list[Group], learner: AutoLearner, options: Options) -> Fitted:
    sets, truths = [group.item_set for group in groups], _truths(groups)
    report("table", 0, 3, "choosing keys")
    blocking = learn_blocking(sets, truths, schema.columns)
    report("table", 1, 3, "comparing")
    # The same value in two sets names the same entity.
    names = [group.clusters for group in groups if group.clusters is not None]
    entities = as_entities(names, truths)
    features = RecordFeatures(schema.fields)
    compared = compared_as_new(features, sets, entities, [blocking.blocker(each) for each in sets])
    featurizer = features.learned(features.read(sets), np.concatenate(entities))
    report("table", 2, 3, "learning")
    with warnings.catch_warnings():
        # Many comparisons are of the same two values. What L-BFGS has not yet told apart of them
        # changes no score much, and what is reached is measured on held-out entities.
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(compared, truths, entities=names if len(groups) > 1 else None)
    chosen = learner.to_model()
    calibration = fit_calibration(
        [(each.scores, each.truth) for each in learner.held_out_], chosen.clusterer
    )
    learned: Any = chosen.similarity
    similarity = learned.with_featurizer(featurizer)
    model = Model(blocking.blocker, similarity, chosen.clusterer, calibration)
    report("table", 3, 3)
    facts = {
        **_learning_facts(groups, learner),
        "metric": options.get("metric", "b_cubed"),
        "seed": options.get("random_state", 0),
        "blocking": _blocking_facts(blocking, sum(map(_n_pairs, compared))),
    }
    return Fitted(TableModel(schema, model, facts, sampled(model, groups)), learner, blocking)


# Facts of a model: plain values. Equal fits have equal ones: no times, and no names of files.


def _learning_facts(groups: Sequence[Group], learner: AutoLearner) -> dict[str, Any]:
    """Say what was learned from, what was chosen, and what it reached on held-out entities."""
    choice = learner.choice_
    return {
        "rows": sum(len(group.rows) for group in groups),
        "clusters": sum(group.truth.n_clusters for group in groups if group.truth is not None),
        "sets": len(groups),
        "learner": choice.name + (" with context" if choice.context else ""),
        "held_out": _held_out_metrics(learner),
        "choice": _choice_facts(learner),
    }


def _blocking_facts(blocking: LearnedBlocking, n_pairs: int) -> dict[str, Any]:
    """Say which pairs are looked at."""
    return {
        "all_pairs": blocking.all_pairs,
        "pairs": n_pairs,
        "keys": [str(row.key) for row in blocking.table if row.chosen],
        "recall": blocking.recall.pairs,
        "held_out_recall": _or_none(blocking.held_out_recall.pairs),
    }


def _choice_facts(learner: AutoLearner) -> dict[str, Any]:
    """Return the table of what was compared, the row that was chosen, and why."""
    tried = [row for row in learner.table_ if row.clusterer is not None]
    return {
        "headings": list(HEADINGS),
        "rows": [list(row_cells(row)) for row in tried],
        "chosen": next(number for number, row in enumerate(tried) if row is learner.choice_),
        "reason": f"Chosen because {learner.reason_}.",
    }


def _held_out_metrics(learner: AutoLearner) -> dict[str, float]:
    """Return what the choice reached on held-out entities: means over item sets."""
    if not learner.held_out_:
        return {}
    clusterer = learner.to_model().clusterer
    predicted = [clusterer(each.scores) for each in learner.held_out_]
    truths = [each.truth for each in learner.held_out_]
    found: dict[str, float] = {}
    for name in ("pair_scores", "b_cubed"):
        scores = metrics.macro(getattr(metrics, name), truths, predicted)
        found |= {f"{name}.{part}": float(value) for part, value in scores._asdict().items()}
    return found | {
        "adjusted_rand_score": float(metrics.macro(metrics.adjusted_rand_score, truths, predicted))
    }


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _n_pairs(item_set: ItemSet) -> int:
    return int(item_set.items.features.shape[0])


def _learner(options: Options) -> AutoLearner:
    name, metric = options.get("learner", AUTO), options.get("metric", "b_cubed")
    if name not in SLUGS:
        raise InputError(f"the learner is {name!r}; give one of {', '.join(SLUGS)}")
    budget = options.get("budget")
    return AutoLearner(
        metric=as_metric(metric),
        budget=None if budget is None else as_positive("budget", budget),
        # Nothing with context, whose scores depend on all rows: each field has its part in the
        # score of two rows, which an explanation tells.
        candidates=SLUGS[name],
        n_jobs=as_whole("n_jobs", options.get("n_jobs", 1), 1),
        random_state=as_whole("random_state", options.get("random_state", 0)),
    )


def as_metric(name: Any) -> Any:
    """Take the name of a metric of two partitions."""
    known = {name: each for name, each in members(metrics).items() if hasattr(each, "from_table")}
    if name not in known:
        raise InputError(f"the metric is {name!r}; give one of {', '.join(known)}")
    return known[name]


def _truths(groups: Sequence[Group]) -> list[Partition]:
    return [group.truth for group in groups if group.truth is not None]


def _refuse_telling_nothing(groups: Sequence[Group], table: Table, cluster: str) -> None:
    """Refuse clusters that say nothing of what belongs together, or of what does not."""
    truths = _truths(groups)
    if all(truth.n_clusters == len(truth) for truth in truths):
        within = "" if len(groups) == 1 else " of one set"
        raise InputError(
            f"{table.name}: no two rows{within} have the same value of {cluster!r}, so that "
            "nothing says what belongs together; name another column by --cluster"
        )
    if all(truth.n_clusters == 1 for truth in truths):
        raise InputError(
            f"{table.name}: all rows have the same value of {cluster!r}, so that nothing says what "
            "does not belong together; add rows of other clusters, or name another column by "
            "--cluster"
        )
