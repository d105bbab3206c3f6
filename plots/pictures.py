"""From files and wishes to a figure: which script draws what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import filters
import frames
import general
import hpdc14
import hpdc14_beta
import hpdc14_heterogeneity
import hpdc14_phase1_share
import hpdc14_scenarios
import hpdc14_volume_vs_processors
import panels
import results
import style
import throughput
import thresholds
import trajectories
from errors import PlotError
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from results import RATIO, Results
from wish import Wish
from words import clean

PAPER_SCRIPTS = {
    1: hpdc14_volume_vs_processors,
    2: hpdc14_phase1_share,
    4: hpdc14_volume_vs_processors,
    5: hpdc14_volume_vs_processors,
    6: hpdc14_beta,
    7: hpdc14_heterogeneity,
    8: hpdc14_scenarios,
    9: hpdc14_volume_vs_processors,
    10: hpdc14_volume_vs_processors,
    11: hpdc14_beta,
}
Notes = list[str]
BESIDE_GAP = 0.15  # between axes and legend [inch]
MOST_BESIDE = 0.6  # of a picture's width


def of_files(paths: list[Path], wish: Wish) -> tuple[Figure, Notes]:
    """One picture of all files together, and what must be said about it."""
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        what = ", ".join(sorted(kinds))
        raise PlotError(f"{paths[0]} and others hold different things ({what}); draw them apart")
    kind = kinds.pop()
    if kind != "results":
        wish.refuse_axes(f"{kind} ({paths[0]})")
    if kind == "a trajectory":
        if len(paths) > 1:
            raise PlotError("trajectories are drawn one a picture; give one file")
        return _worded(trajectories.figure(trajectories.read(paths[0])), wish), []
    if kind == "thresholds":
        found = thresholds.read(paths)
        said = [] if style.now().words else [f"for the caption: {thresholds.explained(found)}"]
        return _worded(thresholds.figure(found), wish), said
    return of_results(results.read_all(paths), wish)


def _kind(path: Path) -> str:
    header, _ = results.table(path, most=0)
    if "quantity" in header and "time_s" in header:
        return "a trajectory"
    if thresholds.is_header(header):
        return "thresholds"
    return "results"


def of_results(found: Results, wish: Wish) -> tuple[Figure, Notes]:
    """A paper's figure, or whatever varies; and how many rows are not in it."""
    found = kept(found, wish)
    of = ", ".join(dict.fromkeys(str(row.path or found.path) for row in found.failed))
    notes = [f"{of}: left out: {found.failures()}"] if found.failed else []
    script = None if wish.general() else paper_script(found)
    if script is None:
        planned = general.plan(found, wish)
        if planned.left_out:
            names = " or ".join(dict.fromkeys(one.measure.column for one in planned.panels))
            notes.append(f"{found.path}: {planned.left_out} rows without {names} are left out")
        if planned.one_of:
            both = ",".join(planned.one_of)
            notes.append(f"{found.path}: {planned.one_of[0]} alone is drawn (--y {both} draws both)")
        if planned.caption and not style.now().words:
            notes.append(f"{found.path}: for the caption: {planned.caption}")
        elif planned.hidden:
            notes.append(f"{found.path}: {planned.hidden}")
        return panels.figure(planned, wish), notes
    drawn = found.having(RATIO)
    if drawn.left_out:
        notes.append(f"{found.path}: {drawn.left_out} rows without {RATIO} are left out")
    picture = _worded(script(drawn), wish)
    if found.failed:
        frames.caption(picture, f"left out: {found.failures()}")
    return picture, notes


def kept(found: Results, wish: Wish) -> Results:
    """The rows that were asked for. Raises PlotError where no sound one is left."""
    found = filters.keep(found, list(wish.where))
    if not found.rows:
        raise found.refuse(f"no row to draw: {found.failures()}")
    return found


def paper_script(found: Results) -> Callable[[Results], Figure] | None:
    """The script of a paper's figure, None where the file is none."""
    if throughput.figure_id(found):
        return throughput.figure
    script = PAPER_SCRIPTS.get(hpdc14.figure_number(found) or 0)
    return script.figure if script else None


def of_traces(paths: list[Path], wish: Wish, what: str = "gantt") -> tuple[Figure, Notes]:
    """The runs of all traces together, as a Gantt chart, a grid of blocks or memory over time."""
    import gantt
    import grid
    import memory
    import traces

    wish.refuse_axes("a trace")
    figure = {"gantt": gantt.figure, "grid": grid.figure, "memory": memory.figure}[what]
    drawn = figure([run for path in paths for run in traces.read(path)], wish)
    return (drawn if what == "gantt" else _worded(drawn, wish)), []


def _worded(drawn: Figure, wish: Wish) -> Figure:
    """The picture under the title and in the size that were asked for."""
    if wish.title is not None:
        title = clean(wish.title)
        if drawn._suptitle is not None or not style.now().words:  # noqa: SLF001 (matplotlib 3.6 has no other way to ask)
            drawn.suptitle(title, x=0.01, ha="left", fontsize=style.points(11))
        else:
            drawn.axes[0].set_title(title, loc="left")
    if wish.size is not None:
        drawn.set_size_inches(*wish.size)
        _beside(drawn)
    return drawn


def _beside(drawn: Figure) -> None:
    """Gives the legend beside the axes of a picture of a given size its width: in its height the
    layout would push panels apart."""
    legend = drawn.axes[0].get_legend()
    if legend is None or drawn.get_layout_engine() is None:
        return
    box = legend.get_window_extent(FigureCanvasAgg(drawn).get_renderer())
    width, height = drawn.get_size_inches()
    share = (box.width / drawn.dpi + BESIDE_GAP) / width
    legend_is_beside = legend.get_bbox_to_anchor().x0 >= drawn.axes[0].bbox.x1
    if not legend_is_beside:
        return
    if share > MOST_BESIDE:
        raise PlotError(
            f"the legend does not fit into {width:g} x {height:g} inches beside the axes; draw a "
            "wider picture (--size WxH), or no --size"
        )
    legend.set_in_layout(False)
    drawn.get_layout_engine().set(rect=(0, 0, 1 - share, 1))
