"""Simulated machines: their files, the command, and the simulator if it is built (`./run simulator`)."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from shardfft_bench import beyond, cli, machines, simulate
from shardfft_bench.errors import BenchError

SIMULATOR = ROOT / "build" / "sim" / "sim" / "shardfft_sim.so"
simulated = pytest.mark.skipif(
    not (SIMULATOR.exists() and shutil.which("smpirun")), reason="no simulator: ./run simulator"
)
COLLECTIVES = ["alltoall", "alltoallv", "alltoallw", "p2p_alltoall", "hierarchical"]
MESSAGES = [*COLLECTIVES, "p2p", "p2p_pipelined", "pairwise_xor", "ring"]


@pytest.mark.parametrize("name", machines.available())
def test_every_machine_is_whole(name):
    machine = machines.read(name)
    many = machine.ranks() >= 10000 or machine.network["topology"] == "dragonfly"
    words, nodes = machine.platform(64 if many else machine.ranks())
    assert machine.name == name and words.startswith("topology=")
    assert nodes * machine.ranks_per_node >= min(machine.ranks(), 64)
    assert all(machine.sources[figure] for figure in machines.FIGURES)


def changed(tmp_path, old, new):
    text = (machines.machines_folder() / "zbox.yaml").read_text()
    assert old in text
    file = tmp_path / "mine.yaml"
    file.write_text(text.replace(old, new))
    return str(file)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("nodes: 144\n", "", "nodes lacks"),
        ("nodes: 144", "nodes: none", "nodes is 'none'; it must be a whole number"),
        ("nodes: 144", "nodes: 143", "is not one of 143 nodes"),
        ("topology: torus", "topology: ring", "topology of switch, fat_tree, torus, dragonfly"),
        ("shape: [12, 12]", "rings: 12", "a torus has no rings"),
        ("value: 662e+6", "value: fast", "link_bandwidth is 'fast'; it must be a number above 0"),
        ("value: 662e+6", "value: -1", "link_bandwidth is -1"),
        ("overhead:", "overheard:", "overhead lacks"),
        ('source: "Athlon MP: 256 KB of L2"', 'source: ""', "cache_bytes must be {value: number, source: text}"),
        ("title:", "title: [", "is not YAML"),
    ],
)
def test_bad_machine_files_are_refused_with_a_sentence(tmp_path, old, new, said):
    with pytest.raises(BenchError, match=said.replace("(", r"\(").replace("{", r"\{")):
        machines.read(changed(tmp_path, old, new))


def test_a_copied_file_is_a_machine(tmp_path):
    machine = machines.read(changed(tmp_path, "title: zBox", "title: mine"))
    assert machine.name == "mine" and machine.title.startswith("mine")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--machine", "eniac", "--shape", "8^3", "--ranks", "2"], "no machine 'eniac'; known: alvarez"),
        (["--machine", "zbox", "--shape", "8^3", "--ranks", "289"], "zbox has 288 ranks on 144 nodes"),
        (["--machine", "zbox", "--shape", "8^3", "--ranks", "0"], "--ranks is '0'"),
        (["--machine", "zbox", "--shape", "8^5", "--ranks", "2"], "--shape is '8^5'"),
        (["--machine", "summit", "--shape", "8^3", "--ranks", "65536"], "GB of memory; --memory allows 4 GB"),
        (
            ["--machine", "juwels_dragonfly", "--shape", "8^3", "--ranks", "257"],
            "5 groups of a dragonfly; SimGrid has at",
        ),
        (["--machine", "quad", "--shape", "8^3", "--ranks", "2", "--way", "nowhere"], "No such file"),
        (["--machine", "quad", "--shape", "8^3", "--ranks", "2", "--way", __file__], "it must hold one line, the way"),
        (["--machine", "quad", "--shape", "8^3", "--ranks", "2", "--check", "--kind", "r2c"], "leave out --kind"),
    ],
)
def test_impossible_simulations_are_refused_before_they_start(tmp_path, capsys, words, said):
    assert cli.main(["simulate", *words, "--into", str(tmp_path)]) == cli.MISTAKE
    assert said in capsys.readouterr().err


def test_the_list_names_every_machine_and_a_name_its_sources(capsys):
    assert cli.main(["machines"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == machines.available()
    assert cli.main(["machines", "summit"]) == 0
    assert "figure 3.3" in capsys.readouterr().out


def test_tori_are_near_cubes():
    assert [machines.near_cube(n, 3) for n in (64, 216, 1000, 24, 7)] == [
        [4, 4, 4], [6, 6, 6], [10, 10, 10], [4, 3, 2], [7, 1, 1],
    ]  # fmt: skip


def test_placements_are_drawn_by_their_seed():
    machine = machines.read("zbox")
    linear, one, again, other = (
        simulate.places(machine, 144, 288, how) for how in ("linear", "random:1", "random:1", "random:2")
    )
    assert linear[:3] == ["n0r0", "n0r1", "n1r0"] and one == again != other and sorted(one) == sorted(linear)


def test_the_time_told_before_follows_the_messages():
    task = {"ranks": 64, "algorithm": "slab", "grid": [], "chunks": 1}
    seconds, bytes_ = simulate.expected(task)
    twice, more = simulate.expected({**task, "ranks": 128})
    assert twice - 1 == pytest.approx(4 * (seconds - 1)) and more > bytes_
    assert simulate.expected({**task, "algorithm": "pencil"})[0] < seconds


def command(tmp_path, *words):
    return cli.main(["simulate", "--into", str(tmp_path), "--no-plot", *words])


def results(tmp_path, machine):
    return [json.loads(line) for line in (tmp_path / f"{machine}.jsonl").read_text().splitlines()]


def test_times_past_simulation_need_four_counts_at_which_the_model_agrees(monkeypatch):
    machine = machines.read("quad")
    monkeypatch.setattr(beyond, "seconds", lambda _, task: task["model"])
    agreeing = {n: ({"model": 1.09}, 1.0) for n in (2, 4, 8, 16)}
    assert beyond.disagreement(machine, agreeing) == pytest.approx(0.09)
    assert beyond.disagreement(machine, {1: ({"model": 9}, 1.0), **agreeing}) == pytest.approx(0.09)
    with pytest.raises(BenchError, match="differs from the simulation by 20% on 8 ranks"):
        beyond.disagreement(machine, {**agreeing, 8: ({"model": 0.8}, 1.0)})
    with pytest.raises(BenchError, match="needs simulations on 4 numbers of ranks"):
        beyond.disagreement(machine, dict(list(agreeing.items())[:3]))


def test_the_cost_model_has_the_figures_of_the_network():
    juwels = machines.read("juwels")
    inside, across = (beyond.figures(juwels, ranks)["far_bandwidth"] for ranks in (24, 25))
    assert (inside, across) == (juwels.figures["link_bandwidth"], juwels.figures["link_bandwidth"] / 2)
    with pytest.raises(BenchError, match="juwels_torus is a torus"):
        beyond.figures(machines.read("juwels_torus"), 64)


def test_the_cost_model_makes_the_plan_of_a_task():
    pytest.importorskip("shardfft")
    summit = machines.read("summit")
    task = {"kind": "c2c", "precision": "double", "layout": "pencil", "algorithm": "pencil", "exchange": "alltoallv"}
    task |= {"chunks": 1, "tolerance": 0.0}
    times = [
        beyond.seconds(summit, {**task, "shape": [512] * 3, "ranks": ranks, "grid": grid})
        for ranks, grid in ((80, []), (20480, []), (80, [1, 80]))
    ]
    assert times[0] > 50 * times[1] > 0 and times[2] != times[0]


@simulated
@pytest.mark.parametrize("ranks", [4, 8])
@pytest.mark.parametrize("algorithm", ["slab", "pencil", "brick", "cannon"])
def test_real_data_is_right_by_every_exchange_of_messages(tmp_path, algorithm, ranks):
    for exchange in MESSAGES if algorithm != "cannon" else ["p2p"]:
        grid = ["--grid", "2x2x1"] if algorithm == "cannon" and ranks == 4 else []
        words = ["--machine", "quad", "--shape", "12x10x9", "--algorithm", algorithm, "--exchange", exchange, *grid]
        assert command(tmp_path, *words, "--ranks", str(ranks), "--check") == 0
    for entry in results(tmp_path, "quad"):
        assert 0 < entry["result"]["error"] < 1e-13


@simulated
def test_results_are_kept_and_not_run_again(tmp_path, capsys):
    words = ["--machine", "zbox", "--shape", "64^3", "--ranks", "2,4", "--grid", "all"]
    assert command(tmp_path, *words) == 0
    kept = results(tmp_path, "zbox")
    assert [entry["task"]["grid"] for entry in kept] == [[1, 2], [2, 1], [1, 4], [2, 2], [4, 1]]
    assert "5 simulations" in capsys.readouterr().err
    assert command(tmp_path, *words) == 0
    assert "0 simulations" in capsys.readouterr().err and len(results(tmp_path, "zbox")) == 5


@simulated
def test_a_simulation_that_takes_too_long_is_ended(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SHARDFFT_TEST_OF", str(tmp_path))
    words = ["--machine", "selene", "--shape", "256^3", "--ranks", "256", "--algorithm", "slab", "--limit", "2"]
    assert command(tmp_path, *words) == 3 and "it took more than 2 s" in capsys.readouterr().out
    environments = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            environments.append(file.read_bytes())
    ours = [one for one in environments if f"SHARDFFT_TEST_OF={tmp_path}".encode() in one]
    assert len(ours) <= 1  # this process, if it shows what it has set


@simulated
def test_modelled_times_follow_the_figures(tmp_path):
    """Links twice as fast save half of the time of the messages."""
    fast = changed(tmp_path, "value: 662e+6", "value: 1324e+6")
    for name in (fast, "zbox"):
        assert command(tmp_path, "--machine", name, "--shape", "256^3", "--ranks", "16", "--algorithm", "slab") == 0
    slow, quick = (results(tmp_path, name)[0]["result"] for name in ("zbox", "mine"))
    steps = [result["report"]["forward"]["steps"][1]["times"] for result in (slow, quick)]
    times = [sum(time["seconds"] for time in step) for step in steps]
    gain = slow["forward"] - quick["forward"]
    assert 0.05 < gain / slow["forward"] < 0.15 and gain == pytest.approx(times[0] - times[1], rel=0.1)


@simulated
def test_a_way_and_real_numbers_are_simulated(tmp_path):
    """The line of a report makes the same plan again, and numbers of a quarter of the size send so many bytes."""
    start = ["--machine", "quad", "--shape", "32^3", "--ranks", "4"]
    assert command(tmp_path, *start, "--algorithm", "slab", "--exchange", "ring", "--chunks", "2") == 0
    assert command(tmp_path, *start, "--kind", "r2c", "--precision", "single", "--algorithm", "slab") == 0
    assert command(tmp_path, *start, "--tolerance", "1e-6", "--algorithm", "slab") == 0
    first, real, short = (entry["result"] for entry in results(tmp_path, "quad"))
    file = tmp_path / "way"
    file.write_text(first["report"]["way"] + "\n")
    assert command(tmp_path, *start, "--layout", "slab", "--way", str(file)) == 0
    again = results(tmp_path, "quad")[-1]["result"]
    assert (again["report"]["way"], again["forward"]) == (first["report"]["way"], first["forward"])
    sent = [sum(step["bytes_sent"] for step in one["report"]["forward"]["steps"]) for one in (first, real, short)]
    assert sent[1] / sent[0] == pytest.approx(17 / 32 / 2, rel=0.1) and sent[2] < sent[0] / 2


@simulated
def test_shared_memory_is_refused_with_a_reason(tmp_path, capsys):
    words = ["--machine", "quad", "--shape", "8^3", "--ranks", "4", "--exchange", "shared_window"]
    assert command(tmp_path, *words) == 3
    assert "the ranks of this host cannot share memory: they are simulated" in capsys.readouterr().out


REAL = """
import json, sys
from mpi4py import MPI
import shardfft
options = {"effort": "estimate", "local_fft": "fftw", "chunks": 1, **json.loads(sys.argv[1])}
plan = shardfft.plan((24, 20, 18), comm=MPI.COMM_WORLD, **options)
report = plan.report()
if MPI.COMM_WORLD.rank == 0:
    print(report.json())
"""


def account(report):
    told = ("text", "bytes_sent", "messages_sent")
    steps = [[step[one] for one in told] for way in ("forward", "backward") for step in report[way]["steps"]]
    entries = [entry for entry in report["way"].split("; ") if not entry.startswith("past_cache")]
    return entries, steps


@simulated
@pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun")
@pytest.mark.parametrize("ranks", range(1, 9))
def test_a_simulated_plan_is_the_real_one(tmp_path, monkeypatch, ranks):
    """The same way, steps, bytes and messages: of the largest rank, as both reports tell."""
    pytest.importorskip("shardfft")
    options = {"layout": "pencil", "algorithm": "pencil", "exchange": "p2p"}
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]
    # Tests before it may have made this process one of MPI's, which mpirun must not take for its parent.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMIX_"))}
    real = subprocess.run(
        [*mpirun, sys.executable, "-c", REAL, json.dumps(options)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    monkeypatch.setattr(simulate, "MORE", {"local_fft": "fftw"})
    words = ["--machine", "quad", "--shape", "24x20x18", "--exchange", "p2p", "--ranks", str(ranks)]
    assert command(tmp_path, *words) == 0
    (entry,) = results(tmp_path, "quad")
    assert account(entry["result"]["report"]) == account(json.loads(real.stdout.splitlines()[-1]))
