#!/usr/bin/env python3
"""List sentences of more than 35 words in README.md and docs, longest first; tables and code do not count.

    python3 docs/studies/long_sentences.py              # each with its page and line
    python3 docs/studies/long_sentences.py --by-page    # how many each page has
    python3 docs/studies/long_sentences.py PAGE...      # of these pages

A span of code is one word, a link what it shows. A colon or semicolon ends no sentence. What verdicts.py lists below
the heading of a claim is data, as a table is: its setting, its verdict, what was found.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 35  # words


def pages() -> list[pathlib.Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def paragraphs(text: str) -> list[tuple[int, str]]:
    """Each paragraph or item of a list with its first line."""
    found: list[tuple[int, str]] = []
    fenced = False
    running = False  # whether the next line goes on with the last paragraph
    listed = re.search(r"(?m)^Written by `docs/studies/verdicts\.py", text) is not None
    in_claim = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            in_claim = listed and re.match(r"## \w+\.[\w-]+$", line) is not None
        if in_claim:
            running = False
        elif line.startswith("```"):
            fenced, running = not fenced, False
        elif fenced or not line.strip() or re.match(r"[|#]", line) or not running and re.match(r"[<!]|    \S", line):
            running = False
        elif running and not re.match(r" *([-*]|\d+\.) ", line):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            found.append((number, re.sub(r"^ *([-*]|\d+\.) ", "", line).strip()))
            running = True
    return found


def sentences(paragraph: str) -> list[str]:
    plain = re.sub(r"`[^`]*`", "code", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)).replace("**", "")
    plain = re.sub(r"\b(e\.g|i\.e|vs|cf|al|Fig|fig|et al|resp)\.", r"\1", plain)
    return re.split(r"(?<=[.!?])[\")*_]* +(?=[\"(*_]*[A-Z0-9a-z\u0370-\u03ff])", plain)


def words(sentence: str) -> int:
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def long_sentences(page: pathlib.Path) -> list[tuple[int, int, str]]:
    """Words, line and text of each that is too long."""
    return [(words(one), number, one) for number, paragraph in paragraphs(page.read_text(encoding="utf-8"))
            for one in sentences(paragraph) if words(one) > LIMIT]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pages", nargs="*", type=pathlib.Path)
    parser.add_argument("--by-page", action="store_true")
    asked = parser.parse_args()
    found = [(*one, page.resolve().relative_to(ROOT))
             for page in asked.pages or pages() for one in long_sentences(page)]  # fmt: skip
    if asked.by_page:
        for page, count in collections.Counter(page for *_, page in found).most_common():
            print(f"{count:5} {page}")
    else:
        for count, number, text, page in sorted(found, key=lambda one: -one[0]):
            print(f"{page}:{number}: {count} words: {text}")
    print(f"{len(found)} sentences of more than {LIMIT} words")


if __name__ == "__main__":
    main()
