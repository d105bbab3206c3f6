#!/usr/bin/env python3
"""How far predicted trajectories are from simulated ones (docs/explanation/limited_memory_theory.md, section 11).

Settings are those of limited_memory_errors.py. The error of a curve is its largest distance from the mean of the
runs over all instants, relative to the largest value of that mean. --worst names the worst setting of each strategy.

Usage: python3 docs/studies/trajectory_errors.py --seed 1 --settings 60 [--runs 20] [--only STRATEGIES] [--worst]
"""

import argparse
import csv
import io
import os
import statistics
import subprocess

from limited_memory_errors import setting

STRATEGIES = "eager,lws,heft,dmdar,hfp,panel-streaming,random,darts,dynamic"
CURVES = ("unfinished_tasks", "loads", "resident_data")


def errors(asked: argparse.Namespace, strategy: str, where: tuple[str, str, int]) -> list[float]:
    """Of each curve; empty where no model predicts the strategy there."""
    done = subprocess.run([asked.program, "trajectory", *where[:2], "--strategy", strategy, "--instants", "101",
                           "--replicates", str(asked.runs)], capture_output=True, text=True)
    if done.returncode != 0:
        return []
    means: dict[tuple[str, str], list[float]] = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        means.setdefault((row["quantity"], row["source"]), []).append(float(row["mean"]))
    found = []
    for curve in CURVES:
        simulated = means[curve, "simulated"]
        apart = (abs(a - b) for a, b in zip(means[curve, "predicted"], simulated))
        found.append(100 * max(apart) / max(simulated))
    return found


def summary(values: list[float]) -> str:
    ordered = sorted(values)
    return f"{statistics.median(ordered):.1f} / {ordered[int(0.9 * (len(ordered) - 1))]:.1f} / {ordered[-1]:.1f}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--settings", type=int, default=60)
    options.add_argument("--runs", type=int, default=20)
    options.add_argument("--only", default=STRATEGIES)
    options.add_argument("--worst", action="store_true")
    options.add_argument("--program", default=os.environ.get("DAMOCLES_PROGRAM", "build/experiments/damocles"))
    asked = options.parse_args()
    print("| strategy | settings | unfinished tasks | loads | data items in memory |\n| --- | --- | --- | --- | --- |")
    for strategy in asked.only.split(","):
        of_all = []
        for number in range(asked.settings):
            where = setting(asked.seed, number, False, False, False)
            if found := errors(asked, strategy, where):
                of_all.append((found, where))
        cells = " | ".join(summary([found[i] for found, _ in of_all]) for i in range(len(CURVES)))
        print(f"| `{strategy}` | {len(of_all)} | {cells} |", flush=True)
        if asked.worst:
            print("worst:", *max(of_all, key=lambda one: one[0][1]))


if __name__ == "__main__":
    main()
