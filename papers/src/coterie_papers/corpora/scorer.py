"""The test suite of the CoNLL scorer, with which coreference metrics can be checked."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from coterie.metrics import Scores
from coterie_papers.corpora.conll import Span, read_mentions
from coterie_papers.corpora.folder import PathLike, Record, Source, as_text, map_lines, reading

Clusters: TypeAlias = list[list[Span]]

EXPECTED = "expected.json"
SOURCE = Source(
    "coref_scorer_tests",
    {
        EXPECTED: "a JSON list: id, key, response, expected_RPF, same_mentions; key and response "
        "name files in the format of the CoNLL tasks, and expected_RPF gives recall, precision "
        "and F by metric"
    },
    "the test folder of conll/reference-coreference-scorers on GitHub, with its DataFiles",
)


class ScorerCase(NamedTuple):
    """A true and a predicted clustering of mentions, and the scores of the prediction."""

    id: str
    truth: Clusters
    predicted: Clusters
    expected: Mapping[str, Scores]
    same_mentions: bool


def load_coref_scorer_tests(folder: PathLike | None = None) -> list[ScorerCase]:
    """Read the 36 test cases of the scorer of the CoNLL shared tasks.

    A case has the correct clusters of mentions and the clusters that a system predicted. A mention
    is the number of its first token and of its last token. A case also has the expected values of
    some of the metrics "muc", "bcub", "ceafm", "ceafe" and "blanc", printed with five or six
    digits. In 15 cases both clusterings have the same mentions. There is nothing to learn from the
    cases, so this reader has no argument `split`.

    Parameters
    ----------
    folder
        The folder that holds `coref_scorer_tests`; None takes that of the environment variable
        COTERIE_DATA, or else `coterie` in the user's cache folder.

    Examples
    --------
    >>> case = load_coref_scorer_tests()[1]  # doctest: +SKIP
    >>> case.id, case.expected["muc"]  # doctest: +SKIP
    ('A2', Scores(precision=1.0, recall=0.333333, f1=0.5))
    """
    path = SOURCE.find(folder) / EXPECTED
    with reading(path):
        records = json.loads(path.read_text(encoding="utf-8"))
        return [_case(record, path.parent) for record in records]


def _case(record: Record, folder: Path) -> ScorerCase:
    truth, predicted = (
        _read_clusters(folder / as_text(record, name)) for name in ("key", "response")
    )
    expected = {
        name: Scores(precision, recall, f1)
        for name, (recall, precision, f1) in record["expected_RPF"].items()
    }
    return ScorerCase(record["id"], truth, predicted, expected, record["same_mentions"])


def _read_clusters(path: Path) -> Clusters:
    """Read the clusters of a file; if a span is a mention twice, the first opened counts."""
    columns = list(filter(None, map_lines(path, _last_column)))
    clusters: dict[str, list[Span]] = {}
    spans: set[Span] = set()
    with reading(path):
        for _, name, span in sorted(read_mentions(columns)):
            if span not in spans:
                spans.add(span)
                clusters.setdefault(name, []).append(span)
    return list(clusters.values())


def _last_column(line: str) -> str:
    return "" if line.startswith("#") or not line.strip() else line.rsplit(maxsplit=1)[-1]
