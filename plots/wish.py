"""What a user asked of a picture, beyond the file it is of."""

from __future__ import annotations

import re
from dataclasses import dataclass

import spec
from errors import PlotError
from words import clean, elided

SMALLEST, LARGEST = 1.0, 60.0  # inches
MOST_PANELS = 12
MOST_LINES = 8  # unless asked for more
NO_FACET = "none"
STYLES = ("screen", "slides", "paper")
MOST_MEASURES = 4


@dataclass(frozen=True)
class Wish:
    """Axes, panels, rows, words and size; what is not said is chosen."""

    x: str = ""
    y: tuple[str, ...] = ()
    log: str | None = None  # 'x', 'y', 'xy', or '' for no logarithmic axis; None: chosen
    facet: str = ""
    where: tuple[str, ...] = ()
    title: str | None = None
    size: tuple[float, float] | None = None  # inches
    style: str = ""  # one of STYLES; what is not said follows from the size
    all_lines: bool = False

    def general(self) -> bool:
        """Whether the axes are the user's: then no script of a paper's figure draws them."""
        return bool(self.x or self.y or self.facet) or self.log is not None

    def refuse_axes(self, what: str) -> None:
        """Refuses what a picture with axes of its own cannot do."""
        names = {"--x": self.x, "--y": self.y, "--facet": self.facet, "--where": self.where,
                 "--log": self.log is not None, "--all-lines": self.all_lines}  # fmt: skip
        if any(one.startswith("strategy=") for one in self.where):
            names["--strategies"] = names.pop("--where")
        given = next((name for name, value in names.items() if value), None)
        if given:
            raise PlotError(f"{given} does not go with {what}, whose axes are fixed")


def parse_log(text: str) -> str:
    """`x`, `y`, `xy` or `none`. Raises PlotError for anything else."""
    known = {"x": "x", "y": "y", "xy": "xy", "yx": "xy", "x,y": "xy", "y,x": "xy", "none": ""}
    if text.strip() not in known:
        raise PlotError(f"--log '{elided(clean(text), 40)}': must be x, y, xy or none")
    return known[text.strip()]


def parse_style(text: str) -> str:
    """A name of a style. Raises PlotError for anything else."""
    if text.strip() not in STYLES:
        raise PlotError(
            f"--style '{elided(clean(text), 40)}': must be {', '.join(STYLES[:-1])} or {STYLES[-1]}"
        )
    return text.strip()


def parse_size(text: str) -> tuple[float, float]:
    """`6x4` inches -> (6.0, 4.0). Raises PlotError for anything else."""
    parts = re.split("[x×,]", text.strip().lower().removesuffix("in"))
    sides = [spec.number(part.strip()) for part in parts]
    if len(sides) == 2 and sides[0] is not None and sides[1] is not None:
        if all(SMALLEST <= side <= LARGEST for side in (sides[0], sides[1])):
            return sides[0], sides[1]
        if max(sides[0], sides[1]) > LARGEST:
            raise PlotError(
                f"--size '{elided(clean(text), 40)}': inches, {SMALLEST:g} to {LARGEST:g} each, "
                "as 6x4; a PNG has 150 points an inch"
            )
    raise PlotError(
        f"--size '{elided(clean(text), 40)}': must be WIDTHxHEIGHT in inches, "
        f"{SMALLEST:g} to {LARGEST:g} each, as 6x4"
    )


def parse_list(option: str, text: str) -> tuple[str, ...]:
    """`gflops,loads` -> ('gflops', 'loads'), each once."""
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts or len(parts) > MOST_MEASURES:
        given = elided(clean(text), 60)
        raise PlotError(f"{option} '{given}': must name 1 to {MOST_MEASURES} columns")
    return parts
