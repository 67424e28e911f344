"""The commands that examine a job, over the stand-in's devices."""

from argparse import ArgumentParser

import pytest

from shardfft._doctor import doctor, selftest

pytestmark = pytest.mark.standin


def chosen(module, *words):
    parser = ArgumentParser()
    module.words(parser)
    return parser.parse_args([*words, "--gpu"])


def test_doctor(comm):
    told = doctor.examine(comm, chosen(doctor, "--shape", "12x10x8", "--no-figures"))
    assert {one.name for one in told.findings} <= {"oversubscribed"}
    assert sum(line.startswith("GPU of ") for line in told.known) > 1
    assert ("messages between GPUs by mpi_device: work" in told.known) == (comm.size > 1)


def test_selftest(comm, capsys):
    assert selftest.run(chosen(selftest, "--shape", "9x8x6", "--only", "exchange=cuda_peer output=natural")) == 0
    assert comm.rank != 0 or "8 checks: 8 passed, 0 failed, 0 refused" in capsys.readouterr().out
