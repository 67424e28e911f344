"""Transforms of one process, planned with the names and kinds of mpi4py-fft, and arrays in aligned memory.

Each planner gives an :class:`FFT`. The same names go into ``PFFT(transforms=...)``. Half-complex
numbers (``FFTW_R2HC``, ``FFTW_HC2R``, ``FFTW_DHT``) and extended precision are refused. ``flags``, wisdom and time
limits have no effect: plans here do not measure.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._ground.arguments import MAX_AXES
from ..._libraries import gpu_arrays
from ..._plans.plan import Plan
from ..._plans.planning import plan
from ..._plans.problem import points_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

FFTW_FORWARD, FFTW_R2HC, FFTW_BACKWARD, FFTW_HC2R, FFTW_DHT = -1, 0, 1, 1, 2
FFTW_REDFT00, FFTW_REDFT01, FFTW_REDFT10, FFTW_REDFT11 = 3, 4, 5, 6
FFTW_RODFT00, FFTW_RODFT01, FFTW_RODFT10, FFTW_RODFT11 = 7, 8, 9, 10
C2C_FORWARD, C2C_BACKWARD, R2C, C2R = -1, 1, -2, 2
FFTW_MEASURE, FFTW_DESTROY_INPUT, FFTW_UNALIGNED, FFTW_CONSERVE_MEMORY = 0, 1, 2, 4
FFTW_EXHAUSTIVE, FFTW_PRESERVE_INPUT, FFTW_PATIENT, FFTW_ESTIMATE, FFTW_WISDOM_ONLY = 8, 16, 32, 64, 1 << 21
flag_dict = {name: value for name, value in globals().items() if name.startswith("FFTW_")}

dct_type = {1: FFTW_REDFT00, 2: FFTW_REDFT10, 3: FFTW_REDFT01, 4: FFTW_REDFT11}
idct_type = {1: FFTW_REDFT00, 2: FFTW_REDFT01, 3: FFTW_REDFT10, 4: FFTW_REDFT11}
dst_type = {1: FFTW_RODFT00, 2: FFTW_RODFT10, 3: FFTW_RODFT01, 4: FFTW_RODFT11}
idst_type = {1: FFTW_RODFT00, 2: FFTW_RODFT01, 3: FFTW_RODFT10, 4: FFTW_RODFT11}
_WORDS = {kind: f"dct{number}" for number, kind in dct_type.items()} | {
    kind: f"dst{number}" for number, kind in dst_type.items()
}
_FOURIER = ("fftn", "rfftn", "fft", "rfft")
_FAMILIES = {"dctn": "dct", "dstn": "dst", "dct": "dct", "dst": "dst"}


def fits(array: Any, like: NDArray[Any]) -> bool:
    """Say whether a plan that has planned ``like`` can use the array as it is."""
    alike = isinstance(array, np.ndarray) and array.shape == like.shape and array.dtype == like.dtype
    return alike and array.flags.c_contiguous and array.flags.writeable and array.flags.aligned


def check_shape(array: Any, like: NDArray[Any]) -> None:
    """Raise ValueError for an array of another shape, TypeError for one on a GPU; a number fills, None is no array."""
    if gpu_arrays.is_array(array) and gpu_arrays.device_of(array) is not None:
        raise TypeError('this transform runs on CPUs, and the array lies on a GPU: PFFT(..., backend="cupy") takes it')
    if array is not None and np.shape(array) not in ((), like.shape):
        raise ValueError(f"planned for arrays of shape {like.shape}, not {np.shape(array)}")


def _joined(shape: Sequence[int], axes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Take neighbouring axes that are not transformed for one: the extents, and which axes are transformed."""
    extents: list[int] = []
    place: dict[int, int] = {}
    for axis, n in enumerate(shape):
        if axis in axes or axis == 0 or axis - 1 in axes:
            place[axis] = len(extents)
            extents.append(n)
        else:
            extents[-1] *= n
    return extents, [place[axis] for axis in axes]


class FFT:
    """A transform of arrays of this process; call it. Without arrays it goes from ``input_array`` to ``output_array``.

    Args:
        input_array: its shape and type are planned.
        output_array: has those of the result.
        axes: axes to transform; the last one is halved if one side is real.
        kind: ``C2C_FORWARD``, ``C2C_BACKWARD``, ``R2C`` or ``C2R``, or for real numbers on both sides one of
            ``FFTW_REDFT*`` and ``FFTW_RODFT*``, or one for each axis.
        threads: of OpenMP.
        flags: have no effect.
        normalization: the factor of a call with ``normalize=True``.
        modes: for each of ``axes`` how many modes the side of the spectrum has; None: all.

    Example:
        >>> from shardfft.compat.mpi4py_fft import fftw
        >>> a = fftw.aligned(4, dtype="D")
        >>> transform = fftw.fftn(a)
        >>> a[:] = 1, 2, 3, 4
        >>> transform()
        array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
    """

    def __init__(
        self,
        input_array: NDArray[Any],
        output_array: NDArray[Any],
        axes: Sequence[int] = (-1,),
        kind: int | Sequence[int] = FFTW_FORWARD,
        threads: int = 1,
        flags: Any = FFTW_MEASURE,
        normalization: float = 1.0,
        modes: Sequence[int] | None = None,
    ) -> None:
        self._input, self._output, self._normalization = input_array, output_array, normalization
        axes = [int(axis) % input_array.ndim for axis in axes]
        kinds = [int(kind)] * len(axes) if np.ndim(kind) == 0 else [int(one) for one in kind]  # type: ignore[union-attr]
        types = "".join("c" if array.dtype.kind == "c" else "r" for array in (input_array, output_array))
        self._backward = types == "cr" or (types == "cc" and kinds[0] == C2C_BACKWARD)
        name = {"cr": "r2c"}.get(types, f"{types[0]}2{types[1]}")
        if name == "r2r" and not all(one in _WORDS for one in kinds):
            raise TypeError("FFTW_R2HC, FFTW_HC2R and FFTW_DHT are not built; real numbers become cosines or sines")
        words = [_WORDS[one] for one in kinds] if name == "r2r" else ["fft"] * len(axes)
        self._steps: list[tuple[Plan, list[int], list[int]]] = []
        if input_array.size > 0:
            self._plan(name, axes, words, modes, threads)

    def _plan(self, name: str, axes: list[int], words: list[str], modes: Sequence[int] | None, threads: int) -> None:
        """Plan as many axes at once as plans have, the last first, with the shapes that each begins and ends in."""
        from mpi4py import MPI

        whole, spectrum = (self._output, self._input) if self._backward else (self._input, self._output)
        shape, dtype = list(whole.shape), whole.dtype
        while axes:
            count = next(n for n in range(len(axes), 0, -1) if len(_joined(shape, axes[-n:])[0]) <= MAX_AXES)
            extents, places = _joined(shape, axes[-count:])
            after = list(extents)
            for axis, place in zip(axes[-count:], places, strict=True):
                after[place] = shape[axis] = spectrum.shape[axis]
            options: dict[str, Any] = {"effort": "estimate", "threads": threads, "axes": places}
            options |= {"transforms": words[-count:]} | ({} if modes is None else {"modes": list(modes[-count:])})
            # Both directions are left without a factor.
            norm = "forward" if self._backward else "backward"
            made = plan(extents, name, dtype, MPI.COMM_SELF, norm=norm, **options)
            self._steps.append((made, extents, after))
            axes, words, modes = axes[:-count], words[:-count], None if modes is None else modes[:-count]
            name, dtype = name.replace("r2c", "c2c"), spectrum.dtype

    def _run(self, source: NDArray[Any], target: NDArray[Any], _: dict[str, Any]) -> None:
        values = source.view(np.ndarray)
        for made, extents, after in reversed(self._steps) if self._backward else self._steps:
            run, shape = (made.backward, after) if self._backward else (made.forward, extents)
            values = run(np.ascontiguousarray(values).reshape(shape))
        if self._steps:
            target[...] = values.reshape(target.shape)

    @property
    def input_array(self) -> NDArray[Any]:
        """The input of a call without arrays."""
        return self._input

    @property
    def output_array(self) -> NDArray[Any]:
        """The output of a call without arrays."""
        return self._output

    def get_normalization(self) -> float:
        """Give the factor of ``normalize=True``."""
        return self._normalization

    def update_arrays(self, input_array: NDArray[Any], output_array: NDArray[Any]) -> None:
        """Take other arrays, of the same shapes and types."""
        for array, like in ((input_array, self._input), (output_array, self._output)):
            if array.shape != like.shape or array.dtype != like.dtype:
                raise ValueError(f"planned for {like.dtype}{like.shape}, not {array.dtype}{array.shape}")
        self._input, self._output = input_array, output_array

    def print_plan(self) -> None:
        """Print the steps of the plans, with their times."""
        for made, _, _ in self._steps:
            print(made.report())

    def destroy(self) -> None:
        """End the plan; again has no effect."""
        for made, _, _ in self._steps:
            made.close()

    def __call__(
        self,
        input_array: Any = None,
        output_array: Any = None,
        implicit: bool = True,
        normalize: bool = False,
        **words: Any,
    ) -> NDArray[Any]:
        """Transform and give the result; ``implicit=False`` goes by ``self.input_array`` and ``self.output_array``."""
        source, target = self._input, self._output
        check_shape(input_array, source)
        check_shape(output_array, target)
        if input_array is not None:
            if implicit and fits(input_array, source):
                source = input_array
            else:
                source[...] = input_array
        if implicit and output_array is not None and fits(output_array, target):
            target = output_array
        self._run(source, target, words)
        if normalize:
            target *= self._normalization
        if output_array is not None and output_array is not target:
            output_array[...] = target
            return output_array
        return target


get_planned_FFT = FFT  # noqa: N816


def get_normalization(kind: int | Sequence[int], shape: Sequence[int], axes: Sequence[int]) -> float:
    """Give one over the number that a transform and its inverse multiply by.

    Example:
        >>> from shardfft.compat.mpi4py_fft import fftw
        >>> fftw.get_normalization(fftw.FFTW_REDFT10, (4, 6), (1,)) == 1 / 12
        True
    """
    kinds = [kind] * len(axes) if np.ndim(kind) == 0 else list(kind)  # type: ignore[arg-type]
    return 1 / points_of([shape[axis] for axis in axes], [_WORDS.get(int(one), "fft") for one in kinds])


def _planner(name: str, says: str, kinds: int | dict[int, int]) -> Callable[..., FFT]:
    """Make a planner of the name; ``kinds``: the kind, or that of each type of a transform of real numbers."""

    def planned(
        input_array: NDArray[Any], s: Any, axes: Sequence[int], kind: int, threads: int, flags: Any, output_array: Any
    ) -> FFT:
        shape, dtype = list(input_array.shape), input_array.dtype
        if dtype.char not in ("FD" if kind in (C2C_FORWARD, C2C_BACKWARD, C2R) else "fd"):
            raise TypeError(f"{name} does not take numbers of type {dtype}")
        if kind == R2C:
            dtype, shape[axes[-1]] = np.dtype(dtype.char.upper()), shape[axes[-1]] // 2 + 1
        elif kind == C2R:
            dtype, shape[axes[-1]] = np.dtype(dtype.char.lower()), 2 * shape[axes[-1]] - 2
            for n, axis in zip([] if s is None else s, axes, strict=s is not None):
                shape[axis] = int(n)
        if output_array is None:
            output_array = aligned(shape, dtype=dtype)
        if output_array.shape != tuple(shape) or output_array.dtype != dtype:
            raise ValueError(
                f"{name} needs an output of {dtype}{tuple(shape)}, not {output_array.dtype}{output_array.shape}"
            )
        whole = shape if kind == C2R else input_array.shape
        return FFT(input_array, output_array, axes, kind, threads, flags, get_normalization(kind, whole, axes))

    if isinstance(kinds, int):

        def transform(
            input_array: NDArray[Any],
            s: Any = None,
            axes: Sequence[int] = (-1,),
            threads: int = 1,
            flags: Any = (FFTW_MEASURE,),
            output_array: Any = None,
        ) -> FFT:
            return planned(input_array, s, axes, kinds, threads, flags, output_array)

    else:

        def transform(  # type: ignore[misc]
            input_array: NDArray[Any],
            s: Any = None,
            axes: Sequence[int] = (-1,),
            type: int = 2,
            threads: int = 1,
            flags: Any = (FFTW_MEASURE,),
            output_array: Any = None,
        ) -> FFT:
            if type not in kinds:
                raise ValueError(f"{name} knows the types 1 to 4, not {type}")
            return planned(input_array, s, axes, kinds[type], threads, flags, output_array)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"Plan {says} along ``axes`` of an array; see :class:`FFT`."
    return transform


fftn = _planner("fftn", "a complex transform", C2C_FORWARD)
ifftn = _planner("ifftn", "an inverse complex transform", C2C_BACKWARD)
rfftn = _planner("rfftn", "a transform of real numbers", R2C)
irfftn = _planner("irfftn", "a transform to real numbers", C2R)
hfftn = _planner("hfftn", "a transform to real numbers, as irfftn,", C2R)
ihfftn = _planner("ihfftn", "a transform of real numbers, as rfftn,", R2C)
dctn = _planner("dctn", "a cosine transform", dct_type)
idctn = _planner("idctn", "an inverse cosine transform", idct_type)
dstn = _planner("dstn", "a sine transform", dst_type)
idstn = _planner("idstn", "an inverse sine transform", idst_type)

inverse: dict[Any, Any] = {C2C_FORWARD: C2C_BACKWARD, C2C_BACKWARD: C2C_FORWARD, R2C: C2R, C2R: R2C}
inverse |= {dct_type[n]: idct_type[n] for n in dct_type} | {dst_type[n]: idst_type[n] for n in dst_type}
for _one, _other in ((fftn, ifftn), (rfftn, irfftn), (hfftn, ihfftn), (dctn, idctn), (dstn, idstn)):
    inverse |= {_one: _other, _other: _one}


def _named(transform: Any) -> tuple[str, dict[str, Any]]:
    """Give the name of an entry of ``transforms``, and the words that a partial function has for it."""
    words: dict[str, Any] = {}
    while isinstance(transform, functools.partial):
        words = {**transform.keywords, **words}
        transform = transform.func
    return getattr(transform, "__name__", ""), words


def is_called(transform: Any, backend: str, real: bool) -> bool:
    """Say whether mpi4py-fft would call an entry of ``transforms`` and no planner has a result like its own.

    ``real``: whether it is given real numbers. NumPy's and SciPy's functions are planned by their names.
    """
    if backend not in ("numpy", "scipy", "mkl_fft"):
        return False
    while isinstance(transform, functools.partial):
        transform = transform.func
    home = str(getattr(transform, "__module__", "")).partition(".")[0]
    return home not in ("numpy", "scipy", "mkl_fft", "pyfftw", "mpi4py_fft", "shardfft") or (
        real and getattr(transform, "__name__", "") in ("fft", "fftn")
    )


def word_of(transform: Any) -> str:
    """Give shardfft's word for the forward transform of an entry of ``transforms``."""
    name, words = _named(transform)
    if name in _FOURIER:
        return "fft"
    if name not in _FAMILIES or words.get("type", 2) not in (1, 2, 3, 4):
        raise TypeError(f"PFFT knows fftn, rfftn, and dctn and dstn of type 1 to 4, not {transform!r} {words or ''}")
    return f"{_FAMILIES[name]}{words.get('type', 2)}"


def planner_of(transform: Any) -> Callable[..., FFT]:
    """Give the planner of the same name, of an entry of ``transforms`` that may be NumPy's or SciPy's function."""
    name, words = _named(transform)
    planner = globals().get(name if name.endswith("n") else name + "n")
    if planner not in inverse:
        raise TypeError(f"no planner has the name of {transform!r}")
    return functools.partial(planner, **{word: words[word] for word in ("type",) if word in words})


def get_fftw_lib(dtype: DTypeLike) -> object | None:
    """Say whether numbers of a type can be transformed: None if they cannot."""
    return np.dtype(dtype) if np.dtype(dtype).char in "fdFD" else None


fftlib = {kind: np.dtype(kind) for kind in "FD"}  #: precisions that can be transformed


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing: plans here do not measure, and nothing is kept but by plans."""


export_wisdom = import_wisdom = forget_wisdom = set_timelimit = cleanup = _nothing


def get_alignment(array: NDArray[Any]) -> int:
    """Give the largest power of two up to 32 that divides the address of an array."""
    return min(32, array.ctypes.data & -array.ctypes.data or 32)


def aligned(
    shape: int | Sequence[int], n: int = 32, dtype: DTypeLike = None, fill: float | None = None
) -> NDArray[Any]:
    """Make an array whose memory begins at a multiple of ``n`` bytes."""
    kind = np.dtype(float if dtype is None else dtype)
    nbytes = int(np.prod(shape)) * kind.itemsize
    memory = np.empty(nbytes + n, np.uint8)
    array = memory[-memory.ctypes.data % n :][:nbytes].view(kind).reshape(shape)
    if fill is not None:
        array.fill(fill)
    return array


def aligned_like(z: NDArray[Any], fill: float | None = None) -> NDArray[Any]:
    """Make one of the shape and type of another."""
    return aligned(z.shape, 32, z.dtype, fill)
