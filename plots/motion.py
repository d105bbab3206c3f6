"""Animations: a figure as of one time after another, as a GIF or an APNG."""

from __future__ import annotations

import io
from collections.abc import Callable

from errors import PlotError
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

FRAMES = 50  # of the run; the last one stays a while
FRAME_MS, LAST_MS = 100, 2500
DPI = 100


class MovingFigure(Figure):
    """A figure that can show a run as of any time before its end."""

    end: float = 0.0
    show: Callable[[float], None] | None = None


def encoded(figure: Figure, kind: str) -> bytes:
    """The animation as the bytes of a file of that kind, gif or apng."""
    from PIL import Image  # matplotlib needs it too

    if not isinstance(figure, MovingFigure) or figure.show is None:
        raise PlotError("there is nothing to animate")
    canvas = FigureCanvasAgg(figure)
    figure.set_dpi(DPI)
    canvas.draw()
    figure.set_layout_engine("none")  # the axes stay where they are
    frames = []
    for i in range(1, FRAMES + 1):
        figure.show(figure.end * i / FRAMES)
        canvas.draw()
        frames.append(Image.fromarray(_pixels(canvas)))
    if kind == "gif":  # the colours of the last frame are those of all
        palette = frames[-1].quantize(256, dither=Image.Dither.NONE)
        frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    picture = io.BytesIO()
    frames[0].save(
        picture, format="GIF" if kind == "gif" else "PNG", save_all=True, loop=0,
        append_images=frames[1:], duration=[FRAME_MS] * (FRAMES - 1) + [LAST_MS],
    )  # fmt: skip
    return picture.getvalue()


def _pixels(canvas: FigureCanvasAgg):  # noqa: ANN202 (an array of red, green and blue)
    import numpy

    return numpy.asarray(canvas.buffer_rgba())[..., :3].copy()
