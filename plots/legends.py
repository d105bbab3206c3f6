"""Legends that do not outgrow their picture: beside it, else below it in columns.

A legend takes at most `SHARE` of the width or of the height; where its entries do not fit, the font
shrinks, and what still does not fit is counted in its last line.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import style
from errors import PlotError
from matplotlib.artist import Artist
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

SHARE = 0.38  # of the picture, in one direction; with its margins under 0.4
PAD, BORDER, GAP = 0.8, 0.6, 0.5  # in units of the font's size
MARGIN = 1.04  # hinting makes small letters wider than their outlines
LINE = 1.08  # height of a line of text, likewise
SPARED = 0.7  # of a legend's height in its largest font
BESIDE_MOST = 22  # entries, of a legend beside the axes


@dataclass(frozen=True)
class Layout:
    """Where the legend stands, its font, its columns, its size [inch], and how many it shows."""

    beside: bool
    font: float
    columns: int
    width: float
    height: float
    shown: int


def layout(
    labels: list[str], width: float, height: float, fixed: bool, below: bool = False
) -> Layout | None:
    """The first layout that fits beside or below axes of that size [inch]; None for no labels.

    `fixed`: the legend takes its place from that size, else the picture grows by it. `below`: it
    does not stand beside the axes.
    """
    if not labels:
        return None
    fits: list[Layout] = []
    for font in style.now().legend:
        one = _sized(labels, font, 1, beside=True)
        room = width * SHARE if fixed else width * SHARE / (1 - SHARE)
        if not below and len(labels) <= BESIDE_MOST and one.width <= room and one.height <= height:
            fits.append(one)
            break
        under = _below(labels, font, width, height, fixed)
        if under is not None:
            fits.append(under)
            if not below:
                break
    if not fits:
        return _cut(labels, width, height, fixed)
    # Small letters are worth it where they spare much of the height, as by a second column.
    return next((one for one in fits[1:] if one.height <= SPARED * fits[0].height), fits[0])


def handle() -> float:
    """The length of the line before an entry, in units of the font's size."""
    return 2.0 if style.now().name == "paper" else 3.2


def spacing() -> float:
    """What lies between two columns, likewise."""
    return 1.0 if style.now().name == "paper" else 2.0


def refuse_cut(where: Layout | None, labels: list[str], size: tuple[float, float]) -> None:
    """Raises PlotError where the legend of a picture of a given size shows not all of its lines."""
    if where is None or where.shown >= len(labels):
        return
    raise PlotError(
        f"the legend of {len(labels)} entries does not fit into {size[0]:g} x {size[1]:g} inches "
        f"in a font of {where.font:g} points; draw fewer lines (--strategies LIST), or a larger "
        "picture (--size WxH, --style screen)"
    )


def beside(labels: list[str], width: float, height: float) -> Layout | None:
    """A legend of one column beside axes of that width, no higher than `height` [inch]."""
    if not labels:
        return None
    room = width * SHARE / (1 - SHARE)
    for font in style.now().legend:
        one = _sized(labels, font, 1, beside=True)
        if one.width <= room and one.height <= height:
            return one
    return _cut_beside(labels, room, height)


def in_columns(labels: list[str], width: float, font: float) -> Layout:
    """A legend in as many columns as that width [inch] has room for; one where it has for none."""
    for columns in range(len(labels), 1, -1):
        one = _sized(labels, font, columns, beside=False)
        if one.width <= width:
            return one
    return _sized(labels, font, 1, beside=False)


def _cut_beside(labels: list[str], room: float, height: float) -> Layout:
    """As many entries as are no higher, in the smallest font."""
    for count in range(len(labels), 0, -1):
        some = labels[:count] + ["… and 000 more"] * (count < len(labels))
        one = _sized(some, style.now().legend[-1], 1, beside=True)
        if one.height <= height:
            return Layout(True, one.font, 1, min(one.width, room), one.height, count)
    return Layout(True, style.now().legend[-1], 1, room, height, 0)


def _below(
    labels: list[str], font: float, width: float, height: float, fixed: bool
) -> Layout | None:
    room = height * SHARE if fixed else height * SHARE / (1 - SHARE)
    for columns in range(min(len(labels), 6), 0, -1):
        one = _sized(labels, font, columns, beside=False)
        if one.width <= width:
            return one if one.height <= room else None
    return None


def _cut(labels: list[str], width: float, height: float, fixed: bool) -> Layout:
    """As many entries as fit below in the smallest font, and a line for the rest."""
    for count in range(len(labels) - 1, 0, -1):
        some = [*labels[:count], "… and 000 more"]
        found = _below(some, style.now().legend[-1], width, height, fixed)
        if found is not None:
            return Layout(False, found.font, found.columns, found.width, found.height, count)
    return Layout(False, style.now().legend[-1], 1, width, height * SHARE, 0)


def _sized(labels: list[str], font: float, columns: int, beside: bool) -> Layout:
    """How large a legend of that many columns is [inch], as matplotlib fills them."""
    em = font / 72
    rows, more = divmod(len(labels), columns)
    width, at = 0.0, 0
    for column in range(columns):
        count = rows + (1 if column < more else 0)
        width += max(_text_width(label, font) for label in labels[at : at + count])
        at += count
    width += em * (columns * (handle() + PAD) + (columns - 1) * spacing() + 2 * BORDER)
    most = rows + (1 if more else 0)
    lines = sum(sorted((label.count("\n") for label in labels), reverse=True)[:most]) + most
    height = em * (lines * LINE + (most - 1) * GAP + 2 * BORDER)
    return Layout(beside, font, columns, width, height, len(labels))


def _text_width(text: str, font: float) -> float:
    """The width of a text [inch]."""
    return max(map(_line_width, text.split("\n"))) * font / 72


@functools.lru_cache(maxsize=10_000)
def _line_width(line: str) -> float:
    """The width of a line in units of the font's size."""
    font = FontProperties(family="DejaVu Sans", size=100)
    width, _, _ = text_to_path.get_text_width_height_descent(line, font, ismath=False)
    return float(width) / 100 * MARGIN


def entries(
    handles: list[Artist], labels: list[str], where: Layout
) -> tuple[list[Artist], list[str]]:
    """The handles and labels that are shown, with a last line that counts the others."""
    from matplotlib.lines import Line2D

    rest = len(labels) - where.shown
    if not rest:
        return handles, labels
    more = Line2D([], [], linestyle="")
    return [*handles[: where.shown], more], [*labels[: where.shown], f"… and {rest} more"]


def options(where: Layout) -> dict[str, float]:
    """What matplotlib's legend must be told so that it has the size of the layout."""
    return {"fontsize": where.font, "ncol": where.columns, "handlelength": handle(),
            "handletextpad": PAD, "columnspacing": spacing(), "borderpad": BORDER,
            "labelspacing": GAP, "borderaxespad": 0}  # fmt: skip
