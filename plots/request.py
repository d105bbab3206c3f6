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
    "-o, --format, --x, --y, --log, --facet, --where, --size, --title (damocles plot --help)"
)


@dataclass(frozen=True)
class Request:
    """Which files are drawn, into which, and how."""

    paths: list[Path]
    trace: bool
    out: str | None
    formats: str | None
    wish: Wish


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    file = "RESULTS..."

    def error(self, message: str) -> NoReturn:
        """Refuses the command line."""
        raise PlotError(f"{message}; usage: {self.prog} {self.file}, options {OPTIONS}")


def _parser(trace: bool) -> Parser:
    parser = Parser(prog="damocles plot", allow_abbrev=False, add_help=False)
    if trace:
        parser.prog, parser.file = "damocles plot gantt", "TRACE.json"
    parser.add_argument("paths", metavar=parser.file, type=Path, nargs="+")
    parser.add_argument("-o", "--output", dest="out")
    for name in ("--format", "--x", "--y", "--log", "--facet", "--size", "--title"):
        parser.add_argument(name)
    parser.add_argument("--where", action="append", default=[])
    return parser


def parse(arguments: list[str]) -> Request:
    """Raises PlotError where the command line is wrong."""
    trace = arguments[:1] == ["gantt"]
    given = _parser(trace).parse_args(arguments[1:] if trace else arguments)
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
            where=tuple(given.where),
            title=given.title,
            size=None if given.size is None else wish.parse_size(given.size),
        ),
    )
