"""Heat maps and tables of times: who is said to be the fastest."""

from test_results import record, write

from shardfft_bench import cli
from shardfft_bench.report.collect import cells
from shardfft_bench.report.figures import process_grids
from shardfft_bench.report.overview import overview


def crowned(figure):
    """Texts of the first map that are bold, and those that say that others are as fast."""
    texts = figure.axes[0].texts
    return ([text.get_text() for text in texts if text.get_fontweight() == "bold"],
            [text.get_text() for text in texts if text.get_text().startswith("≈")])  # fmt: skip


def test_nobody_wins_whose_interval_meets_anothers(tmp_path):
    records = [record(label, t, kind=kind) for kind, times in (("c2c", (1.0, 1.001, 2.0)), ("r2c", (1.0, 1.5, 2.0)))
               for label, t in zip("abc", times, strict=True)]  # fmt: skip
    assert crowned(overview(cells(records), None)) == (["1000"], ["≈ 1000", "≈ 1001"])
    assert cli.main(["report", write(tmp_path / "r", records)]) == cli.OK
    assert (tmp_path / "r" / "report" / "index.html").read_text().count('<tr class="best"') == 1


def test_no_grid_wins_whose_interval_meets_anothers():
    records = [record("p", t, ranks=ranks, layout="pencil", grid=[rows, ranks // rows])
               for ranks, times in ((4, (1.0, 1.001, 2.0)), (8, (1.0, 1.5, 2.0)))
               for rows, t in zip((1, 2, 4), times, strict=True)]  # fmt: skip
    assert crowned(process_grids(cells(records), None)) == (["1000"], ["≈ 1000", "≈ 1001"])
