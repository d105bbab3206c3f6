"""HPDC'14 figure 7: communication over the heterogeneity h of speeds drawn from [100-h, 100+h]."""

from __future__ import annotations

import hpdc14
import series
import style
from matplotlib.figure import Figure
from results import Results, Row


def figure(results: Results) -> Figure:
    """Draws `volume_ratio` over h, 0 to 100, with error bars of one standard deviation."""
    lines = series.build(
        results.rows, lambda row: heterogeneity(results, row), style.paper_label
    )
    drawn, axes = series.new_figure(
        hpdc14.title(results, with_processors=True),
        "Heterogeneity h (speeds uniform in [100 − h, 100 + h])",
        style.PAPER_RATIO_LABEL,
    )
    series.draw_lines(axes, lines, error_bars=True)
    series.fit_to_runs(axes, lines)
    axes.set_ylim(bottom=hpdc14.LOWER_BOUND)
    axes.set_xlim(-2, 102)
    hpdc14.explain_spread(axes, results, "bar")
    series.legend(axes, lines)
    return drawn


def heterogeneity(results: Results, row: Row) -> float:
    """Half the width of the interval that the platform's speeds are drawn from; 0 if all equal."""
    platform = row.spec("platform")
    if platform.name == "homogeneous":
        return 0.0
    low, high = platform.number("lo"), platform.number("hi")
    if platform.name != "uniform" or low is None or high is None:
        raise results.refuse(
            f"platform '{row.text('platform')}' has no heterogeneity; "
            "this figure needs uniform:p=20,lo=60,hi=140 or homogeneous:p=20",
            row,
        )
    return (high - low) / 2
