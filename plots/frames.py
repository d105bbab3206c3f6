"""Words around the axes of a general plot, and how bounds look there."""

from __future__ import annotations

import textwrap
from typing import Any

from general import Plan
from matplotlib.figure import Figure, FigureBase

BOUND_LOOK: dict[str, Any] = {"color": "black", "linewidth": 0.9, "zorder": 4.5}
BOUND_FROM = 3  # an upper bound that no curve comes this near to is said, not drawn
CAPTION: dict[str, Any] = {"fontsize": 8, "color": "#444444", "x": 0.01, "ha": "left"}


def frame(plots: FigureBase, plan: Plan) -> None:
    """The title above and the caption below."""
    width = plots.bbox.width / (plots.dpi if isinstance(plots, Figure) else plots.figure.dpi)
    if plan.title:
        title = textwrap.fill(plan.title, max(20, int(width * 11.5)))
        plots.suptitle(title, x=0.01, ha="left", fontsize=11)
    caption(plots, plan.caption)


def caption(plots: FigureBase, text: str) -> None:
    """Small words at the foot of a picture."""
    width = plots.bbox.width / (plots.dpi if isinstance(plots, Figure) else plots.figure.dpi)
    if text:
        plots.supxlabel(textwrap.fill(text, max(24, int(width * 15))), **CAPTION)
