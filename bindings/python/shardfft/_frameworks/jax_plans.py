"""Maps of plans as a primitive of JAX: jit, grad, jvp and vmap go through it, and ranks keep their order of calls."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

if TYPE_CHECKING:
    from .linear import Factors, Linear

mapped_p = Primitive("shardfft_plan")


@functools.cache
def _in_order() -> frozenset[Any]:
    """The effect of calls that must not change places: all ranks make them in the same order."""
    shape = jax.ShapeDtypeStruct((), np.float32)
    traced = jax.make_jaxpr(lambda x: io_callback(lambda y: y, shape, x, ordered=True))(np.float32(0))
    return frozenset(traced.effects)


def _times(x: Any, factors: Factors, _: bool) -> Any:
    real = np.empty(0, x.dtype).real.dtype
    for one in factors.on(real, lambda values: np.asarray(values, real)):
        x = x * (x.dtype.type(one) if isinstance(one, float) else one)
    return x


def _result(linear: Linear) -> jax.ShapeDtypeStruct:
    target = linear.sides()[1]
    return jax.ShapeDtypeStruct(target.shape, target.dtype)


def _run(x: Any, linear: Linear) -> Any:
    return np.ascontiguousarray(linear(np.asarray(x), _times))


@mapped_p.def_impl
def _eager(x: Any, *, linear: Linear) -> Any:
    return jnp.asarray(linear(x, _times))


@mapped_p.def_effectful_abstract_eval
def _shape(x: Any, *, linear: Linear) -> tuple[Any, frozenset[Any]]:
    source = linear.sides()[0]
    if x.shape != source.shape or x.dtype != source.dtype:
        double = source.dtype.itemsize > x.dtype.itemsize and not jax.config.jax_enable_x64
        error = TypeError(
            f"the plan takes arrays of shape {source.shape} and dtype {source.dtype} on rank {source.rank}, not of "
            f"{x.shape} and {x.dtype}" + ("; jax_enable_x64 is off" if double else "")
        )
        linear.refuse(error)
        raise error
    made = _result(linear)
    return jax.core.ShapedArray(made.shape, made.dtype), _in_order()


def _called(x: Any, *, linear: Linear) -> Any:
    return io_callback(functools.partial(_run, linear=linear), _result(linear), x, ordered=True)


def _transposed(cotangent: Any, _: Any, *, linear: Linear) -> list[Any]:
    # JAX pairs without conjugates: the transpose is the adjoint between two of them.
    return [jnp.conj(mapped(jnp.conj(cotangent), linear.adjoint))]


def _batched(arrays: Any, axes: Any, *, linear: Linear) -> tuple[Any, int]:
    fields = jnp.moveaxis(arrays[0], axes[0], 0)
    if not len(fields):
        made = _result(linear)
        return jnp.zeros((0, *made.shape), made.dtype), 0
    return jnp.stack([mapped(one, linear) for one in fields]), 0


mlir.register_lowering(mapped_p, mlir.lower_fun(_called, multiple_results=False))
ad.deflinear2(mapped_p, _transposed)
batching.primitive_batchers[mapped_p] = _batched


def mapped(x: Any, linear: Linear) -> Any:
    """Apply a map to an array. Collective, and so is going back."""
    return mapped_p.bind(x, linear=linear)
