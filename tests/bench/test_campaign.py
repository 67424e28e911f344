"""Campaigns with drivers that hang, die or lie: each named, the rest kept."""

import json
import subprocess

import pytest
from conftest import KINDS, make_driver

from shardfft_bench import campaign, cli, results

EXPECTED = {
    "fake-good": ("ok", None),
    "fake-hang": ("hung", "not done after 3 s"),
    "fake-die": ("crashed", "signal SIGSEGV"),
    "fake-complain": ("crashed", "the moon is in the wrong place"),
    "fake-mutter": ("crashed", "exit code 21 without a record; it said 'no licence today'"),
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
    assert run(path, fake_drivers, plain_launcher, out) == cli.FAILURES, "the set holds a failure, and nothing is left"
    make_driver(fake_drivers, "die").write_text((fake_drivers / "bench-fake-good").read_text())
    assert run(path, fake_drivers, plain_launcher, out, "--retry-failed") == cli.OK
    assert [record["status"] for record in results.load(out)] == ["crashed", "ok"]


def test_the_revision_is_not_that_of_a_repository_around_the_package(tmp_path, monkeypatch):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    file = tmp_path / "campaign.py"
    file.write_text("")
    monkeypatch.setattr(campaign, "__file__", str(file))
    assert campaign.revision().startswith("shardfft-bench ")
    subprocess.run(["git", "add", file.name], cwd=tmp_path, check=True)
    assert len(campaign.revision().rstrip("+")) == 40


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
        (["bench", "run", "one-host", "--case", "options=5"], "the case given is impossible: options: 5 is not"),
        (["bench", "run", "process-grids", "--ranks", "3"], "nothing to run for these ranks, sizes and grids"),
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
        ({"colour": "red"}, "is no experiment: Additional properties are not allowed ('colour' was unexpected)"),
        ({"rank": [2]}, "('rank' was unexpected); did you mean 'ranks'?"),
        ({"case": {"kind": "c2d"}}, "'c2d' is not one of ['c2c', 'r2c', 'r2r']; did you mean 'c2c'?"),
        ({"case": {"flavour": 1}}, "case: 'flavour' is not one of ['shape'"),
        ({"libraries": []}, "libraries: [] should be non-empty"),
        ({"libraries": [{"library": "a", "speed": 9}]}, "libraries[0]: Additional properties are not allowed ('speed'"),
        ({"sizes": ["huge"]}, "'huge' is not a size"),
        ({"ranks": ["all"]}, "ranks[0]: 'all' is not of type 'integer'"),
        ({"rounds": 0}, "rounds: 0 is less than the minimum of 1"),
        ({"libraries": "fake-good"}, "libraries: 'fake-good' is not of type 'array'"),
        ({"libraries": [{"label": "a"}]}, "libraries[0]: 'library' is a required property"),
        ({"ranks": 2}, "ranks: 2 is not of type 'array'"),
        ({"vary": {"kind": "c2c"}}, "vary.kind: 'c2c' is not of type 'array'"),
        ({"case": {"options": 5}}, "case.options: 5 is not of type 'object'"),
        ({"libraries": [{"library": "fake-good", "when": {"kinds": ["c2c"]}}]}, "libraries[0].when: 'kinds'"),
        ({"time_limit": "soon"}, "time_limit: 'soon' is not of type 'number'"),
        ({"sizes": [10**20]}, "greater than the maximum"),
        ({"case": {"layout": "cube"}}, "the case of fake-good is impossible: layout: 'cube' is not one of"),
        ({"networks": [{"name": "n", "rate": 5}]}, "network 'n': '5' is not a rate"),
    ],
)
def test_bad_experiments_are_named(change, said, experiment, capsys, fake_drivers):
    path = experiment(change.get("libraries", ["fake-good"]), **{k: v for k, v in change.items() if k != "libraries"})
    assert cli.main(["bench", "run", path, "--drivers", str(fake_drivers), "--dry-run"]) == cli.MISTAKE
    assert said in capsys.readouterr().err


def test_a_key_that_is_given_twice_is_named(experiment, capsys, fake_drivers):
    path = experiment(["fake-good"])
    with open(path, "a") as file:
        file.write("rounds: 7\n")
    assert cli.main(["bench", "run", path, "--drivers", str(fake_drivers)]) == cli.MISTAKE
    assert "'rounds' is given twice" in capsys.readouterr().err


def test_two_runs_do_not_share_a_folder(tmp_path, fake_drivers, plain_launcher, experiment, capsys):
    from shardfft_bench.campaign import alone

    path, out = experiment(["fake-good"]), tmp_path / "out"
    out.mkdir()
    with alone(out / results.FILE):
        assert run(path, fake_drivers, plain_launcher, out) == cli.MISTAKE
    assert f"another run is writing into {out}" in capsys.readouterr().err
    assert run(path, fake_drivers, plain_launcher, out) == cli.OK


def test_a_folder_that_cannot_be_made_is_named(tmp_path, fake_drivers, plain_launcher, experiment, capsys):
    (tmp_path / "file").write_text("in the way")
    assert run(experiment(["fake-good"]), fake_drivers, plain_launcher, tmp_path / "file" / "out") == cli.MISTAKE
    assert f"cannot use {tmp_path / 'file' / 'out'}: Not a directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "template, said",
    [
        ("command: mpirun -n", "command is not a list of words"),
        ("command: [env, '{nodes}']", "command may say {ranks}, {threads}, {mpi} and no other placeholder"),
        ("when_fits: [env]", "a launcher needs a command"),
        ("command: [env", "is not YAML"),
    ],
)
def test_bad_launchers_are_named(template, said, tmp_path, fake_drivers, experiment, capsys):
    launcher = tmp_path / "bad.yaml"
    launcher.write_text(template)
    assert run(experiment(["fake-good"]), fake_drivers, str(launcher), tmp_path / "out") == cli.MISTAKE
    assert said in capsys.readouterr().err


def test_more_ranks_than_a_machine_bears_are_refused_at_once(tmp_path, fake_drivers, experiment, capsys):
    launcher = tmp_path / "small.yaml"
    launcher.write_text("command: [env]\nmost_ranks_a_core: 64\n")
    path = experiment(["fake-good"], ranks=[1, 10**6])
    assert run(path, fake_drivers, str(launcher), tmp_path / "out") == cli.MISTAKE
    assert "1000000 ranks are too many for" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_nothing_but_missing_libraries_is_a_failure(tmp_path, fake_drivers, plain_launcher, experiment):
    assert run(experiment(["fake-absent"]), fake_drivers, plain_launcher, tmp_path / "out") == cli.FAILURES


@pytest.mark.parametrize("more", [[], ["--retry-failed"]])
def test_a_library_that_is_found_later_comes_into_the_folder(tmp_path, fake_drivers, plain_launcher, experiment, more):
    from shardfft_bench.report.collect import failures

    path, out = experiment(["fake-absent", "fake-good"], rounds=1), tmp_path / "out"
    for _ in range(2):  # libraries that are still missing are not noted again
        assert run(path, fake_drivers, plain_launcher, out, *more) == cli.OK
        assert sorted(one["status"] for one in results.load(out)) == ["missing", "ok"]
    manifest = fake_drivers / "bench-manifest.json"
    manifest.write_text(manifest.read_text().replace('"missing": "nobody has built it"', '"driver": "bench-fake-good"'))
    assert run(path, fake_drivers, plain_launcher, out, *more) == cli.OK
    found = results.load(out)
    assert [one["status"] for one in found if one["library"] == "fake-absent"] == ["missing", "ok"]
    assert len(found) == 3 and failures(found) == []


def test_grids_are_run_at_the_ranks_that_they_have_room_for(experiment):
    from shardfft_bench import experiments

    grids = {"grid": [[1, 2], [2, 1], [2, 2]]}
    loaded = experiments.load(experiment(["a"], ranks=[2, 4], vary=grids, rounds=1))
    found = [(run.ranks, run.case["grid"]) for run in experiments.runs(loaded)]
    assert found == [(2, [1, 2]), (2, [2, 1]), (4, [2, 2])]
    # Runs that are equal after a change of the case are made once.
    assert len(experiments.runs(loaded, case={"grid": [2, 2]})) == 1


def test_another_size_keeps_the_rest_of_the_cases(experiment):
    from shardfft_bench import experiments

    cases = [{"shape": [n] * 3, "kind": kind} for n in (8, 16) for kind in ("c2c", "r2c")]
    loaded = experiments.load(experiment(["a"], cases=cases, rounds=1))
    found = [(run.case["shape"], run.case["kind"]) for run in experiments.runs(loaded, sizes=["4"])]
    assert found == [([4, 4, 4], "c2c"), ([4, 4, 4], "r2c")]


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
