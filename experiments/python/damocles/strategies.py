"""Strategies written in Python."""

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
