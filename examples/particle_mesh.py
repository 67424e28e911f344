"""Particle-mesh gravity in a periodic box: deposit, Poisson's equation, interpolation; and the error of two bodies.

    mpirun -n 4 python examples/particle_mesh.py --points 32 --assignment tsc --plot force.png

A mass is deposited on the mesh, the potential's slopes are interpolated to probes around it, and compared with Newton's
force and the part of its periodic images that grows linearly. Masses are smoothed over a point of the mesh, so that it
sees no edges: up to three points the force is too weak, as that of a cloud is; beyond them it is Newton's.
"""

import argparse

import numpy as np
from mpi4py import MPI

import shardfft
from shardfft import Operator


class Gravity:
    """Masses in a box of the given length, with G = 1."""

    def __init__(self, points, length=1.0, assignment="tsc", comm=MPI.COMM_WORLD):
        self.length, self.cell = length, length / points
        self.plan = shardfft.plan((points,) * 3, "r2c", comm=comm, layout="slab", effort="estimate")
        layout = self.plan.input.layout
        self.mesh = shardfft.ParticleMesh(layout, assignment, lengths=length, reach=1, comm=comm)
        lengths = (length,) * 3
        solve = -4 * np.pi * Operator.inverse_laplacian(lengths) * Operator.gaussian(self.cell, lengths)
        self.slopes = [Operator.derivative(axis, 1, lengths) * solve for axis in range(3)]

    def settle(self, positions, *others):
        """Move particles to the ranks of their positions, with their other numbers."""
        move = self.mesh.migration(positions)
        return [move.move(one) for one in (positions, *others)]

    def accelerations(self, positions, masses):
        """The slopes of the potential at the positions of particles, which are on their ranks."""
        density = self.mesh.deposit(positions, masses) / self.cell**3
        fields = (self.plan.apply(slope, density) for slope in self.slopes)
        return np.stack([self.mesh.interpolate(positions, field) for field in fields], axis=1)

    def step(self, positions, velocities, masses, dt):
        """Go on by dt: kick, drift, kick; a particle may drift one point of the mesh beyond its rank's part."""
        velocities = velocities + dt / 2 * self.accelerations(positions, masses)
        positions, velocities, masses = self.settle(positions + dt * velocities, velocities, masses)
        return positions, velocities + dt / 2 * self.accelerations(positions, masses), masses

    def close(self):
        """End the collective objects."""
        self.mesh.close()
        self.plan.close()


def error(gravity, distance, probes=200, sources=4):
    """Give the root mean square of the relative error of the force at a distance, over sources and directions."""
    comm, total = gravity.mesh.comm, 0.0
    rng = np.random.default_rng(1)
    for _ in range(sources):
        source = rng.uniform(0, gravity.length, 3)
        direction = rng.normal(size=(probes, 3))
        direction /= np.linalg.norm(direction, axis=1)[:, None]
        mine = slice(comm.rank, None, comm.size)
        positions = np.vstack([source, source + distance * direction])[mine]
        masses = np.append(1.0, np.zeros(probes))[mine]
        towards = np.vstack([np.zeros(3), -direction])[mine]
        positions, masses, towards = gravity.settle(positions, masses, towards)
        force = 1 / distance**2 - 4 * np.pi / 3 * distance / gravity.length**3
        wrong = (gravity.accelerations(positions, masses) / force - towards)[masses == 0]
        total += comm.allreduce(float((wrong**2).sum())) / (probes * sources)
    return np.sqrt(total)


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--points", type=int, default=32)
    parser.add_argument("--assignment", default="tsc", choices=("nearest", "cic", "tsc"))
    parser.add_argument("--plot", help="a picture of the errors")
    told = parser.parse_args()
    gravity = Gravity(told.points, assignment=told.assignment)
    distances = np.array([0.5, 1, 2, 3, 4, 6, 8])  # points of the mesh
    errors = [error(gravity, distance * gravity.cell) for distance in distances]
    gravity.close()
    if MPI.COMM_WORLD.rank == 0:
        for distance, one in zip(distances, errors, strict=True):
            print(f"distance {distance:3.1f} points: relative error {one:.2e}")
        if told.plot:
            from matplotlib import pyplot

            pyplot.loglog(distances, errors, "o-", label=told.assignment)
            pyplot.xlabel("distance in points of the mesh")
            pyplot.ylabel("relative error of the force")
            pyplot.legend()
            pyplot.savefig(told.plot)


if __name__ == "__main__":
    main()
