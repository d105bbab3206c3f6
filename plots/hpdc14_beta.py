"""HPDC'14 figures 6 (outer product) and 11 (matrix product).

Communication of the two-phase strategy over its threshold beta, simulated and as each model has
it; the strategies without a threshold are levels. A model's best beta, from the metadata's key
`best_beta` ({"paper": 4.17, ...}), stands as a vertical line.
"""

from __future__ import annotations

from collections.abc import Callable

import hpdc14
import hpdc14_deviation
import series
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from results import Results, Row
from words import clean

STRATEGY = "dynamic-2phases"


def figure(results: Results) -> Figure:
    """Draws `volume_ratio` over `beta`, and below how far the analyses are off."""
    drawn, lines = threshold_figure(
        results, "β (phase 2 starts with exp(−β) of the tasks left)", float
    )
    hpdc14_deviation.add_panel(drawn, drawn.axes[0], lines)
    return drawn


def threshold_figure(
    results: Results, x_label: str, x_of_beta: Callable[[float], float]
) -> tuple[Figure, list[series.Series]]:
    """Draws `volume_ratio` over a function of `beta`, which makes the label true."""
    swept = [row for row in results.rows if row.strategy == STRATEGY]
    if not swept:
        raise results.refuse(f"no row has strategy {STRATEGY}, which this figure is about")
    results.require("beta", hpdc14.PLOTTED_BETA, swept)

    def x_of(row: Row) -> float | None:
        return x_of_beta(row.number("beta") or 0.0) if row.strategy == STRATEGY else None

    lines = series.build(results.rows, x_of, style.paper_label)
    drawn, axes = series.new_figure(
        hpdc14.title(results, with_processors=True), x_label, style.PAPER_RATIO_LABEL
    )
    series.draw_lines(axes, lines)
    series.fit_to_runs(axes, lines)
    axes.margins(x=0.02)
    mark_best(axes, best_betas(results), x_of_beta)
    hpdc14.explain_spread(axes, results, "band")
    series.legend(axes, lines)
    return drawn, lines


def best_betas(results: Results) -> dict[str, float]:
    """The best beta by model that the metadata gives."""
    given = results.meta.get("best_beta", {})
    numbers = isinstance(given, dict) and all(
        isinstance(beta, (int, float)) and not isinstance(beta, bool) and 0 <= beta <= 1e6
        for beta in given.values()
    )
    if not numbers:
        raise results.refuse('its metadata\'s best_beta must be {"MODEL": NUMBER, ...}')
    return {clean(model): float(beta) for model, beta in given.items()}


def mark_best(
    axes: Axes, best: dict[str, float], x_of_beta: Callable[[float], float]
) -> None:
    """A vertical line at the best beta of each model."""
    for model in sorted(best, key=style.model_order):
        look = style.MODELS.get(model, style.OTHER_MODEL)
        axes.axvline(
            x_of_beta(best[model]), color=look.colour, linestyle=look.line, linewidth=1, zorder=1,
            label=f"best β ({model}): {best[model]:.3g}",
        )  # fmt: skip
