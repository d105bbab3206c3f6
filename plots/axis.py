"""What a general plot puts on its x axis: the one parameter or column that varies."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import series
from results import Row, group, quantity

SPECS = ("workload", "platform", "strategy")
NAMES = {
    "workload n": "blocks per side n",
    "platform p": "number of processors p",
    "beta": "threshold β",
}
UNITS = {
    "B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
    "B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9,
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9,
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """The x axis, '' where nothing varies, and what tells lines of one strategy apart."""

    x: str
    splits: tuple[str, ...]
    numeric: bool
    unit: str
    varying: tuple[str, ...]

    def label(self) -> str:
        """The words under the axis, with the unit."""
        name = NAMES.get(self.x, self.x)
        return f"{name} [{self.unit}]" if self.unit else name

    def value(self, row: Row) -> Hashable:
        """Where a row stands on the axis; None if the row does not have the parameter."""
        text = parameters(row).get(self.x)
        if text is None or not self.numeric:
            return text
        number, unit = quantity(text) or (0.0, "")
        return number * UNITS.get(unit, 1.0) / UNITS.get(self.unit, 1.0)

    def key(self, row: Row) -> Hashable:
        """The line that a row belongs to."""
        own = parameters(row)
        return (*base(row), *(own.get(name) for name in self.splits))

    def suffix(self, row: Row) -> str:
        """What the legend adds to tell the line from others of its strategy."""
        own = parameters(row)
        given = [f"{name.split()[-1]}={own[name]}" for name in self.splits if name in own]
        return "".join(f", {text}" for text in given)


def base(row: Row) -> tuple[str, ...]:
    """Source, model, strategy and eviction: never an axis."""
    return (*series.default_key(row), row.text("eviction"))


def parameters(row: Row) -> dict[str, str]:
    """Everything that may vary: the options of the row's names, their kinds, and beta.

    Seeds are left out, they make replicates. The columns processors, tasks and data stand in where
    the names say nothing.
    """
    found: dict[str, str] = {}
    for column in SPECS:
        spec = row.spec(column)
        if column != "strategy":
            found[column] = spec.kind()
        prefix = column if column != "strategy" else spec.name
        found |= {f"{prefix} {key}": value for key, value in spec.options.items()}
    found = {name: value for name, value in found.items() if not name.endswith(" seed")}
    threshold = found.pop(f"{row.strategy} beta", None)
    beta = row.number("beta")
    if beta is not None or (threshold and quantity(threshold)):
        found["beta"] = f"{beta:g}" if beta is not None else str(threshold)
    for column in ("processors", "tasks", "data"):
        number = row.number(column)
        if number is not None:
            found[column] = f"{number:.17g}"
    return found


def choose(rows: list[Row]) -> Choice:
    """The varying parameter with the most values, numbers before names, is x."""
    varying = _varying(rows)
    numeric = {name for name in varying if all(quantity(value) for value in varying[name])
               and _commensurable(varying[name])}  # fmt: skip
    # Counts come last, names imply them; of equals the first wins.
    x = max(
        varying,
        key=lambda name: (name not in COUNTS, name in numeric, len(varying[name])),
        default="",
    )
    unit = (quantity(varying[x][0]) or (0.0, ""))[1] if x in numeric else ""
    splits = tuple(name for name in varying if name not in (x, *COUNTS) and _splits(rows, x, name))
    return Choice(x, splits, x in numeric, unit, tuple(varying))


COUNTS = ("processors", "tasks", "data")


def _varying(rows: list[Row]) -> dict[str, list[str]]:
    """The values of each parameter that takes several, in order of appearance."""
    values: dict[str, dict[str, None]] = {}
    held: dict[str, int] = {}
    for row in rows:
        for name, value in parameters(row).items():
            values.setdefault(name, {})[value] = None
            held[name] = held.get(name, 0) + 1
    return {
        name: list(some)
        for name, some in values.items()
        if len(some) > 1
        and (_swept(rows, name) if _of_strategy(name) else held[name] == len(rows))
    }


def _of_strategy(name: str) -> bool:
    return name == "beta" or (name not in COUNTS and name.split()[0] not in SPECS)


def _swept(rows: list[Row], name: str) -> bool:
    """Whether a strategy's option varies of itself, not because the instance does (beta=auto)."""
    def instance(row: Row) -> Hashable:
        return (*base(row), row.text("workload"), row.text("platform"),
                row.number("seed"), row.number("replicate"))  # fmt: skip

    return any(_several(some, name) for some in group(rows, instance).values())


def _splits(rows: list[Row], x: str, name: str) -> bool:
    """Whether a parameter takes several values at one point of a line."""
    points = group(rows, lambda row: (*base(row), parameters(row).get(x)))
    return any(_several(some, name) for some in points.values())


def _several(rows: Iterable[Row], name: str) -> bool:
    return len({parameters(row).get(name) for row in rows} - {None}) > 1


def _commensurable(values: list[str]) -> bool:
    """Whether numbers share a unit or have units of one scale."""
    units = {found[1] for value in values if (found := quantity(value))}
    return len(units) == 1 or len({_dimension(unit) for unit in units}) == 1


def _dimension(unit: str) -> str:
    if unit not in UNITS:
        return unit
    return "B/s" if unit.endswith("B/s") else "B" if unit.endswith("B") else "s"
