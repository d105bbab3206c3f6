"""Words of others, on pictures and in messages: printable, on one line, not too long."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

MOST_LISTED = 24  # names in a message
MOST_SAID = 700  # characters of a message


def clean(text: str) -> str:
    """The text with what cannot be printed (control characters, line breaks, what turns the
    direction of writing) as escapes, `\\x07`; different texts stay different."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() and character != "\\"
        else character if unicodedata.category(character) == "Zs"
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )  # fmt: skip


def elided(text: str, most: int) -> str:
    """The text in at most `most` characters: what is too long loses its middle."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail:]}"


def apart(texts: Iterable[str], most: int) -> list[str]:
    """The texts, each elided; those that became equal are numbered."""
    seen: dict[str, int] = {}
    result = []
    for text in texts:
        short = elided(text, most)
        seen[short] = seen.get(short, 0) + 1
        result.append(short if seen[short] == 1 else f"{short} ({seen[short]})")
    return result


def sentence(text: str) -> str:
    """A message as one printable line of bounded length."""
    return elided(clean(" ".join(text.split())), MOST_SAID)


def listing(names: Iterable[str]) -> str:
    """`a, b, c`, cut where there are too many."""
    some = [elided(clean(name), 60) for name in names]
    rest = len(some) - MOST_LISTED
    return ", ".join(some[:MOST_LISTED]) + (f" and {rest} more" if rest > 0 else "")


def meant(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` where one of the known names is near, else nothing."""
    near = difflib.get_close_matches(name[:100], [one for one in known if len(one) <= 100], 1)
    return f"; did you mean '{clean(near[0])}'?" if near else ""
