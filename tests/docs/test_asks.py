"""The tests that docs/python-asks.md names exist, and each row that says that something works names one."""

from __future__ import annotations

import re

from blocks import ROOT

PAGE = ROOT / "docs" / "python-asks.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
#: A test of C++, or a claim.
OTHER = re.compile(r"`(tests/[\w/]+\.cpp|tests/wheels/check\.py)`|`\./run claim ([\w-]+)`")


def test_the_named_tests_exist():
    named = TEST.findall(PAGE.read_text(encoding="utf-8"))
    assert len(named) > 30
    missing = [
        f"{file}::{test}"
        for file, test in named
        if not (ROOT / file).is_file() or f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8")
    ]
    assert not missing
    for file, claim in OTHER.findall(PAGE.read_text(encoding="utf-8")):
        assert (ROOT / (file or f"claims/{claim.replace('-', '_')}.py")).is_file(), file or claim


def test_each_row_is_shown():
    text = PAGE.read_text(encoding="utf-8").partition("## Tests of others")[0]
    rows = [
        line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ") and "shown by" not in line
    ]
    assert len(rows) > 25
    for asked, *here, shown in rows:
        assert bool(TEST.search(shown) or OTHER.search(shown)) != ([one.strip() for one in here] == ["no"]), (
            f"the row '{asked.strip()}' needs a test, or is no"
        )
