"""Random tables with unusual cells, headers and sizes."""

import random

WORDS = [
    "Ann",
    "Anne",
    "ann lee",
    "Bob",
    "O'Neil",
    "van der Berg",
    "Müller",
    "mueller",
    "李明",
    "🙂",
]
ODD = ["", " ", "\t", "\n", "\r\n", '"', ",", "NA", "nan", "null", "-", "0", "-0", "1e400", "inf"]
ODD += [
    "1,5",
    "01234",
    "12345678901234567890",
    "1/2/2003",
    "2003-02-30",
    "0000-00-00",
    "9999-12-31",
]
ODD += [
    "\ufeff",
    "\u202e",
    "e\u0301",
    "é",
    "ﬁ",
    "\x01",
    "\x1b[31m",
    "[bold]",
    "{",
    "\u2028",
    "İ",
    "ß",
]
HEADERS = [
    "name",
    "ID",
    "Name",
    "who ",
    " x",
    "größe",
    "名前",
    "🙂",
    "a,b",
    'q"q',
    "new\nline",
    "whole record",
]
HEADERS += [
    "set",
    "kind",
    "[red]",
    "{",
    "\u202e",
    "1",
    "confidence?",
    "x" * 300,
    "cluster",
    "e\u0301",
]


def random_character(rng: random.Random) -> str:
    """Return a random character of any Unicode plane that can be encoded."""
    while True:
        code = rng.choice(
            [rng.randrange(32, 127), rng.randrange(1, 0x3000), rng.randrange(0x110000)]
        )
        if code and not 0xD800 <= code < 0xE000:
            return chr(code)


def random_column(rng: random.Random, n_rows: int) -> list[str]:
    """Return cells of a random kind, with some unusual ones among them."""
    kinds = ["words", "numbers", "dates", "codes", "few", "odd", "any", "same", "empty"]
    kind = rng.choices(kinds, [4, 4, 4, 4, 3, 3, 4, 1, 1])[0]
    ways = {
        "words": lambda: " ".join(rng.choices(WORDS, k=rng.randrange(1, 5))),
        "numbers": lambda: str(rng.choice([rng.randrange(100), rng.gauss(0, 1e3), -rng.random()])),
        "dates": lambda: (
            f"{rng.randrange(1900, 2030)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29)}"
        ),
        "codes": lambda: f"{rng.choice('ABC')}-{rng.randrange(10**6):07}",
        "few": lambda: rng.choice("xyz"),
        "odd": lambda: rng.choice(ODD),
        "any": lambda: "".join(random_character(rng) for _ in range(rng.randrange(12))),
        "same": lambda: "same",
        "empty": lambda: "",
    }
    missing = rng.choice([0.0, 0.0, 0.1, 0.9])
    cells = ["" if rng.random() < missing else ways[kind]() for _ in range(n_rows)]
    for _ in range(rng.choice([0, 0, 2])):
        cells[rng.randrange(n_rows)] = rng.choice(ODD)
    if rng.random() < 0.05:
        cells[rng.randrange(n_rows)] = rng.choice(["long ", "x", "é1 ", "9"]) * 3000
    return cells


def random_table(rng: random.Random, n_rows: int | None = None) -> dict[str, list[str]]:
    """Return a random table with a column who; some rows are near copies of others."""
    n_rows = n_rows or rng.choice([1, 2, 3, 5, 10, 10, 20, 20, 40, 80])
    names = rng.sample(HEADERS, rng.randrange(1, 6))
    columns = {name: random_column(rng, n_rows) for name in names}
    who = list(range(n_rows))
    for row in range(1, n_rows):
        if rng.random() < 0.5:
            source = rng.randrange(row)
            who[row] = who[source]
            for cells in columns.values():
                if rng.random() < 0.8:
                    cells[row] = cells[source]
    if rng.random() < 0.05:
        who = [rng.choice([0, 1]) for _ in who]
    columns["who"] = [f"e{number}" for number in who]
    return columns


def similar_table(rng: random.Random, table: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return a table of the same columns, with cells of the table and new ones."""
    n_rows = rng.choice([1, 2, 7, 30])
    columns = {}
    for name, cells in table.items():
        if name != "who":
            new_cells = random_column(rng, n_rows)
            columns[name] = [
                rng.choice(cells) if rng.random() < 0.7 else cell for cell in new_cells
            ]
    return columns
