"""What the HPDC'14 figures share: which file holds which, and how they are titled."""

from __future__ import annotations

import re

from matplotlib.axes import Axes
from means import group
from results import Results, Row

KERNELS = {"outer": "outer product", "matrix": "matrix product"}
LOWER_BOUND = 1.0  # of the normalised volume: where the axes of y begin
PLOTTED_BETA = "it says where phase 2 of dynamic-2phases starts"


def figure_number(results: Results) -> int | None:
    """The N of `hpdc14.figN`, from the metadata's key `figure` or else from the file's name."""
    given = results.meta.get("figure", "")
    for name in (given if isinstance(given, str) else "", results.path.name):
        match = re.match(r"hpdc14\.fig0*([0-9]{1,3})(?=\.|$)", name)
        if match:
            return int(match[1])
    return None


def title(results: Results, with_processors: bool = False) -> str:
    """Figure, workload and runs per point in one line."""
    workload = results.rows[0].spec("workload")
    parts = [KERNELS.get(workload.name, workload.name)]
    sizes = {row.spec("workload").options.get("n", "") for row in results.rows} - {""}
    if len(sizes) == 1:
        parts.append(f"n = {sizes.pop()} blocks")
    processors = {row.number("processors") for row in results.rows} - {None}
    if with_processors and len(processors) == 1:
        parts.append(f"p = {processors.pop():g}")
    runs = runs_per_point(results.rows)
    if runs:
        parts.append(runs)
    number = figure_number(results)
    return f"HPDC'14{f', figure {number}' if number else ''}: {', '.join(parts)}"


def explain_spread(axes: Axes, results: Results, shape: str) -> None:
    """A legend entry for the bands and bars: of a single run, as simulated or as the model has it."""
    runs = runs_per_point(results.rows).removesuffix(" per point")
    of = f", {runs}" if runs else ""
    if shape == "band":
        axes.fill_between([], [], [], color="#777777", alpha=0.35, linewidth=0,
                          label=f"bands: ± one sd{of}")  # fmt: skip
    else:
        axes.errorbar([], [], [], fmt="none", ecolor="#777777", elinewidth=1,
                      label=f"bars: ± one sd{of}")  # fmt: skip


def runs_per_point(rows: list[Row]) -> str:
    """How many runs stand behind a point: '10 runs', '8 to 10 runs', '' if none was simulated."""
    runs = [row for row in rows if not row.predicted]
    points = group(runs, lambda row: tuple(
        row.text(column) for column in ("source", "strategy", "workload", "platform")
    ) + (row.number("processors"), _threshold(row, rows)))  # fmt: skip
    counts = {sum(round(row.number("n") or 1) for row in point) for point in points.values()}
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    count = f"{low}" if low == high else f"{low} to {high}"
    return f"{count} {'run' if high == 1 else 'runs'} per point"


def _threshold(row: Row, rows: list[Row]) -> float | None:
    """The row's beta where it is what varies (one platform), else nothing."""
    return row.number("beta") if len({other.text("platform") for other in rows}) == 1 else None
