"""Debian's LAMMPS, its binary as it is, with and without our preload: the same energies and forces.

lammps.py LIBRARY MODE LAUNCHER...: MODE is `step0` (energies and forces before the first step, on 1 to 4 ranks),
`drift` (1000 steps: our drift of the total energy is within the spread of the original's on other rank counts) or
`times` (no test: lines of the time in the FFT, LAMMPS' own and ours in turns, on 1 and 2 ranks). The exit code is 77
if LAMMPS or its examples are not installed.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLE = Path("/usr/share/lammps/examples/peptide")
TELL = """
thermo_style custom step pe ecoul elong etotal press
thermo_modify format float %22.15e
thermo 100
"""
FORCES = """
dump forces all custom 1 forces id fx fy fz
dump_modify forces sort id format float %22.15e
run 0
"""
# A perturbed crystal of ions, whose spectrum is differentiated in another way and whose mesh is not a power of two.
SALT = """
units real
atom_style charge
lattice custom 5.64 a1 1 0 0 a2 0 1 0 a3 0 0 1 basis 0 0 0 basis 0.5 0 0 basis 0.5 0.5 0.5 basis 0 0.5 0.5
region box block 0 4 0 5 0 3
create_box 2 box
create_atoms 1 box basis 1 1 basis 2 2 basis 3 1 basis 4 2
mass * 20
set type 1 charge 1
set type 2 charge -1
displace_atoms all random 0.2 0.3 0.1 4711 units box
pair_style lj/cut/coul/long 6.0
pair_coeff * * 0.1 2.5
kspace_style pppm 1.0e-5
kspace_modify mesh 30 27 25 diff ad
"""
# Steps of each input whose FFT is timed.
TIMED = {"peptide": 100, "salt-60": 100}
ROUNDS = 3


def skip(why: str) -> None:
    """Ends the test as one that cannot run here."""
    print(f"SKIPPED: {why}")
    sys.exit(77)


class Lammps:
    """Runs of the binary."""

    def __init__(self, library: str, launcher: list[str]):
        self.library, self.launcher = library, launcher

    def process(self, folder: str, ranks: int, text: str, fft: str) -> subprocess.CompletedProcess:
        """LAMMPS in a folder, with its own FFT, the same with our clock (`timed`) or ours (`shardfft`)."""
        shutil.copy(EXAMPLE / "data.peptide", folder)
        (Path(folder) / "in").write_text(text)
        environment = ["env", f"LD_PRELOAD={self.library}", "SHARDFFT_LAMMPS_TIMES=1"] if fft != "original" else []
        environment += ["SHARDFFT_LAMMPS_FFT=original"] if fft == "timed" else []
        done = subprocess.run(
            [*self.launcher, "-n", str(ranks), *environment, "lmp", "-in", "in", "-log", "none"],
            cwd=folder,
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            check=False,
        )
        if done.returncode:
            sys.exit(f"LAMMPS failed on {ranks} ranks:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        if (fft == "shardfft") != ("shardfft: shardfft:" in done.stderr):
            sys.exit(f"the transforms were not made by the library that was asked for:\n{done.stderr[-2000:]}")
        return done

    def run(self, ranks: int, text: str, preload: bool) -> tuple[dict[str, float], list[float], list[float]]:
        """The numbers of step 0 by name, the total energy of each line, and all forces."""
        with tempfile.TemporaryDirectory() as folder:
            done = self.process(folder, ranks, text, "shardfft" if preload else "original")
            dump = Path(folder) / "forces"
            forces = dump.read_text().splitlines()[9:] if dump.exists() else []
        block = re.search(r"^\s*Step.*?(?=^Loop)", done.stdout, re.M | re.S).group(0).splitlines()
        names = block[0].split()
        lines = [line.split() for line in block[1:] if re.fullmatch(r"[-+\d.e\s]+", line)]
        rows = [[float(number) for number in line] for line in lines if len(line) == len(names)]
        energy = names.index("TotEng")
        return (
            dict(zip(names, rows[0], strict=True)),
            [row[energy] for row in rows],
            [float(number) for line in forces for number in line.split()[1:]],
        )

    def transforms(self, ranks: int, text: str, fft: str) -> tuple[int, float]:
        """How many transforms all plans made, in how many seconds."""
        with tempfile.TemporaryDirectory() as folder:
            told = re.findall(r"(\d+) transforms took ([\d.]+) s", self.process(folder, ranks, text, fft).stderr)
        return sum(int(count) for count, _ in told), sum(float(seconds) for _, seconds in told)


def step0(lammps: Lammps, peptide: str) -> bool:
    """Whether the preload changes no energy and no force by more than 1e-12 of the largest."""
    right = True
    for name, text in {"peptide": peptide, "salt": SALT}.items():
        for ranks in (1, 2, 3, 4):
            energies, _, forces = lammps.run(ranks, text + TELL + FORCES, preload=False)
            ours, _, our_forces = lammps.run(ranks, text + TELL + FORCES, preload=True)
            energy = max(abs(ours[key] - energies[key]) / max(map(abs, energies.values())) for key in energies)
            force = max(abs(a - b) for a, b in zip(forces, our_forces, strict=True)) / max(map(abs, forces))
            print(f"{name}, {ranks} ranks: energies differ by {energy:.1e}, forces by {force:.1e} of the largest")
            right = right and len(forces) > 0 and energy <= 1e-12 and force <= 1e-12
    return right


def drift(lammps: Lammps, peptide: str) -> bool:
    """Whether our drift over 1000 steps is one that the original might have."""
    text = re.sub(r"fix\s+1 all nvt.*", "fix 1 all nve", peptide) + TELL + "run 1000\n"
    drifts = []
    for ranks, preload in ((1, False), (2, False), (4, False), (2, True)):
        _, energies, _ = lammps.run(ranks, text, preload)
        drifts.append(energies[-1] - energies[0])
        print(f"{'shardfft' if preload else 'original'}, {ranks} ranks: the energy drifts by {drifts[-1]:.4f} kcal/mol")
    spread = max(drifts[:-1]) - min(drifts[:-1])
    return min(drifts[:-1]) - spread <= drifts[-1] <= max(drifts[:-1]) + spread


def times(lammps: Lammps, peptide: str) -> bool:
    """Prints a line a run: milliseconds of one transform."""
    print("# input ranks fft round transforms milliseconds", flush=True)
    for (name, steps), ranks in itertools.product(TIMED.items(), (1, 2)):
        text = peptide if name == "peptide" else SALT.replace("30 27 25", "60 54 50") + "fix 1 all nve\n"
        for round_number, fft in itertools.product(range(ROUNDS), ("timed", "shardfft")):
            count, seconds = lammps.transforms(ranks, f"{text}run {steps}\n", fft)
            label = "lammps" if fft == "timed" else fft
            print(f"{name} {ranks} {label} {round_number} {count} {1e3 * seconds / count:.4f}", flush=True)
    return True


def main() -> int:
    """The exit code."""
    library, mode, *launcher = sys.argv[1:]
    if not shutil.which("lmp"):
        skip("LAMMPS is not installed (Debian: lammps, lammps-examples)")
    if not EXAMPLE.exists():
        skip("LAMMPS' examples are not installed (Debian: lammps-examples)")
    peptide = re.sub(r"^(thermo|run).*$", "", (EXAMPLE / "in.peptide").read_text(), flags=re.M)
    return 0 if {"step0": step0, "drift": drift, "times": times}[mode](Lammps(library, launcher), peptide) else 1


if __name__ == "__main__":
    sys.exit(main())
