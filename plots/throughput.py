"""The figures of COLOC'21 and IPDPS'22: throughput above, transfers below, over the working set.

Peak and bus limit follow from the rows themselves: GFlop/s over the busy fraction is the peak, and
what the bus carries in the time that the computation takes at least is the limit. Vertical lines
stand where B, then A and B, then all data fit into the memories together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import series
import style
from axis import UNITS
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from results import Results, Row, Spec, group, quantity

PAPERS = {"coloc21": "COLOC'21", "ipdps22": "IPDPS'22"}
MIB, GIB = 2.0**20, 2.0**30
HEIGHT = 7.6  # inches, of both panels
REQUIRED = ("loads", "bytes_loaded", "data", "flops", "gflops", "busy_fraction")
PLAIN_NAMES = {"eager": "EAGER", "mst": "MST", "rcm": "RCM", "dmdar": "DMDAR",
               "hypergraph": "hypergraph+R (Zoltan)"}  # fmt: skip
LOOKS = {  # by label: one look in all figures
    "EAGER": style.Look("#D55E00", "o"),
    "MST": style.Look("#E69F00", "s", "--"),
    "RCM": style.Look("#CC79A7", "^"),
    "DMDAR": style.Look("#009E73", "v"),
    "hypergraph+R (Zoltan)": style.Look("#999933", "p"),
    "HFP (Ready, flip, Belady)": style.Look("#332288", "*"),
    "HFP (Ready, flip)": style.Look("#000000", "h"),
    "HFP (flip)": style.Look("#777777", "<", "--"),
    "HFP (Ready)": style.Look("#777777", ">", ":"),
    "HFP (Belady)": style.Look("#AA7744", "P", "-."),
    "HFP (plain)": style.Look("#BBBBBB", "X"),
    "HFP (Ready, flip, as printed)": style.Look("#661100", "d", ":"),
    "DARTS+LUF": style.Look("#0072B2", "D"),
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
    for name in (str(results.meta.get("figure", "")), results.path.name):
        match = re.match(r"(coloc21|ipdps22)\.fig(\d+[a-z]?(?:-\d+)?)(?=\.|$)", name)
        if match:
            return match[1], match[2]
    return None


def figure(results: Results) -> Figure:
    """GFlop/s and bytes moved by strategy, means over runs with a band of one sd."""
    for column in REQUIRED:
        results.require(column, "throughput figures need limited memory: a platform gpus:...")
    over = _axis(results)
    drawn = Figure(figsize=(style.SIZE[0], HEIGHT), layout="constrained")
    above, below = drawn.subplots(2, 1, sharex=True)
    above.set_title(title(results), loc="left")
    lines = _draw(above, results.rows, over, lambda row: row.number("gflops") or 0.0)
    above.set_ylabel("Throughput [GFlop/s]")
    _draw(below, results.rows, over, lambda row: (row.number("bytes_loaded") or 0.0) / GIB)
    below.set_ylabel("Data transfers [GiB]")
    below.set_xlabel(over.label)
    _draw_limits(above, below, results.rows, over)
    for axes in (above, below):
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
    series.legend(above, lines)
    drawn.set_size_inches(drawn.get_size_inches()[0], HEIGHT)
    return drawn


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
    return PLAIN_NAMES.get(spec.name, row.text("strategy"))


def _darts(options: dict[str, str]) -> str:
    name = "DARTS" + ("" if options.get("eviction", "luf") != "luf" else "+LUF")
    if options.get("opti") == "true":
        name += "+OPTI"
    if options.get("inputs") == "3":
        name += "-3inputs"
    if "threshold" in options:
        name += f", threshold {options['threshold']}"
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
    """The size of one data: all have the same."""
    return (row.number("bytes_loaded") or 0.0) / (row.number("loads") or 1.0)


def memory_bytes(row: Row) -> float:
    """The memory of one GPU, 0 where the platform does not say."""
    value, unit = quantity(row.spec("platform").options.get("memory", "")) or (0.0, "B")
    return value * UNITS.get(unit, 1.0)


def matrices(workload: Spec) -> dict[str, float]:
    """By name, how many data the matrices that must fit together have."""
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
    axes: Axes, rows: list[Row], over: _Axis, value: Callable[[Row], float]
) -> list[series.Series]:
    measured = [replace(row, numbers=row.numbers | {"volume_ratio": value(row)}) for row in rows]
    built = series.build(measured, over.of, label, lambda row: row.text("strategy"))
    order = [*LOOKS, *(one.label for one in built)]
    lines = [replace(one, look=LOOKS.get(one.label, one.look))
             for one in sorted(built, key=lambda one: order.index(one.label))]  # fmt: skip
    series.draw_lines(axes, lines)
    return lines


def _draw_limits(above: Axes, below: Axes, rows: list[Row], over: _Axis) -> None:
    at = sorted((x, some[0]) for x, some in group(rows, over.of).items())
    xs = [x for x, _ in at]
    peaks = [(row.number("gflops") or 0.0) / (row.number("busy_fraction") or 1.0)
             for _, row in at]  # fmt: skip
    above.plot(xs, peaks, color="black", linestyle=":", linewidth=1.4, label="peak")
    bandwidth = quantity(rows[0].spec("platform").options.get("bandwidth", ""))
    if bandwidth:
        rate = bandwidth[0] * UNITS.get(bandwidth[1], 1.0)
        limit = [rate * (row.number("flops") or 0.0) / (peak * 1e9) / GIB
                 for (_, row), peak in zip(at, peaks)]  # fmt: skip
        top = below.get_ylim()[1]
        below.plot(xs, limit, color="black", linestyle=":", linewidth=1.4)
        below.set_ylim(top=top)
        above.plot([], [], color="black", linestyle=":", label="bus limit (below)")
    for name, x in _places(at, over):
        for axes in (above, below):
            axes.axvline(x, color=FITS[name], linestyle="--", linewidth=1.1, zorder=1,
                         label=f"{name} fit{'s' if name == 'B' else ''}")  # fmt: skip


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
