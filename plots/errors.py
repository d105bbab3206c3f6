"""What a request can end with."""

from __future__ import annotations


class PlotError(Exception):
    """The request cannot be drawn; the message says what, where, and what would be right."""
