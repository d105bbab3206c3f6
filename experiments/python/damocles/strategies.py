"""Strategies and eviction policies written in Python."""

from typing import Callable, TypeVar

from . import _damocles

Class = TypeVar("Class", bound=type)


def strategy(name: str) -> Callable[[Class], Class]:
    """Publish a class as the strategy `name`; the class of an earlier call by that name is replaced.

        @damocles.strategy("newest-first")
        class NewestFirst:
            '''Tasks in the reverse order of submission.'''
            def __init__(self, run):
                self.open = list(range(run.tasks))
            def request(self, worker):
                return self.open.pop() if self.open else None

    The class is called with the run (damocles.Run) once for each run. `request` returns the task that the worker is to
    run, several tasks in their order, or None. It may have on_ready(task), which may return the one worker that is to
    run it and without which tasks with dependencies are refused; and on_loaded, on_arrived and on_evicted (worker,
    data), on_started and on_finished (worker, task). Class attributes: options = {"key": "what it means"}, eviction =
    "lru", heterogeneous = True where it gives no task to a worker that cannot run it.
    """

    def publish(cls: Class) -> Class:
        _damocles.define_strategy(name, cls)
        cls.damocles_name = name
        return cls

    return publish


def eviction(name: str) -> Callable[[Class], Class]:
    """Publish a class as the eviction policy `name`; the class of an earlier call by that name is replaced.

        @damocles.eviction("farthest-use")
        class FarthestUse:
            '''The data item that is read last, or never.'''
            def __init__(self, workers, data):
                pass
            def victim(self, worker, candidates):
                return max(candidates, key=candidates.next_use)

        damocles.simulate("gemm2d:n=10", "gpus:k=2,memory=8data", "eager:eviction=farthest-use")

    The class is called with the numbers of workers and data items once for each run. `victim` returns one of the candidates
    (damocles.Candidates): the data items that may leave the worker's memory, the one touched longest ago first. It may have
    on_loaded, on_used (a task starts that reads or writes the item) and on_evicted (worker, data).
    """

    def publish(cls: Class) -> Class:
        _damocles.define_eviction(name, cls)
        return cls

    return publish
