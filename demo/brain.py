"""Smooth a brain template with distributed FFTs, and compare with SciPy; run it under mpirun."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

import shardfft

FILE = "datasets/data/mni_icbm152_t1_tal_nlin_sym_09a_converted.nii.gz"
LAYOUTS = ("slab", "pencil", "brick")
TOLERANCE = 1e-12
RUNS = 5


def load(every: int) -> tuple[np.ndarray, tuple[float, ...]]:
    """Give the MNI152 T1 template (197 x 233 x 189), of each axis one voxel in `every`, and their size in mm."""
    import nibabel

    package = importlib.util.find_spec("nilearn")  # its data only: nilearn itself needs more than is installed
    if package is None or not package.submodule_search_locations:
        raise SystemExit(
            "demo: the nilearn package, which holds the data, is not installed: pip install --no-deps nilearn"
        )
    image = nibabel.load(Path(package.submodule_search_locations[0]) / FILE)
    volume = np.asarray(image.dataobj)[::every, ::every, ::every]
    return np.ascontiguousarray(volume, np.float64), tuple(every * float(size) for size in image.header.get_zooms()[:3])


def wavenumbers(shape: tuple[int, ...], voxel: tuple[float, ...], slices: tuple[slice, ...]) -> list[np.ndarray]:
    """Wavenumbers of a half spectrum's part in cycles per mm, one broadcastable array an axis."""
    axes = [np.fft.fftfreq(n, d) for n, d in zip(shape[:-1], voxel[:-1], strict=True)]
    axes.append(np.fft.rfftfreq(shape[-1], voxel[-1]))
    return list(np.ix_(*(axis[part] for axis, part in zip(axes, slices, strict=True))))


def low_pass(k: list[np.ndarray], sigma: float) -> np.ndarray:
    """Transfer function of a Gaussian blur of standard deviation `sigma` mm."""
    return np.exp(-2 * (np.pi * sigma) ** 2 * sum(axis**2 for axis in k))


def power(spectrum: np.ndarray, k: list[np.ndarray], n: int, edges: np.ndarray, last: slice) -> np.ndarray:
    """Sums of |spectrum|^2, and of modes, in shells of |k|; modes whose mirror image was left out count twice."""
    modes = np.arange(n // 2 + 1)[last]
    weight = np.broadcast_to(np.where((modes == 0) | (2 * modes == n), 1.0, 2.0), spectrum.shape).ravel()
    shell = np.sqrt(sum(axis**2 for axis in k)).ravel()
    energy = np.histogram(shell, edges, weights=weight * np.abs(spectrum.ravel()) ** 2)[0]
    return np.stack([energy, np.histogram(shell, edges, weights=weight)[0]])


def reference(volume: np.ndarray, voxel: tuple[float, ...], sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """Spectrum and smoothed volume by scipy.fft, on one rank."""
    import scipy.fft

    spectrum = scipy.fft.rfftn(volume)
    k = wavenumbers(volume.shape, voxel, (slice(None),) * 3)
    return spectrum, scipy.fft.irfftn(spectrum * low_pass(k, sigma), volume.shape)


def relative(found: np.ndarray, exact: np.ndarray) -> float:
    """Relative error in the 2-norm."""
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


def smooth(volume, shape, voxel, layout, sigma, comm):
    """Run one layout: R2C, low-pass, C2R. Gives gathered results on rank 0, shell sums, and milliseconds."""
    with shardfft.plan(shape, "r2c", "float64", comm, layout=layout) as plan:
        # A default output may be kept in several pieces; these three algorithms leave one slice product a rank.
        k = wavenumbers(shape, voxel, plan.output.slices)
        field = plan.allocate_input()
        field[...] = shardfft.scatter(volume, plan.input.layout, comm)
        spectrum, smoothed = plan.allocate_output(), plan.allocate_input()
        times = []
        for _ in range(RUNS):
            comm.Barrier()
            begin = time.perf_counter()
            plan.forward(field, out=spectrum)
            plan.backward(spectrum, out=smoothed)
            times.append(comm.allreduce(time.perf_counter() - begin, MPI.MAX))
        plan.forward(field, out=spectrum)
        edges = np.linspace(0, 0.5 / min(voxel), 80)
        last = plan.output.slices[-1]
        before = comm.reduce(power(spectrum, k, shape[-1], edges, last))
        gathered = shardfft.gather(spectrum, plan.output.layout, comm)
        spectrum *= low_pass(k, sigma)
        after = comm.reduce(power(spectrum, k, shape[-1], edges, last))
        plan.backward(spectrum, out=smoothed)
        result = shardfft.gather(smoothed, plan.input.layout, comm)
    return gathered, result, (edges, before, after), 1e3 * float(np.median(times))


def main() -> int:
    """Run all layouts on the ranks there are; write the data that figures.py draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sigma", type=float, default=3.0, help="standard deviation of the Gaussian, mm")
    parser.add_argument("--output", type=Path, required=True, help="folder for the results")
    parser.add_argument("--every", type=int, default=1, help="keep one voxel of so many along each axis")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD

    volume = voxel = None
    if comm.rank == 0:
        volume, voxel = load(options.every)
        exact_spectrum, exact = reference(volume, voxel, options.sigma)
    shape = comm.bcast(None if volume is None else volume.shape)
    voxel = comm.bcast(voxel)

    rows = []
    for layout in LAYOUTS:
        spectrum, smoothed, shells, milliseconds = smooth(volume, shape, voxel, layout, options.sigma, comm)
        if comm.rank == 0:
            errors = relative(spectrum, exact_spectrum), relative(smoothed, exact)
            rows.append(
                dict(
                    zip(
                        ("ranks", "layout", "spectrum", "smoothed", "ms"),
                        (comm.size, layout, *errors, milliseconds),
                        strict=True,
                    )
                )
            )
            print(f"  {comm.size:5d}   {layout:8} {errors[0]:14.1e} {errors[1]:14.1e} {milliseconds:14.1f}", flush=True)
    if comm.rank == 0:
        options.output.mkdir(parents=True, exist_ok=True)
        (options.output / f"errors_{comm.size}_ranks.json").write_text(json.dumps(rows, indent=1) + "\n")
        edges, before, after = shells
        np.savez(
            options.output / "volume.npz",
            before=volume,
            after=smoothed,
            voxel=voxel,
            sigma=options.sigma,
            edges=edges,
            power_before=before,
            power_after=after,
            ranks=comm.size,
        )
        worst = max(max(row["spectrum"], row["smoothed"]) for row in rows)
    status = comm.bcast(None if comm.rank else int(not worst < TOLERANCE))
    if status and comm.rank == 0:
        print(f"demo: an error above {TOLERANCE:.0e}: the results are wrong", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
