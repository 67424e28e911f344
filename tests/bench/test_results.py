"""Statistics, comparison and report on records made up here."""

import copy
import lzma
from pathlib import Path

import pytest

from shardfft_bench import cli, compare, results, statistics
from shardfft_bench.errors import BenchError

POINT = {"shape": [64, 64, 64], "kind": "c2c", "precision": "double", "direction": "pair", "layout": "slab"}
ERROR = {"max": 1e-15, "l2": 2e-16}


def record(label, seconds, ranks=2, round_=0, status="ok", **point):
    point = {**POINT, **point, "ranks": ranks}
    made = {
        "schema": 1, "key": f"{label}{ranks}{round_}{sorted(point.items())}", "experiment": "made-up",
        "library": label, "label": label, "version": "1.0", "status": status, "ranks": ranks, "point": point,
        "case": {key: value for key, value in point.items() if key != "ranks"}, "round": round_, "revision": "abc",
    }  # fmt: skip
    if status != "ok":
        return {**made, "reason": "it was made so"}
    samples = [seconds * (1 + 0.002 * step) for step in (-2, -1, 0, 1, 2)]
    return {
        **made, "samples": samples, "plan_seconds": 0.5, "flop": 1e9, "machine": {"cpu": "made up"},
        "environment": {}, "error": {"after_timing": ERROR, "tolerance": {"max": 1e-13, "l2": 1e-14}},
        "communication": {"source": "made up", "ratio": 0.3, "seconds": seconds * 0.3},
        "energy": {"unavailable": "made up"},
    }  # fmt: skip


def write(path, records):
    path.mkdir()
    for one in records:
        results.append(path / results.FILE, one)
    return str(path)


@pytest.fixture(autouse=True)
def one_format(monkeypatch):
    """Each picture is drawn once and not three times: test_export looks at all formats."""
    from shardfft_bench.report import page

    monkeypatch.setattr(page, "DATES", {"svg": page.DATES["svg"]})


def test_packed_records_read_the_same_and_weigh_little(tmp_path, capsys):
    made = [record("a", 1.0 + 0.1 * n, ranks=n) for n in range(1, 40)]
    folder = Path(write(tmp_path / "set", made))
    plain = (folder / results.FILE).stat().st_size
    before = results.load(folder)
    assert cli.main(["pack", str(tmp_path)]) == 0
    assert [file.name for file in folder.iterdir()] == ["results.jsonl.xz"]
    assert (folder / "results.jsonl.xz").stat().st_size < plain / 5
    assert results.load(folder) == before == results.load(tmp_path) == made
    assert cli.main(["table", str(folder)]) == 0
    results.append(folder / results.FILE, record("b", 1.0))  # a campaign that goes on
    assert [one["label"] for one in results.load(folder)].count("b") == 1 and len(results.load(folder)) == 40
    capsys.readouterr()


def test_what_the_machine_says_is_said_once(tmp_path):
    folder = Path(write(tmp_path / "set", [record("a", 1.0, ranks=n) for n in range(1, 5)]))
    text = lzma.decompress(results.pack(folder / results.FILE).read_bytes()).decode()
    assert text.count("made up") - text.count('"source":"made up"') - text.count('"unavailable":"made up"') == 1


def test_lines_cut_short_stay_when_packed_and_are_named(tmp_path):
    folder = Path(write(tmp_path / "set", [record("a", 1.0)]))
    with (folder / results.FILE).open("a") as file:
        file.write('{"half')
    results.pack(folder / results.FILE)
    with pytest.warns(UserWarning, match=r"results.jsonl.xz:2 is left out: cut short"):
        assert len(results.load(folder)) == 1


def test_a_damaged_pack_is_named(tmp_path):
    (tmp_path / "results.jsonl.xz").write_bytes(b"no xz at all")
    with pytest.raises(BenchError, match="is not what xz writes"):
        results.load(tmp_path)


def test_made_up_records_keep_the_schema():
    assert results.fault(record("a", 1.0)) == ""
    assert results.fault(record("a", 1.0, status="hung")) == ""


@pytest.mark.parametrize(
    "change",
    [
        {"samples": [-1.0]},
        {"samples": []},
        {"status": "fine"},
        {"case": {"shape": [0, 1, 1]}},
        {"case": {"shape": [4, 4]}},
        {"energy": {"joules": 3}},
        {"error": {"forward": {"max": 1}}},
        {"schema": 2},
    ],
)
def test_the_schema_rejects(change):
    assert results.fault({**record("a", 1.0), **change})


def test_an_ok_record_needs_samples_and_a_failed_one_a_reason():
    good = record("a", 1.0)
    del good["samples"]
    assert "samples" in results.fault(good)
    bad = record("a", 1.0, status="crashed")
    del bad["reason"]
    assert results.fault(bad)


def test_a_full_disk_is_named():
    with pytest.raises(BenchError, match="cannot write /dev/full: No space left"):
        results.append(Path("/dev/full"), record("a", 1.0))


def test_summary_and_interval_of_known_samples():
    summary = statistics.summary([1.0, 2.0, 3.0, 4.0, 100.0])
    assert summary["median"] == 3.0 and summary["count"] == 5 and summary["max"] == 100.0
    low, high = statistics.median_interval([[1.0, 1.1, 0.9], [1.05, 0.95, 1.0]])
    assert 0.9 <= low <= 1.0 <= high <= 1.1


def test_the_interval_widens_when_rounds_disagree():
    agree = statistics.median_interval([[1.0, 1.01, 0.99]] * 4)
    differ = statistics.median_interval([[1.0, 1.01, 0.99], [1.3, 1.31, 1.29], [1.0, 1.01, 0.99], [1.3, 1.31, 1.29]])
    assert differ[1] - differ[0] > 5 * (agree[1] - agree[0])


def test_rounds_of_different_lengths_are_drawn_with_their_own_samples():
    # Always the median of one of both rounds, or of both together: 1, 3, or their mean.
    low, high = statistics.median_interval([[1.0, 1.0, 1.0], [3.0]], 0.99)
    assert (low, high) == (1.0, 3.0)
    assert statistics.median_interval([[2.0], [2.0, 2.0, 2.0, 2.0]]) == (2.0, 2.0)


def test_compare_finds_slower_faster_same_and_broken(tmp_path, capsys):
    rounds = range(3)
    before = [record(label, 1.0, round_=r) for r in rounds for label in ("slow", "fast", "same", "breaks", "gone")]
    after = [
        one
        for r in rounds
        for one in (
            record("slow", 1.3, round_=r),
            record("fast", 0.6, round_=r),
            record("same", 1.01, round_=r),
            record("breaks", 0, round_=r, status="crashed"),
            record("new", 1.0, round_=r),
        )
    ]
    verdicts = {line.label: line.verdict for line in compare.compare(before, after, 0.05)}
    assert verdicts == {
        "slow": "slower", "fast": "faster", "same": "same", "breaks": "broken", "gone": "only in A", "new": "only in B",
    }  # fmt: skip
    a, b = write(tmp_path / "a", before), write(tmp_path / "b", after)
    assert cli.main(["compare", a, b]) == cli.REGRESSION
    assert "2 worse" in capsys.readouterr().out
    assert cli.main(["compare", a, b, "--library", "fast", "same"]) == cli.OK
    assert cli.main(["compare", a, b, "--library", "slow", "--threshold", "0.5"]) == cli.OK
    assert cli.main(["compare", a, b, "--confidence", "2"]) == cli.MISTAKE
    assert cli.main(["compare", a, b, "--library", "fast", "no-such"]) == cli.MISTAKE
    assert "nothing to compare of 'no-such'; known: breaks, fast" in capsys.readouterr().err


def test_compare_in_units_of_a_reference_forgives_the_machine(tmp_path, capsys):
    """B is of a machine five times as slow: only cases that lost against the reference are slower."""

    def machine(factor, lost):
        return [record(label, factor * t, round_=r) for r in range(3)
                for label, t in (("unit", 1.0), ("kept", 0.7), ("lost", lost))]  # fmt: skip

    before, after = machine(1.0, 0.5), machine(5.0, 2.0)
    lines = {line.label: line for line in compare.compare(before, after, 2.0, reference="unit")}
    assert set(lines) == {"kept", "lost"}
    assert lines["kept"].verdict == "same" and lines["kept"].ratio == pytest.approx(1.0)
    assert lines["lost"].verdict == "slower" and lines["lost"].ratio == pytest.approx(4.0)
    a, b = write(tmp_path / "a", before), write(tmp_path / "b", after)
    arguments = ["compare", a, b, "--threshold", "2", "--relative-to"]
    assert cli.main([*arguments, "unit"]) == cli.REGRESSION
    assert "1 worse (time of B over A, each in units of unit; threshold 2)" in capsys.readouterr().out
    assert cli.main([*arguments, "unit", "--library", "kept"]) == cli.OK
    assert cli.main([*arguments, "no-such"]) == cli.MISTAKE
    assert "no good record of the reference 'no-such'; its labels: kept, lost, unit" in capsys.readouterr().err


def test_compare_wants_the_reference_at_every_point():
    good = [record("unit", 1.0), record("a", 1.0)]
    elsewhere = [record("unit", 1.0, kind="r2c"), record("a", 1.0)]
    with pytest.raises(BenchError, match="set B has no good record of the reference 'unit' at 64³, c2c"):
        compare.compare(good, elsewhere, 0.05, reference="unit")


def test_the_report_shows_scaling_failures_and_stands_alone(tmp_path):
    records = [record(label, t / n, ranks=n, round_=r)
               for r in range(2) for n in (1, 2, 4) for label, t in (("shardfft", 1.0), ("rival", 1.4))]  # fmt: skip
    records.append(record("hung-one", 0, ranks=4, status="hung"))
    source = write(tmp_path / "results", records)
    assert cli.main(["report", source]) == cli.OK
    folder = tmp_path / "results" / "report"
    page = (folder / "index.html").read_text()
    for name in ("scaling", "efficiency", "breakdown", "ratio"):
        assert (folder / f"{name}.svg").stat().st_size > 5000, name
    assert "it was made so" in page and "hung-one" in page and "results.jsonl" in page
    # Nothing is loaded from elsewhere.
    assert 'src="http' not in page and "<script" not in page and "<link" not in page


def test_the_report_keeps_a_page_of_other_results(tmp_path, capsys):
    (tmp_path / "sets").mkdir()
    one, two = (write(tmp_path / "sets" / name, [record(name, 1.0)]) for name in ("one", "two"))
    sets, page = str(tmp_path / "sets"), tmp_path / "sets" / "report" / "index.html"
    assert cli.main(["report", one, "--out", str(page.parent)]) == cli.OK
    before = page.read_text()
    assert cli.main(["report", sets]) == cli.MISTAKE
    assert "a page of other results" in capsys.readouterr().err and page.read_text() == before
    assert cli.main(["report", sets, "--out", str(page.parent)]) == cli.OK and page.read_text() != before
    for _ in range(2):
        assert cli.main(["report", sets]) == cli.OK, "its own page is replaced"
    assert cli.main(["report", one]) == cli.OK
    assert cli.main(["report", one, two]) == cli.MISTAKE


def test_the_report_of_a_damaged_file_keeps_the_rest(tmp_path, capsys):
    source = write(tmp_path / "results", [record("a", 1.0), record("b", 2.0)])
    with open(tmp_path / "results" / results.FILE, "a") as file:
        file.write('{"schema": 1, "key"')
    assert cli.main(["report", source, "--out", str(tmp_path / "page")]) == cli.OK
    assert "results.jsonl:3 is left out: cut short" in capsys.readouterr().err
    assert "results.jsonl:3 is left out: cut short" in (tmp_path / "page" / "index.html").read_text()
    assert (tmp_path / "page" / "bars.svg").exists()


def test_grid_sweeps_accuracy_and_energy_are_drawn(tmp_path):
    records = [record("p", 1 + abs(rows - 2), ranks=4, layout="pencil", grid=[rows, 4 // rows]) for rows in (1, 2, 4)]
    records += [record("q", 1.0, shape=[n, n, n]) for n in (8, 16, 32, 64)]
    records.append(record("r", 1.0, shape=[8, 8, 8]))
    for one in records:
        one["energy"] = {"joules": 5.0, "repeats": 5, "seconds": 1.0, "source": "made up"}
    assert cli.main(["report", write(tmp_path / "r", records)]) == cli.OK
    for name in ("grids", "accuracy", "energy"):
        assert (tmp_path / "r" / "report" / f"{name}.svg").exists(), name


def test_energy_counted_for_too_short_a_time_is_left_out():
    from shardfft_bench.report.collect import cells

    def joules(**energy):
        return cells([{**record("a", 1e-3), "energy": {"source": "made up", **energy}}])[0].joules("energy")

    assert joules(joules=6.0, repeats=3, seconds=1.1) == 2.0
    assert joules(joules=6.0, repeats=3, seconds=0.1) is None
    assert joules(joules=6.0, repeats=3) is None  # five samples of a millisecond
    assert joules(joules=0.0, repeats=3, seconds=1.1) is None


def test_own_accounts_and_whole_sets_are_shown(tmp_path):
    (tmp_path / "set").mkdir()
    for place, (name, parts) in enumerate({"a": {"fft": 1.0, "wait": 3.0}, "b": {"fft and copy": 2.0}}.items()):
        one = record(name, 1.0)
        one["breakdown"] = {"seconds": parts, "report": f"the plan of {name} < that of others"}
        write(tmp_path / "set" / str(place), [one])
    assert cli.main(["report", str(tmp_path / "set")]) == cli.OK
    folder = tmp_path / "set" / "report"
    assert (folder / "accounts.svg").exists()
    page = (folder / "index.html").read_text()
    assert "the plan of a &lt; that" in page and 'href="../1/results.jsonl"' in page


def test_curves_take_the_best_grid_and_failures_gather_their_points():
    from shardfft_bench.report.collect import cells, curves, failures

    swept = [record("a", t, ranks=n, grid=[rows, n // rows])
             for t, n, rows in ((2.0, 2, 1), (1.0, 2, 2), (3.0, 4, 2), (4.0, 4, 1))]  # fmt: skip
    assert [(cell.ranks, cell.median) for cell in curves(cells(swept))["a"]] == [(2, 1.0), (4, 3.0)]
    [entry] = failures([record("a", 0, ranks=n, status="hung") for n in (2, 4, 4)])
    assert entry["times"] == 3 and len(entry["points"]) == 2


def test_many_points_stand_below_each_other(tmp_path):
    from shardfft_bench.report.collect import cells
    from shardfft_bench.report.overview import overview

    records = [record(label, 1.0, shape=[n] * 3) for n in range(1, 15) for label in "abc"]
    axis = overview(cells(records), None).axes[0]
    assert len(axis.get_yticks()) == 14 and [text.get_text() for text in axis.get_xticklabels()] == ["a", "b", "c"]


def test_the_overview_sets_floors_apart_and_copes_with_gaps(tmp_path):
    records = [
        record(label, t, kind=kind) for label, t in (("a", 1.0), ("b", 2.0), ("c", 9.0)) for kind in ("c2c", "r2c")
    ]
    floor = record("threads", 0.5)
    floor["ranks"] = 1
    assert cli.main(["report", write(tmp_path / "r", [*records[:-1], floor])]) == cli.OK
    picture = (tmp_path / "r" / "report" / "overview.svg").read_text()
    assert picture.startswith("<?xml") and len(picture) > 5000


def test_a_network_is_named_in_bandwidths_and_bounds(tmp_path):
    probes, times = [], []
    for network in ({"name": "plain"}, {"name": "slow", "rate": "1gbit"}):
        for ranks in (2, 4):
            for pattern in ("pair", "all_to_all"):
                one = record("mpi", 0.001, ranks, network=network, options={"pattern": pattern, "bytes": 1 << 20})
                one["experiment"] = "probes"
                one["bandwidth"] = {
                    "pattern": pattern, "message_bytes": 1 << 20, "bytes_sent_by_a_rank": 1 << 20,
                }  # fmt: skip
                probes.append(one)
            times += [record(label, 1.0, ranks, network=network) for label in ("a", "b")]
    assert cli.main(["report", write(tmp_path / "r", probes), write(tmp_path / "s", times)]) == cli.OK
    page = (tmp_path / "r" / "report" / "index.html").read_text()
    # A mebibyte in a millisecond, one way and both ways.
    assert "<td>mpi, 2 ranks, slow</td><td>1.05</td><td>2.1</td>" in page
    assert (tmp_path / "r" / "report" / "made-up-roofline.svg").exists()


def test_pooling_keeps_points_apart():
    from shardfft_bench.report.collect import cells

    records = [record("a", 1.0), record("a", 1.1, round_=1), record("a", 2.0, kind="r2c")]
    assert sorted(len(cell.records) for cell in cells(copy.deepcopy(records))) == [1, 2]


def test_exponents_and_weak_scaling(tmp_path):
    from shardfft_bench.report import exponents
    from shardfft_bench.report.collect import cells

    strong = [record("a", 1.0 / n**0.5, ranks=n) for n in (1, 2, 4)]
    assert exponents.fit(cells(strong)) == pytest.approx((-0.5, 0), abs=1e-9)
    weak = [record("a", 1.0, ranks=n, shape=[64 * n, 64, 64]) for n in (1, 2, 4)]
    assert cli.main(["report", write(tmp_path / "r", weak)]) == cli.OK
    assert (tmp_path / "r" / "report" / "weak.svg").exists()
    assert "Fitted exponents" in (tmp_path / "r" / "report" / "index.html").read_text()


def test_two_ranks_give_no_exponent(tmp_path):
    strong = [record("a", 1.0 / n**0.5, ranks=n) for n in (1, 2)]
    assert cli.main(["report", write(tmp_path / "r", strong)]) == cli.OK
    assert "Fitted exponents" not in (tmp_path / "r" / "report" / "index.html").read_text()


def test_failures_that_a_later_try_mended_leave_the_page(tmp_path):
    bad = record("a", 1.0, status="crashed")
    assert cli.main(["report", write(tmp_path / "r", [bad, record("a", 1.0), record("b", 1.0)])]) == cli.OK
    assert "Nothing failed." in (tmp_path / "r" / "report" / "index.html").read_text()
    assert cli.main(["report", write(tmp_path / "s", [bad, record("b", 1.0)])]) == cli.OK
    assert "it was made so" in (tmp_path / "s" / "report" / "index.html").read_text()


def test_a_wide_interval_is_unknown_and_the_worst_come_first():
    rounds = range(3)
    before = [record(label, 1.0, round_=r) for r in rounds for label in ("wide", "slow", "fast")]
    after = [
        one
        for r in rounds
        for one in (
            record("wide", (0.5, 1.0, 2.0)[r], round_=r),
            record("slow", 2.0, round_=r),
            record("fast", 0.5, round_=r),
        )
    ]
    lines = compare.compare(before, after, 0.05)
    assert [(line.label, line.verdict) for line in lines] == [
        ("slow", "slower"), ("wide", "unknown"), ("fast", "faster"),
    ]  # fmt: skip
    assert not lines[1].regression


def test_tables_of_text(tmp_path, capsys):
    folder = write(tmp_path / "r", [record("b", 2.0), record("a", 0.001), record("a", 0.003, round_=1)])
    told = {}
    for form in ("text", "markdown", "csv"):
        assert cli.main(["table", folder, "--format", form]) == cli.OK
        told[form] = capsys.readouterr().out.splitlines()
    a = ["a", "1.996", "0.996", "3.012", "2.0e-16", "10", "1.0"]  # both rounds of a, in milliseconds
    assert told["text"][3].split() == a and told["text"][4].startswith("b ")
    assert told["markdown"][4] == "| " + " | ".join(a) + " |"
    assert told["csv"][0].startswith("point,library,median ms") and told["csv"][1].endswith("," + ",".join(a))


def test_columns_without_any_value_vanish(tmp_path):
    told = record("a", 1.0)
    bare = {key: value for key, value in record("b", 2.0).items() if key != "communication"}
    bare["experiment"] = told["experiment"]
    assert cli.main(["report", write(tmp_path / "r", [told, bare])]) == cli.OK
    page = (tmp_path / "r" / "report" / "index.html").read_text()
    assert "<th>in MPI</th>" in page and "<td>not available</td>" in page  # a has it, b has not
    assert "J a repeat" not in page
    assert cli.main(["report", write(tmp_path / "s", [bare])]) == cli.OK
    assert "<th>in MPI</th>" not in (tmp_path / "s" / "report" / "index.html").read_text()
