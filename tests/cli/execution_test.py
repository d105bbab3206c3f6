"""run, calibrate and compare --backend: what they answer, and what they leave behind."""

import datetime
import json
import os
import re
import signal
import subprocess
import time
import unittest

from executed import GEMM, GPUS, OUTER, Execution, rows
from program import NO_MATPLOTLIB, PROGRAM, damocles, without_notes


class WithoutStarpu(Execution):
    @unittest.skipIf(os.path.exists(os.path.join(os.path.dirname(PROGRAM), "damocles-starpu")), "it was built")
    def test_says_what_is_missing(self) -> None:
        self.refuse(("run", GEMM, "gpus:k=1,memory=4data", "--strategies", "eager", "--backend", "starpu"),
                    ["damocles-starpu was not built", "libstarpu-dev"])


class Run(Execution):
    def test_every_row_is_executed_and_verified(self) -> None:
        table = self.rows("run", GEMM, GPUS, "--strategies", "eager,darts", "--replicates", "2")
        self.assertEqual([(row["strategy"], row["replicate"]) for row in table],
                         [("eager", "0"), ("eager", "1"), ("darts", "0"), ("darts", "1")])
        for row in table:
            self.assertEqual((row["source"], row["model"], row["status"]), ("executed", "host", "ok"))
            # A data item is 8 rows of 8 numbers of 4 bytes; 36 tasks of 2 * 8^3 flop.
            self.assertEqual(float(row["bytes_loaded"]), 256 * float(row["loads"]))
            self.assertEqual(float(row["flops"]), 36 * 1024)
            self.assertGreaterEqual(float(row["volume_ratio"]), 1)
            self.assertGreater(float(row["makespan_s"]), 0)

    def test_every_strategy_runs_where_memory_is_unlimited(self) -> None:
        table = self.rows("run", *OUTER)
        self.assertEqual({row["strategy"] for row in table},
                         {row["strategy"] for row in self.rows("simulate", *OUTER)})
        self.assertEqual({row["status"] for row in table}, {"ok"})

    def test_small_things_run(self) -> None:
        for workload, platform in (("outer:n=1", "homogeneous:p=1"), ("outer:n=1", "homogeneous:p=9"),
                                   ("matrix:n=1", "homogeneous:p=2"), ("outer:n=2", "homogeneous:p=60"),
                                   ("gemm2d:n=1,tile=1,k=1", "gpus:k=4,memory=2data"),
                                   ("gemm3d:n=2,tile=4,c=later,precision=double", "gpus:k=2,memory=3data")):
            with self.subTest(workload=workload, platform=platform):
                table = self.rows("run", workload, platform, "--strategies", "random")
                self.assertEqual([row["status"] for row in table], ["ok"])

    def test_without_verification_the_status_says_so(self) -> None:
        question = ("run", GEMM, GPUS, "--strategies", "eager", "--verify", "none")
        self.assertEqual(self.rows(*question)[0]["status"], "unverified")
        table = self.answer(*question, "--format", "table")
        self.assertIn("unverified", table)
        self.assertIn("result: not checked", table)

    def test_empty_tasks_have_no_result_to_verify(self) -> None:
        row = self.rows("run", GEMM, GPUS, "--strategies", "eager", "--compute", "empty")[0]
        self.assertEqual((row["status"], row["gflops"]), ("unverified", ""))

    def test_graphs_of_files_are_verified_by_checksums(self) -> None:
        graph = self.path("g.json", json.dumps({
            "damocles": 1, "data": [{"name": name, "bytes": 64} for name in "abc"],
            "tasks": [{"name": "ab", "reads": ["a", "b"], "flops": 1},
                      {"name": "bc", "reads": ["b", "c"], "flops": 1}]}))
        table = self.answer("run", f"file:path={graph}", "gpus:k=2,memory=128B", "--strategies", "eager",
                            "--format", "table")
        self.assertIn("result: right: 2 checksums equal those made again; tasks compute checksums", table)

    def test_a_table_says_how_fast_and_on_what(self) -> None:
        table = self.answer("run", GEMM, GPUS, "--strategies", "eager,random", "--format", "table")
        self.assertEqual(table.count("\neager "), 1)
        for part in ("of peak", "overlap", "scheduling", "\ndevice: ", "(host)", "\npeak: ",
                     "\nresult: right: "):
            self.assertIn(part, table)

    def test_the_peak_does_not_grow_with_processors_that_share_the_cores(self) -> None:
        def peak(processors: int) -> float:
            table = self.answer("run", "outer:n=4", f"homogeneous:p={processors}", "--strategies",
                                "random", "--tile", "128", "--inner", "64", "--format", "table")
            return float(re.search(r"peak: (\S+) GFlop/s", table)[1])

        cores = len(os.sched_getaffinity(0))
        # Without turns it would be 16 times as much; 4 leaves room for a busy machine.
        self.assertLess(peak(16 * cores), 4 * max(peak(cores), peak(cores)))

    def test_details_name_device_driver_and_date(self) -> None:
        self.answer("run", GEMM, GPUS, "--strategies", "eager,random", "--details", "d.json")
        details = json.loads(self.read("d.json"))
        device = details["device"]
        self.assertEqual((device["backend"], len(device["processors"])), ("host", 2))
        self.assertTrue(device["name"] and device["driver"])
        today = datetime.datetime.now(datetime.timezone.utc).date()
        self.assertLessEqual(abs(datetime.date.fromisoformat(device["date"]) - today),
                             datetime.timedelta(days=1))
        self.assertEqual([run["strategy"] for run in details["runs"]], ["eager", "random"])
        for run in details["runs"]:
            self.assertEqual((run["status"], run["failure"]), ("ok", ""))
            self.assertTrue(run["verification"].startswith("right: "), run)
            self.assertEqual(run["bytes_written"], 36 * 256)
            self.assertLessEqual(max(run["memory_peak_bytes"]), 4 * 256)
        self.assertEqual(self.files(), ["d.json"])

    def test_a_trace_is_drawn(self) -> None:
        table = self.rows("run", GEMM, GPUS, "--strategies", "eager", "--trace", "t.json")
        trace = json.loads(self.read("t.json"))
        copies = [event for event in trace["traceEvents"] if event.get("cat") == "copy"]
        self.assertEqual(len(copies), float(table[0]["loads"]))
        run = damocles("plot", "gantt", "t.json", "-o", "chart.svg", cwd=self.folder)
        if NO_MATPLOTLIB in run.stderr:
            self.skipTest(NO_MATPLOTLIB)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("<svg", self.read("chart.svg"))

    def test_a_paced_run_takes_the_platforms_time(self) -> None:
        # 16 tasks of 4 ms on 2 processors of equal speed: 32 ms, and nothing waits for data.
        row = self.rows("run", "outer:n=4", "homogeneous:p=2", "--strategies", "sorted",
                               "--pace", "4ms")[0]
        self.assertGreaterEqual(float(row["makespan_s"]), 0.032 - 1e-9)
        self.assertLess(float(row["makespan_s"]), 1)

    def test_cuda_runs_or_says_how_to_get_it(self) -> None:
        run = damocles("run", GEMM, GPUS, "--strategies", "eager", "--backend", "cuda", "--format", "csv",
                       cwd=self.folder)
        if run.returncode == 0:
            self.assertEqual(rows(run.stdout)[0]["model"], "cuda")
            return
        self.assertEqual((run.stdout, run.stderr.count("\n")), ("", 1), run)
        if run.returncode == 2:  # built without
            self.assertIn("--backend cuda` builds it, or cmake --preset cuda", run.stderr)
        else:  # built with it, and there is no GPU
            self.assertEqual(run.returncode, 1, run)


    def test_where_rows_go_to_a_file_each_run_is_told_as_it_ends(self) -> None:
        for words in (("run", GEMM, GPUS), ("compare", GEMM, GPUS, "--backend", "host")):
            words = (*words, "--strategies", "eager,darts", "--replicates", "2", "-o", "rows.csv")
            run = damocles(*words, cwd=self.folder)
            self.assertEqual((run.returncode, run.stdout), (0, ""), run.stderr)
            self.assertTrue(run.stderr.endswith("damocles: wrote rows.csv\n"), run.stderr)
            self.assertEqual([line.split(":")[1] for line in without_notes(run.stderr).splitlines()],
                             [f" {strategy}, replicate {replicate}" for strategy in ("eager", "darts")
                              for replicate in (0, 1)])
            self.assertIn("MB loaded; right: ", run.stderr)
            self.assertEqual(damocles(*words, "--quiet", cwd=self.folder).stderr, "")

    def test_a_long_paced_run_says_how_long_it_takes_also_where_it_is_quiet(self) -> None:
        words = ("run", "outer:n=100", "homogeneous:p=3", "--strategies", "dynamic", "--pace", "20ms", "--quiet")
        with subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True) as run:
            self.assertRegex(run.stderr.readline(), r"^damocles: at this pace the runs take about \d+ s;")
            run.kill()


class Interrupt(Execution):
    def test_ctrl_c_ends_a_run_as_failed_and_leaves_nothing_behind(self) -> None:
        # 10000 tasks of 20 ms on 3 processors: 67 s.
        words = ("run", "outer:n=100", "homogeneous:p=3", "--strategies", "dynamic", "--pace", "20ms")
        for asked in (signal.SIGINT, signal.SIGTERM):
            for output in (("--format", "csv"), ("-o", "rows.csv", "--record", "r.json", "--details", "d.json")):
                with self.subTest(signal=asked, output=output):
                    self.interrupt(words + output, asked, "rows.csv" if "-o" in output else "")
        self.assertEqual(self.files(), ["d.json", "rows.csv"])  # whole, and no recording of a half
        self.assertEqual(json.loads(self.read("d.json"))["runs"][0]["failure"], "interrupted")

    def ended_as(self, asked: signal.Signals, status: int, stderr: str, strategy: str) -> None:
        lines = [line for line in stderr.splitlines() if "at this pace the runs take" not in line]
        # By the signal, which shells show as 130 and 143.
        self.assertEqual((status, lines), (-asked, [f"damocles: {strategy} failed: interrupted"]))

    def interrupt(self, words: tuple[str, ...], asked: signal.Signals, file: str) -> None:
        with subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as run:
            time.sleep(0.5)
            self.assertIsNone(run.poll())
            run.send_signal(asked)
            start = time.monotonic()
            stdout, stderr = run.communicate(timeout=600)
            self.assertLess(time.monotonic() - start, 30)
        self.ended_as(asked, run.returncode, stderr, "dynamic")
        table = rows(self.read(file) if file else stdout)
        self.assertEqual([row["status"] for row in table], ["failed"])
        self.assertEqual(table[0]["gflops"], "")

    def test_ctrl_c_ends_a_replay_by_the_signal(self) -> None:
        self.answer("simulate", "outer:n=100", "homogeneous:p=3", "--strategies", "dynamic", "--replicates", "1",
                    "--record", "r.json")
        for asked in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([PROGRAM, "replay", "r.json", "--pace", "20ms"], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                time.sleep(1)
                self.assertIsNone(run.poll())
                run.send_signal(asked)
                _, stderr = run.communicate(timeout=30)
            self.assertEqual((run.returncode, stderr), (-asked, "damocles: the replay failed: interrupted\n"))

    def test_a_comparison_shows_the_failed_run_and_judges_none_of_it(self) -> None:
        words = ("compare", "outer:n=100", "homogeneous:p=3", "--strategies", "random,sorted",
                 "--replicates", "1", "--backend", "host", "--pace", "20ms", "--format", "json")
        with subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as run:
            time.sleep(1)
            run.send_signal(signal.SIGINT)
            stdout, stderr = run.communicate(timeout=600)
        self.ended_as(signal.SIGINT, run.returncode, stderr, "random")
        whole = json.loads(stdout)
        self.assertEqual(whole["agreement"], [])
        self.assertEqual([run["status"] for run in whole["execution"]["runs"]], ["failed"])


class Calibrate(Execution):
    def answer(self, *words: str) -> str:
        """On standard error it may say that the machine is busy, how long it takes, or that the file is poor."""
        run = damocles(*words, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        for line in run.stderr.splitlines():
            self.assertTrue(words[0] == "calibrate" and line.startswith("damocles: "), run.stderr)
        return run.stdout

    def test_its_file_is_a_platform(self) -> None:
        self.answer("calibrate", GEMM, "--processors", "3", "--memory", "4data", "--time", "10ms", "-o",
                    "here.toml")
        self.assertEqual(self.files(), ["here.toml"])
        for command in ("simulate", "run"):
            row = self.rows(command, GEMM, "here.toml", "--strategies", "eager",
                                   "--replicates", "1")[0]
            self.assertEqual((row["processors"], row["status"]), ("3", "ok"))
        speeds = re.search(r"speeds:[\d.,e+]+", self.read("here.toml"))[0]
        row = self.rows("simulate", "outer:n=6", speeds, "--strategies", "random")[0]
        self.assertEqual(row["processors"], "3")

    def test_it_says_what_was_measured_where(self) -> None:
        text = self.answer("calibrate", GEMM, "--time", "10ms")
        self.assertIn(f"# damocles calibrate {GEMM}\n", text)
        self.assertRegex(text, r"\(host\), .*; measured \d{4}-\d\d-\d\d\n")
        self.assertIn('memory = "500MB"', text)

    def test_it_says_how_well_runs_are_simulated_on_it(self) -> None:
        told = self.answer("calibrate", "gemm2d:n=4,tile=32,k=64", "--time", "5ms", "--repeats", "2", "--held-out",
                           "darts,hfp", "-o", "here.toml")
        self.assertRegex(told, r"^makespans that it was not fitted to are simulated within [\d.]+ % "
                               r"\([\d.]+ % rms\), where they are themselves known to [\d.]+ % \(sd of 2 runs\)\n$")
        text = self.read("here.toml")
        self.assertEqual(len(re.findall(r" % +[\d.e-]+ +[+-][\d.]+ %$", text, re.MULTILINE)), 4)
        self.assertEqual(len(re.findall(r" % +[\d.e-]+ +[+-][\d.]+ %  held out$", text, re.MULTILINE)), 4)
        for key in ("overhead", "interference", "jitter"):
            self.assertRegex(text, rf"(?m)^{key} = ")

    def test_it_says_why_it_is_not_fitted(self) -> None:
        for words, why in (((GEMM, "--repeats", "0"), "--repeats 0"),
                           (("outer:n=4",), "tasks of outer:n=4 have no sizes")):
            text = self.answer("calibrate", *words, "--time", "5ms")
            self.assertIn(f"# Each figure as measured apart, not fitted to runs: {why}.\n", text)
            self.assertNotIn("overhead", text)


class Compare(Execution):
    QUESTION = ("compare", "outer:n=12", "uniform:p=3,lo=10,hi=100", "--strategies",
                "random,dynamic-2phases", "--replicates", "3", "--backend", "host", "--pace", "200us")

    def test_table_has_three_answers_and_a_verdict(self) -> None:
        table = self.answer(*self.QUESTION, "--format", "table")
        for part in ("predicted", "simulated", "executed", "exec/sim", "within", "verdict",
                     "executed on host", "result: right: ", "paced: threads woke up"):
            self.assertIn(part, table)
        verdict = r"(agrees|volume agrees, time does not|outside (simulated|predicted|both))$"
        for strategy in ("random", "dynamic-2phases"):
            self.assertRegex(table, re.compile(rf"^{strategy} .* {verdict}", re.MULTILINE))

    def test_csv_has_the_rows_of_all_three(self) -> None:
        table = self.rows(*self.QUESTION, "--format", "csv")
        counts = {source: sum(row["source"] == source for row in table)
                  for source in ("simulated", "executed")}
        self.assertEqual(counts, {"simulated": 6, "executed": 6})
        self.assertIn("refined", {row["model"] for row in table if row["source"] == "predicted"})

    def test_json_has_the_agreement_and_the_device(self) -> None:
        whole = json.loads(self.answer(*self.QUESTION, "--format", "json"))
        self.assertEqual([row["strategy"] for row in whole["agreement"]], ["random", "dynamic-2phases"])
        for row in whole["agreement"]:
            means = {source: [record["volume_ratio"] for record in whole["records"]
                              if (record["strategy"], record["source"]) == (row["strategy"], source)]
                     for source in ("simulated", "executed")}
            simulated, executed = (sum(values) / len(values) for values in means.values())
            self.assertAlmostEqual(row["difference"], executed / simulated - 1, places=12)
            agrees = abs(row["difference"]) <= row["allowed"]
            within = ("agrees", "volume agrees, time does not", "outside predicted")
            self.assertEqual(row["verdict"] in within, agrees)
        self.assertEqual(whole["execution"]["device"]["backend"], "host")

    def test_a_fixed_order_is_executed_as_simulated(self) -> None:
        # One processor: the order is given, so the loads are equal and the spread is 0.
        whole = json.loads(self.answer("compare", GEMM, "gpus:k=1,memory=3data", "--strategies", "eager",
                                       "--replicates", "2", "--backend", "host", "--format", "json"))
        row = whole["agreement"][0]
        self.assertEqual((row["difference"], row["allowed"], row["verdict"]),
                         (0, 0, "volume agrees"))


if __name__ == "__main__":
    unittest.main()
