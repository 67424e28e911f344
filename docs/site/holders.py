"""Draws the pictures of docs/who-sends.md: boxes of ranks before and after an exchange, and the pieces that one sends.

    python docs/site/holders.py

A test compares the pictures with its output.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "pictures"
COLOURS = ["#4e79a7", "#f28e2b", "#59a14f", "#b07aa1"]
CELL = 20
Box = tuple[int, int, int, int]  # rows from, to; columns from, to


def parts(extent: int, count: int) -> list[tuple[int, int]]:
    """Cut an extent in near-equal runs, the first ones longer, as the library does."""
    ends = [part * (extent // count) + min(part, extent % count) for part in range(count + 1)]
    return list(pairwise(ends))


def grid(rows: int, columns: int, shape: tuple[int, int]) -> list[Box]:
    """Give the box of each rank of a grid; ranks count along rows."""
    return [(*row, *column) for row in parts(shape[0], rows) for column in parts(shape[1], columns)]


def common(a: Box, b: Box) -> Box | None:
    """Give the box that two boxes have in common."""
    box = (max(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), min(a[3], b[3]))
    return box if box[0] < box[1] and box[2] < box[3] else None


def _box(left: int, box: Box, rank: int, label: str, faint: bool = False) -> str:
    x, y = left + box[2] * CELL, 30 + box[0] * CELL
    wide, high = (box[3] - box[2]) * CELL, (box[1] - box[0]) * CELL
    shade = ' fill-opacity="0.15"' if faint else ""
    return (
        f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" fill="{COLOURS[rank]}"{shade} stroke="#ffffff" '
        f'stroke-width="2"/>\n<text x="{x + wide / 2:g}" y="{y + high / 2 + 5:g}" text-anchor="middle" '
        f'fill="{"#808080" if faint else "#ffffff"}">{label}</text>'
    )


def picture(before: list[Box], after: list[Box], sender: int, shape: tuple[int, int]) -> str:
    """Give a picture as SVG: before, what `sender` sends, after."""
    wide, step = shape[1] * CELL, (shape[1] + 3) * CELL
    drawn = []
    for number, title in enumerate(("before", f"rank {sender} sends", "after")):
        drawn.append(
            f'<text x="{number * step + wide / 2 + 5:g}" y="18" text-anchor="middle" fill="#808080">{title}</text>'
        )
    drawn += [_box(5, box, rank, str(rank)) for rank, box in enumerate(before)]
    for rank, box in enumerate(before):
        if rank != sender:
            drawn.append(_box(step + 5, box, rank, "", True))
    for rank, box in enumerate(after):
        meeting = common(before[sender], box)
        if meeting:
            drawn.append(_box(step + 5, meeting, rank, "keeps" if rank == sender else f"to {rank}"))
        drawn.append(_box(2 * step + 5, box, rank, str(rank)))
    size = (2 * step + wide + 10, shape[0] * CELL + 40)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" '
    return head + 'font-family="sans-serif" font-size="13">\n' + "\n".join(drawn) + "\n</svg>\n"


def pictures() -> dict[str, str]:
    """Give all pictures by the names of their files."""
    shape = (10, 10)
    return {
        "slabs.svg": picture(grid(4, 1, shape), grid(1, 4, shape), 1, shape),
        "pencils.svg": picture(grid(2, 1, shape), grid(1, 2, shape), 1, shape),
        "bricks.svg": picture(grid(2, 2, shape), grid(4, 1, shape), 1, shape),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
