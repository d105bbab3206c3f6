"""Traces as grids: which processor computed which block, and when.

The colour is the processor's; light is early, dark is late. A block of several tasks has a strip
for each, in the order in which they ran.
"""

from __future__ import annotations

import math

import blocks
import numpy
import processors
import style
from blocks import Grid
from errors import PlotError
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator
from motion import MovingFigure
from processors import Colour
from traces import Run
from wish import Wish
from words import apart

MOST_RUNS = 9
MOST_STRIPS, MOST_PIXELS = 24, 6000  # of a block, and of a side of the picture's array
EDGE, WIDEST = 0.05, 1.6  # of a block's width, and points: the white edges between blocks
LEAST_EDGE = 0.15  # points: what is thinner is not drawn
LIGHT, DARK = 0.72, 0.5  # how far the first and the last task are from the processor's colour
EMPTY = (0.95, 0.95, 0.95)
SCALE_STEPS = 128
MOST_NAMES = 16  # of processors beside their scales


def figure(runs: list[Run], wish: Wish = Wish()) -> MovingFigure:
    """A grid a run, side by side, above the scale of each processor's colour over time."""
    if len(runs) > MOST_RUNS:
        raise PlotError(f"{len(runs)} runs are more than the {MOST_RUNS} grids of a picture")
    grids = [blocks.grid(run) for run in runs]
    count = max(len(run.processors) for run in runs)
    colours = processors.colours(count)
    end = max(run.end for run in runs) or 1.0
    columns = min(len(runs), 3)
    rows = math.ceil(len(runs) / columns)
    drawn, scale_height, side = _figure(grids, columns, rows, count, wish.size)
    layout = drawn.add_gridspec(
        rows + 1, columns, height_ratios=[side] * rows + [scale_height], hspace=0.02
    )
    shown = []
    for place, (run, own) in enumerate(zip(runs, grids)):
        axes = drawn.add_subplot(layout[place // columns, place % columns])
        shown.append((_draw(axes, run, own, colours, end, len(runs) > 1, side), own))
    _scale(drawn.add_subplot(layout[rows, :]), runs, colours, end, scale_height)
    if style.now().words:
        drawn.suptitle(processors.heading(runs), x=0.01, ha="left", fontsize=style.points(11))
    drawn.end = end

    def show(time: float) -> None:
        for image, own in shown:
            image.set_data(_colours(own, colours, end, time))

    drawn.show = show
    return drawn


def _figure(
    grids: list[Grid], columns: int, rows: int, count: int, size: tuple[float, float] | None
) -> tuple[MovingFigure, float, float]:
    """The picture, and the heights of the scale and of a grid [inch]: shares of a given size."""
    font = style.points(9) / 72
    scale = font * (3.0 + 1.25 * min(count, MOST_NAMES))
    width = {1: 6.4, 2: 8.4, 3: 10.8}[columns]
    if style.now().fixed:
        width = style.now().size[0]
    tallest = max(own.rows / own.columns for own in grids)
    one = (width - 0.7) / columns - 0.3
    side = min(max(1.0, one * min(tallest, 1.6)), 5.2 if style.now().fixed else 7.0)
    height = rows * (side + 5.5 * font) + scale + 2.5 * font
    if size is not None:
        words = rows * 5.5 * font + 5.5 * font
        scale = min(scale, 0.3 * size[1])
        side = max(0.3, (size[1] - words - scale) / rows)
        width, height = size
    return MovingFigure(figsize=(width, height), layout="constrained"), scale, side


def _draw(
    axes: Axes, run: Run, own: Grid, colours: list[Colour], end: float, several: bool,
    side: float,
) -> AxesImage:  # fmt: skip
    image = axes.imshow(
        _colours(own, colours, end, math.inf), interpolation="nearest", aspect=_aspect(own),
        extent=(-0.5, own.columns - 0.5, own.rows - 0.5, -0.5),
    )  # fmt: skip
    title = processors.title(run, several, 24 if several else 60)
    if style.now().words or several:
        axes.set_title(title, loc="left", fontsize=style.points(10))
    axes.set_xlabel(own.column)
    axes.set_ylabel(own.row)
    axes.grid(False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
    thin = min(style.width(WIDEST), EDGE * 72 * side / max(own.rows, own.columns))
    if thin >= LEAST_EDGE:
        for i in range(1, own.rows):
            axes.axhline(i - 0.5, color="white", linewidth=thin)
        for j in range(1, own.columns):
            axes.axvline(j - 0.5, color="white", linewidth=thin)
    return image


def _aspect(own: Grid) -> str:
    """Square blocks, unless the grid is so long that they would be a line."""
    return "equal" if max(own.rows, own.columns) <= 3 * min(own.rows, own.columns) else "auto"


def _colours(own: Grid, colours: list[Colour], end: float, until: float) -> numpy.ndarray:
    """Red, green and blue of each strip of each block, as of a time: what has begun has its colour."""
    most = max(len(steps) for steps in own.steps.values())
    strips = max(1, min(most, MOST_STRIPS, MOST_PIXELS // own.columns))
    pixels = numpy.ones((own.rows, own.columns * strips, 3))
    for (i, j), steps in own.steps.items():
        for strip in range(strips):
            step = steps[strip * len(steps) // strips]
            begun = step.start <= until
            colour = shaded(colours[step.processor], step.start / end) if begun else EMPTY
            pixels[i, j * strips + strip] = colour
    return pixels


def shaded(colour: Colour, share: float) -> Colour:
    """A processor's colour at that share of the run: towards white before the middle, towards black
    after it."""
    away = 2 * min(1.0, max(0.0, share)) - 1
    if away < 0:
        return tuple(one + (1 - one) * -away * LIGHT for one in colour)  # type: ignore[return-value]
    return tuple(one * (1 - away * DARK) for one in colour)  # type: ignore[return-value]


def _scale(
    axes: Axes, runs: list[Run], colours: list[Colour], end: float, height: float
) -> None:
    """What colour a processor has at what time: the legend of the grids."""
    unit, word = processors.unit_of(end)
    pixels = [[shaded(colour, (i + 0.5) / SCALE_STEPS) for i in range(SCALE_STEPS)]
              for colour in colours]  # fmt: skip
    axes.imshow(
        pixels, aspect="auto", interpolation="nearest",
        extent=(0, end / unit, len(colours) - 0.5, -0.5),
    )  # fmt: skip
    names = apart(max((run.names() for run in runs), key=len), 24)
    most = max(1, min(MOST_NAMES, int((height - 3.0 * style.points(9) / 72) * 72 / (1.2 * style.points(9)))))
    every = max(1, -(-len(names) // most))
    axes.set_yticks(range(0, len(names), every), names[::every], fontsize=style.points(9))
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"start of the task [{word}]")
    axes.grid(False)
    if len(colours) <= MOST_NAMES:
        for i in range(1, len(colours)):
            axes.axhline(i - 0.5, color="white", linewidth=style.width(1.6))
