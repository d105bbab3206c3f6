"""Interrupts come while a picture is drawn, and while its files are written."""

from __future__ import annotations

import signal
import subprocess
import sys
import unittest
from pathlib import Path

PLOTS = Path(__file__).resolve().parents[2] / "plots"
BEGIN = f"""
import os, signal, sys
sys.path.insert(0, {str(PLOTS)!r})
import interrupts
interrupts.end_at_once(lambda text: print(text, flush=True))
"""


def run(program: str, **how: object) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", BEGIN + program], capture_output=True, text=True,
                          check=False, **how)  # type: ignore[call-overload]  # fmt: skip
    return done.returncode, done.stdout + done.stderr


class Interrupts(unittest.TestCase):
    def test_end_us_within_code_that_catches_everything(self) -> None:
        caught = "try:\n  os.kill(os.getpid(), {})\nexcept BaseException:\n  pass\nprint('went on')"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(run(caught.format(int(number))),
                             (130, "interrupted; no picture is half-written\n"))  # fmt: skip

    def test_wait_for_the_files(self) -> None:
        held = (
            "with interrupts.held():\n"
            "  os.kill(os.getpid(), 15)\n  os.kill(os.getpid(), 15)\n  print('written', flush=True)\n"
            "print('went on')"
        )
        self.assertEqual(run(held), (130, "written\ninterrupted; no picture is half-written\n"))

    def test_leave_what_nobody_interrupts(self) -> None:
        self.assertEqual(run("with interrupts.held(): print('a')\nprint('b')"), (0, "a\nb\n"))

    def test_stay_ignored(self) -> None:
        ignored = BEGIN.replace("import interrupts", "signal.signal(2, signal.SIG_IGN)\nimport interrupts")
        done = subprocess.run(
            [sys.executable, "-c", ignored + "os.kill(os.getpid(), 2)\nprint('went on')"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "went on\n", ""))


if __name__ == "__main__":
    unittest.main()
