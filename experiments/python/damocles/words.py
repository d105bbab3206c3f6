"""What the command line takes as words, from what Python has: texts, lists, classes, specs and paths."""

import os
from collections.abc import Iterable
from typing import Any, Union

from . import _damocles
from .specs import Spec

Word = Union[str, int, float, Spec, "os.PathLike[str]"]
Words = Union[Word, type, "Iterable[Union[Word, type]]"]  # types are classes of strategies


def text_of(word: Any) -> str:
    if isinstance(word, type):
        word = vars(word).get("damocles_name", word)  # of a strategy, not that of its base class
    return os.fspath(word) if isinstance(word, os.PathLike) else str(word)


def list_of(words: Any) -> str:
    """A list of the command line: one text, or several of them."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        return text_of(words)
    return ",".join(map(text_of, words))


def strategies_of(strategies: Any, strategy: Any) -> str:
    """Either of the two names by which strategies are given."""
    several, one = list_of(strategies), list_of(strategy)
    if several and one:
        raise _damocles.InvalidInput(f"strategies '{several}' and strategy '{one}' are one thing; leave out one of them")
    return several or one


def line_of(words: "dict[str, Any]", names: "dict[str, str]" = {}) -> "list[str]":  # noqa: B006
    """Options of the command line, without those that are empty."""
    line = []
    for name, word in words.items():
        if word is not None and word is not False and word != "":
            line += [f"--{names.get(name, name).replace('_', '-')}", *([] if word is True else [list_of(word)])]
    return line
