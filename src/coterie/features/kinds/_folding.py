"""One spelling for texts whose punctuation matters, such as numbers and dates."""

from unicodedata import normalize

from coterie._core.texts import limit_marks, plain_text


def fold_text(text: str) -> str:
    """Return a text in compatible characters (NFKC), without case and without outer blanks.

    A text without letters and digits has no value: it becomes the empty text.

    >>> fold_text(" １２ Mar 2001 "), fold_text("-.-")
    ('12 mar 2001', '')
    """
    if not plain_text(text):
        return ""
    if text.isascii():
        return text.strip().lower()
    return normalize("NFKC", normalize("NFKC", limit_marks(text)).casefold()).strip()
