"""recommend: a strategy and how sure it is, in text and JSON; what it refuses."""

import json
import os

from executed import Execution
from program import SOURCE

GEMM = ("gemm2d:n=10", "gpus:k=2,memory=8data")
CHOLESKY = ("cholesky:n=6,deps=true", "gpus:k=1,memory=8data")


class Recommend(Execution):
    def recommend(self, *words: str) -> dict:
        return json.loads(self.answer("recommend", *words, "--format", "json"))

    def test_names_a_strategy_that_is_no_worse_than_the_others(self) -> None:
        answer = self.recommend(*CHOLESKY)
        rows = self.rows("simulate", *CHOLESKY, "--strategies", "all", "--quiet", "--summary")
        means = {row["strategy"]: float(row["makespan_s"]) for row in rows}
        self.assertLessEqual(means[answer["strategy"]], 1.02 * min(means.values()))
        self.assertLessEqual(answer["lower_bound"], answer["mean"])

    def test_says_the_same_in_words(self) -> None:
        answer = self.recommend(*GEMM)
        text = self.answer("recommend", *GEMM)
        self.assertTrue(text.startswith(f"Use {answer['strategy']}. It takes "), text)
        self.assertIn(f"STARPU_SCHED={answer['starpu_sched']}", text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)

    def test_compares_strategies_that_load_nothing(self) -> None:
        # Nothing is loaded, so no share of it is one; and of one item none is reloaded.
        graphs = {"edges.dot": "digraph { a -> b; a -> c; b -> d; c -> d }",
                  "byte.json": '{"damocles":1,"data":[{"name":"a","bytes":1}],"tasks":[{"name":"t","flops":1}]}'}
        for name, text in graphs.items():
            asked = (f"file:path={self.path(name, text)}", "gpus:k=2,memory=500MB", "--strategies", "eager,dmdas,heft")
            for words in (("recommend", *asked, "--for", "bytes"), ("compare", *asked),
                          ("recommend", *asked, "--for", "bytes", "--vary", "k=1,2")):
                with self.subTest(words=words):
                    answer = self.answer(*words)
                    self.assertNotRegex(answer, r"nan|inf\b")
            self.assertIn("If the bus is half as fast: still the best.",
                          self.answer("recommend", *asked, "--for", "bytes"))

    def test_is_not_sure_of_a_race_without_rivals(self) -> None:
        self.assertNotIn("sure", self.answer("recommend", *GEMM, "--strategies", "eager"))
        two = self.answer("recommend", *GEMM, "--strategies", "eager,darts")
        self.assertIn("sure that the other one is not more than 2 % better.", two)

    def test_leaves_out_what_needs_the_whole_graph(self) -> None:
        names = [one["strategy"] for one in self.recommend(*CHOLESKY, "--online")["strategies"]]
        self.assertIn("dmdas", names)
        for name in ("heft", "hfp", "memory-order", "bil"):
            self.assertNotIn(name, names)

    def test_minimises_bytes_or_energy(self) -> None:
        answer = self.recommend(*GEMM, "--for", "bytes", "--strategies", "eager,random,hfp")
        rows = self.rows("simulate", *GEMM, "--strategies", "eager,random,hfp", "--summary")
        least = min(rows, key=lambda row: float(row["bytes_loaded"]))
        self.assertEqual(answer["strategy"], least["strategy"])
        powered = (GEMM[0], GEMM[1] + ",power=300W")
        self.assertEqual(self.recommend(*powered, "--for", "energy")["for"], "energy")

    def test_counts_loads_where_memory_is_unlimited(self) -> None:
        text = self.answer("recommend", "outer:n=20", "homogeneous:p=4")
        self.assertIn(" loads, ", text.splitlines()[0])

    def test_says_how_much_memory_is_enough(self) -> None:
        # 20 data items: with all of them in memory, more of it is of no use, whatever the strategy.
        vary = ("gemm2d:n=10", "gpus:k=1", "--vary", "memory=20data,40data,80data", "--strategies", "eager,dmdar")
        text = self.answer("recommend", *vary)
        self.assertTrue(text.startswith("memory=20data is enough: more gains nothing.\nUse "), text)
        answer = self.recommend(*vary)
        self.assertEqual((answer["value"], answer["verdict"]), ("20data", "enough"))
        self.assertEqual([one["value"] for one in answer["values"]], ["20data", "40data", "80data"])

    def test_says_whether_more_gpus_pay(self) -> None:
        # All time is that of 20 data items on one bus, which every GPU shares.
        slow = ("gemm2d:n=10", "gpus:k=1,memory=20data,bandwidth=100MB/s", "--vary", "k=1,2", "--strategies", "all")
        text = self.answer("recommend", *slow)
        self.assertTrue(text.startswith("k=1 is enough: a second GPU gains nothing."), text)
        # Copies take almost no time beside tasks: two GPUs halve it.
        fast = ("gemm2d:n=10", "gpus:k=1,memory=20data,bandwidth=100000GB/s", "--vary", "k=2,1", "--strategies", "eager")
        answer = self.recommend(*fast)
        self.assertEqual((answer["value"], answer["verdict"]), ("2", "most"))
        one, two = (value["mean"] for value in answer["values"])
        self.assertAlmostEqual(one / two, 2, delta=0.02)

    def test_says_what_one_more_gpu_gains(self) -> None:
        # The bus is busy nearly all the time with three GPUs: a fourth can take little off it.
        vary = ("gemm2d:n=6", "gpus:k=1,memory=20data,bandwidth=60GB/s", "--vary", "k=1:4", "--strategies", "darts")
        answer = self.recommend(*vary)
        three, four = answer["values"][2:]
        for value in (three, four):
            runs = value["strategies"][0]["runs"]
            rows = self.rows("simulate", vary[0], vary[1].replace("k=1", f"k={value['value']}"), "--strategies", "darts",
                             "--replicates", str(len(runs)))
            self.assertAlmostEqual(sum(float(row["makespan_s"]) for row in rows) / len(rows), value["mean"], places=12)
        gain = 1 - four["mean"] / three["mean"]
        self.assertTrue(0.001 < gain < 0.02, gain)
        text = self.answer("recommend", *vary)
        self.assertTrue(text.startswith(f"k=3 pays: a fourth GPU gains {100 * gain:.1f} %.\n"), text)

    def test_does_not_compare_values_that_change_the_work(self) -> None:
        answer = self.recommend("cholesky:deps=true", "gpus:k=1,memory=1GB", "--vary", "n=4,8", "--strategies", "eager")
        self.assertIsNone(answer["value"])
        self.assertIn("n changes what the tasks compute", answer["answer"])

    def test_compares_tiles_of_the_same_matrix(self) -> None:
        platform = "gpus:k=1,memory=1GB"
        vary = ("cholesky:deps=true,n=8", platform, "--vary", "tile=1920,480,960", "--strategies", "eager,dmdas")
        answer = self.recommend(*vary)
        self.assertEqual([one["value"] for one in answer["values"]], ["480", "960", "1920"])
        for one, n in zip(answer["values"], (16, 8, 4)):
            same = self.recommend(f"cholesky:deps=true,n={n},tile={one['value']}", platform, "--strategies", "eager,dmdas")
            self.assertEqual((one["strategy"], one["mean"]), (same["strategy"], same["mean"]))
        best = min(answer["values"], key=lambda one: one["mean"])
        self.assertEqual((answer["value"], answer["verdict"]), (best["value"], "best"))
        self.assertIn("is the best of these values", answer["answer"])
        # Each size has its own tiles a side in the table.
        rows = [line.split()[:2] for line in self.answer("recommend", *vary).splitlines()[-4:]]
        self.assertEqual(rows, [["tile", "n"], ["480", "16"], ["960", "8"], ["1920", "4"]])
        self.refuse(("recommend", *vary[:2], "--vary", "tile=960,1000"), ["tile=1000", "7680 elements (n=8 tiles of 960)", "no whole number"])
        self.refuse(("recommend", vary[0], "gpus:k=1,memory=40data", *vary[2:]), ["memory=40data", "memory=500MB"])

    def test_compares_tiles_by_times_of_one_source(self) -> None:
        words = ("cholesky:n=4,deps=true", "gpus:k=2,memory=500MB", "--vary", "tile=240,480,960,1920", "--strategies", "dmdas")
        answer = self.recommend(*words)
        self.assertEqual([one["value"] for one in answer["values"]], ["480", "960", "1920"])
        self.assertEqual([one["kernel_times"] for one in answer["values"]], ["v100@480", "v100", "v100"])
        text = " ".join(self.answer("recommend", *words).split())
        self.assertIn("tile=240 is left out: no kernels were measured at tiles near that size", text)
        self.assertIn("at tile=480 are extrapolated", text)
        text = " ".join(self.answer("recommend", "gemm2d:n=4", words[1], "--vary", "tile=480,960", "--strategies", "dmdas").split())
        self.assertIn("All tiles are taken to run at one rate", text)

    def test_varies_an_option_of_a_platform_file(self) -> None:
        file = os.path.join(SOURCE, "docs/examples/h200.toml")
        answer = self.recommend("gemm2d:n=10", file, "--vary", "memory=5data,10data", "--strategies", "eager,dmdar")
        self.assertEqual([one["platform"] for one in answer["values"]], [f"{file},memory={one}data" for one in (5, 10)])
        self.refuse(("recommend", "gemm2d:n=10", file, "--vary", "memroy=1GB,2GB"), ["--vary memroy", "has no option 'memroy'"])

    def test_does_not_simulate_who_is_predicted_to_be_far_behind(self) -> None:
        words = ("gemm2d:n=60", "gpus:k=1,memory=30data,bandwidth=4GB/s")
        answer = self.recommend(*words)
        left_out = {one["strategy"]: one["predicted"] for one in answer["left_out"] if one["why"] == "predicted to be far behind"}
        row = self.rows("predict", *words, "--strategies", "eager")[0]
        self.assertAlmostEqual(left_out["eager"], float(row["makespan_s"]))
        text = self.answer("recommend", *words)
        self.assertIn(f"{len(left_out)} of them were not simulated: predicted to be far behind.", text)
        self.assertRegex(text, r"eager takes [0-9.]+ times as long \(predicted\)")
        # Whoever is named runs.
        self.assertEqual(self.recommend(*words, "--strategies", "eager,dmdar")["left_out"], [])

    def test_names_measured_kernel_times(self) -> None:
        self.assertIn("\nKernel times: v100 (measured).\n", self.answer("recommend", *CHOLESKY, "--strategies", "eager,lws"))
        self.assertEqual(self.recommend(*GEMM, "--strategies", "eager")["kernel_times"], "")

    def test_says_which_values_have_no_run(self) -> None:
        answer = self.recommend("gemm2d:n=6", "gpus:k=1", "--vary", "memory=1data,12data", "--strategies", "eager")
        self.assertEqual([one["value"] for one in answer["left_out"]], ["1data"])
        self.assertEqual(answer["value"], "12data")

    def test_refuses_what_cannot_be_answered(self) -> None:
        for words, says in (
            ((*GEMM, "--for", "speed"), ["'speed'", "time, bytes, energy"]),
            ((*GEMM, "--for", "energy"), ["does not say what processors draw", "power=300W"]),
            (("outer:n=4", "homogeneous:p=2", "--for", "time"), ["--for bytes"]),
            ((*GEMM, "--within", "soon"), ["--within 'soon'", "10s"]),
            ((*GEMM, "--online", "--strategies", "heft"), ["--online leaves out every strategy"]),
            ((*GEMM, "-o", "a.csv"), ["no table of rows", ".json"]),
            ((*GEMM, "--vary", "memory=8data"), ["give two values or more"]),
            ((*GEMM, "--vary", "color=1,2"), ["--vary color", "has an option color"]),
            ((*GEMM, "--vary", "k=1,2", "--vary", "memory=4data,8data"), ["--vary"]),
            (("gemm2d:n=6", "gpus:k=1", "--vary", "memory=1data,1MB"), ["memory"]),
        ):
            self.refuse(("recommend", *words), says)
