#!/usr/bin/env python3
"""Loads and times where speeds are estimated wrongly, from `damocles sweep docs/studies/wrong_speeds.toml`.

Usage: python3 docs/studies/wrong_speeds_table.py wrong_speeds.csv

Loads are over the lower bound. Times are over that of `random` on the same speeds, which never waits.
"""

import csv
import statistics
import sys
from collections import defaultdict
from pathlib import Path

Key = tuple[str, str]


def wrong_by(strategy: str) -> str:
    """The error that the strategy's options name, in percent."""
    options = dict(part.split("=") for part in strategy.partition(":")[2].split(",") if part)
    return f"{100 * float(options.get('error', 0)):.0f} %"


def kind(strategy: str) -> str:
    """What the table calls it."""
    if not strategy.startswith("hybrid"):
        return strategy
    return "static" if "share=1" in strategy else "hybrid"


def main() -> None:
    """Prints the table."""
    loads: dict[Key, list[float]] = defaultdict(list)
    predicted: dict[Key, list[float]] = defaultdict(list)
    seconds: dict[Key, dict[str, float]] = defaultdict(dict)
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["workload"], row["strategy"]
            if row["source"] == "predicted":
                predicted[key].append(float(row["volume_ratio"]))
            else:
                loads[key].append(float(row["volume_ratio"]))
                seconds[key][row["replicate"]] = float(row["makespan_s"])
    print("| workload | speeds wrong by | strategy | loads | predicted | time | longest |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for workload, strategy in loads:
        key = workload, strategy
        times = [seconds[key][run] / seconds[workload, "random"][run] for run in seconds[key]]
        shown = f"{statistics.mean(predicted[key]):.3f}" if predicted[key] else "–"
        wrong = wrong_by(strategy) if strategy.startswith("hybrid") else "any"
        print(
            f"| {workload} | {wrong} | {kind(strategy)} | {statistics.mean(loads[key]):.3f} | {shown} | "
            f"{statistics.mean(times):.3f} | {max(times):.3f} |"
        )


if __name__ == "__main__":
    main()
