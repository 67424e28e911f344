"""The console command ``shardfft``."""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import re
import signal
import subprocess
import sys
import time

import numpy

from . import __version__, _core
from ._doctor import doctor, facts, predict, selftest, tune, wisdom
from ._ground import mpi
from ._ground.errors import Error
from ._ground.telling import teller
from ._plans import options

#: Commands of the ranks of a job, or about one: their words, and their functions.
_OF_JOBS = {"doctor": doctor, "selftest": selftest, "plan": predict, "tune": tune, "wisdom": wisdom}
_HARNESS = {
    "bench": "measure libraries beside each other",
    "report": "draw and tabulate results",
    "table": "print medians as text, Markdown or CSV",
    "compare": "compare two sets of results",
    "libraries": "list the libraries that can be measured here",
    "machines": "list machines that can be simulated",
    "simulate": "run the library on a machine one does not have",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="shardfft", description="Installed libraries, and benchmarks.")
    parser.add_argument("--version", action="version", version=f"shardfft {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    commands.add_parser("info", help="versions, MPI libraries, and the names that plans accept")
    table = commands.add_parser("options", help="the options of plans")
    texts = table.add_mutually_exclusive_group()
    texts.add_argument("--markdown", action="store_true", help="as docs/options.md")
    texts.add_argument("--variables", action="store_true", help="environment variables instead, as docs/variables.md")
    texts.add_argument("--types", action="store_true", help="for type checkers")
    kernels = commands.add_parser("compile", help="compile the GPU kernels of a size, with or without a GPU")
    kernels.add_argument("shape", help="extents of the array, as 1176x1176x1176")
    kernels.add_argument("--arch", required=True, help="of the GPUs: sm_90 for H100 and H200")
    kernels.add_argument("--kind", choices=["complex", "real"], default="complex", help="of the array (%(default)s)")
    kernels.add_argument("--precision", choices=["single", "double"], default="double", help="(%(default)s)")
    kernels.add_argument("--verify", action="store_true", help="for plans with the option verify")
    for name, module in _OF_JOBS.items():
        module.words(commands.add_parser(name, help=(module.__doc__ or "").splitlines()[0].partition(": ")[2]))
    for name, what in _HARNESS.items():
        commands.add_parser(name, help=what, add_help=False)  # the harness has its own
    return parser


def _gpus() -> list[tuple[str, str]]:
    support = _core.gpu_support()
    if not support:
        return [("GPUs", "no support in this build: take the wheel shardfft-cuda13, or build with CUDA")]
    found = [("", f"{number}: {name}") for number, name in enumerate(_core.gpu_names())] or [("", "none found")]
    return [("GPUs", f"by {support}; exchanges {', '.join(_core.device_exchange_names())}"), *found]


def _mpi_lines() -> tuple[list[tuple[str, str]], str | None]:
    """The MPI library, and why it cannot be used; None if it can, or if none is wanted."""
    if mpi.WITHOUT_MPI:
        return [("MPI", f"none, for one process ({_core.why_no_mpi})")], None
    built = ("MPI", f"{mpi._first_line(_core.mpi_loaded())}, built with {_core.mpi_compiled()}")
    try:
        import mpi4py
        from mpi4py import MPI

        why = mpi.mismatch() or mpi.strangers()
        return [("mpi4py", f"{mpi4py.__version__}, {mpi._first_line(MPI.Get_library_version())}"), built], why
    except (ImportError, RuntimeError) as error:
        return [built], f"mpi4py cannot be used: {error}"


def _info() -> int:
    lines = [("shardfft", __version__), ("Python", platform.python_version()), ("NumPy", numpy.__version__)]
    found, why = _mpi_lines()
    lines += [
        *found,
        ("algorithms", ", ".join(_core.algorithm_names())),
        ("exchanges", ", ".join(_core.exchange_names())),
        ("local FFTs", ", ".join(_core.local_fft_names())),
        *_gpus(),
    ]
    for name, text in lines:
        print(f"{name:12}{text}")
    if why is not None:
        print(f"shardfft: {why}", file=sys.stderr)
        return 1
    return 0


def _harness(words: list[str]) -> int:
    if importlib.util.find_spec("shardfft_bench") is None:
        print(f"shardfft: '{words[0]}' is part of the benchmark harness: pip install ./bench/harness", file=sys.stderr)
        return 1
    return subprocess.call([sys.executable, "-m", "shardfft_bench", *words])


def _show_options(chosen: argparse.Namespace) -> int:
    write = {"markdown": options.markdown, "types": options.types, "variables": facts.markdown}
    for name, text in write.items():
        if getattr(chosen, name):
            print(text(), end="")
            return 0
    for option in options.options():
        print(f"{option.name}: {option.sentence} ({', '.join(option.effect)}; default {option.default!r})")
    return 0


def _numbers(pattern: str, text: str, example: str) -> list[int]:
    if not re.fullmatch(pattern, text):
        raise ValueError(f"'{text}' does not have the form {example}")
    return [int(number) for number in re.findall(r"\d+", text)]


def _compile(chosen: argparse.Namespace) -> int:
    try:
        extents = _numbers(r"\d+(x\d+)*", chosen.shape, "1176x1176x1176")
        (architecture,) = _numbers(r"sm_\d+", chosen.arch, "sm_90")
        precision = _core.Precision.f32 if chosen.precision == "single" else _core.Precision.f64
        begin = time.perf_counter()
        kernels = _core.compile_kernels(extents, chosen.kind == "real", precision, architecture, chosen.verify)
    except (ValueError, RuntimeError) as error:
        print(f"shardfft: {error}", file=sys.stderr)
        return 1
    for kernel in kernels:
        print(kernel)
    count = f"{len(kernels)} kernel{'' if len(kernels) == 1 else 's'}"
    print(f"{count} for {chosen.arch} in {time.perf_counter() - begin:.1f} s")
    return 0


def _of_job(chosen: argparse.Namespace) -> int:
    """Run a command of all ranks of a job, of which one prints errors of its words."""
    try:
        status = _OF_JOBS[chosen.command].run(chosen)
    except (TypeError, ValueError, OSError, Error) as error:
        if teller(error) is None or teller(error) == mpi.communicator(None).rank:
            print(f"shardfft: {error}", file=sys.stderr)
        status = 2
    if status != 0:
        sys.stdout.flush()
        raise SystemExit(status)  # all ranks end alike; sys.exit of a script would end the job by MPI_Abort
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; give its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    chosen, rest = parser.parse_known_args(words)
    if chosen.command in _HARNESS:
        return _harness(words)
    if rest:
        parser.error(f"{chosen.command} takes no options: {' '.join(rest)}")
    try:
        if chosen.command in _OF_JOBS:
            status = _of_job(chosen)
        elif chosen.command == "compile":
            status = _compile(chosen)
        else:
            status = _info() if chosen.command == "info" else _show_options(chosen)
        sys.stdout.flush()
    except OSError as error:
        # What is left must not be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # who reads has seen enough, as `head` has
            return 128 + signal.SIGPIPE
        print(f"shardfft: the output could not be written: {error.strerror}", file=sys.stderr)
        return 1
    return status
