"""Runs step by step: the caller decides, for search and for reinforcement learning."""

from functools import cached_property
from typing import Any

from . import _damocles
from .commands import Number, _options
from .records import Trace
from .words import Word


class Engine(_damocles.Engine):
    """A simulated run that stops whenever a worker asks for work, and goes on when grant() answers.

        engine = damocles.Engine("gemm2d:n=10", "gpus:k=2,memory=8data")
        while not engine.done:
            engine.grant(engine.open[0])
        print(engine.trace.record.loads)

    `worker` asks. `open` lists the tasks that may be granted: all that they wait for has ended, and nobody was granted
    them. grant(task), grant([tasks]) or grant(), nothing for now; loads=[data items] are hints what to load. A wrong
    grant raises InvalidInput and changes nothing.

    Meanwhile `run` is what a strategy sees (damocles.Run); resident(worker), loading(worker) and assigned(worker) list
    data items that are there, data items on their way and tasks that have not ended; `time_s`, `loads`, `bytes_loaded`
    and `evictions` count so far. `trace` (damocles.Trace) is there when the run is done.
    """

    def __init__(self, workload: Word, platform: Word, *, eviction: str = "lru", seed: Number = 1) -> None:
        super().__init__(_options(workload, platform, replicates=1, seed=seed), eviction)

    def clone(self) -> "Engine":
        """Another engine in the same state, which goes on by itself. It is made by repeating the steps so far, so that it
        costs what they cost: 0.8 µs for each task that was granted."""
        copy = Engine.__new__(Engine)
        _damocles.Engine.__init__(copy, self)
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: Any) -> "Engine":
        return self.clone()

    @cached_property
    def trace(self) -> Trace:
        """The run with its record, events and plots, as damocles.trace() returns it."""
        return Trace(self._trace())
