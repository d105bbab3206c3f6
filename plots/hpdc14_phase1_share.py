"""HPDC'14 figure 2: the data of figure 6 over the share of tasks treated in phase 1.

The optimum lies within the last percents of the axis: an inset shows them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import hpdc14_beta
import series
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from results import Results


INSET_FROM = 94.0  # percent
INSET_PLACE = (0.09, 0.09, 0.5, 0.44)  # left, bottom, width, height, as shares of the axes
INSET_OF_SLIDES = (0.16, 0.14, 0.42, 0.34)  # its numbers are larger


def figure(results: Results) -> Figure:
    """Draws `volume_ratio` over 100 (1 - exp(-beta)), the paper's axis from 0 to 100 percent."""
    drawn, lines = hpdc14_beta.threshold_figure(
        results, "Percentage of tasks treated in phase 1", percentage
    )
    drawn.axes[0].set_xlim(0, 100)
    inset = _add_inset(drawn.axes[0], lines)
    if inset is not None:
        hpdc14_beta.mark_best(inset, hpdc14_beta.best_betas(results), percentage)
    return drawn


def _add_inset(axes: Axes, lines: list[series.Series]) -> Axes | None:
    """The last percents of the axis, drawn again where the figure is empty."""
    runs = [one for one in lines if one.strategy == hpdc14_beta.STRATEGY and not one.predicted]
    last = [point for one in runs for x, point in one.points.items()
            if isinstance(x, float) and x >= INSET_FROM]  # fmt: skip
    if not last:
        return None
    low, high = min(point.mean for point in last), max(point.mean for point in last)
    pad = 0.12 * ((high - low) or 1.0)
    inset = axes.inset_axes(INSET_OF_SLIDES if style.now().name == "slides" else INSET_PLACE)
    series.draw_lines(inset, [_from(one, INSET_FROM) for one in lines])
    inset.set_xlim(INSET_FROM, 100.05)
    inset.set_ylim(low - pad, high + pad)
    inset.tick_params(labelsize="small")
    axes.indicate_inset_zoom(inset, edgecolor="#555555")
    return inset


def _from(one: series.Series, first: float) -> series.Series:
    """A level whole, a line from `first` on: markers are not clipped."""
    points = {x: point for x, point in one.points.items()
              if x is None or (isinstance(x, float) and x >= first)}  # fmt: skip
    return replace(one, points=points)


def percentage(beta: float) -> float:
    """Tasks treated before phase 2, which starts with exp(-beta) of them left [%]."""
    return 100.0 * -math.expm1(-beta)
