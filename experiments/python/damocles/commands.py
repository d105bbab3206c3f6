"""The commands: the same words as on the command line, answered with records."""

import os
from collections.abc import Iterable
from typing import Any

from . import _damocles
from .records import Answer, Records, Trace


def _list(words: Any) -> str:
    """A list of the command line: one text, or several of them."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        return _text(words)
    return ",".join(map(_text, words))


def _text(word: Any) -> str:
    if isinstance(word, type):
        word = vars(word).get("damocles_name", word)  # of a strategy, not that of its base class
    return os.fspath(word) if isinstance(word, os.PathLike) else str(word)


def _options(workload: Any, platform: Any, **words: Any) -> _damocles.Options:
    options = _damocles.Options()
    options.workload, options.platform = _text(workload), _text(platform)
    for name, word in words.items():
        setattr(options, name, word if isinstance(word, bool) else _list(word))
    return options


def simulate(workload: Any, platform: Any, strategies: Any = "", *, replicates: Any = 10, seed: Any = 1, jobs: Any = 0,
             summary: bool = False, count_decision_time: bool = False) -> Records:  # fmt: skip
    """Simulate strategies in virtual time and count their loads, as `damocles simulate`: one record for each run."""
    return Records(_damocles.simulate(_options(
        workload, platform, strategies=strategies, replicates=replicates, seed=seed, jobs=jobs, summary=summary,
        count_decision_time=count_decision_time)))  # fmt: skip


def trace(workload: Any, platform: Any, strategy: Any, *, seed: Any = 1) -> Trace:
    """Simulate one run and keep its events, as `damocles simulate --trace`."""
    return Trace(_damocles.trace(_options(workload, platform, strategies=strategy, replicates=1, seed=seed)))


def predict(workload: Any, platform: Any, strategies: Any = "", *, model: Any = "all", replicates: Any = 10,
            seed: Any = 1, jobs: Any = 0, summary: bool = False) -> Records:  # fmt: skip
    """Predict loads without running anything, as `damocles predict`: one record for each prediction."""
    return Records(_damocles.predict(_options(
        workload, platform, strategies=strategies, model=model, replicates=replicates, seed=seed, jobs=jobs,
        summary=summary)))  # fmt: skip


def compare(workload: Any, platform: Any, strategies: Any = "", *, model: Any = "all", replicates: Any = 10,
            seed: Any = 1, jobs: Any = 0, summary: bool = False) -> Records:  # fmt: skip
    """Predict and simulate, as `damocles compare`: the records of both, the best strategy first."""
    return Records(_damocles.compare(_options(
        workload, platform, strategies=strategies, model=model, replicates=replicates, seed=seed, jobs=jobs,
        summary=summary)))  # fmt: skip


def beta(workload: Any, platform: Any, *, model: Any = "all", seed: Any = 1) -> Records:
    """Find the best threshold of dynamic-2phases, as `damocles beta`: one record for each model."""
    return Records(_damocles.beta(_options(workload, platform, model=model, seed=seed)))


def explain(workload: Any, platform: Any = "", strategies: Any = "", *, seed: Any = 1, jobs: Any = 0,
            what_if: bool = True) -> Answer:  # fmt: skip
    """Explain one run, or compare two, as `damocles explain`: why data moved, who waited for what, what would help."""
    return Answer(_damocles.explain(_options(workload, platform, strategies=strategies, seed=seed, jobs=jobs), what_if))


def recommend(workload: Any, platform: Any, strategies: Any = "", *, goal: str = "", within: str = "60s",
              vary: str = "", online: bool = False, seed: Any = 1) -> Answer:  # fmt: skip
    """Recommend a strategy, as `damocles recommend`; `goal` is its --for: time, bytes or energy."""
    return Answer(_damocles.recommend(_options(workload, platform, strategies=strategies, seed=seed), goal, within, vary,
                                      online))  # fmt: skip
