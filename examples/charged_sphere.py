"""The potential of an isolated charged sphere, by Poisson's equation in free space.

    mpirun -n 4 python examples/charged_sphere.py --points 64 --plot sphere.png

The charge 1 fills a ball. Its potential, the solution of div grad u = -4 pi rho, is 1 / r outside of it.
"""

import argparse

import numpy as np
from mpi4py import MPI

import shardfft


def density(points, radius, edge):
    """Charge 1 in a ball whose surface is smeared over ``edge``."""
    r = np.sqrt(sum((x - 0.5) ** 2 for x in points))
    rho = 0.5 - 0.5 * np.tanh((r - radius) / edge)
    return r, rho


def solve(points, radius=0.25, kernel="truncated", comm=MPI.COMM_WORLD):
    """Give this rank's distances from the centre, the potential and its slopes, and 1 / r outside of the ball."""
    with shardfft.poisson((points,) * 3, 1.0, "open", comm=comm, kernel=kernel, effort="estimate") as plan:
        r, rho = density(plan.points(), radius, edge=1.5 / points)
        rho /= comm.allreduce(float(rho.sum())) / points**3
        u, slopes = plan.solve(-4 * np.pi * rho, gradient=True)
    return r, u, slopes


def error(points, radius=0.25, comm=MPI.COMM_WORLD):
    """Give the largest relative error of the potential and of the force behind the surface."""
    r, u, slopes = solve(points, radius, comm=comm)
    outside = r > radius + 12 / points
    force = np.sqrt(sum(slope**2 for slope in slopes))
    wrong = [np.abs(u * r - 1)[outside], np.abs(force * r**2 - 1)[outside]]
    return [comm.allreduce(float(one.max()) if one.size else 0.0, MPI.MAX) for one in wrong]


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--plot", help="a picture of the potential")
    told = parser.parse_args()
    potential, force = error(told.points)
    if MPI.COMM_WORLD.rank == 0:
        print(f"relative errors outside of the sphere: potential {potential:.1e}, force {force:.1e}")
    if told.plot:
        r, u, _ = solve(told.points)
        everything = MPI.COMM_WORLD.gather((r.ravel(), u.ravel()))
        if everything is not None:  # on rank 0
            from matplotlib import pyplot

            r, u = (np.concatenate(one) for one in zip(*everything, strict=True))
            pyplot.plot(r, u, ".", markersize=1, label="solved")
            outer = np.linspace(0.25, r.max(), 100)
            pyplot.plot(outer, 1 / outer, "--", label="1 / r")
            pyplot.xlabel("distance from the centre")
            pyplot.ylabel("potential")
            pyplot.legend()
            pyplot.savefig(told.plot)


if __name__ == "__main__":
    main()
