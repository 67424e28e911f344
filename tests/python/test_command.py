"""The console command, without MPI's launcher."""

import pytest

from shardfft import _command


def test_info(comm, capsys):
    assert _command.main(["info"]) == 0
    printed = capsys.readouterr().out
    assert "exchanges" in printed and "alltoallv" in printed


@pytest.mark.parametrize("words", [[], ["nonsense"], ["info", "--all"]])
def test_wrong_use(comm, capsys, words):
    assert _command.main(words) != 0
    assert "shardfft" in capsys.readouterr().err


def test_help(comm, capsys):
    assert _command.main(["--help"]) == 0
    assert "bench" in capsys.readouterr().out
