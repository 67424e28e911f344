"""Functions that other functions make."""

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def named(function: Function, name: str, says: str) -> Function:
    """Give the function its name and its documentation."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = says
    return function
