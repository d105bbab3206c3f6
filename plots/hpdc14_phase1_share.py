"""HPDC'14 figure 2: the data of figure 6 over the share of tasks treated in phase 1."""

from __future__ import annotations

import math

import hpdc14_beta
from matplotlib.figure import Figure
from results import Results


def figure(results: Results) -> Figure:
    """Draws `volume_ratio` over 100 (1 - exp(-beta)), the paper's axis from 0 to 100 percent."""
    drawn = hpdc14_beta.threshold_figure(
        results, "Percentage of tasks treated in phase 1", percentage
    )
    drawn.axes[0].set_xlim(0, 100)
    return drawn


def percentage(beta: float) -> float:
    """Tasks treated before phase 2, which starts with exp(-beta) of them left [%]."""
    return 100.0 * -math.expm1(-beta)
