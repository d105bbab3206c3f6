"""Which rows are drawn: `--where strategy=darts,dmdar --where 'p>20'`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import columns
import spec
from columns import Column
from errors import PlotError
from results import Results, Row
from words import clean, elided, listing

_CONDITION = re.compile(r"\s*([^=!<>]+?)\s*(!=|<=|>=|==|=|<|>)\s*(.*?)\s*", re.DOTALL)
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@dataclass(frozen=True)
class Condition:
    """One `COLUMN OPERATOR VALUE`, taken apart."""

    text: str
    column: str
    operator: str
    value: str

    @staticmethod
    def parse(text: str) -> Condition:
        """Raises PlotError where the text is no condition."""
        match = _CONDITION.fullmatch(text)
        if not match or not match[3]:
            raise PlotError(
                f"--where '{elided(clean(text), 80)}': must be COLUMN=VALUE,VALUE or "
                "COLUMN!=VALUE, or COLUMN<NUMBER with <, <=, > or >="
            )
        operator = "=" if match[2] == "==" else match[2]
        condition = Condition(clean(text.strip()), match[1], operator, clean(match[3]))
        if operator in _ORDERS and spec.in_base_units(condition.value) is None:
            raise PlotError(f"--where '{condition.text}': '{condition.value}' is not a number")
        return condition

    def holds(self, column: Column, row: Row) -> bool:
        """Whether a row is kept. What a row does not have is unequal to everything."""
        text = column.of(row)
        if self.operator in _ORDERS:
            own, bound = column.number(row), spec.in_base_units(self.value)
            return own is not None and bound is not None and _ORDERS[self.operator](own, bound)
        equal = bool(text) and any(_equal(text, one) for one in (self.value, *self._parts()))
        return equal == (self.operator == "=")

    def _parts(self) -> list[str]:
        return [part.strip() for part in self.value.split(",") if part.strip()]


def _equal(text: str, value: str) -> bool:
    """Of texts, of names without their options, and of numbers (20 and 20.0, 1GB and 1000MB)."""
    if text == value or (":" in text and text.partition(":")[0] == value):
        return True
    numbers = spec.in_base_units(text), spec.in_base_units(value)
    return numbers[0] is not None and numbers[0] == numbers[1]


def keep(results: Results, conditions: list[str]) -> Results:
    """The rows for which all conditions hold, sound and failed ones alike.

    Raises PlotError, naming what there is, for an unknown column and where nothing is left.
    """
    rows, failed = results.rows, results.failed
    for text in conditions:
        condition = Condition.parse(text)
        column = columns.find(rows + failed, condition.column, "--where")
        kept = [row for row in rows if condition.holds(column, row)]
        failed = [row for row in failed if condition.holds(column, row)]
        if not kept:
            there = dict.fromkeys(column.of(row) for row in rows)
            of = f": {column.name} has {listing(one or '(nothing)' for one in there)}"
            raise PlotError(
                f"--where '{condition.text}' leaves none of {len(rows)} rows to draw"
                f"{of if rows else ''}"
            )
        rows = kept
    return replace(results, rows=rows, failed=failed)
