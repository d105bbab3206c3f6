"""Traces of runs, as `damocles simulate --trace FILE.json` writes them (Chrome trace events)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errors import PlotError
from results import read_json, read_text
from words import clean

WAYS = "give a .json trace, as `damocles simulate ... --trace NAME.json` writes it"
MOST_PROCESSORS = 10_000
MOST_TIME = 1e100  # of any number in a trace


class Span(NamedTuple):
    """Something that took from `start` to `end` [s]: a task, a copy, a wait."""

    start: float
    end: float
    name: str
    number: int = 0  # of the task or data
    kind: str = ""  # of the task


@dataclass
class Processor:
    """What one processor did; each list in order of time."""

    name: str
    tasks: list[Span] = field(default_factory=list)
    copies: list[Span] = field(default_factory=list)
    waits: list[Span] = field(default_factory=list)
    evictions: list[float] = field(default_factory=list)
    invalidations: list[float] = field(default_factory=list)
    resident: list[tuple[float, int]] = field(default_factory=list)  # bytes in memory from then on


@dataclass
class Run:
    """One run: what it was (the columns of a result file, and more), and its processors."""

    about: dict[str, Any]
    processors: list[Processor]

    @property
    def makespan(self) -> float:
        """Of the run [s]."""
        return float(self.about["makespan_s"])

    def names(self) -> list[str]:
        """Of the processors: GPU0; `processor 0` where the trace tells numbers alone."""
        return [f"processor {one.name}" if one.name.isdigit() else one.name
                for one in self.processors]  # fmt: skip

    @property
    def end(self) -> float:
        """When the last thing ends [s]: copies may outlast the last task."""
        ends = (one.copies[-1].end for one in self.processors if one.copies)
        return max(self.makespan, *ends, 0.0)

    def text(self, key: str) -> str:
        """What the run was, in one respect; empty where it is not said."""
        value = self.about.get(key)
        return "" if value is None else str(value)

    def numbers(self, key: str) -> list[float]:
        """One number a processor."""
        return [float(value) for value in self.about.get(key) or []]


def read(path: Path) -> list[Run]:
    """The runs of a trace file. Raises PlotError where it is none, or where something in it is not
    what a trace holds."""
    content = read_json(path, read_text(path), WAYS)
    other = content.get("otherData") if isinstance(content, dict) else None
    if not isinstance(other, dict) or other.get("program") != "damocles" or not other.get("runs"):
        raise PlotError(f"{path}: JSON, but no trace of damocles; {WAYS}")
    try:
        return _runs(other["runs"], content["traceEvents"])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        what = f"{type(error).__name__}: {error}"
        raise PlotError(f"{path}: a damaged trace ({what}); {WAYS}") from error


def _runs(descriptions: list[dict[str, Any]], events: list[dict[str, Any]]) -> list[Run]:
    """The events, shared out to the processors they are of."""
    runs = []
    by_pid: dict[int, Processor] = {}
    for about in _list(descriptions, "runs"):
        count = _whole(about["processors"], "processors", MOST_PROCESSORS)
        first = _whole(about["first_pid"], "first_pid")
        run = Run(_described(about), [Processor(name) for name in _names(about, count)])
        by_pid |= {first + i: one for i, one in enumerate(run.processors)}
        if len(by_pid) > MOST_PROCESSORS:
            raise ValueError(f"more than {MOST_PROCESSORS} processors")
        runs.append(run)
    for event in _list(events, "traceEvents"):
        category = event.get("cat")
        if category in ("eviction", "invalidation"):
            one = by_pid[_whole(event["pid"], "pid")]
            times = one.evictions if category == "eviction" else one.invalidations
            times.append(_seconds(event, "ts"))
        elif event.get("ph") == "C" and event.get("name") == "resident":
            held = _whole(event["args"]["bytes"], "bytes")
            by_pid[_whole(event["pid"], "pid")].resident.append((_seconds(event, "ts"), held))
        elif category in ("task", "copy", "wait"):
            one = by_pid[_whole(event["pid"], "pid")]
            spans = {"task": one.tasks, "copy": one.copies, "wait": one.waits}[category]
            spans.append(_span(event))
    for one in by_pid.values():
        for spans in (one.tasks, one.copies, one.waits):
            spans.sort(key=lambda span: (span.start, span.end))
        one.evictions.sort()
        one.resident.sort(key=lambda at: at[0])
        one.invalidations.sort()
    return runs


def _span(event: dict[str, Any]) -> Span:
    start, lasts = _seconds(event, "ts"), _seconds(event, "dur")
    if lasts < 0:
        raise ValueError(f"a duration of {lasts} s")
    args = event.get("args", {})
    number = next(iter(args.values()), 0)
    number = number if isinstance(number, int) and 0 <= number < 2**63 else 0
    return Span(
        start, start + lasts, clean(str(event["name"])), number, clean(str(args.get("kind", "")))
    )


def _names(about: dict[str, Any], count: int) -> list[str]:
    """Of the processors; their numbers in traces of versions that told no names."""
    names = about.get("processor_names", [str(i) for i in range(count)])
    if not isinstance(names, list) or len(names) != count:
        raise ValueError(f"processor_names is no list of {count}")
    return [clean(str(name)) for name in names]


def _described(about: dict[str, Any]) -> dict[str, Any]:
    """What is drawn of a run: texts in words that can be printed, numbers that are some."""
    known: dict[str, Any] = {}
    for key, value in about.items():
        if isinstance(value, str):
            known[key] = clean(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            known[key] = _finite(value, key)
        elif isinstance(value, list) and key != "processor_names":
            known[key] = [_finite(one, key) for one in value]
    known["makespan_s"] = _finite(about["makespan_s"], "makespan_s")
    for key in ("compute_s", "overlap"):
        if isinstance(known.get(key, []), list) != (key == "compute_s") and key in known:
            raise TypeError(f"{key} is no number" if key == "overlap" else f"{key} is no list")
    return known


def _list(value: object, what: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise TypeError(f"{what} is no list of objects")
    return value


def _seconds(event: dict[str, Any], key: str) -> float:
    return _finite(event[key], key) * 1e-6


def _finite(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{what} is no number")
    if not abs(value) <= MOST_TIME:  # nor is a whole number that no float holds
        raise ValueError(f"{what} is not finite or beyond {MOST_TIME:g}")
    return float(value)


def _whole(value: object, what: str, most: int = 2**53) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ValueError(f"{what} is no whole number of at most {most}")
    return value
