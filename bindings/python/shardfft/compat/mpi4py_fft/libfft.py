"""Transforms of one process in both directions, with padding: the parts of :class:`PFFT` beyond four axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import fftw

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


def pair_of(transforms: Mapping[Any, Any] | None, axes: Sequence[int], backend: str, real: bool) -> Any:
    """Give the entry of ``transforms`` for a group of axes, or None for Fourier transforms that are planned.

    SciPy's ``fftpack``, whose functions mpi4py-fft calls, gives all modes of real numbers.
    """
    default = (np.fft.fftn, np.fft.ifftn) if backend == "scipy" and real else None
    return (transforms or {}).get(tuple(axes), default)


def _with_modes(values: NDArray[Any], axis: int, count: int) -> NDArray[Any]:
    """Give a spectrum with another number of modes along an axis; one without a partner is split, or made of two."""
    few, source = min(count, values.shape[axis]), np.moveaxis(values, axis, 0)
    if count == len(source):
        return values
    result = np.zeros((count, *source.shape[1:]), values.dtype)
    result[: few // 2 + 1] = source[: few // 2 + 1]
    result[count - few // 2 :] += source[len(source) - few // 2 :]
    if few % 2 == 0 and count > few:
        result[[few // 2, -(few // 2)]] /= 2
    return np.moveaxis(result, 0, axis)


class Called(fftw.FFT):
    """A function in the place of a planned transform; its result is copied to ``output_array``.

    Args:
        function: called with the input and ``words``.
        arrays: the input and the output of this direction.
        axes: the last one has as many modes in the spectrum as that array, and in the function as the other one.
        spectrum: which of ``arrays`` that is.
        factor: of the results.
        normalization: a further factor of a call with ``normalize=True``.
        words: for the function.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arrays: tuple[NDArray[Any], NDArray[Any]],
        axis: int,
        spectrum: int,
        factor: float,
        normalization: float,
        words: dict[str, Any],
    ) -> None:
        self._input, self._output = arrays
        self._function, self._axis, self._spectrum, self._words = function, axis, spectrum, words
        self._factor, self._normalization, self._steps = factor, normalization, []

    def _run(self, source: NDArray[Any], target: NDArray[Any], more: dict[str, Any]) -> None:
        axis = self._axis
        given = source if self._spectrum else _with_modes(source, axis, target.shape[axis])
        result = np.asarray(self._function(given, **self._words, **more))
        if result.dtype.kind == "c" and target.dtype.kind != "c":
            result = result.real
        target[...] = _with_modes(result, axis, target.shape[axis]) if self._spectrum else result
        target *= self._factor


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
        return self.xfftn(input_array, output_array, implicit=False, normalize=wanted, **words)


class FFT:
    """A transform of an array of this process, and its inverse.

    Args:
        shape: of inputs of ``forward``; with ``padding`` the padded one.
        axes: axes to transform, the last of them first. None: all.
        dtype: of inputs of ``forward``.
        padding: how many times as many points as modes the axis has; one for each axis of the array, or one for all.
        backend: ``numpy``, ``scipy`` and ``mkl_fft`` call those functions in ``transforms`` that are a program's own,
            with the words ``axes`` and ``s`` (``scipy``: ``shape``); ``scipy`` gives all modes of real numbers.
        transforms: for groups of axes a pair of :mod:`.fftw`'s planners: ``{(0, 1): (dctn, idctn)}``, or of functions.
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
        self.real_transform, self.backend = self.dtype.kind == "f", backend
        self.padding_factor = 1.0
        if padding is not False:
            self.padding_factor = float(padding[self.axes[-1]] if np.ndim(padding) else padding)
        options = {"threads": words.get("threads", 1)}
        self.fwd: fftw.FFT
        self.bck: fftw.FFT
        pair = pair_of(transforms, self.axes, backend, self.real_transform)
        if pair is not None and fftw.is_called(pair[0], backend, self.real_transform):
            self.fwd, self.bck = self._called(pair, backend)
        elif abs(self.padding_factor - 1) > 1e-8:
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

    def _called(self, pair: Any, backend: str) -> tuple[Called, Called]:
        """Call a pair of functions, of which the second divides by the number of points."""
        extents, axis = [self.shape[one] for one in self.axes], self.axes[-1]
        word = "shape" if backend == "scipy" and pair[0] is not np.fft.fftn else "s"
        words = {word: tuple(extents), "axes": tuple(self.axes)}
        whole = fftw.aligned(self.shape, dtype=self.dtype, fill=0)
        like = np.asarray(pair[0](whole, **words))
        if backend == "numpy":
            like = like.astype(self.dtype.char.upper())
        shape = list(like.shape)
        if abs(self.padding_factor - 1) > 1e-8:
            if len(self.axes) != 1 or shape != self.shape:
                raise ValueError("padding is for one axis at a time, of which the function gives all modes")
            shape[axis] = int(np.round(shape[axis] / self.padding_factor))
        kept, count = fftw.aligned(shape, dtype=like.dtype, fill=0), int(np.prod(extents))
        return (
            Called(pair[0], (whole, kept), axis, 1, 1, 1 / count, words),
            Called(pair[1], (kept, whole), axis, 0, count, 1 / count, words),
        )

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
