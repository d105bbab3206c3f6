"""Sweeps over several machines: shards, what merges them, and the ranks of an MPI job."""

import os
import shutil
import signal
import sqlite3
import subprocess
import time
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


class Srun(Stores):
    def test_without_mpi_it_is_told_that_all_copies_make_all_rows(self) -> None:
        self.path("study.toml", STUDY)
        started = {**os.environ, "SLURM_STEP_NUM_TASKS": "3"}
        for words, said in (((), "damocles: srun started 3 programs that do not know of each other"), (("--shard", "2/3"), "")):
            done = subprocess.run([PROGRAM, "sweep", "study.toml", "--store", "s.db", *words], cwd=self.folder, env=started, text=True,
                                  capture_output=True, check=True, timeout=600)  # fmt: skip
            self.assertTrue(done.stderr.startswith(said) and (said or not done.stderr), done.stderr)


@unittest.skipIf(shutil.which("mpirun") is None, "mpirun is not installed")
class MpiRanks(Stores):
    # Of Open MPI, which refuses root and more ranks than cores else; others do not know these. Its ranks
    # write to a terminal, with colours.
    ENVIRONMENT = {**os.environ, "NO_COLOR": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1"}  # fmt: skip
    LONGER = STUDY.replace("replicates = 3", "replicates = 60").replace("[4, 5]", "[20, 24]").replace("[1, 9]", "[9, 11]")

    def setUp(self) -> None:
        super().setUp()
        self.path("study.toml", STUDY)

    def ranks(self, count: int, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(["mpirun", "-n", str(count), PROGRAM, *words], cwd=self.folder, env=self.ENVIRONMENT, text=True,
                              capture_output=True, check=False, timeout=600)  # fmt: skip

    def test_any_number_of_them_makes_the_rows_of_one(self) -> None:
        self.answer("sweep", "study.toml", "-o", "study.csv")
        for count, jobs in ((1, "2"), (2, "1"), (3, "2"), (8, "0")):
            with self.subTest(ranks=count):
                done = self.ranks(count, "sweep", "study.toml", "--store", f"{count}.db", "--jobs", jobs, "--quiet")
                self.assertEqual(done.returncode, 0, done)
                self.assertIn(f"24 rows in {count}.db: 0 kept, 24 new", " ".join(done.stdout.split()))
                self.assertEqual(self.answer("query", f"{count}.db", "--format", "csv"), self.read("study.csv"))
        self.assertRegex(self.answer("cite", "3.db"), r"\n   on .+ threads; 3 MPI ranks\n")
        self.assertIn("24 rows in 3.db: 24 kept, 0 new", self.ranks(2, "sweep", "study.toml", "--store", "3.db").stdout)

    def test_they_make_a_csv_file_and_a_table_too(self) -> None:
        self.answer("sweep", "study.toml", "-o", "study.csv")
        done = self.ranks(3, "sweep", "study.toml", "-o", "ranks.csv", "--quiet")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.read("ranks.csv"), self.read("study.csv"))
        words = ("sweep", "gemm2d:n=5", "gpus:k=1,memory={m}data", "--vary", "m=5,9", "--strategies", "eager,darts", "--quiet")
        self.assertEqual(self.ranks(3, *words).stdout, self.answer(*words))

    def test_they_make_as_many_replicates_as_a_precision_needs(self) -> None:
        self.path("study.toml", STUDY.replace("replicates = 3", 'precision = "2%"\nreplicates = 60'))
        self.answer("sweep", "study.toml", "-o", "study.csv", "--quiet")
        for count in (2, 4):
            done = self.ranks(count, "sweep", "study.toml", "--store", f"{count}.db", "--quiet")
            self.assertEqual(done.returncode, 0, done)
            self.assertEqual(self.answer("query", f"{count}.db", "--format", "csv"), self.read("study.csv"))

    def test_they_may_make_a_shard(self) -> None:
        for i in (1, 2):
            done = self.ranks(2, "sweep", "study.toml", "--store", "s.db", "--shard", f"{i}/2")
            self.assertIn(f"shard {i}/2 of 24 rows", " ".join(done.stdout.split()))  # mpirun wraps it
        self.assertRegex(self.answer("sweep", "study.toml", "--store", "s.db"), "^24 rows in s.db: 24 kept, 0 new;")

    def test_what_is_wrong_is_said_once(self) -> None:
        for words, says in ((("none.toml", "--store", "s.db"), "damocles: cannot open sweep file 'none.toml': no such file;"),
                            (("study.toml", "--store", "s.txt"), "damocles: --store 's.txt': cannot write .txt files here;")):
            with self.subTest(words=words):
                done = self.ranks(3, "sweep", *words)
                self.assertEqual(done.returncode, 2, done)
                self.assertEqual(done.stderr.count("damocles: "), 1, done.stderr)
                self.assertIn(says, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["study.toml"])

    def test_a_rank_that_reads_another_sweep_is_refused(self) -> None:
        script = f"sed -i s/4,/$((4+OMPI_COMM_WORLD_RANK)),/ $OMPI_COMM_WORLD_RANK.toml; cp $OMPI_COMM_WORLD_RANK.toml study.toml;" \
                 f"exec {PROGRAM} sweep study.toml --store ../s.db"  # fmt: skip
        for rank in "01":
            os.mkdir(self.path(rank))
            self.path(f"{rank}/{rank}.toml", STUDY)
        done = subprocess.run(["mpirun", "-n", "2", "sh", "-c", f"cd $OMPI_COMM_WORLD_RANK; {script}"], cwd=self.folder,
                              env=self.ENVIRONMENT, text=True, capture_output=True, check=False, timeout=600)  # fmt: skip
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("damocles: rank 1 reads another sweep than rank 0; give all machines the same files", done.stderr)

    def killed(self, rank: int, *options: str) -> int:
        """The exit status of a sweep on 3 ranks of which one is killed when there are rows."""
        script = f"echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec {PROGRAM} sweep study.toml --store s.db --quiet"
        run = subprocess.Popen(["mpirun", *options, "-n", "3", "sh", "-c", script], cwd=self.folder, env=self.ENVIRONMENT,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        while run.poll() is None:
            time.sleep(0.05)
            try:
                if os.path.exists(self.path("s.db")) and self.rows() > 0:
                    break
            except sqlite3.OperationalError:
                continue  # there are no tables yet
        if run.poll() is None:
            try:
                os.kill(int(self.read(f"pid.{rank}")), signal.SIGKILL)
            except ProcessLookupError:
                pass  # the sweep has just ended
        return run.wait(600)

    def test_a_rank_that_is_killed_costs_no_row(self) -> None:
        if "Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False).stdout:
            self.skipTest("this mpirun ends all ranks when one is killed")
        self.path("study.toml", self.LONGER)
        self.answer("sweep", "study.toml", "-o", "study.csv")
        self.assertEqual(self.killed(2, "--enable-recovery"), 0)
        self.assertEqual(self.answer("query", "s.db", "--format", "csv"), self.read("study.csv"))

    def test_a_job_that_ends_goes_on_where_it_was(self) -> None:
        self.path("study.toml", self.LONGER)
        self.answer("sweep", "study.toml", "-o", "study.csv")
        self.killed(0)
        before = self.rows()
        done = self.ranks(3, "sweep", "study.toml", "--store", "s.db")
        self.assertIn(f"480 rows in s.db: {before} kept, {480 - before} new", done.stdout)
        self.assertEqual(self.answer("query", "s.db", "--format", "csv"), self.read("study.csv"))


if __name__ == "__main__":
    unittest.main()
