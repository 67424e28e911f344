"""`./run random` with a build and a launcher that only pretend: what it says of checks that do not end well."""

import os
import shutil
import subprocess

import pytest
from conftest import ROOT

RIGHT = "random plans: 3 right, 0 refused, 0 failed"
LAUNCHER = """#!/bin/bash
for ranks; do [[ $last == -n ]] && break; last=$ranks; done
[[ ${@: -1} == '--gtest_filter=RandomPlans.*' ]] || exit 1
[[ $ranks != 2 ]] || { %s; }
echo '%s'
"""


@pytest.mark.parametrize(
    "two, said",
    [
        (":", "all plans were right"),
        ("kill -9 $PPID", "not every check came to its end"),
        ("exit 0", "not every check came to its end"),
        ("echo 'fails: ./run random --plans 1 --seed 1 --first 7'; exit 1", "--first 7 --mpi openmpi"),
    ],
)
def test_all_plans_were_right_only_where_all_checks_ended(two, said, tmp_path):
    programs, tools = tmp_path / "bin", tmp_path / "tools"
    programs.mkdir()
    tools.mkdir()
    for name in ("random.sh", "common.sh", "seconds.sh"):
        shutil.copy(ROOT / "tools" / name, tools)
    (tools / "install_dependencies.sh").write_text("")
    for name, text in (("cmake", "#!/bin/sh\n"), ("mpirun.openmpi", LAUNCHER % (two, RIGHT))):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "--gtest_filter=RandomPlans.none").touch()  # that an unquoted pattern would match
    done = subprocess.run(
        ["bash", tools / "random.sh", "--cpu", "--mpi", "openmpi", "--ranks", "1 2 3", "--plans", "9"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "BUILD": str(tmp_path / "build")},
    )  # fmt: skip
    assert said in done.stdout + done.stderr, done.stdout + done.stderr
    assert (done.returncode == 0) == (two == ":")
    assert ("all plans were right" in done.stdout) == (two == ":")
