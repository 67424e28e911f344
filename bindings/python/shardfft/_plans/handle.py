"""The common part of plans over processes and plans over the GPUs of one process: they are open until closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from .._ground.errors import ArgumentError
from .._libraries import array_libraries
from .report import Report

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from .. import _core
    from .._layouts.side import Side


class Handle:
    """A plan of the library, which ``with`` ends."""

    _core: Any

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

    def close(self) -> None:
        """End the plan and free its memory; arrays from it stay valid."""
        self._core.close()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: plan again with the same arguments")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
