"""The overlap model of Cannon's products: fits, the hidden communication and its bound, and a picture.

The time of one communication event (data and matrix block to the next rank) is fitted with a cubic polynomial of the
block size b, the time of one local update with a quartic, as in S3DFT section 2.4. If the update takes longer,
communication can be hidden. The part that really is hidden is measured apart: the time of messages and updates
overlapped, against the sum of both alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shardfft_bench.statistics import summary


@dataclass
class Parts:
    """Median seconds of a product of blocks of `block`^3 numbers and of its parts alone."""

    block: int
    rounds: int
    messages: float
    updates: float
    together: float

    @property
    def event(self) -> float:
        """Seconds of one communication event."""
        return self.messages / max(self.rounds - 1, 1)

    @property
    def update(self) -> float:
        """Seconds of one local update."""
        return self.updates / self.rounds

    def shares(self) -> tuple[float, float]:
        """Of the time of all messages: the share hidden behind updates, and the largest that they have room for."""
        hidden = self.messages + self.updates - self.together
        room = self.updates * (self.rounds - 1) / self.rounds
        return hidden / self.messages, min(1.0, room / self.messages)


def parts_of(records: list[dict]) -> list[Parts]:
    """One entry a block size out of good records of the probe `cannon-parts`, over all their rounds."""
    blocks: dict[int, list[dict]] = {}
    for record in records:
        if record["status"] == "ok" and "cannon" in record:
            blocks.setdefault(record["cannon"]["block"], []).append(record)

    def middle(some: list[dict], name: str) -> float:
        lists = [one["samples"] if name == "samples" else one["cannon"][name] for one in some]
        return summary([sample for samples in lists for sample in samples])["median"]

    return [
        Parts(
            block, some[0]["cannon"]["rounds"], middle(some, "messages_seconds"), middle(some, "updates_seconds"),
            middle(some, "samples"),
        )
        for block, some in sorted(blocks.items())
    ]  # fmt: skip


def fit(blocks: list[int], seconds: list[float], degree: int) -> np.polynomial.Polynomial:
    """Least squares of relative errors, so that small blocks count as much as large ones."""
    degree = min(degree, len(blocks) - 1)
    return np.polynomial.Polynomial.fit(blocks, seconds, degree, w=1 / np.asarray(seconds))


def crossings(event, update, low: float, high: float) -> list[tuple[float, str]]:
    """Block sizes within the measured range at which the fitted curves cross, and which is longer afterwards."""
    difference = update - event
    b = np.linspace(low, high, 4001)
    sign = np.sign(difference(b))
    found = []
    for i in np.flatnonzero(sign[:-1] * sign[1:] < 0):
        left, right = b[i], b[i + 1]
        for _ in range(60):
            middle = (left + right) / 2
            if np.sign(difference(middle)) == sign[i]:
                left = middle
            else:
                right = middle
        found.append((left, "update" if sign[i + 1] > 0 else "communication"))
    return found


def tell(parts: list[Parts], event, update, found: list[tuple[float, str]]) -> None:
    """Prints the table, the fits and the crossings."""
    print(f"{'b':>6} {'event ms':>10} {'update ms':>10} {'sum ms':>10} {'together':>10} {'hidden':>8} {'possible':>8}")
    for one in parts:
        share, possible = one.shares()
        times = [one.event, one.update, one.messages + one.updates, one.together]
        print(f"{one.block:6d} " + " ".join(f"{1e3 * s:10.4f}" for s in times) + f" {share:8.2f} {possible:8.2f}")
    for name, curve in (("communication event", event), ("local update", update)):
        terms = " ".join(f"{c:+.3e} b^{i}" for i, c in enumerate(curve.convert().coef))
        print(f"{name}: seconds = {terms}")
    if not found:
        middle = np.mean([one.block for one in parts])
        longer = "update" if update(middle) > event(middle) else "communication event"
        print(f"no crossing from b = {parts[0].block} to {parts[-1].block}: the {longer} is always longer")
    for b, longer in found:
        print(f"crossing at b = {b:.1f}: from there on the {longer} is longer")


def draw(parts: list[Parts], event, update, found: list[tuple[float, str]], title: str, path: Path) -> None:
    """Both curves with the measured points, and the share that is hidden."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    blocks = np.array([one.block for one in parts], dtype=float)
    fine = np.linspace(blocks[0], blocks[-1], 400)
    figure, (times, hidden) = plt.subplots(1, 2, figsize=(11, 4.5), constrained_layout=True)
    for key, curve, colour, name in (
        ("event", event, "tab:blue", "communication event, cubic fit"),
        ("update", update, "tab:orange", "local update, quartic fit"),
    ):
        times.plot(fine, np.maximum(curve(fine), 1e-9) * 1e3, color=colour, label=name)
        times.plot(blocks, [getattr(one, key) * 1e3 for one in parts], "o", color=colour, markersize=4)
    for i, (b, _) in enumerate(found):
        times.plot([b], [event(b) * 1e3], "ko", label="crossing" if i == 0 else None)
        times.annotate(f"b = {b:.0f}", (b, event(b) * 1e3), textcoords="offset points", xytext=(6, -12))
    times.set(xlabel="block size b", ylabel="time of one round, ms", yscale="log", title="Parts of a round alone")
    times.legend()
    both = np.array([one.shares() for one in parts])
    hidden.plot(blocks, both[:, 1], "k--", label="as much as the updates have room for")
    hidden.plot(blocks, both[:, 0], "o-", color="tab:green", label="measured")
    hidden.axhline(0, color="grey", linewidth=0.5)
    hidden.set(xlabel="block size b", ylabel="share of communication hidden")
    hidden.set_title("Overlapped against the sum of both")
    hidden.set_ylim(top=1.3)  # room for the legend
    hidden.legend(loc="upper left")
    figure.suptitle(title)
    figure.savefig(path, dpi=150)
