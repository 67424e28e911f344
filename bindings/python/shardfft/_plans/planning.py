"""The function that makes plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .._ground import mpi
from .._ground.arguments import integers
from .._layouts.layout import Layout
from .options import documented
from .plan import Plan
from .problem import Problem, problem

if TYPE_CHECKING:
    from mpi4py import MPI
    from numpy.typing import DTypeLike
    from typing_extensions import Unpack

    from .._ground.words import Kind, LayoutName, OutputName
    from .option_types import PlanOptions


def _over(comm: MPI.Comm, devices: Any, streams: Any, arguments: dict[str, Any], options: Any) -> Plan:
    """Plan for the ranks of a communicator. Collective."""

    def tell() -> Problem:
        if devices is not None:
            raise TypeError("a plan has either a communicator or devices of this process, not both")
        if streams is not None:
            raise TypeError("streams are for plans over devices; give stream to plans over a communicator")
        return problem(comm.size, **arguments, **options)

    told, stream = mpi.agree(comm, tell), options.get("stream")
    return Plan(comm, [], told, None if stream is None else [stream])


@documented
def plan(
    shape: int | Iterable[int],
    kind: Kind = "c2c",
    dtype: DTypeLike = "float64",
    comm: MPI.Comm | None = None,
    *,
    layout: LayoutName | Layout = "slab",
    output: OutputName | Layout = "default",
    axes: Sequence[int] | int | None = None,
    n: int | None = None,
    devices: Iterable[int] | None = None,
    streams: Sequence[Any] | None = None,
    **options: Unpack[PlanOptions],
) -> Plan:
    """Plan a distributed transform. Collective over ``comm``; every rank gives the same arguments.

    :func:`options` and docs/options.md list the plans on which options have an effect, and the options that may differ
    between ranks.

    Args:
        shape: extents of the global input array, 1 to 4 axes: the real array for r2c, the half spectrum for c2r.
        kind: ``c2c``, ``r2c`` (real to half spectrum), ``c2r`` (half spectrum to real), or ``r2r`` if ``transforms``
            makes cosine and sine transforms along all axes.
        dtype: precision: float32 or complex64 for single, float64 or complex128 for double.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``, unless ``devices`` are given.
        layout: of the input: ``slab``, ``pencil``, ``brick``, ``cyclic`` (cut for the ranks of ``comm``) or a
            :class:`Layout`.
        output: layout of the output: ``default`` (that of the last stage, the fastest), ``natural`` (the
            input's cuts), or anything that ``layout`` may be.
        axes: axes to transform; None is all. The last one with a Fourier transform is halved by real transforms.
        n: c2r only: extent of the halved axis in the real array; None is 2 (m - 1), as in ``numpy.fft.irfft``.
        devices: GPUs of this process as the plan's ranks, without MPI: the number of each rank's GPU; a GPU may be
            named more than once. Then ``comm`` must be None, and calls take and give lists of arrays.
        streams: with ``devices`` one stream for each, as option ``stream``; None: the plan's own.
        options: see below.

    Raises:
        TypeError, ValueError: an argument is wrong. ``shardfft.ArgumentError`` is a ValueError.
        shardfft.Error: planning failed; raised on every rank.
        ImportError: mpi4py uses another MPI library than this package.

    Example:
        >>> import shardfft
        >>> with shardfft.plan((12, 10, 8), "r2c", "float32", layout="pencil", norm="ortho") as plan:
        ...     spectrum = plan.forward(plan.input.zeros())
        >>> plan.output.layout.shape, spectrum.dtype.name
        ((12, 10, 5), 'complex64')
    """
    arguments = {"shape": shape, "kind": kind, "dtype": dtype, "layout": layout, "output": output, "axes": axes, "n": n}
    if devices is not None and comm is None:
        numbers = integers(devices, "devices")
        told = problem(len(numbers), **arguments, **{**options, "processor": "gpu"})
        return Plan(None, numbers, told, streams)
    return _over(mpi.communicator(comm), devices, streams, arguments, options)
