"""A Gaussian blur of a volume, as the demo smooths a brain template: ten lines of arrays that are cut over ranks.

    mpirun -n 4 python examples/brain_filter.py volume.npy --voxel 1 1 1 --sigma 3 --save smooth.npy

Rank 0 reads the volume, a file of NumPy's or of NIfTI (.nii.gz, which tells the size of its voxels).
"""

import argparse

import numpy as np
from mpi4py import MPI

import shardfft
from shardfft.typing import LayoutName


def smooth(volume, voxel, sigma, comm=MPI.COMM_WORLD, layout: LayoutName = "slab"):
    """Blur the volume that rank 0 has, with a standard deviation in the voxels' unit; the result is on rank 0."""
    field = shardfft.DistArray.from_global(volume, comm, layout, root=0)
    spectrum = shardfft.fft.rfftn(field)
    square = sum(k**2 for k in spectrum.frequencies(voxel))
    blurred = shardfft.fft.irfftn(np.exp(-2 * (np.pi * sigma) ** 2 * square) * spectrum, s=field.shape, axes=(0, 1, 2))
    return blurred.gather(root=0)


def read(path):
    """Give a volume and the size of its voxels, if the file knows it."""
    if path.endswith(".npy"):
        return np.load(path), None
    import nibabel

    image = nibabel.Nifti1Image.from_filename(path)
    return image.get_fdata(dtype=np.float64), image.header.get_zooms()[:3]


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("volume", help="a file of three axes")
    parser.add_argument("--voxel", type=float, nargs=3, help="the size of voxels along each axis")
    parser.add_argument("--sigma", type=float, default=3.0)
    parser.add_argument("--save", help="where to write the result, as a file of NumPy's")
    told = parser.parse_args()
    volume, voxel = read(told.volume) if MPI.COMM_WORLD.rank == 0 else (None, None)
    voxel = told.voxel or MPI.COMM_WORLD.bcast(voxel) or (1.0, 1.0, 1.0)
    result = smooth(volume, voxel, told.sigma)
    if volume is not None and result is not None:
        print(f"from {volume.min():.4g} ... {volume.max():.4g} to {result.min():.4g} ... {result.max():.4g}")
        if told.save:
            np.save(told.save, result)


if __name__ == "__main__":
    main()
