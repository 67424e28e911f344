"""fftn and its siblings in NumPy's manner, for arrays that are cut over the ranks of a communicator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._ground.naming import named
from .._transforms.transform import transform

if TYPE_CHECKING:
    from mpi4py import MPI

    from .._ground.words import LayoutName, Norm
    from .._layouts.layout import Layout

    Type = Literal[1, 2, 3, 4]


def _with(example: str, says: str) -> str:
    head = "Example:\n        >>> import numpy as np\n        >>> import shardfft\n        >>> "
    return f"{says}\n\n    {head}{example}\n        True\n"


# The functions that make functions say no type of what they give, so that type checkers find it themselves.
def _of_axes(
    name: str, kind: str, says: str, example: str, *, forward: bool = True, default: Sequence[int] | None = None
):  # type: ignore[no-untyped-def]
    def function(
        x: Any, comm: MPI.Comm | None = None, axes: Sequence[int] | int | None = default, norm: Norm | None = None,
        layout: LayoutName | Layout | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        return transform(x, kind, forward, comm, axes, norm, layout, options)

    return named(function, name, _with(example, says))


def _of_one_axis(name: str, kind: str, says: str, example: str, *, forward: bool = True):  # type: ignore[no-untyped-def]
    def function(
        x: Any, comm: MPI.Comm | None = None, axis: int = -1, norm: Norm | None = None,
        layout: LayoutName | Layout | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        return transform(x, kind, forward, comm, axis, norm, layout, options)

    return named(function, name, _with(example, says))


def _cosines(name: str, says: str, example: str):  # type: ignore[no-untyped-def]
    def function(
        x: Any, comm: MPI.Comm | None = None, type: Type = 2, axes: Sequence[int] | int | None = None,
        norm: Norm | None = None, layout: LayoutName | Layout | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        def along() -> str:
            if type not in (1, 2, 3, 4):
                raise ValueError(f"type must be 1, 2, 3 or 4, not {type!r}")
            return f"{name.removeprefix('i')[:3]}{int(type)}"

        return transform(x, None, name[0] == "d", comm, axes, norm, layout, options, along=along)

    return named(function, name, _with(example, says))


fftn = _of_axes(
    "fftn",
    "c2c",
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
    "np.allclose(shardfft.fftn(np.ones((4, 6)), axes=1), np.fft.fft(np.ones((4, 6))))",
)
ifftn = _of_axes(
    "ifftn",
    "c2c",
    "Invert :func:`fftn`; the arguments are the same. Collective.",
    "np.allclose(shardfft.ifftn(shardfft.fftn(np.ones((4, 6)))), 1)",
    forward=False,
)
rfftn = _of_axes(
    "rfftn",
    "r2c",
    """Transform a real array that is cut over the ranks, as ``numpy.fft.rfftn`` would the whole. Collective.

    The arguments are those of :func:`fftn`. The last of ``axes`` is halved, n to n//2 + 1. The result is cut as ``x``
    is; an axis that is both cut and halved is cut anew in near-equal runs.""",
    "shardfft.rfftn(np.ones((4, 6))).shape == (4, 4)",
)


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


_ELSE = "that is cut over the ranks; else as :func:`{}`. Collective."
_SAME = "np.allclose(shardfft.{0}(np.ones({1})), np.fft.{0}(np.ones({1})))"
_BACK = "np.allclose(shardfft.i{0}(shardfft.{0}(np.ones({1}){2}){2}), 1)"
_LAST = (-2, -1)
fft = _of_one_axis(
    "fft", "c2c", f"Transform one axis of an array {_ELSE.format('fftn')}", _SAME.format("fft", "(4, 6)")
)
ifft = _of_one_axis(
    "ifft", "c2c", "Invert :func:`fft`. Collective.", _BACK.format("fft", "(4, 6)", ", axis=0"), forward=False
)
rfft = _of_one_axis(
    "rfft", "r2c", f"Transform one axis of a real array {_ELSE.format('rfftn')}", _SAME.format("rfft", "(4, 6)")
)
fft2 = _of_axes(
    "fft2",
    "c2c",
    f"Transform two axes of an array {_ELSE.format('fftn')}",
    _SAME.format("fft2", "(2, 4, 6)"),
    default=_LAST,
)
ifft2 = _of_axes(
    "ifft2",
    "c2c",
    "Invert :func:`fft2`. Collective.",
    _BACK.format("fft2", "(2, 4, 6)", ""),
    forward=False,
    default=_LAST,
)
rfft2 = _of_axes(
    "rfft2",
    "r2c",
    f"Transform two axes of a real array {_ELSE.format('rfftn')}",
    _SAME.format("rfft2", "(2, 4, 6)"),
    default=_LAST,
)


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
    "shardfft.dctn(np.ones((4, 6)), type=2).shape == (4, 6)",
)
dstn = _cosines(
    "dstn",
    """Sine transform of an array that is cut over the ranks, as ``scipy.fft.dstn`` of the whole. Collective.

    The arguments are those of :func:`dctn`.""",
    "shardfft.dstn(np.ones((4, 6), 'float32'), type=2).dtype == np.float32",
)
_INVERSE = "Invert :func:`{}` of the same ``type``; the arguments are the same. Collective."
idctn = _cosines("idctn", _INVERSE.format("dctn"), _BACK.format("dctn", "(4, 6)", ", type=1"))
idstn = _cosines("idstn", _INVERSE.format("dstn"), _BACK.format("dstn", "(4, 6)", ", type=4"))
