"""A layer of a Fourier neural operator, trained on fields that are cut over processes, in space, as DTensors.

    torchrun --nproc-per-node 4 examples/fourier_layer.py
    mpirun -n 4 python examples/fourier_layer.py

The first needs no MPI: PyTorch's own all-to-all moves data. The second transforms by plans over MPI. Both compute on
GPUs if each process has one. They print their losses beside those of a run on one process: gradients go through the
transforms, so the losses are the same.
"""

import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

import shardfft

CUT = 2  # of batch, channel, x, y: each process has a part of x


def start():
    """Join PyTorch's processes, under torchrun or mpirun; gives the kind of device that they compute on."""
    if "RANK" not in os.environ:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        host = world.Split_type(MPI.COMM_TYPE_SHARED)
        port = world.bcast(29500 + os.getpid() % 1000 if world.rank == 0 else None)
        os.environ.update(
            RANK=str(world.rank), WORLD_SIZE=str(world.size), MASTER_ADDR="localhost", MASTER_PORT=str(port)
        )
        os.environ.update(LOCAL_RANK=str(host.rank), LOCAL_WORLD_SIZE=str(host.size))
    if torch.cuda.device_count() < int(os.environ["LOCAL_WORLD_SIZE"]):
        dist.init_process_group("gloo")
        return "cpu"
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    return "cuda"


class FourierLayer(torch.nn.Module):
    """Mix channels, mode by mode below a highest one and point by point; without a mesh on one process."""

    def __init__(self, channels, points, modes, mesh=None):
        super().__init__()
        self.mesh, self.points = mesh, points
        random = torch.Generator().manual_seed(1)
        half = points // 2 + 1
        k = torch.fft.fftfreq(points, 1 / points).abs()
        low = ((k[:, None] <= modes) & (torch.arange(half) <= modes)).double()
        spectral = torch.randn(channels, channels, points, half, dtype=torch.complex128, generator=random) / channels
        pointwise = torch.randn(channels, channels, dtype=torch.float64, generator=random) / channels
        self.low = self.place(low, Shard(0))
        self.spectral = torch.nn.Parameter(self.place(spectral, Shard(CUT)))
        self.pointwise = torch.nn.Parameter(self.place(pointwise, Replicate()))

    def place(self, tensor, placement):
        """Cut a tensor that all processes have."""
        return tensor if self.mesh is None else distribute_tensor(tensor, self.mesh, [placement])

    def forward(self, x):
        """Give a field of the same shape and placement."""
        fft = torch.fft if self.mesh is None else shardfft.torch
        modes = fft.rfftn(x, dim=(2, 3))
        mixed = (modes[:, :, None] * (self.spectral * self.low)[None]).sum(1)
        smooth = fft.irfftn(mixed, s=(self.points, self.points), dim=(2, 3))
        return smooth + (x[:, :, None] * self.pointwise[None, :, :, None, None]).sum(1)


def fields(points, channels, batch):
    """Random fields, and the fields that the layer is to learn: each smoothed by a Gaussian."""
    x = torch.randn(batch, channels, points, points, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    k = torch.fft.fftfreq(points, 1 / points)[:, None] ** 2 + torch.fft.rfftfreq(points, 1 / points) ** 2
    return x, torch.fft.irfftn(torch.fft.rfftn(x, dim=(2, 3)) * torch.exp(-k / 8), s=(points, points), dim=(2, 3))


def train(mesh=None, points=16, channels=2, batch=4, modes=5, steps=30):
    """Train a layer; gives the loss before each step, and the last gradients as whole tensors."""
    layer = FourierLayer(channels, points, modes, mesh)
    x, wanted = (layer.place(one, Shard(CUT)) for one in fields(points, channels, batch))
    losses, gradients = [], []
    for _ in range(steps):
        loss = ((layer(x) - wanted) ** 2).sum() / x.numel()
        loss = loss if mesh is None else loss.full_tensor()
        parameters = list(layer.parameters())
        gradients = torch.autograd.grad(loss, parameters)
        losses.append(loss.item())
        with torch.no_grad():
            for parameter, gradient, rate in zip(parameters, gradients, (1.0, 0.1), strict=True):
                if mesh is not None:
                    gradient = gradient.redistribute(placements=parameter.placements)
                parameter -= rate * gradient
    return losses, [one if mesh is None else one.full_tensor() for one in gradients]


if __name__ == "__main__":
    torch.set_num_threads(1)
    device = start()
    here, _ = train(init_device_mesh(device, (dist.get_world_size(),)))
    if dist.get_rank() == 0:
        alone, _ = train()
        print(f"step {device:>10}  on one process")
        for step in range(0, len(here), 5):
            print(f"{step:4} {here[step]:10.6f} {alone[step]:15.6f}")
    dist.destroy_process_group()
