"""Abilities of plans on GPUs, from Python: on the stand-in's devices, and on real GPUs with CuPy, PyTorch and JAX."""

import numpy as np
import pytest
import scipy.fft
import users

import shardfft
from shardfft import _core


@pytest.fixture(params=["standin", "cupy", "torch", "jax"])
def library(request):
    return users.make(request.param)


@pytest.mark.parametrize("kind", ["r2r", "r2c", "c2c"])
def test_cosines(comm, whole, close, library, kind):
    words = ["dct2", "dst1", "dct4"] if kind == "r2r" else ["dct1", "fft", "fft"]
    x = whole((8, 6, 5), "complex128" if kind == "c2c" else "float64")
    exact = scipy.fft.dct(x, 2 if kind == "r2r" else 1, axis=0)
    if kind == "r2r":
        exact = scipy.fft.dct(scipy.fft.dst(exact, 1, axis=1), 4, axis=2)
    else:
        exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(exact, axes=(1, 2))
    with shardfft.plan(x.shape, kind, comm=comm, transforms=words, processor="gpu") as plan:
        spectrum = plan.forward(library.array(x[plan.input.slices], plan.device))
        assert isinstance(spectrum, library.kind)
        close(library.numpy(spectrum), plan.output.layout, exact)
        close(library.numpy(plan.backward(spectrum)), plan.input.layout, x)


def test_fewer_modes(comm, whole, close, library):
    x = whole((12, 10, 9))
    kept = np.fft.fftn(x)[np.ix_(np.r_[0:4, -3:0], np.r_[0:3, -2:0], np.r_[0:2, -1])]
    with shardfft.plan(x.shape, comm=comm, modes=(7, 5, 3), processor="gpu") as plan:
        spectrum = plan.forward(library.array(x[plan.input.slices], plan.device))
        close(library.numpy(spectrum), plan.output.layout, kept)
        again = plan.forward(plan.backward(spectrum))
        close(library.numpy(again), plan.output.layout, kept)


@pytest.mark.parametrize("kind", ["r2c", "c2c"])
def test_verified(comm, whole, close, library, kind):
    x = whole((24, 20, 18), "complex64" if kind == "c2c" else "float32")
    exact = (np.fft.fftn if kind == "c2c" else np.fft.rfftn)(x)
    with shardfft.plan(x.shape, kind, dtype=x.dtype, comm=comm, verify=True, processor="gpu") as plan:
        for _ in range(3):
            spectrum = plan.forward(library.array(x[plan.input.slices], plan.device))
            close(library.numpy(spectrum), plan.output.layout, exact, "float32")
            close(library.numpy(plan.backward(spectrum)), plan.input.layout, x, "float32")
        report = plan.report()
        for direction in ("forward", "backward"):
            assert report[direction]["checks"] > 0 and 0 < report[direction]["largest_residual"] < 1


def test_tolerance(comm, whole, library):
    """Messages of fewer bytes between processes: the error is as large as was allowed, at most."""
    x = whole((24, 20, 18))
    options = {"tolerance": 1e-3, "exchange": "host_staged", "processor": "gpu"}
    with shardfft.plan(x.shape, comm=comm, **options) as plan:
        spectrum = library.numpy(plan.forward(library.array(x[plan.input.slices], plan.device)))
        exact = np.fft.fftn(x)[plan.output.slices]
        error, norm = (comm.allreduce(np.linalg.norm(part) ** 2) for part in (spectrum - exact, exact))
        told = [choice["chosen"] for choice in plan.report()["choices"] if choice["what"] == "tolerance"]
        assert (error / norm) ** 0.5 < 1e-3
        assert ("bytes a number" in told[0] and error > 1e-20 * norm) if comm.size > 1 else error < 1e-20 * norm


@pytest.mark.parametrize("at_most", [1, 4])
def test_operators_over_devices(whole, library, at_most):
    x = whole((8, 6, 10))
    k = np.meshgrid(*(np.fft.fftfreq(n, 1 / n) for n in x.shape), indexing="ij", sparse=True)
    factors = 1 / (6 + k[0] ** 2 + 2 * k[1] ** 2 + k[2]) * (1 + 0.5j * k[0])

    def exact(values):
        return np.fft.ifftn(np.fft.fftn(x) * values)

    devices = list(range(len(_core.gpu_names())))[:at_most][::-1]
    with shardfft.plan(x.shape, devices=devices) as plan:
        operators = {
            "wavenumbers": shardfft.Operator.of_wavenumbers(
                lambda p, q, r: 1 / (6 + p**2 + 2 * q**2 + r) * (1 + 0.5j * p)
            ),
            "indices": shardfft.Operator.of_indices(lambda i, j, k: factors[i, j, k]),
            "arrays": shardfft.Operator.array([factors[side.slices] for side in plan.outputs]),
        }
        for name, operator in operators.items():
            assert np.allclose(applied(plan, operator, x, library), exact(factors)), name
            assert np.allclose(applied(plan, operator.conj(), x, library), exact(factors.conj())), name
        assert np.allclose(applied(plan, shardfft.Operator.array(2.0), x, library), 2 * x)
        count = len(devices)  # of one GPU a longer list is an array
        words = f"the plan has {count} GPUs: give one array of factors for each, not {count + 1}"
        with pytest.raises(ValueError, match=words if count > 1 else "do not broadcast"):
            applied(plan, shardfft.Operator.array([factors] * (len(devices) + 1)), x, library)


def applied(plan, operator, x, library):
    """A plan's operator on an array whose parts lie on the plan's GPUs."""
    parts = [library.array(x[side.slices], gpu) for side, gpu in zip(plan.inputs, plan.devices, strict=True)]
    result = np.empty_like(x)
    for part, side in zip(plan.apply(operator, parts), plan.inputs, strict=True):
        result[side.slices] = library.numpy(part)
    return result
