"""The share of communication that Cannon's products hide behind their local updates, measured on this machine.

It has no bound of its own: the line has the share hidden, the most possible, and the crossings of the curves.
"""

from __future__ import annotations

import math
import sys

import overlap_model
from measuring import Measured, measure, parser

from shardfft_bench.launch import cores

BLOCKS = [16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 144, 160]
TINY_BLOCKS = [4, 8, 12]


def experiment(mesh: list[int], threads: int, blocks: list[int], options: dict, precision: str) -> dict:
    """A case a block size: the same cube on every rank of the mesh."""
    return {
        "title": "The overlap model of Cannon's products",
        "about": "Messages alone, local updates alone, and both together, in turns, by the size of a rank's block.",
        "paper": "S3DFT, section 2.4",
        "ranks": [math.prod(mesh)],
        "rounds": 1,
        "time_limit": 600,
        "case": {"precision": precision, "threads": threads, "warmups": 1, "repeats": 9},
        "cases": [{"shape": [extent * block for extent in mesh]} for block in blocks],
        "libraries": [
            {
                "library": "cannon-parts",
                "case": {"options": {"mesh": mesh, **options}},
                "environment": {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
            }
        ],
    }


def conclude(done: Measured, parts: list[overlap_model.Parts], title: str) -> int:
    """Fits, prints and draws; the exit code."""
    if len(parts) < 2 or parts[0].rounds < 2:
        print("at least two block sizes are needed, and a mesh that cuts the axis")
        return done.conclude(False, "failed=nothing_measured")
    blocks = [one.block for one in parts]
    event = overlap_model.fit(blocks, [one.event for one in parts], 3)
    update = overlap_model.fit(blocks, [one.update for one in parts], 4)
    found = overlap_model.crossings(event, update, blocks[0], blocks[-1])
    overlap_model.tell(parts, event, update, found)
    overlap_model.draw(parts, event, update, found, title, done.into / "cannon_overlap.png")
    # The three largest blocks together stand for the sizes at which communication should be hidden.
    large = parts[-3:]
    total = overlap_model.Parts(
        0, large[0].rounds, sum(one.messages for one in large), sum(one.updates for one in large),
        sum(one.together for one in large),
    )  # fmt: skip
    share, possible = total.shares()
    crossing = next((f"{b:.0f}" for b, longer in reversed(found) if longer == "update"), "none")
    names = ",".join(str(one.block) for one in large)
    ratio = total.together / (total.messages + total.updates)
    figures = f"share={share:.2f} possible={possible:.2f} blocks={names} crossing={crossing}"
    return done.conclude(True, f"{figures} together_over_sum={ratio:.3f}")


def main() -> int:
    """Measures, prints, and returns the exit code."""
    made = parser(__doc__)
    eight = cores() >= 8
    made.add_argument("--mesh", default="2x2x2" if eight else "2x1x1", help="ranks along the axes (2x2x2, or 2x1x1)")
    made.add_argument("--axis", type=int, choices=(0, 1, 2), help="the axis transformed; the first that is cut")
    made.add_argument("--blocks", type=int, nargs="+", default=BLOCKS, help="block sizes b")
    made.add_argument("--threads", type=int, help="of each rank, one for messages (as many as fit, to 8)")
    made.add_argument("--single", action="store_true", help="single precision")
    made.add_argument("--global-transpose", action="store_true")
    made.add_argument("--local-matrix", action="store_true")
    given = made.parse_args()
    mesh = [int(extent) for extent in given.mesh.split("x")]
    threads = given.threads or min(8, max(1, cores() // math.prod(mesh)))
    options = {key: True for key in ("global_transpose", "local_matrix") if getattr(given, key)}
    if given.axis is not None:
        options["axis"] = given.axis
    precision = "single" if given.single else "double"
    blocks = TINY_BLOCKS if given.tiny else sorted(given.blocks)
    done = measure("cannon-overlap", given, made=experiment(mesh, threads, blocks, options, precision))
    title = f"Cannon product, mesh {given.mesh}, {threads} thread(s) a rank, {precision}"
    return conclude(done, overlap_model.parts_of(done.records), title)


if __name__ == "__main__":
    sys.exit(main())
