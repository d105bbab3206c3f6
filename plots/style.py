"""How things look: one colour and marker per strategy, one line style per model, readable fonts.

Colours are those of Okabe and Ito and of Tol, told apart under the common colour blindnesses; a
marker or a line style says the same again. A strategy of the registry has its row in `STRATEGIES`;
any other name gets its look by a hash of it, so that it looks the same in every picture. Those of
unlimited and of limited memory share colours, as they seldom meet, never colour and marker.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from typing import Any

from matplotlib import rcParams
from matplotlib.colors import to_hex, to_rgb
from results import Row
from spec import Spec

RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.titlesize": 11,
    "axes.labelsize": 11,
    "legend.fontsize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "errorbar.capsize": 2.5,
    "savefig.dpi": 150,
    "svg.hashsalt": "damocles",  # the same results give the same bytes
    "svg.fonttype": "none",  # text stays text: searched, copied, edited
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a $ in a name is a $
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
}
PAPER_UP_TO = 4.5  # inches: narrower pictures have the fonts of a paper unless told otherwise
LARGE, SMALL = 10, 7  # points on a screen; a paper's fonts are of 8 and of 7 points
PAPER_RATIO_LABEL = "Normalized communication amount"


@dataclass(frozen=True)
class Style:
    """What a picture is for: its usual size [inch], its fonts [points], and what it changes."""

    name: str
    size: tuple[float, float]
    font: float
    legend: tuple[float, ...]  # fonts of a legend, the first that fits is taken
    rc: dict[str, Any]
    words: bool = True  # a title above and a caption below

    @property
    def fixed(self) -> bool:
        """Whether a picture is as wide as `size` says, whatever it shows."""
        return self.name != "screen"


STYLES = {
    one.name: one
    for one in (
        Style("screen", (8.4, 4.6), 11, (9.5, 8.5, 7.5, 6.5), {}),
        Style("slides", (10.0, 5.6), 18, (15, 13.5, 12), {
            "axes.titlesize": 18, "axes.labelsize": 18, "legend.fontsize": 15,
            "lines.linewidth": 2.6, "lines.markersize": 9, "axes.linewidth": 1.2,
            "grid.linewidth": 0.9,
        }),
        Style("paper", (3.3, 2.3), 8, (7.5, 7), {
            "axes.titlesize": 8, "axes.labelsize": 8, "legend.fontsize": 7.5,
            "xtick.labelsize": 7, "ytick.labelsize": 7, "lines.linewidth": 1.1,
            "lines.markersize": 3.2, "axes.linewidth": 0.6, "grid.linewidth": 0.4,
            "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 2.5,
            "ytick.major.size": 2.5, "errorbar.capsize": 1.5, "savefig.dpi": 300,
            "figure.constrained_layout.h_pad": 0.02, "figure.constrained_layout.w_pad": 0.02,
        }, words=False),
    )
}  # fmt: skip


def chosen(name: str, size: tuple[float, float] | None) -> Style:
    """The style of that name; of none, what goes with a picture of that size."""
    small = size is not None and size[0] <= PAPER_UP_TO
    return STYLES[name or ("paper" if small else "screen")]


def rc(of: Style) -> dict[str, Any]:
    """All settings of matplotlib for that style."""
    return RC | {"font.size": of.font} | of.rc


def now() -> Style:
    """The style whose settings hold: its font tells it."""
    font = rcParams["font.size"]
    return next((one for one in STYLES.values() if one.font == font), STYLES["screen"])


def points(size: float) -> float:
    """A size of font on a screen, as it is in the style that holds."""
    if now().name == "paper":
        return 8 if size >= LARGE else SMALL
    return size * now().font / STYLES["screen"].font


def width(of_line: float) -> float:
    """A width of a line on a screen, as it is in the style that holds."""
    return of_line * {"paper": 0.6, "slides": 1.5}.get(now().name, 1.0)


@dataclass(frozen=True)
class Look:
    """Colour, marker, line style and width of one line, and the filling of its markers."""

    colour: str
    marker: str
    line: Any = "-"  # as matplotlib has it: a name, or (offset, lengths)
    width: float = 1.6
    fill: str = "full"


STRATEGIES = {
    "random": Look("#D55E00", "o"),
    "sorted": Look("#E69F00", "s"),
    "dynamic": Look("#56B4E9", "^"),
    "dynamic-2phases": Look("#0072B2", "D"),
    "static-columns": Look("#009E73", "v"),
    "static-nrrp": Look("#009E73", "^"),
    "placed": Look("#000000", "*"),
    "static-cuboids": Look("#009E73", "s"),
    "hybrid": Look("#882255", "D"),
    "eager": Look("#D55E00", "X"),
    "mst": Look("#E69F00", "d"),
    "rcm": Look("#CC79A7", "^"),
    "dmda": Look("#44AA99", ">"),
    "dmdar": Look("#009E73", "P"),
    "hypergraph": Look("#999933", "p"),
    "hfp": Look("#332288", "*"),
    "darts": Look("#0072B2", "h"),
    "panel-streaming": Look("#AA4499", "<"),
    "dmdas": Look("#117733", "X"),
    "lws": Look("#999933", "<"),
    "heft": Look("#AA4499", ">"),
    "heteroprio": Look("#882255", "v"),
    "portfolio": Look("#882255", "d"),
    "lookahead": Look("#661100", "o"),
    "peft": Look("#661100", "s"),
    "cpop": Look("#661100", "^"),
    "dls": Look("#661100", "v"),
    "bil": Look("#661100", "D"),
    "hlfet": Look("#6699CC", "o"),
    "etf": Look("#6699CC", "s"),
    "min-min": Look("#6699CC", "^"),
    "max-min": Look("#6699CC", "v"),
    "sufferage": Look("#6699CC", "D"),
    "ws": Look("#999933", "v"),
    "prio": Look("#D55E00", "s"),
    "random-by-speed": Look("#D55E00", "<"),
    "dm": Look("#44AA99", "o"),
    "dmdap": Look("#44AA99", "s"),
    "dmdasd": Look("#117733", "P"),
    "modular-eager": Look("#555555", "o"),
    "modular-eager-prefetching": Look("#555555", "s"),
    "modular-prio-prefetching": Look("#555555", "D"),
    "modular-random-prefetching": Look("#555555", "X"),
    "modular-random-prio": Look("#555555", "<"),
    "modular-random-prio-prefetching": Look("#555555", ">"),
    "modular-ws": Look("#555555", "p"),
    "modular-heft": Look("#AA4499", "o"),
    "modular-heft2": Look("#AA4499", "s"),
    "modular-heft-prio": Look("#AA4499", "^"),
    "modular-heteroprio": Look("#882255", "s"),
    "peager": Look("#D55E00", "p"),
    "memory-order": Look("#332288", "o"),
    "pheft": Look("#44AA99", "p"),
}
# Of all others: every colour with every marker, a line style with each.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#332288", "#882255",
           "#999933", "#555555")  # fmt: skip
MARKERS = ("o", "s", "^", "v", "D", "P", "X", "<", ">", "p", "h", "*", "d")
LINES = ("-", (0, (7, 1.5)), (0, (4, 1, 1, 1)), (0, (1.5, 1)))
MODELS = {  # from wide to narrow, so that lines on top of each other can all be seen
    "paper": Look("#CC79A7", "", ":", 3.2),
    "corrected": Look("#7A4B00", "", "-.", 1.5),
    "exact": Look("#808080", "", (0, (6, 1.5, 1, 1.5, 1, 1.5)), 1.5),
    "refined": Look("#000000", "", "--", 1.3),
    "ode": Look("#AA3377", "", (0, (3, 1)), 1.3),
}
OTHER_MODEL = Look("#444444", "", "--", 1.3)
PAPER_NAMES = {
    "random": "Random{}",
    "sorted": "Sorted{}",
    "dynamic": "Dynamic{}",
    "dynamic-2phases": "Dynamic{}2Phases",
}
KERNELS = {"outer": "Outer", "matrix": "Matrix"}
FILLS = ("full", "none", "left", "top", "right", "bottom")
VARIANT_LINES: tuple[Any, ...] = ("-", (0, (6, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)))
SOURCES = ("simulated", "executed", "predicted")


def strategy_order(name: str) -> tuple[int, str]:
    """Sorts the paper's strategies first, in the paper's order, the others by name."""
    names = list(STRATEGIES)
    return (names.index(name) if name in STRATEGIES else len(names), name)


def model_order(name: str) -> tuple[int, str]:
    """Sorts models by refinement, unknown ones last."""
    names = list(MODELS)
    return (names.index(name) if name in MODELS else len(names), name)


def series_order(row: Row) -> tuple[Any, ...]:
    """Sorts simulated before executed before predicted, then by strategy and model."""
    source = row.text("source")
    place = SOURCES.index(source) if source in SOURCES else 1
    return (place, strategy_order(row.strategy), model_order(row.text("model")), source)


def other_looks() -> list[Look]:
    """Colour and marker pairs that no strategy of the table has, colours in turn."""
    taken = {(own.colour, own.marker) for own in STRATEGIES.values()}
    pairs = [(COLOURS[i], MARKERS[(i + k) % len(MARKERS)], LINES[k % len(LINES)])
             for k in range(len(MARKERS)) for i in range(len(COLOURS))]  # fmt: skip
    return [Look(colour, marker, line) for colour, marker, line in pairs
            if (colour, marker) not in taken]  # fmt: skip


def strategy_looks(names: set[str]) -> dict[str, Look]:
    """The look of each strategy; one that is not in the table has that of its name's hash, or the
    next that no other of these names has."""
    free = other_looks()
    looks = dict(STRATEGIES)
    used: set[int] = set()
    for name in sorted(names - STRATEGIES.keys()):
        place = zlib.crc32(name.encode("utf-8", "replace")) % len(free)
        if len(used) < len(free):
            while place in used:
                place = (place + 1) % len(free)
        used.add(place)
        looks[name] = free[place]
    return looks


def look(row: Row, strategies: dict[str, Look]) -> Look:
    """Simulated: the strategy's. Predicted: the model's line, without markers; coloured by the
    model for dynamic-2phases, which several models predict, else a dark shade of the strategy's."""
    own = strategies[row.strategy]
    if not row.predicted:
        return own if row.text("source") == "simulated" else replace(own, line="--", fill="none")
    model = MODELS.get(row.text("model"), OTHER_MODEL)
    colour = model.colour if row.strategy == "dynamic-2phases" else darker(own.colour, 0.45)
    return replace(model, colour=colour)


def variant(own: Look, i: int, count: int) -> Look:
    """The i-th of `count` lines of one strategy: the colour says the strategy, line style and
    filling which it is. Where line styles say something else, or have all been used, the colour
    becomes lighter: a shade of a dark colour is hardly another one."""
    if count == 1:
        return own
    styles = VARIANT_LINES if own.line == "-" else (own.line,)
    turns = -(-count // len(styles))
    shade = lighter(own.colour, 0.6 * (i // len(styles)) / max(1, turns - 1))
    return replace(own, colour=shade, line=styles[i % len(styles)], fill=FILLS[i % len(FILLS)])


def lighter(colour: str, share: float) -> str:
    """The colour with that share of white."""
    return to_hex(tuple(channel + (1 - channel) * share for channel in to_rgb(colour)))


def darker(colour: str, share: float) -> str:
    """The colour with that share of black."""
    return to_hex(tuple((1 - share) * channel for channel in to_rgb(colour)))


def paper_name(strategy: str, workload: Spec) -> str:
    """The paper's name of a strategy on a workload: RandomOuter, DynamicMatrix2Phases."""
    kernel = KERNELS.get(workload.name)
    pattern = PAPER_NAMES.get(strategy)
    return pattern.format(kernel) if kernel and pattern else strategy


def paper_label(row: Row) -> str:
    """The legend's words in a figure of the paper."""
    if not row.predicted:
        name = paper_name(row.strategy, row.spec("workload"))
        return name if row.text("source") == "simulated" else f"{name}, {row.text('source')}"
    model = row.text("model") or "unnamed"
    if row.strategy == "dynamic-2phases":
        return f"analysis ({model})"
    return f"{paper_name(row.strategy, row.spec('workload'))} ({model})"


def label(row: Row) -> str:
    """The legend's words in a general plot."""
    model = row.text("model")
    return f"{row.strategy}, {row.text('source')}{f' ({model})' if model else ''}"
