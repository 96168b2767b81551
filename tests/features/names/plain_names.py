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


def number(token):
    roman = token in {word.upper() for word in NUMBERS if set(word) <= set("ivx")}
    return any(letter.isdigit() for letter in token) or (roman and len(token) > 1)


def in_order(short, long):
    rest = iter(long)
    return all(letter in rest for letter in short)


def abbreviates(short, long):
    if short in SMALL or not 2 <= len(short) <= min(4, len(long) - 2) or short[-1] in "aeiou":
        return False
    contracted = in_order(short, long) and not set(short[1:]) & set("aeiou")
    ends = short[0] == long[0] and short[-1] == long[-1]
    return (contracted and ends) or (
        len(short) > 2 and long.startswith(short) and short[-2] not in "aeiou"
    )


def related(one, other):
    """Return the relations of two tokens by their definitions."""
    short, long = sorted((fold_case(one), fold_case(other)), key=len)
    if short == long:
        return EQUAL | NEAR | ({"equality"} if one == other else set())
    found = {relation for relation, _ in set(senses(one)) & set(senses(other))}
    if number(one) or number(other):
        return found
    rules = {
        "prefix equality": short[:3] == long[:3],
        "substring": len(short) > 1 and short in long,
        "abbreviation": abbreviates(short, long),
        "prefix edit distance": len(short) > 2 and Levenshtein.distance(short[:4], long[:4]) < 2,
        "edit distance": len(short) > 2 and Levenshtein.distance(short, long) < 2,
        "initial": len(short) == 1 < len(long) and long[0] == short,
    }
    return found | {relation for relation, holds in rules.items() if holds}


def split(tokens):
    """Return the honorifics before a name, the name itself, and those behind it."""
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


def compare_honorifics(own, their, found):
    pairs = [(fold_case(one), fold_case(other)) for one in own for other in their]
    equal = any(one == other for one, other in pairs)
    alike = any(one != other and GROUPS[one] == GROUPS[other] for one, other in pairs)
    found["honorific equal"] |= equal
    found["honorific equivalence"] |= alike
    found["honorific mismatch"] |= bool(pairs) and not equal and not alike


def initials(words):
    return "".join(fold_case(word)[0] for word in words)


def not_small(words):
    return [word for word in words if fold_case(word) not in SMALL]


def runs(token, words):
    """Yield where words begin and end that a token in capitals has the initials of."""
    if not (token.isupper() and token.isalpha() and 1 < len(token) < 7 and not number(token)):
        return
    for begin, end in combinations(range(len(words) + 1), 2):
        run = words[begin:end]
        skipped = initials(not_small(run)) if not_small(run[-1:]) else ""
        itself = fold_case(token) in map(fold_case, run)
        if not itself and not_small([token]) and fold_case(token) in (initials(run), skipped):
            yield begin, end


def acronym(token, words):
    """Tell whether a token has the initials of a name, and whether it does but for a letter."""
    text = fold_case(token)
    if number(token) or not 2 <= len(text) <= 6 or len(words) < 2:
        return False, False
    spares = token.isupper() and token.isalpha() and not_small([token])
    without = spares and {text[:place] + text[place + 1 :] for place in range(1, len(text) - 1)}
    spelled = {initials(words), initials(not_small(words))}
    return text in spelled, bool(spares and without & spelled)


def match_acronyms(own, their, all_their, own_matched, their_matched, found):
    for place, token in enumerate(own):
        for begin, end in runs(token, their):
            own_matched[place] = True
            their_matched[begin:end] = [True] * (end - begin)
            found["abbreviation"] = True
            found["abbreviation, first"] |= place == begin == 0
            found["abbreviation, last"] |= place == len(own) - 1 and end == len(their)
    if len(own) == 1 and fold_case(own[0]) not in map(fold_case, all_their):
        whole, spare = map(
            any, zip(acronym(own[0], their), acronym(own[0], all_their), strict=True)
        )
        own_matched[0] |= whole
        if whole or spare:
            their_matched[:] = [True] * len(their)
            for place in ("", ", first", ", last"):
                found[f"abbreviation{place}"] = True


def write_shares(counted, found):
    """Write the shares of two lists that tell which tokens are matched."""
    shorter, longer = sorted(counted, key=lambda matched: (len(matched), -sum(matched)))
    found["shorter matched"] = all(shorter)
    found["both matched"] = all(shorter) and all(longer)
    found["share of shorter matched"] = sum(shorter) / len(shorter)
    found["share of longer matched"] = sum(longer) / len(longer)


def that_count(tokens, matched):
    pairs = zip(tokens, matched, strict=True)
    return [met for token, met in pairs if met or fold_case(token) not in IDLE] or matched


def have_group(own, their):
    groups = {GROUPS[fold_case(token)] for token in their}
    return [GROUPS[fold_case(token)] in groups for token in own]


def twin(one, other):
    """Return the features of two names by their definitions."""
    found = dict.fromkeys(COLUMNS, 0.0)
    all_own, all_their = name_tokens(one or ""), name_tokens(other or "")
    (before, own, behind), (before_it, their, behind_it) = split(all_own), split(all_their)
    found |= dict.fromkeys(COLUMNS[:3], False)
    compare_honorifics(before, before_it, found)
    compare_honorifics(behind, behind_it, found)
    if all_own and all_their and not own and not their:
        write_shares([have_group(all_own, all_their), have_group(all_their, all_own)], found)
    if own and their:
        compare_tokens(own, their, all_own, all_their, found)
    return [float(found[column]) for column in COLUMNS]


def compare_tokens(own, their, all_own, all_their, found):
    matched, met = [False] * len(own), [False] * len(their)
    found |= dict.fromkeys(COLUMNS[3:-4], False)
    for (i, token), (j, its) in product(enumerate(own), enumerate(their)):
        relations = related(token, its)
        for relation in relations:
            found[relation] = True
            found[f"{relation}, first"] |= i == j == 0
            found[f"{relation}, last"] |= i == len(own) - 1 and j == len(their) - 1
        if relations & MATCHED:
            matched[i] = met[j] = True
    match_acronyms(own, their, all_their, matched, met, found)
    match_acronyms(their, own, all_own, met, matched, found)
    write_shares([that_count(own, matched), that_count(their, met)], found)
