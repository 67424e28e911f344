"""The record of the Taylor-Green vortex, and the guide's statements about it."""

import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "bench/results/4xh100/2026-11-27-taylor-green/history.csv.xz"


def test_the_page_says_what_the_record_holds():
    told = np.genfromtxt(RECORD, delimiter=",", names=True)
    assert len(told) == 1000 and np.allclose(np.diff(told["time"]), 0.01)
    slope = -np.gradient(told["energy"], 0.01)
    assert np.allclose(slope[1:-1], told["dissipation"][1:-1], rtol=3e-5)  # friction takes all that is lost
    peak = told[told["dissipation"].argmax()]
    kept, viscosity = 85, 1 / 1600
    resolved = kept * (viscosity**3 / peak["dissipation"]) ** 0.25
    page = (ROOT / "docs/guide/files-and-plots.md").read_text()
    for text, value in (
        (r"lost in a unit of time \| ([\d.]+)", peak["dissipation"]),
        (r"when \| ([\d.]+)", peak["time"]),
        (r"energy at t = 10, of 0.125 at the start \| ([\d.]+)", told["energy"][-1]),
        (r"Kolmogorov's length is ([\d.]+)\)", resolved),
    ):
        said = re.search(text, page)[1]
        assert said == f"{value:.{len(said.split('.')[1])}f}", f"the page says {said}, the record {value}"
    # Published: a peak of 0.0127 to 0.013 at a time of about 9.
    assert 0.0127 < peak["dissipation"] < 0.013 and abs(peak["time"] - 9) < 0.2
