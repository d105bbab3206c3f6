"""Files, streams and machines that would make the program crash, hang or destroy something."""

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import time
import unicodedata
import unittest

from program import PROGRAM, InFolder, damocles, rows_in_store, without_notes

GEMM = "gemm2d:n=3,tile=8,k=8"
QUESTION = (GEMM, "gpus:k=2,memory=4data", "--strategies", "eager", "--replicates", "1")


def is_printable_line(text: str) -> bool:
    """One line that moves no cursor, wipes no screen and turns no writing."""
    hidden = ("Cc", "Cs", "Zl", "Zp")
    turning = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return (text.endswith("\n") and not any(unicodedata.category(c) in hidden or c in turning
                                            for c in text[:-1]) and len(text) < 6000)


class Attack(InFolder):
    def refused(self, *words: str, says: str, status: int = 2, within_s: float = 120) -> None:
        start = time.monotonic()
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=600)
        self.assertLess(time.monotonic() - start, within_s)
        text = done.stderr.decode("utf-8")
        self.assertEqual((done.returncode, done.stdout), (status, b""), done)
        self.assertTrue(is_printable_line(text), done.stderr)
        self.assertIn(says, text)

    def readers(self, path: str) -> list[tuple[str, ...]]:
        """The commands that read a file of this name, in place of each kind of file."""
        return [("simulate", "outer:n=4", path), ("sweep", path), ("replay", path),
                ("simulate", f"file:path={path}", "gpus:k=1", "--strategies", "eager")]


class Readers(Attack):
    def named(self, name: str) -> list[str]:
        """The same file under each ending that some reader wants."""
        return [self.path(name + ending) for ending in (".toml", ".json", ".mtx", ".hgr", ".rec", ".dot")]

    def each_reads(self, make: "callable", says: str) -> None:
        for path in self.named("x"):
            make(path)
            for words in self.readers(path):
                if path.endswith(".toml") != (words[0] in ("sweep", "simulate") and "file:" not in words[1]):
                    continue
                if words[0] == "replay" and not path.endswith(".json"):
                    continue
                with self.subTest(words=words):
                    self.refused(*words, says=says)
            os.remove(path) if not os.path.isdir(path) else os.rmdir(path)

    def test_a_folder_is_refused(self) -> None:
        self.each_reads(os.mkdir, "is a folder")

    def test_a_device_is_refused_unread(self) -> None:
        self.each_reads(lambda path: os.symlink("/dev/zero", path), "is a device")

    def test_a_socket_is_refused(self) -> None:
        def make(path: str) -> None:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(path)
        self.each_reads(make, "is a socket")

    def test_a_pipe_that_nobody_writes_does_not_hang(self) -> None:
        pipe = self.path("x.toml")
        os.mkfifo(pipe)
        self.refused("simulate", "outer:n=4", pipe, says="is a pipe, which is read only once")
        self.refused("sweep", pipe, says="is a pipe into which nobody writes")

    def test_a_pipe_with_a_writer_is_read_where_a_file_is_read_once(self) -> None:
        study = "workload = 'outer:n=4'\nplatform = 'homogeneous:p=2'\nreplicates = 1\n"
        done = subprocess.run(["bash", "-c", f"{PROGRAM} sweep <(sleep 0.2; cat study.txt) -o rows.csv"],
                              cwd=os.path.dirname(self.path("study.txt", study)), capture_output=True,
                              text=True, check=False, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rows in rows.csv", done.stdout)
        endless = subprocess.run(["bash", "-c", f"{PROGRAM} sweep <(yes)"], cwd=self.folder,
                                 capture_output=True, text=True, check=False, timeout=600)
        self.assertEqual(endless.returncode, 2)
        self.assertIn("is larger than 1 MB", endless.stderr)

    def test_a_file_without_end_is_refused_by_its_size(self) -> None:
        path = self.path("x.toml")
        with open(path, "wb") as file:
            file.truncate(10**12)  # of holes
        self.refused("simulate", "outer:n=4", path, says="is larger than 1 MB, the most that is read")
        os.rename(path, self.path("x.mtx"))
        self.refused(*self.readers(self.path("x.mtx"))[3], says="is larger than 4 GB")
        os.rename(self.path("x.mtx"), self.path("x.json"))
        self.refused("replay", self.path("x.json"), says="is larger than 200 MB")

    def test_a_name_that_is_none_is_refused(self) -> None:
        self.refused("simulate", "outer:n=4", "x" * 5000 + ".toml", says="File name too long")
        self.refused("sweep", "x" * 300, says="File name too long")
        self.refused("replay", "", says="has no name")
        self.refused("simulate", "file:path=" + "x" * 300 + ".mtx", "gpus:k=1", says="File name too long")

    def test_a_nul_is_refused(self) -> None:
        study = self.path("s.toml", '\nworkload = "file:path=x.mtx\\u0000.mtx"\nplatform = "gpus:k=1"\n')
        self.refused("sweep", study, says="line 2: a NUL, which no name or number has")
        self.refused("simulate", "outer:n=4", self.path("p.toml", '"speed\\u0000" = 1'), says="line 1: a NUL")
        recorded = '{"damocles": "decisions", "source": "a\\u0000"}'
        self.refused("replay", self.path("r.json", recorded), says='"source" holds a NUL')

    def test_what_nests_deeply_is_refused(self) -> None:
        many = 50_000
        for text, says in ((".".join(["a"] * many) + " = 1", "a key of more than 16 parts"),
                           ("[" + ".".join(["a"] * many) + "]", "a key of more than 16 parts"),
                           ("a = " + "[" * many, "lists and tables more than 16 deep"),
                           ("a = " + "{a=" * many, "lists and tables more than 16 deep")):
            path = self.path("x.toml", text)
            self.refused("simulate", "outer:n=4", path, says=says)
            self.refused("sweep", path, says=says)
        for text in ("[" * 1_000_000, '{"damocles": "decisions", "decisions": [' + "[" * 1_000_000,
                     '{"a":' * 500_000):
            self.refused("replay", self.path("x.json", text), says="more than 3 deep")
            self.refused(*self.readers(self.path("x.json", text))[3], says="file '")

    def test_many_processors_are_refused_before_they_take_the_memory(self) -> None:
        table = "[[processors]]\nspeed = 1\ncount = 1000000\n"
        self.refused("simulate", "outer:n=4", self.path("x.toml", table * 20_000), says="more than 1000000")

    def test_long_words_are_read_in_linear_time(self) -> None:
        long = "1" * 900_000
        for text in (f"[[gpus]]\nmemory = '{long}e'", f"[[gpus]]\nmemory = '{long}MB'",
                     f"[[gpus]]\nlink = '{'1e' * 400_000}'", f"{long} = 1", f"[bus]\n{long} = 1"):
            self.refused("simulate", GEMM, self.path("x.toml", text), says="x.toml")
        names = '{"damocles": 1, "data": [{"name": "A"}], "tasks": [{"reads": ["%s"]}]}' % (long * 5)
        self.refused(*self.readers(self.path("x.json", names))[3], says="no data item has that name")


class Messages(Attack):
    def test_control_characters_are_escaped(self) -> None:
        for word, shown in (("\x1b[2J", "\\x1b[2J"), ("a\rb", "a\\x0db"), ("\u202ecsv", "\\u{202e}csv"),
                            ("\u009b31m", "\\u{9b}31m"), ("a\nb", "a b")):
            self.refused("simulate", word, "homogeneous:p=2", says=shown)
            self.refused("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", word, says=shown)
            self.refused("simulate", "outer:n=4", "homogeneous:p=2", "--seed", word, says=shown)

    def test_bytes_that_are_no_utf8_are_escaped(self) -> None:
        done = subprocess.run([PROGRAM, "simulate", b"caf\xe9\xff", "homogeneous:p=2"], capture_output=True,
                              check=False, timeout=600)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"'caf\\xe9\\xff'", done.stderr)

    def test_long_ones_are_cut(self) -> None:
        self.refused("simulate", "x" * 100_000, "homogeneous:p=2", says="xxx [...] ")
        self.refused("simulate", "outer:n=4", "homogeneous:p=2", "--" + "x" * 100_000, says="--help")


class ClosedStreams(Attack):
    def run_without(self, *streams: int, words: tuple[str, ...]) -> subprocess.CompletedProcess:
        def close() -> None:
            for stream in streams:
                os.close(stream)
        return subprocess.run([PROGRAM, *words], cwd=self.folder, check=False, timeout=600,
                              stdin=None if 0 in streams else subprocess.DEVNULL,
                              stdout=None if 1 in streams else subprocess.PIPE,
                              stderr=None if 2 in streams else subprocess.PIPE, preexec_fn=close)

    def test_a_closed_error_stream_ends_nothing(self) -> None:
        for words, status in ((("simulate", *QUESTION), 0), (("simulate", "x", "y"), 2),
                              (("run", "outer:n=40", "homogeneous:p=1", "--pace", "1ms", "--strategies",
                                "dynamic", "--replicates", "1"), 0)):
            with self.subTest(words=words):
                self.assertEqual(self.run_without(2, words=words).returncode, status)

    def test_no_file_takes_the_place_of_a_closed_stream(self) -> None:
        for streams in ((0,), (2,), (0, 2), (0, 1, 2)):
            with self.subTest(streams=streams):
                done = self.run_without(*streams, words=("simulate", *QUESTION, "-o", "rows.csv",
                                                         "--trace", "t.json"))
                self.assertEqual(done.returncode, 0)
                with open(self.path("rows.csv"), encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith("source,"))
                os.remove(self.path("rows.csv"))

    def test_a_name_in_tmp_that_others_can_guess_is_not_used(self) -> None:
        file = self.path("no_folder", "")  # where Open MPI would make its own
        done = subprocess.run([PROGRAM, "simulate", "gemm2d:n=4", "gpus:k=2", "--strategies", "hypergraph",
                               "--replicates", "1"], capture_output=True, text=True, check=False, timeout=600,
                              env={**os.environ, "TMPDIR": file, "OMPI_MCA_orte_tmpdir_base": file})
        self.assertIn(done.returncode, (0, 2), done)  # 2: built without Zoltan
        if done.returncode == 0:
            self.assertEqual(done.stderr, "")


class Threads(Attack):
    def test_any_number_asked_for_by_the_environment_will_do(self) -> None:
        plain = damocles("simulate", "outer:n=10", "uniform:p=3,lo=1,hi=2", "--replicates", "5")
        # OpenMP reads the variable, and GCC's says so where it does not understand it.
        warning = "\nlibgomp: Invalid value for environment variable OMP_NUM_THREADS\n"
        for asked, says in (("1", {""}), ("2", {""}), ("99999", {""}), ("4,2", {""}), ("0", {"", warning}),
                            ("-1", {"", warning}), ("many", {"", warning}), ("", {"", warning}),
                            ("1" * 400, {"", warning})):
            done = subprocess.run([PROGRAM, "simulate", "outer:n=10", "uniform:p=3,lo=1,hi=2", "--replicates", "5"],
                                  capture_output=True, text=True, check=False, timeout=600,
                                  env={**os.environ, "OMP_NUM_THREADS": asked})
            self.assertEqual((done.returncode, done.stdout), (0, plain.stdout), asked)
            self.assertIn(without_notes(done.stderr), says, asked)

    def test_rows_are_computed_by_as_many_threads_as_the_environment_or_the_option_says(self) -> None:
        for asked, jobs, expected in (("3", "0", 3), ("3,2", "0", 3), ("1", "0", 1), ("2", "5", 5)):
            with subprocess.Popen([PROGRAM, "simulate", "outer:n=300", "uniform:p=20,lo=1,hi=2", "--replicates",
                                   "100000", "--strategies", "dynamic", "--quiet", "--jobs", jobs],
                                  stdout=subprocess.DEVNULL,
                                  env={**os.environ, "OMP_NUM_THREADS": asked}) as running:
                seen = set()
                until = time.monotonic() + 60
                while expected not in seen and time.monotonic() < until:
                    seen.add(len(os.listdir(f"/proc/{running.pid}/task")))
                time.sleep(0.05)
                seen.add(len(os.listdir(f"/proc/{running.pid}/task")))
                running.kill()
            self.assertEqual(max(seen), expected)

    def with_few_threads(self, most: int, *words: str) -> subprocess.CompletedProcess:
        """Run as a user who may have so many threads, which root is never held to."""
        os.chmod(self.folder, 0o755)
        program = os.path.join(self.folder, "damocles")
        if not os.path.exists(program):
            shutil.copy(PROGRAM, program)
            modules = os.path.join(os.path.dirname(PROGRAM), "..", "modules")
            if os.path.isdir(modules):
                shutil.copytree(modules, os.path.join(self.folder, "modules"))

        def limit() -> None:
            if os.geteuid() == 0:
                alone = 100_000 + os.getpid()  # nobody else's threads count
                os.setgroups([])
                os.setgid(alone)
                os.setuid(alone)
            resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
        return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=600,
                              preexec_fn=limit)

    def without_threads(self, *words: str) -> subprocess.CompletedProcess:
        return self.with_few_threads(1, *words)

    def test_rows_are_computed_by_the_threads_that_can_be_started(self) -> None:
        words = ("simulate", "outer:n=10", "uniform:p=3,lo=1,hi=2", "--replicates", "5", "--jobs", "8")
        expected = damocles(*words).stdout
        for most in (1, 2, 3, 5, 8):
            done = self.with_few_threads(most, *words)
            self.assertEqual((done.returncode, without_notes(done.stderr)), (0, ""), most)
            self.assertEqual(done.stdout, expected)

    def test_runs_that_need_threads_say_so(self) -> None:
        for words in (("calibrate", GEMM, "--processors", "2", "--time", "1ms"),
                      ("run", *QUESTION)):
            done = self.without_threads(*words)
            self.assertEqual(done.returncode, 1, done)
            self.assertRegex(without_notes(done.stderr), r"^damocles: .*only \d+ of \d+ threads could be started; "
                                          "use fewer processors\n$")


class LittleMemory(Attack):
    def limited(self, most_bytes: int, *words: str,
                environment: dict[str, str] | None = None) -> subprocess.CompletedProcess:
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, **(environment or {})},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes)))

    def least_for(self, words: tuple[str, ...]) -> int:
        """About the least memory of which these words need no more."""
        too_little, enough = 1 << 22, 1 << 30
        while enough - too_little > 1 << 14:
            middle = (too_little + enough) // 2
            works = self.limited(middle, *words).returncode == 0
            too_little, enough = (too_little, middle) if works else (middle, enough)
        return enough

    def test_threads_are_as_many_as_the_memory_is_enough_for(self) -> None:
        words = ("simulate", "outer:n=9", "homogeneous:p=3", "--strategies", "dynamic", "--replicates", "20", "--jobs")
        expected = damocles(*words, "6").stdout
        enough = self.least_for((*words, "1"))
        for environment in ({}, {"OMP_STACKSIZE": "50M"}):
            statuses = set()
            for more in range(0, 160 << 20, 16 << 20):
                done = self.limited(enough + more, *words, "6", environment=environment)
                statuses.add(done.returncode)
                if done.returncode == 1:  # more threads than the rows' own memory had room beside
                    self.assertRegex(without_notes(done.stderr), "^damocles: .*memory.*\n$")
                else:
                    self.assertEqual((done.returncode, without_notes(done.stderr), done.stdout), (0, "", expected))
            self.assertIn(0, statuses)

    def test_too_little_before_the_command_begins_is_one_line(self) -> None:
        words = ("simulate", "outer:n=9", "homogeneous:p=3", "--strategies", "dynamic", "--jobs", "1")
        enough = self.least_for(words)
        statuses = set()
        loads = True  # whether what loads programs had enough so far, from much memory to little
        for less in range(0, 1 << 21, 1 << 15):
            done = self.limited(enough - less, *words)
            # 127: what loads programs has too little itself. With less still, glibc's ends by a segmentation
            # fault in init_tls() here and there, before the program begins.
            loads = loads and done.returncode != 127
            if not loads and (done.returncode, done.stdout, done.stderr) == (-signal.SIGSEGV, "", ""):
                continue
            statuses.add(done.returncode)
            self.assertEqual(done.stderr.strip().count("\n"), 0, done)
            self.assertEqual(done.stderr == "", done.returncode == 0, done)
            if done.returncode == 1:  # libgomp is loaded before the program begins, and speaks for itself
                self.assertRegex(done.stderr, "^(damocles|\nlibgomp): .*(memory|threads)")
        self.assertLessEqual(statuses, {0, 1, 127})
        self.assertIn(1, statuses)


class Modules(Attack):
    def test_plot_runs_no_module_of_the_current_folder(self) -> None:
        for name in ("types", "importlib", "matplotlib", "csv", "sitecustomize"):
            self.path(f"{name}.py", f"open('ran_{name}', 'w').close()\n")
        damocles("plot", self.path("x.csv", "strategy,n,loads\neager,1,2\n"), cwd=self.folder)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("ran_")], [])


class Interrupts(Attack):
    def interrupted(self, *words: str, after_s: float = 0.5, asked: signal.Signals = signal.SIGINT,
                    within_s: float = 60) -> None:
        with subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as run:
            time.sleep(after_s)
            self.assertIsNone(run.poll(), "it ended before")
            run.send_signal(asked)
            start = time.monotonic()
            stdout, stderr = run.communicate(timeout=600)
        self.assertLess(time.monotonic() - start, within_s)
        self.assertEqual((run.returncode, stdout, without_notes(stderr)), (-asked, "", "damocles: interrupted\n"))

    def test_what_computes_ends_by_the_signal_in_one_line(self) -> None:
        long = ("outer:n=3000", "homogeneous:p=100", "--strategies", "dynamic", "--replicates", "100000")
        for asked in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.interrupted("simulate", *long, asked=asked)
        self.interrupted("calibrate", GEMM, "--time", "30s")
        self.interrupted("reproduce", "hpdc14.fig6", "-o", self.folder)

    def test_a_strategy_that_decides_for_long_does_not_delay_it(self) -> None:
        question = ("gemm2d:n=1500,tile=1,k=1", "gpus:k=2,memory=50data", "--strategies", "hfp", "--replicates", "1")
        self.interrupted("simulate", *question)
        # Runs have 2 seconds to end by themselves, as failed, or else end as others do.
        with subprocess.Popen([PROGRAM, "run", *question, "--format", "csv"], cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            time.sleep(1)
            run.send_signal(signal.SIGINT)
            start = time.monotonic()
            stdout, stderr = run.communicate(timeout=600)
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(run.returncode, -signal.SIGINT, (stdout, stderr))
        by_itself = ",failed" in stdout and "interrupted" in stderr
        self.assertTrue(by_itself or stdout == "", (run, stdout, stderr))
        self.assertEqual(stderr.count("\n"), 1)

    def test_a_sweep_keeps_its_finished_rows(self) -> None:
        study = self.path("s.toml", "workload = 'outer:n=100'\nplatform = 'uniform:p=20,lo=1,hi=2'\n"
                                    "strategies = 'dynamic'\nreplicates = 20000\n")
        self.interrupted("sweep", study, after_s=1)
        self.assertEqual({name.split("-")[0] for name in os.listdir(self.folder)}, {"s.csv.partial", "s.toml"})
        self.assertGreater(rows_in_store(self.path("s.csv.partial")), 2)

    def test_nohup_is_respected(self) -> None:
        with subprocess.Popen([PROGRAM, "simulate", "outer:n=200", "uniform:p=20,lo=1,hi=2", "--strategies", "dynamic",
                               "--replicates", "1000"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as run:
            time.sleep(0.2)
            run.send_signal(signal.SIGHUP)
            self.assertEqual((run.communicate(timeout=600)[1], run.returncode), (b"", 0))


class Memory(Attack):
    def test_a_run_that_will_not_fit_says_so_before_it_starts(self) -> None:
        for words in (("simulate", "outer:n=1000000", "homogeneous:p=100000", "--strategies", "random"),
                      ("sweep", self.path("s.toml", "workload = 'outer:n=1000000'\n"
                                                    "platform = 'homogeneous:p=1000000'\nstrategies='random'\n")),
                      ("run", "gemm2d:n=300,tile=4000,k=8000", "gpus:k=2", "--strategies", "eager")):
            self.refused(*words, says=" GB of memory to spare; take ")

    def test_nor_does_a_graph_that_will_not_fit(self) -> None:
        with open("/proc/meminfo", encoding="ascii") as file:
            available = int(re.search(r"MemAvailable: *(\d+) kB", file.read())[1]) * 1024
        if available > 34e9:
            self.skipTest("it fits here")
        for workload in ("gemm2d:n=32768", "gemm3d:n=812,order=random"):
            self.refused("simulate", workload, "gpus:k=2", "--strategies", "eager",
                         says=" GB of memory to spare; take ")


if __name__ == "__main__":
    unittest.main()
