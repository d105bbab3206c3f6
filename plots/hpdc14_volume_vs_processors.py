"""HPDC'14 figures 1, 4 and 5 (outer product), 9 and 10 (matrix product).

Communication over the number of processors: every strategy as simulated, with a band of one
standard deviation, and the analyses; below, how far these are off.
"""

from __future__ import annotations

import hpdc14
import hpdc14_deviation
import series
import style
from matplotlib.figure import Figure
from results import Results

PAPER_PROCESSORS = 300


def figure(results: Results) -> Figure:
    """Draws `volume_ratio` over `processors`, 0 to 300 as the paper does or as far as they go."""
    results.require("processors", "it is the x axis of this figure")
    lines = series.build(results.rows, lambda row: row.number("processors"), style.paper_label)
    drawn, axes = series.new_figure(
        hpdc14.title(results), "Number of processors", style.PAPER_RATIO_LABEL
    )
    series.draw_lines(axes, lines)
    series.fit_to_runs(axes, lines)
    axes.set_ylim(bottom=hpdc14.LOWER_BOUND)
    most = max(row.number("processors") or 0 for row in results.rows)
    axes.set_xlim(0, max(PAPER_PROCESSORS, most))
    hpdc14.explain_spread(axes, results, "band")
    series.legend(axes, lines)
    hpdc14_deviation.add_panel(drawn, axes, lines)
    return drawn
