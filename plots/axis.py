"""What a general plot puts on its x axis: the one parameter or column that varies, or is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

import columns
import series
import spec
from means import group
from results import Row
from spec import UNITS, quantity
from words import elided

SPECS = columns.SPECS
NAMES = {
    "workload n": "blocks per side n",
    "platform p": "number of processors p",
    "processors": "number of processors",
    "beta": "threshold β",
}
COUNTS = ("processors", "tasks", "data")


@dataclass(frozen=True)
class Choice:
    """The x axis, '' where nothing varies, and what tells lines of one strategy apart."""

    x: str
    splits: tuple[str, ...]
    numeric: bool
    unit: str
    varying: tuple[str, ...]
    of: Callable[[Row], str] | None = None  # of a column that was named; else the parameter x

    def label(self) -> str:
        """The words under the axis, with the unit."""
        name = NAMES.get(self.x, elided(self.x, 60))
        return f"{name} [{self.unit}]" if self.unit else name

    def text(self, row: Row) -> str | None:
        """What a row has on the axis, None where it has nothing."""
        return (self.of(row) or None) if self.of else parameters(row).get(self.x)

    def value(self, row: Row) -> Hashable:
        """Where a row stands on the axis; None if the row does not have the parameter."""
        text = self.text(row)
        if text is None or not self.numeric:
            return text
        number, unit = quantity(text) or (0.0, "")
        return number * UNITS.get(unit, 1.0) / UNITS.get(self.unit, 1.0)

    def key(self, row: Row) -> tuple[Hashable, ...]:
        """The line that a row belongs to."""
        own = parameters(row)
        own_base = tuple(row.text(name) if name != "strategy" else row.strategy
                         for name in BASE if name != self.x)  # fmt: skip
        return (*own_base, *(own.get(name) for name in self.splits))

    def suffix(self, row: Row) -> str:
        """What the legend adds to tell the line from others of its strategy."""
        own = parameters(row)
        given = [own[name] if name == "file" else f"{name.rpartition(' ')[2]}={own[name]}"
                 for name in self.splits if name in own]  # fmt: skip
        return "".join(f", {text}" for text in given)


BASE = ("source", "model", "strategy", "eviction")  # never an axis unless named


def base(row: Row) -> tuple[str, ...]:
    """Source, model, strategy and eviction."""
    return (*series.default_key(row), row.text("eviction"))


def parameters(row: Row) -> dict[str, str]:
    """Everything that may vary: the options of the row's names, their kinds, beta and the file.

    Seeds are left out, they make replicates. The columns processors, tasks and data stand in where
    the names say nothing.
    """
    if "_parameters" not in row.__dict__:
        row.__dict__["_parameters"] = _parameters(row)
    found: dict[str, str] = row.__dict__["_parameters"]
    return found


def _parameters(row: Row) -> dict[str, str]:
    found: dict[str, str] = {}
    for column in SPECS:
        name = row.spec(column)
        if column != "strategy":
            found[column] = name.kind()
        prefix = column if column != "strategy" else name.name
        found |= {f"{prefix} {key}": value for key, value in name.options.items()}
    found = {name: value for name, value in found.items() if not name.endswith(" seed")}
    threshold = found.pop(f"{row.strategy} beta", None)
    beta = row.number("beta")
    if beta is not None or (threshold and quantity(threshold)):
        found["beta"] = spec.shown(beta) if beta is not None else str(threshold)
    for column in COUNTS:
        number = row.number(column)
        if number is not None:
            found[column] = spec.shown(number)
    if row.path:
        found["file"] = row.file
    return found


def choose(rows: list[Row], leave: Iterable[str] = ()) -> Choice:
    """The varying parameter with the most values, numbers before names, is x.

    What `leave` names is neither axis nor does it split lines: the panels differ by it.
    """
    varying = {name: some for name, some in _varying(rows).items() if name not in leave}
    # Where some rows have nothing there is no place on the axis, but for strategies without it.
    eligible = {name: [one for one in some if one is not None] for name, some in varying.items()
                if name != "file" and (None not in some or _of_strategy(name))}  # fmt: skip
    eligible = {name: some for name, some in eligible.items() if len(some) > 1}
    numeric = {name for name in eligible if _numeric(eligible[name])}
    # Counts come last, names imply them; of equals the first wins.
    x = max(
        eligible,
        key=lambda name: (name not in COUNTS, name in numeric, len(eligible[name])),
        default="",
    )
    unit = (quantity(eligible[x][0]) or (0.0, ""))[1] if x in numeric else ""
    splits = _all_splits(rows, x, lambda row: parameters(row).get(x), varying)
    return Choice(x, splits, x in numeric, unit, tuple(varying))


def told_by(rows: list[Row], of: Callable[[Row], str]) -> tuple[str, ...]:
    """The parameters that have one value for each value of a column, as precision= of the platform
    where it is that of the workload."""
    groups = group(rows, of).values()
    names = dict.fromkeys(name for row in rows for name in parameters(row))
    return tuple(name for name in names if not any(_several(some, name) for some in groups))


def named(rows: list[Row], column: columns.Column, leave: Iterable[str] = ()) -> Choice:
    """A column that was asked for as x."""
    of = _heterogeneity(rows) if column.name == "heterogeneity" else column.of
    texts = list(dict.fromkeys(text for row in rows if (text := of(row))))
    numeric = _numeric(texts)
    unit = (quantity(texts[0]) or (0.0, ""))[1] if numeric else ""
    varying = {name: some for name, some in _varying(rows).items() if name not in leave}
    name = column.option or column.name
    own = {name, column.name} | ({"workload", "platform"} & {column.name})
    others = [one for one in varying if one not in own]
    splits = _all_splits(rows, name, of, others)
    return Choice(name, splits, numeric, unit, tuple(varying), of)


def _heterogeneity(rows: list[Row]) -> Callable[[Row], str]:
    """The mean over the runs of a platform, whose speeds may be drawn anew for each; 0 where all
    speeds are equal, which the column leaves empty."""
    platforms = group(rows, lambda row: row.text("platform"))
    means = {
        text: sum(row.number("heterogeneity") or 0.0 for row in some) / len(some)
        for text, some in platforms.items()
    }
    return lambda row: spec.shown(means[row.text("platform")])


def _all_splits(
    rows: list[Row], x: str, of: Callable[[Row], str | None], varying: Iterable[str]
) -> tuple[str, ...]:
    return tuple(
        name for name in varying if name not in (x, *COUNTS) and _splits(rows, x, of, name)
    )


def _numeric(values: list[str]) -> bool:
    return bool(values) and all(quantity(value) for value in values) and _commensurable(values)


def _varying(rows: list[Row]) -> dict[str, list[str | None]]:
    """The values of each parameter that takes several, in order of appearance.

    None stands for rows without it: of the same strategy, where it is an option of one.
    """
    values: dict[str, dict[str | None, None]] = {}
    held: dict[str, int] = {}
    for row in rows:
        for name, value in parameters(row).items():
            values.setdefault(name, {})[value] = None
            held[name] = held.get(name, 0) + 1
    of_strategy = Counter(row.strategy for row in rows)
    for name, some in values.items():
        own = name.rpartition(" ")[0]
        expected = of_strategy.get(own, len(rows)) if _of_strategy(name) else len(rows)
        if held[name] < expected and name not in COUNTS:
            some[None] = None
    return {
        name: list(some)
        for name, some in values.items()
        if len(some) > 1 and (not _of_strategy(name) or _swept(rows, name))
    }


def _of_strategy(name: str) -> bool:
    return name == "beta" or (name not in (*COUNTS, "file") and name.split(" ")[0] not in SPECS)


def _swept(rows: list[Row], name: str) -> bool:
    """Whether a strategy's option varies of itself, not because the instance does (beta=auto)."""
    def instance(row: Row) -> Hashable:
        return (*base(row), row.text("workload"), row.text("platform"),
                row.number("seed"), row.number("replicate"))  # fmt: skip

    return any(_several(some, name) for some in group(rows, instance).values())


def _splits(rows: list[Row], x: str, of: Callable[[Row], str | None], name: str) -> bool:
    """Whether a parameter takes several values at one point of a line."""
    line = [one for one in BASE if one != x]
    points = group(rows, lambda row: (
        *(row.strategy if one == "strategy" else row.text(one) for one in line), of(row)
    ))  # fmt: skip
    return any(_several(some, name) for some in points.values())


def _several(rows: Iterable[Row], name: str) -> bool:
    return len({parameters(row).get(name) for row in rows}) > 1


def _commensurable(values: list[str]) -> bool:
    """Whether numbers share a unit or have units of one scale."""
    units = {found[1] for value in values if (found := quantity(value))}
    return len(units) == 1 or len({_dimension(unit) for unit in units}) == 1


def _dimension(unit: str) -> str:
    if unit not in UNITS:
        return unit
    if unit.endswith(("B/s", "F/s")):
        return unit[-3:]
    return unit[-1]
