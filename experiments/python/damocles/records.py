"""Answers: rows as a list that shows itself as a table and becomes a pandas DataFrame, sentences with their numbers."""

import enum
import html
import json
import os
from typing import Any

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
    """A list of records, with what the command line says beside them in `notes`."""

    def __init__(self, answer: Any) -> None:
        table, self.notes = answer
        self.columns: list[str] = table.columns
        super().__init__(Record(zip(self.columns, row)) for row in table.rows)

    @property
    def df(self) -> Any:
        """The records as a pandas DataFrame (Debian: python3-pandas)."""
        import pandas  # takes half a second, so not before it is wanted

        return pandas.DataFrame(self, columns=self.columns)

    def plot(self, **wishes: Any) -> Any:
        """A matplotlib figure, as `damocles plot` draws it. Wishes are its options: x="n", y="makespan_s", log="x",
        where="strategy=darts", facet="platform", title="mine", size="8x4", style="paper", strategies=, all_lines=True.
        """
        return drawn("", lambda path: self._write(path), wishes)

    def _write(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"records": self}, file)

    def _repr_html_(self) -> str:
        """What a notebook shows: columns that differ as a table, what all records share above it."""
        used = [name for name in self.columns if any(row[name] is not None for row in self)]
        same = [name for name in used if len(self) > 1 and all(row[name] == self[0][name] for row in self)]
        shown = [name for name in used if name not in same]
        heading = ", ".join(f"{name}: {_cell(self[0][name])}" for name in same)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in shown)
        body = "".join(f"<tr>{''.join(f'<td>{_cell(row[name])}</td>' for name in shown)}</tr>" for row in self)
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<p>{heading}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


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
        self.record = Records(rows)[0]
        self.plot = TracePlots(self)

    def write(self, path: Any) -> None:
        """Write the trace to a file, as `damocles simulate --trace`: a name in .json for Perfetto, in .paje for ViTE."""
        self._run.write(os.fspath(path))

    @property
    def df(self) -> Any:
        """The events as a pandas DataFrame, with the names of their kinds."""
        import pandas

        frame = pandas.DataFrame(self.events)
        frame["kind"] = frame["kind"].map(lambda kind: Event(kind).name)
        return frame


class Answer(dict):
    """What a command says in sentences: the fields of its JSON; str() is its text."""

    def __init__(self, answer: Any) -> None:
        (self.text, fields), self.notes = answer
        super().__init__(json.loads(fields))

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return html.escape(f"{value:.6g}" if isinstance(value, float) else str(value))
