"""Transforms over processes with mpi4py-fft's arguments: one plan, or one for each stage beyond four axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._ground import mpi
from ..._plans import options
from ..._plans.plan import Plan
from ..._plans.planning import plan
from ..._plans.problem import points_of
from . import fftw, libfft
from .on_gpu import OnGpu
from .pencil import Pencil, Subcomm, Transfer

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike, NDArray

    from .distarray import DistArray


class Stage(NamedTuple):
    """One stage of mpi4py-fft; up to four axes all stages are one plan."""

    axes: tuple[int, ...]
    backend: str = "shardfft"


class Transform:
    """One direction of a transform by stages, each a transform of this process; call it.

    Args:
        xfftn: one direction of each stage.
        transfer: of the array from one stage to the next.
        pencil: how the array is cut before the first and after the last one.
    """

    def __init__(self, xfftn: Sequence[Any], transfer: Sequence[Any], pencil: Sequence[Pencil]) -> None:
        if len(xfftn) != len(transfer) + 1:
            raise ValueError(f"{len(xfftn)} stages have {len(xfftn) - 1} transfers between them, not {len(transfer)}")
        self._xfftn, self._transfer, self._pencil = tuple(xfftn), tuple(transfer), tuple(pencil)

    @property
    def input_array(self) -> NDArray[Any]:
        """The input of a call without arrays."""
        return self._xfftn[0].input_array

    @property
    def output_array(self) -> NDArray[Any]:
        """The output of a call without arrays."""
        return self._xfftn[-1].output_array

    @property
    def input_pencil(self) -> Pencil:
        """How ``input_array`` is cut."""
        return self._pencil[0]

    @property
    def output_pencil(self) -> Pencil:
        """How ``output_array`` is cut."""
        return self._pencil[1]

    def __call__(self, input_array: Any = None, output_array: Any = None, **words: Any) -> Any:
        """Transform; without arrays from ``self.input_array`` to ``self.output_array``. Collective.

        ``normalize`` divides by the number of points; without it forward does, backward does not.
        """
        whole = self.input_pencil.subcomm.whole
        if whole is None:
            self._take(input_array, output_array)
        else:
            mpi.agree(whole, lambda: self._take(input_array, output_array))
        for stage, move, following in zip(self._xfftn, self._transfer, self._xfftn[1:], strict=False):
            stage(**words)
            move(stage.output_array, following.input_array)
        self._xfftn[-1](**words)
        if output_array is None:
            return self.output_array
        output_array[...] = self.output_array
        return output_array

    def _take(self, input_array: Any, output_array: Any) -> None:
        """Copy the input, if it and the output have the planned shapes."""
        fftw.check_shape(input_array, self.input_array)
        fftw.check_shape(output_array, self.output_array)
        if input_array is not None:
            self.input_array[...] = input_array


class OneWay:
    """One direction of a :class:`PFFT` that is one plan; call it."""

    def __init__(self, owner: PFFT, name: str) -> None:
        self._owner, self._name = owner, name
        ends = (0, 1) if name == "forward" else (1, 0)
        self.input_array, self.output_array = (owner._arrays[end] for end in ends)
        self.input_pencil, self.output_pencil = (owner.pencil[end] for end in ends)

    def __call__(
        self, input_array: Any = None, output_array: Any = None, normalize: bool | None = None, **words: Any
    ) -> Any:
        """Transform; as :class:`Transform`."""
        if words:
            raise TypeError(f"transforms have no option {', '.join(words)}; known: normalize")
        made: Any = self._owner._plan
        made._open()
        source, target = self.input_array, self.output_array
        try:
            fftw.check_shape(input_array, source)
            fftw.check_shape(output_array, target)
            if input_array is not None and fftw.fits(input_array, source):
                source = np.asarray(input_array)
            elif input_array is not None:
                source[...] = input_array
        except Exception as error:
            made._refuse(error)
            raise
        fits = output_array is not None and fftw.fits(output_array, target)
        if fits and not np.may_share_memory(source, output_array):
            target = output_array.view(np.ndarray)
        forward = self._name == "forward"
        getattr(made, self._name)(source, out=target)
        if normalize is not None and bool(normalize) != forward:
            target *= 1 / self._owner._points if normalize else self._owner._points
        if output_array is None:
            return target
        if not np.may_share_memory(target, output_array):
            output_array[...] = target
        return output_array


def _groups(axes: Any, ndim: int) -> list[tuple[int, ...]]:
    """List the groups of axes, of which the last is transformed first."""
    given = [axes] if isinstance(axes, int | np.integer) else list(axes)
    groups = [(one,) if isinstance(one, int | np.integer) else tuple(one) for one in given]
    if any(not -ndim <= axis < ndim for group in groups for axis in group):
        raise ValueError(f"axes {axes} do not exist in an array of {ndim} axes")
    groups = [tuple(int(axis) % ndim for axis in group) for group in groups]
    flat = [axis for group in groups for axis in group]
    if not flat or len(set(flat)) != len(flat) or not all(groups):
        raise ValueError(f"axes must name one axis at least, and none twice: {axes}")
    return groups


def _collapsed(groups: list[tuple[int, ...]], subcomm: Sequence[MPI.Comm]) -> list[tuple[int, ...]]:
    """Join the groups that can be transformed without an exchange between them."""
    joined: list[tuple[int, ...]] = [()]
    for group in reversed(groups):
        if all(subcomm[axis].Get_size() == 1 for axis in group):
            joined[0] = group + joined[0]
        else:
            joined.insert(0, group)
    return [group for group in joined if group]


def _words(groups: list[tuple[int, ...]], transforms: Mapping[Any, Any] | None) -> list[str]:
    """Give shardfft's word for each transformed axis."""
    told = {tuple(np.atleast_1d(axes).tolist()): pair[0] for axes, pair in (transforms or {}).items()}
    return [fftw.word_of(told[group]) if group in told else "fft" for group in groups for _ in group]


class PFFT:
    """A transform over the processes of a communicator. Collective.

    Args:
        comm: a communicator, or a :class:`Subcomm` with an entry for each axis.
        shape: of the whole array that ``forward`` takes; with ``padding`` before it is padded.
        axes: axes to transform, or groups of axes; the last is transformed first, and halved if real. None: all.
        dtype: of inputs of ``forward``: float32, float64, complex64 or complex128.
        grid: processes along each axis, -1 for as many as there are.
        padding: for each axis how many times as many points as modes it has, as 1.5; False for none.
        collapse: whether to join groups of axes without an exchange between them.
        backend: as for :class:`libfft.FFT`; if it calls functions, each group of axes is transformed by itself.
            ``cupy`` transforms arrays on GPUs, of CuPy, PyTorch, JAX or others that know DLPack.
        transforms: for groups of axes a pair of :mod:`.fftw`'s names: ``{(1, 2): (dctn, idctn)}``, or of functions.
        darray: an array whose shape, type and cuts to take.
        slab: the one axis to cut, or True; as ``grid``.
        words: options of :func:`shardfft.plan`, such as ``threads`` and ``exchange``; its ``effort`` is ``estimate``
            here. Further options of mpi4py-fft's planners have no effect.

    Example:
        >>> from mpi4py import MPI
        >>> from shardfft.compat.mpi4py_fft import PFFT
        >>> from shardfft.compat.mpi4py_fft.fftw import dctn, idctn
        >>> fft = PFFT(MPI.COMM_WORLD, (8, 6), axes=((0,), (1,)), transforms={(1,): (dctn, idctn)}, padding=[1.5, 1])
        >>> fft.global_shape(False), fft.global_shape(True), fft.dtype(True).name
        ((12, 6), (5, 6), 'complex128')
        >>> fft.destroy()
    """

    _plan: Plan | None = None

    def __init__(
        self,
        comm: MPI.Comm | Subcomm,
        shape: Sequence[int] | None = None,
        axes: Any = None,
        dtype: DTypeLike = float,
        grid: Sequence[int] | None = None,
        padding: Any = False,
        collapse: bool = False,
        backend: str = "shardfft",
        transforms: Mapping[Any, Any] | None = None,
        darray: DistArray | None = None,
        slab: bool | int | None = None,
        **words: Any,
    ) -> None:
        if shape is None and darray is None:
            raise TypeError("give a shape, or an array to take it from")
        extents = [int(n) for n in (darray.pencil.shape if shape is None else shape)]  # type: ignore[union-attr]
        ndim = len(extents)
        if axes is None:
            axes = range(ndim) if darray is None else np.roll(range(ndim), ndim - 1 - darray.alignment).tolist()
        groups = _groups(axes, ndim)
        kind = np.dtype(dtype if darray is None else darray.dtype)
        if kind.char not in "fdFD":
            raise TypeError(f"PFFT transforms float32, float64, complex64 and complex128, not {kind}")
        modes = list(extents)
        if darray is None and padding is not False:
            factors = [float(one) for one in np.broadcast_to(padding, ndim)]
            for group in groups:
                for axis in group:
                    extents[axis] = max(extents[axis], int(extents[axis] * factors[axis] + 1e-9))
        self.subcomm = darray._p0.subcomm if darray is not None else _subcomm(comm, ndim, groups[-1], grid, slab)
        self.collapse = collapse
        if collapse:
            groups = _collapsed(groups, self.subcomm)
        self.axes = tuple(groups)
        pairs = [libfft.pair_of(transforms, group, backend, kind.kind == "f") for group in groups]
        called = any(pair is not None and fftw.is_called(pair[0], backend, kind.kind == "f") for pair in pairs)
        on_gpu = backend == "cupy" or words.get("processor") == "gpu"
        if on_gpu and (ndim > 4 or called):
            raise TypeError("transforms on GPUs have four axes at most, and no functions of a program")
        if ndim > 4 or called:
            self._by_stages(extents, modes, kind, backend, transforms, words)
            return
        self.xfftn: Any = tuple(Stage(group) for group in reversed(groups))
        known = {option.name for option in options.options()}
        chosen = {"effort": "estimate", **{name: value for name, value in words.items() if name in known}}
        if on_gpu:
            chosen["processor"] = "gpu"
        self._plan, self.pencil = self._planned(extents, modes, kind, _words(groups, transforms), chosen)
        self.transfer: Any = tuple(zip(self.axes[:0:-1], self.axes[-2::-1], strict=True))
        # Of a process without elements a pencil still has a shape.
        ends = zip((self._plan.input, self._plan.output), self.pencil, strict=True)
        self._arrays = [] if on_gpu else [side.zeros().reshape(end.subshape) for side, end in ends]
        one_way = OnGpu if on_gpu else OneWay
        self.forward: Any = one_way(self, "forward")
        self.backward: Any = one_way(self, "backward")

    def _by_stages(
        self,
        extents: list[int],
        modes: list[int],
        kind: np.dtype[Any],
        backend: str,
        transforms: Any,
        words: dict[str, Any],
    ) -> None:
        """Transform each group by itself, with exchanges between: plans have four axes at most, and no functions."""
        pencil = Pencil(self.subcomm, extents, self.axes[-1][-1])
        xfftn: list[libfft.FFT] = []
        transfer: list[Transfer] = []
        pencils = [pencil]
        for group in reversed(self.axes):
            if xfftn:
                following = pencil.pencil(group[-1])
                transfer.append(pencil.transfer(following, kind))
                pencil = following
            if any(pencil.subcomm[axis].Get_size() > 1 for axis in group):
                raise ValueError(
                    f"axes {group} are cut where they are transformed together: give each a group of its own"
                )
            padding = (
                extents[group[-1]] / modes[group[-1]] if any(extents[axis] != modes[axis] for axis in group) else False
            )
            xfftn.append(libfft.FFT(pencil.subshape, group, kind, padding, backend, transforms, **words))
            spectrum, shape = xfftn[-1].forward.output_array, list(pencil.shape)
            for axis in group:
                shape[axis] = spectrum.shape[axis]
            kind, pencil = spectrum.dtype, Pencil(pencil.subcomm, shape, pencil.axis)
        self.xfftn, self.transfer, self.pencil = tuple(xfftn), tuple(transfer), [pencils[0], pencil]
        self.forward = Transform([one.forward for one in xfftn], [one.forward for one in transfer], self.pencil)
        self.backward = Transform(
            [one.backward for one in reversed(xfftn)], [one.backward for one in reversed(transfer)], self.pencil[::-1]
        )

    def _planned(
        self, extents: list[int], modes: list[int], kind: np.dtype[Any], words: list[str], chosen: dict[str, Any]
    ) -> tuple[Plan, list[Pencil]]:
        """Plan between the two pencils that mpi4py-fft ends in."""
        flat = [axis for group in self.axes for axis in group]
        fourier = [axis for axis, word in zip(flat, words, strict=True) if word == "fft"]
        name = "c2c" if kind.kind == "c" else "r2c" if fourier else "r2r"
        spectrum = [modes[axis] if axis in flat else extents[axis] for axis in range(len(extents))]
        if name == "r2c":
            spectrum[fourier[-1]] = spectrum[fourier[-1]] // 2 + 1
        first = last = Pencil(self.subcomm, extents, self.axes[-1][-1])
        for group in reversed(self.axes[:-1]):
            last = last.pencil(group[-1])
        last = Pencil(last.subcomm, spectrum, last.axis)
        source, target = first._layout(), last._layout()
        options = {**chosen, "axes": flat, "transforms": words, "norm": "forward"}
        if any(modes[axis] != extents[axis] for axis in flat):
            options["modes"] = [modes[axis] for axis in flat]
        made = plan(extents, name, kind, first.subcomm.whole, layout=source, output=target, **options)
        self._points = points_of([extents[axis] for axis in flat], words)
        return made, [first, last]

    def destroy(self) -> None:
        """End the plans; again has no effect. Collective."""
        for one in self.xfftn if self._plan is None else [self._plan]:
            getattr(one, "destroy" if self._plan is None else "close", lambda: None)()

    def _end(self, forward_output: bool) -> Pencil:
        """Give how the one or the other end is cut: those who derive from this class order ``pencil`` as they like."""
        return self.forward.output_pencil if forward_output else self.forward.input_pencil

    def shape(self, forward_output: bool = True) -> tuple[int, ...]:
        """Give the shape of this process's block."""
        return self._end(forward_output).subshape

    def local_slice(self, forward_output: bool = True) -> tuple[slice, ...]:
        """Say which part of the whole array this process's block is."""
        return self._end(forward_output)._box()

    def global_shape(self, forward_output: bool = False) -> tuple[int, ...]:
        """Give the shape of the whole array."""
        return self._end(forward_output).shape

    def dtype(self, forward_output: bool = False) -> np.dtype[Any]:
        """Give the type of one element."""
        if self._plan is not None:
            return (self._plan.output if forward_output else self._plan.input).dtype
        return (self.forward.output_array if forward_output else self.forward.input_array).dtype

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.pencil[0].shape)


def _subcomm(comm: Any, ndim: int, last: tuple[int, ...], grid: Sequence[int] | None, slab: Any) -> Subcomm:
    """Choose the processes along each axis; those that are transformed first are not cut."""
    if isinstance(comm, Subcomm):
        if grid is not None or slab not in (None, False):
            raise TypeError("a Subcomm has its grid")
        if len(comm) != ndim or any(comm[axis].Get_size() != 1 for axis in last):
            sizes = [one.Get_size() for one in comm]
            raise ValueError(f"the Subcomm must have an entry for each of {ndim} axes, 1 for {last}, not {sizes}")
        return comm
    if grid is not None:
        dims = [*(max(0, int(n)) for n in grid), *([1] * (ndim - len(grid)))]
    elif slab not in (None, False):
        cut = (last[-1] + 1) % ndim if slab is True else int(slab) % ndim
        dims = [comm.Get_size() if axis == cut else 1 for axis in range(ndim)]
    else:
        dims = [1 if axis in last else 0 for axis in range(ndim)]
    return Subcomm(comm, dims)
