"""Records whose words are as rare as in a table of which the records may be a part."""

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from coterie._types import Features
from coterie.features.featurizer import PairFeaturizer
from coterie.features.kinds.counts import RecordCounts
from coterie.features.records import EncodedRecords, ParsedRecords, RecordFeatures
from coterie.items import ItemSet


@dataclass(frozen=True, eq=False)
class CountedRecords(PairFeaturizer):
    """Compare records by counts of the rows of a table, whatever other records are compared.

    Parameters
    ----------
    featurizer
        Compares records, and by itself takes them for the table.
    counts
        The counts of the table, as `RecordFeatures.count` returns them.
    item_set, read
        An item set that was read before, and what `RecordFeatures.read` returned for it.
    """

    one_by_one: ClassVar[bool] = True

    featurizer: RecordFeatures
    counts: RecordCounts
    item_set: ItemSet | None = None
    read: ParsedRecords | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features: the column and the comparison."""
        return self.featurizer.names

    def encode(self, item_set: ItemSet) -> EncodedRecords:
        """Read the records unless they were read, and compute the weights of their tokens."""
        read = self.read if item_set is self.item_set else None
        return self.featurizer.weighed(read or self.featurizer.read([item_set]), self.counts)

    def compare(self, encoded: EncodedRecords, pairs: ArrayLike | None) -> Features:
        """Return the features of pairs (None: all pairs)."""
        return self.featurizer.compare(encoded, pairs)
