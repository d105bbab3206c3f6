"""What pictures of traces share: a colour for each processor, and words about runs."""

from __future__ import annotations

import matplotlib
import style
from matplotlib.colors import to_rgb
from traces import Run
from words import elided

Colour = tuple[float, float, float]

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999933", "#882255")
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def colours(count: int) -> list[Colour]:
    """One a processor; of many, hues around the circle."""
    if count <= len(COLOURS):
        return [to_rgb(one) for one in COLOURS[:count]]
    hues = matplotlib.colormaps["hsv"]
    return [hues(i / count)[:3] for i in range(count)]


def unit_of(end: float) -> tuple[float, str]:
    """The unit of time in which the end is at least 1."""
    return next(((unit, word) for unit, word in UNITS if end >= unit), UNITS[-1])


def title(run: Run, several: bool, chars: int) -> str:
    """What a run was: of one among several, what differs."""
    source = run.text("name") or run.text("source")
    parts = [elided(run.text("strategy"), chars)]
    if source not in ("", "simulated"):
        parts.append(source)
    if run.text("status") not in ("", "ok"):
        parts.append(run.text("status"))
    unit, word = unit_of(run.makespan)
    if style.now().words or several:
        parts.append(f"{run.makespan / unit:.4g} {word}")
    return ", ".join(parts)


def heading(runs: list[Run]) -> str:
    """Workload and platform, where the runs have the same."""
    parts = []
    for key in ("workload", "platform"):
        values = {run.text(key) for run in runs}
        parts += [value for value in values if value and len(values) == 1]
    return elided(" on ".join(parts), 90)
