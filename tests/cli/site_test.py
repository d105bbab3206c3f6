"""The site of `./damocles docs`: its navigation names every page, and links in README and docs lead somewhere."""

import json
import re
import runpy
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
        named = re.findall(r": (\S+\.(?:md|ipynb))$", navigation, re.M)
        pages = [*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]
        self.assertEqual(sorted(named), sorted(str(page.relative_to(DOCS)) for page in pages))

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

    def test_indented_code_does_not_follow_a_list(self) -> None:
        """Else it is a paragraph of the last item, here and on GitHub."""
        for page in PAGES:
            text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
            found = re.search(r"^([-*]|\d+\.) .*\n(?:[ ]+\S.*\n)*\n {4}(?! )(.*)", text, re.M)
            self.assertIsNone(found, f"{page.relative_to(ROOT)}: {found and found[2]}")

    def test_hooks_change_what_a_reader_sees_and_no_block_of_code(self) -> None:
        hooks = runpy.run_path(str(DOCS / "site.py"))
        changed = hooks["on_page_content"]
        block = "<pre><code>5 % of damocles --help, and more</code></pre>"
        self.assertEqual(changed(block), block)
        self.assertEqual(changed("<p>5 %</p>"), "<p>5\u00a0%</p>")
        self.assertEqual(changed("<td>dynamic-2phases</td>"), '<td class="unbroken">dynamic-2phases</td>')
        self.assertEqual(changed("<td>two words</td>"), "<td>two words</td>")
        self.assertEqual(changed("<code>--dry-run</code>"), '<code><span class="unbroken">--dry-run</span></code>')
        self.assertEqual(changed("<p>e^(−β rs_k), x_k^d, ε_D</p>"),
                         "<p>e<sup>−β rs<sub>k</sub></sup>, x<sub>k</sub><sup>d</sup>, ε<sub>D</sub></p>")
        self.assertEqual(changed("<p><code>x_k^d</code> of bytes_loaded, my_file</p>"),
                         "<p><code>x_k^d</code> of bytes_loaded, my_file</p>")
        self.assertEqual(changed("<pre><code>L_k = rs_k τ</code></pre>"),
                         "<pre><code>L<sub>k</sub> = rs<sub>k</sub> τ</code></pre>")
        page = '<script src="../assets/javascripts/bundle.1.min.js"></script>'
        self.assertRegex(hooks["on_post_page"](page), r'^<script src="../site.js"></script>\s+' + re.escape(page) + "$")

    def test_the_first_page_begins_as_readme(self) -> None:
        hooks = runpy.run_path(str(DOCS / "site.py"))
        shown = hooks["home"]((ROOT / "README.md").read_text(encoding="utf-8"), (DOCS / "index.md").read_text(encoding="utf-8"))
        for part in ("](figures/readme.png)", "$ ./damocles simulate gemm2d", "**[Researcher](howto/researcher.md)**",
                     "**[Strategy author](howto/strategy_author.md)**", "## All pages", "| reference |"):
            self.assertIn(part, shown)
        for link in LINK.findall(shown):  # README's are from the root
            self.assertTrue((DOCS / link.partition("#")[0]).exists(), link)
        self.assertEqual(len(re.findall("^# ", shown, re.M)), 1)

    def test_copies_of_a_session_are_its_commands(self) -> None:
        changed = runpy.run_path(str(DOCS / "site.py"))["on_page_content"]
        css = (DOCS / "site.css").read_text(encoding="utf-8")
        self.assertIn("[data-md-copying] .prompt, [data-md-copying] .output { display: none; }", css)
        sessions = {
            "$ ./damocles list\na 5\n\n$ x | less\nb\n": "./damocles list\nx | less\n",
            "$ a b \\\n    c\nout\n": "a b \\\n    c\n",
            "$ cat &gt; f &lt;&lt;'END'\n$ 1\nEND\nout\n$ d\n": "cat &gt; f &lt;&lt;'END'\n$ 1\nEND\nd\n",
        }
        for text, copied in sessions.items():
            block = changed(f'<pre><code class="language-console">{text}</code></pre>')
            self.assertEqual(re.sub(r"<[^>]*>", "", block), text)
            left = re.sub(r'<span class="(prompt|output)">[^<]*</span>', "", block)
            self.assertEqual(re.sub(r"<[^>]*>", "", left), copied)

    def test_notebooks_are_pages(self) -> None:
        hooks = runpy.run_path(str(DOCS / "site.py"))
        for path in DOCS.rglob("*.ipynb"):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            text = hooks["notebook_text"](notebook)
            outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
            images = sum("image/png" in output.get("data", {}) for output in outputs)
            self.assertEqual(text.count('<img alt="What the cell draws" src="data:image/png;base64,'), images)
            self.assertEqual(text.count("````text\n"), len(outputs) - images)
            self.assertNotIn("$$", text)
        self.assertEqual(hooks["with_formulas"]("of $r_k$, `$HOME`, $ 5"),
                         "of <math><mrow><msub><mi>r</mi><mi>k</mi></msub></mrow></math>, `$HOME`, $ 5")
        self.assertEqual(hooks["mathml"](r"-\frac{2}{x^2}"),
                         "<mrow><mo>−</mo><mfrac><mrow><mn>2</mn></mrow><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></mfrac></mrow>")
        self.assertEqual(hooks["mathml"]("(x"), '<mrow><mo stretchy="false">(</mo><mi>x</mi></mrow>')  # as high as x
        with self.assertRaisesRegex(ValueError, "no MathML"):
            hooks["mathml"](r"\oint x")

    def test_nothing_is_taken_from_the_network(self) -> None:
        self.assertIn("font: false", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
        for path in (ROOT / "mkdocs.yml", DOCS / "site.css", DOCS / "site.js", DOCS / "site.py"):
            self.assertNotRegex(path.read_text(encoding="utf-8"), "https?://", path.name)


if __name__ == "__main__":
    unittest.main()
