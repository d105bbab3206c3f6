"""Traces of runs, as `damocles simulate --trace FILE.json` writes them (Chrome trace events)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from results import PlotError

WAYS = "give a .json trace, as `damocles simulate ... --trace NAME.json` writes it"


class Span(NamedTuple):
    """Something that took from `start` to `end` [s]: a task, a copy, a wait."""

    start: float
    end: float
    name: str
    number: int = 0  # of the task or data


@dataclass
class Processor:
    """What one processor did; each list in order of time."""

    tasks: list[Span] = field(default_factory=list)
    copies: list[Span] = field(default_factory=list)
    waits: list[Span] = field(default_factory=list)
    evictions: list[float] = field(default_factory=list)


@dataclass
class Run:
    """One run: what it was (the columns of a result file, and more), and its processors."""

    about: dict[str, Any]
    processors: list[Processor]

    @property
    def makespan(self) -> float:
        """Of the run [s]."""
        return float(self.about["makespan_s"])

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
    """The runs of a trace file."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlotError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise PlotError(f"{path}: not JSON ({error}); {WAYS}") from error
    other = content.get("otherData") if isinstance(content, dict) else None
    if not isinstance(other, dict) or other.get("program") != "damocles" or not other.get("runs"):
        raise PlotError(f"{path}: JSON, but no trace of damocles; {WAYS}")
    try:
        return _runs(other["runs"], content["traceEvents"])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        what = f"{type(error).__name__}: {error}"
        raise PlotError(f"{path}: a damaged trace ({what}); {WAYS}") from error


def _runs(descriptions: list[dict[str, Any]], events: list[dict[str, Any]]) -> list[Run]:
    """The events, shared out to the processors they are of."""
    runs = []
    by_pid: dict[int, Processor] = {}
    for about in descriptions:
        if not math.isfinite(about["makespan_s"]):
            raise ValueError("makespan_s is not finite")
        run = Run(about, [Processor() for _ in range(about["processors"])])
        by_pid |= {about["first_pid"] + i: one for i, one in enumerate(run.processors)}
        runs.append(run)
    for event in events:
        category = event.get("cat")
        if category == "eviction":
            by_pid[event["pid"]].evictions.append(event["ts"] * 1e-6)
        elif category in ("task", "copy", "wait"):
            start = event["ts"] * 1e-6
            number = next(iter(event.get("args", {}).values()), 0)
            span = Span(start, start + event["dur"] * 1e-6, event["name"], number)
            one = by_pid[event["pid"]]
            {"task": one.tasks, "copy": one.copies, "wait": one.waits}[category].append(span)
    for one in by_pid.values():
        for spans in (one.tasks, one.copies, one.waits):
            spans.sort(key=lambda span: (span.start, span.end))
        one.evictions.sort()
    return runs
