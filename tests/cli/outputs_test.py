"""Where results go: nothing but what was named is written, and nothing that is read."""

import os
import stat
import subprocess
import unittest

from program import PROGRAM, InFolder, damocles

SMALL = ("outer:n=4", "homogeneous:p=2")
CSV = ("--format", "csv")
RUN = ("simulate", *SMALL, "--strategies", "random", "--replicates", "1", *CSV)
GRAPH = '{"damocles": 1, "data": [{"bytes": 8}], "tasks": [{"reads": [0]}]}'
STUDY = 'workload = "outer:n=4"\nplatform = "homogeneous:p=2"\nstrategies = "random"\nreplicates = 2\n'


class Outputs(InFolder):
    def ask(self, *words: str) -> subprocess.CompletedProcess:
        return damocles(*words, cwd=self.folder)

    def read(self, name: str) -> str:
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def refused(self, *words: str, says: list[str]) -> None:
        before = {name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        done = self.ask(*words)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in says:
            self.assertIn(part, done.stderr)
        after = {name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        self.assertEqual(after, before)

    def test_a_dash_is_standard_output_for_every_command(self) -> None:
        self.path("study.toml", STUDY)
        recording = self.path("r.json")
        self.assertEqual(self.ask("simulate", "gemm2d:n=2,tile=8,k=8", "gpus:k=1,memory=4data", "--strategies", "eager",
                                  "--replicates", "1", "--record", recording, "-o", "-").returncode, 0)
        for words, begins in (
                (RUN, "source,"), (("predict", *SMALL, "--strategies", "random", *CSV), "source,"), (("beta", *SMALL, *CSV), "model,"),
                (("compare", *SMALL, "--strategies", "random", *CSV), "source,"), (("export", "outer:n=2"), "{"),
                (("trajectory", *SMALL, "--replicates", "2", "--instants", "3"), "source,"),
                (("run", "gemm2d:n=2,tile=8,k=8", "gpus:k=1,memory=4data", "--strategies", "eager", *CSV), "source,"),
                (("replay", recording, "--backend", "sim", *CSV), "source,"), (("sweep", "study.toml"), "source,"),
                (("calibrate", "gemm2d:n=2,tile=8,k=8", "--time", "1ms"), "# damocles calibrate"),
                (("measured", "ipdps22.fig3-4", "--strategies", "EAGER", "--replicates", "1"), "")):
            for name in ("-", "/dev/stdout"):
                with self.subTest(words=words, name=name):
                    done = self.ask(*words, "-o", name)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(done.stdout.startswith(begins) and done.stdout, done.stdout[:100])
        self.assertEqual(sorted(os.listdir(self.folder)), ["r.json", "study.toml"])
        for words in (("reproduce", "*.example", "-o", "-"), ("plot", "study.toml", "-o", "-")):
            self.refused(*words, says=["-o '-'", "folder"])

    def test_devices_pipes_and_links_stay_what_they_are(self) -> None:
        null = self.path("null")
        try:
            os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            with open(null, "wb"):
                pass
        except OSError:  # not root, or no devices here
            os.symlink("/dev/null", null)
        self.path("study.toml", STUDY)
        for words in (RUN, ("sweep", "study.toml"), ("beta", *SMALL)):
            self.assertEqual(self.ask(*words, "-o", null).returncode, 0)
            self.assertTrue(stat.S_ISCHR(os.stat(null).st_mode))
        os.symlink("there.csv", self.path("link.csv"))
        self.assertEqual(self.ask("sweep", "study.toml", "-o", "link.csv").returncode, 0)
        self.assertEqual(os.readlink(self.path("link.csv")), "there.csv")
        self.assertEqual(sorted(os.listdir(self.folder)), ["link.csv", "null", "study.toml", "there.csv"])

    def test_what_is_read_is_not_written(self) -> None:
        self.path("g.json", GRAPH)
        self.path("lab.toml", "[[gpus]]\nmemory = '9B'\n")
        os.link(self.path("g.json"), self.path("hard.json"))
        os.symlink("g.json", self.path("soft.json"))
        ask = ("simulate", "file:path=g.json", "lab.toml", "--strategies", "eager", "--replicates", "1")
        for name in ("g.json", "./g.json", "hard.json", "soft.json"):
            for option in ("-o", "--trace", "--record"):
                self.refused(*ask, option, name, says=[f"{option} '{name}' would destroy the workload 'g.json'"])
            self.refused("export", "file:path=g.json", "-o", name, says=["would destroy the workload"])
        self.refused(*ask, "-o", "lab.toml", says=["would destroy the platform 'lab.toml'"])
        self.path("study.toml", STUDY)
        self.refused("sweep", "study.toml", "-o", "study.toml", says=["would destroy the sweep file"])
        os.rename(self.path("study.toml"), self.path("study.csv"))  # whose own result is study.csv
        self.refused("sweep", "study.csv", says=["would destroy the sweep file"])
        os.rename(self.path("study.csv"), self.path("x.csv.partial"))
        self.refused("sweep", "x.csv.partial", "-o", "x.csv", says=["would destroy the sweep file"])
        self.assertEqual(self.ask(*ask, "--record", "r.json").returncode, 0)
        self.refused("replay", "r.json", "--backend", "sim", "-o", "r.json", says=["would destroy the recording"])
        self.refused("replay", "r.json", "--backend", "sim", "--trace", "g.json", says=["would destroy the workload"])

    def test_outputs_of_one_name_are_refused(self) -> None:
        ask = ("simulate", *SMALL, "--strategies", "random", "--replicates", "1")
        os.symlink("a.json", self.path("b.json"))
        for words in (("--trace", "a.json", "--record", "a.json"), ("-o", "a.json", "--trace", "./a.json"),
                      ("-o", "a.json", "--record", "b.json")):
            self.refused(*ask, *words, says=["are one file; give each its own"])
        self.refused("run", "gemm2d:n=2,tile=8,k=8", "gpus:k=1,memory=4data", "--strategies", "eager", "-o", "a.json",
                     "--details", "a.json", says=["-o 'a.json' and --details 'a.json' are one file"])

    def test_nothing_follows_a_planted_link(self) -> None:
        """Until now FILE.PID.tmp was written first: a link at the name of the next processes misled it."""
        self.path("victim", "precious")
        process = subprocess.run(["sh", "-c", "echo $$"], capture_output=True, text=True, check=True)
        for pid in range(int(process.stdout), int(process.stdout) + 300):
            os.symlink("victim", self.path(f"out.csv.{pid}.tmp"))
        self.assertEqual(self.ask(*RUN, "-o", "out.csv").returncode, 0)
        self.assertEqual(self.read("victim"), "precious")
        self.assertTrue(self.read("out.csv").startswith("source,"))
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".damocles")])

    def test_a_file_keeps_its_mode_and_a_new_one_has_that_of_the_umask(self) -> None:
        self.path("old.csv", "old")
        os.chmod(self.path("old.csv"), 0o640)
        for name, mode in (("old.csv", 0o640), ("new.csv", 0o604)):
            done = subprocess.run([PROGRAM, *RUN, "-o", name], cwd=self.folder, check=False,
                                  preexec_fn=lambda: os.umask(0o062) and None)
            self.assertEqual(done.returncode, 0)
            self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), mode, name)

    def test_a_file_that_is_write_protected_stays(self) -> None:
        if os.geteuid() == 0:
            self.skipTest("root may write everything")
        self.path("old.csv", "old")
        os.chmod(self.path("old.csv"), 0o444)
        self.refused(*RUN, "-o", "old.csv", says=["cannot be written: Permission denied"])

    def test_names_that_cannot_be_are_refused_before_anything_runs(self) -> None:
        self.refused(*RUN, "-o", "x" * 300, says=["File name too long"])
        self.path("study.toml", STUDY)
        self.refused("sweep", "study.toml", "-o", "x" * 250, says=["File name too long"])

    def test_the_end_of_a_reader_is_no_crash(self) -> None:
        for words in (("list",), ("--help",), ("simulate", "--help"), ("--version",), RUN):
            shell = subprocess.run(["sh", "-c", '"$@" | head -c 1', "sh", PROGRAM, *words], capture_output=True, text=True,
                                   check=False)
            self.assertEqual((shell.returncode, shell.stderr), (0, ""), words)

    def test_a_full_or_closed_standard_output_is_said_by_every_command(self) -> None:
        self.path("study.toml", STUDY)
        for words in (("list", "strategies"), ("simulate", "--help"), ("--version",), ("sweep", "study.toml", "--dry-run"),
                      ("sweep", "study.toml"), ("sweep", "study.toml", "-o", "-"), ("beta", *SMALL),
                      ("reproduce", "coloc21.example", "-o", "out"), ("export", "outer:n=2", "-o", "-")):
            for close in (False, True):
                with self.subTest(words=words, close=close), open("/dev/full", "w", encoding="utf-8") as full:
                    done = subprocess.run([PROGRAM, *words], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                          check=False, env={**os.environ, "TMPDIR": self.folder},
                                          preexec_fn=(lambda: os.close(1)) if close else None)
                    self.assertEqual(done.returncode, 1, done)
                    self.assertIn("cannot ", done.stderr)
                    self.assertEqual([line for line in done.stderr.splitlines() if line.startswith("terminate")], [])


if __name__ == "__main__":
    unittest.main()
