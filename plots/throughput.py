"""The figures of COLOC'21 and IPDPS'22: throughput above, transfers below, over the working set.

Peak and bus limit follow from the rows themselves: GFlop/s over the busy fraction is the peak, a
thin black line; what the bus cannot carry in the time that the computation takes at least is
hatched. What models predict without simulation stands as a dotted line over the simulated one. What
the authors measured (NAME.measured.csv, as `damocles reproduce` writes it) stands as hollow points.
Vertical lines stand where B, then A and B, then all data fit into the memories together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numbers_on_axes
import series
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from means import group
from results import Results, Row, read_measured
from spec import UNITS, Spec, quantity

PAPERS = {"coloc21": "COLOC'21", "ipdps22": "IPDPS'22", "compas23": "COMPAS'23"}
MIB, GIB = 2.0**20, 2.0**30
HEIGHT = 7.6  # inches, of both panels
WIDEST, NARROWEST = 3.8, 1.2  # of lines [pt], in the order in which they are drawn
PEAK_FROM = 2  # a peak that no curve comes this near to is not drawn but said
LOG_FROM = 5  # transfers that differ by this factor at the end stand on a log scale
REQUIRED = ("loads", "bytes_loaded", "data", "flops", "gflops", "busy_fraction")
PLAIN_NAMES = {"eager": "EAGER", "mst": "MST", "rcm": "RCM", "dmdar": "DMDAR",
               "hypergraph": "hypergraph+R (Zoltan)"}  # fmt: skip
LOOKS = {  # by label: that of the strategy, and one for each of its variants in the papers
    "EAGER": style.STRATEGIES["eager"],
    "MST": replace(style.STRATEGIES["mst"], line="--"),
    "RCM": style.STRATEGIES["rcm"],
    "MST, Ready": style.Look("#E69F00", "d", ":", fill="none"),
    "RCM, Ready": style.Look("#CC79A7", "^", ":", fill="none"),
    "DMDAR": style.STRATEGIES["dmdar"],
    "hypergraph+R (Zoltan)": style.STRATEGIES["hypergraph"],
    "HFP (Ready, flip, Belady)": style.STRATEGIES["hfp"],
    "HFP (Ready, flip)": style.Look("#000000", "h"),
    "HFP (flip)": style.Look("#777777", "<", "--"),
    "HFP (Ready)": style.Look("#777777", ">", ":"),
    "HFP (Belady)": style.Look("#AA7744", "P", "-."),
    "HFP (plain)": style.Look("#BBBBBB", "X"),
    "HFP (Ready, flip, as printed)": style.Look("#661100", "d", ":"),
    "DARTS+LUF": style.STRATEGIES["darts"],
    "DARTS": style.Look("#56B4E9", "d", "--"),
    "DARTS+LUF, StarPU's choice": style.Look("#44AA99", "x", ":"),
    "DARTS+LUF-3inputs": style.Look("#332288", ">"),
    "DARTS+LUF+OPTI": style.Look("#882255", "X", "-."),
    "DARTS+LUF+OPTI-3inputs": style.Look("#882255", "X", "-."),
    "DARTS+LUF, threshold 110": style.Look("#AA4499", "P", ":"),
}
FITS = {"B": "#CC3311", "A and B": "#EE9900", "A, B and C": "#228833", "all data": "#228833"}


def figure_id(results: Results) -> tuple[str, str] | None:
    """Paper and figure, ('coloc21', '3b'), by the metadata or else the file's name."""
    given = results.meta.get("figure", "")
    for name in (given if isinstance(given, str) else "", results.path.name):
        match = re.match(rf"({'|'.join(PAPERS)})\.fig(\d+[a-z]?(?:-\d+)?)(?=\.|$)", name)
        if match:
            return match[1], match[2]
    return None


def figure(results: Results) -> Figure:
    """GFlop/s and bytes moved by strategy: means over runs with a band of one sd, dotted lines of
    what is predicted, and what the authors measured, where that is known, as hollow points."""
    predicted = [row for row in results.rows if row.predicted and row.text("domain") == "inside"]
    results = replace(results, rows=[row for row in results.rows if not row.predicted])
    if not results.rows:
        raise results.refuse("none of its rows was simulated; `damocles reproduce` writes them")
    for column in REQUIRED:
        results.require(column, "throughput figures need limited memory: a platform gpus:...")
    over = _axis(results)
    height = HEIGHT if style.now().words else style.now().size[0] * 1.3
    drawn = Figure(figsize=(style.now().size[0], height), layout="constrained")
    above, below = drawn.subplots(2, 1, sharex=True)
    if style.now().words:
        above.set_title(title(results), loc="left")
    lines = _draw(above, results.rows, over, lambda row: row.number("gflops"))
    above.set_ylabel("Throughput [GFlop/s]")
    _draw(below, results.rows, over, _gib)
    below.set_ylabel("Data transfers [GiB]")
    below.set_xlabel(over.label)
    measured = read_measured(results.path)
    # Rows that do not count their loads do not say how large a data item is.
    size = max(data_bytes(row) for row in [*results.rows, *measured])
    for axes, value in ((above, lambda row: row.number("gflops")), (below, _gib)):
        _draw_predicted(axes, predicted, lines, over.of, value)
        _draw_measured(axes, measured, lines, _placed(over.of, size), value)
    _limit_axes(above, below, lines)
    _draw_limits(above, below, results.rows, over)
    _explain(above, lines, predicted, measured)
    series.legend(above, lines)
    if style.now().words:
        drawn.set_size_inches(drawn.get_size_inches()[0], HEIGHT)
    return drawn


def _gib(row: Row) -> float | None:
    loaded = row.number("bytes_loaded")
    return None if loaded is None else loaded / GIB


def title(results: Results) -> str:
    """Figure, workload, number of GPUs."""
    paper, number = figure_id(results) or ("", "")
    row = results.rows[0]
    kinds = {"gemm2d": "2D product", "gemm3d": "3D product", "cholesky": "tasks of Cholesky",
             "sparse2d": "sparse 2D product"}  # fmt: skip
    spec = row.spec("workload")
    parts = [kinds.get(spec.name, spec.name)]
    if spec.options.get("order") == "random":
        parts[0] += " in random order"
    gpus = round(row.number("processors") or 1)
    parts.append(f"{gpus} GPU{'s' if gpus > 1 else ''}")
    memories = {one.spec("platform").options.get("memory", "") for one in results.rows}
    if len(memories) == 1:
        size, unit = quantity(memories.pop()) or (0.0, "B")
        parts.append(f"{size:g} {unit}{' each' if gpus > 1 else ''}")
    figures = "figures" if "-" in number else "figure"
    name = f"{PAPERS.get(paper, paper)}, {figures} {number}: " if paper else ""
    return name + ", ".join(parts)


def label(row: Row) -> str:
    """The papers' name of a strategy with its options."""
    spec = row.spec("strategy")
    known = {"darts": _darts, "hfp": _hfp}
    if spec.name in known:
        return known[spec.name](spec.options)
    ready = ", Ready" if spec.options.get("buffer") == "ready" else ""
    return PLAIN_NAMES[spec.name] + ready if spec.name in PLAIN_NAMES else row.text("strategy")


def _darts(options: dict[str, str]) -> str:
    name = "DARTS" + ("" if options.get("eviction", "luf") != "luf" else "+LUF")
    if options.get("opti") == "true":
        name += "+OPTI"
    if options.get("inputs") == "3":
        name += "-3inputs"
    if "threshold" in options:
        name += f", threshold {options['threshold']}"
    if options.get("buffer") == "ready":
        name += ", Ready"
    return name + (", StarPU's choice" if options.get("choice") == "starpu" else "")


def _hfp(options: dict[str, str]) -> str:
    parts = [word for word, on in (
        ("Ready", options.get("ready") != "false"),
        ("flip", options.get("flip") != "false"),
        ("Belady", options.get("eviction", "belady") == "belady"),
        ("as printed", options.get("partner") == "literal"),
    ) if on]  # fmt: skip
    return f"HFP ({', '.join(parts) or 'plain'})"


@dataclass(frozen=True)
class _Axis:
    """What x is: its words, and where a row stands."""

    label: str
    of: Callable[[Row], float]
    memory: bool  # x is the memory of one working set


def _axis(results: Results) -> _Axis:
    memories = {memory_bytes(row) for row in results.rows}
    if len(memories) > 1:
        return _Axis("Memory of each GPU [MiB]", lambda row: memory_bytes(row) / MIB, True)
    return _Axis("Working set [MiB]", lambda row: working_set_bytes(row) / MIB, False)


def working_set_bytes(row: Row) -> float:
    """All data of the workload, once."""
    return (row.number("data") or 0.0) * data_bytes(row)


def data_bytes(row: Row) -> float:
    """The size of one data item, all have the same; 0 where a row does not say how much was loaded."""
    return (row.number("bytes_loaded") or 0.0) / (row.number("loads") or 1.0)


def memory_bytes(row: Row) -> float:
    """The memory of one GPU, 0 where the platform does not say."""
    value, unit = quantity(row.spec("platform").options.get("memory", "")) or (0.0, "B")
    return value * UNITS.get(unit, 1.0)


def matrices(workload: Spec) -> dict[str, float]:
    """By name, how many data items the matrices that must fit together have."""
    n = workload.number("n") or 0.0
    m = workload.number("m") or n
    if workload.name in ("gemm2d", "sparse2d"):
        return {"B": n, "A and B": m + n}
    if workload.name == "gemm3d":
        k = workload.number("k") or n
        ab = {"B": k * n, "A and B": k * (m + n)}
        return ab if workload.options.get("c", "no") == "no" else ab | {
            "A, B and C": k * (m + n) + m * n}  # fmt: skip
    return {}


def _draw(
    axes: Axes, rows: list[Row], over: _Axis, value: Callable[[Row], float | None]
) -> list[series.Series]:
    shown = [replace(row, numbers=row.numbers | {"volume_ratio": value(row)}) for row in rows]
    built = series.build(shown, over.of, label, lambda row: (row.text("strategy"),))
    order = [*LOOKS, *(one.label for one in built)]
    built.sort(key=lambda one: order.index(one.label))
    lines = []
    for i, one in enumerate(built):  # from wide to narrow: what lies below can be seen
        width = WIDEST - (WIDEST - NARROWEST) * i / max(1, len(built) - 1)
        runs = max(point.n for point in one.points.values())
        name = one.label + (f" ({runs} runs)" if runs > 1 else "")
        look = replace(LOOKS.get(one.label, one.look), width=width)
        lines.append(replace(one, label=name, look=look, strategy=one.label))
    series.draw_lines(axes, lines, within_runs=True)
    return lines


def _draw_predicted(
    axes: Axes,
    rows: list[Row],
    lines: list[series.Series],
    x_of: Callable[[Row], float],
    value: Callable[[Row], float | None],
) -> None:
    """A dotted line, darker than the simulated one of the same strategy, on top of it."""
    looks = {one.strategy: one.look for one in lines}
    for name, some in group(rows, label).items():
        means = {x: [y for row in at if (y := value(row)) is not None]
                 for x, at in group(some, x_of).items()}  # fmt: skip
        points = sorted((x, sum(ys) / len(ys)) for x, ys in means.items() if ys)
        if name not in looks or not points:
            continue
        axes.plot(*zip(*points), color=style.darker(looks[name].colour, 0.55), linestyle=(0, (1, 1.6)),
                  linewidth=style.width(1.8), zorder=5, label="_")  # fmt: skip


def _draw_measured(
    axes: Axes,
    rows: list[Row],
    lines: list[series.Series],
    x_of: Callable[[Row], float],
    value: Callable[[Row], float | None],
) -> None:
    """Points in the colour of the simulated line of the same strategy, hollow, without a line."""
    looks = {one.strategy: one.look for one in lines}
    for name, some in group(rows, label).items():
        at = [(x_of(row), y) for row in some if (y := value(row)) is not None]
        look = looks.get(name, LOOKS.get(name))
        if look is None or not at:
            continue
        axes.plot(
            *zip(*at), color=look.colour, marker=look.marker, fillstyle="none", markersize=style.width(9),
            markeredgewidth=style.width(1.4), linestyle="", zorder=6, clip_on=False,
            label="_" if name in looks else f"{name}, measured",
        )  # fmt: skip


def _placed(x_of: Callable[[Row], float], size: float) -> Callable[[Row], float]:
    """`x_of` where all data have that size [B]."""
    return lambda row: x_of(replace(row, numbers=row.numbers | {"loads": 1.0, "bytes_loaded": size}))


def _limit_axes(above: Axes, below: Axes, lines: list[series.Series]) -> None:
    """Both axes reach as far as the data; transfers that differ by much stand on a log scale."""
    xs = [x for one in lines for x in one.points if isinstance(x, (int, float))]
    above.set_ylim(bottom=0)
    above.set_xlim(left=0, right=1.02 * max(xs))
    ends = [y for line in below.get_lines() for y in list(line.get_ydata())[-1:] if y > 0]
    if ends and max(ends) > LOG_FROM * min(ends):
        below.set_yscale("log")
        numbers_on_axes.without_markup(below.yaxis)
    else:
        below.set_ylim(bottom=0)


def _draw_limits(above: Axes, below: Axes, rows: list[Row], over: _Axis) -> None:
    at = sorted((x, some[0]) for x, some in group(rows, over.of).items())
    xs = [x for x, _ in at]
    peaks = [(row.number("gflops") or 0.0) / (row.number("busy_fraction") or 1.0)
             for _, row in at]  # fmt: skip
    _draw_peak(above, xs, peaks)
    bandwidth = quantity(rows[0].spec("platform").options.get("bandwidth", ""))
    if bandwidth:
        rate = bandwidth[0] * UNITS.get(bandwidth[1], 1.0)
        limit = [rate * (row.number("flops") or 0.0) / (peak * 1e9) / GIB if peak > 0 else 0.0
                 for (_, row), peak in zip(at, peaks)]  # fmt: skip
        below.plot(xs, limit, color="#777777", linewidth=0.9, zorder=2, label="bus limit")
        low, top = below.get_ylim()
        below.fill_between(xs, limit, max(top, *limit), facecolor="none", edgecolor="#d4d4d4",
                           hatch="////", linewidth=0.8, zorder=0)  # fmt: skip
        below.set_ylim(low, top)
    for name, x in _places(at, over):
        for axes in (above, below):
            axes.axvline(x, color=FITS[name], linestyle="--", linewidth=1.1, zorder=1,
                         label=f"{name} fit{'s' if name == 'B' else ''}")  # fmt: skip


def _draw_peak(axes: Axes, xs: list[float], peaks: list[float]) -> None:
    """A thin black line; where it is far above all curves, words alone: it would squeeze them."""
    reached = max(y for line in axes.get_lines() for y in line.get_ydata())
    if max(peaks) <= PEAK_FROM * reached:
        axes.plot(xs, peaks, color="black", linewidth=0.9, zorder=2, label="peak of the GPUs")
        axes.set_ylim(top=1.06 * max(peaks))
        return
    words = f"peak of the GPUs, off the axis:\n{max(peaks):.0f} GFlop/s"
    axes.plot([], [], linestyle="", label=words)
    axes.set_ylim(top=1.1 * reached)


def _explain(
    axes: Axes, lines: list[series.Series], predicted: list[Row], measured: list[Row]
) -> None:
    """What in the figure is no line of the legend."""
    axes.fill_between([], [], facecolor="none", edgecolor="#d4d4d4", hatch="////",
                      label="hatched: more than the bus carries\nwhile the GPUs compute")  # fmt: skip
    runs = {max(point.n for point in one.points.values()) for one in lines}
    if max(runs) > 1:
        others = "\n(no number: one run)" if 1 in runs else ""
        axes.fill_between([], [], color="#777777", alpha=series.BAND_ALPHA, linewidth=0,
                          label=f"band: one sd, within the runs{others}")  # fmt: skip
    if predicted:
        axes.plot([], [], color="black", linestyle=(0, (1, 1.6)), linewidth=style.width(1.8),
                  label="dotted: predicted, on a machine\nwithout outputs and delays")  # fmt: skip
    if measured:
        axes.plot([], [], color="#777777", marker="o", fillstyle="none", markersize=9,
                  markeredgewidth=1.4, linestyle="", label="hollow: measured by the authors\n"
                  "on real V100s; lines: simulated")  # fmt: skip


def _places(at: Iterable[tuple[float, Row]], over: _Axis) -> Iterable[tuple[str, float]]:
    """Where on the axis each set of matrices just fits, by linear interpolation between rows."""
    points = list(at)
    row = points[0][1]
    gpus = row.number("processors") or 1.0
    names = list(matrices(row.spec("workload"))) or ["all data"]
    for name in names:
        def filled(one: Row, name: str = name) -> float:
            data = matrices(one.spec("workload")).get(name, one.number("data") or 0.0)
            return data * data_bytes(one)

        if over.memory:
            yield name, filled(row) / gpus / MIB
            continue
        memory = gpus * memory_bytes(row)
        for (x0, r0), (x1, r1) in zip(points, points[1:]):
            low, high = filled(r0), filled(r1)
            if low <= memory <= high and high > low:
                yield name, x0 + (x1 - x0) * (memory - low) / (high - low)
                break
