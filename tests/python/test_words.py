"""The words that type checkers know are those of the library."""

from typing import get_args

import pytest

import shardfft
from shardfft import _core, _words
from shardfft._layout import named


@pytest.mark.parametrize(
    ("words", "enum"), [(_words.Kind, _core.Kind), (_words.Norm, _core.Norm), (_words.Effort, _core.Effort)]
)
def test_enums(words, enum):
    assert set(get_args(words)) == set(enum.__members__)


@pytest.mark.parametrize(("words", "name"), [(_words.Processor, "processor"), (_words.Memory, "memory")])
def test_words_of_options(comm, words, name):
    with pytest.raises(shardfft.ArgumentError, match=f"unknown {name} 'attic'; known: {', '.join(get_args(words))}"):
        shardfft.plan((4,), comm=comm, **{name: "attic"})


def test_layouts():
    for name in get_args(_words.LayoutName):
        assert named(name, (4, 4), 2).ranks == 2
    assert set(get_args(_words.OutputName)) == {"default", "natural", *get_args(_words.LayoutName)}
