"""Traces over time: how much each processor has loaded, and what its memory holds."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable

import processors
import spec
import style
from errors import PlotError
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from motion import MovingFigure
from processors import Colour
from traces import Processor, Run
from wish import Wish
from words import apart

MOST_RUNS = 6
MOST_POINTS = 3000  # of a line: more cannot be seen
MOST_NAMES = 8  # in a legend
BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
Steps = tuple[list[float], list[float]]


def figure(runs: list[Run], wish: Wish = Wish()) -> MovingFigure:
    """A column of two panels a run: loads so far above, what is in memory below."""
    if len(runs) > MOST_RUNS:
        raise PlotError(f"{len(runs)} runs are more than the {MOST_RUNS} columns of a picture")
    end = max(run.end for run in runs) or 1.0
    drawn = _figure(len(runs))
    if wish.size is not None:
        drawn.set_size_inches(*wish.size)
    above, below = drawn.subplots(2, len(runs), sharex=True, sharey="row", squeeze=False)
    sized = all(any(one.resident for one in run.processors) for run in runs)
    most = max([held for run in runs for one in run.processors for _, held in one.resident]
               + [limit for run in runs if (limit := memory_limit(run))], default=0)  # fmt: skip
    scale, word = next(((u, w) for u, w in BYTES if most >= u), BYTES[-1]) if sized else (1.0, "")
    lines: list[tuple[Line2D, Steps]] = []
    for place, run in enumerate(runs):
        lines += _draw_loads(above[place], run, end, len(runs) > 1, place == 0)
        lines += _draw_held(below[place], run, end, scale if sized else 0.0)
    unit, time = processors.unit_of(end)
    for axes in below:
        axes.set_xlabel(f"time [{time}]")
        axes.set_xlim(0, end / unit)
    above[0].set_ylabel("loads so far")
    below[0].set_ylabel(f"in memory [{word}]" if sized else "items in memory")
    for axes in (above[0], below[0]):
        axes.set_ylim(bottom=0)
    if style.now().words:
        drawn.suptitle(processors.heading(runs), x=0.01, ha="left", fontsize=style.points(11))
    drawn.end = end
    drawn.show = lambda until: _show(lines, until / unit)
    return drawn


def _figure(runs: int) -> MovingFigure:
    width, height = (6.4 if runs == 1 else min(14.0, 1.0 + 3.8 * runs)), 5.2
    if style.now().fixed:
        width, height = style.now().size[0], style.now().size[1] * 1.35
    return MovingFigure(figsize=(width, height), layout="constrained")


def _draw_loads(
    axes: Axes, run: Run, end: float, several: bool, named: bool
) -> list[tuple[Line2D, Steps]]:
    unit, _ = processors.unit_of(end)
    all_steps = [_counted(((copy.end, 1) for copy in one.copies), end) for one in run.processors]
    names = apart(run.names(), 20)
    labels = names if several else [
        f"{name}: {steps[1][-1]:.0f}" for name, steps in zip(names, all_steps)]  # fmt: skip
    total = sum(steps[1][-1] for steps in all_steps)
    if style.now().words or several:
        between = "\n" if several else ", "
        words = f"{processors.title(run, several, 24)}{between}{total:.0f} loads"
        axes.set_title(words, loc="left", fontsize=style.points(10))
    lines = _draw_steps(axes, all_steps, unit, labels)
    if named and len(labels) <= MOST_NAMES:
        columns = 2 if len(labels) > MOST_NAMES // 2 else 1
        axes.legend(loc="upper left", fontsize=style.points(8.5), handlelength=1.4, ncol=columns,
                    columnspacing=1.0)  # fmt: skip
    return lines


def _draw_held(axes: Axes, run: Run, end: float, scale: float) -> list[tuple[Line2D, Steps]]:
    """Bytes, or items where their sizes are not known."""
    unit, _ = processors.unit_of(end)
    all_steps = [_bytes(one, end, scale) if scale else _items(one, end) for one in run.processors]
    lines = _draw_steps(axes, all_steps, unit, [""] * len(all_steps))
    limit = memory_limit(run)
    if limit and scale:
        axes.axhline(limit / scale, color="black", linewidth=style.width(0.9), linestyle="--")
        axes.annotate(
            "limit", (0.99, limit / scale), (0, 2), xycoords=("axes fraction", "data"), ha="right",
            textcoords="offset points", fontsize=style.points(8),
        )  # fmt: skip
        axes.set_ylim(top=max(axes.get_ylim()[1], 1.12 * limit / scale))
    return lines


def _draw_steps(
    axes: Axes, all_steps: list[Steps], unit: float, labels: list[str]
) -> list[tuple[Line2D, Steps]]:
    """A line of steps a processor, from wide to narrow: those on each other can be seen."""
    colours: list[Colour] = processors.colours(len(all_steps))
    lines = []
    for place, ((times, values), label) in enumerate(zip(all_steps, labels)):
        at = ([time / unit for time in times], values)
        width = style.width(2.4 - 1.4 * place / max(1, len(all_steps) - 1))
        (line,) = axes.plot(*at, drawstyle="steps-post", color=colours[place], linewidth=width,
                            label=label or None)  # fmt: skip
        lines.append((line, at))
    return lines


def _show(lines: Iterable[tuple[Line2D, Steps]], until: float) -> None:
    """The lines up to a time."""
    for line, (times, values) in lines:
        count = bisect.bisect_right(times, until)
        last = values[count - 1] if count else 0.0
        line.set_data([*times[:count], until], [*values[:count], last])


def _counted(changes: Iterable[tuple[float, int]], end: float) -> Steps:
    """The sum of changes so far, from 0 on."""
    times, values = [0.0], [0.0]
    for time, change in sorted(changes):
        times.append(time)
        values.append(values[-1] + change)
    return _thinned([*times, end], [*values, values[-1]])


def _items(one: Processor, end: float) -> Steps:
    gone = [(time, -1) for time in (*one.evictions, *one.invalidations)]
    return _counted([*((copy.end, 1) for copy in one.copies), *gone], end)


def _bytes(one: Processor, end: float, scale: float) -> Steps:
    times = [0.0, *(time for time, _ in one.resident), end]
    values = [0.0, *(held / scale for _, held in one.resident)]
    return _thinned(times, [*values, values[-1]])


def _thinned(times: list[float], values: list[float]) -> Steps:
    """Of very many steps the first and the highest of each of equal parts."""
    size = math.ceil(len(times) / MOST_POINTS)
    if size == 1:
        return times, values
    parts = [values[at : at + size] for at in range(0, len(values), size)]
    return [*times[::size], times[-1]], [*map(max, parts), values[-1]]


def memory_limit(run: Run) -> float | None:
    """Bytes of one processor's memory, where the platform names them; `3data` are items of one
    size, where loads tell it."""
    found = spec.quantity(spec.Spec.parse(run.text("platform")).options.get("memory", ""))
    if not found or found[0] <= 0:
        return None
    if found[1] in spec.UNITS:
        return found[0] * spec.UNITS[found[1]]
    loads, loaded = run.about.get("loads"), run.about.get("bytes_loaded")
    if found[1] == "data" and loads and loaded:
        return found[0] * loaded / loads
    return None
