"""The plain form of texts, in which case, accents and punctuation are gone; and short texts."""

from collections.abc import Iterable
from unicodedata import category, combining, decimal, normalize

STROKES = {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
"""Latin letters with an addition, such as a stroke, that Unicode does not decompose."""

ACCENTS = (
    *((0x0300, 0x036F), (0x0483, 0x0487), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F)),
    *((0x0670, 0x0670), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F)),
)
"""Ranges of accents that are dropped; the marks of other scripts are parts of letters and stay."""

MAX_CHARACTERS = 2000
"""The number of characters of a text that are compared one by one.

The time is quadratic in it, and a cell of a table may hold a book.
"""

MAX_MARKS, SHORT_TEXT = 30, 1000
"""The number of combining marks that a letter may have in texts above the second length.

The time to normalize a text is quadratic in the number of marks in a row. Letters of all languages
have far fewer; 30 is also the limit of the stream-safe format of Unicode.
"""


def plain_text(text: str) -> str:
    """Return the letters and digits of a text without case and accents, with blanks between words.

    Characters are replaced by their compatible form (NFKC), and digits of any script by 0 to 9.
    Invisible characters are dropped. All others become blanks. The plain form of a plain text is
    the text itself.

    >>> plain_text("  Łukasz O’Brien-MÜLLER,  ﬁrst floor, № ４２ ")
    'lukasz o brien muller first floor no 42'
    >>> plain_text("नई दिल्ली, 北京-٢٠٠٨")
    'नई दिल्ली 北京 2008'
    >>> plain_text("?!")
    ''
    """
    if text.isascii():
        return " ".join(text.lower().translate(_CHARACTERS).split())
    decomposed = normalize("NFKD", normalize("NFKD", limit_marks(text.casefold())).casefold())
    # Dropped characters may have stood between marks, so that there can be long rows of them again.
    return " ".join(normalize("NFC", limit_marks(decomposed.translate(_CHARACTERS))).split())


def limit_marks(text: str) -> str:
    """Return a text without the combining marks that follow 30 others; short texts stay as is.

    >>> limit_marks("e" + 1000 * chr(0x301)) == "e" + 30 * chr(0x301)
    True
    """
    if len(text) <= SHORT_TEXT or text.isascii():
        return text
    limited, n_marks = [], 0
    for character in text:
        n_marks = n_marks + 1 if _IS_MARK[character] else 0
        if n_marks <= MAX_MARKS:
            limited.append(character)
    return "".join(limited)


def first_characters(text: str) -> str:
    """Return the part of a text that is compared character by character."""
    return text[:MAX_CHARACTERS]


def plain_texts(texts: Iterable[str]) -> list[str]:
    """Return the plain form of each text, computed once per distinct text."""
    cache: dict[str, str] = {}
    return [
        cache[text] if text in cache else cache.setdefault(text, plain_text(text)) for text in texts
    ]


def pluralize(count: int, noun: str) -> str:
    """Return a count with its noun, in the plural if needed.

    >>> pluralize(1, "row"), pluralize(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def one_line(value: object, max_length: int = 60) -> str:
    r"""Return a value as one line of text: escape unprintable characters, and cut long texts.

    >>> one_line("two\nlines"), one_line("long" * 20, 8)
    ('two\\nlines', 'longlon…')
    """
    escaped = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in str(value))
    return escaped if len(escaped) <= max_length else f"{escaped[: max_length - 1]}…"


def quote(text: str, max_length: int = 40) -> str:
    """Return a text for an error message, in quotes if it would be hard to see without them.

    >>> quote("7"), quote(" ")
    ('7', "' '")
    """
    is_visible = text.isprintable() and text.strip() == text != ""
    return one_line(text if is_visible else repr(text), max_length)


def time_text(seconds: float) -> str:
    """Return a duration as text, in seconds, minutes or hours, by its size.

    >>> time_text(12.3), time_text(180), time_text(5000)
    ('12 s', '3 min', '1 h 23 min')
    """
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def join_with_or(names: Iterable[str]) -> str:
    """Return names as one text, with "or" before the last one.

    >>> join_with_or(["Greedy"]), join_with_or(["Greedy", "Exact", "Pivot"])
    ('Greedy', 'Greedy, Exact or Pivot')
    """
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


class _Characters(dict[int, str]):
    """The plain form of each character by its code point, computed when first needed."""

    def __missing__(self, code: int) -> str:
        return self.setdefault(code, _plain_character(chr(code)))


_CHARACTERS = _Characters()


class _IsMark(dict[str, bool]):
    """A mapping of characters to whether their decomposition begins with a combining mark."""

    def __missing__(self, character: str) -> bool:
        # There are characters of other classes that decompose into marks only.
        first = normalize("NFKD", character)[0]
        return self.setdefault(character, combining(first) != 0)


_IS_MARK = _IsMark()


def _plain_character(character: str) -> str:
    kind = category(character)
    if kind == "Nd":
        return str(decimal(character))
    if kind == "Cf" or any(low <= ord(character) <= high for low, high in ACCENTS):
        return ""
    is_kept = kind[0] == "M" or character.isalnum()
    return STROKES.get(character, character) if is_kept else " "
