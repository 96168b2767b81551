"""The columns of a training table that give its true clusters away."""

import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from coterie._core.texts import plain_texts, quote
from coterie.exceptions import LeakWarning
from coterie.tables.leaks.answers import Answers, sample_rows, sort_rows
from coterie.tables.leaks.others import marks_clusters, points_to_mates
from coterie.tables.leaks.rules import RULES, Column, equals_label, may_be_honest
from coterie.tables.leaks.views import WHOLE
from coterie.tables.table import Table


class Leak(NamedTuple):
    """A column that may give the true clusters away, and how."""

    column: str
    reason: str
    is_id: bool = False
    """True for the column of ids, which is not compared."""

    def __str__(self) -> str:
        """Return the warning in words."""
        name = quote(self.column)
        if self.is_id:
            return (
                f"column {name} gives the true clusters away: {self.reason}. It is the column of "
                "ids, which are not compared, so that the model does not learn from it"
            )
        return (
            f"column {name} may give the true clusters away: {self.reason}. The model learns to "
            "trust it, and new tables must have it. If it will be missing there, or says less, "
            "leave it out with `ignore=`"
        )


def find_leaks(
    table: Table, cluster: str, columns: Sequence[str], id_: str | None = None
) -> list[Leak]:
    """Return the columns that may give the true clusters away.

    Parameters
    ----------
    table
        The table to learn from.
    cluster
        The column of true clusters.
    columns
        The columns that will be compared.
    id_
        The column of ids.
    """
    rows = sample_rows(table, cluster)
    sample = _Tests(sort_rows(rows), cluster, columns, id_, is_sample=len(rows) < len(table))
    suspects = {name: reason for name in sample.names if (reason := sample.reason_of(name))}
    if suspects and sample.is_sample:
        complete = _Tests(sort_rows(table), cluster, columns, id_)
        suspects = {name: reason for name in suspects if (reason := complete.reason_of(name))}
    return [Leak(name, reason, name == id_) for name, reason in suspects.items()]


def warn_of(leaks: Sequence[Leak]) -> None:
    """Warn of leaks on behalf of the caller of `coterie.tables.fit`."""
    for leak in leaks:
        warnings.warn(str(leak), LeakWarning, stacklevel=4)


class _Tests:
    """All tests of the columns of a table."""

    def __init__(
        self,
        table: Table,
        cluster: str,
        columns: Sequence[str],
        id_: str | None,
        *,
        is_sample: bool = False,
    ) -> None:
        self.table = table
        self.is_sample = is_sample
        self.columns = tuple(columns)
        self.id = id_
        self.names = (*columns, *([id_] if id_ is not None else ()))
        self.answers = Answers(table[cluster])
        self.plain = {name: tuple(plain_texts(table[name])) for name in self.names}
        self.keys = [
            self.plain[name] for name in self.names if len({*self.plain[name]}) == len(table)
        ]

    def reason_of(self, name: str) -> str | None:
        """Return why a column may give the true clusters away; None if it does not seem to."""
        column = Column(self.table[name], self.plain[name])
        if name == self.id:
            return equals_label(column, self.answers)
        for rule in RULES:
            if reason := rule(column, self.answers):
                return reason
        if reason := points_to_mates(column.plain, self.answers, self.keys):
            return reason
        if may_be_honest(WHOLE, column):
            return None
        return marks_clusters(
            column.plain, self.answers, self._others(name), is_first_look=self.is_sample
        )

    def _others(self, name: str) -> Mapping[str, Sequence[str]]:
        return {other: self.plain[other] for other in self.columns if other != name}
