"""The program with one more of each kind: what a file of this folder registers is listed, runs with what the
others register, and changes nothing that was there. The rooms are linked as they are."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PLAIN, EXTENDED = os.environ["DAMOCLES_PROGRAM"], os.environ["DAMOCLES_EXTENDED"]
STRATEGY = "newest-first:eviction=mru"
WORKLOAD, PLATFORM = "tridiagonal:n=40", "big-little:p=2"


def output(program: str, *words: str) -> str:
    run = subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=600)
    if run.returncode != 0:
        raise AssertionError(f"{words}: {run.stderr}")
    return run.stdout


def records(*words: str) -> "list[dict]":
    return json.loads(output(EXTENDED, *words, "--format", "json"))["records"]


class Extension(unittest.TestCase):
    def test_every_list_has_one_row_more(self) -> None:
        for topic, name in (("strategies", "newest-first"), ("evictions", "mru"), ("workloads", "tridiagonal:n=N"),
                            ("platforms", "big-little:p=P"), ("models", "ideal"), ("backends", "plain"),
                            ("claims", "example.growth")):  # fmt: skip
            before = output(PLAIN, "list", topic, "--markdown").splitlines()
            after = output(EXTENDED, "list", topic, "--markdown").splitlines()
            self.assertEqual([line for line in after if line not in before and f"| {name} |" in line],
                             [line for line in after if line not in before], topic)  # fmt: skip
            self.assertEqual(len(after), len(before) + 1, topic)

    def test_the_strategy_has_a_page(self) -> None:
        self.assertIn("eviction", output(EXTENDED, "list", "strategies", "newest-first"))

    def test_strategy_eviction_workload_and_platform_are_simulated(self) -> None:
        row, other = records("simulate", WORKLOAD, PLATFORM, "--strategies", f"{STRATEGY},eager", "--replicates", "1")
        self.assertEqual((row["strategy"], row["eviction"], row["workload"], row["platform"], row["status"]),
                         (STRATEGY, "mru", WORKLOAD, PLATFORM, "ok"))  # fmt: skip
        self.assertGreaterEqual(row["loads"], 42)  # each of the 40 + 2 data items once at least
        self.assertEqual(other["tasks"], 40)

    def test_all_strategies_are_with_the_new_one(self) -> None:
        rows = records("simulate", WORKLOAD, PLATFORM, "--strategies", "all", "--replicates", "1")
        self.assertIn("newest-first", [row["strategy"] for row in rows])
        self.assertEqual({row["status"] for row in rows}, {"ok"})

    def test_golden_rows_gain_those_of_the_strategy(self) -> None:
        script = Path(__file__).resolve().parents[1] / "golden" / "golden_test.cmake"
        with tempfile.TemporaryDirectory() as folder:
            stored = Path(folder, "rows.csv")
            texts = []
            for program in (PLAIN, EXTENDED):
                words = {"program": program, "workload": "gemm2d:n=6", "platform": "gpus:k=2,memory=6data",
                         "replicates": "1", "strategies": "all", "stored": str(stored), "write": "ON"}  # fmt: skip
                subprocess.run(["cmake", *(f"-D{key}={word}" for key, word in words.items()), "-P", str(script)],
                               check=True, timeout=600)  # fmt: skip
                texts.append(stored.read_text(encoding="utf-8").splitlines())
        before, after = texts
        new = [line for line in after if ",newest-first," in line]
        self.assertEqual(len(new), 1)
        self.assertEqual([line for line in after if line not in new], before)
        self.assertNotIn("hypergraph", "".join(after))  # not every build has it

    def test_they_are_executed_on_the_backend_and_verified(self) -> None:
        row = records("run", WORKLOAD, PLATFORM, "--strategies", STRATEGY, "--backend", "plain", "--replicates", "1")[0]
        self.assertEqual((row["source"], row["model"], row["status"]), ("executed", "plain", "ok"))

    def test_what_the_backend_cannot_do_is_refused(self) -> None:
        run = subprocess.run([EXTENDED, "run", WORKLOAD, PLATFORM, "--backend", "plain", "--pace", "1ms"],
                             capture_output=True, text=True, check=False, timeout=600)  # fmt: skip
        self.assertEqual(run.returncode, 2)
        self.assertIn("plain", run.stderr)

    def test_the_graph_format_is_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph.adj")
            with open(path, "w", encoding="utf-8") as file:
                file.write("0 1\n1 2\n2\n")
            row = records("simulate", f"file:path={path}", PLATFORM, "--strategies", STRATEGY, "--replicates", "1")[0]
        self.assertEqual((row["tasks"], row["data"], row["status"]), (3, 3, "ok"))

    def test_the_trace_format_is_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.events")
            output(EXTENDED, "simulate", WORKLOAD, PLATFORM, "--strategies", STRATEGY, "--trace", path)
            with open(path, encoding="utf-8") as file:
                events = file.read().splitlines()
        self.assertGreaterEqual(len(events), 40 * 3)  # each task is granted, starts and ends
        self.assertRegex(events[0], r"^0\.0{9} \d \d+$")

    def test_the_model_predicts(self) -> None:
        row = records("predict", "outer:n=20", "homogeneous:p=4", "--strategies", "dynamic", "--model", "ideal")[0]
        self.assertEqual((row["model"], row["volume_ratio"]), ("ideal", 1))

    def test_the_command_answers(self) -> None:
        self.assertIn("footprint", output(EXTENDED, "--help"))
        self.assertEqual(output(EXTENDED, "footprint", WORKLOAD), "3000000\n")  # 3 data items of 1 MB

    def test_the_claim_is_judged(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("confirmed", output(EXTENDED, "reproduce", "example.growth", "-o", folder, "--quiet"))


if __name__ == "__main__":
    unittest.main()
