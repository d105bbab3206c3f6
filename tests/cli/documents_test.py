"""What documents say of the program is what the program says; the arrows between rooms are kept."""

import os
import re
import unittest
from pathlib import Path

from program import SOURCE, damocles

# What each room may include (docs/architecture.md).
ARROWS = {
    "models": set(),
    "orders": {"models"},
    "strategies": {"models", "orders"},
    "ode": {"models", "orders"},
    "sim": {"models", "strategies"},
    "gpu": {"models", "strategies"},
    "experiments": {"models", "orders", "strategies", "ode", "sim", "gpu"},
}


VERDICTS = ("confirmed", "holds but at a corner", "confirmed in direction", "not reproduced here",
            "cannot be tested here", "refuted")  # fmt: skip


def table(topic: str) -> "list[list[str]]":
    """The rows of `damocles list TOPIC`, without its header."""
    lines = damocles("list", topic, "--markdown").stdout.strip().splitlines()
    return [line.strip("| ").split(" | ") for line in lines[2:]]


def read(*names: str) -> str:
    with open(os.path.join(SOURCE, *names), encoding="utf-8") as file:
        return file.read()


class Documents(unittest.TestCase):
    def test_the_readme_fits_on_a_few_screens(self) -> None:
        self.assertLessEqual(len(read("README.md").encode()), 6 * 1024)

    def test_the_wrapper_names_the_first_command_of_the_readme(self) -> None:
        first = re.search(r"(?m)^\$ (\./damocles .*)$", read("README.md"))[1]
        self.assertIn(f'first_command="{first}"', read("damocles"))

    def test_the_page_of_measurements_is_what_the_program_writes(self) -> None:
        # The published points of two strategies on one GPU; all of the page takes a minute.
        fresh = damocles("measured", "ipdps22.fig3-4", "--strategies", "EAGER,DARTS+LUF", "--markdown").stdout
        written = read("docs", "explanation", "measured.md")
        self.assertIn(fresh.split("** (median")[0].split("**")[1], written)
        points = [line for line in fresh.splitlines() if line.startswith("| ipdps22.fig3-4 | 1 |")]
        self.assertEqual(len(points), 2 * 15)
        for line in points:
            self.assertIn(line, written, "docs/explanation/measured.md is old; it says how it is written")

    def test_one_version_everywhere(self) -> None:
        version = re.search(r"VERSION ([\d.]+)", read("CMakeLists.txt").split("project(")[1])[1]
        self.assertEqual(damocles("--version").stdout, f"damocles {version}\n")
        self.assertRegex(read("CITATION.cff"), rf"(?m)^version: \"?{re.escape(version)}\"?$")
        self.assertIn(f"[{version}]", read("CHANGELOG.md"))

    def test_every_column_is_described(self) -> None:
        header = damocles("predict", "outer:n=9", "homogeneous:p=2", "--format", "csv").stdout
        described = read("docs", "reference", "results.md")
        for column in header.splitlines()[0].split(","):
            self.assertRegex(described, rf"(?m)^\| .*\b{column}\b.* \|")

    def test_the_pages_of_the_papers_hold_every_sentence(self) -> None:
        claims = table("claims")
        sentences = table("sentences")
        self.assertEqual(len(claims), 38)
        for claim, setting, statement in claims:
            page = read("docs", "explanation", claim.split(".")[0] + ".md")
            section = page.split(f"\n## {claim}\n")[1].split("\n## ")[0]
            speaker = "The handbook" if claim.startswith("starpu.") else "The paper"
            self.assertIn(f"{speaker}: {statement}. Here: {setting}.", section)
            rows = [line.strip("| ").split(" | ") for line in section.splitlines()
                    if re.match(r"\| (headline|remark) \|", line)]  # fmt: skip
            asked = [one for one in sentences if one[0] == claim]
            self.assertEqual([row[:2] for row in rows],
                             [[weight, f"{text} ({place})"] for _, weight, place, text in asked])
            for row in rows:
                self.assertRegex(row[-1], rf"^\*\*({'|'.join(VERDICTS)})\*\*(: .+)?$")

    def test_what_pages_name_is_there(self) -> None:
        named = re.compile(rf"`((?:{'|'.join(ARROWS)}|plots|tests|docs|cmake|\.ci)/[\w./-]*)`")
        pages = [path.relative_to(SOURCE) for path in Path(SOURCE).rglob("*.md") if path.name != "CHANGELOG.md"]
        pages = [page for page in pages if not page.parts[0].startswith("build")]
        self.assertGreater(sum(len(named.findall(read(page))) for page in pages), 100)
        for page in pages:
            for name in named.findall(read(page)):
                self.assertTrue(Path(SOURCE, name).exists(), f"{page} names {name}")
            if page.name == "README.md" and page.parts[0] in ARROWS:  # of a room: its headers by name alone
                for name in re.findall(r"`(\w+\.[ch]pp)`", read(page)):
                    self.assertTrue(any(Path(SOURCE, page.parts[0]).rglob(name)), f"{page} names {name}")

    def test_rooms_include_only_downwards(self) -> None:
        for room, allowed in ARROWS.items():
            for folder, _, files in os.walk(os.path.join(SOURCE, room)):
                for name in files:
                    if not name.endswith((".cpp", ".hpp", ".cu", ".cuh")):
                        continue
                    for target in re.findall(r'#include "(\w+)/', read(folder, name)):
                        self.assertIn(target, allowed | {room}, f"{room}/{name} includes {target}/")


if __name__ == "__main__":
    unittest.main()
