"""tests/check_skips.py finds every skip in ctest's log, with its reason, and refuses those that nobody expects."""

import os
import subprocess
import sys
import unittest

from program import SOURCE, InFolder

SCRIPT = os.path.join(SOURCE, "tests", "check_skips.py")

GTEST_SKIPPED = """Note: Google Test filter = Files.AreRefused
[ RUN      ] Files.AreRefused
/src/tests/file_test.cpp:118: Skipped
root reads everything
[  SKIPPED ] Files.AreRefused (0 ms)
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] Files.AreRefused
"""
UNITTEST_SKIPPED = """test_drawing (a_test.Case.test_drawing) ... skipped 'no matplotlib'
test_examples (a_test.Case.test_examples) ... 
  test_examples (a_test.Case.test_examples) (line='plot x') ... skipped "'plot' is not there"
test_rows (a_test.Case.test_rows) ... ok

----------------------------------------------------------------------
Ran 3 tests in 2.140s

OK (skipped=2)
"""
QUIET = "Ran 10 tests in 2.1s\n\nOK (skipped=1)\n"


def entry(name: str, output: str, ended: str = "Test Passed.", command: str = '"/src/a_test"') -> str:
    """What ctest's log has about one test."""
    line = "-" * 58
    return (f'1/9 Testing: {name}\n1/9 Test: {name}\nCommand: {command}\nDirectory: /src\n"{name}" start time: now\n'
            f"Output:\n{line}\n{output}<end of output>\nTest time =   0.01 sec\n{line}\n{ended}\n"
            f'"{name}" end time: now\n"{name}" time elapsed: 00:00:00\n{line}\n\n')


SKIPPED_BY_CTEST = "Test Pass Reason:\nSkip regular expression found in output. Regex=[^skipped: ]"


class Skips(InFolder):
    def check(self, log: str, expected: str = "") -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-B", SCRIPT, self.path("log", log), self.path("list", expected)],
                              capture_output=True, text=True, check=False, timeout=60)

    def refused(self, log: str, *says: str) -> None:
        run = self.check(log)
        self.assertEqual(run.returncode, 1, run)
        for text in says:
            self.assertIn(text, run.stderr)

    def test_a_log_without_skips_passes(self) -> None:
        run = self.check(entry("Files.AreRead", "[       OK ] Files.AreRead (0 ms)\n") + entry("cli.rows", "OK\n"))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout, "0 expected skips among 2 tests; nothing to mend\n")

    def test_each_kind_of_skip_is_found_with_its_reason(self) -> None:
        for log, says in (
            (entry("Files.AreRefused", GTEST_SKIPPED, SKIPPED_BY_CTEST),
             "Files.AreRefused was skipped, which is not expected (root reads everything)"),
            (entry("oracle", GTEST_SKIPPED), "oracle/Files.AreRefused was skipped"),
            (entry("cli.a", UNITTEST_SKIPPED), "cli.a/test_drawing was skipped, which is not expected (no matplotlib)"),
            (entry("cli.a", UNITTEST_SKIPPED), "cli.a/test_examples (line='plot x') was skipped, which is not "
                                               "expected ('plot' is not there)"),
            (entry("cli.a", QUIET), "1 more were skipped, with no reason that could be read"),
            (entry("bench", "skipped: no benchmark\n", SKIPPED_BY_CTEST), "expected (skipped: no benchmark)"),
            (entry("golden.x", "", command='""'), "it is disabled, or its program was not built"),
        ):  # fmt: skip
            with self.subTest(says=says):
                self.refused(entry("Before.It", "ok\n") + log + entry("After.It", "ok\n"), says)

    def test_a_test_of_a_suite_has_its_own_name(self) -> None:
        output = GTEST_SKIPPED.replace("Files.AreRefused", "Table/Laws.Hold/3")
        for suite in ("Table/Laws", "Table/Laws.Hold"):
            self.refused(entry(suite, output), "check_skips: Table/Laws.Hold/3 was skipped")
        run = self.check(entry("Table/Laws", output), "Table/Laws.Hold/*: root reads everything\n")
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_expected_skips_pass(self) -> None:
        log = entry("Files.AreRefused", GTEST_SKIPPED, SKIPPED_BY_CTEST) + entry("cli.a", UNITTEST_SKIPPED)
        run = self.check(log, "# why\n\nFiles.*: root reads everything\ncli.a/test_drawing: no matplotlib\n"
                              "cli.a/test_examples*: 'plot' is not there\n")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("skipped, as expected: Files.AreRefused: root reads everything\n", run.stdout)

    def test_another_reason_is_not_expected(self) -> None:
        run = self.check(entry("Files.AreRefused", GTEST_SKIPPED, SKIPPED_BY_CTEST), "Files.AreRefused: no disk\n")
        self.assertEqual(run.returncode, 1)

    def test_a_list_that_names_a_test_that_is_gone_is_refused(self) -> None:
        run = self.check(entry("Files.AreRead", "ok\n"), "Files.AreWritten: no disk\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn("list names Files.AreWritten, and no test has this name: remove the line", run.stderr)

    def test_a_log_that_tells_of_no_test_is_refused(self) -> None:
        self.assertEqual(self.check("Start testing\nEnd testing\n").returncode, 2)
        run = subprocess.run([sys.executable, "-B", SCRIPT, self.path("gone")], capture_output=True, text=True,
                             check=False, timeout=60)
        self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), run)

    def test_the_list_has_a_reason_a_line_and_each_test_once(self) -> None:
        with open(os.path.join(SOURCE, "tests", "expected_skips.txt"), encoding="utf-8") as file:
            lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
        self.assertEqual([line for line in lines if not all(line.partition(": "))], [])
        self.assertEqual(len({line.partition(": ")[0] for line in lines}), len(lines))


if __name__ == "__main__":
    unittest.main()
