"""A method of fluidfft, by which fluidsim runs: ``fft3d.mpi_with_shardfft``.

The package announces it by the entry point ``fluidfft.plugins``, so that fluidfft finds it by its name:
``params.oper.type_fft = "fft3d.mpi_with_shardfft"``. Fields are cut along their first axis, spectra along their second;
both have their axes in the order z, y, x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from fluidfft.fft3d.base import BaseFFTMPI

from .._ground.mpi import communicator
from .._layouts.layout import Layout
from .._plans.planning import plan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._layouts.side import Side


def _starts(side: Side) -> tuple[int, ...]:
    return tuple(part.start for part in side.slices or ())


class FFT3DMPIWithShardfft(BaseFFTMPI):
    """Real transforms of double precision over all processes, forward divided by the number of points. Collective.

    Args:
        n0, n1, n2: extents of the whole field.
    """

    def __init__(self, n0: int, n1: int, n2: int) -> None:
        shape, ranks = (n0, n1, n2), communicator(None).size
        spectra = Layout.slab((n0, n1, n2 // 2 + 1), ranks, axis=1)
        self._plan = plan(shape, "r2c", layout=Layout.slab(shape, ranks), output=spectra, norm="forward")
        self.shapeX, self.shapeK = self._plan.input.shape, self._plan.output.shape
        super().__init__(n0, n1, n2)

    @property
    def _numpy_api(self) -> Any:
        return np

    def get_dimX_K(self) -> tuple[int, int, int]:  # noqa: N802
        """Say which axis of fields each axis of spectra is."""
        return 0, 1, 2

    def get_seq_indices_first_K(self) -> tuple[int, ...]:  # noqa: N802
        """Return the first indices of this process's part of a spectrum."""
        return _starts(self._plan.output)

    def get_seq_indices_first_X(self) -> tuple[int, ...]:  # noqa: N802
        """Return the first indices of this process's part of a field."""
        return _starts(self._plan.input)

    def get_shapeX_loc(self) -> tuple[int, ...]:  # noqa: N802
        """Shape of this process's part of a field."""
        return self._plan.input.shape

    def get_shapeK_loc(self) -> tuple[int, ...]:  # noqa: N802
        """Shape of this process's part of a spectrum."""
        return self._plan.output.shape

    def get_shapeX_seq(self) -> tuple[int, ...]:  # noqa: N802
        """Shape of the whole field."""
        return self._plan.input.layout.shape

    def get_shapeK_seq(self) -> tuple[int, ...]:  # noqa: N802
        """Shape of the whole spectrum."""
        return self._plan.output.layout.shape

    def create_arrayX(self, value: float | None = None, shape: str = "loc") -> NDArray[Any]:  # noqa: N802
        """Make a field; with ``shape="seq"`` a whole one."""
        return _array(self.get_shapeX_seq() if shape == "seq" else self.shapeX, np.float64, value)

    def create_arrayK(self, value: complex | None = None, shape: str = "loc") -> NDArray[Any]:  # noqa: N802
        """Make a spectrum; with ``shape="seq"`` a whole one."""
        return _array(self.get_shapeK_seq() if shape == "seq" else self.shapeK, np.complex128, value)

    def fft(self, fieldX: NDArray[Any]) -> NDArray[Any]:  # noqa: N803
        """Transform a field. Collective."""
        return self._plan.forward(fieldX)

    def ifft(self, fieldK: NDArray[Any]) -> NDArray[Any]:  # noqa: N803
        """Transform a spectrum. Collective."""
        return self._plan.backward(fieldK)

    def fft_as_arg(self, fieldX: NDArray[Any], fieldK: NDArray[Any]) -> None:  # noqa: N803
        """Transform a field into an array. Collective."""
        self._plan.forward(fieldX, out=fieldK)

    def ifft_as_arg(self, fieldK: NDArray[Any], fieldX: NDArray[Any]) -> None:  # noqa: N803
        """Transform a spectrum into an array. Collective."""
        self._plan.backward(fieldK, out=fieldX)

    ifft_as_arg_destroy = ifft_as_arg


def _array(shape: tuple[int, ...], dtype: type, value: complex | None) -> NDArray[Any]:
    return np.empty(shape, dtype) if value is None else np.full(shape, value, dtype)


FFTclass = FFT3DMPIWithShardfft
