"""Supervised clustering with the Dirichlet process (Daumé & Marcu 2004): its tables, and more.

Table 1 is made of subsets of digits, Table 2 by leaving out one author's citations at a time. A
cell holds what one system reaches on one of these.
"""

from coterie.experiments._dirichlet_budget import budget
from coterie.experiments._dirichlet_cells import MEASURES, SEEDS
from coterie.experiments._dirichlet_data import (
    CITATIONS,
    DIVISIONS,
    N_AUTHORS,
)
from coterie.experiments._dirichlet_results import (
    Results,
    Row,
    against,
    choices,
    results_of,
    verdict,
)
from coterie.experiments._dirichlet_systems import (
    COARSE,
    EMBEDDED,
    FINE,
    ONE_TYPE,
    PER_CLUSTER,
    PRIOR,
    PT,
    PT_BYTES,
    REPULSION,
    SCHEDULE,
    SCM,
    SVM,
)
from coterie.experiments.cells import Context
from coterie.experiments.published import DIRICHLET
from coterie.experiments.tables import Table

ALIKE = (COARSE, FINE, PT, PT_BYTES)
"""Systems that are shown once, whatever the number of training digits."""
TRAINED = (SVM, SCM, REPULSION, PER_CLUSTER, ONE_TYPE)
N_DIGITS = (2, 5)

DIGIT_ROWS = {
    **{system: Row(system, max(N_DIGITS)) for system in ALIKE},
    **{f"{n} digits: {system}": Row(system, n) for n in N_DIGITS for system in TRAINED},
}
CITATION_ROWS = {
    system: Row(system) for system in (COARSE, FINE, PT, SVM, SCM, REPULSION, PER_CLUSTER, EMBEDDED)
}

NES_NOTE = (
    "NES: one less the mean of both edit distances over the number of items, by which Coarse has "
    "at least about ½. No definition fits the paper's column, nor do all of its other figures fit "
    "each other."
)
SCM_NOTE = (
    f"SCM: {SCHEDULE.n_chains} chains of {SCHEDULE.n_sweeps} sweeps in training and in prediction, "
    f"with {PRIOR.split_merge} after each, summed up by the least expected variation of "
    "information; below, two other ways to sum up the same samples. The shape of the types' prior "
    "is chosen from 1, 10 and 100 times its default by F on training sets left out (with 5 digits: "
    "on sets of two of them, trained on others). The grids, "
    "the default and how sets are left out were settled after other choices had been seen on some "
    "test sets. The paper's SCM is that with repulsion, as "
    "far as it can be read. "
)
PT_NOTE = (
    "PT-SCM: one type, the identity; concentration, centre and variance of means from training. "
)
SVM_NOTE = (
    "SVM: radial basis functions on {}, C and width by 3-fold cross-validation over {} pairs in "
    "each run; clustered by average linkage, as we read the greedy agglomeration of Cohen & "
    "Richman 2002, with a threshold chosen on training sets left out."
)

DIGITS_NOTE = (
    "{}: {} subsets, each of {} training sets of the digits 0, 2, 4, 6, 7 and {} test sets of the "
    "digits 1, 3, 5, 8, 9, {} images a set; means and standard deviations over subsets. “2 digits” "
    "and “5 digits” are our reading of the paper's “#”: how many digits there are to train on. Of "
    "the pairs of the test sets {:.3f} are of one digit."
)
SAME_DATA = "The data of the paper, which does not say how large its subsets are"
OTHER_DATA = "Not the paper's data, but scikit-learn's digits of 8 × 8 pixels"
GREY_NOTE = (
    "Grey levels run from {}, unless a row says otherwise: what the identity means depends on it. "
)


def usps(context: Context) -> list[Table]:
    """Show digits of the US Postal Service, two or five of them to train on (Table 1)."""
    return _digits(context, "usps", "Table 1: USPS digits", SAME_DATA, "−1 to 1")


def digits(context: Context) -> list[Table]:
    """Show scikit-learn's digits in the same way, for which no data folder is needed."""
    title = "Table 1 on other digits, those of scikit-learn"
    return _digits(context, "digits", title, OTHER_DATA, "0 to 1")


def _digits(context: Context, data: str, title: str, source: str, grey: str) -> list[Table]:
    division = DIVISIONS[data]
    results = results_of(context, data, division.n_subsets, DIGIT_ROWS)
    sides = {f"{n} digits": (f"{n} digits: {SCM}", _others(n)) for n in N_DIGITS}
    notes = [
        DIGITS_NOTE.format(source, *division, results.mean(COARSE, MEASURES.index("P"))),
        PT_NOTE + GREY_NOTE.format(grey),
        SCM_NOTE + choices(results, DIGIT_ROWS),
        SVM_NOTE.format("|x − x′|", _pairs(results)),
        NES_NOTE,
        *(verdict(results, *side) for side in sides.values()),
    ]
    return [
        Table.beside(title, results.shown(), DIRICHLET["table1"], notes=notes, digits=3),
        against(f"{title}: SCM less each other system", results, sides),
    ]


def _others(n_digits: int) -> dict[str, str]:
    """Return the rows that SCM is compared with, by the names of their systems."""
    trained = {system: f"{n_digits} digits: {system}" for system in TRAINED if system != SCM}
    return {system: system for system in ALIKE} | trained


def _pairs(results: Results) -> str:
    """Say how many pairs the SVM was trained on."""
    rows = [row for row in results.cells if row.endswith(SVM)]
    counts = {count for row in rows for count in results.facts(row, "pairs")}
    return " or ".join(f"{count:,}" for count in sorted(counts))


CORA_NOTE = (
    "{}. Each author's citations are held out once; means and standard deviations over "
    f"{N_AUTHORS} authors and {len(SEEDS)} seeds."
)
REFS_NOTE = (
    "Ours: 1,879 citations of 182 publications, those of other authors, in place of the paper's "
    "1,916 of 121"
)
KSF_NOTE = (
    "The authors of the paper, but 1,292 citations of 110 publications, which is what is public of "
    "its 1,916 of 121"
)
CORPORA = {
    "cora_refs": ("Table 2: Cora, citations of Fahlman, Kibler and Utgoff", REFS_NOTE),
    "cora_ksf": ("Table 2: Cora, citations of Kearns, Schapire and Freund", KSF_NOTE),
}
RESOLUTION_NOTE = (
    "Distances are √(d² + resolution²), the resolution chosen from "
    f"{', '.join(f'{each:g}' for each in CITATIONS.resolutions)} together with the shape. "
    "Euclidean embedding: two dimensions for each of the seven distances. "
)


def cora(context: Context) -> list[Table]:
    """Show reference matching, one author's citations left out of training (Table 2)."""
    tables = []
    for data, (title, source) in CORPORA.items():
        results = results_of(context, data, N_AUTHORS, CITATION_ROWS)
        others = {system: system for system in CITATION_ROWS if system != SCM}
        notes = [
            CORA_NOTE.format(source),
            PT_NOTE,
            SCM_NOTE + RESOLUTION_NOTE + choices(results, CITATION_ROWS),
            SVM_NOTE.format("the seven distances of pairs that share a canopy", _pairs(results)),
            NES_NOTE,
            verdict(results, SCM, others),
        ]
        tables += [
            Table.beside(title, results.shown(), DIRICHLET["table2"], notes=notes, digits=3),
            against(f"{title}: SCM less each other system", results, {"": (SCM, others)}),
        ]
    return tables


TABLES = {"usps": usps, "digits": digits, "cora": cora, "budget": budget}
