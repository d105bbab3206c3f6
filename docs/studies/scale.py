#!/usr/bin/env python3
"""How time and memory of a simulation grow with the number of processors: docs/studies/scale.csv and its picture.

    python3 docs/studies/scale.py              measures (ten minutes, up to 8 GB), then draws
    python3 docs/studies/scale.py --draw       draws what was measured

Each run is one process on one core. Its time is processor time, and its memory the most that was resident.
The picture, docs/figures/scale.png, needs matplotlib.
"""

import csv
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/studies/scale.csv"
PROGRAM = ROOT / "build/experiments/damocles"
COLUMNS = ["workload", "strategy", "processors", "tasks", "user_s", "peak_mib"]
SPEEDS = "uniform:p={p},lo=10,hi=100"
GPUS = "gpus:k={p},memory=500MB"
RUNS = [  # workload, its tasks, platform, strategies, numbers of processors
    ("outer:n=10000", 10**8, SPEEDS, ["dynamic-2phases", "random"], [100, 1000, 10_000, 100_000]),
    ("matrix:n=464", 464**3, SPEEDS, ["dynamic-2phases"], [100, 1000, 10_000, 100_000]),
    ("cholesky:n=180,deps=true", 180 * 181 * 182 // 6, GPUS, ["eager", "dmda", "darts"], [10, 100, 1000]),
]


def measure() -> None:
    """Runs everything, and writes the table."""
    with open(TABLE, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for workload, tasks, platform, strategies, numbers in RUNS:
            for strategy in strategies:
                for p in numbers:
                    words = ["simulate", workload, platform.format(p=p), "--strategies", strategy, "--replicates", "1", "--jobs", "1"]
                    run = subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL)
                    _, status, used = os.wait4(run.pid, 0)
                    if status != 0:
                        sys.exit(f"damocles {' '.join(words)} failed")
                    row = [workload, strategy, p, tasks, f"{used.ru_utime:.1f}", f"{used.ru_maxrss / 1024:.0f}"]
                    table.writerow(row)
                    print(*row, flush=True)


def draw() -> None:
    """Time per task on the left, memory per processor on the right."""
    sys.path.insert(0, str(ROOT / "plots"))
    import matplotlib as mpl
    import style
    from matplotlib.figure import Figure
    from numbers_on_axes import without_markup

    with open(TABLE, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with mpl.rc_context(style.RC):
        figure = Figure(figsize=(8.4, 4.4))
        left, right = figure.subplots(1, 2)
        figure.subplots_adjust(left=0.07, right=0.99, top=0.93, bottom=0.3, wspace=0.16)
        lines = {}
        for row in rows:
            lines.setdefault((row["workload"].split(":")[0], row["strategy"]), []).append(row)
        for (workload, strategy), points in lines.items():
            x = [int(row["processors"]) for row in points]
            label = f"{workload}, {strategy}"
            look = {"marker": {"outer": "o", "matrix": "s"}.get(workload, "^"), "label": label}
            left.plot(x, [1e9 * float(row["user_s"]) / int(row["tasks"]) for row in points], **look)
            right.plot(x, [1024 * float(row["peak_mib"]) / int(row["processors"]) for row in points], **look)
        for axes, title in ((left, "Time per task [ns]"), (right, "Peak memory per processor [kB]")):
            axes.set_title(title, loc="left")
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlabel("processors")
            without_markup(axes.xaxis)
            without_markup(axes.yaxis)
        figure.legend(*left.get_legend_handles_labels(), loc="lower center", ncols=3)
        figure.savefig(ROOT / "docs/figures/scale.png", metadata={"Software": None})


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--draw"]):
        sys.exit(__doc__)
    if not sys.argv[1:]:
        measure()
    draw()
