"""Settings of the MPI library that runs, by MPI's tool interface."""

from __future__ import annotations

import ctypes
from typing import Any

from .. import _core

_INT = ctypes.c_int
#: Settings that decide whether messages inside a host are copied once: of Open MPI 4, Open MPI 5, MPICH.
_SINGLE_COPY = ("btl_vader_single_copy_mechanism", "btl_sm_single_copy_mechanism", "smsc", "MPIR_CVAR_CH4_CMA_ENABLE")
_OFF = ("none", "0")


def _word(library: Any, kind: ctypes.c_void_p, value: int) -> str:
    """Name a value of an enumeration; the number itself if it has no name."""
    for item in range(64):
        number, text, length = _INT(), ctypes.create_string_buffer(256), _INT(256)
        if library.MPI_T_enum_get_item(kind, item, ctypes.byref(number), text, ctypes.byref(length)) != 0:
            break
        if number.value == value:
            return text.value.decode()
    return str(value)


def _read(library: Any, name: str) -> str | None:
    index = _INT()
    if library.MPI_T_cvar_get_index(name.encode(), ctypes.byref(index)) != 0:
        return None
    kind, text, nothing = ctypes.c_void_p(), ctypes.create_string_buffer(1024), _INT(1024)
    others = [ctypes.byref(_INT()) for _ in range(3)]
    datatype = ctypes.c_void_p()  # as wide as any MPI's
    handle, count = ctypes.c_void_p(), _INT()
    library.MPI_T_cvar_get_info(
        index,
        text,
        ctypes.byref(nothing),
        others[0],
        ctypes.byref(datatype),
        ctypes.byref(kind),
        None,
        None,
        *others[1:],
    )
    if library.MPI_T_cvar_handle_alloc(index, None, ctypes.byref(handle), ctypes.byref(count)) != 0:
        return None
    into = ctypes.create_string_buffer(max(1024, 8 * count.value))
    read = library.MPI_T_cvar_read(handle, into)
    library.MPI_T_cvar_handle_free(ctypes.byref(handle))
    if read != 0:
        return None
    if name == "smsc":
        return into.value.decode()
    value = _INT.from_buffer(into).value
    return _word(library, kind, value) if name.startswith("btl") else str(value)


def single_copy() -> tuple[str, str] | None:
    """Give the setting's name and value, as MPI decided when it started; None if this MPI tells none."""
    for place in (_core.__file__, None):
        library = ctypes.CDLL(place)
        if hasattr(library, "MPI_T_cvar_read"):
            break
    else:
        return None
    # Open MPI 4 takes the level asked for here for that of the whole process.
    started, level = _INT(), _INT()
    if library.MPI_Initialized(ctypes.byref(started)) != 0 or not started.value:
        return None
    library.MPI_Query_thread(ctypes.byref(level))
    if library.MPI_T_init_thread(level, ctypes.byref(_INT())) != 0:
        return None
    try:
        found = ((name, _read(library, name)) for name in _SINGLE_COPY)
        return next(((name, value) for name, value in found if value is not None), None)
    finally:
        library.MPI_T_finalize()


def is_off(setting: tuple[str, str] | None) -> bool:
    """Whether messages inside a host are copied twice under this setting."""
    return setting is not None and setting[1] in _OFF
