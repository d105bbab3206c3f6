"""Every command of README and of the pages of docs runs, and prints what the page shows.

A command stands in a block ```console after `$ `; the lines below it are its output, if there are any. `...` stands for any
text within a line, and on a line of its own for any lines. A file is written by `cat > FILE <<'END'`. In an indented block a
command begins with `./damocles`, and shows no output. The commands of a page run in its order, in one folder. Commands
within the text of README and of a few pages run too.

What stands between `<!-- damocles COMMAND -->` and `<!-- end -->` is what the command writes.

`cmake --build build --target golden` writes outputs that changed into the pages (DAMOCLES_WRITE_GOLDEN=1).
"""

import os
import re
import subprocess
import unittest
from pathlib import Path

from program import NO_MATPLOTLIB, PROGRAM, SOURCE, InFolder, damocles

DOCS = Path(SOURCE, "docs")
# With commands within the text.
QUESTIONS = [Path(SOURCE, "README.md"), DOCS / "reference/commands.md", DOCS / "howto/choose.md", DOCS / "explanation/explain.md"]
# Not run here, where a command has these words.
NOT_HERE = {
    "git clone": "needs the network",
    "cmake ": "builds the program",
    "--plugin ": "needs a shared library; plugin_test.py builds one",
    "ctest ": "runs all tests",
    "./damocles test": "builds the program",
    "./damocles docs": "tests/wrapper does",
    "./damocles python": "builds the package",
    "./damocles archive": "tests/install does",
    "PYTHONPATH=": "tests/python runs the page's programs",
    "pip wheel": "builds the package",
    "sweep docs/studies/panels.toml": "takes minutes",
    "--pace 500us": "takes half a minute",
    "--backend cuda": "needs a GPU",
    "--backend starpu": "needs damocles-starpu; starpu_test.py runs it",
    "hypergraph": "needs a library that partitions",
    "$HOME/.starpu": "needs a user's files",
}
# Nor, of the commands within the text, what other tests run and takes long.
ELSEWHERE = ("./damocles calibrate ", "./damocles measured --peer", "./damocles reproduce ")
WRITES = "DAMOCLES_WRITE_GOLDEN" in os.environ
# A page on adding a strategy runs the program that has the example strategy.
EXTENDED = {"strategy_author.md": os.environ["DAMOCLES_EXTENDED"]}
END = "<<'END'"
TABLE = re.compile(r"^<!-- damocles (.*) -->\n(.*?)^<!-- end -->$", re.M | re.S)  # what a command writes


def commands(page: str) -> "list[tuple[str, list[str]]]":
    """Each command of a page with the lines of output that the page shows."""
    found: "list[tuple[str, list[str]]]" = []
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.S | re.M):
        lines = iter(block.splitlines())
        for line in lines:
            if not line.startswith("$ "):
                found[-1][1].append(line)
                continue
            command = line[2:]
            while command.endswith("\\"):
                command += "\n" + next(lines)
            if END in command:
                for line in lines:
                    command += "\n" + line
                    if line == "END":
                        break
            found.append((command, []))
    return found


def within_text(page: Path) -> "list[str]":
    """The commands within the text of a page of questions."""
    if page not in QUESTIONS:
        return []
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    found = re.findall(r"`(\./damocles [a-z][^`\n]*)`", text)
    return [command for command in found if not any(part in command for part in ELSEWHERE)]


def indented_commands(page: str) -> "list[tuple[str, list[str]]]":
    found = []
    for indent, first, rest in re.findall(r"^( {4,})(\./damocles (?:.*\\\n)*)(.*)$", page, re.M):
        found.append((first.replace("\n" + indent, "\n") + rest.removeprefix(indent), []))
    return found


def all_commands(page: Path) -> "list[tuple[str, list[str]]]":
    text = page.read_text(encoding="utf-8")
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    return [*commands(text), *indented_commands(outside), *((one, []) for one in within_text(page))]


PAGES = [*QUESTIONS, *(page for page in sorted(DOCS.rglob("*.md")) if page not in QUESTIONS and all_commands(page))]


def renewed(shown: "list[str]", printed: "list[str]") -> "list[str]":
    """The lines shown as they are printed now; unchanged where `...` hides what to replace."""
    cuts = [i for i, line in enumerate(shown) if line == "..."]
    if len(cuts) > 1 or any("..." in line for line in shown if line != "..."):
        return shown
    if not cuts:
        return printed
    return [*printed[:cuts[0]], "...", *printed[len(printed) - (len(shown) - cuts[0] - 1):]]


def pattern(shown: "list[str]") -> str:
    """What matches the output; how wide columns are does not count."""
    def of_line(line: str) -> str:
        parts = [r" +".join(re.escape(word) for word in part.split()) for part in line.split("...")]
        return r"[^\n]*".join(rf" *{part} *" if part else "" for part in parts)
    return "".join("(?:[^\n]*\n)*" if line.strip() == "..." else f"{of_line(line.strip())} *\n" for line in shown)


class Pages(InFolder):
    def run_page(self, page: Path) -> int:
        os.symlink(EXTENDED.get(page.name, PROGRAM), self.path("damocles"))
        os.symlink(os.path.join(SOURCE, "docs"), self.path("docs"))
        run = 0
        text = page.read_text(encoding="utf-8")
        for command, shown in all_commands(page):
            if any(words in command for words in NOT_HERE):
                continue
            with self.subTest(page=page.name, command=command):
                made = subprocess.run(["bash", "-c", command], cwd=self.folder, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, check=False, timeout=600,
                                      stdin=subprocess.DEVNULL)  # fmt: skip
                if NO_MATPLOTLIB in made.stdout:
                    self.skipTest(f"{command}: {NO_MATPLOTLIB}")
                self.assertEqual(made.returncode, 0, f"{command}\n{made.stdout}")
                if WRITES and shown and not re.search(rf"\A{pattern(shown)}\s*\Z", made.stdout):
                    now = renewed(shown, [line.rstrip() for line in made.stdout.rstrip().splitlines()])
                    text = text.replace("\n".join([f"$ {command}", *shown, ""]), "\n".join([f"$ {command}", *now, ""]), 1)
                    page.write_text(text, encoding="utf-8")
                    shown = now
                if shown:
                    self.assertRegex(made.stdout, rf"\A{pattern(shown)}\s*\Z")
                run += 1
        return run

    def test_tables_are_what_the_program_writes(self) -> None:
        found = 0
        for page in sorted(DOCS.rglob("*.md")):
            text = page.read_text(encoding="utf-8")
            for command, table in TABLE.findall(text):
                found += 1
                fresh = damocles(*command.split()).stdout
                if WRITES:
                    page.write_text(text := text.replace(table, fresh), encoding="utf-8")
                else:
                    self.assertEqual(table, fresh, f"{page}: cmake --build build --target golden")
        self.assertGreaterEqual(found, 2)

    def test_each_page_has_commands(self) -> None:
        self.assertGreaterEqual(len(PAGES), 14)
        for kind in ("howto", "tutorial"):
            for page in Path(SOURCE, "docs", kind).glob("*.md"):
                self.assertGreater(len(commands(page.read_text(encoding="utf-8"))), 1, page.name)

    def test_indented_commands_are_found(self) -> None:
        page = ("Text:\n\n    ./damocles list\n    ./damocles simulate a,\\\n    b c \\\n        d\n"
                "\n- x\n\n        ./damocles beta\n")  # fmt: skip
        self.assertEqual([command for command, _ in indented_commands(page)],
                         ["./damocles list", "./damocles simulate a,\\\nb c \\\n    d", "./damocles beta"])  # fmt: skip

    def test_output_is_compared(self) -> None:
        self.assertRegex("a  b\nx 1.5 y\nlast\n", rf"\A{pattern(['a b', 'x ... y', 'last'])}\Z")
        self.assertRegex("a\nb\nc\n", rf"\A{pattern(['a', '...'])}\Z")
        self.assertNotRegex("a  c\n", rf"\A{pattern(['a b'])}\Z")
        self.assertNotRegex("a\nb\n", rf"\A{pattern(['a'])}\Z")

    def test_output_is_renewed_around_three_dots(self) -> None:
        self.assertEqual(renewed(["a", "...", "d"], ["x", "b", "c", "y"]), ["x", "...", "y"])
        self.assertEqual(renewed(["a"], ["x", "y"]), ["x", "y"])
        self.assertEqual(renewed(["a ... b"], ["x"]), ["a ... b"])

    def test_the_strategy_shown_is_the_example(self) -> None:
        page = Path(SOURCE, "docs", "howto", "strategy_author.md").read_text(encoding="utf-8")
        shown = re.search(r"^```cpp\n(.*?)^```$", page, re.S | re.M)[1]
        self.assertEqual(shown, Path(SOURCE, "tests", "extension", "strategy.cpp").read_text(encoding="utf-8"))


def runs(page: Path):  # noqa: ANN201 (a method)
    def test(self: Pages) -> None:
        self.run_page(page)
    return test


for one in PAGES:
    setattr(Pages, f"test_{one.stem}_runs_as_shown", runs(one))


if __name__ == "__main__":
    unittest.main()
