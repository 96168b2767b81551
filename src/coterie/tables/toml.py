"""Reading of TOML files that may come from anybody: in bounded time, with one kind of error."""

import re
import tomllib
from typing import Any

from coterie.exceptions import InputError

MAX_BYTES = 1_000_000
"""The largest size of a file in bytes; those of Coterie have a line per column."""

MAX_DOTS = 16
"""The largest number of dots of a key; the time for a key grows with the square of its dots."""

# A string that is not closed counts too, so that no part of the text is looked at twice.
_STRING_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'
    r"|'''(?:[^']|'(?!''))*+(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)
_BLANKS = re.compile(r"[ \t]+")
_BETWEEN_KEYS = re.compile(r"[^\w.-]+", re.ASCII)


def parse_toml(text: str, source: str) -> dict[str, Any]:
    """Return the values in the text of a TOML file; `source` is the name of the file in errors.

    >>> parse_toml("x = 1", "a.toml")
    {'x': 1}
    >>> parse_toml("x = ", "a.toml")
    Traceback (most recent call last):
    coterie.exceptions.InputError: a.toml is not valid TOML: Invalid value (at end of document);
    correct the file
    """
    if len(text) > MAX_BYTES:
        raise InputError(
            f"{source} has over {MAX_BYTES:,} characters; give a file like those of `coterie init`"
        )
    if _most_dots(text) > MAX_DOTS:
        raise InputError(
            f"{source} has a key of over {MAX_DOTS} dots; put names with dots in quotes"
        )
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise InputError(
            f"{source} is not valid TOML: its brackets are nested too deeply; correct the file"
        ) from error
    except ValueError as error:  # also of numbers with thousands of digits
        raise InputError(f"{source} is not valid TOML: {error}; correct the file") from error


def _most_dots(text: str) -> int:
    """Return the number of dots of the longest key, or of a number, outside of strings.

    >>> _most_dots('[a."b.c" . d]  # ....')
    2
    """
    bare = _BLANKS.sub("", _STRING_OR_COMMENT.sub("s", text))
    return max(word.count(".") for word in _BETWEEN_KEYS.split(bare))
