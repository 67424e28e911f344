"""Arrays that are cut over ranks, in files: one a rank with a manifest, or HDF5. Any number of ranks reads them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .._ground import mpi
from .._ground.arguments import shape_of
from .._layouts.cut_array import CutArray
from .._layouts.infer import layout_for
from .._layouts.part import Part
from .._libraries.array_libraries import host_array
from .redistribute import redistributed
from .slicing import as_range, common, positions

if TYPE_CHECKING:
    from os import PathLike

    from mpi4py import MPI
    from numpy.typing import NDArray

    from .._ground.words import LayoutName
    from .._layouts.layout import Layout

Array = TypeVar("Array", bound=CutArray)
_MANIFEST, _FORMAT = "manifest.json", "shardfft array 1"
_DATA = "data"  # the name of an HDF5 file's data set


def _is_hdf5(path: Path) -> bool:
    return path.suffix in (".h5", ".hdf5")


def save(self: CutArray, path: str | PathLike[str]) -> None:
    """Write the array and its ``attrs``. Collective.

    Where the name ends in ``.h5`` or ``.hdf5``, into one HDF5 file by h5py; the ranks write side by side if h5py knows
    MPI, else one after the other. Other names are those of a folder, in which each rank writes a file of NumPy's beside
    a manifest. It takes the place of an older one only when all ranks have written.

    Args:
        path: where to; the same on all ranks, on a disk that all of them see.

    Raises:
        OSError, TypeError: on every rank, as what was wrong on one of them.
    """
    array = redistributed(self, "slab") if self._part.slices is None else self
    comm, target = array.comm, Path(path)
    fresh = target.with_name(f".{target.name}.new")
    if len(set(comm.allgather(str(target)))) != 1:
        raise ValueError(f"the ranks gave different paths: {sorted(set(comm.allgather(str(target))))}")
    mpi.agree(comm, lambda: json.dumps(array.attrs))
    if _is_hdf5(target):
        _write_hdf5(array, fresh)
    else:
        mpi.agree(comm, lambda: _empty_folder(fresh) if comm.rank == 0 else None)
        mpi.agree(comm, lambda: np.save(_block_file(fresh, comm.rank), _in_order(array)))
        mpi.agree(comm, lambda: _write_manifest(array, fresh) if comm.rank == 0 else None)
    mpi.agree(comm, lambda: _replace(fresh, target) if comm.rank == 0 else None)


def _block_file(folder: Path, rank: int) -> Path:
    return folder / f"rank{rank:06}.npy"


def _in_order(array: CutArray) -> NDArray[Any]:
    return np.ascontiguousarray(host_array(array.local))


def _empty_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _boxes(layout: Layout) -> list[list[list[int]]]:
    """[start, stop, step] of each axis, of each rank."""
    return [[[part.start, part.stop, part.step] for part in layout.local(rank) or ()] for rank in range(layout.ranks)]


def _write_manifest(array: CutArray, folder: Path) -> None:
    said = {
        "format": _FORMAT,
        "shape": array.layout.shape,
        "components": array.components,
        "dtype": array.dtype.str,
        "boxes": _boxes(array.layout),
        "attrs": array.attrs,
    }
    (folder / _MANIFEST).write_text(json.dumps(said))


def _replace(fresh: Path, target: Path) -> None:
    """Put what was written in the place of what was there."""
    old = target.with_name(f".{target.name}.old")
    if target.is_dir():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
        fresh.rename(target)
        shutil.rmtree(old)
    else:
        fresh.replace(target)


def _h5py() -> Any:
    try:
        import h5py
    except ImportError:
        raise ImportError("HDF5 files need h5py; names without .h5 are those of folders, which need nothing") from None
    return h5py


def _write_hdf5(array: CutArray, path: Path) -> None:
    comm, h5py = array.comm, mpi.agree(array.comm, _h5py)
    where = ((slice(None),) if array.components is not None else ()) + tuple(array._part.slices or ())

    def create(**words: Any) -> None:
        with h5py.File(path, "w", **words) as file:
            file.attrs["shardfft"] = json.dumps({"components": array.components, "attrs": array.attrs})
            data = file.create_dataset(_DATA, array.shape, array.dtype)
            if words:
                _put(data)

    def _put(data: Any) -> None:
        if array.local.size:
            data[where] = _in_order(array)

    def add() -> None:
        with h5py.File(path, "r+") as file:
            _put(file[_DATA])

    if h5py.get_config().mpi:
        mpi.agree(comm, lambda: create(driver="mpio", comm=comm))
        return
    mpi.agree(comm, lambda: create() if comm.rank == 0 else None)
    for rank in range(comm.size):
        mpi.agree(comm, lambda rank=rank: add() if comm.rank == rank else None)  # type: ignore[misc]


def load(
    cls: type[Array],
    path: str | PathLike[str],
    comm: MPI.Comm | None = None,
    layout: LayoutName | Layout = "slab",
) -> Array:
    """Read an array that :meth:`save` wrote, on any number of ranks. Collective.

    Each rank reads what it needs, and no more.

    Args:
        path: of the file or folder; the same on all ranks.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        layout: how to cut it: ``slab``, ``pencil``, ``brick``, ``cyclic`` or a :class:`Layout`.

    Raises:
        OSError, ValueError: on every rank, as what was wrong on one of them.
    """
    comm = mpi.communicator(comm)
    source = Path(path)
    read: Callable[..., tuple[NDArray[Any], Part, dict[str, Any]]] = _read_hdf5 if _is_hdf5(source) else _read_folder
    local, part, attrs = mpi.agree(comm, lambda: read(source, comm, layout))
    array = cls._wrap(local, part, comm)
    array.attrs = attrs
    return array


def _wanted(shape: Any, components: int | None, dtype: Any, layout: LayoutName | Layout, comm: MPI.Comm) -> Part:
    made = layout_for(layout, shape_of(shape), comm)
    if made.local(comm.rank) is None:
        raise ValueError("files are read into layouts that give each rank one piece: redistribute() afterwards")
    return Part(made, np.dtype(dtype), comm.rank, components or 1, components is not None)


def _read_folder(folder: Path, comm: MPI.Comm, layout: LayoutName | Layout) -> tuple[NDArray[Any], Part, Any]:
    said = json.loads((folder / _MANIFEST).read_text())
    if said.get("format") != _FORMAT:
        raise ValueError(f"{folder} holds no array of this package: its format is {said.get('format')!r}")
    part = _wanted(said["shape"], said["components"], said["dtype"], layout, comm)
    local, found = part.empty(), 0
    mine = [as_range(one) for one in part.slices or ()]
    for rank, box in enumerate(said["boxes"]):
        theirs = [range(*one) for one in box]
        shared = [common(one, other) for one, other in zip(mine, theirs, strict=True)]
        if not all(shared):
            continue
        lead = (slice(None),) if part._batched else ()
        stored = np.load(_block_file(folder, rank), mmap_mode="r")
        if stored.shape[len(lead) :] != tuple(len(one) for one in theirs) or stored.dtype != part.dtype:
            raise ValueError(f"{_block_file(folder, rank)} does not hold what the manifest says")
        here, there = (
            [positions(one, of) for one, of in zip(shared, ranges, strict=True)] for ranges in (mine, theirs)
        )
        local[(*lead, *here)] = stored[(*lead, *there)]
        found += int(np.prod([len(one) for one in shared]))
    if found != part.layout.count(comm.rank):
        raise ValueError(f"{folder} has {found} of the {part.layout.count(comm.rank)} elements of rank {comm.rank}")
    return local, part, said["attrs"]


def _read_hdf5(path: Path, comm: MPI.Comm, layout: LayoutName | Layout) -> tuple[NDArray[Any], Part, Any]:
    with _h5py().File(path, "r") as file:
        said = json.loads(file.attrs["shardfft"]) if "shardfft" in file.attrs else {"components": None, "attrs": {}}
        data = file[_DATA]
        shape = data.shape if said["components"] is None else data.shape[1:]
        part = _wanted(shape, said["components"], data.dtype, layout, comm)
        local = part.empty()
        if part.count:
            lead = (slice(None),) if part._batched else ()
            local[...] = data[(*lead, *(part.slices or ()))]
    return local, part, said["attrs"]
