"""Deposit and interpolation of particles as functions that JAX differentiates once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

if TYPE_CHECKING:
    from .._plans.particles import ParticleMesh


def _called(work: Callable[..., Any], like: Any, *arrays: Any) -> Any:
    """Call ``work`` with NumPy's arrays; all ranks make such calls in one order."""

    def on_host(*given: Any) -> Any:
        return jax.tree_util.tree_map(np.ascontiguousarray, work(*(np.asarray(one) for one in given)))

    shapes = jax.tree_util.tree_map(lambda one: jax.ShapeDtypeStruct(one[0], one[1]), like, is_leaf=_is_shape)
    return io_callback(on_host, shapes, *arrays, ordered=True)


def _is_shape(one: Any) -> bool:
    return isinstance(one, tuple) and isinstance(one[0], tuple) and not isinstance(one[1], tuple)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _deposit(mesh: ParticleMesh, positions: Any, weights: Any) -> Any:
    return _called(mesh.deposit, (mesh._part.shape, mesh.dtype), positions, weights)


def _deposit_forward(mesh: ParticleMesh, positions: Any, weights: Any) -> Any:
    return _deposit(mesh, positions, weights), (positions, weights)


def _deposit_backward(mesh: ParticleMesh, kept: Any, gradient: Any) -> Any:
    like = tuple((one.shape, mesh.dtype) for one in kept)
    return _called(mesh.deposit_adjoint, like, *kept, gradient)


_deposit.defvjp(_deposit_forward, _deposit_backward)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _interpolate(mesh: ParticleMesh, positions: Any, field: Any) -> Any:
    return _called(mesh.interpolate, (positions.shape[:1], mesh.dtype), positions, field)


def _interpolate_forward(mesh: ParticleMesh, positions: Any, field: Any) -> Any:
    return _interpolate(mesh, positions, field), (positions, field)


def _interpolate_backward(mesh: ParticleMesh, kept: Any, gradient: Any) -> Any:
    like = tuple((one.shape, mesh.dtype) for one in kept)
    return _called(mesh.interpolate_adjoint, like, *kept, gradient)


_interpolate.defvjp(_interpolate_forward, _interpolate_backward)


def deposit(mesh: ParticleMesh, positions: jax.Array, weights: jax.Array | None = None) -> jax.Array:
    """:meth:`shardfft.ParticleMesh.deposit` of JAX's arrays, with gradients by positions and weights.

    It computes on CPUs, under ``jit`` and ``grad`` too. Collective, and so is going back.
    """
    return _deposit(mesh, positions, jnp.ones(len(positions), mesh.dtype) if weights is None else weights)


def interpolate(mesh: ParticleMesh, positions: jax.Array, field: jax.Array) -> jax.Array:
    """:meth:`shardfft.ParticleMesh.interpolate` of JAX's arrays, with gradients by positions and the field.

    It computes on CPUs, under ``jit`` and ``grad`` too. Collective, and so is going back.
    """
    return _interpolate(mesh, positions, field)
