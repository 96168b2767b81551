"""Learning from a table in which a column says which rows belong together."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import cpu_count

from coterie import metrics
from coterie._core.arguments import as_positive, as_whole
from coterie._core.lazy import members
from coterie._core.progress import report
from coterie.blocking import LearnedBlocking, learn_blocking
from coterie.blocking.all_pairs import ALL_UP_TO
from coterie.blocking.recall import recall_of
from coterie.exceptions import InputError
from coterie.features.records import RecordFeatures
from coterie.learners.auto.candidates import SizeLimit
from coterie.learners.auto.choice import ChosenLearner
from coterie.learners.auto.entities import as_entities
from coterie.learners.auto.families import AUTO, SLUGS
from coterie.learners.auto.text import HEADINGS, row_cells
from coterie.learners.calibration.sized import fit_sized_calibration
from coterie.learners.sampled.efforts import EFFORTS, NORMAL
from coterie.learners.sampled.settings import LearningSettings
from coterie.model import Model
from coterie.pairs import count_pairs
from coterie.partition import Partition
from coterie.tables.divided import divided_clusters
from coterie.tables.equal_rows import are_first
from coterie.tables.evaluating import why_unmeasured
from coterie.tables.facts import checked_facts
from coterie.tables.fingerprint import fingerprint
from coterie.tables.groups import Group, group_rows, refuse_uninformative, row_ids
from coterie.tables.io.frames import as_table
from coterie.tables.leaks.finding import find_leaks, warn_of
from coterie.tables.learning import LabelledPairs, learn
from coterie.tables.limits import AUTO as AUTO_SIZE
from coterie.tables.limits import NO_LIMIT, as_max_size
from coterie.tables.model import TableModel
from coterie.tables.needs import refuse_learning
from coterie.tables.predictions import refuse_unlearnable
from coterie.tables.sample import MADE_UP, ROWS, SAMPLES, make_sample
from coterie.tables.schema import Schema, infer_schema
from coterie.tables.settings import METRIC, MIN_ENTITIES

MIN_PAIRS = 2
"""The number of held-out true pairs below which metrics of pairs are unknown."""


class Fitted(NamedTuple):
    """A model for tables, with the choice of the learner and the blocking keys."""

    model: TableModel
    choice: ChosenLearner
    blocking: LearnedBlocking

    def __repr__(self) -> str:
        return f"Fitted({self.model!r})"


def fit(  # noqa: PLR0913 - tables have many settings, all but two by keyword
    frame: Any,
    cluster: str,
    *,
    set: str | None = None,  # noqa: A002
    id: str | None = None,  # noqa: A002
    kinds: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
    effort: str = NORMAL,
    learner: str = AUTO,
    metric: str = METRIC,
    budget: float | None = None,
    max_size: int | str = AUTO_SIZE,
    min_entities: int = MIN_ENTITIES,
    sample: str = MADE_UP,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> TableModel:
    """Learn from a table which rows of other tables belong together.

    Parameters
    ----------
    frame
        A data frame of pandas, polars or pyarrow, a mapping of column names to columns, or a list
        of dicts. All cells are compared as text.
    cluster
        The column that holds the true cluster of each row: rows with the same value belong
        together.
    set
        The column that divides the table into sets; only rows of one set are compared with each
        other. The same cluster name in two sets means the same entity. None if all rows are one
        set.
    id
        The column that holds the ids of rows. By default a column called id, if there is one.
    kinds
        The kinds of some columns, for example {"zip": "code"}; all others are inferred. The kinds
        are category, code, date, name, number, short, text, tokens and ignored.
    ignore
        Columns that are not compared, whatever their kind; new tables need not have them. A
        `LeakWarning` names columns that may give the true clusters away.
    effort
        How much work to put into learning. "quick" learns logistic regression and small boosted
        trees from at most 15,000 pairs. "normal" adds spanning forests, larger trees and more
        pairs, at most 120,000. "thorough" learns from all candidate pairs by all learners; it takes
        ten times as long or more, and is seldom much better.
    learner
        "auto" to try several learners and choose the best on held-out entities, or one of
        "logistic", "forest", "left-linking", "boosted" and "structured".
    metric
        The metric by which the choice is made: the name of a function of `coterie.metrics`, for
        example "pair_scores" for the F1 of pairs.
    budget
        Seconds after which no further learner is tried; None for no limit.
    max_size
        The largest number of different rows in a cluster, or "none" for clusters of any size. By
        default, larger clusters than those of the table are made only where scores are high, if the
        clusters of the table are all small.
    min_entities
        A value or a word of a column is stored only if at least this many entities share it. The
        model stores its hash, which others can find by trying values, to weigh it by its rarity.
    sample
        The rows that the model holds, which are grouped again whenever it is loaded, to make sure
        that the result is the same: "made-up" for rows that are made up from the kinds of the
        columns, or "rows" for up to 12 rows of the table.
    n_jobs
        Number of threads or, to learn from all pairs, of processes; None means one per processor.
        The result does not depend on it.
    random_state
        Seed of all random choices.

    Examples
    --------
    >>> from coterie.tables import fit
    >>> names = ["Ann Lee", "Anne Lee", "Bob Ray", "Rob Ray", "Cy Orr", "Cy Orr Jr", "Di Poe"]
    >>> model = fit({"name": names, "who": [1, 1, 2, 2, 3, 3, 4]}, cluster="who")
    >>> model.predict({"name": ["Eve Fox", "Dan Poe", "Eva Fox"]})["cluster_id"]
    ['3', '2', '3']
    """
    return fit_table(
        frame,
        cluster,
        set=set,
        id=id,
        kinds=kinds,
        ignore=ignore,
        effort=effort,
        learner=learner,
        metric=metric,
        budget=budget,
        max_size=max_size,
        min_entities=min_entities,
        sample=sample,
        n_jobs=n_jobs,
        random_state=random_state,
    ).model


def fit_table(  # noqa: PLR0913 - those of `fit`
    frame: Any,
    cluster: str,
    *,
    set: str | None = None,  # noqa: A002
    id: str | None = None,  # noqa: A002
    kinds: Mapping[str, str] | None = None,
    ignore: Collection[str] = (),
    effort: str = NORMAL,
    learner: str = AUTO,
    metric: str = METRIC,
    budget: float | None = None,
    max_size: int | str = AUTO_SIZE,
    min_entities: int = MIN_ENTITIES,
    sample: str = MADE_UP,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Fitted:
    """Learn as `fit` does, and return the chosen learner and blocking keys beside the model."""
    table = as_table(frame)
    refuse_unlearnable(table, cluster)
    schema = infer_schema(table, cluster=cluster, set=set, id=id, kinds=kinds, ignore=ignore)
    if learner not in SLUGS:
        raise InputError(f"`learner=` is {learner!r}; use one of {', '.join(SLUGS)}")
    if effort not in EFFORTS:
        raise InputError(f"`effort=` is {effort!r}; use one of {', '.join(EFFORTS)}")
    if sample not in SAMPLES:
        raise InputError(f"`sample=` is {sample!r}; use one of {', '.join(SAMPLES)}")
    n_entities = as_whole("`min_entities=`", min_entities, 1)
    row_ids(table, schema.id)
    groups = group_rows(table, schema, labelled=True)
    refuse_uninformative(groups, table, cluster)
    leaks = find_leaks(table, cluster, schema.columns, schema.id)
    warn_of(leaks)
    features = RecordFeatures(schema.fields, min_entities=n_entities)
    settings = {
        "metric": metric,
        "effort": effort,
        "seed": random_state,
        "min_entities": n_entities,
        "sample": sample,
        "fingerprint": fingerprint(table, schema),
        "leaks": [{"column": leak.column, "reason": leak.reason} for leak in leaks],
    }
    how = LearningSettings(
        effort,
        as_metric(metric),
        size_limit(groups, max_size),
        cpu_count() if n_jobs is None else as_whole("`n_jobs=`", n_jobs, 1),
        as_whole("`random_state=`", random_state),
        None if budget is None else as_positive("`budget=`", budget),
    )
    return _fit_groups(schema, groups, features, learner, how, settings)


def _fit_groups(
    schema: Schema,
    groups: list[Group],
    features: RecordFeatures,
    learner: str,
    how: LearningSettings,
    settings: Mapping[str, Any],
) -> Fitted:
    refuse_learning([group.item_set for group in groups], _least_pairs(groups), len(features.names))
    report("step", 0, 2, "choosing blocking keys")
    labelled = _labelled_pairs(groups, schema)
    counts = map(count_pairs, map(len, labelled.sets), labelled.pairs)
    n_pairs = sum(counts)
    refuse_learning(labelled.sets, n_pairs, len(features.names))
    report("step", 1, 2, "learning")
    choice = learn(labelled, features, learner, how)
    featurizer = features.learned(features.read(labelled.sets), np.concatenate(labelled.entities))
    scored = [(held_out.scores, held_out.truth) for held_out in choice.held_out]
    distinct = [are_first(labelled.sets[held_out.set_index]) for held_out in choice.held_out]
    calibration = fit_sized_calibration(scored, choice.clusterer, distinct)
    learned: Any = choice.similarity
    blocker = labelled.blocking.blocker
    model = Model(blocker, learned.with_featurizer(featurizer), choice.clusterer, calibration)
    report("step", 2, 2)
    facts = {
        **_learning_facts(groups, choice),
        **settings,
        "blocking": _blocking_facts(labelled, n_pairs, choice),
    }
    kinds = {column: schema.kinds[column] for column in schema.columns}
    sample = make_sample(model, kinds, groups if settings["sample"] == ROWS else ())
    table_model = TableModel(schema, model, checked_facts(facts), sample)
    return Fitted(table_model, choice, labelled.blocking)


def _labelled_pairs(groups: Sequence[Group], schema: Schema) -> LabelledPairs:
    """Choose blocking keys, and return the candidate pairs that they find."""
    sets, truths = [group.item_set for group in groups], _truths(groups)
    blocking = learn_blocking(sets, truths, schema.columns)
    # The same cluster name in two sets means the same entity.
    names = [group.clusters for group in groups if group.clusters is not None]
    pairs = [blocking.blocker(item_set) for item_set in sets]
    return LabelledPairs(sets, truths, as_entities(names, truths), names, pairs, blocking)


def _least_pairs(groups: Sequence[Group]) -> int:
    """Return the number of pairs of the sets of which all pairs are compared."""
    counts = (count_pairs(len(group.item_set)) for group in groups)
    return sum(count for count in counts if count <= ALL_UP_TO)


# Facts of a model hold no times and no file names, so that equal fits have equal facts.


def _learning_facts(groups: Sequence[Group], choice: ChosenLearner) -> dict[str, Any]:
    """Return the sizes of the training table, the choice, and its metrics."""
    divided = divided_clusters(group.clusters or () for group in groups)
    return {
        "rows": sum(len(group.rows) for group in groups),
        "clusters": sum(group.truth.n_clusters for group in groups if group.truth is not None),
        "sets": len(groups),
        "divided_clusters": divided.n_clusters,
        "pairs_across_sets": divided.share,
        "learner": choice.name,
        "held_out": _held_out_metrics(choice),
        "choice": _choice_facts(choice),
    }


def _blocking_facts(labelled: LabelledPairs, n_pairs: int, choice: ChosenLearner) -> dict[str, Any]:
    """Return how candidate pairs are found.

    The recall of the keys counts all pairs of the table, also of blocks that are too large. The
    recall of keys that were chosen with the other half of the entities is left out, as are all
    metrics on held-out entities, if there are too few entities.
    """
    blocking = labelled.blocking
    held_out_recall = blocking.held_out_recall.pairs if choice.held_out else math.nan
    keys: Any = blocking.blocker.otherwise
    recall = recall_of(keys, labelled.sets, labelled.truths)
    return {
        "all_pairs": blocking.all_pairs,
        "pairs": n_pairs,
        "keys": [str(row.key) for row in blocking.table if row.chosen],
        "recall": recall.pairs,
        "connected": recall.connected,
        "held_out_recall": _or_none(held_out_recall),
    }


def _choice_facts(choice: ChosenLearner) -> dict[str, Any]:
    """Return the table of learners that were compared, the chosen row, and the reason."""
    compared = [row for row in choice.table if row.clusterer is not None]
    return {
        "headings": list(HEADINGS),
        "rows": [list(row_cells(row)) for row in compared],
        "chosen": next(index for index, row in enumerate(compared) if row is choice.chosen),
        "reason": f"Chosen because {choice.reason}.",
    }


def _held_out_metrics(choice: ChosenLearner) -> dict[str, float]:
    """Return the metrics of the choice on held-out entities: means over item sets.

    A metric is NaN if the held-out rows cannot show it.
    """
    if not choice.held_out:
        return {}
    compared = [(held_out.truth, choice.clusterer(held_out.scores)) for held_out in choice.held_out]
    values: dict[str, float] = {}
    for name in ("pair_scores", "b_cubed"):
        scores = [getattr(metrics, name)(*partitions)._asdict() for partitions in compared]
        for part in scores[0]:
            path = f"{name}.{part}"
            values[path] = _mean_measured(path, compared, [score[part] for score in scores])
    name = "adjusted_rand_score"
    rand = [metrics.adjusted_rand_score(*partitions) for partitions in compared]
    return values | {name: _mean_measured(name, compared, rand)}


def _mean_measured(
    name: str, compared: Sequence[tuple[Partition, Partition]], values: Sequence[float]
) -> float:
    """Return the mean of a metric over the item sets that can show it; NaN if none can.

    A single true pair says nothing about a metric of pairs: it is 0 or 1.
    """
    n_pairs = sum(int(np.sum(truth.sizes * (truth.sizes - 1) // 2)) for truth, _ in compared)
    if not name.startswith("b_cubed") and n_pairs < MIN_PAIRS:
        return math.nan
    measured = [
        value
        for partitions, value in zip(compared, values, strict=True)
        if not why_unmeasured(name, *partitions)
    ]
    return float(np.mean(measured)) if measured else math.nan


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def as_metric(name: Any) -> Any:
    """Return the metric of two partitions that has a name."""
    functions = {
        name: function
        for name, function in members(metrics).items()
        if hasattr(function, "from_table")
    }
    if name not in functions:
        raise InputError(f"`metric=` is {name!r}; use one of {', '.join(functions)}")
    return functions[name]


def size_limit(groups: Sequence[Group], max_size: int | str) -> SizeLimit | None:
    """Return the limit on the sizes of clusters that was requested, or that true clusters show."""
    chosen = as_max_size(max_size)
    if isinstance(chosen, int):
        return SizeLimit(chosen)
    return None if chosen == NO_LIMIT else SizeLimit.of([_different_rows(g) for g in groups])


def _different_rows(group: Group) -> Partition:
    """Return the true clusters of the rows of a group without copies of a row in its cluster."""
    assert group.clusters is not None  # noqa: S101
    items = group.item_set.items
    rows = set(zip(group.clusters, *(items[name] for name in items), strict=True))
    return Partition([clusters for clusters, *_ in rows])


def _truths(groups: Sequence[Group]) -> list[Partition]:
    return [group.truth for group in groups if group.truth is not None]
