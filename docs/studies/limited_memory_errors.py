#!/usr/bin/env python3
"""How far predictions for limited memory are from simulated runs (docs/reference/prediction_errors.md).

A setting is gemm2d with sides of 20 to 120 blocks, every other one square, 1, 2 or 4 GPUs, each with memory for 6
data items to all of them. One setting in three has a depth of its own, 2 to 16, one in three another bandwidth,
3 to 24 GB/s. Each is a function of the seed and its number alone. With --others the workload is sparse2d, gemm3d,
gemm3d:c=yes, or the tasks of Cholesky's or the LU factorisation, in turn, of 90 to 11 000 tasks. Errors are of the prediction against the mean of
the runs, so they contain the runs' own noise; the spread, the standard deviation of one run over the mean, is beside.

With --dependent the tasks wait for each other and write: cholesky, lu, gemm3d:c=made, stencil, layered, starpu-cholesky and
starpu-lu, in turn, under the static schedules. One setting in four has CPU cores too, one in six a delay of what is requested on
demand, one in six data that return at the end; with --large there are up to 12 341 tasks. Beside loads and makespan there are the bytes that go
to host memory, and a simpler makespan: the longer of the planned one and all bytes over the bandwidth of the bus.

With --unequal there are 2 or 4 GPUs of different speeds: one has that of the others' setting, each other one is up to four times
slower, drawn by the logarithm. Strategies that have no model there are left out of the table.

The first table has the predictions inside their validated domains. The second has those that `predict` marks as outside.

Usage: python3 docs/studies/limited_memory_errors.py --seed 1 --settings 300 [--plain] [--others] [--unequal] [--dependent] [--large] [--worst] [--only STRATEGIES]
       --plain keeps to squares, the default depth and bandwidth; --large has sides of 120 to 400 blocks; --worst names the three worst settings
"""

import argparse
import csv
import io
import multiprocessing
import os
import random
import statistics
import subprocess
import tempfile

COUNTED = "heft,bil,cpop,dls,dm,etf,hlfet,lookahead,max-min,min-min,peft,sufferage,lws,ws,modular-ws,dmda,dmdap,pheft,dmdar,dmdas,dmdasd,hypergraph"
LISTED = "hfp,hfp:ready=10,modular-heft,modular-heft2,modular-heft-prio,modular-heteroprio,panel-streaming,portfolio"
ZONES = "static-columns,static-nrrp,hybrid"  # of gemm2d
QUEUES = ("eager,sorted,mst,rcm,prio,heteroprio,peager,memory-order,modular-eager,modular-eager-prefetching,"
          "modular-prio-prefetching")  # of several GPUs: runs differ
BOXES = "dynamic,dynamic-2phases"
DRAWN = ("random-by-speed,modular-random-prefetching,modular-random-prio,modular-random-prio-prefetching,"
         "random,random:eviction=fifo,random:eviction=random")
PLANNED = "bil,cpop,dls,etf,heft,hlfet,lookahead,max-min,min-min,peft,sufferage"
DEPENDENT = ("cholesky", "lu", "gemm3d", "stencil", "layered", "starpu-cholesky", "starpu-lu")
FAMILIES = ("sparse2d", "gemm3d", "gemm3d:c=yes", "cholesky", "lu")
HEAD = ("| strategy | GPUs | settings | loads: median / 90 % / worst | makespan: median / 90 % / worst | spread: median / 90 % "
        "| predicted spread over measured, median |\n| --- | --- | --- | --- | --- | --- | --- |")


def setting(seed: int, number: int, plain: bool, others: bool, large: bool) -> tuple[str, str, int]:
    """The workload, the platform and the number of GPUs; uses Random.random() alone, which is the same in all
    versions of Python."""
    draw = random.Random(seed * 1_000_003 + number).random
    whole = lambda lo, hi: lo + int(draw() * (hi + 1 - lo))
    sides = (120, 400) if large else (20, 120)
    m = whole(*sides)
    if others:
        return other_setting(number, draw, whole)
    n = m if draw() < 0.5 or plain else whole(*sides)
    gpus = (1, 2, 4)[number % 3]
    platform = f"gpus:k={gpus},memory={whole(6, m + n)}data"
    if draw() < 1 / 3 and not plain:
        platform += f",depth={whole(2, 16)}"
    if draw() < 1 / 3 and not plain:
        platform += f",bandwidth={3 * 8 ** draw():.2f}GB/s"
    return f"gemm2d:m={m},n={n}" if m != n else f"gemm2d:n={n}", platform, gpus


def of_unequal_speeds(folder: str, seed: int, number: int, asked: tuple[str, str, int]) -> tuple[str, str, int]:
    """The same with a file as its platform, whose GPUs differ in speed; two GPUs in place of one."""
    workload, platform, gpus = asked
    draw = random.Random(seed * 1_000_003 + number + 500_000).random
    keys = dict(key.split("=") for key in platform.removeprefix("gpus:").split(","))
    speeds = [13253 / (4 ** draw() if gpu else 1) for gpu in range(max(2, gpus))]
    bandwidth = keys.get("bandwidth", "12GB/s")
    lines = ["[bus]", f'bandwidth = "{bandwidth}"', *([f"depth = {keys['depth']}"] if "depth" in keys else [])]
    for speed in speeds:
        lines += ["[[gpus]]", f"gflops = {speed:.1f}", f'memory = "{keys["memory"]}"', f'link = "{bandwidth}"']
    path = os.path.join(folder, f"{number}-{'-'.join(f'{speed:.0f}' for speed in speeds)}-{keys['memory']}.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return workload, path, max(2, gpus)


def drawn_gpus(number: int, data: int, draw, whole) -> tuple[str, int]:
    """A platform, and its GPUs. Memories are drawn by their logarithm: of many data items few are read often."""
    gpus = (1, 2, 4)[number % 3]
    platform = f"gpus:k={gpus},memory={int(6 * (data / 6) ** draw())}data"
    if draw() < 1 / 3:
        platform += f",depth={whole(2, 16)}"
    if draw() < 1 / 3:
        platform += f",bandwidth={3 * 8 ** draw():.2f}GB/s"
    return platform, gpus


def other_setting(number: int, draw, whole) -> tuple[str, str, int]:
    """A workload of independent tasks that is no grid of two indices."""
    family = FAMILIES[number // 3 % len(FAMILIES)]
    sides = {"sparse2d": (20, 120), "gemm3d": (5, 22), "gemm3d:c=yes": (5, 22), "cholesky": (8, 30), "lu": (6, 25)}
    side = whole(*sides[family])
    data = {"sparse2d": 2 * side, "gemm3d": 2 * side**2, "gemm3d:c=yes": 3 * side**2,
            "cholesky": side * (side + 1) // 2, "lu": side**2}[family]
    workload = f"{family}{',' if ':' in family else ':'}n={side}"
    if family == "sparse2d":
        least = max(0.02, 100 / side**2)
        workload += f",density={least + draw() * (0.5 - least):.3f},seed={number}"
    platform, gpus = drawn_gpus(number, data, draw, whole)
    return workload, platform, gpus


def dependent_setting(seed: int, number: int, large: bool) -> tuple[str, str, int]:
    """A workload whose tasks wait and write; a task of the stencil accesses six data items, the least memory."""
    draw = random.Random(seed * 1_000_003 + number).random
    whole = lambda lo, hi: lo + int(draw() * (hi + 1 - lo))
    family = DEPENDENT[number // 3 % len(DEPENDENT)]
    sides = {"stencil": (4, 14), "layered": (6, 40), "gemm3d": (3, 12), "lu": (6, 18), "starpu-lu": (6, 18)}
    larger = {"stencil": (14, 22), "layered": (100, 400), "gemm3d": (12, 22), "lu": (18, 30), "starpu-lu": (18, 30)}
    n = whole(*larger.get(family, (25, 41)) if large else sides.get(family, (6, 25)))
    deeper = whole(4, 20)
    more = {"cholesky": ",deps=true", "lu": ",deps=true", "gemm3d": ",c=made", "stencil": f",steps={deeper}",
            "layered": f",layers={deeper},seed={number}"}.get(family, "")
    data = {"stencil": 2 * n**2, "gemm3d": 3 * n**2, "layered": n * (deeper + 1), "lu": n**2, "starpu-lu": n**2}.get(family, n * (n + 1) // 2)
    platform, gpus = drawn_gpus(number, data, draw, whole)
    if draw() < 1 / 4:
        platform += f",cpus={whole(1, 12)}"
    if draw() < 1 / 6:
        platform += ",request=100us"
    if draw() < 1 / 6:
        platform += ",writeback=true" if draw() < 1 / 2 else ",writeback=traffic"
    return f"{family}:n={n}{more}", platform, gpus


def compared_plans(asked: tuple) -> list[dict]:
    """Errors of each strategy in one setting."""
    program, number, (workload, platform, gpus), runs, only = asked
    done = subprocess.run([program, "compare", workload, platform, "--strategies", only or PLANNED, "--quiet", "--jobs", "1",
                           "--replicates", str(runs), "--seed", str(number), "--format", "csv"],
                          check=True, capture_output=True, text=True)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    results = []
    for said in (row for row in rows if row["source"] == "predicted" and row["loads"]):
        of = [row for row in rows if row["source"] == "simulated" and row["strategy"] == said["strategy"]]
        mean = {what: statistics.mean(float(row[what]) for row in of) for what in ("loads", "bytes_written", "makespan_s")}
        bytes_moved = float(said["bytes_loaded"]) + float(said["bytes_written"])
        bandwidth = float(platform.split("bandwidth=")[1].split("GB/s")[0]) if "bandwidth=" in platform else 12
        bound = max(float(said["planned_makespan_s"]), bytes_moved / bandwidth / 1e9)
        off = lambda value, true: abs(value / true - 1) if true else float(value > 0)
        results.append({"strategy": said["strategy"], "processors": "with cores" if "cpus=" in platform else "1 GPU" if gpus == 1 else "2 or 4 GPUs",
                        "family": workload.split(":")[0], "where": f"{workload} {platform}", "inside": said["domain"] == "inside",
                        "loads": off(float(said["loads"]), mean["loads"]),
                        "home": off(float(said["bytes_written"]), mean["bytes_written"]),
                        "time": off(float(said["makespan_s"]), mean["makespan_s"]), "bound": off(bound, mean["makespan_s"]),
                        "values": f"{mean['loads']:.6g} loads, predicted {float(said['loads']):.6g}; {mean['makespan_s']:.4g} s, "
                                  f"predicted {float(said['makespan_s']):.4g}"})
    return results


def print_plans(found: list[dict], worst: bool) -> None:
    """A table by strategy, and one by workload and processors; medians, 90 % and worst."""
    def row(some: list[dict]) -> str:
        cells = [quantiles([one[what] for one in some], 0.5, 0.9, 1) for what in ("loads", "home", "time", "bound")]
        return f"{len(some)} | {' | '.join(cells)} |"
    heads = " | ".join(f"{what}: median / 90 % / worst" for what in ("loads", "bytes home", "makespan", "simple makespan"))
    marked = [one for one in found if not one["inside"]]
    found = [one for one in found if one["inside"]]
    print(f"| strategy | predictions | {heads} |\n|{' --- |' * 6}")
    for name in sorted({one["strategy"] for one in found}):
        print(f"| `{name}` | {row([one for one in found if one['strategy'] == name])}")
    if marked:
        print(f"| all, outside the validated domain | {row(marked)}")
    print(f"\n| workload | processors | predictions | {heads} |\n|{' --- |' * 7}")
    for name in DEPENDENT:
        for processors in ("1 GPU", "2 or 4 GPUs", "with cores"):
            some = [one for one in found if one["family"] == name and one["processors"] == processors]
            if some:
                print(f"| `{name}` | {processors} | {row(some)}")
    for what in ("loads", "home", "time") if worst else ():
        for one in sorted(found, key=lambda one: -one[what])[:12]:
            print("   ", what, f"{100 * one[what]:.1f} %", one["strategy"], one["where"], one["values"])


def compared(asked: tuple) -> list[tuple]:
    program, number, (workload, platform, gpus), runs, only = asked
    results = []
    is_grid = workload.startswith("gemm2d")
    drawn = f"{DRAWN},{LISTED},darts"
    if is_grid:
        drawn += f",{ZONES},{BOXES}"
    elif "c=yes" in workload:
        drawn += "," + BOXES
    counted = COUNTED
    if gpus == 1:
        counted += "," + QUEUES
    else:
        drawn += "," + QUEUES
    asked_of = ((counted, min(runs, 3)), (drawn, runs)) if not only else ((only, runs),)
    for names, replicates in asked_of:
        done = subprocess.run([program, "compare", workload, platform, "--strategies", names, "--quiet", "--jobs", "1",
                               "--replicates", str(replicates), "--seed", str(number), "--format", "csv"],
                              check=True, capture_output=True, text=True)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        for predicted in (row for row in rows if row["source"] == "predicted" and row["loads"]):
            runs_of = [row for row in rows if row["source"] == "simulated" and row["strategy"] == predicted["strategy"]]
            loads = [float(row["loads"]) for row in runs_of]
            mean = statistics.mean(loads)
            spread = statistics.stdev(loads) / mean
            said = float(predicted.get("sd") or 0) / float(predicted["volume_ratio"])
            time = statistics.mean(float(row["makespan_s"]) for row in runs_of)
            results.append((predicted["strategy"], gpus, abs(float(predicted["loads"]) / mean - 1),
                            abs(float(predicted["makespan_s"]) / time - 1), spread, said,
                            f"{workload} {platform}: {mean:.6g} loads, predicted {float(predicted['loads']):.6g}; "
                            f"{time:.4g} s, predicted {float(predicted['makespan_s']):.4g}", family_of(workload), predicted["domain"] == "inside"))
    return results


def family_of(workload: str) -> str:
    return "gemm3d:c=yes" if "c=yes" in workload else workload.split(":")[0]


def quantiles(values: list[float], *shares: float) -> str:
    values = sorted(values)
    return " / ".join(f"{100 * values[min(len(values) - 1, int(share * len(values)))]:.1f}" for share in shares)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--settings", type=int, default=300)
    options.add_argument("--runs", type=int, default=15, help="of random; the counted ones have 3")
    options.add_argument("--plain", action="store_true")
    options.add_argument("--others", action="store_true", help="workloads other than gemm2d")
    options.add_argument("--dependent", action="store_true", help="tasks that wait for each other, under static schedules")
    options.add_argument("--large", action="store_true", help="sides of 120 to 400 blocks instead")
    options.add_argument("--unequal", action="store_true", help="GPUs of different speeds")
    options.add_argument("--worst", action="store_true")
    options.add_argument("--only", default="", help="these strategies alone")
    options.add_argument("--program", default=os.environ.get("DAMOCLES_PROGRAM", "./damocles"))
    chosen = options.parse_args()
    if chosen.dependent:
        asked = [(chosen.program, number, dependent_setting(chosen.seed, number, chosen.large), chosen.runs, chosen.only)
                 for number in range(chosen.settings)]
        with multiprocessing.Pool() as pool:
            return print_plans([one for some in pool.imap_unordered(compared_plans, asked, 4) for one in some], chosen.worst)
    settings = [setting(chosen.seed, number, chosen.plain, chosen.others, chosen.large) for number in range(chosen.settings)]
    folder = tempfile.TemporaryDirectory()
    if chosen.unequal:
        settings = [of_unequal_speeds(folder.name, chosen.seed, number, one) for number, one in enumerate(settings)]
    asked = [(chosen.program, number, one, chosen.runs, chosen.only) for number, one in enumerate(settings)]
    with multiprocessing.Pool() as pool, folder:
        found = [one for some in pool.imap_unordered(compared, asked, 4) for one in some]
    strategies = (chosen.only or ",".join([COUNTED, QUEUES, DRAWN, LISTED, ZONES, "darts", BOXES])).split(",")
    print_errors([one for one in found if one[8]], strategies, chosen.others)
    if not all(one[8] for one in found):
        print("\nOutside the validated domains:\n")
        print_errors([one for one in found if not one[8]], strategies, chosen.others)
    for strategy in strategies if chosen.worst else ():
        print_worst(strategy, [one for one in found if one[0] == strategy and one[8]])


def print_errors(found: list[tuple], strategies: list[str], others: bool) -> None:
    """A table whose rows are of one strategy, or of several of the same errors."""
    families = " | ".join(f"`{one}`" for one in FAMILIES)
    print(f"| strategy | GPUs | {families} |\n|{' --- |' * 7}" if others else HEAD)
    alike: dict[tuple, list[str]] = {}
    for strategy in strategies:
        its = [one for one in found if one[0] == strategy]
        alike.setdefault(tuple(rows_of_others(its) if others else rows_by_gpus(its)), []).append(f"`{strategy}`")
    for cells, names in alike.items():
        for number, cell in enumerate(cells):
            print(f"| {', '.join(names) if number == 0 else ''} | {cell} |")


def rows_by_gpus(its: list[tuple]) -> list[str]:
    some = {gpus: [one for one in its if one[1] == gpus] for gpus in (1, 2, 4)}
    return [f"{gpus} | {row_of(of)}" for gpus, of in some.items() if of]


def rows_of_others(its: list[tuple]) -> list[str]:
    """Loads: median, 90 %, worst; makespan: 90 %."""
    def cell(some: list[tuple]) -> str:
        if not some:
            return "–"
        return f"{quantiles([one[2] for one in some], 0.5, 0.9, 1)}; {quantiles([one[3] for one in some], 0.9)}"
    rows = {}
    for gpus in ("1", "2, 4"):
        some = [one for one in its if (one[1] == 1) == (gpus == "1")]
        rows[gpus] = [cell([one for one in some if one[7] == family]) for family in FAMILIES]
    return [f"{gpus} | {' | '.join(cells)}" for gpus, cells in rows.items() if set(cells) != {"–"}]


def row_of(its: list[tuple]) -> str:
    ratios = [one[5] / one[4] for one in its if one[4] > 0 and one[5] > 0]
    return (f"{len(its)} | {quantiles([one[2] for one in its], 0.5, 0.9, 1)} | {quantiles([one[3] for one in its], 0.5, 0.9, 1)} "
            f"| {quantiles([one[4] for one in its], 0.5, 0.9)} | {f'{statistics.median(ratios):.2f}' if ratios else '–'}")


def print_worst(strategy: str, its: list[tuple]) -> None:
    for what in (2, 3):
        for one in sorted(its, key=lambda one: -one[what])[:3]:
            if one[what] > 0.02:
                print("   ", strategy, "loads" if what == 2 else "time", f"{100 * one[what]:.1f} %", one[6])


if __name__ == "__main__":
    main()
