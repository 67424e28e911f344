"""Electrostatics of rock salt by smooth particle-mesh Ewald sums: the Madelung constant.

    mpirun -n 4 python examples/ewald.py --mesh 48

Charges are spread over a mesh by B-splines, each rank over its own block. The mesh's spectrum times a Gaussian gives
the energy of the smooth part, as a sum over half a spectrum with its weights; the rest is a short sum over neighbours.
"""

import argparse
import math

import numpy as np
from mpi4py import MPI

import shardfft
from shardfft import DistArray
from shardfft.typing import LayoutName

MADELUNG = 1.74756459463318219


def rock_salt():
    """Positions and charges of a cell of length 2, in which neighbours lie at the distance 1."""
    corners = np.stack(np.meshgrid(*[np.arange(2)] * 3, indexing="ij"), -1).reshape(-1, 3)
    return corners.astype(float), 1.0 - 2.0 * (corners.sum(1) % 2)


def spline(u, order):
    """The cardinal B-spline of so many points at u; 0 outside 0 < u < order."""
    if order == 1:
        return np.where((u >= 0) & (u < 1), 1.0, 0.0)
    return (u * spline(u, order - 1) + (order - u) * spline(u - 1, order - 1)) / (order - 1)


def spread(positions, charges, mesh, length, order, comm, layout) -> DistArray:
    """Charges on a periodic mesh."""

    def block(*indices):
        total = 0.0
        for position, charge in zip(positions, charges, strict=True):
            shares = [spline((x * mesh / length - i) % mesh, order) for x, i in zip(position, indices, strict=True)]
            total = total + charge * shares[0] * shares[1] * shares[2]
        return total

    return DistArray.from_function(block, (mesh,) * 3, comm, layout)


def smooth_energy(positions, charges, length, beta, mesh, order, comm=MPI.COMM_WORLD, layout: LayoutName = "slab"):
    """The energy of the charges' Gaussian clouds."""
    spectrum = shardfft.rfftn(spread(positions, charges, mesh, length, order, comm, layout))
    frequencies = spectrum.frequencies(length / mesh)
    square = sum(m**2 for m in frequencies)
    weight = np.exp(-((np.pi / beta) ** 2) * square) / np.where(square == 0, np.inf, square)
    for m in frequencies:  # undoes the smearing by splines
        sums = sum(
            spline(np.float64(k + 1), order) * np.exp(2j * np.pi * m * length * k / mesh) for k in range(order - 1)
        )
        weight = weight / abs(sums) ** 2
    return float((weight * abs(spectrum) ** 2).spectrum_sum() / (2 * np.pi * length**3))


def near_energy(positions, charges, length, beta, images=3):
    """The rest of the energy, of each pair of charges and their images; and of clouds with themselves."""
    erfc = np.vectorize(math.erfc)
    shifts = np.stack(np.meshgrid(*[np.arange(-images, images + 1)] * 3, indexing="ij"), -1).reshape(-1, 3) * length
    total = 0.0
    for here, charge in zip(positions, charges, strict=True):
        distance = np.linalg.norm(positions[:, None] + shifts - here, axis=-1)
        apart = distance > 0
        share = np.where(apart, erfc(beta * distance) / np.where(apart, distance, 1), 0)
        total += charge * float((charges[:, None] * share).sum()) / 2
    return total - beta / math.sqrt(math.pi) * float((charges**2).sum())


def madelung(mesh=32, order=8, beta=2.5, comm=MPI.COMM_WORLD, layout: LayoutName = "slab"):
    """Madelung's constant of rock salt: the energy of a pair of neighbours in the crystal."""
    positions, charges = rock_salt()
    energy = smooth_energy(positions, charges, 2.0, beta, mesh, order, comm, layout)
    return -2 * (energy + near_energy(positions, charges, 2.0, beta)) / len(charges)


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--mesh", type=int, default=32)
    parser.add_argument("--layout", default="slab")
    told = parser.parse_args()
    found = madelung(told.mesh, layout=told.layout)
    if MPI.COMM_WORLD.rank == 0:
        print(f"Madelung constant {found:.9f}, {MADELUNG:.9f} in tables, difference {found - MADELUNG:.1e}")


if __name__ == "__main__":
    main()
