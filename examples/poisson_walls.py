"""Poisson's equation in a box that is periodic along two axes and has walls along the third, where the solution is 0.

    mpirun -n 4 python examples/poisson_walls.py

A smooth solution is found to the last digits. One whose second derivative jumps where it is mirrored at the walls is
found with the second order: halving the distance of points divides the error by four.
"""

import argparse

import numpy as np
from mpi4py import MPI

import shardfft
from shardfft import DistArray, Operator
from shardfft.typing import LayoutName

LENGTHS = (2 * np.pi, 2 * np.pi, 1.0)


def smooth(x, y, z):
    """A solution without a kink, and its Laplacian."""
    wave = np.sin(np.pi * z)
    u = np.exp(np.sin(x)) * np.cos(y) * wave
    return u, (np.cos(x) ** 2 - np.sin(x) - 1 - np.pi**2) * u


def kinked(x, y, z):
    """A parabola between the walls, and its Laplacian."""
    wave = np.sin(x) * np.cos(y)
    u = wave * z * (1 - z)
    return u, -2 * u - 2 * wave + 0 * z


def error(solution, points, comm=MPI.COMM_WORLD, layout: LayoutName = "slab"):
    """The largest error of the solution on so many points along each axis."""
    with shardfft.plan(
        (points,) * 3, "r2c", comm=comm, layout=layout, transforms=["fft", "fft", "dst2"], effort="estimate"
    ) as plan:
        exact, charge = (
            DistArray.from_function(lambda *x, part=part: solution(*x)[part], plan.input, comm, lengths=LENGTHS)
            for part in (0, 1)
        )
        found = plan.apply(Operator.inverse_laplacian(LENGTHS), charge)
        return float(abs(found - exact).max())


def orders(solution, sizes, **words):
    """Errors on grids of several sizes, and the order that each two of them show."""
    errors = [error(solution, points, **words) for points in sizes]
    return errors, np.log(np.divide(errors[:-1], errors[1:])) / np.log(np.divide(sizes[1:], sizes[:-1]))


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 16, 32])
    parser.add_argument("--layout", default="slab")
    told = parser.parse_args()
    for solution in (smooth, kinked):
        errors, found = orders(solution, told.sizes, layout=told.layout)
        if MPI.COMM_WORLD.rank == 0:
            print(solution.__name__)
            for points, one, order in zip(told.sizes, errors, [np.nan, *found], strict=True):
                print(f"  {points:4} points: error {one:.2e}, order {order:.2f}")


if __name__ == "__main__":
    main()
