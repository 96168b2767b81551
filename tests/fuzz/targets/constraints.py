"""Files of must-link and cannot-link pairs: they are kept, or refused where they contradict."""

import random
from itertools import pairwise
from pathlib import Path

from coterie.tables import PairFile, load, read_table
from tests.fuzz.cases import ACCEPTED, REFUSED, require
from tests.fuzz.checked_commands import run
from tests.fuzz.damage import damaged
from tests.fuzz.inputs import FORMATS, LEARNERS, encoded, model_file, random_people
from tests.tables.fuzzed import ODD

Pairs = list[tuple[str, str]]


def prepare() -> None:
    """Fit the models, and compile the kernels that predict."""
    rng = random.Random(0)  # noqa: S311
    for learner in LEARNERS:
        rows = random_people(rng, 40)
        links = {"must_link": [rows["id"][:2]], "cannot_link": [rows["id"][1:3]]}
        load(model_file(learner)).predict(rows, **links)


def case(rng: random.Random, folder: Path) -> str:
    """Predict under the pairs of one or two random files."""
    columns = random_people(rng, rng.choice([2, 3, 10, 30]))
    ids = columns["id"]
    if rng.random() < 0.2:
        ids[:] = random_ids(rng, len(ids))
    table, output = folder / "in.csv", folder / "out.csv"
    table.write_bytes(encoded(columns, "csv"))
    model = model_file(rng.choice(LEARNERS))
    files, pairs, is_whole = {}, {"must-link": [], "cannot-link": []}, True
    for name in rng.sample(list(pairs), rng.choice([1, 2, 2])):
        format_ = rng.choice(FORMATS)
        pairs[name] = random_pairs(rng, ids)
        data = pair_file(rng, pairs[name], format_)
        if rng.random() < 0.3:
            data, is_whole = damaged(rng, data), False
        files[name] = folder / f"{name}.{format_}"
        files[name].write_bytes(data)
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    options += rng.choice([[], [], ["--max-size", "2"], ["--max-size", "none"], ["--max-block", 2]])
    command = rng.choice(["predict", "predict", "predict", "explain", "clusters", "evaluate"])
    if command != "predict":
        words = ids[:2] if command == "explain" else []
        return ACCEPTED if run(command, model, table, *options, "--", *words) else REFUSED
    is_accepted = run("predict", model, table, *options, output=output)
    if is_whole:
        is_possible = are_consistent(pairs["must-link"], pairs["cannot-link"])
        require(is_possible or not is_accepted, "a contradiction was accepted")
        # A limit on the size of clusters may contradict must-link pairs.
        is_wrong = is_possible and not is_accepted and "2" not in options
        require(not is_wrong, "pairs without a contradiction were refused")
    if not is_accepted:
        return REFUSED
    check_kept(output, pairs if is_whole else pairs_in(files, ids))
    return ACCEPTED


def random_ids(rng: random.Random, count: int) -> list[str]:
    """Return unusual ids that differ from each other."""
    texts = [text for text in ODD if text.strip("\ufeff \t\r\n")]
    return [*rng.sample(texts, len(texts)), *(f"r{row}" for row in range(count))][:count]


def random_pairs(rng: random.Random, ids: list[str]) -> Pairs:
    """Return pairs of ids: chains, stars, or at random, which rarely fit together."""
    count = rng.choice([1, 2, 5, 20])
    way = rng.choice(["random", "random", "chain", "star", "same"])
    if way == "chain":
        chosen = rng.sample(ids, min(len(ids), count + 1))
        return list(pairwise(chosen))
    if way == "star":
        return [(ids[0], other) for other in rng.sample(ids[1:], min(len(ids) - 1, count))]
    if way == "same" and rng.random() < 0.2:
        return [(ids[0], ids[0])]
    return [tuple(rng.sample(ids, 2)) for _ in range(count)]


def pair_file(rng: random.Random, pairs: Pairs, format_: str) -> bytes:
    """Return a file of pairs, with a header where the format must have one or may have one."""
    first, second = (list(names) for names in zip(*pairs, strict=True))
    data = encoded({"first one": first, "second one": second}, format_)
    is_plain = format_ in ("csv", "tsv")
    return data.split(b"\n", 1)[1] if is_plain and rng.random() < 0.5 else data


def pairs_in(files: dict[str, Path], ids: list[str]) -> dict[str, Pairs]:
    """Read the pairs of damaged files, as far as Coterie can."""
    row_of = {name: row for row, name in enumerate(ids)}
    pairs: dict[str, Pairs] = {}
    for name, path in files.items():
        links = PairFile(path).links(row_of)
        pairs[name] = [(ids[first], ids[second]) for first, second in links]
    return pairs


def are_consistent(must_link: Pairs, cannot_link: Pairs) -> bool:
    """Return whether no cannot-link pair is connected by must-link pairs."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for first, second in must_link:
        leader[find(first)] = find(second)
    return all(find(first) != find(second) for first, second in cannot_link)


def check_kept(output: Path, pairs: dict[str, Pairs]) -> None:
    """Require that a prediction keeps all pairs."""
    after = read_table(output)
    cluster = dict(zip(after["id"], after["cluster_id"], strict=True))
    for first, second in pairs.get("must-link", []):
        require(cluster[first] == cluster[second], "a must-link pair is violated")
    for first, second in pairs.get("cannot-link", []):
        require(cluster[first] != cluster[second], "a cannot-link pair is violated")
