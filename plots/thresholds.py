"""Results of `damocles beta`: the volume that each model predicts over β, its minimum marked.

A row holds a model's minimum, where the best threshold of equal speeds would leave it, and the
points of its curve. Files of before there were curves have the two points alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numbers_on_axes
import series
import spec
import style
from errors import PlotError
from frames import caption
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from results import stem, table
from words import apart, elided, listing

REQUIRED = ("model", "beta", "volume_ratio")
EQUAL = ("beta_homogeneous", "volume_ratio_at_beta_homogeneous")
ABOUT = ("workload", "platform")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
ABOVE = 1.35  # times the highest minimum: where curves leave the picture
ABOVE_LIMITED = 3.0  # with limited memory, where there is one curve and what lies above is the point
Point = tuple[float, float]


@dataclass(frozen=True)
class Threshold:
    """One row: the best β of a model, and the β of equal speeds, with the ratio at each; its curve."""

    name: str
    model: str
    best: Point | None
    equal: Point | None
    curve: list[Point] = field(default_factory=list)


@dataclass(frozen=True)
class Thresholds:
    """Rows with something to draw, which have no minimum, and the β that is recommended."""

    title: str
    rows: list[Threshold]
    without: list[str]
    recommended: list[float]


def is_header(header: list[str]) -> bool:
    """Whether columns are those of `damocles beta`."""
    return "phase1_fraction" in header or "beta_homogeneous" in header


def read(paths: list[Path]) -> Thresholds:
    """Reads files that `damocles beta -o` wrote. Raises PlotError where one is none."""
    rows: list[Threshold] = []
    without: list[str] = []
    titles: dict[str, None] = {}
    recommended: dict[float, None] = {}
    for path in paths:
        header, lines = table(path)
        missing = [name for name in REQUIRED if name not in header]
        if missing:
            raise PlotError(f"{path}: has no column '{missing[0]}'; damocles beta writes it")
        for line, cells in lines:
            name = cells["model"] or "unnamed"
            name = f"{name}, {stem(path)}" if len(paths) > 1 else name
            titles[" on ".join(cells[one] for one in ABOUT if cells.get(one))] = None
            one = _row(path, line, cells, name)
            if one.best is None:
                without.append(name)
            if one.best is not None or one.curve:
                rows.append(one)
            beta = _number(path, line, cells, "recommended_beta")
            if beta is not None:
                recommended[beta] = None
    if not rows:
        raise PlotError(f"{paths[0]}: none of its {len(without)} rows has a best threshold to draw")
    title = next(iter(titles)) if len(titles) == 1 else ""
    words = "best threshold of dynamic-2phases" + (f", {title}" if title else "")
    return Thresholds(words, rows, without, list(recommended))


def _row(path: Path, line: int, cells: dict[str, str], name: str) -> Threshold:
    sound = cells.get("status", "ok") in ("", "ok")
    best = _point(path, line, cells, "beta", "volume_ratio") if sound else None
    equal = _point(path, line, cells, *EQUAL) if best else None
    return Threshold(name, cells["model"] or "unnamed", best, equal, _curve(path, line, cells))


def _curve(path: Path, line: int, cells: dict[str, str]) -> list[Point]:
    """`2.1:1.4 2.2:1.3`: β and the ratio there."""
    points = []
    for text in cells.get("curve", "").split():
        beta, ratio = (spec.number(part) for part in (text.partition(":")[::2]))
        if beta is None or ratio is None:
            raise PlotError(
                f"{path}:{line}: column 'curve': '{elided(text, 60)}' is not BETA:VOLUME_RATIO"
            )
        points.append((beta, ratio))
    return sorted(points)


def _point(path: Path, line: int, cells: dict[str, str], x: str, y: str) -> Point | None:
    """Where both cells are, as numbers."""
    values = [_number(path, line, cells, name) for name in (x, y)]
    return None if values[0] is None or values[1] is None else (values[0], values[1])


def _number(path: Path, line: int, cells: dict[str, str], name: str) -> float | None:
    if not cells.get(name):
        return None
    value = spec.number(cells[name])
    if value is None:
        raise PlotError(
            f"{path}:{line}: column '{name}': '{elided(cells[name], 60)}' is not a number"
        )
    return value


def figure(thresholds: Thresholds) -> Figure:
    """A curve a model. Filled: its minimum; hollow: at the threshold of equal speeds."""
    drawn, axes = series.new_figure(
        elided(thresholds.title, 90), "threshold β (phase 2 starts with exp(−β) of the tasks left)",
        f"predicted volume ratio (loads / {bound(thresholds)})" if style.now().words else "volume ratio",
    )  # fmt: skip
    names = apart((one.name if one.best is None
                   else f"{one.name}: {one.best[1]:.5g} at β = {one.best[0]:.4g}"
                   for one in thresholds.rows), 70)  # fmt: skip
    for i, (one, name) in enumerate(zip(thresholds.rows, names)):
        _draw(axes, one, name, i)
    for beta in thresholds.recommended:
        axes.axvline(beta, color="#888888", linewidth=style.width(0.9), linestyle=(0, (1, 1.5)),
                     zorder=1, label=f"recommended: β = {beta:.4g}")  # fmt: skip
    _limit(axes, thresholds.rows)
    axes.xaxis.set_major_formatter(numbers_on_axes.FuncFormatter(numbers_on_axes.plain))
    axes.yaxis.set_major_formatter(numbers_on_axes.FuncFormatter(numbers_on_axes.plain))
    series.legend(axes, [])
    caption(drawn, explained(thresholds))
    return drawn


def bound(thresholds: Thresholds) -> str:
    """What loads are compared with: of limited memory there is no balanced bound."""
    return "lower bound" if is_limited(thresholds.rows) else "balanced bound"


def is_limited(rows: list[Threshold]) -> bool:
    """Whether they are of limited memory, of which one model speaks."""
    return all(one.model == "box-growth" for one in rows)


def _draw(axes: Axes, one: Threshold, name: str, place: int) -> None:
    look = style.MODELS.get(one.model, style.OTHER_MODEL)
    colour = style.darker(look.colour, 0.0 if place < len(style.MODELS) else 0.4)
    marker = MARKERS[place % len(MARKERS)]
    # Models that agree lie on each other: all can be seen.
    size = style.width(max(4.0, 9.0 - 1.2 * place))
    axes.plot(
        *zip(*(one.curve or [one.best])), color=colour, linestyle=look.line, label=name,
        linewidth=style.width(look.width), marker=marker if one.best else "", markersize=size,
        markevery=[] if one.curve else [0], zorder=3,
    )  # fmt: skip
    if one.best is None:
        return
    axes.plot(*one.best, color=colour, marker=marker, markersize=size, linestyle="", zorder=5)
    if one.equal and abs(one.equal[0] - one.best[0]) > 1e-3 * abs(one.best[0]):
        axes.plot(*one.equal, color=colour, marker=marker, fillstyle="none", linestyle="",
                  markersize=style.width(10), zorder=4)  # fmt: skip


def _limit(axes: Axes, rows: list[Threshold]) -> None:
    """The minima in sight, with what of the curves is near them."""
    axes.margins(0.12)
    ratios = [ratio for one in rows for _, ratio in one.curve]
    least = [one.best[1] for one in rows if one.best]
    if not ratios or not least:
        return
    axes.margins(x=0.02)
    above = ABOVE_LIMITED if is_limited(rows) else ABOVE
    low, high = min(ratios + least), min(max(ratios + least), above * max(least))
    if high > low > 0:
        axes.set_ylim(low - 0.06 * (high - low), high + 0.04 * (high - low))


def explained(thresholds: Thresholds) -> str:
    """What the markers are, and what has none."""
    words = ["filled: the minimum of each model"]
    if any(one.equal and one.equal != one.best for one in thresholds.rows):
        words.append("hollow: at the best threshold of equal speeds")
    if thresholds.without:
        words.append(f"without a minimum: {listing(thresholds.without)}")
    if not any(one.curve for one in thresholds.rows):
        words.append("this file holds no curves")
    return "; ".join(words)
