"""Traces and their Gantt charts: what is read, what is drawn, what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import gantt
import matplotlib
import sample_traces
import style
import traces
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text
from results import PlotError
from traces import Span

SCRIPT = Path(__file__).resolve().parents[2] / "plots" / "draw.py"


class GanttTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def read(
        self, events: list[sample_traces.Event], *runs: dict[str, object]
    ) -> list[traces.Run]:
        """The runs as read back from a file."""
        described = list(runs) or [sample_traces.about()]
        return traces.read(sample_traces.write(self.folder / "t.json", described, events))

    def draw(self, events: list[sample_traces.Event], *runs: dict[str, object]) -> Figure:
        """The chart, laid out as it would be saved."""
        with matplotlib.rc_context(style.RC):
            drawn = gantt.figure(self.read(events, *runs))
            drawn.savefig(self.folder / "t.png")
        return drawn


def rectangles(axes: Axes) -> list[tuple[float, float, float, float]]:
    """(start, end, top, bottom) of all bars, rounded."""
    result = []
    for shapes in axes.collections:
        if isinstance(shapes, PolyCollection):
            for path in shapes.get_paths():
                (left, top), (right, bottom) = path.vertices.min(axis=0), path.vertices.max(axis=0)
                result.append(tuple(round(float(v), 9) for v in (left, right, top, bottom)))
    return result


def ticks(axes: Axes) -> list[tuple[float, float]]:
    """(time, top) of all ticks, rounded."""
    return [(round(float(x), 9), round(float(y), 9)) for shapes in axes.collections
            if isinstance(shapes, LineCollection) for (x, y), _ in shapes.get_segments()]  # fmt: skip


class Reads(GanttTest):
    def test_what_each_processor_did_in_order_of_time(self) -> None:
        (run,) = self.read(sample_traces.small())

        first, second = run.processors
        self.assertEqual([copy.name for copy in first.copies], ["A(0)", "B(0)"])
        self.assertEqual([task.number for task in first.tasks], [0, 3])
        self.assertEqual([wait.name for wait in first.waits], ["waiting for data", "no work"])
        self.assertAlmostEqual(first.evictions[0], 0.004)
        self.assertAlmostEqual(second.tasks[0].end, 0.002)
        self.assertEqual(run.end, run.makespan)

    def test_numbers_of_processors_where_no_names_are_told(self) -> None:
        about = sample_traces.about()
        del about["processor_names"]

        (run,) = self.read(sample_traces.small(), about)

        self.assertEqual([one.name for one in run.processors], ["0", "1"])

    def test_only_traces(self) -> None:
        file = self.folder / "t.json"
        cases = (
            ("{", "not JSON"), ("[1]", "no trace of damocles"), ("{}", "no trace of damocles"),
            ('{"otherData": {"program": "other"}, "traceEvents": []}', "no trace of damocles"),
            ('{"otherData": {"program": "damocles", "runs": [{}]}}', "a damaged trace"),
        )  # fmt: skip
        for text, says in cases:
            file.write_text(text)
            with self.assertRaisesRegex(PlotError, f"t.json: .*{says}.*--trace"):
                traces.read(file)
        with self.assertRaisesRegex(PlotError, "a damaged trace"):
            self.read(sample_traces.small(), sample_traces.about(processors=1))
        with self.assertRaisesRegex(PlotError, "processor_names is no list of 2"):
            self.read(sample_traces.small(), sample_traces.about(processor_names=["GPU0"]))
        for time in (10**400, float("nan"), "soon", True, None):
            with self.assertRaisesRegex(PlotError, "a damaged trace"):
                self.read([sample_traces.small()[1] | {"ts": time}])
        with self.assertRaisesRegex(PlotError, "cannot read"):
            traces.read(self.folder / "absent.json")


class Merges(unittest.TestCase):
    GREY = (0.5, 0.5, 0.5)

    def bars(self, spans: list[Span], step: float) -> list[gantt.Bar]:
        return gantt.merged(spans, lambda _: self.GREY, step)

    def test_nothing_that_can_be_seen(self) -> None:
        spans = [Span(0, 2, "a"), Span(2, 3, "b"), Span(3.5, 5, "c")]

        bars = self.bars(spans, 0.5)

        self.assertEqual([(bar.start, bar.end, bar.alpha) for bar in bars],
                         [(0, 2, 1), (2, 3, 1), (3.5, 5, 1)])  # fmt: skip

    def test_what_is_too_narrow_and_keeps_the_time_that_is_taken(self) -> None:
        spans = [Span(i, i + 0.25, "") for i in range(10_000)]

        bars = self.bars(spans, 10)

        self.assertLess(len(bars), 10_000 / 10 + 1)
        self.assertAlmostEqual(sum(bar.covered for bar in bars), 2500)
        for bar in bars[:-1]:  # the last one may be a single span
            self.assertAlmostEqual(bar.alpha, 0.25, delta=0.03)
            self.assertLess(bar.end - bar.start, 30)

    def test_colours_by_the_time_they_take(self) -> None:
        colours = {"a": (1.0, 0.0, 0.0), "b": (0.0, 1.0, 0.0)}
        (bar,) = gantt.merged([Span(0, 3, "a"), Span(3, 4, "b")], lambda s: colours[s.name], 9)

        self.assertEqual(bar.colour, (0.75, 0.25, 0))

    def test_overlapping_copies_into_what_they_cover(self) -> None:
        spans = [Span(0, 2, ""), Span(1, 1.5, ""), Span(2, 3, ""), Span(4, 5, "")]

        self.assertEqual([(s.start, s.end) for s in gantt.united(spans)], [(0, 3), (4, 5)])

    def test_ticks_that_would_cover_each_other(self) -> None:
        self.assertEqual(gantt.thinned([0, 0, 0.4, 1, 1.5, 2], 1), [0, 1, 2])


class Draws(GanttTest):
    def test_a_row_of_tasks_waits_copies_and_evictions_a_processor(self) -> None:
        axes = self.draw(sample_traces.small()).axes[0]

        top, bottom = gantt.COMPUTE
        expected = {(0, 2, top, bottom), (2, 4, top, bottom), (4, 6, top, bottom),
                    (6, 8, top, bottom), (0, 3, *gantt.COPIES),
                    (0, 2, 1 + top, 1 + bottom), (2, 8, 1 + top, 1 + bottom)}  # fmt: skip
        self.assertEqual(set(rectangles(axes)), expected)
        self.assertEqual(ticks(axes), [(4, gantt.EVICTIONS[0])])
        self.assertEqual(axes.get_xlim(), (0, 8))
        self.assertEqual(axes.get_xlabel(), "time [ms]")
        self.assertEqual([label.get_text() for label in axes.get_yticklabels()], ["GPU0", "GPU1"])
        title = axes.get_title(loc="left")
        for part in ("simulated: darts (luf)", "gemm2d:n=2", "gpus:k=2,memory=3data",
                     "makespan 8 ms", "computing 38%", "copies hidden 40%"):  # fmt: skip
            self.assertIn(part, title)
        words = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(words, ["copy", "eviction", "waiting for data", "no work"])

    def test_invalidations_apart_from_evictions(self) -> None:
        events = sample_traces.small() + [sample_traces.invalidation(1, 5)]
        (run,) = self.read(events)
        self.assertEqual([round(time, 9) for time in run.processors[0].invalidations], [0.005])

        axes = self.draw(events).axes[0]

        self.assertEqual(sorted(ticks(axes)), [(4, gantt.EVICTIONS[0]), (5, gantt.EVICTIONS[0])])
        colours = {tuple(colour) for shapes in axes.collections if isinstance(shapes, LineCollection)
                   for colour in shapes.get_colors()}  # fmt: skip
        self.assertEqual(len(colours), 2)
        words = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertEqual(words[1:3], ["eviction", "invalidation"])

    def test_the_legend_covers_no_title(self) -> None:
        events = sample_traces.small() + [sample_traces.invalidation(1, 5),
                                          sample_traces.interval("wait", 1, 7, 8, "starting")]  # fmt: skip
        drawn = self.draw(events)
        axes = drawn.axes[0]
        titles = [text for text in axes.get_children()
                  if isinstance(text, Text) and text.get_text() == axes.get_title(loc="left")]  # fmt: skip
        self.assertEqual(len(titles), 1)
        legend = axes.get_legend().get_window_extent()
        self.assertFalse(legend.overlaps(titles[0].get_window_extent()))

    def test_several_runs_over_one_time_axis(self) -> None:
        events = sample_traces.small() + [
            event | {key: 2 * event[key] for key in ("ts", "dur") if key in event}
            for event in sample_traces.small(3)
        ]
        executed = sample_traces.about(3, name="executed", makespan_s=0.016, status="failed")

        drawn = self.draw(events, sample_traces.about(), executed)

        above, below = drawn.axes[:2]
        self.assertEqual(above.get_xlim(), below.get_xlim())
        self.assertEqual(above.get_xlim(), (0, 16))
        self.assertIn("simulated", above.get_title(loc="left"))
        self.assertIn("executed", below.get_title(loc="left"))
        self.assertIn("failed", below.get_title(loc="left"))

    def test_copies_that_take_no_time_as_ticks(self) -> None:
        events = [sample_traces.interval("copy", 1, 1, 1, "a"),
                  sample_traces.interval("task", 1, 1, 8, "GEMM(0,0)")]  # fmt: skip

        axes = self.draw(events, sample_traces.about(processors=1)).axes[0]

        self.assertEqual(ticks(axes), [(1, gantt.COPIES[0])])

    def test_kinds_of_tasks_where_names_tell_them(self) -> None:
        events = [sample_traces.interval("task", 1, i, i + 1, name)
                  for i, name in enumerate(("POTRF(0)", "GEMM(1,0)", "GEMM(2,0)"))]  # fmt: skip

        drawn = self.draw(events, sample_traces.about(processors=1))

        words = [text.get_text() for text in drawn.axes[0].get_legend().get_texts()]
        self.assertEqual(words, ["GEMM", "POTRF"])
        self.assertEqual(len(drawn.axes), 1)  # no scale of numbers

    def test_kinds_of_tasks_that_the_trace_tells(self) -> None:
        events = [sample_traces.interval("task", 1, i, i + 1, f"T{i}") for i in range(3)]
        for event, kind in zip(events, ("trsm", "gemm", "gemm")):
            event["args"]["kind"] = kind

        drawn = self.draw(events, sample_traces.about(processors=1))

        words = [text.get_text() for text in drawn.axes[0].get_legend().get_texts()]
        self.assertEqual(words, ["gemm", "trsm"])

    def test_an_empty_run(self) -> None:
        self.draw([], sample_traces.about(makespan_s=0, processors=1))

        self.assertGreater(imread(self.folder / "t.png").shape[1], 800)

    def test_many_events_with_few_shapes(self) -> None:
        events = [sample_traces.interval("task", 1 + i % 2, i // 2 * 1e-3, i // 2 * 1e-3 + 9e-4,
                                         f"GEMM({i},0)", i) for i in range(20_000)]  # fmt: skip

        axes = self.draw(events, sample_traces.about(makespan_s=0.01)).axes[0]

        self.assertLess(len(rectangles(axes)), 2 * gantt.STEPS)
        self.assertTrue(all(shapes.get_rasterized() for shapes in axes.collections))


class Program(GanttTest):
    def run_on(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs `draw.py gantt`."""
        command = [sys.executable, "-B", SCRIPT, "gantt", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_writes_three_formats_and_the_same_bytes_again(self) -> None:
        file = sample_traces.write(
            self.folder / "t.json", [sample_traces.about()], sample_traces.small()
        )

        done = self.run_on(file)
        again = self.run_on(file, "-o", self.folder / "again")

        self.assertEqual((done.returncode, again.returncode), (0, 0), done.stderr)
        kinds = ("png", "svg", "pdf")
        self.assertEqual(done.stdout.split(), [str(self.folder / f"t.{kind}") for kind in kinds])
        for kind in kinds:
            first, second = self.folder / f"t.{kind}", self.folder / f"again.{kind}"
            self.assertEqual(first.read_bytes(), second.read_bytes(), kind)

    def test_refuses_in_one_line(self) -> None:
        other = self.folder / "o.json"
        other.write_text(json.dumps({"records": []}))
        for arguments, says in (
            ((self.folder / "absent.json",), "cannot read"), ((SCRIPT,), "not JSON"),
            ((other,), "no trace of damocles"), ((), "usage: damocles plot gantt TRACE.json"),
        ):  # fmt: skip
            done = self.run_on(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, r"\Adamocles plot: [^\n]*\n\Z")
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    unittest.main()
