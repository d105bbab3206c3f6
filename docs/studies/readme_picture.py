#!/usr/bin/env python3
"""Draws docs/figures/readme.png: throughput and data moved by five policies on one GPU, simulated and measured.

    python3 docs/studies/readme_picture.py

Runs `./damocles reproduce ipdps22.fig3-4` (seconds) into a temporary folder. Lines are its simulated runs. Hollow
circles are what the authors of that figure measured on a V100. Needs matplotlib.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

import matplotlib as mpl

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "plots"))

import style  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from means import group  # noqa: E402
from results import Row, read, read_measured  # noqa: E402

FIGURE = "ipdps22.fig3-4"
BLOCK_BYTES = 14_745_600  # of a block row of A or a block column of B
MEMORY_BYTES = 500 * 2**20
LINES = {  # strategy: label, colour
    "darts": ("darts", style.STRATEGIES["darts"].colour),
    "hfp:ready=10,eviction=lru": ("hfp", style.STRATEGIES["hfp"].colour),
    "dmdar": ("dmdar", style.STRATEGIES["dmdar"].colour),
    "darts:eviction=lru": ("darts, LRU eviction", "#56B4E9"),
    "eager": ("eager", style.STRATEGIES["eager"].colour),
}


def matrices_gb(row: Row) -> float:
    """The size of A and B together."""
    return (row.number("data") or 0.0) * BLOCK_BYTES / 1e9


def draw(axes: Axes, rows: list[Row], measured: list[Row], value: Callable[[Row], float | None]) -> None:
    """One line a strategy over the size of the matrices, and a circle for each measured point."""
    for strategy, (label, colour) in LINES.items():
        for some, look in ((rows, {"label": label}), (measured, {"marker": "o", "fillstyle": "none", "linestyle": ""})):
            places = group([row for row in some if row.text("strategy") == strategy], matrices_gb)
            points = {x: [y for row in at if (y := value(row)) is not None] for x, at in places.items()}
            means = {x: sum(ys) / len(ys) for x, ys in sorted(points.items()) if ys}
            axes.plot(list(means), list(means.values()), color=colour, clip_on=False, **look)
    axes.axvline(MEMORY_BYTES / 1e9, color="#777777", linewidth=0.9, linestyle="--")
    axes.set_xlabel("A and B together [GB]")
    axes.set_xlim(left=0)


def picture(rows: list[Row], measured: list[Row]) -> Figure:
    """Throughput on the left, data moved on the right."""
    figure = Figure(figsize=(8.4, 4.2))
    left, right = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.05, right=0.99, top=0.93, bottom=0.27, wspace=0.16)
    draw(left, rows, measured, lambda row: None if (rate := row.number("gflops")) is None else rate / 1000)
    draw(right, rows, measured,
         lambda row: None if (loads := row.number("loads")) is None else loads * BLOCK_BYTES / 1e9)  # fmt: skip
    left.set_title("Throughput [TFlop/s]", loc="left")
    left.set_ylim(0, 14)
    left.text(MEMORY_BYTES / 1e9 + 0.03, 0.4, "memory of the GPU", color="#555555", fontsize=9.5)
    right.set_title("Data moved to the GPU [GB]", loc="left")
    right.set_yscale("log")
    right.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    lines, names = left.get_legend_handles_labels()
    lines += left.plot([], [], color="#777777", marker="o", fillstyle="none", linestyle="")
    figure.legend(lines, [*names, "measured on a V100"], loc="lower center", ncols=3)
    return figure


def main() -> None:
    """Runs the figure, draws it and prints the name of the picture."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([str(ROOT / "damocles"), "reproduce", FIGURE, "-o", folder], check=True, stdout=subprocess.DEVNULL)
        results = Path(folder, f"{FIGURE}.csv")
        rows, measured = read(results).rows, read_measured(results)
    target = ROOT / "docs/figures/readme.png"
    with mpl.rc_context(style.RC):
        picture(rows, measured).savefig(target, metadata={"Software": None})
    print(target.relative_to(ROOT))


if __name__ == "__main__":
    main()
