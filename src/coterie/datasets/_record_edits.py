"""The errors that are made in writing down the records of people."""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from typing import TypeAlias

from coterie.datasets import _record_tables as tables

Edit: TypeAlias = Callable[[str, int], str | None]
"""Takes a text and 64 random bits; the text may come back as it was."""

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


def _neighbors(rows: Sequence[str]) -> dict[str, str]:
    places = {key: (y, x) for y, row in enumerate(rows) for x, key in enumerate(row)}
    near = {(0, -1), (0, 1), (1, -1), (1, 0), (-1, 0), (-1, 1)}
    return {
        key: "".join(other for other, (v, u) in places.items() if (v - y, u - x) in near)
        for key, (y, x) in places.items()
    }


_KEYBOARD = _neighbors(["qwertyuiop", "asdfghjkl", "zxcvbnm"]) | _neighbors(["1234567890"])


def _key_near(char: str, bits: int) -> str:
    near = _KEYBOARD.get(char.lower(), "aeiou")
    key = near[(bits >> 32) % len(near)]
    return key.upper() if char.isupper() else key


@lru_cache(maxsize=1 << 16)
def unaccented(text: str) -> str:
    """Write a text in plain Latin letters.

    >>> unaccented("Łukasz Müller-Groß")
    'Lukasz Muller-Gross'
    """
    parts = unicodedata.normalize("NFKD", text.translate(_STROKES))
    return "".join(char for char in parts if not unicodedata.combining(char))


@lru_cache(maxsize=1 << 16)
def lettered(name: str) -> str:
    """Write a name as e-mail addresses do.

    >>> lettered("O'Brien-Peña")
    'obrienpena'
    """
    return "".join(char for char in unaccented(name).lower() if char.isalpha())


def _replace(text: str, at: int, new: str) -> str:
    return text[:at] + new + text[at + 1 :]


def _substituted(text: str, bits: int) -> str:
    at = bits % len(text)
    return _replace(text, at, _key_near(text[at], bits))


def _inserted(text: str, bits: int) -> str:
    at = bits % len(text)
    return _replace(text, at, text[at] + _key_near(text[at].lower(), bits))


def _deleted(text: str, bits: int) -> str:
    return _replace(text, bits % len(text), "") or text


def _transposed(text: str, bits: int) -> str:
    at = bits % max(len(text) - 1, 1)
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _plain(text: str, _bits: int) -> str:
    return unaccented(text)


def _respelled(text: str, bits: int) -> str:
    found = [pair for pair in _SOUNDS if pair[0] in text]
    return text.replace(*found[bits % len(found)], 1) if found else text


def _initial(text: str, bits: int) -> str:
    return text[0] + "." * (bits & 1)


def _nickname(text: str, bits: int) -> str:
    names = _NICKNAMES.get(text)
    return names[bits % len(names)] if names else _initial(text, bits)


def _rejoined(text: str, bits: int) -> str:
    """Add a second surname, or keep only one of the two."""
    if "-" in text:
        return text.split("-")[bits & 1]
    return f"{text}-{tables.SURNAMES.flat[bits % tables.SURNAMES.size]}"


def _missing(_text: str, _bits: int) -> None:
    return None


def _slipped(text: str, bits: int) -> str:
    """Put another digit in place of one."""
    digits = [at for at, char in enumerate(text) if char.isdigit()]
    at = digits[bits % len(digits)]
    return _replace(text, at, str((int(text[at]) + 1 + (bits >> 32) % 9) % 10))


def _misread(text: str, bits: int) -> str:
    digits = [at for at, char in enumerate(text) if char.isdigit()]
    at = digits[bits % len(digits)]
    return _replace(text, at, _LOOKALIKES[text[at]])


def _date_slipped(text: str, bits: int) -> str:
    changed = text[:3] + _slipped(text[3:], bits)
    try:
        date.fromisoformat(changed)
    except ValueError:
        return f"{text[:8]}{int(text[8:]) % 28 + 1:02}"
    return changed


def _day_as_month(text: str, bits: int) -> str:
    year, month, day = text.split("-")
    return _date_slipped(text, bits) if int(day) > 12 else f"{year}-{day}-{month}"


def _year_only(text: str, _bits: int) -> str:
    return f"{text[:4]}-01-01"


def _abbreviated(text: str, bits: int) -> str:
    short = " ".join(_ABBREVIATIONS.get(word, word) for word in text.split(" "))
    return short if short == text else short + "." * (bits & 1)


def _last_word_lost(text: str, _bits: int) -> str:
    return text.rpartition(" ")[0] or text


def _flat_added(text: str, bits: int) -> str:
    number, _, street = text.partition(" ")
    return f"{number}{'ABCD'[bits & 3]} {street}"


def _reformatted(text: str, bits: int) -> str:
    area, middle, end = text.split(" ")
    styles = (f"{area}{middle}{end}", f"({area}) {middle}-{end}", f"{area}-{middle}-{end}",
              f"+990 {area[1:]} {middle} {end}", f"{area} {middle}{end}")  # fmt: skip
    return styles[bits % len(styles)]


def _provider_changed(text: str, bits: int) -> str:
    return f"{text.partition('@')[0]}@{tables.DOMAINS[bits % len(tables.DOMAINS)]}"


_TYPOS: dict[Edit, float] = {_substituted: 3, _inserted: 2, _deleted: 3, _transposed: 2}

EDITS: dict[str, dict[Edit, float]] = {
    "given_name": _TYPOS | {_nickname: 7, _initial: 3, _plain: 2, _respelled: 3, _missing: 1},
    "surname": _TYPOS | {_respelled: 4, _rejoined: 3, _plain: 2, _missing: 0.5},
    "birth_date": {_date_slipped: 5, _day_as_month: 3, _year_only: 1, _missing: 3},
    "street": _TYPOS
    | {_abbreviated: 10, _slipped: 4, _flat_added: 2, _last_word_lost: 2, _missing: 2},
    "city": _TYPOS | {_abbreviated: 3, _plain: 1, _missing: 2},
    "postcode": {_slipped: 4, _transposed: 3, _misread: 2, _missing: 2},
    "phone": {_slipped: 4, _transposed: 1, _misread: 1, _reformatted: 6, _missing: 5},
    "email": _TYPOS | {_provider_changed: 3, _missing: 8},
}
"""The errors of each field and their weights; the first always changes the text."""
