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
from shardfft._arrays import files


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


def test_links_are_followed(comm, folder, path):
    """Each save replaces the target of the link, and the link stays."""
    real, link = path.replace("field", "real"), path.replace("field", "link")
    if comm.rank == 0:
        os.symlink(real, link)
    comm.Barrier()
    for value in (1.0, 2.0, 3.0):
        (DistArray.zeros((4, 6), comm=comm) + value).save(link)
        assert (DistArray.load(real, comm) == value).all() and os.path.islink(link)
    assert sorted(os.listdir(folder)) == sorted(os.path.basename(one) for one in (real, link))


def test_a_failure_keeps_the_older_array(comm, folder, path, monkeypatch):
    """Nor does it leave anything behind; so it is if there was none, and if a user's folder has the name."""

    def broken(array):
        if comm.rank == comm.size - 1:
            raise OSError("No space left on device")
        return np.ascontiguousarray(array.local)

    d = DistArray.zeros((4, 6), comm=comm)
    d.save(path)
    with monkeypatch.context() as patch:
        patch.setattr(files, "_in_order", broken)
        for name in (path, path.replace("field", "fresh")):
            with pytest.raises((OSError, shardfft.Error), match="No space left"):
                (d + 1).save(name)
    assert (DistArray.load(path, comm) == 0).all() and os.listdir(folder) == [os.path.basename(path)]
    if os.path.isdir(path):
        assert len(os.listdir(path)) == comm.size + 1


def test_folders_of_users_are_no_arrays(comm, folder):
    if comm.rank == 0:
        os.mkdir(f"{folder}/mine")
        Path(f"{folder}/mine/notes").write_text("keep")
    comm.Barrier()
    DistArray.zeros((4, 6), comm=comm).save(f"{folder}/mine")
    assert Path(f"{folder}/mine/notes").read_text() == "keep"
    comm.Barrier()
    if comm.rank == 0:
        Path(f"{folder}/mine/manifest.json").write_text('{"name": "web page"}')
    comm.Barrier()
    with pytest.raises((ValueError, shardfft.Error), match="holds no array of this package"):
        DistArray.zeros((4, 6), comm=comm).save(f"{folder}/mine")


@pytest.mark.parametrize("name, way", [("x.nc", "NCFile"), ("x.zarr", "zarr"), ("x.npy", "numpy.save")])
def test_names_of_other_formats_are_refused(comm, folder, name, way):
    with pytest.raises(ValueError, match=f"not \\{name[1:]}: .*{way}"):
        DistArray.zeros((4, 6), comm=comm).save(f"{folder}/{name}")
    assert os.listdir(folder) == []


@pytest.mark.parametrize("dtype, way", [([("a", "i4"), ("b", "f8")], "each of its fields"), (object, "objects")])
def test_types_that_cannot_be_loaded_are_not_saved(comm, path, dtype, way):
    with pytest.raises(TypeError, match=f"cannot be saved: .*{way}"):
        DistArray.from_global(np.zeros((4, 3), dtype), comm).save(path)


def test_attrs_of_numpy(comm, path):
    d = DistArray.zeros((4, 6), comm=comm)
    d.attrs = {
        "time": np.float32(0.5),
        "step": np.int64(3),
        "on": np.bool_(True),
        "wave": 1 + 2j,
        "box": np.arange(3.0),
    }
    d.attrs |= {"nested": {"phases": np.array([1j])}, "none": None, "large": 2**70, "text": "µ"}
    d.save(path)
    attrs = DistArray.load(path, comm).attrs
    assert attrs.keys() == d.attrs.keys() and attrs["nested"]["phases"] == np.array([1j])
    assert attrs["box"].dtype == float and (attrs["box"] == np.arange(3)).all()
    assert all(attrs[name] == d.attrs[name] for name in ("time", "step", "on", "wave", "none", "large", "text"))
    d.attrs = {"when": np.datetime64("2000")}
    with pytest.raises((TypeError, shardfft.Error), match=r"attrs\['when'\] cannot be saved"):
        d.save(path)


def test_data_sets_of_others(comm, folder):
    """Attributes of HDF5 are those of the data set, in both directions."""
    h5py = pytest.importorskip("h5py")
    whole = np.arange(24.0).reshape(4, 6)
    if comm.rank == 0:
        with h5py.File(f"{folder}/theirs.nc", "w") as file:
            file["run/density"] = whole
            file["run/density"].attrs["units"] = "kg"
    comm.Barrier()
    d = DistArray.load(f"{folder}/theirs.nc", comm, "pencil", dataset="run/density")
    assert np.array_equal(d.gather(), whole) and d.attrs == {"units": "kg"}
    with pytest.raises((ValueError, shardfft.Error), match="no data set 'mass'; it has .*run/density"):
        DistArray.load(f"{folder}/theirs.nc", comm, dataset="mass")
    d.save(f"{folder}/ours.h5")
    comm.Barrier()
    with h5py.File(f"{folder}/ours.h5") as file:
        assert dict(file["data"].attrs) == {"units": "kg"}


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
    for path in ("", None):
        with pytest.raises((*other, TypeError), match="path is empty|not NoneType"):
            d.save(path if comm.rank == comm.size - 1 else f"{folder}/field")
        with pytest.raises((*other, TypeError), match="path is empty|not NoneType"):
            DistArray.load(path if comm.rank == comm.size - 1 else f"{folder}/field", comm)
    with pytest.raises(other, match="unknown layout"):
        DistArray.load(f"{folder}/field", comm, "slabs")
    comm.Barrier()
    if comm.rank == 0:
        manifest = json.loads(Path(f"{folder}/field/manifest.json").read_text())
        np.save(f"{folder}/field/rank000000.npy", np.zeros((2, 2)))
    comm.Barrier()
    with pytest.raises(other, match="does not match the manifest"):
        DistArray.load(f"{folder}/field", comm)
    comm.Barrier()
    if comm.rank == 0:
        manifest["format"] = "another"
        with open(f"{folder}/field/manifest.json", "w") as file:
            json.dump(manifest, file)
    comm.Barrier()
    with pytest.raises(other, match="holds no array of this package"):
        DistArray.load(f"{folder}/field", comm)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": None},
        {"shape": [[], 3]},
        {"dtype": 7},
        {"components": 0},
        {"boxes": 3},
        {"boxes": [[["a", 0, 1]]]},
        {"attrs": {"z": {"complex": 4}}},
    ],
    ids=str,
)
def test_damaged_manifests_are_value_errors(comm, folder, change):
    DistArray.from_global(np.ones((4, 3)), comm).save(f"{folder}/field")
    if comm.rank == 0:
        path = Path(f"{folder}/field/manifest.json")
        said = json.loads(path.read_text()) | change
        path.write_text(json.dumps({key: value for key, value in said.items() if value is not None}))
    comm.Barrier()
    with pytest.raises(ValueError, match=r"is damaged|must be|positive"):
        DistArray.load(f"{folder}/field", comm)
