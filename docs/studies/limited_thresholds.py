#!/usr/bin/env python3
"""How good the threshold is that `damocles beta` recommends for limited memory (docs/explanation/limited_memory_theory.md).

Settings are those of limited_memory_errors.py: gemm2d on 1, 2 or 4 GPUs with memory for some of the data items. In each,
dynamic-2phases is simulated with the recommended beta, with the one that is best with unlimited memory, with twelve
others, and dynamic beside it. All thresholds see the same seeds. The table says how many more loads, in the mean of the
runs, the recommended threshold has than the best of all that were simulated, and how many it saves of those of dynamic.

Usage: python3 docs/studies/limited_thresholds.py --seed 1 --settings 90 [--runs 10] [--worst] [--program FILE]
"""

import argparse
import csv
import io
import json
import multiprocessing
import statistics
import subprocess

from limited_memory_errors import quantiles, setting

OTHERS = (0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5)


def answer(program: str, *words: str) -> str:
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def unlimited_strategy(program: str, workload: str, gpus: int) -> str:
    """dynamic-2phases with the best threshold of unlimited memory; dynamic where there is none."""
    said = json.loads(answer(program, "beta", workload.replace("gemm2d", "outer"), f"homogeneous:p={gpus}", "--format", "json"))
    best = said["recommended"]
    return f"dynamic-2phases:beta={best['beta']}" if best else "dynamic"


def compared(asked: tuple) -> dict:
    program, number, (workload, platform, gpus), runs = asked
    best = json.loads(answer(program, "beta", workload, platform, "--format", "json"))["recommended"]
    recommended = f"dynamic-2phases:beta={best['beta']}" if best else "dynamic"
    unlimited = unlimited_strategy(program, workload, gpus)
    names = list(dict.fromkeys([recommended, unlimited, "dynamic", *(f"dynamic-2phases:beta={beta}" for beta in OTHERS)]))
    rows = csv.DictReader(io.StringIO(answer(program, "simulate", workload, platform, "--strategies", ",".join(names), "--quiet", "--jobs", "1",
                                             "--replicates", str(runs), "--seed", str(number), "--format", "csv")))
    loads: dict[str, list[float]] = {name: [] for name in names}
    for row in rows:
        loads[row["strategy"]].append(float(row["loads"]))
    mean = {name: statistics.mean(values) for name, values in loads.items()}
    least = min(mean, key=mean.__getitem__)
    return {"gpus": gpus, "over": mean[recommended] / mean[least] - 1, "over_unlimited": mean[unlimited] / mean[least] - 1,
            "saved": 1 - mean[recommended] / mean["dynamic"], "switches": best is not None,
            "where": f"{workload} {platform}: {recommended} {mean[recommended]:.6g} loads, {least} {mean[least]:.6g}"}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, required=True)
    options.add_argument("--settings", type=int, required=True)
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--worst", action="store_true")
    options.add_argument("--program", default="build/experiments/damocles")
    chosen = options.parse_args()
    asked = [(chosen.program, number, setting(chosen.seed, number, False, False, False), chosen.runs) for number in range(chosen.settings)]
    with multiprocessing.Pool() as pool:
        found = pool.map(compared, asked, chunksize=1)
    print("| GPUs | settings | recommends a switch | loads over the best simulated threshold: median / 90 % / worst | the same with the threshold "
          "of unlimited memory | loads saved of dynamic: median / 90 % / most |\n| --- | --- | --- | --- | --- | --- |")
    for gpus in (1, 2, 4):
        some = [one for one in found if one["gpus"] == gpus]
        cells = [quantiles([one[what] for one in some], 0.5, 0.9, 1) for what in ("over", "over_unlimited", "saved")]
        print(f"| {gpus} | {len(some)} | {sum(one['switches'] for one in some)} | {' | '.join(cells)} |")
    for one in sorted(found, key=lambda one: -one["over"])[:8] if chosen.worst else ():
        print("   ", f"{100 * one['over']:.1f} %", one["where"])


if __name__ == "__main__":
    main()
