"""Trajectories (`damocles trajectory`): the prediction over simulated runs and their band."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numbers_on_axes
import spec
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from errors import PlotError
from results import table
from words import elided

COLUMNS = (
    "source", "model", "strategy", "workload", "platform", "seed", "n", "quantity", "speed",
    "time_s", "mean", "low", "high",
)  # fmt: skip
PANELS = {
    "open_tasks": "open tasks\n(share of all)",
    "known_indices": "known indices xₖ\n(share of all)",
    "open_outside": "open outside gₖ\n(share of the tasks\nnot covered)",
    "unfinished_tasks": "unfinished tasks\n(share of all)",
    "loads": "loads so far\n(data items)",
    "resident_data": "in the memory\nof a processor\n(data items)",
}
SHARES = ("known_indices", "open_outside", "unfinished_tasks")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
SIZE = (8.4, 8.0)  # inches
LOG_SPAN = 1e4  # of the open tasks, whose end is what the logarithm is for


@dataclass(frozen=True)
class Curve:
    """One curve: what it is of, which model predicted it, if any, and its points."""

    quantity: str
    model: str
    speed: str
    time: list[float]
    mean: list[float]
    low: list[float]
    high: list[float]


@dataclass(frozen=True)
class Trajectories:
    """A trajectory file: its curves and what run they are of."""

    title: str
    runs: int
    curves: list[Curve]


def read(path: Path) -> Trajectories:
    """Reads a file that `damocles trajectory` wrote. Raises PlotError where it is none."""
    curves: dict[tuple[str, str, str], Curve] = {}
    header, lines = table(path)
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise PlotError(f"{path}: has no column '{missing[0]}'; damocles trajectory writes it")
    for line, row in lines:
        key = (row["quantity"], row["model"], row["speed"])
        if key[0] not in PANELS:
            raise PlotError(f"{path}:{line}: unknown quantity '{elided(key[0], 40)}'")
        if key[2]:
            _number(row, "speed", path, line)
        curve = curves.setdefault(key, Curve(*key, [], [], [], []))
        numbers = _numbers(row, path, line)
        for values, number in zip((curve.time, curve.mean, curve.low, curve.high), numbers):
            values.append(number)
    if not curves:
        raise PlotError(f"{path}: has no rows to draw")
    line, first = lines[0]
    title = elided(f"{first['strategy']} on {first['workload']}, {first['platform']}", 100)
    return Trajectories(title, round(_number(first, "n", path, line)), list(curves.values()))


def _numbers(row: dict[str, str], path: Path, line: int) -> list[float]:
    """Time, mean, low and high; the band of a curve without one is its mean."""
    whole = row | {column: row[column] or row["mean"] for column in ("low", "high")}
    return [_number(whole, column, path, line) for column in ("time_s", "mean", "low", "high")]


def _number(row: dict[str, str], column: str, path: Path, line: int) -> float:
    value = spec.number(row[column])
    if value is None:
        text = elided(row[column], 60)
        raise PlotError(f"{path}:{line}: column '{column}': '{text}' is not a number")
    return value


def figure(trajectories: Trajectories) -> Figure:
    """A panel a quantity, one below the other over the same time."""
    small = not style.now().words
    size = (style.now().size[0], 4.4) if small else SIZE
    drawn = Figure(figsize=size, layout="constrained")
    shown = [one for one in PANELS if any(one == curve.quantity for curve in trajectories.curves)]
    panels = drawn.subplots(len(shown), sharex=True, squeeze=False)[:, 0]
    if not small:
        drawn.suptitle(trajectories.title, x=0.01, ha="left", fontsize=style.points(11))
    speeds = sorted({one.speed for one in trajectories.curves if one.speed}, key=float)
    colours = {speed: COLOURS[i % len(COLOURS)] for i, speed in enumerate(speeds)}
    for axes, quantity in zip(panels, shown):
        for curve in trajectories.curves:
            if curve.quantity == quantity:
                _draw(axes, curve, trajectories.runs, colours.get(curve.speed, COLOURS[0]))
        axes.set_ylabel(PANELS[quantity])
        axes.margins(x=0)
        beside = {"loc": "center left", "bbox_to_anchor": (1.01, 0.5), "borderaxespad": 0}
        axes.legend(**({"loc": "best", "fontsize": style.points(7)} if small else beside))
        _scale(axes, quantity)
    panels[-1].set_xlabel("time [s]")
    return drawn


def _scale(axes: Axes, quantity: str) -> None:
    if quantity == "open_tasks":
        axes.set_yscale("log")
        numbers_on_axes.without_markup(axes.yaxis)
        axes.set_ylim(1 / LOG_SPAN, 1.2)
    else:
        axes.set_ylim(0, 1.02 if quantity in SHARES else None)


def _draw(axes: Axes, curve: Curve, runs: int, colour: str) -> None:
    """Runs: their mean and band. The prediction: a dark dashed line on top."""
    of = f", speed {float(curve.speed):g}" if curve.speed else ""
    if curve.model:
        what = "mean field" if curve.model == "ode" else "predicted"
        axes.plot(
            curve.time, curve.mean, color=style.darker(colour, 0.6), linestyle=(0, (4, 2)),
            linewidth=style.width(1.5), zorder=4, label=f"{what} ({curve.model}){of}",
        )  # fmt: skip
        return
    axes.plot(
        curve.time, curve.mean, color=colour, linewidth=style.width(3.0), alpha=0.6, zorder=3,
        label=f"mean of {runs} run{'s' if runs > 1 else ''}{of}",
    )  # fmt: skip
    if curve.low != curve.high:
        axes.fill_between(
            curve.time, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0, zorder=1,
            label="9 runs in 10",
        )  # fmt: skip
