"""A store of rows: nothing is lost, doubled or run twice, and it gives back the bytes of a CSV file."""

import csv
import io
import json
import os
import pty
import random
import re
import resource
import signal
import sqlite3
import subprocess
import time
import unittest

from program import PROGRAM, SOURCE, InFolder, damocles

KILLS = int(os.environ.get("DAMOCLES_KILLS", "12"))

STUDY = """workload = "outer:n={n}"
platform = "homogeneous:p=2"
strategies = ["random", "sorted"]
replicates = 2
[vary]
n = [4, 5]
"""
LONGER = STUDY.replace("replicates = 2", "replicates = 40").replace("[4, 5]", "[30, 40]")


class Stores(InFolder):
    def read(self, name: str) -> str:
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def answer(self, *words: str) -> str:
        done = damocles(*words, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *words: str, says: list[str]) -> None:
        done = damocles(*words, cwd=self.folder)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)

    def rows(self, name: str = "s.db") -> int:
        with sqlite3.connect(self.path(name)) as store:
            return store.execute("select count(*) from rows").fetchone()[0]


class Sweeps(Stores):
    def test_rows_that_are_there_are_not_run_again(self) -> None:
        self.path("study.toml", STUDY)
        sweep = ("sweep", "study.toml", "--store", "s.db")
        self.assertEqual(self.answer(*sweep), "8 rows in s.db: 0 kept, 8 new\n")
        self.assertEqual(self.answer(*sweep), "8 rows in s.db: 8 kept, 0 new\n")
        self.path("study.toml", STUDY.replace("[4, 5]", "[4, 6]"))
        self.assertIn("2 settings, 8 rows; 4 are in s.db, 4 to run\n", self.answer(*sweep, "--dry-run"))
        self.assertEqual(self.answer(*sweep), "8 rows in s.db: 4 kept, 4 new\n")
        self.assertEqual(self.rows(), 12)
        self.assertEqual(sorted(os.listdir(self.folder)), ["s.db", "study.toml"])

    def test_an_edited_file_makes_new_rows_beside_the_old_ones(self) -> None:
        self.path("study.toml", 'workload = "outer:n=4"\nplatform = "lab.toml"\nstrategies = "random"\n')
        for count in (2, 7):
            self.path("lab.toml", f"[[processors]]\nspeed = 1\ncount = {count}\n")
            self.assertEqual(self.answer("sweep", "study.toml", "--store", "s.db"), "10 rows in s.db: 0 kept, 10 new\n")
        with sqlite3.connect(self.path("s.db")) as store:
            self.assertEqual(store.execute("select processors, count(*) from rows group by 1").fetchall(), [(2, 10), (7, 10)])

    def test_a_dry_run_makes_no_store(self) -> None:
        self.path("study.toml", STUDY)
        self.assertIn("0 are in s.db, 8 to run", self.answer("sweep", "study.toml", "--store", "s.db", "--dry-run"))
        self.assertEqual(os.listdir(self.folder), ["study.toml"])

    def test_a_row_without_a_result_is_kept_as_one(self) -> None:
        words = ("sweep", "gemm2d:n=3", "gpus:k=1", "--vary", "memory=1data,4data", "--strategies", "eager",
                 "--replicates", "1", "--store", "s.db")  # fmt: skip
        self.assertEqual(self.answer(*words), "2 rows in s.db: 0 kept, 2 new; 1 infeasible (column status says why)\n")
        self.assertEqual(self.answer(*words), "2 rows in s.db: 2 kept, 0 new; 1 infeasible (column status says why)\n")

    def test_the_command_is_kept_as_a_shell_takes_it(self) -> None:
        words = ("sweep", "outer:n=4", "homogeneous:p=2", "--vary", "beta=1,2", "--strategies", "dynamic-2phases:beta={beta}",
                 "--replicates", "1", "--jobs", "1", "--quiet", "--summary")  # fmt: skip
        self.answer(*words, "--store", "s.db")
        with sqlite3.connect(self.path("s.db")) as store:
            (command, version, date, machine, seed), = store.execute("select command, version, date, machine, seed from studies")
        self.assertEqual(command, "damocles sweep outer:n=4 homogeneous:p=2 --vary beta=1,2 "
                                  "--strategies 'dynamic-2phases:beta={beta}' --replicates 1")
        self.assertRegex(version, r"^\d+\.\d+\.\d+\+[0-9a-f]{12}$")
        self.assertRegex(date, r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertRegex(machine, r"^.+, \d+ threads$")
        self.assertEqual(seed, "1")


class Refusals(Stores):
    def test_what_is_no_store_is_refused_before_anything_runs(self) -> None:
        self.path("study.toml", STUDY)
        self.path("notes.db", "my notes")
        self.path("notes.csv", "source,strategy\n")
        self.path("short.db", "x")
        os.mkdir(self.path("folder.db"))
        with sqlite3.connect(self.path("theirs.db")) as theirs:
            theirs.execute("create table t(a)")
        before = sorted(os.listdir(self.folder))
        for name, says in (("notes.db", ["'notes.db' is no store of rows", "give a file that"]),
                           ("short.db", ["'short.db' is no store of rows"]),
                           ("theirs.db", ["'theirs.db' is a database of another program"]),
                           ("folder.db", ["'folder.db' is a folder; give a file name"]),
                           ("notes.csv", ["--store 'notes.csv': cannot write .csv files here; end the name in .db"]),
                           ("none/s.db", ["folder 'none' does not exist; create it first"]),
                           ("-", ["--store '-': a store is a file; give FILE.db"]),
                           ("/dev/full", ["a store is a file"])):
            with self.subTest(name=name):
                self.refused("sweep", "study.toml", "--store", name, says=says)
                self.refused("simulate", "outer:n=4", "homogeneous:p=2", "--store", name, says=says)
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertEqual((self.read("notes.db"), self.read("short.db")), ("my notes", "x"))

    def test_options_that_do_not_go_with_a_store(self) -> None:
        self.path("study.toml", STUDY)
        for more, says in ((("-o", "x.csv"), ["-o and --store", "damocles query s.db -o x.csv"]),
                           (("--drop-stale-rows",), ["--drop-stale-rows is for -o"]),
                           (("--format", "latex"), ["damocles query s.db --format latex"])):
            self.refused("sweep", "study.toml", "--store", "s.db", *more, says=says)
        question = ("gemm2d:n=3", "gpus:k=1,memory=9data", "--strategies", "eager", "--store", "s.db")
        self.refused("simulate", *question, "--trace", "t.json", says=["--trace and --store", "leave out one of them"])
        self.refused("simulate", *question, "--record", "r.json", says=["--record and --store"])
        self.refused("compare", *question, "--backend", "host", says=["--store is not for compare --backend"])
        self.assertEqual(os.listdir(self.folder), ["study.toml"])

    def test_a_store_is_no_input(self) -> None:
        self.path("lab.db", "[[processors]]\nspeed = 1\n")
        os.symlink("lab.db", self.path("lab.toml"))
        self.refused("simulate", "outer:n=4", "lab.toml", "--store", "lab.db", says=["would destroy the platform"])

    def test_a_store_that_may_not_be_written(self) -> None:
        if os.geteuid() == 0:
            self.skipTest("root may write everything")
        self.path("study.toml", STUDY)
        self.answer("sweep", "study.toml", "--store", "s.db")
        os.chmod(self.path("s.db"), 0o400)
        self.refused("sweep", "study.toml", "--store", "s.db", says=["'s.db' cannot be written: Permission denied"])


class Commands(Stores):
    """What they print is what they print without a store."""

    QUESTIONS = (("simulate", "gemm2d:n=6", "gpus:k=2,memory=5data", "--strategies", "eager,darts"),
                 ("simulate", "matrix:n=9", "unif.1:p=3"),
                 ("predict", "gemm2d:n=20", "gpus:k=1,memory=9data", "--strategies", "dmdar,lws,random"),
                 ("compare", "outer:n=20", "uniform:p=4,lo=10,hi=100"),
                 ("compare", "gemm2d:n=6", "gpus:k=1,memory=5data", "--strategies", "eager,darts"))  # fmt: skip

    def test_print_the_same(self) -> None:
        for number, question in enumerate(self.QUESTIONS):
            for form in ("table", "csv", "json"):
                words = (*question, "--replicates", "3", "--format", form)
                plain = self.answer(*words)
                for _ in ("made", "taken"):
                    with self.subTest(words=words):
                        self.assertEqual(self.answer(*words, "--store", f"s{number}.db"), plain)

    def test_take_rows_and_add_rows(self) -> None:
        words = ("simulate", "gemm2d:n=6", "gpus:k=2,memory=5data", "--strategies", "eager", "--store", "s.db", "--replicates")
        for replicates, said in (("2", "damocles: wrote s.db\n"), ("3", "damocles: wrote s.db\n"), ("2", "")):
            done = damocles(*words, replicates, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, said))
        self.assertEqual(self.rows(), 3)
        with sqlite3.connect(self.path("s.db")) as store:  # what is taken is what is there
            store.execute("update rows set loads = 7777")
        self.assertIn("7777", self.answer(*words, "3"))

    def test_a_stored_row_without_a_result_ends_a_command_as_ever(self) -> None:
        point = ("gemm2d:n=3", "gpus:k=1,memory=1data", "--strategies", "eager")
        self.answer("sweep", *point[:1], "gpus:k=1", "--vary", "memory=1data", *point[2:], "--store", "s.db")
        plain = damocles("simulate", *point, cwd=self.folder)
        stored = damocles("simulate", *point, "--store", "s.db", cwd=self.folder)
        self.assertEqual((plain.returncode, plain.stderr), (2, stored.stderr))
        self.assertEqual(stored.returncode, 2)


class Measurements(Stores):
    RUN = ("run", "gemm2d:n=4,tile=8,k=8", "gpus:k=2,memory=6data", "--strategies", "eager,darts", "--store", "s.db")

    def rows_of(self, *words: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.answer(*words, "--format", "csv"))))

    def test_a_run_that_was_measured_is_not_measured_again(self) -> None:
        first = self.rows_of(*self.RUN, "--replicates", "2")
        done = damocles(*self.RUN, "--replicates", "3", "--format", "csv", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("taken from 's.db', where they were measured before: 4 of 6 runs", done.stderr)
        again = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([row for row in again if row["replicate"] != "2"], first)
        self.assertEqual(len(again), 6)
        self.assertEqual(self.rows(), 6)

    def test_options_and_backends_have_measurements_of_their_own(self) -> None:
        for more in ((), ("--no-throttle",), ("--verify", "none"), ("--compute", "empty"), ("--pace", "10us"), ("--seed", "2")):
            self.answer(*self.RUN, *more)
        self.assertEqual(self.rows(), 12)
        self.answer("run", "outer:n=4", "homogeneous:p=2", "--strategies", "random", "--tile", "8", "--store", "s.db")
        with sqlite3.connect(self.path("s.db")) as store:
            inputs = [row[0] for row in store.execute("select inputs from rows order by number")]
        for row in inputs:
            self.assertRegex(row, r'machine=".+, \d+ threads"$')
        self.assertEqual([re.sub(' ?machine=".*"$', "", row) for row in inputs[::2]],
                         ["", "throttle=no", "verify=none", "compute=empty", "pace=1e-05s", "", "tile=8"])

    def test_what_a_row_does_not_hold_is_refused(self) -> None:
        for more in (("--details", "d.json"), ("--trace", "t.json"), ("--record", "r.json")):
            words = [word.replace("eager,darts", "eager") for word in self.RUN]
            self.refused(*words, *more, says=[f"{more[0]} and --store: a row of a store has no ", "leave out one of them"])
        self.assertEqual(os.listdir(self.folder), [])

    def test_claims_are_the_same_with_a_store_and_go_on_in_it(self) -> None:
        claim = ("reproduce", "coloc21.fig3b", "-o")
        plain = self.answer(*claim, "plain")
        self.answer(*claim, "first", "--store", "s.db")
        with sqlite3.connect(self.path("s.db")) as store:  # as a kill leaves it
            store.execute("delete from rows where number > 120")
        self.assertEqual(self.answer(*claim, "again", "--store", "s.db").replace("again/", "plain/"), plain)
        self.assertEqual(self.rows(), 200)
        for folder in ("first", "again"):
            self.assertEqual(self.read(f"{folder}/coloc21.fig3b.csv"), self.read("plain/coloc21.fig3b.csv"))
        self.assertIn("damocles reproduce coloc21.fig3b --seed 1", self.answer("cite", "s.db"))


class Queries(Stores):
    def setUp(self) -> None:
        super().setUp()
        self.path("study.toml", 'workload = "gemm2d:n={n}"\nplatform = "gpus:k=1,memory={m}data"\n'
                                'strategies = ["eager", "darts"]\nreplicates = 3\n[vary]\nn = [6, 8]\nm = [4, 9]\n')
        self.answer("sweep", "study.toml", "--store", "s.db")

    def query(self, *words: str) -> str:
        return self.answer("query", "s.db", *words)

    def table(self, *words: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.query(*words, "--format", "csv"))))

    def test_csv_is_what_a_sweep_writes(self) -> None:
        self.answer("sweep", "study.toml", "-o", "study.csv")
        self.assertEqual(self.query("--format", "csv"), self.read("study.csv"))
        self.assertEqual(self.query("-o", "again.csv"), "")
        self.assertEqual(self.read("again.csv"), self.read("study.csv"))
        self.answer("sweep", "study.toml", "--store", "one.db", "--jobs", "1")
        self.assertEqual(self.answer("query", "one.db", "--format", "csv"), self.read("study.csv"))

    def test_formats_hold_the_same_rows(self) -> None:
        from_csv = self.table("--columns", "n,memory,strategy,loads")
        self.assertEqual(len(from_csv), 24)
        self.assertEqual(from_csv[0], {"n": "6", "memory": "4data", "strategy": "eager", "loads": from_csv[0]["loads"]})
        from_json = json.loads(self.query("--columns", "n,memory,strategy,loads", "--format", "json"))
        self.assertEqual(from_json["command"], "query")
        lines = [json.loads(line) for line in self.query("--columns", "n,memory,strategy,loads", "--format", "jsonl").splitlines()]
        self.assertEqual(from_json["records"], lines)
        self.assertEqual([{key: str(value).removesuffix(".0") for key, value in line.items()} for line in lines], from_csv)
        self.assertEqual(len(self.query("--format", "markdown").splitlines()), 26)
        self.assertIn("\\toprule", self.query("--format", "latex"))
        self.assertEqual(json.loads(self.query("--format", "json"))["records"][0]["workload"], "gemm2d:n=6")
        text = self.query()
        self.assertTrue(text.startswith("24 rows; source simulated; status ok\n\nworkload"), text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_conditions_groups_and_order(self) -> None:
        self.assertEqual({row["memory"] for row in self.table("--where", "strategy=darts,memory>=5", "--columns", "memory")}, {"9data"})
        groups = self.table("--by", "memory,strategy", "--columns", "loads")
        self.assertEqual([(row["memory"], row["strategy"], row["rows"]) for row in groups],
                         [("4data", "eager", "6"), ("4data", "darts", "6"), ("9data", "eager", "6"), ("9data", "darts", "6")])
        loads = [float(row["loads"]) for row in self.table("--where", "memory=4data", "--where", "strategy=eager")]
        self.assertAlmostEqual(float(groups[0]["loads"]), sum(loads) / 6)
        ordered = [float(row["loads"]) for row in self.table("--columns", "loads", "--sort", "loads", "--top", "5")]
        self.assertEqual(ordered, sorted(float(row["loads"]) for row in self.table("--columns", "loads"))[:5])
        self.assertEqual(self.table("--sql", "select strategy, count(*) as n from rows group by 1 order by 1"),
                         [{"strategy": "darts", "n": "12"}, {"strategy": "eager", "n": "12"}])
        self.assertEqual(self.table("--sql", "select command from studies"), [{"command": "damocles sweep study.toml"}])

    def test_what_is_wrong_is_refused(self) -> None:
        self.path("notes.txt", "my notes\n")
        for words, says in ((("none.db",), ["cannot open store 'none.db': no such file"]),
                            (("notes.txt",), ["'notes.txt' is no store of rows"]),
                            ((".",), ["store '.' is no file; give FILE.db"]),
                            (("s.db", "--columns", "strategi"), ["unknown column in --columns 'strategi'; did you mean 'strategy'?"]),
                            (("s.db", "--sort", "lods"), ["unknown column in --sort 'lods'; did you mean 'loads'?"]),
                            (("s.db", "--by", "memry"), ["unknown column in --by 'memry'; did you mean 'memory'?"]),
                            (("s.db", "--by", "n", "--columns", "workload"), ["--columns workload: this column holds words"]),
                            (("s.db", "--where", "strategy"), ["--where 'strategy': must be COLUMN=VALUE"]),
                            (("s.db", "--where", "strategy=drats"), ["leaves none of 24 rows: strategy has eager, darts"]),
                            (("s.db", "--sql", "delete from rows"), ["--sql: only SELECT is possible"]),
                            (("s.db", "--sql", "selct 1"), ["--sql: near \"selct\": syntax error"]),
                            (("s.db", "--sql", "select 1", "--by", "n"), ["leave out --where, --by, --columns and --study"]),
                            (("s.db", "--top", "0"), ["--top '0': give a whole number"]),
                            (("s.db", "-o", "s.db", "--format", "csv"), ["-o 's.db' would destroy the store 's.db'"]),
                            (("s.db", "-o", "none/x.csv"), ["folder 'none' does not exist"])):
            with self.subTest(words=words):
                self.refused("query", *words, says=says)
        with open(self.path("s.db"), "rb") as file:
            self.assertTrue(file.read().startswith(b"SQLite format 3"))
        os.symlink("s.db", self.path("x.csv"))
        self.refused("query", "s.db", "-o", "x.csv", says=["-o 'x.csv' would destroy the store 's.db'"])
        self.assertEqual(self.rows(), 24)


class Citations(Stores):
    def test_a_citation_names_the_program_and_every_study(self) -> None:
        self.path("study.toml", STUDY)
        self.answer("sweep", "study.toml", "--store", "s.db")
        self.answer("simulate", "gemm2d:n=4", "gpus:k=1,memory=6data", "--strategies", "darts:eviction=lru", "--replicates", "2",
                    "--seed", "7", "--jobs", "1", "--store", "s.db")  # fmt: skip
        with open(os.path.join(SOURCE, "CITATION.cff"), encoding="utf-8") as file:
            cff = file.read()
        title, version = (re.search(rf'(?m)^{key}: "?(.*?)"?$', cff)[1] for key in ("title", "version"))
        said = self.answer("cite", "s.db")
        self.assertIn(f"{title}. Version {version}, 20", said.splitlines()[0])
        self.assertIn("s.db: 10 rows of 2 studies.", said)
        self.assertIn("1. damocles sweep study.toml\n", said)
        self.assertIn("".join(f"     {line}\n" for line in STUDY.splitlines()), said)
        command = "damocles simulate gemm2d:n=4 gpus:k=1,memory=6data --seed 7 --strategies darts:eviction=lru --replicates 2"
        self.assertIn(f"2. {command}\n", said)
        self.assertRegex(said, rf"\n   20\d\d-.*Z, version {re.escape(version)}\+[0-9a-f]{{12}}, seed 7, 2 rows\n   on .+ threads\n")
        self.assertIn("\n  darts: IPDPS'22", said)
        # The command makes the rows again.
        self.answer(*command.split()[1:], "--store", "again.db")
        self.answer("query", "s.db", "--where", "seed=7", "-o", "first.csv")
        self.assertEqual(self.answer("query", "again.db", "--format", "csv"), self.read("first.csv"))

    def test_a_bibliography_takes_it(self) -> None:
        self.path("study.toml", STUDY)
        self.answer("sweep", "study.toml", "--store", "s.db")
        said = self.answer("cite", "s.db", "--format", "bibtex")
        self.assertTrue(said.startswith("@software{damocles,\n  author = {{The Damocles authors}},\n"), said)
        self.assertEqual(said.count("{"), said.count("}"))
        self.assertIn("; seed 1}\n}\n", said)
        self.assertEqual(self.answer("cite", "s.db", "--format", "bibtex", "-o", "d.bib"), "")
        self.assertEqual(self.read("d.bib"), said)

    def test_what_is_wrong_is_refused(self) -> None:
        self.path("notes.txt", "my notes\n")
        self.refused("cite", "notes.txt", says=["'notes.txt' is no store of rows"])
        self.refused("cite", "none.db", says=["no such file"])
        self.path("empty.db", "")
        self.refused("cite", "empty.db", says=["store 'empty.db' is empty"])
        self.refused("cite", "empty.db", "--format", "bibtx", says=["unknown format 'bibtx'; did you mean 'bibtex'?"])
        self.refused("cite", "notes.txt", "-o", "notes.txt", says=["would destroy the store"])


class Interruptions(Stores):
    def run_for(self, seconds: float, end: int) -> bool:
        """Whether the sweep ended before it was ended."""
        run = subprocess.Popen([PROGRAM, "sweep", "study.toml", "--store", "s.db"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            self.assertEqual(run.wait(seconds), 0)
            return True
        except subprocess.TimeoutExpired:
            run.send_signal(end)
            run.wait()
            return False

    def remove_store(self) -> None:
        for name in os.listdir(self.folder):
            if name.startswith("s.db"):
                os.remove(self.path(name))

    def test_killed_and_interrupted_at_any_moment_it_goes_on(self) -> None:
        self.path("study.toml", LONGER)
        began = time.monotonic()
        self.answer("sweep", "study.toml", "-o", "study.csv")
        seconds = time.monotonic() - began
        dice = random.Random(11)
        ended = 0
        while ended < KILLS:
            self.remove_store()
            before = 0
            while not self.run_for(dice.uniform(0, 1.3 * seconds), dice.choice((signal.SIGKILL, signal.SIGINT))):
                ended += 1
                if os.path.exists(self.path("s.db")):
                    now = self.kept()
                    self.assertGreaterEqual(now, before)  # no row is lost again
                    before = now
                if ended % 4 == 0:
                    break
            self.answer("sweep", "study.toml", "--store", "s.db", "--jobs", dice.choice("12"))
            self.assertEqual(self.answer("query", "s.db", "--format", "csv"), self.read("study.csv"))
            self.assertEqual(sorted(os.listdir(self.folder)), ["s.db", "study.csv", "study.toml"])

    def kept(self) -> int:
        said = self.answer("sweep", "study.toml", "--store", "s.db", "--dry-run")
        return int(said.split("; ")[1].split()[0])

    def test_a_row_is_there_while_the_next_ones_run(self) -> None:
        # Hundreds of seconds if nobody ended it.
        self.path("study.toml", STUDY.replace("replicates = 2", "replicates = 20000").replace("[4, 5]", "[300, 301]"))
        run = subprocess.Popen([PROGRAM, "sweep", "study.toml", "--store", "s.db", "--quiet"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            counts: list[int] = []
            while len(counts) < 3:
                self.assertIsNone(run.poll())
                time.sleep(0.02)
                if not os.path.exists(self.path("s.db")):
                    continue
                said = damocles("query", "s.db", "--sql", "select count(*) as rows from rows", "--format", "csv", cwd=self.folder)
                if said.returncode == 0 and int(said.stdout.split()[1]) > (counts or [0])[-1]:
                    counts.append(int(said.stdout.split()[1]))
        finally:
            run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), -signal.SIGINT)

    def test_two_at_once_share_a_store(self) -> None:
        self.path("study.toml", LONGER)
        self.path("other.toml", LONGER.replace("[30, 40]", "[40, 50]"))
        runs = [subprocess.Popen([PROGRAM, "sweep", name, "--store", "s.db"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)  # fmt: skip
                for name in ("study.toml", "other.toml", "study.toml")]
        for run in runs:
            said, error = run.communicate(timeout=600)
            self.assertEqual((run.returncode, error), (0, ""), said)
        self.assertEqual(self.rows(), 240)
        self.answer("sweep", "study.toml", "-o", "study.csv")
        ours = self.answer("query", "s.db", "--where", "workload=outer:n=30", "--format", "csv").splitlines()
        self.assertEqual(ours, [line for line in self.read("study.csv").splitlines() if "outer:n=40" not in line])

    def test_a_full_disk_costs_no_row_that_is_there(self) -> None:
        self.path("study.toml", LONGER)
        self.answer("sweep", "study.toml", "-o", "study.csv")
        done = subprocess.run([PROGRAM, "sweep", "study.toml", "--store", "s.db"], cwd=self.folder, text=True, check=False,
                              capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000)))
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, "^damocles: store 's.db' cannot be written: .*; the rows that it has are kept: "
                                      "run again to go on\n$")
        said = self.answer("sweep", "study.toml", "--store", "s.db")
        self.assertRegex(said, r"^160 rows in s.db: \d+ kept, \d+ new\n$")
        self.assertEqual(self.answer("query", "s.db", "--format", "csv"), self.read("study.csv"))

    def test_a_full_disk_under_the_store_costs_no_answer(self) -> None:
        question = ("simulate", "outer:n=8", "homogeneous:p=2", "--strategies", "random,sorted", "--replicates", "60")
        self.answer(*question, "-o", "whole.csv")
        done = subprocess.run([PROGRAM, *question, "--store", "s.db", "-o", "x.csv"], cwd=self.folder, text=True, check=False,
                              capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000)))
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("store 's.db' cannot be written: ", done.stderr)
        self.assertEqual(self.read("x.csv"), self.read("whole.csv"))

    def test_a_store_in_memory_would_keep_nothing(self) -> None:
        for command in ("simulate", "sweep", "predict"):
            self.refused(command, "outer:n=4", "homogeneous:p=2", *(("--vary", "n=4,5") if command == "sweep" else ()),
                         "--store", ":memory:", says=["--store ':memory:'", "give FILE.db"])


class PartsOfAStudy(Stores):
    def test_missing_rows_are_said(self) -> None:
        self.path("study.toml", STUDY)
        for part in (1, 3):
            self.answer("sweep", "study.toml", "--shard", f"{part}/4", "--store", f"part{part}.db")
        missing = "damocles: note: 4 of 8 rows of `damocles sweep study.toml` are missing in all.db (rows 2, 4, "
        self.assertIn(missing, damocles("merge", "part1.db", "part3.db", "--store", "all.db", cwd=self.folder).stderr)
        self.assertIn(missing, damocles("query", "all.db", "--by", "strategy", cwd=self.folder).stderr)
        self.answer("sweep", "study.toml", "--store", "all.db")
        self.assertEqual(damocles("query", "all.db", "--by", "strategy", cwd=self.folder).stderr, "")

    def test_rows_of_an_earlier_study_and_replicates_that_a_precision_spares_are_not_missing(self) -> None:
        self.path("study.toml", STUDY)
        self.answer("sweep", "study.toml", "--store", "s.db")
        self.path("study.toml", STUDY.replace("[4, 5]", "[4, 6]"))  # half of it is there
        self.answer("sweep", "study.toml", "--store", "s.db")
        self.answer("sweep", "outer:n=9", "homogeneous:p=2", "--vary", "n=9,10", "--precision", "20%", "--store", "p.db")
        for store in ("s.db", "p.db"):
            self.assertEqual(damocles("query", store, "--format", "csv", cwd=self.folder).stderr, "")

    def test_studies_are_told_apart(self) -> None:
        self.path("study.toml", STUDY)
        self.answer("sweep", "study.toml", "--store", "s.db")
        self.answer("simulate", "outer:n=7", "homogeneous:p=2", "--strategies", "random", "--replicates", "3", "--store", "s.db")
        self.assertIn("--study 2 shows one", damocles("query", "s.db", cwd=self.folder).stderr)
        listed = [len(self.answer("query", "s.db", *words, "--format", "csv").splitlines()) - 1
                  for words in ((), ("--study", "1"), ("--study", "2"))]
        self.assertEqual(listed, [11, 8, 3])
        self.refused("query", "s.db", "--study", "3", says=["--study '3': s.db has 1, 2", "damocles cite s.db"])
        self.refused("query", "s.db", "--study", "1", "--sql", "select 1", says=["leave out", "--study"])

    def test_sorted_the_other_way_round(self) -> None:
        self.path("study.toml", STUDY)
        self.answer("sweep", "study.toml", "--store", "s.db")
        for more in ((), ("--by", "n"), ("--sql", "select n, loads from rows")):
            columns = () if more[:1] == ("--sql",) else ("--columns", "loads")
            least, most = (self.answer("query", "s.db", *more, *columns, "--sort", by, "--format", "csv").splitlines()
                           for by in ("loads", "-loads"))
            at = least[0].split(",").index("loads")
            values = [[float(line.split(",")[at]) for line in lines[1:]] for lines in (least, most)]
            self.assertEqual(values, [sorted(values[0]), sorted(values[0], reverse=True)])

    def test_sql_has_options_as_columns(self) -> None:
        self.answer("sweep", "gemm2d:n=4,k=2", "gpus:k=2", "--vary", "n=4,8", "--vary", "memory=6data,9data",
                    "--strategies", "darts:inputs=3,eager", "--store", "s.db")
        ask = ("query", "s.db", "--format", "csv", "--sql")
        self.assertEqual(self.answer(*ask, "select n, memory, count(*) from rows group by n, memory").splitlines()[1:],
                         ["4,6data,20", "4,9data,20", "8,6data,20", "8,9data,20"])
        self.assertEqual(self.answer(*ask, 'select distinct "workload.k", "platform.k" + 1 from rows').splitlines()[1:], ["2,3"])
        self.assertEqual(self.answer(*ask, "select distinct inputs from rows where strategy = 'eager'").splitlines()[1:].count("3"), 0)
        self.refused("query", "s.db", "--sql", "select memry from rows", says=["did you mean 'memory'?"])
        self.assertEqual(self.rows(), 80)


class Terminals(Stores):
    EVIL = "eager\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"

    def on_terminal(self, *words: str, **variables: str) -> str:
        """What a terminal gets."""
        main, other = pty.openpty()
        run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=other, stderr=other, stdin=subprocess.DEVNULL,
                               env={**os.environ, "TERM": "xterm", **variables})
        os.close(other)
        text = b""
        try:
            while part := os.read(main, 65536):
                text += part
        except OSError:  # so a pseudo-terminal ends
            pass
        os.close(main)
        run.wait(timeout=600)
        return text.decode("utf-8")

    def test_get_no_codes_of_foreign_names(self) -> None:
        self.answer("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", "random", "--store", "s.db")
        with sqlite3.connect(self.path("s.db")) as store:
            store.execute("update rows set strategy = ?", (self.EVIL,))
            store.execute("update studies set command = ?", (self.EVIL,))
        task = {"name": self.EVIL, "reads": ["a"], "flops": 1e9}
        self.path("g.json", json.dumps({"damocles": 1, "data": [{"name": "a", "bytes": 10}], "tasks": [task]}))
        for words in (("query", "s.db"), ("query", "s.db", "--by", "strategy"), ("query", "s.db", "--format", "csv"), ("cite", "s.db"),
                      ("query", "s.db", "--sql", "select strategy from rows"),
                      ("export", "file:path=g.json", "-o", "-"), ("explain", "file:path=g.json", "gpus:k=1", "--strategies", "eager")):
            with self.subTest(words=words):
                shown = self.on_terminal(*words)
                self.assertEqual([code for code in ("\x1b]", "\x07", "\x1b[2J", "\u202e", "\x9b") if code in shown], [], shown)
        self.assertIn(r"\x1b]0;owned\x07", self.on_terminal("query", "s.db"))
        self.assertIn("\x07", self.answer("query", "s.db", "--format", "csv"))  # a file has the bytes

    def test_ranks_of_a_job_have_none(self) -> None:
        question = ("simulate", "outer:n=40", "homogeneous:p=8", "--strategies", "random,sorted", "--replicates", "20")
        self.assertIn("\x1b[", self.on_terminal(*question))
        self.assertNotIn("\x1b", self.on_terminal(*question, PMIX_RANK="0"))


if __name__ == "__main__":
    unittest.main()
