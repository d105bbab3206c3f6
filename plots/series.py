"""Lines, bands and dodged points on an axes, from rows."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import legends
import style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from means import Point, group, summarise
from results import RATIO, Row
from words import apart

BAND_ALPHA = 0.18
MAX_MARKERS = 30
AXES_WIDTH, MOST_HEIGHT = 6.2, 6.5  # of axes with a legend beside them [inch]
MOST_LABEL = 64  # characters in a legend


@dataclass(frozen=True)
class Series:
    """What one line of the legend stands for: its words, its look, its points by x.

    The x None stands for a level: a value for every x.
    """

    label: str
    look: style.Look
    strategy: str
    predicted: bool
    points: dict[Hashable, Point]
    key: tuple[Hashable, ...] = ()  # what its rows have in common


def default_key(row: Row) -> tuple[str, ...]:
    """One line per source, model and strategy."""
    return (row.text("source"), row.text("model"), row.strategy)


def build(
    rows: list[Row],
    x_of: Callable[[Row], Hashable],
    label_of: Callable[[Row], str],
    key: Callable[[Row], tuple[Hashable, ...]] = default_key,
    measure: str = RATIO,
) -> list[Series]:
    """Groups rows into series, and each series into points, in the order of the legend."""
    looks = style.strategy_looks({row.strategy for row in rows})
    groups = sorted(group(rows, key).values(), key=lambda some: style.series_order(some[0]))
    labels = apart((label_of(some[0]) for some in groups), MOST_LABEL)
    own: list[style.Look] = [style.OTHER_MODEL] * len(groups)
    siblings: dict[tuple[str, ...], list[int]] = {}
    for i, some in enumerate(groups):
        siblings.setdefault(default_key(some[0]), []).append(i)
    for places in siblings.values():  # lines of one strategy differ by shade and filling
        for place, i in enumerate(places):
            own[i] = style.variant(style.look(groups[i][0], looks), place, len(places))
    return [
        Series(
            label,
            look,
            some[0].strategy,
            some[0].predicted,
            {x: summarise(at_x, measure) for x, at_x in group(some, x_of).items()},
            key(some[0]),
        )
        for label, look, some in zip(labels, own, groups)
    ]


def new_figure(title: str, x_label: str, y_label: str) -> tuple[Figure, Axes]:
    """A figure with one axes, titled and labelled."""
    figure = Figure(figsize=style.now().size, layout="constrained")
    axes = figure.add_subplot()
    if style.now().name == "slides":  # in letters so large long words would leave the picture
        title, x_label, y_label = (textwrap.fill(text, most) for text, most in
                                   ((title, 56), (x_label, 36), (y_label, 24)))  # fmt: skip
    if style.now().words:
        axes.set_title(title, loc="left")
    else:
        x_label = x_label.partition(" (")[0]  # the caption of a paper says what it is
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    return figure, axes


def draw_lines(
    axes: Axes, series: list[Series], error_bars: bool = False, within_runs: bool = False
) -> None:
    """Each series against a numeric x: its mean, and a band or error bars of one sd.

    Where runs are skewed one sd may reach where none can be, as above a peak or below nothing:
    `within_runs` ends the band at the extremes of the runs.
    """
    for one in series:
        points = sorted((x, point) for x, point in one.points.items() if _drawable(x))
        if None in one.points:
            _draw_level(axes, one, one.points[None])
        elif points:
            _draw_line(axes, one, points, error_bars, within_runs)


def _drawable(x: Hashable) -> bool:
    return isinstance(x, (int, float)) and math.isfinite(x)


def _draw_level(axes: Axes, one: Series, point: Point) -> None:
    axes.axhline(
        point.mean, color=one.look.colour, linestyle=one.look.line, linewidth=style.width(one.look.width),
        label=one.label, zorder=2,
    )  # fmt: skip
    if point.sd:
        low, high = point.mean - point.sd, point.mean + point.sd
        axes.axhspan(low, high, color=one.look.colour, alpha=BAND_ALPHA, linewidth=0, zorder=1)


def _draw_line(
    axes: Axes, one: Series, points: list[tuple[float, Point]], error_bars: bool, within_runs: bool
) -> None:
    xs = [x for x, _ in points]
    means = [point.mean for _, point in points]
    sds = [point.sd or 0.0 for _, point in points]
    every = max(1, math.ceil(len(xs) / MAX_MARKERS))
    lone = one.predicted and len(points) == 1  # a line of one point would not be seen
    axes.plot(
        xs,
        means,
        color=one.look.colour,
        linestyle=one.look.line,
        linewidth=style.width(one.look.width),
        marker="_" if lone else one.look.marker,
        markersize=12 if lone else None,
        fillstyle=one.look.fill,
        markevery=every,
        label=one.label,
        zorder=4 if one.predicted else 3,
    )
    if not one.predicted:  # the markers again, above the analyses that run through them
        axes.plot(
            xs, means, color=one.look.colour, linestyle="", marker=one.look.marker,
            fillstyle=one.look.fill, markevery=every, zorder=5, clip_on=False,
        )  # fmt: skip
    if error_bars and not one.predicted:
        axes.errorbar(xs, means, sds, fmt="none", ecolor=one.look.colour, elinewidth=1, zorder=2)
    elif any(sds):
        low = [mean - sd for mean, sd in zip(means, sds)]
        high = [mean + sd for mean, sd in zip(means, sds)]
        if within_runs:
            low = [max(end, point.least) for end, (_, point) in zip(low, points)]
            high = [min(end, point.most) for end, (_, point) in zip(high, points)]
        axes.fill_between(
            xs, low, high, color=one.look.colour, alpha=BAND_ALPHA, linewidth=0, zorder=1
        )


def draw_categories(axes: Axes, series: list[Series], categories: list[str]) -> None:
    """Each series over named categories, side by side: points with error bars of one sd.

    A prediction stands as a short stroke where its strategy's runs stand, its band behind it.
    """
    slots = _slots(series)
    width = 0.8 / (1 + max(slots.values()))
    for one in series:
        shift = (slots[one.strategy if one.predicted else one.label] + 0.5) * width - 0.4
        at = [(i + shift, one.points[name]) for i, name in enumerate(categories)
              if name in one.points]  # fmt: skip
        (_draw_strokes if one.predicted else _draw_dots)(axes, one, at, width)
    axes.set_xticks(range(len(categories)), categories)
    axes.set_xlim(-0.5, len(categories) - 0.5)
    axes.grid(False, axis="x")
    for i in range(1, len(categories)):
        axes.axvline(i - 0.5, color="#dddddd", linewidth=0.6, zorder=0)


def _slots(series: list[Series]) -> dict[str, int]:
    """A slot per line of runs, by label; a prediction shares that of its strategy's first runs."""
    slots: dict[str, int] = {}
    for i, one in enumerate(one for one in series if not one.predicted):
        slots[one.label] = i
        slots.setdefault(one.strategy, i)
    for one in series:
        if one.predicted and one.strategy not in slots:
            slots[one.strategy] = max(slots.values(), default=-1) + 1
    return slots


def _draw_dots(axes: Axes, one: Series, at: list[tuple[float, Point]], width: float) -> None:
    del width
    axes.errorbar(
        [x for x, _ in at],
        [point.mean for _, point in at],
        [point.sd or 0.0 for _, point in at],
        fmt=one.look.marker,
        fillstyle=one.look.fill,
        color=one.look.colour,
        label=one.label,
        zorder=5,
    )


def _draw_strokes(axes: Axes, one: Series, at: list[tuple[float, Point]], width: float) -> None:
    half = 0.46 * width
    lefts, rights = [x - half for x, _ in at], [x + half for x, _ in at]
    axes.hlines(
        [point.mean for _, point in at], lefts, rights, colors=one.look.colour,
        linestyles=one.look.line, linewidth=style.width(one.look.width), label=one.label, zorder=4,
    )  # fmt: skip
    for left, right, (_, point) in zip(lefts, rights, at):
        if point.sd:
            low, high = point.mean - point.sd, point.mean + point.sd
            axes.fill_between(
                [left, right], low, high, color=one.look.colour, alpha=BAND_ALPHA, linewidth=0
            )


def legend(axes: Axes, series: list[Series]) -> None:
    """The legend beside the axes, where it hides nothing, in the order of the series.

    The figure grows with the legend, so that the axes keep their size, as far as `legends` lets it.
    """
    order = [one.label for one in series]
    found = sorted(
        zip(*axes.get_legend_handles_labels()),
        key=lambda entry: order.index(entry[1]) if entry[1] in order else len(order),
    )
    handles, labels = [entry[0] for entry in found], [entry[1] for entry in found]
    if not style.now().words:  # then there is room above, where a title would be
        return _legend_above(axes, handles, labels)
    where = legends.beside(labels, AXES_WIDTH, MOST_HEIGHT)
    if where is None:
        return
    axes.legend(
        *legends.entries(handles, labels, where), loc="upper left", bbox_to_anchor=(1.02, 1.0),
        **legends.options(where),
    )  # fmt: skip
    width, height = style.now().size
    axes.figure.set_size_inches(
        max(width, AXES_WIDTH + where.width), max(height, 0.7 + where.height)
    )


def _legend_above(axes: Axes, handles: list[Artist], labels: list[str]) -> None:
    """The legend between the upper edge of a picture of a given width and its axes."""
    width, height = axes.figure.get_size_inches()
    where = legends.layout(labels, width - 0.15, 1.6 * height, fixed=False, below=True)
    legends.refuse_cut(where, labels, (width, height))
    if where is None:
        return
    axes.legend(
        *legends.entries(handles, labels, where), loc="lower right", bbox_to_anchor=(1.0, 1.01),
        **legends.options(where),
    )  # fmt: skip
    axes.figure.set_size_inches(width, height + where.height)


def fit_to_runs(axes: Axes, series: list[Series], margin: float = 0.08) -> None:
    """Limits y to what was simulated, so that an analysis outside its range does not squeeze it."""
    points = [p for one in series if not one.predicted for p in one.points.values()]
    if not points:
        return
    low = min(point.mean - (point.sd or 0.0) for point in points)
    high = max(point.mean + (point.sd or 0.0) for point in points)
    pad = margin * ((high - low) or high or 1.0)
    axes.set_ylim(max(0.0, low - pad), high + pad)
