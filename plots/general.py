"""Any result file that is no figure of a paper: volume ratio over whatever varies."""

from __future__ import annotations

from collections.abc import Hashable

import axis
import series
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import ScalarFormatter
from results import Results, Row

LOG_FROM = 100  # an axis that spans this factor is logarithmic
MAX_TITLE = 90  # characters


def figure(results: Results) -> Figure:
    """Lines over a number, points side by side over names, bars where nothing varies."""
    choice = axis.choose(results.rows)
    evictions = {row.text("eviction") for row in results.rows}

    def words(row: Row) -> str:
        eviction = row.text("eviction") if len(evictions) > 1 else ""
        return style.label(row) + (f", {eviction}" if eviction else "") + choice.suffix(row)

    lines = series.build(results.rows, choice.value, words, choice.key)
    title = _title(results.rows, choice)
    if not choice.x:
        return _bars(title, lines)
    drawn, axes = series.new_figure(title, choice.label(), style.RATIO_LABEL)
    if choice.numeric:
        series.draw_lines(axes, lines)
        _scale(axes, lines)
    else:
        names = list(dict.fromkeys(str(choice.value(row)) for row in results.rows))
        series.draw_categories(axes, lines, names)
    series.fit_to_runs(axes, lines)
    axes.set_ylim(bottom=0)
    series.legend(axes, lines)
    return drawn


def _scale(axes: Axes, lines: list[series.Series]) -> None:
    xs = [x for one in lines for x in one.points if isinstance(x, (int, float))]
    if min(xs) > 0 and max(xs) >= LOG_FROM * min(xs):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(ScalarFormatter())


def _bars(title: str, lines: list[series.Series]) -> Figure:
    """One horizontal bar per line, so that long names stay readable."""
    drawn, axes = series.new_figure(title, style.RATIO_LABEL, "")
    drawn.set_size_inches(style.SIZE[0], max(2.5, 1.2 + 0.42 * len(lines)))
    for place, one in enumerate(lines):
        point = next(iter(one.points.values()))
        axes.barh(
            place, point.mean, xerr=point.sd, height=0.7, color=one.look.colour,
            alpha=0.55 if one.predicted else 0.9, hatch="//" if one.predicted else None,
            edgecolor="white", ecolor="black",
        )  # fmt: skip
        end = point.mean + (point.sd or 0.0)
        axes.annotate(
            f"{point.mean:.2f}", (end, place), (4, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(range(len(lines)), [one.label for one in lines])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.margins(x=0.1)
    axes.set_xlim(left=0)
    return drawn


def _title(rows: list[Row], choice: axis.Choice) -> str:
    """The workload and the platform, with * for what varies."""
    names = [_common(rows, column, choice) for column in ("workload", "platform")]
    text = " on ".join(names)
    return text if len(text) <= MAX_TITLE else f"{text[: MAX_TITLE - 1]}…"


def _common(rows: list[Row], column: str, choice: axis.Choice) -> str:
    spec = rows[0].spec(column)
    if len({row.spec(column).name for row in rows}) > 1:
        return f"any {column}"
    varying: set[Hashable] = set(choice.varying)
    options = [
        f"{key}={'*' if f'{column} {key}' in varying else value}"
        for key, value in spec.options.items()
    ]
    values = list(spec.values) if column not in varying else ["*"]
    parts = ",".join(values + options)
    return f"{spec.name}:{parts}" if parts else spec.name
