"""Any result file that is no figure of a paper: what varies on x, what counts on y.

`plan` decides, without drawing, what goes where; `panels.py` draws the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import axis
import best
import columns
import measures
import series
import spec
import style
from errors import PlotError
from means import Point, group
from measures import Measure
from results import Results, Row
from wish import MOST_PANELS, NO_FACET, Wish
from words import elided, listing

MAX_TITLE = 90  # characters
MOST_CATEGORIES = 60
MOST_OWN_FACETS = 6  # panels that nobody asked for
MOST_BOUNDS = 4  # lines of bounds in one panel
NO_VALUE = "(none)"
NEUTRAL = style.Look("#0072B2", "o")


@dataclass(frozen=True)
class Bound:
    """A line that no run can pass: its words and its points by x (None: a level)."""

    words: str
    points: dict[Hashable, float]


@dataclass(frozen=True)
class Panel:
    """One axes: its measure, which facet it shows, its lines, bounds and places of failed runs."""

    measure: Measure
    scale: float
    unit: str
    facet: str
    lines: list[series.Series]
    bounds: list[Bound]
    failed: dict[str, list[Hashable]]  # by label: where rows of that line failed


@dataclass(frozen=True)
class Plan:
    """All panels, measures one after the other, facets within; and the words around them."""

    choice: axis.Choice
    facets: list[str]
    panels: list[Panel]
    categories: list[str]
    title: str
    caption: str
    left_out: int
    facet: str = ""  # the column that panels differ by
    hidden: str = ""  # how many lines are not drawn, and which are
    one_of: tuple[str, ...] = ()  # the usual measures, where the first alone is drawn


def plan(results: Results, wish: Wish = Wish()) -> Plan:
    """What goes where. Raises PlotError where a request cannot be met, naming what there is."""
    shown = [measures.of_column(results, name) for name in wish.y] or measures.usual(results)
    some = {one.column: results.having(one.column) for one in shown}
    rows = [row for row in results.rows
            if any(row.measure(one.column) is not None for one in shown)]  # fmt: skip
    facet, choice = _facet_and_axis(rows, wish)
    one_of: tuple[str, ...] = ()
    if (facet or not choice.x) and not wish.y and style.now().name == "paper" and len(shown) > 1:
        one_of = tuple(one.column for one in shown)
        shown = shown[:1]  # a column of text has no room for more
    facets = _facets(rows, facet)
    categories = _categories(rows, choice)
    panels = [
        panel
        for one in shown
        for panel in _panels(some[one.column].rows, results.failed, one, choice, facet, facets)
    ]
    hidden = ""
    if choice.x and not wish.all_lines:
        panels, hidden = best.lines(panels, len(facets))
    usual = _title(rows) if style.now().words else ""
    return Plan(
        choice, facets, panels, categories, usual if wish.title is None else wish.title,
        _caption(rows, choice, panels, results, hidden), len(results.rows) - len(rows),
        facet.name if facet else "", hidden, one_of,
    )  # fmt: skip


def _facet_and_axis(rows: list[Row], wish: Wish) -> tuple[columns.Column | None, axis.Choice]:
    """What panels are of, and what stands on x."""
    asked = wish.facet if wish.facet != NO_FACET else ""
    facet = columns.find(rows, asked, "--facet") if asked else None
    x = columns.find(rows, wish.x, "--x") if wish.x else None

    def choice() -> axis.Choice:
        leave = (facet.option or facet.name, facet.name,
                 *axis.told_by(rows, facet.of)) if facet else ()  # fmt: skip
        return axis.named(rows, x, leave) if x else axis.choose(rows, leave)

    found = choice()
    if wish.facet:
        return facet, found
    name = _second_parameter(rows, found)
    if not name:
        return None, found
    facet = columns.find(rows, name)
    return facet, choice()


def _second_parameter(rows: list[Row], choice: axis.Choice) -> str:
    """The option of workload or platform, of few values, that would else split the lines of several
    strategies; '' where there is none."""
    if choice.x in ("", "strategy") or len({axis.base(row) for row in rows}) < 2:
        return ""
    few: list[tuple[int, str]] = []
    for split in choice.splits:
        before, _, option = split.partition(" ")
        values = {axis.parameters(row).get(split) for row in rows}
        if option and before in ("workload", "platform") and None not in values:
            few.append((len(values), f"{before}.{option}"))
    count, name = min(few, default=(0, ""))
    return name if count <= MOST_OWN_FACETS else ""


def _facets(rows: list[Row], facet: columns.Column | None) -> list[str]:
    """The values that panels are of, numbers ascending; [''] where there are no panels."""
    if facet is None:
        return [""]
    values = list(dict.fromkeys(facet.of(row) or NO_VALUE for row in rows))
    if len(values) > MOST_PANELS:
        raise PlotError(
            f"--facet: '{facet.name}' has {len(values)} values, more than {MOST_PANELS} panels; "
            f"choose some by --where {facet.name}={','.join(elided(one, 20) for one in values[:2])}"
        )
    numbers = {value: spec.in_base_units(value) for value in values}
    if all(number is not None for number in numbers.values()):
        values.sort(key=lambda value: numbers[value] or 0.0)
    return values


def _categories(rows: list[Row], choice: axis.Choice) -> list[str]:
    """The names on x, in order of appearance."""
    if choice.numeric or not choice.x:
        return []
    names = list(dict.fromkeys(text for row in rows if (text := choice.text(row)) is not None))
    if len(names) > MOST_CATEGORIES:
        raise PlotError(
            f"'{elided(choice.x, 60)}' has {len(names)} values, more than the {MOST_CATEGORIES} "
            "names that fit on an axis; choose another --x or some by --where: "
            f"{listing(names[:6])}"
        )
    return names


def _panels(
    rows: list[Row], failed: list[Row], measure: Measure, choice: axis.Choice,
    facet: columns.Column | None, facets: list[str],
) -> list[Panel]:  # fmt: skip
    """The panels of one measure. Lines are made over all facets, so that they look alike."""
    def where(row: Row) -> tuple[str, Hashable]:
        return ((facet.of(row) or NO_VALUE) if facet else "", choice.value(row))

    lines = _lines(rows, measure, choice, where)
    scale, unit = measure.unit(measures.largest(rows, measure))
    labels = {one.key: one.label for one in lines}
    result = []
    for name in facets:
        own = [row for row in rows if where(row)[0] == name]
        of_panel = [replace(one, points=_scaled(one.points, name, scale)) for one in lines]
        lost: dict[str, list[Hashable]] = {}
        for row in failed:
            label = labels.get(choice.key(row))
            if label is not None and where(row)[0] == name:
                lost.setdefault(label, []).append(choice.value(row))
        result.append(Panel(
            measure, scale, unit, name, [one for one in of_panel if one.points],
            _bounds(own, measure, choice, scale), lost,
        ))  # fmt: skip
    return result


def _lines(
    rows: list[Row], measure: Measure, choice: axis.Choice,
    where: Callable[[Row], tuple[str, Hashable]],
) -> list[series.Series]:  # fmt: skip
    """The lines of a measure over all facets; their points stand at (facet, x)."""
    evicting = {(row.strategy, row.text("eviction")) for row in rows}
    several = len(evicting) > len({row.strategy for row in rows})  # of one strategy
    sources = {(row.text("source"), row.text("model")) for row in rows}

    def words(row: Row) -> str:
        parts = [] if choice.x == "strategy" else [row.strategy]
        if len(sources) > 1 or not parts:
            model = row.text("model")
            parts.append(row.text("source") + (f" ({model})" if model else ""))
        if several and choice.x != "eviction" and row.text("eviction"):
            parts.append(row.text("eviction"))
        return ", ".join(parts) + choice.suffix(row)

    lines = series.build(rows, where, words, choice.key, measure.column)
    if choice.x == "strategy":
        looks = [style.MODELS.get(str(one.key[1]), style.OTHER_MODEL) if one.predicted
                 else style.variant(NEUTRAL, i, len(lines)) for i, one in enumerate(lines)]  # fmt: skip
        return [replace(one, strategy=one.label, look=own) for one, own in zip(lines, looks)]
    return lines


def _scaled(points: dict[Hashable, Point], facet: str, scale: float) -> dict[Hashable, Point]:
    """The points of one facet, by x alone, in the unit of the axis."""
    return {
        x: replace(
            point, mean=point.mean / scale, sd=None if point.sd is None else point.sd / scale,
            least=point.least / scale, most=point.most / scale,
        )
        for (name, x), point in points.items()  # type: ignore[misc]
        if name == facet
    }  # fmt: skip


def _bounds(
    rows: list[Row], measure: Measure, choice: axis.Choice, scale: float
) -> list[Bound]:
    """One line for each instance that lines are split by: bounds know nothing of strategies."""
    splits = [name for name in choice.splits
              if name.split(" ")[0] in ("workload", "platform")]  # fmt: skip

    def instance(row: Row) -> tuple[Hashable, ...]:
        own = axis.parameters(row)
        return tuple(own.get(name) for name in splits)

    result = []
    for name, some in group([row for row in rows if not row.predicted], instance).items():
        points = {}
        for x, at_x in group(some, choice.value).items():
            values = [value for row in at_x if (value := measure.bound(row)) is not None]
            if values:
                points[x] = sum(values) / len(values) / scale
        if points and set(points.values()) != {0.0}:
            of = ", ".join(f"{key.rpartition(' ')[2]}={value}" for key, value in zip(splits, name))
            result.append(Bound(f"{measure.bound_words}{f', {of}' if of else ''}", points))
    if len({tuple(sorted(one.points.items(), key=str)) for one in result}) == 1:
        return [replace(result[0], words=measure.bound_words)]
    return result if len(result) <= MOST_BOUNDS else []


def _title(rows: list[Row]) -> str:
    """The workload and the platform, with * for what varies."""
    names = [_common(rows, column) for column in ("workload", "platform")]
    return elided(" on ".join(names), MAX_TITLE)


def _common(rows: list[Row], column: str) -> str:
    name = rows[0].spec(column)
    if len({row.spec(column).name for row in rows}) > 1:
        return f"any {column}"
    options = [
        f"{key}={'*' if len({row.spec(column).options.get(key) for row in rows}) > 1 else value}"
        for key, value in name.options.items()
    ]
    values = list(name.values) if len({row.spec(column).values for row in rows}) == 1 else ["*"]
    parts = ",".join(values + options)
    return f"{name.name}:{parts}" if parts else name.name


def _caption(
    rows: list[Row], choice: axis.Choice, panels: list[Panel], results: Results, hidden: str
) -> str:
    """What points and bands are, and what failed."""
    points = [point for panel in panels for one in panel.lines if not one.predicted
              for point in one.points.values()]  # fmt: skip
    spread = "bands" if choice.numeric else "bars"
    sources = list(dict.fromkeys(row.text("source") for row in rows))
    parts = [f"{', '.join(sources)}" if len(sources) == 1 else ""]
    counts = {point.n for point in points}
    if counts and max(counts) > 1:
        low, high = min(counts), max(counts)
        runs = f"{low}" if low == high else f"{low} to {high}"
        parts.append(f"means of {runs} runs")
    if any(point.sd for point in points):
        parts.append(f"{spread}: ± one standard deviation of a single run")
    if any(one.predicted and point.sd for panel in panels for one in panel.lines
           for point in one.points.values()):  # fmt: skip
        parts.append("of a prediction the model's own")
    parts.append(hidden)
    if results.failed:
        parts.append(f"left out: {results.failures()}")
    return "; ".join(part for part in parts if part)
