"""Traces as Gantt charts: what each processor computes, copies, evicts and waits for, over time."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import legends
import matplotlib
import style
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Colormap, Normalize, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from traces import Processor, Run, Span
from wish import Wish
from words import clean

Colour = tuple[float, float, float]

WAITS = {"waiting for data": "#f6cdb8", "starting": "#f3e9a6", "no work": "#e4e4e4"}
COPY = "#b8860b"
EVICTION, INVALIDATION = "#882255", "#009E73"  # a copy leaves: for room, or as another is written
KINDS = ("#0072B2", "#009E73", "#56B4E9", "#332288", "#999933", "#AA4499")
# Where the rows of one processor lie, from the top of its band of height 1.
COMPUTE, COPIES, EVICTIONS = (0.06, 0.62), (0.66, 0.84), (0.84, 0.98)
STEPS = 1600  # what is narrower than this part of the axis is merged with its neighbours
RASTER_FROM = 4000  # rectangles: then they are pixels in SVG and PDF too
NAME_HEIGHT = 1.15  # of a processor's name, of its font
BESIDE = 1.5  # inches beside the axes: names of processors, and the scale of the tasks' numbers
WIDTH, MOST_HEIGHT, LINE = 9.6, 15.0, 92  # inches, inches, characters of a title
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


@dataclass
class Bar:
    """A rectangle for one thing, or for many that are too narrow to be seen."""

    start: float
    end: float
    covered: float  # time in it that something takes
    colour: Colour

    def add(self, span: Span, colour: Colour) -> None:
        """Takes one more thing in."""
        length = span.end - span.start
        share = length / (self.covered + length) if self.covered + length > 0 else 0.5
        self.colour = tuple(  # type: ignore[assignment]
            (1 - share) * old + share * new for old, new in zip(self.colour, colour)
        )
        self.covered += length
        self.end = max(self.end, span.end)

    @property
    def alpha(self) -> float:
        """The share of the rectangle that is taken: what is half empty looks pale."""
        return min(1.0, self.covered / (self.end - self.start)) if self.end > self.start else 1.0


def merged(spans: Iterable[Span], colour: Callable[[Span], Colour], step: float) -> list[Bar]:
    """One rectangle a span; neighbours narrower than `step` become one of about that width."""
    bars: list[Bar] = []
    for span in spans:
        last = bars[-1] if bars else None
        if (last and last.end - last.start < step and span.end - span.start < step
                and span.start - last.end < step):  # fmt: skip
            last.add(span, colour(span))
        else:
            bars.append(Bar(span.start, span.end, span.end - span.start, colour(span)))
    return bars


def united(spans: Iterable[Span]) -> list[Span]:
    """What overlapping spans cover together."""
    result: list[Span] = []
    for span in spans:
        if result and span.start <= result[-1].end:
            end = max(result[-1].end, span.end)
            result[-1] = Span(result[-1].start, end, span.name)
        else:
            result.append(span)
    return result


def thinned(times: Iterable[float], step: float) -> list[float]:
    """Times at least `step` apart."""
    result: list[float] = []
    for time in times:
        if not result or time - result[-1] >= step:
            result.append(time)
    return result


class Colours:
    """Of tasks: by kind where there are a few (POTRF, GEMM, ...), else by number."""

    def __init__(self, runs: list[Run]) -> None:
        tasks = [task for run in runs for one in run.processors for task in one.tasks]
        kinds = sorted({_kind(task) for task in tasks})
        several = 1 < len(kinds) <= len(KINDS)
        self.kinds = dict(zip(kinds, KINDS)) if several else {}
        self.norm = Normalize(0, max((task.number for task in tasks), default=0) or 1)
        self.map: Colormap = matplotlib.colormaps["viridis"]
        self._known = [self.map(i)[:3] for i in range(self.map.N)]

    def of(self, task: Span) -> Colour:
        """Of one task."""
        if self.kinds:
            return to_rgb(self.kinds[_kind(task)])
        return self._known[int(task.number / self.norm.vmax * (self.map.N - 1))]


def _kind(task: Span) -> str:
    """As the trace says; else as its name does: `GEMM(3,1)` -> GEMM."""
    return task.kind or re.split(r"[^A-Za-z_]", task.name, maxsplit=1)[0]


def figure(runs: list[Run], wish: Wish = Wish()) -> Figure:
    """All runs of a file, one above the other over one time axis."""
    rows = sum(len(run.processors) for run in runs)
    height = min(MOST_HEIGHT, 1.1 + 0.55 * len(runs) + max(0.34, 0.62 - 0.03 * rows) * rows)
    width = style.now().size[0] if style.now().fixed else WIDTH
    height *= max(1.0, style.points(10) / 10)
    width, height = wish.size or (width, height)
    drawn = Figure(figsize=(width, height), layout="constrained")
    heights = [len(run.processors) for run in runs]
    all_axes = drawn.subplots(
        len(runs), sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    end = max(run.end for run in runs) or 1.0
    unit, word = next(((u, w) for u, w in UNITS if end >= u), UNITS[-1])
    colours = Colours(runs)
    for axes, run in zip(all_axes, runs):
        _draw_run(axes, run, colours, unit, end / STEPS, len(runs) > 1)
        _name_processors(axes, run, (height - 1.2) / rows)
    if wish.title is not None:
        all_axes[0].set_title(clean(wish.title), loc="left", fontsize=style.points(10))
    all_axes[-1].set_xlim(0, end / unit)
    all_axes[-1].set_xlabel(f"time [{word}]")
    _explain(drawn, list(all_axes), runs, colours)
    return drawn


def _draw_run(
    axes: Axes, run: Run, colours: Colours, unit: float, step: float, several: bool
) -> None:
    title = _title(run, unit) if style.now().words else run.text("strategy") if several else ""
    axes.set_title(title, loc="left", fontsize=style.points(10))
    for place, one in enumerate(run.processors):
        _draw_processor(axes, place, one, colours, unit, step)
    axes.set_ylim(len(run.processors), 0)
    axes.set_ylabel("processor")
    axes.xaxis.set_major_locator(MaxNLocator(10, steps=[1, 2, 5, 10]))
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")


def _name_processors(axes: Axes, run: Run, band: float) -> None:
    """Names beside as many processors as their bands [inch] leave room for."""
    font = min(style.now().font, style.points(11))
    every = max(1, math.ceil(NAME_HEIGHT * font / 72 / max(band, 0.01)), -(-len(run.processors) // 40))
    shown = range(0, len(run.processors), every)
    axes.set_yticks([i + sum(COMPUTE) / 2 for i in shown], [run.processors[i].name for i in shown])


def _draw_processor(
    axes: Axes, place: int, one: Processor, colours: Colours, unit: float, step: float
) -> None:
    for name, colour in WAITS.items():
        shade = to_rgb(colour)
        waits = (wait for wait in one.waits if wait.name == name)
        _bars(axes, place, COMPUTE, merged(waits, lambda _, shade=shade: shade, step), unit)
    _bars(axes, place, COMPUTE, merged(one.tasks, colours.of, step), unit, edges=8 * step)
    lasting = united(copy for copy in one.copies if copy.end > copy.start)
    _bars(axes, place, COPIES, merged(lasting, lambda _: to_rgb(COPY), step), unit)
    at_once = (copy.start for copy in one.copies if copy.end == copy.start)
    _ticks(axes, place, COPIES, thinned(at_once, step), unit, COPY)
    _ticks(axes, place, EVICTIONS, thinned(one.invalidations, step), unit, INVALIDATION)
    _ticks(axes, place, EVICTIONS, thinned(one.evictions, step), unit, EVICTION)


def _bars(
    axes: Axes, place: int, row: tuple[float, float], bars: list[Bar], unit: float,
    edges: float = float("inf"),
) -> None:  # fmt: skip
    """Rectangles in one row; those wider than `edges` are told apart by a white edge."""
    if not bars:
        return
    top, bottom = place + row[0], place + row[1]
    corners = [[(bar.start / unit, top), (bar.end / unit, top), (bar.end / unit, bottom),
                (bar.start / unit, bottom)] for bar in bars]  # fmt: skip
    widths = [0.4 if bar.end - bar.start > edges else 0.0 for bar in bars]
    shapes = PolyCollection(
        corners, facecolors=[(*bar.colour, bar.alpha) for bar in bars], edgecolors="white",
        linewidths=widths,
    )  # fmt: skip
    shapes.set_rasterized(len(bars) > RASTER_FROM // 4)
    axes.add_collection(shapes, autolim=False)


def _ticks(
    axes: Axes, place: int, row: tuple[float, float], times: list[float], unit: float, colour: str
) -> None:
    lines = [[(time / unit, place + row[0]), (time / unit, place + row[1])] for time in times]
    if lines:
        shapes = LineCollection(lines, colors=colour, linewidths=0.7)
        shapes.set_rasterized(len(lines) > RASTER_FROM // 4)
        axes.add_collection(shapes, autolim=False)


def _title(run: Run, unit: float) -> str:
    """What the run was, and how it went."""
    eviction = f" ({run.text('eviction')})" if run.text("eviction") else ""
    name = run.text("name") or run.text("source")
    word = dict(UNITS)[unit]
    what = [f"{name}: {run.text('strategy')}{eviction}", run.text("workload"), run.text("platform")]
    makespan = run.makespan / unit
    parts = [f"makespan {makespan:{'.4g' if makespan < 1e4 else '.0f'}} {word}"]
    busy = sum(run.numbers("compute_s"))
    if run.makespan > 0 and run.processors:
        parts.append(f"computing {busy / run.makespan / len(run.processors):.0%}")
    if run.about.get("overlap") is not None:
        parts.append(f"copies hidden {run.about['overlap']:.0%}")
    if run.text("status") not in ("", "ok"):
        parts.append(run.text("status"))
    lines = [""]
    for part in what:
        if lines[-1] and len(lines[-1]) + len(part) + 3 > LINE:
            lines.append("")
        lines[-1] += f" · {part}" if lines[-1] else part
    lines.append(" · ".join(parts))
    return "\n".join(line if len(line) <= LINE else line[: LINE - 1] + "…" for line in lines)


def _explain(drawn: Figure, all_axes: list[Axes], runs: list[Run], colours: Colours) -> None:
    """A legend of what there is, and the scale of the tasks' numbers."""
    everyone = [one for run in runs for one in run.processors]
    words: list[Patch | Line2D] = [
        Patch(color=colour, label=kind) for kind, colour in colours.kinds.items()
    ]
    if any(one.copies for one in everyone):
        words.append(Patch(color=COPY, label="copy"))
    if any(one.evictions for one in everyone):
        words.append(Line2D([], [], color=EVICTION, marker="|", ls="", ms=8, label="eviction"))
    if any(one.invalidations for one in everyone):
        words.append(
            Line2D([], [], color=INVALIDATION, marker="|", ls="", ms=8, label="invalidation")
        )
    for name, colour in WAITS.items():
        if any(wait.name == name for one in everyone for wait in one.waits):
            words.append(Patch(color=colour, label=name))
    if words:
        room = drawn.get_figwidth() - BESIDE * style.points(10) / 10
        font = style.points(8.5)
        where = legends.in_columns([str(one.get_label()) for one in words], room, font)
        title = all_axes[0].get_title(loc="left")
        all_axes[0].set_title(
            title, loc="left", fontsize=style.points(10), pad=72 * where.height + 4)  # above the legend
        all_axes[0].legend(
            handles=words, loc="lower right", bbox_to_anchor=(1, 1), **legends.options(where))
    if not colours.kinds and any(one.tasks for one in everyone):
        scale = ScalarMappable(colours.norm, colours.map)
        bar = drawn.colorbar(
            scale, ax=all_axes, fraction=0.02, pad=0.01, aspect=9 * drawn.get_figheight()
        )
        bar.set_label("task, by number", fontsize=style.points(9))
        bar.ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        bar.ax.tick_params(labelsize=style.points(8))
        bar.outline.set_visible(False)
