"""Every claim runs from start to last line at a tiny size."""

import subprocess

import pytest
from blocks import ROOT


def claims():
    done = subprocess.run(["bash", ROOT / "tools" / "claim.sh", "list"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", claims())
def test_it_runs_the_whole_way(place, tmp_path, name):
    said = place.run(["./run", "claim", name, "--tiny", "--into", str(tmp_path)], at_root=True)
    last = said.splitlines()[-1]
    assert last.startswith(f"{name} ")
    # Without GPUs the claim gpu judges the records.
    assert "nothing is judged at this size" in last or "source=recorded" in last
