"""A plan's report beside being a dictionary."""

import json

import numpy as np
import pytest

import shardfft


@pytest.fixture
def report(comm):
    with shardfft.plan((8, 6, 4), comm=comm, effort="estimate") as plan:
        plan.backward(plan.forward(plan.input.zeros()))
        yield plan.report()


def test_text_and_json(report):
    assert report.text == str(report) and "forward" in report.text
    assert json.loads(report.json()) == report and "\n" in report.json(indent=2)


def test_times_are_those_of_the_steps(report):
    for name in ("forward", "backward"):
        steps = report[name]["steps"]
        told = [row for row in report.times() if row[0] == name]
        assert len(told) == sum(len(step["times"]) for step in steps) > 0
        assert np.isclose(sum(row[3] for row in told), sum(t["seconds"] for s in steps for t in s["times"]))


def test_plan_from_the_way_of_a_report(comm, report):
    way = report["way"]
    assert f"\nway {way}\n" in report.text and way.startswith("shardfft ")
    with shardfft.plan((8, 6, 4), comm=comm, way=way) as plan:
        assert plan.report()["way"] == way
        x = plan.input.zeros() + 1
        np.testing.assert_allclose(plan.backward(plan.forward(x)), x)
    with pytest.raises(ValueError, match="the option way does not fit this plan"):
        shardfft.plan((8, 6, 2), comm=comm, way=way)
    with pytest.raises(ValueError, match="takes the line of a plan's report"):
        shardfft.plan((8, 6, 4), comm=comm, way="the fast one")


def test_tables(report):
    page = report._repr_html_()
    for step in report["forward"]["steps"]:
        assert step["text"].replace(">", "&gt;") in page
    assert page.count("<table>") == page.count("</table>") >= 3 and "forward, 1 runs" in page


def test_picture(comm, report, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    pyplot.close("all")  # of earlier tests
    figure = report.plot()
    assert [place.get_title() for place in figure.axes] == ["forward", "backward"]
    widths = sum(bar.get_width() for bar in figure.axes[0].patches)
    assert np.isclose(widths, 1e3 * sum(row[3] for row in report.times() if row[0] == "forward"))
    pyplot.close(figure)
    with monkeypatch.context() as patch:  # a notebook shows the value of a cell, and all figures of pyplot
        patch.setattr("matplotlib.get_backend", lambda: "inline")
        report.plot()
        assert not pyplot.get_fignums()
    with shardfft.plan((8, 6), comm=comm, effort="estimate") as plan:
        fresh = plan.report()
        with pytest.raises(ValueError, match="nothing was timed yet"):
            fresh.plot()
