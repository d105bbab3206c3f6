"""An interrupt ends the program at once, except while files get their names.

Nothing is raised: an exception that appears anywhere inside matplotlib, or while Python shuts down,
is caught or wrapped by others and ends in their traceback.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STATUS = 130

_say: Callable[[str], None] = print
_held = False
_came = False


def end_at_once(say: Callable[[str], None]) -> None:
    """From here on each of SIGNALS ends us, with one line by `say`; ignored ones stay ignored."""
    global _say
    _say = say
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _handle)


@contextmanager
def held() -> Iterator[None]:
    """What is done within is done whole; an interrupt that came meanwhile ends us behind it."""
    global _held
    _held = True
    try:
        yield
    finally:
        _held = False
        if _came:
            _end()


def _handle(*_: object) -> None:
    global _came
    _came = True
    if not _held:
        _end()


def _end() -> None:
    # Under `damocles`, which ignores SIGINT for us, that one says so.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        _say("interrupted; no picture is half-written")
    os._exit(STATUS)
