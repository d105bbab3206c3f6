#!/usr/bin/env python3
"""The tables of docs/explanation/panel_streaming.md, from `damocles sweep docs/studies/panels.toml`.

Usage: python3 docs/studies/panels_table.py panels.csv
"""

import csv
import statistics
import sys
from collections import defaultdict
from pathlib import Path

OURS = ("panel-streaming", "panel-streaming:rank=bytes", "panel-streaming:pace=false", "portfolio")
MEMORY = "500MB"  # of the long table
Rows = dict[str, dict[str, str]]


def seconds(row: dict[str, str]) -> float:
    return float(row["makespan_s"])


def data_moved(row: dict[str, str]) -> int:
    return int(row["bytes_loaded"])


def cell(row: dict[str, str]) -> str:
    return f"{seconds(row):.4f} / {row['loads']}"


def option(platform: str, key: str) -> str:
    return platform.split(key + "=")[1].split(",")[0]


def long_table(cases: dict[tuple[str, str], Rows]) -> None:
    print("| workload | K | bound | panel-streaming | `rank=bytes` | `pace=false` | portfolio | ", end="")
    print("fastest of the others | fewest loads of the others |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for (workload, platform), rows in cases.items():
        if option(platform, "memory") != MEMORY:
            continue
        row = rows["panel-streaming"]
        bound = f"{float(row['makespan_lower_bound_s']):.4f} / {row['lower_bound']}"
        others = [other for name, other in rows.items() if name not in OURS]
        fastest = min(others, key=seconds)
        least = min(others, key=lambda other: (data_moved(other), seconds(other)))
        cells = [cell(rows[name]) for name in OURS]
        print(
            f"| {workload} | {option(platform, 'k')} | {bound} | {' | '.join(cells)} | "
            f"{fastest['strategy']} {cell(fastest)} | {least['strategy']} {cell(least)} |"
        )


def short_table(cases: dict[tuple[str, str], Rows]) -> None:
    """How far above the bound, and how often first or within 2 % of whoever is."""
    above: dict[tuple[str, str], list[float]] = defaultdict(list)
    near: dict[tuple[str, str], list[tuple[bool, bool]]] = defaultdict(list)
    for (_, platform), rows in cases.items():
        fastest = min(seconds(row) for row in rows.values())
        least = min(data_moved(row) for row in rows.values())
        for name, row in rows.items():
            key = (name, option(platform, "k"))
            above[key].append(100 * (float(row["makespan_ratio"]) - 1))
            near[key].append((seconds(row) <= 1.02 * fastest, data_moved(row) <= 1.02 * least))
    processors = sorted({k for _, k in above})
    print("| strategy | " + " | ".join(f"K = {k}" for k in processors) + " |")
    print("| --- |" + " --- |" * len(processors))
    for name in dict.fromkeys(name for name, _ in above):
        cells = []
        for k in processors:
            worst = max(above[name, k])
            times = sum(time for time, _ in near[name, k])
            volumes = sum(volume for _, volume in near[name, k])
            median = statistics.median(above[name, k])
            cells.append(f"{median:.1f} ({worst:.0f}) %, {times}, {volumes} of {len(near[name, k])}")
        print(f"| {name} | " + " | ".join(cells) + " |")


def main() -> None:
    cases: dict[tuple[str, str], Rows] = defaultdict(dict)
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cases[row["workload"], row["platform"]][row["strategy"]] = row
    long_table(cases)
    print()
    short_table(cases)


if __name__ == "__main__":
    main()
