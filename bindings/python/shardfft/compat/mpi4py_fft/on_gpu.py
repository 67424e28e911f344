"""Transforms with mpi4py-fft's arguments for arrays on GPUs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class OnGpu:
    """One direction of a :class:`PFFT` on GPUs, for arrays of CuPy, PyTorch, JAX or others with DLPack; call it."""

    def __init__(self, owner: Any, name: str) -> None:
        self._owner, self._name = owner, name
        made = owner._plan
        ends = (0, 1) if name == "forward" else (1, 0)
        self._from, self._to = ((made.input, made.output)[end] for end in ends)
        self.input_pencil, self.output_pencil = (owner.pencil[end] for end in ends)

    @functools.cached_property
    def input_array(self) -> Any:
        """The input of a call without arrays; made at its first use."""
        return zeros_on_gpu(self._owner, self._from.shape, self._from.dtype)

    @functools.cached_property
    def output_array(self) -> Any:
        """The output of a call without arrays; made at its first use."""
        return zeros_on_gpu(self._owner, self._to.shape, self._to.dtype)

    def __call__(
        self, input_array: Any = None, output_array: Any = None, normalize: bool | None = None, **words: Any
    ) -> Any:
        """Transform; as :class:`Transform`, but an input without an output gives a new array of the input's library."""
        if words:
            raise TypeError(f"transforms have no option {', '.join(words)}; known: normalize")
        source, target = input_array, output_array
        if source is None:
            source, target = self.input_array, self.output_array if target is None else target
        result = getattr(self._owner._plan, self._name)(source, out=target)
        if normalize is not None and bool(normalize) != (self._name == "forward"):
            result *= 1 / self._owner._points if normalize else self._owner._points
        return result


def zeros_on_gpu(owner: Any, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
    """Make an array of CuPy on the GPU of a transform."""
    try:
        import cupy
    except ImportError:
        raise TypeError(
            "arrays that transforms on GPUs make are CuPy's, which is not installed: give them yours"
        ) from None
    with cupy.cuda.Device(owner._plan.device):
        return cupy.zeros(tuple(shape), dtype)
