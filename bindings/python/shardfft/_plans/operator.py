"""Operators: factors of ``Plan.apply`` for a spectrum, between a forward transform and a backward one."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from numbers import Number, Real
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from .. import _core
from .._ground.arguments import integer
from .._ground.errors import Error
from .._libraries.array_libraries import numpy_array
from .problem import PRECISIONS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from .._layouts.side import Side


class SpectrumPart(NamedTuple):
    """A rank's part of a spectrum, for a function that changes it: see :meth:`Operator.calling`.

    Attributes:
        array: the spectrum, like the plan's ``output``; a NumPy array, or a :class:`DeviceArray` on a GPU. It is the
            plan's, and must not be used after the function has returned.
        side: the plan's ``output``: which modes these are.
        device: the GPU; None on CPUs.
        stream: the GPU's stream, as a number, on which all work must be enqueued; 0 on CPUs.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> def keep_large(part):
        ...     part.array[np.abs(part.array) < 1] = 0
        >>> with shardfft.plan((12, 10)) as plan:
        ...     denoised = plan.apply(shardfft.Operator.calling(keep_large), plan.input.zeros())
    """

    array: Any
    side: Side
    device: int | None
    stream: int


class Operator:
    """A factor for each mode of a spectrum; made by its methods, and joined by ``+ - * /``, with numbers too.

    ``lengths`` are those of the domain along the axes of the array, an entry an axis; None means 2 pi along axes with a
    Fourier transform and pi along those with a cosine or sine transform. The wavenumber of mode m along an axis of
    length L is 2 pi m / L, with m as ``numpy.fft.fftfreq`` and ``rfftfreq`` order them; of cosine and sine transforms
    it is pi m / L (``Side.wavenumbers``). One operator serves many plans.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> from shardfft import Operator
        >>> with shardfft.plan((12, 10), "r2c") as plan:
        ...     x, y = plan.input.points(2 * np.pi)
        ...     field = np.sin(x) * np.cos(2 * y)
        ...     heated = plan.apply(1 / (1 - 0.1 * Operator.laplacian()), field)
        >>> np.allclose(heated, field / 1.5)
        True
    """

    __array_ufunc__ = None  # numbers of NumPy leave sums and products to the methods below

    def __init__(
        self, make: Callable[[Sequence[Side]], _core.Operator], conjugate: Callable[[], Operator] | None = None
    ) -> None:
        """Take functions that make the library's operator for a plan's spectra, and its conjugate; None: real factors.

        :meth:`array` and the like call this.
        """
        self._make, self._conjugate = make, conjugate
        self._conjugated: Operator | None = None
        self._change: Callable[[SpectrumPart], object] | None = None  # the function that is called
        self._raised: list[BaseException] = []  # by it

    def conj(self) -> Operator:
        """The complex conjugates of the factors, by which gradients go back; not for ``Plan.convolution``."""
        if self._conjugate is None:
            return self
        if self._conjugated is None:
            self._conjugated = self._conjugate()
        return self._conjugated

    @classmethod
    def array(cls, factors: ArrayLike) -> Operator:
        """Factors in an array like this rank's part of the plan's ``output``, or one that broadcasts to a field of it.

        Numbers other than float32, float64, complex64 and complex128 are converted. They are copied when a plan first
        applies the operator. Plans over devices take a list of arrays, one a GPU.
        """
        return cls(
            lambda outputs: _of_arrays(_parts(factors, outputs), outputs),
            lambda: cls.array(_conjugates(factors)),
        )

    @classmethod
    def of_indices(cls, factor: Callable[..., ArrayLike]) -> Operator:
        """Factors ``factor(i, j, ...)`` of the global indices of the modes.

        Each plan calls ``factor`` once on each rank, with an array of indices for each axis of the spectrum; they
        broadcast to a field of the rank's part.
        """
        return cls(
            lambda outputs: _of_arrays(
                [_asked(factor, [output._indices(a) for a in _axes(output)]) for output in outputs], outputs
            ),
            lambda: cls.of_indices(lambda *indices: np.conj(_asked(factor, indices))),
        )

    @classmethod
    def of_wavenumbers(cls, factor: Callable[..., ArrayLike], lengths: Iterable[float] | None = None) -> Operator:
        """Factors ``factor(k, l, ...)`` of the wavenumbers of the modes; else as :meth:`of_indices`.

        ``factor`` gets an array for each axis of the spectrum; it is 0 along axes that are not transformed.
        """
        said = _lengths(lengths)
        return cls(
            lambda outputs: _of_arrays([_asked(factor, _wavenumbers(output, said)) for output in outputs], outputs),
            lambda: cls.of_wavenumbers(lambda *numbers: np.conj(_asked(factor, numbers)), said or None),
        )

    @classmethod
    def calling(cls, change: Callable[[SpectrumPart], object]) -> Operator:
        """No factors, but a function that changes the spectrum in place; each apply calls it for each rank here.

        With any norm, the numbers are those of ``forward`` with ``norm="backward"``. On a GPU it enqueues
        its work on ``part.stream`` and does not wait: with CuPy within ``cupy.cuda.ExternalStream(part.stream)``, with
        PyTorch within ``torch.cuda.stream(torch.cuda.ExternalStream(part.stream))``; such calls are not replayed as
        CUDA graphs. It must not use the plan. Its exception is an error of ``apply`` on all ranks, after which plans
        of their communicator refuse further calls. With the option ``verify`` it is called twice, on two copies of the
        spectrum, which must become the same. It cannot be joined with other operators, and has no gradients.
        """
        if not callable(change):
            raise TypeError(f"change must be a function of a SpectrumPart, not {type(change).__name__}")

        def make(outputs: Sequence[Side]) -> _core.Operator:
            sides = {output.rank: output for output in outputs}

            def call(rank: int, memory: _core.Memory, stream: int) -> str:
                operator = alive()
                assert operator is not None and operator._change is not None  # the one that is applied
                try:
                    operator._change(_part_of(sides[rank], memory, stream))
                except BaseException as error:  # Ctrl-C too must not leave other ranks waiting
                    operator._raised.append(error)
                    return f"{type(error).__name__}: {error}"
                return ""

            return _core.Operator.calling(call)

        made = cls(make, _no_conjugate)
        made._change = change
        # Plans hold the function, and Python's search for cycles does not see this: ``change`` may hold its plan.
        alive = weakref.ref(made)
        return made

    def _run(self, apply: Callable[..., None], *arguments: Any) -> None:
        """Apply; errors have the function's exception as their cause."""
        try:
            apply(*arguments)
        except Error as error:
            raise error from next(iter(self._raised), None)
        finally:
            self._raised.clear()  # frames of the exception hold the plan's arrays

    @classmethod
    def cuda(cls, text: str, lengths: Iterable[float] | None = None) -> Operator:
        """Factors by CUDA source text, for plans on GPUs.

        ``__device__ complex factor(const double* k, const long long* i)`` returns the factor of a mode from its
        wavenumbers and its global indices in the spectrum, one an axis. It may return a double too, and must if
        spectra are real. ``complex`` has parts re and im, arithmetic, ``conj`` and ``exp``. NVRTC compiles the text
        when a plan first applies the operator; a compiler error is an error of ``apply``. It can be joined with other
        operators, but not with arrays and functions of the host.

        Example:
            >>> from shardfft import Operator
            >>> screened = Operator.cuda('''
            ...     __device__ double factor(const double* k, const long long* i) {
            ...       return -1 / (k[0] * k[0] + k[1] * k[1] + 0.25);
            ...     }''')
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str of CUDA source, not {type(text).__name__}")
        said = _lengths(lengths)
        made = _core.Operator.cuda(text, said)
        return cls(lambda *_: made, lambda: cls.cuda(_CONJUGATED % text, said or None))

    @classmethod
    def derivative(cls, axis: int, order: int = 1, lengths: Iterable[float] | None = None) -> Operator:
        """(i k)**order along ``axis``, which counts from 0, or from the last axis if it is negative.

        For odd orders the factor of the mode that stands for both k and -k is 0. Along axes with a cosine or sine
        transform ``order`` must be even.
        """
        numbers = integer(axis, "axis", 32), integer(order, "order", 32)
        made = _core.Operator.derivative(*numbers, _lengths(lengths))
        derived = cls(lambda *_: made, lambda: -derived if numbers[1] % 2 else derived)
        return derived

    @classmethod
    def laplacian(cls, lengths: Iterable[float] | None = None) -> Operator:
        """``-|k|**2`` over the transformed axes."""
        made = _core.Operator.laplacian(_lengths(lengths))
        return cls(lambda *_: made)

    @classmethod
    def inverse_laplacian(cls, lengths: Iterable[float] | None = None) -> Operator:
        """``-1 / |k|**2``, and 0 for the mean: the solution of Poisson's equation whose mean is 0."""
        made = _core.Operator.inverse_laplacian(_lengths(lengths))
        return cls(lambda *_: made)

    @classmethod
    def gaussian(cls, sigma: float, lengths: Iterable[float] | None = None) -> Operator:
        """``exp(-sigma**2 |k|**2 / 2)``: smoothing by a Gaussian of width ``sigma``, in the unit of the lengths."""
        if not isinstance(sigma, Real):
            raise TypeError(f"sigma must be a number, not {sigma!r}")
        made = _core.Operator.gaussian(float(sigma), _lengths(lengths))
        return cls(lambda *_: made)

    def __mul__(self, other: Operator | complex) -> Operator:
        """Both factors, in one pass over the spectrum; a number is the same factor for every mode."""
        return self._join(other, _core.Operator.times)

    __rmul__ = __mul__

    def __add__(self, other: Operator | complex) -> Operator:
        """The sum of the factors: ``laplacian() + 4`` is the operator of Helmholtz's equation."""
        return self._join(other, _core.Operator.plus)

    __radd__ = __add__

    def __sub__(self, other: Operator | complex) -> Operator:
        """The difference of the factors."""
        return self._join(other, _core.Operator.minus)

    def __rsub__(self, other: complex) -> Operator:
        """The difference of the factors."""
        return (-1 * self) + other

    def __neg__(self) -> Operator:
        """The factors with the other sign."""
        return -1 * self

    def __truediv__(self, other: Operator | complex) -> Operator:
        """The quotient of the factors, and 0 if the divisor is 0, as in :meth:`inverse_laplacian`."""
        return self._join(other, _core.Operator.over)

    def __rtruediv__(self, other: complex) -> Operator:
        """The quotient of the factors: ``1 / (1 - dt * laplacian())`` is an implicit step of diffusion."""
        number = _number(other)
        return NotImplemented if number is None else number._join(self, _core.Operator.over)

    def _join(self, other: Operator | complex, join: Callable[..., _core.Operator]) -> Operator:
        """Join the factors of both; NotImplemented, which operators of Python understand, for other objects."""
        second = other if isinstance(other, Operator) else _number(other)
        if second is None:
            return NotImplemented
        return Operator(
            lambda outputs: join(self._make(outputs), second._make(outputs)),
            lambda: self.conj()._join(second.conj(), join),
        )


#: Text that gives the conjugate of another text's factors.
_CONJUGATED = """namespace given {
#line 1 "operator"
%s
}
__device__ auto factor(const double* k, const long long* i) { return conj(given::factor(k, i)); }"""


def _part_of(side: Side, memory: _core.Memory, stream: int) -> SpectrumPart:
    # Work on the part's stream needs no order, and libraries that are told of a stream wait for it on the host.
    array = side._of_memory(memory).transpose(side._places)
    return SpectrumPart(array, side, None if memory.device < 0 else memory.device, stream)


def _number(value: Any) -> Operator | None:
    """The operator of a number, if it is one."""
    if not isinstance(value, Number) or isinstance(value, bool):
        return None
    number = complex(value)  # type: ignore[arg-type]
    made = _core.Operator.constant(number)
    return Operator(lambda *_: made, lambda: _number(number.conjugate()))


def _no_conjugate() -> NoReturn:
    raise NotImplementedError(
        "operators of a called function or of a convolution have no gradients: multiply by the factors or "
        "the kernel's spectrum, with Operator.array"
    )


def _lengths(lengths: Iterable[float] | None) -> list[float]:
    try:
        return [] if lengths is None else [float(length) for length in lengths]
    except (TypeError, ValueError):
        raise TypeError(f"lengths must be a sequence of numbers, one for each axis, not {lengths!r}") from None


def _axes(side: Side) -> range:
    return range(side.layout.ndim)


def _asked(factor: Callable[..., ArrayLike], arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return numpy_array(factor(*arrays))


def _wavenumbers(output: Side, lengths: list[float]) -> list[NDArray[Any]]:
    if lengths and len(lengths) != output.layout.ndim:
        raise ValueError(f"{len(lengths)} lengths of the domain were given for {output.layout.ndim} axes")
    default = [2 * np.pi if axis in output.fourier_axes else np.pi for axis in output.axes]
    wanted = [lengths[axis] for axis in output.axes] if lengths else default
    known = dict(zip(output.axes, output.wavenumbers(wanted, np.float64), strict=True))
    return [known.get(axis, np.zeros_like(output._indices(axis), np.float64)) for axis in _axes(output)]


def _parts(factors: Any, outputs: Sequence[Side]) -> list[NDArray[Any]]:
    """Make arrays for all GPUs of a list of them, or of one that broadcasts to each GPU's part."""
    several = isinstance(factors, list | tuple)
    if several and len(factors) == len(outputs):
        return [numpy_array(one) for one in factors]  # of one GPU's list the entry alone broadcasts as the list would
    if several and len(outputs) > 1:
        raise ValueError(f"the plan has {len(outputs)} GPUs: give one array of factors for each, not {len(factors)}")
    return [numpy_array(factors)] * len(outputs)


def _conjugates(factors: Any) -> Any:
    several = isinstance(factors, list | tuple)
    return [np.conj(numpy_array(one)) for one in factors] if several else np.conj(numpy_array(factors))


def _of_arrays(factors: Sequence[NDArray[Any]], outputs: Sequence[Side]) -> _core.Operator:
    """The library's operator of the factors of each rank here, in the order that the spectra have in memory."""
    kind = np.result_type(*factors)
    if kind.kind not in "biufc":
        raise TypeError(f"an operator's factors must be numbers, not of dtype {kind}")
    if kind not in PRECISIONS:
        kind = np.dtype(np.complex128 if kind.kind == "c" else np.float64)
    if outputs[0].dtype.kind == "f" and kind.kind == "c" and not any(one.imag.any() for one in factors):
        factors, kind = [one.real for one in factors], np.finfo(kind).dtype
    parts = [_dense(one.astype(kind, copy=False), side) for one, side in zip(factors, outputs, strict=True)]
    return _core.Operator.arrays([(part.ctypes.data, part.size) for part in parts], PRECISIONS[kind], kind.kind == "c")


def _dense(factors: NDArray[Any], side: Side) -> NDArray[Any]:
    order = side._order
    if factors.shape != side.shape:
        field = side.shape[1:] if side._batched else side.shape
        try:
            factors = np.broadcast_to(factors, field)
        except ValueError:
            raise ValueError(
                f"an operator's factors of shape {factors.shape} do not broadcast to this rank's spectrum {field}"
            ) from None
        order = tuple(axis - 1 for axis in side._order[1:]) if side._batched else side._order
    return np.ascontiguousarray(factors.transpose(order))
