"""What the library's objects have in common: they are open until closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from .._ground.errors import ArgumentError
from .._libraries import array_libraries
from .report import Report

if TYPE_CHECKING:
    from typing_extensions import Self

    from .. import _core
    from .._layouts.side import Side


class Held:
    """An object of the library, which ``with`` ends."""

    _core: Any

    def close(self) -> None:
        """End it and free its memory; arrays from it stay valid. Collective over its communicator."""
        self._core.close()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: make another with the same arguments")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Handle(Held):
    """A plan over processes, or over the GPUs of one process."""

    def _open(self) -> Any:
        if self._core.closed:
            raise ArgumentError("this plan was closed")
        return self._core

    @staticmethod
    def _show(side: Side, memory: _core.Memory) -> Any:
        return array_libraries.for_users(side._of_memory(memory)).transpose(side._places)

    def report(self) -> Report:
        """Tell the program, strategies, bytes and memory, and after runs the time of every step.

        Of plans over processes collective. ``print(plan.report())`` shows text; the report itself is a dictionary.
        """
        return Report(self._core.report())
