"""Nothing lost: rows are of what they say, results survive kills, full disks and strange names."""

import csv
import glob
import io
import json
import os
import random
import signal
import subprocess
import time
import unittest

from program import PROGRAM, InFolder, damocles, rows_in_store

KILLS = int(os.environ.get("DAMOCLES_KILLS", "12"))  # of each, sweep and reproduce

STUDY = """workload = "outer:n={n}"
platform = "homogeneous:p=2"
strategies = ["random", "sorted"]
replicates = 2
[vary]
n = [4, 5]
"""


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


class Nothing(InFolder):
    def read(self, name: str) -> str:
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def table(self, name: str = "study.csv") -> list[dict[str, str]]:
        return rows(self.read(name))

    def sweep(self, *words: str) -> str:
        done = damocles("sweep", *words, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *words: str, says: list[str]) -> None:
        done = damocles(*words, cwd=self.folder)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)


class Identity(Nothing):
    """A row belongs to the contents, the options and the program that made it."""

    def test_an_edited_platform_file_brings_no_stale_row_back(self) -> None:
        self.path("lab.toml", "[[processors]]\nspeed = 1\ncount = 2\n")
        self.path("study.toml", 'workload = "outer:n=4"\nplatform = "lab.toml"\nstrategies = "random"\n')
        self.sweep("study.toml")
        before = self.read("study.csv")
        self.assertEqual({row["processors"] for row in self.table()}, {"2"})
        self.path("lab.toml", "[[processors]]\nspeed = 1\ncount = 7\n")
        self.refused("sweep", "study.toml",
                     says=["'study.csv' has 10 rows", "10 from before a file was edited (outer:n=4, lab.toml)",
                           "--drop-stale-rows"])
        self.assertEqual(self.read("study.csv"), before)
        said = self.sweep("study.toml", "--drop-stale-rows")
        self.assertEqual(said, "10 rows in study.csv: 0 kept, 10 new; 10 dropped\n")
        self.assertEqual({row["processors"] for row in self.table()}, {"7"})
        self.assertEqual(self.sweep("study.toml"), "10 rows in study.csv: 10 kept, 0 new\n")

    def test_an_edited_graph_file_too(self) -> None:
        graph = '{"damocles": 1, "data": [{"bytes": 1}, {"bytes": 1}], "tasks": [{"reads": [0]}%s]}'
        self.path("g.json", graph % "")
        self.path("study.toml", 'workload = "file:path=g.json"\nplatform = "gpus:memory=9B"\nstrategies = "eager"\n'
                                "replicates = 1\n")
        self.sweep("study.toml")
        self.path("g.json", graph % ', {"reads": [1]}')
        self.refused("sweep", "study.toml", says=["1 row ", "from before a file was edited"])
        self.sweep("study.toml", "--drop-stale-rows")
        self.assertEqual([row["tasks"] for row in self.table()], ["2"])

    def test_rows_of_another_version_are_named(self) -> None:
        self.path("study.toml", STUDY)
        self.sweep("study.toml")
        version = self.table()[0]["version"]
        self.assertRegex(version, r"^\d+\.\d+\.\d+\+[0-9a-f]{12}$")
        text = self.read("study.csv")
        self.path("study.csv", text.replace(version, "0.0.1+old"))
        self.refused("sweep", "study.toml", says=["8 rows", "8 made by version 0.0.1+old"])
        self.sweep("study.toml", "--drop-stale-rows")
        self.assertEqual(self.read("study.csv"), text)

    def test_rows_that_do_not_say_their_version_are_named(self) -> None:
        self.path("study.toml", STUDY)
        done = damocles("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", "random", "--replicates", "2",
                        "-o", "study.csv", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.refused("sweep", "study.toml", says=["2 rows", "2 that do not say which version made them"])

    def test_fewer_values_or_replicates_are_refused_by_name_or_pruned(self) -> None:
        self.path("study.toml", STUDY)
        self.assertEqual(self.sweep("study.toml"), "8 rows in study.csv: 0 kept, 8 new\n")
        whole = self.read("study.csv")
        for edited, named in ((STUDY.replace("[4, 5]", "[5]"), "random on outer:n=4, homogeneous:p=2, seed 1, replicate 0"),
                              (STUDY.replace("replicates = 2", "replicates = 1"), "replicate 1")):
            self.path("study.toml", edited)
            self.refused("sweep", "study.toml", says=["'study.csv' has 4 rows", "4 of other settings, as", named])
            self.assertEqual(self.read("study.csv"), whole)
        self.assertEqual(self.sweep("study.toml", "--drop-stale-rows"), "4 rows in study.csv: 4 kept, 0 new; 4 dropped\n")
        self.path("study.toml", STUDY)
        self.assertEqual(self.sweep("study.toml"), "8 rows in study.csv: 4 kept, 4 new\n")
        self.assertEqual(self.read("study.csv"), whole)

    def test_the_file_of_another_study_is_left_alone(self) -> None:
        self.path("study.toml", STUDY)
        self.sweep("study.toml")
        before = self.read("study.csv")
        self.path("other.toml", STUDY.replace("outer", "matrix"))
        self.refused("sweep", "other.toml", "-o", "study.csv", says=["8 rows", "of other settings", "another -o"])
        self.assertEqual(self.read("study.csv"), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["other.toml", "study.csv", "study.toml"])

    def test_reproduce_refuses_rows_of_another_seed_before_anything_runs(self) -> None:
        first = damocles("reproduce", "coloc21.fig3b", "-o", "out", cwd=self.folder)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.refused("reproduce", "coloc21.*", "-o", "out", "--seed", "2",
                     says=["coloc21.fig3b.csv' has 200 rows", "200 of other settings, as", "--drop-stale-rows"])
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["coloc21.fig3b.csv", "coloc21.fig3b.meta.json"])


class Points(Nothing):
    def dry(self, text: str) -> str:
        self.path("study.toml", text)
        return self.sweep("study.toml", "--dry-run")

    def test_a_range_is_its_numbers(self) -> None:
        said = self.dry(STUDY.replace("[4, 5]", '"10:300:10"'))
        self.assertIn("30 settings, 120 rows; 0 are in study.csv, 120 to run\n", said)
        self.assertIn("outer:n=300 ", said)
        said = self.dry(STUDY.replace("[4, 5]", '["4:8:2", 20]'))
        self.assertEqual([line.split()[0] for line in said.splitlines()[3:]],
                         [f"outer:n={n}" for n in (4, 6, 8, 20)])
        said = self.dry(STUDY.replace('"random", "sorted"', '"dynamic-2phases:beta={n}"')
                        .replace("outer:n={n}", "outer:n=4").replace("[4, 5]", '"0.1:0.5:0.1"'))
        self.assertIn("5 settings, 10 rows", said)

    def test_a_dry_run_says_what_is_there_and_does_nothing(self) -> None:
        self.path("study.toml", STUDY.replace("[4, 5]", "[4]"))
        self.sweep("study.toml")
        said = self.dry(STUDY)
        self.assertIn("2 settings, 8 rows; 4 are in study.csv, 4 to run\n", said)
        self.assertEqual([line.split()[-2:] for line in said.splitlines()[3:]], [["4", "4"], ["4", "0"]])
        self.assertEqual(len(self.table()), 4)
        self.assertEqual(sorted(os.listdir(self.folder)), ["study.csv", "study.toml"])

    def test_what_is_wrong_is_refused_before_anything_runs(self) -> None:
        many = "\n".join(f"{name} = '1:1000:1'" for name in "abc")
        used = STUDY.replace("n={n}", "n={n},m={a}").replace("p=2", "p={b}").replace('"sorted"', '"dynamic-2phases:beta={c}"')
        for text, says in (
                (STUDY + "q = [1, 2]\n", ["line 7", "no workload, platform, strategy or model has {q}"]),
                (used + many, ["2000000000 settings", "a: 1000 values", "at most 250000"]),
                (STUDY.replace("replicates = 2", "replicates = 600000"), ["rows", "at most 250000"]),
                (STUDY.replace("[4, 5]", '"1:9:0"'), ["sweep file '", ", line ", ": n: range '1:9:0'", "step of 0", "10:300:10"]),
                (STUDY.replace("[4, 5]", '"9:1:2"'), ["range '9:1:2'", "leads away"]),
                (STUDY.replace("[4, 5]", '"1:999999999999:1"'), ["999999999999 values", "at most 250000"]),
                (STUDY.replace("random", "randm"), ["unknown strategy 'randm'"]),
                (STUDY.replace("outer", "outr"), ["unknown workload 'outr'"]),
                ('output = ""\n' + STUDY, ["output", "give one file name"]),
                ('output = "a\\u0000b.csv"\n' + STUDY, ["line 1", "NUL"])):
            with self.subTest(says=says):
                self.path("study.toml", text)
                began = time.monotonic()
                self.refused("sweep", "study.toml", says=says)
                self.assertLess(time.monotonic() - began, 120)
                self.assertEqual(os.listdir(self.folder), ["study.toml"])

    def test_a_point_without_an_answer_is_a_row(self) -> None:
        self.path("study.toml", 'workload = ["gemm2d:n=3", "cholesky:n=3,deps=false"]\nplatform = "gpus:k=1,memory={m}data"\n'
                                'strategies = ["eager", "dynamic"]\nreplicates = 1\n[vary]\nm = [1, 4]\n')
        said = self.sweep("study.toml")
        self.assertIn("8 rows in study.csv: 0 kept, 8 new; ", said)
        status = {(row["workload"][:5], row["strategy"], row["platform"][-5]): row["status"] for row in self.table()}
        self.assertEqual(status["gemm2", "eager", "4"], "ok")
        self.assertRegex(status["gemm2", "eager", "1"], "^infeasible: task GEMM.0,0. of .* give memory=")
        self.assertRegex(status["chole", "dynamic", "4"], "^infeasible: strategy 'dynamic' on 'cholesky:n=3,deps=false': ")
        bad = sum(text != "ok" for text in status.values())
        self.assertIn(f"{bad} infeasible (column status says why)", said)
        for row in self.table():
            if row["status"] != "ok":
                self.assertEqual((row["loads"], row["volume_ratio"], row["makespan_s"]), ("", "", ""))
        self.assertIn("8 kept, 0 new", self.sweep("study.toml"))


class Names(Nothing):
    def test_names_of_any_letters_survive(self) -> None:
        graph = '{"damocles": 1, "data": [{"bytes": 1}], "tasks": [{"reads": [0]}]}'
        names = ['a"b.json', "a|b.json", "a\nb.json", "a;b.json", "a'b.json", "é.json", "a\r\nb.json"]
        for name in names:
            self.path(name, graph)
        quoted = ", ".join(json.dumps("file:path=" + name) for name in names)
        self.path("study.toml", f'workload = [{quoted}]\nplatform = "gpus:memory=9B"\nstrategies = "eager"\n'
                                "replicates = 1\n")
        self.assertEqual(self.sweep("study.toml"), f"{len(names)} rows in study.csv: 0 kept, {len(names)} new\n")
        self.assertEqual([row["workload"] for row in self.table()], ["file:path=" + name for name in names])
        before = self.read("study.csv")
        self.assertIn(f"{len(names)} kept, 0 new", self.sweep("study.toml"))
        self.assertEqual(self.read("study.csv"), before)

    def test_what_a_spreadsheet_saves_is_read(self) -> None:
        self.path("study.toml", STUDY)
        self.sweep("study.toml")
        before = self.read("study.csv")
        with open(self.path("study.csv"), "wb") as file:
            file.write(b"\xef\xbb\xbf" + before.replace("\n", "\r\n").rstrip().encode())
        self.assertIn("8 kept, 0 new", self.sweep("study.toml"))
        self.assertEqual(self.read("study.csv"), before)

    def test_a_name_that_json_cannot_hold_is_said_before_anything_runs(self) -> None:
        name = os.fsencode(self.folder) + b"/\xff.mtx"
        os.rename(self.path("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n"), name)
        for words in (["--format", "json"], ["--record", "r.json"]):
            done = subprocess.run([os.fsencode(PROGRAM), b"simulate", b"file:path=" + name, b"gpus:k=1", b"--strategies",
                                   b"eager", *map(os.fsencode, words)], cwd=self.folder, capture_output=True, check=False)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(b"is not UTF-8, so JSON cannot hold it", done.stderr)
        self.assertFalse(os.path.exists(self.path("r.json")))


class Rescue(Nothing):
    WORDS = ("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", "random", "--replicates", "1",
             "--format", "csv")

    def full(self, *words: str, limit: int | None = None, **streams) -> subprocess.CompletedProcess:
        import resource
        os.makedirs(self.path("tmp"), exist_ok=True)

        def small() -> None:
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        streams = {"stdout": subprocess.PIPE, **streams}
        return subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, check=False, stderr=subprocess.PIPE,
                              env={**os.environ, "TMPDIR": self.path("tmp")}, preexec_fn=small, **streams)

    def rescued(self) -> list[dict[str, str]]:
        (name,) = os.listdir(self.path("tmp"))
        return self.table(os.path.join("tmp", name))

    def test_a_full_device_costs_no_result(self) -> None:
        os.symlink("/dev/full", self.path("full.csv"))
        done = self.full(*self.WORDS, "-o", "full.csv")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^damocles: what was computed is in '.*/tmp/damocles-\w{6}\.csv'; .*No space left on device\n$")
        self.assertEqual(len(self.rescued()), 1)

    def test_a_full_standard_output_costs_none_either(self) -> None:
        with open("/dev/full", "w", encoding="utf-8") as out:
            done = self.full(*self.WORDS, stdout=out)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(self.rescued()), 1)

    def test_a_full_disk_leaves_the_old_file(self) -> None:
        self.path("rows.csv", "old")
        done = self.full(*self.WORDS, "-o", "rows.csv", limit=100)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^damocles: what was computed is on standard output; .*File too large\n$")
        self.assertEqual(len(rows(done.stdout)), 1)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertEqual(self.read("rows.csv"), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), ["rows.csv", "tmp"])

    def test_a_sweep_on_a_full_disk_keeps_its_rows_and_goes_on(self) -> None:
        self.path("study.toml", STUDY.replace("replicates = 2", "replicates = 400").replace("[4, 5]", "[60, 70]"))
        done = self.full("sweep", "study.toml", "--jobs", "1", limit=200_000)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "^damocles: store 'study.csv.partial' cannot be written: .*; the rows that it has are "
                                      "kept: run again to go on\n$")
        kept = rows_in_store(self.path("study.csv.partial"))
        self.assertGreater(kept, 0)
        self.assertIn(f"1600 rows in study.csv: {kept} kept, {1600 - kept} new", self.sweep("study.toml"))
        whole = self.read("study.csv")
        os.remove(self.path("study.csv"))
        self.sweep("study.toml")
        self.assertEqual(self.read("study.csv"), whole)

    def test_one_output_that_fails_does_not_cost_the_others(self) -> None:
        os.symlink("/dev/full", self.path("full.csv"))
        done = self.full(*self.WORDS, "-o", "full.csv", "--record", "r.json", "--trace", "t.json")
        self.assertEqual(done.returncode, 1)
        for name in ("r.json", "t.json"):
            json.loads(self.read(name))


class Kills(Nothing):
    """Killed at any moment and run again, to the same bytes."""

    def written(self, result: str) -> list[str]:
        """The result, and the unfinished rows that a kill leaves."""
        return sorted(glob.glob(self.path(result) + "*"))

    def killed(self, words: list[str], result: str, expected: str, seconds: float) -> int:
        """Runs, kills, and runs again until it ends; how often it was killed."""
        kills = 0
        dice = random.Random(7)
        while kills < KILLS:
            for name in self.written(result):
                os.remove(name)
            while True:
                run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
                try:
                    # Across the whole run and, as the machine may be slow, somewhat beyond.
                    self.assertEqual(run.wait(dice.uniform(0, 1.3 * seconds)), 0)
                    break
                except subprocess.TimeoutExpired:
                    run.send_signal(signal.SIGKILL)
                    run.wait()
                    kills += 1
                if kills % 4 == 0:  # some are let through, also where kills would never end
                    self.assertEqual(damocles(*words, cwd=self.folder).returncode, 0)
                    break
            self.assertEqual(self.read(result), expected)
            self.assertEqual(self.written(result), [self.path(result)])
        left = [name for name in os.listdir(os.path.dirname(self.path(result))) if name.startswith(".damocles-")]
        self.assertEqual(left, [])
        return kills

    def test_a_sweep(self) -> None:
        self.path("study.toml", STUDY.replace("replicates = 2", "replicates = 40").replace("[4, 5]", "[30, 40]"))
        began = time.monotonic()
        self.sweep("study.toml")
        self.killed(["sweep", "study.toml"], "study.csv", self.read("study.csv"), time.monotonic() - began)

    def test_reproduce(self) -> None:
        words = ["reproduce", "coloc21.fig3b", "-o", "out"]
        began = time.monotonic()
        self.assertEqual(damocles(*words, cwd=self.folder).returncode, 0)
        took = time.monotonic() - began
        name = os.path.join("out", "coloc21.fig3b.csv")
        self.killed(words, name, self.read(name), took)

    def test_two_at_once_are_told_apart(self) -> None:
        self.path("study.toml", STUDY.replace("replicates = 2", "replicates = 3000").replace("[4, 5]", "[60, 70]"))
        first = subprocess.Popen([PROGRAM, "sweep", "study.toml"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        for _ in range(1000):
            if rows_in_store(self.path("study.csv.partial")) > 0:
                break
            time.sleep(0.01)
        self.refused("sweep", "study.toml", says=["another damocles is writing", "'study.csv.partial'"])
        self.assertRegex(self.sweep("study.toml", "--dry-run"), r"; \d+ (is|are) in study.csv, \d+ to run\n")
        said, _ = first.communicate(timeout=600)
        self.assertEqual(first.returncode, 0)
        self.assertIn("12000 rows in study.csv: 0 kept, 12000 new", said)

    def test_a_partial_file_that_is_not_ours_is_left(self) -> None:
        self.path("study.toml", STUDY)
        for text in ("my notes", "source,model,strategy\nsimulated,,random\n"):  # the latter as versions before wrote
            self.path("study.csv.partial", text)
            for words in (), ("--dry-run",):
                self.refused("sweep", "study.toml", *words, says=["study.csv.partial", "earlier version", "move the file away"])
            self.assertEqual(self.read("study.csv.partial"), text)
        os.remove(self.path("study.csv.partial"))
        self.path("victim", "precious")
        os.symlink("victim", self.path("study.csv.partial"))
        self.refused("sweep", "study.toml", says=["study.csv.partial", "it is a link"])
        self.assertEqual(self.read("victim"), "precious")


if __name__ == "__main__":
    unittest.main()
