"""The commands: the same words as on the command line, answered with records."""

import os
import shlex
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional, Union

from . import _damocles
from .records import Answer, Records, Trace
from .words import Word, Words, line_of, list_of, strategies_of, text_of

Progress = Union[bool, Callable[[int, int, float], Any]]
Number = Union[int, str]


def _options(workload: Word, platform: Word, **words: Any) -> _damocles.Options:
    options = _damocles.Options()
    options.workload, options.platform = text_of(workload), text_of(platform)
    for name, word in words.items():
        setattr(options, name, word if isinstance(word, bool) else list_of(word))
    return options


def _asked(command: str, workload: Word, platform: Word, *, vary: "Iterable[str]" = (), precision: str = "",
           **words: Any) -> _damocles.Options:  # fmt: skip
    """Options with the command line that asks for the same: a store keeps it with the rows."""
    options = _options(workload, platform, **words)
    line = ["damocles", command, *filter(None, (options.workload, options.platform))]
    for varied in vary:
        line += ["--vary", varied]
    line += line_of({name: word for name, word in words.items() if name not in ("jobs", "summary", "store")})
    line += line_of({"precision": precision})
    for path in _damocles.plugin_paths():
        line += ["--plugin", path]
    options.command = shlex.join(line)
    return options


def _line_of_progress(done: int, rows: int, share: float) -> None:
    ending = "\n" if done == rows else ""
    print(f"\r{done} of {rows} rows ({100 * share:.0f} %)", end=ending, file=sys.stderr, flush=True)


def _told(progress: Progress) -> "Optional[Callable[[int, int, float], Any]]":
    return (_line_of_progress if progress else None) if isinstance(progress, bool) else progress


def load_plugin(path: "Union[str, os.PathLike[str]]") -> None:
    """Load a plug-in, as `damocles --plugin`: a shared library that adds strategies, or whatever else has a name."""
    _damocles.load_plugin(os.fspath(path))


def simulate(workload: Word, platform: Word, strategies: Words = "", *, strategy: Words = "", replicates: Number = 10,
             seed: Number = 1, jobs: Number = 0, store: Word = "", summary: bool = False,
             count_decision_time: bool = False, progress: Progress = False) -> Records:  # fmt: skip
    """Simulate strategies in virtual time and count their loads, as `damocles simulate`: one record for each run.

    `strategy` is `strategies` under another name. `progress` is True for a line on standard error, or a function that is
    called with the rows done, the rows in all and the share of the work that is done.
    """
    return Records.answered(_damocles.simulate(_asked(
        "simulate", workload, platform, strategies=strategies_of(strategies, strategy), replicates=replicates, seed=seed,
        jobs=jobs, store=store, summary=summary, count_decision_time=count_decision_time), _told(progress)))  # fmt: skip


def trace(workload: Word, platform: Word, strategy: Words = "", *, strategies: Words = "", seed: Number = 1) -> Trace:
    """Simulate one run and keep its events, as `damocles simulate --trace`."""
    return Trace(_damocles.trace(_options(workload, platform, strategies=strategies_of(strategies, strategy), replicates=1,
                                          seed=seed)))  # fmt: skip


def predict(workload: Word, platform: Word, strategies: Words = "", *, strategy: Words = "", model: Words = "all",
            replicates: Number = 10, seed: Number = 1, jobs: Number = 0, store: Word = "", summary: bool = False,
            progress: Progress = False) -> Records:  # fmt: skip
    """Predict loads without running anything, as `damocles predict`: one record for each prediction."""
    return Records.answered(_damocles.predict(_asked(
        "predict", workload, platform, strategies=strategies_of(strategies, strategy), model=model, replicates=replicates,
        seed=seed, jobs=jobs, store=store, summary=summary), _told(progress)))  # fmt: skip


def compare(workload: Word, platform: Word, strategies: Words = "", *, strategy: Words = "", model: Words = "all",
            replicates: Number = 10, seed: Number = 1, jobs: Number = 0, store: Word = "", summary: bool = False,
            progress: Progress = False) -> Records:  # fmt: skip
    """Predict and simulate, as `damocles compare`: the records of both, the best strategy first."""
    return Records.answered(_damocles.compare(_asked(
        "compare", workload, platform, strategies=strategies_of(strategies, strategy), model=model, replicates=replicates,
        seed=seed, jobs=jobs, store=store, summary=summary), _told(progress)))  # fmt: skip


def sweep(workload: Word, platform: Word = "", strategies: Words = "", *, strategy: Words = "",
          vary: "Optional[Mapping[str, Words]]" = None, model: Words = "", replicates: Optional[Number] = None,
          precision: str = "", seed: Optional[Number] = None, jobs: Number = 0, store: Word = "", summary: bool = False,
          progress: Progress = False) -> Records:  # fmt: skip
    """Run every combination of values, as `damocles sweep`: the records of all settings, which say why one has no result.

    Either `workload` and `platform` with vary={"memory": ["5data", "10data"], "n": "20:100:20"}: the values of a key are
    a list, or a range as on the command line. Or one word, the name of a TOML file. precision="2%" runs replicates until
    the mean is known so well.
    """
    given = {"strategies": strategies_of(strategies, strategy), "model": model, "replicates": replicates, "seed": seed,
             "precision": precision}  # fmt: skip
    given = {name: word for name, word in given.items() if word is not None and word != ""}
    if not text_of(platform):
        for name in (*given, *(["vary"] if vary else [])):
            raise _damocles.InvalidInput(f"{name} belongs to a workload and a platform; write it into '{text_of(workload)}'")
        options = _asked("sweep", workload, "", jobs=jobs, store=store, summary=summary)
        return Records.answered(_damocles.sweep(options, options.workload, [], "", _told(progress)))
    varied = [f"{key}={list_of(values)}" for key, values in (vary or {}).items()]
    if precision and "replicates" not in given:
        given["replicates"] = ""  # as many as it takes
    options = _asked("sweep", workload, platform, vary=varied, **{"model": "", **given}, jobs=jobs, store=store,
                     summary=summary)  # fmt: skip
    return Records.answered(_damocles.sweep(options, "", varied, precision, _told(progress)))


def beta(workload: Word, platform: Word, *, model: Words = "all", seed: Number = 1) -> Records:
    """Find the best threshold of dynamic-2phases, as `damocles beta`: one record for each model. Its `curve` is a list of
    pairs: a threshold, and the volume ratio predicted there."""
    records = Records.answered(_damocles.beta(_options(workload, platform, model=model, seed=seed)))
    for record in records:
        if isinstance(record.get("curve"), str):
            record["curve"] = [tuple(map(float, point.split(":"))) for point in record["curve"].split()]
    return records


def explain(workload: Word, platform: Word = "", strategies: Words = "", *, strategy: Words = "", seed: Number = 1,
            jobs: Number = 0, what_if: bool = True) -> Answer:  # fmt: skip
    """Explain one run, or compare two, as `damocles explain`: why data moved, who waited for what, what would help."""
    return Answer(_damocles.explain(_options(workload, platform, strategies=strategies_of(strategies, strategy), seed=seed,
                                             jobs=jobs), what_if))  # fmt: skip


def recommend(workload: Word, platform: Word, strategies: Words = "", *, strategy: Words = "", goal: str = "",
              within: str = "60s", vary: str = "", online: bool = False, seed: Number = 1) -> Answer:  # fmt: skip
    """Recommend a strategy, as `damocles recommend`; `goal` is its --for: time, bytes or energy."""
    return Answer(_damocles.recommend(_options(workload, platform, strategies=strategies_of(strategies, strategy),
                                               seed=seed), goal, within, vary, online))  # fmt: skip
