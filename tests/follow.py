#!/usr/bin/env python3
"""Runs ctest and tells how far it is, as `./damocles test` does: a line for each suite that is done, failures in
full, ctest's own summary last.

    tests/follow.py ctest --test-dir BUILD [ctest arguments]

What every test printed lies in BUILD/Testing/Temporary/LastTest.log. Where ctest is asked for something else than
a run, as -N, or for all it has to say, as -V, it runs as if this script were not there. The exit status is ctest's.
"""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections import Counter

PLAIN = re.compile(r"-N|--show-only.*|--print-labels|-h|--help.*|--version|-V|-VV|--verbose|--extra-verbose|-Q|--quiet|"
                   r"--progress|--list-presets.*")  # fmt: skip
STARTED = re.compile(r"^ *Start +\d+: ")
ENDED = re.compile(r"^ *\d+/\d+ Test +#\d+: (?P<name>.+?) \.{3,} *(?P<how>Passed|\*\*\*.*?) +(?P<seconds>[\d.]+) sec")
HEADER = re.compile(r"^(Internal ctest changing into directory|Test project|UpdateCTestConfiguration|SetCTest)")
SUMMARY = re.compile(r"^\d+% tests passed")
QUIET_S = 30  # without a terminal it says this often at least how far it is


def suite_of(test: dict) -> str:
    """The room whose test program it is of, else the first part of its name, as cli."""
    command = os.path.basename(test.get("command", [""])[0])
    room = re.fullmatch(r"damocles_(\w+)_tests", command)
    return room[1] if room else test["name"].split(".")[0]


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Progress:
    """Which tests are to run, what is left of each suite, and how long it may take."""

    def __init__(self, tests: list[dict], costs: dict[str, float], jobs: int) -> None:
        self.began = time.monotonic()
        self.suites = {test["name"]: suite_of(test) for test in tests}
        self.left = Counter(self.suites.values())
        self.ended: dict[str, Counter] = {suite: Counter() for suite in self.left}
        self.running = {test["name"]: self.cost(test, costs) for test in tests}  # those that have not ended
        self.jobs = jobs
        self.all = len(tests)
        self.unknown = Counter()  # of tests of which nobody knew how long they take

    @staticmethod
    def cost(test: dict, costs: dict[str, float]) -> float:
        """Its seconds: last time's, else what CMake says; 0 where nobody knows."""
        said = [one["value"] for one in test.get("properties", []) if one["name"] == "COST"]
        return costs.get(test["name"]) or (float(said[0]) if said else 0)

    def end(self, name: str, how: str, seconds: float) -> str | None:
        """A test has ended. The line of its suite, where it was the last one."""
        suite = self.suites.get(name)
        if suite is None or name not in self.running:
            return None
        if not self.running.pop(name):
            self.unknown.update(tests=1, milliseconds=int(seconds * 1000))
        self.left[suite] -= 1
        self.ended[suite][how] += 1
        if self.left[suite]:
            return None
        done = self.ended[suite]
        words = ", ".join(f"{done[how]} {how}" for how in ("passed", "failed", "skipped") if done[how])
        return f"{suite:<12} {words:<28} {self.status()}"

    def status(self) -> str:
        elapsed = time.monotonic() - self.began
        done = self.all - len(self.running)
        mean = self.unknown["milliseconds"] / 1000 / self.unknown["tests"] if self.unknown["tests"] else 0.1
        left = sum(cost or mean for cost in self.running.values()) / self.jobs
        # The longest one is not shared among the jobs.
        left = max([left, *self.running.values()]) if self.running else 0
        return f"{done} of {self.all} tests after {clock(elapsed)}" + (f", about {clock(left)} left" if left >= 1 else "")


class Reporter:
    """Prints what of ctest's lines a reader wants."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self.verbatim = False  # within a failure's output
        self.summary = False
        self.suite: str | None = None  # the line of one that is done, which waits for a failure's output to end
        self.shown = False  # whether the line that changes is there
        self.spoke = time.monotonic()

    def say(self, line: str) -> None:
        print(("\r\033[K" if self.shown else "") + line, flush=True)
        self.shown = False
        self.spoke = time.monotonic()

    def say_suite(self) -> None:
        if self.suite:
            self.say(self.suite)
        self.suite = None

    def tell_status(self) -> None:
        """Called now and then, whatever ctest does."""
        if self.summary or time.monotonic() - self.spoke < (1 if self.live else QUIET_S):
            return
        if self.live:
            print(f"\r\033[K{self.progress.status()}", end="", flush=True)
            self.shown = True
            self.spoke = time.monotonic()
        else:
            self.say(self.progress.status())

    def read(self, line: str) -> None:
        if SUMMARY.match(line) and not self.summary:
            self.say_suite()
            self.summary = True
            self.say("")
        if self.summary:
            self.say(line)
        elif ended := ENDED.match(line):
            self.say_suite()
            how = self.how(ended["how"])
            self.verbatim = how == "failed"
            if self.verbatim:
                self.say(line.strip())
            self.suite = self.progress.end(ended["name"], how, float(ended["seconds"]))
            if not self.verbatim:
                self.say_suite()
        elif STARTED.match(line):
            self.say_suite()
            self.verbatim = False
        elif self.verbatim or not (HEADER.match(line) or line.strip() == ""):
            self.say(line)

    @staticmethod
    def how(text: str) -> str:
        if text == "Passed":
            return "passed"
        return "skipped" if "Skipped" in text or "Disabled" in text else "failed"


def listed(command: list[str]) -> list[dict]:
    run = subprocess.run([*command, "--show-only=json-v1"], capture_output=True, text=True, check=False)
    try:
        return json.loads(run.stdout)["tests"]
    except (ValueError, KeyError):
        return []  # ctest says why, when it runs


def costs_of(build: str) -> dict[str, float]:
    """How long tests took last time: lines `NAME RUNS SECONDS`, up to `---`."""
    costs = {}
    try:
        with open(os.path.join(build, "Testing/Temporary/CTestCostData.txt"), encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("---"):
                    break
                name, _, seconds = line.rstrip("\n").rsplit(" ", 2)
                costs[name] = float(seconds)
    except (OSError, ValueError):
        pass  # an estimate is all that is lost
    return costs


def value_of(words: list[str], *options: str) -> str | None:
    """What the last of the options is given: as two words, or as one."""
    value = None
    for i, word in enumerate(words):
        for option in options:
            if word == option and i + 1 < len(words):
                value = words[i + 1]
            elif word.startswith(option) and word != option:
                value = word[len(option):].lstrip("=")
    return value


def follow(command: list[str], reporter: Reporter) -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctest has it too, and says how it ended
    with subprocess.Popen(command, stdout=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as ctest:  # fmt: skip
        signal.signal(signal.SIGTERM, lambda *_: ctest.terminate())
        selector = selectors.DefaultSelector()
        selector.register(ctest.stdout, selectors.EVENT_READ)
        pending = b""
        while True:
            if selector.select(timeout=1):
                data = os.read(ctest.stdout.fileno(), 1 << 16)
                if not data:
                    break
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    reporter.read(line.decode("utf-8", "replace"))
            reporter.tell_status()
        if pending:
            reporter.read(pending.decode("utf-8", "replace"))
        status = ctest.wait()
    return status if status >= 0 else 128 - status


def main(command: list[str]) -> int:
    tests = [] if any(PLAIN.fullmatch(word) for word in command) else listed(command)
    if not tests:
        os.execvp(command[0], command)
    build = value_of(command, "--test-dir") or "."
    jobs = value_of(command, "-j", "--parallel") or "1"
    print(f"{len(tests)} tests; what each of them printed: {os.path.join(build, 'Testing/Temporary/LastTest.log')}",
          flush=True)  # fmt: skip
    progress = Progress(tests, costs_of(build), int(jobs) if jobs.isdigit() and int(jobs) > 0 else 1)
    return follow(command, Reporter(progress))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
