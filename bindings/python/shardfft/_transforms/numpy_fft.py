"""The functions of ``numpy.fft`` and the n-D ones of ``scipy.fft`` for arrays that are cut over ranks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.fft import fftfreq, rfftfreq
from numpy.lib.array_utils import normalize_axis_index

from .._arrays.making import from_local
from .._arrays.redistribute import redistributed
from .._arrays.resize import resize, roll
from .._arrays.slicing import put
from .._ground import mpi
from .._ground.naming import named
from .._layouts.cut_array import CutArray
from .._libraries.gpu_arrays import dtype_of
from .cosine_scale import cosine
from .examples import as_of_the_whole
from .lengths import next_fast_len, prev_fast_len
from .transform import Call, call_of, rows_of, transform_array, wrapped

__all__ = [
    "dct", "dctn", "dst", "dstn", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "idct",
    "idctn", "idst", "idstn", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2",
    "irfftn", "next_fast_len", "prev_fast_len", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

Norm = str | None
_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _check_norm(norm: Norm) -> None:
    if norm not in _SWAPPED:
        raise ValueError(f'Invalid norm value {norm}; should be "backward","ortho" or "forward".')


def _swap(norm: Norm) -> str:
    _check_norm(norm)
    return _SWAPPED[norm]


def _first_axis(x: CutArray) -> int:
    """The first axis that can be transformed."""
    return 0 if x.components is None else 1


def _settle(
    x: CutArray,
    s: Sequence[int | None] | None,
    axes: Sequence[int] | None,
    half: bool = False,
    quiet: bool = False,
) -> tuple[list[int], list[int]]:
    """Extents and axes as NumPy takes them; with ``half`` the last extent is that of the real array."""
    shape = x.shape
    given = None if s is None else [None if one is None else int(one) for one in s]
    if axes is None:
        if given is not None and not quiet:
            warnings.warn(
                "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0).",
                DeprecationWarning,
                stacklevel=5,
            )
        axes = range(_first_axis(x) - x.ndim, 0) if given is None else range(-len(given), 0)
    chosen = [normalize_axis_index(axis, x.ndim) for axis in axes]
    if any(axis < _first_axis(x) for axis in chosen):
        raise ValueError("axis 0 counts the components of a vector field, which are not transformed")
    given = [None] * len(chosen) if given is None else given
    if len(given) != len(chosen):
        raise ValueError("Shape and axes have different lengths.")
    if half and given and given[-1] is None:
        given[-1] = (shape[chosen[-1]] - 1) * 2
    extents = [shape[axis] if one in (None, -1) else one for one, axis in zip(given, chosen, strict=True)]
    for one in extents:
        if one < 1:
            raise ValueError(f"Invalid number of FFT data points ({one}) specified.")
    return extents, chosen


class _Step(NamedTuple):
    """Axes that one plan transforms, with the extents that they have before."""

    kind: str
    forward: bool
    group: list[tuple[int, int]]
    n: int | None = None


def _steps(kind: str, forward: bool, extents: Sequence[int], axes: Sequence[int]) -> list[_Step]:
    """Transforms from the last axis to the first, in groups that name none twice."""
    pairs = list(zip(axes, extents, strict=True))
    if kind == "c2c":
        groups: list[list[tuple[int, int]]] = [[]]
        for axis, extent in reversed(pairs):
            if any(axis == known for known, _ in groups[0]):
                groups.insert(0, [])
            groups[0].insert(0, (axis, extent))
        return [_Step(kind, forward, group) for group in reversed(groups) if group]
    if not axes:
        raise IndexError("a real transform needs one axis at least")
    # One real transform takes all axes if none is named twice.
    rest = 0 if len(set(axes)) == len(axes) else len(axes) - 1
    if kind == "r2c":
        return [_Step(kind, True, pairs[rest:]), *_steps("c2c", True, extents[:rest], axes[:rest])]
    real, last = extents[-1], [*pairs[rest:-1], (axes[-1], extents[-1] // 2 + 1)]
    return [*(_Step("c2c", False, [pair]) for pair in pairs[:rest]), _Step(kind, True, last, real)]


class _Fourier(NamedTuple):
    """One family of functions."""

    kind: str
    forward: bool = True
    mirrored: bool = False  #: between half of Hermitian numbers and real ones: conjugate, in the other direction

    def work(
        self, x: CutArray, extents: list[int], axes: list[int], norm: Norm, options: dict[str, Any], asked: Call
    ) -> CutArray:
        """Transform an array; if one plan does it all, :meth:`Call.again` of ``asked`` finds it next time."""
        real, steps = x.real.dtype, _steps(self.kind, self.forward, extents, axes)
        x = x.conj() if self.mirrored and self.kind == "c2r" else x
        whole = len(steps) == 1 and all(x.shape[axis] == extent for axis, extent in steps[0].group)
        for kind, forward, group, n in steps:
            for axis, extent in group:
                x = resize(x, axis, extent)
            chosen = [axis - _first_axis(x) for axis, _ in group]
            told = _swap(norm) if self.mirrored else norm
            x = transform_array(x, kind, forward, chosen, told, options, n, asked=asked if whole else None)
        return self.finished(x, real, axes)

    def finished(self, x: CutArray, real: np.dtype[Any], axes: Sequence[int | None] | None) -> CutArray:
        """Give the result of the last plan as NumPy would; ``real``: the precision of the input; ``axes``: None: all.

        NumPy transforms all axes but the last one to complex numbers first, of which it has none in half precision.
        """
        if self.kind == "c2r":
            several = (x.layout.ndim if axes is None else len(axes)) > 1
            real = np.result_type(real, 1.0)
            real = np.result_type(real, np.float32) if several else real
            return x if x.dtype == real else x.astype(real)
        return x.conj() if self.mirrored else x

    def call(self, a: Any, comm: Any, layout: Any) -> Call:
        """Ask for this transform of an array over ranks, or of this rank's rows."""
        if isinstance(a, CutArray):
            return call_of(a, self.kind, self.forward)
        return Call(a, mpi.communicator(comm), layout, self.kind, self.forward)


def _run(
    a: Any,
    out: Any,
    comm: Any,
    layout: Any,
    work: Callable[[CutArray], CutArray],
    check: Callable[[CutArray], object],
) -> Any:
    """Run on an array over ranks, or on this rank's rows of one; ``check`` returns the arguments that ranks share."""
    array = a if isinstance(a, CutArray) else from_local(CutArray, a, comm, layout)

    def tell() -> object:
        if array is a and (comm is not None or layout is not None):
            raise TypeError("a DistArray has its own communicator and layout: give neither")
        return check(array)

    if array.comm.size > 1:
        mpi.agree_alike(array.comm, tell, "arguments")
    else:
        tell()
    result = work(array)
    if array is a:
        return result if out is None else _into(out, result)
    return rows_of(result.local, result.layout, layout) if out is None else _into(out, result, rows=True)


def _into(out: Any, result: CutArray, rows: bool = False) -> Any:
    def check() -> None:
        if isinstance(out, CutArray) == rows:
            raise TypeError("out must be of the input's type")
        if tuple(out.shape) != tuple(result.local.shape if rows else result.shape):
            raise ValueError("output array has wrong shape.")
        if not np.can_cast(result.dtype, dtype_of(out.local if isinstance(out, CutArray) else out), "same_kind"):
            raise TypeError(f"out of dtype {out.dtype} cannot take {result.dtype}")

    mpi.agree(result.comm, check)
    if rows:
        out[...] = result.local
    else:
        put(out, ..., redistributed(result, out.layout))
    return out


Function = Callable[..., Any]


def _axes_wise(name: str, says: str, family: _Fourier, default: tuple[int, ...] | None = None) -> Function:
    """Make a function of several axes."""

    def function(
        a: Any,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = default,
        norm: Norm = None,
        out: Any = None,
        *,
        comm: Any = None,
        layout: Any = None,
        **options: Any,
    ) -> Any:
        def check(x: CutArray) -> object:
            _check_norm(norm)
            return name, norm, _settle(x, s, axes, family.kind == "c2r", quiet=True)

        def work(x: CutArray) -> CutArray:
            return family.work(x, *_settle(x, s, axes, family.kind == "c2r"), norm, options, call)

        call, is_whole = family.call(a, comm, layout), isinstance(a, CutArray)
        # All ranks meet, those too that cannot have asked before.
        new = out is not None or family.mirrored or (is_whole and (comm is not None or layout is not None))
        found = call.again(_NEW if new else a.components if is_whole else name, name, s, axes, norm, options)
        if found is None:
            return _run(a, out, comm, layout, work, check)
        chosen = s if axes is None else axes
        if is_whole:
            return family.finished(wrapped(a, *found), a.real.dtype, chosen)
        result = family.finished(CutArray._wrap(*found, call.comm), call.local.array.real.dtype, chosen)
        return rows_of(result.local, result.layout, layout)

    return _named(function, name, says)


def _along_one(name: str, says: str, of_axes: Function) -> Function:
    """Make the function of one axis of one of several."""

    def function(
        a: Any,
        n: int | None = None,
        axis: int = -1,
        norm: Norm = None,
        out: Any = None,
        *,
        comm: Any = None,
        layout: Any = None,
        **options: Any,
    ) -> Any:
        return of_axes(a, None if n is None else (n,), (axis,), norm, out, comm=comm, layout=layout, **options)

    return _named(function, name, says)


def _named(function: Function, name: str, says: str) -> Function:
    function.__module__ = "shardfft.fft"
    return named(function, name, f"{says}. Collective." + as_of_the_whole(name))


_forward, _backward, _r2c, _c2r = _Fourier("c2c"), _Fourier("c2c", False), _Fourier("r2c"), _Fourier("c2r")
_hermitian, _half = _Fourier("c2r", mirrored=True), _Fourier("r2c", mirrored=True)
_TWO = (-2, -1)
_NEW = object()  #: nobody asked so before
fftn = _axes_wise("fftn", "Transform all axes or some, as ``numpy.fft.fftn``", _forward)
ifftn = _axes_wise("ifftn", "Invert :func:`fftn`, as ``numpy.fft.ifftn``", _backward)
rfftn = _axes_wise("rfftn", "Transform real numbers, and halve the last axis, as ``numpy.fft.rfftn``", _r2c)
irfftn = _axes_wise("irfftn", "Invert :func:`rfftn`, as ``numpy.fft.irfftn``", _c2r)
hfftn = _axes_wise("hfftn", "Transform half of Hermitian numbers to real ones, as ``scipy.fft.hfftn``", _hermitian)
ihfftn = _axes_wise("ihfftn", "Invert :func:`hfftn`, as ``scipy.fft.ihfftn``", _half)
fft2 = _axes_wise("fft2", "Transform two axes, as ``numpy.fft.fft2``", _forward, _TWO)
ifft2 = _axes_wise("ifft2", "Invert :func:`fft2`, as ``numpy.fft.ifft2``", _backward, _TWO)
rfft2 = _axes_wise("rfft2", "Transform two axes of real numbers, as ``numpy.fft.rfft2``", _r2c, _TWO)
irfft2 = _axes_wise("irfft2", "Invert :func:`rfft2`, as ``numpy.fft.irfft2``", _c2r, _TWO)
hfft2 = _axes_wise("hfft2", "Transform two axes of Hermitian numbers, as ``scipy.fft.hfft2``", _hermitian, _TWO)
ihfft2 = _axes_wise("ihfft2", "Invert :func:`hfft2`, as ``scipy.fft.ihfft2``", _half, _TWO)
fft = _along_one("fft", "Transform one axis, as ``numpy.fft.fft``", fftn)
ifft = _along_one("ifft", "Invert :func:`fft`, as ``numpy.fft.ifft``", ifftn)
rfft = _along_one("rfft", "Transform one axis of real numbers, as ``numpy.fft.rfft``", rfftn)
irfft = _along_one("irfft", "Invert :func:`rfft`, as ``numpy.fft.irfft``", irfftn)
hfft = _along_one("hfft", "Transform half of Hermitian numbers to real ones, as ``numpy.fft.hfft``", hfftn)
ihfft = _along_one("ihfft", "Invert :func:`hfft`, as ``numpy.fft.ihfft``", ihfftn)


def _shifted(name: str, says: str, steps: Callable[[int], int]) -> Function:
    """Make a function that turns axes by some of their extent."""

    def function(x: Any, axes: int | Sequence[int] | None = None, *, comm: Any = None, layout: Any = None) -> Any:
        def chosen(array: CutArray) -> list[int]:
            given = range(_first_axis(array), array.ndim) if axes is None else np.atleast_1d(axes).tolist()
            return [normalize_axis_index(axis, array.ndim) for axis in given]

        def work(array: CutArray) -> CutArray:
            for axis in chosen(array):
                array = roll(array, axis, steps(array.shape[axis]))
            return array

        return _run(x, None, comm, layout, work, chosen)

    return _named(function, name, says)


_MIDDLE = "Put the frequency 0 in the middle of axes, as ``numpy.fft.fftshift``"
fftshift = _shifted("fftshift", _MIDDLE, lambda extent: extent // 2)
ifftshift = _shifted("ifftshift", "Invert :func:`fftshift`, as ``numpy.fft.ifftshift``", lambda extent: -(extent // 2))


def _cosines_of(name: str) -> Function:
    """Make the n-D transform of a name of SciPy's."""
    family, inverse = name.removeprefix("i")[:3], name.startswith("i")

    def function(
        x: Any,
        type: int = 2,
        s: Sequence[int] | None = None,
        axes: Sequence[int] | None = None,
        norm: Norm = None,
        *,
        orthogonalize: bool | None = None,
        comm: Any = None,
        layout: Any = None,
        **options: Any,
    ) -> Any:
        ortho = norm == "ortho" if orthogonalize is None else orthogonalize

        def settled(array: CutArray) -> tuple[list[int], list[int]]:
            given, chosen = (None if one is None else np.atleast_1d(one).tolist() for one in (s, axes))
            if chosen is None and given is not None:
                chosen = range(-len(given), 0)
            extents, places = _settle(array, given, chosen)
            if len(set(places)) != len(places):
                raise ValueError("all axes must be unique")
            return extents, places

        def check(array: CutArray) -> object:
            _check_norm(norm)
            if type not in (1, 2, 3, 4):
                raise ValueError(f"type must be 1, 2, 3 or 4, not {type!r}")
            return name, type, norm, bool(ortho), settled(array)

        def work(array: CutArray) -> CutArray:
            return cosine(array, family, type, inverse, *settled(array), norm, ortho, options)

        return _run(x, None, comm, layout, work, check)

    kind = "cosine" if family == "dct" else "sine"
    says = f"Invert :func:`{name[1:]}`" if inverse else f"Make the {kind} transform of axes"
    return _named(function, name, f"{says}, as ``scipy.fft.{name}``")


def _cosine_of(name: str, of_axes: Function) -> Function:
    def function(x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None, **words: Any) -> Any:
        return of_axes(x, type, None if n is None else (n,), (axis,), norm, **words)

    says = f"Invert :func:`{name[1:]}`" if name.startswith("i") else "Make the cosine or sine transform of one axis"
    return _named(function, name, f"{says}, as ``scipy.fft.{name}``")


dctn, idctn, dstn, idstn = (_cosines_of(name) for name in ("dctn", "idctn", "dstn", "idstn"))
dct, idct = _cosine_of("dct", dctn), _cosine_of("idct", idctn)
dst, idst = _cosine_of("dst", dstn), _cosine_of("idst", idstn)
