"""``shardfft tune`` and ``shardfft wisdom``; tests/docs runs the commands as users do."""

import json

import pytest

import shardfft
from shardfft import _command, _core
from shardfft._doctor import tune, wisdom


@pytest.fixture
def file(comm, tmp_path, monkeypatch):
    """A file of wisdom that all ranks know and that is not there yet."""
    found = comm.bcast(tmp_path / "wisdom.json")
    monkeypatch.setenv("SHARDFFT_WISDOM", str(found))
    shardfft.forget_wisdom()
    yield found
    shardfft.forget_wisdom()


def told(capsys, *words):
    """Run a command; give its exit status and its output."""
    try:
        status = _command.main(list(words))
    except SystemExit as ended:
        status = ended.code
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_plans_find_what_was_tuned(comm, file, capsys):
    status, out, _ = told(capsys, "tune", "12x10x8", "--budget", "0.5s", "--set", "chunks=1")
    assert status == 0
    if comm.rank == 0:
        lines = out.splitlines()
        assert lines[0].startswith(f"12x10x8 c2c float64, slab to default, {comm.size} rank")
        assert sum(line.startswith("* ") for line in lines) == 2, "of each output one way is kept"
        assert lines[-1] == f"kept: {file}"
    shardfft.forget_wisdom()
    for output in ("default", "natural"):
        with shardfft.plan((12, 10, 8), comm=comm, output=output, chunks=1) as plan:
            assert [c["chosen"] for c in plan.report()["choices"] if c["what"] == "way"] == ["as remembered"]
    status, out, _ = told(capsys, "wisdom", "show")
    assert status == 0 and (comm.rank > 0 or f"c2c double 12x10x8 ranks={comm.size}" in out)


def test_picture(comm, file, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture = comm.bcast(str(tmp_path / "tune.png"))
    words = ("tune", "6^3", "--output", "natural", "--budget", "0.2s", "--forget", "--picture", picture)
    assert told(capsys, *words)[0] == 0
    comm.Barrier()
    with open(picture, "rb") as drawn:
        assert drawn.read(8) == b"\x89PNG\r\n\x1a\n"
    assert not file.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["12x"], "'12x' is no shape"),
        (["8^3", "--budget", "0s"], "'0s' is no time"),
        (["8^3", "--budget", "soon"], "'soon' is no time"),
        (["8^3", "--set", "effort=measure"], "tune decides effort itself"),
        (["8^3", "--set", "speed=1"], "speed"),
        (["8^3", "--set", "grid=7,7,7"], "grid"),
        (["8^3", "--picture", "tune.svg"], "takes a file that ends in .png"),
        (["8^3", "--file", "/no folder/wisdom.json"], "there is no folder /no folder"),
        (["8^3", "--file", "/proc/wisdom.json"], "may not write in the folder /proc"),
    ],
)
def test_wrong_words_of_tune(comm, file, capsys, words, sentence):
    status, _, err = told(capsys, "tune", *words)
    assert status == 2
    assert sentence in err or (comm.rank > 0 and err == "")
    assert not file.exists() or json.loads(file.read_text())["entries"] == []


def entry(**others):
    said = {"machine": "m", "problem": "p", "versions": f"shardfft {shardfft.__version__}; MPI", "effort": "measure"}
    way = f"shardfft {shardfft.__version__}; algorithm=pencil; exchange=p2p; chunks=1; grid=2,3; active=0"
    return said | {"way": way, "seconds": 0.001, "date": "2026-01-01T00:00:00Z"} | others


def test_files_are_merged_and_pruned(comm, file, tmp_path, capsys):
    if comm.size > 1:
        pytest.skip("one process writes files")
    old = "shardfft 0.0.1"
    entries = [entry(), entry(problem="q", date="2999-01-01T00:00:00Z"), entry(problem="r", versions=f"{old}; MPI")]
    text = json.loads(shardfft.export_wisdom()) | {"entries": [*entries, {"way": 1}]}
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    first.write_text(json.dumps(text))
    second.write_text(json.dumps(text | {"entries": [entry(problem="s \u00e9")]}))
    assert told(capsys, "wisdom", "merge", str(first), str(second)) == (0, f"{file}: 4 entries\n", "")
    shown = told(capsys, "wisdom", "show", str(first))[1]
    assert "pencil 2x3, p2p, chunks 1, 1.000 ms, measure, 2026-01-01" in shown
    assert "of shardfft 0.0.1: not used" in shown and "damaged" in shown
    assert told(capsys, "wisdom", "prune", str(first))[1] == f"{first}: 2 of 4 entries taken out\n"
    assert told(capsys, "wisdom", "prune", "--days", "30")[1] == f"{file}: 3 of 4 entries taken out\n"
    assert json.loads(told(capsys, "wisdom", "show", "--json")[1])["entries"] == [entries[1]]
    assert shardfft.import_wisdom(file.read_text()) == 1
    (tmp_path / "broken.json").write_text('{"format": "shardfft wisdom 1", "ent')
    (tmp_path / "later.json").write_text('{"format": "shardfft wisdom 9", "entries": []}')
    for words, sentence in (
        (["merge", str(tmp_path / "broken.json")], "is no file of wisdom"),
        (["merge", str(tmp_path / "later.json")], "is of another version: shardfft wisdom 9"),
        (["merge", str(first), "--to", str(tmp_path / "typo" / "all.json")], f"there is no folder {tmp_path / 'typo'}"),
        (["show", str(tmp_path / "none.json")], "there is no file"),
        (["prune", str(tmp_path / "broken.json")], "is no file of wisdom"),
    ):
        status, _, err = told(capsys, "wisdom", *words)
        assert status == 2 and sentence in err
    with pytest.raises(shardfft.ArgumentError, match="format"):
        shardfft.import_wisdom("{}")


def test_ways_are_read(comm):
    way = tune.timed("shardfft 1; algorithm=slab; exchange=ring; chunks=0; grid=; active=1; room=fast", 2.0)
    assert way == tune.Timed(2.0, "slab on 1 rank", "ring", "by size")
    assert [tune.seconds_of(word) for word in ("90s", "1.5min", "2")] == [90, 90, 2]
    slow, fast = tune.Timed(0.2, "slab", "p2p", "1"), tune.Timed(0.1, "pencil 1x2", "ring", "1")
    lines = list(tune.lines(tune.Tuned("8^3", [fast, slow], slow, 1.0, [(1, 0.002)])))
    assert lines[2].split() == ["100.000", "1.00", "pencil", "1x2", "ring", "1"]
    assert lines[3].split()[:3] == ["*", "200.000", "2.00"]
    assert lines[-1] == "  a job of 1 rank takes 2.000 ms: 100 times as fast"


def test_the_file_is_this_machines(comm, monkeypatch, tmp_path):
    monkeypatch.delenv("SHARDFFT_WISDOM", raising=False)
    monkeypatch.setenv("SHARDFFT_CACHE", str(tmp_path))
    assert _core.wisdom_path().startswith(f"{tmp_path}/wisdom-") and _core.wisdom_path().endswith(".json")
    monkeypatch.setenv("SHARDFFT_WISDOM", "")
    with pytest.raises(ValueError, match="plans here read none"):
        wisdom._path("")
