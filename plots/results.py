"""Result files as rows: reading, the grammar of names, means and spreads.

A result file is a CSV with a header; beside `NAME.csv` may lie `NAME.meta.json`.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

TEXT_COLUMNS = ("source", "model", "strategy", "eviction", "workload", "platform", "status")
NUMBER_COLUMNS = (
    "processors", "tasks", "data", "seed", "replicate", "beta", "loads", "bytes_loaded",
    "lower_bound", "volume_ratio", "makespan_s", "makespan_lower_bound_s", "makespan_ratio",
    "flops", "gflops", "busy_fraction", "scheduling_s", "n", "mean", "sd", "ci95",
)  # fmt: skip
REQUIRED = ("source", "model", "strategy", "workload", "platform", "volume_ratio")

Key = TypeVar("Key")


class PlotError(Exception):
    """The request cannot be drawn; the message says what, where, and what would be right."""


@dataclass(frozen=True)
class Spec:
    """`name:key=value,key=value` or `name:value,value`, taken apart."""

    name: str
    values: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def parse(text: str) -> Spec:
        """Takes any text apart; what is no `key=value` is a positional value."""
        name, _, rest = text.strip().partition(":")
        parts = [part.strip() for part in rest.split(",") if part.strip()]
        values = tuple(part for part in parts if "=" not in part)
        pairs = (part.partition("=") for part in parts if "=" in part)
        return Spec(name, values, {key: value for key, _, value in pairs})

    def kind(self) -> str:
        """The name with its positional values: all that is not `key=value`."""
        return f"{self.name}:{','.join(self.values)}" if self.values else self.name

    def number(self, key: str) -> float | None:
        """The option as a number; nothing where it is absent or none."""
        value = quantity(self.options.get(key, ""))
        return value[0] if value else None


def quantity(text: str) -> tuple[float, str] | None:
    """A number with its unit, `500MB` -> (500.0, 'MB'); nothing where the text is none."""
    match = re.fullmatch(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([A-Za-z/%]*)", text)
    return (float(match[1]), match[2]) if match else None


@dataclass(frozen=True)
class Row:
    """One line of a result file. Absent texts are '', absent numbers None."""

    line: int
    texts: dict[str, str]
    numbers: dict[str, float | None]

    def text(self, column: str) -> str:
        """The text in `column`, '' where it is absent."""
        return self.texts.get(column, "")

    def number(self, column: str) -> float | None:
        """The number in `column`, None where it is absent."""
        return self.numbers.get(column)

    def spec(self, column: str) -> Spec:
        """The name in `column` (workload, platform, strategy), taken apart."""
        return Spec.parse(self.text(column))

    @property
    def strategy(self) -> str:
        """The strategy's name without its options."""
        return self.spec("strategy").name

    @property
    def predicted(self) -> bool:
        """Whether a model made this row."""
        return self.text("source") == "predicted"

    @property
    def ratio(self) -> float | None:
        """Loads over the lower bound; of a summary that leaves it out, the mean."""
        ratio = self.number("volume_ratio")
        return self.number("mean") if ratio is None else ratio


@dataclass(frozen=True)
class Results:
    """A result file: where it lies, its rows that have a volume ratio, its metadata."""

    path: Path
    rows: list[Row]
    meta: dict[str, Any]
    left_out: int = 0  # rows without a volume ratio

    def refuse(self, why: str, row: Row | None = None) -> PlotError:
        """An error about this file, or about one line of it."""
        return PlotError(f"{self.path}{f':{row.line}' if row else ''}: {why}")

    def require(self, column: str, what_for: str, rows: Iterable[Row] | None = None) -> None:
        """Refuses rows (default: all) in which `column` is empty."""
        for row in self.rows if rows is None else rows:
            if row.number(column) is None:
                raise self.refuse(f"column '{column}' is empty; {what_for}", row)


@dataclass(frozen=True)
class Point:
    """A mean over replicates, the standard deviation of one run, and the extremes of the runs,
    where they are known."""

    mean: float
    sd: float | None
    n: int
    least: float = -math.inf
    most: float = math.inf


def summarise(rows: list[Row]) -> Point:
    """The mean volume ratio of rows that belong to one point, and the spread of a single run.

    Simulated: the sample standard deviation, over replicates or pooled from summaries of n each.
    Predicted: only where the model has a band; E[var] within plus var[E] between draws of speeds.
    """
    means = [row.ratio or 0.0 for row in rows]
    if rows[0].predicted:
        centre = math.fsum(means) / len(means)
        return Point(centre, _predicted_sd(rows, means, centre), len(rows))
    counts = [max(1, round(row.number("n") or 1)) for row in rows]
    total = sum(counts)
    centre = math.fsum(n * mean for n, mean in zip(counts, means)) / total
    if total == 1:
        return Point(centre, None, total)
    inside = math.fsum((n - 1) * (row.number("sd") or 0.0) ** 2 for n, row in zip(counts, rows))
    between = math.fsum(n * (mean - centre) ** 2 for n, mean in zip(counts, means))
    spread = math.sqrt((inside + between) / (total - 1))
    if total > len(rows):  # summaries: the runs themselves are not there
        return Point(centre, spread, total)
    return Point(centre, spread, total, min(means), max(means))


def _predicted_sd(rows: list[Row], means: list[float], centre: float) -> float | None:
    bands = [sd for row in rows if (sd := row.number("sd")) is not None]
    if not bands:
        return None
    within = math.fsum(sd * sd for sd in bands) / len(bands)
    spread = math.fsum((mean - centre) ** 2 for mean in means) / max(1, len(means) - 1)
    return math.sqrt(within + spread)


def group(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """The rows of each key, keys in order of appearance."""
    groups: dict[Key, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def read(path: Path) -> Results:
    """Reads a result file and, where there is one, its metadata.

    Raises PlotError if the file cannot be read, is no CSV of results, lacks a required column,
    has no rows to draw, or holds a malformed number.
    """
    rows = _read_rows(path)
    drawn = [row for row in rows if row.ratio is not None]
    if not drawn:
        raise PlotError(f"{path}: none of its {len(rows)} rows has a volume_ratio to draw")
    return Results(path, drawn, _read_meta(path), len(rows) - len(drawn))


def _read_rows(path: Path) -> list[Row]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, strict=True)
            header = _check_header(path, next(reader, []))
            rows = [_row(path, reader.line_num, header, fields) for fields in reader if fields]
    except OSError as error:
        raise PlotError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise PlotError(f"{path}: not a CSV file ({error})") from error
    if not rows:
        raise PlotError(f"{path}: has a header but no rows; nothing to draw")
    return rows


def _check_header(path: Path, header: list[str]) -> list[str]:
    if not header:
        raise PlotError(f"{path}: is empty; the first line must name the columns")
    if header[0].lstrip().startswith(("{", "[")):
        raise PlotError(f"{path}: not a CSV file but JSON; write results with --format csv")
    known = [column for column in header if column in TEXT_COLUMNS + NUMBER_COLUMNS]
    if not known:
        raise PlotError(
            f"{path}:1: not a result file, no column of it is known; "
            f"the first line must be {','.join(TEXT_COLUMNS[:3])},..."
        )
    missing = [column for column in REQUIRED if column not in header]
    if missing:
        raise PlotError(
            f"{path}:1: missing column {', '.join(repr(column) for column in missing)}; "
            "predict, simulate, run, compare, sweep and reproduce write them all"
        )
    twice = next((column for column in known if header.count(column) > 1), None)
    if twice:
        raise PlotError(f"{path}:1: column '{twice}' appears twice; name it once")
    return header


def _row(path: Path, line: int, header: list[str], fields: list[str]) -> Row:
    if len(fields) != len(header):
        raise PlotError(
            f"{path}:{line}: {len(fields)} fields where the header has {len(header)} "
            "(a name that contains commas stands in double quotes)"
        )
    cells = dict(zip(header, (value.strip() for value in fields)))
    texts = {column: cells[column] for column in TEXT_COLUMNS if column in cells}
    numbers = {
        column: _number(path, line, column, cells[column])
        for column in NUMBER_COLUMNS
        if column in cells
    }
    for column in ("source", "strategy", "workload", "platform"):
        if not texts[column]:
            raise PlotError(f"{path}:{line}: column '{column}' is empty; every row needs it")
    return Row(line, texts, numbers)


def _number(path: Path, line: int, column: str, text: str) -> float | None:
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isfinite(number) or (column == "beta" and number == math.inf):
        return number
    raise PlotError(
        f"{path}:{line}: column '{column}': '{text}' is not a number; leave absent values empty"
    )


def read_measured(path: Path) -> list[Row]:
    """What the paper's authors measured of this figure, NAME.measured.csv beside NAME.csv.

    Nothing where that file is not there. Raises PlotError as `read` does.
    """
    beside = path.with_name(path.name.removesuffix(".csv") + ".measured.csv")
    return _read_rows(beside) if beside.is_file() else []


def meta_path(path: Path) -> Path:
    """Where the metadata of a result file lies."""
    return path.with_name(path.name.removesuffix(".csv") + ".meta.json")


def _read_meta(path: Path) -> dict[str, Any]:
    beside = meta_path(path)
    try:
        meta = json.loads(beside.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise PlotError(f"cannot read {beside}: {error.strerror}") from error
    except ValueError as error:
        raise PlotError(f"{beside}: not JSON ({error})") from error
    if not isinstance(meta, dict):
        raise PlotError(f"{beside}: must be a JSON object, {{\"figure\": ...}}")
    return meta
