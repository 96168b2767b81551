"""Files that are replaced only when they are complete."""

import errno
import os
import stat

import pytest

from coterie._core.files import replacing
from coterie.exceptions import InputError


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    return path


def write(path, content, error=None):
    with replacing(path) as stream:
        stream.write(content)
        if error:
            raise error


def test_a_failure_in_the_middle_leaves_the_old_file(tmp_path, file, monkeypatch):
    before = file.read_bytes()

    def fail(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputError, match=r"cannot be written: .*No space left"):
        write(file, b"new")
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_stopped_program_leaves_the_old_file(tmp_path, file, error):
    before = file.read_bytes()
    with pytest.raises(error):
        write(file, b"half", error)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_the_new_file_appears_only_at_the_end(tmp_path):
    with replacing(tmp_path / "new") as stream:
        stream.write(b"whole")
        assert not (tmp_path / "new").exists()
    assert (tmp_path / "new").read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [tmp_path / "new"]


def test_links_and_permissions_are_kept(tmp_path, file):
    file.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(file)
    with replacing(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
def test_a_new_file_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0o022)
    try:
        with replacing(str(tmp_path / "new")) as stream:
            (temporary,) = tmp_path.iterdir()
            assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
            stream.write(b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize("mode", [0o400, 0o604, 0o640, 0o666, 0o755])
def test_the_temporary_file_is_private_until_it_is_complete(tmp_path, file, mode):
    file.chmod(mode)
    with replacing(file) as stream:
        stream.write(b"new")
        (temporary,) = set(tmp_path.iterdir()) - {file}
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")
@pytest.mark.parametrize(("mode", "after"), [(0o660, 0o600), (0o664, 0o644), (0o640, 0o600)])
def test_permissions_of_a_group_are_not_for_another_group(file, monkeypatch, mode, after):
    def refuse(*_args):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    other_group = file.stat().st_gid + 1
    stat_of = os.fstat

    def of_other_group(handle):
        values = list(stat_of(handle))
        values[stat.ST_GID] = other_group
        return os.stat_result(values)

    file.chmod(mode)
    monkeypatch.setattr(os, "fchown", refuse)
    with replacing(file) as stream:
        stream.write(b"new")
        monkeypatch.setattr(os, "fstat", of_other_group)
    assert stat.S_IMODE(file.stat().st_mode) == after


def test_places_that_cannot_be_written_are_refused(tmp_path):
    for path, message in {
        tmp_path / "no" / "file": "there is no folder .*no; create it first",
        tmp_path: "is a folder; give the name of a file",
        tmp_path / ("x" * 300): "cannot be written: .*name too long",
        "a\0b": "the file name is",
        "": "the file name is ''",
    }.items():
        with pytest.raises(InputError, match=message), replacing(path):
            pass
    assert not list(tmp_path.iterdir())
