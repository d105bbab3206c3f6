"""Predictions: who has a model, where it was validated, and how near it is expected to be."""

import json
import os
import re
import unittest

from program import InFolder, damocles, rows

LIMITED = ("gemm2d:n=4", "gpus:k=2,memory=500MB")
NO_GRID = ("cholesky:n=4,deps=false", "homogeneous:p=2")


class Predictions(InFolder):
    """With limited memory, and what is said of all models."""

    def test_limited_memory_has_models_of_its_own(self) -> None:
        says = ["memory", "'gpus:k=2,memory=500MB' limits it", "homogeneous:p=2"]
        self.refused("beta", *LIMITED, "--model", "refined", says=says)
        self.refused("predict", *LIMITED, "--model", "refined", says=says + ["model refined assumes unlimited memory"])
        self.refused("compare", *LIMITED, "--model", "refined", says=says)
        self.refused("compare", *LIMITED, "--model", "counted", "--backend", "host", says=["leave out --model"])
        self.refused("predict", "outer:n=9", "homogeneous:p=2", "--model", "counted",
                     says=["model counted is of limited memory", "gpus:k=2"])
        self.refused("predict", *LIMITED, "--strategies", "random", "--model", "counted",
                     says=["model counted does not predict strategy 'random'", "characteristic-time does"])
        self.refused("predict", *LIMITED, "--strategies", "random:eviction=belady", says=["lru, fifo, random"])
        self.refused("predict", *LIMITED, "--strategies", "dmdar:beta=2", says=["the option beta"])
        self.refused("predict", *LIMITED, "--strategies", "darts:choice=starpu", says=["the option choice"])
        self.refused("predict", "gemm2d:n=4", "gpus:k=2,memory=500MB,buses=2",
                     says=["independent tasks on equal GPUs", "it has several buses"])
        self.refused("predict", "gemm3d:n=4,c=yes", LIMITED[1], "--strategies", "hybrid", says=["its model is of gemm2d"])
        self.refused("trajectory", *LIMITED, "--strategy", "modular-heft:beta=2", says=["the option beta"])
        self.refused("trajectory", "outer:n=4", LIMITED[1], says=["its data have no sizes"])
        self.refused("trajectory", "gemm2d:n=4", "homogeneous:p=2", "--strategy", "darts",
                     says=["'darts' has no index sets that grow", "dynamic-2phases"])
        self.refused("trajectory", *NO_GRID, "--strategy", "lws", says=["outer: and matrix:", "gpus:k=2,memory=500MB"])

    def test_hfp_is_not_called_exact_where_memory_holds_few_items(self) -> None:
        for memory, domain in (("15data", "outside validated domain: hfp on one GPU with memory of 15 data items, validated from 16"),
                               ("16data", "inside")):
            done = damocles("predict", "gemm2d:n=20", f"gpus:k=1,memory={memory}", "--strategies", "hfp", "--format", "csv")
            self.assertEqual([row["domain"] for row in rows(done.stdout)], [domain])

    def test_limited_memory_is_predicted_of_any_independent_tasks(self) -> None:
        for workload in ("gemm3d:n=6", "gemm3d:n=6,c=yes", "sparse2d:n=40,density=0.2", "cholesky:n=9,deps=false", "lu:n=7,deps=false"):
            done = damocles("compare", workload, "gpus:k=1,memory=20data", "--strategies", "lws", "--format", "csv",
                            "--replicates", "1")
            found = {row["source"]: row for row in rows(done.stdout)}
            self.assertEqual(float(found["predicted"]["loads"]), float(found["simulated"]["loads"]), workload)
            self.assertEqual(found["predicted"]["domain"], "inside", workload)
            done = damocles("predict", workload, "gpus:k=2,memory=20data", "--strategies", "random", "--format", "csv")
            self.assertEqual([row["model"] for row in rows(done.stdout)], ["characteristic-time"], workload)

    def test_limited_memory_is_predicted_of_static_schedules_of_dependent_tasks(self) -> None:
        asked = ("cholesky:n=9,deps=true", "gpus:k=1,memory=45data")
        done = damocles("compare", *asked, "--strategies", "heft,dmdas", "--format", "csv", "--replicates", "1")
        found = {(row["source"], row["strategy"]): row for row in rows(done.stdout) if row["model"] or row["source"] == "simulated"}
        self.assertEqual(found["predicted", "heft"]["model"], "plan")
        self.assertEqual(found["predicted", "heft"]["domain"], "inside")
        for column in ("loads", "bytes_loaded", "bytes_written", "planned_makespan_s"):
            self.assertEqual(float(found["predicted", "heft"][column]), float(found["simulated", "heft"][column]), column)
        self.assertNotIn(("predicted", "dmdas"), found)
        said = damocles("predict", *asked, "--strategies", "heft,dmdas,heft:prefetch=push,heft:eviction=fifo", "--format", "csv").stdout
        why = {row["strategy"]: row["status"] for row in rows(said)}
        self.assertEqual(why["heft"], "ok")
        self.assertRegex(why["dmdas"], "^no model: no model predicts 'dmdas' where tasks wait for others or write; static schedules have one: bil, ")
        self.assertRegex(why["heft:prefetch=push"], "with the option prefetch$")
        self.assertRegex(why["heft:eviction=fifo"], "with eviction=fifo, but with lru$")
        self.assertIn("plan of heft: nine of ten predictions within 1.5 %", damocles("predict", *asked, "--strategies", "heft").stdout)
        small = rows(damocles("predict", "cholesky:n=3,deps=true", asked[1], "--strategies", "heft", "--format", "csv").stdout)
        self.assertEqual(small[0]["domain"], "outside validated domain: 10 tasks, validated from 20")
        self.refused("predict", *asked, "--strategies", "dmdas", says=["no model predicts 'dmdas' where tasks wait"])
        self.refused("predict", *asked, "--strategies", "heft", "--model", "counted",
                     says=["model counted does not predict strategy 'heft' there", "model plan does"])
        self.refused("predict", *LIMITED, "--strategies", "heft", "--model", "plan", says=["not of the independent ones of 'gemm2d:n=4'"])
        self.refused("predict", asked[0] + ",updates=commute", asked[1], "--strategies", "heft", says=["its tasks commute"])
        self.refused("predict", asked[0], asked[1] + ",noise=lognormal:0.1", "--strategies", "heft", says=["the times of its tasks vary"])
        self.refused("predict", asked[0], "gpus:k=1,memory=2data", "--strategies", "heft", says=["memory=3data"])

    def test_predict_says_from_which_memory_transfers_hide(self) -> None:
        said = damocles("predict", "gemm2d:n=60", "gpus:k=1,memory=500MB", "--strategies", "lws,heft").stdout
        self.assertIn("lws, heft: transfers hide behind computing from 62 data items on", said)
        self.assertIn("panel-streaming: transfers hide behind computing from 5 data items on", said)

    def test_limited_memory_is_predicted_with_loads_makespan_and_spread(self) -> None:
        asked = ("gemm2d:n=30", "gpus:k=2,memory=20data", "--strategies", "dmdar,random,darts,eager,modular-heft,dmdar:beta=2")
        found = {row["strategy"]: row for row in rows(damocles("predict", *asked, "--format", "csv").stdout)}
        self.assertEqual({name: row["model"] for name, row in found.items()},
                         {"dmdar": "counted", "random": "characteristic-time", "darts": "choice-chain", "eager": "counted", "modular-heft": "counted",
                          "dmdar:beta=2": ""})
        self.assertRegex(found["dmdar:beta=2"]["status"], "^no model: ")
        for name in ("dmdar", "random", "darts", "eager", "modular-heft"):
            for column in ("loads", "makespan_s", "sd", "makespan_ratio", "gflops", "expected_error", "bytes_loaded"):
                self.assertNotEqual(found[name][column], "", (name, column))
            self.assertEqual(found[name]["domain"], "inside")
        small = rows(damocles("predict", "gemm2d:n=9", asked[1], "--strategies", "dmdar", "--format", "csv").stdout)
        self.assertEqual(small[0]["domain"], "outside validated domain: a side of 9 blocks, validated from 20")
        shown = damocles("compare", *asked, "--replicates", "2", "--wide").stdout
        for part in ("predicted_loads", "predicted_s", "no prediction: dmdar:beta=2; `damocles predict` says why", "choice-chain of darts "):
            self.assertIn(part, shown)

    def test_a_strategy_without_a_model_leaves_the_others_their_predictions(self) -> None:
        asked = ("outer:n=40", "homogeneous:p=4", "--strategies", "darts,dynamic", "--model", "exact,refined")
        shown = damocles("predict", *asked, "--format", "csv")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        found = {(row["strategy"], row["model"]): row for row in rows(shown.stdout)}
        self.assertEqual(set(found), {("darts", ""), ("dynamic", "exact"), ("dynamic", "refined")})
        self.assertRegex(found["darts", ""]["status"], "^no model: .* does not predict strategy 'darts' on 'outer:n=40'")
        self.assertEqual(found["darts", ""]["volume_ratio"], "")
        self.assertEqual(found["dynamic", "refined"]["status"], "ok")
        compared = damocles("compare", *asked, "--replicates", "2", "--wide")
        self.assertEqual(compared.returncode, 0, compared.stderr)
        self.assertRegex(compared.stdout, r"(?m)^darts: .* does not predict strategy 'darts' on")
        line = next(line for line in compared.stdout.splitlines() if line.startswith("darts "))
        self.assertEqual(line.split()[-3:], ["–"] * 3)

    def test_beta_follows_limited_memory(self) -> None:
        asked = ("gemm2d:n=50", "gpus:k=1,memory=75data")
        text = damocles("beta", *asked).stdout
        beta = re.search(r"(?m)^use beta = ([\d.]+) \((\d+) tasks left", text)
        self.assertIsNotNone(beta, text)
        assert beta is not None
        (simulated,) = rows(damocles("simulate", *asked, "--strategies", "dynamic-2phases", "--replicates", "1",
                                     "--format", "csv").stdout)
        self.assertEqual(float(simulated["beta"]), float(beta[1]))
        (row,) = rows(damocles("beta", *asked, "--format", "csv").stdout)
        self.assertEqual(row["recommended_beta"], f"{float(beta[1]):g}")
        found = json.loads(damocles("beta", *asked, "--format", "json").stdout)
        self.assertEqual(found["recommended"]["tasks_left"], int(beta[2]))
        points = [tuple(map(float, point.split(":"))) for point in row["curve"].split()]
        self.assertEqual(points, sorted(points))
        self.assertAlmostEqual(min(ratio for _, ratio in points), float(row["volume_ratio"]), places=4)
        self.assertIn("do not switch", damocles("beta", "gemm2d:n=30", "gpus:k=4,memory=60data").stdout)

    def test_gpus_of_different_speeds_are_predicted(self) -> None:
        gpus = "".join(f'[[gpus]]\ngflops = {speed}\nmemory = "20data"\nlink = "12GB/s"\n' for speed in (13253, 6000))
        path = os.path.abspath("two.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'[bus]\nbandwidth = "12GB/s"\n{gpus}')
        found = rows(damocles("compare", "gemm2d:n=30", path, "--strategies", "dmda,heft,lws,hfp", "--replicates", "1",
                              "--format", "csv").stdout)
        loads = {source: {row["strategy"]: float(row["loads"]) for row in found if row["source"] == source}
                 for source in ("predicted", "simulated")}
        self.assertEqual(loads["predicted"], loads["simulated"])
        self.assertEqual({row["model"] for row in found if row["strategy"] == "heft"}, {"", "plan"})
        self.refused("trajectory", "gemm2d:n=30", path, "--strategy", "heft", says=["on equal GPUs only"])
        every = damocles("predict", "gemm2d:n=30", path, "--strategies", "all").stdout
        self.assertNotIn("no model predicts", every)
        self.assertNotIn("hide behind computing", every)  # derived for equal GPUs
        self.assertRegex(every, r"(?m)^counted of .*\blws, modular-ws, .*\bws: nine of ten predictions within .* GPUs whose speeds differ up to 4 times$")
        errors = {float(row["expected_error"]) for row in found if row["strategy"] == "lws" and row["model"]}
        said = re.findall(r"(?m)^counted of .*\blws\b.* within ([\d.]+) %", every)
        self.assertEqual([f"{100 * error:g}" for error in errors], said)

    def test_predict_all_says_of_how_many_no_model_speaks(self) -> None:
        said = damocles("predict", "cholesky:n=6,deps=true", "gpus:k=2,memory=12data", "--strategies", "all").stdout
        self.assertRegex(said, r"(?m)^no model predicts \d\d other strategies there; name one to see why$")
        some = damocles("predict", "gemm3d:n=6", "gpus:k=2,memory=12data", "--strategies", "all").stdout
        self.assertNotIn("no model predicts", some)

    def test_strategies_with_the_same_expected_error_share_a_line(self) -> None:
        text = damocles("compare", "gemm2d:n=20", "gpus:k=2,memory=20data", "--strategies", "eager,sorted,lws,darts,dynamic,dmda,dm",
                        "--replicates", "1").stdout  # fmt: skip
        heading = "Nine of ten predictions without * are expected within:\n"
        self.assertIn(heading, text)
        lines = re.findall(r"(?m)^  (\S+) of (.*?) [\d.]+ % \(makespan", text.split(heading)[1])
        self.assertIn({"eager", "sorted"}, [set(named.split(", ")) for _, named in lines])
        self.assertRegex(text, r"(?m)^counted of (dm, dmda|dmda, dm): loads exact in nine of ten")

    def test_predictions_say_where_their_models_were_validated(self) -> None:
        names = ("--strategies", "dynamic-2phases:beta=4,random", "--model", "exact,refined")
        for workload, platform, outside in (
                ("outer:n=100", "homogeneous:p=20", {"exact": "", "refined": ""}),
                ("outer:n=40", "homogeneous:p=320", {"exact": "5 tasks a processor, validated from 25",
                                                       "refined": "5 tasks a processor, validated from 8"}),
                ("outer:m=50,n=500", "homogeneous:p=100", {"exact": "", "refined": "sides of 1:10"}),
                ("outer:n=100", "dyn.5:p=20", {"exact": "drift", "refined": "drift"})):
            for command in ("predict", "compare"):
                text = damocles(command, workload, platform, *names, "--replicates", "1").stdout
                for model in ("exact", "refined"):
                    said = (rf"(?m)^{model}: nine of ten predictions within [\d.]+ %, validated for .*$"
                            if command == "predict" else
                            rf"(?m)^Nine of ten predictions without \* are expected within: .*\b{model} [\d.]+ %")
                    # Where a row is outside, it says why instead.
                    self.assertEqual(len(re.findall(said, text)), 0 if outside[model] else 1, text)
                self.assertEqual(" outside validated domain: " in text, any(outside.values()), text)
            for row in rows(damocles("predict", workload, platform, *names, "--format", "csv",
                                     "--replicates", "1").stdout):
                self.assertEqual(row["status"], "ok")
                if row["strategy"] == "random":
                    continue
                why = outside[row["model"]]
                self.assertIn(why, row["domain"])
                self.assertEqual(row["domain"] == "inside", why == "", row)
                self.assertEqual(row.get("expected_error", "") == "", why != "", row)

    def test_models_whose_loads_were_exact_say_so(self) -> None:
        asked = ("gemm2d:n=20", "gpus:k=2,memory=8data", "--strategies", "heft,lws")
        for command, also in (("predict", r", validated for .*"), ("compare", r"\.")):
            text = damocles(command, *asked).stdout
            self.assertNotIn("within 0 %", text)
            self.assertRegex(text, rf"(?m)^counted of heft: loads exact in nine of ten \(makespan within [\d.]+ %\){also}$")
            self.assertRegex(text, r"(counted of lws: nine of ten predictions within|within: counted of lws) [\d.]+ % \(makespan ")


if __name__ == "__main__":
    unittest.main()
