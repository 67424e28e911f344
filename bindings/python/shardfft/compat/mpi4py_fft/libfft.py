"""Transforms of one process in both directions, with padding: what :class:`PFFT` is made of beyond four axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import fftw

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


class OneWay:
    """One direction of a :class:`FFT`; call it. ``normalize``: whether to divide by the number of points."""

    def __init__(self, planned: fftw.FFT, normalize: bool) -> None:
        self.xfftn, self._normalize = planned, normalize
        self.input_array, self.output_array = planned.input_array, planned.output_array

    def __call__(
        self, input_array: Any = None, output_array: Any = None, normalize: bool | None = None, **words: Any
    ) -> NDArray[Any]:
        """Transform from ``input_array`` to ``output_array``, or without them between the arrays that were planned."""
        wanted = self._normalize if normalize is None else bool(normalize)
        return self.xfftn(input_array, output_array, implicit=False, normalize=wanted)


class FFT:
    """A transform of an array of this process, and its inverse.

    Args:
        shape: of what ``forward`` takes; with ``padding`` the padded one.
        axes: axes to transform, the last of them first. None: all.
        dtype: of what ``forward`` takes.
        padding: how many times as many points as modes the axis has; one for each axis of the array, or one for all.
        backend: has no effect.
        transforms: for groups of axes a pair of :mod:`.fftw`'s planners: ``{(0, 1): (dctn, idctn)}``.
        words: ``threads``; further options of mpi4py-fft's planners have no effect.

    Example:
        >>> import numpy as np
        >>> from shardfft.compat.mpi4py_fft.libfft import FFT
        >>> fft = FFT((8, 6))
        >>> spectrum = fft.forward(np.ones((8, 6)))
        >>> spectrum.shape, complex(spectrum[0, 0]), bool(np.allclose(fft.backward(spectrum), 1))
        ((8, 4), (1+0j), True)
    """

    def __init__(
        self,
        shape: int | Sequence[int],
        axes: Any = None,
        dtype: DTypeLike = float,
        padding: Any = False,
        backend: str = "shardfft",
        transforms: Mapping[Any, Any] | None = None,
        **words: Any,
    ) -> None:
        self.shape, self.dtype, self.padding = [int(n) for n in np.atleast_1d(shape)], np.dtype(dtype), padding
        count = len(self.shape)
        self.axes = [int(axis) % count for axis in np.atleast_1d(range(count) if axes is None else axes)]
        if len(set(self.axes)) != len(self.axes):
            raise ValueError(f"axes must name no axis twice: {axes}")
        self.real_transform = self.dtype.kind == "f"
        self.padding_factor = 1.0
        if padding is not False:
            self.padding_factor = float(padding[self.axes[-1]] if np.ndim(padding) else padding)
        options = {"threads": words.get("threads", 1)}
        pair = (transforms or {}).get(tuple(self.axes))
        if abs(self.padding_factor - 1) > 1e-8:
            if len(self.axes) != 1 or pair is not None:
                raise ValueError("padding is for one axis with a Fourier transform at a time")
            self.fwd, self.bck = self._padded(options)
        else:
            known = (fftw.rfftn, fftw.irfftn) if self.real_transform else (fftw.fftn, fftw.ifftn)
            plan_forward, plan_backward = (fftw.planner_of(one) for one in pair or known)
            whole = fftw.aligned(self.shape, dtype=self.dtype)
            self.fwd = plan_forward(whole, axes=self.axes, **options)
            extents = [self.shape[axis] for axis in self.axes]
            self.bck = plan_backward(self.fwd.output_array, s=extents, axes=self.axes, output_array=whole, **options)
        self.M = self.fwd.get_normalization()
        self.forward, self.backward = OneWay(self.fwd, True), OneWay(self.bck, False)

    def _padded(self, options: dict[str, Any]) -> tuple[fftw.FFT, fftw.FFT]:
        """Plan a spectrum of fewer modes than points."""
        axis, extents = self.axes[-1], list(self.shape)
        modes = int(np.round(extents[axis] / self.padding_factor))
        extents[axis] = modes // 2 + 1 if self.real_transform else modes
        whole = fftw.aligned(self.shape, dtype=self.dtype, fill=0)
        kept = fftw.aligned(extents, dtype=self.dtype.char.upper(), fill=0)
        kinds = (fftw.R2C, fftw.C2R) if self.real_transform else (fftw.C2C_FORWARD, fftw.C2C_BACKWARD)
        more: dict[str, Any] = {"normalization": 1 / self.shape[axis], "modes": [modes], **options}
        return fftw.FFT(whole, kept, [axis], kinds[0], **more), fftw.FFT(kept, whole, [axis], kinds[1], **more)

    def destroy(self) -> None:
        """End both plans; again has no effect."""
        self.fwd.destroy()
        self.bck.destroy()
