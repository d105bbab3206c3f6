"""The site of `./damocles docs`: its navigation names every page, and links in README and docs lead somewhere."""

import re
import unicodedata
import unittest
from pathlib import Path

from program import SOURCE

ROOT = Path(SOURCE)
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")


def prose(page: Path) -> str:
    """A page without its blocks and spans of code."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^    .*$", "", text, flags=re.M))


def slugs(page: Path) -> "tuple[set[str], set[str]]":
    """The anchors of a page's headings, on GitHub and on the site."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    github, site = set(), set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
        github.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
        ascii_only = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
        site.add(re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip()))
    return github, site


class Site(unittest.TestCase):
    def test_navigation_names_every_page_once(self) -> None:
        navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
        named = re.findall(r": (\S+\.md)$", navigation, re.M)
        self.assertEqual(sorted(named), sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")))

    def test_links_lead_to_files_and_headings(self) -> None:
        tried = 0
        for page in PAGES:
            for link in LINK.findall(prose(page)):
                if re.match(r"[a-z]+:", link):
                    continue
                tried += 1
                name, _, anchor = link.partition("#")
                target = (page.parent / name).resolve() if name else page
                self.assertTrue(target.exists(), f"{page.relative_to(ROOT)} links to {link}, which is not there")
                if page != PAGES[0]:  # the site has nothing from outside of docs/
                    inside = target.is_relative_to(DOCS.resolve())
                    self.assertTrue(inside, f"{page.relative_to(ROOT)}: {link} leaves docs/")
                if anchor:
                    for where, there in zip(("GitHub", "the site"), slugs(target)):
                        self.assertIn(anchor, there, f"{page.relative_to(ROOT)}: {link} has no heading on {where}")
        self.assertGreater(tried, 100)

    def test_lists_start_after_an_empty_line(self) -> None:
        """Else mkdocs sets them as running text."""
        for page in PAGES[1:]:
            text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
            before = ""
            for line in text.splitlines():
                if re.match(r"([-*]|\d+\.) ", line):
                    self.assertRegex(before, r"^$|^[-*] |^\d+\. |^ +", f"{page.relative_to(ROOT)}: {line}")
                before = line

    def test_nothing_is_taken_from_the_network(self) -> None:
        text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
        self.assertIn("font: false", text)
        self.assertNotRegex(text + (DOCS / "site.css").read_text(encoding="utf-8"), "https?://")


if __name__ == "__main__":
    unittest.main()
