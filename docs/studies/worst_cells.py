#!/usr/bin/env python3
"""Markdown table of each model's worst relative error over beta, per (platform, p, n).

Usage: damocles sweep docs/studies/refined-outer.toml -o outer.csv
       python3 docs/studies/worst_cells.py outer.csv
"""

import collections
import csv
import math
import re
import statistics
import sys


def parameter(spec: str, name: str) -> float:
    """The number behind `name=` in a spec."""
    return float(re.search(rf"[:,]{name}=([^,]+)", spec)[1])


def main(path: str) -> None:
    simulated = collections.defaultdict(list)
    predicted = {}
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            platform = row["platform"]
            key = (platform.split(":")[0], int(parameter(platform, "p")),
                   int(parameter(row["workload"], "n")), parameter(row["strategy"], "beta"))
            if row["source"] == "simulated":
                simulated[key].append(float(row["volume_ratio"]))
            elif row["status"] == "ok":
                predicted[key, row["model"]] = (float(row["volume_ratio"]), row["sd"])
    models = [m for m in ("paper", "corrected", "exact", "refined")
              if any(model == m for _, model in predicted)]
    print("| speeds | p | n | " + " | ".join(f"{m}: worst (at β)" for m in models)
          + " | refined: rms | band / observed sd, median |")
    print("| --- " * (5 + len(models)) + "|")
    for cell in sorted({key[:3] for key in simulated}):
        keys = sorted(key for key in simulated if key[:3] == cell)
        texts = []
        errors = []
        for model in models:
            errors = [(100 * (predicted[k, model][0] / statistics.mean(simulated[k]) - 1), k[3])
                      for k in keys if (k, model) in predicted]
            worst = max(errors, key=lambda error: abs(error[0]), default=None)
            texts.append(f"{worst[0]:+.2f} % ({worst[1]:g})" if worst else "–")
        rms = math.sqrt(statistics.mean(e * e for e, _ in errors)) if errors else math.nan
        bands = [float(predicted[k, "refined"][1]) / statistics.stdev(simulated[k]) for k in keys
                 if (k, "refined") in predicted and statistics.stdev(simulated[k]) > 0]
        print(f"| {cell[0]} | {cell[1]} | {cell[2]} | " + " | ".join(texts)
              + (f" | {rms:.2f} % | {statistics.median(bands):.2f} |" if bands else " | – | – |"))


if __name__ == "__main__":
    main(sys.argv[1])
