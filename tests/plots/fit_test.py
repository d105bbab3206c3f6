"""Every kind of picture in every style: no word is cut, none lies on another."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import draw
import fit
import request
import sample_results
import sample_traces
import style
from results import PlotError

STYLES = {"screen": [], "slides": ["--style", "slides"], "paper": ["--style", "paper"],
          "size": ["--size", "6x4"]}  # fmt: skip
LONG = {"workload": "cholesky:n=20,deps=true,tile=960", "strategy": "dynamic-2phases:beta=3,eviction=lru",
        "platform": "gpus:k=2,memory=500MB,preset=v100,jitter=off"}  # fmt: skip


def sweep() -> list[sample_results.Cells]:
    """One strategy with three options, eight lines, on two sizes."""
    return [sample_results.cells("simulated", f"hfp:ready={ready},flip={flip},eviction={eviction}",
                                 f"gemm2d:n={n}", "gpus:k=2,memory=10data", 1 + 0.1 * n + 0.3 * i)
            | {"loads": n, "gflops": 100 * n - i, "bytes_loaded": 1e9 * n}
            for n in (10, 20, 30)
            for i, (ready, flip, eviction) in enumerate(
                (ready, flip, eviction) for ready in ("true", "false") for flip in ("true", "false")
                for eviction in ("lru", "belady"))]  # fmt: skip


class Looks(unittest.TestCase):
    def test_lines_of_one_strategy_differ_by_line_style_before_shade(self) -> None:
        own = style.STRATEGIES["hfp"]
        looks = [style.variant(own, i, 8) for i in range(8)]
        self.assertEqual(len({(one.colour, str(one.line)) for one in looks}), 8)
        self.assertEqual({one.colour for one in looks[:4]}, {own.colour})
        self.assertEqual(style.variant(own, 0, 1), own)


class Fit(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def seen(self, *words: str) -> tuple[list[str], list[tuple[str, str]], float]:
        """What is cut, what lies on each other, and the share of the height that a legend takes."""
        asked = request.parse(list(words))
        with draw.styled(asked):
            figure, _ = draw.figure_of(asked, asked.paths)
            items = fit.measured(figure)
        legend = max((one.box.height for one in items if one.what == fit.LEGEND), default=0.0)
        return fit.cut(figure, items), fit.overlapping(figure, items), legend / figure.bbox.height

    def all_files(self) -> list[list[str]]:
        """The words that draw each kind."""
        sample_results.main(self.folder)
        sample_results.write(self.folder / "sweep.csv", sweep())
        files = [[str(path)] for path in sorted(self.folder.glob("*.csv"))]
        small = sample_traces.small()
        kinds = [sample_traces.interval("task", 1, 4.1, 5, "POTRF(1)", 4),
                 sample_traces.interval("task", 1, 5, 5.5, "TRSM(1,1)", 5),
                 sample_traces.interval("wait", 1, 5.5, 6, "starting"), sample_traces.invalidation(1, 5)]  # fmt: skip
        traces = {
            "one": ([sample_traces.about()], small),
            "long": ([sample_traces.about(**LONG)], small + kinds),
            "two": ([sample_traces.about(), sample_traces.about(3, strategy="dmdar", eviction="lru")],
                    small + sample_traces.small(3)),
            "eight": ([sample_traces.about(processors=8, compute_s=[0.004] * 8)], small),
        }  # fmt: skip
        for name, (runs, events) in traces.items():
            path = sample_traces.write(self.folder / f"{name}.json", runs, events)
            files += [[picture, str(path)] for picture in request.TRACE_PICTURES]
        return files

    def test_no_word_is_cut_and_none_lies_on_another(self) -> None:
        for words in self.all_files():
            for name, more in STYLES.items():
                with self.subTest(picture=[words[0], Path(words[-1]).name], style=name):
                    try:
                        lost, pairs, legend = self.seen(*words, *more)
                    except PlotError as error:  # a column has no room for eight long names
                        self.assertEqual((Path(words[-1]).name, name), ("sweep.csv", "paper"))
                        self.assertIn("the legend of 9 entries does not fit", str(error))
                        continue
                    self.assertEqual((lost, pairs), ([], []))
                    if name == "paper":
                        self.assertLess(legend, 0.3)

    def test_the_measure_sees_what_is_cut_and_what_overlaps(self) -> None:
        path = str(sample_traces.write(self.folder / "t.json", [sample_traces.about()], sample_traces.small()))
        asked = request.parse(["gantt", path])
        with draw.styled(asked):
            figure, _ = draw.figure_of(asked, asked.paths)
            axes = figure.axes[0]
            axes.annotate("over the edge", (1, 1), xycoords="figure fraction")
            axes.annotate("upon it", (0, 1), xycoords="axes fraction", va="bottom", annotation_clip=False).set_in_layout(False)
            items = fit.measured(figure)
        self.assertEqual(fit.cut(figure, items), ["over the edge"])
        self.assertTrue(any("upon it" in pair for pair in fit.overlapping(figure, items)))

    def test_what_cannot_fit_is_refused_where_a_size_is_asked_for(self) -> None:
        path = str(sample_traces.write(self.folder / "t.json", [sample_traces.about(**LONG)], sample_traces.small()))
        with self.assertRaisesRegex(PlotError, "does not fit into 1.2 x 1 inches; draw a larger picture"):
            self.seen("gantt", path, "--size", "1.2x1", "--title", "Unbreakable" * 9)


if __name__ == "__main__":
    unittest.main()
