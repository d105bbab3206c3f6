"""Result files and traces that nobody wrote: whatever they hold, they are read or refused in one line."""

import os
import random
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "cli"))

import results  # noqa: E402
import traces  # noqa: E402
from mutated_files import mutated  # noqa: E402

COUNT = int(os.environ.get("DAMOCLES_MUTATIONS", "300"))
SEED = os.environ.get("DAMOCLES_MUTATION_SEED", "1")

TRACE = (HERE.parent / "fuzz" / "seeds" / "traces" / "eager.json").read_bytes()


class Mutations(unittest.TestCase):
    def mutate(self, ending: str, seeds: list[bytes], read: "callable") -> None:
        draw = random.Random(ending + SEED)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / ("mutated" + ending)
            for number in range(COUNT):
                text = mutated(draw.choice(seeds), seeds, draw)
                path.write_bytes(text)
                with self.subTest(number=number, text=text[:2000]):
                    try:
                        read(path)
                    except results.PlotError as error:
                        self.assertTrue(str(error))

    def test_traces(self) -> None:
        self.mutate(".json", [TRACE], traces.read)

    def test_rows(self) -> None:
        golden = HERE.parent / "golden"
        self.mutate(".csv", [file.read_bytes() for file in sorted(golden.glob("*.csv"))], results.read)


if __name__ == "__main__":
    unittest.main()
