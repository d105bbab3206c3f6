"""What an H200 executed (docs/studies/h200.csv) and what is simulated today."""

import csv
import statistics
from pathlib import Path

from executed import Execution
from program import SOURCE

# These decide by what has arrived, or draw among what is there: a run differs from the next.
BY_ARRIVAL = {"dynamic", "dynamic-2phases", "hfp", "hybrid"}
SHORT_TASKS = "gpus:k=1,gflops=154362,bandwidth=53.4061GB/s,latency=4.704us,link=54.2769GB/s,loads_ahead=2,memory=10data"
# As calibrate measured it, with results that travel home beside the loads: workload, platform.
WITH_RESULTS = {
    "gemm2d:n=16,tile=1024,k=4096": (
        "tf32", "gflops=156158,bandwidth=97.3838GB/s,latency=5.024us,link=55.592GB/s,loads_ahead=2,memory=10data"),
    "gemm2d:n=16,tile=1024,k=8192": (
        "tf32", "gflops=192427,bandwidth=99.147GB/s,latency=4.032us,link=55.4802GB/s,loads_ahead=1,memory=10data"),
    "gemm2d:n=24,tile=2048,k=4096": (
        "bf16", "gflops=663623,bandwidth=97.0049GB/s,latency=3.712us,link=55.4685GB/s,loads_ahead=2,memory=12data"),
}


def executed_rows(series: str) -> list[dict[str, str]]:
    text = Path(SOURCE, "docs/studies/h200.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return [row for row in rows if row["series"] == series]


class SimulatedLoads(Execution):
    def executed(self, series: str, host_waits: str) -> dict[tuple[str, str], float]:
        rows = executed_rows(series)
        return {(row["workload"], row["candidate"]): float(row["loads"]) for row in rows if row["host_waits"] == host_waits}

    def simulated(self, workload: str, platform: str, strategies: str, replicates: str) -> dict[str, float]:
        rows = self.rows("simulate", workload, platform, "--strategies", strategies, "--replicates", replicates, "--quiet")
        names = {row["strategy"] for row in rows}
        return {name: statistics.mean(float(row["loads"]) for row in rows if row["strategy"] == name) for name in names}

    def test_are_those_executed_in_the_setting_of_coloc21(self) -> None:
        executed = self.executed("coloc21", "1s")
        self.assertEqual(len(executed), 30)
        for workload in sorted({workload for workload, _ in executed}):
            names = ",".join(name for at, name in executed if at == workload)
            platform = str(Path(SOURCE, "docs/examples/h200.toml"))
            for name, loads in self.simulated(workload, platform, names, "2").items():
                self.assertEqual(loads, executed[workload, name], f"{name} on {workload}")

    def test_are_those_executed_of_all_strategies_that_do_not_decide_by_arrival(self) -> None:
        executed = {name: loads for (_, name), loads in self.executed("all strategies", "1s").items()}
        workload = "gemm2d:n=16,tile=1024,k=4096,precision=tf32"
        simulated = self.simulated(workload, SHORT_TASKS, ",".join(executed), "3")
        self.assertEqual(len(executed), 50)
        for name, loads in executed.items():
            if name in BY_ARRIVAL:
                self.assertAlmostEqual(simulated[name], loads, delta=0.04 * loads, msg=name)
            else:
                self.assertAlmostEqual(simulated[name], loads, delta=0.001, msg=name)


class SimulatedMakespans(Execution):
    def makespans(self, workload: str, results: str) -> tuple[dict[str, list[float]], dict[str, float]]:
        """Executed ones of each strategy, and the simulated one."""
        executed: dict[str, list[float]] = {}
        for row in executed_rows("results on their way"):
            if row["workload"] == workload:
                executed.setdefault(row["candidate"], []).append(float(row["makespan_s"]))
        precision, machine = WITH_RESULTS[workload]
        rows = self.rows("simulate", f"{workload},precision={precision}", f"gpus:k=1,{machine}{results}", "--strategies",
                         ",".join(executed), "--replicates", "3", "--quiet")
        return executed, {name: statistics.mean(float(row["makespan_s"]) for row in rows if row["strategy"] == name)
                          for name in executed}

    def test_of_short_tasks_are_those_executed_with_results_on_their_way(self) -> None:
        for workload in WITH_RESULTS:
            executed, simulated = self.makespans(workload, ",writeback=3outputs")
            for name, seconds in executed.items():
                self.assertLess(abs(statistics.median(seconds) / simulated[name] - 1), 0.25, f"{name} on {workload}")

    def test_of_short_tasks_are_too_short_without_them(self) -> None:
        executed, simulated = self.makespans("gemm2d:n=16,tile=1024,k=4096", "")
        self.assertGreater(statistics.median(executed["panel-streaming"]) / simulated["panel-streaming"], 1.4)
