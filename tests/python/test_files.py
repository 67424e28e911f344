"""Arrays in files: written by some ranks, read by others in other layouts."""

import importlib.util
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

import shardfft
from shardfft import DistArray


@pytest.fixture
def folder(comm):
    """One that all ranks see."""
    made = tempfile.TemporaryDirectory() if comm.rank == 0 else None
    yield comm.bcast(made.name if made else None)
    comm.Barrier()
    if made:
        made.cleanup()


SUFFIXES = ["", ".h5"]


@pytest.fixture(params=SUFFIXES)
def path(folder, request):
    if request.param:
        pytest.importorskip("h5py")
    return f"{folder}/field{request.param}"


@pytest.mark.parametrize("layout", ["slab", "brick", "cyclic"])
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int16"])
def test_back_in_any_layout(comm, rng, path, layout, dtype):
    for components in (False, True):
        whole = (100 * rng.standard_normal((2, 7, 5) if components else (7, 5, 3))).astype(dtype)
        d = DistArray.from_global(whole, comm, layout, components=components)
        d.attrs.update(time=0.1, names=["u", "v"])
        d.save(path)
        for other in ("slab", "pencil", "cyclic", shardfft.Layout.single(d.layout.shape, comm.size, comm.size - 1)):
            back = DistArray.load(path, comm, other)
            assert np.array_equal(back.gather(), whole) and back.dtype == whole.dtype
            assert back.components == d.components and back.attrs == {"time": 0.1, "names": ["u", "v"]}


def test_other_numbers_of_ranks(comm, rng, path):
    """Written by half of the ranks, read by all, then by one."""
    whole = rng.standard_normal((9, 4))
    some = comm.Split(0 if comm.rank < (comm.size + 1) // 2 else 1)
    if comm.rank < (comm.size + 1) // 2:
        DistArray.from_global(whole, some, "cyclic").save(path)
    some.Free()
    comm.Barrier()
    assert np.array_equal(DistArray.load(path, comm, "brick").gather(), whole)
    if comm.rank == comm.size - 1:
        assert np.array_equal(DistArray.load(path, MPI.COMM_SELF).local, whole)


def test_an_older_file_is_replaced(comm, path):
    for value in (1.0, 2.0):
        d = DistArray.zeros((4, 6), comm=comm)
        d[...] = value
        d.save(path)
        assert (DistArray.load(path, comm) == value).all()
    comm.Barrier()
    assert len(os.listdir(os.path.dirname(path))) == 1


def test_one_piece_layouts_are_not_needed_to_save(comm, rng, folder):
    with shardfft.plan((comm.size**2 * 4,), comm=comm, algorithm="six_step", effort="estimate") as plan:
        s = plan.forward(DistArray.from_global(rng.standard_normal(plan.input.layout.shape) + 0j, comm))
        s.save(f"{folder}/spectrum")
        assert np.array_equal(DistArray.load(f"{folder}/spectrum", comm).gather(), s.gather())


def test_errors_on_every_rank(comm, folder):
    d = DistArray.zeros((4, 6), comm=comm)
    other = (OSError, ValueError, shardfft.Error)
    with pytest.raises(other, match="No such file|FileNotFound"):
        DistArray.load(f"{folder}/nowhere", comm)
    without_h5py = importlib.util.find_spec("h5py") is None
    with pytest.raises((*other, ImportError), match="need h5py" if without_h5py else "No such file|Unable to"):
        DistArray.load(f"{folder}/nowhere.h5", comm)
    d.attrs["bad"] = object()
    with pytest.raises((TypeError, shardfft.Error), match="JSON serializable"):
        d.save(f"{folder}/field")
    d.attrs.clear()
    if comm.size > 1:
        with pytest.raises(ValueError, match="different paths"):
            d.save(f"{folder}/field{comm.rank}")
    d.save(f"{folder}/field")
    with pytest.raises(other, match="unknown layout"):
        DistArray.load(f"{folder}/field", comm, "slabs")
    comm.Barrier()
    if comm.rank == 0:
        manifest = json.loads(Path(f"{folder}/field/manifest.json").read_text())
        np.save(f"{folder}/field/rank000000.npy", np.zeros((2, 2)))
    comm.Barrier()
    with pytest.raises(other, match="does not hold what the manifest says"):
        DistArray.load(f"{folder}/field", comm)
    comm.Barrier()
    if comm.rank == 0:
        manifest["format"] = "another"
        with open(f"{folder}/field/manifest.json", "w") as file:
            json.dump(manifest, file)
    comm.Barrier()
    with pytest.raises(other, match="holds no array of this package"):
        DistArray.load(f"{folder}/field", comm)
