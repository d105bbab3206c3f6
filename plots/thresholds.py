"""Results of `damocles beta`: the predicted volume over β, the minimum of each model marked.

The file holds two points of each model's curve: the minimum, and where the best threshold of equal
speeds would leave it. Both are drawn; the curve between them is not in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import legends
import numbers_on_axes
import spec
import style
from errors import PlotError
from frames import caption
from matplotlib.figure import Figure
from results import stem, table
from words import apart, elided, listing

REQUIRED = ("model", "beta", "volume_ratio")
EQUAL = ("beta_homogeneous", "volume_ratio_at_beta_homogeneous")
ABOUT = ("strategy", "workload", "platform")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")


@dataclass(frozen=True)
class Threshold:
    """One row: the best β of a model, and the β of equal speeds, with the ratio at each."""

    name: str
    model: str
    best: tuple[float, float]
    equal: tuple[float, float] | None


@dataclass(frozen=True)
class Thresholds:
    """Rows with a minimum, and how many have none."""

    title: str
    rows: list[Threshold]
    without: list[str]


def is_header(header: list[str]) -> bool:
    """Whether columns are those of `damocles beta`."""
    return "phase1_fraction" in header or "beta_homogeneous" in header


def read(paths: list[Path]) -> Thresholds:
    """Reads files that `damocles beta -o` wrote. Raises PlotError where one is none."""
    rows: list[Threshold] = []
    without: list[str] = []
    titles: dict[str, None] = {}
    for path in paths:
        header, lines = table(path)
        missing = [name for name in REQUIRED if name not in header]
        if missing:
            raise PlotError(f"{path}: has no column '{missing[0]}'; damocles beta writes it")
        for line, cells in lines:
            model = cells["model"] or "unnamed"
            name = f"{model}, {stem(path)}" if len(paths) > 1 else model
            titles[" on ".join(cells[one] for one in ABOUT[1:] if cells.get(one))] = None
            best = _point(path, line, cells, "beta", "volume_ratio")
            if best is None or cells.get("status", "ok") not in ("", "ok"):
                without.append(name)
                continue
            rows.append(Threshold(name, model, best, _point(path, line, cells, *EQUAL)))
    if not rows:
        raise PlotError(f"{paths[0]}: none of its {len(without)} rows has a best threshold to draw")
    title = next(iter(titles)) if len(titles) == 1 else ""
    words = "best threshold of dynamic-2phases" + (f", {title}" if title else "")
    return Thresholds(words, rows, without)


def _point(
    path: Path, line: int, cells: dict[str, str], x: str, y: str
) -> tuple[float, float] | None:
    """Where both cells are, as numbers."""
    if not cells.get(x) or not cells.get(y):
        return None
    values = [spec.number(cells[name]) for name in (x, y)]
    for name, value in zip((x, y), values):
        if value is None:
            raise PlotError(
                f"{path}:{line}: column '{name}': '{elided(cells[name], 60)}' is not a number"
            )
    return values[0] or 0.0, values[1] or 0.0


def figure(thresholds: Thresholds) -> Figure:
    """Filled: the minimum of each model; hollow: at the threshold of equal speeds."""
    drawn = Figure(figsize=style.SIZE, layout="constrained")
    axes = drawn.add_subplot()
    axes.set_title(elided(thresholds.title, 90), loc="left")
    axes.set_xlabel("threshold β (phase 2 starts with exp(−β) of the tasks left)")
    axes.set_ylabel("predicted volume ratio (loads / balanced bound)")
    names = apart((f"{one.name}: {one.best[1]:.5g} at β = {one.best[0]:.4g}"
                   for one in thresholds.rows), 70)  # fmt: skip
    for i, (one, name) in enumerate(zip(thresholds.rows, names)):
        colour = style.MODELS.get(one.model, style.OTHER_MODEL).colour
        colour = style.darker(colour, 0.0 if i < len(style.MODELS) else 0.4)
        marker = MARKERS[i % len(MARKERS)]
        axes.axvline(one.best[0], color=colour, linewidth=0.8, linestyle=":", zorder=1)
        if one.equal and abs(one.equal[0] - one.best[0]) > 1e-3 * one.best[0]:
            axes.plot(*zip(one.best, one.equal), color=colour, linewidth=0.8, zorder=2)
            axes.plot(*one.equal, color=colour, marker=marker, fillstyle="none", markersize=10,
                      linestyle="", zorder=3)  # fmt: skip
        size = max(4.0, 9.0 - 1.2 * i)  # models that agree lie on each other: all can be seen
        axes.plot(*one.best, color=colour, marker=marker, markersize=size, linestyle="", label=name,
                  zorder=4)  # fmt: skip
    axes.margins(0.12)
    axes.xaxis.set_major_formatter(numbers_on_axes.FuncFormatter(numbers_on_axes.plain))
    axes.yaxis.set_major_formatter(numbers_on_axes.FuncFormatter(numbers_on_axes.plain))
    words = ["filled: the minimum of each model"]
    if any(one.equal and one.equal != one.best for one in thresholds.rows):
        words.append("hollow: at the best threshold of equal speeds")
    if thresholds.without:
        words.append(f"without a minimum: {listing(thresholds.without)}")
    where = legends.beside(names, 6.2, style.SIZE[1])
    if where is not None:
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(*legends.entries(handles, labels, where), loc="upper left",
                    bbox_to_anchor=(1.02, 1.0), **legends.options(where))  # fmt: skip
        drawn.set_size_inches(max(style.SIZE[0], 6.2 + where.width), style.SIZE[1])
    caption(drawn, "; ".join(words))
    return drawn
