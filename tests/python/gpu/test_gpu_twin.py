"""The twin of mpi4py-fft with arrays on GPUs: real ones, and the stand-in's."""

import sys

import numpy as np
import pytest
import users
from fakes import StandardArray, device_input, make_stream

from shardfft.compat.mpi4py_fft import PFFT, newDistArray


@pytest.mark.parametrize("kind", ["cupy", "torch", "jax"])
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_arrays_of_libraries(comm, whole, kind, dtype):
    library, x = users.make(kind), whole((8, 6, 10), dtype)
    exact = (np.fft.rfftn if dtype == "float64" else np.fft.fftn)(x)
    fft = PFFT(comm, x.shape, dtype=dtype, backend="cupy")
    device = fft._plan.device
    spectrum = fft.forward(library.array(x[fft.local_slice(False)], device))
    assert isinstance(spectrum, library.kind) and fft.dtype(True).kind == "c"
    bound = 1e-13 if dtype == "float64" else 1e-5
    assert np.allclose(library.numpy(spectrum) * x.size, exact[fft.local_slice(True)], atol=bound * x.size)
    assert np.allclose(library.numpy(fft.backward(spectrum)), x[fft.local_slice(False)], atol=bound)
    plain = library.numpy(fft.forward(library.array(x[fft.local_slice(False)], device), normalize=False))
    assert np.allclose(plain, exact[fft.local_slice(True)], atol=bound * x.size)
    fft.destroy()


def test_arrays_of_its_own(comm, whole):
    library, x = users.make("cupy"), whole((8, 6, 10), "float64")
    fft = PFFT(comm, x.shape, dtype=x.dtype, backend="cupy")
    u, v = newDistArray(fft, False, val=2), newDistArray(fft, True, rank=1)
    assert v.shape == (3, *fft.shape(True)) and float(u.max()) == 2
    u[...] = library.array(x[fft.local_slice(False)], fft._plan.device)
    assert fft.forward(u, v[1]) is not None
    assert np.allclose(library.numpy(v[1]) * x.size, np.fft.rfftn(x)[fft.local_slice(True)])
    fft.forward.input_array[...] = u
    assert fft.forward() is fft.forward.output_array
    assert np.allclose(library.numpy(fft.forward.output_array), library.numpy(v[1]))
    fft.destroy()


@pytest.mark.standin
def test_arrays_of_the_standard(comm, whole):
    x = whole((8, 6, 10), "complex128")
    fft = PFFT(comm, x.shape, dtype=x.dtype, backend="cupy", slab=True)
    a = StandardArray(device_input(fft._plan), make_stream(fft._plan.device))
    a.write_later(x[fft.local_slice(False)])
    spectrum = fft.forward(a)
    assert np.allclose(spectrum.numpy() * x.size, np.fft.fftn(x)[fft.local_slice(True)])
    assert np.allclose(fft.backward(spectrum, a).numpy(), x[fft.local_slice(False)])
    with pytest.raises(TypeError, match="no option implicit; known: normalize"):
        fft.forward(a, implicit=False)
    fft.destroy()


@pytest.mark.standin
def test_refusals(comm, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    fft = PFFT(comm, (6, 4), backend="cupy")
    with pytest.raises(TypeError, match="CuPy's, which is not installed: give them yours"):
        fft.forward()
    with pytest.raises(TypeError, match="CuPy's, which is not installed"):
        newDistArray(fft)
    on_gpu = device_input(fft._plan)
    with pytest.raises(TypeError, match="four axes at most"):
        PFFT(comm, (2, 2, 2, 2, 2), backend="cupy")
    on_host = PFFT(comm, (6, 4))
    with pytest.raises(TypeError, match=r'backend="cupy"\) takes it'):
        on_host.forward(on_gpu)
    on_host.destroy()
    fft.destroy()
