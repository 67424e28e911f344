"""The first steps of a wheel's user, on every rank of any MPI or in one process: check.py EXPECTED.

EXPECTED is the module's name for its MPI, as "Open MPI" or "no MPI".
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.fft

import shardfft
from shardfft import DistArray, _core
from shardfft._ground import mpi

expected = sys.argv[1]
assert _core.mpi_compiled().startswith(expected), f"{_core.mpi_compiled()} was loaded, not {expected}"
comm = mpi.communicator(None)
numbers = np.random.default_rng(20240607)
field = numbers.standard_normal((12, 10, 9))
waves = field + 1j * numbers.standard_normal(field.shape)


def close(found, exact, what):
    error = np.linalg.norm(found - exact) / np.linalg.norm(exact)
    assert error < 1e-13, f"{what}: relative error {error:.1e}"


def arrays():
    for layout in ("slab", "pencil", "cyclic"):
        d = DistArray.from_global(field, layout=layout)
        spectrum = np.fft.rfftn(d)
        close(spectrum.gather(), np.fft.rfftn(field), f"rfftn, {layout}")
        close(np.fft.irfftn(spectrum, s=field.shape).gather(), field, f"irfftn, {layout}")
        close(np.fft.fftn(DistArray.from_global(waves, layout=layout)).gather(), np.fft.fftn(waves), f"fftn, {layout}")
        close((d * 2 + 1).redistribute("brick").gather(), field * 2 + 1, f"redistribute, {layout}")
    with scipy.fft.set_backend(shardfft.scipy):
        cosines = scipy.fft.dctn(DistArray.from_global(field))
    close(cosines.gather(), scipy.fft.dctn(field), "dctn")
    close(DistArray.from_global(field).sum(), field.sum(), "sum")


def exchanges():
    """Each way of moving data, every option that has a say in it; and lengths that are prime."""
    exact, prime = np.fft.fftn(waves), waves[:11, :7]
    ways = [{"exchange": name} for name in shardfft.exchange_names()]
    ways += [{"chunks": 2}, {"in_place": True}, {"verify": True}, {"threads": 2}, {"workspace": "least"}]
    for way in ways:
        with shardfft.plan(waves.shape, comm=comm, layout="pencil", output="natural", **way) as plan:
            mine = np.array(waves[plan.input.slices], order="C")
            there = plan.forward(mine, out=mine if "workspace" in way else None)
            close(there, exact[plan.output.slices], f"{way}")
            back = plan.backward(there, out=there if "workspace" in way else None)
            close(back, waves[plan.input.slices], f"{way}, backward")
    with shardfft.plan(prime.shape, comm=comm, output="natural") as plan:
        mine = np.array(prime[plan.input.slices], order="C")
        close(plan.forward(mine), np.fft.fftn(prime)[plan.output.slices], "primes")


def long_lines():
    """Two of each kind. Without FFTW too they take no n^2 operations, of which an eighth of the points takes a 64th."""
    seconds = []
    for points in (6_250, 50_000):
        started = time.process_time()
        rows = numbers.standard_normal((2, points))
        spectrum = np.fft.rfft(DistArray.from_global(rows))
        close(spectrum.gather(), np.fft.rfft(rows), "rfft of long lines")
        close(np.fft.fft(DistArray.from_global(rows + 1j)).gather(), np.fft.fft(rows + 1j), "fft of long lines")
        mirrored = np.concatenate([rows, rows[:, -2:0:-1]], axis=1)  # its Fourier transform is real
        exact = np.fft.rfft(DistArray.from_global(mirrored)).real.gather()
        close(shardfft.dctn(DistArray.from_global(rows), type=1, axes=1).gather(), exact, "dct of long lines")
        seconds.append(time.process_time() - started)
    assert seconds[1] < max(1, 30 * seconds[0]), f"6,250 points took {seconds[0]:.1f} s, 50,000 {seconds[1]:.1f} s"


def twin():
    """mpi4py-fft's names, by one plan and, beyond four axes, by stages."""
    from shardfft.compat.mpi4py_fft import PFFT, newDistArray

    for whole in (field, numbers.standard_normal((4, 6, 3, 5, 4))):
        fft = PFFT(comm, whole.shape)
        mine = newDistArray(fft, False)
        mine[:] = whole[mine.local_slice()]
        spectrum = fft.forward(mine, newDistArray(fft))
        exact = np.fft.rfftn(whole, norm="forward")[spectrum.local_slice()]
        close(spectrum.v, exact, "PFFT")
        close(fft.backward(spectrum).view(np.ndarray), mine.v, "PFFT, backward")
        fft.destroy()


def files():
    folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
    DistArray.from_global(field).save(f"{folder}/field")
    close(DistArray.load(f"{folder}/field", layout="pencil").gather(), field, "load")


def libraries():
    """The module and its OpenMP come from this wheel's folder, also after that was moved."""
    home = Path(shardfft.__file__).parents[1]
    with open("/proc/self/maps") as maps:
        mapped = {Path(line.split()[-1]) for line in maps if ".so" in line}
    own = [file for file in mapped if file.name.startswith(("_core.", "libgomp"))]
    assert len(own) == 2 and all(home in file.parents for file in own), f"{home} has not all of {own}"


arrays()
exchanges()
if expected != "no MPI":
    twin()
long_lines()
files()
libraries()
try:
    shardfft.plan((0, 4))
except ValueError:
    pass
else:
    raise AssertionError("a plan of nothing was made")
if comm.rank == 0:
    ranks = f"{comm.size} rank{'s' if comm.size > 1 else ''}"
    print(f"   built with {_core.mpi_compiled()}, runs with {mpi._first_line(_core.mpi_loaded())}, {ranks}")
