"""The kinds of files that tables are kept in, told by the names of the files."""

from coterie._core.files import STREAM, FileName, as_path
from coterie.exceptions import InputError

FORMATS = ("csv", "tsv", "jsonl", "parquet")

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


def named_format(path: FileName, given: str | None) -> str | None:
    """Return the format that is given, or that the suffix tells; None if there is neither.

    >>> named_format("people.CSV.gz", None), named_format("-", "tsv"), named_format("people", None)
    ('csv', 'tsv', None)
    """
    if given is not None and given not in FORMATS:
        raise InputError(f"the format is {given!r}; give one of {', '.join(FORMATS)}")
    name = str(as_path(path)).lower().removesuffix(".gz")
    told = next((kind for suffix, kind in _SUFFIXES.items() if name.endswith(suffix)), None)
    found = given or told
    if found == "parquet" and is_gzip_name(path):
        raise InputError(f"{path} ends in .gz, but Parquet is compressed already; drop the .gz")
    return found


def require_format(path: FileName, found: str | None) -> str:
    """Refuse a file whose format nothing tells."""
    if found is None:
        raise InputError(
            f"the name of {path} does not tell its format; give a format ({', '.join(FORMATS)}) or "
            f"a name that ends in {', '.join(_SUFFIXES)}"
        )
    return found


def output_format(path: FileName, of_input: str | None) -> str | None:
    """Return the format to write in: that of the input only where the name does not tell one.

    None, for standard output alone, is that of `write_table`.

    >>> output_format("out.jsonl", "csv"), output_format("out", "csv"), output_format("-", None)
    ('jsonl', 'csv', None)
    """
    found = named_format(path, None) or named_format(path, of_input)
    return found if str(path) == STREAM else require_format(path, found)


def is_gzip_name(path: FileName) -> bool:
    """Tell whether a file is compressed by its name."""
    return str(path).lower().endswith(".gz")
