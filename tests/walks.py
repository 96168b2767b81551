"""Count the functions that some tasks enter: `python tests/walks.py [FOLDER …]`.

These are the functions that a reader meets when following the code. A folder holds packages, such
as `src`, and comes first on the path, so that two states of the repository can be compared. Each
task runs twice and is counted the second time, when everything is imported and compiled. The result
is the number of entered Python functions and of their files. Kernels and generated functions, such
as constructors of dataclasses, do not count.
"""

import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

PACKAGES = ("coterie", "coterie_papers")

Task = Callable[[], object]


def main() -> None:
    sys.path[:0] = [str(Path(folder).resolve()) for folder in sys.argv[1:]]
    for name, walk in walks():
        with tempfile.TemporaryDirectory() as folder, working_directory(folder):
            task = walk()
            task()
            functions = entered_functions(task)
        files = {function.file for function in functions}
        sys.stdout.write(f"{name:32}{len(functions):4} functions in {len(files):3} files\n")


def walks() -> Iterator[tuple[str, Callable[[], Task]]]:
    """Yield the name of each task and the function that prepares it."""
    yield "fit --learner logistic", fit
    yield "predict", predict
    yield "SVMCluster.fit and predict", svm_cluster
    yield "Stream.add", stream
    has_papers = find_spec("coterie_papers") or find_spec("coterie.experiments")
    if has_papers and "COTERIE_DATA" in os.environ:
        yield "reproduce svm-cluster, a table", reproduce


def fit() -> Task:
    write_people("train.csv", 60)
    return lambda: coterie(
        "fit", "train.csv", "--cluster", "who", "--learner", "logistic", "-o", "m.coterie"
    )


def predict() -> Task:
    fit()()
    write_people("new.csv", 40)
    return lambda: coterie("predict", "m.coterie", "new.csv", "-o", "out.csv")


def svm_cluster() -> Task:
    from coterie import SVMCluster
    from coterie.datasets import make_item_sets

    corpus = make_item_sets(4, random_state=0)

    def task() -> None:
        SVMCluster().fit(*corpus).predict(corpus.item_sets)

    return task


def stream() -> Task:
    from coterie import LatentLeftLinking
    from coterie.datasets import make_item_sets
    from coterie.stream import Stream

    corpus = make_item_sets(4, random_state=0)
    model = LatentLeftLinking().fit(*corpus).to_model()

    def task() -> None:
        tracker = Stream(model)
        for item in corpus.item_sets[0].items:
            tracker.add(item)

    return task


def reproduce() -> Task:
    """Make one table of a paper, each time in a new folder, because results are reused."""

    def task() -> None:
        out = tempfile.mkdtemp(dir=".")
        coterie("reproduce", "svm-cluster", "--quick", "--only", "table2", "--jobs", "1",
                "--out", out)  # fmt: skip

    return task


def write_people(name: str, n_rows: int) -> None:
    from coterie.datasets import make_records
    from coterie.tables import Table, write_table

    corpus = make_records(n_rows, random_state=0)
    columns = {
        column: [value or "" for value in values]
        for column, values in corpus.item_sets[0].items.items()
    }
    write_table(name, Table({**columns, "who": list(map(str, corpus.partitions[0].labels))}))


def coterie(*words: str) -> None:
    """Run a command in this process, and print its output if it fails."""
    from coterie import cli

    sys.argv = ["coterie", *words]
    output = StringIO()
    with redirect_stdout(output), redirect_stderr(output):
        try:
            cli.main()
        except SystemExit as end:
            if end.code:
                sys.__stderr__.write(output.getvalue())
                raise


class Function(NamedTuple):
    file: str
    line: int
    name: str


def entered_functions(task: Task) -> set[Function]:
    """Return the functions of Coterie that a task enters in any thread."""
    functions: set[Function] = set()

    def note(frame: Any, event: str, _argument: Any) -> None:
        if event == "call":
            code = frame.f_code
            functions.add(Function(code.co_filename, code.co_firstlineno, code.co_name))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        task()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    specs = filter(None, map(find_spec, PACKAGES))
    homes = tuple(f"{Path(str(spec.origin)).parent}{os.sep}" for spec in specs)
    return {
        function
        for function in functions
        if function.file.startswith(homes) and is_counted(function)
    }


def is_counted(function: Function) -> bool:
    """Return whether a function is neither a kernel nor a part of another, such as a lambda."""
    return "_kernels" not in Path(function.file).parts and not function.name.startswith("<")


@contextmanager
def working_directory(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


if __name__ == "__main__":
    main()
