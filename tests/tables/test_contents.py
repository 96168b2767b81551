"""What a model file holds of its training table: no rows, and no rare values."""

import json
import zipfile

import numpy as np
import pytest

from coterie import tables
from coterie._core.texts import plain_text
from coterie._kernels.texts.tokens import hash_whole_texts
from coterie.exceptions import InputError
from coterie.features.kinds._tokens import TokenCounts
from coterie.tables.card import contents
from tests.people import people

NAMES = ("given_name", "surname", "birth_date", "street", "city", "postcode", "phone", "email")


@pytest.fixture(scope="module")
def rows():
    return people(300, 5, NAMES)


def entities_by(rows, split):
    """Return the entities of each token of any column."""
    entities = {}
    for name in NAMES:
        for cell, entity in zip(rows[name], rows["who"], strict=True):
            for token in split(cell):
                entities.setdefault(token, set()).add(entity)
    return entities


def is_telling(cell):
    """Return whether a cell cannot occur by chance, as a part of a number or of a checksum."""
    return len(cell) > 4 and (len(cell) > 9 or not set(cell.lower()) <= set("0123456789abcdef-. "))


def long_tokens(cell):
    """Return the words of a cell and the whole cell; shorter ones may be groups of characters."""
    text = plain_text(cell)
    return {token for token in (text, *text.split()) if len(token) > 3}


def stored_hashes(path):
    """Return all numbers of 64 bits without sign in a file: the hashes of values and words."""
    with zipfile.ZipFile(path) as archive:
        tree = archive.read("model.json").decode()
        names = {f"arrays/{index}.npy" for index in _arrays_of("tokens", json.loads(tree))}
        arrays = [np.load(archive.open(name)) for name in names]
    return set(np.concatenate(arrays).tolist())


def _arrays_of(field, node):
    if isinstance(node, dict):
        for key, inner in node.items():
            if key == field and isinstance(inner, dict) and inner.keys() == {"array"}:
                yield inner["array"]
            yield from _arrays_of(field, inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _arrays_of(field, inner)


@pytest.mark.parametrize("learner", ["logistic", "boosted"])
def test_no_rare_cell_occurs_in_the_file(rows, tmp_path, learner):
    few = {name: cells[:150] for name, cells in rows.items()}
    tables.fit(few, cluster="who", learner=learner).save(tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    entities = entities_by(few, lambda cell: [cell])
    rare = [cell for cell, members in entities.items() if len(members) < 5 and is_telling(cell)]
    assert len(rare) > 300
    for cell in rare:
        for text in {cell, plain_text(cell)}:
            assert text.encode() not in content, text
            assert text.encode("utf-32-le") not in content, text
    for name in ("id", "who"):
        for cell in set(rows[name]):
            assert f'"{cell}"'.encode() not in content


@pytest.mark.parametrize("min_entities", [5, 12])
def test_hashes_are_of_values_and_words_of_several_entities(rows, tmp_path, min_entities):
    model = tables.fit(rows, cluster="who", learner="logistic", min_entities=min_entities)
    model.save(tmp_path / "m")
    stored = stored_hashes(tmp_path / "m")
    n_shared = 0
    entities = entities_by(rows, long_tokens)
    counts = TokenCounts.of(list(entities), hash_whole_texts)
    hashes = counts.hashes[counts.tokens].tolist()  # one token per text
    for token, token_hash in zip(entities, hashes, strict=True):
        assert token_hash not in stored or len(entities[token]) >= min_entities, token
        n_shared += token_hash in stored
    assert n_shared > 10


def test_the_numbers_of_entities_of_stored_values_reach_the_limit(rows):
    model = tables.fit(rows, cluster="who", learner="logistic", min_entities=7)
    features = model.model.similarity.featurizer
    while not hasattr(features, "fields"):
        features = features.featurizer
    for kind in (*(field.kind for field in features.fields), features.whole):
        for counts in kind.get_params(deep=False).values():
            assert counts.n_entities_with.min(initial=7) >= 7
            assert counts.n_entities_with.sum() > 0 or not len(counts.tokens)


def test_the_card_says_what_the_model_holds(rows):
    def sentences(**options):
        few = {name: cells[:120] for name, cells in rows.items()}
        return " ".join(contents(tables.fit(few, cluster="who", learner="logistic", **options)))

    assert sentences() == (
        "The model holds no rows of the training table. It holds hashes of the values and words "
        "that 5 or more entities share, and how often they occur; whoever has the model can find "
        "these values by trying."
    )
    text = sentences(sample="rows", min_entities=1)
    assert text.startswith("The model holds 12 rows of the training table. It holds hashes of")
    assert "that two or more rows share" in text


@pytest.mark.parametrize("value", [0, -1, 2.5, "5"])
def test_other_numbers_of_entities_are_refused(rows, value):
    with pytest.raises(InputError, match="`min_entities=` is"):
        tables.fit(rows, cluster="who", min_entities=value)
