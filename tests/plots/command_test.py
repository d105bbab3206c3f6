"""draw.py as a program: the files it leaves, what it prints, how it ends."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import draw
import output
import sample_results
from matplotlib.figure import Figure
from matplotlib.image import imread
from errors import PlotError

SCRIPT = Path(__file__).resolve().parents[2] / "plots" / "draw.py"
SAMPLES = sample_results.figures()


class DrawTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def sample(self, stem: str = "hpdc14.fig8") -> Path:
        """A made-up result file."""
        return sample_results.write(self.folder / f"{stem}.csv", SAMPLES[stem])

    def draw(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs the program."""
        command = [sys.executable, "-B", SCRIPT, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def names(self) -> set[str]:
        """What lies in the folder."""
        return {path.name for path in self.folder.iterdir()}

    def refused(self, word: str, *arguments: str | Path) -> None:
        """The request is refused in one line with this word, and leaves no file."""
        before = self.names()

        done = self.draw(*arguments)

        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Adamocles plot: [^\n]*\n\Z")
        self.assertIn(word, done.stderr)
        self.assertEqual(self.names(), before)


class Draws(DrawTest):
    def test_every_figure_as_a_picture_with_something_on_it(self) -> None:
        for stem in SAMPLES:
            (file,) = draw.run([str(self.sample(stem)), "--format", "png"])

            picture = imread(file)
            self.assertGreater(picture.shape[1], 800)
            self.assertGreater(picture[..., :3].std(), 0.05)

    def test_three_formats_beside_the_results_and_says_so(self) -> None:
        done = self.draw(self.sample())

        expected = [str(self.folder / f"hpdc14.fig8.{kind}") for kind in ("png", "svg", "pdf")]
        self.assertEqual(done.stdout.splitlines(), expected)
        self.assertEqual(done.stderr, "")
        self.assertEqual(self.names(), {"hpdc14.fig8.csv", *(Path(f).name for f in expected)})
        self.assertTrue(Path(expected[0]).read_bytes().startswith(b"\x89PNG\r\n"))
        self.assertIn("<svg", Path(expected[1]).read_text())
        self.assertTrue(Path(expected[2]).read_bytes().startswith(b"%PDF-"))
        self.assertIn(b"%%EOF", Path(expected[2]).read_bytes()[-16:])

    def test_the_same_bytes_again(self) -> None:
        results = self.sample()
        first, second = self.folder / "a", self.folder / "b"

        self.draw(results, "-o", first)
        self.draw(results, "-o", second)

        for kind in output.FORMATS:
            self.assertEqual(
                Path(f"{first}.{kind}").read_bytes(), Path(f"{second}.{kind}").read_bytes(), kind
            )

    def test_into_a_folder_a_stem_or_one_format(self) -> None:
        results = self.sample()
        (self.folder / "figures").mkdir()
        for out, expected in (("figures", "figures/hpdc14.fig8.png"), ("new.v2", "new.v2.png")):
            done = self.draw(results, "-o", self.folder / out, "--format", "png")
            self.assertEqual(done.stdout, f"{self.folder / expected}\n", done.stderr)

        done = self.draw(results, "-o", self.folder / "one.svg")

        self.assertEqual(done.stdout, f"{self.folder / 'one.svg'}\n")

    def test_and_says_what_it_leaves_out(self) -> None:
        rows = [one | {"volume_ratio": ""} if i < 3 else one
                for i, one in enumerate(SAMPLES["hpdc14.fig8"])]  # fmt: skip

        done = self.draw(sample_results.write(self.folder / "r.csv", rows), "--format", "png")

        self.assertEqual(done.returncode, 0)
        self.assertIn("3 rows without volume_ratio", done.stderr)


class Refuses(DrawTest):
    def test_requests_that_cannot_be_drawn(self) -> None:
        self.refused("cannot read", self.folder / "absent.csv")
        self.refused("usage", "--colour")
        self.refused("usage")
        self.refused("unknown format 'gif'; formats are", self.sample(), "--format", "gif")

    def test_places_it_cannot_write_to(self) -> None:
        results = self.sample()
        self.refused("no such folder", results, "-o", self.folder / "absent" / "stem")
        self.refused("no such folder", results, "-o", f"{self.folder}/absent/")
        (self.folder / "taken.png").mkdir()
        self.refused("taken.png", results, "-o", self.folder / "taken", "--format", "png")

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_a_folder_that_is_read_only(self) -> None:
        results = self.sample()
        closed = self.folder / "closed"
        closed.mkdir(mode=0o500)
        self.refused("Permission denied", results, "-o", closed)

    def test_malformed_files(self) -> None:
        results = self.sample()
        results.write_text(results.read_text().replace("unif.1:p=20,20", "unif.1:p=20,many", 1))
        self.refused("column 'processors': 'many' is not a number", results)


    def test_a_name_that_is_too_long(self) -> None:
        results = self.sample()
        for words in ([results, "-o", "a" * 300], [results, "-o", "a" * 300 + ".png"], [results, "-o", f"{'a' * 300}/b.png"],
                      [results, "-o", "a" * 254], ["a" * 300 + ".csv"], ["gantt", "a" * 300 + ".json"]):  # fmt: skip
            with mock.patch("sys.stderr", new_callable=io.StringIO) as said:
                self.assertEqual(draw.main([str(word) for word in words]), 2, words)
            self.assertRegex(said.getvalue(), r"\Adamocles plot: [^\n]*aaa[^\n]*: File name too long; [^\n]*\n\Z")

    def test_what_nobody_foresaw_in_one_line(self) -> None:
        with mock.patch.object(draw, "run", side_effect=RuntimeError("two\nlines \x07")):
            with mock.patch("sys.stderr", new_callable=io.StringIO) as said:
                self.assertEqual(draw.main([]), 1)
        self.assertRegex(said.getvalue(), r"\Adamocles plot: this is a defect of .*RuntimeError: two lines"
                         r" \\x07 .*\n\Z")  # fmt: skip


class Saves(DrawTest):
    def test_nothing_when_it_fails_midway(self) -> None:
        files = [self.folder / "a.png", self.folder / "a.svg"]
        files[0].write_text("the picture before")

        with mock.patch.object(os, "fsync", side_effect=[None, OSError(28, "No space left")]):
            with self.assertRaisesRegex(PlotError, "a.svg: No space left"):
                output.save(Figure(), files)

        self.assertEqual(self.names(), {"a.png"})
        self.assertEqual(files[0].read_text(), "the picture before")


if __name__ == "__main__":
    unittest.main()
