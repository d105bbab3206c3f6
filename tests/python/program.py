"""The program beside which the package is tested."""

import contextlib
import csv
import io
import os
import signal
import subprocess
from typing import Iterator

PROGRAM, EXTENDED = os.environ["DAMOCLES_PROGRAM"], os.environ["DAMOCLES_EXTENDED"]


def run(*words: str, program: str = PROGRAM) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=600)


def csv_rows(*words: str, program: str = PROGRAM) -> "list[dict[str, str]]":
    """The rows of a command as its CSV has them."""
    answer = run(*words, "--format", "csv", program=program)
    if answer.returncode != 0:
        raise AssertionError(f"{words}: {answer.stderr}")
    return list(csv.DictReader(io.StringIO(answer.stdout)))


def same(test, records: "list[dict]", rows: "list[dict[str, str]]") -> None:
    """Fails unless each record has the columns and values of its row."""
    test.assertEqual(len(records), len(rows))
    for record, row in zip(records, rows):
        test.assertEqual(list(record), list(row))
        for name, value in record.items():
            text = row[name]
            if value is None:
                test.assertEqual(text, "", name)
            else:
                test.assertEqual(value, type(value)(text), name)


@contextlib.contextmanager
def interrupted_after(cpu_s: float) -> Iterator[None]:
    """What ctrl-C does, once the process has computed for so long: on a busy machine too it comes amid the work."""
    before = signal.signal(signal.SIGVTALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
