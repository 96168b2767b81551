"""Texts in plain form, in which spellings that differ in looks only are the same."""

from collections.abc import Iterable
from unicodedata import category, decimal, normalize

STROKES = {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
"""Letters that Unicode does not take apart, though they are Latin ones with something added."""

ACCENTS = (
    *((0x0300, 0x036F), (0x0483, 0x0487), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F)),
    *((0x0670, 0x0670), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F)),
)
"""Where the marks are that words can do without; those of other scripts are parts of letters."""


def plain_text(text: str) -> str:
    """Return the letters and digits of a text without case and accents, the rest as one blank.

    Characters are taken in their compatible form (NFKC), digits of any script as 0 to 9. Invisible
    characters are dropped. A plain text is its own plain text.

    >>> plain_text("  Łukasz O’Brien-MÜLLER,  ﬁrst floor, № ４２ ")
    'lukasz o brien muller first floor no 42'
    >>> plain_text("नई दिल्ली, 北京-٢٠٠٨")
    'नई दिल्ली 北京 2008'
    >>> plain_text("?!")
    ''
    """
    if text.isascii():
        return " ".join(text.lower().translate(_CHARACTERS).split())
    taken_apart = normalize("NFKD", normalize("NFKD", text.casefold()).casefold())
    return " ".join(normalize("NFC", taken_apart.translate(_CHARACTERS)).split())


def plain_texts(texts: Iterable[str]) -> list[str]:
    """Return the plain form of each text, found once for those that are equal."""
    known: dict[str, str] = {}
    return [
        known[text] if text in known else known.setdefault(text, plain_text(text)) for text in texts
    ]


def pluralize(number: int, what: str) -> str:
    """Return a number of things.

    >>> pluralize(1, "row"), pluralize(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"


def one_line(text: object, most: int = 60) -> str:
    r"""Return a value in one line: what is not printable is escaped, and what is long is cut.

    >>> one_line("two\nlines"), one_line("long" * 20, 8)
    ('two\\nlines', 'longlon…')
    """
    escaped = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in str(text))
    return escaped if len(escaped) <= most else f"{escaped[: most - 1]}…"


def quote(text: str, most: int = 40) -> str:
    """Return a text for an error: as it is shown, in quotes where it would not be seen as it is.

    >>> quote("7"), quote(" ")
    ('7', "' '")
    """
    return one_line(text if text.isprintable() and text.strip() == text != "" else repr(text), most)


def time_text(seconds: float) -> str:
    """Write a time in the unit that suits it.

    >>> time_text(12.3), time_text(180), time_text(5000)
    ('12 s', '3 min', '1 h 23 min')
    """
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def join_with_or(names: Iterable[str]) -> str:
    """Write names as a choice.

    >>> join_with_or(["Greedy"]), join_with_or(["Greedy", "Exact", "Pivot"])
    ('Greedy', 'Greedy, Exact or Pivot')
    """
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


class _Characters(dict[int, str]):
    """What stands for each character, found when it is first met."""

    def __missing__(self, code: int) -> str:
        return self.setdefault(code, _plain_character(chr(code)))


_CHARACTERS = _Characters()


def _plain_character(character: str) -> str:
    kind = category(character)
    if kind == "Nd":
        return str(decimal(character))
    if kind == "Cf" or any(low <= ord(character) <= high for low, high in ACCENTS):
        return ""
    is_kept = kind[0] == "M" or character.isalnum()
    return STROKES.get(character, character) if is_kept else " "
