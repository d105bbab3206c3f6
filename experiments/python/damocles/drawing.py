"""Figures of rows and of traces, drawn by the scripts of `damocles plot`."""

import importlib
import io
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Iterator

from . import _damocles

SCRIPTS = Path(__file__).resolve().parent / "plots"
_own: "dict[str, ModuleType]" = {}  # the modules of the scripts, while they are out of sight


@contextmanager
def _scripts() -> "Iterator[ModuleType]":
    """The module draw. The scripts import each other by short names, such as `style`, which Python's other modules see
    within alone."""
    names = {path.stem for path in SCRIPTS.glob("*.py")}
    others = {name: sys.modules.pop(name) for name in names & set(sys.modules)}
    sys.modules.update(_own)
    sys.path.insert(0, str(SCRIPTS))
    try:
        yield importlib.import_module("draw")
    finally:
        sys.path.remove(str(SCRIPTS))
        _own.update({name: sys.modules.pop(name) for name in names & set(sys.modules)})
        sys.modules.update(others)


def drawn(kind: str, write: "Callable[[str], None]", wishes: "dict[str, Any]") -> Any:
    """The figure of what `write` writes into a file: rows, or a trace if `kind` is gantt, grid or memory.

    It needs matplotlib (Debian: python3-matplotlib). figure.notes has what the command line says beside it.
    """
    options = []
    for name, wish in wishes.items():
        options += [f"--{name.replace('_', '-')}", *([] if wish is True else [_word(wish)])]
    with tempfile.TemporaryDirectory() as folder, _scripts() as draw:
        file = os.path.join(folder, "trace.json" if kind else "rows.json")
        write(file)
        try:
            asked = draw.request.parse([*filter(None, [kind]), *options, "--", file])
            with draw.styled(asked):
                figure, notes = draw.figure_of(asked, asked.paths)
        except draw.PlotError as error:
            raise _damocles.InvalidInput(str(error).replace(file, "plot")) from None
    figure.notes = [note.replace(file, "plot") for note in notes]
    figure._repr_png_ = lambda: _png(figure, asked)
    return figure


def _word(wish: Any) -> str:
    return ",".join(map(str, wish)) if isinstance(wish, (list, tuple)) else str(wish)


def _png(figure: Any, asked: Any) -> bytes:
    """What a notebook shows."""
    picture = io.BytesIO()
    with _scripts() as draw, draw.styled(asked):
        figure.savefig(picture, format="png")
    return picture.getvalue()
