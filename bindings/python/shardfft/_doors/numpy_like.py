"""fftn and its siblings in NumPy's manner, for arrays that are cut over the ranks of a communicator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._ground.naming import named
from .._transforms.examples import as_of_the_whole
from .._transforms.transform import transform

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName, Norm
    from .._layouts.layout import Layout

    Type = Literal[1, 2, 3, 4]


def _known(name: str) -> tuple[str, bool, str]:
    """Of a name of NumPy's: the kind of the plan, whether it goes forward, and a sentence."""
    real, forward = name[0] == "r", name[0] != "i"
    says = f"Invert :func:`{name[1:]}`. Collective."
    if forward:
        axes = f"{'two axes' if name.endswith('2') else 'one axis'} of {'a real' if real else 'an'} array"
        says = (
            f"Transform {axes} that is cut over the ranks; else as :func:`{'rfftn' if real else 'fftn'}`. Collective."
        )
    return "r2c" if real else "c2c", forward, says


# The functions that make functions say no type of what they give, so that type checkers find it themselves.
def _of_axes(name: str, told: str = ""):  # type: ignore[no-untyped-def]
    kind, forward, says = _known(name)
    default = (-2, -1) if name.endswith("2") else None

    def function(
        x: Any, comm: MPI.Comm | None = None, axes: Sequence[int] | int | None = default, norm: Norm | None = None,
        layout: LayoutName | Layout | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        return transform(x, kind, forward, comm, axes, norm, layout, options)

    return named(function, name, (told or says) + as_of_the_whole(name, "shardfft"))


def _of_one_axis(name: str):  # type: ignore[no-untyped-def]
    kind, forward, says = _known(name)

    def function(
        x: Any, comm: MPI.Comm | None = None, axis: int = -1, norm: Norm | None = None,
        layout: LayoutName | Layout | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        return transform(x, kind, forward, comm, axis, norm, layout, options)

    return named(function, name, says + as_of_the_whole(name, "shardfft"))


def _cosines(name: str, says: str):  # type: ignore[no-untyped-def]
    def function(
        x: Any, comm: MPI.Comm | None = None, type: Type = 2, axes: Sequence[int] | int | None = None,
        norm: Norm | None = None, layout: LayoutName | Layout | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        def along() -> str:
            if type not in (1, 2, 3, 4):
                raise ValueError(f"type must be 1, 2, 3 or 4, not {type!r}")
            return f"{name.removeprefix('i')[:3]}{int(type)}"

        return transform(x, None, name[0] == "d", comm, axes, norm, layout, options, along=along)

    return named(function, name, says + as_of_the_whole(name, "shardfft"))


fftn = _of_axes(
    "fftn",
    """Transform an array that is cut over the ranks, as ``numpy.fft.fftn`` would the whole. Collective.

    Args:
        x: this rank's part; converted to complex64 or complex128. Arrays on GPUs are transformed there, and the result
            is of their kind; if one rank's array is on a GPU, all must be.
        comm: an mpi4py communicator; None is ``MPI.COMM_WORLD``.
        axes: axes to transform; None is all.
        norm: ``backward`` (None), ``ortho`` or ``forward``.
        layout: how the array is cut: ``slab``, ``pencil``, ``brick`` or ``cyclic`` as :func:`plan` cuts it, or a
            :class:`Layout`; None: along axis 0 in the order of the ranks, each with the rows that it gives.
        options: further options of :func:`plan`.

    Returns:
        This rank's part of the spectrum, cut as the input is.

    Plans without measuring, and keeps the last few plans for calls with the same arguments on the same ranks, until
    :func:`clear_plans`; :func:`plan` is for transforms that are repeated often.""",
)
ifftn = _of_axes("ifftn", "Invert :func:`fftn`; the arguments are the same. Collective.")
rfftn = _of_axes(
    "rfftn",
    """Transform a real array that is cut over the ranks, as ``numpy.fft.rfftn`` would the whole. Collective.

    The arguments are those of :func:`fftn`. The last of ``axes`` is halved, n to n//2 + 1. The result is cut as ``x``
    is; an axis that is both cut and halved is cut anew in near-equal runs.""",
)
fft, ifft, rfft = _of_one_axis("fft"), _of_one_axis("ifft"), _of_one_axis("rfft")
fft2, ifft2, rfft2 = _of_axes("fft2"), _of_axes("ifft2"), _of_axes("rfft2")


def irfftn(
    x: Any, comm: MPI.Comm | None = None, axes: Sequence[int] | int | None = None, norm: Norm | None = None,
    layout: LayoutName | Layout | None = None, n: int | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Invert :func:`rfftn`. Collective.

    The arguments are those of :func:`fftn`, and ``n``: the extent of the halved axis in the real array; None is
    2 (m - 1), which loses the last point of an odd extent, as in NumPy. ``x`` must be the half spectrum of a real
    array; of others (edge modes that are not each other's mirror images) local FFT libraries give different inverses.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.irfftn(shardfft.rfftn(np.ones((4, 7))), n=7), 1)
        True
    """
    # A c2r plan's forward has the exponent's plus sign and, as an inverse, NumPy's factor.
    return transform(x, "c2r", True, comm, axes, norm, layout, options, n)


def irfft(
    x: Any, comm: MPI.Comm | None = None, n: int | None = None, axis: int = -1, norm: Norm | None = None,
    layout: LayoutName | Layout | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Invert :func:`rfft`; ``n`` is the extent of the axis in the real array, None 2 (m - 1). Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> shardfft.irfft(shardfft.rfft(np.ones((4, 7))), n=7).shape
        (4, 7)
    """
    return irfftn(x, comm, axis, norm, layout, n, **options)


def irfft2(
    x: Any, comm: MPI.Comm | None = None, n: int | None = None, axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None, layout: LayoutName | Layout | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Invert :func:`rfft2`; ``n`` is the extent of the last axis in the real array, None 2 (m - 1). Collective.

    Example:
        >>> import numpy as np
        >>> import shardfft
        >>> np.allclose(shardfft.irfft2(shardfft.rfft2(np.ones((2, 4, 6)))), 1)
        True
    """
    return irfftn(x, comm, axes, norm, layout, n, **options)


dctn = _cosines(
    "dctn",
    """Cosine transform of an array that is cut over the ranks, as ``scipy.fft.dctn`` of the whole. Collective.

    The arguments are those of :func:`shardfft.fftn`, and ``type``: 1 to 4. Real arrays stay real; the real and the
    imaginary parts of complex ones are transformed each on its own. ``norm="ortho"`` is SciPy's with
    ``orthogonalize=False``. An array of one axis can be transformed on one rank only.""",
)
dstn = _cosines(
    "dstn",
    """Sine transform of an array that is cut over the ranks, as ``scipy.fft.dstn`` of the whole. Collective.

    The arguments are those of :func:`dctn`.""",
)
_INVERSE = "Invert :func:`{}` of the same ``type``; the arguments are the same. Collective."
idctn = _cosines("idctn", _INVERSE.format("dctn"))
idstn = _cosines("idstn", _INVERSE.format("dstn"))
