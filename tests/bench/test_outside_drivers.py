"""A driver in a folder outside bench/, as docs/bench-adapters.md has it; test_drivers runs all that it offers."""

import re

import pytest
from conftest import ROOT, built_drivers
from test_drivers import run_case

OUTSIDE = ROOT / "tests" / "bench" / "outside"


def test_it_answers_as_any_other(real_drivers, tmp_path):
    handmade = built_drivers(real_drivers).get("handmade")
    if not handmade:
        pytest.skip("this build of bench/ has no -DBENCH_ADAPTERS=tests/bench/outside (./run test makes one)")
    record = run_case(handmade, {"shape": [6, 5, 4]}, 2, tmp_path)
    assert (record["library"], record["status"]) == ("handmade", "ok"), record
    for case, why in [({"kind": "r2c"}, "does not offer kind 'r2c'"), ({"shape": [32, 32, 32]}, "4096 points at most")]:
        record = run_case(handmade, {"shape": [6, 5, 4], **case}, 2, tmp_path)
        assert record["status"] == "unsupported" and why in record["reason"], record


def test_the_page_says_so():
    page = (ROOT / "docs" / "bench-adapters.md").read_text()
    assert (OUTSIDE / "CMakeLists.txt").read_text().strip() in page
    [call] = re.findall(r"refuse_by_capabilities\(.*?\)(?=[;,])", page)
    assert call.replace("case", "wanted") in (OUTSIDE / "handmade.cpp").read_text()
