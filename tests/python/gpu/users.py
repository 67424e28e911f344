"""CuPy, PyTorch and JAX as their users use them, and the stand-in's arrays; the differences between them are here."""

import os

import fakes
import numpy as np
import pytest
from mpi4py import MPI

import shardfft
from shardfft import _core

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take most of the GPU
SLEEP = 200_000_000  # cycles: a tenth of a second


class CuPy:
    mutable = True

    def __init__(self):
        self.cupy = cupy = pytest.importorskip("cupy")
        if cupy.cuda.runtime.getDeviceCount() == 0:
            pytest.skip("CuPy finds no GPU")
        self.kind = cupy.ndarray
        code = 'extern "C" __global__ void nap(long long n) { for (long long t = clock64(); clock64() - t < n;); }'
        self._nap = cupy.RawKernel(code, "nap")

    def array(self, values, device):
        with self.cupy.cuda.Device(device):
            return self.cupy.asarray(values)

    def numpy(self, array):
        return self.cupy.asnumpy(array)

    def device(self, array):
        return array.device.id

    def stream(self, device):
        with self.cupy.cuda.Device(device):
            return self.cupy.cuda.Stream(non_blocking=True)

    def given_stream(self, address, device):
        with self.cupy.cuda.Device(device):
            return self.cupy.cuda.ExternalStream(address, device)

    def seen(self, array):
        return self.cupy.asarray(array)

    def late(self, values, device):
        """Give an array that holds ``values`` a moment later; the host does not wait."""
        array, source = self.array(np.zeros_like(values), device), self.array(values, device)
        self.cupy.cuda.get_current_stream().synchronize()
        self._nap((1,), (1,), (SLEEP,))
        array[...] = source
        return array


class Torch:
    mutable = True

    def __init__(self):
        self.torch = torch = pytest.importorskip("torch")
        if not torch.cuda.is_available():
            pytest.skip("PyTorch finds no GPU")
        self.kind = torch.Tensor

    def array(self, values, device):
        return self.torch.as_tensor(np.ascontiguousarray(values)).to(f"cuda:{device}")

    def numpy(self, array):
        return array.cpu().numpy()

    def device(self, array):
        return array.device.index

    def stream(self, device):
        stream = self.torch.cuda.Stream(device)
        return _TorchStream(self.torch, stream)

    def given_stream(self, address, device):
        return _TorchStream(self.torch, self.torch.cuda.ExternalStream(address, device))

    def seen(self, array):
        return self.torch.from_dlpack(array)

    def late(self, values, device):
        array, source = self.array(np.zeros_like(values), device), self.array(values, device)
        self.torch.cuda.current_stream().synchronize()
        self.torch.cuda._sleep(SLEEP)
        array[...] = source
        return array


class _TorchStream:
    """A stream that ``with`` makes the current one."""

    def __init__(self, torch, stream):
        self.cuda_stream, self.synchronize = stream.cuda_stream, stream.synchronize
        self._torch, self._stream = torch, stream

    def __enter__(self):
        self._scope = self._torch.cuda.stream(self._stream)
        self._scope.__enter__()

    def __exit__(self, *what):
        self._scope.__exit__(*what)


class Jax:
    mutable = False

    def __init__(self):
        self.jax = jax = pytest.importorskip("jax")
        jax.config.update("jax_enable_x64", True)
        if jax.default_backend() != "gpu":
            pytest.skip("JAX finds no GPU")
        self.kind = jax.Array

    def array(self, values, device):
        return self.jax.device_put(np.ascontiguousarray(values), self.jax.devices("gpu")[device])

    def numpy(self, array):
        return np.asarray(array)

    def device(self, array):
        return self.jax.devices("gpu").index(next(iter(array.devices())))

    def late(self, values, device):
        busy = self.array(np.ones((4096, 4096), np.float32), device)
        busy = self.jax.lax.fori_loop(0, 1000, lambda _, b: b @ b / 4096, busy)
        return self.array(values, device) + 0 * busy[0, 0]


class StandIn:
    """Arrays of no library on fake devices; results are the plans' own."""

    kind = shardfft.DeviceArray
    array, numpy = fakes.PlainArray, staticmethod(fakes.to_numpy)


def make(name):
    if name == "standin":
        if not _core.gpu_support().startswith("stand-in"):
            pytest.skip("needs the stand-in, not a GPU")
        return StandIn()
    if not _core.gpu_support().startswith("CUDA"):
        pytest.skip("needs a build with CUDA")
    if not _core.gpu_names():
        pytest.skip("no GPU was found")
    _core.set_current_gpu(MPI.COMM_WORLD.rank % len(_core.gpu_names()))  # which CuPy and PyTorch work on
    return {"cupy": CuPy, "torch": Torch, "jax": Jax}[name]()
