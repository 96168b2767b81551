"""Find wording that is not plain English: `python tests/prose.py [FILE OR FOLDER …]`.

It knows some habits only, so a text without findings may still be hard to read.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

NOUNS = (
    "pair|row|item|item set|set|class|column|feature|cluster|line|type|cell|label|entity|word|"
    "field|key|token|record|text|document|fold|seed|table|kind|node|tree|example|block|method"
)
CONNECTING = "of|to|in|by|as|at|on|for|from|with|than|that|makes|share|have|and|or"
"""Words after which an article does not stand for "per"."""

HABITS = {
    "say 'is not a'": re.compile(
        r"\b(?<!here )(is|are|was|were|be) no (?!longer|more|other|less|such|one)\w+"
    ),
    "say 'per'": re.compile(
        rf"\b(one|two|three) (?:\w+[ -]){{0,2}}?(?!(?:{CONNECTING}) )\w+ an? (?:{NOUNS})\b"
        r"(?=[,.;:)\"']|$)"
    ),
    "say 'at most'": re.compile(r"\bat most so (many|much)\b"),
    "say 'too'": re.compile(r"\bsave it so\b"),
}
VAGUE_STARTS = re.compile(r"(What|How|Tell|Say|Know|Whether)\b")


class Finding(NamedTuple):
    path: Path
    line: int
    advice: str
    text: str


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every string that stands alone, as docstrings do."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that people read: of a module, its strings and comments."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(source.splitlines(), 1)
        return
    readable = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in readable:
            for offset, line in enumerate(token.string.splitlines()):
                yield token.start[0] + offset, line


def findings_in(path: Path) -> Iterator[Finding]:
    """Yield each habit that a file shows."""
    for number, text in texts_of(path):
        for advice, pattern in HABITS.items():
            if pattern.search(text):
                yield Finding(path, number, advice, text.strip())
    if path.suffix == ".py":
        for number, text in docstrings(ast.parse(path.read_text(encoding="utf-8"))):
            if VAGUE_STARTS.match(text.strip()):
                yield Finding(
                    path, number, "start with a noun or an imperative", text.strip().splitlines()[0]
                )


def files_below(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        yield from (sorted({*path.rglob("*.py"), *path.rglob("*.md")}) if path.is_dir() else [path])


def main() -> None:
    count = 0
    for path in files_below([Path(name) for name in sys.argv[1:] or ["src", "README.md", "docs"]]):
        for finding in findings_in(path):
            count += 1
            sys.stdout.write(f"{finding.path}:{finding.line}: {finding.advice}: {finding.text}\n")
    sys.stdout.write(f"{count} findings\n")


if __name__ == "__main__":
    main()
