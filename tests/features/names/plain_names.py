"""The features of two names in plain Python, straight from their definitions."""

from itertools import combinations, product

from rapidfuzz.distance import Levenshtein

from coterie.features.names.features import NameFeatures
from coterie.features.names.tokens import fold_case, name_tokens
from coterie.features.names.words import (
    HONORIFICS,
    LEGAL_FORMS,
    NUMBERS,
    SMALL,
    SUFFIXES,
    SURNAMES,
    senses,
)

COLUMNS = NameFeatures().names
GROUPS = HONORIFICS | SUFFIXES
IDLE = {*SMALL, *LEGAL_FORMS}
EQUAL = {"case-insensitive equal", "prefix equality", "substring"}
NEAR = {"prefix edit distance", "edit distance"}
MATCHED = {"case-insensitive equal", "nickname", "abbreviation", "edit distance", "initial"}
MATCHED |= {"symbol map"}


def is_number(token):
    roman = token in {word.upper() for word in NUMBERS if set(word) <= set("ivx")}
    return any(letter.isdigit() for letter in token) or (roman and len(token) > 1)


def in_order(short, long):
    letters = iter(long)
    return all(letter in letters for letter in short)


def abbreviates(short, long):
    if short in SMALL or not 2 <= len(short) <= min(4, len(long) - 2) or short[-1] in "aeiou":
        return False
    contracted = in_order(short, long) and not set(short[1:]) & set("aeiou")
    ends = short[0] == long[0] and short[-1] == long[-1]
    return (contracted and ends) or (
        len(short) > 2 and long.startswith(short) and short[-2] not in "aeiou"
    )


def plain_relations(first, second):
    """Return the relations of two tokens by their definitions."""
    short, long = sorted((fold_case(first), fold_case(second)), key=len)
    if short == long:
        return EQUAL | NEAR | ({"equality"} if first == second else set())
    relations = {relation for relation, _ in set(senses(first)) & set(senses(second))}
    if is_number(first) or is_number(second):
        return relations
    rules = {
        "prefix equality": short[:3] == long[:3],
        "substring": len(short) > 1 and short in long,
        "abbreviation": abbreviates(short, long),
        "prefix edit distance": len(short) > 2 and Levenshtein.distance(short[:4], long[:4]) < 2,
        "edit distance": len(short) > 2 and Levenshtein.distance(short, long) < 2,
        "initial": len(short) == 1 < len(long) and long[0] == short,
    }
    return relations | {relation for relation, holds in rules.items() if holds}


def split_honorifics(tokens):
    """Return the honorifics before a name, the name itself, and the honorifics after it."""
    name, before, behind = list(tokens), [], []
    while len(name) > 1 and fold_case(name[-1]) in SUFFIXES:
        behind.append(name.pop())
    while (
        name
        and fold_case(name[0]) in HONORIFICS
        and (name[1:] or fold_case(name[0]) not in SURNAMES)
    ):
        before.append(name.pop(0))
    return before, name, behind


def compare_honorifics(first_honorifics, second_honorifics, features):
    pairs = [
        (fold_case(first), fold_case(second))
        for first in first_honorifics
        for second in second_honorifics
    ]
    equal = any(first == second for first, second in pairs)
    alike = any(first != second and GROUPS[first] == GROUPS[second] for first, second in pairs)
    features["honorific equal"] |= equal
    features["honorific equivalence"] |= alike
    features["honorific mismatch"] |= bool(pairs) and not equal and not alike


def initials(words):
    return "".join(fold_case(word)[0] for word in words)


def not_small(words):
    return [word for word in words if fold_case(word) not in SMALL]


def acronym_runs(token, words):
    """Yield the start and end of each run of words of which a token in capitals is an acronym."""
    if not (token.isupper() and token.isalpha() and 1 < len(token) < 7 and not is_number(token)):
        return
    for begin, end in combinations(range(len(words) + 1), 2):
        run = words[begin:end]
        without_small = initials(not_small(run)) if not_small(run[-1:]) else ""
        contains_token = fold_case(token) in map(fold_case, run)
        if (
            not contains_token
            and not_small([token])
            and fold_case(token) in (initials(run), without_small)
        ):
            yield begin, end


def is_acronym_of(token, words):
    """Return whether a token has the initials of a name, exactly and with one extra letter."""
    text = fold_case(token)
    if is_number(token) or not 2 <= len(text) <= 6 or len(words) < 2:
        return False, False
    may_have_extra = token.isupper() and token.isalpha() and not_small([token])
    shortened = may_have_extra and {text[:i] + text[i + 1 :] for i in range(1, len(text) - 1)}
    all_initials = {initials(words), initials(not_small(words))}
    return text in all_initials, bool(may_have_extra and shortened & all_initials)


def match_acronyms(tokens, other_tokens, all_other_tokens, matched, other_matched, features):
    for i, token in enumerate(tokens):
        for begin, end in acronym_runs(token, other_tokens):
            matched[i] = True
            other_matched[begin:end] = [True] * (end - begin)
            features["abbreviation"] = True
            features["abbreviation, first"] |= i == begin == 0
            features["abbreviation, last"] |= i == len(tokens) - 1 and end == len(other_tokens)
    if len(tokens) == 1 and fold_case(tokens[0]) not in map(fold_case, all_other_tokens):
        is_acronym, is_longer_acronym = map(
            any,
            zip(
                is_acronym_of(tokens[0], other_tokens),
                is_acronym_of(tokens[0], all_other_tokens),
                strict=True,
            ),
        )
        matched[0] |= is_acronym
        if is_acronym or is_longer_acronym:
            other_matched[:] = [True] * len(other_tokens)
            for position in ("", ", first", ", last"):
                features[f"abbreviation{position}"] = True


def write_shares(counted, features):
    """Write the shares of matched tokens of two names, given which counted tokens are matched."""
    shorter, longer = sorted(counted, key=lambda matched: (len(matched), -sum(matched)))
    features["shorter matched"] = all(shorter)
    features["both matched"] = all(shorter) and all(longer)
    features["share of shorter matched"] = sum(shorter) / len(shorter)
    features["share of longer matched"] = sum(longer) / len(longer)


def counted_tokens(tokens, matched):
    pairs = zip(tokens, matched, strict=True)
    return [
        is_matched for token, is_matched in pairs if is_matched or fold_case(token) not in IDLE
    ] or matched


def shares_group(tokens, other_tokens):
    groups = {GROUPS[fold_case(token)] for token in other_tokens}
    return [GROUPS[fold_case(token)] in groups for token in tokens]


def plain_features(first, second):
    """Return the features of two names by their definitions."""
    features = dict.fromkeys(COLUMNS, 0.0)
    first_tokens, second_tokens = name_tokens(first or ""), name_tokens(second or "")
    first_before, first_name, first_behind = split_honorifics(first_tokens)
    second_before, second_name, second_behind = split_honorifics(second_tokens)
    features |= dict.fromkeys(COLUMNS[:3], False)
    compare_honorifics(first_before, second_before, features)
    compare_honorifics(first_behind, second_behind, features)
    if first_tokens and second_tokens and not first_name and not second_name:
        write_shares(
            [shares_group(first_tokens, second_tokens), shares_group(second_tokens, first_tokens)],
            features,
        )
    if first_name and second_name:
        compare_tokens(first_name, second_name, first_tokens, second_tokens, features)
    return [float(features[column]) for column in COLUMNS]


def compare_tokens(first_name, second_name, first_tokens, second_tokens, features):
    first_matched, second_matched = [False] * len(first_name), [False] * len(second_name)
    features |= dict.fromkeys(COLUMNS[3:-4], False)
    for (i, token), (j, other_token) in product(enumerate(first_name), enumerate(second_name)):
        relations = plain_relations(token, other_token)
        for relation in relations:
            features[relation] = True
            features[f"{relation}, first"] |= i == j == 0
            features[f"{relation}, last"] |= i == len(first_name) - 1 and j == len(second_name) - 1
        if relations & MATCHED:
            first_matched[i] = second_matched[j] = True
    match_acronyms(first_name, second_name, second_tokens, first_matched, second_matched, features)
    match_acronyms(second_name, first_name, first_tokens, second_matched, first_matched, features)
    write_shares(
        [counted_tokens(first_name, first_matched), counted_tokens(second_name, second_matched)],
        features,
    )
