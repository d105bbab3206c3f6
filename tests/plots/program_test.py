"""`damocles plot` as a person uses it: options through the program, streams, interrupts, places."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import sample_results
import sample_traces
from matplotlib.image import imread
from sample_results import cells

PROGRAM = os.environ.get("DAMOCLES_PROGRAM", "")


@unittest.skipUnless(PROGRAM, "no program was built")
class Plots(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        rows = [cells("simulated", name, f"outer:n={n}", "homogeneous:p=4", 2.0)
                for name in ("random", "-$x$,\n|é") for n in (3, 9)]  # fmt: skip
        sample_results.write(self.folder / "a.csv", rows)

    def plot(self, *words: str, **how: object) -> subprocess.CompletedProcess[str]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
        return subprocess.run([PROGRAM, "plot", *words], cwd=self.folder, text=True, check=False,
                              **streams)  # type: ignore[call-overload]

    def refused(self, says: str, *words: str) -> None:
        before = sorted(self.folder.iterdir())
        done = self.plot(*words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Adamocles( plot)?: [^\n]*\n\Z")
        self.assertTrue(done.stderr[:-1].isprintable(), done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_options_reach_the_script(self) -> None:
        done = self.plot("a.csv", "--x", "n", "--y", "volume_ratio", "--log", "y", "--where", "n>1",
                         "--where", "strategy=random", "--size", "4x3", "--title", "--$ t_1",
                         "-o", "b.svg")  # fmt: skip

        self.assertEqual((done.returncode, done.stdout), (0, "b.svg\n"), done.stderr)
        picture = (self.folder / "b.svg").read_text()
        self.assertIn(">--$ t_1</text>", picture)  # text is text
        self.assertIn('width="288pt"', picture)
        self.assertNotIn("é", picture)

    def test_styles_and_choices_of_lines_reach_it_too(self) -> None:
        for words in (("--style", "paper", "--strategies", "random"), ("--size", "3.3x2.4", "--all-lines")):
            done = self.plot("a.csv", *words, "-o", "p.png")
            self.assertEqual((done.returncode, done.stdout), (0, "p.png\n"), done.stderr)
            self.assertIn("for the caption: ", done.stderr)
            self.assertEqual(imread(self.folder / "p.png").shape[1], 990)  # 3.3 inches

    def test_pictures_of_traces(self) -> None:
        events = [sample_traces.interval("task", 1 + i, i, i + 1, f"GEMM(0,{i})", i) for i in range(2)]
        sample_traces.write(self.folder / "t.json", [sample_traces.about()], events)

        for what, words, file, begins in (
            ("gantt", (), "t.svg", b"<?xml"), ("grid", (), "t.grid.svg", b"<?xml"),
            ("memory", (), "t.memory.svg", b"<?xml"), ("grid", ("-o", "g.gif"), "g.gif", b"GIF89a"),
            ("memory", ("--animate", "-o", "m.png"), "m.png", b"\x89PNG"),
        ):  # fmt: skip
            done = self.plot(what, "t.json", *(words or ("--format", "svg")))
            self.assertEqual((done.returncode, done.stdout), (0, f"{file}\n"), done.stderr)
            self.assertTrue((self.folder / file).read_bytes().startswith(begins))
        self.refused("cannot open trace 'x.json'", "grid", "x.json")

    def test_a_folder_a_picture_a_file_and_files_one_picture(self) -> None:
        (self.folder / "b.csv").write_bytes((self.folder / "a.csv").read_bytes())
        (self.folder / "c.csv").write_text("x,y\n1,2\n")

        together = self.plot("a.csv", "b.csv", "-o", "both.png")
        apart = self.plot(".", "--format", "png")

        self.assertEqual((together.returncode, together.stdout), (0, "both.png\n"))
        self.assertEqual((apart.returncode, apart.stdout), (2, "a.png\nb.png\n"))
        self.assertIn("c.csv:1: not a result file", apart.stderr)

    def test_refuses_before_anything_is_drawn(self) -> None:
        for says, words in (
            ("not in '.gif'", ("a.csv", "-o", "b.gif")), ("not in '.csv'", ("a.csv", "-o", "a.csv")),
            ("pictures are files", ("a.csv", "-o", "-")), ("unknown format", ("a.csv", "--format", "x")),
            ("--size", ("a.csv", "--size", "6")), ("--log", ("a.csv", "--log", "z")), ("--style", ("a.csv", "--style", "big")),
            ("did you mean 'n'", ("a.csv", "--x", "nn")), ("leaves none", ("a.csv", "--where", "n>99")),
            ("no regular file", ("a.csv", "-o", "/dev/null")), ("missing RESULTS", ()),
        ):  # fmt: skip
            self.refused(says, *words)
        os.mkfifo(self.folder / "pipe.csv")
        self.refused("not a file", "pipe.csv")
        self.refused("not a file", "/dev/zero")

    def test_what_lies_in_the_current_folder_is_no_library(self) -> None:
        """A Python without matplotlib must not take a folder of that name for it."""
        (self.folder / "matplotlib").mkdir()
        bare = self.folder / "bare_python"
        bare.write_text('#!/bin/sh\nexec python3 -S "$@"\n', encoding="utf-8")
        bare.chmod(0o755)
        done = self.plot("a.csv", "-o", "x.svg", env={**os.environ, "DAMOCLES_PYTHON": str(bare)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "x.svg").exists())

    def test_rows_that_failed_are_said_of_their_file(self) -> None:
        row = cells("simulated", "random", "outer:n=5", "homogeneous:p=4", 2.0)
        bad = cells("simulated", "random", "outer:n=7", "homogeneous:p=4", 2.0)
        sample_results.write(self.folder / "b.csv", [row, {**bad, "status": "failed"}])
        done = self.plot("a.csv", "b.csv", "-o", "x.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("b.csv: left out: 1 of ", done.stdout + done.stderr)
        self.assertNotIn("a.csv: left out", done.stdout + done.stderr)

    def test_a_link_is_followed_and_what_is_read_is_not_written(self) -> None:
        (self.folder / "far").mkdir()
        (self.folder / "b.png").symlink_to("far/picture.png")

        self.assertEqual(self.plot("a.csv", "-o", "b.png").returncode, 0)

        self.assertTrue((self.folder / "b.png").is_symlink())
        self.assertTrue((self.folder / "far/picture.png").read_bytes().startswith(b"\x89PNG"))
        (self.folder / "c.png").hardlink_to(self.folder / "a.csv")
        self.refused("it is what is read", "a.csv", "-o", "c.png")

    def test_a_full_or_closed_output_is_said_and_the_pictures_are_there(self) -> None:
        with open("/dev/full", "w") as full:
            done = self.plot("a.csv", "-o", "b.png", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Adamocles plot: standard output .* are: b.png\n\Z")
        self.assertTrue((self.folder / "b.png").exists())
        with open("/dev/full", "w") as full:
            self.assertEqual(self.plot("nowhere.csv", stderr=full).returncode, 2)

    def test_an_interrupt_leaves_nothing_half_written(self) -> None:
        at_first = [0.002 * step for step in range(20)]  # the program itself, Python's start
        for wait_s in at_first + [0.15 * step for step in range(1, 12)]:
            for number in (signal.SIGINT, signal.SIGTERM):
                with subprocess.Popen(
                    [PROGRAM, "plot", "a.csv"], cwd=self.folder, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, text=True, start_new_session=True,
                ) as running:  # fmt: skip
                    time.sleep(wait_s)
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(running.pid, number)
                    _, said = running.communicate(timeout=600)
                self.assertIn(said, ("", "damocles: interrupted\n"))
                pictures = {one for one in self.folder.iterdir() if one.name != "a.csv"}
                self.assertIn({one.name for one in pictures}, ({"a.png", "a.svg", "a.pdf"}, set()))
                for picture in pictures:
                    picture.unlink()


if __name__ == "__main__":
    unittest.main()
