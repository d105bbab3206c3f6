#!/usr/bin/env python3
"""Draws a result file: `draw.py RESULTS.csv [-o STEM_OR_FOLDER] [--format png,svg,pdf]`.

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
        raise PlotError(f"{message}; usage: damocles plot RESULTS.csv [-o OUT] [--format LIST]")


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line, taken apart."""
    parser = Parser(
        prog="damocles plot", description="Draws a result file.", allow_abbrev=False
    )
    parser.add_argument("results", metavar="RESULTS.csv", type=Path)
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
    results = read(request.results)

    import matplotlib
    import output
    import style

    files = output.targets(request.results, request.out, request.format)
    with matplotlib.rc_context(style.RC):
        output.save(drawing_for(results)(results), files)
    if results.left_out:
        say(f"{results.path}: {results.left_out} rows without a volume_ratio are left out")
    return files


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
