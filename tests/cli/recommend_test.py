"""recommend: a strategy and how sure it is, in text and JSON; what it refuses."""

import json

from executed import Execution

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

    def test_refuses_what_cannot_be_answered(self) -> None:
        for words, says in (
            ((*GEMM, "--for", "speed"), ["'speed'", "time, bytes, energy"]),
            ((*GEMM, "--for", "energy"), ["does not say what processors draw", "power=300W"]),
            (("outer:n=4", "homogeneous:p=2", "--for", "time"), ["--for bytes"]),
            ((*GEMM, "--within", "soon"), ["--within 'soon'", "10s"]),
            ((*GEMM, "--online", "--strategies", "heft"), ["--online leaves out every strategy"]),
            ((*GEMM, "-o", "a.csv"), ["no table of rows", ".json"]),
        ):
            self.refuse(("recommend", *words), says)
