#!/usr/bin/env python3
"""How far the refined model is from simulated runs, over random settings (docs/explanation/theory.md, section 10).

A setting is an outer product (n 20 to 150) or a matrix product (n 12 to 60), p from 5 to 200
log-uniform, speeds equal, one draw of U[10, 100], of U[1, 100] or of set.5, and beta from 0.5 to 6.
Each is a function of the seed and its number alone. Errors are of the predicted mean against the mean of the
runs, so they contain the runs' own noise, which is shown beside them: the standard error.

Usage: python3 docs/studies/random_settings.py --seed 1 --settings 500 --runs 60 --keep runs.json
       (runs are kept in the file, and read from it the next time)
"""

import argparse
import csv
import io
import json
import math
import os
import random
import statistics
import subprocess
import sys

STRATEGIES = ["random", "sorted", "dynamic", "dynamic-2phases"]


def setting(seed: int, number: int) -> dict:
    """The workload, the platform and the beta of one setting; uses Random.random() alone, which is the
    same in all versions of Python."""
    draw = random.Random(seed * 1_000_003 + number).random
    whole = lambda lo, hi: lo + int(draw() * (hi + 1 - lo))
    workload = f"outer:n={whole(20, 150)}" if draw() < 0.5 else f"matrix:n={whole(12, 60)}"
    p = round(5 * 40 ** draw())
    kind = whole(0, 3)
    platform = [f"homogeneous:p={p}", f"uniform:p={p},lo=10,hi=100,draw={number}",
                f"uniform:p={p},lo=1,hi=100,draw={number}", f"set.5:p={p},draw={number}"][kind]
    beta = round(0.5 + 5.5 * draw(), 3)
    return {"workload": workload, "platform": platform, "p": p, "beta": beta}


def rows(program: str, command: str, asked: dict, names: list[str], *options: str) -> list[dict]:
    with_beta = {"dynamic-2phases": f"dynamic-2phases:beta={asked['beta']}"}
    strategies = ",".join(with_beta.get(name, name) for name in names)
    done = subprocess.run([program, command, asked["workload"], asked["platform"], "--strategies",
                           strategies, "--format", "csv", *options],
                          check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def simulated(program: str, asked: dict, names: list[str], runs: int, seed: int) -> dict:
    ratios: dict = {name: [] for name in names}
    for row in rows(program, "simulate", asked, names, "--replicates", str(runs), "--seed", str(seed)):
        ratios[row["strategy"].split(":")[0]].append(float(row["volume_ratio"]))
    return ratios


def predicted(program: str, asked: dict) -> dict:
    result = {}
    for row in rows(program, "predict", asked, list(asked["runs"]), "--model", "refined", "--replicates", "1"):
        if row["status"] == "ok":
            sd = float(row["sd"]) if row["sd"] else math.nan
            result[row["strategy"].split(":")[0]] = (float(row["volume_ratio"]), sd)
    return result


def compared(kept: list[dict], program: str) -> list[dict]:
    """One row a setting and strategy: errors in %."""
    result = []
    for asked in kept:
        forecast = predicted(program, asked)
        for name, ratios in asked["runs"].items():
            mean = statistics.mean(ratios)
            row = {key: asked[key] for key in ("number", "workload", "platform", "p", "beta")}
            row |= {"strategy": name, "mean": mean,
                    "noise": 100 * statistics.stdev(ratios) / math.sqrt(len(ratios)) / mean}
            if name in forecast:
                loads, sd = forecast[name]
                row["error"] = 100 * (loads / mean - 1)
                row["sd"] = sd / statistics.stdev(ratios) if statistics.stdev(ratios) > 0 else math.nan
                slack = 1e-9 * loads
                inside = sum(abs(x - loads) <= 1.959964 * sd + slack for x in ratios)
                row["inside"] = inside / len(ratios) if not math.isnan(sd) else math.nan
            result.append(row)
    return result


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def show(table: list[dict]) -> None:
    print("| strategy | settings | median | 90 % | worst | at | mean | runs' noise | runs in band | "
          "settings below 90 % |")
    print("| --- " * 10 + "|")
    for name in dict.fromkeys(row["strategy"] for row in table):
        all_rows = [row for row in table if row["strategy"] == name]
        told = [row for row in all_rows if "error" in row]
        errors = [abs(row["error"]) for row in told]
        worst = max(told, key=lambda row: abs(row["error"]))
        inside = [row["inside"] for row in told if not math.isnan(row["inside"])]
        beta = f" β={worst['beta']}" if name == "dynamic-2phases" else ""
        print(f"| {name} | {len(told)} of {len(all_rows)} | {statistics.median(errors):.2f} | "
              f"{quantile(errors, 0.9):.2f} | {max(errors):.2f} | {worst['workload']} {worst['platform']}{beta} | "
              f"{statistics.mean(row['error'] for row in told):+.2f} | "
              f"{statistics.median(row['noise'] for row in told):.2f} | "
              + (f"{100 * statistics.mean(inside):.1f} % | {sum(x < 0.9 for x in inside)} |" if inside else "– | – |"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default="build/experiments/damocles")
    parser.add_argument("--seed", type=int, default=1, help="of the settings and of the runs")
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--settings", type=int, default=100)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--keep", help="JSON file that keeps the simulated runs")
    parser.add_argument("--rows", help="CSV file for one row a setting and strategy")
    options = parser.parse_args()
    kept = []
    if options.keep and os.path.exists(options.keep):
        with open(options.keep, encoding="utf-8") as file:
            kept = json.load(file)
    for number in range(len(kept), options.settings):
        asked = setting(options.seed, number) | {"number": number}
        kept.append(asked | {"runs": simulated(options.program, asked, options.strategies.split(","),
                                          options.runs, options.seed)})
        print(f"{number + 1} of {options.settings}", end="\r", file=sys.stderr)
    if options.keep:
        with open(options.keep, "w", encoding="utf-8") as file:
            json.dump(kept, file)
    table = compared(kept[:options.settings], options.program)
    if options.rows:
        with open(options.rows, "w", encoding="utf-8", newline="") as file:
            columns = ["number", "strategy", "workload", "platform", "p", "beta", "mean", "noise", "error", "sd", "inside"]
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(table)
    show(table)


if __name__ == "__main__":
    main()
