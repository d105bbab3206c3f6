"""Task graphs from files: the same graph in two formats, what a format leaves out, recorded kinds."""

import csv
import gzip
import io
import re
import shutil
import unittest

from program import SOURCE, InFolder, damocles, without_what_is_left_out

EXAMPLES = f"{SOURCE}/docs/examples"
DIAMOND = {
    "g.dot": """digraph {
      potrf [kind=POTRF, flops="3e9", priority=2]; trsm1 [kind=TRSM, flops="1e9", priority=1];
      trsm2 [kind=TRSM, flops="2e9"]; syrk [kind=SYRK, flops="4e9"];
      potrf -> { trsm1 trsm2 } [bytes=80000000, data=A00];
      trsm1 -> syrk [bytes=30000000]; trsm2 -> syrk [bytes=20000000]; potrf -> syrk }""",
    "g.json": """{"damocles": 1,
      "data": [{"name": "A00", "bytes": 80000000}, {"bytes": 30000000}, {"bytes": 20000000}],
      "tasks": [{"name": "potrf", "kind": "POTRF", "flops": 3e9, "priority": 2, "writes": [0]},
                {"name": "trsm1", "kind": "TRSM", "flops": 1e9, "priority": 1, "reads": [0], "writes": [1]},
                {"name": "trsm2", "kind": "TRSM", "flops": 2e9, "reads": [0], "writes": [2]},
                {"name": "syrk", "kind": "SYRK", "flops": 4e9, "reads": [1, 2], "after": ["potrf"]}]}"""}

PLATFORM = "gpus:k=1,gflops=10,bandwidth=1GB/s,memory=1GB"


class TaskGraphs(InFolder):
    def rows(self, graph: str, platform: str, strategies: str = "eager") -> list[dict[str, str]]:
        """What a simulation says, but for how the graph's file is called."""
        done = damocles("simulate", f"file:path={graph}", platform, "--strategies", strategies, "--replicates", "2",
                        "--format", "csv", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [{key: value for key, value in row.items() if key != "workload"}
                for row in csv.DictReader(io.StringIO(done.stdout))]

    def refused(self, says: str, *words: str) -> None:
        done = damocles(*words, cwd=self.folder)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)

    def test_a_graph_runs_the_same_from_dot_and_from_json(self) -> None:
        for name, text in DIAMOND.items():
            self.path(name, text)
        for memory in ("130MB", "1GB"):
            platform = f"gpus:k=2,gflops=10,bandwidth=1GB/s,memory={memory},times=TRSM:300ms"
            found = self.rows("g.dot", platform, "eager,dmdas,lws,darts,heft")
            self.assertEqual(found, self.rows("g.json", platform, "eager,dmdas,lws,darts,heft"))
            self.assertEqual({row["status"] for row in found}, {"ok"})
            self.assertEqual(found[0]["data"], "3")

    def test_the_format_may_be_said_where_the_ending_does_not_say_it(self) -> None:
        self.path("g.dot", DIAMOND["g.dot"])
        self.path("graph.txt", DIAMOND["g.dot"])
        self.path("graph.gv", DIAMOND["g.dot"])

        found = self.rows("g.dot", PLATFORM)

        self.assertEqual(found, self.rows("graph.txt,format=dot", PLATFORM))
        self.assertEqual(found, self.rows("graph.txt,format=GV", PLATFORM))
        self.assertEqual(found, self.rows("graph.gv", PLATFORM))
        self.refused("file 'graph.txt' ends in '.txt'; a task graph ends in", "simulate", "file:path=graph.txt", PLATFORM)
        self.refused("format=xml; write mtx, hgr,", "simulate", "file:path=graph.txt,format=xml", PLATFORM)

    def test_files_that_gzip_packed_run_the_same_and_are_the_same_input(self) -> None:
        self.path("g.dot", DIAMOND["g.dot"])
        with gzip.open(self.path("p.dot.gz"), "wb") as packed:
            packed.write(DIAMOND["g.dot"].encode())
        done = damocles("simulate", "file:path=p.dot.gz", PLATFORM, cwd=self.folder)
        if "zlib1g-dev" in done.stderr:
            self.skipTest("built without zlib")

        self.assertEqual(self.rows("g.dot", PLATFORM), self.rows("p.dot.gz", PLATFORM))

        self.path("cut.dot.gz", "")
        with open(self.path("p.dot.gz"), "rb") as whole, open(self.path("cut.dot.gz"), "wb") as cut:
            cut.write(whole.read()[:60])
        with gzip.open(self.path("bomb.dot.gz"), "wb", 6) as packed:
            for _ in range(70):
                packed.write(b" " * 1_000_000)
        self.refused("task graph 'bomb.dot.gz' unpacks to more than 200 times its size", "simulate", "file:path=bomb.dot.gz",
                     "gpus:k=1")  # fmt: skip
        self.refused("task graph 'cut.dot.gz' ends too early for a gzip file", "simulate", "file:path=cut.dot.gz",
                     PLATFORM)

    def test_standard_input_is_a_workload_known_by_its_bytes(self) -> None:
        self.path("g.json", DIAMOND["g.json"])
        words = ("simulate", "file:path=-,format=json", PLATFORM, "--strategies", "eager,heft", "--replicates", "2",
                 "--format", "csv")

        done = damocles(*words, cwd=self.folder, said=DIAMOND["g.json"])

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = [{key: value for key, value in row.items() if key != "workload"}
                for row in csv.DictReader(io.StringIO(done.stdout))]
        self.assertEqual(rows, self.rows("g.json", PLATFORM, "eager,heft"))  # their `inputs` too
        for said, says in ((DIAMOND["g.json"], "standard input has no ending that says its format"),):
            wrong = damocles("simulate", "file:path=-", PLATFORM, cwd=self.folder, said=said)
            self.assertEqual(wrong.returncode, 2)
            self.assertIn(says, wrong.stderr)
        wrong = damocles(*words, cwd=self.folder, said='{"damocles": 1,\n"data": 3}')
        self.assertEqual((wrong.returncode, wrong.stderr),
                         (2, "damocles: file '-', line 2: data is 3; write a list, [...]\n"))

    def test_a_sweep_reads_standard_input_once(self) -> None:
        self.path("s.toml", f"""workload = ["file:path=-,format=dot", "file:path=-,format=dot,deps=ignore"]
            platform = ["{PLATFORM}", "{PLATFORM},overhead=1us"]
            strategies = ["eager"]
            replicates = 1""")

        done = damocles("sweep", "s.toml", "-o", "s.csv", cwd=self.folder, said=DIAMOND["g.dot"])

        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("s.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 4)
        self.assertEqual(len({row["inputs"] for row in rows}), 1)

    def test_what_a_file_does_not_say_is_told_once(self) -> None:
        self.path("g.dot", "digraph { a -> b [data=x] }")
        self.path("s.toml", f"""workload = "file:path=g.dot"
            platform = ["{PLATFORM}", "{PLATFORM},overhead=1us"]
            strategies = ["eager", "heft"]
            replicates = 1""")
        notes = ["damocles: note: file 'g.dot': 2 tasks have no flops; 7.08 GFlop assumed each (flops= gives another)",
                 "damocles: note: file 'g.dot': 1 data item has no size; 14.7 MB assumed each (bytes= gives another)"]

        for words in (("simulate", "file:path=g.dot", PLATFORM), ("sweep", "s.toml", "-o", "s.csv", "--quiet")):
            said = damocles(*words, cwd=self.folder).stderr
            self.assertEqual(without_what_is_left_out(said).splitlines(), notes)
        said = damocles("simulate", "file:path=g.dot,flops=1GF,bytes=1MB", PLATFORM, cwd=self.folder)
        self.assertEqual(without_what_is_left_out(said.stderr), "")

    def test_recorded_times_are_what_tasks_take(self) -> None:
        self.path("t.rec", "".join(
            f"Model: K\nJobId: {job}\nSubmitOrder: {job}\nWorkerId: 0\nMemoryNode: 1\nStartTime: {start}\n"
            f"EndTime: {end}\nFootprint: a\nGFlop: 1\nHandles: 1\nModes: RW\nSizes: 8\n\n"
            for job, start, end in ((1, 10, 20), (2, 20, 50))))

        open_speed = PLATFORM.replace("gflops=10,", "")
        two_of_the_mean = 2 * (10 + 30) / 2  # ms
        for platform, ms, times in (
                (open_speed, two_of_the_mean, "recorded"), (PLATFORM + ",times=recorded", two_of_the_mean, "recorded"),
                (PLATFORM, 200, "flops"), (open_speed + ",cpus=1", two_of_the_mean, "recorded+flops")):
            found = self.rows("t.rec", platform + ",latency=0us,jitter=off", "placed:placement=t.rec")[0]
            self.assertAlmostEqual(float(found["makespan_s"]), ms / 1000, places=6)
            self.assertEqual(found["kernel_times"], times)
        # The header says which times they are, in tables, advice and explanations, and so do predictions.
        for words in (("simulate",), ("recommend",), ("explain",), ("predict",), ("compare",)):
            for platform, says in ((open_speed, "kernel times: recorded in the workload's file"),
                                   (PLATFORM, "kernel times: flops over gflop/s, not those that the workload's file recorded (")):
                done = damocles(*words, "file:path=t.rec", platform, "--strategies", "heft", cwd=self.folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(says, " ".join(done.stdout.lower().split()), words)
        done = damocles("simulate", "file:path=t.rec", open_speed + ",cpus=1", "--strategies", "heft", cwd=self.folder)
        self.assertEqual(done.stderr, "damocles: note: file 't.rec': no task was recorded on a core; "
                                      "all take their flops over 40 GFlop/s there\n")
        self.refused("was never recorded on a core; give its time there", "simulate", "file:path=t.rec",
                     PLATFORM + ",times=recorded,cpus=1,cpu_gflops=1,cpu_times=recorded", "--strategies", "eager")

    def test_what_was_exported_to_dot_runs_the_same(self) -> None:
        damocles("export", f"file:path={EXAMPLES}/heft_2002.dot", "-o", "again.dot", cwd=self.folder)
        platform = f"{EXAMPLES}/heft_2002.toml"

        found = self.rows("again.dot", platform, "eager,heft")

        self.assertEqual(found, self.rows(f"{EXAMPLES}/heft_2002.dot", platform, "eager,heft"))
        self.assertEqual(found[0]["data"], "15")

    def test_classics_plan_the_makespans_of_their_papers(self) -> None:
        """docs/reference/classics.md says which of these the papers print."""
        names = "heft lookahead cpop peft hlfet etf dls min-min max-min sufferage bil".split()
        for example, planned in (("heft_2002", [80, 76, 86, 85, 79, 99, 91, 76, 97, 78, 84]),
                                 ("peft_2014", [133, 127, 167, 122, 151, 134, 134, 122, 124, 128, 128])):
            found = self.rows(f"{EXAMPLES}/{example}.dot", f"{EXAMPLES}/{example}.toml", ",".join([*names, "eager"]))
            of = {row["strategy"]: row["planned_makespan_s"] for row in found}
            self.assertEqual(of.pop("eager"), "")
            self.assertEqual({name: float(one) for name, one in of.items()}, dict(zip(names, planned, strict=True)))
        only = self.rows(f"{EXAMPLES}/heft_2002.dot", f"{EXAMPLES}/heft_2002.toml")
        self.assertNotIn("planned_makespan_s", only[0])

    def test_a_recorded_run_stands_beside_what_policies_do(self) -> None:
        recorded = f"{EXAMPLES}/tasks.rec"
        strategies = f"placed:placement={recorded},dmda,lws"
        for command in ("simulate", "compare"):
            done = damocles(command, f"file:path={recorded}", "gpus:k=2,memory=4data", "--strategies", strategies,
                            "--replicates", "1", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            # From 20 to 260 ms.
            self.assertIn(f"the run recorded in '{recorded}' took 0.24 s", done.stderr)
            for name in strategies.split(","):
                self.assertIn(f"\n{name}", done.stdout)

    def test_a_recorded_run_is_executed_where_it_ran(self) -> None:
        recorded = f"{EXAMPLES}/tasks.rec"
        words = (f"file:path={recorded}", "gpus:k=2,memory=4data", "--strategies",
                 f"placed:placement={recorded}")
        for command in ("simulate", "run"):
            done = damocles(command, *words, "--trace", "again.rec", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(self.path("again.rec"), encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(re.findall(r"WorkerId: (\d)", text), ["0", "1", "1"])
            self.assertEqual(re.findall(r"SubmitOrder: (\d)", text), ["1", "2", "4"])  # 3 was a hint

    def test_a_placement_is_no_place_to_write_to(self) -> None:
        shutil.copy(f"{EXAMPLES}/tasks.rec", self.path("mine.rec"))
        self.refused("mine.rec", "simulate", f"file:path={EXAMPLES}/tasks.rec", "gpus:k=2,memory=4data", "--strategies",
                     "placed:placement=mine.rec", "--trace", "mine.rec")
        self.refused("holds one run", "compare", f"file:path={EXAMPLES}/tasks.rec", "gpus:k=2,memory=4data", "--strategies",
                     "eager", "--backend", "host", "--trace", "both.rec")

    def test_one_processor_takes_the_sum_of_the_mean_costs_of_hefts_example(self) -> None:
        row = self.rows(f"{EXAMPLES}/heft_2002.dot", "gpus:k=1,gflops=1,memory=300GB,jitter=0,overhead=0s")[0]

        # 13 + 50/3 + 43/3 + 38/3 + 35/3 + 38/3 + 11 + 10 + 50/3 + 44/3 = 400/3, each written to 1 ms.
        self.assertAlmostEqual(float(row["makespan_s"]), 400 / 3, delta=10 * 0.0005)
        self.assertEqual(row["loads"], "0")

    def test_a_dot_file_without_bytes_has_waits_alone_unless_the_user_gives_them(self) -> None:
        graph = f"{SOURCE}/tests/fuzz/seeds/dot/starpu.dot"
        row = self.rows(graph, "gpus:k=2,memory=1B")[0]
        self.assertEqual((row["tasks"], row["data"], row["loads"]), ("3", "0", "0"))
        self.refused("has no data items; give a size in bytes, as memory=500MB", "simulate", f"file:path={graph}", "gpus:k=2,memory=4data")
        self.assertEqual(self.rows(f"{graph},bytes=1MB", "gpus:k=2,memory=4data")[0]["data"], "2")

    def test_platforms_give_times_to_the_kinds_of_a_recorded_graph(self) -> None:
        graph = f"{EXAMPLES}/tasks.rec"
        times = "chol_model_11:1s+chol_model_21:2s+chol_model_22:4s"
        row = self.rows(graph, "gpus:k=1,memory=50MB,bandwidth=10GB/s,latency=0s,jitter=0,overhead=0s,"
                               f"times={times}")[0]

        # A chain; each task's new tile of 3686400 B is loaded at 10 GB/s when the task is ready.
        self.assertAlmostEqual(float(row["makespan_s"]), 7 + 3 * 3686400 / 10e9, delta=1e-9)
        self.refused("has the kinds chol_model_11, chol_model_21, chol_model_22", "simulate", f"file:path={graph}",
                     "gpus:times=potrf:1s")


if __name__ == "__main__":
    unittest.main()
