"""The tables of supervised clustering with the Dirichlet process (Daumé & Marcu 2004), and more.

A run of Table 1 is a subset of digits; a run of Table 2 leaves out the citations of one author. A
cell holds the scores of one system in one run.
"""

from collections.abc import Mapping, Sequence

from coterie_papers.dirichlet.budget import budget
from coterie_papers.dirichlet.cells import MEASURES
from coterie_papers.dirichlet.claims import claims
from coterie_papers.dirichlet.data import DIVISIONS, ItemKind
from coterie_papers.dirichlet.effort import RunEffort, effort_of
from coterie_papers.dirichlet.published import DIRICHLET
from coterie_papers.dirichlet.results import (
    CITATION_ROWS,
    DATA,
    DIGIT_ROWS,
    N_DIGITS,
    SHARED_SYSTEMS,
    TRAINED_SYSTEMS,
    SystemRow,
    SystemScores,
    choices_note,
    comparison_note,
    difference_table,
    results_of,
)
from coterie_papers.dirichlet.systems import COARSE, PRIOR, SCM, SVM
from coterie_papers.engine.cells import Context
from coterie_papers.engine.tables import Table

NES_NOTE = (
    "NES: 1 less the ratio of the mean of both edit distances to the number of items; with this "
    "definition, Coarse has at least about ½. "
)
PT_NOTE = (
    "PT-SCM has one type, the identity; its concentration, its centre and the variance of its "
    "means come from training."
)
SVM_NOTE = (
    "SVM classifies pairs with radial basis functions on {}; C and the width are chosen by 3-fold "
    "cross-validation over {} pairs in each run. It clusters by average linkage, which is our "
    "reading of the greedy agglomeration of Cohen & Richman 2002, with a threshold that is chosen "
    "on training sets left out."
)


def _scm_note(effort: RunEffort) -> str:
    schedule = effort.schedule
    return (
        f"SCM runs {schedule.n_chains} chains of {schedule.n_sweeps} sweeps in training and in "
        f"prediction, with {PRIOR.split_merge} after each sweep. Its partition is the one with the "
        "least expected variation of information; two more rows show other estimates from the same "
        "samples. As far as the paper's description is clear, its SCM is SCM with repulsion. "
    )


CHOICE_NOTE = (
    "The shape of the types' prior is chosen from {} times its default, by F on training sets "
    "that are left out (with 5 digits: by F on sets of two of the digits, after training on the "
    "others). The grids, the default and the way to leave sets out were decided after results of "
    "other choices on some test sets were known. "
)


def _settings_note(kind: ItemKind, results: SystemScores, rows: Mapping[str, SystemRow]) -> str:
    """Describe how settings were chosen, and count the choices."""
    shapes = _joined(kind.shapes)
    if len(kind.shapes) == 1:
        return f"The shape of the types' prior is {shapes} times its default."
    return CHOICE_NOTE.format(shapes) + choices_note(results, rows)


def _joined(values: Sequence[float]) -> str:
    *firsts, last = (f"{value:g}" for value in values)
    return f"{', '.join(firsts)} and {last}" if firsts else last


def _pairs(results: SystemScores, rows: Mapping[str, SystemRow]) -> str:
    """List the numbers of pairs that the SVM was trained on."""
    svm_rows = [name for name, row in rows.items() if row.system == SVM]
    counts = {count for name in svm_rows for count in results.facts(name, "pairs")}
    return " or ".join(f"{count:,}" for count in sorted(counts))


# Digits.

DIGITS_NOTE = (
    "{} subsets, each with {} training sets of the digits 0, 2, 4, 6, 7 and {} test sets of the "
    "digits 1, 3, 5, 8, 9, with {} images per set; the table shows means and standard deviations "
    "over subsets. “2 digits” and “5 digits” are our reading of the paper's “#”: the number of "
    "training digits. In the test sets, the share of pairs with the same digit is {:.3f}."
)
ORDER_NOTE = (
    "Single figures cannot be compared with the paper's: no definition of NES fits its column, "
    "and its RI and P of Coarse, .116, are those of ten digits, while five digits have about .2 "
    "or more. Only the order of the systems can be tested, with one protocol for all and with the "
    "spread over subsets."
)
GREY_NOTE = (
    "Grey levels run from {} unless a row names other levels; the meaning of the identity depends "
    "on them."
)


def usps(context: Context) -> list[Table]:
    """Show Table 1: digits of the US Postal Service, with two or five training digits."""
    return _digits(context, "usps", "Table 1: USPS digits", "−1 to 1")


def digits(context: Context) -> list[Table]:
    """Show the same table for scikit-learn's digits, which need no data folder."""
    return _digits(context, "digits", "Table 1 on other digits, those of scikit-learn", "0 to 1")


def _digits(context: Context, name: str, title: str, grey: str) -> list[Table]:
    effort, data = effort_of(context), DATA[name]
    results = results_of(context, name, DIGIT_ROWS)
    sides = {f"{n} digits": (f"{n} digits: {SCM}", _others(n)) for n in N_DIGITS}
    division = DIVISIONS[name]._replace(n_subsets=effort.n_runs[name])
    notes = [
        DIGITS_NOTE.format(*division, results.mean(COARSE, MEASURES.index("P"))),
        NES_NOTE + ORDER_NOTE,
        f"{PT_NOTE} {GREY_NOTE.format(grey)}",
        _scm_note(effort) + _settings_note(effort.images, results, DIGIT_ROWS),
        SVM_NOTE.format("|x − x′|", _pairs(results, DIGIT_ROWS)),
        *(comparison_note(results, *side) for side in sides.values()),
    ]
    return [
        Table.from_rows(
            title, results.entries(), DIRICHLET["table1"], notes=notes, digits=3, data=data
        ),
        difference_table(f"{title}: SCM less each other system", results, sides, data),
    ]


def _others(n_digits: int) -> dict[str, str]:
    """Return the rows that SCM is compared with by the names of their systems."""
    trained_rows = {
        system: f"{n_digits} digits: {system}" for system in TRAINED_SYSTEMS if system != SCM
    }
    return {system: system for system in SHARED_SYSTEMS} | trained_rows


# Citations.

CORPORA = {
    "cora_refs": "Table 2: Cora, citations of Fahlman, Kibler and Utgoff",
    "cora_ksf": "Table 2: Cora, citations of Kearns, Schapire and Freund",
}
CORA_NOTE = (
    "Each run holds out the citations of one author. The table shows means and standard deviations "
    "over runs ({} authors) and seeds ({} per run)."
)
FIT_NOTE = (
    "No definition of NES fits the paper's column, and its F of Coarse and of the SVM do not "
    "follow from its P and R."
)


def cora(context: Context) -> list[Table]:
    """Show Table 2: reference matching, with the citations of one author left out of training."""
    return [table for name, title in CORPORA.items() for table in _citations(context, name, title)]


def _citations(context: Context, name: str, title: str) -> list[Table]:
    effort, data = effort_of(context), DATA[name]
    results = results_of(context, name, CITATION_ROWS)
    others = {system: system for system in CITATION_ROWS if system != SCM}
    settings = _settings_note(effort.citations, results, CITATION_ROWS)
    notes = [
        CORA_NOTE.format(effort.n_runs[name], len(effort.seeds)),
        NES_NOTE + FIT_NOTE,
        PT_NOTE,
        _scm_note(effort) + _resolution_note(effort.citations.resolutions) + settings,
        SVM_NOTE.format(
            "the seven distances of pairs that share a canopy", _pairs(results, CITATION_ROWS)
        ),
        comparison_note(results, SCM, others),
    ]
    return [
        Table.from_rows(
            title, results.entries(), DIRICHLET["table2"], notes=notes, digits=3, data=data
        ),
        difference_table(
            f"{title}: SCM less each other system", results, {"": (SCM, others)}, data
        ),
    ]


def _resolution_note(resolutions: Sequence[float]) -> str:
    choice = "chosen together with the shape from " if len(resolutions) > 1 else ""
    return (
        f"Distances are √(d² + resolution²); the resolution is {choice}{_joined(resolutions)}. "
        "The Euclidean embedding has two dimensions for each of the seven distances. "
    )


TABLES = {"usps": usps, "digits": digits, "cora": cora, "budget": budget, "claims": claims}
