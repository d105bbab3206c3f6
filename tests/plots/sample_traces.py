"""Made-up traces that look like those of `damocles simulate --trace`, for the tests of plots/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Event = dict[str, Any]


def about(first_pid: int = 1, processors: int = 2, **other: object) -> dict[str, Any]:
    """What a trace says of one run."""
    return {"name": "simulated", "source": "simulated", "strategy": "darts", "eviction": "luf",
            "workload": "gemm2d:n=2", "platform": "gpus:k=2,memory=3data", "seed": 1,
            "status": "ok", "makespan_s": 0.008, "first_pid": first_pid, "processors": processors,
            "processor_names": [f"GPU{i}" for i in range(processors)],
            "overlap": 0.4, "compute_s": [0.004, 0.002]} | other  # fmt: skip


def interval(
    category: str, pid: int, start: float, end: float, name: str, number: int = 0
) -> Event:
    """A task, a copy or a wait; times in milliseconds."""
    event: Event = {"ph": "X", "pid": pid, "tid": pid, "cat": category, "name": name,
                    "ts": start * 1e3, "dur": (end - start) * 1e3}  # fmt: skip
    return event if category == "wait" else event | {"args": {"number": number}}


def eviction(pid: int, time: float) -> Event:
    """A data item leaves."""
    return {"ph": "i", "pid": pid, "tid": pid, "cat": "eviction", "name": "evicts A(1)",
            "ts": time * 1e3, "args": {"data": 1}}  # fmt: skip


def invalidation(pid: int, time: float) -> Event:
    """A copy is of no use any more, as another processor writes the data item."""
    return eviction(pid, time) | {"cat": "invalidation", "name": "invalidates A(1)"}


def small(pid: int = 1) -> list[Event]:
    """Two processors: one loads (overlapping), computes twice and evicts, one has little to do."""
    return [
        {"ph": "M", "pid": pid, "name": "process_name", "args": {"name": "GPU0"}},
        interval("wait", pid, 0, 2, "waiting for data"),
        interval("copy", pid, 1, 3, "B(0)", 2),
        interval("copy", pid, 0, 2, "A(0)", 0),
        interval("task", pid, 2, 4, "GEMM(0,0)", 0),
        interval("task", pid, 6, 8, "GEMM(1,1)", 3),
        interval("wait", pid, 4, 6, "no work"),
        eviction(pid, 4),
        {"ph": "C", "pid": pid, "name": "resident", "ts": 0, "args": {"bytes": 3}},
        interval("task", pid + 1, 0, 2, "GEMM(0,1)", 1),
        interval("wait", pid + 1, 2, 8, "no work"),
    ]


def write(path: Path, runs: list[dict[str, Any]], events: list[Event]) -> Path:
    """Writes a trace as the program does."""
    other = {"program": "damocles", "version": "0.1.0", "runs": runs}
    trace = {"displayTimeUnit": "ms", "otherData": other, "traceEvents": events}
    path.write_text(json.dumps(trace))
    return path
