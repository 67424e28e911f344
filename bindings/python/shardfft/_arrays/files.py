"""Arrays that are cut over ranks, in files: one a rank with a manifest, or HDF5. Any number of ranks reads them."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._ground import mpi
from .._ground.arguments import integer, shape_of
from .._layouts.cut_array import CutArray
from .._layouts.infer import layout_for
from .._layouts.part import Part
from .._libraries.array_libraries import host_array
from . import attributes
from .redistribute import redistributed
from .slicing import as_range, common, positions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from mpi4py import MPI
    from numpy.typing import NDArray

    from .._ground.words import LayoutName
    from .._layouts.layout import Layout

Array = TypeVar("Array", bound=CutArray)
_MANIFEST, _FORMAT = "manifest.json", "shardfft array 1"
_DATA = "data"  # the name of an HDF5 file's data set
_OF_NUMPY = "numpy.save(name, d.gather(root=0)) on rank 0 writes the whole array"
_OTHER_FORMATS = {
    **dict.fromkeys((".nc", ".nc4", ".cdf"), "shardfft.compat.mpi4py_fft.NCFile writes netCDF, as does h5netcdf"),
    ".zarr": "create it with zarr, and let each rank write d.local to its d.layout.local(d.rank)",
    **dict.fromkeys((".npy", ".npz"), _OF_NUMPY),
}


def _is_hdf5(path: Path) -> bool:
    return path.suffix.lower() in (".h5", ".hdf5")


def _named(path: str | PathLike[str]) -> Path:
    if not os.fspath(path):
        raise ValueError("the path is empty: name a folder, or a file that ends in .h5")
    return Path(path)


def save(self: CutArray, path: str | PathLike[str]) -> None:
    """Write the array and its ``attrs``. Collective.

    If the name ends in ``.h5`` or ``.hdf5``, into one HDF5 file by h5py; the ranks write side by side if h5py knows
    MPI, else one after the other. Other names are those of a folder, in which each rank writes a file of NumPy's beside
    a manifest. The array replaces an older one of the same name in one step, when all ranks have written: a run that
    fails or is killed before keeps the older one. A link is followed.

    Args:
        path: of the file or folder; the same on all ranks, on a disk that all of them see. Names of other formats
            (``.nc``, ``.zarr``, ``.npy``) are refused.

    Raises:
        OSError, TypeError, ValueError: on every rank, for an error on one of them.
    """
    array = redistributed(self, "slab") if self._part.slices is None else self
    comm = array.comm

    def look() -> tuple[tuple[Path, str], str]:
        target = _named(path)
        if (way := _OTHER_FORMATS.get(target.suffix.lower())) is not None:
            raise ValueError(f"save() writes HDF5 files (.h5) and folders, not {target.suffix}: {way}")
        if array.dtype.names is not None or array.dtype.hasobject:
            way = "save one array for each of its fields" if array.dtype.names else "files hold no Python objects"
            raise TypeError(f"arrays of dtype {array.dtype} cannot be saved: {way}")
        at = Path(os.path.realpath(target)) if target.is_symlink() else target
        return (at, attributes.text(array.attrs)), str(target)

    target, text = comm.bcast(mpi.agree_same(comm, look, "the ranks gave different paths"))
    (_write_hdf5 if _is_hdf5(target) else _write_folder)(array, target, text)


def _block_file(folder: Path, rank: int, turn: int) -> Path:
    return folder / f"rank{rank:06}{'.1' if turn else ''}.npy"


def _in_order(array: CutArray) -> NDArray[Any]:
    return np.ascontiguousarray(host_array(array.local))


def _boxes(layout: Layout) -> list[list[list[int]]]:
    """[start, stop, step] of each axis, of each rank."""
    return [[[part.start, part.stop, part.step] for part in layout.local(rank) or ()] for rank in range(layout.ranks)]


def _write_folder(array: CutArray, folder: Path, attrs: str) -> None:
    """Write beside the files of an older manifest, in the other of two turns; the new manifest then replaces it."""
    comm, manifest = array.comm, folder / _MANIFEST

    def begin() -> tuple[bool, dict[str, Any] | None]:
        if comm.rank != 0:
            return False, None
        fresh = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        return fresh, _manifest_of(folder) if manifest.exists() else None

    fresh, old = comm.bcast(mpi.agree(comm, begin))
    turn = 0 if old is None else 1 - old.get("turn", 0)
    mine, waiting = _block_file(folder, comm.rank, turn), folder / f".{_MANIFEST}.new"

    def end() -> None:
        if comm.rank == 0:
            waiting.write_text(_manifest(array, attrs, turn))
            waiting.replace(manifest)

    try:
        mpi.agree(comm, lambda: np.save(mine, _in_order(array)))
        mpi.agree(comm, end)
    except Exception:
        for file in (mine, waiting):
            file.unlink(missing_ok=True)
        comm.allgather(None)
        if fresh and comm.rank == 0:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise

    def clean() -> None:
        for rank in range(len(old["boxes"]) if old is not None and comm.rank == 0 else 0):
            _block_file(folder, rank, 1 - turn).unlink(missing_ok=True)

    mpi.agree(comm, clean)


def _manifest(array: CutArray, attrs: str, turn: int) -> str:
    said = {
        "format": _FORMAT,
        "turn": turn,
        "shape": array.layout.shape,
        "components": array.components,
        "dtype": array.dtype.str,
        "boxes": _boxes(array.layout),
        "attrs": json.loads(attrs),
    }
    return json.dumps(said)


@contextlib.contextmanager
def _reading(folder: Path) -> Iterator[None]:
    """Turn errors that a damaged file causes in Python and NumPy into one that says so."""
    try:
        yield
    except (OSError, ValueError, MemoryError):
        raise
    except Exception as error:
        raise ValueError(f"{folder} is damaged: {type(error).__name__}: {error}") from error


def _manifest_of(folder: Path) -> dict[str, Any]:
    said = json.loads((folder / _MANIFEST).read_text())
    if not isinstance(said, dict) or said.get("format") != _FORMAT:
        found = said.get("format") if isinstance(said, dict) else None
        raise ValueError(f"{folder} holds no array of this package: its format is {found!r}")
    return said


def _h5py() -> Any:
    try:
        import h5py
    except ImportError:
        raise ImportError("HDF5 files need h5py; names without .h5 are those of folders, which need nothing") from None
    return h5py


def _write_hdf5(array: CutArray, target: Path, attrs: str) -> None:
    comm, h5py = array.comm, mpi.agree(array.comm, _h5py)
    fresh = target.with_name(f".{target.name}.new")
    where = ((slice(None),) if array.components is not None else ()) + tuple(array._part.slices or ())

    def create(**words: Any) -> None:
        own, others = attributes.split(attrs)
        with h5py.File(fresh, "w", **words) as file:
            file.attrs["shardfft"] = json.dumps({"components": array.components, "attrs": others})
            data = file.create_dataset(_DATA, array.shape, array.dtype)
            data.attrs.update(own)
            if words:
                _put(data)

    def _put(data: Any) -> None:
        if array.local.size:
            data[where] = _in_order(array)

    def add() -> None:
        with h5py.File(fresh, "r+") as file:
            _put(file[_DATA])

    try:
        if h5py.get_config().mpi:
            mpi.agree(comm, lambda: create(driver="mpio", comm=comm))
        else:
            mpi.agree(comm, lambda: create() if comm.rank == 0 else None)
            for rank in range(comm.size):
                mpi.agree(comm, lambda rank=rank: add() if comm.rank == rank else None)  # type: ignore[misc]
        mpi.agree(comm, lambda: fresh.replace(target) if comm.rank == 0 else None)
    except Exception:
        if comm.rank == 0:
            fresh.unlink(missing_ok=True)
        raise


def load(
    cls: type[Array],
    path: str | PathLike[str],
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout = "slab",
    *,
    dataset: str | None = None,
) -> Array:
    """Read an array that :meth:`save` wrote, or a data set of any HDF5 file, on any number of ranks. Collective.

    Each rank reads only its part.

    Args:
        path: of the file or folder; the same on all ranks.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        layout: how to cut it: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`.
        dataset: of an HDF5 file, the path of the data set in it; None is that of :meth:`save`, ``data``. Its attributes
            become ``attrs``.

    Raises:
        OSError, ValueError: on every rank, for an error on one of them.
    """
    comm = mpi.communicator(comm)

    def read() -> tuple[NDArray[Any], Part, dict[str, Any]]:
        source = _named(path)
        if _is_hdf5(source) or (dataset is not None and source.is_file()):
            return _read_hdf5(source, comm, layout, _DATA if dataset is None else dataset)
        if dataset is not None:
            raise ValueError(f"{source} is no HDF5 file, and has no data set {dataset!r}")
        return _read_folder(source, comm, layout)

    local, part, attrs = mpi.agree(comm, read)
    array = cls._wrap(local, part, comm)
    array.attrs = attrs
    return array


def _wanted(shape: Any, components: int | None, dtype: Any, layout: LayoutName | Layout, comm: MPI.Comm) -> Part:
    made = layout_for(layout, shape_of(shape), comm)
    if made.local(comm.rank) is None:
        raise ValueError("files are read into layouts that give each rank one piece: redistribute() afterwards")
    return Part(made, np.dtype(dtype), comm.rank, components or 1, components is not None)


def _read_folder(folder: Path, comm: MPI.Comm, layout: LayoutName | Layout) -> tuple[NDArray[Any], Part, Any]:
    with _reading(folder):
        said = _manifest_of(folder)
        shape, dtype, components = shape_of(said["shape"]), np.dtype(said["dtype"]), said["components"]
        if components is not None and integer(components, "components") < 1:
            raise ValueError(f"{folder} is damaged: it has {components} components")
    part = _wanted(shape, components, dtype, layout, comm)
    with _reading(folder):
        local, found = part.empty(), 0
        mine = [as_range(one) for one in part.slices or ()]
        for rank, box in enumerate(said["boxes"]):
            theirs = [range(*one) for one in box]
            shared = [common(one, other) for one, other in zip(mine, theirs, strict=True)]
            if not all(shared):
                continue
            lead = (slice(None),) if part._batched else ()
            file = _block_file(folder, rank, said.get("turn", 0))
            stored = np.load(file, mmap_mode="r")
            if stored.shape[len(lead) :] != tuple(len(one) for one in theirs) or stored.dtype != part.dtype:
                raise ValueError(f"{file} does not match the manifest")
            here, there = (
                [positions(one, of) for one, of in zip(shared, ranges, strict=True)] for ranges in (mine, theirs)
            )
            local[(*lead, *here)] = stored[(*lead, *there)]
            found += int(np.prod([len(one) for one in shared]))
        if found != part.layout.count(comm.rank):
            raise ValueError(f"{folder} has {found} of the {part.layout.count(comm.rank)} elements of rank {comm.rank}")
        return local, part, attributes.known(said["attrs"])


def _read_hdf5(path: Path, comm: MPI.Comm, layout: LayoutName | Layout, name: str) -> tuple[NDArray[Any], Part, Any]:
    with _h5py().File(path, "r") as file:
        data = file.get(name)
        if not hasattr(data, "dtype"):
            found: list[str] = []
            file.visititems(lambda one, item: found.append(one) if hasattr(item, "dtype") else None)
            raise ValueError(f"{path} has no data set {name!r}; it has {found}: load(..., dataset=name)")
        said = json.loads(file.attrs["shardfft"]) if name == _DATA and "shardfft" in file.attrs else {}
        components = said.get("components")
        shape = data.shape if components is None else data.shape[1:]
        part = _wanted(shape, components, data.dtype, layout, comm)
        local = part.empty()
        if part.count:
            lead = (slice(None),) if part._batched else ()
            local[...] = data[(*lead, *(part.slices or ()))]
        own = {key: value.item() if isinstance(value, np.generic) else value for key, value in data.attrs.items()}
    return local, part, {**attributes.known(said.get("attrs", {})), **own}
