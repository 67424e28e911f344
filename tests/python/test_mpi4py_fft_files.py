"""Files of programs written for mpi4py-fft: HDF5, NetCDF, and their descriptions for ParaView."""

from xml.etree import ElementTree

import numpy as np
import pytest

from shardfft.compat.mpi4py_fft import DistArray, HDF5File, NCFile, generate_xdmf


class Componentwise(DistArray):
    """As shenfun's arrays: one index gives a component, several at once a plain array."""

    def __getitem__(self, index):
        return np.asarray(self)[index] if isinstance(index, tuple) else super().__getitem__(index)


def test_files(comm, tmp_path):
    pytest.importorskip("h5py")
    path = comm.bcast(str(tmp_path / "fields.h5"))
    u = DistArray((3, 6, 5), rank=1)
    index = np.arange(3 * 6 * 5.0).reshape(3, 6, 5)
    u[:] = index[u.local_slice()]
    file = HDF5File(path, domain=((0, 1.0), (0, 2.0)), mode="w")
    file.write(0, {"u": [u, (u, [slice(None), 4]), (u, [-6, slice(None)])]})
    file.write(2, {"v": [Componentwise((2, 2, 6, 5), val=3, rank=2)]}, as_scalar=True, forward_output=False)
    for _ in range(20):  # rank 0 writes again when all have read
        u.write(path, "u", 1)
        u[:] = 0
        u.read(path, "u", 1)
    assert np.array_equal(u.v, index[u.local_slice()])
    if comm.rank == 0:
        import h5py

        with h5py.File(path) as written:
            assert np.array_equal(written["u/1D/slice_4/0"], index[:, :, 4])
            assert np.array_equal(written["u/1D/0_slice/0"], index[:, 0])
            assert np.array_equal(written["v10/2D/2"], np.full((6, 5), 3))
    with pytest.raises(OSError):
        HDF5File("/no/such/folder/x.h5", mode="w")


def test_netcdf_files(comm, tmp_path):
    netcdf = pytest.importorskip("netCDF4")
    path = comm.bcast(str(tmp_path / "fields.nc"))
    u, v = DistArray((3, 6, 5)), DistArray((3, 3, 6, 5), rank=1)
    index = np.arange(3 * 6 * 5.0).reshape(3, 6, 5)
    u[:], v[:] = index[u.local_slice()], 2
    file = NCFile(path, domain=((0, 1.0), (0, 2.0), np.arange(5.0)), mode="w")
    for step in (0, 10, 10):
        file.write(step, {"u": [u, (u, [slice(None), -2, slice(None)])], "v": [v]})
    u[:] = 0
    u.read(path, "u", 1)
    assert np.array_equal(u.v, index[u.local_slice()])
    u.write(path, "w", 20)
    if comm.rank == 0:
        with netcdf.Dataset(path) as written:
            assert list(written["time"]) == [0, 10, 20] and written["v"].dimensions == ("time", "i", "x", "y", "z")
            assert written["u_slice_4_slice"].dimensions == ("time", "x", "z")
            assert np.array_equal(written["u_slice_4_slice"][1], index[:, 4]) and np.all(written["v"][0] == 2)
            assert np.allclose(written["y"], np.arange(6) / 3) and np.array_equal(written["z"], np.arange(5))
    comm.Barrier()
    with pytest.raises(OSError):
        NCFile(path, mode="w", clobber=False)
    with pytest.raises(TypeError, match="no complex numbers"):
        file.write(0, {"u": [DistArray((3, 6, 5), dtype=complex)]})
    with pytest.raises(ValueError, match="cannot be called 'x'"):
        file.write(0, {"x": [u]})


@pytest.mark.parametrize("domain", [((0, 1.0), (2, 4.0), (0, 6.0)), tuple(np.arange(n) / n for n in (4, 5, 6))])
def test_descriptions(comm, tmp_path, domain):
    """The parts that ParaView reads: extents, places and the data of each step."""
    pytest.importorskip("h5py")
    path = comm.bcast(str(tmp_path / "fields.h5"))
    u = DistArray((4, 5, 6), val=1)
    file = HDF5File(path, domain=domain, mode="w")
    for step in (0, 10):
        file.write(step, {"u": [u, (u, [slice(None), -2, slice(None)])]})
    if comm.rank > 0:
        return
    generate_xdmf(path)
    for name, extents, data in [("", "4 5 6", "/u/3D/10"), ("_slice_3_slice", "4 1 6", "/u/2D/slice_3_slice/10")]:
        grids = ElementTree.parse(path[:-3] + name + ".xdmf").findall(".//Grid[@GridType='Uniform']")
        assert len(grids) == 2 and grids[1].find("Topology").get("Dimensions") == extents
        assert grids[1].find("Attribute/DataItem").text == "fields.h5:" + data
        places = [item.text.split() for item in grids[1].findall("Geometry/DataItem")]
        if len(domain[0]) == 2:
            assert [float(one) for one in places[0]] == [0, 2 if not name else 2 + 3 * 4 / 5, 0]
            assert [float(one) for one in places[1]] == [1 / 4, 4 / 5, 1]
        else:
            assert [len(one) for one in places] == [int(n) for n in extents.split()][::-1]
