"""Trajectories: the file, and the picture of it."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import draw
import matplotlib
import style
import trajectories
from results import PlotError

HEADER = ",".join(trajectories.COLUMNS)
UNLIMITED = ("open_tasks", "known_indices", "open_outside")
RUN = "dynamic,outer:n=9,homogeneous:p=2,1,3"


def sample() -> str:
    """Two instants of each quantity, simulated and predicted."""
    lines = [HEADER]
    for quantity in UNLIMITED:
        for time, mean in ((0, 1.0), (2.5, 0.25)):
            lines.append(f"predicted,ode,{RUN},{quantity},,{time},{mean},,")
            lines.append(f"simulated,,{RUN},{quantity},,{time},{mean},{mean / 2},{mean}")
    return "\n".join(lines) + "\n"


class TrajectoriesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "run.csv"
        self.file.write_text(sample())

    def test_read_back_as_curves(self) -> None:
        read = trajectories.read(self.file)

        self.assertEqual((read.runs, len(read.curves)), (3, 6))
        self.assertEqual(read.title, "dynamic on outer:n=9, homogeneous:p=2")
        simulated = next(one for one in read.curves if not one.model)
        self.assertEqual(simulated.time, [0.0, 2.5])
        self.assertEqual(simulated.low, [0.5, 0.125])

    def test_draw_a_panel_a_quantity_with_a_band_and_the_field_on_top(self) -> None:
        figure = trajectories.figure(trajectories.read(self.file))

        self.assertEqual(len(figure.axes), 3)
        for axes in figure.axes:
            labels = axes.get_legend_handles_labels()[1]
            self.assertEqual(sorted(labels), ["9 runs in 10", "mean field (ode)", "mean of 3 runs"])
            tops = {line.get_label(): line.get_zorder() for line in axes.lines}
            self.assertGreater(tops["mean field (ode)"], tops["mean of 3 runs"])
            self.assertEqual(len(axes.collections), 1)

    def test_show_only_what_the_file_has(self) -> None:
        text = sample().replace("predicted,ode", "predicted,counted")
        for old, new in zip(UNLIMITED, ("loads", "resident_data", "unfinished_tasks")):
            text = text.replace(old, new)
        self.file.write_text(text)
        figure = trajectories.figure(trajectories.read(self.file))

        firsts = [axes.get_ylabel().split("\n")[0] for axes in figure.axes]
        self.assertEqual(firsts, ["unfinished tasks", "loads so far", "in the memory"])
        self.assertIn("predicted (counted)", figure.axes[0].get_legend_handles_labels()[1])

    def test_numbers_on_the_logarithmic_axis_are_no_markup(self) -> None:
        with matplotlib.rc_context(style.RC):
            figure = trajectories.figure(trajectories.read(self.file))
            figure.draw_without_rendering()

        texts = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        self.assertIn("0.1", texts)
        self.assertNotIn("$", "".join(texts))

    def test_become_pictures(self) -> None:
        files = draw.run([str(self.file), "--format", "png"])
        self.assertEqual([file.name for file in files], ["run.png"])
        self.assertGreater(files[0].stat().st_size, 10_000)

    def test_are_refused_where_they_are_none(self) -> None:
        for text, word in (
            (sample().replace("time_s", "time", 1), "no column 'time_s'"),
            (sample().replace("open_tasks", "opened", 1), ":2: unknown quantity 'opened'"),
            (sample().replace(",0.25,", ",many,", 1), "'many' is not a number"),
            (HEADER + "\n", "no rows"),
        ):
            self.file.write_text(text)
            with self.assertRaisesRegex(PlotError, word):
                trajectories.read(self.file)


if __name__ == "__main__":
    unittest.main()
