"""Puts faults into the library, one at a time, and tells which tests find them: repairs taken back, and mutations."""

import argparse
import hashlib
import itertools
import json
import os
import random
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("geometry", "schedule", "exchange", "exec", "gpu", "verify")
# Repairs that brought a test in C++, newest first, of which later work left the source half in one piece.
REPAIRS = [
    "0beae9d0", "17516cb5", "6d6f447a", "0635ef65", "430ad77d",
    "730073ea", "860b864e", "bbdbc9af", "70fe7c31", "b5bb638f",
]  # fmt: skip
# A sign, an index, a comparison, a condition, a missing wait.
CHANGES = [
    (r" \+ ", " - "), (r" - ", " + "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r"\[i\]", "[i + 1]"), (r"\[0\]", "[1]"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\(!(?=\w)", "("),
    (r"\bstd::min\b", "std::max"), (r"\bstd::max\b", "std::min"),
    (r"^\s+[\w.>()-]*(?:wait|barrier|fence|synchronize|synchronise)\w*\([^;]*\);$", ";"),
]  # fmt: skip


def git(*words, **options):
    """Returns the output of git, or None if it refuses."""
    ran = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, **options)
    return ran.stdout if ran.returncode == 0 else None


def repairs():
    """Pairs of a name and a patch, of those repairs that git can still revert."""
    for commit in REPAIRS:
        with tempfile.TemporaryDirectory() as folder:
            own = {"env": {**os.environ, "GIT_INDEX_FILE": f"{folder}/index"}}
            git("read-tree", "HEAD", **own)
            back = git("diff", commit, f"{commit}~1", "--", "src")
            if git("apply", "--3way", "--cached", "-", input=back, **own) is not None:
                name = git("log", "-1", "--format=%s", commit).strip()
                yield f"repair {commit} {name}", git("diff", "--cached", "HEAD", "--", "src", **own)


def mutations(seed):
    """Endless: a line that one of CHANGES fits, drawn by its file's length."""
    draw = random.Random(seed)
    files = [file for folder in FOLDERS for file in sorted((ROOT / "src" / folder).rglob("*.cpp"))]
    texts = {file: file.read_text().splitlines(keepends=True) for file in files}
    while True:
        file = draw.choices(files, [len(texts[file]) for file in files])[0]
        number = draw.randrange(len(texts[file]))
        line = texts[file][number]
        fitting = [(old, new) for old, new in CHANGES if re.search(old, line.split("//")[0])]
        if not fitting or line.lstrip().startswith(("//", "#", "static_assert", "template")) or '"' in line:
            continue
        old, new = draw.choice(fitting)
        changed = re.sub(old, new, line.rstrip("\n"), count=1) + "\n"
        name = file.relative_to(ROOT)
        patch = f"--- a/{name}\n+++ b/{name}\n@@ -{number + 1} +{number + 1} @@\n-{line}+{changed}"
        yield f"mutation {name}:{number + 1} {line.strip()} -> {changed.strip()}", patch


def seconds_of(build):
    """Seconds of each test of the run without a fault, as ctest kept them."""
    kept, mine = build / "Testing/Temporary/CTestCostData.txt", build / "seconds_of_tests.txt"
    if not mine.exists() and kept.exists():
        shutil.copyfile(kept, mine)
    lines = mine.read_text().split("---")[0].splitlines() if mine.exists() else []
    return {name: float(seconds) for name, _, seconds in map(str.split, lines)}


def failing(chosen, *pick, stop=True):
    """Names of tests that fail or hang, up to the first ones; the quick ones come first."""
    build, seconds = chosen.build, seconds_of(chosen.build)
    if seconds:
        # ctest begins with the highest cost; tests of several ranks have their number.
        (build / "Testing/Temporary").mkdir(parents=True, exist_ok=True)
        costs = "".join(f"{name} 1 {30 / (of + 0.1)}\n" for name, of in seconds.items())
        (build / "Testing/Temporary/CTestCostData.txt").write_text(costs + "---\n")
    command = ["ctest", "--test-dir", build, "-j", str(chosen.jobs), *pick]
    command.append(f"--no-tests={'ignore' if stop else 'error'}")
    begun, failed, text = {}, [], ""
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as ran,
        selectors.DefaultSelector() as ready,
    ):
        ready.register(ran.stdout, selectors.EVENT_READ)
        try:
            while not (stop and failed):
                if time.monotonic() > chosen.until:
                    raise TimeoutError
                if ready.select(5):
                    read = os.read(ran.stdout.fileno(), 65536).decode(errors="replace")
                    if not read:
                        ran.wait()
                        break
                    *lines, text = (text + read).split("\n")
                    for line in lines:
                        if start := re.match(r"\s*Start\s+\d+: (\S+)", line):
                            begun[start[1]] = time.monotonic()
                        elif end := re.match(r"\s*\d+/\d+ Test\s+#\d+: (\S+) [ .*]*(.*)", line):
                            begun.pop(end[1], None)
                            if not end[2].startswith(("Passed", "Skipped", "Not Run (Disabled)")):
                                failed.append(end[1])
                for name, at in begun.items() if stop else ():
                    if time.monotonic() - at > chosen.hangs + 5 * seconds.get(name, 30):
                        failed.append(f"{name} hangs")
        finally:
            if ran.poll() is None:
                os.killpg(ran.pid, signal.SIGTERM)
    return failed or (["ctest"] if ran.returncode > 0 else [])


def tried(patch, chosen):
    """(outcome, tests) of a tree with this patch: "found", "not found", or "none" with the words of a compiler."""
    apply = ["patch", "-p1", "--quiet", "-d", chosen.tree]
    subprocess.run(apply, input=patch, text=True, check=True)
    try:
        build = ["cmake", "--build", chosen.build, "-j", str(chosen.jobs)]
        made = subprocess.run(build, capture_output=True, text=True)
        if made.returncode != 0:
            return "none", re.findall(r".*(?:error|Error).*", made.stderr)[:1]
        # Those that the fault is likely to reach come first.
        near = re.search(r"^\+\+\+ b/src/(gpu|device|schedule)/", patch, re.MULTILINE)
        picks = [("-R", "gpu", "-E", chosen.without), ("-E", f"gpu|{chosen.without}")]
        failed = []
        for pick in picks if near else reversed(picks):
            failed = failed or failing(chosen, *pick)
        return ("found" if failed else "not found"), failed
    finally:
        subprocess.run([*apply, "--reverse"], input=patch, text=True, check=True)


def sources(root):
    """Files of src, in one order."""
    return sorted((root / "src").rglob("*.*"))


def copied(tree):
    """Makes the sources in `tree` those of ROOT again if an ended run left others; the rest keeps its time."""
    for file in sources(ROOT):
        mine = tree / file.relative_to(ROOT)
        if mine.read_bytes() != file.read_bytes():
            shutil.copyfile(file, mine)


def written(folder, seed, count):
    """Writes patches into a folder, repairs and mutations in turn: `tried` needs no repository then."""
    folder.mkdir(parents=True, exist_ok=True)
    # Some mutations do not compile.
    drawn = itertools.islice(mutations(seed), count + count // 4)
    some = [one for pair in itertools.zip_longest(repairs(), drawn) for one in pair if one]
    for number, (name, patch) in enumerate(some):
        (folder / f"{number:03}.patch").write_text(f"{name}\n{patch}")


def made(folder, state, chosen):
    """Writes the patches of these sources, and begins a new state, unless both are there already."""
    every = hashlib.sha256(b"".join(map(Path.read_bytes, sources(ROOT)))).hexdigest()
    known, made_of = folder / "made_of", f"{every} {chosen.seed} {chosen.mutations}"
    if not known.exists() or known.read_text() != made_of:
        shutil.rmtree(folder, ignore_errors=True)
        state.unlink(missing_ok=True)
        written(folder, chosen.seed, chosen.mutations)
        known.write_text(made_of)


def judged(every):
    """0 if all repairs were found, and of the mutations all but one or a tenth; 1 if nothing was tried."""
    missed = [one["fault"] for one in every if one["outcome"] == "not found"]
    drawn = [one for one in every if one["fault"].startswith("mutation") and one["outcome"] != "none"]
    of_drawn = sum(name.startswith("mutation") for name in missed)
    return 1 if not every or of_drawn < len(missed) or of_drawn > max(1, len(drawn) / 10) else 0


def each(folder, state, chosen):
    """Tries the patches of this share that the state does not have."""
    mine, of = map(int, chosen.share.split("/"))
    if subprocess.run(["cmake", "--build", chosen.build, "-j", str(chosen.jobs)]).returncode != 0:
        sys.exit("faults: the tests cannot be built without a fault")
    if not state.exists() and (failed := failing(chosen, "-E", chosen.without, stop=False)):
        sys.exit(f"faults: tests fail without a fault: {' '.join(failed)}")
    known = {json.loads(line)["fault"] for line in state.read_text().splitlines()} if state.exists() else set()
    for number, file in enumerate(sorted(folder.glob("*.patch"))):
        name, patch = file.read_text().split("\n", 1)
        if number % of != mine or name in known:
            continue
        outcome, tests = tried(patch, chosen)
        with state.open("a") as lines:
            lines.write(json.dumps({"fault": name, "outcome": outcome, "tests": tests}) + "\n")
        print(f"{outcome:9} {name} {' '.join(tests[:3])}", flush=True)


def main(arguments=None):
    """Tries each fault that the state does not have; returns 1 if tests leave too many unfound."""
    parser = argparse.ArgumentParser(prog="./run faults", description=__doc__)
    parser.add_argument("--mutations", type=int, default=20, metavar="N", help="how many mutations are drawn (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations (1)")
    parser.add_argument(
        "--state", type=Path, help="a file with a line of JSON for each fault; those in it are left out"
    )
    parser.add_argument(
        "--patches", type=Path, help="try the patches of this folder; if there is none, write it and end"
    )
    parser.add_argument("--share", default="0/1", metavar="I/N", help="of the patches only those of this share")
    parser.add_argument("--tree", type=Path, required=True, help="a copy of the sources, which is changed")
    parser.add_argument("--build", type=Path, required=True, help="the build folder of --tree, with tests")
    parser.add_argument("--without", default="^$", metavar="PATTERN", help="tests that are left out, for ctest")
    parser.add_argument(
        "--hangs", type=float, default=90, help="a test with so many seconds beyond five times its own (90)"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    chosen = parser.parse_args(arguments)
    chosen.until = time.monotonic() + chosen.seconds
    folder = chosen.patches or chosen.build.parent / "patches"
    state = chosen.state or chosen.build.parent / "faults.jsonl"
    if chosen.patches and not folder.is_dir():
        written(folder, chosen.seed, chosen.mutations)
        return 0
    if not chosen.patches:
        made(folder, state, chosen)
    if chosen.tree.resolve() == ROOT:
        sys.exit("faults: --tree is to be a copy")
    copied(chosen.tree)
    try:
        each(folder, state, chosen)
    except TimeoutError:
        print("faults: out of time; the same command goes on")
    every = [json.loads(line) for line in state.read_text().splitlines()] if state.exists() else []
    count = {outcome: sum(one["outcome"] == outcome for one in every) for outcome in ("found", "not found", "none")}
    told = f"{count['found']} found, {count['not found']} not found, {count['none']} do not compile"
    print(f"faults: seed {chosen.seed}: {told}")
    return judged(every)


if __name__ == "__main__":
    assert shutil.which("patch"), "faults: needs the program patch"
    sys.exit(main())
