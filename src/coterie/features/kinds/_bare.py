"""Texts whose signs count, such as those of numbers and dates, in one spelling."""

from unicodedata import normalize

from coterie._core.texts import plain_text


def bare(text: str) -> str:
    """Return a text in compatible characters (NFKC), without case and blanks around it.

    One without letters and digits is empty: it says nothing.

    >>> bare(" １２ Mar 2001 "), bare("-.-")
    ('12 mar 2001', '')
    """
    if not plain_text(text):
        return ""
    if text.isascii():
        return text.strip().lower()
    return normalize("NFKC", normalize("NFKC", text).casefold()).strip()
