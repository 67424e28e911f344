"""What plans tell about themselves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _core


class Report(dict[str, Any]):
    """A plan's report: a dictionary of what was planned and how long it took, which prints as text.

    ``report["forward"]["steps"]`` is a list of the steps of a forward run with the bytes they send and the seconds they
    take; ``report["forward"]["ratio"]`` is the share of communication. The C++ header ``shardfft/report.hpp`` names all
    members. ``json.dumps(report)`` works.
    """

    def __init__(self, said: _core.PlanReport) -> None:
        """Copy what the library tells."""
        super().__init__(json.loads(said.to_json()))
        self._text = said.to_text()

    def __str__(self) -> str:
        return self._text
