"""Plans whose ranks are the GPUs of one process; without MPI."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _layout, _streams
from ._call import Call, Place
from ._handle import Handle
from ._layout import Layout
from ._problem import Problem, problem
from ._side import Side

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from ._words import Kind, LayoutName, Memory, Norm, OutputName


class GroupPlan(Handle):
    """A transform over several GPUs of this process; made by :func:`group_plan`.

    Arrays come and go as lists, one a GPU: rank r of the layouts is the GPU ``devices[r]``. A plan must not run on two
    threads at once.

    Attributes:
        devices: the number of each rank's GPU.
        input, output: for each rank, the :class:`Side` that ``forward`` reads, and the one that it writes.
    """

    def __init__(self, devices: list[int], problem: Problem, streams: Sequence[Any] | None) -> None:
        self.devices = devices
        self._core = _core.GroupPlan(
            devices,
            problem.transform,
            problem.input._core,
            None if problem.output is None else problem.output._core,
            problem.natural,
            problem.options,
        )
        precision, ranks = problem.transform.precision, range(len(devices))
        self.input = [Side(self._core.input(rank), precision) for rank in ranks]
        self.output = [Side(self._core.output(rank), precision) for rank in ranks]
        self._memory = problem.options.get("memory")
        self.set_streams(streams)

    def set_streams(self, streams: Sequence[Any] | None) -> None:
        """Enqueue calls on these streams from now on, one a GPU, and do not wait; None: on the plan's own, and wait."""
        handles = [] if streams is None else [_streams.pointer(stream) for stream in streams]
        if 0 in handles:
            raise TypeError("give a stream for every GPU, or None instead of the list")
        self._open().set_streams(handles)
        self._user_streams = streams  # must live as long as they are used
        self._places = [
            Place(device, self._core.stream(rank), self._memory, bool(handles))
            for rank, device in enumerate(self.devices)
        ]

    @property
    def workspace_bytes(self) -> int:
        """Bytes of scratch memory on the GPU that needs most; allocated at the first run."""
        return self._core.workspace_bytes

    def forward(self, xs: Sequence[Any], out: Sequence[Any] | None = None) -> list[Any]:
        """Transform ``xs`` (like ``input``) and give the results (like ``output``), one array a GPU.

        Everything else is as in :meth:`Plan.forward`.
        """
        return self._run(True, xs, out)

    def backward(self, xs: Sequence[Any], out: Sequence[Any] | None = None) -> list[Any]:
        """Transform ``xs`` (like ``output``) back and give the results (like ``input``), one array a GPU."""
        return self._run(False, xs, out)

    def _run(self, forward: bool, xs: Sequence[Any], out: Sequence[Any] | None) -> list[Any]:
        core, ranks = self._open(), range(len(self.devices))
        outs = [None] * len(self.devices) if out is None else out
        if len(xs) != len(ranks) or len(outs) != len(ranks):
            raise ValueError(f"the plan has {len(ranks)} GPUs: give so many arrays, not {len(xs)} and {len(outs)}")
        sources, targets = (self.input, self.output) if forward else (self.output, self.input)
        allocate = core.allocate_output if forward else core.allocate_input
        calls = []
        for rank in ranks:
            try:
                arrays = xs[rank], outs[rank], sources[rank], targets[rank]
                calls.append(Call(self._places[rank], *arrays, lambda rank=rank: allocate(rank)))
            except (TypeError, ValueError) as error:
                raise type(error)(f"rank {rank}: {error}") from error
        core.run(forward, [call.source for call in calls], [call.destination for call in calls])
        return [call.finish() for call in calls]

    def allocate_input(self) -> list[Any]:
        """Make input arrays, one a GPU, as :meth:`Plan.allocate_input` does; not initialised."""
        return [self._show(side, self._open().allocate_input(side.rank)) for side in self.input]

    def allocate_output(self) -> list[Any]:
        """Make output arrays, one a GPU, as :meth:`Plan.allocate_input` does; not initialised."""
        return [self._show(side, self._open().allocate_output(side.rank)) for side in self.output]

    def synchronize(self) -> None:
        """Wait until the results of all calls are there; plans with streams of the user's do not wait themselves."""
        self._open()
        for place in self._places:
            place.synchronize()

    def __repr__(self) -> str:
        if self._core.closed:
            return "<shardfft.GroupPlan, closed>"
        return f"<shardfft.GroupPlan on GPUs {self.devices}: {self.input[0].layout!r} -> {self.output[0].layout!r}>"


def group_plan(
    devices: Iterable[int],
    shape: int | Iterable[int],
    kind: Kind = "c2c",
    dtype: DTypeLike = "float64",
    *,
    layout: LayoutName | Layout = "slab",
    output: OutputName | Layout = "default",
    axes: Sequence[int] | int | None = None,
    n: int | None = None,
    norm: Norm | None = "backward",
    batch: int = 1,
    algorithm: str = "auto",
    exchange: str = "auto",
    chunks: int = 0,
    grid: Sequence[int] | None = None,
    memory: Memory = "auto",
    streams: Sequence[Any] | None = None,
) -> GroupPlan:
    """Plan a transform over several GPUs of this process. Needs no MPI.

    Args:
        devices: the number of each rank's GPU; one may come more than once.
        shape, kind, dtype, layout, output, axes, n, norm, batch, algorithm, exchange, chunks, grid, memory: as in
            :func:`plan`; the layouts have a rank for each of ``devices``.
        streams: one for each of ``devices``, as ``stream`` of :func:`plan`; None: the plan's own.

    Raises:
        TypeError, ValueError: an argument is wrong. ``shardfft.ArgumentError`` is a ValueError.
        shardfft.Error: planning failed; of status ``unsupported`` in builds without GPU support.
    """
    numbers = _layout._integers(devices, "devices")
    return GroupPlan(
        numbers,
        problem(
            len(numbers),
            shape,
            kind,
            dtype,
            layout=layout,
            output=output,
            axes=axes,
            n=n,
            norm=norm,
            batch=batch,
            algorithm=algorithm,
            exchange=exchange,
            chunks=chunks,
            grid=grid,
            processor="gpu",
            memory=memory,
        ),
        streams,
    )
