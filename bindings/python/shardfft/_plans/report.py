"""Reports of plans."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .._layouts.drawing import new_figure

if TYPE_CHECKING:
    from .. import _core

_PROGRAMS = ("forward", "backward", "apply")


class Report(dict[str, Any]):
    """A plan's report: a dictionary of choices and times, which prints as text.

    ``report["forward"]["steps"]`` is a list of the steps of a forward run with the bytes they send and the seconds they
    take; ``report["forward"]["ratio"]`` is the share of communication. The C++ header ``shardfft/report.hpp`` names all
    members. ``json.dumps(report)`` works; a notebook shows tables.

    Example:
        >>> import shardfft
        >>> with shardfft.plan((8, 6, 4)) as plan:
        ...     spectrum = plan.forward(plan.input.zeros())
        ...     report = plan.report()
        >>> report["forward"]["runs"]
        1
        >>> print(report.text.splitlines()[0] == str(report).splitlines()[0])
        True
    """

    def __init__(self, said: _core.PlanReport) -> None:
        """Copy the library's report."""
        super().__init__(json.loads(said.to_json()))
        self.text: str = said.to_text()  #: the report for people

    def __str__(self) -> str:
        return self.text

    def json(self, indent: int | None = None) -> str:
        """Write the report as one object of JSON."""
        return json.dumps(self, indent=indent)

    def times(self) -> list[tuple[str, str, str, float]]:
        """List each activity of each step: the program, the step, the activity, seconds a run of the slowest rank."""
        return [
            (name, f"{step['number']} {step['text']}", time["activity"], time["seconds"])
            for name in _PROGRAMS
            for step in self.get(name, {}).get("steps", ())
            for time in step["times"]
        ]

    def _repr_html_(self) -> str:
        """Show tables in notebooks."""
        facts = [(name, value) for name, value in self.items() if not isinstance(value, list | dict) and value != ""]
        made = [_table(("", ""), facts)]
        for name in _PROGRAMS:
            steps = self.get(name, {}).get("steps", ())
            rows = [(s["number"], s["text"], s["bytes_sent"], _milliseconds(s)) for s in steps]
            made.append(f"<h4>{name}, {self[name]['runs']} runs</h4>" if name in self else "")
            made.append(_table(("step", "what", "bytes sent", "ms a run"), rows) if rows else "")
        choices = [(choice["what"], choice["chosen"], choice["why"]) for choice in self["choices"]]
        return "".join([*made, _table(("choice", "chosen", "why"), choices) if choices else ""])

    def plot(self, figure: Any = None) -> Any:
        """Draw the time of each step as bars, activity by activity, and give matplotlib's figure.

        Args:
            figure: matplotlib's figure to draw in; None makes one.
        """
        made = new_figure(layout="constrained") if figure is None else figure
        programs = [name for name in _PROGRAMS if any(program == name for program, *_ in self.times())]
        if not programs:
            raise ValueError("nothing was timed yet: the plan has not run")
        for place, name in zip(made.subplots(len(programs), 1, squeeze=False)[:, 0], programs, strict=True):
            _draw(place, [row[1:] for row in self.times() if row[0] == name])
            place.set_title(name)
        return made


def _draw(place: Any, rows: list[tuple[str, str, float]]) -> None:
    """One bar a step, of its activities one after the other."""
    steps = list(dict.fromkeys(step for step, _, _ in rows))
    ends = dict.fromkeys(steps, 0.0)
    for activity in dict.fromkeys(activity for _, activity, _ in rows):
        widths = [sum(s for step, what, s in rows if (step, what) == (one, activity)) * 1e3 for one in steps]
        place.barh(steps, widths, left=[ends[one] for one in steps], label=activity)
        ends = {one: ends[one] + width for one, width in zip(steps, widths, strict=True)}
    place.invert_yaxis()
    place.set_xlabel("milliseconds a run, of the slowest rank")
    place.legend()


def _milliseconds(step: dict[str, Any]) -> str:
    return f"{1e3 * sum(time['seconds'] for time in step['times']):.3f}" if step["times"] else ""


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    def row(cells: Iterable[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + row(heads, "th") + "".join(row(cells, "td") for cells in rows) + "</table>"
