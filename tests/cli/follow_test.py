"""tests/follow.py tells how far ctest is and keeps what a reader needs, with a ctest that a script plays."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from program import SOURCE, InFolder

SCRIPT = os.path.join(SOURCE, "tests", "follow.py")

CTEST = """#!/bin/sh
case "$*" in *show-only*) cat list.json; exit;; esac
echo "called: $*" >>calls
cat output
. ./then
"""
RUN = """Internal ctest changing into directory: /b
Test project /b
      Start 1: Files.AreRead
      Start 2: Table/Laws.Hold/darts  # GetParam() = darts
1/4 Test #1: Files.AreRead ................................   Passed    0.10 sec
      Start 3: cli.rows
2/4 Test #3: cli.rows .....................................***Failed    2.00 sec
first line of the output

  Start of a sentence in it
      Start 4: cli.skips
3/4 Test #2: Table/Laws.Hold/darts  # GetParam() = darts ...   Passed    0.30 sec
4/4 Test #4: cli.skips ....................................***Skipped   0.01 sec

67% tests passed, 1 tests failed out of 3

Total Test time (real) =   1.05 sec

The following tests did not run:
\t  4 - cli.skips (Skipped)
"""
TESTS = [("Files.AreRead", "/b/tests/damocles_models_tests", None),
         ("Table/Laws.Hold/darts  # GetParam() = darts", "/b/tests/damocles_models_tests", None),
         ("cli.rows", "/usr/bin/python3", 100), ("cli.skips", "/usr/bin/python3", None)]  # fmt: skip


class Follow(InFolder):
    def setUp(self) -> None:
        super().setUp()
        self.path("list.json", json.dumps({"tests": [
            {"name": name, "command": [command], "properties": [{"name": "COST", "value": cost}] if cost else []}
            for name, command, cost in TESTS]}))  # fmt: skip
        self.path("then", "exit 8\n")
        os.chmod(self.path("ctest", CTEST), 0o755)

    def start(self, *words: str, **how: object) -> subprocess.Popen:
        return subprocess.Popen([sys.executable, "-B", SCRIPT, "./ctest", "--test-dir", "b", *words], cwd=self.folder,
                                stdout=subprocess.PIPE, text=True, **how)  # fmt: skip

    def run_on(self, output: str, *words: str) -> tuple[int, str]:
        self.path("output", output)
        with self.start(*words) as run:
            said = run.communicate(timeout=60)[0]
        return run.returncode, said

    def test_a_suite_has_a_line_when_its_last_test_ends(self) -> None:
        status, said = self.run_on(RUN, "-j", "2")
        self.assertEqual(status, 8)
        lines = said.splitlines()
        self.assertEqual(lines[0], "4 tests; what each of them printed: b/Testing/Temporary/LastTest.log")
        self.assertRegex(said, r"\nmodels +2 passed +3 of 4 tests after 0:0\d\n")
        self.assertRegex(said, r"\ncli +1 failed, 1 skipped +4 of 4 tests after 0:0\d\n")
        self.assertNotIn("Start 1", said)
        self.assertNotIn("AreRead", said)

    def test_a_failure_stands_there_in_full(self) -> None:
        said = self.run_on(RUN)[1]
        self.assertIn("\n2/4 Test #3: cli.rows .....................................***Failed    2.00 sec\n"
                      "first line of the output\n\n  Start of a sentence in it\n", said)  # fmt: skip

    def test_the_last_lines_are_the_summary(self) -> None:
        said = self.run_on(RUN)[1]
        self.assertTrue(said.endswith(RUN[RUN.index("\n67% tests"):]), said)

    def test_time_left_is_of_last_time_else_what_cmake_says(self) -> None:
        first = RUN[:RUN.index("      Start 3")]
        self.path("list.json", json.dumps({"tests": [{"name": "Files.AreRead"}, {
            "name": "cli.rows", "properties": [{"name": "COST", "value": 100}]}]}))
        self.assertRegex(self.run_on(first)[1], r"\nFiles +1 passed +1 of 2 tests after 0:0\d, about 1:40 left\n")
        os.makedirs(self.path("b/Testing/Temporary"))
        self.path("b/Testing/Temporary/CTestCostData.txt", "cli.rows 3 130.5\n---\ncli.rows\n")
        self.assertRegex(self.run_on(first)[1], r"\nFiles +1 passed +1 of 2 tests after 0:0\d, about 2:10 left\n")

    def test_what_is_no_run_is_left_to_ctest(self) -> None:
        for word in ("-N", "-V", "--print-labels"):
            self.assertEqual(self.run_on("whatever\n      Start 1: it says\n", word)[1], "whatever\n      Start 1: it says\n")

    def test_where_no_test_is_chosen_ctest_says_so(self) -> None:
        self.path("list.json", json.dumps({"tests": []}))
        self.assertEqual(self.run_on("No tests were found!!!\n", "-R", "nothing"), (8, "No tests were found!!!\n"))

    def test_an_interrupt_reaches_ctest(self) -> None:
        self.path("output", RUN[:RUN.index("1/4")])
        self.path("then", "trap 'echo stopped >stopped; exit 9' INT TERM; echo >ready\n"
                          "while :; do sleep 0.1; done\n")  # fmt: skip
        for number, to_all in ((signal.SIGINT, True), (signal.SIGTERM, False)):
            with self.subTest(number=number), self.start(start_new_session=True) as run:
                while not os.path.exists(self.path("ready")):
                    time.sleep(0.05)
                (os.killpg if to_all else os.kill)(run.pid, number)  # a terminal interrupts them all
                run.communicate(timeout=60)
                self.assertEqual((run.returncode, os.path.exists(self.path("stopped"))), (9, True))
            os.remove(self.path("ready"))
            os.remove(self.path("stopped"))


if __name__ == "__main__":
    unittest.main()
