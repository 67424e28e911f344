"""Turbulence that decays from the Taylor-Green vortex: Navier-Stokes in a periodic box, by its modes.

    mpirun -n 4 python examples/taylor_green.py --points 64 --reynolds 200 --steps 100 --checkpoint state

Products are free of aliases, because a plan keeps two thirds of the modes. Runge-Kutta of fourth order. A checkpoint
can be taken up by any number of ranks: --restart state. The spectrum is printed every tenth step. With --plot
energy.png the last one is drawn, and --history energy.csv keeps the energy and its loss of each step. --processor gpu
keeps the fields on GPUs, by CuPy.
"""

import argparse
import importlib
from typing import Any, Literal

import numpy as np
from mpi4py import MPI

import shardfft
from shardfft import DistArray
from shardfft.typing import LayoutName


class Flow:
    """A velocity field by its kept modes."""

    def __init__(
        self,
        points,
        reynolds,
        comm=MPI.COMM_WORLD,
        layout: LayoutName = "slab",
        processor: Literal["cpu", "gpu"] = "cpu",
    ):
        kept = 2 * ((points - 1) // 3) + 1  # all wavenumbers below points / 3
        self.plan = shardfft.plan(
            (points,) * 3,
            "r2c",
            comm=comm,
            layout=layout,
            modes=(kept,) * 3,
            batch=3,
            norm="forward",
            effort="estimate",
            processor=processor,
        )
        self.cupy: Any = importlib.import_module("cupy") if processor == "gpu" else None
        if self.cupy:
            self.cupy.cuda.Device(self.plan.device).use()  # each rank works on its own
        self.viscosity = 1 / reynolds
        self.square = self.place(sum(k**2 for k in self.plan.output.wavenumbers(2 * np.pi)))
        self.time = 0.0

    def place(self, block):
        """Bring a block to the processor that transforms."""
        return self.cupy.asarray(block) if self.cupy else block

    def start(self):
        """The vortex of Taylor and Green."""

        def vortex(x, y, z):
            return np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * (x + y + z)

        field = DistArray.from_function(vortex, self.plan.input, self.plan.comm, lengths=2 * np.pi, components=3)
        field.local = self.place(field.local)
        self.modes = self.plan.forward(field)

    def slope(self, modes: DistArray) -> DistArray:
        """The time derivative of the modes: velocity x vorticity without its gradient part, and friction."""
        u, w = self.plan.backward(modes), self.plan.backward(shardfft.curl(modes))
        cross = u.copy()
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            cross[a] = u[b] * w[c] - u[c] * w[b]
        return shardfft.project(self.plan.forward(cross)) - self.viscosity * self.square * modes

    def step(self, dt):
        """Go on by dt."""
        first = self.slope(self.modes)
        second = self.slope(self.modes + dt / 2 * first)
        third = self.slope(self.modes + dt / 2 * second)
        fourth = self.slope(self.modes + dt * third)
        self.modes += dt / 6 * (first + 2 * second + 2 * third + fourth)
        self.time += dt

    def energy(self):
        """Mean of half the square of the velocity."""
        return float((abs(self.modes) ** 2).spectrum_sum() / 2)

    def dissipation(self):
        """The energy that friction takes in a unit of time."""
        return float(self.viscosity * (self.square * abs(self.modes) ** 2).spectrum_sum())

    def save(self, path):
        """Write a checkpoint."""
        self.modes.attrs["time"] = self.time
        self.modes.save(path)

    def restart(self, path):
        """Take up a checkpoint, on any number of ranks and in any layout."""
        side = self.plan.output
        saved = DistArray.load(path, self.plan.comm, side.layout)
        self.modes = DistArray.zeros(side, comm=self.plan.comm)
        self.modes[...] = saved
        self.modes.local = self.place(self.modes.local)
        self.time = saved.attrs["time"]


def show(flow, number):
    """Print the energy in shells of wavenumbers; all ranks add up, one prints."""
    k, energy = (abs(flow.modes) ** 2 / 2).shells()
    if flow.plan.comm.rank == 0:
        print(f"\nspectrum of step {number}:", " ".join(f"{one:.0f}:{e:.3e}" for one, e in zip(k, energy, strict=True)))


def draw(flow, path):
    """Draw the energy in shells of wavenumbers; all ranks add up, one draws."""
    k, energy = (abs(flow.modes) ** 2 / 2).shells()
    if MPI.COMM_WORLD.rank == 0:
        from matplotlib import pyplot

        pyplot.loglog(k[1:], energy[1:], "o-")
        pyplot.xlabel("wavenumber")
        pyplot.ylabel("energy")
        pyplot.savefig(path)


def note(path, line, mode="a"):
    """Add a line to a table, at once: a run that is cut off leaves its lines."""
    if path and MPI.COMM_WORLD.rank == 0:
        with open(path, mode) as table:
            print(line, file=table)


def main():
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--points", type=int, default=32)
    parser.add_argument("--reynolds", type=float, default=100)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--dt", type=float, default=0.02)
    parser.add_argument("--layout", default="slab")
    parser.add_argument("--processor", default="cpu", help="gpu: the fields are there, by CuPy")
    parser.add_argument("--restart", help="a checkpoint to begin with")
    parser.add_argument("--checkpoint", help="where to write one at the end")
    parser.add_argument("--plot", help="a picture of the last spectrum")
    parser.add_argument("--spectra", type=int, default=10, help="the spectrum is printed every so many steps; 0: never")
    parser.add_argument("--history", help="a table: time, energy and its loss of each step")
    told = parser.parse_args()
    flow = Flow(told.points, told.reynolds, layout=told.layout, processor=told.processor)
    flow.restart(told.restart) if told.restart else flow.start()
    history = []
    note(told.history, "time,energy,dissipation", "w")
    for number in range(1, told.steps + 1):
        flow.step(told.dt)
        energy, dissipation = flow.energy(), flow.dissipation()
        history.append((flow.time, energy, dissipation))
        note(told.history, f"{flow.time:.6g},{energy!r},{dissipation!r}")
        if told.spectra and number % told.spectra == 0:
            show(flow, number)
        if MPI.COMM_WORLD.rank == 0:
            print(f"\r[{number}/{told.steps}] t = {flow.time:.3f}  energy {energy:.9f}  lost {dissipation:.3e}", end="")
    if MPI.COMM_WORLD.rank == 0:
        when, _, most = max(history, key=lambda one: one[2], default=(flow.time, 0, 0))
        print(f"\nmost was lost at t = {when:.3f}: {most:.5e}")
    if told.checkpoint:
        flow.save(told.checkpoint)
    if told.plot:
        draw(flow, told.plot)
    flow.plan.close()


if __name__ == "__main__":
    main()
