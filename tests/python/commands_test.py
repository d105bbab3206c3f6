"""The commands of the package answer with the program's rows, messages and notes."""

import csv
import json
import os
import shlex
import tempfile
import threading
import time
import unittest

import damocles
from damocles import Platform, Workload
from program import csv_rows, interrupted_after, run, same

OUTER, UNIFORM = "outer:n=20", "uniform:p=5,lo=10,hi=100"
GEMM, GPUS = "gemm2d:n=10", "gpus:k=2,memory=8data"
MEGABYTES = "gpus:k=2,memory=8MB"


class Rows(unittest.TestCase):
    def test_simulate_gives_the_rows_of_the_program(self) -> None:
        for workload, platform, strategies in ((OUTER, UNIFORM, "dynamic,random,dynamic-2phases:beta=3"),
                                               (GEMM, GPUS, "darts,eager:eviction=belady"), (GEMM, GPUS, "all")):  # fmt: skip
            records = damocles.simulate(workload, platform, strategies, replicates=3, seed=7)
            same(self, records, csv_rows("simulate", workload, platform, "--strategies", strategies, "--replicates", "3",
                                         "--seed", "7"))  # fmt: skip

    def test_predict_gives_the_rows_of_the_program(self) -> None:
        same(self, damocles.predict(OUTER, UNIFORM, "dynamic,dynamic-2phases:beta=auto", model="refined,exact"),
             csv_rows("predict", OUTER, UNIFORM, "--strategies", "dynamic,dynamic-2phases:beta=auto", "--model",
                      "refined,exact"))  # fmt: skip

    def test_compare_gives_the_rows_of_the_program(self) -> None:
        for workload, platform in ((OUTER, UNIFORM), (GEMM, GPUS)):
            same(self, damocles.compare(workload, platform, replicates=2),
                 csv_rows("compare", workload, platform, "--replicates", "2"))  # fmt: skip

    def test_beta_gives_the_rows_of_the_program(self) -> None:
        same(self, damocles.beta("outer:n=30", UNIFORM), csv_rows("beta", "outer:n=30", UNIFORM))
        same(self, damocles.beta(GEMM, GPUS), csv_rows("beta", GEMM, GPUS))

    def test_a_summary_is_that_of_the_program(self) -> None:
        same(self, damocles.simulate(GEMM, GPUS, "eager,darts", summary=True),
             csv_rows("simulate", GEMM, GPUS, "--strategies", "eager,darts", "--summary"))  # fmt: skip

    def test_lists_and_objects_are_the_same_words(self) -> None:
        objects = damocles.simulate(Workload.gemm2d(10), Platform.gpus(2, memory="8data"), ["darts", "eager"], replicates=1)
        self.assertEqual(objects, damocles.simulate(GEMM, GPUS, "darts,eager", replicates=1))


class Sweeps(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def same_as_the_program(self, records: "damocles.Records", *words: str) -> None:
        """The rows that `damocles sweep` writes into a file, which has columns that are empty in all of them too."""
        path = os.path.join(self.folder, "rows.csv")
        done = run("sweep", *words, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        same(self, records, [{name: row[name] for name in records.columns} for row in rows])
        others = {name for row in rows for name, value in row.items() if value and name not in records.columns}
        self.assertEqual(others - {"inputs"}, {"version"})

    def test_of_words_give_the_rows_of_the_program(self) -> None:
        strategies = "darts,eager:eviction={policy}"
        records = damocles.sweep("gemm2d:n=6", "gpus:k=2", strategies, replicates=2, seed=7,
                                 vary={"memory": "4data:6data:1data", "policy": ["lru", "belady"]})  # fmt: skip
        self.same_as_the_program(records, "gemm2d:n=6", "gpus:k=2", "--strategies", strategies, "--replicates", "2", "--seed",
                                 "7", "--vary", "memory=4data:6data:1data", "--vary", "policy=lru,belady")  # fmt: skip

    def test_have_rows_of_strategies_without_an_answer(self) -> None:
        records = damocles.sweep("cholesky:deps=true", GPUS, "rcm,eager", vary={"n": [3, 4]}, model="all", replicates=1)
        self.same_as_the_program(records, "cholesky:deps=true", GPUS, "--strategies", "rcm,eager", "--vary", "n=3,4",
                                 "--model", "all", "--replicates", "1")  # fmt: skip
        self.assertTrue(any(str(record.status).startswith("infeasible") for record in records))

    def test_of_files_give_the_rows_of_the_program(self) -> None:
        path = os.path.join(self.folder, "study.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('workload = "outer:n={n}"\nplatform = "homogeneous:p=4"\nstrategies = ["dynamic", "random"]\n'
                       'models = ["refined"]\nreplicates = 2\n[vary]\nn = [10, 20]\n')  # fmt: skip
        self.same_as_the_program(damocles.sweep(path), path)

    def test_say_what_the_program_says(self) -> None:
        for call, words in ((lambda: damocles.sweep(GEMM, GPUS), ("sweep", GEMM, GPUS)),
                            (lambda: damocles.sweep(GEMM, GPUS, vary={"depht": [1]}), ("sweep", GEMM, GPUS, "--vary", "depht=1")),
                            (lambda: damocles.sweep("none.toml"), ("sweep", "none.toml"))):  # fmt: skip
            with self.assertRaises(damocles.InvalidInput) as caught:
                call()
            self.assertEqual(f"damocles: {caught.exception}\n", run(*words).stderr)
        with self.assertRaisesRegex(damocles.InvalidInput, "vary belongs to a workload and a platform"):
            damocles.sweep("study.toml", vary={"n": [1]})


class Stores(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "study.db")

    def test_have_the_rows_and_the_command_of_each_call(self) -> None:
        calls = ((damocles.simulate, (GEMM, GPUS, "eager"), {"replicates": 2, "seed": 0}),
                 (damocles.predict, (OUTER, UNIFORM, "dynamic"), {"model": "refined", "replicates": 2}),
                 (damocles.compare, (OUTER, UNIFORM, "random"), {"replicates": 2}),
                 (damocles.sweep, (OUTER, "homogeneous:p=4", "random"), {"vary": {"n": [5, 6]}, "replicates": 2}))  # fmt: skip
        for call, words, options in calls:
            without = call(*words, **options)
            for _ in range(2):  # made, then taken from the store
                self.assertEqual(call(*words, **options, store=self.path), without)
        rows = csv_rows("query", self.path)
        self.assertEqual(len(rows), 2 + 2 + (4 + 2) + 4)
        commands = [row["command"] for row in csv_rows("query", self.path, "--sql", "select command from studies")]
        self.assertEqual(commands[0], f"damocles simulate {GEMM} {GPUS} --strategies eager --replicates 2 --seed 0")
        for command in commands:  # each makes its rows again, which are there
            done = run(*shlex.split(command)[1:], "--store", self.path)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(csv_rows("query", self.path), rows)

    def test_are_files_of_a_database(self) -> None:
        for call in (lambda: damocles.simulate(GEMM, GPUS, "eager", store="study.csv"),
                     lambda: damocles.sweep(GEMM, GPUS, "eager", vary={"n": [2]}, store="study.csv")):  # fmt: skip
            with self.assertRaisesRegex(damocles.InvalidInput, "--store 'study.csv': cannot write .csv files here"):
                call()


class Sentences(unittest.TestCase):
    def test_of_explain_are_those_of_the_program(self) -> None:
        for workload, platform, strategies in ((GEMM, GPUS, "eager"), (GEMM, GPUS, "eager,darts")):
            words = ("explain", workload, platform, "--strategies", strategies)
            answer = damocles.explain(workload, platform, strategies)
            self.assertEqual(answer.text, run(*words).stdout)
            self.assertEqual(answer, json.loads(run(*words, "--format", "json").stdout))

    def test_of_recommend_are_those_of_the_program(self) -> None:
        for more in ({}, {"vary": "memory=5data,8data"}, {"goal": "bytes", "online": True}):
            words = [word for key, value in more.items() for word in
                     (["--online"] if value is True else [{"goal": "--for"}.get(key, f"--{key}"), value])]  # fmt: skip
            answer = damocles.recommend(GEMM, GPUS, "eager,dmdar,lws", **more)
            self.assertEqual(answer.text, run("recommend", GEMM, GPUS, "--strategies", "eager,dmdar,lws", *words).stdout)


class Specs(unittest.TestCase):
    def test_are_the_words_of_the_command_line(self) -> None:
        self.assertEqual(str(Workload.cholesky(n=12, deps=True)), "cholesky:n=12,deps=true")
        self.assertEqual(str(Workload.starpu_lu(8)), "starpu-lu:n=8")
        self.assertEqual(str(Platform.gpus(2, memory="500MB")), "gpus:k=2,memory=500MB")
        self.assertEqual(str(Platform.speeds(80, 100, 150)), "speeds:80,100,150")
        self.assertEqual(str(getattr(Platform, "dyn.20")(8)), "dyn.20:p=8")
        self.assertIn("starpu_lu", dir(Workload))


class Nodes(list):
    """Of a networkx graph, as far as the package asks."""

    def __call__(self, data: bool) -> "Nodes":
        return self


class Digraph:
    nodes = Nodes([("a", {"flops": 1e9}), ("b", {"flops": 1e9, "reads": ["input"]}), ("c", {"flops": 1e9})])
    edges = Nodes([("a", "b", {"bytes": 1000000}), ("a", "c", {})])


class Graphs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "graph.json")

    def test_of_lists_of_tasks_are_those_that_the_program_reads(self) -> None:
        workload = damocles.write_graph(self.path, [{"name": "x", "reads": ["A"], "writes": ["B"], "flops": 1e9},
                                                    {"name": "y", "reads": ["B", "C"], "flops": 2e9}],
                                        {"A": 1000, "B": 2000, "C": 3000})  # fmt: skip
        records = damocles.simulate(workload, MEGABYTES, "dmdas", replicates=1)
        self.assertEqual((records[0].tasks, records[0].data), (2, 3))
        same(self, records, csv_rows("simulate", str(workload), MEGABYTES, "--strategies", "dmdas", "--replicates", "1"))

    def test_of_networkx_have_its_edges_as_dependencies(self) -> None:
        workload = damocles.write_graph(self.path, Digraph(), {"input": 5000})
        started = damocles.trace(workload, MEGABYTES, "eager").events
        started = started["id"][started["kind"] == damocles.Event.task_started]
        self.assertEqual(started[0], 0)
        self.assertEqual(damocles.simulate(workload, MEGABYTES, "eager", replicates=1)[0].data, 2)
        with open(self.path, encoding="utf-8") as file:
            tasks = {task["name"]: task for task in json.load(file)["tasks"]}
        self.assertEqual(tasks["b"]["reads"], ["input", "a->b"])
        self.assertEqual(tasks["c"]["after"], ["a"])


class Errors(unittest.TestCase):
    def refused(self, kind: type, call, *words: str) -> None:
        """The exception of the call says what the program says."""
        with self.assertRaises(kind) as caught:
            call()
        self.assertEqual(f"damocles: {caught.exception}\n", run(*words).stderr)

    def test_say_what_the_program_says(self) -> None:
        simulate = damocles.simulate
        for call, words in (
                (lambda: simulate("otter:n=2", UNIFORM), ("simulate", "otter:n=2", UNIFORM)),
                (lambda: simulate(OUTER, UNIFORM, "dynamc"), ("simulate", OUTER, UNIFORM, "--strategies", "dynamc")),
                (lambda: simulate(OUTER, UNIFORM, replicates="ten"), ("simulate", OUTER, UNIFORM, "--replicates", "ten")),
                (lambda: simulate(UNIFORM, OUTER), ("simulate", UNIFORM, OUTER)),
                (lambda: damocles.predict(OUTER, UNIFORM, model="best"), ("predict", OUTER, UNIFORM, "--model", "best")),
                (lambda: damocles.beta("cholesky:n=4", GPUS), ("beta", "cholesky:n=4", GPUS)),
        ):  # fmt: skip
            self.refused(damocles.InvalidInput, call, *words)
        self.assertTrue(issubclass(damocles.InvalidInput, ValueError))

    def test_of_strategies_without_an_answer_are_infeasible(self) -> None:
        self.refused(damocles.Infeasible, lambda: damocles.simulate("cholesky:n=4,deps=true", GPUS, "rcm"),
                     "simulate", "cholesky:n=4,deps=true", GPUS, "--strategies", "rcm")  # fmt: skip

    def test_leave_no_note_to_the_next_answer(self) -> None:
        with self.assertRaises(damocles.InvalidInput):
            damocles.simulate(OUTER, UNIFORM, "dynamic:eviction=lru", jobs="many")
        self.assertEqual(damocles.simulate(OUTER, UNIFORM, "dynamic", replicates=1).notes, [])


class Answers(unittest.TestCase):
    def test_have_the_notes_of_the_program(self) -> None:
        noted = damocles.simulate(OUTER, UNIFORM, "dynamic:eviction=lru", replicates=1)
        self.assertEqual(len(noted.notes), 1)
        self.assertIn("has no effect", noted.notes[0])
        left_out = damocles.simulate(GEMM, GPUS, "all", replicates=1)
        self.assertTrue(any(note.startswith("not run by --strategies all") for note in left_out.notes))

    def test_have_fields(self) -> None:
        record = damocles.simulate(GEMM, GPUS, "eager", replicates=1)[0]
        self.assertEqual(record.loads, record["loads"])
        with self.assertRaisesRegex(AttributeError, "no column 'load'"):
            record.load

    def test_show_themselves(self) -> None:
        page = damocles.simulate(GEMM, GPUS, "eager,darts", replicates=1)._repr_html_()
        self.assertIn("<th>loads</th>", page)
        self.assertIn("workload: gemm2d:n=10", page)

    def test_become_data_frames(self) -> None:
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed (python3-pandas)")
        records = damocles.simulate(GEMM, GPUS, "eager,darts", replicates=2)
        self.assertIsInstance(records.df, pandas.DataFrame)
        self.assertEqual(list(records.df.columns), records.columns)
        self.assertEqual(len(records.df), 4)


class Traces(unittest.TestCase):
    def test_hold_the_events_of_the_run(self) -> None:
        trace = damocles.trace(GEMM, GPUS, "darts", seed=3)
        self.assertEqual(trace.record, damocles.simulate(GEMM, GPUS, "darts", seed=3, replicates=1)[0])
        kinds = trace.events["kind"]
        self.assertEqual(int((kinds == damocles.Event.load_started).sum()), trace.record.loads)
        self.assertEqual(sorted(trace.events["id"][kinds == damocles.Event.task_started]), list(range(100)))
        self.assertAlmostEqual(trace.events["time_s"][kinds == damocles.Event.task_ended].max(), trace.record.makespan_s)
        self.assertTrue((trace.events["time_s"][1:] >= trace.events["time_s"][:-1]).all())

    def test_are_of_one_strategy(self) -> None:
        with self.assertRaisesRegex(damocles.InvalidInput, "--trace requires exactly one strategy, not 2"):
            damocles.trace(GEMM, GPUS, "darts,eager")


class Interrupts(unittest.TestCase):
    def test_end_a_long_run_soon(self) -> None:
        began = time.process_time()
        with self.assertRaises(KeyboardInterrupt), interrupted_after(0.3):
            damocles.simulate("gemm2d:n=3000", "gpus:k=4,memory=100data", "eager", replicates=100)
        self.assertLess(time.process_time() - began, 60)  # all of it takes minutes
        self.assertEqual(len(damocles.simulate(GEMM, GPUS, "eager", replicates=1)), 1)  # the next one runs

    def test_leave_other_threads_running(self) -> None:
        running = threading.Thread(target=lambda: damocles.simulate("gemm2d:n=500", "gpus:k=4,memory=100data", "eager",
                                                                    replicates=4))  # fmt: skip
        running.start()
        turns = 0
        while running.is_alive():
            time.sleep(0.001)
            turns += 1
        self.assertGreater(turns, 20)  # where it kept Python's lock there would be one or two


if __name__ == "__main__":
    unittest.main()
