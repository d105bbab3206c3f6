"""Grids of blocks and memory over time: what is read of a trace, what is drawn, what is refused."""

from __future__ import annotations

import io
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import blocks
import grid
import matplotlib
import memory
import motion
import numpy
import processors
import sample_traces
import style
import traces
from errors import PlotError
from matplotlib.figure import Figure
from PIL import Image

SCRIPT = Path(__file__).resolve().parents[2] / "plots" / "draw.py"
Event = sample_traces.Event


def resident(pid: int, time: float, size: int) -> Event:
    """So many bytes are in memory from that millisecond on."""
    return {"ph": "C", "pid": pid, "name": "resident", "ts": time * 1e3, "args": {"bytes": size}}


def tasks(*names: str) -> list[Event]:
    """One after the other on two processors in turn, a millisecond each."""
    return [sample_traces.interval("task", 1 + i % 2, i, i + 1, name, i)
            for i, name in enumerate(names)]  # fmt: skip


class TraceTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_of(self, events: list[Event], **about: object) -> traces.Run:
        described = [sample_traces.about(**about)]
        (run,) = traces.read(sample_traces.write(self.folder / "t.json", described, events))
        return run

    def grid_of(self, *names: str, workload: str = "gemm2d:n=2") -> dict[blocks.Block, list[int]]:
        """The numbers of the tasks of each block, which are their starts in ms."""
        found = blocks.grid(self.run_of(tasks(*names), workload=workload))
        return {block: [round(1e3 * step.start) for step in steps]
                for block, steps in found.steps.items()}  # fmt: skip

    def drawn(self, figure: object, *runs: traces.Run, of: str = "screen") -> motion.MovingFigure:
        with matplotlib.rc_context(style.rc(style.STYLES[of])):
            drawn = figure(list(runs))  # type: ignore[operator]
            drawn.savefig(io.BytesIO(), format="png")
        return drawn


class Blocks(TraceTest):
    def test_names_tell_the_block_that_a_task_writes(self) -> None:
        self.assertEqual(self.grid_of("task (0,1)", "task (1,0)"), {(0, 1): [0], (1, 0): [1]})
        self.assertEqual(self.grid_of("T(0,1)", workload="outer:n=2"), {(0, 1): [0]})
        self.assertEqual(self.grid_of("GEMM(0,1,0)", "GEMM(0,1,1)"), {(0, 1): [0, 1]})
        self.assertEqual(
            self.grid_of("POTRF(0)", "TRSM(1,0)", "SYRK(1,0)", "POTRF(1)", workload="file:path=a"),
            {(0, 0): [0], (1, 0): [1], (1, 1): [2, 3]},
        )

    def test_numbers_tell_it_where_the_order_of_submission_is_known(self) -> None:
        names = [f"T{i}" for i in range(10)]
        for workload, expected in (
            ("gemm2d:m=2,n=5", {(0, 3): [3], (1, 4): [9]}),
            ("gemm3d:m=1,n=2,k=5", {(0, 0): [0, 1, 2, 3, 4], (0, 1): [5, 6, 7, 8, 9]}),
            ("cholesky:n=3,deps=true", {(0, 0): [0], (1, 0): [1], (2, 0): [2], (1, 1): [3, 6],
                                        (2, 1): [5, 7], (2, 2): [4, 8, 9]}),
        ):  # fmt: skip
            found = self.grid_of(*names, workload=workload)
            self.assertLessEqual(expected.items(), found.items(), workload)

    def test_numbers_of_lu(self) -> None:
        found = self.grid_of(*(f"T{i}" for i in range(5)), workload="lu:n=2,deps=false")

        self.assertEqual(found, {(0, 0): [0], (0, 1): [1], (1, 0): [2], (1, 1): [3, 4]})

    def test_a_stencil_has_cells_and_steps(self) -> None:
        names = ("JACOBI(0,0,0)", "JACOBI(0,1,0)", "JACOBI(1,0,0)", "JACOBI(1,1,0)", "JACOBI(0,1,1)")
        run = self.run_of(tasks(*names), workload="stencil:n=2,steps=2")
        found = blocks.grid(run)

        self.assertEqual((found.rows, found.columns), (4, 2))
        self.assertEqual([block for block, _ in sorted(found.steps.items(), key=lambda one: one[1])],
                         [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1)])  # fmt: skip
        axes = self.drawn(grid.figure, run).axes[0]
        self.assertEqual((axes.get_ylabel(), axes.get_xlabel()), ("cell, row by row", "step"))

    def test_layers_have_a_row_each(self) -> None:
        run = self.run_of(tasks("T(0,0)", "T(0,1)", "T(1,0)"), workload="layered:n=2,layers=2")

        axes = self.drawn(grid.figure, run).axes[0]

        self.assertEqual((axes.get_ylabel(), axes.get_xlabel()), ("layer", "task of the layer"))

    def test_what_has_no_blocks_is_refused(self) -> None:
        for workload in ("stencil:n=4,steps=2", "file:path=a.json", "gemm2d:n=2,order=random,seed=1",
                         "gemm2d:n=many", "sparse2d:n=3,density=0.5"):  # fmt: skip
            with self.assertRaisesRegex(PlotError, r"its tasks tell no block \(i,j\)"):
                self.grid_of("T0", "T1", workload=workload)
        with self.assertRaisesRegex(PlotError, "task 'T4' is outside of its grid"):
            self.grid_of(*(f"T{i}" for i in range(5)), workload="gemm2d:n=2")
        with self.assertRaisesRegex(PlotError, "outside of its grid"):
            self.grid_of("GEMM(99999,0)")
        with self.assertRaisesRegex(PlotError, "no task ran"):
            self.grid_of()


    def test_digits_of_names_tell_the_block_where_they_fill_a_grid(self) -> None:
        mine = "file:path=product.json"
        for names in (("C00", "C01", "C10", "C11"), ("C[0,0]", "C[0,1]", "C[1,0]", "C[1,1]"), ("c_1_1", "c_1_2", "c_2_1", "c_2_2")):
            self.assertEqual(self.grid_of(*names, workload=mine), {(0, 0): [0], (0, 1): [1], (1, 0): [2], (1, 1): [3]})
        for names in (("C00", "C01", "C10"), ("C00", "D01"), ("C00", "C02"), ("C7", "C8")):  # no whole grid, or none
            with self.assertRaisesRegex(PlotError, r"its tasks tell no block \(i,j\)"):
                self.grid_of(*names, workload=mine)


class Grids(TraceTest):
    def image(self, drawn: Figure) -> numpy.ndarray:
        return numpy.asarray(drawn.axes[0].images[0].get_array())

    def test_colours_are_the_processors_light_before_dark(self) -> None:
        run = self.run_of(tasks("task (0,0)", "task (0,1)", "task (1,0)", "task (1,1)"))

        image = self.image(self.drawn(grid.figure, run))

        self.assertEqual(image.shape, (2, 2, 3))
        first, second = processors.colours(2)
        for (i, j), colour, start in (((0, 0), first, 0), ((0, 1), second, 1),
                                      ((1, 0), first, 2), ((1, 1), second, 3)):  # fmt: skip
            numpy.testing.assert_allclose(image[i, j], grid.shaded(colour, start / 8))
        self.assertGreater(image[0, 0].sum(), image[1, 0].sum())

    def test_a_block_of_several_tasks_has_a_strip_for_each(self) -> None:
        run = self.run_of(tasks("GEMM(0,0,0)", "GEMM(0,0,1)", "GEMM(0,1,0)"))

        image = self.image(self.drawn(grid.figure, run))

        self.assertEqual(image.shape, (1, 4, 3))
        self.assertFalse((image[0, 0] == image[0, 1]).all())
        self.assertTrue((image[0, 2] == image[0, 3]).all())

    def test_the_scale_names_the_processors(self) -> None:
        for about, names in (({"processor_names": ["GPU0", "CPU1"]}, ["GPU0", "CPU1"]),
                             ({"processor_names": ["0", "1"]}, ["processor 0", "processor 1"])):  # fmt: skip
            run = self.run_of(tasks("task (0,0)", "task (0,1)"), **about)

            scale = self.drawn(grid.figure, run).axes[-1]

            self.assertEqual([one.get_text() for one in scale.get_yticklabels()], names)
        self.assertEqual(scale.get_xlabel(), "start of the task [ms]")

    def test_runs_stand_side_by_side(self) -> None:
        run = self.run_of(tasks("task (0,0)", "task (0,1)"))

        drawn = self.drawn(grid.figure, run, run)

        self.assertEqual(len(drawn.axes), 3)
        self.assertEqual(drawn.axes[0].get_title(loc="left"), "darts, 8 ms")
        with self.assertRaisesRegex(PlotError, "10 runs are more than"):
            grid.figure([run] * 10)

    def test_as_of_a_time_what_has_not_begun_is_empty(self) -> None:
        run = self.run_of(tasks("task (0,0)", "task (0,1)"))
        drawn = self.drawn(grid.figure, run)

        drawn.show(0.0005)

        self.assertEqual(tuple(self.image(drawn)[0, 1]), grid.EMPTY)
        self.assertNotEqual(tuple(self.image(drawn)[0, 0]), grid.EMPTY)

    def test_in_a_column_of_a_paper(self) -> None:
        run = self.run_of(tasks("task (0,0)", "task (0,1)"))

        drawn = self.drawn(grid.figure, run, of="paper")

        self.assertEqual(drawn.get_size_inches()[0], 3.3)
        self.assertEqual(drawn.axes[0].get_title(loc="left"), "")


class Memory(TraceTest):
    PLAIN = [event for event in sample_traces.small() if event["ph"] != "C"]
    EVENTS = [*PLAIN, resident(1, 2, 1_000_000), resident(1, 3, 2_000_000),
              resident(1, 4, 1_000_000)]  # fmt: skip

    def lines(self, drawn: Figure, panel: int) -> list[tuple[list[float], list[float]]]:
        return [([float(round(x, 9)) for x in line.get_xdata()], [float(y) for y in line.get_ydata()])
                for line in drawn.axes[panel].get_lines() if line.get_drawstyle() == "steps-post"]  # fmt: skip

    def test_loads_count_when_they_are_there_and_bytes_are_those_of_the_trace(self) -> None:
        drawn = self.drawn(memory.figure, self.run_of(self.EVENTS))

        self.assertEqual(self.lines(drawn, 0)[0], ([0, 2, 3, 8], [0, 1, 2, 2]))
        self.assertEqual(self.lines(drawn, 1)[0], ([0, 2, 3, 4, 8], [0, 1, 2, 1, 1]))
        self.assertEqual(drawn.axes[1].get_ylabel(), "in memory [MB]")
        self.assertIn("2 loads", drawn.axes[0].get_title(loc="left"))

    def test_items_where_sizes_are_not_known(self) -> None:
        drawn = self.drawn(memory.figure, self.run_of(self.PLAIN))

        self.assertEqual(self.lines(drawn, 1)[0], ([0, 2, 3, 4, 8], [0, 1, 2, 1, 1]))
        self.assertEqual(drawn.axes[1].get_ylabel(), "items in memory")

    def test_the_limit_that_the_platform_names(self) -> None:
        for platform, limit in (("gpus:k=2,memory=3MB", 3e6), ("gpus:k=2,memory=3data", 6e6),
                                ("gpus.toml", None), ("homogeneous:p=2", None)):  # fmt: skip
            run = self.run_of(self.EVENTS, platform=platform, loads=2, bytes_loaded=4_000_000)
            self.assertEqual(memory.memory_limit(run), limit)
            levels = [line.get_ydata()[0] for line in self.drawn(memory.figure, run).axes[1].get_lines()
                      if line.get_linestyle() == "--"]  # fmt: skip
            self.assertEqual(levels, [limit / 1e6] if limit else [])

    def test_very_many_steps_keep_their_peaks_and_their_end(self) -> None:
        count = 10 * memory.MOST_POINTS
        times, values = memory._thinned(list(range(count)), [i % 7 for i in range(count)])  # noqa: SLF001

        self.assertLessEqual(len(times), memory.MOST_POINTS + 1)
        self.assertEqual((times[-1], values[-1]), (count - 1, (count - 1) % 7))
        self.assertEqual(set(values[:-1]), {6})

    def test_as_of_a_time_lines_end_there(self) -> None:
        drawn = self.drawn(memory.figure, self.run_of(self.EVENTS))

        drawn.show(0.0025)

        self.assertEqual(self.lines(drawn, 0)[0], ([0, 2, 2.5], [0, 1, 1]))


class Animations(TraceTest):
    def setUp(self) -> None:
        super().setUp()
        events = tasks("task (0,0)", "task (0,1)", "task (1,0)", "task (1,1)")
        self.trace = sample_traces.write(self.folder / "t.json", [sample_traces.about()], events)

    def draw(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True,
                              text=True, check=False, cwd=self.folder)  # fmt: skip

    def test_endings_and_the_option_make_them(self) -> None:
        for words, name, kind in (
            (("grid", "t.json", "-o", "a.gif"), "a.gif", "GIF"),
            (("memory", "t.json", "-o", "b.apng"), "b.apng", "PNG"),
            (("grid", "t.json", "--animate", "-o", "c.png"), "c.png", "PNG"),
            (("memory", "t.json", "--animate"), "t.memory.gif", "GIF"),
        ):  # fmt: skip
            done = self.draw(*words)
            self.assertEqual((done.returncode, done.stdout), (0, f"{name}\n"), done.stderr)
            with Image.open(self.folder / name) as picture:
                self.assertEqual(picture.format, kind)
                self.assertGreater(picture.n_frames, 1)
                self.assertLessEqual(picture.n_frames, 60)

    def test_the_last_frame_is_the_whole_run(self) -> None:
        self.draw("grid", "t.json", "-o", "a.apng")

        with Image.open(self.folder / "a.apng") as picture:
            colours = []
            for frame in (0, picture.n_frames - 1):
                picture.seek(frame)
                colours.append(len(set(picture.convert("RGB").getdata())))
        self.assertGreater(colours[1], colours[0])

    def test_pictures_that_stand_have_names_of_their_own(self) -> None:
        for what in ("grid", "memory"):
            done = self.draw(what, "t.json", "--format", "png,svg")
            self.assertEqual(done.stdout, f"t.{what}.png\nt.{what}.svg\n", done.stderr)

    def test_requests_that_make_none_are_refused(self) -> None:
        for words, says in (
            (("grid", "t.json", "--animate", "--format", "pdf"), "a GIF or an APNG, not pdf"),
            (("gantt", "t.json", "-o", "a.mp4"), "not in '.mp4'; animations are of `damocles plot grid`"),
            (("grid", "t.json", "-o", "a.mp4"), "pictures end in .png, .svg, .pdf, .gif or .apng, not in '.mp4'"),
            (("gantt", "t.json", "-o", "a.gif"), "not in '.gif'; animations are of `damocles plot grid`"),
            (("gantt", "t.json", "--animate"), "animations are of plot grid and plot memory"),
            (("grid", "t.json", "--x", "n"), "--x does not go with a trace"),
        ):  # fmt: skip
            done = self.draw(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)


class Scales(unittest.TestCase):
    def test_of_many_processors_have_colours_of_their_own(self) -> None:
        for count in (1, 8, 40):
            self.assertEqual(len(set(processors.colours(count))), count)

    def test_of_time_begin_light_and_end_dark(self) -> None:
        shades = [sum(grid.shaded((0.2, 0.5, 0.9), i / 10)) for i in range(11)]

        self.assertEqual(shades, sorted(shades, reverse=True))
        self.assertTrue(math.isclose(shades[5], 1.6))


if __name__ == "__main__":
    unittest.main()
