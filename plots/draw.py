#!/usr/bin/env python3
"""Draws a result file: `draw.py RESULTS.csv [-o STEM_OR_FOLDER] [--format png,svg,pdf]`.

`draw.py gantt TRACE.json`, with the same options, draws a trace.

`damocles plot` calls this. The files written are printed, one a line. Exit status: 0 done, 1 no
matplotlib, 2 the request was wrong.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from results import PlotError, Results, read

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Refuses the command line."""
        raise PlotError(f"{message}; usage: {self.prog} {self.file} [-o OUT] [--format LIST]")

    file = "RESULTS.csv"


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line, taken apart."""
    parser = Parser(prog="damocles plot", allow_abbrev=False)
    trace = arguments[:1] == ["gantt"]
    if trace:
        parser.prog, parser.file, arguments = "damocles plot gantt", "TRACE.json", arguments[1:]
    parser.set_defaults(trace=trace)
    parser.add_argument("results", metavar=parser.file, type=Path)
    parser.add_argument(
        "-o", dest="out", metavar="OUT", help="stem of the files, or a folder (default: beside)"
    )
    parser.add_argument("--format", metavar="LIST", help="png, svg, pdf (default: all three)")
    return parser.parse_args(arguments)


def drawing_for(results: Results) -> Callable[[Results], Figure]:
    """The script that draws a file: the figure's own, or the general one."""
    import general
    import hpdc14
    import hpdc14_beta
    import hpdc14_heterogeneity
    import hpdc14_phase1_share
    import hpdc14_scenarios
    import hpdc14_volume_vs_processors
    import throughput

    if throughput.figure_id(results):
        return throughput.figure
    scripts = {
        1: hpdc14_volume_vs_processors,
        2: hpdc14_phase1_share,
        4: hpdc14_volume_vs_processors,
        5: hpdc14_volume_vs_processors,
        6: hpdc14_beta,
        7: hpdc14_heterogeneity,
        8: hpdc14_scenarios,
        9: hpdc14_volume_vs_processors,
        10: hpdc14_volume_vs_processors,
        11: hpdc14_beta,
    }
    return scripts.get(hpdc14.figure_number(results) or 0, general).figure


def run(arguments: list[str]) -> list[Path]:
    """Draws what the command line asks for; returns the files written."""
    request = parse_arguments(arguments)
    draw = of_trace(request.results) if request.trace else of_results(request.results)

    import matplotlib
    import output
    import style

    files = output.targets(request.results, request.out, request.format)
    with matplotlib.rc_context(style.RC):
        output.save(draw(), files)
    return files


def of_results(path: Path) -> Callable[[], Figure]:
    """Reads a result file or trajectories; the drawing of them."""
    import trajectories

    if trajectories.is_one(path):
        curves = trajectories.read(path)
        return lambda: trajectories.figure(curves)
    results = read(path)

    def draw() -> Figure:
        if results.left_out:
            say(f"{path}: {results.left_out} rows without a volume_ratio are left out")
        return drawing_for(results)(results)

    return draw


def of_trace(path: Path) -> Callable[[], Figure]:
    """Reads a trace; the drawing of it."""
    import traces

    runs = traces.read(path)

    def draw() -> Figure:
        import gantt

        return gantt.figure(runs)

    return draw


def say(message: str) -> None:
    """One line on standard error."""
    print(f"damocles plot: {' '.join(message.split())}", file=sys.stderr)


def main(arguments: list[str]) -> int:
    """Runs, and turns errors into one line and an exit status."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # font cache notices
    try:
        for file in run(arguments):
            print(file)
    except PlotError as error:
        say(str(error))
        return 2
    except ModuleNotFoundError as error:
        if error.name not in ("matplotlib", "numpy"):
            raise
        say(f"Python has no {error.name}; install it: apt-get install python3-matplotlib")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
