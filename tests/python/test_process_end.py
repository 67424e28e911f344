"""A rank that ends by an error ends the job. Each case is a job of two ranks, one of which would wait for ever."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import own_process
import pytest
from mpi4py import MPI

import shardfft
from shardfft._ground import abort

START = """
import sys
import shardfft
from mpi4py import MPI
comm = MPI.COMM_WORLD
plan = shardfft.plan((8, 8), comm=comm, effort="estimate")
"""
WAIT = "comm.Barrier(); print('came through', flush=True)\n"
LAUNCHERS = ["mpirun.openmpi", "mpiexec.openmpi"] if "Open MPI" in MPI.Get_library_version() else ["mpirun.mpich"]


@pytest.fixture
def job(comm, tmp_path):
    """Run a script on two ranks; give its status and its output."""
    launcher = next(filter(None, map(shutil.which, [*LAUNCHERS, "mpirun"])), None)
    if comm.size > 1 or launcher is None:
        pytest.skip("starts jobs of its own")

    def run(text, *words):
        script = tmp_path / "script.py"
        script.write_text(text)
        # The job must not take this process for its launcher.
        environment = own_process.environment(PYTHONPATH=str(Path(shardfft.__file__).parents[1]))
        flags = ["--oversubscribe"] if "Open MPI" in MPI.Get_library_version() else []
        if flags and os.getuid() == 0:
            flags.append("--allow-run-as-root")
        command = [launcher, *flags, "-n", "2", sys.executable, *words, str(script)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [
        ("raise ValueError('boom')", 1, ["[rank 1] ValueError: boom", "[rank 1] Traceback"]),
        ("raise KeyboardInterrupt", 1, ["[rank 1] KeyboardInterrupt"]),
        ("sys.exit(3)", 3, ["[rank 1] sys.exit(3)"]),
        ("sys.exit('no such file')", 1, ["[rank 1] sys.exit('no such file')"]),
    ],
)
def test_a_failing_rank_ends_the_job(job, failure, status, words):
    code, text = job(START + f"if comm.rank == 1:\n    {failure}\n" + WAIT)
    assert code == status, text
    assert "[rank 1] ends the job" in text and "came through" not in text
    for part in words:
        assert part in text


EARLY = "import sys\nimport shardfft\nfrom mpi4py import MPI\ncomm = MPI.COMM_WORLD\n"


@pytest.mark.parametrize("failure", ["raise ValueError('no such file')", "sys.exit('no such file')"])
def test_a_rank_that_fails_before_the_first_plan_ends_the_job(job, failure):
    code, text = job(EARLY + f"if comm.rank == 1:\n    {failure}\n" + WAIT)
    assert code == 1, text
    assert "[rank 1] ends the job" in text and "no such file" in text and "came through" not in text


def test_without_mpi_programs_end_as_ever(job):
    """One process, in which mpi4py is not even imported."""
    code, text = job("import sys\nimport shardfft\nassert 'mpi4py.MPI' not in sys.modules\nsys.exit(3)\n")
    assert code == 3 and "ends the job" not in text, text
    code, text = job("import shardfft\nraise ValueError('boom')\n")
    assert code == 1 and "ValueError: boom" in text and "ends the job" not in text, text


def test_a_hook_that_comes_later_decides_about_ends(job):
    late = EARLY + "sys.excepthook = lambda *error: print('mine', flush=True)\n"
    _, text = job(late + "comm.Barrier()\nsys.exit(0 if comm.rank else 4)\n")
    assert "ends the job" not in text, text
    _, text = job(late + "comm.Barrier()\nraise ValueError\n")
    assert "mine" in text and "ends the job" not in text, text


def test_an_error_that_all_ranks_share_is_told_by_the_rank_that_knows(job):
    code, text = job(START + "plan.forward(plan.input.zeros() if comm.rank else [1, 2])\n" + WAIT)
    assert code == 1, text
    assert "[rank 0] TypeError: x must be a NumPy array" in text
    assert "ArgumentError" not in text and "[rank 1]" not in text


@pytest.mark.parametrize("words", [(), ("-m", "mpi4py")])
@pytest.mark.parametrize("bad", ["plan.forward([1, 2])", "shardfft.plan((8, 8), layout='slabs')"])
def test_an_error_is_told_once_by_the_users_line(job, bad, words):
    code, text = job(START + bad + "\n" + WAIT, *words)
    assert code == 1, text
    told = [line for line in text.splitlines() if line.startswith("[rank ")]
    lines = len(START.splitlines()) + 1
    assert re.fullmatch(r"\[rank (0|1)\] (TypeError: x must be|ValueError: unknown layout).*", told[0])
    assert f'script.py", line {lines}, in <module>' in told[1] and bad in told[2] and "ends the job" in told[3]
    assert len(told) == 4, text


def test_an_error_of_one_rank_is_told_by_it_though_its_words_name_another(job):
    """The others would tell, but for the job that goes on."""
    code, text = job(START + "if comm.rank == 1:\n    raise ValueError('lost [rank 0]')\n" + WAIT)
    assert code == 1 and "[rank 1] ValueError: lost [rank 0]" in text and "came through" not in text, text


def test_good_ends_are_left_alone(job):
    caught = "try:\n    sys.exit(4)\nexcept SystemExit as ended:\n    assert ended.code == 4\n"
    thread = "import threading\nended = threading.Thread(target=sys.exit, args=(5,)); ended.start(); ended.join()\n"
    code, text = job(START + caught + thread + WAIT + "plan.close(); sys.exit(0)\n")
    assert code == 0, text
    assert text.count("came through") == 2 and "ends the job" not in text and "Traceback" not in text


def test_a_hook_of_the_users_stays(job):
    hook = "import sys\ndef mine(*error): print('mine', flush=True)\nsys.excepthook = mine\n"
    code, text = job(hook + START + WAIT + "plan.close(); assert sys.excepthook is mine; raise ValueError\n")
    assert code == 1, text
    assert "mine" in text and "ends the job" not in text


def test_by_one_call(job):
    hook = "import sys\nsys.excepthook = lambda *error: None\n"
    code, text = job(hook + START + "shardfft.abort_on_exception()\nif comm.rank == 0:\n    1 / 0\n" + WAIT)
    assert code == 1, text
    assert "[rank 0] ZeroDivisionError" in text


def test_with_mpi4py_as_the_runner(job):
    """The documents' advice for programs that have not imported this package yet."""
    bare = "from mpi4py import MPI\ncomm = MPI.COMM_WORLD\nif comm.rank == 1:\n    raise ValueError('boom')\n"
    code, text = job(bare + WAIT, "-m", "mpi4py")
    assert code == 1, text
    assert "ValueError: boom" in text and "came through" not in text


def test_modules_keep_the_interpreters_own_hook(comm):
    """These tests are run by ``python -m pytest``, which is no script."""
    shardfft.plan((4,), comm=comm, effort="estimate").close()
    assert abort._hook is None
    with pytest.raises(TypeError, match="mpi4py communicator"):
        shardfft.abort_on_exception(3)


KILLED = """
import os
import signal
import sys
from shardfft import DistArray
from shardfft._arrays import files
d = DistArray.zeros((4, 6)) + 1
if os.path.exists(sys.argv[1]):
    before = files._in_order
    def dies(array):
        if d.comm.rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return before(array)
    files._in_order = dies
    d += 1
d.save(sys.argv[1])
"""


@pytest.mark.parametrize("suffix", ["", ".h5"])
def test_a_rank_that_dies_while_others_save_keeps_the_older_array(job, tmp_path, suffix):
    if suffix:
        pytest.importorskip("h5py")
    path = str(tmp_path / f"field{suffix}")
    for whole in (True, False):
        code, text = job(KILLED.replace("sys.argv[1]", repr(path)))
        assert (code == 0) == whole, text
        assert (shardfft.DistArray.load(path) == 1).all()
    (shardfft.DistArray.zeros((4, 6)) + 3).save(path)
    assert (shardfft.DistArray.load(path) == 3).all()


def test_calls_behind_finalize_are_refused(job):
    """MPI itself would end the process."""
    made = """
import numpy as np
solver = shardfft.poisson((8, 8), 1.0, comm=comm)
f, x, d = solver.zeros(), plan.input.zeros(), shardfft.DistArray.zeros((8, 8), comm=comm)
halo = shardfft.HaloExchange(d.layout, 1, comm=comm)
padded, spectrum = halo.zeros(), np.fft.fft2(d)
calls = (
    lambda: plan.forward(x), lambda: plan.forward(spectrum), lambda: solver.solve(f), lambda: np.fft.fft2(d),
    lambda: d.redistribute("pencil"), lambda: shardfft.HaloExchange(d.layout, 1), lambda: halo.update(padded),
    lambda: halo.pad(d.local), lambda: d[1:4], lambda: d[0, 0], lambda: d.copy(), lambda: d + d, lambda: d.sum(),
    lambda: d.gather(), lambda: shardfft.fftn(x), lambda: shardfft.fftn(x, comm), lambda: spectrum.shells(),
    lambda: d.save("nowhere"), lambda: repr(d), lambda: shardfft.gather(x, d.layout, comm), lambda: d.comm,
)
MPI.Finalize()
for number, call in enumerate(calls):
    try:
        call()
    except shardfft.Error as error:
        print(f"no {number}: {error}\\n", end="", flush=True)
"""
    code, text = job(START + made)
    assert code == 0, text
    for number in range(made.count("lambda:")):
        assert len(re.findall(rf"no {number}: MPI is .*finali[sz]ed", text)) == 2, text
