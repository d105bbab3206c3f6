"""HPDC'14 figure 8: communication in six scenarios of speeds, fixed and changing."""

from __future__ import annotations

import hpdc14
import series
import style
from matplotlib.figure import Figure
from results import Results, Row

SCENARIOS = ("unif.1", "unif.2", "set.3", "set.5", "dyn.5", "dyn.20")


def figure(results: Results) -> Figure:
    """Draws `volume_ratio` by scenario, strategies side by side, error bars of one sd."""
    for row in results.rows:
        if scenario(row) not in SCENARIOS:
            raise results.refuse(
                f"platform '{row.text('platform')}' is none of the scenarios of this figure: "
                f"{', '.join(SCENARIOS)}",
                row,
            )
    lines = series.build(results.rows, scenario, style.paper_label)
    present = {scenario(row) for row in results.rows}
    drawn, axes = series.new_figure(
        hpdc14.title(results, with_processors=True),
        "Scenario of speeds",
        style.PAPER_RATIO_LABEL,
    )
    series.draw_categories(axes, lines, [name for name in SCENARIOS if name in present])
    series.fit_to_runs(axes, lines)
    axes.set_ylim(bottom=hpdc14.LOWER_BOUND)
    hpdc14.explain_spread(axes, results, "bar")
    series.legend(axes, lines)
    return drawn


def scenario(row: Row) -> str:
    """The platform's name: set.3 of `set.3:p=20`."""
    return row.spec("platform").name
