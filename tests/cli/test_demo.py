"""The folder of `coterie demo`: places that it refuses."""

import pytest
from typer.testing import CliRunner

from coterie import cli


def check_refused(folder, start, end):
    done = CliRunner().invoke(cli.app, ["demo", "--rows", "100", "-o", str(folder)])
    assert done.exit_code == 2, done.output
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"coterie: {start}")
    assert line.endswith(end)
    assert done.stdout == ""


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
