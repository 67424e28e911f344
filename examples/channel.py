"""Flows between walls: Poiseuille's in a channel with stretched cells, and Taylor-Green vortices that decay in a box.

    mpirun -n 4 python examples/channel.py --points 32 --plot profile.png

Both take implicit steps, each of which solves Helmholtz's equation with the shift 1 / (viscosity dt).
"""

import argparse

import numpy as np
from mpi4py import MPI

import shardfft


def stretched(points, height=2.0, strength=1.8):
    """Widths of cells that are thinner at the walls."""
    faces = np.tanh(strength * np.linspace(-1, 1, points + 1)) / np.tanh(strength)
    return np.diff(faces) * height / 2


def poiseuille(points, viscosity=0.1, push=0.3, steps=60, dt=2.0, comm=MPI.COMM_WORLD):
    """Push a fluid at rest until it flows steadily; give this rank's distances from the lower wall, and velocities."""
    cells, shift = stretched(points), 1 / (viscosity * dt)
    ends, lengths = ("periodic", "periodic", "wall"), (4.0, 2.0, cells)
    with shardfft.poisson((8, 6, points), lengths, ends, comm=comm, shift=shift, effort="estimate") as plan:
        u, y = plan.zeros(), plan.points()[2]
        for _ in range(steps):
            u = plan.solve(-shift * u - push / viscosity)
    return y + 0 * u, u


def profile(y, viscosity=0.1, push=0.3, height=2.0):
    """Poiseuille's parabola."""
    return push / (2 * viscosity) * y * (height - y)


class Vortices:
    """Vorticity in a square box with walls that let fluid slip, by steps of Crank and Nicolson."""

    def __init__(self, points, viscosity=0.05, dt=0.01, comm=MPI.COMM_WORLD):
        self.viscosity, self.dt = viscosity, dt
        given = {"lengths": np.pi, "boundary": "wall", "comm": comm, "effort": "estimate"}
        self.stream = shardfft.poisson((points, points), **given)
        self.diffusion = shardfft.poisson((points, points), shift=2 / (viscosity * dt), **given)
        x, y = self.stream.points()
        self.vorticity = 2 * np.sin(x) * np.sin(y)

    def velocity(self):
        """Give (u, v), the slopes of the stream function."""
        _, (along_x, along_y) = self.stream.solve(-self.vorticity, gradient=True)
        return along_y, -along_x

    def step(self):
        """Go on by dt. Nothing is carried along: velocity and the vorticity's gradient are at right angles."""
        shift = 2 / (self.viscosity * self.dt)
        # w' = w + dt nu (lap w' + lap w) / 2, whose s = w' + w solves lap s - shift s = -2 shift w.
        self.vorticity = self.diffusion.solve(-2 * shift * self.vorticity) - self.vorticity

    def close(self):
        """End the collective objects."""
        self.stream.close()
        self.diffusion.close()


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--points", type=int, default=32)
    parser.add_argument("--plot", help="a picture of the channel's velocities")
    told = parser.parse_args()
    comm = MPI.COMM_WORLD
    y, u = poiseuille(told.points)
    wrong = comm.allreduce(float(np.abs(u - profile(y)).max()) if u.size else 0.0, MPI.MAX)
    flow = Vortices(told.points)
    for _ in range(20):
        flow.step()
    u_box, v_box = flow.velocity()
    energy = comm.allreduce(float((u_box**2 + v_box**2).sum())) / told.points**2 / 2
    flow.close()
    everything = comm.gather((y.ravel(), u.ravel()))
    if everything is not None:  # on rank 0
        print(f"Poiseuille: largest error {wrong:.1e} of {profile(1.0):.2f}")
        print(f"vortices: energy {energy:.6f}, exactly {np.exp(-4 * 0.05 * 0.2) / 4:.6f}")
        if told.plot:
            from matplotlib import pyplot

            heights, speeds = (np.concatenate(one) for one in zip(*everything, strict=True))
            pyplot.plot(speeds, heights, ".", label="solved")
            line = np.linspace(0, 2, 100)
            pyplot.plot(profile(line), line, label="Poiseuille")
            pyplot.xlabel("velocity")
            pyplot.ylabel("distance from the lower wall")
            pyplot.legend()
            pyplot.savefig(told.plot)


if __name__ == "__main__":
    main()
