"""Commands that execute, or work with files of rows: they run as on the command line."""

import csv
import json
import os
import tempfile
from collections.abc import Iterable
from typing import Any, Callable, Optional, Union

from . import _damocles
from .commands import Number
from .records import Answer, Records, Trace
from .words import Word, Words, line_of, strategies_of, text_of

File = Union[str, "os.PathLike[str]"]


def _answer_in_file(words: "list[str]", ending: str, read: "Callable[[Any], Any]") -> "tuple[Any, list[str]]":
    """What the command writes into a file, as `read` reads it, and its notes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "answer" + ending)
        notes = _damocles.command([*words, "-o", path])
        with open(path, encoding="utf-8", newline="") as file:
            return read(file), [note for note in notes if path not in note]


def list_names(topic: str = "strategies") -> Records:
    """The entries of a list of the program, as `damocles list`: strategies, workloads, platforms, models and so on."""
    return Records.answered(_damocles.list(topic))


def run(workload: Word, platform: Word, strategies: Words = "", *, strategy: Words = "", replicates: Number = 1,
        seed: Number = 1, backend: str = "", tile: Number = "", inner: Number = "", precision: str = "", sms: Words = "",
        pace: str = "", no_throttle: bool = False, verify: str = "", compute: str = "", depth: Number = "",
        summary: bool = False, store: File = "") -> Records:  # fmt: skip
    """Execute strategies on real memory and verify the result, as `damocles run`: one record for each run."""
    names = strategies_of(strategies, strategy)
    if _damocles.calls_python(names):
        raise _damocles.InvalidInput(f"run: '{names}' is written in Python, which is simulated and not executed; leave it out")
    options = {"strategies": names, "replicates": replicates, "seed": seed, "backend": backend, "tile": tile, "inner": inner,
               "precision": precision, "sms": sms, "pace": pace, "no_throttle": no_throttle, "verify": verify,
               "compute": compute, "depth": depth, "summary": summary, "store": store, "quiet": True}  # fmt: skip
    rows, notes = _answer_in_file(["run", text_of(workload), text_of(platform), *line_of(options)], ".json", json.load)
    return Records(rows["records"], notes=notes)


def trajectory(workload: Word, platform: Word, strategy: Words = "", *, strategies: Words = "", replicates: Number = 60,
               instants: Number = 201, seed: Number = 1, jobs: Number = 0) -> Records:  # fmt: skip
    """Compare prediction and simulation over time, as `damocles trajectory`: one record for each point of a curve."""
    names = strategies_of(strategies, strategy)
    if _damocles.calls_python(names):
        raise _damocles.InvalidInput(f"trajectory: '{names}' is written in Python, which no model predicts")
    options = {"strategy": names, "replicates": replicates, "instants": instants, "seed": seed, "jobs": jobs}
    rows, notes = _answer_in_file(["trajectory", text_of(workload), text_of(platform), *line_of(options)], ".csv",
                                  lambda file: list(csv.DictReader(file)))  # fmt: skip
    return Records(({name: _value(text) for name, text in row.items()} for row in rows), notes=notes)


def _value(text: str) -> "Union[None, int, float, str]":
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


def query(store: File, *, where: "Union[str, Iterable[str]]" = (), by: Words = "", columns: Words = "", sort: str = "",
          top: Number = "", sql: str = "") -> Records:  # fmt: skip
    """Rows of a store, filtered, grouped and sorted, as `damocles query`: where="strategy=darts,memory>=10"."""
    words = ["query", os.fspath(store)]
    for condition in [where] if isinstance(where, str) else where:
        words += ["--where", condition]
    words += line_of({"by": by, "columns": columns, "sort": sort, "top": top, "sql": sql})
    rows, notes = _answer_in_file(words, ".json", json.load)
    return Records(rows["records"], notes=notes)


def merge(*files: File, store: File) -> str:
    """Make one store of several, as `damocles merge`; returns how many rows it has, in words."""
    return _damocles.merge([os.fspath(file) for file in files], os.fspath(store))[0]


def cite(store: File, *, format: str = "text") -> str:
    """What to cite for the rows of a store, as `damocles cite`; `format` is text or bibtex."""
    return _answer_in_file(["cite", os.fspath(store), "--format", format], ".txt", lambda file: file.read())[0]


def report(contents: "Union[File, Records, Trace, Answer, Iterable[Union[File, Records, Trace, Answer]]]", output: File, *,
           title: Optional[str] = None) -> None:  # fmt: skip
    """Write one page of HTML about results and runs, as `damocles report`: of files, records, traces and explanations."""
    several = [contents] if isinstance(contents, (str, os.PathLike, Records, Trace, Answer)) else list(contents)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, one in enumerate(several):
            if isinstance(one, (str, os.PathLike)):
                files.append(os.fspath(one))
                continue
            files.append(os.path.join(folder, f"{type(one).__name__.lower()}{number + 1}.json"))
            one.write(files[-1])
        _damocles.command(["report", *files, *line_of({"output": output, "title": title})])
