"""Campaigns with drivers that hang, die or lie: each named, the rest kept."""

import json

import pytest
from conftest import KINDS, make_driver

from shardfft_bench import cli, results

EXPECTED = {
    "fake-good": ("ok", None),
    "fake-hang": ("hung", "not done after 3 s"),
    "fake-die": ("crashed", "signal SIGSEGV"),
    "fake-complain": ("crashed", "the moon is in the wrong place"),
    "fake-silent": ("crashed", "without a record"),
    "fake-wrong": ("wrong", "above the tolerance"),
    "fake-liar": ("invalid", "breaks the schema"),
    "fake-cut": ("crashed", "without a record"),
    "fake-late": ("crashed", "after its record"),
    "fake-absent": ("missing", "nobody has built it"),
}


def run(experiment, drivers, launcher, into, *more):
    return cli.main(
        ["bench", "run", experiment, "--drivers", str(drivers), "--launcher", launcher, "--into", str(into), *more]
    )


def test_every_misbehaviour_is_named_and_the_rest_kept(tmp_path, fake_drivers, plain_launcher, experiment):
    path = experiment(list(EXPECTED), rounds=1)
    code = run(path, fake_drivers, plain_launcher, tmp_path / "out", "--time-limit", "3")
    assert code == cli.FAILURES
    records = {record["library"]: record for record in results.load(tmp_path / "out")}
    assert set(records) == set(EXPECTED)
    for library, (status, reason) in EXPECTED.items():
        assert records[library]["status"] == status, library
        assert reason is None or reason in records[library]["reason"], library


def test_a_resumed_campaign_runs_only_what_is_left(tmp_path, fake_drivers, plain_launcher, experiment, capsys):
    path, out = experiment(["fake-good"]), tmp_path / "out"
    assert run(path, fake_drivers, plain_launcher, out) == cli.OK
    file = out / results.FILE
    lines = file.read_text().splitlines()
    assert len(lines) == 2
    # An interruption leaves the second record cut short.
    file.write_text(lines[0] + "\n" + lines[1][:40])
    assert run(path, fake_drivers, plain_launcher, out) == cli.OK
    assert "cut short" in capsys.readouterr().err
    with pytest.warns(UserWarning, match="results.jsonl:2 is left out: cut short"):
        records = results.load(out)
    assert sorted(record["round"] for record in records) == [0, 1]
    kept = next(record for record in records if record["round"] == json.loads(lines[0])["round"])
    assert kept["started"] == json.loads(lines[0])["started"]


def test_failed_runs_are_repeated_only_when_asked(tmp_path, fake_drivers, plain_launcher, experiment):
    path, out = experiment(["fake-die"], rounds=1), tmp_path / "out"
    run(path, fake_drivers, plain_launcher, out)
    run(path, fake_drivers, plain_launcher, out)
    assert len(results.load(out)) == 1
    make_driver(fake_drivers, "die").write_text((fake_drivers / "bench-fake-good").read_text())
    assert run(path, fake_drivers, plain_launcher, out, "--retry-failed") == cli.OK
    assert [record["status"] for record in results.load(out)] == ["crashed", "ok"]


def test_libraries_are_interleaved_and_shuffled(experiment):
    from shardfft_bench import experiments

    loaded = experiments.load(experiment(["a", "b", "c", "d"], rounds=6))
    runs = experiments.runs(loaded)
    orders = {tuple(run.library for run in runs[start : start + 4]) for start in range(0, 24, 4)}
    assert all(sorted(order) == ["a", "b", "c", "d"] for order in orders) and len(orders) > 2
    assert [run.round for run in runs] == sorted(run.round for run in runs)
    assert [run.key for run in runs] == [run.key for run in experiments.runs(loaded)]


def test_one_process_uses_the_cores_of_the_ranks(experiment):
    from shardfft_bench import experiments

    entry = {"library": "a", "label": "a threads", "one_process": True}
    [run] = experiments.runs(experiments.load(experiment([entry], ranks=[4], rounds=1)))
    assert (run.ranks, run.case["threads"], run.point["ranks"]) == (1, 4, 4)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["bench", "run", "no-such"], "unknown experiment 'no-such'; known:"),
        (["bench", "run", "one-host", "--size", "12x"], "'12x' is not a size"),
        (["bench", "run", "one-host", "--size", "0"], "is not a size"),
        (["bench", "run", "one-host", "--size", "4x5"], "is not a size"),
        (["bench", "run", "one-host", "--ranks", "0"], "0 is not a number of ranks"),
        (["bench", "run", "one-host", "--rounds", "0"], "0 is not a number of rounds"),
        (["bench", "run", "one-host", "--time-limit", "-1"], "--time-limit must be above 0"),
        (["bench", "run", "one-host", "--case", "kind=c3c"], "is impossible: kind: 'c3c' is not one of"),
        (["bench", "run", "one-host", "--case", "threads=0"], "is impossible: threads: 0 is less than"),
        (["bench", "run", "one-host", "--case", "repeats=many"], "is impossible: repeats: 'many' is not of type"),
        (["bench", "run", "one-host", "--library", "no-such"], "unknown library 'no-such'"),
        (["bench", "run", "one-host", "--launcher", "no-such"], "unknown launcher 'no-such'; known:"),
        (["bench", "run", "one-host", "--case", "colour=red"], "--case wants KEY=VALUE"),
        (["bench", "run", "one-host", "--drivers", "/no/such"], "is it the bin folder of a build"),
        (["report", "/no/such"], "cannot read"),
        (["compare", "/no/such", "/no/such"], "cannot read"),
    ],
)
def test_mistakes_are_one_sentence(arguments, said, capsys, fake_drivers):
    if arguments[:2] == ["bench", "run"] and "--drivers" not in arguments:
        arguments = [*arguments, "--drivers", str(fake_drivers), "--dry-run"]
    if arguments[2:3] == ["one-host"] and "--library" not in arguments:
        arguments = [*arguments, "--library", "fake-good"]
    assert cli.main(arguments) == cli.MISTAKE
    error = capsys.readouterr().err
    assert said in error and "Traceback" not in error


def test_a_missing_launcher_is_said_before_anything_runs(tmp_path, fake_drivers, experiment, capsys):
    launcher = tmp_path / "odd.yaml"
    launcher.write_text("command: [no-such-launcher, -n, '{ranks}']\n")
    code = run(experiment(["fake-good"]), fake_drivers, str(launcher), tmp_path / "out")
    assert code == cli.MISTAKE and not (tmp_path / "out").exists()
    assert "the launcher 'no-such-launcher' is not on the path" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change, said",
    [
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"case": {"flavour": 1}}, "a case has no 'flavour'"),
        ({"libraries": []}, "no libraries"),
        ({"libraries": [{"library": "a", "speed": 9}]}, "unknown key 'speed' of library a"),
        ({"sizes": ["huge"]}, "'huge' is not a size"),
        ({"ranks": ["all"]}, "all is not a number of ranks"),
        ({"rounds": 0}, "0 is not a number of rounds"),
        ({"case": {"layout": "cube"}}, "the case of fake-good is impossible: layout: 'cube' is not one of"),
        ({"networks": [{"name": "n", "rate": 5}]}, "network 'n': '5' is not a rate"),
    ],
)
def test_bad_experiments_are_named(change, said, experiment, capsys, fake_drivers):
    path = experiment(change.get("libraries", ["fake-good"]), **{k: v for k, v in change.items() if k != "libraries"})
    assert cli.main(["bench", "run", path, "--drivers", str(fake_drivers), "--dry-run"]) == cli.MISTAKE
    assert said in capsys.readouterr().err


def test_every_shipped_experiment_expands():
    from shardfft_bench import experiments

    for name in experiments.available():
        assert experiments.runs(experiments.load(name)), name


def test_dry_run_prints_every_command_and_runs_none(tmp_path, fake_drivers, plain_launcher, experiment, capsys):
    out = tmp_path / "out"
    assert run(experiment(["fake-good"]), fake_drivers, plain_launcher, out, "--dry-run") == cli.OK
    assert capsys.readouterr().out.count("bench-fake-good") == 2 and not out.exists()


def test_libraries_tells_what_is_missing_and_why(fake_drivers, capsys):
    assert cli.main(["libraries", "--drivers", str(fake_drivers)]) == cli.OK
    said = capsys.readouterr().out
    assert "fake-good" in said and "fake-absent: nobody has built it" in said
    assert len(KINDS) <= said.count("fake-")
