"""Ten tasks that a new user would do, with the commands they would guess: each succeeds at the first
guess, or the message says the command that does; `self.then` runs that one."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import unittest

from program import PROGRAM, InFolder, damocles, without_notes

REC = "".join(f"Model: gemm\nJobId: {t}\nHandles: a{t // 2} b{t % 2}\nSizes: 1000 1000\nModes: R R\n\n"
              for t in range(4))


class Newcomer(InFolder):
    def guess(self, *words: str) -> str:
        """What the first guess prints; it succeeds."""
        run = damocles(*words, cwd=self.folder)
        self.assertEqual((run.returncode, without_notes(run.stderr)), (0, ""), run)
        return run.stdout

    def told(self, *words: str) -> str:
        """The one line that a wrong guess is answered with."""
        run = damocles(*words, cwd=self.folder)
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), run)
        return run.stderr

    def then(self, told: str, words: str, *more: str) -> str:
        """Does what the message says."""
        self.assertIn(words, told)
        return self.guess(*words.split(), *more)

    def test_1_find_out_what_this_is(self) -> None:
        overview = self.guess()
        page = self.guess("help")
        self.assertEqual(page, self.guess("help", "help"))
        self.assertEqual(page, self.guess("--help"))
        commands = re.findall(r"(?m)^  (\w+)", page.split("\nCOMMANDS\n")[1].split("\n\n")[0])
        self.assertGreater(len(commands), 15)
        named = re.findall(r"\w+", overview.split("\nCOMMANDS\n")[1])
        self.assertEqual([name for name in commands if name not in named], [])
        # With the call above and the next prompt below it on a terminal of 24 lines.
        self.assertLessEqual(overview.count("\n"), 22)
        for line in (overview + page).splitlines():
            self.assertLessEqual(len(line), 80, line)
        examples = re.findall(r"(?m)^  damocles (.*)", overview)
        self.assertEqual(len(examples), 3)
        for example in examples:
            self.guess(*example.split())
        self.assertEqual(self.guess("version"), self.guess("-V"))
        self.assertRegex(self.guess("--version"), r"^damocles \d+\.\d+\.\d+\n$")

    def test_2_read_the_page_of_a_command(self) -> None:
        for words in (("help", "simulate"), ("simulate", "-h"), ("simulate", "--help")):
            self.assertTrue(self.guess(*words).startswith("NAME\n  damocles simulate - "))
        self.assertTrue(self.guess("help", "plot", "gantt").startswith("NAME\n  damocles plot gantt - "))
        self.assertIn("did you mean 'simulate'?", self.told("help", "simluate"))
        self.assertIn("did you mean 'simulate'?", self.told("simluate", "outer:n=5"))

    def test_3_look_up_a_strategy(self) -> None:
        page = self.guess("list", "strategies", "darts")
        for part in ("IPDPS'22", "choice: paper or starpu\n", "(default", "eviction: belady, ", "(default luf;", "EXAMPLE"):
            self.assertIn(part, page)
        self.assertEqual(self.guess("list", "darts"), page)
        self.assertEqual(self.guess("list", "DARTS"), page)
        self.assertIn("did you mean 'darts'?", self.told("list", "drats"))
        self.assertIn("outer:m=M,n=N", self.guess("list", "outer"))

    def test_4_simulate_one_strategy_then_two(self) -> None:
        question = ("simulate", "gemm2d:n=8", "gpus:k=2,memory=5data", "--replicates", "1")
        one = self.guess(*question, "--strategy", "darts")
        self.assertIn("darts", one)
        two = self.guess(*question, "--strategies", "darts", "--strategies", "eager")
        self.assertEqual(two, self.guess(*question, "--strategies", "darts,eager"))
        self.assertRegex(two, r"(?s)fastest first\n\nstrategy .*\n\nbest: ")

    def test_5_guess_the_grammar_wrong(self) -> None:
        self.assertIn("did you mean n=100?", self.told("simulate", "outer:100", "homogeneous:p=2"))
        self.assertIn("did you mean k=2?", self.told("simulate", "gemm2d:n=8", "gpus:2"))
        told = self.told("simulate", "homogeneous:p=2", "outer:n=9")
        self.then("simulate " + told.split("first: ")[1], "simulate outer:n=9 homogeneous:p=2")
        self.assertIn("did you mean 'darts'?",
                      self.told("simulate", "gemm2d:n=8", "gpus:k=2", "--strategy", "drats"))
        self.then(self.told("outer:n=9", "homogeneous:p=2").split("e.g. damocles ")[1],
                  "simulate outer:n=9 homogeneous:p=2")
        self.assertIn("missing PLATFORM: homogeneous:p=P, ", self.told("compare", "outer:n=9"))
        self.assertIn("did you mean 'n'?", self.told("simulate", "outer:N=9", "homogeneous:p=2"))
        self.assertIn("unexpected argument 'n=9'; write outer:n=9;",
                      self.told("simulate", "outer", "n=9", "homogeneous", "p=2"))
        for words in (("--platform", "homogeneous:p=20"), ("--platform=homogeneous:p=20",)):
            self.assertIn("write PLATFORM without --platform",
                          self.told("beta", "outer:n=100", *words))

    def test_6_keep_the_rows_for_a_spreadsheet(self) -> None:
        question = ("simulate", "outer:n=9", "unif.1:p=3", "--replicates", "3")
        self.assertEqual(self.guess(*question, "-o", "runs.csv"), "")
        with open(self.path("runs.csv"), encoding="utf-8") as file:
            kept = file.read()
        self.assertEqual(self.guess(*question, "--format", "csv"), kept)
        self.assertEqual({row["status"] for row in csv.DictReader(io.StringIO(kept))}, {"ok"})
        self.guess(*question, "-o", "runs.json")
        with open(self.path("runs.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["command"], "simulate")
        self.guess(*question, "-o", "runs.txt")
        with open(self.path("runs.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.guess(*question))  # the table, as it is piped

    def test_7_bring_a_task_graph_of_ones_own(self) -> None:
        self.path("tasks.rec", REC)
        os.mkdir(self.path("a,b"))
        self.path("a,b/c,d.rec", REC)
        question = ("gpus:k=1,memory=3data", "--strategies", "eager", "--replicates", "1")
        rows = self.guess("simulate", "file:path=tasks.rec", *question)
        self.assertEqual(self.guess("simulate", "file:tasks.rec", *question), rows)
        self.assertEqual(self.guess("simulate", "file:path=a,b/c,d.rec", *question), rows)
        self.assertEqual(self.guess("simulate", "file:a,b/c,d.rec", *question), rows)
        self.assertIn("write file:path=tasks.rec", self.told("simulate", "tasks.rec", *question))

    def test_8_see_a_table_that_fits_the_terminal(self) -> None:
        main, other = pty.openpty()
        os.set_blocking(main, False)
        import fcntl
        import struct
        import termios
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
        words = ("compare", "outer:n=9", "unif.1:p=3", "--replicates", "2")
        for environment, coloured in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False),
                                      ({"TERM": "dumb"}, False)):
            with subprocess.Popen([PROGRAM, *words], stdout=other, stderr=subprocess.PIPE,
                                  env={"PATH": os.environ["PATH"], **environment}) as run:
                run.wait(60)
            text = os.read(main, 1 << 16).decode()
            self.assertEqual("\x1b[1m" in text, coloured, environment)
            table = re.sub("\x1b\\[[0-9;]*m", "", text).split("\r\n\r\n", 1)[1]
            for line in table.splitlines():
                self.assertLessEqual(len(line), 70, table)
        os.close(main)
        os.close(other)

    def test_9_reproduce_a_figure_and_then_a_paper(self) -> None:
        text = self.guess("reproduce", "coloc21.example", "-o", "out")
        self.assertIn("coloc21.example: confirmed", text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
        self.assertIn("did you mean 'hpdc14.fig6'?", self.told("reproduce", "hpdc14.fg6"))
        both = self.guess("reproduce", "*.example", "-o", "out")
        self.assertTrue(both.endswith("2 claims: 2 confirmed\n"), both)

    def test_10_sweep_and_ask_for_less_noise(self) -> None:
        self.path("study.toml", 'workload = "outer:n={n}"\nplatform = "homogeneous:p=2"\n'
                                'strategies = "random"\nreplicates = 2\n[vary]\nn = [4, 6]\n')
        self.assertIn("4 rows in", self.guess("sweep", "study.toml"))
        self.assertEqual(self.guess("simulate", "outer:n=9", "homogeneous:p=2", "--quiet"),
                         self.guess("simulate", "outer:n=9", "homogeneous:p=2"))
        for words in (("sweep", "study.toml", "-o"), ("reproduce", "coloc21.fig3b", "-o"),
                      ("simulate", "outer:n=9", "homogeneous:p=2", "-o")):
            for quiet in (False, True):
                self.assertEqual(self.on_terminal(*words, f"{words[0]}{quiet}", *["--quiet"] * quiet),
                                 "" if quiet else "\r", words)

    def test_a_sweep_into_a_file_says_on_a_terminal_what_is_best(self) -> None:
        for words, lines in (((), 3), (("--quiet",), 1)):
            main, other = pty.openpty()
            run = subprocess.run([PROGRAM, "sweep", "gemm2d:n=5", "gpus:k=1", "--vary", "n=4,5", "--strategies", "eager,dmdar",
                                  "-o", "t.csv", *words], stdout=other, stderr=subprocess.PIPE, check=False, cwd=self.folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            text = os.read(main, 1 << 16).decode()
            self.assertEqual(len(re.findall("rows in t.csv|n=[45]: best: ", text)), lines, text)
            os.close(main)
            os.close(other)

    def test_a_factorisation_at_one_rate_says_so(self) -> None:
        def notes(*words: str) -> str:
            run = damocles("simulate", *words, "--strategies", "eager", "--replicates", "1", cwd=self.folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            return run.stderr

        note = notes("lu:n=3,deps=false", "gpus:k=1,gflops=5,cpus=1")
        self.assertIn("run at the rate of GEMM, 5 GFlop/s on a GPU and 40 GFlop/s on a core", note)
        self.assertIn("add times=v100,cpu_times=core for measured times", note)
        self.assertIn("GEMM, 40 GFlop/s on a core; add cpu_times=core ", notes("lu:n=3,deps=false", "gpus:k=1,times=v100,cpus=1"))
        self.assertIn("19500 GFlop/s on a GPU; add times=v100 ", notes("lu:n=3,deps=true", "gpus:k=1,preset=a100"))
        for words in (("lu:n=3,deps=false", "gpus:k=1,times=v100,cpus=1,cpu_times=core"), ("lu:n=3,deps=false", "gpus:k=1", "--quiet"),
                      ("gemm2d:n=3", "gpus:k=1"), ("stencil:n=3", "gpus:k=1"), ("lu:n=3,deps=false", "gpus:k=1,times=flops"),
                      ("lu:n=3,deps=true", "gpus:k=1,cpus=1")):
            self.assertEqual(notes(*words), "")

    def test_a_factorisation_without_deps_says_what_changed(self) -> None:
        for words in (("simulate", "--replicates", "1"), ("predict",), ("recommend", "--within", "1s"),
                      ("sweep", "--replicates", "1", "--vary", "n=3,4", "-o", "t.csv")):
            asked = (words[0], "lu:n=3", "gpus:k=1,gflops=5", "--strategies", "heft,etf", *words[1:])
            run = damocles(*asked, cwd=self.folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(run.stderr.count("deps=true is the default now; write deps=false"), 1, run.stderr)
            self.assertNotIn("default now", damocles(*asked, "--quiet", cwd=self.folder).stderr)

    def test_a_factorisation_takes_measured_times_and_the_table_says_which(self) -> None:
        def table(workload: str, platform: str) -> str:
            words = ("simulate", workload, platform, "--strategies", "dmdas", "--replicates", "1", "--quiet")
            return damocles(*words, cwd=self.folder).stdout

        cholesky = "cholesky:n=4,deps=true"
        usual = table(cholesky, "gpus:k=1,cpus=1")
        self.assertIn("\nkernel times: v100 (measured), core (measured)\n", usual)
        self.assertEqual(usual, table(cholesky, "gpus:k=1,cpus=1,times=v100,cpu_times=core"))
        self.assertIn("\nkernel times: h200 (measured)\n", table(cholesky, "gpus:k=1,preset=h200"))
        given = table(cholesky, "gpus:k=1,gflops=13253")
        self.assertNotIn("kernel times", given)
        self.assertEqual(given, table(cholesky, "gpus:k=1,times=flops"))
        self.path("node.toml", "[[gpus]]\n[[cpus]]\n")
        self.assertEqual(usual.replace(": 1 V100 of 500 MB (memory= changes it)", ""), table(cholesky, "node.toml"))
        self.path("study.toml", f'workload = "{cholesky}"\nplatform = "gpus:k=1,cpus={{c}}"\n'
                                'strategies = "dmdas"\n[vary]\nc = [1]\n')
        self.guess("sweep", "study.toml", "-o", "rows.csv")
        with open(self.path("rows.csv"), encoding="utf-8") as file:
            self.assertEqual({row["kernel_times"] for row in csv.DictReader(file)}, {"v100+core"})

    def on_terminal(self, *words: str) -> str:
        """The first letter that comes to a terminal on standard error."""
        main, other = pty.openpty()
        os.set_blocking(main, False)
        run = subprocess.run([PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=other, check=False,
                             cwd=self.folder)
        self.assertEqual(run.returncode, 0)
        try:
            return os.read(main, 1).decode()
        except BlockingIOError:
            return ""
        finally:
            os.close(main)
            os.close(other)


if __name__ == "__main__":
    unittest.main()
