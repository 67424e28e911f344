"""The manifest of the papers' items and the figures that documents state, against the records that they name."""

from __future__ import annotations

import re
from collections import Counter

import pictures
import prose
import pytest
import stated
import studies
import texts
from blocks import ROOT, documents

KNOWN = studies.manifest()
PAGES = {str(page.relative_to(ROOT)): page for page in stated.pages()}


def test_every_item_of_the_papers_has_its_record_or_its_reason():
    assert len(KNOWN["items"]) == 103
    assert studies.manifest_faults(KNOWN) == []


def test_pages_list_what_the_manifest_says():
    assert studies.list_faults(KNOWN) == []


def test_records_weigh_little():
    files = [file for file in stated.RESULTS.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 4_000_000
    assert [file for file in files if file.name.endswith(".jsonl")] == [], "`shardfft-bench pack` makes them small"


def test_every_set_is_named_by_a_page_or_the_manifest():
    pages = [ROOT / "docs" / "studies" / "manifest.yaml", *stated.RESULTS.rglob("*.md"), *documents()]
    words = {page: page.read_text(encoding="utf-8") for page in pages}
    for folder in stated.RESULTS.glob("*/*/"):
        full, beside = (re.compile(rf"{start}{folder.name}(?![\w-])") for start in (f"{folder.parent.name}/", r"\.\./"))
        named = [
            page
            for page, text in words.items()
            if folder not in page.parents
            and (full.search(text) or (folder.parent in page.parents and beside.search(text)))
        ]
        assert named, f"no page and no item names bench/results/{folder.parent.name}/{folder.name}"


def test_machines_and_variants_alone_decide_how_messages_are_copied_and_how_fftw_was_built():
    """As bench/results/README.md says of all sets."""
    for file in stated.RESULTS.rglob("results.jsonl.xz"):
        name = str(file.parent.relative_to(stated.RESULTS))
        for one in stated.read(name):
            if one["status"] != "ok":
                continue
            copied = one["environment"].get("OMPI_MCA_btl_vader_single_copy_mechanism")
            if "mpi" not in one:
                assert copied == (None if name.startswith("two-core-") else "none"), name
            if one["library"] in ("fftw", "fftw-mpi"):
                assert ("avx512" in one["version"]) == (one.get("variant") == "fftw-avx512"), name


@pytest.mark.parametrize("name", PAGES)
def test_tables_say_what_their_records_say(name):
    assert [fault for table in stated.tables(PAGES[name]) for fault in table.faults()] == []


def test_figures_without_a_record_and_records_without_a_revision_only_become_fewer():
    assert studies.count_faults(KNOWN, studies.counts()) == []
    assert "more than" in studies.count_faults({"a": 3}, {"a": 4})[0]
    assert "lower" in studies.count_faults({"a": 3}, {"a": 2})[0]
    named = Counter({"": 4, "0123456789ab": 2, "v0.2.0-5-g0123456789ab": 1, "abcdefabcdef-dirty": 3, "unknown": 1})
    assert (studies.dirty(named), studies.lost(named, {"0123456789ab"})) == (3, 2)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"status": "done"}, "is none of"),
        ({"status": "missing", "reason": ""}, "needs a reason"),
        ({"status": "simulated", "reason": "far away"}, "does not tell 'The model's error'"),
        ({"records": ["nowhere/2026-01-01"]}, "no records"),
        ({"page": "005.md"}, "there is no"),
        ({"id": "000-figure-9"}, "no heading"),
    ],
)
def test_an_item_without_what_its_status_needs_is_a_fault(change, words):
    good = next(item for item in KNOWN["items"] if item["status"] == "recorded")
    assert studies.item_fault(good) == ""
    assert words in studies.item_fault({**good, **change})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"same_as": "000-figure-2.6"}, "it shows the records of 000-figure-2.6"),
        ({"id": "002-figure-7.3", "page": "002.md"}, "neither a table nor a picture of its own"),
        ({"rule": {"axis": "ranks", "rivals": 9, "extent": 256}}, "rivals have 3 values of ranks, of 9"),
        ({"rule": {"axis": "ranks", "rivals": 2, "extent": 257}}, "ours has fewer than 3 values of ranks"),
        ({"rule": {"axis": "network", "rivals": 2, "extent": 256}}, "ours has fewer than 3 values of network"),
    ],
)
def test_what_a_script_can_tell_of_the_rule_is_checked(change, words):
    good = next(item for item in KNOWN["items"] if item["id"] == "000-figure-2.5")
    assert good["rule"] == {"axis": "ranks", "rivals": 2, "extent": 256} and studies.item_fault(good) == ""
    assert words in studies.item_fault({**good, **change})


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Makes a page with one table over a set of two samples."""
    monkeypatch.setattr(stated, "ROOT", tmp_path)
    monkeypatch.setattr(stated, "RESULTS", tmp_path)
    point = '{"shape":[8,8,8],"kind":"c2c"}'
    (tmp_path / "lines.jsonl").write_text(
        f'{{"status":"ok","label":"a","case":{{}},"point":{point},"samples":[0.001,0.0015,0.0019]}}\n'
    )
    stated.read.cache_clear()

    def make(cell: str):
        text = "<!-- records\nfrom: lines.jsonl\nkeys: [shape]\ncells: ['ms(\"a\")', '']\n-->\n"
        (tmp_path / "page.md").write_text(f"{text}| n | ms | more |\n|---|---|---|\n| 8^3 | {cell} | 4 |\n")
        return tmp_path / "page.md"

    yield make
    stated.read.cache_clear()


@pytest.mark.parametrize(("cell", "faults"), [("1.5", 0), ("1.50 ms", 0), ("2", 0), ("1.6", 1), ("1.49", 1), ("?", 1)])
def test_a_figure_is_compared_as_far_as_it_is_printed(page, cell, faults):
    [table] = stated.tables(page(cell))
    assert len(table.faults()) == faults
    assert table.unrecorded() == 1


def test_tables_and_their_pictures_are_written_for_papers(page, tmp_path):
    assert studies.export([page("**1.50** [ms](there.md)")], tmp_path / "out") == (1, 1)
    assert (tmp_path / "out" / "page.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "out" / "page-1.csv").read_text().splitlines() == ["n,ms,more", "8^3,1.50 ms,4"]
    assert "1.50 ms & 4" in (tmp_path / "out" / "page-1.tex").read_text()


def test_a_picture_has_the_curves_of_its_table_with_intervals():
    heads, rows = (
        ["ranks", "place", "ours", "FFTW"],
        [[n, place, "", ""] for place in ("in", "out") for n in ("1", "2", "8")],
    )
    cells = {(row, column): (2.0, 1.0, 4.0) for row in range(6) for column in (2, 3) if (row, column) != (4, 3)}
    found, axis = pictures.panels(pictures.Sheet(heads, rows, 2, cells))
    assert axis == "ranks" and list(found) == ["place in", "place out"]
    [ours, fftw] = found["place out"]
    assert (ours.places, fftw.places) == ([1, 2, 8], [1, 8]) and (ours.low[0], ours.high[0]) == (1.0, 4.0)
    cells = {(0, 1): (1, 1, 1), (0, 3): (3, 3, 3)}
    found, axis = pictures.panels(pictures.Sheet(["library", "1 rank", "8 ranks", "16"], [["a", "", "", ""]], 1, cells))
    assert axis == "ranks" and [(one.label, one.places) for one in found[""]] == [("a", [1, 16])]


def test_an_interval_holds_the_value_and_is_as_wide_as_the_samples():
    row = stated.Row(({"status": "ok", "label": "a", "point": {}, "case": {}, "samples": [1.0, 2.0, 3.0, 4.0, 5.0]},))
    value, low, high = pictures.interval(row, 'ms("a") / 1000')
    assert value == 3 and low < 3 < high
    assert pictures.interval(row, "len(rivals())") == (1, 1, 1) and pictures.interval(row, '"word"') is None


def test_question_marks_are_filled_in(page):
    path = page("**?**")
    stated.write(path)
    assert "| 8^3 | **1.50** | 4 |" in path.read_text()


def test_rivals_are_compared_point_by_point(page):
    path = page("0.75").parent / "lines.jsonl"
    rival = path.read_text().replace('"a"', '"fftw"').replace("0.0015", "0.003").replace("0.0019", "0.004")
    path.write_text(path.read_text().replace('"a"', '"shardfft"') + rival)
    stated.read.cache_clear()
    assert stated.Row(()).ratios("shardfft", records="lines.jsonl") == [pytest.approx(2.0)]
    assert stated.Row(()).ratios("shardfft", records="lines.jsonl", rivals="mkl") == []


def test_texts_that_programs_printed_are_records():
    columns = texts.text_lines(["# cores points side-512", "one 64 40.5", "all 64 39", "cut short"])
    assert columns == [{"cores": "one", "points": 64, "side-512": 40.5}, {"cores": "all", "points": 64, "side-512": 39}]
    table = ["== 2 ranks process 1", "| transform | factor |", "|---|---|", "| 4x4 c2c | 1.05 |"]
    assert texts.text_lines(table) == [{"ranks": 2, "transform": "4x4 c2c", "factor": 1.05}]
    with pytest.raises(LookupError, match="no records"):
        stated.read("nowhere/lines.txt")


def test_a_drawn_case_is_read_from_its_words():
    point = stated.drawn("250 x 280 x 252 real single, bricks and back")
    assert point == {"shape": [250, 280, 252], "kind": "r2c", "precision": "single", "layout": "brick"}
    assert stated.drawn("63^3, slabs")["shape"] == [63, 63, 63]


def test_what_no_record_has_is_a_fault(page):
    path = page("1.5")
    path.write_text(path.read_text().replace("8^3", "9^3"))
    [table] = stated.tables(path)
    assert "no good record of a" in table.faults()[0]


def test_figures_in_sentences_are_compared_and_counted(page, tmp_path):
    path = page("1.5")
    head = '<!-- figures\n"1.50 ms": ms("a",\n  records="lines.jsonl")\n"gone": 1\n-->\n'
    text = "It takes 1.50 ms, 2 to 3 times as\nlong as b, and *4* %.\n\n| 5 ms |\n|---|\n\n"
    text += "```sh\n6 ms\n```\n7 GB/s <!-- 8 ms -->\n"
    path.write_text(head + text)
    [one] = prose.paragraphs(path)
    assert [fault.partition(": ")[2] for fault in one.faults()] == ["the paragraph does not say 'gone'"]
    assert prose.unrecorded(path) == 4, "2, 3, 4 and 7: not 1.50, which a record says, nor tables, code and comments"
    path.write_text(head.replace("1.50", "1.51") + text.replace("1.50", "1.51"))
    assert "'1.51 ms' is stated, the records say 1.5" in prose.paragraphs(path)[0].faults()[0]


def test_features_of_libraries_are_told_by_their_documentation():
    """Table 1.2: a row for each distributed library of CPUs that has a driver, all cells filled, with a reference."""
    lines = (ROOT / "docs" / "studies" / "000.md").read_text(encoding="utf-8").splitlines()
    begin = next(n for n, line in enumerate(lines) if line.endswith("| GPUs | told by |"))
    rows = [line.strip("|").split("|") for line in lines[begin + 2 : lines.index("", begin)]]
    other = {"2DECOMP&FFT": "2decomp", "oneMKL's cluster FFT": "mkl-cluster", "P3DFFT 2": "p3dfft"}
    told = {other.get(name.strip(), name.strip().lower()): rest for name, *rest in rows}
    for name, rest in told.items():
        assert len(rest) == 6 and all(cell.strip(" -") for cell in rest), f"{name}: a cell says nothing"
        assert re.search(r"\]\((https://|\.\./)", rest[-1]), f"{name}: no reference"
    known = (ROOT / "bench" / "native" / "libraries.cpp").read_text(encoding="utf-8")
    drivers = [words for line in known.splitlines() if len(words := re.findall(r'"([^"]*)"', line)) == 11]
    wanted = {words[0] for words in drivers if not {"gpu", "alone"} & set(words[4].split())} | {"mpi4py-fft"}
    assert set(told) == wanted


def test_rows_of_older_versions_are_counted(tmp_path):
    page = tmp_path / "page.md"
    rows = "- _of: [shardfft, two-core, two-core-xeon]\n- _of: [shardfft, cpu-sizes.*, two-core-amd-zen4]\n"
    spec = f"<!-- records\nkeys: [text]\nfrom: []\nrows:\n{rows}-->\n"
    page.write_text(spec + "| a | b |\n|---|---|\n| x | 1 |\n| y | 2 |\n")
    assert stated.Row(()).versions("shardfft", "cpu-sizes.*", "two-core-amd-zen4") == "0.2.0"
    assert studies.older_rows(page) == 1, "0.1.0, not 0.2.0"


@pytest.mark.parametrize("name", [str(path.relative_to(ROOT)) for path in prose.pages()])
def test_sentences_say_what_their_records_say(name):
    assert [fault for one in prose.paragraphs(ROOT / name) for fault in one.faults()] == []
