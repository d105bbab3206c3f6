"""Words that fit their picture: what is too long is broken into lines, what is cut is said.

The boxes of what matplotlib draws tell it: of texts, of the numbers on axes, of legends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from errors import PlotError
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, FigureBase
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from words import elided

SLACK = 1.5  # points by which boxes may overlap: they are higher than most letters
UPRIGHT = 90  # degrees: the boxes of texts at another angle are larger than the texts
LEAST = 8  # characters of a line
MOST_TIMES = 3  # lines that are broken move what is beside them
LEGEND = "the legend"


class Item(NamedTuple):
    """Something with words, and the box around it [pixel]."""

    what: str
    box: Bbox
    owner: Axes | Figure | None = None  # whose words these are, where lines may be broken
    text: Text | None = None


def measured(figure: Figure) -> list[Item]:
    """All words of the picture, laid out as they will be drawn."""
    canvas = figure.canvas if isinstance(figure.canvas, FigureCanvasAgg) else FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    renderer = canvas.get_renderer()
    items = []
    for artist, owner in _artists(figure):
        is_text = isinstance(artist, Text)
        if is_text and (artist.get_rotation() % UPRIGHT or not artist.get_text().strip()):
            continue
        what = elided(" ".join(artist.get_text().split()), 60) if is_text else LEGEND
        items.append(Item(what, artist.get_window_extent(renderer), owner, artist if owner else None))
    return items


def _artists(figure: FigureBase) -> Iterator[tuple[Artist, Axes | Figure | None]]:
    """Texts and legends that are seen, and whose they are where they may be broken into lines."""
    heads = (figure._suptitle, figure._supxlabel)  # noqa: SLF001 (no other way to ask)
    yield from ((text, figure if text in heads else None) for text in figure.texts if text.get_visible())
    yield from ((legend, None) for legend in figure.legends)
    for part in figure.subfigs:
        yield from _artists(part)
    for axes in figure._localaxes:  # noqa: SLF001 (its own, not those of its parts)
        yield from _of_axes(axes)


def _of_axes(axes: Axes) -> Iterator[tuple[Artist, Axes | Figure | None]]:
    if not axes.get_visible() or not axes.axison:
        return
    for title in (axes.title, axes._left_title, axes._right_title):  # noqa: SLF001 (no other way to ask)
        yield title, axes
    yield from ((text, None) for text in axes.texts if text.get_visible())
    if axes.get_legend() is not None:
        yield axes.get_legend(), None
    for axis in (axes.xaxis, axes.yaxis):
        yield from _of_axis(axis)
    for inset in axes.child_axes:
        yield from _of_axes(inset)


def _of_axis(axis: Axis) -> Iterator[tuple[Artist, Axes | Figure | None]]:
    if axis.label.get_visible():
        yield axis.label, axis.axes
    yield axis.offsetText, None
    for tick in axis._update_ticks():  # noqa: SLF001 (those in the view alone)
        yield from ((label, None) for label in (tick.label1, tick.label2) if label.get_visible())


def settle(figure: Figure, sized: bool) -> list[str]:
    """Breaks titles and words beside axes that are too long into lines; returns what is cut
    nevertheless, in words. Raises PlotError where that is so in a picture of a size that was asked
    for."""
    items = measured(figure)
    for _ in range(MOST_TIMES):
        if not _break_lines(figure, items):
            break
        items = measured(figure)
    lost = cut(figure, items)
    if not lost:
        return []
    width, height = figure.get_size_inches()
    what = lost[0] if lost[0] == LEGEND else f"'{lost[0]}'"
    message = (
        f"{what} does not fit into {width:g} x {height:g} inches; draw a larger picture "
        "(--size WxH, --style screen), or fewer words (--title TEXT)"
    )
    if sized:
        raise PlotError(message)
    return [message]


def _break_lines(figure: Figure, items: list[Item]) -> bool:
    """Of what reaches over an edge, or beside an axes over another one, the lines that are too long;
    whether there were some."""
    edge, broken = figure.bbox, False
    slack = SLACK * figure.dpi / 72
    for one in items:
        if one.text is None or one.owner is None:
            continue
        if one.text.get_rotation() == UPRIGHT:
            middle = (one.box.y0 + one.box.y1) / 2
            length, room = one.box.height, 2 * min(middle - edge.y0, edge.y1 - middle)
            is_outside = one.box.y0 < edge.y0 - slack or one.box.y1 > edge.y1 + slack
            others = (item for item in items if item is not one)
            if not is_outside and any(_overlap(figure, one, other) for other in others):
                is_outside, room = True, one.owner.bbox.height
        else:
            length, room = one.box.width, edge.x1 - max(edge.x0, one.box.x0)
            is_outside = one.box.x1 > edge.x1 + slack or one.box.x0 < edge.x0 - slack
        lines = one.text.get_text().split("\n")
        longest = max(map(len, lines))
        most = max(LEAST, int(longest * min(0.98, room / length)) - 1)
        if is_outside and most < longest:
            one.text.set_text("\n".join(_broken(line, most) for line in lines))
            broken = True
    return broken


def _broken(line: str, most: int) -> str:
    """Lines of at most that many characters, broken behind blanks and commas."""
    lines = [""]
    for part in re.split(r"(?<=[ ,])(?=[^ ])", line):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > most:
            lines.append("")
        lines[-1] += part
    return "\n".join(one.rstrip() for one in lines)


def cut(figure: Figure, items: list[Item]) -> list[str]:
    """What reaches over the edge of the picture."""
    edge, slack = figure.bbox, SLACK * figure.dpi / 72
    return [
        item.what for item in items
        if item.box.x0 < edge.x0 - slack or item.box.x1 > edge.x1 + slack
        or item.box.y0 < edge.y0 - slack or item.box.y1 > edge.y1 + slack
    ]  # fmt: skip


def overlapping(figure: Figure, items: list[Item]) -> list[tuple[str, str]]:
    """The pairs of things that lie on each other."""
    return [(other.what, one.what) for place, one in enumerate(items)
            for other in items[:place] if _overlap(figure, one, other)]  # fmt: skip


def _overlap(figure: Figure, one: Item, other: Item) -> bool:
    wide = min(one.box.x1, other.box.x1) - max(one.box.x0, other.box.x0)
    high = min(one.box.y1, other.box.y1) - max(one.box.y0, other.box.y0)
    return min(wide, high) > SLACK * figure.dpi / 72
