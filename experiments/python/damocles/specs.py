"""Workloads and platforms by calls: Workload.cholesky(n=12, deps=True) is "cholesky:n=12,deps=true"."""

import itertools
import os
import tempfile
from collections.abc import Mapping
from typing import Any, Callable, Optional

from . import _damocles


class _Specs(type):
    """Makes every name of the program's list a method of the class; an unknown one is refused when it runs."""

    def __getattr__(cls, name: str) -> "Callable[..., Any]":
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *values, **options: cls(_spec(name.replace("_", "-"), values, options, cls.forms()))

    def __dir__(cls) -> "list[str]":
        names = {form.split(":")[0].replace("-", "_") for form, _ in cls.forms() if ":" in form}
        return sorted(names | set(super().__dir__()))


def _spec(name: str, values: tuple, options: dict, forms: "list[list[str]]") -> str:
    """One value without a key is that of the first key of the name's form: gpus(2) is gpus:k=2."""
    form = next((form for form, _ in forms if form.startswith(name + ":")), "")
    first = form[len(name) + 1:].split("=")[0]
    words = [_word(value) for value in values]
    if len(words) == 1 and "=" in form:
        words = [f"{first}={words[0]}"]
    words += [f"{key}={_path(value) if key == 'path' else _word(value)}" for key, value in options.items()]
    return f"{name}:{','.join(words)}" if words else name


def _path(value: Any) -> str:
    """The name of a file; in quotes where what follows a comma in it would be read as another key."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    return f'"{text}"' if text != text.strip() or text[:1] == '"' or ("," in text and ("=" in text or " " in text)) else text


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_folder: "Optional[tempfile.TemporaryDirectory[str]]" = None  # of graphs that were given no name
_numbers = itertools.count(1)


def _file(ending: str) -> str:
    global _folder
    _folder = _folder or tempfile.TemporaryDirectory(prefix="damocles-")
    return os.path.join(_folder.name, f"graph{next(_numbers)}{ending}")


class Spec:
    """A workload or a platform; str() is the command line's word."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"


class Workload(Spec, metaclass=_Specs):
    """What is scheduled: Workload.outer(100), Workload.file(path="graph.json"); str() is the command line's word."""

    forms = staticmethod(_damocles.workload_forms)

    @classmethod
    def from_networkx(cls, graph: Any, path: Any = None, data: "Optional[Mapping[Any, int]]" = None) -> "Workload":
        """A networkx graph, as write_graph() writes it. Without `path` the file is there until the process ends."""
        from .graphs import write_graph

        return write_graph(_file(".json") if path is None else path, graph, data)

    @classmethod
    def from_scipy(cls, matrix: Any, path: Any = None) -> "Workload":
        """A sparse matrix, as write_matrix() writes it: a row is a task, which reads the data items of the columns where it
        has entries. Without `path` the file is there until the process ends."""
        from .graphs import write_matrix

        return write_matrix(_file(".mtx") if path is None else path, matrix)


class Platform(Spec, metaclass=_Specs):
    """On what: Platform.gpus(2, memory="500MB"); a name with a dot is getattr(Platform, "dyn.20")(8)."""

    forms = staticmethod(_damocles.platform_forms)
