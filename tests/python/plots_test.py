"""Figures of rows and of traces are those of `damocles plot`, and leave Python as it was."""

import os
import sys
import tempfile
import types
import unittest

import damocles
from program import run

try:
    import matplotlib
    from matplotlib.figure import Figure
except ImportError:
    raise unittest.SkipTest("matplotlib is not installed (python3-matplotlib)") from None

GEMM, GPUS = "gemm2d:n=10", "gpus:k=2,memory=8data"


class Plots(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def drawn_by_the_program(self, *words: str) -> bytes:
        done = run("plot", *words, "-o", self.path("picture.png"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("picture.png"), "rb") as file:
            return file.read()

    def test_of_rows_are_those_of_the_program(self) -> None:
        sweep = ("gemm2d:n=10", "gpus:k=2", "--vary", "memory=4data,6data,8data")
        self.assertEqual(run("sweep", *sweep, "--strategies", "eager,darts", "-o", self.path("rows.csv")).returncode, 0)
        rows = damocles.sweep("gemm2d:n=10", "gpus:k=2", "eager,darts", vary={"memory": ["4data", "6data", "8data"]})
        figure = rows.plot(y="makespan_s", log="y", title="mine")
        self.assertIsInstance(figure, Figure)
        drawn = self.drawn_by_the_program(self.path("rows.csv"), "--y", "makespan_s", "--log", "y", "--title", "mine")
        self.assertEqual(figure._repr_png_(), drawn)

    def test_of_traces_are_those_of_the_program(self) -> None:
        trace = damocles.trace(GEMM, GPUS, "darts", seed=3)
        file = self.path("trace.json")
        words = ("simulate", GEMM, GPUS, "--strategies", "darts", "--seed", "3", "--replicates", "1", "--trace", file)
        self.assertEqual(run(*words).returncode, 0)
        for kind in ("gantt", "grid", "memory"):
            figure = getattr(trace.plot, kind)()
            self.assertEqual(figure._repr_png_(), self.drawn_by_the_program(kind, file), kind)
        trace.write(self.path("again.json"))
        with open(file, "rb") as theirs, open(self.path("again.json"), "rb") as ours:
            self.assertEqual(ours.read(), theirs.read())

    def test_of_a_strategy_in_python_are_drawn(self) -> None:
        @damocles.strategy("newest-in-python")
        class Newest:
            def __init__(self, run) -> None:
                self.open = list(range(run.tasks))

            def request(self, worker):
                return self.open.pop() if self.open else None

        figure = damocles.trace(GEMM, GPUS, Newest).plot.gantt()
        self.assertIn("newest-in-python", figure.axes[0].get_title(loc="left"))

    def test_leave_settings_and_modules_as_they_were(self) -> None:
        mine = types.ModuleType("style")
        sys.modules["style"] = mine
        self.addCleanup(sys.modules.pop, "style")
        path = list(sys.path)
        with matplotlib.rc_context({"font.size": 3.0}):
            damocles.simulate(GEMM, GPUS, "eager,darts", replicates=2).plot()
            self.assertEqual(matplotlib.rcParams["font.size"], 3.0)
        self.assertIs(sys.modules["style"], mine)
        self.assertNotIn("gantt", sys.modules)
        self.assertEqual(sys.path, path)

    def test_say_what_they_leave_out(self) -> None:
        rows = damocles.sweep("cholesky:deps=true", GPUS, "rcm,eager", vary={"n": [3, 4]}, replicates=1)
        self.assertTrue(any("left out" in note for note in rows.plot().notes))

    def test_refuse_what_cannot_be_drawn(self) -> None:
        rows = damocles.simulate(GEMM, GPUS, "eager,darts", replicates=1)
        for wishes, why in (({"y": "speed"}, "'speed'"), ({"size": "wide"}, "wide"), ({"colour": "red"}, "--colour")):
            with self.assertRaisesRegex(damocles.InvalidInput, why):
                rows.plot(**wishes)
        with self.assertRaisesRegex(damocles.InvalidInput, "--x"):
            damocles.trace(GEMM, GPUS, "eager").plot.gantt(x="n")


if __name__ == "__main__":
    unittest.main()
