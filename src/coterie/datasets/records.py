"""Synthetic records of people, with errors as in real files and with known true clusters."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from coterie._core.arguments import as_real, as_whole
from coterie._core.arrays import Bools, Floats, Ints
from coterie.datasets import _record_tables as tables
from coterie.datasets._record_edits import EDITS, Edit, ascii_letters
from coterie.datasets._record_tables import Words
from coterie.datasets.corpus import Corpus
from coterie.items import ItemSet
from coterie.partition import Partition

__all__ = ["RecordChunk", "iter_records", "make_records"]

Bits: TypeAlias = NDArray[np.uint64]

_MOST_ROWS = 10_000_000
_ENTITY_BITS = 24
_OTHER = 1 << 32
"""Added to a person's index, gives the key of their second surname, home, phone and e-mail."""


class RecordChunk(NamedTuple):
    """Consecutive rows of a stream of records, and the index of each row's person."""

    columns: dict[str, list[str | None]]
    entities: Ints


def make_records(
    n_rows: int, *, duplicates: float = 1.0, errors: float = 0.15, random_state: int = 0
) -> Corpus:
    """Make synthetic records of people: one item set, and its partition by person.

    The columns are given_name, surname, birth_date, street, city, postcode, phone and email. They
    contain texts, or None for missing values. Some people share a household, with the same surname
    and address, and sometimes the same phone. Many people have the same names.

    Parameters
    ----------
    n_rows
        The number of records, at most 10 million.
    duplicates
        The mean number of further records per person, which has a geometric distribution.
    errors
        The probability that a field of a record is misspelled, abbreviated, missing or otherwise
        corrupted, independently for each field. In addition, each of the following happens to a
        record with a tenth of this probability: another home (street, city and postcode), another
        surname, another phone, another e-mail address, swapped names, and all capitals. If 0, all
        records of a person are equal.
    random_state
        The seed; the same seed makes the same records.

    Examples
    --------
    >>> item_sets, partitions = make_records(5, random_state=3)
    >>> item_sets[0].items["surname"]
    ('Ashington', 'Ashington', 'Ashongton', 'Ashington', 'Ashington')
    >>> partitions[0]
    Partition([0, 1, 0, 1, 0])
    """
    columns: dict[str, list[str | None]] = {field: [] for field in EDITS}
    entities = [np.empty(0, dtype=np.intp)]
    for chunk in iter_records(
        n_rows, duplicates=duplicates, errors=errors, random_state=random_state
    ):
        entities.append(chunk.entities)
        for field, column in chunk.columns.items():
            columns[field] += column
    ids = [f"r{row:07d}" for row in range(n_rows)]
    return Corpus([ItemSet(columns, ids=ids)], [Partition(np.concatenate(entities))])


def iter_records(
    n_rows: int,
    chunk_size: int = 100_000,
    *,
    duplicates: float = 1.0,
    errors: float = 0.15,
    random_state: int = 0,
) -> Iterator[RecordChunk]:
    """Stream the records of `make_records` in chunks; their size does not change the records.

    The records of a person are scattered over the stream. Only one chunk is in memory at a time,
    and one small integer per row.

    Parameters
    ----------
    n_rows, duplicates, errors, random_state
        See `make_records`.
    chunk_size
        The number of rows per chunk; the last one may have fewer. There is no chunk of 0 rows.

    Examples
    --------
    >>> for chunk in iter_records(5, 3, random_state=3):
    ...     chunk.entities.tolist(), chunk.columns["given_name"]
    ([0, 1, 0], ['Michael', 'Barbara', 'Michael'])
    ([1, 0], ['Barbara', 'Michael'])
    """
    n_rows = as_whole("n_rows", n_rows, 0, _MOST_ROWS)
    chunk_size = as_whole("chunk_size", chunk_size, 1)
    dice = _Dice(as_whole("random_state", random_state, 0))
    duplicates = as_real("duplicates", duplicates)
    return _chunks(dice, n_rows, chunk_size, duplicates, as_real("errors", errors, high=1.0))


@dataclass(frozen=True)
class _Dice:
    """Random draws that depend only on the seed, on a topic and on keys, not on earlier draws."""

    seed: int

    def bits(self, topic: str, keys: Ints) -> Bits:
        start = np.array([self.seed % (1 << 64)], dtype=np.uint64)
        start = _mix(_mix(start) + np.uint64(crc32(topic.encode())))
        return _mix(keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + start)

    def uniform(self, topic: str, keys: Ints) -> Floats:
        return (self.bits(topic, keys) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, topic: str, keys: Ints, high: int) -> Ints:
        return (self.bits(topic, keys) % np.uint64(high)).astype(np.intp)

    def chance(self, topic: str, keys: Ints, probability: float) -> Bools:
        return self.uniform(topic, keys) < probability

    def pick(self, topic: str, keys: Ints, shares: Floats) -> Ints:
        """Draw indices by cumulative shares; the share missing to 1 is that of `len(shares)`."""
        return np.searchsorted(shares, self.uniform(topic, keys), side="right")


def _mix(state: Bits) -> Bits:
    """Mix 64 bits by the finalizer of the generator SplitMix64."""
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def _chunks(
    dice: _Dice, n_rows: int, chunk_size: int, duplicates: float, errors: float
) -> Iterator[RecordChunk]:
    entities = _entities(dice, n_rows, duplicates)
    for rows in _blocks(n_rows, chunk_size):
        yield _chunk(dice, rows, entities[rows].astype(np.intp), errors)


def _blocks(n_rows: int, size: int) -> Iterator[Ints]:
    for start in range(0, n_rows, size):
        yield np.arange(start, min(start + size, n_rows))


def _entities(dice: _Dice, n_rows: int, duplicates: float) -> NDArray[np.int32]:
    """Return the person of each row, shuffled by sorting numbers with random leading bits."""
    packed = np.empty(n_rows, dtype=np.uint64)
    n_people = 0
    for rows in _blocks(n_rows, 1 << 20):
        first = dice.chance("first record", rows, 1 / (1 + duplicates)) | (rows == 0)
        people = n_people + np.cumsum(first) - 1
        n_people = people[-1] + 1
        order = dice.bits("order", rows) << np.uint64(_ENTITY_BITS)
        packed[rows] = order | people.astype(np.uint64)
    packed.sort()
    packed &= np.uint64((1 << _ENTITY_BITS) - 1)
    return packed.astype(np.int32)


def _chunk(dice: _Dice, rows: Ints, entities: Ints, errors: float) -> RecordChunk:
    columns = _columns(dice, rows, entities, errors / 10)
    for field, column in columns.items():
        _corrupt(dice, field, column, rows, errors)
    _swap_names(columns, dice.chance("swapped", rows, errors / 10))
    _capitalize(columns, dice.chance("capitals", rows, errors / 10))
    lists = {field: column.tolist() for field, column in columns.items()}
    return RecordChunk(lists, entities)


def _columns(dice: _Dice, rows: Ints, people: Ints, rate: float) -> dict[str, Words]:
    """Return the fields without writing errors; at the given rate, another home, name and so on."""
    families = _families(dice, people)
    given_names = _given_names(dice, people, families)
    homes, renamed, lines, accounts = (
        np.where(dice.chance(event, rows, rate), people + _OTHER, keys)
        for event, keys in {
            "moved": families,
            "renamed": families,
            "line changed": _lines(dice, people, families),
            "account changed": people,
        }.items()
    )
    return {
        "given_name": given_names,
        "surname": _surnames(dice, renamed),
        "birth_date": _birth_dates(dice, people, families),
        **_addresses(dice, homes),
        "phone": _phones(dice, lines),
        "email": _emails(dice, accounts, given_names, _surnames(dice, families)),
    }


_FAMILIES = np.array(
    [(0, 1, 2, 3)] * 3 + [(0, 0, 2, 3)] * 2 + [(0, 0, 2, 2), (0, 0, 0, 3), (0, 0, 0, 0)]
)
"""The ways to divide four consecutive people into families.

For each person, it has the position of the first person of the same family.
"""


def _families(dice: _Dice, people: Ints) -> Ints:
    """Return the first person of each person's family.

    The next person of a family is the spouse; the others are children.
    """
    groups, positions = np.divmod(people, 4)
    patterns = dice.below("family", groups, len(_FAMILIES))
    families: Ints = 4 * groups + _FAMILIES[patterns, positions]
    return families


def _origins(dice: _Dice, keys: Ints) -> Ints:
    return dice.pick("origin", keys, tables.ORIGIN_SHARES)


def _draw_words(dice: _Dice, topic: str, keys: Ints, table: Words, rows: Ints) -> Words:
    """Draw a word from each of the given rows of a table, by Zipf's law."""
    words: Words = table[rows, dice.pick(topic, keys, tables.zipf(table.shape[1], 0.8))]
    return words


def _given_names(dice: _Dice, people: Ints, families: Ints) -> Words:
    is_junior = (people - families >= 2) & dice.chance("junior", people, 0.05)
    namesakes = np.where(is_junior, families, people)
    is_mixed = dice.chance("mixed", namesakes, 0.1)
    origins = _origins(dice, np.where(is_mixed, namesakes, families))
    return _draw_words(dice, "given name", namesakes, tables.GIVEN_NAMES, origins)


def _surnames(dice: _Dice, keys: Ints) -> Words:
    origins = _origins(dice, keys)
    names = _draw_words(dice, "surname", keys, tables.SURNAMES, origins)
    rare = dice.chance("rare surname", keys, 0.5)
    names[rare] = _rare_surnames(dice, keys[rare], origins[rare])
    double = dice.chance("double surname", keys, 0.03)
    second = _draw_words(dice, "second surname", keys[double], tables.SURNAMES, origins[double])
    names[double] += "-" + second
    return names


def _rare_surnames(dice: _Dice, keys: Ints, origins: Ints) -> Words:
    start = _draw_words(dice, "surname start", keys, tables.STARTS, origins)
    middle = _draw_words(dice, "surname middle", keys, tables.MIDDLES, origins)
    end = _draw_words(dice, "surname end", keys, tables.ENDS, origins)
    names: Words = start + middle + end
    return names


_FIRST_DAY, _LAST_DAY = "1924-01-01", "2021-01-01"
_EARLIEST = np.array([2200, -2000, 7300, 7300])
_SPREAD = np.array([18000, 4000, 7300, 7300])
"""The ranges of birth dates in days, by position in the family.

They count from `_FIRST_DAY` for the first person, and from the first person's birth for others.
"""


@cache
def _days() -> Words:
    days = np.arange(_FIRST_DAY, _LAST_DAY, dtype="datetime64[D]")
    return days.astype(str).astype(object)


def _birth_dates(dice: _Dice, people: Ints, families: Ints) -> Words:
    positions = people - families
    is_twin = (positions == 3) & dice.chance("twin", people, 0.1)
    offsets = _birth_offsets(dice, people - is_twin, positions)
    first_births = _birth_offsets(dice, families, np.zeros_like(positions))
    dates: Words = _days()[np.where(positions == 0, offsets, first_births + offsets)]
    return dates


def _birth_offsets(dice: _Dice, people: Ints, positions: Ints) -> Ints:
    spreads = (_SPREAD[positions] * dice.uniform("birth", people)).astype(int)
    offsets: Ints = _EARLIEST[positions] + spreads
    return offsets


def _addresses(dice: _Dice, homes: Ints) -> dict[str, Words]:
    """Return street, city and postcode, whose first digits depend on the city only."""
    n_names, n_types = tables.STREETS.shape
    cities = dice.pick("city", homes, tables.zipf(len(tables.CITIES), 0.9))
    streets = dice.pick("street", homes, tables.zipf(n_names, 0.5))
    streets = streets * n_types + dice.pick("street kind", homes, tables.zipf(n_types, 0.8))
    numbers = 1 + (220 * dice.uniform("house", homes) ** 2).astype(int)
    codes = (37 * cities + 11) % 1000 * 100 + dice.below("code", streets + 10_000 * cities, 100)
    houses = zip(numbers.tolist(), tables.STREETS.ravel()[streets].tolist(), strict=True)
    return {
        "street": _words([f"{number} {street}" for number, street in houses]),
        "city": tables.CITIES[cities],
        "postcode": _words([f"{code:05d}" for code in codes.tolist()]),
    }


def _lines(dice: _Dice, people: Ints, families: Ints) -> Ints:
    return np.where(dice.chance("landline", people, 0.4), families, people)


def _phones(dice: _Dice, lines: Ints) -> Words:
    ends = dice.below("phone", lines, 10**7).tolist()
    areas = (100 + dice.below("area", lines, 900)).tolist()
    numbers = zip(areas, ends, strict=True)
    return _words([f"0{area} {end // 10**4:03d} {end % 10**4:04d}" for area, end in numbers])


def _emails(dice: _Dice, accounts: Ints, given_names: Words, surnames: Words) -> Words:
    draws = dice.bits("email", accounts).tolist()
    people = zip(given_names.tolist(), surnames.tolist(), draws, strict=True)
    return _words([_email(*person) for person in people])


def _email(given_name: str, surname: str, bits: int) -> str:
    first, last = ascii_letters(given_name), ascii_letters(surname)
    number = bits % 10_000
    names = (f"{first}.{last}", f"{first[0]}{last}", f"{last}.{first}", f"{first}_{last[0]}")
    return f"{names[bits >> 62]}{number}@{tables.DOMAINS[(bits >> 32) % len(tables.DOMAINS)]}"


def _words(texts: list[str] | list[str | None]) -> Words:
    return np.array(texts, dtype=object)


def _corrupt(dice: _Dice, field: str, column: Words, rows: Ints, errors: float) -> None:
    """Change each text of a column, in place, with probability `errors`."""
    edits = list(EDITS[field])
    shares = tables.cumulative(np.array(list(EDITS[field].values())))
    edit_indices = dice.pick(f"{field} error", rows, errors * shares)
    for index, edit in enumerate(edits):
        cells = np.flatnonzero(edit_indices == index)
        bits = dice.bits(f"{field} edit", rows[cells]).tolist()
        texts = zip(column[cells].tolist(), bits, strict=True)
        column[cells] = _words([_apply(edit, edits[0], *text) for text in texts])


def _apply(edit: Edit, fallback: Edit, text: str, bits: int) -> str | None:
    """Apply an edit, or another one if the first does not change the text."""
    changed = edit(text, bits)
    return fallback(text, bits) if changed == text else changed


def _swap_names(columns: dict[str, Words], rows: Bools) -> None:
    given_names, surnames = columns["given_name"], columns["surname"]
    given_names[rows], surnames[rows] = surnames[rows], given_names[rows]


def _capitalize(columns: dict[str, Words], rows: Bools) -> None:
    for field in ("given_name", "surname", "street", "city"):
        texts = columns[field][rows].tolist()
        columns[field][rows] = _words([text and text.upper() for text in texts])
