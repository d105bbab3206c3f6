"""What the commands answer, by value: numbers worked out here, or by another command."""

import json
import math
import statistics
import unittest

from program import InFolder, damocles, rows


class Values(InFolder):
    def answer(self, *words: str) -> str:
        run = damocles(*words, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_predict_asks_the_models_that_are_named(self) -> None:
        question = ("predict", "outer:n=100", "homogeneous:p=20", "--strategies",
                    "dynamic-2phases:beta=4", "--format", "csv")
        for named in ("paper", "refined", "paper,refined"):
            table = rows(self.answer(*question, "--model", named))
            self.assertEqual([row["model"] for row in table], named.split(","))
            self.assertEqual({row["source"] for row in table}, {"predicted"})

    def test_predict_runs_nothing_and_compare_runs_it_too(self) -> None:
        question = ("outer:n=12", "homogeneous:p=3", "--strategies", "random", "--format", "csv")
        predicted = rows(self.answer("predict", *question, "--model", "refined"))
        compared = rows(self.answer("compare", *question, "--model", "refined", "--replicates", "2"))
        self.assertEqual([row["source"] for row in compared], ["predicted"] + 2 * ["simulated"])
        self.assertEqual(predicted[0], compared[0])

    def test_a_summary_is_mean_deviation_and_interval_of_its_rows(self) -> None:
        question = ("simulate", "outer:n=20", "uniform:p=4,lo=10,hi=100", "--strategies", "random",
                    "--replicates", "3", "--format", "csv")
        ratios = [float(row["volume_ratio"]) for row in rows(self.answer(*question))]
        summary = rows(self.answer(*question, "--summary"))[0]
        self.assertEqual(summary["n"], "3")
        self.assertAlmostEqual(float(summary["mean"]), statistics.mean(ratios), delta=1e-12)
        self.assertAlmostEqual(float(summary["sd"]), statistics.stdev(ratios), delta=1e-12)
        # Student's t(0.975; 2) = 4.302653.
        interval = 4.302653 * statistics.stdev(ratios) / math.sqrt(3)
        self.assertAlmostEqual(float(summary["ci95"]), interval, delta=1e-6)

    def test_a_paced_run_is_compared_in_its_own_time(self) -> None:
        pace_s = 2e-3
        for workload, platform, task_s in (
                ("outer:n=4", "speeds:1,3", 1 / 2),
                # 1024 flop at 0.01024 GFlop/s.
                ("gemm2d:n=3,tile=8,k=8", "gpus:k=1,memory=3data,gflops=0.01024", 1e-4)):
            answer = json.loads(self.answer("compare", workload, platform, "--strategies", "random",
                                            "--replicates", "2", "--backend", "host", "--pace", "2ms",
                                            "--format", "json"))
            errors = []
            for replicate in (0, 1):
                simulated, executed = (
                    next(row["makespan_s"] for row in answer["records"]
                         if row["source"] == source and row["replicate"] == replicate)
                    for source in ("simulated", "executed"))
                errors.append(executed / (simulated * pace_s / task_s) - 1)
            self.assertAlmostEqual(answer["agreement"][0]["makespan_error"], statistics.mean(errors),
                                   delta=1e-9)

    def test_charged_decisions_are_reported(self) -> None:
        question = ("simulate", "gemm2d:n=5", "gpus:k=1,memory=4data", "--strategies", "darts",
                    "--replicates", "1", "--format", "csv")
        free, charged = (rows(self.answer(*question, *more))[0] for more in ((), ("--count-decision-time",)))
        self.assertEqual(free["scheduling_s"], "")
        self.assertGreater(float(charged["scheduling_s"]), 0)
        self.assertGreater(float(charged["makespan_s"]), float(free["makespan_s"]))

    def test_former_names_of_options_are_understood_and_noted(self) -> None:
        question = ("run", "outer:n=4", "homogeneous:p=1", "--strategies", "random", "--format", "csv")
        now, formerly = (damocles(*question, *more) for more in (("--inner", "16"), ("--rank=16",)))
        self.assertEqual((now.returncode, formerly.returncode), (0, 0))
        self.assertEqual(rows(now.stdout)[0]["bytes_loaded"], rows(formerly.stdout)[0]["bytes_loaded"])
        self.assertIn("--rank is called --inner now; the next version will not know --rank\n", formerly.stderr)
        self.assertNotIn("--rank", now.stderr)


if __name__ == "__main__":
    unittest.main()
