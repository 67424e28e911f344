"""The words that plans understand, for type checkers."""

from typing import Literal

Kind = Literal["c2c", "r2c", "c2r", "r2r"]
Norm = Literal["backward", "ortho", "forward", "none"]
LayoutName = Literal["slab", "pencil", "brick", "cyclic"]
OutputName = Literal["default", "natural", "slab", "pencil", "brick", "cyclic"]
