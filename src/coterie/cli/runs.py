"""The settings of a run of `coterie fit`, from a file and from options."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from coterie.cli.files import check_target, read_text, refuse_overwriting, write_text
from coterie.exceptions import InputError

if TYPE_CHECKING:
    from coterie.tables import Schema

ROLES = ("cluster", "set", "id")
READING = ("format", "long_cells")
"""Settings that say how to read the table."""

PARAMETERS = {"jobs": "n_jobs", "seed": "random_state"}
"""Parameters of `coterie.tables.fit` that files and flags call otherwise."""


class Run(NamedTuple):
    """All settings of a run by their names in files, and those that only a file gave."""

    settings: Mapping[str, Any]
    from_file: Collection[str]

    def __repr__(self) -> str:
        return f"Run({', '.join(self.settings)})"

    @property
    def reading(self) -> dict[str, Any]:
        """The arguments of `read_table`."""
        return {name: self.settings[name] for name in READING if name in self.settings}

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `fit_table`."""
        if "cluster" not in self.settings:
            raise InputError(
                "the column of true clusters is not named; name it with --cluster, for example: "
                "--cluster person"
            )
        return {
            PARAMETERS.get(name, name): value
            for name, value in self.settings.items()
            if name not in READING
        }

    def save(self, path: str, schema: "Schema", source: str) -> None:
        """Write the settings to a file that repeats the run, with the columns of a schema."""
        from coterie.tables import schema_text
        from coterie.tables.limits import as_max_size

        others: dict[str, Any] = {
            name: value for name, value in self.settings.items() if name not in (*ROLES, "kinds")
        }
        if "max_size" in others:
            others["max_size"] = as_max_size(others["max_size"])
        write_text(path, schema_text(schema, source, others))


def merge_settings(file: str | None, options: Mapping[str, Any]) -> Run:
    """Merge the settings of a file and of options, which take precedence where they are not None.

    Columns to ignore are those of both.
    """
    in_file = {} if file is None else _read_file(file)
    by_option = {name: value for name, value in options.items() if value not in (None, [])}
    ignored = (*in_file.get("ignore", ()), *by_option.get("ignore", ()))
    settings = {**in_file, **by_option, "ignore": tuple(dict.fromkeys(ignored))}
    return Run(settings, in_file.keys() - by_option.keys())


def check_saved(path: str | None, output: str, table: str) -> None:
    """Refuse a file for settings that cannot be written, before the model is learned."""
    if path is not None:
        if path == output:
            raise InputError(f"{path} is also the file of the model; give another file")
        refuse_overwriting(path, table, output)
        check_target(path)


def _read_file(path: str) -> dict[str, Any]:
    from coterie.tables import read_settings
    from coterie.tables.toml import MAX_BYTES

    return read_settings(read_text(path, MAX_BYTES), path)
