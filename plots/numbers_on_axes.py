"""Scales of axes and the numbers on them, without mathematical markup."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import series
from errors import PlotError
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, NullFormatter

LOG_FROM = 100  # an axis of x that spans this factor is logarithmic
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def plain(value: float, _: object = None) -> str:
    """2000, 0.05, 10⁶, 2·10⁶."""
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return f"{value:g}"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    factor = f"{value / 10.0**power:.3g}"
    ten = f"10{str(power).translate(SUPERSCRIPTS)}"
    return ten if factor == "1" else f"−{ten}" if factor == "-1" else f"{factor}·{ten}"


def plain_where_apart(value: float, _: object = None) -> str:
    """As plain(), of numbers between two powers of ten those whose texts stand apart: 20, 30, 50 and 70."""
    factor = round(value / 10.0 ** math.floor(math.log10(value) + 1e-9))
    return plain(value) if factor in (2, 3, 5, 7) else ""


def without_markup(axis: Axis, between: Callable[[float, object], str] | None = None) -> None:
    """Numbers of a logarithmic axis as plain text; those between powers of ten as `between` says, or none."""
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(FuncFormatter(between) if between else NullFormatter())


def scale_x(axes: Axes, lines: list[series.Series], log: str | None) -> None:
    """Logarithmic where asked for, or where nothing is said and the values span far."""
    xs = [x for one in lines for x in one.points if isinstance(x, (int, float))]
    xs = [x for x in xs if math.isfinite(x)]
    if log is None and (not xs or min(xs) <= 0 or max(xs) < LOG_FROM * min(xs)):
        return
    if log is not None and "x" not in log:
        return
    if not xs or max(xs) <= 0:
        raise PlotError("--log x: no value of x is above 0")
    axes.set_xscale("log", nonpositive="mask")
    span = max(xs) / min(x for x in xs if x > 0)
    without_markup(axes.xaxis, plain if span < 4 else plain_where_apart if span < 30 else None)


def scale_y(
    axes: Axes, lines: list[series.Series], log: str | None, bounds: Iterable[float] = ()
) -> None:
    """Logarithmic where asked for, with room for the bounds; what is not above 0 has no place."""
    if not log or "y" not in log:
        return
    ys = [point.mean for one in lines for point in one.points.values() if point.mean > 0]
    if not ys:
        if any(one.points for one in lines):
            raise PlotError("--log y: no value of y is above 0")
        return
    axes.set_yscale("log", nonpositive="mask")
    ys += [bound for bound in bounds if bound > 0]
    low, high = min(ys), max(ys)
    margin = max(1.15, (high / low) ** 0.06)
    axes.set_ylim(low / margin, high * margin)
    few = high < 30 * low
    without_markup(axes.yaxis, plain if few else None)
    axes.grid(few, axis="y", which="minor")
