"""Bars where nothing varies: one a line, the best on top, a column of bars a measure."""

from __future__ import annotations

import math

import numbers_on_axes
import style
from errors import PlotError
from frames import BOUND_FROM, BOUND_LOOK, facet_title, frame
from general import Panel, Plan
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from series import Series
from wish import Wish
from words import apart

MOST_NAME = 48  # characters of a bar's name
MOST_HEIGHT = 16.0  # inches
NAME_WIDTH = 0.078  # of a character [inch]


def figure(plan: Plan, wish: Wish) -> Figure:
    """One horizontal bar per line, so that long names stay readable."""
    if wish.log and "x" in wish.log:
        raise PlotError("--log x: nothing varies, so there are bars; --log y scales them")
    facets = len(plan.facets)
    measures = len(plan.panels) // facets
    counts = [max(1, len(panel.lines)) for panel in plan.panels[:facets]]
    names = max(len(one.label) for panel in plan.panels for one in panel.lines)
    width = min(16.0, 5.0 * measures + 0.6 + NAME_WIDTH * min(names, MOST_NAME))
    height = min(MOST_HEIGHT, max(2.6, 1.2 + 0.4 * facets + 0.36 * sum(counts)))
    usual = (max(style.now().size[0], width), height * style.points(10) / 10)
    if style.now().name == "paper":
        usual = (style.now().size[0], 0.55 * height)
    drawn = Figure(figsize=wish.size or usual, layout="constrained")
    all_axes = drawn.subplots(
        facets, measures, squeeze=False, sharex="col", gridspec_kw={"height_ratios": counts}
    )
    for column in range(measures):
        for row in range(facets):
            first = plan.panels[row]  # its order and names hold for the whole row
            panel = plan.panels[column * facets + row]
            _draw(all_axes[row, column], panel, _order(first), column == 0, wish,
                  facet_title(plan, panel.facet))
        all_axes[-1, column].set_xlabel(panel.measure.label(panel.unit))
    frame(drawn, plan)
    return drawn


def _order(panel: Panel) -> list[str]:
    """The labels of the bars, the best first."""
    sign = -1 if panel.measure.more_is_better else 1
    lines = sorted(panel.lines, key=lambda one: sign * _point(one).mean)
    return [one.label for one in lines]


def _point(one: Series):  # noqa: ANN202 (a Point)
    return next(iter(one.points.values()))


def _draw(
    axes: Axes, panel: Panel, order: list[str], named: bool, wish: Wish, title: str
) -> None:
    log = bool(wish.log and "y" in wish.log)
    order = order + [one.label for one in panel.lines if one.label not in order]
    small = len(order) > 45
    paper = style.now().name == "paper"
    most = MOST_NAME // 2 if paper else MOST_NAME
    for one in panel.lines:
        point = _point(one)
        place = order.index(one.label)
        axes.barh(
            place, point.mean, xerr=point.sd, height=0.7, color=one.look.colour,
            alpha=0.55 if one.predicted else 0.9, hatch="//" if one.predicted else None,
            edgecolor="white", ecolor="black",
        )  # fmt: skip
        end = max(0.0, point.mean + (point.sd or 0.0))
        axes.annotate(
            numbers_on_axes.plain(float(f"{point.mean:.4g}")), (end, place), (4, 0),
            textcoords="offset points", va="center", fontsize=style.points(7 if small else 9),
            zorder=6, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.4},
        )  # fmt: skip
    axes.set_yticks(range(len(order)), apart(order, most) if named else [""] * len(order),
                    fontsize=style.points(6) if small else None)  # fmt: skip
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.grid(False, axis="y")
    values = [_point(one).mean for one in panel.lines]
    if paper:
        axes.xaxis.set_major_locator(MaxNLocator(4))
    if log:
        _scale_log(axes, values, [max(bound.points.values()) for bound in panel.bounds])
    else:
        axes.margins(x=0.3 if paper else 0.12)
        if all(value >= 0 for value in values):
            axes.set_xlim(left=0)
    _draw_bounds(axes, panel, max(values, default=0.0))
    if panel.facet:
        axes.set_title(title, loc="left", fontsize=style.points(10))


def _draw_bounds(axes: Axes, panel: Panel, most: float) -> None:
    """A line for each bound that the longest bar comes near to, its words above it."""
    short = style.now().fixed
    for bound in panel.bounds:
        at = max(bound.points.values())
        if math.isfinite(at) and at <= BOUND_FROM * most:
            axes.axvline(at, **BOUND_LOOK)
            of = bound.words.partition(" of ")[0] if short else bound.words
            words = f"{of} {numbers_on_axes.plain(float(f'{at:.4g}'))} {panel.unit}"
            left = at > 0.5 * axes.get_xlim()[1]
            axes.annotate(
                words.strip(), (at, 1.0), (0, 2), xycoords=("data", "axes fraction"),
                fontsize=style.points(8), textcoords="offset points",
                ha="right" if left else "left",
            ).set_in_layout(short)  # fmt: skip


def _scale_log(axes: Axes, values: list[float], bounds: list[float]) -> None:
    """With room for the bounds that are drawn."""
    above = [value for value in values if value > 0]
    if not above:
        raise PlotError("--log y: no value of y is above 0")
    axes.set_xscale("log", nonpositive="clip")
    above += [bound for bound in bounds if 0 < bound <= BOUND_FROM * max(above)]
    axes.set_xlim(min(above) / 1.5, max(above) * 1.6)
    numbers_on_axes.without_markup(axes.xaxis)
