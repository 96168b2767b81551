"""The folder of `coterie demo`: places that it refuses."""

import pytest

from coterie.demo.run import Demo
from tests.commands import error_of, run


def check_refused(folder, start, end):
    line = error_of(run("demo", "--rows", "100", "-o", folder))
    assert line.startswith(start)
    assert line.endswith(end)


def test_a_file_is_refused_as_a_folder(tmp_path):
    place = tmp_path / "people.csv"
    place.write_text("a,b\n")
    check_refused(place, f"{place} is a file;", " give the name of a folder")
    assert place.read_text() == "a,b\n"


@pytest.mark.parametrize(
    "place",
    [
        "people.csv/inside",
        "people.csv/inside/it",
        "n" * 300,
        "link",
        "/proc/folder",
        "/proc",  # this folder exists, but not even root can write to it
    ],
)
def test_a_folder_that_cannot_be_made_or_written_to_is_refused(place, tmp_path):
    (tmp_path / "people.csv").write_text("a,b\n")
    (tmp_path / "link").symlink_to(tmp_path / "missing")
    folder = tmp_path / place
    check_refused(folder, f"no file can be written to the folder {folder}: ", "give another folder")


@pytest.mark.parametrize("name", ["people.csv", "digits.html", "people.coterie"])
def test_files_of_others_are_not_overwritten(name, tmp_path):
    (tmp_path / name).write_text("mine")
    start = f"the folder {tmp_path} has a file {name}, which `coterie demo` would overwrite"
    check_refused(tmp_path, start, "give another folder, or delete the file")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def stop(_message):
    raise KeyboardInterrupt


def test_files_of_an_earlier_demonstration_are_overwritten_and_others_stay(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    for seed in (0, 1):
        with pytest.raises(KeyboardInterrupt):  # after the first tables
            Demo(tmp_path, 100, seed, stop).run()
    again = tmp_path / "again"
    with pytest.raises(KeyboardInterrupt):
        Demo(again, 100, 1, stop).run()
    assert (tmp_path / "people.csv").read_bytes() == (again / "people.csv").read_bytes()
    assert (tmp_path / "notes.txt").read_text() == "mine"
