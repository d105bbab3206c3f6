#!/usr/bin/env python3
"""How far each model is from simulation, and where: the study behind the validated domains (docs/explanation/theory.md, section 12).

A setting is a grid, processors of constant speeds, and the thresholds 0.5, 1, 2, 3, 4.5 and 6 of dynamic-2phases (those
that leave a task), its default threshold, and dynamic. Settings differ in tasks a processor (4 to 1000), in the ratio of
the fastest speed to the slowest (1 to 1000), and in the ratio of the longest side to the shortest (1 to 100). Each is a
function of the seed and its number alone.

Usage: python3 docs/studies/model_domains.py run --settings 300 -o domains.csv     (one row a setting, strategy and model)
       python3 docs/studies/model_domains.py table domains.csv                     (errors inside and outside each model's domain)
"""

import argparse
import csv
import io
import math
import random
import re
import statistics
import subprocess
import sys

THRESHOLDS = [0.5, 1, 2, 3, 4.5, 6]
COLUMNS = ["number", "strategy", "beta", "model", "error_percent", "noise_percent"]


def spread(draw, low: float, high: float) -> float:
    """Log-uniform."""
    return low * (high / low) ** draw()


def speeds_of(draw, processors: int, ratio: float) -> list[float]:
    """One of three shapes: drawn log-uniform, two kinds, or equal ones and one of another speed."""
    kind = int(3 * draw())
    if ratio < 1.05:
        return [1.0] * processors
    if kind == 0:
        inner = [round(spread(draw, 1, ratio), 3) for _ in range(processors - 2)]
        return [1.0, round(ratio, 3)] + inner
    fast = max(1, min(processors - 1, int(processors * draw()))) if kind == 1 else 1
    if kind == 2 and draw() < 0.5:
        fast = processors - 1
    return [1.0] * (processors - fast) + [round(ratio, 3)] * fast


def sides_of(draw, dimensions: int, tasks: float, ratio: float) -> list[int]:
    """Extents whose product is about `tasks`, the longest over the shortest about `ratio`."""
    between = ratio ** draw() if dimensions == 3 else 1
    shape = [1, ratio] if dimensions == 2 else [1, between, ratio]
    scale = (tasks / math.prod(shape)) ** (1 / dimensions)
    sides = [max(2, round(scale * side)) for side in shape]
    random_order = sorted(range(dimensions), key=lambda _: draw())
    return [sides[i] for i in random_order]


def setting(seed: int, number: int) -> dict:
    """Uses Random.random() alone, which is the same in all versions of Python."""
    draw = random.Random(seed * 1_000_003 + number).random
    dimensions = 2 if draw() < 0.5 else 3
    processors = round(spread(draw, 2, 100))
    tasks = spread(draw, 4.2, 1000) * processors
    ratio = spread(draw, 1, 1000) if draw() < 0.6 else 1
    side_ratio = spread(draw, 1, 100) if draw() < 0.4 else 1
    sides = sides_of(draw, dimensions, min(tasks, 30_000), side_ratio)
    speeds = speeds_of(draw, processors, ratio)
    names = ["outer", ("m", "n")] if dimensions == 2 else ["matrix", ("m", "n", "k")]
    workload = f"{names[0]}:" + ",".join(f"{key}={side}" for key, side in zip(names[1], sides))
    equal = max(speeds) == min(speeds)
    platform = f"homogeneous:p={processors}" if equal else "speeds:" + ",".join(f"{s:g}" for s in speeds)
    return {"number": number, "workload": workload, "platform": platform, "processors": processors,
            "tasks": math.prod(sides)}


def compare(program: str, asked: dict, models: str, runs: int) -> list[dict]:
    """Rows of one setting: predicted ones with the error of their mean."""
    strategies = ["dynamic", "dynamic-2phases"]
    strategies += [f"dynamic-2phases:beta={beta:g}" for beta in THRESHOLDS if math.exp(-beta) * asked["tasks"] >= 1]
    done = subprocess.run([program, "compare", asked["workload"], asked["platform"], "--strategies", ",".join(strategies),
                           "--model", models, "--replicates", str(runs), "--jobs", "1", "--format", "csv"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{asked['workload']} {asked['platform']}: {done.stderr.strip()}", file=sys.stderr)
        return []
    runs_of: dict = {}
    predictions = []
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if row["source"] == "simulated":
            runs_of.setdefault(row["strategy"], []).append(float(row["volume_ratio"]))
        elif row["volume_ratio"]:
            predictions.append(row)
    result = []
    for row in predictions:
        ratios = runs_of[row["strategy"]]
        mean = statistics.mean(ratios)
        result.append({
            "number": asked["number"], "strategy": row["strategy"], "beta": row["beta"][:6], "model": row["model"],
            "error_percent": f"{100 * (float(row['volume_ratio']) / mean - 1):.3f}",
            "noise_percent": f"{100 * statistics.stdev(ratios) / math.sqrt(len(ratios)) / mean:.3f}"})
    return result


def run(options: argparse.Namespace) -> None:
    with open(options.output, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for number in range(options.first, options.first + options.settings):
            writer.writerows(compare(options.program, setting(options.seed, number), options.models, options.runs))
            file.flush()


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def quantities(row: dict) -> dict:
    """What the limits of a model's domain are of (ode/domain.hpp)."""
    sides = [int(side) for side in re.findall(r"=(\d+)", row["workload"])]
    processors, tasks = int(row["processors"]), math.prod(sides)
    beta = float(row["beta"]) if row["beta"] else math.inf
    speeds = [1.0] * processors
    if row["platform"].startswith("speeds:"):
        speeds = [float(speed) for speed in row["platform"][len("speeds:"):].split(",")]
    left = math.floor(math.exp(-beta) * tasks)
    return {"tasks": tasks / processors, "speeds": max(speeds) / min(speeds), "sides": max(sides) / min(sides),
            "side": min(sides), "left": left / processors, "line": left / tasks * max(sides) / processors,
            "growth": min(beta, math.log(tasks)) * max(speeds) / sum(speeds)}


# The limits as they are registered with the models: (quantity, at least, at most).
DOMAINS = {
    "paper": [("tasks", 25, None), ("speeds", None, 30), ("left", 2, None), ("line", None, 0.1), ("growth", None, 0.3)],
    "corrected": [("tasks", 25, None), ("speeds", None, 30), ("left", 2, None), ("line", None, 0.1),
                  ("growth", None, 0.3)],
    "exact": [("tasks", 25, None), ("speeds", None, 30), ("sides", None, 10), ("left", 2, None), ("line", None, 0.1)],
    "refined": [("tasks", 8, None), ("speeds", None, 1000), ("sides", None, 4), ("side", 8, None)],
    "ode": [("tasks", 15, None), ("speeds", None, 10), ("sides", None, 2), ("side", 20, None), ("left", 1, None),
            ("growth", None, 2)],
}


def inside(row: dict) -> bool:
    has = quantities(row)
    return all((low is None or has[name] >= low) and (high is None or has[name] <= high)
               for name, low, high in DOMAINS[row["model"]])


def table(options: argparse.Namespace) -> None:
    with open(options.file, encoding="utf-8") as file:
        rows = [row | setting(options.seed, int(row["number"])) for row in csv.DictReader(file)]
    print("| model | domain | predictions | settings | median | 9 of 10 | worst |")
    print("| --- " * 7 + "|")
    for model in DOMAINS:
        for where in ("inside", "outside"):
            some = [row for row in rows if row["model"] == model and inside(row) == (where == "inside")]
            errors = [abs(float(row["error_percent"])) for row in some]
            if not some:
                continue
            worst = max(some, key=lambda row: abs(float(row["error_percent"])))
            print(f"| {model} | {where} | {len(some)} | {len({row['number'] for row in some})} | "
                  f"{statistics.median(errors):.2f} % | {quantile(errors, 0.9):.2f} % | "
                  f"{float(worst['error_percent']):+.1f} % |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default="build/experiments/damocles")
    commands = parser.add_subparsers(required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--seed", type=int, default=1)
    runner.add_argument("--first", type=int, default=0)
    runner.add_argument("--settings", type=int, default=300)
    runner.add_argument("--models", default="all")
    runner.add_argument("--runs", type=int, default=60)
    runner.add_argument("-o", "--output", required=True)
    runner.set_defaults(do=run)
    shower = commands.add_parser("table")
    shower.add_argument("file")
    shower.add_argument("--seed", type=int, default=1, help="of the settings")
    shower.set_defaults(do=table)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
