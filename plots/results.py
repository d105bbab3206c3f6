"""Result files as rows: reading them, CSV or JSON, and the metadata beside them.

A result file is a CSV with a header, or the JSON that `--format json` writes; beside `NAME.csv` may
lie `NAME.meta.json`. What can go wrong with a file is found here, with its line.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import spec
from errors import PlotError
from spec import Spec
from words import clean, elided, listing

RATIO = "volume_ratio"
TEXT_COLUMNS = ("source", "model", "strategy", "eviction", "workload", "platform", "domain", "status")
NUMBER_COLUMNS = (
    "processors", "tasks", "data", "seed", "replicate", "beta", "loads", "bytes_loaded",
    "lower_bound", "balanced_bound", "heterogeneity", "volume_ratio", "makespan_s", "makespan_lower_bound_s",
    "makespan_ratio", "flops", "gflops", "busy_fraction", "evictions", "invalidations", "loads_first",
    "loads_after_eviction", "loads_after_invalidation", "loads_from_peers", "bytes_written",
    "energy_j", "planned_makespan_s", "scheduling_s", "n", "mean", "sd", "ci95",
    "expected_error",
)  # fmt: skip
REQUIRED = ("source", "model", "strategy", "workload", "platform", RATIO)
NAMED = ("source", "strategy", "workload", "platform")  # never empty
NOT_NEGATIVE = ("beta", "sd", "ci95", "processors", "tasks", "data", "flops")
MOST_RUNS = 1e15  # that a summary may stand for
FINE = ("", "ok", "unverified")
LARGEST = 2**30  # bytes of a file


@dataclass(frozen=True)
class Row:
    """One line of a result file. Absent texts are '', absent numbers None."""

    line: int
    texts: dict[str, str]
    numbers: dict[str, float | None]
    others: dict[str, str] = field(default_factory=dict)  # columns that damocles does not write
    path: Path | None = None

    def text(self, column: str) -> str:
        """The text in `column`, '' where it is absent."""
        return self.texts.get(column, "")

    def number(self, column: str) -> float | None:
        """The number in `column`, None where it is absent."""
        return self.numbers.get(column)

    def spec(self, column: str) -> Spec:
        """The name in `column` (workload, platform, strategy), taken apart."""
        return self._specs[column] if column in self._specs else Spec.parse(self.text(column))

    @cached_property
    def _specs(self) -> dict[str, Spec]:
        return {name: Spec.parse(self.text(name)) for name in ("workload", "platform", "strategy")}

    @property
    def strategy(self) -> str:
        """The strategy's name without its options."""
        return self.spec("strategy").name

    @property
    def file(self) -> str:
        """The file it stands in, without folder and ending."""
        return clean(stem(self.path)) if self.path else ""

    @property
    def predicted(self) -> bool:
        """Whether a model made this row."""
        return self.text("source") == "predicted"

    @property
    def failed(self) -> bool:
        """Whether its status says that its numbers are not those of a sound run."""
        return self.text("status") not in FINE

    @property
    def ratio(self) -> float | None:
        """Loads over the balanced bound, or the lower one where there is no other; of a summary that leaves it out, the mean."""
        ratio = self.number(RATIO)
        return self.number("mean") if ratio is None else ratio

    def measure(self, column: str) -> float | None:
        """The number to be drawn, None where there is none."""
        if column == RATIO:
            return self.ratio
        if column in self.numbers:
            return self.numbers[column]
        return spec.number(self.others.get(column, ""))


@dataclass(frozen=True)
class Results:
    """A result file, or several: the sound rows, those that failed, the metadata."""

    path: Path
    rows: list[Row]
    meta: dict[str, Any]
    failed: list[Row] = field(default_factory=list)
    left_out: int = 0  # sound rows without what is drawn

    def refuse(self, why: str, row: Row | None = None) -> PlotError:
        """An error about this file, or about one line of it."""
        if row is None:
            return PlotError(f"{self.path}: {why}")
        return PlotError(f"{row.path or self.path}:{row.line}: {why}")

    def require(self, column: str, what_for: str, rows: Iterable[Row] | None = None) -> None:
        """Refuses rows (default: all) in which `column` is empty."""
        for row in self.rows if rows is None else rows:
            if row.number(column) is None:
                raise self.refuse(f"column '{column}' is empty; {what_for}", row)

    def having(self, column: str) -> Results:
        """The same with those rows alone that have a number to draw. Raises where none has."""
        rows = [row for row in self.rows if row.measure(column) is not None]
        if not rows:
            failed = f" ({self.failures()})" if self.failed else ""
            count = len(self.rows) + len(self.failed)
            raise self.refuse(f"none of its {count} rows has a {column} to draw{failed}")
        return replace(self, rows=rows, left_out=len(self.rows) - len(rows))

    def failures(self) -> str:
        """`3 of 10 rows not ok: darts 2 failed, hfp 1 failed`; '' where all are sound."""
        if not self.failed:
            return ""
        counts = Counter(
            (row.strategy, elided(row.text("status"), 40)) for row in self.failed
        ).most_common()
        words = [f"{elided(name, 30)} {count} '{status}'" for (name, status), count in counts[:4]]
        rest = ["…"] if len(counts) > len(words) else []
        total = len(self.rows) + len(self.failed) + self.left_out
        return f"{len(self.failed)} of {total} rows not ok: {', '.join(words + rest)}"


def stem(path: Path) -> str:
    """The name without .csv or .json."""
    return path.name.removesuffix(".csv").removesuffix(".json")


def read(path: Path) -> Results:
    """Reads a result file and, where there is one, its metadata.

    Raises PlotError if the file cannot be read, is no result file, lacks a required column, has no
    rows, or holds a malformed number.
    """
    rows = read_rows(path)
    sound = [row for row in rows if not row.failed]
    return Results(path, sound, _read_meta(path), [row for row in rows if row.failed])


def read_all(paths: list[Path]) -> Results:
    """Several files as one, their rows one after the other; metadata are those of a single file."""
    parts = [read(path) for path in paths]
    if len(parts) == 1:
        return parts[0]
    rows = [row for part in parts for row in part.rows]
    return Results(paths[0], rows, {}, [row for part in parts for row in part.failed])


def read_rows(path: Path) -> list[Row]:
    """All rows of a file, failed ones too."""
    header, lines = table(path)
    _check_header(path, header)
    rows = [_row(path, line, cells) for line, cells in lines]
    if not rows:
        raise PlotError(f"{path}: has a header but no rows; nothing to draw")
    return rows


def table(
    path: Path, most: int | None = None
) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The columns of a CSV or JSON file, and the cells of each line (of `most` lines) by column.

    Texts are made printable. Raises PlotError if the file is neither.
    """
    text = read_text(path)
    if text.lstrip()[:1] in ("{", "["):
        return _json_table(path, text)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = [clean(column.strip()) for column in next(reader, [])]
        if not header:
            raise PlotError(f"{path}: is empty; the first line must name the columns")
        lines = list(itertools.islice(_lines(path, header, reader), most))
    except csv.Error as error:
        raise PlotError(f"{path}: not a CSV file ({error})") from error
    return header, lines


def _lines(path: Path, header: list[str], reader: Any) -> Iterator[tuple[int, dict[str, str]]]:
    for fields in reader:
        if not fields:
            continue
        if len(fields) != len(header):
            raise PlotError(
                f"{path}:{reader.line_num}: {len(fields)} fields where the header has "
                f"{len(header)} (a name that contains commas stands in double quotes)"
            )
        yield reader.line_num, dict(zip(header, (clean(value.strip()) for value in fields)))


def read_text(path: Path) -> str:
    """A file of UTF-8. Raises PlotError if it cannot be read or is too large."""
    try:
        if path.exists() and not path.is_file():
            raise PlotError(f"{path}: not a file; name a file that damocles wrote")
        size = path.stat().st_size
        if size > LARGEST:
            raise PlotError(f"{path}: {size / 2**30:.1f} GiB are more than a picture shows (1 GiB)")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise PlotError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise PlotError(f"{path}: not a text of UTF-8 ({error})") from error


def read_json(path: Path, text: str, right: str = "name a file that damocles wrote") -> Any:
    """Parsed JSON. Raises PlotError if it is none or too deep; `right` says what would do."""
    try:
        return json.loads(text)
    except RecursionError:
        raise PlotError(f"{path}: JSON nested too deeply; {right}") from None
    except ValueError as error:
        raise PlotError(f"{path}: not JSON ({error}); {right}") from error


def _json_table(
    path: Path, text: str
) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    content = read_json(path, text)
    if isinstance(content, dict) and "traceEvents" in content:
        raise PlotError(f"{path}: a trace; `damocles plot gantt {path}` draws it")
    records = content.get("records") if isinstance(content, dict) else None
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise PlotError(
            f"{path}: JSON, but no results of damocles; `--format json` writes "
            '{"records": [{...}, ...]}'
        )
    header = list(dict.fromkeys(clean(name) for record in records for name in record))
    if not header:
        raise PlotError(f"{path}: has no records; nothing to draw")
    lines = []
    for number, record in enumerate(records, 1):
        cells = {clean(name): _json_cell(path, number, name, record[name]) for name in record}
        lines.append((number, dict.fromkeys(header, "") | cells))
    return header, lines


def _json_cell(path: Path, number: int, name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return clean(value.strip())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    raise PlotError(f"{path}: record {number}: '{clean(name)}' is neither a text nor a number")


def _check_header(path: Path, header: list[str]) -> None:
    known = [column for column in header if column in TEXT_COLUMNS + NUMBER_COLUMNS]
    if not known:
        raise PlotError(
            f"{path}:1: not a result file, no column of it is known; "
            f"the first line must be {','.join(TEXT_COLUMNS[:3])},..."
        )
    missing = [column for column in REQUIRED if column not in header]
    if missing:
        raise PlotError(
            f"{path}:1: missing column {listing(repr(column) for column in missing)}; "
            "predict, simulate, run, compare, sweep and reproduce write them all"
        )
    twice = next((column for column in header if header.count(column) > 1), None)
    if twice is not None:
        raise PlotError(f"{path}:1: column '{twice}' appears twice; name it once")


def _row(path: Path, line: int, cells: dict[str, str]) -> Row:
    texts = {column: cells[column] for column in TEXT_COLUMNS if column in cells}
    numbers = {
        column: _number(path, line, column, cells[column])
        for column in NUMBER_COLUMNS
        if column in cells
    }
    for column in NAMED:
        if not texts[column]:
            raise PlotError(f"{path}:{line}: column '{column}' is empty; every row needs it")
    others = {name: cell for name, cell in cells.items()
              if name not in texts and name not in numbers}  # fmt: skip
    return Row(line, texts, numbers, others, path)


def _number(path: Path, line: int, column: str, text: str) -> float | None:
    if not text:
        return None
    if column == "beta" and text in ("inf", "+inf", "Infinity"):
        return math.inf
    value = spec.number(text)
    place = f"{path}:{line}: column '{column}'"
    if value is None:
        raise PlotError(
            f"{place}: '{elided(text, 60)}' is not a number of at most {spec.MOST:g}; "
            "leave absent values empty"
        )
    if column == "n" and not 1 <= value <= MOST_RUNS:
        raise PlotError(f"{place}: {text} runs; a summary stands for 1 to {MOST_RUNS:g}")
    if column in NOT_NEGATIVE and value < 0:
        raise PlotError(f"{place}: {text} is negative")
    return value


def read_measured(path: Path) -> list[Row]:
    """What the paper's authors measured of this figure, NAME.measured.csv beside NAME.csv.

    Nothing where that file is not there. Raises PlotError as `read` does.
    """
    beside = path.with_name(f"{stem(path)}.measured.csv")
    return read_rows(beside) if beside.is_file() else []


def meta_path(path: Path) -> Path:
    """Where the metadata of a result file lies."""
    return path.with_name(f"{stem(path)}.meta.json")


def _read_meta(path: Path) -> dict[str, Any]:
    beside = meta_path(path)
    if not beside.exists():
        return {}
    meta = read_json(beside, read_text(beside))
    if not isinstance(meta, dict):
        raise PlotError(f"{beside}: must be a JSON object, {{\"figure\": ...}}")
    return meta
