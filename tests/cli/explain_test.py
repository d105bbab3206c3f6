"""explain: its numbers are those of simulate, in text and JSON; recordings; what it refuses."""

import json

from executed import Execution
from program import SOURCE

GEMM = ("gemm2d:n=20", "gpus:k=2,memory=12data")


class Explain(Execution):
    def explain(self, *words: str) -> dict:
        return json.loads(self.answer("explain", *words, "--format", "json"))

    def put(self, name: str, text: str) -> None:
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_terms_sum_to_the_loads_that_simulate_counts(self) -> None:
        for strategy in ("eager", "darts", "dmdar:eviction=fifo"):
            row = self.rows("simulate", *GEMM, "--strategies", strategy, "--replicates", "1")[0]
            run = self.explain(*GEMM, "--strategies", strategy)["runs"][0]
            terms = run["loads"]["terms"].values()
            self.assertEqual(sum(term["loads"] for term in terms), float(row["loads"]), strategy)
            self.assertEqual(sum(term["bytes"] for term in terms), float(row["bytes_loaded"]), strategy)
            self.assertEqual(run["makespan_s"], float(row["makespan_s"]), strategy)

    def test_a_recording_has_the_explanation_of_its_run(self) -> None:
        question = (*GEMM, "--strategies", "darts")
        self.answer("simulate", *question, "--record", "d.json")
        run = self.explain(*question, "--no-what-if")["runs"][0]
        again = self.explain("d.json")["runs"][0]
        for part in ("loads", "processors", "critical_path", "memory_nodes"):
            self.assertEqual(run[part], again[part], part)

    def test_a_trace_has_the_explanation_of_its_runs(self) -> None:
        question = (*GEMM, "--strategies", "darts,eager", "--seed", "3")
        for strategy in ("darts", "eager"):
            self.answer("simulate", *GEMM, "--strategies", strategy, "--seed", "3", "--trace", f"{strategy}.json")
            trace = json.loads(self.read(f"{strategy}.json"))
            run = self.explain(*GEMM, "--strategies", strategy, "--seed", "3")["runs"][0]
            self.assertEqual(self.explain(f"{strategy}.json")["runs"][0], run)
            self.assertEqual(trace["otherData"]["runs"][0]["loads"], run["loads"]["loads"])
        self.put("laid_out.json", self.read("eager.json").replace('":', '" :\n '))
        self.assertEqual(self.explain("laid_out.json")["runs"][0], run)
        trace["otherData"]["runs"][0]["loads"] += 1
        self.put("changed.json", json.dumps(trace))
        self.refuse(("explain", "changed.json"), ["trace 'changed.json' was changed since damocles wrote it"])
        del trace["digest"]  # as of an older version
        self.put("other.json", json.dumps(trace))
        self.refuse(("explain", "other.json"), ["trace 'other.json' cannot be explained", "simulated again, eager makes"])
        self.answer("run", "gemm2d:n=6,tile=8,k=8", "gpus:k=2,memory=4data", "--strategies", "darts", "--trace", "executed.json")
        self.refuse(("explain", "executed.json"), ["cannot be simulated again", "--record run.json"])
        self.put("foreign.json", '{"traceEvents": []}')
        self.refuse(("explain", "foreign.json"), ["does not say what its runs were", "--trace x.json"])
        self.refuse(("explain", "darts.json", "--strategies", "darts"), ["leave out --strategies"])

    def test_a_tasks_rec_is_explained_as_it_was_recorded(self) -> None:
        self.answer("simulate", *GEMM, "--strategies", "darts", "--trace", "tasks.rec")
        run = self.explain("file:path=tasks.rec", GEMM[1])["runs"][0]
        named = self.explain("file:path=tasks.rec", GEMM[1], "--strategies", "placed:placement=tasks.rec")["runs"][0]
        self.assertEqual(run, named)
        self.assertEqual(run["strategy"], "placed:placement=tasks.rec")
        text = self.answer("explain", f"file:path={SOURCE}/docs/examples/tasks.rec", "gpus:k=2,memory=4data")
        self.assertIn("1 load brings what", text.replace("\n", " "))

    def test_names_measured_kernel_times(self) -> None:
        words = ("cholesky:n=4,deps=true", "gpus:k=1,memory=100MB", "--strategies", "eager", "--no-what-if")
        self.assertIn("\nkernel times: v100 (measured)\n", self.answer("explain", *words))
        self.assertEqual(self.explain(*words)["runs"][0]["kernel_times"], "v100")
        self.assertNotIn("kernel times", self.answer("explain", *GEMM, "--strategies", "eager"))

    def test_an_executed_recording_is_explained_too(self) -> None:
        self.answer("run", "gemm2d:n=6,tile=8,k=8", "gpus:k=2,memory=4data", "--strategies", "eager",
                    "--record", "e.json")
        text = self.answer("explain", "e.json")
        self.assertIn("eager makes ", text)

    def test_names_processors_tasks_and_data(self) -> None:
        run = self.explain("cholesky:n=6,deps=true", "gpus:k=1,memory=8data,cpus=1", "--strategies", "eager")["runs"][0]
        self.assertEqual([one["processor"] for one in run["processors"]], ["GPU0", "CPU0"])
        self.assertEqual(run["critical_path"]["links"][-1]["name"], "POTRF(5)")

    def test_two_strategies_are_laid_beside_each_other(self) -> None:
        text = self.answer("explain", *GEMM, "--strategies", "eager,eager:eviction=belady", "--no-what-if")
        self.assertIn("eager beside eager:eviction=belady", text)
        self.assertIn("They decide the same until decision ", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)

    def test_says_what_would_help_on_any_number_of_threads(self) -> None:
        question = (*GEMM, "--strategies", "eager")
        self.assertEqual(self.answer("explain", *question, "--jobs", "1"), self.answer("explain", *question, "--jobs", "4"))

    def test_says_what_it_does_not_try(self) -> None:
        with open(self.path("times.rec"), "w", encoding="utf-8") as file:
            for task in range(4):
                file.write(f"Model: gemm\nJobId: {task}\nHandles: 0xa{task} 0xb\nModes: R R\nSizes: 1000000 1000000\n"
                           f"StartTime: {task}.0\nEndTime: {task}.5\nWorkerId: 0\nMemoryNode: 1\n\n")
        question = ("file:path=times.rec", "gpus:k=1,memory=2data,times=recorded", "--strategies", "eager")
        self.assertIn("faster processors and kinds of tasks", self.explain(*question)["runs"][0]["not_tried"])
        self.assertIn("not tried: faster processors", self.answer("explain", *question))
        self.assertIsNone(self.explain(*GEMM, "--strategies", "eager")["runs"][0]["not_tried"])

    def test_writes_files_by_their_ending(self) -> None:
        self.answer("explain", *GEMM, "--strategies", "eager", "--no-what-if", "-o", "why.json")
        self.answer("explain", *GEMM, "--strategies", "eager", "--no-what-if", "-o", "why.txt")
        self.assertEqual(json.loads(self.read("why.json"))["damocles"], "explanation")
        self.assertIn("eager makes ", self.read("why.txt"))

    def test_refuses_what_it_cannot_explain(self) -> None:
        for words, says in (
            (GEMM, ["which strategy", "--strategies eager,darts"]),
            ((*GEMM, "--strategies", "eager,darts,lws"), ["explain compares one or two, not 3"]),
            (("gemm2d:n=4", "--strategies", "eager"), ["'gemm2d:n=4' has no platform", "FILE.json"]),
            ((*GEMM, "--strategies", "eager", "-o", "why.csv"), ["no table of rows", ".json"]),
            ((*GEMM, "--strategies", "eager", "--format", "csv"), ["give --format json"]),
            (("gemm2d:n=2000", "gpus:k=1", "--strategies", "eager"), ["4000000 tasks", "at most 2000000"]),
            (("none.json",), ["none.json"]),
        ):
            self.refuse(("explain", *words), says)

    def test_refuses_recordings_of_unlimited_memory(self) -> None:
        self.answer("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", "random", "--record", "u.json")
        self.refuse(("explain", "u.json"), ["unlimited memory", "write `damocles explain outer:n=4 homogeneous:p=2 --strategies random`"])
        self.answer("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", "random", "--seed", "3", "--record", "v.json")
        self.refuse(("explain", "v.json"), ["--strategies random --seed 3`"])
        self.answer("explain", "outer:n=4", "homogeneous:p=2", "--strategies", "random")
