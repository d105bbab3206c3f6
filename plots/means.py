"""Means over replicates and the spread of a single run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from results import RATIO, Row

Key = TypeVar("Key")


@dataclass(frozen=True)
class Point:
    """A mean over replicates, the standard deviation of one run, and the extremes of the runs,
    where they are known."""

    mean: float
    sd: float | None
    n: int
    least: float = -math.inf
    most: float = math.inf


def summarise(rows: list[Row], measure: str = RATIO) -> Point:
    """The mean of a measure over rows that belong to one point, and the spread of a single run.

    Simulated: the sample standard deviation, over replicates or pooled from summaries of n each.
    Predicted: only where the model has a band; E[var] within plus var[E] between draws of speeds.
    The columns mean and sd of summaries and predictions are those of the volume ratio alone.
    """
    means = [row.measure(measure) or 0.0 for row in rows]
    if rows[0].predicted:
        centre = math.fsum(means) / len(means)
        return Point(centre, _predicted_sd(rows, means, centre, measure), len(rows))
    counts = [max(1, round(row.number("n") or 1)) for row in rows]
    total = sum(counts)
    centre = math.fsum(n * mean for n, mean in zip(counts, means)) / total
    summaries = total > len(rows)
    if total == 1 or (summaries and measure != RATIO):
        return Point(centre, None, total)
    inside = math.fsum((n - 1) * (row.number("sd") or 0.0) ** 2 for n, row in zip(counts, rows))
    between = math.fsum(n * (mean - centre) ** 2 for n, mean in zip(counts, means))
    spread = math.sqrt((inside + between) / (total - 1))
    if summaries:  # the runs themselves are not there
        return Point(centre, spread, total)
    return Point(centre, spread, total, min(means), max(means))


def _predicted_sd(
    rows: list[Row], means: list[float], centre: float, measure: str
) -> float | None:
    bands = [sd for row in rows if (sd := row.number("sd")) is not None]
    if not bands or measure != RATIO:
        return None
    within = math.fsum(sd * sd for sd in bands) / len(bands)
    spread = math.fsum((mean - centre) ** 2 for mean in means) / max(1, len(means) - 1)
    return math.sqrt(within + spread)


def group(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """The rows of each key, keys in order of appearance."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
