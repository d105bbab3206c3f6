"""Bad input: one line that says what is wrong and what would be right, exit 2, nothing written."""

import os
import unittest

from program import InFolder, damocles

SMALL = ("outer:n=4", "homogeneous:p=2")

# What is asked, and what the one line must say.
REFUSED = [
    ((), ["subcommand is required", "--help"]),
    (("simulte",), ["unknown command 'simulte'", "did you mean 'simulate'"]),
    (("simulate",), ["WORKLOAD is required"]),
    (("simulate", "outer:n=4"), ["PLATFORM is required"]),
    (("simulate", *SMALL, "--bogus"), ["--bogus", "damocles simulate --help"]),
    (("simulate", "outr:n=4", SMALL[1]), ["unknown workload 'outr'", "did you mean 'outer'"]),
    (("simulate", "outer", SMALL[1]), ["needs n", "outer:n=100"]),
    (("simulate", "outer:", SMALL[1]), ["is not key=value"]),
    (("simulate", "", SMALL[1]), ["has no name"]),
    (("simulate", "outer:n=0", SMALL[1]), ["n must be a whole number from 1"]),
    (("simulate", "outer:n=-3", SMALL[1]), ["n must be a whole number from 1"]),
    (("simulate", "outer:n=nan", SMALL[1]), ["n must be a whole number"]),
    (("simulate", "outer:n=1e3", SMALL[1]), ["n must be a whole number"]),
    (("simulate", "outer:n=4,n=5", SMALL[1]), ["gives 'n' twice"]),
    (("simulate", "outer:n=4,q=5", SMALL[1]), ["'q'", "valid: n, m"]),
    (("simulate", "outer:4", SMALL[1]), ["'4' is not key=value"]),
    (("simulate", "matrix:n=20000", SMALL[1]), ["more than 2^40 tasks"]),
    (("simulate", "matrix:n=2147483648", SMALL[1]), ["more than 2^40 tasks"]),
    (("simulate", "matrix:n=99999999999999999999", SMALL[1]), ["n must be a whole number"]),
    (("simulate", SMALL[0], "homogenous:p=2"), ["did you mean 'homogeneous'"]),
    (("simulate", SMALL[0], "homogeneous"), ["needs p"]),
    (("simulate", SMALL[0], "homogeneous:p=0"), ["p must be a whole number from 1"]),
    (("simulate", SMALL[0], "uniform:p=2,lo=1"), ["needs lo and hi"]),
    (("simulate", SMALL[0], "uniform:p=2,lo=5,hi=1"), ["hi must be above 0 and at least lo"]),
    (("simulate", SMALL[0], "uniform:p=2,lo=nan,hi=1"), ["lo must be a number"]),
    (("simulate", SMALL[0], "uniform:p=2,lo=-1,hi=1"), ["lo must be a number"]),
    (("simulate", SMALL[0], "speeds:1,inf"), ["'inf' is not a speed"]),
    (("simulate", SMALL[0], "speeds:1,0"), ["'0' is not a speed"]),
    (("simulate", SMALL[0], "nowhere.toml"), ["'nowhere.toml' is not there"]),
    (("simulate", *SMALL, "--strategies", "dynamc"), ["did you mean 'dynamic'"]),
    (("simulate", *SMALL, "--strategies", "random:x=1"), ["'x'", "valid: none"]),
    (("simulate", *SMALL, "--strategies", "dynamic-2phases:beta=-1"), ["beta must be a number"]),
    (("simulate", *SMALL, "--strategies", "dynamic-2phases:beta=1,tasks-left=2"),
     ["beta or tasks-left, not both"]),
    (("simulate", *SMALL, "--strategies", "RandomMatrix"), ["write 'RandomOuter'"]),
    (("simulate", "matrix:n=4", SMALL[1], "--strategies", "static-columns"),
     ["defined for the outer product only"]),
    (("simulate", *SMALL, "--replicates", "0"), ["--replicates '0'", "from 1"]),
    (("simulate", *SMALL, "--seed", "-1"), ["--seed '-1'"]),
    (("simulate", *SMALL, "--jobs", "many"), ["--jobs 'many'"]),
    (("simulate", *SMALL, "--format", "xml"), ["unknown format 'xml'", "table, csv, json"]),
    (("simulate", *SMALL, "-o", "/nowhere/x.csv"), ["folder '/nowhere' is not there"]),
    (("simulate", *SMALL, "-o", "/proc/x.csv"), ["/proc/x.csv"]),
    (("simulate", *SMALL, "-o", "/tmp"), ["is a folder"]),
    (("beta", *SMALL, "--model", "papr"), ["did you mean 'paper'"]),
    (("predict", *SMALL, "--model", ""), ["model"]),
    (("list", "strategy"), ["did you mean 'strategies'"]),
    (("sweep", "nowhere.toml"), ["'nowhere.toml' is not there"]),
    (("plot", "nowhere.csv"), ["'nowhere.csv' is not there"]),
    (("reproduce", "hpdc14.fig99"), ["unknown claim 'hpdc14.fig99'"]),
]

TOML = [
    ("simulate", "processors = 3", ["no [[processors]] table"]),
    ("simulate", "[[processors]]\nspeed = 1\nspeed = 2", ["line 3"]),
    ("simulate", "[[processors]]\nspeed = 'fast'", ["speed", "is not a speed"]),
    ("simulate", "[[processors]]\ncount = 2", ["speed", "is not a speed"]),
    ("simulate", "[[processors]]\nspeed = 1\ncount = 0", ["count must be a whole number"]),
    ("simulate", "[[processors]]\nsped = 1", ["line 2", "'sped'", "did you mean 'speed'"]),
    ("sweep", "workload = 'outer:n=4'", ["has no platform"]),
    ("sweep", "workload = [", ["line 1"]),
    ("sweep", "workload = []\nplatform = 'homogeneous:p=2'", ["line 1", "list is empty"]),
    ("sweep", "workload = 'outer:n={n}'\nplatform = 'homogeneous:p=2'", ["{n}", "[vary]"]),
    ("sweep", "wrkload = 'outer:n=4'", ["line 1", "did you mean 'workload'"]),
    ("sweep", "workload = 'outer:n=4'\nplatform = 'homogeneous:p=2'\nreplicates = -1",
     ["replicates '-1'"]),
    ("sweep", "workload = 'outer:n=4'\nplatform = 'homogeneous:p=2'\nmodels = 'magic'",
     ["unknown model 'magic'"]),
]


class Errors(InFolder):
    def refuse(self, words: tuple[str, ...], says: list[str]) -> None:
        run = damocles(*words, cwd=self.folder)
        self.assertEqual(run.returncode, 2, run)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("damocles: "), run.stderr)
        for part in says:
            self.assertIn(part, run.stderr)

    def test_bad_words_are_refused_in_one_line(self) -> None:
        for words, says in REFUSED:
            with self.subTest(words=words):
                self.refuse(words, says)
        self.assertEqual(os.listdir(self.folder), [])

    def test_bad_files_are_refused_with_their_place(self) -> None:
        for command, text, says in TOML:
            with self.subTest(text=text):
                path = self.path("bad.toml", text)
                words = (command, path) if command == "sweep" else (command, "outer:n=4", path)
                self.refuse(words, says)
        self.assertEqual(os.listdir(self.folder), ["bad.toml"])

    def test_a_result_file_of_something_else_is_not_overwritten(self) -> None:
        spec = self.path("s.toml", "workload = 'outer:n=4'\nplatform = 'homogeneous:p=2'\n")
        other = self.path("s.csv", "name,value\na,1\n")
        self.refuse(("sweep", spec), ["s.csv", "line 1", "'name'"])
        with open(other, encoding="utf-8") as file:
            self.assertEqual(file.read(), "name,value\na,1\n")


if __name__ == "__main__":
    unittest.main()
