"""Sweeps over several machines: shards and what merges them."""

import os
import sqlite3
import subprocess
import unittest

from program import PROGRAM
from store_test import Stores

STUDY = """workload = "gemm2d:n={n}"
platform = "gpus:k=1,memory={m}data"
strategies = ["eager", "darts"]
replicates = 3
[vary]
n = [4, 5]
m = [1, 9]
"""


class Shards(Stores):
    def setUp(self) -> None:
        super().setUp()
        self.path("study.toml", STUDY)

    def test_merged_they_are_the_sweep(self) -> None:
        self.answer("sweep", "study.toml", "-o", "study.csv")
        runs = [subprocess.Popen([PROGRAM, "sweep", "study.toml", "--shard", f"{i}/3", "--store", f"part{i}.db"], cwd=self.folder,
                                 stdout=subprocess.PIPE, text=True) for i in (1, 2, 3)]  # fmt: skip
        for i, run in enumerate(runs, 1):
            said, _ = run.communicate(timeout=600)
            self.assertRegex(said, rf"^8 rows in part{i}.db: 0 kept, 8 new; \d infeasible \(column status says why\); shard {i}/3 of 24 rows\n$")
        parts = ["part3.db", "part1.db", "part2.db"]
        self.assertEqual(self.answer("merge", *parts, "--store", "all.db"), "24 rows of 1 study in all.db: 0 kept, 24 new\n")
        self.assertEqual(self.answer("query", "all.db", "--format", "csv"), self.read("study.csv"))
        self.assertEqual(self.answer("merge", *parts, "--store", "all.db"), "24 rows of 1 study in all.db: 24 kept, 0 new\n")
        self.assertRegex(self.answer("sweep", "study.toml", "--store", "all.db"), "^24 rows in all.db: 24 kept, 0 new;")
        self.assertEqual(sorted(os.listdir(self.folder)), ["all.db", "part1.db", "part2.db", "part3.db", "study.csv", "study.toml"])

    def test_into_one_store_they_are_the_sweep_too(self) -> None:
        self.answer("sweep", "study.toml", "-o", "study.csv")
        for i in (2, 1):
            self.answer("sweep", "study.toml", "--shard", f"{i}/2", "--store", "s.db")
        self.assertEqual(self.answer("query", "s.db", "--format", "csv"), self.read("study.csv"))
        self.assertIn("1. damocles sweep study.toml\n", self.answer("cite", "s.db"))

    def test_one_that_is_missing_is_made_by_the_sweep(self) -> None:
        self.answer("sweep", "study.toml", "-o", "study.csv")
        for i in (1, 3):
            self.answer("sweep", "study.toml", "--shard", f"{i}/3", "--store", f"part{i}.db")
        self.answer("merge", "part1.db", "part3.db", "--store", "all.db")
        self.assertIn("24 rows; 16 are in all.db, 8 to run", self.answer("sweep", "study.toml", "--store", "all.db", "--dry-run"))
        self.answer("sweep", "study.toml", "--store", "all.db")
        self.assertEqual(self.answer("query", "all.db", "--format", "csv"), self.read("study.csv"))

    def test_a_dry_run_counts_the_rows_of_one(self) -> None:
        said = self.answer("sweep", "study.toml", "--shard", "2/3", "--store", "s.db", "--dry-run")
        self.assertIn("4 settings, 8 rows in shard 2/3 of 24 rows; 0 are in s.db, 8 to run\n", said)
        self.assertEqual(os.listdir(self.folder), ["study.toml"])

    def test_more_shards_than_rows_leave_some_without_any(self) -> None:
        parts = []
        for i in range(1, 31):
            self.answer("sweep", "study.toml", "--shard", f"{i}/30", "--store", f"{i}.db")
            parts.append(f"{i}.db")
        self.assertEqual(self.answer("merge", *parts, "--store", "all.db"), "24 rows of 1 study in all.db: 0 kept, 24 new\n")

    def test_what_is_wrong_is_refused(self) -> None:
        for words, says in ((("--shard", "0/4", "--store", "s.db"), ["--shard '0/4': give I/N", "as 2/16"]),
                            (("--shard", "2"), ["--shard '2'"]),
                            (("--shard", "2/4"), ["--shard 2/4: name a store", "--store part2.db", "damocles merge"]),
                            (("--shard", "2/4", "-o", "x.csv"), ["name a store"]),
                            (("--shard", "2/4", "--store", "s.db", "--summary"), ["--summary needs all rows", "merge the shards"])):
            with self.subTest(words=words):
                self.refused("sweep", "study.toml", *words, says=says)
        self.assertEqual(os.listdir(self.folder), ["study.toml"])


class Merges(Stores):
    def setUp(self) -> None:
        super().setUp()
        self.path("study.toml", STUDY)
        self.answer("sweep", "study.toml", "--store", "a.db")

    def test_what_is_wrong_is_refused_and_makes_no_store(self) -> None:
        self.path("notes.txt", "my notes\n")
        self.path("empty.db", "")
        before = sorted(os.listdir(self.folder))
        for words, says in ((("--store", "all.db"), ["merge what? give stores"]),
                            (("a.db",), ["name the store of all rows: --store all.db"]),
                            (("a.db", "none.db", "--store", "all.db"), ["cannot open store 'none.db': no such file"]),
                            (("a.db", "notes.txt", "--store", "all.db"), ["'notes.txt' is no store of rows"]),
                            (("a.db", "empty.db", "--store", "all.db"), ["store 'empty.db' is empty"]),
                            (("a.db", "--store", "all.csv"), ["end the name in .db"]),
                            (("a.db", "--store", "none/all.db"), ["folder 'none' does not exist"]),
                            (("a.db", "--store", "notes.db/"), ["notes.db/"]),
                            (("a.db", "--store", "a.db"), ["'a.db' would destroy the store to merge 'a.db'"])):
            with self.subTest(words=words):
                self.refused("merge", *words, says=says)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_stores_that_differ_in_a_row_are_refused(self) -> None:
        self.answer("sweep", "study.toml", "--store", "b.db")
        with sqlite3.connect(self.path("b.db")) as store:
            store.execute("update rows set loads = 7777 where status = 'ok'")
        before = sorted(os.listdir(self.folder))
        for order in (("a.db", "b.db"), ("b.db", "a.db")):
            self.refused("merge", *order, "--store", "all.db",
                         says=[f"'{order[0]}' and '{order[1]}' have different values in one row, eager on gemm2d:n=4", "loads ", "7777"])
        self.assertEqual(sorted(os.listdir(self.folder)), before)


if __name__ == "__main__":
    unittest.main()
