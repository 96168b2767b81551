"""Views of items: texts that are read from their columns, whole or in part."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from coterie._core.values import Value
from coterie.exceptions import FeatureError
from coterie.features.names.tokens import item_texts
from coterie.items import ItemSet

_ABBREVIATION = "".join(rf"(?<!\b{word})" for word in (r"\w", "Mr", "Mrs", "Ms", "Dr", "St"))
_MARK = rf"(?:[!?…؟।॥]|{_ABBREVIATION}[.])"
_CLOSING = "[\"'”’»)\\]]"
_LEAD = re.compile(
    # The lookbehind and the possessive quantifiers read a long run of marks only once, so that the
    # time stays linear in its length.
    rf".*?(?:(?<!{_MARK}){_MARK}++{_CLOSING}*+(?=\s)|[。！？]+[」』”’]*|$)",
    re.MULTILINE,
)
_QUOTATION = re.compile(
    r"""
      " ( [^"\n]*? ) (?: " | '' )  # the last as in tokenized corpora
    | `` ( (?: [^"`\n] | `(?!`) )*? ) (?: " | '' )
    | “ ( [^“”\n]* ) ”
    | „ ( [^„“”\n]* ) [“”]
    | ” ( [^”\n]* ) ”
    | « ( [^«»\n]* ) »
    | » ( [^«»\n]* ) «
    | 「 ( [^「」\n]* ) 」
    | 『 ( [^『』\n]* ) 』
    """,
    re.VERBOSE,
)


class View(Value, ABC):
    """A frozen dataclass that reads one text from each item."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the view, with which the names of its features begin."""

    @abstractmethod
    def texts(self, item_set: ItemSet) -> list[str]:
        """Return one text per item, empty where there is none."""


AnyView: TypeAlias = str | View
"""A view, or the name of a column, which is read whole."""


@dataclass(frozen=True)
class Lead(View):
    """Read the lead: the first sentence of a text, or its first line where that is shorter.

    A sentence ends at a period, question mark or the like before white space, or at a Chinese or
    Japanese mark. The periods of initials and of Mr., Mrs., Ms., Dr. and St. do not end it.

    Parameters
    ----------
    view
        The name of a column, or another view, whose lead is read.

    Examples
    --------
    >>> Lead("text").texts(ItemSet({"text": ["Dr. J. Doe won. Fans cheered.", "下雨了。走吧。"]}))
    ['Dr. J. Doe won.', '下雨了。']
    """

    view: AnyView

    def __post_init__(self) -> None:
        as_view(self.view)

    @property
    def name(self) -> str:
        """The name of the view, with which the names of its features begin."""
        return f"lead of {view_name(self.view)}"

    def texts(self, item_set: ItemSet) -> list[str]:
        """Return the lead of each text."""
        return [_lead(text) for text in view_texts(self.view, item_set)]


@dataclass(frozen=True)
class Quotations(View):
    """Read the texts inside double quotation marks; a quotation lies within one line.

    The marks may be straight or curly, „ and “, « and », 「 and 」, 『 and 』, or `` and ''.
    Single quotation marks do not count, because they are also apostrophes. Neither do marks that
    are not closed, such as the first `` of two before a single ''.

    Parameters
    ----------
    view
        The name of a column, or another view, whose quotations are read.

    Examples
    --------
    >>> texts = ['He said: "I will." Then: “I won’t.”', "«Oui», dit-il.", "Nothing."]
    >>> Quotations("text").texts(ItemSet({"text": texts}))
    ['I will. I won’t.', 'Oui', '']
    """

    view: AnyView

    def __post_init__(self) -> None:
        as_view(self.view)

    @property
    def name(self) -> str:
        """The name of the view, with which the names of its features begin."""
        return f"quotations of {view_name(self.view)}"

    def texts(self, item_set: ItemSet) -> list[str]:
        """Return the quotations of each text, separated by blanks."""
        return [
            " ".join("".join(groups) for groups in _QUOTATION.findall(text))
            for text in view_texts(self.view, item_set)
        ]


@dataclass(frozen=True)
class Joined(View):
    """Read several views as one text, separated by blanks.

    Parameters
    ----------
    views
        Names of columns, or other views.

    Examples
    --------
    >>> articles = ItemSet({"title": ["Rain"], "text": ["It fell. Again."]})
    >>> Joined(["title", Lead("text")]).texts(articles)
    ['Rain It fell.']
    """

    views: tuple[AnyView, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "views", as_views(self.views))

    @property
    def name(self) -> str:
        """The name of the view, with which the names of its features begin."""
        return " + ".join(map(view_name, self.views))

    def texts(self, item_set: ItemSet) -> list[str]:
        """Return the joined texts."""
        parts = (view_texts(view, item_set) for view in self.views)
        return [" ".join(filter(None, texts)) for texts in zip(*parts, strict=True)]


def as_views(views: Any) -> tuple[AnyView, ...]:
    """Check that a list has at least one view, and none twice.

    >>> as_views("title")
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: views is 'title'; give a list of views, such as ['title']
    """
    if isinstance(views, str | View) or not isinstance(views, Iterable):
        example = views if isinstance(views, str | View) else "text"
        raise FeatureError(f"views is {views!r}; give a list of views, such as [{example!r}]")
    checked_views = tuple(map(as_view, views))
    names = list(map(view_name, checked_views))
    if not names or len(set(names)) < len(names):
        raise FeatureError(f"views is {names}; give at least one view, and each view once")
    return checked_views


def as_view(view: Any) -> AnyView:
    """Check that a value is a view or the name of a column.

    >>> as_view(3)
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: the view is 3; give the name of a column, or a view such as
    Lead('text')
    """
    if isinstance(view, str | View):
        return view
    description = f"the class {view.__name__}" if isinstance(view, type) else repr(view)
    raise FeatureError(
        f"the view is {description}; give the name of a column, or a view such as Lead('text')"
    )


def view_name(view: AnyView) -> str:
    """Return the name of a view, or of a column."""
    return view if isinstance(view, str) else view.name


def view_texts(view: AnyView, item_set: ItemSet) -> list[str]:
    """Return one text per item, empty where it is missing.

    Items that are plain texts are read in place of any column.
    """
    if isinstance(view, str):
        return [text or "" for text in item_texts(item_set, view, "TextFeatures")]
    return view.texts(item_set)


def _lead(text: str) -> str:
    match = _LEAD.match(text.strip())
    return match.group().strip() if match else ""
