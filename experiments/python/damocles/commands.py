"""The commands: the same words as on the command line, answered with records."""

import os
import shlex
from collections.abc import Iterable, Mapping
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


def _asked(command: str, workload: Any, platform: Any, *, vary: "Iterable[str]" = (), **words: Any) -> _damocles.Options:
    """Options with the command line that asks for the same: a store keeps it with the rows."""
    options = _options(workload, platform, **words)
    line = ["damocles", command, *filter(None, (options.workload, options.platform))]
    for varied in vary:
        line += ["--vary", varied]
    for name, word in words.items():
        if name not in ("jobs", "summary", "store") and word is not False and word != "":
            line += [f"--{name.replace('_', '-')}", *([] if word is True else [_list(word)])]
    for path in _damocles.plugin_paths():
        line += ["--plugin", path]
    options.command = shlex.join(line)
    return options


def load_plugin(path: Any) -> None:
    """Load a plug-in, as `damocles --plugin`: a shared library that adds strategies, or whatever else has a name."""
    _damocles.load_plugin(os.fspath(path))


def simulate(workload: Any, platform: Any, strategies: Any = "", *, replicates: Any = 10, seed: Any = 1, jobs: Any = 0,
             store: Any = "", summary: bool = False, count_decision_time: bool = False) -> Records:  # fmt: skip
    """Simulate strategies in virtual time and count their loads, as `damocles simulate`: one record for each run."""
    return Records(_damocles.simulate(_asked(
        "simulate", workload, platform, strategies=strategies, replicates=replicates, seed=seed, jobs=jobs, store=store,
        summary=summary, count_decision_time=count_decision_time)))  # fmt: skip


def trace(workload: Any, platform: Any, strategy: Any, *, seed: Any = 1) -> Trace:
    """Simulate one run and keep its events, as `damocles simulate --trace`."""
    return Trace(_damocles.trace(_options(workload, platform, strategies=strategy, replicates=1, seed=seed)))


def predict(workload: Any, platform: Any, strategies: Any = "", *, model: Any = "all", replicates: Any = 10,
            seed: Any = 1, jobs: Any = 0, store: Any = "", summary: bool = False) -> Records:  # fmt: skip
    """Predict loads without running anything, as `damocles predict`: one record for each prediction."""
    return Records(_damocles.predict(_asked(
        "predict", workload, platform, strategies=strategies, model=model, replicates=replicates, seed=seed, jobs=jobs,
        store=store, summary=summary)))  # fmt: skip


def compare(workload: Any, platform: Any, strategies: Any = "", *, model: Any = "all", replicates: Any = 10,
            seed: Any = 1, jobs: Any = 0, store: Any = "", summary: bool = False) -> Records:  # fmt: skip
    """Predict and simulate, as `damocles compare`: the records of both, the best strategy first."""
    return Records(_damocles.compare(_asked(
        "compare", workload, platform, strategies=strategies, model=model, replicates=replicates, seed=seed, jobs=jobs,
        store=store, summary=summary)))  # fmt: skip


def sweep(workload: Any, platform: Any = "", strategies: Any = "", *, vary: "Mapping[str, Any] | None" = None,
          model: Any = "", replicates: Any = None, seed: Any = None, jobs: Any = 0, store: Any = "",
          summary: bool = False) -> Records:  # fmt: skip
    """Run every combination of values, as `damocles sweep`: the records of all settings, which say why one has no result.

    Either `workload` and `platform` with vary={"memory": ["5data", "10data"], "n": "20:100:20"}: the values of a key are
    a list, or a range as on the command line. Or one word, the name of a TOML file.
    """
    given = {"strategies": strategies, "model": model, "replicates": replicates, "seed": seed}
    given = {name: word for name, word in given.items() if word is not None and word != ""}
    if not _text(platform):
        for name in (*given, *(["vary"] if vary else [])):
            raise _damocles.InvalidInput(f"{name} belongs to a workload and a platform; write it into '{_text(workload)}'")
        options = _asked("sweep", workload, "", jobs=jobs, store=store, summary=summary)
        return Records(_damocles.sweep(options, options.workload, []))
    varied = [f"{key}={_list(values)}" for key, values in (vary or {}).items()]
    options = _asked("sweep", workload, platform, vary=varied, **{"model": "", **given}, jobs=jobs, store=store,
                     summary=summary)  # fmt: skip
    return Records(_damocles.sweep(options, "", varied))


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
