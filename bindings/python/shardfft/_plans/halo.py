"""Halos: copies of the neighbours' elements around each rank's part of an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._ground import mpi
from .._ground.arguments import for_each_axis, integer
from .._ground.errors import ArgumentError, Error
from .._layouts.infer import check_layout
from .handle import Held
from .options import convert
from .problem import number_type

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray

    from .._layouts.layout import Layout

Widths = int | Sequence[int | tuple[int, int]]


def _widths(widths: Widths, periodic: bool | Sequence[bool], axes: int) -> list[tuple[int, int, bool]]:
    result = []
    for width, wraps in zip(
        for_each_axis(widths, axes, "widths"), for_each_axis(periodic, axes, "periodic"), strict=True
    ):
        sides = list(width) if isinstance(width, Sequence) else [width, width]
        if len(sides) != 2:
            raise ValueError(f"a width is a number, or two of them (below, above), not {width!r}")
        result.append((integer(sides[0], "a width"), integer(sides[1], "a width"), bool(wraps)))
    return result


class HaloExchange(Held):
    """Fills the halos of padded NumPy arrays, and adds them back. Making, closing and all calls are collective.

    A padded array holds this rank's part with the halos around it, in the memory order of the layout; a rank without
    elements has an array of none. Beyond the ends of axes that are not periodic halos are the caller's own.

    Args:
        layout: each rank has a box of it.
        widths: elements beside each part: one number, or one for each axis, or (below, above) for each axis.
        dtype: float32, float64, complex64 or complex128.
        periodic: whether the halos at an axis's ends hold the elements of its other end; one for all axes, or for each.
        corners: False fills the halos beside faces alone.
        fields: number of fields, of which the axis comes first; None: one, without an axis.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        options: ``threads``, ``check_calls``, ``call_timeout`` of :func:`plan`.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> from mpi4py import MPI
        >>> layout = shardfft.Layout.slab((3 * MPI.COMM_WORLD.size,), MPI.COMM_WORLD.size)
        >>> with shardfft.HaloExchange(layout, 1) as halo:
        ...     x = halo.pad(np.arange(3.0))
        >>> x.tolist()
        [2.0, 0.0, 1.0, 2.0, 0.0]
    """

    def __init__(
        self,
        layout: Layout,
        widths: Widths,
        dtype: DTypeLike = np.float64,
        *,
        periodic: bool | Sequence[bool] = True,
        corners: bool = True,
        fields: int | None = None,
        comm: MPI.Comm | None = None,
        **options: Any,
    ) -> None:
        self.comm = mpi.communicator(comm)

        def prepare() -> tuple[Any, ...]:
            check_layout(layout, self.comm)
            count = 1 if fields is None else integer(fields, "fields")
            sides = _widths(widths, periodic, layout.ndim)
            return sides, number_type(dtype), convert({**options, "batch": count})

        sides, self.dtype, told = mpi.agree(self.comm, prepare)
        self.layout = layout
        self._core = _core.HaloExchange(
            mpi.address(self.comm),
            layout._core,
            sides,
            self.dtype.name in ("float64", "complex128"),
            self.dtype.kind == "c",
            told,
            bool(corners),
        )
        extents = tuple(self._core.extents)
        batch = () if fields is None else (fields,)
        order = tuple(axis + len(batch) for axis in layout.order)
        self._order = (*range(len(batch)), *order)
        self.shape = (*batch, *extents)
        own = layout.local(self.comm.rank) or ()
        counts = [len(range(one.start, one.stop, one.step)) for one in own]
        self._own = (*(slice(None) for _ in batch),
                     *(slice(below, below + n) for (below, _, _), n in zip(sides, counts, strict=True)))  # fmt: skip
        self._strides = self.zeros().strides
        self._under_way: Any = ()

    def zeros(self) -> NDArray[Any]:
        """Make a padded array of zeros."""
        memory = np.zeros([self.shape[axis] for axis in self._order], self.dtype)
        return memory.transpose(np.argsort(self._order))

    def own(self, x: NDArray[Any]) -> NDArray[Any]:
        """See this rank's part of a padded array."""
        return x[self._own]

    def pad(self, block: Any) -> NDArray[Any]:
        """Make a padded array of this rank's part, with its halos filled. Collective."""
        x = self.zeros()
        mpi.agree(self.comm, lambda: self.own(x).__setitem__(Ellipsis, block))
        self.update(x)
        return x

    def update(self, x: NDArray[Any]) -> None:
        """Fill the halos of a padded array from the parts of their owners. Collective."""
        self.begin(x)
        self.end()

    def begin(self, x: NDArray[Any]) -> None:
        """Begin an :meth:`update`; until :meth:`end` the part may be read, and written inside. Collective."""
        self._core.begin(self._address(x), x)
        self._under_way = x

    def end(self) -> None:
        """Complete :meth:`begin`. Collective."""
        x, self._under_way = self._under_way, ()
        self._core.end(x)

    def add_back(self, x: NDArray[Any]) -> None:
        """Do the adjoint of :meth:`update`: add each halo to the part it was filled from, and make it 0. Collective."""
        self._core.add_back(self._address(x), x)

    def _check(self, x: Any) -> int:
        if not isinstance(x, np.ndarray) or x.dtype != self.dtype:
            raise TypeError(f"a padded array must be a NumPy array of {self.dtype}, not {getattr(x, 'dtype', type(x))}")
        if x.shape != self.shape or (x.size and x.strides != self._strides):
            raise ValueError(
                f"a padded array must have the shape {self.shape} on rank {self.comm.rank} and the strides "
                f"{self._strides}, as zeros() makes it, not {x.shape} and {x.strides}"
            )
        if not x.flags.writeable:
            raise ValueError("the array cannot be written")
        return int(x.ctypes.data)

    def _address(self, x: Any) -> int:
        """Give its address; all ranks hear of an array that cannot be used."""
        try:
            return self._check(x)
        except (TypeError, ValueError) as error:
            if 0 not in self.shape:
                try:
                    self._core.begin(0, ())
                except (ArgumentError, Error):
                    raise error from None
            raise
