"""Files of settings: valid, changed and hostile ones, given to `coterie fit --schema`."""

import random
from collections.abc import Callable
from pathlib import Path

from coterie import tables
from coterie.features import kinds
from tests.fuzz.cases import ACCEPTED, REFUSED
from tests.fuzz.checked_commands import run
from tests.fuzz.damage import damaged
from tests.fuzz.inputs import encoded
from tests.people import people
from tests.tables.fuzzed import random_character

VALUES = [
    *("0", "1", "-1", "1.5", "nan", "-inf", "1e400", "9" * 5000, "0x" + "f" * 5000, "true", "[]"),
    *("{}", '""', '"x"', "'x'", '"""\n"""', '"\\u0000"', '"\\U0010FFFF"', "[[[]]]", "{a={b={}}}"),
    *("1979-05-27T07:32:00Z", "07:32:00", "9999-99-99", '"who"', '"id"', '"surname"', '"none"'),
    *("[" * 5000 + "]" * 5000, "{a=" * 3000 + "1" + "}" * 3000, '"' + "x" * 100_000 + '"', "1_0"),
]
SETTINGS = [
    *('cluster = "who"', 'id = "id"', 'set = "set"', 'learner = "logistic"', 'metric = "muc"'),
    *("max_size = 3", 'max_size = "none"', "min_entities = 2", 'sample = "rows"', "seed = 7"),
    *("budget = 0.01", 'learner = "left-linking"', 'metric = "accuracy"', 'sample = "made-up"'),
]
KEYS = [
    *("cluster", "set", "id", "learner", "metric", "budget", "max_size", "min_entities", "sample"),
    *("seed", "kinds", "kinds.surname", '"kinds"', "''", "x", "a.b.c", "name", "größe"),
]
HOSTILE: list[Callable[[], str]] = [
    lambda: "x = " + "[" * 100_000,
    lambda: ".".join("a" * 20_000) + " = 1",
    lambda: "".join(f"[a{'.b' * number}]\n" for number in range(300)),
    lambda: "".join(f"k{number} = 1\n" for number in range(50_000)),
    lambda: "[[kinds]]\n" * 5000,
    lambda: 'cluster = "' + "\\u0041" * 50_000 + '"',
    lambda: "#" + "x" * 500_000,
    lambda: "\n" * 500_000,
    lambda: "kinds = {" + ",".join(f'c{number} = "name"' for number in range(5000)) + "}",
    lambda: '"""' * 5001,
    lambda: "x = 1" + "0" * 4300,
]


def prepare() -> None:
    """Compile the kernels that fit."""
    for learner in ("logistic", "left-linking"):
        tables.fit(people(20, 0), cluster="who", learner=learner)


def case(rng: random.Random, folder: Path) -> str:
    """Fit to a small table with the settings of a random file."""
    columns = people(rng.choice([4, 12, 20]), rng.randrange(3))
    columns["set"] = ["x"] * len(columns["who"])
    (folder / "train.csv").write_bytes(encoded(columns, "csv"))
    (folder / "settings.toml").write_bytes(random_settings(rng))
    words = ["--schema", folder / "settings.toml"]
    words += rng.choice([[], ["--cluster", "who"]])
    words += rng.choice([[], ["--learner", "logistic"], ["--learner", "logistic"]])
    is_fitted = run("fit", folder / "train.csv", *words, output=folder / "m.coterie")
    return ACCEPTED if is_fitted else REFUSED


def random_settings(rng: random.Random) -> bytes:
    """Return the bytes of a file of settings."""
    if rng.random() < 0.02:
        return rng.choice(HOSTILE)().encode()
    lines = rng.sample(SETTINGS, rng.randrange(5))
    lines += [f"{rng.choice(KEYS)} = {rng.choice(VALUES)}" for _ in range(rng.choice([0, 0, 1, 2]))]
    if rng.random() < 0.6:
        words = [getattr(getattr(kinds, name), "word", "") for name in kinds.__all__]
        columns = rng.sample(["surname", "birth_date", "email", "set", "who", "x"], 3)
        lines += ["[kinds]", *(f'{name} = "{rng.choice([*words, "ignored"])}"' for name in columns)]
    if rng.random() < 0.1:
        lines.append(f'"{random_character(rng)}" = "{random_character(rng)}"')
    text = rng.choice(["\n", "\n", "\n", "\r\n", "\r"]).join(lines).encode()
    return damaged(rng, text) if rng.random() < 0.3 else text
