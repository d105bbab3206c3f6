"""Columns by name: those of the file, and those that stand in the names of a row.

`n`, `p`, `memory`, `tile`, ... are options of workload, platform and strategy: `workload.n` names
one wherever `n` alone could mean several.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import spec
from errors import PlotError
from results import NUMBER_COLUMNS, TEXT_COLUMNS, Row
from words import clean, elided, listing, meant

SPECS = ("workload", "platform", "strategy")
# n, a column of summaries, is what everyone calls the size of a workload.
OPTION_FIRST = ("n",)
ALIASES = {"p": "processors", "file": "file", "ratio": "volume_ratio", "makespan": "makespan_s",
           "volume": "volume_ratio", "throughput": "gflops"}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column: its name, its text in a row ('' where absent), and the option it is, if one."""

    name: str
    of: Callable[[Row], str]
    option: str = ""  # `workload n`, as axis.py calls it

    def number(self, row: Row) -> float | None:
        """The number in base units, None where there is none."""
        return spec.in_base_units(self.of(row))


def find(rows: list[Row], name: str, asked_by: str = "") -> Column:
    """The column of that name. Raises PlotError, naming what there is, where there is none."""
    plain = clean(name.strip())
    found = _qualified(rows, plain) or _option(rows, plain, asked_by, first=True)
    found = found or _plain(rows, plain) or _option(rows, plain, asked_by)
    if found is None and plain in ALIASES:
        found = _plain(rows, ALIASES[plain])
    if found is None:
        there = names(rows)
        raise PlotError(
            f"{asked_by + ': ' if asked_by else ''}there is no column '{elided(plain, 60)}'"
            f"{meant(plain, there)}; there are {listing(there)}"
        )
    return found


def names(rows: list[Row]) -> list[str]:
    """What may be asked for: options of names first, then columns that hold something."""
    options = {key: None for row in rows for column in SPECS for key in row.spec(column).options}
    columns = [name for name in (*TEXT_COLUMNS, *NUMBER_COLUMNS)
               if any(row.text(name) or row.number(name) is not None for row in rows)]  # fmt: skip
    others = [name for row in rows[:1] for name in row.others]
    more = ["file"] if len({row.path for row in rows}) > 1 else []
    return list(dict.fromkeys([*options, *columns, *others, *more]))


def _plain(rows: list[Row], name: str) -> Column | None:
    if name == "file":
        return Column(name, lambda row: row.file)
    if name in TEXT_COLUMNS:
        return Column(name, lambda row: row.text(name))
    if name in NUMBER_COLUMNS and any(row.measure(name) is not None for row in rows):
        return Column(name, lambda row: _shown(row.measure(name)))
    if any(name in row.others for row in rows):
        return Column(name, lambda row: row.others.get(name, ""))
    return None


def _shown(value: float | None) -> str:
    return "" if value is None else spec.shown(value)


def _qualified(rows: list[Row], name: str) -> Column | None:
    """`workload.n`, `platform.p`, `strategy.eviction`, or a strategy's own, `darts.eviction`."""
    before, dot, key = name.replace(" ", ".", 1).partition(".")
    if not dot:
        return None
    return _of_spec(rows, before, key)


def _of_spec(rows: list[Row], before: str, key: str) -> Column | None:
    def text(row: Row) -> str:
        if before in SPECS:
            return row.spec(before).options.get(key, "")
        return row.spec("strategy").options.get(key, "") if row.strategy == before else ""

    if not any(text(row) for row in rows):
        return None
    return Column(f"{before}.{key}", text, f"{before} {key}")


def _option(rows: list[Row], name: str, asked_by: str, first: bool = False) -> Column | None:
    """The one name that has this option; where several have it, the one in which it varies."""
    if first and name not in OPTION_FIRST:
        return None
    found = [one for one in (_of_spec(rows, column, name) for column in SPECS) if one]
    if len(found) > 1:
        varying = [one for one in found if len({one.of(row) for row in rows}) > 1]
        found = varying or found[:1]
    if len(found) > 1:
        ways = " or ".join(one.name for one in found)
        raise PlotError(f"{asked_by + ': ' if asked_by else ''}'{name}' may be {ways}; say which")
    return found[0] if found else None
