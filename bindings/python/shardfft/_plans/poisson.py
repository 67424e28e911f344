"""Solvers of Poisson's and Helmholtz's equations as plans, with a boundary for each axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._ground import mpi
from .._ground.arguments import axis_of, for_each_axis, shape_of
from .._layouts.layout import Layout, named
from .._layouts.part import Part
from .._libraries import gpu_arrays
from .._libraries.array_libraries import library_of
from .handle import Held
from .options import convert
from .problem import number_type
from .report import Report

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray

    Values = Mapping[tuple[int, str], Any]

_BOUNDARIES = {"periodic": 0, "dirichlet": 1, "wall": 1, "neumann": 2, "open": 3}
_CHOICES = {
    "points": ("centres", "nodes"),
    "kernel": ("truncated", "hockney", "integrated"),
    "eigenvalues": ("spectral", "second_order"),
    "wrong_mean": ("refuse", "remove"),
}
_ENDS = ("lower", "upper")


def _ends(boundary: Any, axes: int) -> list[tuple[int, int]]:
    """Give the numbers of both ends of each axis."""
    result = []
    for one in for_each_axis(boundary, axes, "boundary"):
        words = (one, one) if isinstance(one, str) else tuple(one)
        if len(words) != 2 or not all(word in _BOUNDARIES for word in words):
            raise ValueError(f"a boundary is one of {', '.join(_BOUNDARIES)}, or a pair (lower, upper), not {one!r}")
        result.append((_BOUNDARIES[words[0]], _BOUNDARIES[words[1]]))
    return result


def _lengths(lengths: Any, axes: int) -> tuple[list[float], int, list[float]]:
    """Give the lengths of all axes, and which one has cells of which widths."""
    result, stretched, cells = [], -1, []
    for axis, one in enumerate(for_each_axis(lengths, axes, "lengths")):
        numbers = np.asarray(one, float)
        if numbers.ndim == 1:
            if stretched >= 0:
                raise ValueError(f"axes {stretched} and {axis} have widths of cells: one axis can be stretched")
            stretched, cells = axis, numbers.tolist()
        elif numbers.ndim > 1:
            raise ValueError(f"lengths has a number for each axis, or the widths of its cells, not {one!r}")
        result.append(float(numbers.sum()))
    return result, stretched, cells


def _choice(name: str, word: str) -> int:
    if word not in _CHOICES[name]:
        raise ValueError(f"{name} must be one of {', '.join(_CHOICES[name])}, not {word!r}")
    return _CHOICES[name].index(word)


def _field(shape: Any, dtype: Any, layout: str | Layout, ranks: int) -> tuple[Layout, np.dtype[Any]]:
    """Give the layout and the type of real fields."""
    extents, numbers = shape_of(shape), number_type(dtype)
    if numbers.kind == "c":
        raise TypeError("solvers are for real fields: dtype must be float32 or float64")
    source = named(layout, extents, ranks) if isinstance(layout, str) else layout
    if not isinstance(source, Layout) or source.shape != tuple(extents) or source.ranks != ranks:
        raise ValueError(f"layout must be a name, or a shardfft.Layout of {tuple(extents)} over {ranks} ranks")
    return source, numbers


class Poisson(Held):
    """A solver that was planned: :func:`poisson`. Closing and all calls that solve are collective.

    Example:
        >>> import shardfft
        >>> plan = shardfft.poisson((8, 6), 1.0, "dirichlet", dtype="float32")
        >>> plan.solve(plan.zeros()).dtype.name
        'float32'
        >>> plan.close()
    """

    def __init__(
        self, comm: MPI.Comm, layout: Layout, dtype: np.dtype[Any], arguments: tuple[Any, ...], options: Any
    ) -> None:
        self.comm, self.layout, self.dtype = comm, layout, dtype
        self._part = Part(layout, dtype, comm.rank, 1, False)
        self.shape = self._part.shape  #: of this rank's part
        self._core = _core.Poisson(mpi.address(comm), layout._core, dtype.itemsize == 8, *arguments, options)
        self._device = self._core.device

    def solve(self, f: Any, values: Values | None = None, *, gradient: bool = False) -> Any:
        """Give this rank's part of u for its part of f. Collective.

        Args:
            f: an array like :meth:`zeros`; with ``processor="gpu"`` one of any library on this rank's GPU, and the
                results are of that library.
            values: values at walls that are not 0, by (axis, "lower" or "upper"): values on a Dirichlet wall,
                derivatives along the outward normal on a Neumann wall; a number, or an array of this rank's part with
                one point along that axis. All ranks give the same walls.
            gradient: give (u, [du/dx for each axis]).
        """
        (right, at), walls = mpi.agree(self.comm, lambda: (self._seen(f, "f"), self._walls(values or {})), "solve")
        made = mpi.agree(self.comm, lambda: [self._new(right) for _ in range(1 + gradient * len(self.shape))])
        (u, *slopes), (to, *to_slopes) = zip(*made, strict=True)
        given = [(axis, upper, array.ctypes.data) for axis, upper, array in walls]
        self._core.solve(at, to, given, to_slopes)
        return (u, list(slopes)) if gradient else u

    def _seen(self, x: Any, name: str) -> tuple[Any, int]:
        """Give an array in the solver's type and memory order, and its address; on a GPU after work on it."""
        if self._device < 0:
            array = self._part.asarray(np.asarray(x))
            return array, array.ctypes.data
        array = self._part.asarray(x)
        seen = gpu_arrays.see(array, name, self._device, self._core.stream)
        self._part.check(seen, name)
        return array, seen.address

    def _new(self, like: Any) -> tuple[Any, int]:
        """Make an array, of the library of another one, and give its address."""
        if self._device < 0:
            array = self._part.empty()
            return array, array.ctypes.data
        memory = self._core.allocate()
        array = library_of(like).adopt(like, self._part._of_memory(memory))
        return library_of(array).transpose(array, self._part._places), memory.address

    def _walls(self, values: Values) -> list[tuple[int, bool, NDArray[Any]]]:
        result = []
        for key, value in values.items():
            if not isinstance(key, tuple) or len(key) != 2 or key[1] not in _ENDS:
                raise ValueError(f"values are given by (axis, 'lower' or 'upper'), not {key!r}")
            axis = axis_of(key[0], len(self.shape))
            shape = tuple(min(n, 1) if a == axis else n for a, n in enumerate(self.shape))
            array = np.asarray(value, self.dtype)
            if array.ndim == len(shape) - 1 and array.ndim > 0:
                array = np.expand_dims(array, axis)
            result.append((axis, key[1] == "upper", np.ascontiguousarray(np.broadcast_to(array, shape))))
        return result

    def adjoint(self, by_u: Any) -> Any:
        """Give the derivatives by f of a number whose derivatives by u are ``by_u``. Collective."""
        given, at = mpi.agree(self.comm, lambda: self._seen(by_u, "by_u"), "adjoint")
        by_f, to = mpi.agree(self.comm, lambda: self._new(given))
        self._core.adjoint(at, to)
        return by_f

    def zeros(self) -> NDArray[Any]:
        """Make this rank's part of an array, of zeros, as NumPy's."""
        return self._part.zeros()

    def points(self) -> list[NDArray[Any]]:
        """Give the coordinates of this rank's points, an array an axis; they broadcast against each other."""
        return self._along(self._core.points)

    def weights(self) -> list[NDArray[Any]]:
        """Give the shares of this rank's points in sums over the domain, an array an axis, which broadcast."""
        return self._along(self._core.weights)

    def _along(self, numbers: Any) -> list[NDArray[Any]]:
        axes, own = len(self.shape), self.layout.local(self.comm.rank)
        result = []
        for axis in range(axes):
            mine = np.asarray(numbers(axis))[own[axis] if own is not None else slice(0, 0)]
            result.append(mine.reshape([-1 if a == axis else 1 for a in range(axes)]))
        return result

    @property
    def is_singular(self) -> bool:
        """Whether solutions differ by a constant, so that f must have a mean that some solution has."""
        return self._core.is_singular

    @property
    def workspace_bytes(self) -> int:
        """Bytes of this rank beside the arrays."""
        return self._core.workspace_bytes

    def report(self) -> Report:
        """Tell the program of a solve, its bytes and times, as :meth:`shardfft.Plan.report`. Collective."""
        return Report(self._core.report())


def poisson(
    shape: int | Iterable[int],
    lengths: Any,
    boundary: str | Sequence[str | tuple[str, str]] = "periodic",
    dtype: DTypeLike = np.float64,
    comm: MPI.Comm | None = None,
    *,
    layout: str | Layout = "slab",
    points: str = "centres",
    shift: float = 0.0,
    kernel: str = "truncated",
    eigenvalues: str = "spectral",
    wrong_mean: str = "refuse",
    tolerance: float = 0.0,
    **options: Any,
) -> Poisson:
    """Plan a solver of ``div grad u - shift u = f`` (shift >= 0) for real fields. Collective over ``comm``.

    Args:
        shape: extents of the global array.
        lengths: of the domain, one number or one for each axis. Of one axis between walls it may be an array: the
            widths of its cells, which are solved by finite volumes of second order.
        boundary: ``periodic``, ``dirichlet`` (or ``wall``), ``neumann`` or ``open`` (free space) for all axes, or an
            entry for each; a pair (lower, upper) has a wall at each end.
        dtype: float32 or float64.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        layout: ``slab``, ``pencil``, ``brick`` or a :class:`Layout`, of which each rank has a box.
        points: of axes with walls: ``centres`` of cells, or ``nodes``, which have points on Neumann walls.
        kernel: of open axes: ``truncated`` (spectral), ``hockney`` or ``integrated`` (second order).
        eigenvalues: ``spectral``, or ``second_order``: those of second differences.
        wrong_mean: ``refuse`` or ``remove`` a mean of f that no solution has.
        tolerance: how large that mean may be beside the mean of abs(f); 0: 1e-8, or 1e-4 in single precision.
        options: of the plans inside, as of :func:`plan`. With ``processor="gpu"`` each rank has a GPU, and no axis is
            stretched.

    Raises TypeError or ValueError for wrong arguments, and ``shardfft.Error`` if planning failed, on every rank.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> with shardfft.poisson((8, 6), 2 * np.pi, ("periodic", "neumann")) as plan:
        ...     x, y = plan.points()
        ...     u = plan.solve(-2 * np.cos(x) * np.cos(y))
        >>> bool(abs(u - np.cos(x) * np.cos(y)).max() < 1e-12)
        True
    """
    over = mpi.communicator(comm)
    words = {"points": points, "kernel": kernel, "eigenvalues": eigenvalues, "wrong_mean": wrong_mean}

    def prepare() -> tuple[Any, ...]:
        source, numbers = _field(shape, dtype, layout, over.size)
        sizes, stretched, cells = _lengths(lengths, source.ndim)
        chosen = {name: _choice(name, word) for name, word in words.items()}
        arguments = (
            sizes, _ends(boundary, source.ndim), chosen["points"], float(shift), chosen["kernel"],
            chosen["eigenvalues"], chosen["wrong_mean"], float(tolerance), stretched, cells,
        )  # fmt: skip
        return source, numbers, arguments, convert(options)

    return Poisson(over, *mpi.agree(over, prepare))
