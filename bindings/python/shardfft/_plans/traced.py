"""Data that gradients and compiled programs keep with a plan."""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import Any

#: Plans that nobody has dropped, by number: programs that torch.compile makes hold numbers.
living: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_serials = itertools.count()


class Traced:
    """Of one plan."""

    def __init__(self, plan: object, overwrites: bool) -> None:
        self.serial = next(_serials)
        living[self.serial] = plan
        self.overwrites = overwrites  #: inputs, which gradients may need again
        self.adjoints: dict[str, Any] | None = None  #: of its calls, made when they are asked for
        self.maps: dict[str, Any] = {}  #: of its calls, which do not keep it
        self.recipe: Any = None  #: how a recent plan is made again
        self.alone = threading.RLock()  #: PyTorch may go back on several threads
