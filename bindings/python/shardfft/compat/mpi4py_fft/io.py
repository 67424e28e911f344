"""Files as mpi4py-fft writes them, by rank 0.

HDF5 has the groups ``name/3D/step``, and ``name/2D/slice_4_slice/step`` of slices; netCDF the variables
``name(time, x, y, z)`` and ``name_slice_4_slice(time, x, z)``. ``others`` are keywords for classes that callers have
beside these, as shenfun does: they are left out of account.
"""

from __future__ import annotations

import functools
import operator
import os
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from .xdmf import generate_xdmf as generate_xdmf

if TYPE_CHECKING:
    from mpi4py import MPI


class HDF5File:
    """A file of arrays and of parts of them, written by rank 0; h5py needs no MPI.

    Args:
        h5name: path of the file.
        domain: for each axis a pair (origin, length) or an array of coordinates.
        mode: ``r``, ``w`` or ``a``.
        words: for ``h5py.File``.

    Example:
        >>> from shardfft.compat.mpi4py_fft import DistArray, HDF5File
        >>> u = DistArray((8, 6), val=1)
        >>> HDF5File("u.h5", mode="w").write(0, {"u": [u, (u, [slice(None), 4])]})  # doctest: +SKIP
    """

    def __init__(self, h5name: str, domain: Any = None, mode: str = "a", **words: Any) -> None:
        from mpi4py import MPI

        self.filename, self.domain, self._comm = h5name, domain, MPI.COMM_WORLD
        if mode != "r":
            _together(self._comm, lambda: _open(h5name, mode, **words).close())

    @staticmethod
    def backend() -> str:
        """Name the kind of file."""
        return "hdf5"

    def close(self) -> None:
        """Do nothing: the file is open only while it is used."""

    def write(self, step: int, fields: Mapping[str, Sequence[Any]], as_scalar: bool = False, **others: Any) -> None:
        """Write arrays as a step: of each name a list of arrays, and of pairs of an array and a slice. Collective."""
        for name, array, cut in _entries(fields, as_scalar):
            self._write(name, array, cut, step)

    def _write(self, name: str, array: Any, cut: Sequence[Any] | None, step: int) -> None:
        key = [slice(None)] * array.dimensions if cut is None else list(cut)
        place = [name, f"{sum(isinstance(one, slice) for one in key)}D"]
        if cut is not None:
            place.append(_name_of(key))
        whole = array.get([slice(None)] * array.rank + key)
        domain = self.domain or ((0, 2 * np.pi),) * array.dimensions

        def put() -> None:
            with _open(self.filename, "a") as file:
                group = file.require_group(name)
                group.attrs["shape"], group.attrs["rank"] = array._p0.shape, array.rank
                kind = "mesh" if isinstance(domain[0], np.ndarray) else "domain"
                for axis, one in enumerate(domain):
                    _replace(group.require_group(kind), f"x{axis}", np.squeeze(one))
                _replace(file.require_group("/".join(place)), str(step), whole)

        _together(self._comm, put)

    def read(self, u: Any, name: str, step: int = 0, **others: Any) -> None:
        """Read a step of a whole array into ``u``. Collective."""

        def get() -> None:
            with _open(self.filename, "r") as file:
                u[...] = file[f"{name}/{u.dimensions}D/{step}"][u.local_slice()]

        _together(self._comm, get, everywhere=True)  # HDF5 lets nobody write to a file that is still read


class NCFile:
    """A netCDF file of real arrays and of parts of them, by the package netCDF4; the arguments of :class:`HDF5File`.

    All fields share one axis ``time``: a step that is new is appended to it. Pairs of ``domain`` are (origin, length)
    of a periodic axis. ``clobber=False`` refuses to replace a file. Complex numbers are refused with TypeError.

    Example:
        >>> from shardfft.compat.mpi4py_fft import DistArray, NCFile
        >>> u = DistArray((8, 6), val=1)
        >>> NCFile("u.nc", mode="w").write(0, {"u": [u, (u, [slice(None), 4])]})  # doctest: +SKIP
    """

    def __init__(self, ncname: str, domain: Any = None, mode: str = "a", clobber: bool = True, **words: Any) -> None:
        from mpi4py import MPI

        self.filename, self.domain, self._comm = ncname, domain, MPI.COMM_WORLD

        def make() -> None:
            if mode == "w" or not os.path.exists(ncname):
                with _dataset(ncname, "w", clobber=clobber, **words) as file:
                    file.createDimension("time", None)
                    file.createVariable("time", float, ("time",))

        if mode != "r":
            _together(self._comm, make)

    @staticmethod
    def backend() -> str:
        """Name the kind of file."""
        return "netcdf4"

    def open(self, mode: str = "r+") -> None:
        """Do nothing: the file is open only while it is used."""

    close = open

    def write(self, step: int, fields: Mapping[str, Sequence[Any]], as_scalar: bool = False, **others: Any) -> None:
        """Write arrays as a step: of each name a list of arrays, and of pairs of an array and a slice. Collective."""
        for name, array, cut in _entries(fields, as_scalar):
            if array.dtype.kind == "c":
                raise TypeError("netCDF has no complex numbers: write real and imaginary parts, or take HDF5File")
            if name in ("time", *"ijkxyzrst"):
                raise ValueError(f"a field cannot be called {name!r}, as an axis is")
            key = [slice(None)] * array.dimensions if cut is None else list(cut)
            whole = array.get([slice(None)] * array.rank + key)
            _together(self._comm, lambda: self._put(name, array, key, cut is not None, whole, step))  # noqa: B023

    def _put(self, name: str, array: Any, key: Sequence[Any], is_cut: bool, whole: Any, step: int) -> None:
        with _dataset(self.filename, "r+") as file:
            names = [*"ijk"[: array.rank], *"xyzrst"[: array.dimensions]]
            for axis, (one, extent) in enumerate(zip(names, array.global_shape, strict=True)):
                if one not in file.dimensions:
                    file.createDimension(one, extent)
                    file.createVariable(one, float, (one,))[:] = self._points(axis - array.rank, extent)
            kept = [one for one, cut in zip(names[array.rank :], key, strict=True) if isinstance(cut, slice)]
            full = f"{name}_{_name_of(key)}" if is_cut else name
            if full not in file.variables:
                file.createVariable(full, array.dtype, ("time", *names[: array.rank], *kept))
            times = file["time"]
            (found,) = np.nonzero(times[:] == step)
            place = found[0] if len(found) else times.size
            times[place] = step
            file[full][place] = whole

    def _points(self, axis: int, extent: int) -> Any:
        """Coordinates along an axis of the domain; below 0, numbers of components."""
        if axis < 0:
            return np.arange(extent)
        told = (0, 2 * np.pi) if self.domain is None else self.domain[axis]
        return told[0] + told[1] * np.arange(extent) / extent if len(told) == 2 else told

    def read(self, u: Any, name: str, step: int = 0, **others: Any) -> None:
        """Read the entry ``step`` along ``time`` of a whole array into ``u``. Collective."""

        def get() -> None:
            with _dataset(self.filename, "r") as file:
                u[...] = file[name][(step, *u.local_slice())]

        _together(self._comm, get, everywhere=True)


def by_name(path: str, domain: Any, mode: str) -> HDF5File | NCFile:
    """Give the kind of file that its name says."""
    return (NCFile if path.endswith((".nc", ".nc4")) else HDF5File)(path, domain=domain, mode=mode)


def _entries(fields: Mapping[str, Sequence[Any]], as_scalar: bool) -> Iterator[tuple[str, Any, Any]]:
    """Return names, arrays and their cuts; ``as_scalar``: each component as an array of its own."""
    for name, entries in fields.items():
        for entry in entries:
            array, cut = entry if isinstance(entry, tuple | list) else (entry, None)
            for one in cut or ():
                if isinstance(one, slice) and one != slice(None):
                    raise ValueError(f"files take integers and slice(None) of {name!r}, not {one}")
            if cut is not None:  # indices below 0 count from the end, and names and descriptions from the beginning
                cut = [
                    one + array._p0.shape[axis] if isinstance(one, Integral) and one < 0 else one
                    for axis, one in enumerate(cut)
                ]
            if not as_scalar or array.rank == 0:
                yield name, array, cut
            else:
                for index in np.ndindex(array.shape[: array.rank]):
                    # One index after the other: shenfun's arrays give plain ones for several at once.
                    yield name + "".join(map(str, index)), functools.reduce(operator.getitem, index, array), cut


def _name_of(key: Sequence[Any]) -> str:
    return "_".join("slice" if isinstance(one, slice) else str(one) for one in key)


def _dataset(path: str, mode: str, **words: Any) -> Any:
    from netCDF4 import Dataset

    return Dataset(path, mode, **words)


def _open(path: str, mode: str, **words: Any) -> Any:
    import h5py

    return h5py.File(path, mode, **words)


def _replace(group: Any, name: str, data: Any) -> None:
    if name in group:
        del group[name]
    group[name] = data


def _together(comm: MPI.Comm, work: Any, everywhere: bool = False) -> None:
    """Work on rank 0, or everywhere, while all wait; all raise the error of the first that fails."""
    error = None
    if everywhere or comm.rank == 0:
        try:
            work()
        except Exception as caught:
            error = caught
    for failed in comm.allgather(error):
        if failed is not None:
            raise failed
