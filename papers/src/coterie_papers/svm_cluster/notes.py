"""What stands below the tables of SVM-cluster: on the data, and on how settings are chosen."""

from coterie_papers.svm_cluster.cells import Task

NEAR = {
    "gum": "GUM in place of MUC-6, which is not free: 30 documents to train on and 30 to test on, "
    "as there, with 52 features of pairs for its 53",
    "news": "ECB+ in place of Google News, whose 15 and 15 days are not public: 5 sets to train on "
    "and 4 to test on, with 30 cosines as there; both stories of a topic are in one set, which "
    "makes them harder to tell apart",
}
SAME = "that of the tables above."
NAMES = {"gum": "coreference", "news": "news"}


def data_line(*tasks: Task) -> str:
    """Say that the data are like the paper's, and which they are."""
    return f"near the paper's: {'; '.join(NEAR[task.name] + _taken(task) for task in tasks)}."


def _taken(task: Task) -> str:
    n_sets = task.effort.n_sets
    return "" if n_sets is None else f"; of these, the first {n_sets} of each"


def protocol_note(*tasks: Task) -> str:
    """Say how C is chosen and what p is."""
    folds = " and ".join(f"{task.n_folds}-fold" + _named(task, tasks) for task in tasks)
    few = "; so few sets of news show large differences only" if _has_news(tasks) else ""
    return (
        f"C by {folds} cross-validation on the training sets, under the clusterer of the test; p "
        f"of the two-tailed paired t-test over the test sets, below 0.05 significant{few}."
    )


def _named(task: Task, tasks: tuple[Task, ...]) -> str:
    return f" ({NAMES[task.name]})" if len(tasks) > 1 else ""


def _has_news(tasks: tuple[Task, ...]) -> bool:
    return any(task.name == "news" for task in tasks)
