"""The commands of the package answer with the program's rows, messages and notes."""

import csv
import json
import os
import pickle
import shlex
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import damocles
from damocles import Platform, Workload
from program import csv_rows, interrupted_after, run, same

OUTER, UNIFORM = "outer:n=20", "uniform:p=5,lo=10,hi=100"
GEMM, GPUS = "gemm2d:n=10", "gpus:k=2,memory=8data"
LONG_NAME = "a" * 300 + ".db"


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
        for workload, platform in (("outer:n=30", UNIFORM), (GEMM, GPUS)):
            records, rows = damocles.beta(workload, platform), csv_rows("beta", workload, platform)
            for record, row in zip(records, rows):
                if record.get("curve"):  # pairs of numbers instead of a text
                    self.assertEqual([[*map(float, point.split(":"))] for point in row.pop("curve").split()],
                                     [[*pair] for pair in record.pop("curve")])  # fmt: skip
            same(self, records, rows)

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
                            (lambda: damocles.query(LONG_NAME), ("query", LONG_NAME)),
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


    def test_show_themselves_as_a_table(self) -> None:
        rows = damocles.simulate("gemm2d:n=10", GPUS, ["eager", "darts"], replicates=1)
        lines = str(rows).split("\n")
        head = next(at for at, line in enumerate(lines) if line.startswith("strategy"))
        self.assertIn("workload gemm2d:n=10", lines[0])
        self.assertEqual([line.split()[0] for line in lines[head + 1:head + 3]], ["eager", "darts"])
        self.assertLessEqual(max(map(len, lines)), 120)
        self.assertEqual(str(rows[:0]), "no rows")

    def test_stay_records_where_some_are_taken(self) -> None:
        rows = damocles.simulate(GEMM, GPUS, "eager,darts", replicates=2)
        for some in (rows[1:], rows.filter(lambda row: row.replicate == 1), rows.where(strategy="darts"), rows + rows[:1],
                     pickle.loads(pickle.dumps(rows)), rows.copy()):  # fmt: skip
            self.assertIsInstance(some, damocles.Records)
            self.assertEqual(some.columns, rows.columns)
        self.assertEqual([row.strategy for row in rows.where(strategy="darts", replicate=1)], ["darts"])
        self.assertEqual(rows.where(replicate=1)[0].seed, rows[1].seed)
        with self.assertRaisesRegex(damocles.InvalidInput, "there is no column 'strategi'; there are source"):
            rows.where(strategi="darts")

    def test_have_a_column_for_each_option_that_varies(self) -> None:
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed (python3-pandas)")
        rows = damocles.sweep("gemm2d:n=4", "gpus:k=1", "eager,darts:threshold=3", replicates=1,
                              vary={"n": [4, 5], "memory": ["5data", "6data"]})  # fmt: skip
        frame = rows.df
        added = {name: frame[name].tolist() for name in frame.columns if name not in rows.columns}
        self.assertEqual(sorted({*map(int, added.pop("n" if "n" in added else "workload.n"))}), [4, 5])
        self.assertEqual({*added.pop("memory")}, {"5data", "6data"})
        self.assertEqual(list(added), ["threshold"])

    def test_say_in_a_line_what_is_not_installed(self) -> None:
        rows = damocles.simulate(GEMM, GPUS, "eager", replicates=1)
        hidden = {name: sys.modules.get(name) for name in ("pandas", "pyarrow")}
        try:
            sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
            with self.assertRaisesRegex(ImportError, "^rows.df needs pandas, which is not installed: apt-get install python3-pandas"):
                rows.df
            with self.assertRaisesRegex(ImportError, "^rows.parquet needs pyarrow, which is not installed: pip install pyarrow"):
                rows.write("rows.parquet")
        finally:
            for name, module in hidden.items():
                del sys.modules[name]
                if module is not None:
                    sys.modules[name] = module

    def test_become_files(self) -> None:
        rows = damocles.simulate(GEMM, GPUS, "eager,darts", replicates=1)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.csv")
            rows.write(path)
            with open(path, newline="", encoding="utf-8") as file:
                same(self, rows, list(csv.DictReader(file)))
            with self.assertRaisesRegex(damocles.InvalidInput, "rows.xls': give a name that ends in .json, .csv or .parquet"):
                rows.write("rows.xls")


class Commands(unittest.TestCase):
    """Those that run as on the command line."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def test_take_strategies_by_either_name(self) -> None:
        self.assertEqual(damocles.simulate(GEMM, GPUS, strategy="eager", replicates=1),
                         damocles.simulate(GEMM, GPUS, "eager", replicates=1))  # fmt: skip
        self.assertEqual(damocles.trace(GEMM, GPUS, strategies="eager").record.strategy, "eager")
        with self.assertRaisesRegex(damocles.InvalidInput, "strategies 'eager' and strategy 'darts' are one thing"):
            damocles.simulate(GEMM, GPUS, "eager", strategy="darts")

    def test_work_on_stores(self) -> None:
        for seed, name in ((1, "a.db"), (2, "b.db")):
            rows = damocles.simulate(GEMM, GPUS, "eager,darts", replicates=2, seed=seed, store=self.file(name))
        store = self.file("all.db")
        self.assertEqual(damocles.merge(self.file("a.db"), self.file("b.db"), store=store),
                         f"8 rows of 2 studies in {store}: 0 kept, 8 new")  # fmt: skip
        found = damocles.query(store, where="strategy=darts,seed=2", sort="replicate")
        self.assertEqual([row.loads for row in found], [row.loads for row in rows.where(strategy="darts")])
        self.assertEqual([row.rows for row in damocles.query(store, by="strategy")], [4, 4])
        self.assertEqual(damocles.query(store, sql="select count(*) as number from rows")[0].number, 8)
        self.assertEqual(damocles.cite(store), run("cite", store).stdout)
        self.assertEqual(damocles.cite(store, format="bibtex"), run("cite", store, "--format", "bibtex").stdout)
        with self.assertRaises(damocles.InvalidInput) as caught:
            damocles.query(store, where="strategi=darts")
        self.assertEqual(f"damocles: {caught.exception}\n", run("query", store, "--where", "strategi=darts").stderr)

    def test_write_reports(self) -> None:
        trace, rows = damocles.trace(GEMM, GPUS, "eager"), damocles.simulate(GEMM, GPUS, "eager,darts", replicates=1)
        page = self.file("page.html")
        damocles.report([rows, trace, damocles.explain(GEMM, GPUS, "eager")], page, title="Mine")
        with open(page, encoding="utf-8") as file:
            self.assertIn("<title>Mine</title>", file.read())

    def test_execute(self) -> None:
        rows = damocles.run("gemm2d:n=4,tile=16,k=16", GPUS, "darts", replicates=2)
        self.assertEqual([(row.source, row.status) for row in rows], [("executed", "ok")] * 2)

    def test_follow_trajectories(self) -> None:
        rows = damocles.trajectory("outer:n=10", "homogeneous:p=2", replicates=2, instants=3)
        with_text = list(csv.DictReader(run("trajectory", "outer:n=10", "homogeneous:p=2", "--replicates", "2", "--instants",
                                            "3").stdout.splitlines()))  # fmt: skip
        same(self, rows, with_text)

    def test_list_names(self) -> None:
        rows = damocles.list("strategies")
        self.assertIn("darts", [row[rows.columns[0]] for row in rows])
        with self.assertRaisesRegex(damocles.InvalidInput, "did you mean 'strategies'"):
            damocles.list("strategis")

    def test_tell_progress(self) -> None:
        told: list = []
        damocles.simulate(GEMM, GPUS, "eager,darts", replicates=3, progress=lambda *now: told.append(now))
        self.assertEqual(told[-1][:2], (6, 6))

        def stop(*now):
            raise ValueError("enough")

        with self.assertRaisesRegex(ValueError, "enough"):
            damocles.simulate(GEMM, GPUS, "eager,darts", replicates=3, progress=stop)

    def test_sweep_to_a_precision(self) -> None:
        rows = damocles.sweep("gemm2d", GPUS, "random", vary={"n": [4]}, precision="20%")
        self.assertLess(len(rows), 1000)
        self.assertIn("--precision 20%", damocles.query(self.store_of_precision(), sql="select command from studies")[0].command)

    def store_of_precision(self) -> str:
        store = self.file("precise.db")
        damocles.sweep("gemm2d", GPUS, "random", vary={"n": [4]}, precision="20%", store=store)
        return store


class Matrices(unittest.TestCase):
    def test_and_graphs_become_workloads(self) -> None:
        try:
            import networkx
            import scipy.sparse
        except ImportError:
            self.skipTest("networkx and scipy are not installed (python3-networkx, python3-scipy)")
        matrix = scipy.sparse.csr_matrix(([0.0, 2.0, 3.0], ([0, 0, 1], [0, 2, 1])), shape=(2, 3))
        record = damocles.simulate(Workload.from_scipy(matrix), "gpus:k=1,memory=8data", "eager", replicates=1)[0]
        self.assertEqual((record.tasks, record.data), (2, 3))
        graph = networkx.DiGraph([("a", "b")])
        networkx.set_node_attributes(graph, 1e9, "flops")
        record = damocles.simulate(Workload.from_networkx(graph), "gpus:k=1,memory=1GB", "eager", replicates=1)[0]
        self.assertEqual(record.tasks, 2)


class Traces(unittest.TestCase):
    def test_list_when_and_where_tasks_ran(self) -> None:
        trace = damocles.trace(GEMM, GPUS, "darts")
        self.assertEqual(sorted(row.task for row in trace.tasks), list(range(100)))
        self.assertEqual({row.worker for row in trace.tasks}, {0, 1})
        self.assertAlmostEqual(max(row.end_s for row in trace.tasks), trace.record.makespan_s)
        self.assertTrue(all(row.start_s < row.end_s for row in trace.tasks))

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

    def test_end_a_long_prediction_soon(self) -> None:
        began = time.process_time()
        with self.assertRaises(KeyboardInterrupt), interrupted_after(0.3):
            damocles.predict("gemm2d:n=3000", "gpus:k=4,memory=100data", "darts,eager,dmdar", replicates=100)
        self.assertLess(time.process_time() - began, 30)


class Threads(unittest.TestCase):
    def test_run_beside_a_command(self) -> None:
        running = threading.Thread(target=lambda: damocles.simulate("gemm2d:n=500", "gpus:k=4,memory=100data", "eager",
                                                                    replicates=4))  # fmt: skip
        running.start()
        turns = 0
        while running.is_alive():
            time.sleep(0.001)
            turns += 1
        self.assertGreater(turns, 20)  # where it kept Python's lock there would be one or two

    def test_of_daemons_end_with_python(self) -> None:
        for strategies in ("'darts'", "Slow"):
            program = f"""if True:
                import threading, time, damocles
                @damocles.strategy("slow")
                class Slow:
                    def __init__(self, run): self.left = list(range(run.tasks))
                    def request(self, worker): return self.left.pop() if self.left else None
                begun = threading.Event()
                def work():
                    begun.set()
                    for _ in range(1000):
                        damocles.simulate("gemm2d:n=300", "gpus:k=2,memory=20data", {strategies}, replicates=100)
                for _ in range(3):
                    threading.Thread(target=work, daemon=True).start()
                begun.wait()
                time.sleep(0.1)"""
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=300)
            self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
