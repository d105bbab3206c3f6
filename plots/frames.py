"""Words around the axes of a general plot, and how bounds look there."""

from __future__ import annotations

import textwrap
from typing import Any

import style
from general import Plan
from matplotlib.figure import Figure, FigureBase
from results import TEXT_COLUMNS
from words import elided

BOUND_LOOK: dict[str, Any] = {"color": "black", "linewidth": 0.9, "zorder": 4.5}
BOUND_FROM = 3  # an upper bound that no curve comes this near to is said, not drawn
CAPTION: dict[str, Any] = {"color": "#444444", "x": 0.01, "ha": "left"}


def frame(plots: FigureBase, plan: Plan) -> None:
    """The title above and the caption below."""
    width = plots.bbox.width / (plots.dpi if isinstance(plots, Figure) else plots.figure.dpi)
    if plan.title:
        title = textwrap.fill(plan.title, max(20, int(width * 11.5 * 11 / style.points(11))))
        plots.suptitle(title, x=0.01, ha="left", fontsize=style.points(11))
    caption(plots, plan.caption)


def facet_title(plan: Plan, value: str) -> str:
    """What a panel is of: `memory = 500MB`; of names the name alone."""
    name = plan.facet.rpartition(".")[2]
    whole = name in (*TEXT_COLUMNS, "file") or not name
    return elided(value if whole else f"{name} = {value}", 44)


def caption(plots: FigureBase, text: str) -> None:
    """Small words at the foot of a picture."""
    width = plots.bbox.width / (plots.dpi if isinstance(plots, Figure) else plots.figure.dpi)
    if text and style.now().words:
        size = style.points(8)
        plots.supxlabel(textwrap.fill(text, max(24, int(width * 120 / size))), fontsize=size, **CAPTION)
