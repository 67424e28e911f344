"""Types of the options of plans, for type checkers; written by ``shardfft options --types``."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, TypedDict


class PlanOptions(TypedDict, total=False):
    """Keywords of :func:`shardfft.plan` beside those in its signature."""

    norm: Literal["backward", "ortho", "forward", "none"] | None
    transforms: Sequence[Literal["fft", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"]] | None
    modes: Sequence[int] | None
    padded: Sequence[int] | None
    lone_mode: Literal["split", "keep", "zero"] | None
    batch: int | None
    algorithm: str | None
    exchange: str | None
    tolerance: float | None
    local_fft: str | None
    chunks: int | None
    effort: Literal["estimate", "measure", "patient"] | None
    budget: float | None
    way: str | None
    wisdom: str | PathLike[str] | None
    threads: int | None
    grid: Sequence[int] | None
    in_place: bool | None
    overwrite_input: bool | None
    workspace: Literal["fast", "least"] | None
    datatypes: Literal["derived", "basic"] | None
    processor: Literal["cpu", "gpu"] | None
    memory: Literal["auto", "host", "registered", "managed", "device"] | None
    device: int | None
    stream: Any
    check_calls: bool | None
    call_timeout: float | None
    verify: bool | None
    trace: str | PathLike[str] | None
    fake_ranks_per_host: int | None
