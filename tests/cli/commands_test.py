"""The commands answer, in every format, and the same request gives the same bytes."""

import json
import os
import re
import signal
import subprocess
import time
import unittest

from program import NO_MATPLOTLIB, PROGRAM, InFolder, damocles, rows, rows_in_store, without_notes

SWEEP = """
workload = ["outer:n={n}", "matrix:n=6"]
platform = "uniform:p={p},lo=10,hi=100"
strategies = ["random", "dynamic-2phases:beta=2"]
models = "refined"
replicates = 3
[vary]
n = [8, 12]
p = [2, 3]
"""


class Commands(InFolder):
    def answer(self, *words: str) -> str:
        run = damocles(*words, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(without_notes(run.stderr), "")
        return run.stdout

    def rows(self, *words: str) -> list[dict[str, str]]:
        return rows(self.answer(*words, *(() if "--format" in words else ("--format", "csv"))))

    def test_beta_gives_the_papers_thresholds(self) -> None:
        for question, expected in ((("outer:n=100", "homogeneous:p=20"), 4.1705),
                                   (("matrix:n=40", "homogeneous:p=100"), 2.9158)):
            answer = json.loads(self.answer("beta", *question, "--model", "paper", "--format", "json"))
            self.assertEqual(answer["command"], "beta")
            self.assertAlmostEqual(answer["records"][0]["beta"], expected, delta=5e-5)

    def test_beta_says_so_where_there_is_no_minimum(self) -> None:
        table = self.answer("beta", "outer:n=10", "homogeneous:p=1", "--format", "table")
        self.assertIn("no interior minimum", table)

    def test_simulate_is_the_same_on_any_number_of_threads(self) -> None:
        question = ("simulate", "matrix:n=9", "dyn.20:p=5", "--replicates", "4", "--format", "csv")
        self.assertEqual(self.answer(*question, "--jobs", "1"), self.answer(*question, "--jobs", "7"))

    def test_a_row_is_run_again_alone(self) -> None:
        many = self.rows("simulate", "outer:n=9", "unif.1:p=3", "--strategies",
                                "dynamic,random", "--replicates", "3")
        alone = self.rows("simulate", "outer:n=9", "unif.1:p=3", "--strategies", "random",
                                 "--replicates", "1")
        self.assertIn(alone[0], many)

    def test_formats_hold_the_same_numbers(self) -> None:
        question = ("compare", "outer:n=20", "uniform:p=4,lo=10,hi=100", "--replicates", "3")
        from_csv = self.rows(*question, "--format", "csv")
        from_json = json.loads(self.answer(*question, "--format", "json"))["records"]
        self.assertEqual(len(from_csv), len(from_json))
        for a, b in zip(from_csv, from_json):
            self.assertEqual({k: v for k, v in a.items() if v},
                             {k: str(v).removesuffix(".0") for k, v in b.items() if v is not None}
                             | {k: v for k, v in a.items() if v and "e" in v and "." in v})

    def test_the_papers_names_are_accepted(self) -> None:
        ours = self.rows("simulate", "outer:n=9", "homogeneous:p=3", "--strategies", "dynamic")
        paper = self.rows("simulate", "outer:n=9", "homogeneous:p=3", "--strategies",
                                 "DynamicOuter")
        self.assertEqual([row["loads"] for row in ours], [row["loads"] for row in paper])
        for name in ("dynamic", "DynamicOuter"):
            self.assertIn("\nrefined: nine of ten predictions",
                          self.answer("predict", "outer:n=9", "homogeneous:p=3", "--strategies", name, "--format", "table"))

    def test_names_of_starpu_that_mean_the_same_strategy_are_accepted(self) -> None:
        for name, means in (("modular-prio", "prio"), ("modular-random", "random-by-speed"),
                            ("modular-eager-prio", "modular-prio-prefetching")):  # fmt: skip
            ours, other = self.rows("simulate", "cholesky:n=4,deps=true", "gpus:k=2,memory=8data", "--strategies",
                                    f"{means},{name}", "--replicates", "1")  # fmt: skip
            self.assertEqual((ours["strategy"], other["strategy"]), (means, name))  # as asked for
            self.assertEqual(ours | {"strategy": name}, other)
            self.assertEqual(self.answer("list", "strategies", name), self.answer("list", "strategies", means))
        listed = [line.strip("| ").split(" | ") for line in
                  self.answer("list", "strategies", "--markdown").splitlines()]  # fmt: skip
        self.assertNotIn("modular-prio", [row[0] for row in listed])
        self.assertEqual([row[3] for row in listed if row[0] == "prio"], ["modular-prio"])

    def test_summary_is_the_mean_of_its_rows(self) -> None:
        question = ("simulate", "outer:n=9", "unif.2:p=3", "--strategies", "random", "--replicates", "5")
        ratios = [float(row["volume_ratio"]) for row in self.rows(*question)]
        summary = self.rows(*question, "--summary")
        self.assertEqual(len(summary), 1)
        self.assertEqual(summary[0]["n"], "5")
        self.assertAlmostEqual(float(summary[0]["mean"]), sum(ratios) / 5, places=12)

    def test_summary_has_means_of_counts_too(self) -> None:
        question = ("simulate", "gemm2d:n=6", "gpus:k=2,memory=5data", "--strategies", "eager", "--replicates", "3")
        counts = [int(row["evictions"]) for row in self.rows(*question)]
        self.assertNotEqual(sum(counts), 3 * counts[0])
        (summary,) = self.rows(*question, "--summary")
        self.assertEqual((int(summary["evictions"]), summary["replicate"]), (round(sum(counts) / 3), ""))

    def test_lists_fit_a_page(self) -> None:
        topics = ("strategies", "workloads", "platforms", "presets", "evictions", "models", "backends", "claims", "sentences")
        for topic in topics:
            lines = self.answer("list", topic).splitlines()
            self.assertLessEqual(max(map(len, lines)), 80, topic)
            wide = self.answer("list", topic, "--wide").splitlines()
            names = [line.split("  ")[0] for line in wide]
            self.assertEqual([name for name in names if name not in self.answer("list", topic, "--markdown")], [], topic)
            entries = self.answer("list", topic, "--markdown").splitlines()
            self.assertEqual(len(wide), len(entries) - 1, topic)  # a line each; Markdown has one more below its head
        lines = self.answer("list").splitlines()
        self.assertLessEqual(len(lines), 22)
        self.assertLessEqual(max(map(len, lines)), 80)
        for topic, line in zip(topics, lines[1:]):
            entries = len(self.answer("list", topic, "--markdown").splitlines()) - 2
            self.assertRegex(line, rf"^damocles list {topic} +{entries}  \w")
        self.assertEqual(self.answer("list", "--all"), "\n".join(self.answer("list", topic) for topic in topics))
        narrow = self.answer("list", "strategies")
        for line in self.answer("list", "strategies", "--wide").splitlines()[1:]:
            self.assertRegex(narrow, rf"(?m)^{re.escape(line.split('  ')[0])}  ")
        self.assertIn("--wide also shows options, other names and source", narrow)
        self.assertLessEqual(max(map(len, self.answer("list", "platforms", "gpus").splitlines())), 80)
        self.assertIn("\n    kinds of tasks during which a GPU takes no task and requests no copy\n", self.answer("list", "platforms", "gpus"))
        self.assertGreater(max(map(len, self.answer("list", "platforms", "gpus", "--wide").splitlines())), 80)

    def test_output_is_a_file_with_the_format_of_its_ending(self) -> None:
        self.assertEqual(self.answer("simulate", "outer:n=4", "homogeneous:p=2", "-o", "x.json"), "")
        with open(self.path("x.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["command"], "simulate")
        self.assertEqual(os.listdir(self.folder), ["x.json"])

    def test_an_ending_is_read_in_whatever_case_and_format_says_more(self) -> None:
        question = ("simulate", "outer:n=4", "homogeneous:p=2")
        table = self.answer(*question, "--format", "csv")
        for words in (("x.csv",), ("x.CSV",), ("no_ending",), ("x.xlsx", "--format", "csv")):
            self.answer(*question, "-o", *words)
            with open(self.path(words[0]), encoding="utf-8") as file:
                self.assertEqual(file.read(), table)

    def test_a_trace_is_of_replicate_0_and_changes_no_row(self) -> None:
        for platform in ("gpus:k=2,memory=5data", "dyn.20:p=3"):
            question = ("simulate", "gemm2d:n=6", platform, "--strategies", "dynamic",
                        "--replicates", "3", "--format", "csv")
            plain = self.answer(*question)
            traced = self.answer(*question, "--trace", "t.json")
            self.assertEqual(plain, traced)
            with open(self.path("t.json"), encoding="utf-8") as file:
                trace = json.load(file)
            first = rows(plain)[0]
            run = trace["otherData"]["runs"][0]
            self.assertEqual(first["replicate"], "0")
            self.assertEqual(run["makespan_s"], float(first["makespan_s"]))
            self.assertEqual(run["strategy"], "dynamic")
            copies = [event for event in trace["traceEvents"] if event.get("cat") == "copy"]
            self.assertEqual(len(copies), float(first["loads"]))

    def test_a_trace_is_drawn(self) -> None:
        self.answer("simulate", "gemm2d:n=4", "gpus:k=2,memory=3data", "--strategies", "eager",
                    "--trace", "t.json")
        run = damocles("plot", "gantt", "t.json", "-o", "chart.svg", cwd=self.folder)
        if NO_MATPLOTLIB in run.stderr:
            self.skipTest(NO_MATPLOTLIB)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.split("/")[-1], "chart.svg\n")
        with open(self.path("chart.svg"), encoding="utf-8") as file:
            self.assertIn("<svg", file.read())

    def test_a_trace_for_vite(self) -> None:
        self.answer("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", "sorted",
                    "--trace", "t.paje")
        with open(self.path("t.paje"), encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("%EventDef PajeDefineContainerType 0\n"))
        self.assertEqual(text.count(" computing \"T("), 16)

    def test_a_toml_platform_is_its_speeds(self) -> None:
        path = self.path("lab.toml", "[[processors]]\nspeed = 80\ncount = 2\n[[processors]]\nspeed = 100\n")
        a = self.rows("simulate", "outer:n=9", path, "--strategies", "random")
        b = self.rows("simulate", "outer:n=9", "speeds:80,80,100", "--strategies", "random")
        self.assertEqual([row["loads"] for row in a], [row["loads"] for row in b])

    def test_a_sweep_is_every_combination_and_is_not_run_twice(self) -> None:
        spec = self.path("study.toml", SWEEP)
        self.answer("sweep", spec)
        with open(self.path("study.csv"), encoding="utf-8") as file:
            first = file.read()
        table = rows(first)
        # outer: 2 n x 2 p; matrix: 2 p, asked for each n but written once. 2 strategies x (3 + 3) rows.
        self.assertEqual(len(table), (4 + 2) * 2 * 6)
        self.answer("sweep", spec)
        with open(self.path("study.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), first)

    def test_a_killed_sweep_goes_on_and_ends_with_the_same_bytes(self) -> None:
        spec = self.path("study.toml", SWEEP.replace("n = [8, 12]", "n = [300, 400]")
                         .replace("replicates = 3", "replicates = 40"))
        self.answer("sweep", spec, "-o", self.path("whole.csv"))
        partial = self.path("cut.csv.partial")
        with subprocess.Popen([PROGRAM, "sweep", spec, "-o", self.path("cut.csv"), "--jobs", "1"],
                              stdout=subprocess.DEVNULL) as run:
            while rows_in_store(partial) < 2:
                self.assertIsNone(run.poll(), "the sweep ended before it could be killed")
                time.sleep(0.005)
            run.send_signal(signal.SIGKILL)
        self.assertFalse(os.path.exists(self.path("cut.csv")))
        self.answer("sweep", spec, "-o", self.path("cut.csv"))
        with open(self.path("whole.csv"), encoding="utf-8") as whole, \
                open(self.path("cut.csv"), encoding="utf-8") as cut:
            self.assertEqual(whole.read(), cut.read())
        self.assertFalse(os.path.exists(partial))

    def test_reproduce_writes_rows_verdict_and_provenance(self) -> None:
        text = self.answer("reproduce", "hpdc14.beta-outer", "-o", "out")
        self.assertIn("hpdc14.beta-outer: confirmed", text)
        with open(os.path.join(self.folder, "out", "hpdc14.beta-outer.meta.json"), encoding="utf-8") as f:
            meta = json.load(f)
        self.assertEqual(meta["verdict"], "confirmed")
        self.assertEqual([row["weight"] for row in meta["sentences"]], ["headline", "headline", "remark"])
        for row in meta["sentences"]:
            self.assertLessEqual({"sentence", "place", "verdict", "asked", "ours"}, set(row))
            # Wrapped to the width of a page.
            self.assertIn(f"{row['weight']}, {row['place']}: {row['sentence']}", " ".join(text.split()))
        self.assertLessEqual({"version", "commit", "seed", "compiler", "cpu", "command"}, set(meta))

    def test_reproduce_answers_with_throughput_and_transfers(self) -> None:
        text = self.answer("reproduce", "coloc21.fig3b", "-o", "out")
        self.assertIn("coloc21.fig3b: ", text)
        self.assertIn("\n  draw it: damocles plot out/coloc21.fig3b.csv\n", text)
        drawn = damocles("plot", "out/coloc21.fig3b.csv", "-o", "out/drawn.png", cwd=self.folder)
        if NO_MATPLOTLIB not in drawn.stderr:
            self.assertEqual((drawn.returncode, drawn.stdout), (0, "out/drawn.png\n"), drawn.stderr)
        with open(os.path.join(self.folder, "out", "coloc21.fig3b.csv"), encoding="utf-8") as f:
            table = rows(f.read())
        sources = [row["source"] for row in table]
        self.assertEqual(sources.count("simulated"), 10 * 10)  # strategies x memories
        self.assertEqual(sources.count("predicted"), 10 * 10)
        for row in table:
            self.assertEqual(row["status"], "ok")
            self.assertGreaterEqual(float(row["volume_ratio"]), 1)
            self.assertLessEqual(float(row["gflops"]), 12557 * (1 + 1e-12))

    def test_reproduce_lays_the_authors_measurements_beside(self) -> None:
        self.answer("reproduce", "ipdps22.fig3-4", "-o", "out")
        read = {}
        for name in ("ipdps22.fig3-4.csv", "ipdps22.fig3-4.measured.csv"):
            with open(os.path.join(self.folder, "out", name), encoding="utf-8") as f:
                read[name] = rows(f.read())
        ours, measured = read.values()
        self.assertEqual({row["source"] for row in measured}, {"measured"})
        for column in ("strategy", "workload"):  # so that a figure can lay one on the other
            self.assertLessEqual({row[column] for row in measured}, {row[column] for row in ours})

    def test_the_worked_examples_of_both_papers_hold(self) -> None:
        text = self.answer("reproduce", "*.example", "-o", "out")
        self.assertIn("coloc21.example: confirmed", text)
        self.assertIn("ipdps22.example: confirmed", text)

    def test_measured_lays_ours_beside_the_v100s(self) -> None:
        question = ("measured", "ipdps22.fig3-4", "--strategies", "DARTS+LUF,MHFP", "--replicates", "1")
        points = self.rows(*question, "--format", "csv")
        self.assertEqual(len(points), 15 + 5)
        for point in points:
            if point["measured_strategy"] == "MHFP":
                self.assertNotEqual(point["no_counterpart"], "")
                self.assertEqual((point["gflops"], point["loads"]), ("", ""))
                continue
            deviation = float(point["gflops"]) / float(point["measured_gflops"]) - 1
            self.assertAlmostEqual(float(point["gflops_deviation"]), deviation, delta=1e-12)
        groups = json.loads(self.answer(*question, "--format", "json", "--summary"))["groups"]
        self.assertEqual([group["points"] for group in groups], [15, 5])
        deviations = sorted(abs(float(p["loads_deviation"])) for p in points if p["loads_deviation"])
        self.assertAlmostEqual(groups[0]["loads_deviation_median"], deviations[7], delta=1e-12)

    def test_help_has_examples_and_exit_status(self) -> None:
        for command in ("", "list", "beta", "predict", "simulate", "compare", "sweep", "reproduce",
                        "plot", "plot gantt", "run", "replay", "calibrate", "measured"):
            text = self.answer(*command.split(), "--help")
            self.assertIn(f"damocles {command}".strip() + " - ", text)
            self.assertIn("EXAMPLES", text)
            self.assertIn("EXIT STATUS", text)


if __name__ == "__main__":
    unittest.main()
