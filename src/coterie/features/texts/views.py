"""Views of items: the parts of their columns that are read as texts."""

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
    # Long rows of marks are read once: from their beginning only, and without going back.
    rf".*?(?:(?<!{_MARK}){_MARK}++{_CLOSING}*+(?=\s)|[。！？]+[」』”’]*|$)",
    re.MULTILINE,
)
_QUOTATION = re.compile(
    r"""
      " ( [^"\n]*? ) (?: " | '' )  # the last as corpora of tokens write it
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
    """A frozen dataclass that reads one text off each item."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the names of columns call it."""

    @abstractmethod
    def texts(self, item_set: ItemSet) -> list[str]:
        """Return one text an item, empty where there is none."""


AnyView: TypeAlias = str | View
"""A plain text is the name of a column, taken whole."""


@dataclass(frozen=True)
class Lead(View):
    """Read the lead: the first sentence of a text, or its first line where that is shorter.

    A sentence ends with a period or another such mark before white space, or with a mark of Chinese
    or Japanese; initials, Mr., Mrs., Ms., Dr. and St. do not end it.

    Parameters
    ----------
    view
        What to take it of: the name of a column, or another view.

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
        """What the names of columns call it."""
        return f"lead of {view_name(self.view)}"

    def texts(self, item_set: ItemSet) -> list[str]:
        """Return the lead of each text."""
        return [_lead(text) for text in view_texts(self.view, item_set)]


@dataclass(frozen=True)
class Quotations(View):
    """Read what is within double quotation marks, those of one line.

    These are straight and curly ones, „ and “, « and », 「 and 」, 『 and 』, and `` and ''. Single
    ones do not count, for they are apostrophes too; neither do those that are not closed, as the
    first of two `` before one ''.

    Parameters
    ----------
    view
        What to take them of: the name of a column, or another view.

    Examples
    --------
    >>> said = ['He said: "I will." Then: “I won’t.”', "«Oui», dit-il.", "Nothing."]
    >>> Quotations("text").texts(ItemSet({"text": said}))
    ['I will. I won’t.', 'Oui', '']
    """

    view: AnyView

    def __post_init__(self) -> None:
        as_view(self.view)

    @property
    def name(self) -> str:
        """What the names of columns call it."""
        return f"quotations of {view_name(self.view)}"

    def texts(self, item_set: ItemSet) -> list[str]:
        """Return the quotations of each text, with blanks between."""
        return [
            " ".join("".join(groups) for groups in _QUOTATION.findall(text))
            for text in view_texts(self.view, item_set)
        ]


@dataclass(frozen=True)
class Joined(View):
    """Read several views as one text, with blanks between.

    Parameters
    ----------
    views
        The views: names of columns, or others.

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
        """What the names of columns call it."""
        return " + ".join(map(view_name, self.views))

    def texts(self, item_set: ItemSet) -> list[str]:
        """Return the joined texts."""
        parts = (view_texts(view, item_set) for view in self.views)
        return [" ".join(filter(None, texts)) for texts in zip(*parts, strict=True)]


def as_views(views: Any) -> tuple[AnyView, ...]:
    """Check that there are views, each once.

    >>> as_views("title")
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: views is 'title'; give a list of views, such as ['title']
    """
    if isinstance(views, str | View) or not isinstance(views, Iterable):
        such = views if isinstance(views, str | View) else "text"
        raise FeatureError(f"views is {views!r}; give a list of views, such as [{such!r}]")
    given = tuple(map(as_view, views))
    names = list(map(view_name, given))
    if not given or len(set(names)) < len(names):
        raise FeatureError(f"the views are {names}; give at least one, and each once")
    return given


def as_view(view: Any) -> AnyView:
    """Check that a value is a view, or the name of a column.

    >>> as_view(3)
    Traceback (most recent call last):
    coterie.exceptions.FeatureError: the view is 3; give the name of a column, or a view such as
    Lead('text')
    """
    if isinstance(view, str | View):
        return view
    shown = f"the class {view.__name__}" if isinstance(view, type) else repr(view)
    raise FeatureError(
        f"the view is {shown}; give the name of a column, or a view such as Lead('text')"
    )


def view_name(view: AnyView) -> str:
    """Return the name of a view: of a column, its own."""
    return view if isinstance(view, str) else view.name


def view_texts(view: AnyView, item_set: ItemSet) -> list[str]:
    """Return one text an item, empty where it is missing; items that are texts are all columns."""
    if isinstance(view, str):
        return [text or "" for text in item_texts(item_set, view, "TextFeatures")]
    return view.texts(item_set)


def _lead(text: str) -> str:
    found = _LEAD.match(text.strip())
    return found.group().strip() if found else ""
