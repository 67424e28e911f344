"""Simulated networks: made, limited, taken down on every way out, and refused in words if they may not be made."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT, built_drivers

from shardfft_bench import cli, network, results
from shardfft_bench.errors import BenchError

SLOW = {"name": "slow", "rate": "100mbit"}


def namespaces():
    told = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout
    return [line.split()[0] for line in told.splitlines() if line.startswith(network.PREFIX)]


@pytest.fixture
def permitted(tmp_path):
    """Skips, in words, if a network cannot be made; afterwards nothing may be left of it."""
    try:
        with network.Hosts(SLOW, 1, tmp_path):
            pass
    except network.NetworkRefusedError as refusal:
        pytest.skip(f"networks cannot be made here: {refusal}")
    yield
    assert namespaces() == []


@pytest.mark.parametrize(
    "wrong, said",
    [
        ("fast", "a network has a name"),
        ({"rate": "1gbit"}, "a network has a name"),
        ({"name": "a", "colour": "red"}, "a network has a name"),
        ({"name": "a", "rate": "quick"}, "'quick' is not a rate like 1gbit"),
        ({"name": "a", "latency": "1 h"}, "'1 h' is not a latency like 50us"),
        ({"name": "a", "ranks_per_host": 0}, "'0' is not a number of ranks on each host"),
    ],
)
def test_bad_networks_are_named(wrong, said):
    with pytest.raises(BenchError, match=said):
        network.check(wrong)


def test_ranks_share_hosts_and_hosts_share_cores(tmp_path):
    two = {**SLOW, "ranks_per_host": 2}
    hosts = network.Hosts(two, 5, tmp_path, cores=[0, 1, 2, 3, 4, 5, 6])
    assert hosts.slots == ["10.77.0.1:2", "10.77.0.2:2", "10.77.0.3:2"]
    hosts._write_agent()
    agent = hosts.agent.read_text()
    assert [said.split()[0] for said in agent.split("taskset -c ")[1:]] == ["0,1", "2,3", "4,5"]
    network.Hosts(SLOW, 3, tmp_path, cores=[0, 1])._write_agent()
    assert "taskset" not in hosts.agent.read_text()


def test_networks_multiply_the_points(experiment):
    from shardfft_bench import experiments

    loaded = experiments.load(experiment(["a"], networks=[{"name": "plain"}, SLOW], ranks=[1, 2], rounds=1))
    runs = experiments.runs(loaded)
    assert [(run.ranks, run.network["name"]) for run in runs] == [(1, "plain"), (1, "slow"), (2, "plain"), (2, "slow")]
    assert len({run.key for run in runs}) == 4 and all("network" not in run.case for run in runs)


def test_a_refusal_says_which_step_and_why(tmp_path, monkeypatch, fake_drivers, plain_launcher, experiment):
    """An `ip` that refuses, as in most containers: the run is kept as unsupported, with the words."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ip").write_text("#!/bin/sh\necho 'mount --make-shared: Operation not permitted' >&2\nexit 1\n")
    (tools / "ip").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    path, out = experiment(["fake-good"], networks=[{"name": "plain"}, SLOW], rounds=1), tmp_path / "out"
    arguments = ["--drivers", str(fake_drivers), "--launcher", plain_launcher, "--into", str(out)]
    assert cli.main(["bench", "run", path, *arguments]) == cli.OK
    kept = {record["point"]["network"]["name"]: record for record in results.load(out)}
    assert kept["plain"]["status"] == "ok" and kept["slow"]["status"] == "unsupported"
    said = kept["slow"]["reason"]
    assert said.startswith("the network 'slow' cannot be made here: 'ip netns add shardfft")
    assert said.endswith("failed: mount --make-shared: Operation not permitted")


def test_without_ip_it_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(network.NetworkRefusedError, match="the command 'ip' is not installed"),
        network.Hosts(SLOW, 1, tmp_path),
    ):
        pass


def test_a_launcher_that_knows_no_hosts_is_said(permitted, tmp_path, fake_drivers, plain_launcher, experiment):
    path, out = experiment(["fake-good"], networks=[SLOW], rounds=1), tmp_path / "out"
    cli.main(["bench", "run", path, "--drivers", str(fake_drivers), "--launcher", plain_launcher, "--into", str(out)])
    assert "the launcher 'plain' has no way to place ranks on hosts" in results.load(out)[0]["reason"]


def said_by(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_hosts_are_apart_and_limited(permitted, tmp_path):
    megabytes = 4
    receive = (
        "import socket; s = socket.create_server(('', 5000)); print('up', flush=True); c, _ = s.accept()\n"
        f"n = 0\nwhile n < {megabytes} << 20: n += len(c.recv(1 << 20))\nc.send(b'x')"
    )
    with network.Hosts(SLOW, 2, tmp_path) as hosts:
        on = {address: [str(hosts.agent), "-", address] for address in hosts.addresses}
        assert [said_by([*on[address], "hostname"]).strip() for address in hosts.addresses] == ["host0", "host1"]
        # As ssh hands a command line to a shell.
        told = said_by([str(hosts.agent), hosts.addresses[1], "A=5; hostname;", "echo", "$A"])
        assert told.split() == ["host1", "5"]
        assert "rate 100Mbit" in said_by([*on[hosts.addresses[0]], "tc", "qdisc", "show", "dev", "wire"])
        server = subprocess.Popen([*hosts.prefix, sys.executable, "-c", receive], stdout=subprocess.PIPE)
        assert server.stdout.readline() == b"up\n"
        send = (
            f"import socket, time; c = socket.create_connection(('{hosts.addresses[0]}', 5000)); t = time.time()\n"
            f"c.sendall(bytes({megabytes} << 20)); c.recv(1); print(time.time() - t)"
        )
        seconds = float(said_by([*on[hosts.addresses[1]], sys.executable, "-c", send]))
        assert server.wait(20) == 0
        # 4 MiB at 100 Mbit/s are 0.34 s; unlimited they would take some milliseconds.
        assert 0.25 < seconds < 5
    assert namespaces() == []


def test_an_error_and_a_stale_maker_leave_nothing(permitted, tmp_path):
    with pytest.raises(ZeroDivisionError), network.Hosts(SLOW, 2, tmp_path) as hosts:
        sleeper = subprocess.Popen([*hosts.prefix, "sleep", "600"])
        raise ZeroDivisionError
    assert sleeper.wait(20) != 0 and namespaces() == []
    dead = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["ip", "netns", "add", f"{network.PREFIX}{dead}h0"], check=True)
    network.remove_stale()
    assert namespaces() == []


@pytest.fixture
def heeded():
    """Interrupts raise KeyboardInterrupt, also if the tests run in the background and were made deaf to them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [0, 2])
def test_an_interrupt_waits_for_the_command_under_way(heeded, tmp_path, threads):
    made, done = tmp_path / "made", threading.Event()
    for _ in range(threads):  # which the mask of the main thread does not reach
        threading.Thread(target=done.wait, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        network._do(["sh", "-c", f"kill -INT {os.getpid()}; sleep 0.6; touch {made}"])
    done.set()
    assert made.exists()


def heed_interrupts():
    """Shells make their background jobs deaf to SIGINT, and their children inherit this."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_campaign_takes_its_network_down(permitted, tmp_path, fake_drivers, experiment, how):
    launcher = tmp_path / "odd.yaml"
    launcher.write_text("command: [env]\non_hosts: [A=1]\n")
    path = experiment(["fake-hang"], networks=[SLOW], rounds=1)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "bench" / "harness")}
    arguments = ["--drivers", str(fake_drivers), "--launcher", str(launcher), "--into", str(tmp_path / "out")]
    campaign = subprocess.Popen([sys.executable, "-m", "shardfft_bench", "bench", "run", path, *arguments],
                                env=environment, cwd=tmp_path, preexec_fn=heed_interrupts)  # fmt: skip
    for _ in range(600):
        busy = [name for name in namespaces() if subprocess.run(["ip", "netns", "pids", name], capture_output=True,
                                                                check=False).stdout]  # fmt: skip
        if busy:
            break
        time.sleep(0.05)
    assert busy, "the driver never ran on the network"
    campaign.send_signal(how)
    assert campaign.wait(60) == 130
    assert namespaces() == []


def test_mpi_runs_over_the_network(permitted, real_drivers, tmp_path, experiment):
    told = said_by(["mpirun", "--version"]) if shutil.which("mpirun") else ""
    if "fftw-mpi" not in built_drivers(real_drivers) or "Open MPI" not in told:
        pytest.skip("needs the driver of fftw-mpi and Open MPI")
    case = {"shape": [16, 16, 16], "warmups": 1, "repeats": 2, "effort": "estimate", "profile": True}
    pairs = {"name": "pairs", "rate": "100mbit", "ranks_per_host": 2}
    path = experiment(["fftw-mpi"], networks=[{"name": "plain"}, SLOW, pairs], ranks=[2, 4], rounds=1, time_limit=60,
                      sizes=[], cases=[case])  # fmt: skip
    out = tmp_path / "out"
    assert cli.main(["bench", "run", path, "--drivers", str(real_drivers), "--into", str(out)]) == cli.OK
    hosts = {name: [] for name in ("plain", "slow", "pairs")}
    for record in sorted(results.load(out), key=lambda record: record["ranks"]):
        hosts[record["point"]["network"]["name"]].append(record["machine"]["hosts"])
    assert hosts == {"plain": [1, 1], "slow": [2, 4], "pairs": [1, 2]}
