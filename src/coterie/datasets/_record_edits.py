"""Errors as they occur in the records of people, such as typing errors and abbreviations."""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from typing import TypeAlias

from coterie.datasets import _record_tables as tables

Edit: TypeAlias = Callable[[str, int], str | None]
"""A function of a text and 64 random bits that returns a changed text, or the same one."""

_ABBREVIATIONS = {
    "Street": "St", "Road": "Rd", "Avenue": "Ave", "Lane": "Ln", "Drive": "Dr", "Close": "Cl",
    "Court": "Ct", "Place": "Pl", "Boulevard": "Blvd", "Terrace": "Ter", "Square": "Sq",
    "Crescent": "Cres", "North": "N", "South": "S", "Port": "Pt", "Saint": "St", "Mount": "Mt",
    "Fort": "Ft", "Upper": "Upr", "Lake": "Lk",
}  # fmt: skip
_NICKNAME_LIST = (
    "John:Jack/Johnny Mary:Molly/Polly William:Bill/Will/Billy Elizabeth:Liz/Beth/Betty"
    " James:Jim/Jimmy Margaret:Maggie/Peggy/Meg Robert:Bob/Rob/Bobby Patricia:Pat/Trish"
    " Michael:Mike/Mick Susan:Sue/Susie David:Dave Barbara:Barb/Babs Richard:Rick/Dick"
    " Catherine:Kate/Cathy/Katherine Thomas:Tom/Tommy Dorothy:Dot/Dolly Charles:Charlie/Chuck"
    " Helen:Nell Joseph:Joe/Joey Edward:Ted/Ed/Ned Judith:Judy Peter:Pete Stephen:Steve/Steven"
    " Frances:Fran Philip:Phil/Phillip Deborah:Deb/Debbie Anthony:Tony Virginia:Ginny Kenneth:Ken"
    " Pamela:Pam Ronald:Ron Christine:Chris/Tina Frederick:Fred Rosemary:Rose"
    " Lawrence:Larry/Laurence Geoffrey:Geoff/Jeffrey Anne:Ann/Annie Olivia:Liv/Livvy Emily:Em"
    " Daniel:Dan/Danny Sophie:Sophia Matthew:Matt Jessica:Jess Joshua:Josh Benjamin:Ben Samuel:Sam"
    " Hannah:Hanna Alexander:Alex/Sandy Rebecca:Becky Christopher:Chris/Kit Katherine:Kate/Kathy"
    " Andrew:Andy/Drew Abigail:Abby Nicholas:Nick Amelia:Millie Jonathan:Jon Timothy:Tim"
    " Charlotte:Lottie Gregory:Greg Natalie:Nat Jacob:Jake Samantha:Sam Zachary:Zach Isabella:Bella"
    " Theodore:Theo/Ted Victoria:Vicky Nathaniel:Nate Madeleine:Maddie Dominic:Dom Penelope:Penny"
    " Sebastian:Seb Jennifer:Jen/Jenny Oliver:Ollie José:Pepe Francisco:Paco/Pancho María:Mari"
    " Dolores:Lola Concepción:Concha Manuel:Manolo Ignacio:Nacho Guadalupe:Lupe Giuseppe:Beppe"
    " Alessandro:Sandro Francesca:Franca Giovanni:Gianni Margaux:Margot Katarzyna:Kasia"
    " Małgorzata:Gosia Krzysztof:Krzysiek Agnieszka:Aga Ivan:Vanya Mikhail:Misha Dmitri:Dima"
    " Natalia:Natasha Stanisław:Staszek Wojciech:Wojtek Mohammed:Mohamed/Muhammad/Mo Fatima:Fatma"
    " Aisha:Ayesha Yusuf:Yousef Hassan:Hasan Ursula:Uschi Wolfgang:Wolf Lieselotte:Lilo Isabel:Isa"
)
_NICKNAMES = {
    name: nicknames.split("/")
    for name, _, nicknames in (entry.partition(":") for entry in _NICKNAME_LIST.split())
}
_SOUNDS = (
    ("ph", "f"), ("ck", "k"), ("ie", "y"), ("y", "i"), ("ei", "ie"), ("ll", "l"), ("tt", "t"),
    ("nn", "n"), ("ss", "s"), ("c", "k"), ("z", "s"), ("v", "w"), ("oo", "u"), ("th", "t"),
)  # fmt: skip
_LOOKALIKES = dict(zip("0123456789", "Ol7BASb1Bg", strict=True))
_STROKES = str.maketrans(
    {"Ł": "L", "ł": "l", "Ø": "O", "ø": "o", "Đ": "D", "đ": "d", "ß": "ss", "ı": "i"}
)


def _adjacent_keys(rows: Sequence[str]) -> dict[str, str]:
    position_of = {key: (y, x) for y, row in enumerate(rows) for x, key in enumerate(row)}
    # The rows of a keyboard are shifted by half a key each.
    steps = {(0, -1), (0, 1), (1, -1), (1, 0), (-1, 0), (-1, 1)}
    return {
        key: "".join(other for other, (v, u) in position_of.items() if (v - y, u - x) in steps)
        for key, (y, x) in position_of.items()
    }


_KEYBOARD = _adjacent_keys(["qwertyuiop", "asdfghjkl", "zxcvbnm"]) | _adjacent_keys(["1234567890"])


def _random_adjacent_key(char: str, bits: int) -> str:
    keys = _KEYBOARD.get(char.lower(), "aeiou")
    key = keys[(bits >> 32) % len(keys)]
    return key.upper() if char.isupper() else key


@lru_cache(maxsize=1 << 16)
def without_accents(text: str) -> str:
    """Return a text without accents and strokes on Latin letters.

    >>> without_accents("Łukasz Müller-Groß")
    'Lukasz Muller-Gross'
    """
    parts = unicodedata.normalize("NFKD", text.translate(_STROKES))
    return "".join(char for char in parts if not unicodedata.combining(char))


@lru_cache(maxsize=1 << 16)
def ascii_letters(name: str) -> str:
    """Return the letters of a name in lower case without accents, as in e-mail addresses.

    >>> ascii_letters("O'Brien-Peña")
    'obrienpena'
    """
    return "".join(char for char in without_accents(name).lower() if char.isalpha())


def _replace(text: str, index: int, new: str) -> str:
    return text[:index] + new + text[index + 1 :]


def _substitute(text: str, bits: int) -> str:
    index = bits % len(text)
    return _replace(text, index, _random_adjacent_key(text[index], bits))


def _insert(text: str, bits: int) -> str:
    index = bits % len(text)
    return _replace(text, index, text[index] + _random_adjacent_key(text[index].lower(), bits))


def _delete(text: str, bits: int) -> str:
    return _replace(text, bits % len(text), "") or text


def _transpose(text: str, bits: int) -> str:
    index = bits % max(len(text) - 1, 1)
    return text[:index] + text[index : index + 2][::-1] + text[index + 2 :]


def _remove_accents(text: str, _bits: int) -> str:
    return without_accents(text)


def _respell(text: str, bits: int) -> str:
    replacements = [pair for pair in _SOUNDS if pair[0] in text]
    return text.replace(*replacements[bits % len(replacements)], 1) if replacements else text


def _use_initial(text: str, bits: int) -> str:
    return text[0] + "." * (bits & 1)


def _use_nickname(text: str, bits: int) -> str:
    names = _NICKNAMES.get(text)
    return names[bits % len(names)] if names else _use_initial(text, bits)


def _change_double_name(text: str, bits: int) -> str:
    """Add a second surname, or drop one of two."""
    if "-" in text:
        return text.split("-")[bits & 1]
    return f"{text}-{tables.SURNAMES.flat[bits % tables.SURNAMES.size]}"


def _blank(_text: str, _bits: int) -> None:
    return None


def _change_digit(text: str, bits: int) -> str:
    """Replace one digit by another."""
    digits = [index for index, char in enumerate(text) if char.isdigit()]
    index = digits[bits % len(digits)]
    return _replace(text, index, str((int(text[index]) + 1 + (bits >> 32) % 9) % 10))


def _misread_digit(text: str, bits: int) -> str:
    digits = [index for index, char in enumerate(text) if char.isdigit()]
    index = digits[bits % len(digits)]
    return _replace(text, index, _LOOKALIKES[text[index]])


def _change_date_digit(text: str, bits: int) -> str:
    changed = text[:3] + _change_digit(text[3:], bits)
    try:
        date.fromisoformat(changed)
    except ValueError:
        return f"{text[:8]}{int(text[8:]) % 28 + 1:02}"
    return changed


def _swap_day_and_month(text: str, bits: int) -> str:
    year, month, day = text.split("-")
    return _change_date_digit(text, bits) if int(day) > 12 else f"{year}-{day}-{month}"


def _keep_year_only(text: str, _bits: int) -> str:
    return f"{text[:4]}-01-01"


def _abbreviate_words(text: str, bits: int) -> str:
    short = " ".join(_ABBREVIATIONS.get(word, word) for word in text.split(" "))
    return short if short == text else short + "." * (bits & 1)


def _drop_last_word(text: str, _bits: int) -> str:
    return text.rpartition(" ")[0] or text


def _add_flat(text: str, bits: int) -> str:
    number, _, street = text.partition(" ")
    return f"{number}{'ABCD'[bits & 3]} {street}"


def _reformat_phone(text: str, bits: int) -> str:
    area, middle, end = text.split(" ")
    styles = (f"{area}{middle}{end}", f"({area}) {middle}-{end}", f"{area}-{middle}-{end}",
              f"+990 {area[1:]} {middle} {end}", f"{area} {middle}{end}")  # fmt: skip
    return styles[bits % len(styles)]


def _change_provider(text: str, bits: int) -> str:
    return f"{text.partition('@')[0]}@{tables.DOMAINS[bits % len(tables.DOMAINS)]}"


_TYPOS: dict[Edit, float] = {_substitute: 3, _insert: 2, _delete: 3, _transpose: 2}

EDITS: dict[str, dict[Edit, float]] = {
    "given_name": _TYPOS
    | {_use_nickname: 7, _use_initial: 3, _remove_accents: 2, _respell: 3, _blank: 1},
    "surname": _TYPOS | {_respell: 4, _change_double_name: 3, _remove_accents: 2, _blank: 0.5},
    "birth_date": {_change_date_digit: 5, _swap_day_and_month: 3, _keep_year_only: 1, _blank: 3},
    "street": _TYPOS
    | {_abbreviate_words: 10, _change_digit: 4, _add_flat: 2, _drop_last_word: 2, _blank: 2},
    "city": _TYPOS | {_abbreviate_words: 3, _remove_accents: 1, _blank: 2},
    "postcode": {_change_digit: 4, _transpose: 3, _misread_digit: 2, _blank: 2},
    "phone": {_change_digit: 4, _transpose: 1, _misread_digit: 1, _reformat_phone: 6, _blank: 5},
    "email": _TYPOS | {_change_provider: 3, _blank: 8},
}
"""The errors of each field and their weights; the first one always changes the text."""
