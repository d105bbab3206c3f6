"""No answer is nonsense: where nothing can be said the program says so, and every number is finite."""

import json
import math
import os
import re
import unittest

from program import InFolder, damocles, rows

NO_GRID = ("cholesky:n=4,deps=false", "homogeneous:p=2")
NUMBERS = ("beta", "loads", "bytes_loaded", "lower_bound", "balanced_bound", "volume_ratio", "makespan_s",
           "makespan_lower_bound_s", "makespan_ratio", "flops", "gflops", "busy_fraction", "sd")


class Refusals(InFolder):
    """Where no model applies: one line that says what would, exit 2, nothing written."""

    def test_what_is_no_grid_has_no_models(self) -> None:
        says = ["models predict grids of tasks", "'cholesky:n=4,deps=false' is not", "outer, matrix, gemm2d"]
        self.refused("predict", *NO_GRID, says=says)
        self.refused("predict", "sparse2d:n=9,density=0.5", "homogeneous:p=2", says=["grids"])
        self.refused("compare", *NO_GRID, "--model", "paper", says=says)
        self.refused("beta", *NO_GRID, says=["needs a grid of tasks", "outer, matrix, gemm2d"])
        graph = self.path("graph.json", '{"damocles":1,"data":[],"tasks":[{"reads":[]}]}')
        self.refused("predict", f"file:path={graph}", "homogeneous:p=2", says=["grids of tasks"])

    def test_one_processor_loads_all_and_who_has_no_task_has_no_model(self) -> None:
        """The closed forms know no last task: they give 0 of the 2 loads here, and 5 times too many below."""
        for workload, data in (("outer:n=1", 2), ("matrix:n=1", 3), ("outer:n=30", 60)):
            shown = damocles("predict", workload, "homogeneous:p=1", "--strategies", "dynamic",
                             "--model", "exact", "--format", "csv")
            self.assertEqual([float(row["loads"]) for row in rows(shown.stdout)], [data], workload)
        self.refused("predict", "outer:n=9", "homogeneous:p=2", "--strategies", "dynamic-2phases:beta=0",
                     "--model", "paper", says=["does not predict strategy 'dynamic-2phases:beta=0'"])
        for model in ("paper", "corrected", "exact"):
            self.refused("predict", "outer:n=10", "homogeneous:p=101", "--strategies",
                         "dynamic-2phases:beta=1", "--model", model,
                         says=["fewer tasks than processors", "simulate it"])

    def test_what_is_named_must_have_a_prediction(self) -> None:
        outer = ("outer:n=20", "homogeneous:p=2")
        self.refused("predict", *outer, "--strategies", "hfp",
                     says=["does not predict strategy 'hfp' on 'outer:n=20'", "dynamic and dynamic-2phases"])
        self.refused("predict", "outer:m=5,n=20", outer[1], "--model", "paper,refined",
                     says=["model paper does not predict", "equal extents, m = n = k"])
        self.refused("predict", "outer:n=3", "homogeneous:p=9", "--model", "ode", "--strategies",
                     "dynamic", says=["4 tasks a processor", "try --model exact"])
        self.refused("beta", "outer:m=5,n=20", outer[1], "--model", "paper", says=["equal extents"])
        shown = damocles("predict", "outer:m=5,n=20", outer[1], "--format", "csv")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual({row["status"] for row in rows(shown.stdout)}, {"ok"})

    def test_beta_auto_is_the_same_everywhere_and_loads_as_little_as_the_recommended_one(self) -> None:
        for workload, platform in (("outer:n=100", "homogeneous:p=20"), ("outer:n=60", "speeds:1,2,3,5"),
                                   ("matrix:n=20", "homogeneous:p=30"), ("outer:n=12", "homogeneous:p=30")):
            with self.subTest(workload=workload, platform=platform):
                told = damocles("beta", workload, platform).stdout
                beta = float(re.search(r"(?m)^use beta = (\S+) \(", told)[1])
                answer = json.loads(damocles("beta", workload, platform, "--format", "json").stdout)
                self.assertEqual(answer["recommended"]["beta"], beta)
                left = answer["recommended"]["tasks_left"]
                automatic = answer["recommended"]["automatic_beta"]
                told_automatic = re.search(r"(?m)^  beta=auto is ([\d.]+), from a closed form: ([\d.]+) % more loads$", told)
                self.assertIsNotNone(told_automatic, told)
                self.assertEqual(float(told_automatic[1]), automatic)
                self.assertLessEqual(float(told_automatic[2]), 0.5)
                tasks = None
                for command in ("simulate", "predict", "compare"):
                    for row in rows(damocles(command, workload, platform, "--strategies", "dynamic-2phases",
                                             "--replicates", "1", "--format", "csv").stdout):
                        self.assertEqual(float(row["beta"]), automatic, command)
                        tasks = int(row["tasks"])
                self.assertEqual(math.floor(math.exp(-beta) * tasks), left)
                self.assertLessEqual(answer["recommended"]["lowest_beta"], beta)
                self.assertGreaterEqual(answer["recommended"]["highest_beta"], beta)
                over = [row["over_recommended"] for row in answer["records"] if row["over_recommended"] is not None]
                self.assertTrue(over)
                # Where phase 1 is sampled, to the noise of the sample.
                self.assertGreaterEqual(min(over), 0 if tasks > 20 * 30 else -2e-3)

    def test_a_formula_beyond_its_domain_is_no_prediction(self) -> None:
        """HPDC'14 to first order gives -6.7 times the lower bound here."""
        asked = ("predict", "outer:n=1000000", "homogeneous:p=2", "--strategies",
                 "dynamic-2phases:beta=20", "--format", "csv")
        self.refused(*asked, "--model", "paper,corrected", says=["outside the formula's domain"])
        both = {row["model"]: row for row in rows(damocles(*asked, "--model", "paper,exact").stdout)}
        self.assertEqual(both["paper"]["status"], "outside the formula's domain")
        self.assertEqual((both["paper"]["loads"], both["paper"]["volume_ratio"]), ("", ""))
        self.assertEqual(both["exact"]["status"], "ok")
        best = damocles("beta", "outer:n=1000000", "homogeneous:p=2", "--format", "csv",
                        "--model", "paper,refined")
        answers = {row["model"]: row for row in rows(best.stdout)}
        self.assertEqual(answers["paper"]["status"], "no interior minimum where the formula holds")
        self.assertEqual(answers["paper"]["volume_ratio"], "")
        self.assertGreater(float(answers["refined"]["volume_ratio"]), 1)

    def test_beta_says_of_each_model_why_it_has_none(self) -> None:
        done = damocles("beta", "outer:m=30,n=60", "homogeneous:p=8", "--format", "json")
        status = {row["model"]: row["status"] for row in json.loads(done.stdout)["records"]}
        self.assertIn("equal extents", status["paper"])
        self.assertEqual(status["refined"], "ok")

    def test_sweeps_refuse_models_that_say_nothing(self) -> None:
        limited = 'workload = "gemm2d:n=4"\nplatform = ["gpus:k=2"]\n'
        for text, says in [
            (limited + 'models = ["paper"]\nsimulate = false\n', ["unlimited memory"]),
            (limited + 'models = ["paper"]\n', ["unlimited memory"]),
            (limited.replace("k=2", "k=2,buses=2") + 'models = "all"\nsimulate = false\n', ["several buses"]),
            (limited + "simulate = false\n", ["nothing to do", 'models = "refined"']),
        ]:
            self.refused("sweep", self.path("s.toml", text), says=says)
        mixed = ('workload = "outer:n=5"\nplatform = ["homogeneous:p=2", "homogeneous:p=20"]\n'
                 'strategies = "dynamic"\nmodels = "refined"\nreplicates = 1\n')
        done = damocles("sweep", self.path("m.toml", mixed), cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)  # one point has a prediction

    def test_a_sweep_refuses_a_wrong_option_of_a_strategy_before_anything_runs(self) -> None:
        for strategy, says in [("darts:choice=foo", "choice must be paper or starpu, not 'foo'"),
                               ("darts:inputs=7", "inputs must be 2 or 3, not '7'"),
                               ("hfp:partner=foo", "partner must be fair or literal, not 'foo'"),
                               ("dmda:alpha=x", "alpha must be a number from 0 to 1000000000, not 'x'"),
                               ("portfolio:use=foo", "use must be eager, "),
                               ("eager:eviction=foo", "unknown eviction policy 'foo'")]:
            text = f'workload = "gemm2d:n=3"\nplatform = "gpus:k=1"\nstrategies = ["eager", "{strategy}"]\n'
            for more in ([], ["--dry-run"]):
                self.refused("sweep", self.path("o.toml", text), *more, says=[says])
        self.assertEqual(os.listdir(self.folder), ["o.toml"])

    def test_a_sweep_names_a_malformed_range(self) -> None:
        text = 'workload = "outer:n={n}"\nplatform = "homogeneous:p=2"\n[vary]\nn = "1: 5:1"\n'
        self.refused("sweep", self.path("r.toml", text), says=["range '1: 5:1'", "write first:last:step"])

    def test_all_says_which_strategies_it_leaves_out_and_why(self) -> None:
        asked = ("simulate", "gemm2d:n=3", "gpus:k=1", "--replicates", "1")
        done = damocles(*asked, "--strategies", "all", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stderr.startswith("damocles: not run by --strategies all: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("placed (it needs a file, placement=FILE)", done.stderr)
        for words in ((), ("--strategies", "all", "--quiet"), ("--strategies", "eager")):
            self.assertEqual(damocles(*asked, *words, cwd=self.folder).stderr, "")

    def test_an_option_without_effect_is_said(self) -> None:
        for platform, notes in [("homogeneous:p=2", 2), ("gpus:k=2", 0)]:
            done = damocles("simulate", "gemm2d:n=4", platform, "--strategies", "random:eviction=fifo,buffer=ready,eager",
                            "--replicates", "1")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (0, notes), done.stderr)
        done = damocles("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", "random:eviction=fifo")
        self.assertEqual(done.stderr, "damocles: note: strategy 'random:eviction=fifo': eviction= has no effect, as "
                                      "'homogeneous:p=2' has unlimited memory\n")

    def test_all_that_is_empty_is_refused(self) -> None:
        for command in ("simulate", "compare", "run"):
            for workload in ("cholesky:n=4,deps=true", "stencil:n=4,steps=2"):
                self.refused(command, workload, "homogeneous:p=2",
                             says=["no strategy supports", " do not support task dependencies, 1 needs a file",
                                   " are made for limited memory, ", "; give a platform of limited memory, as gpus:k=2"])
        text = 'workload = "stencil:n=4,steps=2"\nplatform = "homogeneous:p=2"\nreplicates = 1\n'
        done = damocles("sweep", self.path("e.toml", text), "-o", "-", cwd=self.folder)
        self.assertEqual([row["strategy"] for row in rows(done.stdout)], ["all"])
        self.assertTrue(rows(done.stdout)[0]["status"].startswith("infeasible: no strategy supports"))

    def test_a_sweep_says_once_where_rates_are_of_another_precision(self) -> None:
        text = ('workload = ["gemm2d:n=4,precision=tf32", "gemm2d:n=5,precision=tf32"]\nplatform = "gpus:{}"\n'
                'strategies = "eager"\nreplicates = 1\n')
        for platform, notes in [("k=1", 1), ("k=1,gflops=100", 0), ("k=1,preset=h200,precision=tf32", 0)]:
            name = f"{len(platform)}.toml"
            done = damocles("sweep", self.path(name, text.replace("{}", platform)), cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("are a preset's in single"), notes, done.stderr)


class EveryPolicy(InFolder):
    """Of a node of GPUs and cores: each policy that tells them apart, in order, above its bound."""

    def test_compare_all_on_gpus_and_cores(self) -> None:
        node = ("cholesky:n=4,deps=true", "gpus:k=2,memory=8data,cpus=2,cpu_gflops=500")
        done = damocles("compare", *node, "--replicates", "2", "--strategies", "all", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        left_out = re.fullmatch(
            r"damocles: not run by --strategies all: (.*) \(they do not support mixed CPU/GPU platforms\); "
            r"(.*) \(they do not support task dependencies\); placed \(it needs a file, placement=FILE\)\n"
            r"damocles: note: .* 500 GFlop/s on a core; .*\n",
            done.stderr)
        self.assertIsNotNone(left_out, done.stderr)
        self.assertLessEqual({"darts", "hfp", "hypergraph"}, set(left_out[1].split(", ")))
        self.assertLessEqual({"dynamic", "dynamic-2phases", "hybrid"}, set(left_out[2].split(", ")))
        self.assertRegex(left_out[2], r", [a-z0-9-]+ and [0-9]+ more$")  # of more than eight
        header, table, closing = done.stdout.split("\n\n")
        # 0 loads is not said; the cores have a rate of their own.
        self.assertRegex(header, r"; lower bound: [0-9.]+ s\nkernel times: v100 \(measured\)\n.*fastest first; predicted: loads, makespan \(relative error\)$")
        titles, *lines = (re.sub(r" \(\+\d+\)", "", line) for line in table.splitlines())
        times = [float(line.split()[1]) for line in lines]
        over_bound = [float(line.split()[2]) for line in lines]
        self.assertEqual(titles.split(), ["strategy", "makespan_s", "makespan_ratio", "loads", "predicted_loads"])
        self.assertEqual(times, sorted(times))
        self.assertGreaterEqual(min(over_bound), 1)
        names = {line.split()[0] for line in lines} | set(re.findall(r"[a-z0-9-]+", closing))
        self.assertLessEqual({"eager", "lws", "dmdas", "heteroprio", "heft", "sufferage", "modular-heft"}, names)
        self.assertNotIn("darts", names)


class Numbers(InFolder):
    """Extreme values: each refused in one line, or a finite answer. Nothing blames the strategy."""

    GRAPH = ('{"damocles":1,"data":[{"bytes":1000},{"bytes":1000}],'
             '"tasks":[{"reads":[0,1]},{"reads":[1]},{"reads":[]}]}')

    def answers(self, *words: str) -> str:
        """What the run says; checks that it is a refusal or finite rows."""
        with self.subTest(words=" ".join(words)):
            done = damocles(*words, "--format", "csv", cwd=self.folder)
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assertNotIn("stopped", done.stderr)
            if done.returncode == 2:
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                return done.stderr
            found = rows(done.stdout)
            self.assertTrue(found)
            for row in found:
                if (row["source"], row["status"]) != ("predicted", "outside the formula's domain"):
                    self.assertEqual(row["status"], "ok", row)
                elif row["volume_ratio"] or row["loads"]:
                    self.fail(f"a volume of a row that has none: {row}")
                for name in NUMBERS:
                    if row.get(name):
                        self.assertTrue(math.isfinite(float(row[name])), (name, row))
                        self.assertGreaterEqual(float(row[name]), 0, (name, row))
            return done.stdout

    def test_of_platforms_and_graphs(self) -> None:
        graph = "file:path=" + self.path("graph.json", self.GRAPH)
        run = ("--strategies", "eager,darts", "--replicates", "1")
        extremes = ("1e-320", "1e-300", "1e-18", "0", "1", "1e6", "1e18", "1e300", "1e308", "-1",
                    "nan", "inf")
        for value in extremes:
            for key, unit in [("bandwidth", "B/s"), ("link", "B/s"), ("latency", "s"),
                              ("request", "s"), ("decision", "s"), ("jitter", ""), ("gflops", ""),
                              ("memory", "B"), ("memory", "data"), ("depth", ""), ("k", "")]:
                if key == "k" and value in ("1e6", "1e18"):
                    continue  # refused as no whole number, as 1e300 is
                self.answers("simulate", graph, f"gpus:{key}={value}{unit}", *run)
            self.answers("simulate", f"{graph},flops={value}F", "gpus:k=2", *run)
            self.answers("simulate", f"{graph},bytes={value}B", "gpus:k=2", *run)

    def test_of_workloads(self) -> None:
        run = ("--strategies", "eager", "--replicates", "1")
        for text in ("gemm2d:n=2,tile=1000000,k=1000000", "gemm2d:n=2,tile=1,k=1",
                     "gemm3d:n=2,tile=1000000,precision=double", "cholesky:n=1,deps=false",
                     "sparse2d:n=3,density=1e-9", "sparse2d:n=3,density=1e-320",
                     "gemm2d:n=2,tile=1e6", "gemm2d:n=0", "gemm2d:n=2,k=99999999999999999999"):
            self.answers("simulate", text, "gpus:k=2,memory=10data", *run)

    def test_of_speeds_and_thresholds(self) -> None:
        for value in ("1e-320", "1e-300", "1e-15", "0", "1", "1e15", "1e300", "-1", "nan", "inf"):
            for platform in (f"speeds:1,{value}", f"speeds:{value}",
                             f"uniform:p=3,lo=0,hi={value}", f"uniform:p=3,lo={value},hi=1e15"):
                self.answers("simulate", "outer:n=6", platform, "--replicates", "2")
                self.answers("predict", "outer:n=6", platform, "--replicates", "2")
            for workload in ("outer:n=40", "matrix:n=6"):
                for option in ("beta", "tasks-left"):
                    strategy = f"dynamic-2phases:{option}={value}"
                    for command in ("simulate", "predict"):
                        self.answers(command, workload, "homogeneous:p=3", "--strategies",
                                     strategy, "--replicates", "1")
        self.answers("predict", "outer:n=40", "homogeneous:p=3", "--strategies",
                     "dynamic-2phases:beta=1e308", "--model", "exact,refined,ode")

    def test_what_nobody_reads_has_no_ratio(self) -> None:
        graph = self.path("graph.json", '{"damocles":1,"data":[],"tasks":[{"reads":[]}]}')
        for platform in ("gpus:k=2", "homogeneous:p=2"):
            for row in rows(self.answers("simulate", f"file:path={graph}", platform)):
                self.assertEqual((row["loads"], row["lower_bound"]), ("0", "0"))
                self.assertEqual(row["volume_ratio"], "")
        none = self.path("none.json", '{"damocles":1,"data":[],"tasks":[{"reads":[],"flops":0}]}')
        for row in rows(self.answers("simulate", f"file:path={none}", "gpus:k=2")):
            self.assertEqual((row["makespan_s"], row["gflops"]), ("0", ""))


class Verdicts(InFolder):
    """Executed beside simulated: time is judged only where it is this machine's."""

    WORKLOAD = "gemm2d:n=4,tile=32,k=32"

    def compared(self, platform: str, *more: str) -> dict:
        done = damocles("compare", self.WORKLOAD, platform, "--backend", "host", "--strategies",
                        "eager", "--replicates", "2", "--format", "json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["agreement"][0]

    def test_a_preset_is_not_this_machine(self) -> None:
        row = self.compared("gpus:k=1,memory=8data")
        self.assertIsNone(row["makespan_error"])
        self.assertNotEqual(row["verdict"], "agrees")
        self.assertIn(row["verdict"], ("volume agrees", "outside simulated"))
        table = damocles("compare", self.WORKLOAD, "gpus:k=1,memory=8data", "--backend", "host",
                         "--strategies", "eager", "--replicates", "2", "--format", "table").stdout
        self.assertIn("makespan not judged: 'gpus:k=1,memory=8data' has the rates of a preset", table)
        self.assertIn(f"damocles calibrate '{self.WORKLOAD}' --processors 1", table)
        self.assertIn("--pace", table)
        # Tasks that are no products have no speed that calibrate could measure.
        table = damocles("compare", "cholesky:n=4,tile=8,deps=true", "gpus:k=1,memory=8data", "--backend",
                         "host", "--strategies", "eager", "--replicates", "2", "--format", "table").stdout
        self.assertIn("has the rates of a preset, not of this machine; give --pace 1ms", table)

    def test_a_machine_of_one_s_own_and_a_pace_are_judged(self) -> None:
        given = self.compared("gpus:k=1,memory=8data,gflops=1,bandwidth=1GB/s")
        self.assertIsNotNone(given["makespan_error"])
        # 65536 flops at 1 GF/s: 66 us a task; a task of this size takes a few us here, but the copy
        # of 4 kB is throttled to its 4 us + 10 us. Whether it agrees is for the machine to say.
        self.assertIn(given["verdict"],
                      ("agrees", "volume agrees, time does not", "outside simulated"))
        paced = self.compared("gpus:k=1,memory=8data,latency=0us", "--pace", "2ms")
        self.assertIsNotNone(paced["makespan_error"])


if __name__ == "__main__":
    unittest.main()
