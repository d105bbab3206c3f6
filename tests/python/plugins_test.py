"""A plug-in in Python is what it is for the program."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import damocles
from program import PROGRAM, csv_rows, same

WORDS = ("gemm2d:n=10", "gpus:k=2,memory=8data")


class Plugins(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        folder = Path(temporary.name, "plugin")
        shutil.copytree(Path(os.environ["DAMOCLES_SOURCE"], "docs/examples/plugin"), folder)
        package = Path(PROGRAM).resolve().parents[1]
        for words in (("-S", folder, "-B", folder / "build", f"-Ddamocles_DIR={package}", "-DCMAKE_BUILD_TYPE=Debug"),
                      ("--build", folder / "build")):  # fmt: skip
            subprocess.run(["cmake", *map(str, words)], check=True, capture_output=True, timeout=600)
        cls.path = folder / "build" / "libboth-ends.so"

    def test_adds_its_strategy_once(self) -> None:
        with self.assertRaisesRegex(damocles.InvalidInput, "unknown strategy 'both-ends'"):
            damocles.simulate(*WORDS, "both-ends")
        for _ in range(2):
            damocles.load_plugin(self.path)
        same(self, damocles.simulate(*WORDS, "both-ends,eager", replicates=3),
             csv_rows("simulate", *WORDS, "--strategies", "both-ends,eager", "--replicates", "3", "--plugin",
                      str(self.path)))  # fmt: skip

    def test_that_is_none_is_refused(self) -> None:
        with self.assertRaisesRegex(damocles.InvalidInput, "cannot open plug-in '/none.so': no such file"):
            damocles.load_plugin("/none.so")
        with self.assertRaisesRegex(damocles.InvalidInput, "is not a shared library"):
            damocles.load_plugin(__file__)


if __name__ == "__main__":
    unittest.main()
