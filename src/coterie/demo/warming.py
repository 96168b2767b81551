"""Compiling ahead all that the documented uses of Coterie need."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

from coterie._core.compilation import compilation
from coterie._core.files import replacing
from coterie._core.progress import progress, report
from coterie._core.texts import pluralize, time_text
from coterie._kernels.caching import loaded_files, written_files
from coterie.demo.walking import stages
from coterie.exceptions import CoterieError, InputError


class Warmed(NamedTuple):
    """The numbers of functions that were loaded and compiled, and the seconds of compiling."""

    loaded: int
    compiled: int
    seconds: float

    def sentence(self) -> str:
        """Return what was done in words.

        >>> print(Warmed(loaded=3, compiled=38, seconds=25.0).sentence())
        compiled 38 functions in 25 s (compiled already: 3)
        >>> print(Warmed(loaded=41, compiled=0, seconds=0.0).sentence())
        all 41 functions are compiled already
        """
        if not self.compiled:
            return f"all {pluralize(self.loaded, 'function')} are compiled already"
        sentence = f"compiled {pluralize(self.compiled, 'function')} in {time_text(self.seconds)}"
        return f"{sentence} (compiled already: {self.loaded:,})" if self.loaded else sentence


def warm(folder: Path | None = None) -> Warmed:
    """Compile all functions that are not compiled yet; also copy all to a folder, if one is given.

    Raises an error if compiled functions cannot be kept for later processes.
    """
    start = monotonic()
    loaded_before, written_before = set(loaded_files), set(written_files)
    compilation.tell_once(None)  # the progress says it
    _walk()
    seconds = compilation.seconds_since(start)
    loaded, written = loaded_files.keys() - loaded_before, written_files.keys() - written_before
    if seconds and not written:
        raise CoterieError("the compiled functions could not be kept; see the message before")
    if folder is not None:
        _copy_files(folder)
    return Warmed(len(loaded), len(written), seconds)


def _walk() -> None:
    """Use Coterie in all documented ways, and report only how far this has come."""
    walk = list(stages())
    for index, stage in enumerate(walk):
        report("compile", index, len(walk), stage.name)
        # Warnings about made-up tables help nobody.
        with TemporaryDirectory() as name, progress(lambda _: None), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            stage.run(Path(name))
    report("compile", len(walk), len(walk))


def _copy_files(folder: Path) -> None:
    """Copy the files of all functions that this process loaded or compiled, for all to read."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in {**loaded_files, **written_files}.items():
            with replacing(folder / name) as stream:
                stream.write(path.read_bytes())
            (folder / name).chmod(0o644)
    except OSError as error:
        raise InputError(
            f"no file can be written to the folder {folder}: {error.strerror}; give another folder"
        ) from error
