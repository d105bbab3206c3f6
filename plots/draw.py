#!/usr/bin/env python3
"""Draws result files: `draw.py RESULTS.csv... [-o NAME] [--format png,svg,pdf] [--x n]`.

`draw.py gantt TRACE.json` draws a trace; so do `grid` and `memory`. `damocles plot` calls this and lists all options. Files
written are printed, one a line. Exit status: 0 done, 1 no matplotlib or a defect, 2 the request was
wrong, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import interrupts
import request
from errors import PlotError
from request import Request
from words import elided, sentence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Added to the names of pictures, as several are drawn of one trace.
SUFFIXES = {"grid": ".grid", "memory": ".memory"}


def run(arguments: list[str]) -> list[Path]:
    """Draws what the command line asks for; returns the files written."""
    asked = request.parse(arguments)
    written = []
    refused: list[PlotError] = []
    jobs = _jobs(asked)
    for paths, of_folder in jobs:
        try:
            written += _picture(asked, paths)
        except PlotError as error:  # of a folder the others are drawn
            if not of_folder:
                raise
            refused.append(error)
            say(str(error))
    if refused:
        _print(written)
        raise PlotError(f"{len(refused)} of {len(jobs)} files could not be drawn")
    return written


def _jobs(asked: Request) -> list[tuple[list[Path], bool]]:
    """What goes into one picture each: all files together, and every result of a folder alone."""
    files = [path for path in asked.paths if not path.is_dir()]
    jobs = [(files, False)] if files else []
    for folder in (path for path in asked.paths if path.is_dir()):
        ending = ".json" if asked.trace else ".csv"
        try:
            found = sorted(path for path in folder.iterdir()
                           if path.suffix == ending and not path.name.endswith(".measured.csv"))  # fmt: skip
        except OSError as error:
            raise PlotError(f"cannot read {folder}: {error.strerror}") from error
        if not found:
            raise PlotError(f"{folder}: no {ending} file in this folder; nothing to draw")
        jobs += [([path], True) for path in found]
    if len(jobs) > 1 and asked.out is not None and not Path(asked.out).is_dir():
        raise PlotError(f"-o {asked.out}: {len(jobs)} pictures need a folder that is there")
    return jobs


def _picture(asked: Request, paths: list[Path]) -> list[Path]:
    """Draws one picture in its formats; returns the files."""
    import output

    files = output.targets(
        paths[0], asked.out, asked.formats, paths, suffix=SUFFIXES.get(asked.trace, ""),
        known=output.FORMATS + (output.MOVING if asked.trace in request.MOVING else ()),
        usual=("gif",) if asked.animated else output.FORMATS,
    )  # fmt: skip
    with styled(asked):
        figure, notes = figure_of(asked, paths)
        for note in notes:
            say(note)
        output.save(figure, files, asked.animated)
    return files


@contextlib.contextmanager
def styled(asked: Request) -> Iterator[None]:
    """Figures are made and saved within. It leaves the settings of matplotlib as they were."""
    import matplotlib
    import style

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # not what a matplotlibrc of the reader says: the same bytes everywhere
        matplotlib.rcParams.update(style.rc(style.chosen(asked.wish.style, asked.wish.size)))
        yield


def figure_of(asked: Request, paths: list[Path]) -> tuple[Figure, list[str]]:
    """One figure of all these files, and what must be said about it."""
    import fit
    import pictures

    if asked.trace:
        figure, notes = pictures.of_traces(paths, asked.wish, asked.trace)
    else:
        figure, notes = pictures.of_files(paths, asked.wish)
    sized = asked.wish.size is not None or asked.wish.style not in ("", "screen")
    return figure, [*notes, *fit.settle(figure, sized)]


def say(message: str) -> None:
    """One line on standard error, if that is still there."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"damocles plot: {sentence(message)}\n")
        sys.stderr.flush()


def _print(files: list[Path]) -> int:
    """One name a line on standard output; the exit status: 1 where that is closed or full."""
    try:
        if sys.stdout is None:
            raise OSError(9, "it is closed")
        sys.stdout.buffer.write(b"".join(os.fsencode(file) + b"\n" for file in files))
        sys.stdout.buffer.flush()
    except OSError as error:
        written = ", ".join(map(str, files))
        say(f"standard output cannot be written ({error.strerror}); the pictures are: {written}")
        with contextlib.suppress(OSError):  # nor does Python try again at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    return 0


def main(arguments: list[str]) -> int:
    """Runs, and turns errors into one line and an exit status."""
    interrupts.end_at_once(say)
    os.environ.pop("MPLBACKEND", None)  # pictures go into files
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)  # font cache notices
    warnings.simplefilter("ignore")
    try:
        return _print(run(arguments))
    except PlotError as error:
        say(str(error))
        return 2
    except OSError as error:  # of a file that the user named
        if error.filename is None:
            return _unexpected(error)
        name = elided(os.fsdecode(error.filename), 200)
        say(f"'{name}' cannot be used: {error.strerror}; give another name")
        return 2
    except Exception as error:  # noqa: BLE001 (whatever it is: one line)
        return _unexpected(error)


def _unexpected(error: Exception) -> int:
    """One line about a missing library, too little memory, or a defect of ours."""
    if isinstance(error, ModuleNotFoundError) and error.name in ("matplotlib", "numpy"):
        say(f"Python has no {error.name}; install it: apt-get install python3-matplotlib")
    elif isinstance(error, MemoryError):
        say("the memory does not suffice for a picture of this file; --where draws a part of it")
    else:
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        say(f"this is a defect of damocles plot, please report it with the file: {what}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
