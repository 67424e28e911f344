"""The words that type checkers know are those of the library."""

from typing import get_args

import shardfft
from shardfft import _core
from shardfft._ground import words
from shardfft._layouts.layout import named


def test_kinds():
    assert set(get_args(words.Kind)) == set(_core.Kind.__members__)


def test_norms():
    choices = {option.name: option.choices for option in shardfft.options()}
    assert list(get_args(words.Norm)) == choices["norm"]


def test_layouts():
    for name in get_args(words.LayoutName):
        assert named(name, (4, 4), 2).ranks == 2
    assert set(get_args(words.OutputName)) == {"default", "natural", *get_args(words.LayoutName)}
