"""Models of tables: they cluster the rows of new tables, and explain the result."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from coterie._core.files import FileName
from coterie._core.progress import report
from coterie._core.renaming import renamed_parameters
from coterie._core.texts import quote
from coterie.clusterers.constraints import refuse_contradictions
from coterie.model import Model
from coterie.tables import saving
from coterie.tables.clustering import ClusteredSet, Clustering, ClusterSummary
from coterie.tables.comparing import ComparedRows
from coterie.tables.constraints import IdPairs
from coterie.tables.decisions import calibration_for, threshold_of
from coterie.tables.evaluating import Evaluation, evaluate_clustering
from coterie.tables.expecting import ExpectedQuality
from coterie.tables.explaining import Explanation, explain_pair
from coterie.tables.groups import (
    Group,
    group_rows,
    no_rows,
    refuse_several_sets,
    row_ids,
    true_clusters,
)
from coterie.tables.io.cells import id_text
from coterie.tables.io.frames import as_table, as_typed, renamed, with_columns
from coterie.tables.limits import AUTO, describe_size_limit, limit_model
from coterie.tables.links import RowConstraints
from coterie.tables.predictions import refuse_predicted_clusters, renamed_inputs
from coterie.tables.row_pairs import refuse_across_sets, row_pairs, within_group
from coterie.tables.sample import Sample
from coterie.tables.schema import Schema
from coterie.tables.statistics import TableStatistics
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
        statistics: TableStatistics | None = None,
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
        statistics
            What `statistics` returned for a table of which this one may be a part. By default, the
            statistics of this table.
        keep
            Whether to keep columns of an earlier prediction, renamed to cluster_id_input,
            confidence_input and so on.
        """
        return self.predict_clustering(
            frame,
            id=id,
            must_link=must_link,
            cannot_link=cannot_link,
            statistics=statistics,
            keep=keep,
        )[0]

    def predict_clustering(
        self, frame: Any, *, keep: bool = False, **options: Any
    ) -> tuple[Any, Clustering]:
        """Return what `predict` returns, and the clusters with the scores behind them.

        Parameters
        ----------
        frame, keep, **options
            As for `predict`.
        """
        typed = as_typed(frame)
        names = renamed_inputs(typed.table, self.schema.cluster, keep=keep)
        clustering = self.cluster(typed.table, **options)
        return with_columns(renamed(typed.frame, names), clustering.columns()), clustering

    @former_names
    def cluster(
        self,
        frame: Any,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
        statistics: TableStatistics | None = None,
    ) -> Clustering:
        """Cluster the rows of a table, and return the clusters with the scores behind them.

        Parameters
        ----------
        frame, id, must_link, cannot_link, statistics
            As for `predict`.
        """
        table = as_table(frame)
        schema = self.schema_of(table, id)
        ids = row_ids(table, schema.id)
        must = row_pairs(must_link, ids)
        cannot = row_pairs(cannot_link, ids, are_apart=True)
        groups = group_rows(table, schema, labelled=False)
        if statistics is not None:
            refuse_several_sets(table, schema)
        refuse_contradictions(must, cannot, len(ids), lambda row: quote(ids[row]))
        refuse_across_sets(must, groups, ids)
        sets = []
        for count, group in enumerate(groups, 1):
            constraints = RowConstraints(
                within_group(must, group, len(table)), within_group(cannot, group, len(table))
            )
            sets.append(self._cluster_group(group, constraints, statistics))
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

    def statistics(self, frame: Any) -> TableStatistics:
        """Count the rows, tokens and candidate pairs of a table, without clustering it.

        A part of the table that is clustered by these statistics has the scores that it has in the
        table. `predict` computes the statistics by itself.

        Parameters
        ----------
        frame
            As for `predict`, but with one set of rows only.
        """
        table = as_table(frame)
        schema = replace(self.schema, id=None)
        refuse_several_sets(table, schema)
        (group,) = group_rows(table, schema, labelled=False) or [no_rows(schema)]
        no_pairs = np.empty((0, 2), dtype=np.intp)
        return self._compare(group, RowConstraints(no_pairs, no_pairs)).statistics

    @former_names
    def clusters(
        self,
        frame: Any,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
        statistics: TableStatistics | None = None,
    ) -> list[ClusterSummary]:
        """Cluster the rows of a table, and list the clusters of two or more rows.

        The most doubtful clusters come first: those with the weakest link. The result can be made a
        data frame, for example by `pandas.DataFrame(model.clusters(table))`.

        Parameters
        ----------
        frame, id, must_link, cannot_link, statistics
            As for `predict`.
        """
        clustering = self.cluster(
            frame, id=id, must_link=must_link, cannot_link=cannot_link, statistics=statistics
        )
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
        statistics: TableStatistics | None = None,
    ) -> Evaluation:
        """Cluster the rows of a table whose true clusters are known, and measure the result.

        Parameters
        ----------
        frame, id, must_link, cannot_link, statistics
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
        clustering = self.cluster(
            unlabelled, id=id, must_link=must_link, cannot_link=cannot_link, statistics=statistics
        )
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
        statistics: TableStatistics | None = None,
    ) -> Explanation:
        """Explain why two rows are in one cluster, or in different ones.

        Parameters
        ----------
        frame, id, must_link, cannot_link, statistics
            As for `predict`.
        first, second
            The ids of the two rows.
        """
        clustering = self.cluster(
            frame, id=id, must_link=must_link, cannot_link=cannot_link, statistics=statistics
        )
        ids = id_text(first, "first"), id_text(second, "second")
        return explain_pair(clustering, *ids)

    @former_names
    def report(
        self,
        frame: Any,
        cluster: str | None = None,
        *,
        id: str | None = None,  # noqa: A002
        must_link: IdPairs = (),
        cannot_link: IdPairs = (),
        statistics: TableStatistics | None = None,
    ) -> str:
        """Cluster the rows of a table, and return a page of HTML about the result.

        It shows the quality, if the true clusters are known, the sizes of the clusters, how much
        each column counts, and the most doubtful clusters. The page loads nothing from elsewhere.

        Parameters
        ----------
        frame, id, must_link, cannot_link, statistics
            As for `predict`.
        cluster
            The column that holds the true clusters. By default, that of the training table if this
            table has it; without one, quality is not measured.
        """
        from coterie.report import page, report_of  # noqa: PLC0415 - reports know tables

        options: Any = {"must_link": must_link, "cannot_link": cannot_link}
        return page(
            report_of(self, frame, cluster=cluster, id=id, statistics=statistics, **options)
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

    def _compare(
        self,
        group: Group,
        constraints: RowConstraints,
        statistics: TableStatistics | None = None,
    ) -> ComparedRows:
        kinds = {column: self.schema.kinds[column] for column in self.schema.columns}
        return ComparedRows.of(self.model, kinds, group.item_set, constraints, statistics)

    def _cluster_group(
        self, group: Group, constraints: RowConstraints, statistics: TableStatistics | None
    ) -> ClusteredSet:
        compared = self._compare(group, constraints, statistics)
        equal_rows = compared.equal_rows
        must_link, cannot_link = (equal_rows.items_of(pairs) for pairs in constraints)
        calibration = calibration_for(self.model.calibration, compared.statistics)
        threshold = threshold_of(calibration)
        item_scores, partition = self.model.decide_among(
            compared.candidates, must_link, cannot_link, threshold
        )
        equal_rows = replace(equal_rows, twin_scores=equal_rows.twin_scores - threshold)
        scores = equal_rows.row_scores(item_scores)
        confidences = calibration.confidences(scores, equal_rows.rows_together(partition))
        return ClusteredSet(
            group,
            equal_rows,
            item_scores,
            scores,
            confidences,
            constraints,
            replace(compared.model, calibration=calibration),
            compared.statistics,
        )


MOST_COLUMNS = 12
"""Number of columns that the short description of a model names."""


load = TableModel.load
