"""Made-up result files that look like those of the program, for the tests of plots/.

The volumes follow the formulas of the paper roughly and are no results.
`sample_results.py FOLDER` writes one file per figure, to be looked at after a change.
"""

from __future__ import annotations

import csv
import json
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = (
    "source,model,strategy,eviction,workload,platform,processors,tasks,data,seed,replicate,beta,"
    "loads,bytes_loaded,lower_bound,volume_ratio,makespan_s,makespan_lower_bound_s,"
    "makespan_ratio,flops,gflops,busy_fraction,scheduling_s,domain,status"
).split(",")
SUMMARY = ["n", "mean", "sd", "ci95"]
MODELS = ("paper", "corrected", "exact", "refined")
STRATEGIES = ("random", "sorted", "dynamic", "dynamic-2phases", "static-columns")
BIAS = {"paper": -0.03, "corrected": 0.0, "exact": 0.01, "refined": 0.005}
Cells = dict[str, object]


def ratio(strategy: str, kernel: str, n: int, p: int, beta: float) -> float:
    """Roughly what homogeneous processors load over the lower bound."""
    d = 2 if kernel == "outer" else 3
    own = n ** (d - 1)  # data per matrix
    share = 1.0 / p
    spread = own * p * (1 - math.exp(-(n**d) * share / own)) / (own * p * share ** ((d - 1) / d))
    per_task = math.exp(-beta) * n / (p * share ** ((d - 1) / d)) * (1 - (beta / p) ** (1 / d))
    return {
        "random": spread,
        "sorted": 0.97 * spread,
        "dynamic": 0.75 * math.log(n * n / 2) ** 0.5 + 0.012 * p**0.8,
        "dynamic-2phases": beta ** ((d - 1) / d) * (1 - beta / p / (2 * d)) + per_task,
        "static-columns": 1.05 + 0.5 / p,
    }[strategy]


def cells(source: str, strategy: str, workload: str, platform: str, value: float) -> Cells:
    """One row's cells; all others stay empty."""
    return {"source": source, "strategy": strategy, "workload": workload, "platform": platform,
            "volume_ratio": f"{value:.6f}", "status": "ok", "seed": 1}  # fmt: skip


def point(
    kernel: str, n: int, p: int, platform: str, beta: float, strategies: tuple[str, ...],
    replicates: int, models: tuple[str, ...] = MODELS,
) -> Iterator[Cells]:
    """All rows of one instance."""
    draw = random.Random(f"{kernel}{n}{platform}{beta}")
    workload = f"{kernel}:n={n}"
    for strategy in strategies:
        phases = strategy == "dynamic-2phases"
        text = f"{strategy}:beta={beta:.6g}" if phases else strategy
        value = ratio(strategy, kernel, n, p, beta)
        extra = {"processors": p, "beta": f"{beta:.6g}" if phases else ""}
        for r in range(replicates):
            noisy = value * (1 + draw.gauss(0, 0.02))
            yield cells("simulated", text, workload, platform, noisy) | extra | {"replicate": r}
        if strategy == "random" and "refined" in models:
            yield (cells("predicted", text, workload, platform, value) | extra
                   | {"model": "refined", "sd": f"{0.02 * value:.6f}"})  # fmt: skip
        for model in models if phases else ():
            for r in range(replicates):
                row = cells("predicted", text, workload, platform, value + BIAS[model]) | extra
                band = f"{0.02 * value:.6f}" if model == "refined" else ""
                yield row | {"model": model, "replicate": r, "sd": band}


def volume_vs_processors(kernel: str, n: int) -> Iterator[Cells]:
    """Figures 1, 4, 5, 9 and 10."""
    for p in (10, 20, 50, 100, 150, 200, 250, 300):
        beta = 4.17 if kernel == "outer" else 2.95
        yield from point(kernel, n, p, f"uniform:p={p},lo=10,hi=100", beta, STRATEGIES, 5)


def thresholds(kernel: str, n: int, p: int, shares: bool = False) -> Iterator[Cells]:
    """Figures 2, 6 and 11."""
    platform = f"uniform:p={p},lo=10,hi=100"
    others = tuple(name for name in STRATEGIES if name != "dynamic-2phases")
    yield from point(kernel, n, p, platform, 0.0, others, 5)
    betas = [-math.log1p(-s / 100) for s in range(5, 100, 5)] if shares else []
    for beta in betas + [0.25 * i for i in range(4, 41)]:
        yield from point(kernel, n, p, platform, beta, ("dynamic-2phases",), 5)


def heterogeneity() -> Iterator[Cells]:
    """Figure 7."""
    for h in range(0, 101, 10):
        platform = f"uniform:p=20,lo={100 - h},hi={100 + h}" if h else "homogeneous:p=20"
        yield from point("outer", 100, 20, platform, 4.17, STRATEGIES, 5)


def scenarios() -> Iterator[Cells]:
    """Figure 8."""
    for name in ("dyn.20", "unif.1", "unif.2", "set.3", "set.5", "dyn.5"):
        yield from point("outer", 100, 20, f"{name}:p=20", 4.17, STRATEGIES, 5)


def limited(
    strategies: tuple[str, ...], workloads: tuple[str, ...], platform: str, data: int = 2
) -> Iterator[Cells]:
    """Figures of COLOC'21 and IPDPS'22: workloads `name:n=N...` of data * N items of 16 MiB."""
    for workload in workloads:
        n = int(workload.split("n=")[1].split(",")[0])
        for i, strategy in enumerate(strategies):
            for r in range(2 if strategy.startswith("darts") else 1):
                busy = (0.95 - 0.01 * r) / (1 + i * n / 40)
                loads = data * n * (1 + i * n / 10)
                yield cells("simulated", strategy, workload, platform, 1 + i) | {
                    "eviction": "lru", "processors": 1, "data": data * n, "replicate": r,
                    "loads": loads, "bytes_loaded": loads * 2**24, "flops": 1e10 * n * n,
                    "gflops": 10000 * busy, "busy_fraction": busy}  # fmt: skip


GPU = "gpus:k=1,gflops=10000,bandwidth=10GB/s,memory={}MiB"


def limited_figures() -> dict[str, list[Cells]]:
    """The rows of figures of throughput, by the stem of their file."""
    squares = tuple(f"gemm2d:n={n}" for n in (5, 15, 25, 45))
    hfp = ("hfp", "hfp:eviction=lru", "hfp:ready=false,eviction=lru")
    darts = ("darts", "darts:eviction=lru", "darts:inputs=3,opti=true")
    return {
        "coloc21.fig3": list(limited((*hfp, "dmdar", "eager"), squares, GPU.format(500))),
        "coloc21.fig3b": [one for memory in (100, 200, 500)
                          for one in limited(("hfp", "mst"), squares[1:2], GPU.format(memory))],
        "coloc21.fig4": list(limited(("hfp", "rcm"), ("gemm3d:n=2,c=later", "gemm3d:n=9,c=later"),
                                     GPU.format(500), data=9)),
        "ipdps22.fig3-4": list(limited((*darts, "dmdar"), squares, GPU.format(500))),
        "ipdps22.fig11": list(limited((*darts, "hypergraph"), ("cholesky:n=5,deps=false", "cholesky:n=40,deps=false"),
                                      GPU.format(500))),
    }  # fmt: skip


def figures() -> dict[str, list[Cells]]:
    """The rows of every paper figure, by the stem of its file."""
    rows = {
        1: volume_vs_processors("outer", 100),
        2: thresholds("outer", 100, 20, shares=True),
        4: volume_vs_processors("outer", 100),
        5: volume_vs_processors("outer", 1000),
        6: thresholds("outer", 100, 20),
        7: heterogeneity(),
        8: scenarios(),
        9: volume_vs_processors("matrix", 40),
        10: volume_vs_processors("matrix", 100),
        11: thresholds("matrix", 40, 100),
    }
    return {f"hpdc14.fig{number}": list(some) for number, some in rows.items()} | limited_figures()


def write(path: Path, rows: list[Cells], columns: list[str] | None = None) -> Path:
    """Writes a result file, columns in the program's order."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns or COLUMNS + SUMMARY, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_meta(path: Path, meta: dict[str, object]) -> None:
    """Writes the metadata beside a result file."""
    path.with_name(path.name.removesuffix(".csv") + ".meta.json").write_text(json.dumps(meta))


def main(folder: Path) -> None:
    """One file per figure."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, rows in figures().items():
        write(folder / f"{stem}.csv", rows)
    write_meta(folder / "hpdc14.fig6.csv", {"best_beta": {"paper": 4.17, "refined": 4.3}})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
