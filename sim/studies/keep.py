"""Keeps simulated runs as records: one short line a run, which tables of documents name (claims/stated.py).

python sim/studies/keep.py NAME FOLDER   # of `shardfft simulate --into FOLDER`: adds its runs to NAME.jsonl.xz
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Members of a task that a record has as they are.
SAME = (
    "machine",
    "shape",
    "kind",
    "precision",
    "ranks",
    "algorithm",
    "exchange",
    "chunks",
    "grid",
    "placement",
    "mode",
)


def record(task: dict, result: dict) -> dict:
    """The line of a run: its task, the figures that the machine file does not have, seconds of one transform, r."""
    sys.path.insert(0, str(HERE.parents[1] / "bench" / "harness"))
    from shardfft_bench import machines

    own = machines.read(task["machine"]).figures if task["machine"] in machines.available() else {}
    line = {name: task.get(name, 0.0) for name in SAME}
    line["figures"] = {name: value for name, value in task["figures"].items() if own.get(name) != value}
    line["seconds"] = (result["forward"] + result["backward"]) / 2
    line["differs"] = result.get("differs")
    report = result["report"]["forward"]
    line["r"] = report.get("ratio")
    line["steps"] = [sum(time["seconds"] for time in step.get("times", [])) for step in report.get("steps", [])]
    return line


def read(name: str) -> list[dict]:
    """The records of a study."""
    path = HERE / f"{name}.jsonl.xz"
    if not path.exists():
        return []
    return [json.loads(line) for line in lzma.decompress(path.read_bytes()).decode("utf-8").splitlines()]


def key(line: dict) -> str:
    """Runs with equal keys are the same: the last one counts."""
    return json.dumps([line.get(name) for name in (*SAME, "figures")])


def main() -> None:
    """See above."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    found = {key(line): line for line in read(name)}
    for file in sorted(folder.glob("*.jsonl")):
        for text in file.read_text(encoding="utf-8").splitlines():
            entry = json.loads(text)
            if entry["task"]["mode"] != "check":
                line = record(entry["task"], entry["result"])
                found[key(line)] = line
    text = "".join(json.dumps(line) + "\n" for line in found.values())
    (HERE / f"{name}.jsonl.xz").write_bytes(lzma.compress(text.encode("utf-8"), preset=9))
    print(f"{name}: {len(found)} runs")


if __name__ == "__main__":
    main()
