"""Machines that can be simulated: a YAML file each (docs/simulation.md), in sim/machines or in a user's folder."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

from .data import folder, load_yaml
from .errors import BenchError

#: The meaning of each figure. Bandwidths are bytes a second, times seconds; names are those of shardfft::MachineFigures
#: if it has them.
FIGURES = {
    "memory": "that one rank reads and writes while others rest",
    "host_memory": "that all ranks of a node read and write together",
    "cache": "of one rank, of what lies in its caches",
    "cache_bytes": "that the caches hold for one rank",
    "flops": "operations of local Fourier transforms of a rank in a second",
    "products": "operations of matrix products of a rank in a second",
    "near_bandwidth": "that one rank sends inside its node",
    "near_latency": "of a message inside a node",
    "link_bandwidth": "of one link between nodes, in one direction",
    "link_latency": "of one link; of a switch, from node to node",
    "overhead": "that a processor spends on each end of a message",
}
#: The words of each topology.
TOPOLOGIES = {
    "switch": set(),
    "fat_tree": {"nodes_per_switch", "uplinks"},
    "torus": {"dimensions", "shape"},
    "dragonfly": {"chassis", "routers", "nodes_per_router", "links", "global_links"},
}


@dataclasses.dataclass(frozen=True)
class Machine:
    name: str
    title: str
    nodes: int
    ranks_per_node: int
    network: dict[str, Any]
    figures: dict[str, float]
    sources: dict[str, str]

    def ranks(self) -> int:
        return self.nodes * self.ranks_per_node

    def needed(self, ranks: int) -> int:
        """How many nodes so many ranks need; refuses more than the machine has."""
        if not 1 <= ranks <= self.ranks():
            raise BenchError(f"{self.name} has {self.ranks()} ranks on {self.nodes} nodes, and {ranks} are asked for")
        return -(-ranks // self.ranks_per_node)

    def platform(self, ranks: int) -> tuple[str, int]:
        """The words of the platform on which so many ranks run, and how many nodes it has."""
        shape = self._shape(self.needed(ranks))
        links = ("near_bandwidth", "near_latency", "link_bandwidth", "link_latency")
        words = {
            "topology": self.network["topology"],
            "shape": ",".join(map(str, shape)),
            "ranks_per_node": self.ranks_per_node,
            **{name: self.figures[name] for name in links},
        }
        return " ".join(f"{name}={value}" for name, value in words.items()), self._nodes(shape)

    def _shape(self, nodes: int) -> list[int]:
        network = self.network
        match network["topology"]:
            case "fat_tree":
                down = min(network["nodes_per_switch"], max(nodes, 2))
                return [down, max(2, -(-nodes // down)), network["uplinks"]]
            case "torus":
                return network.get("shape") or near_cube(nodes, network["dimensions"])
            case "dragonfly":
                chassis, routers, leaves, links = (
                    network[name] for name in ("chassis", "routers", "nodes_per_router", "links")
                )
                groups = max(2, -(-nodes // (chassis * routers * leaves)))
                if groups > routers:  # its routes to group n begin at the n-th router of a chassis
                    raise BenchError(
                        f"{self.name}: {nodes} nodes are {groups} groups of a dragonfly; SimGrid has at most {routers} "
                        "(as many as routers in a chassis)"
                    )
                return [groups, network["global_links"], chassis, links, routers, links, leaves]
        return [nodes]

    def _nodes(self, shape: list[int]) -> int:
        match self.network["topology"]:
            case "fat_tree":
                return shape[0] * shape[1]
            case "dragonfly":
                return math.prod(shape[0::2])
        return math.prod(shape)

    def words(self, ranks: int) -> dict[str, float]:
        """The program's words: figures of one rank while its node is as full as it gets."""
        together = min(ranks, self.ranks_per_node)
        figures = {name: self.figures[name] for name in ("cache", "cache_bytes", "flops", "products", "overhead")}
        memory = min(self.figures["memory"], self.figures["host_memory"] / together)
        return {"memory": memory, **figures, "ranks_per_node": self.ranks_per_node}

    def with_figures(self, changes: list[str]) -> Machine:
        """The same with other figures, NAME=VALUE each."""
        figures, sources = dict(self.figures), dict(self.sources)
        for change in changes:
            name, _, value = change.partition("=")
            if name not in FIGURES:
                raise BenchError(f"a machine has no figure '{name}'; known: {', '.join(FIGURES)}")
            figures[name], sources[name] = _figure(value, name, "--figure"), "the command line"
        return dataclasses.replace(self, figures=figures, sources=sources)


def near_cube(nodes: int, dimensions: int) -> list[int]:
    """The torus of exactly so many nodes whose sides differ least, as a partition of a larger machine."""
    if dimensions == 1:
        return [nodes]
    sides = [n for n in range(1, nodes + 1) if nodes % n == 0]
    first = min(sides, key=lambda n: (abs(math.log(n) - math.log(nodes) / dimensions), n))
    return sorted([first, *near_cube(nodes // first, dimensions - 1)], reverse=True)


def machines_folder() -> Path:
    beside = Path(__file__).resolve().parents[3] / "sim" / "machines"
    return beside if beside.is_dir() else folder("machines")


def available() -> list[str]:
    return sorted(path.stem for path in machines_folder().glob("*.yaml"))


def _count(content: dict, name: str, where: str) -> int:
    value = content.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BenchError(f"{where}: {name} is {value!r}; it must be a whole number of at least 1")
    return value


def _network(content: Any, nodes: int, where: str) -> dict[str, Any]:
    if not isinstance(content, dict) or content.get("topology") not in TOPOLOGIES:
        raise BenchError(f"{where}: network must have a topology of {', '.join(TOPOLOGIES)}; got {content!r}")
    known = TOPOLOGIES[content["topology"]]
    if unknown := sorted(set(content) - known - {"topology"}):
        names = ", ".join(sorted(known)) or "nothing"
        raise BenchError(f"{where}: a {content['topology']} has no {unknown[0]}; known: {names}")
    if content["topology"] == "torus":
        shape = content.get("shape")
        if shape is None:
            _count(content, "dimensions", where)
        elif not isinstance(shape, list) or [n for n in shape if not isinstance(n, int)] or math.prod(shape) != nodes:
            raise BenchError(f"{where}: the torus {shape!r} is not one of {nodes} nodes")
        return content
    for name in sorted(known):
        _count(content, name, where)
    return content


def _figure(text: Any, name: str, where: str) -> float:
    try:
        value = float(text)  # YAML takes 10e9 for a text
    except (TypeError, ValueError):
        value = math.nan
    if not 0 < value < math.inf:
        raise BenchError(f"{where}: {name} is {text!r}; it must be a number above 0")
    return value


def _figures(content: Any, where: str) -> tuple[dict[str, float], dict[str, str]]:
    if not isinstance(content, dict) or set(content) != set(FIGURES):
        found = set(content) if isinstance(content, dict) else set()
        wrong = sorted(set(FIGURES) - found) or sorted(found - set(FIGURES))
        raise BenchError(f"{where}: figures must be {', '.join(FIGURES)}; {wrong[0]} lacks or is none of them")
    values, sources = {}, {}
    for name, entry in content.items():
        if not isinstance(entry, dict) or set(entry) != {"value", "source"} or not str(entry["source"]).strip():
            raise BenchError(f"{where}: {name} must be {{value: number, source: text}}, not {entry!r}")
        values[name], sources[name] = _figure(entry["value"], name, where), str(entry["source"])
    return values, sources


def measured(path: str) -> Machine:
    """The machine of a file that `shardfft doctor --machine` wrote; figures that it lacks are those of two_cores."""
    try:
        from shardfft._doctor import machine as reader
    except ImportError as error:
        raise BenchError(f"{path} needs the package shardfft, which reads it: {error}") from error
    try:
        content = reader.read(path)
    except (OSError, ValueError) as error:
        raise BenchError(str(error)) from error
    base, told = read("two_cores"), reader.figures(content)
    names = {"link_bandwidth": "far_bandwidth", "link_latency": "far_latency"}
    figures = {name: told.get(names.get(name, name), base.figures[name]) for name in FIGURES}
    sources = {name: path if names.get(name, name) in told else base.sources[name] for name in FIGURES}
    nodes = max(1, len(content["hosts"]))
    together = -(-content["ranks"] // nodes)
    title = f"measured by shardfft doctor at {content['made']}"
    return Machine(Path(path).stem, title, nodes, together, {"topology": "switch"}, figures, sources)


def read(name: str) -> Machine:
    """A machine of `shardfft machines`, or a file."""
    if name.endswith(".json"):
        return measured(name)
    path = Path(name) if "/" in name or name.endswith(".yaml") else machines_folder() / f"{name}.yaml"
    if not path.exists():
        raise BenchError(f"no machine '{name}'; known: {', '.join(available())}, or the path of a YAML file")
    content, where = load_yaml(path), str(path)
    wanted = {"title", "nodes", "ranks_per_node", "network", "figures"}
    if wrong := sorted(wanted ^ set(content)):
        raise BenchError(f"{where}: members must be {', '.join(sorted(wanted))}; {wrong[0]} lacks or is none of them")
    nodes, together = _count(content, "nodes", where), _count(content, "ranks_per_node", where)
    figures, sources = _figures(content["figures"], where)
    network = _network(content["network"], nodes, where)
    return Machine(path.stem, str(content["title"]), nodes, together, network, figures, sources)


def listing() -> str:
    """For people: one line a machine."""
    lines = []
    for name in available():
        machine = read(name)
        lines.append(f"{name:16s} {machine.network['topology']:10s} {machine.ranks():8d} ranks  {machine.title}")
    return "\n".join(lines)


def description(machine: Machine) -> str:
    """For people: all figures with their sources."""
    lines = [machine.title, f"{machine.nodes} nodes of {machine.ranks_per_node} ranks, {machine.network}"]
    lines += [f"{name:15s} {machine.figures[name]:10.4g}  {machine.sources[name]}" for name in FIGURES]
    return "\n".join(lines)
