"""The table of options, and the texts that are made from it."""

import inspect
from pathlib import Path

import pytest

import shardfft
from shardfft import _command
from shardfft._doctor import facts
from shardfft._plans import option_types, options

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("path", "text", "command"),
    [
        (ROOT / "docs/options.md", options.markdown, "shardfft options --markdown > docs/options.md"),
        (ROOT / "docs/variables.md", facts.markdown, "shardfft options --variables > docs/variables.md"),
        (Path(option_types.__file__), options.types, "shardfft options --types > .../_plans/option_types.py"),
    ],
)
def test_written_texts(comm, path, text, command):
    assert path.read_text() == text(), f"the table and {path.name} differ: {command}"


def test_signature_and_documentation(comm):
    parameters = inspect.signature(shardfft.plan).parameters
    for option in shardfft.options():
        if option.name in ("axes", "real_extent"):
            continue
        assert parameters[option.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"{option.name}: " in shardfft.plan.__doc__
    assert "see below" not in shardfft.plan.__doc__
    assert parameters["norm"].default == "backward"


#: For each type of option: values that are none.
WRONG = {
    "flag": [(1, TypeError), ("yes", TypeError)],
    "integer": [("many", TypeError), (1.5, TypeError), (2**63, ValueError)],
    "number": [("many", TypeError), (float("inf"), ValueError), (-1, ValueError)],
    "integers": [("many", TypeError), ([1.5], TypeError), ([2**64], ValueError)],
    "words": [(["sideways"], ValueError), ("fft", TypeError), ([3], TypeError), (["fft"], ValueError)],
    "choice": [("sideways", ValueError), (3, TypeError)],
    "name": [("sideways", ValueError), (3, TypeError)],
    "path": [(3, TypeError)],
    "text": [("sideways", ValueError), (3, TypeError)],
    "address": [("here", TypeError)],
}


@pytest.mark.parametrize("option", shardfft.options(), ids=lambda option: option.name)
def test_values(comm, option):
    """Each takes its default, and refuses values of other types."""
    given = {option.name: option.default} if option.type != "address" else {}
    assert options.convert(given).get(option.name) == option.default
    assert options.convert({option.name: None}).get(option.name) == option.default
    if option.name in ("axes", "real_extent"):
        return
    for value, error in WRONG[option.type]:
        with pytest.raises(error, match=option.name):
            shardfft.plan((4, 6, 8), comm=comm, **{"effort": "estimate", option.name: value})
    if option.type in ("integer", "integers") and "cpu" in option.effect:
        least = option.least - 1
        with pytest.raises(ValueError, match=option.name):
            shardfft.plan((4, 6, 8), comm=comm, **{option.name: [least] if option.type == "integers" else least})


def test_no_such_option(comm):
    with pytest.raises(TypeError, match="no option 'chunk'; did you mean 'chunks'"):
        shardfft.plan((4, 6, 8), comm=comm, chunk=2)


def test_options_without_effect(comm):
    with pytest.raises(ValueError, match="option memory is device, but has no effect with processor = cpu"):
        shardfft.plan((4, 6, 8), comm=comm, memory="device")


def test_command(comm, capsys):
    assert _command.main(["options"]) == 0
    printed = capsys.readouterr().out
    assert all(f"{option.name}: {option.sentence}" in printed for option in shardfft.options())
    assert _command.main(["options", "--markdown"]) == 0
    assert capsys.readouterr().out == options.markdown()
    with pytest.raises(SystemExit):
        _command.main(["options", "--all"])
