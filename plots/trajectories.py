"""Trajectories (`damocles trajectory`): the mean field over simulated runs and their band."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from results import PlotError

COLUMNS = (
    "source", "model", "strategy", "workload", "platform", "seed", "n", "quantity", "speed",
    "time_s", "mean", "low", "high",
)  # fmt: skip
PANELS = {
    "open_tasks": "open tasks\n(share of all)",
    "known_indices": "known indices $x_k$\n(share of all)",
    "open_outside": "open outside $g_k$\n(share of the tasks\nnot covered)",
}
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
SIZE = (8.4, 8.0)  # inches
LOG_SPAN = 1e4  # of the open tasks, whose end is what the logarithm is for


@dataclass(frozen=True)
class Curve:
    """One curve: what it is of, and its points."""

    quantity: str
    source: str
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


def is_one(path: Path) -> bool:
    """Whether the file's header is that of a trajectory."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return "quantity" in next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error):
        return False  # whoever reads it as results says what is wrong


def read(path: Path) -> Trajectories:
    """Reads a file that `damocles trajectory` wrote. Raises PlotError where it is none."""
    curves: dict[tuple[str, str, str], Curve] = {}
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
        if missing:
            raise PlotError(f"{path}: has no column '{missing[0]}'; damocles trajectory writes it")
        first: dict[str, str] = {}
        for row in reader:
            first = first or row
            key = (row["quantity"], row["source"], row["speed"] or "")
            if key[0] not in PANELS:
                raise PlotError(f"{path}:{reader.line_num}: unknown quantity '{key[0]}'")
            curve = curves.setdefault(key, Curve(*key, [], [], [], []))
            numbers = _numbers(row, path, reader.line_num)
            for values, number in zip((curve.time, curve.mean, curve.low, curve.high), numbers):
                values.append(number)
    if not curves:
        raise PlotError(f"{path}: has no rows to draw")
    title = f"{first['strategy']} on {first['workload']}, {first['platform']}"
    return Trajectories(title, int(float(first["n"])), list(curves.values()))


def _numbers(row: dict[str, str], path: Path, line: int) -> list[float]:
    """Time, mean, low and high; the band of a curve without one is its mean."""
    numbers = []
    for column in ("time_s", "mean", "low", "high"):
        text = row[column] or (row["mean"] if column in ("low", "high") else "")
        try:
            numbers.append(float(text))
        except ValueError:
            raise PlotError(f"{path}:{line}: column '{column}': '{text}' is not a number") from None
    return numbers


def figure(trajectories: Trajectories) -> Figure:
    """A panel a quantity, one below the other over the same time."""
    drawn = Figure(figsize=SIZE, layout="constrained")
    panels = drawn.subplots(len(PANELS), sharex=True)
    drawn.suptitle(trajectories.title, x=0.01, ha="left", fontsize=11)
    speeds = sorted({one.speed for one in trajectories.curves if one.speed}, key=float)
    colours = {speed: COLOURS[i % len(COLOURS)] for i, speed in enumerate(speeds)}
    for axes, (quantity, label) in zip(panels, PANELS.items()):
        for curve in trajectories.curves:
            if curve.quantity == quantity:
                _draw(axes, curve, trajectories.runs, colours.get(curve.speed, COLOURS[0]))
        axes.set_ylabel(label)
        axes.margins(x=0)
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), borderaxespad=0)
    panels[0].set_yscale("log")
    panels[0].set_ylim(1 / LOG_SPAN, 1.2)
    for axes in panels[1:]:
        axes.set_ylim(0, 1.02)
    panels[-1].set_xlabel("time [s]")
    return drawn


def _draw(axes: Axes, curve: Curve, runs: int, colour: str) -> None:
    """Runs: their mean and band. The mean field: a dark dashed line on top."""
    of = f", speed {float(curve.speed):g}" if curve.speed else ""
    if curve.source == "predicted":
        axes.plot(
            curve.time, curve.mean, color=style.darker(colour, 0.6), linestyle=(0, (4, 2)),
            linewidth=1.5, zorder=4, label=f"mean field (ode){of}",
        )  # fmt: skip
        return
    axes.plot(
        curve.time, curve.mean, color=colour, linewidth=3.0, alpha=0.6, zorder=3,
        label=f"mean of {runs} run{'s' if runs > 1 else ''}{of}",
    )  # fmt: skip
    if curve.low != curve.high:
        axes.fill_between(
            curve.time, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0, zorder=1,
            label="9 runs in 10",
        )  # fmt: skip
