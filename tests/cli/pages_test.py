"""Every command on a page of docs runs, and prints what the page shows.

A command stands in a block ```console after `$ `; the lines below it are its output, if there are any. `...` stands for any
text within a line, and on a line of its own for any lines. A file is written by `cat > FILE <<'END'`. In an indented block a
command begins with `./damocles`, and shows no output. The commands of a page run in its order, in one folder.
"""

import os
import re
import subprocess
import unittest
from pathlib import Path

from program import NO_MATPLOTLIB, PROGRAM, SOURCE, InFolder

# Not run here, where a command has these words.
NOT_HERE = {
    "git clone": "needs the network",
    "cmake ": "builds the program",
    "./damocles test": "builds the program",
    "./damocles docs": "tests/wrapper does",
    "sweep docs/studies/panels.toml": "takes minutes",
    "--pace 500us": "takes half a minute",
    "--backend starpu": "needs damocles-starpu; starpu_test.py runs it",
    "hypergraph": "needs a library that partitions",
    "$HOME/.starpu": "needs a user's files",
}
# A page on adding a strategy runs the program that has the example strategy.
EXTENDED = {"strategy_author.md": os.environ["DAMOCLES_EXTENDED"]}
END = "<<'END'"


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


def indented_commands(page: str) -> "list[tuple[str, list[str]]]":
    found = []
    for indent, first, rest in re.findall(r"^( {4,})(\./damocles (?:.*\\\n)*)(.*)$", page, re.M):
        found.append((first.replace("\n" + indent, "\n") + rest.removeprefix(indent), []))
    return found


def all_commands(page: Path) -> "list[tuple[str, list[str]]]":
    text = page.read_text(encoding="utf-8")
    return commands(text) + indented_commands(re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M))


PAGES = [page for page in sorted(Path(SOURCE, "docs").rglob("*.md")) if all_commands(page)]


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
                if shown:
                    self.assertRegex(made.stdout, rf"\A{pattern(shown)}\s*\Z")
                run += 1
        return run

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
