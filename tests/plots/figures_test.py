"""Axes, labels and lines of each figure, asked of the figure object."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import hpdc14
import measures
import pictures
import sample_results
import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from errors import PlotError
from results import Results, read
from wish import Wish

OUTER = ["RandomOuter", "SortedOuter", "DynamicOuter", "DynamicOuter2Phases", "static-columns"]
ANALYSES = [f"analysis ({model})" for model in sample_results.MODELS]
SAMPLES = sample_results.figures()


class FigureTest(unittest.TestCase):
    """Draws made-up files in a folder of their own."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def read(self, stem: str, rows: list[sample_results.Cells], **meta: object) -> Results:
        """The rows as read back from a file."""
        path = sample_results.write(self.folder / f"{stem}.csv", rows)
        if meta:
            sample_results.write_meta(path, meta)
        return read(path)

    def draw(
        self, stem: str, rows: list[sample_results.Cells] | None = None, **meta: object
    ) -> Axes:
        """The axes of the figure that draw.py would save."""
        results = self.read(stem, SAMPLES[stem] if rows is None else rows, **meta)
        figure: Figure = pictures.of_results(results, Wish())[0]
        return figure.axes[0]


def legend(axes: Axes) -> list[str]:
    """The legend's words, from top to bottom."""
    own = axes.get_legend() or axes.figure.figure.subfigs[1].legends[0]
    return [text.get_text() for text in own.get_texts()]


def words(axes: Axes) -> str:
    """The title of a general plot."""
    return axes.figure._suptitle.get_text()


def line(axes: Axes, label: str):  # noqa: ANN201 (a matplotlib line)
    """The line of that label."""
    return next(one for one in axes.get_lines() if one.get_label() == label)


class PaperFigures(FigureTest):
    def test_volume_over_processors(self) -> None:
        for number in (1, 4, 5):
            axes = self.draw(f"hpdc14.fig{number}")

            self.assertEqual(axes.figure.axes[1].get_xlabel(), "Number of processors")
            self.assertEqual(axes.get_ylabel(), "Normalized communication amount")
            self.assertEqual(axes.get_xlim(), (0, 300))
            self.assertEqual(axes.get_ylim()[0], 1)  # the lower bound
            self.assertEqual(legend(axes), [*OUTER, "RandomOuter (refined)", *ANALYSES,
                                            "bands: ± one sd, 5 runs"])  # fmt: skip
            self.assertIn(f"figure {number}: outer product", axes.get_title(loc="left"))
            self.assertIn("5 runs per point", axes.get_title(loc="left"))

    def test_matrix_figures_have_the_matrix_names(self) -> None:
        for number in (9, 10, 11):
            self.assertIn("DynamicMatrix2Phases", legend(self.draw(f"hpdc14.fig{number}")))

    def test_a_point_is_the_mean_of_its_runs(self) -> None:
        rows = [sample_results.cells("simulated", "random", "outer:n=9", "homogeneous:p=2", value)
                | {"processors": 2} for value in (1.0, 2.0, 6.0)]  # fmt: skip

        axes = self.draw("hpdc14.fig4", rows)

        drawn = line(axes, "RandomOuter")
        self.assertEqual((list(drawn.get_xdata()), list(drawn.get_ydata())), ([2.0], [3.0]))

    def test_only_runs_and_the_refined_models_have_bands(self) -> None:
        axes = self.draw("hpdc14.fig4")

        # + random and dynamic-2phases, and the legend's
        self.assertEqual(len(axes.collections), len(OUTER) + 2 + 1)

    def test_how_far_the_analyses_are_off_stands_below(self) -> None:
        runs = sample_results.cells("simulated", "dynamic-2phases", "outer:n=9", "uniform:p=2", 2.0)
        paper = runs | {"source": "predicted", "model": "paper", "volume_ratio": 2.1}
        rows = [one | {"processors": p} for p in (2, 4) for one in (runs, paper)]

        axes = self.draw("hpdc14.fig4", rows)

        below = axes.figure.axes[1]
        drawn = below.get_lines()[0]
        self.assertEqual(list(drawn.get_xdata()), [2.0, 4.0])
        for off in drawn.get_ydata():
            self.assertAlmostEqual(off, 5.0)  # 2.1 for 2.0
        self.assertGreater(below.get_ylim()[1], 5.0)
        self.assertEqual(below.get_xlabel(), "Number of processors")
        self.assertEqual(axes.get_xlabel(), "")

    def test_without_an_analysis_nothing_stands_below(self) -> None:
        rows = [one for one in SAMPLES["hpdc14.fig1"] if one["source"] != "predicted"]

        axes = self.draw("hpdc14.fig1", rows)

        self.assertEqual(len(axes.figure.axes), 1)
        self.assertEqual(axes.get_xlabel(), "Number of processors")

    def test_threshold(self) -> None:
        axes = self.draw("hpdc14.fig6", best_beta={"refined": 4.3, "paper": 4.17})

        self.assertTrue(axes.figure.axes[1].get_xlabel().startswith("β"))
        self.assertEqual(legend(axes)[-3:], ["best β (paper): 4.17", "best β (refined): 4.3",
                                             "bands: ± one sd, 5 runs"])  # fmt: skip
        self.assertEqual(line(axes, "best β (paper): 4.17").get_xdata(), [4.17, 4.17])
        level = line(axes, "RandomOuter").get_ydata()
        self.assertEqual(level[0], level[1])
        self.assertEqual(min(line(axes, "DynamicOuter2Phases").get_xdata()), 1.0)

    def test_an_analysis_outside_its_range_is_cut(self) -> None:
        rows = [one | {"volume_ratio": 1e6} if one.get("model") == "paper" else one
                for one in SAMPLES["hpdc14.fig6"]]  # fmt: skip

        self.assertLess(self.draw("hpdc14.fig6", rows).get_ylim()[1], 20)

    def test_share_of_phase_1(self) -> None:
        axes = self.draw("hpdc14.fig2")

        self.assertEqual(axes.get_xlabel(), "Percentage of tasks treated in phase 1")
        self.assertEqual(axes.get_xlim(), (0, 100))
        xs = line(axes, "DynamicOuter2Phases").get_xdata()
        self.assertAlmostEqual(min(xs), 5.0, places=3)
        self.assertLess(max(xs), 100.0)

    def test_the_optimum_of_figure_2_has_an_inset(self) -> None:
        axes = self.draw("hpdc14.fig2", best_beta={"paper": 4.17})

        inset = axes.child_axes[0]
        self.assertEqual(inset.get_xlim()[0], 94.0)
        xs = line(inset, "DynamicOuter2Phases").get_xdata()
        self.assertGreaterEqual(min(xs), 94.0)  # markers are not clipped
        self.assertTrue(any("best β" in one.get_label() for one in inset.get_lines()))
        early = [one for one in SAMPLES["hpdc14.fig2"] if float(one.get("beta") or 0) < 2]
        self.assertEqual(self.draw("hpdc14.fig2", early).child_axes, [])

    def test_heterogeneity(self) -> None:
        axes = self.draw("hpdc14.fig7")

        self.assertTrue(axes.get_xlabel().startswith("Heterogeneity h"))
        xs = list(line(axes, "RandomOuter").get_xdata())
        self.assertEqual(xs, list(range(0, 101, 10)))
        self.assertEqual(len(axes.containers), len(OUTER) + 1)  # error bars, and the legend's
        self.assertEqual(legend(axes)[-1], "bars: ± one sd, 5 runs")

    def test_scenarios_in_the_papers_order(self) -> None:
        axes = self.draw("hpdc14.fig8")

        names = [text.get_text() for text in axes.get_xticklabels()]
        self.assertEqual(names, ["unif.1", "unif.2", "set.3", "set.5", "dyn.5", "dyn.20"])
        self.assertEqual(len(axes.containers), len(OUTER) + 1)
        self.assertEqual(legend(axes), [*OUTER, "RandomOuter (refined)", *ANALYSES,
                                        "bars: ± one sd, 5 runs"])  # fmt: skip

    def test_the_metadata_says_which_figure(self) -> None:
        axes = self.draw("mine", SAMPLES["hpdc14.fig8"], figure="hpdc14.fig8")

        self.assertEqual(axes.get_xlabel(), "Scenario of speeds")

    def test_numbers_with_a_zero(self) -> None:
        self.assertEqual(hpdc14.figure_number(self.read("hpdc14.fig08", SAMPLES["hpdc14.fig8"])), 8)

    def test_rows_of_another_figure_are_refused_by_line(self) -> None:
        for number, word in ((6, "'beta' is empty"), (7, "no heterogeneity"), (8, "dyn.20")):
            rows = [sample_results.cells("simulated", "dynamic-2phases", "outer:n=9", "x:p=2", 2.0)]
            with self.assertRaisesRegex(PlotError, f"fig{number}.csv:2: .*{word}"):
                self.draw(f"hpdc14.fig{number}", rows)
        with self.assertRaisesRegex(PlotError, "'processors' is empty"):
            self.draw("hpdc14.fig4", [one | {"processors": ""} for one in SAMPLES["hpdc14.fig4"]])

    def test_a_malformed_best_beta_is_refused(self) -> None:
        for best in ([4.17], {"paper": "4.17"}):
            with self.assertRaisesRegex(PlotError, "best_beta must be"):
                self.draw("hpdc14.fig6", best_beta=best)


class ThroughputFigures(FigureTest):
    def panels(
        self, stem: str, rows: list[sample_results.Cells] | None = None
    ) -> tuple[Axes, Axes]:
        """Throughput, and transfers below."""
        results = self.read(stem, SAMPLES[stem] if rows is None else rows)
        above, below = pictures.of_results(results, Wish())[0].axes
        return above, below

    def test_labels_units_and_the_papers_names(self) -> None:
        above, below = self.panels("ipdps22.fig3-4")

        self.assertEqual(above.get_ylabel(), "Throughput [GFlop/s]")
        self.assertEqual(below.get_ylabel(), "Data transfers [GiB]")
        self.assertEqual(below.get_xlabel(), "Working set [MiB]")
        self.assertEqual(above.get_title(loc="left"),
                         "IPDPS'22, figures 3-4: 2D product, 1 GPU, 500 MiB")  # fmt: skip
        self.assertEqual(legend(above), [
            "DMDAR", "DARTS+LUF (2 runs)", "DARTS (2 runs)", "DARTS+LUF+OPTI-3inputs (2 runs)",
            "peak of the GPUs", "B fits", "A and B fit",
            "hatched: more than the bus carries\nwhile the GPUs compute", "band: one sd, within the runs\n(no number: one run)",
        ])  # fmt: skip

    def test_points_are_means_over_runs_at_the_working_set(self) -> None:
        above, below = self.panels("ipdps22.fig3-4")

        darts = line(above, "DARTS+LUF (2 runs)")
        self.assertEqual(list(darts.get_xdata()), [160, 480, 800, 1440])  # 2 n data items of 16 MiB
        self.assertAlmostEqual(darts.get_ydata()[0], 9450)  # of 9500 and 9400
        self.assertAlmostEqual(line(below, "DARTS+LUF (2 runs)").get_ydata()[0], 160 / 1024)

    def test_peak_bus_limit_and_lines_where_matrices_fit(self) -> None:
        above, below = self.panels("coloc21.fig3")

        for peak in line(above, "peak of the GPUs").get_ydata():
            self.assertAlmostEqual(peak, 10000)
        # n = 5: 2.5e11 flop take 25 ms at the peak, in which the bus carries 2.5e8 bytes.
        self.assertAlmostEqual(line(below, "bus limit").get_ydata()[0], 2.5e8 / 2**30)
        # B is half the working set: alone it fits into 500 MiB up to 1000, with A up to 500.
        self.assertAlmostEqual(line(above, "B fits").get_xdata()[0], 1000)
        self.assertAlmostEqual(line(above, "A and B fit").get_xdata()[0], 500)

    def test_a_peak_far_above_is_said_and_does_not_squeeze_the_curves(self) -> None:
        rows = [one | {"gflops": float(str(one["gflops"])) / 10, "busy_fraction": float(str(one["busy_fraction"])) / 10}
                for one in SAMPLES["coloc21.fig3"]]  # fmt: skip

        above, _ = self.panels("coloc21.fig3", rows)

        self.assertIn("peak of the GPUs, off the axis:\n10000 GFlop/s", legend(above))
        self.assertLess(above.get_ylim()[1], 1.2 * max(float(str(one["gflops"])) for one in rows))

    def test_over_memory_the_lines_stand_at_the_sizes(self) -> None:
        above, below = self.panels("coloc21.fig3b")

        self.assertEqual(below.get_xlabel(), "Memory of each GPU [MiB]")
        self.assertEqual(list(line(above, "MST").get_xdata()), [100, 200, 500])
        self.assertAlmostEqual(line(above, "B fits").get_xdata()[0], 240)  # 15 data items of 16 MiB
        self.assertAlmostEqual(line(above, "A and B fit").get_xdata()[0], 480)

    def test_three_matrices_and_a_triangle(self) -> None:
        self.assertIn("A, B and C fit", legend(self.panels("coloc21.fig4")[0]))
        self.assertIn("all data fit", legend(self.panels("ipdps22.fig11")[0]))

    def test_variants_of_a_strategy_look_different(self) -> None:
        above, _ = self.panels("coloc21.fig3")

        names = ["HFP (Ready, flip, Belady)", "HFP (Ready, flip)", "HFP (flip)"]
        self.assertEqual(len({line(above, name).get_color() for name in names}), 3)

    def test_the_authors_measurements_are_hollow_points_of_the_same_colour(self) -> None:
        rows = SAMPLES["ipdps22.fig3-4"]
        dmdar = [one | {"source": "measured", "gflops": 8000} for one in rows
                 if one["strategy"] == "dmdar"]  # fmt: skip
        dmdar[1] |= {"loads": "", "bytes_loaded": ""}  # there only the rate was measured
        results = self.read("ipdps22.fig3-4", rows)
        sample_results.write(results.path.with_name("ipdps22.fig3-4.measured.csv"), dmdar)

        above, below = pictures.of_results(results, Wish())[0].axes

        hollow = [[one for one in axes.get_lines() if one.get_fillstyle() == "none" and len(one.get_xdata())]
                  for axes in (above, below)]  # fmt: skip
        self.assertEqual([len(some) for some in hollow], [1, 1])
        points = hollow[0][0]
        self.assertEqual(points.get_color(), line(above, "DMDAR").get_color())
        self.assertEqual(points.get_linestyle(), "None")
        self.assertEqual(list(points.get_xdata()), list(line(above, "DMDAR").get_xdata()))
        self.assertEqual(set(points.get_ydata()), {8000})
        self.assertEqual(len(hollow[1][0].get_xdata()), len(dmdar) - 1)
        self.assertIn("hollow: measured by the authors\non real V100s; lines: simulated", legend(above))

    def test_predictions_are_dotted_lines_over_the_simulated_ones(self) -> None:
        rows = SAMPLES["ipdps22.fig3-4"]
        inside = [one | {"source": "predicted", "model": "counted", "domain": "inside", "gflops": 7000,
                         "busy_fraction": ""} for one in rows if one["strategy"] == "dmdar"]  # fmt: skip
        outside = [one | {"source": "predicted", "model": "choice-chain", "domain": "outside validated domain: small"}
                   for one in rows if one["strategy"] == "darts"]  # fmt: skip

        above, below = self.panels("ipdps22.fig3-4", [*rows, *inside, *outside])

        dark = style.darker(line(above, "DMDAR").get_color(), 0.55)
        dotted = [[one for one in axes.get_lines() if one.get_color() == dark] for axes in (above, below)]
        self.assertEqual([len(some) for some in dotted], [1, 1])
        self.assertEqual(set(dotted[0][0].get_ydata()), {7000})
        self.assertEqual(list(dotted[0][0].get_xdata()), list(line(above, "DMDAR").get_xdata()))
        self.assertIn("dotted: predicted, on a machine\nwithout outputs and delays", legend(above))
        self.assertNotIn("dotted", " ".join(legend(self.panels("ipdps22.fig3-4")[0])))

    def test_a_figure_of_predictions_alone_is_refused(self) -> None:
        rows = [one | {"source": "predicted", "model": "counted"} for one in SAMPLES["ipdps22.fig3-4"]]

        with self.assertRaisesRegex(PlotError, "none of its rows was simulated"):
            self.panels("ipdps22.fig3-4", rows)

    def test_measurements_without_loads_stand_at_their_working_set(self) -> None:
        rows = SAMPLES["ipdps22.fig3-4"]
        dmdar = [one | {"source": "measured", "loads": "", "bytes_loaded": ""} for one in rows
                 if one["strategy"] == "dmdar"]  # fmt: skip
        results = self.read("ipdps22.fig3-4", rows)
        sample_results.write(results.path.with_name("ipdps22.fig3-4.measured.csv"), dmdar)

        above = pictures.of_results(results, Wish())[0].axes[0]

        hollow = next(one for one in above.get_lines()
                      if one.get_fillstyle() == "none" and len(one.get_xdata()))  # fmt: skip
        self.assertEqual(list(hollow.get_xdata()), list(line(above, "DMDAR").get_xdata()))

    def test_a_band_ends_where_the_runs_do(self) -> None:
        # Nine runs at 1000 GFlop/s and one at 100: the mean plus one sd is 910 + 285, which none reached.
        rows = [one | {"replicate": i, "gflops": 100 if i == 0 else 1000}
                for one in SAMPLES["ipdps22.fig3-4"] for i in range(10)
                if one["strategy"] == "darts:eviction=lru" and one["replicate"] == 0]  # fmt: skip

        above, _ = self.panels("ipdps22.fig3-4", rows)

        tops = [path.vertices[:, 1].max() for band in above.collections for path in band.get_paths()
                if len(path.vertices)]  # fmt: skip
        self.assertEqual(max(tops), 1000)

    def test_rows_without_throughput_are_refused(self) -> None:
        rows = [one | {"gflops": ""} for one in SAMPLES["coloc21.fig3"]]

        with self.assertRaisesRegex(PlotError, "'gflops' is empty"):
            self.panels("coloc21.fig3", rows)


class GeneralPlots(FigureTest):
    def test_lines_over_the_varying_parameter(self) -> None:
        rows = [one for n in (10, 20, 50) for one in sample_results.point(
            "outer", n, 4, "homogeneous:p=4", 3.0, ("random", "dynamic-2phases"), 3, ())]  # fmt: skip

        axes = self.draw("study", rows)

        self.assertEqual(axes.get_xlabel(), "blocks per side n")
        self.assertEqual(axes.get_ylabel(), measures.RATIO_LABEL)
        self.assertEqual(legend(axes), ["random", "dynamic-2phases", "bound"])
        self.assertEqual(list(line(axes, "random").get_xdata()), [10, 20, 50])
        self.assertEqual(words(axes), "outer:n=* on homogeneous:p=4")

    def test_a_wide_axis_is_logarithmic(self) -> None:
        rows = [sample_results.cells("simulated", "random", f"outer:n={n}", "homogeneous:p=4", 2.0)
                for n in (10, 1000)]  # fmt: skip

        self.assertEqual(self.draw("study", rows).get_xscale(), "log")

    def test_bars_where_nothing_varies(self) -> None:
        rows = list(sample_results.point(
            "outer", 100, 20, "homogeneous:p=20", 4.0, sample_results.STRATEGIES, 4))  # fmt: skip

        axes = self.draw("runs", rows)

        names = [text.get_text() for text in axes.get_yticklabels()]
        lengths = [bar.get_width() for bar in sorted(axes.patches, key=lambda bar: bar.get_y())]
        self.assertEqual(names[0], "static-columns, simulated")
        self.assertEqual(len(lengths), len(names))
        self.assertEqual(lengths, sorted(lengths))
        self.assertEqual(axes.get_xlabel(), measures.RATIO_LABEL)

    def test_names_side_by_side(self) -> None:
        rows = [sample_results.cells("simulated", "random", "outer:n=9", platform, 2.0)
                for platform in ("unif.1:p=3", "set.3:p=3", "speeds:1,2,3")]  # fmt: skip

        axes = self.draw("runs", rows)

        names = [text.get_text() for text in axes.get_xticklabels()]
        self.assertEqual(names, ["unif.1", "set.3", "speeds:1,2,3"])

    def test_lines_of_one_strategy_look_different(self) -> None:
        rows = [sample_results.cells("simulated", "eager", f"outer:n={n}", "gpus:k=1", 2.0)
                | {"eviction": eviction} for n in (3, 9) for eviction in ("lru", "luf")]  # fmt: skip

        axes = self.draw("runs", rows)

        looks = {(one.get_color(), one.get_fillstyle()) for one in axes.get_lines()
                 if one.get_label().startswith("eager")}
        self.assertEqual(legend(axes), ["eager, lru", "eager, luf", "bound"])
        self.assertEqual(len(looks), 2)


if __name__ == "__main__":
    unittest.main()
