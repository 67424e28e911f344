"""`./run random` with a build and a launcher that only pretend: its words about checks that do not end well."""

import json
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


def random_plans(two, tmp_path, *options):
    programs, tools = tmp_path / "bin", tmp_path / "tools"
    programs.mkdir(exist_ok=True)
    tools.mkdir(exist_ok=True)
    for name in ("random.sh", "common.sh", "seconds.sh"):
        shutil.copy(ROOT / "tools" / name, tools)
    (tools / "install_dependencies.sh").write_text("")
    for name, text in (("cmake", "#!/bin/sh\n"), ("mpirun.openmpi", LAUNCHER % (two, RIGHT))):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "--gtest_filter=RandomPlans.none").touch()  # that an unquoted pattern would match
    return subprocess.run(
        ["bash", tools / "random.sh", "--cpu", "--mpi", "openmpi", "--ranks", "1 2 3", *options],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "BUILD": str(tmp_path / "build")},
    )  # fmt: skip


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
    done = random_plans(two, tmp_path, "--plans", "9")
    assert said in done.stdout + done.stderr, done.stdout + done.stderr
    assert (done.returncode == 0) == (two == ":")
    assert ("all plans were right" in done.stdout) == (two == ":")


def test_a_state_leaves_out_what_was_checked(tmp_path):
    state = tmp_path / "state.jsonl"
    options = ["--plans", "600", "--state", str(state)]
    assert random_plans("exit 1", tmp_path, *options).returncode != 0
    lines = [json.loads(line) for line in state.read_text().splitlines()]
    assert sorted((line["ranks"], line["first"], line["plans"], line["right"]) for line in lines) == [
        (1, 0, 200, 3),
        (3, 400, 200, 3),
    ]
    again = random_plans(":", tmp_path, *options)
    assert again.returncode == 0 and "2 ranks" in again.stdout and "1 ranks" not in again.stdout, (
        again.stdout + again.stderr
    )
    lines = [json.loads(line) for line in state.read_text().splitlines()]
    assert [line["first"] for line in lines][2:] == [200] and len({line["seed"] for line in lines}) == 1
    state.write_text("something else\n")
    refused = random_plans(":", tmp_path, *options)
    assert refused.returncode != 0 and "none of a state's" in refused.stderr and state.read_text() == "something else\n"
