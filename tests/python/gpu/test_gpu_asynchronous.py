"""Calls that return before the GPU has done them, memory that goes at once, a caller's graph; on real GPUs only."""

import numpy as np
import pytest
import users
from mpi4py import MPI

import shardfft
from shardfft import _core

#: Each process has a plan of its own, on the GPU that it works on.
DEVICE = MPI.COMM_WORLD.rank % max(1, len(_core.gpu_names()))
ALONE = {"comm": MPI.COMM_SELF, "processor": "gpu", "output": "natural", "device": DEVICE}


@pytest.mark.parametrize("name", ["cupy", "torch", "jax"])
def test_calls_return_before_the_gpu_is_done(whole, name):
    """And who asks for the result waits for it."""
    library, x = users.make(name), whole((8, 6, 10))
    with shardfft.plan(x.shape, **ALONE) as plan:
        plan.forward(library.late(x, plan.device))  # kernels, memory and programs, which take time once
        plan.synchronize()
        spectrum = plan.forward(library.late(x, plan.device))
        assert not _core.stream_is_idle(plan.device, plan.stream)
        if name == "jax":
            spectrum.block_until_ready()
            assert _core.stream_is_idle(plan.device, plan.stream)
        assert np.allclose(library.numpy(spectrum), np.fft.fftn(x))


def test_steps_return_before_the_gpu_is_done(whole):
    torch, x = users.make("torch").torch, whole((8, 6, 10))
    with shardfft.plan(x.shape, **ALONE) as plan:
        y = torch.as_tensor(x, device=f"cuda:{plan.device}").requires_grad_()
        for turn in range(4):
            y.grad = None
            torch.cuda.synchronize()
            torch.cuda._sleep(users.SLEEP)
            (shardfft.torch.forward(plan, y).abs() ** 2).sum().backward()
            # The first step makes kernels, memory and the adjoint's plan, which takes longer than the sleep.
            assert turn == 0 or not _core.stream_is_idle(plan.device, plan.stream)
            assert np.allclose(y.grad.cpu().numpy(), 2 * x.size * x)


def test_memory_is_used_anew_at_once(whole):
    """An input that is dropped while the call waits: its memory belongs to another stream, which fills it."""
    torch, x = users.make("torch").torch, whole((8, 6, 10))
    with shardfft.plan(x.shape, **ALONE) as plan:
        where, other, addresses = f"cuda:{plan.device}", torch.cuda.Stream(plan.device), set()
        for turn in range(6):
            with torch.cuda.stream(other):
                a = torch.as_tensor((turn + 1) * x).to(where)
            torch.cuda.current_stream().wait_stream(other)
            torch.cuda._sleep(users.SLEEP // 10)
            a.record_stream(torch.cuda.current_stream())
            spectrum = plan.forward(a)
            addresses.add(a.data_ptr())
            del a
            with torch.cuda.stream(other):
                full = [torch.full(x.shape, 7.0 + 0j, device=where) for _ in range(3)]
            same = torch.full(x.shape, 7.0 + 0j, device=where)  # in the order of the call
            assert np.allclose(spectrum.cpu().numpy(), (turn + 1) * np.fft.fftn(x))
            del full, same


@pytest.mark.parametrize("given", [False, True], ids=["the plan's own stream", "a stream of the user's"])
def test_calls_in_a_graph_of_torch(whole, given):
    """A captured pair is repeated with the numbers that its input has then."""
    torch, x = users.make("torch").torch, whole((8, 6, 10))
    stream = torch.cuda.Stream()
    with shardfft.plan(x.shape, **ALONE, **({"stream": stream} if given else {})) as plan:
        a = torch.as_tensor(x, device=f"cuda:{plan.device}")
        out = torch.empty_like(a)

        def pair():
            spectrum = plan.forward(a)
            return spectrum, plan.backward(2 * spectrum, out=out)

        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(2):  # a capture takes calls that have run before
                pair()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            spectrum, back = pair()
        for factor in (1, 2, 3):
            a.copy_(torch.as_tensor(factor * x))
            graph.replay()
            assert np.allclose(spectrum.cpu().numpy(), factor * np.fft.fftn(x))
            assert np.allclose(back.cpu().numpy(), 2 * factor * x)
        torch.cuda.synchronize()


def test_calls_in_a_graph_of_cupy(whole):
    cupy, x = users.make("cupy").cupy, whole((8, 6, 10))
    stream = cupy.cuda.Stream(non_blocking=True)
    with shardfft.plan(x.shape, **ALONE) as plan, stream:
        a = cupy.asarray(x)
        spectrum, back = cupy.empty_like(a), cupy.empty_like(a)

        def pair():
            plan.forward(a, out=spectrum)
            plan.backward(spectrum, out=back)

        for _ in range(2):
            pair()
        stream.synchronize()
        stream.begin_capture()
        pair()
        graph = stream.end_capture()
        for factor in (1, 2, 3):
            a[...] = cupy.asarray(factor * x)
            graph.launch(stream)
            stream.synchronize()
            assert np.allclose(cupy.asnumpy(spectrum), factor * np.fft.fftn(x))
            assert np.allclose(cupy.asnumpy(back), factor * x)
