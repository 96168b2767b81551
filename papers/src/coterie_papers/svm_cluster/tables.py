"""The tables of SVM-cluster (Finley & Joachims 2005), on corpora similar to the paper's.

Each model is trained for each C, on all training sets and on all but one fold of them. The C with
the least cross-validated loss is chosen, and the tables show its loss on the test sets. Pair
classifiers are tuned in the same way. A cell holds one training with all values of C.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from coterie.metrics import compare
from coterie_papers.engine.cells import Context
from coterie_papers.engine.claims import Claim, claims_table
from coterie_papers.engine.tables import Entry, Table, p_text
from coterie_papers.svm_cluster.cells import tasks
from coterie_papers.svm_cluster.choices import (
    SAME_DATA,
    TriedSetting,
    choose_classifier,
    choose_structural,
    default_losses,
    describe_data,
    protocol_note,
)
from coterie_papers.svm_cluster.efficiency import efficiency
from coterie_papers.svm_cluster.published import SVM_CLUSTER

PCC_NOTE = (
    "p: compared with C_G. PCC is a linear SVM that classifies pairs; balanced gives both classes "
    "the same weight; tuned also chooses the threshold by cross-validation. Default puts all items "
    "into one cluster for Δ_M, and each item into a cluster of its own for Δ_P."
)
GAP_NOTE = (
    "When the solvers stopped, the gap between the objective and its lower bound was at most "
    "{:.1%} of the objective. The gap is measured with the partitions that the search found, so it "
    "is certain only for C_R with the loss in the search."
)


def _compared_entry(losses: Sequence[float], reference: Sequence[float], prefix: str = "") -> Entry:
    """Return a mean loss, with the p-value of its difference from the reference losses."""
    p_value = p_text(compare(losses, reference, test="t").p_value)
    return Entry(float(np.mean(losses)), note=f"{prefix}, {p_value}" if prefix else p_value)


CLASSIFIER_LABELS = {False: "PCC", True: "tuned PCC (not in the paper)"}
NEWS_CLAIMS = [
    *(
        (train, test_clusterer, False)
        for test_clusterer in ("C_G", "C_R")
        for train in ("C_G", "C_R")
    ),
    *((clusterer, clusterer, True) for clusterer in ("C_G", "C_R")),
]
"""The claims on news: clusterer of the training, of the test, and whether PCC is tuned."""

ROWS = {"mitre": "Test with C_G, Δ_M", "pair": "Test with C_G, Δ_P"}


def table1(context: Context) -> list[Table]:
    """Compare SVM-cluster with pair classifiers on coreference."""
    task, _ = tasks(context.quick)
    entries: dict[str, dict[str, Entry]] = {}
    conll: dict[str, dict[str, Entry]] = {}
    for loss, row in ROWS.items():
        chosen = choose_structural(context, task, loss)
        classifiers = {
            "PCC": choose_classifier(context, task, loss),
            "PCC tuned": choose_classifier(context, task, loss, tuned=True),
            "PCC balanced": choose_classifier(context, task, loss, balanced=True),
            "balanced, tuned": choose_classifier(context, task, loss, balanced=True, tuned=True),
        }
        entries[row] = {"C_G": Entry(chosen.mean, note=chosen.name)}
        conll[row] = {"C_G": Entry(chosen.conll)}
        for name, classifier in classifiers.items():
            entries[row][name] = _compared_entry(classifier.losses, chosen.losses)
            conll[row][name] = Entry(classifier.conll)
        entries[row]["Default"] = _compared_entry(
            default_losses(context, task, loss), chosen.losses
        )
    title, paper = "Table 1: losses on coreference", SVM_CLUSTER["table1"]
    notes, data = [protocol_note(task), PCC_NOTE], describe_data(task)
    conll_title = "The same models by the CoNLL score (not in the paper)"
    return [
        Table.from_rows(title, entries, paper, notes=notes, digits=(1, 2), data=data),
        Table.from_rows(conll_title, conll, digits=1, data=SAME_DATA),
    ]


def table2(context: Context) -> list[Table]:
    """Compare SVM-cluster with pair classifiers on news."""
    _, task = tasks(context.quick)
    entries: dict[str, dict[str, Entry]] = {}
    for test_clusterer, row in (("C_G", "Test with C_G, Δ_P"), ("C_R", "Test with C_R*, Δ_P")):
        greedy, (by_greedy, by_relaxed) = _greedy_and_relaxed(context, test_clusterer)
        plain = choose_classifier(context, task, "pair", test_clusterer=test_clusterer)
        tuned = choose_classifier(context, task, "pair", tuned=True, test_clusterer=test_clusterer)
        entries[row] = {
            "C_G": by_greedy,
            "C_R": by_relaxed,
            "PCC": _compared_entry(plain.losses, greedy.losses),
            "PCC tuned": _compared_entry(tuned.losses, greedy.losses),
            "Default": _compared_entry(default_losses(context, task, "pair"), greedy.losses),
        }
    note = "p: compared with training by C_G. The paper leaves the first row of its table empty."
    title, paper = "Table 2: Δ_P on news", SVM_CLUSTER["table2"]
    notes = [protocol_note(task), note]
    return [Table.from_rows(title, entries, paper, notes=notes, digits=2, data=describe_data(task))]


def _greedy_and_relaxed(
    context: Context, test_clusterer: str
) -> tuple[TriedSetting, tuple[Entry, Entry]]:
    """Return the training by C_G on news, and the entries for the trainings by C_G and by C_R."""
    _, task = tasks(context.quick)
    greedy = choose_structural(context, task, "pair", "C_G", test_clusterer)
    relaxed = choose_structural(context, task, "pair", "C_R", test_clusterer)
    relaxed_entry = _compared_entry(relaxed.losses, greedy.losses, relaxed.name)
    return greedy, (Entry(greedy.mean, note=greedy.name), relaxed_entry)


def table3(context: Context) -> list[Table]:
    """Show models that are trained on one loss and measured by the other."""
    task, _ = tasks(context.quick)
    entries: dict[str, dict[str, Entry]] = {}
    for measure, row in (("mitre", "Performance on Δ_M"), ("pair", "Performance on Δ_P")):
        other = "pair" if measure == "mitre" else "mitre"
        same_loss = choose_structural(context, task, measure).losses
        other_loss = choose_structural(context, task, other).measures[measure]
        columns = {
            measure: Entry(float(np.mean(same_loss))),
            other: _compared_entry(other_loss, same_loss),
        }
        entries[row] = {"Opt. to Δ_M": columns["mitre"], "Opt. to Δ_P": columns["pair"]}
    note = "p: compared with the model that is trained on the loss of the row."
    title, paper = "Table 3: training and testing on separate losses", SVM_CLUSTER["table3"]
    notes = [protocol_note(task), note]
    return [
        Table.from_rows(title, entries, paper, notes=notes, digits=(1, 2), data=describe_data(task))
    ]


def _with_and_without_loss(context: Context) -> Iterator[tuple[str, TriedSetting, TriedSetting]]:
    """Yield the rows of Table 4: models trained with the loss in the search, and without."""
    coreference, news = tasks(context.quick)
    rows = {
        "NP-coreference, Δ_M": (coreference, "mitre", "C_G"),
        "NP-coreference, Δ_P": (coreference, "pair", "C_G"),
        "News, train C_G, test C_G": (news, "pair", "C_G"),
        "News, train C_R, test C_R*": (news, "pair", "C_R"),
    }
    for row, (task, loss, clusterer) in rows.items():
        within = choose_structural(context, task, loss, clusterer, clusterer)
        without = choose_structural(context, task, loss, clusterer, clusterer, augment=False)
        yield row, within, without


def table4(context: Context) -> list[Table]:
    """Compare training with and without the loss in the search for the worst partition."""
    entries, gaps = {}, []
    for row, within, without in _with_and_without_loss(context):
        entries[row] = {
            "w/ loss": Entry(within.mean, note=within.name),
            "w/o loss": _compared_entry(without.losses, within.losses, without.name),
        }
        gaps += [within.gap, without.gap]
    title = "Table 4: the loss inside the search for the worst partition, or not"
    corpora = tasks(context.quick)
    notes, data = [protocol_note(*corpora), GAP_NOTE.format(max(gaps))], describe_data(*corpora)
    paper = SVM_CLUSTER["table4"]
    return [Table.from_rows(title, entries, paper, notes=notes, digits=(1, 2, 2, 2), data=data)]


def table5(context: Context) -> list[Table]:
    """Compare training by greedy clustering with training by relaxed clustering on news."""
    _, task = tasks(context.quick)
    entries = {
        row: dict(
            zip(
                ("Train C_G", "Train C_R"),
                _greedy_and_relaxed(context, test_clusterer)[1],
                strict=True,
            )
        )
        for test_clusterer, row in (("C_G", "Test C_G"), ("C_R", "Test C_R*"))
    }
    title, paper = "Table 5: what searches for the worst partition, Δ_P on news", "table5"
    notes, data = [protocol_note(task)], describe_data(task)
    return [Table.from_rows(title, entries, SVM_CLUSTER[paper], notes=notes, digits=2, data=data)]


# Claims.

CLAIMS_NOTE = (
    "p: two-tailed paired t-test over the test sets, as in the paper, without correction. There "
    "are at most 4 test sets of news, so only large differences can be significant there. Two "
    "methods that are level on news may therefore still differ."
)


def claims(context: Context) -> list[Table]:
    """Test the claims of the paper."""
    results = [
        *_claims_on_pairs(context),
        *_claims_on_losses(context),
        *_claims_on_search(context),
    ]
    return [claims_table(results, SAME_DATA, notes=[CLAIMS_NOTE])]


def _claim(
    text: str, first: Sequence[float], second: Sequence[float], equal: bool = False
) -> Claim:
    return Claim.of(text, first, second, "t", lower=True, equal=equal)


def _claims_on_pairs(context: Context) -> Iterator[Claim]:
    """Test the claims of section 7.1, which compares SVM-cluster with pair classifiers."""
    coreference, news = tasks(context.quick)
    for loss, sign in (("mitre", "Δ_M"), ("pair", "Δ_P")):
        losses = choose_structural(context, coreference, loss).losses
        for tuned, name in CLASSIFIER_LABELS.items():
            text = f"Table 1, {sign} on coreference: SVM-cluster better than {name}"
            reference = choose_classifier(context, coreference, loss, tuned=tuned)
            yield _claim(text, losses, reference.losses)
    for train, test_clusterer, tuned in NEWS_CLAIMS:
        test = "C_R*" if test_clusterer == "C_R" else test_clusterer
        label = CLASSIFIER_LABELS[tuned]
        text = f"Table 2, news, test {test}: SVM-cluster by {train} level with {label}"
        structural = choose_structural(context, news, "pair", train, test_clusterer)
        classifier = choose_classifier(
            context, news, "pair", tuned=tuned, test_clusterer=test_clusterer
        )
        yield _claim(text, structural.losses, classifier.losses, equal=True)


def _claims_on_losses(context: Context) -> Iterator[Claim]:
    """Test the claims of sections 7.2 and 7.3, on the loss in training and in the search."""
    task, _ = tasks(context.quick)
    for_mitre, for_pairs = (choose_structural(context, task, loss) for loss in ("mitre", "pair"))
    mitre_of_pairs = for_pairs.measures["mitre"]
    text = "Table 3, Δ_M: training on Δ_M level with training on Δ_P"
    yield _claim(text, for_mitre.losses, mitre_of_pairs, equal=True)
    text = "Table 3, Δ_M: training on Δ_M better than on Δ_P (not in the paper)"
    yield _claim(text, for_mitre.losses, mitre_of_pairs)
    text = "Table 3, Δ_P: training on Δ_P better than on Δ_M"
    yield _claim(text, for_pairs.losses, for_mitre.measures["pair"])
    text = "Section 7.2, Δ_P: training on Δ_M level with Default"
    yield _claim(
        text, for_mitre.measures["pair"], default_losses(context, task, "pair"), equal=True
    )
    for row, within, without in _with_and_without_loss(context):
        text = f"Table 4, {row}: level with and without the loss in the search"
        yield _claim(text, within.losses, without.losses, equal=True)


def _claims_on_search(context: Context) -> Iterator[Claim]:
    """Test the claims of section 7.4, which compares training by C_G with training by C_R."""
    _, task = tasks(context.quick)
    for test_clusterer, test in (("C_G", "C_G"), ("C_R", "C_R*")):
        greedy, relaxed = (
            choose_structural(context, task, "pair", train, test_clusterer).losses
            for train in ("C_G", "C_R")
        )
        yield _claim(
            f"Table 5, test {test}: training by C_G level with C_R", greedy, relaxed, equal=True
        )


TABLES = {
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "table5": table5,
    "efficiency": efficiency,
    "claims": claims,
}
