"""The command line of `damocles plot`, taken apart."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import wish
from errors import PlotError
from wish import Wish

OPTIONS = (
    "-o, --format, --x, --y, --log, --facet, --strategies, --all-lines, --where, --size, --title, "
    "--style (damocles plot --help)"
)

TRACE_PICTURES = ("gantt", "grid", "memory")
MOVING = ("grid", "memory")  # of these there are animations


@dataclass(frozen=True)
class Request:
    """Which files are drawn, into which, and how."""

    paths: list[Path]
    trace: str  # gantt, grid or memory; "" where the files are results
    out: str | None
    formats: str | None
    wish: Wish
    animated: bool = False


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    file = "RESULTS..."

    def error(self, message: str) -> NoReturn:
        """Refuses the command line."""
        raise PlotError(f"{message}; usage: {self.prog} {self.file}, options {OPTIONS}")


def _parser(trace: str) -> Parser:
    parser = Parser(prog="damocles plot", allow_abbrev=False, add_help=False)
    if trace:
        parser.prog, parser.file = f"damocles plot {trace}", "TRACE.json"
    parser.add_argument("paths", metavar=parser.file, type=Path, nargs="+")
    parser.add_argument("-o", "--output", dest="out")
    for name in ("--format", "--x", "--y", "--log", "--facet", "--size", "--title", "--style",
                 "--strategies"):  # fmt: skip
        parser.add_argument(name)
    parser.add_argument("--where", action="append", default=[])
    parser.add_argument("--all-lines", action="store_true")
    parser.add_argument("--animate", action="store_true")
    return parser


def parse(arguments: list[str]) -> Request:
    """Raises PlotError where the command line is wrong."""
    trace = arguments[0] if arguments[:1] and arguments[0] in TRACE_PICTURES else ""
    given = _parser(trace).parse_args(arguments[1:] if trace else arguments)
    if given.animate and trace not in MOVING:
        raise PlotError(f"--animate: animations are of plot {' and plot '.join(MOVING)}")
    named = given.strategies is not None
    where = [*given.where]
    if named and given.strategies.strip() != "all":
        where.append(f"strategy={given.strategies}")
    return Request(
        given.paths,
        trace,
        given.out,
        given.format,
        Wish(
            x=given.x or "",
            y=wish.parse_list("--y", given.y) if given.y is not None else (),
            log=None if given.log is None else wish.parse_log(given.log),
            facet=given.facet or "",
            where=tuple(where),
            title=given.title,
            size=None if given.size is None else wish.parse_size(given.size),
            style="" if given.style is None else wish.parse_style(given.style),
            all_lines=given.all_lines or named,
        ),
        given.animate,
    )
