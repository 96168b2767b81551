"""A model of tables: what clusters the rows of new tables, and explains it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from coterie._core.arrays import Pairs
from coterie._core.files import FileName
from coterie._core.indices import as_links as canonical
from coterie._core.progress import report
from coterie._core.texts import quote
from coterie.calibrations import ClusterCalibration
from coterie.clusterers.constraints import (
    partition_under_checked_constraints,
    refuse_contradictions,
)
from coterie.exceptions import InputError
from coterie.model import Model
from coterie.tables import saving
from coterie.tables.clustering import Clustering, Found
from coterie.tables.constraints import IdPairs, as_links
from coterie.tables.evaluating import Evaluation, evaluated
from coterie.tables.explaining import Explanation, explained
from coterie.tables.groups import Group, given_clusters, grouped, row_ids
from coterie.tables.io.cells import as_text
from coterie.tables.io.frames import as_table, as_typed, column_names, renamed, with_columns
from coterie.tables.links import Told
from coterie.tables.sample import Sample
from coterie.tables.schema import INPUT, OURS, Schema, refuse_ours, refuse_predicted
from coterie.tables.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class TableModel:
    """Cluster the rows of tables.

    Parameters
    ----------
    schema
        What the columns are.
    model
        What partitions item sets of records.
    facts
        What it was learned from, how, and what it reached on held-out entities: plain values.
    sample
        Some rows and what is predicted of them, to see that a file predicts as it did.
    """

    schema: Schema
    model: Model
    facts: dict[str, Any]
    sample: Sample

    def predict(
        self,
        frame: Any,
        *,
        id: str | None = None,  # noqa: A002
        together: IdPairs = (),
        apart: IdPairs = (),
    ) -> Any:
        """Cluster the rows of a table, and return it with four columns more.

        `cluster_id` is the id of the first row of the cluster, `confidence` how sure the cluster
        is, `linked_to` the id of the row of the cluster that it is linked to most strongly, and
        `reason` what speaks for that link, in words. A column of given clusters that is called
        cluster_id is renamed cluster_id_input.

        Parameters
        ----------
        frame
            As of `fit`, and the result is of the same kind; or what `read_typed` returns.
        id
            The column that names rows; None takes that of the model, if it is there.
        together, apart
            Pairs of ids of rows that must be in one cluster, or must not; or a `PairFile`.
        """
        typed = as_typed(frame)
        refuse_ours(typed.table, self.schema.cluster)
        clustering = self.cluster(typed.table, id=id, together=together, apart=apart)
        return with_columns(self._without_clash(typed.frame), clustering.columns())

    def cluster(
        self,
        frame: Any,
        *,
        id: str | None = None,  # noqa: A002
        together: IdPairs = (),
        apart: IdPairs = (),
    ) -> Clustering:
        """Cluster the rows of a table, and return what is known of the clusters."""
        table = as_table(frame)
        schema = self.schema_of(table, id)
        ids = row_ids(table, schema.id)
        links = as_links(together, ids), as_links(apart, ids)
        groups = grouped(table, schema, labelled=False)
        held, parted = (np.array(pairs, dtype=np.intp).reshape(-1, 2) for pairs in links)
        refuse_contradictions(held, parted, len(ids), lambda row: quote(ids[row]))
        _refuse_across(links[0], groups, ids)
        found = []
        for number, group in enumerate(groups):
            told = Told(*(_within(each, group, len(table)) for each in links))
            found.append(self._found(group, told))
            report("cluster", number + 1, len(groups))
        return Clustering(ids, found, self.schema.fields)

    def evaluate(
        self,
        frame: Any,
        cluster: str | None = None,
        *,
        id: str | None = None,  # noqa: A002
        together: IdPairs = (),
        apart: IdPairs = (),
    ) -> Evaluation:
        """Cluster the rows of a table that says which belong together, and compare."""
        table = as_table(frame)
        schema = replace(self.schema, cluster=cluster or self.schema.cluster)
        refuse_predicted(table, schema.cluster)
        clusters = given_clusters(table, schema)
        is_own = schema.cluster == self.schema.cluster
        own = table if is_own else table.without([str(cluster)])
        return evaluated(self.cluster(own, id=id, together=together, apart=apart), clusters)

    def explain(
        self,
        frame: Any,
        first: Any,
        second: Any,
        *,
        id: str | None = None,  # noqa: A002
        together: IdPairs = (),
        apart: IdPairs = (),
    ) -> Explanation:
        """Say why two rows, by their ids, are in one cluster or are not."""
        clustering = self.cluster(frame, id=id, together=together, apart=apart)
        return explained(self.model, clustering, as_text(first), as_text(second))

    def schema_of(self, table: Table, id_: str | None) -> Schema:
        """Return the schema for a table: its ids may be in another column, or nowhere."""
        known = self.schema.id if self.schema.id in table.names else None
        return replace(self.schema, id=known if id_ is None else id_)

    def save(self, path: FileName) -> None:
        """Write the model to one file, which `load` reads; a file of that name is replaced."""
        saving.save(path, self)

    @classmethod
    def load(cls, path: FileName) -> Self:
        """Read a model of tables from a file, which need not be trusted."""
        return saving.load(path, cls)

    def __repr__(self) -> str:
        kinds = ", ".join(f"{name}: {kind}" for name, kind in self.schema.kinds.items())
        return f"TableModel({kinds})"

    def _without_clash(self, frame: Any) -> Any:
        """Rename the column of given clusters, if a prediction adds one of its name."""
        cluster = self.schema.cluster
        clashes = cluster in OURS and cluster in column_names(frame)
        return renamed(frame, {str(cluster): INPUT}) if clashes else frame

    def _found(self, group: Group, told: Told) -> Found:
        scores = self.model.scores(group.item_set)
        partition = partition_under_checked_constraints(self.model.clusterer, scores, *told)
        calibration = self.model.calibration
        assert isinstance(calibration, ClusterCalibration)  # noqa: S101
        return Found(group, scores, calibration.confidences(scores, partition), told)


def _refuse_across(links: list[tuple[int, int]], groups: list[Group], ids: Sequence[str]) -> None:
    """Refuse to hold rows of different sets together."""
    names = {row: group.name for group in groups for row in group.rows.tolist()} if links else {}
    for first, second in links:
        if names[first] != names[second]:
            raise InputError(
                f"{quote(ids[first])} and {quote(ids[second])} must be together, but are in the "
                f"sets {quote(names[first])} and {quote(names[second])}; drop one of the two"
            )


def _within(links: list[tuple[int, int]], group: Group, n_rows: int) -> Pairs:
    """Return the links between rows of a group, by their places in it."""
    places = np.full(n_rows, -1, dtype=np.intp)
    places[group.rows] = np.arange(len(group.rows))
    ends = places[np.array(links, dtype=np.intp).reshape(-1, 2)]
    return canonical(ends[(ends >= 0).all(axis=1)], len(group.rows))


load = TableModel.load
