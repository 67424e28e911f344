"""Particles on the mesh that an array is: deposit, interpolation, their adjoints, and particles that change ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._ground import mpi
from .._ground.arguments import integer
from .._layouts.infer import check_layout
from .._layouts.part import Part, each_of
from .handle import Held
from .problem import number_type

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray

    from .._layouts.layout import Layout

_ASSIGNMENTS = ("nearest", "cic", "tsc")


class Migration:
    """A move of particles to the ranks to which their positions belong: :meth:`ParticleMesh.migration`."""

    def __init__(self, core: _core.Migration, comm: MPI.Comm) -> None:
        self._core, self._comm = core, comm
        self.sent: int = core.sent  #: particles that this rank had
        self.received: int = core.received  #: and has afterwards

    def _moved(self, array: Any, have: int, count: int, back: bool) -> NDArray[Any]:
        def prepare() -> tuple[NDArray[Any], NDArray[Any]]:
            source = np.ascontiguousarray(array)
            if source.dtype.hasobject or source.ndim < 1 or len(source) != have:
                raise ValueError(f"an array of {have} rows without Python objects is needed, not {source.shape}")
            return source, np.empty((count, *source.shape[1:]), source.dtype)

        source, target = mpi.agree(self._comm, prepare)
        width = source.dtype.itemsize * math.prod(source.shape[1:])
        self._core.move(source.ctypes.data, width, target.ctypes.data, back)
        return target

    def move(self, array: Any) -> NDArray[Any]:
        """Give the rows of the particles that this rank has now, one row a particle. Collective."""
        return self._moved(array, self.sent, self.received, False)

    def back(self, array: Any) -> NDArray[Any]:
        """Give rows back to the ranks and places that they came from: the adjoint of :meth:`move`. Collective."""
        return self._moved(array, self.received, self.sent, True)


class ParticleMesh(Held):
    """The points of a periodic array as a mesh for particles. Making, closing and all calls are collective.

    Point i of an axis of n points lies at i length / n. Positions are arrays of one row a particle and one column an
    axis; each must be in the part of its rank (the rank that has the point at or below it), or ``reach`` points beyond.

    Args:
        layout: each rank has a box of it.
        assignment: how a particle's weight is spread: to the ``nearest`` point, to 2 along each axis (``cic``, cloud
            in cell), or to 3 (``tsc``, triangular-shaped cloud).
        dtype: float32 or float64, of fields, positions, weights and values.
        lengths: of the domain, one number or one for each axis; None: the extents, so that positions count points.
        wrap: whether positions outside the domain are taken from its other end, or refused.
        reach: the number of points beyond the part of its rank that a particle may drift.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> from mpi4py import MPI
        >>> with shardfft.ParticleMesh(shardfft.Layout.slab((4,), 1), comm=MPI.COMM_SELF) as mesh:
        ...     field = mesh.deposit(np.array([[1.25], [3.5]]))
        >>> field.tolist()
        [0.5, 0.75, 0.25, 0.5]
    """

    def __init__(
        self,
        layout: Layout,
        assignment: str = "cic",
        dtype: DTypeLike = np.float64,
        *,
        lengths: float | Sequence[float] | None = None,
        wrap: bool = True,
        reach: int = 0,
        comm: MPI.Comm | None = None,
    ) -> None:
        self.comm = mpi.communicator(comm)

        def prepare() -> tuple[np.dtype[Any], list[float], int]:
            check_layout(layout, self.comm)
            if assignment not in _ASSIGNMENTS:
                raise ValueError(f"assignment must be one of {', '.join(_ASSIGNMENTS)}, not {assignment!r}")
            numbers = number_type(dtype)
            if numbers.kind == "c":
                raise TypeError("fields of particles are real: dtype must be float32 or float64")
            extents = [] if lengths is None else each_of(lengths, layout.ndim, "lengths")
            return numbers, extents, integer(reach, "reach")

        self.dtype, extents, points = mpi.agree(self.comm, prepare)
        self.layout = layout
        self._part = Part(layout, self.dtype, self.comm.rank, 1, False)
        self._core = _core.ParticleMesh(
            mpi.address(self.comm),
            layout._core,
            _ASSIGNMENTS.index(assignment),
            self.dtype.itemsize == 8,
            extents,
            bool(wrap),
            points,
        )

    def _rows(self, array: Any, shape: tuple[int, ...], what: str) -> NDArray[Any]:
        rows = np.ascontiguousarray(array, self.dtype)
        if rows.shape != shape:
            raise ValueError(f"{what} must have the shape {shape}, not {rows.shape}")
        return rows

    def _positions(self, positions: Any) -> NDArray[Any]:
        rows = np.ascontiguousarray(positions, self.dtype)
        return self._rows(rows, (len(rows) if rows.ndim else 0, self.layout.ndim), "positions")

    def deposit(self, positions: Any, weights: Any = None) -> NDArray[Any]:
        """Return this rank's part of the sum over all particles; without weights each counts 1. Collective."""

        def prepare() -> tuple[NDArray[Any], NDArray[Any] | None]:
            rows = self._positions(positions)
            return rows, None if weights is None else self._rows(weights, (len(rows),), "weights")

        rows, given = mpi.agree(self.comm, prepare)
        field = self._part.empty()
        address = 0 if given is None else given.ctypes.data
        self._core.deposit(len(rows), rows.ctypes.data, address, field.ctypes.data)
        return field

    def _read(self, positions: Any, field: Any, slopes: bool) -> NDArray[Any]:
        rows, numbers = mpi.agree(
            self.comm, lambda: (self._positions(positions), self._part.asarray(np.asarray(field)))
        )
        result = np.empty_like(rows) if slopes else np.empty(len(rows), self.dtype)
        call = self._core.gradient if slopes else self._core.interpolate
        call(len(rows), rows.ctypes.data, numbers.ctypes.data, result.ctypes.data)
        return result

    def interpolate(self, positions: Any, field: Any) -> NDArray[Any]:
        """Give the values of a field, of which this is the rank's part, at the positions. Collective."""
        return self._read(positions, field, False)

    def gradient(self, positions: Any, field: Any) -> NDArray[Any]:
        """Give the derivatives of :meth:`interpolate` by the positions, one row a particle. Collective."""
        return self._read(positions, field, True)

    def deposit_adjoint(self, positions: Any, weights: Any, by_field: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the gradients by positions and by weights of a value with the gradient ``by_field`` by a deposit.

        Collective.
        """
        slopes, values = self.gradient(positions, by_field), self.interpolate(positions, by_field)
        return slopes if weights is None else slopes * np.asarray(weights, self.dtype)[:, None], values

    def interpolate_adjoint(self, positions: Any, field: Any, by_values: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the gradients by positions and by the field of a value with the gradient ``by_values`` by the values.

        Collective.
        """
        slopes = self.gradient(positions, field)
        return slopes * np.asarray(by_values, self.dtype)[:, None], self.deposit(positions, by_values)

    def migration(self, positions: Any) -> Migration:
        """Plan the move of particles to the ranks to which their positions belong. Collective."""
        rows = mpi.agree(self.comm, lambda: self._positions(positions))
        return Migration(self._core.migration(len(rows), rows.ctypes.data), self.comm)
