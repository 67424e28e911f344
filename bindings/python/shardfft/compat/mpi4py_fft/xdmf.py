"""Descriptions of HDF5 files for ParaView and VisIt, as XDMF: the array of each field and step, and its place."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np


def generate_xdmf(
    h5filename: str, periodic: bool | list[bool] | tuple[bool, ...] = True, order: str = "paraview"
) -> None:
    """Describe the real scalar fields of two and three axes of a file of :class:`HDF5File`. Call it on one process.

    Whole fields of ``name.h5`` are described in ``name.xdmf``, slices in ``name_slice_4_slice.xdmf`` and the like.
    Fields of two axes are planes in space, so that both programs read the same file.

    Args:
        h5filename: path of the file, as ParaView shall find it.
        periodic: whether the last point of a ``domain`` is left out because it is the first one again; one for all, or
            one for each axis.
        order: ``paraview`` or ``visit``; has no effect.

    Raises:
        ValueError: for another order; for fields of complex numbers.

    Example:
        >>> from shardfft.compat.mpi4py_fft import DistArray, HDF5File, generate_xdmf
        >>> u = DistArray((8, 6), val=1)
        >>> HDF5File("u.h5", mode="w").write(0, {"u": [u]})  # doctest: +SKIP
        >>> generate_xdmf("u.h5")  # doctest: +SKIP
    """
    import h5py

    if order not in ("paraview", "visit"):
        raise ValueError(f"order is 'paraview' or 'visit', not {order!r}")
    steps: dict[str, dict[int, list[tuple[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    with h5py.File(h5filename, "r") as file:
        for name, group in file.items():
            for kind in ("2D", "3D") if group.attrs["rank"] == 0 else ():
                for step, cut, data in _fields(group.get(kind, {}), int(kind[0])):
                    if data.dtype.kind == "c":
                        raise ValueError(f"{data.name} is complex, and these programs show real fields only")
                    steps[cut][step].append((name, data))
        for cut, fields in steps.items():
            path = os.path.splitext(h5filename)[0] + ("_" + cut if cut else "") + ".xdmf"
            _document(h5filename, cut, fields, periodic).write(path, "utf-8", xml_declaration=True)


def _fields(group: Any, ndim: int) -> list[tuple[int, str, Any]]:
    """List step, cut (empty for a whole field) and data of a group."""
    found = []
    for one, data in group.items():
        if hasattr(data, "items"):
            found += [(int(step), one, inner) for step, inner in data.items() if inner.ndim == ndim]
        elif data.ndim == ndim:
            found.append((int(one), "", data))
    return found


def _document(h5filename: str, cut: str, fields: dict[int, list[tuple[str, Any]]], periodic: Any) -> Any:
    root = Xml.Element("Xdmf", Version="2.1")
    series = Xml.SubElement(
        Xml.SubElement(root, "Domain"), "Grid", Name="steps", GridType="Collection", CollectionType="Temporal"
    )
    times = sorted(fields)
    _item(Xml.SubElement(series, "Time", TimeType="List"), times, "XML")
    for time in times:
        grid = Xml.SubElement(series, "Grid", GridType="Uniform")
        shape = _grid(grid, h5filename, cut, fields[time][0][1], periodic)
        for name, data in fields[time]:
            attribute = Xml.SubElement(grid, "Attribute", Name=name, Center="Node")
            item = _item(attribute, f"{os.path.basename(h5filename)}:{data.name}", "HDF", shape)
            item.set("Precision", str(data.dtype.itemsize))
    Xml.indent(root)
    return Xml.ElementTree(root)


def _item(parent: Any, values: Any, kind: str, shape: Any = None) -> Any:
    text = values if isinstance(values, str) else " ".join(repr(one) for one in values)
    extents = [len(values)] if shape is None else shape
    item = Xml.SubElement(
        parent, "DataItem", Format=kind, NumberType="Float", Dimensions=" ".join(str(one) for one in extents)
    )
    item.text = text
    return item


def _grid(grid: Any, h5filename: str, cut: str, data: Any, periodic: Any) -> list[int]:
    """Write the positions of the points: three axes; a plane has one with a single point. Returns the extents."""
    group = data.file[data.name.split("/")[1]]
    whole = [int(n) for n in group.attrs["shape"]]
    fixed = [int(one) if one != "slice" else None for one in cut.split("_")] if cut else [None] * len(whole)
    axes = list(range(len(whole))) if len(whole) <= 3 else [axis for axis, at in enumerate(fixed) if at is None]
    places = [_place(group, axis, whole[axis], periodic) for axis in axes]
    for i, axis in enumerate(axes):
        at = fixed[axis]
        if at is not None:
            places[i] = (places[i][0][[at]], places[i][1])
    if len(places) == 2:
        places.insert(0, (np.zeros(1), 1.0))
    shape = [len(points) for points, _ in places]
    uniform = all(step is not None for _, step in places)
    Xml.SubElement(
        grid, "Topology", Type="3DCoRectMesh" if uniform else "3DRectMesh", Dimensions=" ".join(str(n) for n in shape)
    )
    geometry = Xml.SubElement(grid, "Geometry", Type="ORIGIN_DXDYDZ" if uniform else "VXVYVZ")
    if uniform:
        _item(geometry, [float(points[0]) for points, _ in places], "XML")
        _item(geometry, [float(step) for _, step in places], "XML")
    else:
        for points, _ in reversed(places):  # x, the fastest, first
            _item(geometry, [float(one) for one in points], "XML")
    return shape


def _place(group: Any, axis: int, extent: int, periodic: Any) -> tuple[Any, float | None]:
    """Return the coordinates along an axis of the whole array, and the distance of neighbours if it is constant."""
    if "mesh" in group:
        return np.asarray(group[f"mesh/x{axis}"]), None
    origin, length = (float(one) for one in group[f"domain/x{axis}"])
    closed = periodic if isinstance(periodic, bool) else periodic[axis]
    step = length / (extent if closed else extent - 1)
    return origin + step * np.arange(extent), step
