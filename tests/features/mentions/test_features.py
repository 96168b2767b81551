"""Features of mentions: compared with a plain twin, and properties that are read from texts."""

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie._kernels.texts.mentions import Conjunctions, conjunction_rows, shared_words
from coterie._saving import load_value, save_value
from coterie.checks.featurizers import check_featurizer
from coterie.exceptions import FeatureError
from coterie.features.given import WithConstant
from coterie.features.mentions.encoding import CLASSES, GROUPS, PROPERTIES
from coterie.features.mentions.features import CONJUNCTIONS, MentionFeatures
from coterie.features.mentions.readings import PRONOUN_TYPES, mention_rows, read_mention
from coterie.features.mentions.relations import RELATIONS
from coterie.features.operators import to_matrix
from coterie.items import ItemSet
from coterie.pairs import all_pairs

DOCS = Path(__file__).parents[3] / "docs" / "mention-features.md"
NAMES = MentionFeatures().names

TEXTS = (
    "Ann", "Ann Lee", "Mrs. Lee", "John Lee", "she", "her", "He", "I", "you", "We", "my", "it",
    "they", "this", "there", "himself", "someone", "the old house", "a house", "houses",
    "the house 's", "my father 's house", "his house of wood", "that city",
    "the city of Rome", "Rome", "UN",
    "the United Nations", "25 dogs", "3 dogs", "the dog which I saw", "to go", "",
)  # fmt: skip
SYNTAX = {
    "head": ["house", "Lee", "", "dog"],
    "lemma": ["house", "go", ""],
    "name": ["Ann Lee", "", None],
    "upos": ["NOUN", "PROPN", "PRON", "VERB", "ADJ", ""],
    "number": ["Sing", "Plur", "Ptan", ""],
    "gender": ["Masc", "Fem", "Neut", "Fem,Masc", ""],
    "role": ["nsubj", "obj", "appos", "conj", "nmod:poss", "det", ""],
    "governor": ["house", "go", "dog", ""],
    "speaker": ["AnnLee", "Bo", ""],
    "form": ["PRON", "NOM", "PROP"],
    "before": ["", ",", "of", "said", "that"],
    "after": ["is", "said", "jumped", ""],
    "turn": [0, 1, 2, 3],
    "quoted": [0, 1],
}


@st.composite
def documents(draw, max_items=7):
    """Draw a document of mentions with some of the columns, positions in text order."""
    n_items = draw(st.integers(0, max_items))
    starts = sorted(draw(st.lists(st.integers(0, 12), min_size=n_items, max_size=n_items)))
    lengths = draw(st.lists(st.integers(0, 4), min_size=n_items, max_size=n_items))
    spans = sorted(
        {(start, -start - length) for start, length in zip(starts, lengths, strict=True)}
    )
    columns = {
        "start": [start for start, _ in spans],
        "end": [-end for _, end in spans],
        "sentence": [start // 4 for start, _ in spans],
    }
    column_names = draw(st.sets(st.sampled_from(sorted(SYNTAX))))
    for name, values in {
        "text": TEXTS,
        **{name: SYNTAX[name] for name in sorted(column_names)},
    }.items():
        size = len(spans)
        columns[name] = draw(st.lists(st.sampled_from(values), min_size=size, max_size=size))
    if draw(st.booleans()):
        columns["position"] = list(range(len(spans)))
    return columns


def plain_properties(reading):
    """Return the properties that a mention has."""
    properties = {reading.type, reading.role, reading.entity_class or "unknown class"}
    properties |= {group for group, types in GROUPS.items() if reading.type in types}
    if reading.after == "is":
        properties.add("before copula")
    if reading.before == ",":
        properties.add("after comma")
    if reading.head.endswith(("self", "selves")):
        properties.add("reflexive")
    if reading.string in ("my", "her"):
        properties.add("possessive")
    if reading.quoted:
        properties.add("quoted")
    elif "said" in (reading.before, reading.after):
        properties.add("speaks")
    return properties & set(PROPERTIES)


def step_of_distance(steps, distance):
    """Return the step that contains a distance, from texts such as "3-5" or "16 or more"."""
    for step in steps:
        low, high = [*re.findall(r"\d+", step), None][:2]
        limit = float("inf") if step.endswith("more") else int(high or low)
        if int(low) <= distance <= limit or (distance == 0 and low == "1" and "mentions" in step):
            return step
    raise AssertionError(distance)


def plain_texts(a, b):
    for name in ("string", "core", "lemma", "possessor"):
        yield f"same {name}", getattr(a, name) == getattr(b, name) != ""
    for name in ("possessor", "digits"):
        values = getattr(a, name), getattr(b, name)
        yield f"other {name}", all(values) and values[0] != values[1]
    yield "same beginning", a.head[:4] == b.head[:4] and min(len(a.head), len(b.head)) > 4
    yield "acronym", a.initials == b.capitals != "" or b.initials == a.capitals != ""
    words = set(a.words) - {""}, set(b.words) - {""}  # an empty text has no word
    shared = words[0] & words[1]
    yield "half of the words shared", shared and 2 * len(shared) >= max(map(len, words))
    yield "later words in earlier", shared and words[1] <= words[0]
    yield "earlier words in later", shared and words[0] <= words[1]
    yield "later head in earlier", b.head in words[0]
    yield "earlier head in later", a.head in words[1]
    modifiers = set(a.modifiers) - {""}, set(b.modifiers) - {""}
    yield "no new modifier", modifiers[1] and modifiers[1] <= words[0]
    yield "other modifiers", modifiers[1] - words[0] and modifiers[0] - words[1]


def plain_names(a, b):
    names = set(a.names), set(b.names)
    shared = names[0] & names[1]
    yield "names shared", shared
    yield "later name in earlier", names[1] and names[1] <= names[0]
    yield "earlier name in later", names[0] and names[0] <= names[1]
    same_last = all(names) and a.names[-1] == b.names[-1]
    same_first = all(names) and a.names[0] == b.names[0]
    yield "same last name", same_last
    yield "same first name", same_first
    yield "no name shared", all(names) and not shared
    yield "other first name", same_last and not same_first and min(map(len, names)) > 1
    in_words = names[0] & set(b.words) or names[1] & set(a.words)
    yield "name in words", in_words and not all(names)
    speakers = set(a.speaker_names), set(b.speaker_names)
    yield "speaker named", names[0] & speakers[1] or names[1] & speakers[0]


def plain_syntax(a, b, row_a, row_b):
    for name, field in (("number", "number"), ("gender", "gender"), ("class", "entity_class")):
        values = getattr(a, field), getattr(b, field)
        yield f"{name} agrees", values[0] == values[1] != ""
        yield f"{name} clashes", all(values) and values[0] != values[1]
    together = row_a["sentence"] == row_b["sentence"]
    governed = together and b.governor == a.lemma != ""
    yield "nested", row_a["start"] <= row_b["start"] and row_b["end"] <= row_a["end"]
    yield "apposition", governed and b.role == "apposition"
    yield "conjuncts", governed and b.role == "conjunct"
    yield "governs", governed and b.role not in ("apposition", "conjunct")
    yield "subject of", together and a.governor == b.lemma != "" and a.role == "subject"
    gap = row_b["start"] - row_a["end"]
    yield "comma between", together and gap == 2 and b.before == ","
    yield "copula between", together and 1 <= gap <= 4 and a.after == "is"
    yield "same role", a.role == b.role != ""
    yield "same governor", together and a.governor == b.governor != ""


def plain_speech(a, b, row_a, row_b):
    yield "same speaker", a.speaker == b.speaker != ""
    yield "other speaker", a.speaker != b.speaker
    yield "speakers unknown", a.speaker == b.speaker == ""
    ahead = row_b.get("turn", 0) - row_a.get("turn", 0)
    both_quoted = a.quoted and b.quoted
    yield "no quotation", not (a.quoted or b.quoted)
    yield "one quoted", a.quoted != b.quoted
    yield "same turn", both_quoted and ahead == 0
    yield "next turn", both_quoted and ahead == 1
    yield "turn after next", both_quoted and ahead == 2
    speaks = ["speaks" in plain_properties(reading) for reading in (a, b)]
    yield (
        "utters",
        (speaks[0] and b.quoted and ahead == 1) or (speaks[1] and a.quoted and not ahead),
    )


def plain_relations(row_a, row_b):
    a, b = read_mention(row_a), read_mention(row_b)
    statements = [*plain_texts(a, b), *plain_names(a, b)]
    statements += [*plain_syntax(a, b, row_a, row_b), *plain_speech(a, b, row_a, row_b)]
    relations = {name for name, holds in statements if holds}
    steps = [name for name in RELATIONS if " apart: " in name]
    for unit, column in (("sentences", "sentence"), ("mentions", "position")):
        distance = abs(row_b.get(column, 0) - row_a.get(column, 0))
        relations.add(step_of_distance([step for step in steps if step.startswith(unit)], distance))
    return relations


def plain_row(row_a, row_b):
    """Compute the features of a pair, the earlier mention first, by sets of words."""
    properties = [plain_properties(read_mention(row)) for row in (row_a, row_b)]
    holds = {f"earlier {name}" for name in properties[0]} | plain_relations(row_a, row_b)
    holds |= {f"later {name}" for name in properties[1]}
    values = [float(holds.issuperset(conjunction)) for conjunction in CONJUNCTIONS]
    for column in ("sentence", "position"):
        distance = abs(row_b.get(column, 0) - row_a.get(column, 0))
        groups = [group in properties[1] for group in ("pronoun", "name", "noun")]
        values += [np.log1p(distance) / 2 * is_so for is_so in groups]
    return values


@given(documents())
def test_features_are_those_of_a_plain_twin(columns):
    item_set = ItemSet(columns)
    features = to_matrix(MentionFeatures()(item_set, None)).toarray()
    rows = list(mention_rows(item_set.items))
    expected = [plain_row(rows[i], rows[j]) for i, j in all_pairs(len(rows))]
    np.testing.assert_allclose(features, np.reshape(expected, features.shape), err_msg=str(columns))


@given(documents(), st.randoms(use_true_random=False))
def test_the_order_of_the_items_changes_no_pair(columns, random):
    n_items = len(columns["start"])
    order = random.sample(range(n_items), n_items)
    moved_columns = {name: [column[i] for i in order] for name, column in columns.items()}
    pairs = all_pairs(n_items)
    positions = np.argsort(np.array(order, dtype=int))
    features = to_matrix(MentionFeatures()(ItemSet(columns), None)).toarray()
    moved_features = to_matrix(
        MentionFeatures()(ItemSet(moved_columns), positions[pairs])
    ).toarray()
    np.testing.assert_array_equal(moved_features, features)


@settings(max_examples=40)
@given(documents(max_items=5))
def test_a_pair_does_not_depend_on_other_mentions(columns):
    n_items = len(columns["start"])
    features = to_matrix(MentionFeatures()(ItemSet(columns), None)).toarray()
    for row, pair in enumerate(all_pairs(n_items)):
        columns_of_pair = {name: [column[i] for i in pair] for name, column in columns.items()}
        features_of_pair = to_matrix(MentionFeatures()(ItemSet(columns_of_pair), None)).toarray()
        np.testing.assert_array_equal(features_of_pair[0], features[row])


def story(**more):
    columns = {
        "text": ["Ann Lee", "the old house", "She", "it"],
        "start": [0, 2, 6, 8],
        "end": [1, 4, 6, 8],
        "sentence": [0, 0, 1, 1],
        "position": [0, 1, 2, 3],
    }
    return ItemSet(columns | more, ordered=True)


def test_mention_features_keep_the_contract_of_a_featurizer():
    syntax = story(upos=["PROPN", "NOUN", "PRON", "PRON"], role=["nsubj", "obj", "nsubj", "obj"])
    empty = ItemSet({name: [] for name in ("text", "start", "end", "sentence")})
    sets = [story(), syntax, ItemSet({k: v[:1] for k, v in story().items.items()}), empty]
    check_featurizer(MentionFeatures(), sets)
    check_featurizer(WithConstant(MentionFeatures()), sets)


def test_a_pronoun_after_a_name_has_the_expected_features():
    row = to_matrix(MentionFeatures()(story(), [(2, 0)])).toarray()[0]
    active_names = {name for name, value in zip(NAMES, row, strict=True) if value}
    assert {
        "later she & earlier name",
        "later third pronoun & sentences apart: 1",
        "later he or she & gender agrees",
        "later he or she & earlier person",
        "log mentions apart & later pronoun",
    } <= active_names
    assert not any("earlier noun" in name or "same" in name for name in active_names)


def test_frames_are_read_like_columns():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: list(column) for name, column in story().items.items()})
    features = to_matrix(MentionFeatures()(ItemSet(frame), None))
    assert (features != to_matrix(MentionFeatures()(story(), None))).nnz == 0


def test_rows_are_ready_for_kernels():
    matrix = to_matrix(MentionFeatures()(story(), None))
    assert matrix.dtype == np.float64
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert matrix.has_canonical_format
    assert not matrix.data.flags.writeable


def test_each_name_occurs_once_and_in_the_documentation():
    assert len(NAMES) == len(set(NAMES)) >= 40
    documented_names = re.findall(
        r"^\| `([^`]+)` \|", DOCS.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert documented_names == list(NAMES)


def test_conjunctions_combine_existing_relations_and_properties():
    for conjunction in CONJUNCTIONS:
        for name in conjunction:
            start, _, rest = name.partition(" ")
            assert name in RELATIONS or (start in ("earlier", "later") and rest in PROPERTIES)
    for names in (RELATIONS, PROPERTIES):
        assert len(names) == len(set(names)) <= 64
    names_in_conjunctions = {name for conjunction in CONJUNCTIONS for name in conjunction}
    assert set(RELATIONS) <= names_in_conjunctions
    assert set(CLASSES) < set(PROPERTIES)


def test_mention_features_can_be_saved_and_loaded(tmp_path):
    resolve = {"WithConstant": WithConstant, "MentionFeatures": MentionFeatures}.get
    save_value(tmp_path / "features", WithConstant(MentionFeatures()), resolve)
    loaded = load_value(tmp_path / "features", resolve)
    assert loaded.featurizer == MentionFeatures()


def reading_of(text, **more):
    return read_mention({"text": text, "start": 0, "end": 0, "sentence": 0, **more})


@pytest.mark.parametrize(
    ("text", "type_", "head", "number", "gender", "class_"),
    [
        ("I", "i", "i", "Sing", "", "person"),
        ("themselves", "they", "themselves", "Plur", "", ""),
        ("its", "it", "its", "Sing", "Neut", "thing"),
        ("the old woman with a dog", "definite", "woman", "Sing", "Fem", "person"),
        ("two of the cities", "indefinite", "two", "Plur", "", ""),
        ("these cities", "demonstrative noun", "cities", "Plur", "Neut", "place"),
        ("my brother 's", "possessed", "brother", "Sing", "Masc", "person"),
        ("his house", "possessed", "house", "Sing", "Neut", "place"),
        ("children ”", "bare", "children", "Plur", "", "person"),
        ("a linguist", "indefinite", "linguist", "Sing", "", "person"),
        ("glass", "bare", "glass", "Sing", "", ""),
        ("Mrs. Dalloway", "name", "dalloway", "Sing", "Fem", "person"),
        ("Dr. Who", "name", "dr.", "Sing", "", "person"),
        ("John Smith", "name", "smith", "Sing", "Masc", "person"),
        ("Oxford University", "name", "university", "Sing", "Neut", "group"),
        ("New York", "name", "york", "Sing", "Neut", "place"),
    ],
)
def test_properties_are_read_from_the_text_of_a_mention(text, type_, head, number, gender, class_):
    reading = reading_of(text, before="that")
    properties = (reading.type, reading.head, reading.number, reading.gender, reading.entity_class)
    assert properties == (type_, head, number, gender, class_)


def test_columns_take_precedence_over_the_text():
    reading = reading_of(
        "Lee", upos="NOUN", head="lee", lemma="leeway", number="Plur", gender="Fem"
    )
    assert (reading.type, reading.lemma, reading.number) == ("bare", "leeway", "Plur")
    assert reading.gender == "Fem"
    assert reading_of("Dog", form="NOM").type == "bare"
    assert reading_of("dog", form="PROP").type == "name"
    assert reading_of("to leave", upos="VERB").type == "clause"
    assert reading_of("all of us", upos="DET", head="all").type == "indefinite pronoun"
    assert reading_of("Dog", before="").type == "bare"
    assert reading_of("Ann , who sang", form="PROP", name="Ann").names == ("ann",)


def test_roles_are_guessed_where_there_is_no_syntax():
    assert reading_of("dog", role="nsubj:pass").role == "subject"
    assert reading_of("dog", role="det").role == "other"
    assert reading_of("he").role == "subject"
    assert reading_of("him").role == "object"
    assert reading_of("him", before="of").role == "oblique"
    assert reading_of("the dog", after="barked").role == "subject"
    assert reading_of("the dog").role == ""


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([[1.0, 2.0]], "the items are of type ndarray; give mentions as a mapping of names"),
        (
            {"text": ["a"], "start": [0]},
            "there is no column end and no column sentence; give at least",
        ),
        (
            story(start=["a"] * 4).items,
            "column 'start' must be whole numbers; give one whole number per item",
        ),
        (story(end=[0.5] * 4).items, "column 'end' must be whole numbers"),
        (story(turn=[None] * 4).items, "column 'turn' must be whole numbers"),
    ],
)
def test_bad_input_is_refused(items, message):
    with pytest.raises(FeatureError, match=message):
        MentionFeatures()(ItemSet(items), None)


@given(st.lists(st.sets(st.integers(0, 9)), min_size=2, max_size=6))
def test_shared_words_are_counted_per_pair(sets):
    starts = np.cumsum([0, *map(len, sets)])
    words = np.array(
        [word for words_of_item in sets for word in sorted(words_of_item)], dtype=np.intp
    )
    first, second = all_pairs(len(sets)).T.copy()
    counts = shared_words(starts, words, first, starts, words, second)
    assert counts.tolist() == [len(sets[i] & sets[j]) for i, j in all_pairs(len(sets))]


SOME_BITS = np.array([1, 2**40, 2**63], dtype=np.uint64)


@given(st.integers(1, 150), st.integers(0, 2**32))
def test_rows_of_conjunctions_are_those_of_a_plain_twin(n_features, seed):
    rng = np.random.default_rng(seed)
    n_items, n_words = 4, -(-n_features // 64)
    relations = rng.integers(0, 2, (n_features, 3), dtype=np.uint64) @ SOME_BITS
    allowed = rng.integers(0, 2**64, (2, n_items, n_words), dtype=np.uint64)
    if n_features % 64:
        allowed[:, :, -1] &= np.uint64(2 ** (n_features % 64) - 1)
    by_relation = np.zeros((65, n_words), dtype=np.uint64)
    for feature, required_bits in enumerate(relations.tolist()):
        for bit in [b for b in range(64) if required_bits >> b & 1] or [64]:
            by_relation[bit, feature // 64] |= np.uint64(1 << feature % 64)
    earlier, later = all_pairs(n_items).T.copy()
    relations_of_pairs = rng.integers(0, 2, (len(earlier), 3), dtype=np.uint64) @ SOME_BITS
    numbers = rng.integers(0, 2, (2, len(earlier))) * 0.5
    conjunctions = Conjunctions(*allowed, by_relation, relations)
    starts, columns, data = conjunction_rows(
        earlier, later, relations_of_pairs, conjunctions, numbers
    )
    for pair in range(len(earlier)):
        allowed_bits = allowed[0, earlier[pair]] & allowed[1, later[pair]]
        expected = [
            (feature, 1.0)
            for feature in range(n_features)
            if int(allowed_bits[feature // 64]) >> feature % 64 & 1
            and int(relations[feature]) & ~int(relations_of_pairs[pair]) == 0
        ]
        expected += [(n_features + c, 0.5) for c in range(2) if numbers[c, pair]]
        row = slice(starts[pair], starts[pair + 1])
        assert list(zip(columns[row], data[row], strict=True)) == expected


def test_pronouns_have_the_types_that_are_crossed():
    assert {"i", "we", "you", "he", "she", "it", "they"} < set(PRONOUN_TYPES)


PLAIN = {"text": ["I", "you", "I"], "sentence": [0, 0, 1], "start": [0, 6, 9], "end": [1, 7, 9]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": ["a", 3, "c"]}, "text of item 1 is 3, not a string; give a string"),
        ({"speaker": [1, 2, 1]}, "speaker of item 0 is 1, not a string; give a string, or None"),
        ({"quoted": ["0", "0", "0"]}, "quoted is '0'; give 1 for a mention inside a quotation"),
        ({"start": np.zeros((3, 2), int)}, "column 'start' must be whole numbers"),
    ],
)
def test_values_of_another_kind_are_refused(change, message):
    with pytest.raises(FeatureError, match=message):
        MentionFeatures()(ItemSet(PLAIN | change), None)


def test_missing_values_agree_with_nothing():
    items = ItemSet(PLAIN | {"text": ["Ann", None, None]})
    columns = MentionFeatures()(items, [(1, 2)]).to_matrix().indices
    names = " ".join(MentionFeatures().names[column] for column in columns)
    assert "same string" not in names
    assert "shared" not in names
    assert "head in" not in names


def test_an_item_set_without_mentions_has_no_pairs():
    assert MentionFeatures()(ItemSet([]), None).shape[0] == 0


def test_positions_that_are_lists_and_items_that_are_sparse_are_refused():
    columns = {"text": ["a", "b"], "start": [0, (1, 2)], "end": [1, 2], "sentence": [0, 0]}
    with pytest.raises(FeatureError, match="column 'start' must be whole numbers"):
        MentionFeatures().encode(ItemSet(columns))
    with pytest.raises(FeatureError, match="give mentions as a mapping"):
        MentionFeatures().encode(ItemSet(sp.csr_array(np.eye(3))))
