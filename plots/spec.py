"""The grammar of names, `name:key=value,value`, and of numbers with units."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

MOST = 1e140  # larger numbers are refused: sums of their squares would overflow
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_QUANTITY = re.compile(rf"({_NUMBER.pattern})\s*([A-Za-z/%]*)")
UNITS = {
    "B": 1.0, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40,
    "B/s": 1.0, "kB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9,
    "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9,
    "F": 1.0, "MF": 1e6, "GF": 1e9, "TF": 1e12, "MF/s": 1e6, "GF/s": 1e9, "TF/s": 1e12,
}  # fmt: skip


def number(text: str) -> float | None:
    """A finite decimal number of at most `MOST`; nothing where the text is none."""
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if abs(value) <= MOST else None


def quantity(text: str) -> tuple[float, str] | None:
    """A number with its unit, `500MB` -> (500.0, 'MB'); nothing where the text is none."""
    match = _QUANTITY.fullmatch(text) if len(text) <= 400 else None
    value = number(match[1]) if match else None
    return (value, match[2]) if match and value is not None else None


def in_base_units(text: str) -> float | None:
    """`500MB` -> 5e8, `3` -> 3; nothing where the text is no number with a known unit."""
    found = quantity(text)
    if not found or (found[1] and found[1] not in UNITS):
        return None
    return found[0] * UNITS.get(found[1], 1.0)


def shown(value: float) -> str:
    """A number in the shortest form that reads back the same: 3, 0.25, 1e+30."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


@dataclass(frozen=True)
class Spec:
    """`name:key=value,key=value` or `name:value,value`, taken apart."""

    name: str
    values: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def parse(text: str) -> Spec:
        """Takes any text apart; what is no `key=value` is a positional value."""
        name, _, rest = text.strip().partition(":")
        parts = [part.strip() for part in rest.split(",") if part.strip()]
        values = tuple(part for part in parts if "=" not in part)
        pairs = (part.partition("=") for part in parts if "=" in part)
        return Spec(name, values, {key: value for key, _, value in pairs})

    def kind(self) -> str:
        """The name with its positional values: all that is not `key=value`."""
        return f"{self.name}:{','.join(self.values)}" if self.values else self.name

    def number(self, key: str) -> float | None:
        """The option as a number; nothing where it is absent or none."""
        value = quantity(self.options.get(key, ""))
        return value[0] if value else None
