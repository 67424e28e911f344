"""Files of a report for papers: tables as CSV and LaTeX, pictures as PDF, and definitions under them."""

from test_results import record, write

from shardfft_bench import cli


def test_tables_and_pictures_are_there_for_papers(tmp_path, capsys):
    records = [record(label, time, ranks=ranks) for label, time in (("a_1", 1.0), ("b", 2.0)) for ranks in (1, 2)]
    source = write(tmp_path / "r", records)
    assert cli.main(["report", source]) == cli.OK
    folder = tmp_path / "r" / "report"
    assert (folder / "scaling.pdf").read_bytes().startswith(b"%PDF")
    drawn = [{file.stem for file in folder.glob(f"*.{ending}")} for ending in ("png", "pdf", "svg")]
    assert drawn[0] == drawn[1] == drawn[2] >= {"scaling", "efficiency", "breakdown", "ratio"}
    assert min(file.stat().st_size for file in folder.glob("*.png")) > 5000
    page = (folder / "index.html").read_text()
    assert "r = 1" not in page and "Ideal: the best time" in page, "definitions stand under the pictures that are there"
    made = sorted(file.name for file in (folder / "tables").iterdir())
    assert len(made) == 4 and all(name in page for name in made)
    [first, *rows] = next((folder / "tables").glob("*1-rank.csv")).read_text().splitlines()
    assert first.startswith("library,version,") and [row.split(",")[0] for row in rows] == ["a_1", "b"]
    latex = next((folder / "tables").glob("*1-rank.tex")).read_text()
    assert r"a\_1 & " in latex and r"95 \% interval" in latex and latex.count(r"\hline") == 3
    capsys.readouterr()
    assert cli.main(["table", source, "--format", "latex"]) == cli.OK
    assert capsys.readouterr().out.count(r"\begin{tabular}{lrrrrrr}") == 2
