"""Transforms of DTensors: by plans over MPI, or by PyTorch's all-to-all around local transforms."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.distributed as dist

from .. import _core
from .._ground.errors import ArgumentError
from .._ground.mpi import communicator
from .._layouts.layout import Layout
from .linear import Recipe
from .stages import Move, check_norm, chosen_axes, stages
from .torch_alltoall import chunks, moved
from .torch_autograd import mapped, nothing
from .torch_numbers import no_other_names, numbers_of, real_extent

if TYPE_CHECKING:
    from mpi4py import MPI

_LAUNCHERS = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK")
_comms: dict[tuple[int, ...], Any] = {}


def is_dtensor(x: Any) -> bool:
    """Whether ``x`` is a DTensor; does not import them."""
    found = sys.modules.get("torch.distributed.tensor")
    return found is not None and isinstance(x, found.DTensor)


class _Call(NamedTuple):
    """A transform of a DTensor: the properties that all ranks share, and the cuts of its axes."""

    name: str
    shape: tuple[int, ...]
    dims: tuple[int, ...]
    cuts: tuple[int | None, ...]  #: for each dimension of the mesh the axis that it cuts; None: replicas
    dtype: str
    device: str
    norm: str | None
    n: int  #: extent of the halved axis in the real array
    by: str | None

    @property
    def result(self) -> tuple[int, ...]:
        """The shape of the result."""
        extents = list(self.shape)
        if self.name == "rfftn":
            extents[self.dims[-1]] = self.n // 2 + 1
        elif self.name == "irfftn":
            extents[self.dims[-1]] = self.n
        return tuple(extents)

    @property
    def across(self) -> tuple[int, ...]:
        """The dimensions of the mesh that cut axes which are transformed."""
        return tuple(i for i, axis in enumerate(self.cuts) if axis in self.dims)


def _gather(mesh: Any, value: Any) -> list[Any]:
    """The values of all processes of the mesh, in the mesh's order."""
    values = [value]
    for axis in reversed(range(mesh.ndim)):
        got: list[Any] = [None] * mesh.size(axis)
        dist.all_gather_object(got, values, group=mesh.get_group(axis))
        values = [one for part in got for one in part]
    return values


def _mpi_rank(device: str) -> int | None:
    """This process's rank in MPI's world, if plans over MPI can be used; MPI is not started for one process alone."""
    if device != "cpu" and not _core.gpu_support():
        return None
    if "mpi4py.MPI" not in sys.modules and not any(name in os.environ for name in _LAUNCHERS):
        return None
    world = communicator(None)
    return world.rank if world.size == dist.get_world_size() else None


def _communicator(ranks: Sequence[int]) -> MPI.Comm:
    """The communicator of these ranks of the world, in this order. Collective over them at their first call."""
    from mpi4py import MPI

    key = tuple(ranks)
    if key not in _comms:
        world = MPI.COMM_WORLD.Get_group()
        group = world.Incl(list(key))
        _comms[key] = MPI.COMM_WORLD.Create_group(group)
        group.Free()
        world.Free()
    return _comms[key]


def _told(
    name: str,
    x: Any,
    s: Sequence[int] | None,
    dim: Sequence[int] | int | None,
    norm: str | None,
    by: str | None,
    options: dict[str, Any],
) -> _Call:
    """Check the arguments, before anything is sent."""
    from torch.distributed.tensor import Shard

    no_other_names(options)
    if by not in (None, "mpi", "torch"):
        raise ValueError(f"by must be 'mpi', 'torch' or None, not {by!r}")
    check_norm(norm)
    numbers_of(x.to_local().detach(), name == "rfftn", False)
    shape = tuple(x.shape)
    dims = chosen_axes(range(-len(s), 0) if dim is None and s is not None else dim, x.ndim, "dim", "a tensor")
    cuts: list[int | None] = []
    for placement in x.placements:
        if not (type(placement) is Shard or placement.is_replicate()):
            raise ValueError(f"placements must be Shard or Replicate, not {placement}: redistribute() the tensor first")
        axis = placement.dim % x.ndim if type(placement) is Shard else None
        if axis is not None and axis in cuts:
            raise ValueError(f"axis {axis} is cut along two dimensions of the mesh: redistribute() the tensor first")
        cuts.append(axis)
    call = _Call(
        name,
        shape,
        dims,
        tuple(cuts),
        str(x.dtype),
        x.device_mesh.device_type,
        norm,
        real_extent(name, shape, s, dims),
        by,
    )
    wanted = _local_shape(x.device_mesh, call, shape)
    if tuple(x.to_local().shape) != wanted:
        raise ValueError(
            f"the local tensor has the shape {tuple(x.to_local().shape)}; torch.chunk gives {wanted}: make "
            "DTensors with distribute_tensor, or from_local with their shape and stride"
        )
    return call


def _local_shape(mesh: Any, call: _Call, shape: tuple[int, ...]) -> tuple[int, ...]:
    local, place = list(shape), mesh.get_coordinate()
    for i, axis in enumerate(call.cuts):
        if axis is not None:
            low, high = chunks(shape[axis], mesh.size(i))[place[i]]
            local[axis] = high - low
    return tuple(local)


def _agreed(mesh: Any, work: Callable[[], _Call]) -> tuple[_Call, list[int | None]]:
    """The call, the same on all ranks of the mesh, and their ranks in MPI. Errors are raised on all."""
    call, caught, rank = None, None, None
    try:
        call = work()
        rank = None if call.by == "torch" else _mpi_rank(call.device)
    except Exception as error:
        caught = error
    told = _gather(mesh, (None if caught is None else f"{type(caught).__name__}: {caught}", call, rank))
    if caught is not None:
        raise caught
    for number, (text, other, _) in enumerate(told):
        if text is not None:
            raise ArgumentError(f"rank {number} of the mesh failed with {text}")
        if other != call:
            raise ArgumentError(f"the ranks made different calls: rank {number} of the mesh {other}, not {call}")
    return call, [one for _, _, one in told]  # type: ignore[return-value]


def transform(
    name: str,
    x: Any,
    s: Sequence[int] | None,
    dim: Sequence[int] | int | None,
    norm: str | None,
    by: str | None,
    options: dict[str, Any],
) -> Any:
    """Transform a DTensor; the result has its placements. Collective over its mesh."""
    mesh = x.device_mesh
    call, ranks = _agreed(mesh, lambda: _told(name, x, s, dim, norm, by, options))
    local = numbers_of(_Local.apply(x), name == "rfftn", name != "rfftn")
    if None not in ranks and len(call.dims) <= 4:
        local = _by_plan(call, mesh, local, ranks, options)  # type: ignore[arg-type]
    elif call.by == "mpi":
        raise ValueError("not all ranks of the mesh have MPI, or more than 4 axes are transformed: leave out by='mpi'")
    elif options:
        raise TypeError(f"options of plans have no effect on PyTorch's all-to-all: leave out {', '.join(options)}")
    else:
        local = _by_torch(call, mesh, local)
    return _Whole.apply(local.contiguous(), mesh, x.placements, call.result)


class _Whole(torch.autograd.Function):
    """The DTensor of local tensors. If a gradient has other placements, the backward pass is differentiable too."""

    @staticmethod
    def forward(local: torch.Tensor, mesh: Any, placements: Sequence[Any], shape: Sequence[int]) -> Any:
        from torch.distributed.tensor import DTensor

        stride = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        return DTensor.from_local(
            local, mesh, placements, run_check=False, shape=torch.Size(shape), stride=tuple(stride)
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _, ctx.mesh, ctx.placements, _ = inputs

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> tuple[Any, ...]:
        if tuple(gradient.placements) != tuple(ctx.placements):
            gradient = gradient.redistribute(ctx.mesh, ctx.placements)
        return _Local.apply(gradient), None, None, None


class _Local(torch.autograd.Function):
    """The local tensor of a DTensor. PyTorch 2.11's own to_local gives no second derivatives."""

    @staticmethod
    def forward(whole: Any) -> torch.Tensor:
        local = whole.to_local()
        return local.view_as(local)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        (whole,) = inputs
        ctx.of = whole.device_mesh, whole.placements, tuple(whole.shape)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return _Whole.apply(gradient, *ctx.of)


def _layout(mesh: Any, call: _Call, shape: tuple[int, ...], axes: Sequence[int]) -> Layout:
    """How torch.chunk cuts these axes among the processes that transform together."""
    grid = [1] * len(axes)
    boxes: list[list[tuple[int, int]]] = [[]]
    for i in call.across:
        grid[axes.index(call.cuts[i])] = mesh.size(i)
    sizes = [mesh.size(i) for i in call.across]
    boxes = []
    for number in range(math.prod(sizes)):
        box, rest = [(0, shape[axis]) for axis in axes], number
        for i, size in zip(reversed(call.across), reversed(sizes), strict=True):
            axis = call.cuts[i]
            box[axes.index(axis)] = chunks(shape[axis], size)[rest % size]  # type: ignore[arg-type,index]
            rest //= size
        boxes.append(box)
    extents = [shape[axis] for axis in axes]
    made, even = Layout.boxes(extents, boxes), Layout.brick(extents, grid)
    return even if made == even else made


def _by_plan(call: _Call, mesh: Any, x: torch.Tensor, ranks: list[int], options: dict[str, Any]) -> torch.Tensor:
    """Transform the local tensor by a plan over the processes among which transformed axes are cut."""
    axes = sorted(call.dims)
    others = [axis for axis in range(x.ndim) if axis not in axes]
    place = mesh.get_coordinate()
    mine = torch.tensor(ranks).reshape(mesh.shape)
    mine = mine[tuple(slice(None) if i in call.across else place[i] for i in range(mesh.ndim))].flatten()
    kept = [x.shape[axis] for axis in others]
    fields = math.prod(kept)
    result = [*kept, *(_local_shape(mesh, call, call.result)[axis] for axis in axes)]
    back = [[*others, *axes].index(axis) for axis in range(x.ndim)]
    if fields == 0:
        kind = x.dtype.to_real() if call.name == "irfftn" else x.dtype.to_complex()
        return nothing(x, result, kind).permute(back)
    source, target = (_layout(mesh, call, shape, axes) for shape in (call.shape, call.result))
    gpu = {"processor": "gpu", "device": x.device.index} if x.device.type == "cuda" else {"effort": "estimate"}
    recipe = Recipe(
        source.shape,
        {"rfftn": "r2c", "irfftn": "c2r"}.get(call.name, "c2c"),
        "float32" if x.dtype in (torch.float32, torch.complex64) else "float64",
        _communicator(mine.tolist()),
        source,
        output=target,
        axes=[axes.index(axis) for axis in call.dims],
        n=call.n if call.name == "irfftn" else None,
        norm=call.norm,
        **{"batch": fields, **gpu, **options},
    )
    dense = x.permute([*others, *axes]).reshape([fields, *(x.shape[axis] for axis in axes)])
    linear = recipe.maps["backward" if call.name == "ifftn" else "forward"]
    return mapped(dense if fields > 1 else dense[0], linear).reshape(result).permute(back)


def _by_torch(call: _Call, mesh: Any, x: torch.Tensor) -> torch.Tensor:
    """Transform axes while they are whole, and move the cuts between."""
    across, real = call.across, call.dims[-1]
    # Axes that other dimensions of the mesh cut stay as they are.
    still = [axis for i, axis in enumerate(call.cuts) if i not in across and axis is not None]
    cuts: list[Any] = [call.cuts[i] for i in across]
    plan = stages(
        x.ndim,
        cuts,
        call.dims,
        cuts,
        still=still,
        first=real if call.name == "rfftn" else None,
        last=real if call.name == "irfftn" else None,
        cost=lambda i, axis: -(call.shape[axis] % mesh.size(across[i]) == 0),
    )
    extents = list(call.shape)
    for step in plan:
        if isinstance(step, Move):
            group = mesh.get_group(across[step.mesh_axis])
            x = moved(x, group, step.source, step.target, extents[step.source], extents[step.target])
        else:
            x = _transformed(call, x, step.axes)
            extents[real] = call.result[real] if real in step.axes else extents[real]
    return x


def _transformed(call: _Call, x: torch.Tensor, axes: Sequence[int]) -> torch.Tensor:
    real, rest = call.dims[-1], [axis for axis in axes if axis != call.dims[-1]]
    if x.numel() == 0:
        shape = [call.result[axis] if axis == real and axis in axes else extent for axis, extent in enumerate(x.shape)]
        return nothing(x, shape, x.dtype.to_real() if call.name == "irfftn" and real in axes else x.dtype.to_complex())
    if call.name in ("fftn", "ifftn"):
        return getattr(torch.fft, call.name)(x, dim=axes, norm=call.norm)
    if call.name == "rfftn":
        x = torch.fft.rfft(x, dim=real, norm=call.norm) if real in axes else x
        return torch.fft.fftn(x, dim=rest, norm=call.norm) if rest else x
    x = torch.fft.ifftn(x, dim=rest, norm=call.norm) if rest else x
    return torch.fft.irfft(x, n=call.n, dim=real, norm=call.norm) if real in axes else x
