"""The console command, without MPI's launcher."""

import os
import subprocess
import sys

import own_process
import pytest

import shardfft
from shardfft import _command, _core


def test_info(comm, capsys):
    assert _command.main(["info"]) == 0
    printed = capsys.readouterr().out
    assert "exchanges" in printed and "alltoallv" in printed


@pytest.mark.parametrize("words", [[], ["nonsense"], ["info", "--all"], ["info", "more"]])
def test_wrong_use(comm, capsys, words):
    with pytest.raises(SystemExit) as ended:
        _command.main(words)
    assert ended.value.code == 2
    assert "usage: shardfft" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")
@pytest.mark.parametrize("words", [["info"], ["options"], ["options", "--markdown"]])
def test_output_that_cannot_be_written(comm, words):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "shardfft", *words]
        told = subprocess.run(
            command, env=own_process.environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert told.returncode == 1
    assert told.stderr == "shardfft: the output could not be written: No space left on device\n"


def test_help(comm, capsys):
    with pytest.raises(SystemExit) as ended:
        _command.main(["--help"])
    assert ended.value.code == 0
    assert "bench" in capsys.readouterr().out


def test_version(comm, capsys):
    with pytest.raises(SystemExit) as ended:
        _command.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"shardfft {shardfft.__version__}\n"


def test_kernels_are_compiled_for_what_was_said(comm, capsys, monkeypatch):
    asked = []
    monkeypatch.setattr(_core, "compile_kernels", lambda *words: asked.append(words) or ["planes"])
    words = ["compile", "12x10x8", "--arch", "sm_90", "--kind", "real", "--precision", "single", "--verify"]
    assert _command.main(words) == 0
    assert asked == [([12, 10, 8], True, _core.Precision.f32, 90, True)]
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "planes" and printed[1].startswith("1 kernel for sm_90 in ")


@pytest.mark.parametrize("words", [["axb", "--arch", "sm_90"], ["8x8", "--arch", "H100"], ["8x8", "--arch", "sm_1"]])
def test_kernels_that_cannot_be_compiled(comm, capsys, words):
    assert _command.main(["compile", *words]) == 1
    assert capsys.readouterr().err.startswith("shardfft: ")


def test_the_harness_gets_its_own_words(comm, monkeypatch):
    given = []
    monkeypatch.setattr(_command.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(_command.subprocess, "call", lambda words: given.append(words[3:]) or 5)
    for words in (["bench", "--help"], ["bench", "run", "--dry-run", "x", "--version"], ["report", "a"]):
        assert _command.main(words) == 5
        assert given.pop() == words


def test_a_reader_that_leaves_is_no_error(comm, monkeypatch):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as stream:
        monkeypatch.setattr(_command.sys, "stdout", stream)
        assert _command.main(["info"]) == 128 + 13
