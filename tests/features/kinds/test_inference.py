"""Inference of the kind of a column, for columns as they occur in tables."""

import csv
import gzip
import random
from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

import pytest

from coterie.datasets import make_records
from coterie.features import kinds
from coterie.features.kinds.base import Kind
from coterie.features.kinds.profile import Profile
from coterie.tables.schema import IGNORED, inferred_kind

DICE = random.Random(0)  # noqa: S311
FORENAMES = [
    "Ann",
    "Bob",
    "Carla",
    "Dmitri",
    "Eve",
    "Fatima",
    "Günther",
    "Hélène",
    "Iván",
    "José",
    "Ken",
    "Lü",
    "Mary",
    "Nadia",
]
SURNAMES = [
    "Lee",
    "Ray",
    "O’Neill",
    "Müller",
    "García-López",
    "Nguyễn",
    "Smith",
    "Ivanova",
    "van-Dijk",
    "Wu",
]
PRODUCT_WORDS = [
    "camera",
    "lens",
    "black",
    "silver",
    "digital",
    "compact",
    "zoom",
    "kit",
    "case",
    "strap",
    "charger",
    "light",
]
STREETS = ("Hill Street", "Mill Lane", "Station Road", "Elm Avenue")


def column_of(make, n_rows=200):
    DICE.seed(0)
    return [make() for _ in range(n_rows)]


def words(low, high):
    return " ".join(DICE.choices(PRODUCT_WORDS, k=DICE.randint(low, high)))


def number(low, high):
    return DICE.randint(low, high)


def forename():
    return DICE.choice(FORENAMES)


def digits(n_digits):
    return "".join(DICE.choices("0123456789", k=n_digits))


def day(spelling):
    months = ["January", "February", "March", "April", "May", "June", "July", "August"]
    year, month, date = number(1930, 2020), number(1, 8), number(1, 28)
    return spelling.format(y=year, m=month, d=date, name=months[month - 1])


COLUMNS = {
    "names of people": ("name", lambda: f"{forename()} {DICE.choice(SURNAMES)}"),
    "given names": ("short", lambda: forename() + DICE.choice("aeiou")),
    "names of products": ("name", lambda: f"Canon {words(2, 4)} EOS-{number(100, 999)}D"),
    "descriptions": ("text", lambda: words(14, 60)),
    "streets": ("name", lambda: f"{number(1, 99)} {DICE.choice(STREETS)}"),
    "streets, number last": ("name", lambda: f"{DICE.choice(STREETS)} {number(1, 99)}"),
    "postcodes of five digits": ("code", lambda: digits(5)),
    "postcodes of four digits": ("code", lambda: str(number(1000, 9999))),
    "postcodes with letters": ("code", lambda: f"SW{number(1, 9)}A {number(1, 9)}BQ"),
    "postcodes of six digits": ("code", lambda: f"11{number(1, 99):04d}"),
    "phones in groups": ("code", lambda: f"{number(200, 999)} {number(200, 999)} {digits(4)}"),
    "phones with hyphens": ("code", lambda: f"({number(200, 999)}) {digits(3)}-{digits(4)}"),
    "phones without gaps": ("code", lambda: f"{number(200, 999)}{digits(7)}"),
    "phones of many lengths": ("code", lambda: f"0{number(30, 9999)} {digits(number(4, 8))}"),
    "phones from abroad": ("code", lambda: f"+49 {number(30, 999)} {digits(number(5, 8))}"),
    "phones in many groups": ("code", lambda: f"+33 {digits(1)} {digits(2)} {digits(2)} 44"),
    "years": ("number", lambda: str(number(1950, 2024))),
    "prices": ("number", lambda: f"${number(1, 2000)}.{digits(2)}"),
    "prices with thousands": ("number", lambda: f"{number(1, 90)},{digits(3)}.00 €"),
    "prices with a comma": ("number", lambda: f"{number(1, 2000)},{digits(2)}"),
    "prices of houses": ("number", lambda: str(number(80, 3000) * 1000)),
    "populations": ("number", lambda: str(int(10 ** DICE.uniform(3, 9)))),
    "populations in groups": ("number", lambda: f"{int(10 ** DICE.uniform(3, 9)):,}"),
    "ages": ("number", lambda: str(number(0, 99))),
    "coordinates": ("number", lambda: f"{DICE.uniform(-90, 90):.5f}"),
    "house numbers": ("number", lambda: str(number(1, 250))),
    "house numbers with letters": ("code", lambda: f"{number(1, 250)}{DICE.choice('abc')}"),
    "dates, ISO": ("date", lambda: day("{y}-{m:02d}-{d:02d}")),
    "dates and times": ("date", lambda: day("{y}-{m:02d}-{d:02d}T12:30:00Z")),
    "dates without gaps": ("date", lambda: day("{y}{m:02d}{d:02d}")),
    "dates with slashes": ("date", lambda: day("{m}/{d}/{y}")),
    "dates with dots": ("date", lambda: day("{d}.{m}.{y}")),
    "dates with names": ("date", lambda: day("{name} {d}, {y}")),
    "dates with the day first": ("date", lambda: day("{d} {name} {y}")),
    "months": ("code", lambda: day("{y}-{m:02d}")),
    "states": ("category", lambda: DICE.choice(["NSW", "VIC", "QLD", "WA", "New Zealand"])),
    "booleans": ("category", lambda: DICE.choice(["True", "False"])),
    "tags": ("tokens", lambda: ";".join(DICE.sample(PRODUCT_WORDS, number(1, 4)))),
    "tags with bars": ("tokens", lambda: " | ".join(DICE.sample(PRODUCT_WORDS, number(2, 4)))),
    "e-mail addresses": ("name", lambda: f"{words(1, 1)}.{forename()}{digits(3)}@x.net"),
    "addresses of pages": ("name", lambda: f"https://shop.example/{words(1, 1)}/{digits(4)}"),
    "ISBNs of ten": ("code", lambda: digits(9) + DICE.choice("0123456789X")),
    "ISBNs with hyphens": ("code", lambda: f"978-{digits(1)}-{digits(2)}-{digits(6)}-{digits(1)}"),
    "ids of twenty digits": ("code", lambda: str(number(10**19, 10**20 - 1))),
    "UUIDs": ("code", lambda: str(UUID(int=DICE.getrandbits(128)))),
    "order numbers": ("code", lambda: f"ORD-{digits(6)}"),
    "IP addresses": ("code", lambda: ".".join(str(number(0, 255)) for _ in range(4))),
    "garbage": ("name", lambda: DICE.choice(["?", "n/a", words(1, 9), digits(3), "a;b", "1.5 kg"])),
}  # fmt: skip


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_look_like_their_kind(name):
    kind, make = COLUMNS[name]
    column = column_of(make)
    assert inferred_kind(column) == kind
    with_gaps = [cell if row % 3 else "" for row, cell in enumerate(column)]
    assert inferred_kind(with_gaps) == kind
    assert inferred_kind([f" {cell} " for cell in column]) == kind


@pytest.mark.parametrize(
    "column", [[], [""], ["", " ", "\t"], ["x"], ["x"] * 50, ["x", "", "x"]], ids=repr
)
def test_columns_with_at_most_one_value_are_ignored(column):
    assert inferred_kind(column) == IGNORED


@pytest.mark.parametrize("column", [["a", "b"], ["?", "!"], ["1", "2"], ["\ud800", "\u0301"]])
def test_tiny_columns_have_a_kind(column):
    assert inferred_kind(column) != IGNORED


def test_some_bad_cells_do_not_change_the_kind():
    for name in ("dates, ISO", "prices", "postcodes of five digits", "names of people"):
        kind, make = COLUMNS[name]
        assert inferred_kind([*column_of(make), "unknown", "n/a", "-"]) == kind


def test_likeness_is_between_0_and_1():
    profiles = [Profile.of(column_of(make, 40)) for _, make in COLUMNS.values()]
    for kind in (getattr(kinds, name) for name in kinds.__all__):
        if issubclass(kind, Kind):
            assert all(
                0.0 <= kind.likeness(profile) <= 1.0 for profile in [*profiles, Profile.of([])]
            )


def test_kinds_of_generated_records_are_inferred():
    items = make_records(2_000)[0][0].items
    words = {name: inferred_kind([cell or "" for cell in column]) for name, column in items.items()}
    assert words == {
        "given_name": "short",
        "surname": "short",
        "birth_date": "date",
        "street": "name",
        "city": "short",
        "postcode": "code",
        "phone": "code",
        "email": "name",
    }


REAL = {
    "cora": dict.fromkeys(("title", "authors", "venue", "publisher"), "name")
    | {"date": "number", "volume": "code", "pages": "code"},
    "affiliations": {"affiliation": "name"},
    "abtbuy": {"name": "name", "description": "text", "price": "number"},
    "restaurant": dict.fromkeys(("name", "addr", "city", "type"), "name") | {"phone": "code"},
    "febrl3": {
        "given_name": "short",
        "surname": "short",
        "street_number": "number",
        "address_1": "name",
        "suburb": "name",
        "postcode": "code",
        "state": "category",
        "date_of_birth": "date",
        "soc_sec_id": "code",
    },
}


@pytest.mark.parametrize("name", REAL)
def test_kinds_of_real_tables_are_inferred(name, data_folder):
    with gzip.open(data_folder / "peers" / f"{name}.csv.gz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    words = {column: inferred_kind([row[column] for row in rows]) for column in REAL[name]}
    assert words == REAL[name]


@dataclass(frozen=True, eq=False)
class Colour(Kind):
    """A kind that a user has added."""

    word: ClassVar = "colour"
    measures: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def likeness(cls, profile):
        return 1.0 if profile.share(lambda text: text.startswith("#")) > 0.9 else 0.0


def test_a_kind_that_was_added_is_inferred(monkeypatch):
    colours = column_of(lambda: f"#{digits(6)}")
    assert inferred_kind(colours) == "code"
    monkeypatch.setattr(kinds, "Colour", Colour, raising=False)
    monkeypatch.setattr(kinds, "__all__", [*kinds.__all__, "Colour"])
    assert inferred_kind(colours) == "colour"
    assert inferred_kind(column_of(COLUMNS["ages"][1])) == "number"
