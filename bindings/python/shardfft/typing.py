"""The types of this package's arguments, for annotations: ``def solve(layout: shardfft.typing.LayoutName) -> None``."""

from ._option_types import PlanOptions
from ._words import Kind, LayoutName, Norm, OutputName

__all__ = ["Kind", "LayoutName", "Norm", "OutputName", "PlanOptions"]
