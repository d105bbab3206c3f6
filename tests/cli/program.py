"""Runs the program under test."""

import csv
import io
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["DAMOCLES_PROGRAM"]
SOURCE = os.environ["DAMOCLES_SOURCE"]
NO_MATPLOTLIB = "drawing needs python3 with matplotlib"  # what `plot` says where no Python has it


def damocles(*words: str, cwd: str | None = None, said: str | None = None) -> subprocess.CompletedProcess:
    """The finished run of `damocles words...`, output as text; `said` is its standard input."""
    return subprocess.run([PROGRAM, *words], cwd=cwd, capture_output=True, text=True, check=False,
                          timeout=600, input=said)


def rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(text)))


def rows_in_store(path: str) -> int:
    """How many rows the store has; 0 where there is no store yet."""
    said = damocles("query", path, "--sql", "select count(*) as rows from rows", "--format", "csv")
    return int(said.stdout.split()[1]) if said.returncode == 0 else 0


def without_lines(stderr: str, *beginnings: str) -> str:
    """What standard error says besides lines that begin so."""
    return "".join(line for line in stderr.splitlines(keepends=True)
                   if not line.startswith(tuple(f"damocles: {one}" for one in beginnings)))


def without_what_is_left_out(stderr: str) -> str:
    return without_lines(stderr, "not run by --strategies all: ")


def without_notes(stderr: str) -> str:
    """What standard error says besides notes, what `all` leaves out, that the machine was busy, and
    which files were written."""
    return without_lines(stderr, "not run by --strategies all: ", "note: ", "the machine was busy ",
                         "wrote ")


class InFolder(unittest.TestCase):
    """A test with an empty folder of its own, `self.folder`."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def path(self, name: str, text: str | None = None) -> str:
        """The path of a file there; written first where `text` is given."""
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def refused(self, *words: str, says: list[str]) -> None:
        """The program answers in one line that says all of this, exits with 2 and prints nothing."""
        with self.subTest(words=" ".join(words)):
            done = damocles(*words, cwd=self.folder)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            for part in says:
                self.assertIn(part, done.stderr)
