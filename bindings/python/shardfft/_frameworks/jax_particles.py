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


@functools.partial(jax.custom_vjp, nondiff_argnums=(0, 1, 2))
def _over_mesh(mesh: ParticleMesh, method: str, shape: tuple[int, ...], positions: Any, numbers: Any) -> Any:
    """Call a method of positions and of numbers of particles or points, whose adjoint the mesh has."""
    return _called(getattr(mesh, method), (shape, mesh.dtype), positions, numbers)


def _forward(mesh: ParticleMesh, method: str, shape: tuple[int, ...], positions: Any, numbers: Any) -> Any:
    return _over_mesh(mesh, method, shape, positions, numbers), (positions, numbers)


def _backward(mesh: ParticleMesh, method: str, shape: tuple[int, ...], kept: Any, gradient: Any) -> Any:
    like = tuple((one.shape, mesh.dtype) for one in kept)
    return _called(getattr(mesh, method + "_adjoint"), like, *kept, gradient)


_over_mesh.defvjp(_forward, _backward)


def deposit(mesh: ParticleMesh, positions: jax.Array, weights: jax.Array | None = None) -> jax.Array:
    """:meth:`shardfft.ParticleMesh.deposit` of JAX's arrays, with gradients by positions and weights.

    It computes on CPUs, under ``jit`` and ``grad`` too. Collective, and so is going back.
    """
    ones = jnp.ones(len(positions), mesh.dtype)
    return _over_mesh(mesh, "deposit", mesh._part.shape, positions, ones if weights is None else weights)


def interpolate(mesh: ParticleMesh, positions: jax.Array, field: jax.Array) -> jax.Array:
    """:meth:`shardfft.ParticleMesh.interpolate` of JAX's arrays, with gradients by positions and the field.

    It computes on CPUs, under ``jit`` and ``grad`` too. Collective, and so is going back.
    """
    return _over_mesh(mesh, "interpolate", positions.shape[:1], positions, field)
