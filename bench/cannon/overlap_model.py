#!/usr/bin/env python3
"""The overlap model of Cannon's products: measure, fit, find where communication is hidden, plot.

The time of one communication event (data and matrix block to the next rank) is fitted with a cubic polynomial of the
block size b, the time of one local update with a quartic, as in S3DFT section 2.4. Where the update takes longer,
communication can be hidden. What really is hidden is measured apart: the time of messages and updates overlapped,
against the sum of both alone.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Products of sums this long are no worse than these.
TOLERATED_ERROR = {"double": 1e-11, "single": 1e-3}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mesh", default="2x1x1", help="ranks along the axes 1, 2, 3 (2x1x1)")
    parser.add_argument("--axis", type=int, choices=(1, 2, 3), help="the axis transformed; the first that is cut")
    parser.add_argument("--blocks", default="16,24,32,40,48,64,80,96,112,128,144,160", help="block sizes b")
    parser.add_argument("--threads", type=int, default=1, help="OpenMP threads of each rank, one for messages")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--single", action="store_true", help="single precision")
    parser.add_argument("--global-transpose", action="store_true")
    parser.add_argument("--local-matrix", action="store_true")
    parser.add_argument("--mpirun", default="mpirun", help="the MPI launcher; flags are added for Open MPI")
    parser.add_argument("--launcher", help="the whole command before the program instead, {n} for the ranks")
    parser.add_argument("--program", type=Path, help="cannon_parts, built; else it is built in --build")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "cannon")
    parser.add_argument("--prefix", type=Path, default=ROOT / "build" / "install", help="the installed library")
    parser.add_argument("--results", type=Path, default=ROOT / "results", help="folder of cannon_overlap.json and .png")
    parser.add_argument("--from-file", type=Path, help="fit and plot these records instead of measuring")
    parser.add_argument("--claim", action="store_true", help="end with the line of ./run claim cannon-overlap")
    return parser.parse_args()


def build(args):
    configure = ["cmake", "-S", str(HERE), "-B", str(args.build), "-Wno-dev", "--log-level=WARNING"]
    subprocess.run([*configure, f"-DCMAKE_PREFIX_PATH={args.prefix}"], check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", str(args.build)], check=True, stdout=sys.stderr)
    return args.build / "cannon_parts"


def launcher(args, ranks):
    if args.launcher:
        return shlex.split(args.launcher.replace("{n}", str(ranks)))
    command = [args.mpirun]
    version = subprocess.run([args.mpirun, "--version"], capture_output=True, text=True).stdout
    if "Open MPI" in version or "OpenRTE" in version:
        command += ["--oversubscribe"]
        if os.geteuid() == 0:
            command += ["--allow-run-as-root"]
        cores = os.cpu_count() or 1
        if ranks * args.threads > cores:
            command += ["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        elif args.threads == 1:
            command += ["--bind-to", "core"]
        else:
            command += ["--map-by", f"slot:PE={args.threads}", "--bind-to", "core"]
    return [*command, "-n", str(ranks)]


def measure(args):
    ranks = int(np.prod([int(p) for p in args.mesh.split("x")]))
    program = args.program or build(args)
    command = [*launcher(args, ranks), str(program), "--mesh", args.mesh, "--blocks", args.blocks]
    command += ["--threads", str(args.threads), "--repeats", str(args.repeats)]
    if args.axis:
        command += ["--axis", str(args.axis)]
    for flag in ("single", "global_transpose", "local_matrix"):
        if getattr(args, flag):
            command.append("--" + flag.replace("_", "-"))
    threads = {"OMP_NUM_THREADS": str(args.threads), "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    environment = os.environ | threads
    print("+", shlex.join(command), file=sys.stderr)
    output = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def fit(blocks, seconds, degree):
    """Least squares of relative errors, so that small blocks count as much as large ones."""
    degree = min(degree, len(blocks) - 1)
    return np.polynomial.Polynomial.fit(blocks, seconds, degree, w=1 / np.asarray(seconds))


def crossings(event, update, low, high):
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


def shares(record):
    """Of the time of all messages: the share hidden behind updates, and the largest that the updates could hide."""
    hidden = record["messages_s"] + record["updates_s"] - record["together_s"]
    room = record["updates_s"] * (record["rounds"] - 1) / record["rounds"]
    return hidden / record["messages_s"], min(1.0, room / record["messages_s"])


def report(records, event, update, found):
    print(f"{'b':>6} {'event ms':>10} {'update ms':>10} {'sum ms':>10} {'together':>10} {'hidden':>8} {'possible':>8}")
    for r in records:
        share, possible = shares(r)
        total = r["messages_s"] + r["updates_s"]
        print(
            f"{r['block']:6d} {r['event_s'] * 1e3:10.4f} {r['update_s'] * 1e3:10.4f} {total * 1e3:10.4f} "
            f"{r['together_s'] * 1e3:10.4f} {share:8.2f} {possible:8.2f}"
        )
    for name, curve in (("communication event", event), ("local update", update)):
        terms = " ".join(f"{c:+.3e} b^{i}" for i, c in enumerate(curve.convert().coef))
        print(f"{name}: seconds = {terms}")
    if not found:
        middle = np.mean([r["block"] for r in records])
        longer = "update" if update(middle) > event(middle) else "communication event"
        print(f"no crossing from b = {records[0]['block']} to {records[-1]['block']}: the {longer} is always longer")
    for b, longer in found:
        print(f"crossing at b = {b:.1f}: from there on the {longer} is longer")


def plot(records, event, update, found, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    blocks = np.array([r["block"] for r in records], dtype=float)
    fine = np.linspace(blocks[0], blocks[-1], 400)
    figure, (times, hidden) = plt.subplots(1, 2, figsize=(11, 4.5), constrained_layout=True)
    for key, curve, colour, name in (
        ("event_s", event, "tab:blue", "communication event, cubic fit"),
        ("update_s", update, "tab:orange", "local update, quartic fit"),
    ):
        times.plot(fine, np.maximum(curve(fine), 1e-9) * 1e3, color=colour, label=name)
        times.plot(blocks, [r[key] * 1e3 for r in records], "o", color=colour, markersize=4)
    for i, (b, _) in enumerate(found):
        times.plot([b], [event(b) * 1e3], "ko", label="crossing" if i == 0 else None)
        times.annotate(f"b = {b:.0f}", (b, event(b) * 1e3), textcoords="offset points", xytext=(6, -12))
    times.set(xlabel="block size b", ylabel="time of one round, ms", yscale="log", title="Parts of a round alone")
    times.legend()
    both = np.array([shares(r) for r in records])
    hidden.plot(blocks, both[:, 1], "k--", label="as much as the updates have room for")
    hidden.plot(blocks, both[:, 0], "o-", color="tab:green", label="measured")
    hidden.axhline(0, color="grey", linewidth=0.5)
    hidden.set(xlabel="block size b", ylabel="share of communication hidden")
    hidden.set_title("Overlapped against the sum of both")
    hidden.set_ylim(top=1.3)  # room for the legend
    hidden.legend(loc="upper left")
    r = records[0]
    mesh = "x".join(str(p) for p in r["mesh"])
    work = f"Cannon product along axis {r['axis']}, mesh {mesh}"
    figure.suptitle(f"{work}, {r['threads']} thread(s) a rank, {r['precision']}")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def claim_line(records, found):
    """The three largest blocks together stand for the sizes at which communication should be hidden."""
    large = records[-3:]
    total = {key: sum(r[key] for r in large) for key in ("messages_s", "updates_s", "together_s")}
    total["rounds"] = large[0]["rounds"]
    share, possible = shares(total)
    crossing = next((f"{b:.0f}" for b, longer in reversed(found) if longer == "update"), "none")
    ratio = total["together_s"] / (total["messages_s"] + total["updates_s"])
    blocks = ",".join(str(r["block"]) for r in large)
    return (
        f"cannon-overlap share={share:.2f} possible={possible:.2f} blocks={blocks} crossing={crossing} "
        f"together_over_sum={ratio:.3f}"
    )


def main():
    args = arguments()
    records = json.loads(args.from_file.read_text()) if args.from_file else measure(args)
    records.sort(key=lambda r: r["block"])
    if len(records) < 2:
        sys.exit("overlap_model: at least two block sizes are needed")
    wrong = [r["block"] for r in records if not r["error"] < TOLERATED_ERROR[r["precision"]]]
    if wrong:
        sys.exit(f"overlap_model: wrong results for blocks {wrong}; times of wrong products say nothing")
    if records[0]["rounds"] < 2:
        sys.exit("overlap_model: the mesh does not cut this axis, so there is no communication to hide")
    blocks = [r["block"] for r in records]
    event = fit(blocks, [r["event_s"] for r in records], 3)
    update = fit(blocks, [r["update_s"] for r in records], 4)
    found = crossings(event, update, blocks[0], blocks[-1])
    report(records, event, update, found)
    args.results.mkdir(parents=True, exist_ok=True)
    (args.results / "cannon_overlap.json").write_text(json.dumps(records, indent=1) + "\n")
    plot(records, event, update, found, args.results / "cannon_overlap.png")
    print(f"records and plot: {args.results / 'cannon_overlap.json'}, {args.results / 'cannon_overlap.png'}")
    if args.claim:
        print(claim_line(records, found))


if __name__ == "__main__":
    main()
