"""The programs in examples/, with physics and a serial solver as oracles."""

import importlib.util
import tempfile
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

FOLDER = Path(__file__).parents[2] / "examples"


def program(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def serial_vortex(points, reynolds, dt, steps):
    """The same flow on one process, on the full grid with a mask; gives the energy."""
    k = np.fft.fftfreq(points, 1 / points)
    k = np.stack(np.meshgrid(k, k, np.arange(points // 2 + 1), indexing="ij"))
    mask = (abs(k) < points / 3).all(0)
    square = (k**2).sum(0)
    x = 2 * np.pi * np.arange(points) / points
    x, y, z = np.meshgrid(x, x, x, indexing="ij")
    u = np.stack([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x])
    u = np.fft.rfftn(u, axes=(1, 2, 3))

    def slope(u):
        w = 1j * np.cross(k, u, axis=0)
        u_x, w_x = (np.fft.irfftn(one, s=(points,) * 3, axes=(1, 2, 3)) for one in (u, w))
        n = np.fft.rfftn(np.cross(u_x, w_x, axis=0), axes=(1, 2, 3)) * mask
        n -= k * (k * n).sum(0) / np.where(square == 0, 1, square)
        return n - square / reynolds * u

    for _ in range(steps):
        a = slope(u)
        b = slope(u + dt / 2 * a)
        c = slope(u + dt / 2 * b)
        u = u + dt / 6 * (a + 2 * b + 2 * c + slope(u + dt * c))
    return (np.fft.irfftn(u, s=(points,) * 3, axes=(1, 2, 3)) ** 2).sum(0).mean() / 2


@pytest.mark.parametrize("layout", ["slab", "pencil"])
def test_taylor_green(comm, layout):
    """Against a serial solver, and on after a checkpoint that half of the ranks take up."""
    taylor_green = program("taylor_green")
    flow = taylor_green.Flow(32, 100, comm, layout)
    flow.start()
    assert np.isclose(flow.energy(), 1 / 8) and np.isclose(flow.dissipation(), 3 / 4 / 100)
    folder = tempfile.TemporaryDirectory() if comm.rank == 0 else None
    path = comm.bcast(folder.name if folder else None) + "/state"
    flow.step(0.05)
    flow.save(path)
    flow.step(0.05)
    exact = serial_vortex(32, 100, 0.05, 2) if comm.rank == 0 else None
    energy = flow.energy()
    assert abs(energy - comm.bcast(exact)) < 1e-14
    some = comm.Split(0 if comm.rank < (comm.size + 1) // 2 else MPI.UNDEFINED)
    again = None
    if some != MPI.COMM_NULL:
        other = taylor_green.Flow(32, 100, some)
        other.restart(path)
        assert other.time == 0.05
        other.step(0.05)
        again = other.energy()
        other.plan.close()
        some.Free()
    assert again is None or abs(again - energy) < 1e-15
    flow.plan.close()
    comm.Barrier()
    if folder:
        folder.cleanup()


def test_taylor_green_tells_its_history(comm, monkeypatch, tmp_path):
    """Each step is a line of the table, written at once."""
    path = comm.bcast(str(tmp_path)) + "/history.csv"
    monkeypatch.setattr("sys.argv", ["taylor_green.py", "--points", "8", "--steps", "3", "--history", path])
    program("taylor_green").main()
    comm.Barrier()
    table = np.genfromtxt(path, delimiter=",", names=True)
    assert np.allclose(table["time"], (0.02, 0.04, 0.06)) and np.all(np.diff(table["energy"]) < 0)
    assert np.allclose(-np.gradient(table["energy"], 0.02)[1], table["dissipation"][1], rtol=1e-3)


@pytest.mark.parametrize("layout", ["slab", "brick"])
def test_ewald(comm, layout):
    ewald = program("ewald")
    assert abs(ewald.madelung(32, comm=comm, layout=layout) - ewald.MADELUNG) < 1e-8
    coarse = [abs(ewald.madelung(mesh, order=4, beta=4, comm=comm) - ewald.MADELUNG) for mesh in (8, 12, 16)]
    assert 1e-2 < coarse[0] < 1e-1 and coarse[2] < coarse[1] / 10 < coarse[0] / 100  # a mesh too coarse is seen


@pytest.mark.parametrize("layout", ["slab", "pencil"])
def test_poisson_walls(comm, layout):
    poisson = program("poisson_walls")
    assert poisson.error(poisson.smooth, 32, comm, layout) < 1e-13
    errors, orders = poisson.orders(poisson.kinked, [8, 16, 32], comm=comm, layout=layout)
    assert all(1.9 < order < 2.1 for order in orders), (errors, orders)


@pytest.mark.parametrize("layout", ["slab", "pencil", "brick"])
def test_brain_filter(comm, rng, layout):
    """As SciPy's Gaussian in the spectrum, and as the blur of one point."""
    brain_filter, voxel, sigma = program("brain_filter"), (1.0, 1.5, 2.0), 2.0
    volume = rng.standard_normal((19, 12, 9))
    found = brain_filter.smooth(volume if comm.rank == 0 else None, voxel, sigma, comm, layout)
    point = np.zeros((48, 40, 36)) if comm.rank == 0 else None
    if comm.rank == 0:
        assert np.allclose(found, fourier_gaussian(volume, sigma, voxel), rtol=0, atol=1e-13)
        point[24, 20, 18] = 1
    found = brain_filter.smooth(point, voxel, sigma, comm, layout)
    if comm.rank == 0:
        x = [step * (np.arange(n) - n // 2) for n, step in zip(point.shape, voxel, strict=True)]
        square = x[0][:, None, None] ** 2 + x[1][:, None] ** 2 + x[2] ** 2
        exact = np.prod(voxel) * np.exp(-square / (2 * sigma**2)) / (2 * np.pi * sigma**2) ** 1.5
        assert np.abs(found - exact).max() < 1e-2 * exact.max()


def fourier_gaussian(volume, sigma, voxel):
    """SciPy's, whose standard deviations count points."""
    ndimage = pytest.importorskip("scipy.ndimage")
    spectrum = ndimage.fourier_gaussian(np.fft.fftn(volume), [sigma / step for step in voxel])
    return np.fft.ifftn(spectrum).real


def test_a_spectrum_is_drawn(comm, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    taylor_green, path = program("taylor_green"), tmp_path / "spectrum.png"
    flow = taylor_green.Flow(12, 100, comm)
    flow.start()
    k, energy = (abs(flow.modes) ** 2 / 2).shells()
    assert np.isclose(energy.sum(), 1 / 8) and energy[2] > 0.99 / 8  # its modes have the wavenumber sqrt(3)
    taylor_green.draw(flow, path)
    assert (comm.rank != 0) or path.stat().st_size > 1000
    assert k[2] == 2
    flow.plan.close()


def test_a_spectrum_is_printed(comm, capsys):
    """Every tenth step; of the vortex as it begins, whose modes have the wavenumber sqrt(3)."""
    taylor_green = program("taylor_green")
    flow = taylor_green.Flow(12, 100, comm)
    flow.start()
    taylor_green.show(flow, 10)
    told = capsys.readouterr().out
    assert ("spectrum of step 10: 0:" in told and "2:1.250e-01" in told) == (comm.rank == 0)
    flow.plan.close()


def test_charged_sphere(comm):
    """1 / r and 1 / r^2 behind a smeared surface."""
    potential, force = program("charged_sphere").error(32, comm=comm)
    assert potential < 2e-4 and force < 2e-3


def test_channel(comm):
    """Poiseuille's parabola with an error of second order; vortices that decay as they must."""
    channel = program("channel")
    errors = []
    for points in (8, 16):
        y, u = channel.poiseuille(points, comm=comm)
        errors.append(comm.allreduce(float(np.abs(u - channel.profile(y)).max()) if u.size else 0.0, MPI.MAX))
    assert errors[1] < 0.03 and 1.7 < np.log2(errors[0] / errors[1]) < 2.4
    flow = channel.Vortices(12, comm=comm)
    for _ in range(10):
        flow.step()
    x, y = flow.stream.points()
    u, v = flow.velocity()
    decay = np.exp(-2 * 0.05 * 0.1)
    assert np.allclose(u, decay * np.sin(x) * np.cos(y), atol=1e-6)
    assert np.allclose(v, -decay * np.cos(x) * np.sin(y), atol=1e-6)
    flow.close()


def test_particle_mesh(comm, rng):
    """Newton's force beyond three points; no force of all bodies on themselves; steps keep them."""
    example = program("particle_mesh")
    gravity = example.Gravity(32, comm=comm)
    near, far = (example.error(gravity, points / 32, probes=40) for points in (0.5, 6))
    assert near > 0.9 and far < 4e-3
    positions, masses = rng.uniform(-1, 1, (20, 3)), rng.uniform(1, 2, 20)
    positions, masses = gravity.settle(positions, masses)
    push = comm.allreduce((masses[:, None] * gravity.accelerations(positions, masses)).sum(axis=0))
    assert np.abs(push).max() < 1e-9
    velocities = np.zeros_like(positions)
    for _ in range(2):
        positions, velocities, masses = gravity.step(positions, velocities, masses, 1e-4)
    assert comm.allreduce(len(positions)) == 20 * comm.size
    assert np.abs(comm.allreduce((masses[:, None] * velocities).sum(axis=0))).max() < 1e-10
    gravity.close()
