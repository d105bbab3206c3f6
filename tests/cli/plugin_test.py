"""Plug-ins: the template of docs/examples/plugin/, copied elsewhere and built, is part of the program; what is no plug-in
of this program is refused before any of its code runs."""

import csv
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import PROGRAM, SOURCE, damocles

PACKAGE = Path(PROGRAM).resolve().parents[1]  # the build folder, which is a package for find_package(damocles)
WORDS = ("simulate", "gemm2d:n=10", "gpus:k=2,memory=16data", "--replicates", "1")
EXTENSIONS = ("bad_answers", "command", "eviction", "platform_form", "strategy", "workload_family")  # of tests/extension
CLASHES = {"named_twice": ('"newest-first"', '"both-ends"'), "named_eager": ('"newest-first"', '"eager"'),
           "another_name": ('"newest-first"', '"DARTS"')}  # fmt: skip
# What each of tests/extension/bad_answers.cpp ends a run with.
WRONG_ANSWERS = {"unknown-task": "grants task 105, which is not there", "same-task": "grants task 0, which it granted before",
                 "late-throw": "failed: boom", "late-number": "threw what is no std::exception", "only-loads": "data without end|0 of 100 tasks",
                 "unknown-data": "loads data item 100000, which is not there", "nothing": "0 of 100 tasks", "one-too-many": "grants task 100",
                 "throws": "failed: boom", "throws-number": "threw what is no std::exception", "escapes": "failed: bad",
                 "no-memory": "out of memory|std::bad_alloc", "end-throws": "failed: boom", "none-made": "makes nothing"}  # fmt: skip
PROJECT = """cmake_minimum_required(VERSION 3.22)
project(plugins LANGUAGES CXX)
find_package(damocles REQUIRED)
"""


def build(folder: Path, *options: str) -> None:
    for words in (("-G", "Ninja", "-S", folder, "-B", folder / "build", f"-Ddamocles_DIR={PACKAGE}", *options),
                  ("--build", folder / "build")):  # fmt: skip
        done = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)


class Plugins(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        shutil.copytree(Path(SOURCE, "docs/examples/plugin"), cls.folder / "template")
        build(cls.folder / "template", "-DCMAKE_BUILD_TYPE=Debug")  # quicker, and another type than the program's
        cls.both_ends = str(cls.folder / "template/build/libboth-ends.so")
        cls.build_others(cls.folder / "others")

    @classmethod
    def build_others(cls, folder: Path) -> None:
        """One library with a file of each kind; and libraries with a fault each."""
        folder.mkdir()
        sources = Path(SOURCE, "tests/extension")
        files = " ".join(f"{sources}/{name}.cpp" for name in EXTENSIONS)
        project = PROJECT + f"damocles_add_plugin(kinds {files})\nset_target_properties(kinds PROPERTIES UNITY_BUILD ON)\n"
        strategy = (sources / "strategy.cpp").read_text(encoding="utf-8")
        for name, (before, after) in CLASHES.items():
            (folder / f"{name}.cpp").write_text(strategy.replace(before, after), encoding="utf-8")
            project += f"damocles_add_plugin({name} {name}.cpp)\n"
        thief = strategy.replace('"newest-first"', '"a-thief"').replace(".make =", '.aliases = {{"eager", ""}}, .make =')
        (folder / "thief.cpp").write_text(thief, encoding="utf-8")
        project += "damocles_add_plugin(thief thief.cpp)\n"
        (folder / "nothing.cpp").write_text("int nothing;\n", encoding="utf-8")
        project += "damocles_add_plugin(nothing nothing.cpp)\nadd_library(stranger MODULE nothing.cpp)\n"
        (folder / "CMakeLists.txt").write_text(project, encoding="utf-8")
        build(folder)
        cls.others = folder / "build"

    def answer(self, *words: str) -> str:
        run = damocles(*words)
        self.assertEqual((run.returncode, run.stderr), (0, ""), words)
        return run.stdout

    def rows(self, *words: str) -> "list[dict]":
        return json.loads(self.answer(*words, "--format", "json"))["records"]

    def refused(self, path: "Path | str", why: str) -> None:
        run = damocles("--plugin", str(path), "list", "strategies")
        self.assertEqual((run.returncode, run.stdout), (2, ""), path)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertRegex(run.stderr, why)

    def variant(self, name: str, change) -> str:
        path = self.folder / name
        path.write_bytes(change(Path(self.both_ends).read_bytes()))
        return str(path)

    def test_a_strategy_is_listed_and_runs_beside_the_others(self) -> None:
        self.assertIn("both ends", self.answer("list", "strategies", "both-ends", "--plugin", self.both_ends))
        for words in (("--plugin", self.both_ends, *WORDS), (*WORDS, f"--plugin={self.both_ends}")):
            rows = self.rows(*words, "--strategies", "both-ends,eager")
            self.assertEqual([row["strategy"] for row in rows], ["both-ends", "eager"])
            self.assertEqual(rows[0]["loads"], 30)  # each GPU half of the rows, and all columns: 5 + 10
            self.assertGreater(rows[1]["loads"], 30)
        everything = damocles(*WORDS, "--strategies", "all", "--plugin", self.both_ends, "--format", "csv").stdout
        self.assertIn(",both-ends,", everything)

    def test_a_strategy_is_executed_and_verified(self) -> None:
        row = self.rows("run", "gemm2d:n=4,tile=16,k=16", "gpus:k=2,memory=5data", "--strategies", "both-ends",
                        "--no-throttle", "--replicates", "1", "--plugin", self.both_ends)[0]  # fmt: skip
        self.assertEqual((row["source"], row["status"]), ("executed", "ok"))

    def ends_in_a_line(self, why: str, *words: str) -> None:
        run = damocles(*words, "--plugin", str(self.others / "libkinds.so"))
        self.assertIn(run.returncode, (1, 2), words)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertRegex(run.stderr, f"^damocles: [ -~]*(?:{why})")

    def test_a_wrong_answer_ends_in_one_line(self) -> None:
        machines = (("simulate", "gemm2d:n=10", "gpus:k=2,memory=6data"), ("simulate", "gemm2d:n=10", "homogeneous:p=2"),
                    ("run", "gemm2d:n=10,tile=8,k=8", "gpus:k=2,memory=6data"))  # fmt: skip
        for name, why in WRONG_ANSWERS.items():
            for words in machines:
                if (name, words[2][0]) == ("end-throws", "h"):
                    continue  # where memory is unlimited nobody is told of ends
                with self.subTest(strategy=name, words=words):
                    self.ends_in_a_line(why, *words, "--strategies", name, "--replicates", "1")
        for name, why in (("unknown-processor", "gives a task to processor 77"), ("too-early", "which waits for another")):
            self.ends_in_a_line(why, "simulate", "stencil:n=4,steps=3", machines[0][2], "--strategies", name, "--replicates", "1")
        for name, why in (("nobody", "stopped"), ("unknown", "evicts data item 100000"), ("first", "which may not go now"), ("throws", "failed: boom")):
            for words in (machines[0], machines[2]):
                with self.subTest(eviction=name, words=words):
                    self.ends_in_a_line(why, *words, "--strategies", f"eager:eviction=evict-{name}", "--replicates", "1")
        self.ends_in_a_line("a plug-in threw something that is no std::exception", "throw-a-number")
        rows = self.rows(*machines[0], "--strategies", "eager,wakes", "--replicates", "1", "--plugin", str(self.others / "libkinds.so"))
        self.assertEqual(rows[0]["loads"], rows[1]["loads"])  # who wakes too often grants all the same

    def test_without_the_plugin_the_name_is_unknown(self) -> None:
        run = damocles(*WORDS, "--strategies", "both-ends")
        self.assertEqual(run.returncode, 2)
        self.assertIn("unknown strategy 'both-ends'", run.stderr)

    def test_several_files_and_plugins_add_what_they_register(self) -> None:
        plugins = ("--plugin", str(self.others / "libkinds.so"), "--plugin", self.both_ends)
        rows = self.rows("simulate", "tridiagonal:n=40", "big-little:p=2", "--strategies", "newest-first:eviction=mru,both-ends",
                         "--replicates", "1", *plugins)  # fmt: skip
        self.assertEqual([row["status"] for row in rows], ["ok", "ok"])
        self.assertEqual(self.answer("footprint", "tridiagonal:n=40", *plugins), "3000000\n")  # a command of the plug-in

    def test_a_name_means_the_strategy_that_has_it_before_one_that_accepts_it(self) -> None:
        words = (*WORDS, "--strategies", "eager")
        self.assertEqual(self.rows(*words, "--plugin", str(self.others / "libthief.so")), self.rows(*words))

    def test_a_plugin_named_twice_is_loaded_once(self) -> None:
        once = self.answer(*WORDS, "--plugin", self.both_ends)
        self.assertEqual(self.answer(*WORDS, "--plugin", self.both_ends, "--plugin", self.both_ends), once)

    def version(self, *plugins: str) -> str:
        """The column of the rows in a file."""
        path = Path(tempfile.mkdtemp(dir=self.folder), "rows.csv")
        self.assertEqual(damocles("sweep", "gemm2d", "gpus:k=2,memory=8data", "--vary", "n=2", "--replicates", "1", "-o", str(path),
                                  *(word for one in plugins for word in ("--plugin", one))).returncode, 0)  # fmt: skip
        with path.open(newline="", encoding="utf-8") as file:
            return next(csv.DictReader(file))["version"]

    def test_rows_name_the_plugins_whatever_their_order(self) -> None:
        kinds = str(self.others / "libkinds.so")
        version = self.version(kinds, self.both_ends)
        self.assertRegex(version, r"^[\d.]+\+[0-9a-f]{12}(\+plugin\.[0-9a-f]{12}){2}$")
        self.assertEqual(self.version(self.both_ends, kinds), version)
        self.assertRegex(self.version(), r"^[\d.]+\+[0-9a-f]{12}$")

    def test_stored_rows_of_an_older_plugin_do_not_answer(self) -> None:
        store = str(self.folder / "study.db")
        newer = self.variant("newer.so", lambda content: content + b"another")
        words = ("--strategies", "both-ends", "--store", store)
        for path, there in ((self.both_ends, 1), (self.both_ends, 1), (newer, 2)):
            done = damocles(*WORDS, *words, "--plugin", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(self.rows("query", store)), there)
        commands = self.answer("query", store, "--sql", "select command from studies", "--format", "csv")
        self.assertIn(f"--plugin {newer}", commands)

    def test_what_is_no_plugin_is_refused(self) -> None:
        text = self.folder / "text.so"
        text.write_text("no library\n", encoding="utf-8")
        self.refused(self.folder / "none.so", r"^damocles: cannot open plug-in '.*none\.so': no such file; .* give a shared library")
        self.refused(self.folder, r"^damocles: (cannot open )?plug-in '.*folder")
        self.refused(text, "is not a shared library; build it with damocles_add_plugin")
        self.refused(PROGRAM, "names no version; build it with damocles_add_plugin")
        self.refused(self.others / "libstranger.so", "names no version")
        self.refused(self.others / "libnothing.so", "registers nothing; write `const Register entry")
        whole = len(Path(self.both_ends).read_bytes())
        for size in (4, 63, 64, 4096, *range(whole // 8, whole, whole // 8), whole - 1):
            self.refused(self.variant("short.so", lambda content, size=size: content[:size]), f"short.so' is cut short: .* {size} bytes; copy it again")
        run = damocles("list", "strategies", "--plugin")
        self.assertEqual((run.returncode, run.stderr), (2, "damocles: --plugin needs a value: FILE, as libmine.so\n"))

    def test_another_version_is_refused(self) -> None:
        def of_other_sources(content: bytes) -> bytes:
            mark = re.search(rb"damocles plug-in built against [\d.]+\+([0-9a-f]{12})\0", content)
            return content.replace(mark[1], b"0123456789ab")

        self.refused(self.variant("other.so", of_other_sources),
                     r"was built against damocles [\d.]+\+0123456789ab, and this is [\d.]+\+[0-9a-f]{12}; build it again")

    def test_a_name_that_is_taken_is_refused(self) -> None:
        for library, name in (("named_eager", "eager"), ("another_name", "DARTS")):
            self.refused(self.others / f"lib{library}.so", f"registers the strategy '{name}', which exists already")
        run = damocles("list", "strategies", "--plugin", self.both_ends, "--plugin", str(self.others / "libnamed_twice.so"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("registers the strategy 'both-ends', which exists already; give it another name", run.stderr)


if __name__ == "__main__":
    unittest.main()
