"""Transforms of sharded JAX arrays, and of plans, under ``jit``, ``grad``, ``jvp`` and ``vmap``.

``fftn``, ``ifftn``, ``rfftn`` and ``irfftn`` take arrays that are cut over the devices of a mesh and give such arrays,
by ``shard_map``: local transforms, and all-to-alls between; nothing is gathered, and MPI is not needed. ``forward``,
``backward`` and ``apply`` run plans over MPI on this rank's part: cosine transforms, kept modes, operators;
``deposit`` and ``interpolate`` are those of a :class:`shardfft.ParticleMesh`, ``solve`` is that of a
:func:`shardfft.poisson`.

JAX cuts axes in equal pieces only. If an axis of the result does not divide, as the n/2 + 1 modes of a halved one,
the result is cut along the first axis that does (:func:`spec_of` returns its spec), or pass ``out_spec``. An array
whose axes do not divide is padded at their ends (:func:`padded_shape`), and ``shape`` has its true extents. The padding
is ignored, and is zero in the result, which is padded likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

try:
    import jax
except ImportError as error:
    raise ImportError("shardfft.jax needs JAX, which is not installed: pip install jax") from error
import jax.numpy as jnp

from ._frameworks import jax_plans, jax_sharding, linear
from ._frameworks.jax_particles import deposit, interpolate
from ._frameworks.stages import check_norm, chosen_axes
from ._ground.naming import named

if TYPE_CHECKING:
    from ._ground.words import Norm
    from ._plans.operator import Operator
    from ._plans.plan import Plan
    from ._plans.poisson import Poisson

__all__ = [
    "apply", "backward", "deposit", "fftn", "forward", "ifftn", "interpolate", "irfftn", "padded_shape", "rfftn",
    "solve", "spec_of",
]  # fmt: skip


def _problem(
    kind: str, x: Any, axes: Sequence[int] | int | None, norm: str | None, shape: Sequence[int] | None, n: int | None
) -> tuple[jax_sharding.Problem, jax.Array]:
    """Check arguments that do not depend on the mesh."""
    if not isinstance(x, jax.Array):
        raise TypeError(f"x must be a jax.Array, not {type(x).__name__}")
    check_norm(norm)
    if kind == "rfftn" and jnp.iscomplexobj(x):
        raise TypeError(f"rfftn needs real numbers, not {x.dtype}")
    if x.dtype.itemsize < 4 and jnp.issubdtype(x.dtype, jnp.floating):
        raise TypeError(f"arrays of {x.dtype} cannot be transformed: give float32/64 or complex64/128")
    if not jnp.iscomplexobj(x):
        spectral = jax.eval_shape(jnp.fft.fft, jax.ShapeDtypeStruct((1,), x.dtype)).dtype  # as JAX takes integers
        x = x.astype(jnp.finfo(spectral).dtype if kind == "rfftn" else spectral)
    extents = tuple(x.shape) if shape is None else tuple(int(one) for one in shape)
    if len(extents) != x.ndim:
        raise ValueError(f"shape must have {x.ndim} extents, as the array has axes, not {extents}")
    chosen = chosen_axes(axes, x.ndim, "axes", "an array")
    result, last = list(extents), chosen[-1]
    if kind == "rfftn":
        result[last] = extents[last] // 2 + 1
    elif kind == "irfftn":
        result[last] = 2 * (extents[last] - 1) if n is None else int(n)
        if result[last] < 1 or result[last] // 2 + 1 != extents[last]:
            modes = result[last] // 2 + 1
            raise ValueError(f"an array of {result[last]} real numbers along the last axis has {modes} modes, not "
                             f"{extents[last]}")  # fmt: skip
    return jax_sharding.Problem(kind, extents, tuple(result), chosen, norm), x


def _transform(kind: str, x: Any, mesh: Any, spec: Any, axes: Any, norm: Any, shape: Any, out_spec: Any, n: Any) -> Any:
    problem, x = _problem(kind, x, axes, norm, shape, n)
    return jax_sharding.transform(problem, x, mesh, spec, shape is not None, out_spec)[0]


# It says no type of what it gives, so that type checkers find it themselves.
def _of_axes(kind: str, says: str):  # type: ignore[no-untyped-def]
    def function(
        x: jax.Array, mesh: Any = None, spec: Any = None, axes: Sequence[int] | int | None = None,
        norm: Norm | None = None, *, shape: Sequence[int] | None = None, out_spec: Any = None,
    ) -> jax.Array:  # fmt: skip
        return _transform(kind, x, mesh, spec, axes, norm, shape, out_spec, None)

    return named(function, kind, says)


fftn = _of_axes(
    "fftn",
    """Transform a sharded array, as ``jnp.fft.fftn``; any number of axes.

    Args:
        x: the array, of any dtype that JAX transforms.
        mesh: a ``jax.sharding.Mesh``; None: that of ``jax.set_mesh``, or of the array. An array that is whole on one
            device needs none; under ``jit`` that is known if JAX has one device.
        spec: the cuts of the array, a ``PartitionSpec``; None: the array's, if it has them.
        axes: axes to transform; None is all. The others may be cut too.
        norm: ``backward`` (None), ``ortho`` or ``forward``.
        shape: the true extents of an array that is padded to :func:`padded_shape`.
        out_spec: how the result is to be cut; None: as the array, or see :func:`spec_of`. It may save an exchange.

    Raises TypeError or ValueError, while JAX traces, for arrays that cannot be transformed or cut.
    """,
)
ifftn = _of_axes("ifftn", "Invert :func:`fftn`; the arguments are the same.")
rfftn = _of_axes(
    "rfftn", "Transform real numbers, and halve the last of ``axes``; the arguments are those of :func:`fftn`."
)


def irfftn(
    x: jax.Array, mesh: Any = None, spec: Any = None, axes: Sequence[int] | int | None = None, norm: Norm | None = None,
    *, n: int | None = None, shape: Sequence[int] | None = None, out_spec: Any = None,
) -> jax.Array:  # fmt: skip
    """Invert :func:`rfftn`; the arguments are the same, and ``n``.

    ``n`` is the extent of the real array along the last of ``axes``; None is 2 (m - 1).
    """
    return _transform("irfftn", x, mesh, spec, axes, norm, shape, out_spec, n)


def padded_shape(shape: Sequence[int], mesh: Any, spec: Any) -> tuple[int, ...]:
    """Round the axes that ``spec`` cuts up to equal pieces: the padded shape of an array of true extents ``shape``."""
    return jax_sharding.padded(shape, jax_sharding.cuts_of(mesh, spec, len(shape)))


def spec_of(
    kind: str, shape: Sequence[int], mesh: Any, spec: Any, axes: Sequence[int] | int | None = None, *,
    n: int | None = None,
) -> Any:  # fmt: skip
    """How the result of ``kind`` (``rfftn`` and so on) is cut, of an array of extents ``shape`` that is not padded."""
    like = jax.ShapeDtypeStruct(tuple(shape), jnp.float32 if kind == "rfftn" else jnp.complex64)
    told = []

    def run(x: jax.Array) -> jax.Array:
        problem, known = _problem(kind, x, axes, None, None, n)
        result, cut = jax_sharding.transform(problem, known, mesh, spec, False, None)
        told.append(cut)
        return result

    jax.eval_shape(run, like)
    return told[-1]


def _with_plan(plan: Plan, what: str, x: Any, operator: Operator | None = None) -> Any:
    return jax_plans.mapped(x, linear.of_plan(plan, what, operator, x, jax.Array))


def forward(plan: Plan, x: jax.Array) -> jax.Array:
    """Call ``plan.forward(x)`` under JAX's transformations. Collective, and so is the backward pass."""
    return _with_plan(plan, "forward", x)


def backward(plan: Plan, x: jax.Array) -> jax.Array:
    """Call ``plan.backward(x)`` under JAX's transformations. Collective, and so is the backward pass."""
    return _with_plan(plan, "backward", x)


def apply(plan: Plan, operator: Operator, x: jax.Array) -> jax.Array:
    """Call ``plan.apply(operator, x)`` under JAX's transformations. Collective, and so is the backward pass.

    The operator's own factors get no gradients: multiply spectra between :func:`forward` and :func:`backward` for that.
    """
    return _with_plan(plan, "apply", x, operator)


def solve(plan: Poisson, f: jax.Array) -> jax.Array:
    """Solve as :meth:`shardfft.Poisson.solve`, under JAX's transformations. Collective, and so is the backward pass."""
    return jax_plans.mapped(f, linear.Solve(plan))
