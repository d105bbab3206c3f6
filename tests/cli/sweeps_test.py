"""Sweeps from the command line, zipped lists, and sweeps of heterogeneity."""

import csv
import io
import os
import sqlite3
import statistics
import unittest

from program import SOURCE, InFolder, damocles

GEMM = ("gemm2d:n=5", "gpus:k=1", "--strategies", "eager,dmdar", "--replicates", "2")


class InSweeps(InFolder):
    def sweep(self, *words: str) -> str:
        done = damocles("sweep", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def rows(self, name: str) -> list[dict[str, str]]:
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(io.StringIO(file.read())))

    def refused(self, *words: str, says: list[str]) -> None:
        done = damocles("sweep", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
        for part in says:
            self.assertIn(part, done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


class FromWords(InSweeps):
    def test_words_and_a_file_ask_for_the_same(self) -> None:
        self.path("s.toml", 'workload = "gemm2d:n={n}"\nplatform = "gpus:k=1,memory={memory}"\n'
                            'strategies = ["eager", "dmdar"]\nreplicates = 2\n'
                            '[vary]\nmemory = "5data:9data:2"\nn = [4, 5]\n')
        self.assertEqual(self.sweep("s.toml"), "24 rows in s.csv: 0 kept, 24 new\n")
        said = self.sweep(*GEMM, "--vary", "memory=5data:9data:2", "--vary", "n=4,5", "-o", "s.csv")
        self.assertEqual(said, "24 rows in s.csv: 24 kept, 0 new\n")

    def test_without_a_file_it_prints_a_table_of_means(self) -> None:
        said = self.sweep(*GEMM, "--vary", "memory=5data,9data", "--vary", "n=4:5")
        lines = said.splitlines()
        self.assertEqual(lines[0], "4 settings, means of 2 runs; of each setting the fastest first")
        self.assertEqual(lines[2].split()[:5], ["memory", "n", "strategy", "makespan_s", "makespan_ratio"])
        self.assertEqual([tuple(line.split()[:2]) for line in lines[3:11]],
                         [(memory, n) for memory in ("5data", "9data") for n in "45" for _ in range(2)])
        self.assertEqual(lines[-1], "-o FILE.csv writes every run")
        self.assertEqual(os.listdir(self.folder), [])

    def test_the_table_may_be_for_a_paper(self) -> None:
        vary = (*GEMM, "--vary", "memory=5data,9data")
        latex = self.sweep(*vary, "--format", "latex").splitlines()
        self.assertEqual(latex[0], r"\begin{tabular}{rlrrrrr}")
        self.assertTrue(latex[2].startswith(r"memory & strategy & makespan\_s & "), latex)
        self.assertTrue(self.sweep(*vary, "--format", "markdown").startswith("| memory | strategy | "))
        self.assertEqual(self.sweep(*vary, "--format", "table"), self.sweep(*vary))
        self.refused(*vary, "--format", "csv", says=["-o FILE.csv writes every run"])
        self.refused(*vary, "--format", "latex", "-o", "a.csv", says=["without -o, for a table of means"])

    def test_a_table_says_which_settings_have_no_answer(self) -> None:
        said = self.sweep(*GEMM, "--vary", "memory=1data,9data")
        self.assertIn("status", said)
        self.assertRegex(said, "1data +(eager|dmdar) .*infeasible")

    def test_a_dry_run_lists_the_settings(self) -> None:
        said = self.sweep(*GEMM, "--vary", "memory=5data:80data", "--dry-run", "--quiet")
        self.assertTrue(said.startswith("10 settings, 40 rows\n"), said)
        self.assertIn("gpus:k=1,memory=13data", said)

    def test_a_dry_run_estimates_time_and_memory(self) -> None:
        asked = ("sweep", *GEMM, "--vary", "memory=5data,80data", "--dry-run")
        done = damocles(*asked, "--jobs", "2", cwd=self.folder)
        self.assertRegex(done.stderr, r"^damocles: 8 rows to run take about .* on 2 threads( and [\d.]+ .?B of memory)?, "
                                      r"estimated from 2 rows that were tried\n$")
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual(damocles(*asked, "--quiet", cwd=self.folder).stderr, "")
        self.sweep(*GEMM, "--vary", "memory=5data", "--store", "s.db")
        done = damocles(*asked, "--store", "s.db", cwd=self.folder)
        self.assertRegex(done.stderr, r"^damocles: 4 rows to run .* estimated from times in 's.db' and 1 row that was tried\n$")
        done = damocles("sweep", *GEMM, "--vary", "memory=5data", "--dry-run", "--store", "s.db", cwd=self.folder)
        self.assertEqual(done.stderr, "")  # nothing is to be run

    def test_quiet_hides_notes(self) -> None:
        asked = ("sweep", "lu:n=3,deps=false", "gpus:k=1", "--vary", "n=3,4", "--strategies", "eager", "--replicates", "1")
        self.assertIn("run at the rate of GEMM", damocles(*asked, cwd=self.folder).stderr)
        self.sweep(*asked[1:], "--quiet")
        self.sweep("outer:n=4", "homogeneous:p=2", "--vary", "n=4,5", "--strategies", "all", "--quiet", "-o", "a.csv")

    def test_says_which_strategy_is_best_at_each_setting(self) -> None:
        vary = (*GEMM, "--vary", "memory=5data,9data", "--vary", "n=4,5")
        rows = self.sweep(*vary, "-o", "s.csv")
        self.assertEqual(rows.count("\n"), 1)
        lines = self.sweep(*vary, "-o", "s.csv", "--summary").splitlines()[1:]
        self.assertEqual(len(lines), 4)
        for line, memory, n in zip(lines, ("5data", "5data", "9data", "9data"), "4545", strict=True):
            means: dict[str, float] = {}
            for row in self.rows("s.csv"):
                if (row["workload"], row["platform"]) == (f"gemm2d:n={n}", f"gpus:k=1,memory={memory}"):
                    means[row["strategy"]] = means.get(row["strategy"], 0) + float(row["makespan_s"])
            self.assertTrue(line.startswith(f"memory={memory}, n={n}: best: {min(means, key=lambda name: means[name])}"), line)
            self.assertRegex(line, r" above the lower bound on time.*\.$")
        table = self.sweep(*vary, "--summary")
        self.assertEqual(table.splitlines()[-5:], ["", *lines])
        shown = damocles("sweep", *vary, "-o", "-", "--summary", cwd=self.folder)
        self.assertEqual(shown.stderr.splitlines()[1:], lines)
        self.assertNotIn("best: ", shown.stdout)

    def test_of_many_settings_says_how_often_each_is_best(self) -> None:
        said = self.sweep(*GEMM, "--vary", "n=2:16:1", "-o", "s.csv", "--summary").splitlines()
        self.assertRegex(said[1], r"^\w+ is fastest at \d+ of 15 points(, \w+ at \d+)?\.$")
        self.assertEqual(len(said), 2)
        said = self.sweep("gemm2d:n=5", "gpus:k=1", "--strategies", "eager", "--vary", "n=4,5", "-o", "t.csv", "--summary")
        self.assertTrue(said.endswith("\nno setting has two strategies to compare\n"), said)

    def test_of_a_varied_strategy_names_the_setting(self) -> None:
        said = self.sweep("outer:n=20", "homogeneous:p=4", "--strategies", "dynamic-2phases:beta={beta}", "--vary", "beta=1,3",
                          "--replicates", "1", "-o", "b.csv", "--summary")
        self.assertRegex(said, r"\nouter:n=20 on homogeneous:p=4: best: dynamic-2phases:beta=[13], ")

    def test_predictions_and_options_of_strategies(self) -> None:
        self.sweep("outer:n=20", "homogeneous:p=4", "--strategies", "dynamic-2phases:beta={beta}", "--model", "refined",
                   "--vary", "beta=1:3:0.5", "--replicates", "1", "-o", "b.csv")
        self.assertEqual([row["source"] for row in self.rows("b.csv")], ["predicted", "simulated"] * 5)

    def test_what_is_wrong_is_refused_before_anything_runs(self) -> None:
        for words, says in (
                (("gemm2d:n=5",), ["cannot open", "'gemm2d:n=5'"]),
                (("gemm2d:n=5", "--vary", "n=4"), ["missing PLATFORM", "'gemm2d:n=5'"]),
                (("s.toml", "--vary", "n=4"), ["--vary belongs to a WORKLOAD and a PLATFORM"]),
                (("s.toml", "--replicates", "4"), ["--replicates belongs to", "write replicates = ... into 's.toml'"]),
                (("gpus:k=1", "gemm2d:n=5", "--vary", "n=4"), ["give the workload first"]),
                ((*GEMM,), ["nothing to vary; add --vary KEY=VALUES"]),
                ((*GEMM, "--vary", "memry=4data"), ["--vary memry: ", "did you mean 'memory'?"]),
                ((*GEMM, "--vary", "memory=5:9"), ["memory 5 has no unit; did you mean 5MB?"]),
                ((*GEMM, "--vary", "memory=5data:9dta"), ["one unit, not 'data' and 'dta'"]),
                ((*GEMM, "--vary", "n=1:999999999:1"), ["999999999 values; at most 250000"]),
                ((*GEMM, "--vary", "n=1:1000:1", "--vary", "depth=1:1000:1"),
                 ["the sweep asks for 1000000 settings", "at most 250000"]),
                ((*GEMM, "--vary", "n=4", "-o", "x.json"), [".csv"]),
                ((*GEMM[:2], "--vary", "n=4", "--strategies", "egaer"), ["unknown strategy 'egaer'"])):
            with self.subTest(words=words):
                self.refused(*words, says=says)


class Precise(InSweeps):
    """--precision adds replicates until means are precise."""

    WORDS = ("outer:n=20", "uniform:p=8,mean=100,spread=0.8", "--strategies", "dynamic,random", "--vary", "n=20,80")

    def half_widths(self, name: str, column: str) -> dict[tuple[str, str], tuple[int, float]]:
        """Of each strategy in each setting: its rows, and half of the confidence interval over the mean."""
        values: dict[tuple[str, str], list[float]] = {}
        for row in self.rows(name):
            values.setdefault((row["workload"] + row["platform"], row["strategy"]), []).append(float(row[column]))
        # Student's factor is at least that of the normal distribution, 1.96.
        return {key: (len(own), 1.96 * statistics.stdev(own) / len(own) ** 0.5 / statistics.mean(own))
                for key, own in values.items()}

    def test_each_setting_gets_as_many_replicates_as_it_needs(self) -> None:
        said = self.sweep(*self.WORDS, "--precision", "2%", "-o", "p.csv")
        found = self.half_widths("p.csv", "loads")
        self.assertEqual(len(found), 4)
        counts = {setting: {n for (other, _), (n, _) in found.items() if other == setting} for setting, _ in found}
        for setting, own in counts.items():
            self.assertEqual(len(own), 1, setting)  # all strategies on the same draws
            self.assertEqual(min(own) % 5, 0)
        for n, width in found.values():
            self.assertLessEqual(width, 0.02)
            self.assertLess(n, 1000)
        self.assertEqual(len({min(own) for own in counts.values()}), 2)  # the small one differs more
        rows = sum(n for n, _ in found.values())
        self.assertTrue(said.startswith(f"{rows} rows in p.csv: 0 kept, {rows} new\n"), said)
        again = self.sweep(*self.WORDS, "--precision", "2%", "-o", "p.csv")
        self.assertTrue(again.startswith(f"{rows} rows in p.csv: {rows} kept, 0 new\n"), again)

    def test_the_makespan_counts_where_memory_is_limited(self) -> None:
        self.sweep("gemm2d:n=8", "gpus:k=2,jitter=0.3", "--vary", "memory=5data", "--strategies", "eager,darts",
                   "--precision", "3%", "-o", "p.csv")
        for n, width in self.half_widths("p.csv", "makespan_s").values():
            self.assertLessEqual(width, 0.03)
            self.assertGreaterEqual(n, 5)

    def test_the_rows_are_the_same_whatever_happened_before(self) -> None:
        words = (*self.WORDS, "--precision", "2%")
        self.sweep(*words, "-o", "p.csv")
        with open(self.path("p.csv"), encoding="utf-8") as file:
            expected = file.read()
        for number, kept in enumerate((0, 3, 12, 1003, 2041)):
            name = f"s{number}.db"
            self.sweep(*words, "--store", name, "--jobs", "2")
            with sqlite3.connect(self.path(name)) as store:  # as a kill leaves it
                store.execute("delete from rows where number > ?", (kept,))
            self.sweep(*words, "--store", name, "--jobs", "1")
            self.assertEqual(damocles("query", name, "--format", "csv", cwd=self.folder).stdout, expected)
        # A looser one needs none of its own.
        self.assertIn(" 0 new\n", self.sweep(*self.WORDS, "--precision", "4%", "--store", "s0.db"))
        self.refused_beside("p.csv", *self.WORDS, "--precision", "4%", "-o", "p.csv", says=["of other settings"])

    def refused_beside(self, name: str, *words: str, says: list[str]) -> None:
        done = damocles("sweep", *words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        for part in says:
            self.assertIn(part, done.stderr)

    def test_a_file_may_ask_for_it_and_a_note_names_who_did_not_reach_it(self) -> None:
        self.path("s.toml", 'workload = "outer:n={n}"\nplatform = "uniform:p=4,mean=100,spread=0.8"\nstrategies = "random"\n'
                            'precision = "0.5%"\nreplicates = 20\n[vary]\nn = [6, 7]\n')
        done = damocles("sweep", "s.toml", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "40 rows in s.csv: 0 kept, 40 new\n")
        self.assertIn("note: 2 settings have not reached 0.5 % with 20 replicates, the first of them: outer:n=6 on "
                      "uniform:p=4,mean=100,spread=0.8\n", done.stderr)
        said = self.sweep("s.toml", "-o", "t.csv", "--dry-run", "--quiet")
        self.assertTrue(said.startswith("2 settings, 10 rows; 0 are in t.csv, 10 to run; more until means are precise to 0.5 %\n"))

    def test_what_is_wrong_is_refused(self) -> None:
        for more, says in ((("--precision", "1"), ["--precision '1': give a share of the mean from 0.01% to 50%, as 1%"]),
                           (("--precision", "1%", "--replicates", "4"), ["--replicates '4': give a whole number from 5 to"]),
                           (("--precision", "1%", "--shard", "1/2", "--store", "s.db"),
                            ["--shard 1/2: a precision needs all rows of a setting"]),
                           (("--precision", "1%", "--vary", "m=1:200:1"), ["with up to 1000 replicates", "at most 250000"])):
            with self.subTest(more=more):
                self.refused(*self.WORDS, *more, says=says)
        self.path("s.toml", 'workload = "outer:n=6"\nplatform = "homogeneous:p=2"\nmodels = "all"\nsimulate = false\nprecision = "1%"\n')
        self.refused_beside("s.toml", "s.toml", says=["line 5: precision: it is that of simulated means"])
        self.refused_beside("s.toml", "s.toml", "--precision", "1%", says=["write precision = ... into 's.toml'"])


class Zipped(InSweeps):
    def test_lists_that_move_together_are_a_part_of_the_product(self) -> None:
        head = ('workload = "outer:n=9"\nplatform = "uniform:p={p},mean={mean},spread=0.5"\n'
                'strategies = "random"\nreplicates = 2\n')
        lists = "p = [2, 3, 4]\nmean = [100, 50, 25]\n"
        self.path("product.toml", f"{head}[vary]\n{lists}")
        self.path("zipped.toml", f"{head}[zip]\n{lists}")
        self.assertEqual(self.sweep("product.toml"), "18 rows in product.csv: 0 kept, 18 new\n")
        self.assertEqual(self.sweep("zipped.toml"), "6 rows in zipped.csv: 0 kept, 6 new\n")
        zipped = self.rows("zipped.csv")
        self.assertEqual([row["platform"] for row in zipped[::2]],
                         [f"uniform:p={p},mean={mean},spread=0.5" for p, mean in ((2, 100), (3, 50), (4, 25))])
        product = self.rows("product.csv")
        for row in zipped:
            self.assertIn(row, product)


class Heterogeneity(InSweeps):
    def test_it_is_swept_by_one_number_and_is_a_column(self) -> None:
        self.sweep("outer:n=9", "uniform:p=200,mean=100", "--vary", "spread=0:0.8:0.4", "--strategies", "random",
                   "--replicates", "1", "-o", "h.csv")
        found = [row["heterogeneity"] for row in self.rows("h.csv")]
        self.assertEqual(found[0], "")  # equal speeds
        self.assertAlmostEqual(float(found[1]), 0.4, delta=0.02)
        self.assertAlmostEqual(float(found[2]), 0.8, delta=0.03)

    def test_equal_speeds_have_no_such_column(self) -> None:
        self.sweep("outer:n=9", "homogeneous:p=2", "--vary", "n=4", "--strategies", "random", "-o", "e.csv")
        self.assertNotIn("heterogeneity", self.rows("e.csv")[0])

    def test_speeds_of_a_file_are_those_of_the_line(self) -> None:
        self.path("lab.txt", "# our lab\n100, 100\n300\n")
        told = [damocles("simulate", "outer:n=9", platform, "--format", "csv", "--strategies", "dynamic", cwd=self.folder)
                for platform in ("speeds:@lab.txt", "speeds:100,100,300")]
        of_file, of_words = (list(csv.DictReader(io.StringIO(one.stdout))) for one in told)
        for row in (*of_file, *of_words):
            self.assertEqual(row.pop("heterogeneity"), "0.5")  # (300 - 100) / (300 + 100)
            row.pop("platform")
        self.assertEqual(of_file, of_words)
        self.sweep("outer:n={n}", "speeds:@lab.txt", "--vary", "n=4", "--strategies", "random", "-o", "s.csv")
        self.assertTrue(self.rows("s.csv")[0]["inputs"].startswith("platform="))
        self.path("lab.txt", "100\nfast\n")
        wrong = damocles("simulate", "outer:n=9", "speeds:@lab.txt", cwd=self.folder)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("speed file 'lab.txt', line 2: 'fast' must be a number", wrong.stderr)


class Example(InSweeps):
    def test_the_study_of_the_documents_runs(self) -> None:
        said = self.sweep(os.path.join(SOURCE, "docs/examples/study.toml"), "-o", "study.csv")
        self.assertEqual(said, "36 rows in study.csv: 0 kept, 36 new\n")


if __name__ == "__main__":
    unittest.main()
