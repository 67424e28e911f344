"""How each command of a document is run by a test: a pattern, and its tiny form or the reason why it is not run.

The first pattern that matches the whole command counts. {0} is the command itself, {1} its first group, {install} the
options that name the installed library, {drivers} the folder of built drivers. A command that nothing matches
fails the test: give it a line here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

QUICK = "--size 8 --rounds 1 --case repeats=2 warmups=1 effort=estimate"
# ./run has built all drivers, and other tests run them meanwhile. So a reader's builds are configured in a
# folder of its own, in which a small target is built, and later commands find the drivers of ./run.
DRIVERS = "cmake -S bench -B build-own -DCMAKE_CXX_FLAGS_RELEASE=-O0 {install} && ln -sfn {drivers} build-bench"
BUILT = "cmake --build build-own -j 2 --target bench_profile"
OWN_WISDOM = "SHARDFFT_WISDOM=$PWD/wisdom.json"
PART_OF_CI = "continuous integration runs it as a whole"
FIRST_LINES = "test_first_lines runs these lines one after the other, from an empty folder"
CLAIMS = "test_claims runs every claim from start to last line, at a tiny size"
LINKING = "test_linking runs these lines one after the other, over a prefix that was moved"
OUTSIDE = "test_outside_drivers builds and runs a driver in such a folder"
PROGRAM_ABOVE = "the program above it, which its own test runs"

RUN = [
    # ./run and .ci/run
    (r"\./run demo", "{0} --size 16 --ranks 1 --every 4"),
    (r"\./run (--help|claim list)", "{0}"),
    # building and installing
    (r"cmake --preset (dev)", "cmake --list-presets | grep -w {1}"),
    (r"cmake -S bench -B build-bench", DRIVERS),
    (r"cmake -S bench/scaling -B build-scaling && cmake --build build-scaling", "{0}"),
    (r'cmake --build build-bench --parallel "\$\(nproc\)"', BUILT),
    (r"pip install \./bench/harness", "pip install --quiet --no-deps ./bench/harness"),
    # the harness
    (r"shardfft-bench (libraries|bench list)", "{0}"),
    (r"shardfft-bench bench run ((smoke|one-host) --into \S+)", f"shardfft-bench bench run {{1}} {QUICK}"),
    (r"shardfft-bench bench run (bench/scaling/strategies\.yaml --into \S+)",
     f"shardfft-bench bench run {{1}} {QUICK}"),
    (r"shardfft-bench study( \d+)?", "shardfft-bench study"),
    # of a set of several experiments these two
    (r"shardfft-bench report (bench/results/two-core-xeon/2026-11-22) --out (\S+)",
     "shardfft-bench report {1}/strategies {1}/mpi-bandwidth --out {2}"),
    (r"shardfft-bench (table|report) .*", "{0}"),
    (r"shardfft-bench compare (--relative-to \S+ )?results/\w+ results/\w+",
     "shardfft-bench compare {1} --threshold 99 results/one-host results/one-host"),
    (r"shardfft (info|options --(markdown|types))", "{0}"),
    (r"shardfft plan .*", "{0}"),
    (r"mpirun -n \d shardfft tune .* --budget 60s",
     f"{OWN_WISDOM} mpirun --oversubscribe -n 2 shardfft tune 12x10x8 8^3 --budget 0.5s"),
    (r"shardfft tune 128\^3 --ranks 4 (.*)",
     f'{OWN_WISDOM} shardfft tune 12^3 --ranks 2 --launcher "mpirun --oversubscribe" --budget 0.5s {{1}}'),
    (r"shardfft wisdom show", f"export {OWN_WISDOM}; shardfft tune 8^3 --budget 0.2s && shardfft wisdom show && "
     "cp wisdom.json first.json && cp wisdom.json second.json"),
    (r"shardfft wisdom .*", "{0}"),
    # exit code 1 says that there are findings
    (r"mpirun -n (\d) shardfft doctor( --shape \S+)?( .*)?",
     "mpirun --oversubscribe -n 2 shardfft doctor --shape 12^3 {3} || [[ $? == 1 ]]"),
    (r"mpirun -n \d shardfft selftest --shape \S+ (--state \S+)",
     "mpirun --oversubscribe -n 2 shardfft selftest --shape 8x6x10 --only exchange=p2p {1}"),
    # bench/scaling
    (r"build-scaling/memory_floor (-kib 512 )?1 2( > \S+)?", "OMP_NUM_THREADS=1 build-scaling/memory_floor {1}1 {2}"),
    (r"build-scaling/fma_peak 1 2", "build-scaling/fma_peak 1"),
    (r"python3 bench/scaling/tables\.py .*", "{0}"),
    (r"mpirun -n 4 python (bench/scaling/chunk_overlap\.py) --size 128 --layout pencil",
     "mpirun --oversubscribe -n 2 python {1} --size 16 --runs 1 --chunks 1 2"),
    (r"mpirun -n [12] python (bench/scaling/verify_cost\.py)( --.*)?",
     "mpirun --oversubscribe -n 2 python {1} --shapes 16x16x16 --rounds 1"),
]  # fmt: skip

NOT_RUN = [
    (r'cmake -S \. -B build -DCMAKE_PREFIX_PATH="\$HOME/shardfft"|cmake --build build', LINKING),
    (r"(export PKG_CONFIG_PATH|lib|flags|rpath)=.*|mpi(cc|cxx|fort) .*", LINKING),
    (r"mpirun -n 2 (\./|build/)app(_in_c)?|mpirun -n 4 env LD_PRELOAD=.*_fftw_mpi\.so\" \./program", LINKING),
    (r'cmake -S bench -B build-bench -DBENCH_ADAPTERS="\$HOME/drivers"|cmake --build build-bench --target .*', OUTSIDE),
    (r"\./run claim (NAME|cannon-overlap( --mesh 2x2x2 --threads 4 --blocks .*)?)", CLAIMS),
    (r"\./run (test|lint|speed|build)", PART_OF_CI),
    (r"cmake --build --preset dev .*|build/dev/.*", "the preset is read; its build is the one that runs all tests"),
    (r"\.ci/run.*", PART_OF_CI),
    (r'cmake (-S \. -B build( -D.*)?|--build build --parallel "\$\(nproc\)"|--install build --prefix .*)', FIRST_LINES),
    (r"(python3 -m venv|\.|export|pip install \./bindings/python) .*", FIRST_LINES),
    (r"mpirun -n 4 (\./app|python -m mpi4py app\.py)|python app\.py", PROGRAM_ABOVE),
    (r"mpirun -n 4 python -m mpi4py script\.py", "a script of the reader's"),
    (r"\./run (random|fuzz) .*", "`.ci/run full` draws random plans, and the test mpi_random some for every change"),
]

# Commands within the text are not run: their words are compared with existing names.
INLINE = [
    r"(mpirun -n 4 )?python -m mpi4py app\.py",
    r"mpirun (-n 4|--oversubscribe)",
    r"cmake --preset dev",
    r"mpirun --bind-to core",
    r"pip install (mkl-devel mkl-include|--no-deps)",
    r"mpirun -n 3 bench-<library> .*",
    r"mpirun -n 4 python script\.py",
    r"pip uninstall shardfft shardfft-cuda13",
    r"python -m \.\.\.",
    r"shardfft (bench|info|compile|doctor|machines( summit)?|plan|selftest|simulate)",
    r"shardfft (tune|wisdom (show|merge)|options --(markdown|types|variables))",
    r"mpirun -n 4 shardfft doctor",
    r"shardfft doctor --machine( FILE)?",
    r"\./run (--help|coverage|faults)",
    r"\.ci/run (full|large|lengths|kernels|fuzz|frameworks|wheels|packages|mpich|threads|clang|strict)",
]


@dataclass
class Answer:
    """The tiny form of a command, or the reason why it is not run."""

    run: str = ""
    reason: str = ""


def answer(command: str, install: str, drivers: str = "") -> Answer:
    """How the command is run; raises LookupError when no line says so."""
    for pattern, reason in NOT_RUN:
        if re.fullmatch(pattern, command):
            return Answer(reason=reason)
    for pattern, form in RUN:
        match = re.fullmatch(pattern, command)
        if match:
            groups = (group or "" for group in match.groups())
            return Answer(run=form.format(command, *groups, install=install, drivers=drivers))
    raise LookupError(f"tests/docs/commands.py does not say how '{command}' is run: add a line, or mark the block")
