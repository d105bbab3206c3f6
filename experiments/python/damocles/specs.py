"""Workloads and platforms by calls: Workload.cholesky(n=12, deps=True) is "cholesky:n=12,deps=true"."""

from typing import Any, Callable

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
    words += [f"{key}={_word(value)}" for key, value in options.items()]
    return f"{name}:{','.join(words)}" if words else name


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Spec:
    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"


class Workload(_Spec, metaclass=_Specs):
    """What is scheduled: Workload.outer(100), Workload.file(path="graph.json"); str() is the command line's word."""

    forms = staticmethod(_damocles.workload_forms)


class Platform(_Spec, metaclass=_Specs):
    """On what: Platform.gpus(2, memory="500MB"); a name with a dot is getattr(Platform, "dyn.20")(8)."""

    forms = staticmethod(_damocles.platform_forms)
