"""Figures into files: never a partial file under its final name, never over what is no picture."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import tempfile
from pathlib import Path

import interrupts
import motion
from errors import PlotError
from matplotlib.figure import Figure
from results import stem
from words import clean, elided

FORMATS = ("png", "svg", "pdf")
MOVING = ("gif", "apng")
# A date would make every drawing of the same results a different file.
METADATA = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
FILMS = ("mp4", "m4v", "webm", "mov", "avi", "mkv")
# Endings that are meant as such, even where formats are named.
OTHER_ENDINGS = ("jpg", "jpeg", "gif", "eps", "ps", "tif", "tiff", "bmp", "webp", "csv", "json",
                 "toml", "html", "txt", "tex", "pgf", "emf", *FILMS)  # fmt: skip


def parse_formats(text: str, known: tuple[str, ...] = FORMATS) -> tuple[str, ...]:
    """`png,svg` -> ('png', 'svg'), each once."""
    formats = tuple(dict.fromkeys(part.strip().lower() for part in text.split(",")))
    unknown = next((name for name in formats if name not in known), None)
    if unknown is not None:
        raise PlotError(
            f"unknown format '{elided(clean(unknown), 40)}'; formats are {', '.join(known)}"
        )
    return formats


def targets(
    results: Path, out: str | None, formats: str | None, inputs: list[Path] | None = None,
    suffix: str = "", known: tuple[str, ...] = FORMATS, usual: tuple[str, ...] = FORMATS,
) -> list[Path]:  # fmt: skip
    """The files to write: beside the results, in the folder `out`, or with the stem `out`; of the
    `known` formats those that are asked for, else the `usual` ones.

    An `out` that ends in a format means that format alone, unless formats are given too; another
    ending is refused, and so is what is a folder, a device or one of the inputs. A symbolic link is
    followed.
    """
    name = stem(results) + suffix
    chosen = parse_formats(formats, known) if formats is not None else usual
    if out == "-":
        raise PlotError("-o -: pictures are files; name one, as -o picture.png")
    if out is None:
        folder = results.parent
    elif out.endswith("/") or Path(out).is_dir():
        folder = Path(out)
    else:
        folder, name, chosen = _named(Path(out), formats, chosen, known)
    if not folder.is_dir():
        raise PlotError(f"cannot write into {folder}: no such folder; create it or name another")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PlotError(f"cannot write into {folder}: Permission denied; choose another with -o")
    files = [folder / f"{name}.{suffix}" for suffix in chosen]
    for file in files:
        _check(file, inputs or [results])
    return files


def _named(
    out: Path, formats: str | None, chosen: tuple[str, ...], known: tuple[str, ...]
) -> tuple[Path, str, tuple[str, ...]]:
    """Folder, stem and formats of an `out` that is no folder."""
    if out.exists() and not out.is_file():
        raise PlotError(f"cannot write {out}: it is no regular file; choose another place with -o")
    suffix = out.suffix.lstrip(".").lower()
    if suffix in known:
        return out.parent, out.stem, chosen if formats is not None else (suffix,)
    meant = formats is None and re.fullmatch("[a-z]{1,4}", suffix)
    if suffix in OTHER_ENDINGS or meant:
        raise PlotError(
            f"-o {elided(clean(str(out)), 80)}: pictures end in "
            f"{', '.join(f'.{one}' for one in known[:-1])} or .{known[-1]}, not in "
            f"'.{suffix}'; "
            + (
                "animations are of `damocles plot grid` and `damocles plot memory`"
                if suffix in (*MOVING, *FILMS) and not set(MOVING) & set(known)
                else f"without an ending it is {', '.join(chosen)}"
            )
        )
    return out.parent, out.name, chosen


def _check(file: Path, inputs: list[Path]) -> None:
    """Refuses to replace what is there and no picture."""
    try:
        mode = file.stat().st_mode  # of what a link points at
    except OSError:
        return
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise PlotError(f"cannot write {file}: it is {kind}; choose another place with -o")
    for one in inputs:
        with contextlib.suppress(OSError):
            if os.path.samefile(file, one):
                raise PlotError(f"cannot write {file}: it is what is read; choose another with -o")


def save(figure: Figure, files: list[Path], animated: bool = False) -> None:
    """Draws the figure into memory, then writes all files and gives them their names. `animated`:
    a PNG is an animation too, and what cannot be one is refused."""
    kinds = [file.suffix.lstrip(".").lower() for file in files]
    still = next((kind for kind in kinds if kind not in ("png", *MOVING)), None)
    if animated and still:
        raise PlotError(f"--animate: an animation is a GIF or an APNG, not {still}")
    kinds = ["apng" if animated and kind == "png" else kind for kind in kinds]
    pictures = [motion.encoded(figure, kind) if kind in MOVING else _drawn(figure, kind)
                for kind in kinds]  # fmt: skip
    with interrupts.held():
        _write(pictures, files)


def _drawn(figure: Figure, kind: str) -> bytes:
    picture = io.BytesIO()
    figure.savefig(picture, format=kind, metadata=METADATA[kind])
    return picture.getvalue()


def _write(pictures: list[bytes], files: list[Path]) -> None:
    """Each into a temporary file beside its own, which gets the name once all are on the disk."""
    written: list[tuple[Path, Path]] = []
    current = files[0]
    try:
        for picture, current in zip(pictures, files):
            place = Path(os.path.realpath(current))
            partial = _temporary(place)
            written.append((partial, place))
            with partial.open("wb") as file:
                file.write(picture)
                file.flush()
                os.fsync(file.fileno())
        for partial, current in written:
            os.replace(partial, current)
    except OSError as error:
        raise PlotError(
            f"cannot write {current}: {error.strerror}; choose another place with -o"
        ) from error
    finally:
        for partial, _ in written:
            partial.unlink(missing_ok=True)


def _temporary(file: Path) -> Path:
    """An empty file beside `file`, readable by whom the umask lets."""
    handle, name = tempfile.mkstemp(prefix=f".{file.name[:100]}.", suffix=".part", dir=file.parent)
    os.close(handle)
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(name, 0o666 & ~mask)
    return Path(name)
