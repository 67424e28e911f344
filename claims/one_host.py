"""Two ranks on two cores: at least 1.5 times as fast as the best rival (1.9 at 256^3), and hardly slower than threads.

With FFTW alone on both sides it is the claim one-host-fftw, whose bounds are other ones.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from measuring import measure, parser, shape_name

CASES = 4  # that the claim is about


@dataclass
class Bounds:
    """The bars of a size: times faster than the best rival at least, times the threads' time at most."""

    rival: float
    threads: float


def bounds(claim: str, extent: int) -> Bounds:
    """The bounds of one size."""
    if claim == "one-host-fftw":
        return Bounds(1.2, 1.10)
    return Bounds(1.9 if extent == 256 else 1.5, 1.25 if extent <= 128 else 1.10)


@dataclass
class Outcome:
    """How one size came out."""

    rival: str
    ratio_rival: float
    ratio_threads: float
    holds: bool


def judge(claim: str, point: dict, times: dict[str, float]) -> Outcome | None:
    """Prints the line of one size; None when something needed is missing."""
    name = shape_name(point)
    threads = {label: ms for label, ms in times.items() if label.endswith(" threads")}
    rivals = {label: ms for label, ms in times.items() if label != "shardfft" and label not in threads}
    if "shardfft" not in times or not threads or not rivals:
        print(f"{name}: not everything that is needed ran: {', '.join(sorted(times)) or 'nothing did'}")
        return None
    ours = times["shardfft"]
    rival = min(rivals, key=rivals.__getitem__)
    floor = min(threads, key=threads.__getitem__)
    want = bounds(claim, point["shape"][0])
    done = Outcome(rival, rivals[rival] / ours, ours / threads[floor], False)
    done.holds = done.ratio_rival >= want.rival and done.ratio_threads <= want.threads
    others = ", ".join(f"{label} {ms:.1f}" for label, ms in sorted(times.items(), key=lambda one: one[1]))
    print(
        f"{name}: ours {ours:.1f} ms; best rival {rival} {rivals[rival]:.1f} ms, {done.ratio_rival:.2f} times ours "
        f"(wanted {want.rival}); best threads {floor} {threads[floor]:.1f} ms, ours {done.ratio_threads:.2f} times "
        f"(allowed {want.threads}); {'holds' if done.holds else 'DOES NOT HOLD'} [{others}]"
    )
    return done


def main(claim: str = "one-host", about: str = __doc__) -> int:
    """Measures, prints, and returns the exit code."""
    done = measure(claim, parser(about).parse_args())
    points = done.points("kind", "shape")
    outcomes = [judge(claim, point, done.medians(kind=point["kind"], shape=point["shape"])) for point in points]
    good = [one for one in outcomes if one]
    if not good:
        return done.conclude(False, "failed=nothing_measured")
    worst = min(good, key=lambda one: one.ratio_rival)
    threads = max(one.ratio_threads for one in good)
    holds = len(good) == CASES and all(one.holds for one in good)
    figures = f"best_rival={worst.rival} ratio_rival={worst.ratio_rival:.2f} ratio_threads={threads:.2f}"
    return done.conclude(holds, figures)


if __name__ == "__main__":
    sys.exit(main())
