"""HDF5 files with the groups that mpi4py-fft writes: ``name/3D/step``, and ``name/2D/slice_4_slice/step`` of slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .xdmf import generate_xdmf as generate_xdmf

if TYPE_CHECKING:
    from mpi4py import MPI

    from .distarray import DistArray


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

        if h5name.endswith((".nc", ".nc4")):
            refuse_netcdf(h5name)
        self.filename, self.domain, self._comm = h5name, domain, MPI.COMM_WORLD
        if mode != "r":
            _at_root(self._comm, lambda: _open(h5name, mode, **words).close())

    @staticmethod
    def backend() -> str:
        """Name the kind of file."""
        return "hdf5"

    def close(self) -> None:
        """Do nothing: the file is open only while it is used."""

    def write(self, step: int, fields: Mapping[str, Sequence[Any]], as_scalar: bool = False) -> None:
        """Write arrays as a step: of each name a list of arrays, and of pairs of an array and a slice. Collective."""
        for name, entries in fields.items():
            for entry in entries:
                array, cut = entry if isinstance(entry, tuple | list) else (entry, None)
                if not as_scalar or array.rank == 0:
                    self._write(name, array, cut, step)
                else:
                    for index in np.ndindex(array.shape[: array.rank]):
                        self._write(name + "".join(map(str, index)), array[index], cut, step)

    def _write(self, name: str, array: DistArray, cut: Sequence[Any] | None, step: int) -> None:
        key = [slice(None)] * array.dimensions if cut is None else list(cut)
        place = [name, f"{sum(isinstance(one, slice) for one in key)}D"]
        if cut is not None:
            place.append("_".join("slice" if isinstance(one, slice) else str(one) for one in key))
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

        _at_root(self._comm, put)

    def read(self, u: DistArray, name: str, step: int = 0) -> None:
        """Read a step of a whole array into ``u``. Collective."""
        with _open(self.filename, "r") as file:
            u[...] = file[f"{name}/{u.dimensions}D/{step}"][u.local_slice()]


class NCFile:
    """Is not built: netCDF files are refused by name. :class:`HDF5File` takes the same arguments.

    Example:
        >>> from shardfft.compat.mpi4py_fft import NCFile
        >>> NCFile("u.nc")
        Traceback (most recent call last):
        NotImplementedError: u.nc: netCDF is not built; HDF5File writes .h5, and generate_xdmf describes it
    """

    def __init__(self, ncname: str, *args: Any, **words: Any) -> None:
        refuse_netcdf(ncname)


def refuse_netcdf(path: str) -> NoReturn:
    """Say what to write instead."""
    raise NotImplementedError(f"{path}: netCDF is not built; HDF5File writes .h5, and generate_xdmf describes it")


def _open(path: str, mode: str, **words: Any) -> Any:
    import h5py

    return h5py.File(path, mode, **words)


def _replace(group: Any, name: str, data: Any) -> None:
    if name in group:
        del group[name]
    group[name] = data


def _at_root(comm: MPI.Comm, work: Any) -> None:
    """Do on rank 0 what others must wait for; what it raises, all raise."""
    error = None
    if comm.rank == 0:
        try:
            work()
        except Exception as caught:
            error = caught
    error = comm.bcast(error)
    if error is not None:
        raise error
