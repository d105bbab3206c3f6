"""The panel below an HPDC'14 figure: how far each analysis is from the runs.

On the figure itself the analyses of dynamic-2phases lie on its runs and on each other.
"""

from __future__ import annotations

import series
from matplotlib.axes import Axes
from matplotlib.figure import Figure

STRATEGY = "dynamic-2phases"
HEIGHT = 1.9  # inches that the panel adds
LIMIT = 10.0  # percent; an analysis that is further off leaves the panel


def add_panel(drawn: Figure, axes: Axes, lines: list[series.Series]) -> Axes | None:
    """A panel under `axes`, which gives its x axis to it; None where no analysis has runs beside."""
    runs = next((one for one in lines if one.strategy == STRATEGY and not one.predicted), None)
    analyses = [one for one in lines if one.strategy == STRATEGY and one.predicted]
    if runs is None or not analyses:
        return None
    width, height = drawn.get_size_inches()
    grid = drawn.add_gridspec(2, 1, height_ratios=[height, HEIGHT])
    axes.set_subplotspec(grid[0])
    below = drawn.add_subplot(grid[1], sharex=axes)
    below.set_xlabel(axes.get_xlabel())
    below.set_ylabel("analysis − runs [%]")
    axes.set_xlabel("")
    axes.tick_params(labelbottom=False)
    largest = max([_draw(below, one, runs) for one in analyses])
    _draw_spread(below, runs)
    below.axhline(0, color=runs.look.colour, linewidth=runs.look.width, zorder=2)
    reach = min(LIMIT, max(1.0, 1.15 * largest))
    below.set_ylim(-reach, reach)
    drawn.set_size_inches(width, height + HEIGHT)
    return below


def _draw(axes: Axes, analysis: series.Series, runs: series.Series) -> float:
    """Draws one analysis; how far it is off at most [%]."""
    at = sorted(x for x in analysis.points if x in runs.points and isinstance(x, (int, float))
                and runs.points[x].mean)
    off = [100 * (analysis.points[x].mean / runs.points[x].mean - 1) for x in at]
    axes.plot(at, off, color=analysis.look.colour, linestyle=analysis.look.line,
              linewidth=analysis.look.width, zorder=3)  # fmt: skip
    return max(map(abs, off), default=0.0)


def _draw_spread(axes: Axes, runs: series.Series) -> None:
    """One standard deviation of a run, as above."""
    at = sorted(x for x in runs.points if isinstance(x, (int, float)) and runs.points[x].mean)
    spread = [100 * (runs.points[x].sd or 0.0) / runs.points[x].mean for x in at]
    axes.fill_between(at, [-one for one in spread], spread, color=runs.look.colour,
                      alpha=series.BAND_ALPHA, linewidth=0, zorder=1)  # fmt: skip
