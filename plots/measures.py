"""What may stand on the y axis: words, units and the bound of each measure."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import columns
from errors import PlotError
from results import NUMBER_COLUMNS, RATIO, Results, Row
from words import elided, listing

RATIO_LABEL = "volume ratio (loads / bound)"
BYTES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def _throughput_bound(row: Row) -> float | None:
    flops, least = row.number("flops"), row.number("makespan_lower_bound_s")
    return flops / least / 1e9 if flops and least and least > 0 else None


def _least_bytes(row: Row) -> float | None:
    loads, loaded, least = (row.number(name) for name in ("loads", "bytes_loaded", "lower_bound"))
    return least * loaded / loads if loads and loaded is not None and least is not None else None


@dataclass(frozen=True)
class Measure:
    """A column that is drawn, its words, its bound in the same unit, and which way is better."""

    column: str
    words: str
    units: tuple[tuple[float, str], ...] = ((1.0, ""),)
    bound: Callable[[Row], float | None] = lambda _: None
    bound_words: str = ""
    more_is_better: bool = False

    def unit(self, largest: float) -> tuple[float, str]:
        """The unit in which the largest value is at least 1, and its name."""
        return next((one for one in self.units if largest >= one[0]), self.units[-1])

    def label(self, unit: str) -> str:
        """The words beside the axis."""
        return f"{self.words} [{unit}]" if unit else self.words


KNOWN = {
    one.column: one
    for one in (
        Measure(RATIO, RATIO_LABEL, bound=lambda _: 1.0, bound_words="bound"),
        Measure("mean", "mean volume ratio", bound=lambda _: 1.0, bound_words="bound"),
        Measure("loads", "data loaded", bound=lambda row: row.number("lower_bound"),
                bound_words="lower bound"),
        Measure("bytes_loaded", "data transfers", BYTES, _least_bytes, "lower bound of transfers"),
        Measure("bytes_written", "data written home", BYTES),
        Measure("makespan_s", "makespan", SECONDS,
                lambda row: row.number("makespan_lower_bound_s"), "lower bound of the makespan"),
        Measure("makespan_lower_bound_s", "lower bound of the makespan", SECONDS),
        Measure("planned_makespan_s", "makespan of the static schedule", SECONDS),
        Measure("makespan_ratio", "makespan / lower bound", bound=lambda _: 1.0,
                bound_words="lower bound"),
        Measure("gflops", "throughput", ((1.0, "GFlop/s"),), _throughput_bound,
                "upper bound of the throughput", more_is_better=True),
        Measure("busy_fraction", "share of time spent computing", more_is_better=True),
        Measure("energy_j", "energy", ((1.0, "J"),)),
        Measure("scheduling_s", "time inside the strategy", SECONDS),
    )
}  # fmt: skip


def of_column(results: Results, name: str) -> Measure:
    """The measure that a user names. Raises PlotError, naming what there is, where it is none."""
    rows = results.rows
    column = columns.find(rows, name, "--y").name
    numeric = [one for one in (*NUMBER_COLUMNS, *(rows[0].others if rows else ()))
               if any(row.measure(one) is not None for row in rows)]  # fmt: skip
    if column not in numeric:
        raise PlotError(
            f"--y: '{elided(column, 60)}' holds no numbers to draw; there are {listing(numeric)}"
        )
    return KNOWN.get(column, Measure(column, elided(column, 60)))


def usual(results: Results) -> list[Measure]:
    """Throughput (makespan without flops) and transfers where memory is limited, else the ratio.

    An eviction policy is what tells rows of limited memory.
    """
    rows = results.rows
    if any(row.predicted or not row.text("eviction") for row in rows):
        return [KNOWN[RATIO]]
    first = "gflops" if all(row.number("gflops") is not None for row in rows) else "makespan_s"
    sized = all(row.number("bytes_loaded") is not None for row in rows)
    second = "bytes_loaded" if sized else "loads"
    drawn = [KNOWN[name] for name in (first, second)
             if any(row.number(name) is not None for row in rows)]  # fmt: skip
    return drawn or [KNOWN[RATIO]]


def largest(rows: list[Row], measure: Measure) -> float:
    """The largest finite value among the rows."""
    values = [value for row in rows if (value := row.measure(measure.column)) is not None]
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)
