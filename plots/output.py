"""Figures into files: never a partial file under its final name."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from matplotlib.figure import Figure
from results import PlotError

FORMATS = ("png", "svg", "pdf")
# A date would make every drawing of the same results a different file.
METADATA = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def parse_formats(text: str) -> tuple[str, ...]:
    """`png,svg` -> ('png', 'svg'), each once."""
    formats = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",")))
    unknown = next((name for name in formats if name not in FORMATS), None)
    if unknown is not None:
        raise PlotError(f"unknown format '{unknown}'; formats are {', '.join(FORMATS)}")
    return formats


def targets(results: Path, out: str | None, formats: str | None) -> list[Path]:
    """The files to write: beside the results, in the folder `out`, or with the stem `out`.

    An `out` that ends in a format means that format alone, unless formats are given too.
    """
    stem = results.name.removesuffix(".csv").removesuffix(".json")
    chosen = parse_formats(formats) if formats is not None else FORMATS
    if out is None:
        folder = results.parent
    elif out.endswith("/") or Path(out).is_dir():
        folder = Path(out)
    else:
        folder, stem = Path(out).parent, Path(out).name
        suffix = Path(out).suffix.lstrip(".").lower()
        if suffix in FORMATS:
            stem = Path(out).stem
            chosen = chosen if formats is not None else (suffix,)
    if not folder.is_dir():
        raise PlotError(f"cannot write into {folder}: no such folder; create it or name another")
    return [folder / f"{stem}.{suffix}" for suffix in chosen]


def save(figure: Figure, files: list[Path]) -> None:
    """Draws the figure into temporary files, then gives all of them their names."""
    drawn: list[tuple[Path, Path]] = []
    current = files[0]
    try:
        for current in files:
            partial = _temporary(current)
            drawn.append((partial, current))
            kind = current.suffix.lstrip(".")
            figure.savefig(partial, format=kind, metadata=METADATA[kind])
        for partial, current in drawn:
            os.replace(partial, current)
    except OSError as error:
        raise PlotError(
            f"cannot write {current}: {error.strerror}; choose another place with -o"
        ) from error
    finally:
        for partial, _ in drawn:
            partial.unlink(missing_ok=True)


def _temporary(file: Path) -> Path:
    """An empty file beside `file`, readable by whom the umask lets."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    os.close(handle)
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(name, 0o666 & ~mask)
    return Path(name)
