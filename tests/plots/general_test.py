"""General plots: what is drawn of any sweep, asked of the plan and of the figure's artists."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import general
import legends
import matplotlib
import panels
import pictures
import results
import sample_results
import style
import wish
from errors import PlotError
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from sample_results import Cells, cells
from wish import Wish


def sweep(strategies: tuple[str, ...], sizes: tuple[int, ...] = (5, 10, 20)) -> list[Cells]:
    """Limited memory, one run a row: 100 n GFlop/s, bound 1000 n; 8 n bytes in 4 n loads."""
    return [
        cells("simulated", name, f"gemm2d:n={n}", f"gpus:k=1,memory={memory}", 2.0)
        | {"eviction": "lru", "processors": 1, "gflops": 100 * n, "flops": 1e12 * n, "loads": 4 * n,
           "lower_bound": 2 * n, "bytes_loaded": 8 * n, "makespan_s": 10,
           "makespan_lower_bound_s": 1}
        for memory in ("500MB", "1GB") for name in strategies for n in sizes
    ]  # fmt: skip


def unlimited(strategy: str, p: int, value: float, **other: object) -> Cells:
    """One run over p equal processors."""
    return cells("simulated", strategy, "outer:n=9", f"homogeneous:p={p}", value) | other


class GeneralTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, rows: list[Cells], name: str = "a.csv") -> Path:
        return sample_results.write(self.folder / name, rows)

    def plan(self, rows: list[Cells], **wishes: object) -> general.Plan:
        asked = Wish(**wishes)  # type: ignore[arg-type]
        return general.plan(pictures.kept(results.read(self.write(rows)), asked), asked)

    def draw(self, rows: list[Cells], **wishes: object) -> Figure:
        asked = Wish(**wishes)  # type: ignore[arg-type]
        with matplotlib.rc_context(style.RC):
            return panels.figure(self.plan(rows, **wishes), asked)

    def refused(self, words: str, rows: list[Cells], **wishes: object) -> None:
        with self.assertRaisesRegex(PlotError, words):
            self.draw(rows, **wishes)


class FailedRows(GeneralTest):
    ROWS = [unlimited("random", p, 2.0) for p in (2, 4)] + [
        unlimited("random", 4, 100.0, status="failed", replicate=1),
        unlimited("sorted", 2, 3.0), unlimited("sorted", 4, 3.0)]  # fmt: skip

    def test_are_never_averaged_in(self) -> None:
        (panel,) = self.plan(self.ROWS).panels

        self.assertEqual({x: one.mean for x, one in panel.lines[0].points.items()}, {2: 2, 4: 2})

    def test_are_marked_and_counted(self) -> None:
        plan = self.plan(self.ROWS)
        drawn = self.draw(self.ROWS)

        self.assertEqual(plan.panels[0].failed, {"random": [4.0]})
        self.assertIn("1 of 5 rows not ok: random 1 'failed'", plan.caption)
        crosses = [one for one in drawn.axes[0].get_lines() if one.get_marker() == "x"]
        self.assertEqual([list(one.get_xdata()) for one in crosses], [[4.0]])
        self.assertEqual(crosses[0].get_color(), style.STRATEGIES["random"].colour)
        _, notes = pictures.of_files([self.write(self.ROWS)], Wish())
        self.assertIn("1 of 5 rows not ok", notes[0])

    def test_alone_are_refused(self) -> None:
        self.refused("no row to draw: 1 of 1 rows not ok", self.ROWS[2:3])

    def test_are_left_out_of_papers_figures_too(self) -> None:
        rows = sample_results.figures()["hpdc14.fig7"]
        path = self.write([rows[0] | {"status": "failed", "volume_ratio": 1e9}, *rows[1:]],
                          "hpdc14.fig7.csv")  # fmt: skip

        drawn, notes = pictures.of_files([path], Wish())

        self.assertLess(drawn.axes[0].get_ylim()[1], 100)
        self.assertIn("1 of", notes[0])
        self.assertIn("1 of", drawn._supxlabel.get_text())


class Chooses(GeneralTest):
    def test_throughput_above_transfers_where_memory_is_limited(self) -> None:
        above, *_, below = self.plan(sweep(("darts", "dmdar"))).panels

        self.assertEqual(above.measure.label(above.unit), "throughput [GFlop/s]")
        self.assertEqual(below.measure.label(below.unit), "data transfers [B]")

    def test_bounds_of_throughput_and_transfers(self) -> None:
        above, below = self.plan(sweep(("darts",))).panels

        self.assertEqual(above.bounds[0].points, {5: 5000, 10: 10000, 20: 20000})
        self.assertEqual(below.bounds[0].points, {5: 20, 10: 40, 20: 80})  # 2n loads of 2 bytes

    def test_options_that_some_rows_lack_tell_lines_apart(self) -> None:
        rows = [unlimited(name, p, ratio) for p in (2, 4)
                for name, ratio in (("darts", 1.0), ("darts:opti=true", 3.0))]  # fmt: skip

        lines = {one.label: one for one in self.plan(rows).panels[0].lines}

        self.assertEqual(list(lines), ["darts", "darts, opti=true"])
        self.assertEqual(lines["darts"].points[2].mean, 1.0)

    def test_platforms_that_are_not_alike_are_not_averaged(self) -> None:
        rows = [cells("simulated", "random", f"outer:n={n}", platform, ratio) for n in (3, 9)
                for platform, ratio in (("homogeneous:p=2", 1.0), ("uniform:p=2,lo=1,hi=9", 3.0))]  # fmt: skip

        means = {point.mean for one in self.plan(rows).panels[0].lines
                 for point in one.points.values()}  # fmt: skip

        self.assertEqual(means, {1.0, 3.0})

    def test_the_least_of_a_sweep_over_beta_is_marked(self) -> None:
        rows = [unlimited(f"dynamic-2phases:beta={b}", 2, ratio, beta=b)
                for b, ratio in ((1, 3.0), (4, 2.0), (7, 2.5))]  # fmt: skip

        drawn = self.draw(rows)

        labels = [text.get_text() for text in drawn.subfigs[1].legends[0].get_texts()]
        self.assertEqual(labels[0], "dynamic-2phases, least 2 at β = 4")
        rings = [one for one in drawn.axes[0].get_lines() if one.get_markersize() == 11]
        self.assertEqual([(list(one.get_xdata()), list(one.get_ydata())) for one in rings],
                         [([4.0], [2.0])])  # fmt: skip

    def test_a_panel_for_each_value_of_a_second_parameter(self) -> None:
        plan = self.plan(sweep(("darts", "dmdar")))

        self.assertEqual((plan.facet, plan.facets), ("platform.memory", ["500MB", "1GB"]))
        self.assertEqual([one.label for one in plan.panels[0].lines], ["dmdar", "darts"])
        self.assertEqual(plan.choice.x, "workload n")
        # Of one strategy a line for each value is easier to compare.
        alone = self.plan(sweep(("darts",)))
        self.assertEqual([one.label for one in alone.panels[0].lines],
                         ["darts, memory=500MB", "darts, memory=1GB"])  # fmt: skip
        self.assertEqual(self.plan(sweep(("darts", "dmdar")), facet="none").facets, [""])

    def test_an_eviction_policy_is_told_where_a_strategy_has_several(self) -> None:
        rows = [one | {"eviction": "luf" if one["strategy"] == "darts" else "lru"}
                for one in sweep(("darts", "dmdar"))]  # fmt: skip
        self.assertEqual([one.label for one in self.plan(rows).panels[0].lines], ["dmdar", "darts"])
        rows += [one | {"eviction": "fifo"} for one in rows if one["strategy"] == "darts"]
        self.assertIn("darts, fifo", [one.label for one in self.plan(rows).panels[0].lines])

    def test_the_best_eight_of_more_lines(self) -> None:
        rows = [one | {"gflops": 100 * int(str(one["strategy"])[1:])}
                for one in sweep(tuple(f"s{i}" for i in range(1, 13)))]  # fmt: skip

        plan = self.plan(rows)

        for panel in plan.panels:
            self.assertEqual({one.label for one in panel.lines}, {f"s{i}" for i in range(5, 13)})
        words = "8 of 12 lines: those with the highest throughput on average (--all-lines draws all)"
        self.assertEqual(plan.hidden, words)
        self.assertIn(words, plan.caption)
        _, notes = pictures.of_files([self.write(rows)], Wish())
        self.assertIn(words, notes[0])
        for all_of_them in (self.plan(rows, all_lines=True), self.plan(rows[:3])):
            self.assertEqual(all_of_them.hidden, "")
        self.assertEqual(len(self.plan(rows, all_lines=True).panels[0].lines), 12)

    def test_predictions_stay_with_the_lines_of_their_strategies(self) -> None:
        rows = [unlimited(f"s{i}", p, 1 + i) for i in range(10) for p in (2, 4)]
        rows += [one | {"source": "predicted", "model": "refined"} for one in rows]

        (panel,) = self.plan(rows).panels

        self.assertEqual(len(panel.lines), 16)
        self.assertEqual({one.strategy for one in panel.lines}, {f"s{i}" for i in range(8)})

    def test_lines_are_judged_where_they_have_points(self) -> None:
        rows = [unlimited(f"s{i}", p, 10 * p + i) for i in range(9) for p in (2, 4)]
        rows.append(unlimited("short", 4, 38.0))  # the best where it is, but high on average

        (panel,) = self.plan(rows).panels

        self.assertIn("short", [one.label for one in panel.lines])

    def test_bars_are_sorted_the_best_on_top(self) -> None:
        rows = [one | {"gflops": value} for one, value in
                zip(sweep(("a", "b", "c"), (5,))[:3], (10, 30, 20))]  # fmt: skip

        drawn = self.draw(rows)

        names = [text.get_text() for text in drawn.axes[0].get_yticklabels()]
        self.assertEqual(names, ["b", "c", "a"])
        self.assertEqual([bar.get_width() for bar in drawn.axes[0].patches], [10, 30, 20])


class Obeys(GeneralTest):
    def test_x_and_y_by_any_name(self) -> None:
        for name in ("n", "workload.n"):
            (panel, *_) = self.plan(sweep(("darts",)), x=name, y=("makespan_s",)).panels
            self.assertEqual(list(panel.lines[0].points), [5, 10, 20])
            self.assertEqual(panel.measure.column, "makespan_s")
        plan = self.plan(sweep(("darts",)), x="memory")
        self.assertEqual(list(plan.panels[0].lines[0].points), [500.0, 1000.0])
        self.assertEqual(plan.choice.label(), "platform memory [MB]")
        self.assertEqual(len(plan.panels[0].lines), 3)  # one a size

    def test_names_as_x(self) -> None:
        plan = self.plan(sweep(("darts", "dmdar"), (5,)), x="strategy", y=("gflops",))

        self.assertEqual(plan.categories, ["darts", "dmdar"])

    def test_what_a_facet_tells_already_splits_no_line(self) -> None:
        rows = [cells("simulated", "darts", f"gemm2d:n={n},precision={p}",
                      f"gpus:k=1,preset=h200,precision={p},memory={size}", 2.0)
                for n in (5, 9) for p in ("single", "tf32") for size in ("1GB", "2GB")]  # fmt: skip

        plan = self.plan(rows, x="memory", facet="workload.precision", y=("volume_ratio",))

        self.assertEqual(plan.facets, ["single", "tf32"])
        self.assertEqual([[one.label for one in panel.lines] for panel in plan.panels],
                         [["darts, n=5", "darts, n=9"]] * 2)  # fmt: skip
        # Without panels both stand in the names of lines.
        (panel,) = self.plan(rows, x="memory", y=("volume_ratio",)).panels
        self.assertEqual(len(panel.lines), 4)

    def test_facets_share_their_range_and_looks(self) -> None:
        drawn = self.draw(sweep(("darts", "dmdar")), facet="memory", y=("gflops",))

        first, second = drawn.axes
        self.assertEqual([axes.get_title(loc="left") for axes in drawn.axes], ["memory = 500MB", "memory = 1GB"])
        self.assertEqual(first.get_ylim(), second.get_ylim())
        self.assertEqual([one.get_color() for one in first.get_lines()],
                         [one.get_color() for one in second.get_lines()])  # fmt: skip

    def test_where(self) -> None:
        rows = sweep(("darts:opti=true", "dmdar", "eager"))
        for conditions, count in (
            (("strategy=darts,dmdar",), 12), (("strategy!=darts",), 12), (("n>5",), 12),
            (("n>5", "n<=10"), 6), (("memory>=1000MB",), 9), (("opti=true",), 6), (("n=5.0",), 6),
        ):  # fmt: skip
            found = pictures.kept(results.read(self.write(rows)), Wish(where=conditions))
            self.assertEqual(len(found.rows), count, conditions)

    def test_log_size_and_title(self) -> None:
        drawn = self.draw(sweep(("darts",)), log="xy", size=(5.0, 4.0), title="$a_b$ \\frac")

        self.assertEqual((drawn.axes[0].get_xscale(), drawn.axes[0].get_yscale()), ("log", "log"))
        self.assertEqual(tuple(drawn.get_size_inches()), (5.0, 4.0))
        self.assertEqual(drawn._suptitle.get_text() if drawn._suptitle else
                         drawn.subfigs[0]._suptitle.get_text(), "$a_b$ \\frac")  # fmt: skip

    def test_several_files_lines_by_file_where_they_hold_the_same(self) -> None:
        paths = [self.write([unlimited("random", p, ratio) for p in (2, 4)], f"{name}.csv")
                 for name, ratio in (("monday", 2.0), ("tuesday", 3.0))]  # fmt: skip

        (panel,) = general.plan(results.read_all(paths)).panels

        self.assertEqual({one.label: one.points[2].mean for one in panel.lines},
                         {"random, monday": 2.0, "random, tuesday": 3.0})  # fmt: skip

    def test_refuses_naming_what_there_is(self) -> None:
        rows = sweep(("darts",))
        self.refused("--x: there is no column 'nn'; did you mean 'n'.*; there are n, k, memory", rows, x="nn")
        self.refused("--y: there is no column 'speed'", rows, y=("speed",))
        self.refused("--y: 'strategy' holds no numbers.*gflops", rows, y=("strategy",))
        self.refused("'n>99' leaves none of 6 rows.*n has 5, 10, 20", rows, where=("n>99",))
        self.refused("must be COLUMN=VALUE", rows, where=("n",))
        self.refused("'many' is not a number", rows, where=("n>many",))
        zero = [one | {"gflops": 0} for one in rows]
        self.refused("no value of y is above 0", zero, y=("gflops",), log="y")
        many = [unlimited("random", p, 2.0) for p in range(1, 20)]
        self.refused("19 values, more than 12 panels", many, facet="p")
        for text in ("6", "6x", "0x4", "1e9x4", "axb", "nanx4"):
            with self.assertRaisesRegex(PlotError, "--size"):
                wish.parse_size(text)


class Styles(GeneralTest):
    """Pictures for a column of a paper, for slides, for a screen."""

    def drawn(self, rows: list[Cells], of: str, **wishes: object) -> Figure:
        with matplotlib.rc_context(style.rc(style.STYLES[of])):
            asked = Wish(style=of, **wishes)  # type: ignore[arg-type]
            figure, self.notes = pictures.of_files([self.write(rows)], asked)
            FigureCanvasAgg(figure).draw()
        return figure

    def fonts(self, figure: Figure) -> set[float]:
        return {text.get_fontsize() for text in figure.findobj(Text)
                if text.get_text() and text.get_visible()}  # fmt: skip

    def test_a_column_of_a_paper_has_fonts_of_seven_to_eight_points(self) -> None:
        for rows in (sweep(("darts", "dmdar")), sweep(("darts", "dmdar"), (5,))[:2],
                     sample_results.figures()["hpdc14.fig7"]):  # fmt: skip
            figure = self.drawn(rows, "paper")

            self.assertEqual(figure.get_size_inches()[0], 3.3)
            self.assertTrue(all(7 <= size <= 8 for size in self.fonts(figure)), self.fonts(figure))

    def test_a_paper_says_title_and_caption_in_its_own_words(self) -> None:
        figure = self.drawn([*sweep(("darts", "dmdar"))], "paper")

        texts = [text.get_text() for text in figure.findobj(Text)]
        self.assertFalse([one for one in texts if "gemm2d" in one or "simulated" in one])
        self.assertIn("gflops alone is drawn (--y gflops,bytes_loaded draws both)", self.notes[0])
        self.assertIn("for the caption: simulated", self.notes[1])
        titled = self.drawn(sweep(("darts",)), "paper", title="Mine")
        self.assertIn("Mine", [text.get_text() for text in titled.findobj(Text)])

    def test_panels_in_a_column_are_of_one_measure(self) -> None:
        figure = self.drawn(sweep(("darts", "dmdar")), "paper")

        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes],
                         ["memory = 500MB", "memory = 1GB"])  # fmt: skip

    def test_slides_have_large_fonts(self) -> None:
        figure = self.drawn(sweep(("darts", "dmdar")), "slides")

        self.assertGreaterEqual(figure.get_size_inches()[0], 10)
        self.assertGreaterEqual(min(self.fonts(figure)), 12)

    def test_a_legend_or_panels_that_do_not_fit_are_refused(self) -> None:
        many = [unlimited(f"strategy-{i}", p, 1 + i) for i in range(20) for p in (2, 4)]
        with self.assertRaisesRegex(PlotError, "legend of 21 entries does not fit into 3.3 x 2 "
                                               "inches.*--strategies LIST"):  # fmt: skip
            self.drawn(many, "paper", size=(3.3, 2.0), all_lines=True)
        with self.assertRaisesRegex(PlotError, "2 panels one above the other do not fit.*--y"):
            self.drawn(sweep(("darts",)), "paper", size=(3.3, 1.6))

    def test_narrow_pictures_are_of_a_paper_unless_told_otherwise(self) -> None:
        for name, size, expected in (("", None, "screen"), ("", (3.3, 2.4), "paper"),
                                     ("", (6.0, 4.0), "screen"), ("slides", (3.3, 2.4), "slides"),
                                     ("paper", None, "paper")):  # fmt: skip
            self.assertEqual(style.chosen(name, size).name, expected)
        with self.assertRaisesRegex(PlotError, "--style 'big': must be screen, slides or paper"):
            wish.parse_style("big")


class Looks(GeneralTest):
    def test_forty_strategies_differ_and_stay_the_same_elsewhere(self) -> None:
        names = {f"mine-{i}" for i in range(40)} | set(style.STRATEGIES)

        looks = style.strategy_looks(names)

        self.assertEqual(len({(own.colour, own.marker) for own in looks.values()}), len(names))
        for name in style.STRATEGIES:
            self.assertEqual(looks[name], style.STRATEGIES[name])
        self.assertEqual(style.strategy_looks({"mine-1"})["mine-1"],
                         style.strategy_looks({"mine-1", "random"})["mine-1"])  # fmt: skip

    def test_every_row_of_the_table_is_a_strategy_of_the_program(self) -> None:
        listed = subprocess.run([os.environ["DAMOCLES_PROGRAM"], "list", "strategies", "--markdown"],
                                capture_output=True, text=True, check=True).stdout  # fmt: skip
        names = {line.split(" | ")[0].removeprefix("| ") for line in listed.splitlines()[2:]}

        self.assertEqual(style.STRATEGIES.keys() - names, set())

    def test_legends_take_less_than_two_fifths_of_the_picture(self) -> None:
        for count in (2, 12, 40, 90):
            rows = [unlimited(f"strategy-with-a-name-{i}" + "x" * (i % 50), p, 1 + i)
                    for p in (2, 4) for i in range(count)]  # fmt: skip
            for size in (None, (6.0, 4.0)):
                drawn = self.draw(rows, size=size)
                renderer = FigureCanvasAgg(drawn).get_renderer()
                drawn.draw(renderer)
                box = drawn.subfigs[1].legends[0].get_window_extent(renderer)
                share = box.width * box.height / (drawn.bbox.width * drawn.bbox.height)
                self.assertLess(share, 0.4, (count, size))
                self.assertLessEqual(box.x1, drawn.bbox.width + 1, (count, size))
                self.assertGreaterEqual(box.y0, -1, (count, size))

    def test_what_does_not_fit_is_counted(self) -> None:
        labels = [f"a rather long name of a strategy, {i}" for i in range(300)]

        where = legends.layout(labels, 6.0, 4.0, fixed=True)
        _, shown = legends.entries(list(labels), labels, where)  # type: ignore[arg-type]

        self.assertEqual(shown[-1], f"… and {300 - len(shown) + 1} more")

    def test_the_legend_is_in_the_order_in_which_lines_end(self) -> None:
        rows = [unlimited(name, p, p * slope) for p in (2, 4)
                for name, slope in (("low", 1), ("high", 3), ("middle", 2))]  # fmt: skip

        texts = self.draw(rows).subfigs[1].legends[0].get_texts()

        self.assertEqual([text.get_text() for text in texts], ["high", "middle", "low", "bound"])

    def test_numbers_between_powers_of_ten_stand_apart(self) -> None:
        drawn = self.draw(sweep(("darts",), (2, 5, 10, 40)), log="x", size=(8.0, 4.0))
        drawn.canvas.draw()
        axes = drawn.axes[-1]
        low, high = axes.get_xlim()
        boxes = sorted((label.get_window_extent() for label in axes.xaxis.get_ticklabels(which="both")
                        if label.get_text() and low <= label.get_position()[0] <= high), key=lambda box: box.x0)  # fmt: skip
        self.assertGreater(len(boxes), 2)
        for left, right in zip(boxes, boxes[1:]):
            self.assertGreater(right.x0 - left.x1, 0.3 * left.height)

    def test_a_logarithmic_axis_shows_the_bounds_of_the_legend(self) -> None:
        rows = [row | {"makespan_lower_bound_s": 5} for row in sweep(("darts",))]
        for measure, of_lines, of_bar in (("makespan_s", 5, 5), ("gflops", 4000, 1000)):
            drawn = self.draw(rows, y=(measure,), log="y", where=("memory=1GB",))

            low, high = drawn.subfigs[0].axes[0].get_ylim()

            self.assertTrue(low < of_lines < high, (measure, low, high))

            low, high = self.draw(rows[:1], y=(measure,), log="y").axes[0].get_xlim()

            self.assertTrue(low < of_bar < high, (measure, low, high))

    def test_names_are_no_markup_and_printable(self) -> None:
        name = "a$b_c$\\frac{x}^2\x07\n|é"
        drawn = self.draw([unlimited(name, p, 2.0) for p in (2, 4)])

        label = drawn.subfigs[1].legends[0].get_texts()[0]
        self.assertFalse(label.get_parse_math())
        self.assertEqual(label.get_text(), "a$b_c$\\\\frac{x}^2\\x07\\n|é")


if __name__ == "__main__":
    unittest.main()
