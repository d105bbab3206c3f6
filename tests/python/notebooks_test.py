"""The notebooks of docs/notebooks/: every cell runs, prints what is stored, and shows as many figures."""

import copy
import json
import os
import re
import unittest
from pathlib import Path

FOLDER = Path(os.environ["DAMOCLES_SOURCE"], "docs", "notebooks")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def printed(cell: dict) -> str:
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


def figures(cell: dict) -> int:
    return sum("image/png" in output.get("data", {}) for output in cell["outputs"])


class Notebooks(unittest.TestCase):
    def setUp(self) -> None:
        self.notebooks = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.ipynb"))}
        self.assertEqual(len(self.notebooks), 2)

    def test_cells_print_and_show_what_is_stored(self) -> None:
        try:
            import notebooks
        except ImportError:
            self.skipTest("matplotlib is not installed (python3-matplotlib)")
        for path, stored in self.notebooks.items():
            again = copy.deepcopy(stored)
            notebooks.run(again)
            for number, (before, after) in enumerate(zip(stored["cells"], again["cells"])):
                if before["cell_type"] == "code":
                    self.assertEqual(printed(after), printed(before), f"{path.name}, cell {number}")
                    self.assertEqual(figures(after), figures(before), f"{path.name}, cell {number}")

    def test_links_lead_to_files(self) -> None:
        for path, notebook in self.notebooks.items():
            texts = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
            links = LINK.findall("\n".join(texts))
            self.assertGreater(len(links), 2)
            for link in links:
                self.assertTrue((path.parent / link).exists(), f"{path.name}: {link}")

    def test_stay_small(self) -> None:
        for path in self.notebooks:
            self.assertLess(path.stat().st_size, 400_000)


if __name__ == "__main__":
    unittest.main()
