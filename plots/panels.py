"""Draws the plan of a general plot: a grid of axes, a legend that fits, a caption."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Hashable
from dataclasses import replace

import bars
import legends
import numbers_on_axes
import series
import style
from errors import PlotError
from frames import BOUND_FROM, BOUND_LOOK, facet_title, frame
from general import Bound, Panel, Plan
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase
from wish import Wish
from words import apart

BOUND_LINES = ("-", (0, (4, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
MOST_COLUMNS = 3
LEAST_HEIGHT = 0.9  # of a panel and its words, of several one above the other [inch]
WIDEST, NARROWEST = 2.8, 1.3  # of lines [pt], in the order in which they are drawn
FAILED = "a run failed there"


def figure(plan: Plan, wish: Wish) -> Figure:
    """The whole picture, as large as asked for or as its panels and legend need."""
    if not plan.choice.x:
        return bars.figure(plan, wish)
    rows, columns = _grid(plan)
    handles = _handles(plan)
    labels = [label for _, label in handles]
    width, height = wish.size or _axes_size(rows, columns)
    narrow = wish.size is None and style.now().fixed  # the picture grows in height alone
    where = legends.layout(labels, width, height, fixed=wish.size is not None, below=narrow)
    if wish.size or narrow:
        legends.refuse_cut(where, labels, (width, height))
    if wish.size:
        _refuse_flat(rows, where, width, height)
    drawn, plots = _figure(where, width, height, wish.size is not None)
    all_axes = plots.subplots(rows, columns, sharex=True, squeeze=False)
    for place, panel in enumerate(plan.panels):
        _draw(all_axes.flat[place], plan, panel, wish)
    for unused in all_axes.flat[len(plan.panels) :]:
        unused.set_axis_off()
    _share_y(all_axes, plan)
    _label(all_axes, plan, plots.bbox.height / drawn.dpi)
    frame(plots, plan)
    if where is not None:
        _legend(drawn, handles, where)
    return drawn


def _grid(plan: Plan) -> tuple[int, int]:
    """Rows and columns of axes: measures below each other, facets beside each other."""
    facets = len(plan.facets)
    measures = len(plan.panels) // facets
    if measures > 1:
        return measures, facets
    most = 2 if facets == 4 or style.now().name == "paper" else MOST_COLUMNS
    columns = min(facets, most)
    return math.ceil(facets / columns), columns


def _axes_size(rows: int, columns: int) -> tuple[float, float]:
    """Of all axes together [inch]."""
    if style.now().fixed:
        width, height = style.now().size
        return width, height * (1.0 if rows == 1 else 0.3 + 0.65 * rows)
    width = 6.2 if columns == 1 else min(14.0, 0.7 + 3.4 * columns)
    return width, 4.6 if rows == 1 else min(14.0, 0.9 + (3.0 if columns == 1 else 2.7) * rows)


def _refuse_flat(
    rows: int, where: legends.Layout | None, width: float, height: float
) -> None:
    """Raises PlotError where panels one above the other would be too flat to be read."""
    legend = where.height if where is not None and not where.beside else 0.0
    if rows > 1 and (height - legend) / rows < LEAST_HEIGHT:
        raise PlotError(
            f"{rows} panels one above the other do not fit into {width:g} x {height:g} inches; "
            "draw one (--y COLUMN), or a higher picture (--size WxH)"
        )


def _figure(
    where: legends.Layout | None, width: float, height: float, fixed: bool
) -> tuple[Figure, FigureBase]:
    """A figure, and the part of it that is not the legend's."""
    if where is None:
        drawn = Figure(figsize=(width, height), layout="constrained")
        return drawn, drawn
    if where.beside:
        own = where.width + 0.1
        total = (width if fixed else max(width + own, own / 0.4), height)
        drawn = Figure(figsize=total, layout="constrained")
        parts = drawn.subfigures(1, 2, width_ratios=[total[0] - own, own])
    else:
        own = where.height + 0.1
        total = (width, height if fixed else max(height + own, own / 0.4))
        drawn = Figure(figsize=total, layout="constrained")
        parts = drawn.subfigures(2, 1, height_ratios=[total[1] - own, own])
    return drawn, parts[0]


def _legend(drawn: Figure, entries: list[tuple[Artist, str]], where: legends.Layout) -> None:
    handles, labels = [one for one, _ in entries], [label for _, label in entries]
    place = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.93)} if where.beside else (
        {"loc": "upper left", "bbox_to_anchor": (0.01, 1.0)})  # fmt: skip
    drawn.subfigs[1].legend(
        *legends.entries(handles, labels, where), **place, **legends.options(where)
    )


def _handles(plan: Plan) -> list[tuple[Artist, str]]:
    """One entry a line, that which ends highest first, then bounds and what else is drawn."""
    scratch = Figure().add_subplot()
    first = plan.panels[: len(plan.facets)]
    ends: dict[str, float] = {}
    own: dict[str, series.Series] = {}
    for one in (one for panel in plan.panels for one in panel.lines):
        own.setdefault(one.label, one)
    for one in (one for panel in first for one in panel.lines):
        ends.setdefault(one.label, _last(one))
    order = sorted(own, key=lambda label: -ends.get(label, -math.inf))
    handles = []
    for label in order:
        one = own[label]
        line = "" if plan.categories and not one.predicted else one.look.line
        (handle,) = scratch.plot([], [], color=one.look.colour, marker=one.look.marker,
                                 linestyle=line, linewidth=style.width(one.look.width),
                                 fillstyle=one.look.fill)  # fmt: skip
        best = _minimum(one) if plan.choice.x == "beta" and len(plan.panels) == 1 else None
        at = f", least {best[1]:.4g} at β = {best[0]:.3g}" if best else ""
        handles.append((handle, label + at))
    for words, line in _bound_lines(plan).items():
        (handle,) = scratch.plot([], [], **BOUND_LOOK, linestyle=line)
        # A column of text has no room to say what the axis says.
        short = words.partition(" of ")[0] if style.now().name == "paper" else words
        handles.append((handle, short))
    if any(panel.failed for panel in plan.panels):
        (handle,) = scratch.plot([], [], color="#444444", marker="x", linestyle="")
        handles.append((handle, FAILED))
    return handles


def _minimum(one: series.Series) -> tuple[float, float] | None:
    """Where a line over a number is lowest, and how low; None for a level or a slope."""
    at = sorted((x, point.mean) for x, point in one.points.items()
                if isinstance(x, (int, float)) and math.isfinite(x))  # fmt: skip
    lowest = min(at, key=lambda place: place[1], default=None)
    return None if lowest is None or lowest in (at[0], at[-1]) else lowest


def _last(one: series.Series) -> float:
    """The value at the largest x; of names the mean."""
    numeric = [x for x in one.points if isinstance(x, (int, float))]
    if numeric:
        return one.points[max(numeric)].mean
    return sum(point.mean for point in one.points.values()) / len(one.points)


def _bound_lines(plan: Plan) -> dict[str, object]:
    """The line style of each bound that is drawn, by its words."""
    words = dict.fromkeys(
        bound.words for panel in plan.panels for bound in panel.bounds if _in_reach(panel, bound)
    )
    return {name: BOUND_LINES[i % len(BOUND_LINES)] for i, name in enumerate(words)}


def _in_reach(panel: Panel, bound: Bound) -> bool:
    """Whether drawing the bound leaves room for the curves."""
    most = max((point.mean for one in panel.lines for point in one.points.values()), default=0.0)
    return max(bound.points.values()) <= BOUND_FROM * most


def _draw(axes: Axes, plan: Plan, panel: Panel, wish: Wish) -> None:
    count = max(1, len(panel.lines) - 1)  # from wide to narrow: lines on each other can be seen
    lines = [one if one.predicted else replace(one, look=replace(
                 one.look, width=WIDEST - (WIDEST - NARROWEST) * i / count))
             for i, one in enumerate(panel.lines)]  # fmt: skip
    if wish.log is None or "y" not in wish.log:
        _limit(axes, lines)
    if plan.choice.numeric:
        series.draw_lines(axes, lines, within_runs=True)
        numbers_on_axes.scale_x(axes, lines, wish.log)
    else:
        series.draw_categories(axes, lines, plan.categories)
        short = apart(plan.categories, 26)
        axes.set_xticks(range(len(short)), short)
        if sum(map(len, short)) > 70:
            axes.tick_params(axis="x", labelrotation=30, labelsize=style.points(8))
            for label in axes.get_xticklabels():
                label.set_ha("right")
    if plan.choice.x == "beta":
        for one in lines:
            best = _minimum(one)
            if best:
                axes.plot(*best, color=one.look.colour, marker="o", markersize=style.width(11), fillstyle="none",
                          markeredgewidth=1.4, linestyle="", zorder=6)  # fmt: skip
    for bound in panel.bounds:
        _draw_bound(axes, plan, panel, bound)
    _draw_failed(axes, plan, panel)
    drawn = [y for bound in panel.bounds if _in_reach(panel, bound) for y in bound.points.values()]
    numbers_on_axes.scale_y(axes, lines, wish.log, drawn)
    if panel.facet and panel.measure is plan.panels[0].measure:
        axes.set_title(facet_title(plan, panel.facet), loc="left", fontsize=style.points(10))


def _limit(axes: Axes, lines: list[series.Series]) -> None:
    series.fit_to_runs(axes, lines)
    if all(point.mean >= 0 for one in lines for point in one.points.values()):
        axes.set_ylim(bottom=0)


def _draw_bound(axes: Axes, plan: Plan, panel: Panel, bound: Bound) -> None:
    if not _in_reach(panel, bound):
        if panel.measure.more_is_better:
            words = f"{bound.words}, off the axis: {max(bound.points.values()):.4g} {panel.unit}"
            axes.annotate(words, (0.99, 0.99), xycoords="axes fraction", ha="right", va="top",
                          fontsize=style.points(8), color="#444444")  # fmt: skip
        return
    look = {**BOUND_LOOK, "linestyle": _bound_lines(plan)[bound.words]}
    at = sorted((x, y) for x, y in bound.points.items() if isinstance(x, (int, float)))
    if len(set(bound.points.values())) == 1:
        axes.axhline(next(iter(bound.points.values())), **look)
    elif plan.categories:
        for i, name in enumerate(plan.categories):
            if name in bound.points:
                axes.hlines(bound.points[name], i - 0.45, i + 0.45, colors="black",
                            linewidth=0.9, linestyles=look["linestyle"])  # fmt: skip
    elif at:
        axes.plot(*zip(*at), **look)
    if panel.measure.more_is_better:
        axes.set_ylim(top=max(axes.get_ylim()[1], 1.05 * max(bound.points.values())))


def _draw_failed(axes: Axes, plan: Plan, panel: Panel) -> None:
    """A cross at the foot of the axes wherever a row of a line failed."""
    looks = {one.label: one.look for other in plan.panels for one in other.lines}
    for label, places in panel.failed.items():
        at: list[Hashable] = [plan.categories.index(x) if x in plan.categories else x
                              for x in dict.fromkeys(places)] if plan.categories else places  # fmt: skip
        xs = [x for x in at if isinstance(x, (int, float)) and math.isfinite(x)]
        axes.plot(
            xs, [0.015] * len(xs), color=looks[label].colour, marker="x", linestyle="",
            transform=axes.get_xaxis_transform(), clip_on=False, zorder=6,
        )  # fmt: skip


def _share_y(all_axes, plan: Plan) -> None:  # noqa: ANN001 (an array of axes)
    """Facets of one measure have one range of y."""
    count = len(plan.facets)
    for first in range(0, len(plan.panels), count):
        some = list(all_axes.flat[first : first + count])
        low = min(axes.get_ylim()[0] for axes in some)
        high = max(axes.get_ylim()[1] for axes in some)
        for axes in some:
            axes.set_ylim(low, high)


def _label(all_axes, plan: Plan, height: float) -> None:  # noqa: ANN001
    """Words beside the outer axes."""
    rows, columns = all_axes.shape
    for place, panel in enumerate(plan.panels):
        row, column = divmod(place, columns)
        axes = all_axes[row, column]
        if column == 0:
            most = max(12, int(9.5 * 11 / style.points(11) * (height / rows - 0.9)))  # what is longer would leave the axes
            axes.set_ylabel(textwrap.fill(panel.measure.label(panel.unit), most))
        if place + columns >= len(plan.panels):
            axes.set_xlabel(plan.choice.label())
            axes.tick_params(labelbottom=True)
