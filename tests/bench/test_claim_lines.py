"""The claim lines: its bars, for each set of instructions that a record has."""

import json
import subprocess
import sys

import pytest
from conftest import ROOT

FACTS = {"driver": "lines", "revision": "abc", "seed": 1, "load_before": 0.5}


def judge(tmp_path, **changed):
    """A record in which every bar is just met, but for the changes."""
    lines = [FACTS]
    for kind in ("c2c", "r2c"):
        for way, ours in (("rows", 10.0), ("columns", 12.0)):
            line = {"kind": kind, "precision": "double", "n": 90, "lines": way, "lanes512": ours, "lanes256": ours}
            lines.append({**line, "fftw": 8.0, "mkl": 10.0, "again": 1.01})
    lines[1].update(changed)
    record = tmp_path / "lines.jsonl"
    record.write_text("".join(json.dumps(one) + "\n" for one in lines))
    script = ROOT / "claims" / "lines.py"
    return subprocess.run([sys.executable, script, "--record", record], capture_output=True, text=True, check=False)


def test_the_record_names_the_fftw_beside_which_it_was_made():
    said = subprocess.run(
        [sys.executable, "-c", "import lines; print(lines.facts(1, 1)['fftw'])"],
        capture_output=True, text=True, check=True, cwd=ROOT / "claims",
    ).stdout  # fmt: skip
    assert said.startswith(("fftw-3.", "unknown"))


def test_a_record_that_holds(tmp_path):
    done = judge(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "lines avx-512=4/4 avx2=4/4 seed=1"


@pytest.mark.parametrize(
    "changed, last",
    [
        ({"lanes256": 9.9}, "lines avx-512=4/4 avx2=3/4 seed=1"),
        ({"lanes512": 7.0}, "lines avx-512=3/4 avx2=4/4 seed=1"),
        ({"fftw": 11.0}, "lines avx-512=3/4 avx2=3/4 seed=1"),
        ({"lines": "columns"}, "lines avx-512=3/4 avx2=3/4 seed=1"),
    ],
)
def test_one_length_that_falls_short(tmp_path, changed, last):
    done = judge(tmp_path, **changed)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == last
    assert "short: 90" in done.stdout
