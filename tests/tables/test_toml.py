"""Hostile TOML files: each is refused by one kind of error, without much work."""

import tomllib

import pytest

from coterie.exceptions import InputError
from coterie.tables import read_settings
from coterie.tables import toml as toml_module
from coterie.tables.toml import MAX_BYTES, parse_toml
from tests.commands import error_of, run

LONG = 100_000
HOSTILE = {
    "nested arrays": ("x = " + "[" * 5000, "its brackets are nested too deeply"),
    "nested tables": ("x = " + "{a = " * 5000, "its brackets are nested too deeply"),
    "a number of 5,000 digits": ("seed = " + "1" * 5000, "not valid TOML: Exceeds the limit"),
    "a key of dots": ("a" + ".a" * LONG + " = 1", "a key of over 16 dots"),
    "a key of dots with blanks": ("a" + " . a" * LONG + " = 1", "a key of over 16 dots"),
    "a key of quoted parts": ("a" + '."b"' * LONG + " = 1", "a key of over 16 dots"),
    "a key of literal parts": ("a" + ".'b'" * LONG + " = 1", "a key of over 16 dots"),
    "a table of dots": ("[a" + ".a" * LONG + "]", "a key of over 16 dots"),
    "an array of tables of dots": ("[[a" + ".a" * LONG + "]]", "a key of over 16 dots"),
    "an inline key of dots": ("x = {a" + ".a" * LONG + " = 1}", "a key of over 16 dots"),
    "a large file": ("#" * (MAX_BYTES + 1), "over 1,000,000 characters"),
    "an open string": ('x = "' + '\\"' * LONG, "not valid TOML"),
    "an open long string": ('x = """' + '\\""' * LONG, "not valid TOML"),
    "open strings": ("'\n\"\n" * LONG, "not valid TOML"),
    "an odd date": ("x = 2020-13-45", "not valid TOML"),
    "a huge hexadecimal seed": (
        "seed = 0x" + "f" * LONG,
        "seed is a number of thousands of digits",
    ),
    "a huge budget": ("budget = 1" + "0" * 400, "budget is 1000"),
    "jobs above 64 bits": ("jobs = 18446744073709551616", "jobs is 18446744073709551616; it"),
    "a long unknown key": ("k" * LONG + " = 1", "the unknown key 'kkk"),
    "a long value": (f'seed = "{"x" * LONG}"', "seed is 'xxx"),
    "a long kind": (f'[kinds]\n{"c" * LONG} = ["{"x" * LONG}"]', "the kind of 'ccc"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_by_a_short_error_that_names_them(name):
    text, message = HOSTILE[name]
    with pytest.raises(InputError) as error:
        read_settings(text, "s.toml")
    assert message in str(error.value)
    assert str(error.value).startswith("s.toml")
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("name", [name for name in HOSTILE if "dots" in name or "large" in name])
def test_slow_files_are_not_parsed(name, monkeypatch):
    monkeypatch.setattr(toml_module.tomllib, "loads", lambda _text: pytest.fail("parsed"))
    with pytest.raises(InputError):
        parse_toml(HOSTILE[name][0], "s.toml")


@pytest.mark.parametrize(
    "text",
    [
        f'x = "{"." * 100}"',
        f"x = '{'.' * 100}'",
        'x = """' + ".a\n" * 100 + '"""',
        "x = '''" + ".a\n" * 100 + "'''",
        f'x = "\\"{".a" * 100}"',
        f'x = """"{".a" * 100} " "" \\""" """',
        f"x = 1 # {'.a' * 100}",
        f'"{".a" * 100}" = 1',
        "".join(f"x{n} = 1.5\n" for n in range(100)),
        f"x = [{'1.5, ' * 100}]",
        f"x = [{'1.5,' * 100}]",
        "a.b.c.d = 1",
    ],
)
def test_dots_elsewhere_than_in_keys_do_not_count(text):
    assert parse_toml(text, "s.toml") == tomllib.loads(text)


@pytest.mark.parametrize("error", [MemoryError(), KeyboardInterrupt()])
def test_errors_that_the_file_did_not_cause_pass(error, monkeypatch):
    def fail(_text):
        raise error

    monkeypatch.setattr(toml_module.tomllib, "loads", fail)
    with pytest.raises(type(error)):
        parse_toml("x = 1", "s.toml")


def test_a_long_name_of_a_column_is_cut_in_errors(tmp_path):
    table, schema = tmp_path / "t.csv", tmp_path / "s.toml"
    table.write_text("name,who\nAnn,1\nAnne,1\nBob,2\n")
    schema.write_text(f'cluster = "{"x" * 5_000}"\n')
    line = error_of(run("fit", table, "--schema", schema, "-o", tmp_path / "m"))
    assert "has no column 'xxx" in line
    assert len(line) < 500
