#!/usr/bin/env python3
"""Tables of the pages: docs/studies/tables.toml says which, and how each is made.

Usage: python3 docs/studies/tables.py [--check | --write] [PAGE...]

PAGE is a part of a page's path. Prints the tables; --check compares them with the pages, --write puts them there.
The program is $DAMOCLES_PROGRAM, else ./damocles.
"""

import csv
import difflib
import functools
import io
import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = os.environ.get("DAMOCLES_PROGRAM", str(ROOT / "damocles"))


@functools.cache
def measured(command: str) -> dict[str, object]:
    """The means of the one strategy that a command runs; nothing where the program refuses it."""
    call = [PROGRAM, *shlex.split(command), "--summary", "--format", "csv", "--quiet"]
    answer = subprocess.run(call, capture_output=True, text=True, check=False, cwd=ROOT)
    if answer.returncode != 0:
        print(answer.stderr, end="", file=sys.stderr)
        return {}
    row = list(csv.DictReader(io.StringIO(answer.stdout)))[-1]
    return {name: number(text) for name, text in row.items()}


def number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def changes(given: dict) -> dict[str, object]:
    """The least and the greatest change in percent that an option makes to a column, over some strategies."""
    found = []
    for strategy in given["each"]:
        before, after = (
            measured(given["run"].format(**given, strategy=strategy, option=option))[given["of"]]
            for option in given["options"]
        )
        found.append(100 * (after / before - 1))
    return {"least": min(found), "greatest": max(found)}


def cell(given: dict) -> str:
    values = changes(given) if "each" in given else measured(given["run"].format(**given))
    if values and "over" in given:
        base = measured(given["over"].format(**given))
        values = {name: value / base[name] for name, value in values.items() if isinstance(value, float) and base[name]}
    text = given["cell"].format(**values) if values else "–"
    return text.replace(",", " ").replace("-", "−").replace("%", " %").replace("  %", " %")


def entries(table: dict, name: str) -> list[dict]:
    """Rows or columns: a text alone is its own label, and what stands for {row} or {column}."""
    return [{name: one, "label": one} if isinstance(one, str) else one for one in table[name + "s"]]


def blocks(table: dict) -> list[list[str]]:
    """The tables that an entry makes, as lines."""
    if "script" in table:
        with tempfile.TemporaryDirectory() as folder:
            text = table["script"].format(program=PROGRAM, studies=ROOT / "docs/studies")
            call = subprocess.run(["bash", "-ec", text], stdout=subprocess.PIPE, text=True, check=True, cwd=folder)
        return [block.splitlines() for block in call.stdout.split("\n\n") if block.startswith("|")]
    columns = entries(table, "column")
    lines = [table["head"], "| --- " * (table["head"].count("|") - 1) + "|"]
    for row in entries(table, "row"):
        cells = [cell({**table, **column, **row}) for column in columns]
        lines.append(f"| {row['label']} | {' | '.join(cells)} |")
    return [lines]


def with_block(page: list[str], block: list[str]) -> list[str]:
    """The page with a table in the place of the one that has its heading, aligned as there."""
    begin = page.index(block[0])
    end = next(at for at in range(begin, len(page) + 1) if at == len(page) or not page[at].startswith("|"))
    return page[: begin + 2] + block[2:] + page[end:]


def main() -> None:
    options = [one for one in sys.argv[1:] if one.startswith("--")]
    parts = [one for one in sys.argv[1:] if one not in options]
    differing = set()
    for table in tomllib.loads((ROOT / "docs/studies/tables.toml").read_text(encoding="utf-8"))["table"]:
        path = ROOT / table["page"]
        if parts and not any(part in table["page"] for part in parts):
            continue
        for block in blocks(table):
            before = path.read_text(encoding="utf-8").split("\n")
            after = with_block(before, block)
            if options == ["--write"]:
                path.write_text("\n".join(after), encoding="utf-8")
            elif options != ["--check"]:
                print("\n".join(block) + "\n")
            elif after != before:
                differing.add(table["page"])
                print("\n".join(difflib.unified_diff(before, after, table["page"], "made now", n=0, lineterm="")))
    if differing:
        sys.exit("python3 docs/studies/tables.py --write writes them; look at the prose too: " + ", ".join(sorted(differing)))


if __name__ == "__main__":
    main()
