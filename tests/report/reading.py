"""A strict parser of the HTML of reports."""

from html.parser import HTMLParser

VOID = {"meta"}


class Page(HTMLParser):
    """Check that elements are closed in the right order, and collect the parts that tests use."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.ids = [], [], [], []
        self.headings, self.cells, self.marks, self.text = [], [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        assert len(names) == len(set(names))
        self.tags.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attributes]
        self.ids += [value for name, value in attributes if name == "id"]
        if tag in ("td", "th"):
            self.cells.append("")
        if tag == "mark":
            self.marks.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert "svg" in self.open, f"<{tag}/> closes itself only in a drawing"
        self.tags.append(tag)
        self.attributes += [(tag, *attribute) for attribute in attributes]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if self.open and self.open[-1] in ("h1", "h2"):
            self.headings.append(data)
        if {"td", "th"} & set(self.open):
            self.cells[-1] += data
        if "mark" in self.open:
            self.marks[-1] += data
