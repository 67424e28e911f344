"""Transforms of sharded JAX arrays: local ones along whole axes, and all-to-alls between, by ``shard_map``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from .stages import Move, Transform, stages

Cuts = tuple[Any, ...]  #: for each axis None, or the mesh axes that cut it: a name or a tuple of names


class Cut(NamedTuple):
    """An axis that is cut along mesh axes."""

    axis: int
    name: Any
    pieces: int


def _place(x: Any, mesh: Any, spec: Any) -> tuple[Any, PartitionSpec]:
    """The mesh and the spec, by default the array's."""
    sharding = getattr(jax.typeof(x) if isinstance(x, jax.core.Tracer) else x, "sharding", None)
    if mesh is None:
        known = jax.sharding.get_abstract_mesh()
        mesh = known if known.axis_names else getattr(sharding, "mesh", None)
    if spec is None and any(one is not None for one in getattr(sharding, "spec", None) or ()):
        spec = sharding.spec
    if mesh is None or not mesh.axis_names:
        raise ValueError("mesh is not known here: give mesh=, a jax.sharding.Mesh")
    if spec is None:
        raise ValueError("spec is not known here: give spec=, a jax.sharding.PartitionSpec, such as P('x')")
    return mesh, spec


def cuts_of(mesh: Any, spec: Any, ndim: int, name: str = "spec") -> list[Cut]:
    """The axes that a spec cuts. Raises TypeError or ValueError if it does not fit the mesh and the array."""
    if isinstance(spec, str) or not isinstance(spec, tuple | list | PartitionSpec):
        raise TypeError(f"{name} must be a jax.sharding.PartitionSpec, not {spec!r}")
    if len(spec) > ndim:
        raise ValueError(f"{name} {spec} has more entries than the array has axes, {ndim}")
    found, seen = [], set()
    for axis, entry in enumerate(spec):
        for one in () if entry is None else entry if isinstance(entry, tuple) else (entry,):
            if one not in mesh.axis_names:
                raise ValueError(f"{name} names {one!r}, which is no axis of the mesh: it has {mesh.axis_names}")
            if one in seen:
                raise ValueError(f"{name} names mesh axis {one!r} twice")
            seen.add(one)
        if entry:
            names = entry if isinstance(entry, tuple) else (entry,)
            found.append(Cut(axis, entry, math.prod(mesh.shape[one] for one in names)))
    return found


def _up(extent: int, pieces: int) -> int:
    return -(-extent // pieces) * pieces


def padded(shape: Sequence[int], cuts: Sequence[Cut]) -> tuple[int, ...]:
    """The shape with each axis that is cut rounded up to equal pieces."""
    extents = list(shape)
    for cut in cuts:
        extents[cut.axis] = _up(extents[cut.axis], cut.pieces)
    return tuple(extents)


def _refuse_uneven(shape: Sequence[int], cuts: Sequence[Cut], what: str, cure: str) -> None:
    for axis, name, pieces in cuts:
        if shape[axis] % pieces:
            fits = [other for other, extent in enumerate(shape) if extent % pieces == 0 and other != axis]
            advice = f"cut along axis {' or '.join(map(str, fits))}, or " if fits else ""
            raise ValueError(
                f"JAX cannot cut axis {axis} of {what}, of extent {shape[axis]}, evenly over the {pieces} devices of "
                f"mesh axis {name!r}: {advice}{cure}"
            )


class Problem(NamedTuple):
    """A transform, with all that must be known to trace it."""

    kind: str  #: ``fftn``, ``ifftn``, ``rfftn`` or ``irfftn``
    shape: tuple[int, ...]  #: true extents of the input
    result: tuple[int, ...]  #: and of the result
    axes: tuple[int, ...]
    norm: str | None


def _final(problem: Problem, cuts: list[Cut], told: bool, mesh: Any, out_spec: Any) -> list[Cut]:
    """The cut of the result: the user's, the input's, or along an axis that divides."""
    if out_spec is not None:
        final = cuts_of(mesh, out_spec, len(problem.shape), "out_spec")
        wanted = sorted((cut.name for cut in final), key=str)
        if wanted != sorted((cut.name for cut in cuts), key=str):
            raise ValueError(f"out_spec {out_spec} must cut along the mesh axes of spec, each entry as it is there")
        final = [next(cut for cut in final if cut.name == one.name) for one in cuts]
    else:
        final = list(cuts)
        taken = {cut.axis for cut in cuts}
        for number, (axis, name, pieces) in enumerate(cuts):
            if not told and problem.result[axis] % pieces:
                fits = (a for a, extent in enumerate(problem.result) if a not in taken and extent % pieces == 0)
                other = next(fits, axis)
                taken = taken - {axis} | {other}
                final[number] = Cut(other, name, pieces)
    if not told:
        _refuse_uneven(problem.result, final, "the result", "pad the input and give its true extents as shape=")
    return final


def transform(
    problem: Problem, x: Any, mesh: Any, spec: Any, told: bool, out_spec: Any
) -> tuple[jax.Array, PartitionSpec]:
    """Transform an array; ``told``: it is padded, and so is the result. Gives the result and its spec."""
    if _is_whole(x, mesh, spec) and tuple(x.shape) == problem.shape:
        return _transformed(problem, x, Transform(problem.axes)), PartitionSpec()
    mesh, spec = _place(x, mesh, spec)
    cuts = cuts_of(mesh, spec, x.ndim)
    if not told:
        extents = padded(problem.shape, cuts)
        _refuse_uneven(x.shape, cuts, "the array", f"pad it to {extents} and give shape={tuple(x.shape)}")
    elif tuple(x.shape) != padded(problem.shape, cuts):
        raise ValueError(
            f"an array of true shape {problem.shape} must be padded to {padded(problem.shape, cuts)} for {spec}, not "
            f"to {tuple(x.shape)}"
        )
    final = _final(problem, cuts, told, mesh, out_spec)
    real = problem.axes[-1]
    moving = [i for i, cut in enumerate(cuts) if cut.axis in problem.axes or final[i].axis != cut.axis]
    plan = stages(
        x.ndim,
        [cuts[i].axis for i in moving],
        problem.axes,
        [final[i].axis for i in moving],
        still=[cut.axis for i, cut in enumerate(cuts) if i not in moving],
        first=real if problem.kind == "rfftn" else None,
        last=real if problem.kind == "irfftn" else None,
        cost=lambda i, axis: problem.result[axis] % cuts[moving[i]].pieces,
    )

    def local(block: jax.Array) -> jax.Array:
        extents = list(problem.shape)
        for cut in (cuts[i] for i in range(len(cuts)) if i not in moving):
            block = _without_padding(block, cut, extents[cut.axis])
        for step in plan:
            if isinstance(step, Move):
                block = _moved(block, cuts[moving[step.mesh_axis]], step.source, step.target, extents)
            else:
                block = _transformed(problem, block, step)
                extents[real] = problem.result[real] if real in step.axes else extents[real]
        return block

    entries: list[Any] = [None] * x.ndim
    for cut in final:
        entries[cut.axis] = cut.name
    out = PartitionSpec(*entries)
    return jax.shard_map(local, mesh=mesh, in_specs=PartitionSpec(*spec), out_specs=out)(x), out


def _moved(block: jax.Array, cut: Cut, source: int, target: int, extents: Sequence[int]) -> jax.Array:
    """Cut axis ``target``, padded, instead of ``source``, whose padding goes."""
    short = _up(extents[target], cut.pieces) - extents[target]
    if short:
        block = jnp.pad(block, [(0, short if axis == target else 0) for axis in range(block.ndim)])
    block = jax.lax.all_to_all(block, cut.name, split_axis=target, concat_axis=source, tiled=True)
    return jax.lax.slice_in_dim(block, 0, extents[source], axis=source)


def _without_padding(block: jax.Array, cut: Cut, extent: int) -> jax.Array:
    """Write zeros behind the extent of an axis that is cut."""
    if extent % cut.pieces == 0:
        return block
    shape = [-1 if axis == cut.axis else 1 for axis in range(block.ndim)]
    index = jax.lax.axis_index(cut.name) * block.shape[cut.axis] + jnp.arange(block.shape[cut.axis])
    return jnp.where((index < extent).reshape(shape), block, 0)


def _transformed(problem: Problem, block: jax.Array, step: Transform) -> jax.Array:
    """Transform whole axes of a block."""
    real, norm = problem.axes[-1], problem.norm
    halved = problem.kind in ("rfftn", "irfftn") and real in step.axes
    axes = [axis for axis in step.axes if axis != real or not halved]
    last = [*axes[max(0, len(axes) - 2) :], real] if halved else []  # jnp.fft takes three axes at most at once
    axes = axes[: max(0, len(axes) - 2)] if halved else axes
    if problem.kind == "rfftn" and halved:
        block = jnp.fft.rfftn(block, axes=last, norm=norm)
    complex_kind = jnp.fft.fftn if problem.kind in ("fftn", "rfftn") else jnp.fft.ifftn
    for first in range(0, len(axes), 3):
        block = complex_kind(block, axes=axes[first : first + 3], norm=norm)
    if problem.kind == "irfftn" and halved:
        block = jnp.fft.irfftn(block, s=[problem.result[axis] for axis in last], axes=last, norm=norm)
    return block


def _is_whole(x: Any, mesh: Any, spec: Any) -> bool:
    """Whether all of an array is known to be on one device, and nobody names a mesh."""
    if mesh is not None or spec is not None or jax.sharding.get_abstract_mesh().axis_names:
        return False
    if isinstance(x, jax.core.Tracer):
        return jax.device_count() == 1
    return len(x.sharding.device_set) == 1
