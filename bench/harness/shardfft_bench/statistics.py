"""Medians, quantiles and bootstrap intervals of pooled samples."""

from __future__ import annotations

import numpy as np

RESAMPLES = 2000


def summary(samples: list[float]) -> dict[str, float]:
    values = np.asarray(samples, dtype=float)
    low, quarter, median, three_quarters, high = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
    return {
        "count": int(values.size), "min": float(values.min()), "q05": float(low), "q25": float(quarter),
        "median": float(median), "q75": float(three_quarters), "q95": float(high), "max": float(values.max()),
    }  # fmt: skip


def _resampled_medians(rounds: list[list[float]], rng: np.random.Generator) -> np.ndarray:
    """Medians of samples drawn again: first rounds, then samples inside each, since those of a round hang together."""
    arrays = [np.asarray(samples, dtype=float) for samples in rounds if len(samples)]
    sizes = np.array([array.size for array in arrays])
    padded = np.full((len(arrays), sizes.max()), np.nan)
    for place, array in enumerate(arrays):
        padded[place, : array.size] = array
    chosen = rng.integers(0, len(arrays), (RESAMPLES, len(arrays)))
    size = sizes[chosen][..., None]
    drawn = padded[chosen[..., None], (rng.random((*chosen.shape, sizes.max())) * size).astype(int)]
    # A round of fewer samples gives fewer.
    drawn[np.broadcast_to(np.arange(sizes.max()) >= size, drawn.shape)] = np.nan
    return np.nanmedian(drawn.reshape(RESAMPLES, -1), axis=1)


def median_interval(rounds: list[list[float]], confidence: float = 0.95, seed: int = 1) -> tuple[float, float]:
    """Bootstrap interval of the median over all rounds."""
    medians = _resampled_medians(rounds, np.random.default_rng(seed))
    tail = (1 - confidence) / 2
    return float(np.quantile(medians, tail)), float(np.quantile(medians, 1 - tail))


def ratio_interval(
    above: list[list[list[float]]], below: list[list[list[float]]], confidence: float = 0.95, seed: int = 1
) -> tuple[float, float, float]:
    """Product of the medians above over that of the medians below, with its bootstrap interval: (ratio, low, high)."""
    rng = np.random.default_rng(seed)
    ratios, ratio = np.ones(RESAMPLES), 1.0
    for sign, factors in ((1, above), (-1, below)):
        for rounds in factors:
            ratios *= _resampled_medians(rounds, rng) ** sign
            ratio *= float(np.median(np.concatenate([np.asarray(one, dtype=float) for one in rounds]))) ** sign
    tail = (1 - confidence) / 2
    return ratio, float(np.quantile(ratios, tail)), float(np.quantile(ratios, 1 - tail))
