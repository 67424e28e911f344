"""The types of this package's arguments, for annotations: ``def solve(layout: shardfft.typing.LayoutName) -> None``."""

from ._ground.words import Kind, LayoutName, Norm, OutputName
from ._plans.option_types import PlanOptions

__all__ = ["Kind", "LayoutName", "Norm", "OutputName", "PlanOptions"]
