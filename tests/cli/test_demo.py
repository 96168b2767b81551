"""The folder of `coterie demo`: places that it refuses."""

import pytest

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
