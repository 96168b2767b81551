"""How the code is laid out: a private module is for its folder, and files are short."""

from pathlib import Path

import pytest

from tests import house

REPOSITORY = Path(__file__).parents[1]
FOLDERS = [REPOSITORY / "src", REPOSITORY / "papers" / "src"]


@pytest.fixture(scope="module", params=FOLDERS, ids=["coterie", "coterie_papers"])
def modules(request):
    return house.modules_of(request.param)


def test_no_package_imports_what_is_private_to_another(modules):
    assert house.private_imports(modules) == []


def test_the_papers_import_public_names_of_the_product_only():
    modules = house.modules_of(REPOSITORY / "papers" / "src")
    names = {name for module in modules.values() for name in house.imports_of(module)}
    private = [part for name in names for part in name.split(".") if house.is_private(part)]
    assert private == []


def test_files_are_short(modules):
    assert {name for name, module in modules.items() if module.n_lines > 400} == set()


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
