#!/usr/bin/env python3
"""Medians over workloads of the makespan above two bounds, from `damocles sweep docs/studies/makespan.toml`.

Usage: python3 docs/studies/makespan_table.py makespan.csv
"""

import csv
import statistics
import sys
from collections import defaultdict
from pathlib import Path


def simple_bound_s(row: dict[str, str]) -> float:
    """max(compute, bus): equal processors, 12 GB/s, the bound on the loads."""
    computing = float(row["busy_fraction"]) * float(row["makespan_s"])
    size = float(row["bytes_loaded"]) / float(row["loads"])
    return max(computing, float(row["lower_bound"]) * size / 12e9)


def main() -> None:
    above: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            simple = 100 * (float(row["makespan_s"]) / simple_bound_s(row) - 1)
            ours = 100 * (float(row["makespan_ratio"]) - 1)
            above[row["strategy"], row["processors"]].append((simple, ours))
    print("| strategy | GPUs | workloads | above max(compute, bus), % | above the bound, % | worst, % |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (strategy, processors), values in sorted(above.items()):
        simple, ours = zip(*values, strict=True)
        print(
            f"| {strategy} | {processors} | {len(values)} | {statistics.median(simple):.1f} | "
            f"{statistics.median(ours):.1f} | {max(ours):.1f} |"
        )


if __name__ == "__main__":
    main()
