"""Models of tables: they cluster the rows of new tables, and explain the result."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

import numpy as np

from coterie._core.arrays import Pairs
from coterie._core.files import FileName
from coterie._core.indices import as_links as canonical
from coterie._core.progress import report
from coterie._core.renaming import renamed_parameters
from coterie._core.texts import quote
from coterie.clusterers.constraints import refuse_contradictions
from coterie.exceptions import InputError
from coterie.model import Model
from coterie.tables import saving
from coterie.tables.clustering import ClusteredSet, Clustering, ClusterSummary
from coterie.tables.constraints import IdPairs, as_links
from coterie.tables.decisions import calibration_for, threshold_of
from coterie.tables.equal_rows import EqualRows
from coterie.tables.evaluating import Evaluation, evaluate_clustering
from coterie.tables.expecting import ExpectedQuality
from coterie.tables.explaining import Explanation, explain_pair
from coterie.tables.groups import Group, group_rows, row_ids, true_clusters
from coterie.tables.io.cells import id_text
from coterie.tables.io.frames import as_table, as_typed, renamed, with_columns
from coterie.tables.limits import AUTO, describe_size_limit, limit_model
from coterie.tables.links import RowConstraints
from coterie.tables.needs import refuse_clustering
from coterie.tables.predictions import refuse_predicted_clusters, renamed_inputs
from coterie.tables.sample import Sample
from coterie.tables.schema import Schema
from coterie.tables.table import Table

former_names = renamed_parameters(together="must_link", apart="cannot_link")


@dataclass(frozen=True, eq=False, repr=False)
class TableModel:
    """Cluster the rows of tables; `coterie.tables.fit` learns such a model.

    Parameters
    ----------
    schema
        The roles and kinds of the columns.
    model
        The model that clusters item sets of records.
    facts
        The learner, its training table and its metrics on held-out entities, as plain values.
    sample
        Some rows, by default made-up ones, and what the model predicts for them. It predicts them
        again whenever it is loaded, to make sure that the result is as it was when it was saved.
    """

    schema: Schema
    model: Model
    facts: dict[str, Any]
    sample: Sample

    @former_names
    def predict(
        self,
        frame: Any,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
        keep: bool = False,
    ) -> Any:
        """Cluster the rows of a table, and return the table with four more columns.

        `cluster_id` is the id of one row of the cluster, the same whatever the order of the rows.
        `confidence` is the probability that all rows of the cluster belong together; for a single
        row, it is the probability that no other row belongs to it. `linked_to` is the
        id of the row of the same cluster to which the row is linked most strongly. `reason` says in
        words why these two rows are linked, or why a single row was linked to none.

        `cluster(frame).expected` tells how right the clusters of the table are on the whole.
        Columns of an earlier prediction are replaced. If the model learned from a column that is
        called cluster_id, that column of the table is kept as cluster_id_input.

        Parameters
        ----------
        frame
            A table as for `fit`; the result is of the same type. Also what `read_typed` returns.
        id
            The column that holds the ids of rows. By default, that of the training table if this
            table has it; otherwise the row numbers, counting from 1, are the ids.
        must_link, cannot_link
            Pairs of ids of rows that must be in the same cluster, or must not be; or a `PairFile`.
        keep
            Whether to keep columns of an earlier prediction, renamed to cluster_id_input,
            confidence_input and so on.
        """
        return self.predicted(
            frame, id=id, must_link=must_link, cannot_link=cannot_link, keep=keep
        ).frame

    def predicted(self, frame: Any, *, keep: bool = False, **options: Any) -> "Predicted":
        """Cluster the rows of a table as `predict` does, and return the clustering as well."""
        typed = as_typed(frame)
        names = renamed_inputs(typed.table, self.schema.cluster, keep=keep)
        clustering = self.cluster(typed.table, **options)
        columns = with_columns(renamed(typed.frame, names), clustering.columns())
        return Predicted(columns, clustering)

    @former_names
    def cluster(
        self,
        frame: Any,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
    ) -> Clustering:
        """Cluster the rows of a table, and return the clusters with the scores behind them.

        Parameters
        ----------
        frame, id, must_link, cannot_link
            As for `predict`.
        """
        table = as_table(frame)
        schema = self.schema_of(table, id)
        ids = row_ids(table, schema.id)
        must = _row_pairs(must_link, ids)
        cannot = _row_pairs(cannot_link, ids, are_apart=True)
        groups = group_rows(table, schema, labelled=False)
        refuse_contradictions(must, cannot, len(ids), lambda row: quote(ids[row]))
        _refuse_across_sets(must, groups, ids)
        sets = []
        for count, group in enumerate(groups, 1):
            constraints = RowConstraints(
                _within_group(must, group, len(table)), _within_group(cannot, group, len(table))
            )
            sets.append(self._cluster_group(group, constraints))
            report("cluster", count, len(groups))
        recall = self.facts.get("blocking", {}).get("held_out_recall")
        return Clustering(ids, sets, self.schema.fields, 1.0 if recall is None else recall)

    def expected_quality(self, frame: Any, **options: Any) -> ExpectedQuality | None:
        """Cluster the rows of a table, and return how right the clusters are expected to be.

        The result holds the expected precision and recall of pairs of rows in this table, each with
        an interval that should hold the true value in 90% of cases. It is None for models of
        Coterie 0.2 and before, and where no entities were held out.

        Parameters
        ----------
        frame
            As for `predict`.
        options
            `id`, `must_link` and `cannot_link`, as for `predict`.
        """
        return self.cluster(frame, **options).expected

    @former_names
    def clusters(
        self,
        frame: Any,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
    ) -> list[ClusterSummary]:
        """Cluster the rows of a table, and list the clusters of two or more rows.

        The most doubtful clusters come first: those with the weakest link. The result can be made a
        data frame, for example by `pandas.DataFrame(model.clusters(table))`.

        Parameters
        ----------
        frame, id, must_link, cannot_link
            As for `predict`.
        """
        clustering = self.cluster(frame, id=id, must_link=must_link, cannot_link=cannot_link)
        return clustering.summaries()

    @former_names
    def evaluate(
        self,
        frame: Any,
        cluster: str | None = None,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
    ) -> Evaluation:
        """Cluster the rows of a table whose true clusters are known, and measure the result.

        Parameters
        ----------
        frame, id, must_link, cannot_link
            As for `predict`.
        cluster
            The column that holds the true clusters. By default, that of the training table.
        """
        table = as_table(frame)
        schema = replace(self.schema, cluster=cluster or self.schema.cluster)
        refuse_predicted_clusters(table, schema.cluster)
        truth = true_clusters(table, schema)
        is_default = schema.cluster == self.schema.cluster
        unlabelled = table if is_default else table.without([str(cluster)])
        clustering = self.cluster(unlabelled, id=id, must_link=must_link, cannot_link=cannot_link)
        return evaluate_clustering(clustering, truth)

    @former_names
    def explain(
        self,
        frame: Any,
        first: Any,
        second: Any,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
    ) -> Explanation:
        """Explain why two rows are in one cluster, or in different ones.

        Parameters
        ----------
        frame, id, must_link, cannot_link
            As for `predict`.
        first, second
            The ids of the two rows.
        """
        clustering = self.cluster(frame, id=id, must_link=must_link, cannot_link=cannot_link)
        ids = id_text(first, "first"), id_text(second, "second")
        return explain_pair(self.model, clustering, *ids)

    @former_names
    def report(
        self,
        frame: Any,
        cluster: str | None = None,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
    ) -> str:
        """Cluster the rows of a table, and return a page of HTML about the result.

        It shows the quality, if the true clusters are known, the sizes of the clusters, how much
        each column counts, and the most doubtful clusters. The page loads nothing from elsewhere.

        Parameters
        ----------
        frame, id, must_link, cannot_link
            As for `predict`.
        cluster
            The column that holds the true clusters. By default, that of the training table if this
            table has it; without one, quality is not measured.
        """
        from coterie.report import page, report_of  # noqa: PLC0415 - reports know tables

        return page(
            report_of(
                self, frame, cluster=cluster, id=id, must_link=must_link, cannot_link=cannot_link
            )
        )

    def with_limits(self, *, max_block: int | None = None, max_size: int | str = AUTO) -> Self:
        """Return the model with other limits.

        Parameters
        ----------
        max_block
            The largest number of rows that share a blocking key and are all compared with each
            other. Of more rows, each is compared with only a few. None means the number that was
            chosen when the model was learned.
        max_size
            The largest number of different rows in a cluster, or "none" for clusters of any size.
            By default, the limit that was learned: if the true clusters of the training table were
            small, larger ones need higher scores.
        """
        return replace(self, model=limit_model(self.model, max_block, max_size))

    @property
    def size_limit(self) -> str | None:
        """A sentence about the limit on the sizes of clusters; None if there is no limit."""
        return describe_size_limit(self.model)

    def schema_of(self, table: Table, id_: str | None) -> Schema:
        """Return the schema for a table, whose ids may be in another column or missing."""
        default = self.schema.id if self.schema.id in table.names else None
        return replace(self.schema, id=default if id_ is None else id_)

    def save(self, path: FileName) -> None:
        """Write the model to one file, which `load` reads; a file of that name is replaced."""
        saving.save(path, self)

    @classmethod
    def load(cls, path: FileName) -> Self:
        """Read a model for tables from a file, which may come from anybody.

        It holds no code, and no part that makes loading it slow. But a file that somebody made on
        purpose can predict wrongly.
        """
        return saving.load(path, cls)

    def __repr__(self) -> str:
        kinds = [f"{name}: {kind}" for name, kind in self.schema.kinds.items()]
        more = [f"and {len(kinds) - MOST_COLUMNS} more"] * (len(kinds) > MOST_COLUMNS)
        return f"TableModel({', '.join(kinds[:MOST_COLUMNS] + more)})"

    def _cluster_group(self, group: Group, constraints: RowConstraints) -> ClusteredSet:
        equal_rows = EqualRows.of(group.item_set, constraints, self.model.similarity)
        must_link, cannot_link = (equal_rows.items_of(pairs) for pairs in constraints)
        items = equal_rows.items(group.item_set)
        refuse_clustering(items)
        scored = self.model.score_candidates(items)
        calibration = calibration_for(self.model.calibration, len(items), scored.candidates)
        threshold = threshold_of(calibration)
        item_scores, partition = self.model.decide_scored(scored, must_link, cannot_link, threshold)
        equal_rows = replace(equal_rows, twin_scores=equal_rows.twin_scores - threshold)
        scores = equal_rows.row_scores(item_scores)
        confidences = calibration.confidences(scores, equal_rows.rows_together(partition))
        return ClusteredSet(
            group, equal_rows, item_scores, scores, confidences, constraints, calibration
        )


class Predicted(NamedTuple):
    """A table with the columns that a prediction adds, and the clustering that they describe."""

    frame: Any
    clustering: Clustering

    def __repr__(self) -> str:
        return f"Predicted({self.clustering!r})"


MOST_COLUMNS = 12
"""Number of columns that the short description of a model names."""


def _row_pairs(pairs: IdPairs, ids: Sequence[str], *, are_apart: bool = False) -> Pairs:
    """Return pairs of ids as pairs of row indices."""
    links = as_links(pairs, ids, are_apart=are_apart)
    return np.array(links, dtype=np.intp).reshape(-1, 2)


def _refuse_across_sets(must_link: Pairs, groups: Sequence[Group], ids: Sequence[str]) -> None:
    """Refuse must-link pairs of rows that are in different sets."""
    if not len(must_link):
        return
    names = {row: group.name for group in groups for row in group.rows.tolist()}
    for first, second in must_link.tolist():
        if names[first] != names[second]:
            raise InputError(
                f"{quote(ids[first])} and {quote(ids[second])} are a must-link pair, but are in "
                f"different sets, {quote(names[first])} and {quote(names[second])}, and each set "
                "is clustered separately; drop the pair, or put both rows into the same set"
            )


def _within_group(pairs: Pairs, group: Group, n_rows: int) -> Pairs:
    """Return the pairs whose rows are both in a group, as indices of its items."""
    items = np.full(n_rows, -1, dtype=np.intp)
    items[group.rows] = np.arange(len(group.rows))
    ends = items[pairs]
    return canonical(ends[(ends >= 0).all(axis=1)], len(group.rows))


load = TableModel.load
