"""Answers: rows as a list that shows itself as a table and becomes a pandas DataFrame, sentences with their numbers."""

import csv
import enum
import html
import importlib
import itertools
import json
import os
import shutil
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional, Union

from . import _damocles
from .drawing import drawn


class Record(dict):
    """One row. Its fields are the columns of the CSV, as row["loads"] or row.loads; absent values are None."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no column '{name}'; there are {', '.join(self)}") from None


class Records(list):
    """A list of records, with their `columns`, and with what the command line says beside them in `notes`.

    print(rows) shows a table, and so does a notebook. rows[1:3], rows.where(strategy="darts") and
    rows.filter(lambda row: row.loads < 40) are Records too.
    """

    def __init__(self, rows: "Iterable[Mapping[str, Any]]" = (), columns: "Optional[Iterable[str]]" = None,
                 notes: "Iterable[str]" = ()) -> None:  # fmt: skip
        super().__init__(Record(row) for row in rows)
        self.columns = list(dict.fromkeys(name for row in self for name in row) if columns is None else columns)
        self.notes = list(notes)

    @classmethod
    def answered(cls, answer: Any) -> "Records":
        """What the module answers with."""
        table, notes = answer
        return cls((zip(table.columns, row) for row in table.rows), table.columns, notes)

    def _of(self, rows: "Iterable[Mapping[str, Any]]") -> "Records":
        return Records(rows, self.columns, self.notes)

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return self._of(found) if isinstance(index, slice) else found

    def copy(self) -> "Records":
        return self._of(self)

    def __add__(self, others: "Iterable[Mapping[str, Any]]") -> "Records":
        theirs, notes = getattr(others, "columns", ()), getattr(others, "notes", ())
        return Records([*self, *others], dict.fromkeys([*self.columns, *theirs]), dict.fromkeys([*self.notes, *notes]))

    def filter(self, holds: "Callable[[Record], Any]") -> "Records":
        """The records for which this holds."""
        return self._of(row for row in self if holds(row))

    def where(self, **values: Any) -> "Records":
        """The records that have these values: rows.where(strategy="darts", replicate=0)."""
        for name in values:
            if name not in self.columns:
                raise _damocles.InvalidInput(f"there is no column '{name}'; there are {', '.join(self.columns)}")
        return self.filter(lambda row: all(row.get(name) == value for name, value in values.items()))

    @property
    def df(self) -> Any:
        """The records as a pandas DataFrame (Debian: python3-pandas). It also has a column for each option of workload,
        platform and strategy that differs among them, as n; where two of these have it, or a column has its name, it is
        called as in `damocles query`: platform.memory."""
        frame = _needed("pandas", "rows.df").DataFrame(self, columns=self.columns)
        for name, values in self._varying().items():
            frame[name] = values
        return frame

    def _varying(self) -> "dict[str, list[Any]]":
        """Options that are not the same in all records: numbers where all of them are."""
        found: "dict[str, dict[str, list[Any]]]" = {}
        for of in filter(self.columns.__contains__, ("workload", "platform", "strategy")):
            options = {text: dict(_damocles.options_of_spec(text)) for text in {row.get(of) for row in self} if text}
            for key in dict.fromkeys(key for row in self for key in options.get(row.get(of), ())):
                values = [options.get(row.get(of), {}).get(key) for row in self]
                if len(set(values)) > 1:
                    found.setdefault(key, {})[of] = _numbers(values)
        return {key if len(by) == 1 and key not in self.columns else f"{of}.{key}": values
                for key, by in found.items() for of, values in by.items()}  # fmt: skip

    def plot(self, **wishes: Any) -> Any:
        """A matplotlib figure, as `damocles plot` draws it. Wishes are its options: x="n", y="makespan_s", log="x",
        where="strategy=darts", facet="platform", title="mine", size="8x4", style="paper", strategies=, all_lines=True.
        """
        return drawn("", self.write, wishes)

    def write(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Write the records to a file: .json, .csv, or .parquet with the columns of `df` (Debian has no pyarrow: pip)."""
        path = os.fspath(path)
        ending = os.path.splitext(path)[1]
        if ending == ".parquet":
            columns = {name: [row.get(name) for row in self] for name in self.columns}
            arrow, parquet = _needed("pyarrow", path), _needed("pyarrow.parquet", path)
            parquet.write_table(arrow.table({**columns, **self._varying()}), path)
        elif ending in (".json", ".csv"):
            with open(path, "w", encoding="utf-8", newline="") as file:
                if ending == ".json":
                    json.dump({"records": self}, file)
                else:
                    lines = csv.DictWriter(file, self.columns, restval="", lineterminator="\n")
                    lines.writeheader()
                    lines.writerows(self)
        else:
            raise _damocles.InvalidInput(f"'{path}': give a name that ends in .json, .csv or .parquet")

    def _shared_and_shown(self) -> "tuple[list[str], list[str]]":
        """Columns that have one value in all records, and those that differ."""
        used = [name for name in self.columns if any(row.get(name) is not None for row in self)]
        same = [name for name in used if len(self) > 1 and all(row.get(name) == self[0].get(name) for row in self)]
        return same, [name for name in used if name not in same]

    def __str__(self) -> str:
        """Columns that differ as a table, as many as the terminal has room for; what all records share above it."""
        same, shown = self._shared_and_shown()
        most_rows = 60
        lines = [shown, *([_text(row.get(name)) for name in shown] for row in super().__getitem__(slice(most_rows)))]
        widths = [max(map(len, column)) for column in zip(*lines)]
        room = shutil.get_terminal_size((120, 24)).columns
        fit = max(1, sum(end <= room for end in itertools.accumulate(width + 2 for width in widths)))
        numbers = [all(isinstance(row.get(name), (int, float, type(None))) for row in self) for name in shown]
        text = textwrap.wrap(", ".join(f"{name} {_text(self[0].get(name))}" for name in same), room)
        for line in lines if shown else []:
            cells = (cell.rjust(width) if number else cell.ljust(width)
                     for cell, width, number in zip(line[:fit], widths, numbers))  # fmt: skip
            text.append("  ".join(cells).rstrip())
        if len(self) > most_rows:
            text.append(f"and {len(self) - most_rows} more rows")
        if shown[fit:]:
            text += textwrap.wrap(f"more columns: {', '.join(shown[fit:])}", room)
        return "\n".join([*text, *self.notes] if self else ["no rows", *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """What a notebook shows: columns that differ as a table, what all records share above it."""
        same, shown = self._shared_and_shown()
        heading = ", ".join(f"{name}: {_cell(self[0].get(name))}" for name in same)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in shown)
        body = "".join(f"<tr>{''.join(f'<td>{_cell(row.get(name))}</td>' for name in shown)}</tr>" for row in self)
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<p>{heading}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _needed(module: str, what: str) -> Any:
    """A module that takes half a second, so not before it is wanted."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.split(".")[0]
        raise ImportError(f"{what} needs {name}, which is not installed: "
                          + ("apt-get install python3-pandas, or pip install pandas" if name == "pandas" else
                             f"pip install {name}")) from None  # fmt: skip


def _numbers(values: "list[Any]") -> "list[Any]":
    for kind in (int, float):
        try:
            return [None if value is None else kind(value) for value in values]
        except ValueError:
            pass
    return values


Event = enum.IntEnum("Event", _damocles.event_kinds, start=0)
Event.__doc__ = "What happened in a run: the field `kind` of the events of a trace."


class TracePlots:
    """Figures of a trace, as `damocles plot gantt`, `grid` and `memory` draw them; title=, size= and style= are wishes."""

    def __init__(self, trace: "Trace") -> None:
        self._trace = trace

    def gantt(self, **wishes: Any) -> Any:
        """What each processor computes, copies, evicts and waits for, over time."""
        return drawn("gantt", self._trace.write, wishes)

    def grid(self, **wishes: Any) -> Any:
        """When each block of the result is computed, and by which processor."""
        return drawn("grid", self._trace.write, wishes)

    def memory(self, **wishes: Any) -> Any:
        """Loads, and bytes in each memory, over time."""
        return drawn("memory", self._trace.write, wishes)


class Trace:
    """One run: its row as `record`, and its events as a NumPy array with the fields time_s, kind, worker and id.

    `id` is the task or the data item; trace.events[trace.events["kind"] == Event.load_started] are the loads.
    """

    def __init__(self, answer: Any) -> None:
        rows, self.events, self._run = answer
        self.record: Record = Records.answered(rows)[0]
        self.plot = TracePlots(self)

    def write(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Write the trace to a file, as `damocles simulate --trace`: a name in .json for Perfetto, in .paje for ViTE."""
        self._run.write(os.fspath(path))

    @property
    def tasks(self) -> Records:
        """Which worker ran each task, and when: records with the columns task, worker, start_s and end_s, as they began."""
        begun, rows = {}, []
        for time_s, kind, worker, task in self.events[["time_s", "kind", "worker", "id"]].tolist():
            if kind == Event.task_started:
                begun[task] = {"task": task, "worker": worker, "start_s": time_s, "end_s": None}
                rows.append(begun[task])
            elif kind == Event.task_ended:
                begun[task]["end_s"] = time_s
        return Records(rows, ("task", "worker", "start_s", "end_s"))

    @property
    def df(self) -> Any:
        """The events as a pandas DataFrame, with the names of their kinds."""
        frame = _needed("pandas", "trace.df").DataFrame(self.events)
        frame["kind"] = frame["kind"].map(lambda kind: Event(kind).name)
        return frame


class Answer(dict):
    """What a command says in sentences: the fields of its JSON; str() is its text."""

    def __init__(self, answer: Any) -> None:
        (self.text, fields), self.notes = answer
        super().__init__(json.loads(fields))

    def __str__(self) -> str:
        return self.text

    def write(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Write the fields as JSON, which `damocles report` reads."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self, file)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def _cell(value: Any) -> str:
    return html.escape(_text(value))


def _text(value: Any) -> str:
    """For eyes."""
    if value is None:
        return "–"
    if isinstance(value, list):
        return f"{len(value)} points"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
