"""How things look: one colour and marker per strategy, one line style per model, readable fonts.

Colours are those of Okabe and Ito and of Tol, told apart under the common colour blindnesses; a
marker or a line style says the same again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from matplotlib.colors import to_hex, to_rgb
from results import Row, Spec

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
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}
SIZE = (8.4, 4.6)  # inches
AXES_WIDTH, CHARACTER_WIDTH, ENTRY_HEIGHT = 6.4, 0.083, 0.23  # of a figure and its legend [inch]
RATIO_LABEL = "volume ratio (loads / lower bound)"
PAPER_RATIO_LABEL = "Normalized communication amount"


@dataclass(frozen=True)
class Look:
    """Colour, marker, line style and width of one line, and the filling of its markers."""

    colour: str
    marker: str
    line: str = "-"
    width: float = 1.6
    fill: str = "full"


STRATEGIES = {
    "random": Look("#D55E00", "o"),
    "sorted": Look("#E69F00", "s"),
    "dynamic": Look("#56B4E9", "^"),
    "dynamic-2phases": Look("#0072B2", "D"),
    "static-columns": Look("#009E73", "v"),
}
OTHER_STRATEGIES = (
    Look("#882255", "P"), Look("#332288", "X"), Look("#999933", "<"), Look("#AA4499", ">"),
    Look("#44AA99", "p"), Look("#DDAA33", "h"), Look("#661100", "*"), Look("#777777", "d"),
)  # fmt: skip
MODELS = {  # from wide to narrow, so that lines on top of each other can all be seen
    "paper": Look("#CC79A7", "", ":", 3.2),
    "corrected": Look("#7A4B00", "", "-.", 1.5),
    "exact": Look("#808080", "", (0, (6, 1.5, 1, 1.5, 1, 1.5)), 1.5),  # type: ignore[arg-type]
    "refined": Look("#000000", "", "--", 1.3),
    "ode": Look("#AA3377", "", (0, (3, 1)), 1.3),  # type: ignore[arg-type]
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


def strategy_looks(names: set[str]) -> dict[str, Look]:
    """The look of each strategy; those without one of their own share out the rest by name."""
    others = sorted(names - STRATEGIES.keys())
    looks = {name: OTHER_STRATEGIES[i % len(OTHER_STRATEGIES)] for i, name in enumerate(others)}
    return STRATEGIES | looks


def look(row: Row, strategies: dict[str, Look]) -> Look:
    """Simulated: the strategy's. Predicted: the model's line, without markers; coloured by the
    model for dynamic-2phases, which several models predict, else a dark shade of the strategy's."""
    own = strategies[row.strategy]
    if not row.predicted:
        return own if row.text("source") == "simulated" else Look(own.colour, own.marker, "--")
    model = MODELS.get(row.text("model"), OTHER_MODEL)
    colour = model.colour if row.strategy == "dynamic-2phases" else darker(own.colour, 0.45)
    return replace(model, colour=colour)


def variant(own: Look, i: int, count: int) -> Look:
    """The i-th of `count` lines that share a look: from the colour itself to a dark shade."""
    if count == 1:
        return own
    shade = darker(own.colour, 0.65 * i / (count - 1))
    return replace(own, colour=shade, fill=FILLS[i % len(FILLS)])


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
