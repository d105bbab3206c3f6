#!/usr/bin/env python3
"""Reports every test that ctest's log says was skipped, with its reason, and fails where one was not expected.

    tests/check_skips.py [LOG [EXPECTED]]

LOG is what ctest writes about a whole run, build/Testing/Temporary/LastTest.log where none is given. EXPECTED,
tests/expected_skips.txt where none is given, has a line `TEST: REASON` for each skip of a machine that has all
optional packages; `*` in TEST stands for anything. A test within a test is TEST/ITS NAME.

Exit status: 0 where all skips are expected, 1 where one is not or the list names a test that is gone, 2 where
there is no log to read.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
LOG = HERE.parent / "build/Testing/Temporary/LastTest.log"
EXPECTED = HERE / "expected_skips.txt"

TEST = re.compile(r"^\d+/\d+ Test: (?P<name>.*?)(?:  # GetParam\(\) = .*)?\n"
                  r"Command: (?P<command>.*)\n"
                  r"(?:.*\n){3}-+\n"
                  r"(?P<output>(?:.*\n)*?)<end of output>\n"
                  r"Test time = .*\n-+\n"
                  r"(?P<ended>.*\n.*)\n", re.M)  # fmt: skip
GTEST = re.compile(r"^\S*:\d+: Skipped\n(?P<reason>(?:.*\n)*?)\n?\[  SKIPPED \] (?P<name>[^ ,]+)", re.M)
UNITTEST = re.compile(r"^ *(?P<name>\S+) \([^()]*\)(?P<parameters>(?: [\[(].*[\])])?)(?:\n.*)? \.\.\. "
                      r"(?:.*\n)*?skipped (?P<reason>'.*'|\".*\")$", re.M)  # fmt: skip
COUNTED = re.compile(r"^(?:OK|FAILED) \(.*?\bskipped=(\d+)", re.M)


class Skip(NamedTuple):
    test: str
    reason: str


def skips_of(test: re.Match) -> list[Skip]:
    """What was skipped of one test of ctest's."""
    name, output = test["name"], test["output"]
    if test["command"] == '""':
        return [Skip(name, "it is disabled, or its program was not built")]
    found = []
    for one in GTEST.finditer(output):
        found.append(Skip(one["name"] if one["name"].startswith(name) else f"{name}/{one['name']}",
                          " ".join(one["reason"].split())))
    found += [Skip(f"{name}/{one['name']}{one['parameters']}", one["reason"][1:-1]) for one in UNITTEST.finditer(output)]
    counted = sum(int(one[1]) for one in COUNTED.finditer(output))
    if counted > len(found):
        found.append(Skip(name, f"{counted - len(found)} more were skipped, with no reason that could be read"))
    if not found and "Skip regular expression found" in test["ended"]:
        found.append(Skip(name, next((line for line in output.splitlines() if line.strip()), "it says no reason")))
    return found


def read_log(text: str) -> tuple[list[str], list[Skip]]:
    """The tests of the log, and what was skipped of them."""
    tests = list(TEST.finditer(text))
    return [one["name"] for one in tests], [skip for one in tests for skip in skips_of(one)]


def read_expected(text: str) -> list[Skip]:
    lines = [line.strip() for line in text.splitlines()]
    return [Skip(*re.split(": ", line, maxsplit=1)) for line in lines if line and not line.startswith("#")]


def matches(test: str, pattern: str) -> bool:
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), test) is not None


def judge(tests: list[str], skips: list[Skip], expected: list[Skip], listed: str) -> tuple[list[Skip], list[str]]:
    """The skips that were expected, and a line for each thing that is wrong."""
    as_expected = [skip for skip in skips
                   if any(matches(skip.test, one.test) and one.reason == skip.reason for one in expected)]  # fmt: skip
    wrong = [f"{one.test} was skipped, which is not expected ({one.reason}): install what it needs, or add it to "
             f"{listed}" for one in skips if one not in as_expected]  # fmt: skip
    wrong += [f"{listed} names {one.test}, and no test has this name: remove the line" for one in expected
              if not any(matches(name, one.test) or one.test.startswith((name + "/", name + ".")) for name in tests)]  # fmt: skip
    return as_expected, wrong


def main(words: list[str]) -> int:
    log = Path(words[0]) if words else LOG
    listed = Path(words[1]) if len(words) > 1 else EXPECTED
    expected = read_expected(listed.read_text(encoding="utf-8"))
    try:
        tests, skips = read_log(log.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        print(f"check_skips: {log}: {error.strerror}; run the tests first: ./damocles test", file=sys.stderr)
        return 2
    if not tests:
        print(f"check_skips: {log} tells of no test; run the tests first: ./damocles test", file=sys.stderr)
        return 2
    as_expected, wrong = judge(tests, skips, expected, listed.name)
    for one in as_expected:
        print(f"skipped, as expected: {one.test}: {one.reason}")
    for line in wrong:
        print(f"check_skips: {line}", file=sys.stderr)
    print(f"{len(as_expected)} expected skips among {len(tests)} tests; {len(wrong) or 'nothing'} to mend")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
