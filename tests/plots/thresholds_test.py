"""Pictures of `damocles beta`: curves over β and their minima."""

from __future__ import annotations

import io
import json
import tempfile
import unittest
from pathlib import Path

import matplotlib
import pictures
import style
import thresholds
from errors import PlotError
from matplotlib.figure import Figure
from wish import Wish

HEADER = ("model,beta,volume_ratio,phase1_fraction,beta_homogeneous,volume_ratio_at_beta_homogeneous,"
          "over_recommended,recommended_beta,status,workload,platform,curve\n")  # fmt: skip
ABOUT = "outer:n=9,homogeneous:p=4"
ROWS = (
    f"paper,,,,,,,4.1,no interior minimum where the formula holds,{ABOUT},1:3 2:2.5 3:2.2\n",
    f"refined,4,2,0.98,4.5,2.1,0,4.1,ok,{ABOUT},2:3 4:2 6:2.5\n",
)


class ThresholdsTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "beta.csv"

    def draw(self, text: str, of: str = "screen") -> Figure:
        self.file.write_text(text, encoding="utf-8")
        with matplotlib.rc_context(style.rc(style.STYLES[of])):
            figure, _ = pictures.of_files([self.file], Wish())
            figure.savefig(io.BytesIO(), format="png")
        return figure

    def lines(self, figure: Figure) -> list[list[tuple[float, float]]]:
        return [[tuple(map(float, at)) for at in line.get_xydata()]
                for line in figure.axes[0].get_lines()]  # fmt: skip

    def test_a_curve_a_model_and_its_minimum(self) -> None:
        figure = self.draw(HEADER + "".join(ROWS))

        lines = self.lines(figure)
        self.assertIn([(1, 3), (2, 2.5), (3, 2.2)], lines)
        self.assertIn([(2, 3), (4, 2), (6, 2.5)], lines)
        self.assertIn([(4, 2)], lines)  # filled
        self.assertIn([(4.5, 2.1)], lines)  # hollow
        words = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        self.assertEqual(words, ["paper", "refined: 2 at β = 4", "recommended: β = 4.1"])
        self.assertIn("outer:n=9 on homogeneous:p=4", figure.axes[0].get_title(loc="left"))
        self.assertIn("without a minimum: paper", figure._supxlabel.get_text())  # noqa: SLF001

    def test_minima_stay_in_sight_of_steep_curves(self) -> None:
        figure = self.draw(HEADER + ROWS[1].replace("2:3 4:2", "0.1:900 4:2"))

        self.assertLess(figure.axes[0].get_ylim()[1], 3)

    def test_of_limited_memory_shows_what_a_switch_saves(self) -> None:
        figure = self.draw(HEADER + ROWS[1].replace("refined", "box-growth").replace("6:2.5", "6:5.5"))

        self.assertGreater(figure.axes[0].get_ylim()[1], 5.5)
        self.assertIn("loads / lower bound", figure.axes[0].get_ylabel())

    def test_files_without_curves_show_their_points(self) -> None:
        figure = self.draw("model,beta,volume_ratio,phase1_fraction\nrefined,4,2,0.9\node,5,2.2,0.9\n")

        self.assertIn([(4, 2)], self.lines(figure))
        self.assertIn("holds no curves", figure._supxlabel.get_text())  # noqa: SLF001

    def test_json_says_the_same(self) -> None:
        self.file = self.file.with_suffix(".json")
        record = {"model": "refined", "beta": 4, "volume_ratio": 2, "phase1_fraction": 0.9,
                  "status": "ok", "curve": "2:3 4:2 6:2.5"}  # fmt: skip

        figure = self.draw(json.dumps({"command": "beta", "records": [record]}))

        self.assertIn([(2, 3), (4, 2), (6, 2.5)], self.lines(figure))

    def test_in_a_column_of_a_paper(self) -> None:
        figure = self.draw(HEADER + "".join(ROWS), "paper")

        self.assertEqual(figure.get_size_inches()[0], 3.3)
        self.assertEqual(figure.axes[0].get_title(loc="left"), "")

    def test_damaged_curves_are_refused(self) -> None:
        for curve in ("2:3 4", "2:x", ":", "2:3:4"):
            with self.assertRaisesRegex(PlotError, "beta.csv:2: column 'curve': .*BETA:VOLUME_RATIO"):
                self.draw(HEADER + ROWS[1].replace("2:3 4:2 6:2.5", curve))
        without = ROWS[0].replace("1:3 2:2.5 3:2.2", "")
        with self.assertRaisesRegex(PlotError, "none of its 1 rows has a best threshold"):
            self.draw(HEADER + without)
        self.assertEqual(thresholds.is_header(["model", "beta"]), False)


if __name__ == "__main__":
    unittest.main()
