"""`shardfft selftest`: right transforms pass, and wrong messages are found."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

SMALL = ["--shape", "14x12x9"]


@pytest.fixture
def selftest(place, tmp_path):
    """Run it on some ranks; give its exit code, output and errors."""

    def run(ranks, *words, **variables):
        command = ["mpirun", "--oversubscribe", "-n", str(ranks), "env", *(f"{k}={v}" for k, v in variables.items())]
        command += [str(place.folder / ".venv/bin/python"), "-m", "shardfft", "selftest", *SMALL, *words]
        done = subprocess.run(command, cwd=tmp_path, env=place.environment(), capture_output=True, text=True,
                              timeout=300, check=False)  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    return run


def test_all_is_right(selftest):
    status, said, _ = selftest(2)
    assert status == 0 and re.search(r"(\d+) checks: \d+ passed, 0 failed", said), said[-2000:]
    made = [line for line in said.splitlines() if ": passed: " in line]
    exchanges = ["exchange=alltoallv", "exchange=p2p", "exchange=shared_window", "exchange=hierarchical"]
    others = [
        "layout=brick",
        "layout=cyclic",
        "algorithm=pencil",
        "output=natural",
        "local_fft=fftw",
        "workspace=least",
    ]
    for word in exchanges + others:
        assert any(word in line.split() or f"{word}:" in line.split() for line in made), word


@pytest.mark.parametrize(("fault", "exchange", "ranks"), [("sign", "p2p", 2), ("swap", "alltoallv", 3)])
def test_wrong_messages(selftest, preloaded, fault, exchange, ranks):
    """One wrong sign, or two messages that change places: nothing else of the job is wrong."""
    words = ["--only", f"exchange={exchange} kind=c2c output=natural"]
    status, said, _ = selftest(ranks, *words, LD_PRELOAD=preloaded)
    assert status == 0 and "4 checks: 4 passed, 0 failed" in said, said
    status, said, _ = selftest(ranks, *words, LD_PRELOAD=preloaded, FAULT=fault)
    assert status == 1 and ": failed: " in said, said


def test_a_run_that_was_interrupted(selftest, tmp_path):
    """Checks that have passed are not made again, and the file of another job is refused."""
    state = ["--state", "state.jsonl"]
    only = ["--only", "exchange=ring kind=c2c"]
    assert "8 checks: 8 passed" in selftest(1, *only, *state)[1]
    kept = (tmp_path / "state.jsonl").read_text().splitlines(keepends=True)
    assert len(kept) == 9
    (tmp_path / "state.jsonl").write_text("".join(kept[:4]))
    status, said, _ = selftest(1, *only, *state)
    assert status == 0 and "8 checks: 5 passed, 0 failed, 0 refused, 3 before" in said
    status, _, errors = selftest(1, "--set", "threads=2", *state)
    assert status == 2 and "is of another job" in errors
    (tmp_path / "state.jsonl").write_text(json.dumps([1]) + "\n")
    status, _, errors = selftest(1, *state)
    assert status == 2 and "is no state of shardfft selftest" in errors
    status, _, errors = selftest(1, "--set", "norm=ortho")
    assert status == 2 and "norm cannot be set" in errors
