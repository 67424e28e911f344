"""``shardfft plan``: its predictions, and its refusals of wrong words."""

import json
import subprocess
import sys

import pytest
from test_doctor import figures

import shardfft
from shardfft import _command
from shardfft._doctor import machine


def told(capsys, *words):
    assert _command.main(["plan", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture(autouse=True)
def no_file_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("SHARDFFT_CACHE", str(tmp_path / "none"))


@pytest.mark.parametrize("kind", ["c2c", "r2c"])
@pytest.mark.parametrize("layout", ["slab", "brick"])
def test_memory_and_messages_are_those_of_the_plan(comm, capsys, kind, layout):
    words = ["--shape", "40x36x30", "--kind", kind, "--layout", layout, "--ranks", str(comm.size)]
    said = told(capsys, *words, "--exchange", "p2p", "--set", "chunks=2")
    options = {"exchange": "p2p", "effort": "estimate", "chunks": 2}
    with shardfft.plan((40, 36, 30), kind, comm=comm, layout=layout, **options) as plan:
        real = plan.report()
        sizes = comm.allgather((plan.input.empty().nbytes, plan.output.empty().nbytes))
    same = ["way", "input", "output", "workspace_bytes", "window_bytes", "table_bytes"]
    assert [said["report"][name] for name in same] == [real[name] for name in same]
    for run in ("forward", "backward"):
        pairs = list(zip(said["report"][run]["steps"], real[run]["steps"], strict=True))
        assert all(a[name] == b[name] for a, b in pairs for name in ("bytes_sent", "messages_sent"))
        sent = sum(step["near_bytes"] + step["far_bytes"] for step in said[run])
        assert (sent > 0) == (comm.size > 1)
    assert [said["input_bytes"], said["output_bytes"]] == [max(size[side] for size in sizes) for side in (0, 1)]
    assert said["seconds"] == pytest.approx(
        sum(step["seconds"] for run in ("forward", "backward") for step in said[run])
    )


def test_neither_mpi_nor_gpus_are_needed(comm):
    if comm.rank > 0:
        return
    command = [sys.executable, "-m", "shardfft", "plan", "--shape", "2048^3", "--ranks", "64", "--gpus-per-node", "8"]
    ended = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = ended.stdout.splitlines()
    assert lines[2].startswith("memory a rank, about: 8.59 GB (input 2.15 GB, output 2.15 GB")
    assert "235 MB in 7 messages inside its host, sends 1.88 GB in 56 messages to other hosts" in ended.stdout
    assert lines[-1].startswith("128 ranks: ") and "times as fast" in lines[-1]


def test_hosts_and_figures_count(comm, capsys, tmp_path):
    words = ["--shape", "64^3", "--ranks", "8", "--exchange", "p2p"]
    near, far = told(capsys, *words), told(capsys, *words, "--ranks-per-node", "2")
    assert near["forward"][1]["far_messages"] == 0 and far["forward"][1]["far_messages"] == 6
    made = figures() | {"model": {"far_bandwidth": 1e6, "error": 0.2}}
    machine.write(made, tmp_path / "m.json")
    slow = told(capsys, *words, "--ranks-per-node", "2", "--machine", str(tmp_path / "m.json"))
    sent = far["forward"][1]["far_bytes"]
    assert slow["error"] == 0.2 and slow["forward"][1]["seconds"] > 2 * sent / 1e6
    assert slow["figures"]["flops"] == 1e9 and slow["figures"]["host_memory"] == 1e9


def test_the_users_own_file_is_read(comm, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SHARDFFT_CACHE", str(tmp_path / "kept"))
    machine.write(figures(), machine.own())
    assert told(capsys, "--shape", "8x8", "--ranks", "2")["figures"]["flops"] == 1e9


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--shape", "8x8", "--ranks", "0"], "--ranks is 0; it must be 1 to"),
        (["--shape", "8x8", "--ranks", "999999999"], "--ranks is 999999999; it must be 1 to"),
        (["--shape", "8x8", "--ranks", "4", "--gpus-per-node", "-1"], "--gpus-per-node is -1; it must be"),
        (["--shape", "8by8", "--ranks", "4"], "'8by8' is no shape like 90x80x70 or 512^3"),
        (["--shape", "0x8", "--ranks", "4"], "8"),
        (["--shape", "9999999999^3", "--ranks", "4"], "more elements than memory has addresses"),
        (["--shape", "8x8", "--ranks", "4", "--layout", "round"], "round"),
        (["--shape", "8x8", "--ranks", "4", "--algorithm", "magic"], "magic"),
        (["--shape", "8x8", "--ranks", "4", "--exchange", "magic"], "magic"),
        (["--shape", "8x8", "--ranks", "4", "--set", "threads"], "'threads' is no option like threads=2"),
        (["--shape", "8x8", "--ranks", "4", "--set", "grid=3,3"], "grid"),
        (["--shape", "8x8", "--ranks", "4", "--machine", "/there/is/none"], "/there/is/none"),
    ],
)
def test_wrong_words(comm, capsys, words, says):
    with pytest.raises(SystemExit) as ended:
        _command.main(["plan", *words])
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == "" and says in printed.err and printed.err.startswith("shardfft: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"speed": 3}, "has speed, which no machine file of version 1 has"),
        ({"memory": [{"ranks": 1, "bytes_per_second": 1, "colour": 2}]}, "memory[0] has colour, which no"),
        ({"model": {"speed": 3}}, "model has speed, which no"),
        ({"model": {"flops": -3}}, "model.flops must be a number of at least 0, not -3"),
        ({"model": 3}, "model must be an object, not 3"),
        ({"model": {"near_latency": float("nan")}}, "model.near_latency must be a number of at least 0, not nan"),
        ({"step_seconds": float("inf")}, "step_seconds must be a number of at least 0, not inf"),
        ({"model": {"flops": 10**400}}, "model.flops must be a number of at least 0, not 1000"),
        ({"memory": [{"ranks": 0, "bytes_per_second": 1}]}, "memory[0].ranks must be at least 1, not 0"),
    ],
)
def test_wrong_machine_files(comm, capsys, tmp_path, change, says):
    (tmp_path / "m.json").write_text(json.dumps(figures() | change))
    with pytest.raises(SystemExit) as ended:
        _command.main(["plan", "--shape", "8x8", "--ranks", "4", "--machine", str(tmp_path / "m.json")])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
