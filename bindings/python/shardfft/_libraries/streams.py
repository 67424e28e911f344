"""Streams that users give, and the GPU that is current."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from .. import _core

#: The handle of CUDA's default stream, also in DLPack and ``__cuda_array_interface__``.
LEGACY = 1


def pointer(stream: Any) -> int:
    """Give the handle of a stream: of an integer, a CuPy or PyTorch stream, or one that has ``__cuda_stream__``.

    None is 0, for the plan's own stream. The 0 by which libraries mean the default stream becomes ``LEGACY``.
    """
    if stream is None:
        return 0
    if hasattr(stream, "__cuda_stream__"):
        said = stream.__cuda_stream__
        handle = (said() if callable(said) else said)[1]
    else:
        handle = next((getattr(stream, name) for name in ("ptr", "cuda_stream") if hasattr(stream, name)), stream)
    try:
        return operator.index(handle) or LEGACY
    except TypeError:
        raise TypeError(
            "stream must be an integer, a cupy.cuda.Stream, a torch.cuda.Stream or have __cuda_stream__, "
            f"not {type(stream).__name__}"
        ) from None


@contextlib.contextmanager
def current_gpu(device: int) -> Iterator[None]:
    """Make ``device`` the one whose current stream CuPy and PyTorch mean."""
    before = _core.set_current_gpu(device)
    try:
        yield
    finally:
        _core.set_current_gpu(before)
