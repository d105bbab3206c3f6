"""Of many lines the best few, so that a general plot can be read."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TYPE_CHECKING

from wish import MOST_LINES

if TYPE_CHECKING:
    from general import Panel


def lines(panels: list[Panel], facets: int) -> tuple[list[Panel], str]:
    """The panels with the best lines alone, and in words how many are not drawn; the best are those
    of the first measure. Predictions are drawn where their strategy's runs are."""
    first = panels[:facets]
    scores = _scores(first)
    if len(scores) <= MOST_LINES:
        return panels, ""
    kept = set(sorted(scores, key=lambda label: scores[label])[:MOST_LINES])
    named = {one.strategy for panel in first for one in panel.lines if one.label in kept}
    ranked = set(scores)

    def drawn(label: str, strategy: str) -> bool:
        return label in kept if label in ranked else strategy in named

    shown = {one.label for panel in panels for one in panel.lines
             if drawn(one.label, one.strategy)}  # fmt: skip
    fewer = [replace(panel, lines=[one for one in panel.lines if one.label in shown],
                     failed={label: at for label, at in panel.failed.items() if label in shown})
             for panel in panels]  # fmt: skip
    measure = panels[0].measure
    which = "highest" if measure.more_is_better else "lowest"
    words = f"{MOST_LINES} of {len(scores)} lines: those with the {which} {measure.words} on average"
    return fewer, f"{words} (--all-lines draws all)"


def _scores(panels: list[Panel]) -> dict[str, float]:
    """By label, how far a line is from the best at its places, on average: 0 is the best. Lines of
    runs; of predictions where there are no others."""
    own = [(one.label, (panel.facet, x), point.mean) for panel in panels for one in panel.lines
           for x, point in one.points.items() if not one.predicted]  # fmt: skip
    own = own or [(one.label, (panel.facet, x), point.mean) for panel in panels
                  for one in panel.lines for x, point in one.points.items()]  # fmt: skip
    at: dict[Hashable, list[float]] = {}
    for _, place, value in own:
        at.setdefault(place, []).append(value)
    better = max if panels[0].measure.more_is_better else min
    away: dict[str, list[float]] = {}
    for label, place, value in own:
        top = better(at[place])
        away.setdefault(label, []).append(abs(value - top) / (abs(top) or 1.0))
    return {label: sum(some) / len(some) for label, some in away.items()}
