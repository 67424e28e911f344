"""Options of plans: the library's table, checks of Python's values, and the texts that are made from the table."""

from __future__ import annotations

import difflib
import inspect
import os
import textwrap
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .. import _core
from .._ground.arguments import integer, integers
from .._libraries.streams import pointer

F = TypeVar("F", bound=Callable[..., Any])

#: Options that plan() takes as arguments of its own.
_ARGUMENTS = ("axes", "real_extent")


class Option(NamedTuple):
    """One option of plans.

    Example:
        >>> import shardfft
        >>> {option.name: option for option in shardfft.options()}["norm"].choices
        ['backward', 'ortho', 'forward', 'none']
    """

    name: str
    #: flag, integer, number, integers (a list), choice, words (a list of choices), name (of what is registered), path
    #: or address
    type: str
    default: Any
    choices: list[str]  #: of a choice, and of each in a list of words
    least: int  #: of an integer, and of each in a list
    effect: list[str]  #: where it has one: cpu, gpu (one process a GPU), devices (GPUs of one process)
    agreement: str  #: what ranks are given: the ``same``, a value all or none (``presence``), or any (``none``)
    sentence: str  #: what it does


def options() -> list[Option]:
    """List all options of plans: their names, the values that they take, and their effects.

    Example:
        >>> import shardfft
        >>> {option.name: option.default for option in shardfft.options()}["batch"]
        1
    """
    return [Option(*row) for row in _core.option_rows()]


def _keywords() -> list[Option]:
    return [option for option in options() if option.name not in _ARGUMENTS]


def _value(option: Option, value: Any) -> Any:
    """Return the library's form of a user's value."""
    name = option.name
    if option.type == "flag":
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False, not {value!r}")
        return bool(value)
    if option.type == "integer":
        return integer(value, name)
    if option.type == "number":
        if not isinstance(value, Real) or isinstance(value, bool):
            raise TypeError(f"{name} must be a number, not {value!r}")
        return float(value)
    if option.type == "integers":
        return integers(value, name)
    if option.type == "words":
        words = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [None]
        if not all(isinstance(word, str) for word in words):
            raise TypeError(f"{name} must be a sequence of words, not {value!r}")
        return words
    if option.type == "address":
        return pointer(value)
    if option.type == "path" and isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {value!r}")
    return value


def convert(values: Mapping[str, Any]) -> _core.Options:
    """Give the library's options; None stands for the default."""
    table = {option.name: option for option in options()}
    result = _core.Options()
    for name, value in values.items():
        if name not in table:
            raise TypeError(f"plans have no option {name!r}" + _instead(name, table))
        if value is not None:
            result.set(name, _value(table[name], value))
    return result


def _instead(name: str, table: Iterable[str]) -> str:
    hint, near = _core.option_hint(name), difflib.get_close_matches(name, table, 1)
    return f"; {hint}" if hint else f"; did you mean {near[0]!r}?" if near else ""


def settle(values: Mapping[str, Any]) -> dict[str, Any]:
    """Give options as the library takes them, so that nothing can be wrong with one of them later; iterators end."""
    told = convert(values)
    return {name: told.get(name) for name in values}


def _takes(option: Option) -> str:
    """Describe the values of an option, in Markdown."""
    if option.choices:
        words = ", ".join(f"`{choice}`" for choice in option.choices)
        return f"a list of {words}" if option.type == "words" else words
    words = {"flag": "yes, no", "name": "`auto` or a name", "path": "a file", "text": "a line", "address": "a handle"}
    if option.type in words:
        return words[option.type]
    return f"{option.type}, at least {option.least}"


def _default(option: Option) -> str:
    if option.type == "flag":
        return "yes" if option.default else "no"
    if option.default in ("", [], 0) and option.type in ("path", "text", "integers", "words", "address"):
        return "none"
    return f"`{option.default:g}`" if option.type == "number" else f"`{option.default}`"


_AGREEMENT = {"same": "the same", "presence": "one or none", "none": "each its own"}


def markdown() -> str:
    """Write docs/options.md."""
    lines = [
        "# Options of plans",
        "",
        "`Options` in C++, keywords of `shardfft.plan` in Python, `options` of a case in the benchmark harness. This",
        "page is made from `src/api/option_table.cpp` by `shardfft options --markdown`; a test compares them.",
        "",
        "*Effect*: plans on CPUs (cpu), plans of processes with a GPU each (gpu), plans over GPUs of one process",
        "(devices). Elsewhere anything but the default is an error. *Ranks*: values that the ranks must pass;",
        "anything else is an error on all of them.",
        "",
        "| option | takes | default | effect | ranks |",
        "|---|---|---|---|---|",
    ]
    table = options()
    for option in table:
        cells = [f"[`{option.name}`](#{option.name})", _takes(option), _default(option)]
        cells += [", ".join(option.effect), _AGREEMENT[option.agreement]]
        lines.append("| " + " | ".join(cells) + " |")
    for option in table:
        lines += ["", f"## {option.name}", *textwrap.wrap(option.sentence, 118)]
    lines += ["", "In Python `real_extent` is called `n`, and None stands for the default of any option."]
    return "\n".join(lines) + "\n"


def _python_type(option: Option) -> str:
    if option.choices:
        words = "Literal[" + ", ".join(f'"{choice}"' for choice in option.choices) + "]"
        return f"Sequence[{words}] | None" if option.type == "words" else f"{words} | None"
    words = {
        "flag": "bool",
        "integer": "int",
        "number": "float",
        "integers": "Sequence[int]",
        "name": "str",
        "path": "str | PathLike[str]",
        "text": "str",
    }
    return f"{words[option.type]} | None" if option.type in words else "Any"


def types() -> str:
    """Write _plans/option_types.py, for type checkers."""
    lines = [
        '"""Types of the options of plans, for type checkers; written by ``shardfft options --types``."""',
        "",
        "from collections.abc import Sequence",
        "from os import PathLike",
        "from typing import Any, Literal, TypedDict",
        "",
        "",
        "class PlanOptions(TypedDict, total=False):",
        '    """Keywords of :func:`shardfft.plan` beside those in its signature."""',
        "",
    ]
    lines += [f"    {option.name}: {_python_type(option)}" for option in _keywords()]
    return "\n".join(lines) + "\n"


def documented(function: F) -> F:
    """Name all options in the signature and the documentation of a function that takes them as ``**options``."""
    table = _keywords()
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    for option in table:
        parameters.append(
            inspect.Parameter(
                option.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=option.default if option.type != "address" else None,
                annotation=_python_type(option),
            )
        )
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    if function.__doc__ is not None:
        texts = [
            textwrap.fill(f"{o.name}: {o.sentence}", 118, initial_indent=" " * 8, subsequent_indent=" " * 12)
            for o in table
        ]
        function.__doc__ = function.__doc__.replace(" " * 8 + "options: see below.", "\n".join(texts))
    return function
