"""Every example of every help page runs, in the order of the pages, in one folder."""

import os
import re
import subprocess
import unittest

from program import NO_MATPLOTLIB, PROGRAM, InFolder, damocles

# Not run here: what they do, other tests do in less time, or it needs what this machine lacks.
NOT_HERE = {
    "--backend cuda": "needs a GPU",
    "reproduce hpdc14 ": "takes minutes; one figure is reproduced",
    "measured --sessions all": "takes minutes; one figure is compared",
    "measured --peer": "pages_test.py runs it",
}
STUDY = """workload = "gemm2d:n={n}"
platform = "gpus:k=2,memory={memory}"
strategies = ["darts", "dmdar", "eager"]
replicates = 2
[vary]
n = [12, 24]
memory = ["8data", "16data"]
"""
MATRIX = "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1 2\n2 2\n"


def commands() -> list[tuple[str, ...]]:
    """Every command, as the page of the program lists them, and those within plot."""
    page = damocles("help").stdout
    listed = re.search(r"\nCOMMANDS\n(.*?)\n\n", page, re.S).group(1)
    return [(line.split()[0],) for line in listed.splitlines()] + [
        ("plot", picture) for picture in ("gantt", "grid", "memory")]


def examples(words: tuple[str, ...]) -> list[str]:
    page = damocles("help", *words).stdout
    section = re.search(r"\nEXAMPLES\n(.*?)\n\n", page, re.S)
    assert section is not None, f"no examples on the page of {words}"
    return [line.strip() for line in section.group(1).splitlines() if line.startswith("  damocles ")]


class Examples(InFolder):
    def setUp(self) -> None:
        super().setUp()
        os.mkdir(self.path("bin"))
        os.symlink(PROGRAM, self.path("bin/damocles"))
        self.path("study.toml", STUDY)
        self.path("matrix.mtx", MATRIX)
        self.run_line("damocles simulate gemm2d:n=8 gpus:k=2,memory=5data --strategies darts "
                      "--trace trace.json")
        for seed, day in enumerate(("monday", "tuesday")):
            self.run_line(f"damocles simulate outer:n=8 homogeneous:p=2 --seed {seed} -o {day}.csv")
        for part in (1, 2):
            self.run_line(f"damocles sweep study.toml --shard {part}/2 --store part{part}.db")

    def run_line(self, line: str) -> None:
        run = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True,
                             check=False, timeout=600, stdin=subprocess.DEVNULL,
                             env={**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}"})
        if NO_MATPLOTLIB in run.stderr:
            self.skipTest(f"{line}: {NO_MATPLOTLIB}")
        self.assertEqual(run.returncode, 0, f"{line}\n{run.stderr}")

    def test_every_example_of_every_page_runs(self) -> None:
        tried: set[str] = set()
        for words in [(), *commands()]:
            for line in examples(words):
                if line == "damocles measured" or line in tried or any(part in line + " " for part in NOT_HERE):
                    continue  # all of the measurements take a minute
                tried.add(line)
                with self.subTest(page=words, line=line):
                    self.run_line(line)
        self.assertGreater(len(tried), 30)


if __name__ == "__main__":
    unittest.main()
