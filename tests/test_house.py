"""The layout of the code: private modules belong to their folder, and files are short."""

from pathlib import Path

import pytest

from tests import house

REPOSITORY = Path(__file__).parents[1]
FOLDERS = [REPOSITORY / "src", REPOSITORY / "papers" / "src"]


@pytest.fixture(scope="module", params=FOLDERS, ids=["coterie", "coterie_papers"])
def modules(request):
    return house.modules_of(request.param)


def test_no_package_imports_private_names_of_another(modules):
    assert house.private_imports(modules) == []


def test_the_papers_import_public_names_of_the_product_only():
    modules = house.modules_of(REPOSITORY / "papers" / "src")
    names = {name for module in modules.values() for name in house.imports_of(module)}
    private = [part for name in names for part in name.split(".") if house.is_private(part)]
    assert private == []


def test_files_have_at_most_400_lines(modules):
    assert {name for name, module in modules.items() if module.n_lines > 400} == set()


def test_functions_have_at_most_40_lines_and_kernels_80(modules):
    long_functions = {
        (name, function)
        for name, module in modules.items()
        for function, n_lines in house.body_lines(module)
        if n_lines > (80 if "._kernels." in name else 40)
    }
    assert long_functions == set()


def test_names_say_what_they_hold(modules):
    assert house.filler_share(modules) < 1.0


def test_no_class_name_is_defined_twice(modules):
    # The objective of left-linking has the name of its clusterer, as objectives are always written
    # with their module.
    assert set(house.class_names_in_two_modules(modules)) <= {"LeftLink"}


def test_kernels_explain_what_the_code_does_not_say():
    modules = house.modules_of(REPOSITORY / "src")
    kernels = [module for name, module in modules.items() if "._kernels." in name]
    assert house.comments_per_100(kernels) >= 5


def test_a_private_import_is_found(tmp_path):
    inside, outside = tmp_path / "coterie" / "a", tmp_path / "coterie" / "b"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    (inside / "_x.py").write_text("class Twin: ...\n")
    (inside / "y.py").write_text("from coterie._core import files\nfrom coterie.a._x import Twin\n")
    (outside / "z.py").write_text("from coterie.a import _x\n\nclass Twin: ...\n")
    modules = house.modules_of(tmp_path)
    assert house.private_imports(modules) == [("coterie.b.z", "coterie.a._x")]
    assert house.class_names_in_two_modules(modules) == {"Twin": ["coterie.a._x", "coterie.b.z"]}
