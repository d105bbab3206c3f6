"""Files that nobody wrote: mutations of a good file of each kind, through the command line.

Whatever a file holds, the program reads it or refuses it: it never crashes, takes 1 GB or 20 s, and says
what is wrong in one line that a terminal can show. DAMOCLES_MUTATIONS=10000 tries that many of each reader
(default 60), DAMOCLES_MUTATION_SEED others, DAMOCLES_MUTATION_READER one reader only. A file that fails is kept
in the folder that the failure names.
"""

import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from attacks_test import is_printable_line
from mutated_files import mutated
from program import PROGRAM, SOURCE

COUNT = int(os.environ.get("DAMOCLES_MUTATIONS", "60"))
SEED = os.environ.get("DAMOCLES_MUTATION_SEED", "1")
ONLY = os.environ.get("DAMOCLES_MUTATION_READER", "")
LONGEST_S = 20
MOST_BYTES = 10**9
SEEDS = Path(SOURCE) / "tests" / "fuzz" / "seeds"


def limits() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Mutations(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="damocles_mutations_")
        self.failed = False

    def tearDown(self) -> None:
        if not self.failed:
            shutil.rmtree(self.folder)

    def made(self, name: str, *words: str) -> bytes:
        """What a run of the program wrote into a file of this name."""
        path = os.path.join(self.folder, name)
        subprocess.run([PROGRAM, *words, path], check=True, capture_output=True, timeout=600)
        return Path(path).read_bytes()

    def check(self, what: str, words: list[str], may_run_long: bool) -> None:
        run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limits)
        ends = (0, 1, 2)
        try:
            # The limit is on computing; waiting is the machine's affair.
            _, said = run.communicate(timeout=2 if may_run_long else 10 * LONGEST_S)
        except subprocess.TimeoutExpired:
            # A study that was asked for much computes until someone has enough of it.
            run.send_signal(signal.SIGINT if may_run_long else signal.SIGKILL)
            _, said = run.communicate(timeout=10 * LONGEST_S)
            ends = (-signal.SIGINT, 0, 1, 2) if may_run_long else ()
        self.failed = True
        self.assertIn(run.returncode, ends, f"{what}: {words} in {self.folder}: {said!r}")
        if run.returncode != 0:
            text = said.decode("utf-8")
            self.assertTrue(text.startswith("damocles: ") and is_printable_line(text),
                            f"{what}: {words} in {self.folder}: {said!r}")
        self.failed = False

    def mutate(self, reader: str, ending: str, seeds: list[bytes], words: "callable",
               may_run_long: bool = False, count: int = COUNT) -> None:
        if ONLY not in ("", reader):
            self.skipTest(f"only {ONLY}")
        draw = random.Random(f"{reader} {SEED}")
        path = os.path.join(self.folder, "mutated" + ending)
        for number in range(count):
            Path(path).write_bytes(mutated(draw.choice(seeds), seeds, draw))
            self.check(f"{reader} {number}", words(path), may_run_long)

    def graphs(self, reader: str, ending: str) -> None:
        self.mutate(reader, ending, [file.read_bytes() for file in sorted((SEEDS / reader).iterdir())],
                    lambda path: ["simulate", f"file:path={path},deps=ignore", "gpus:k=2,memory=500MB",
                                  "--strategies", "eager", "--replicates", "1", "--jobs", "1"])

    def test_matrix_market(self) -> None:
        self.graphs("matrix_market", ".mtx")

    def test_hmetis(self) -> None:
        self.graphs("hmetis", ".hgr")

    def test_hyperdag(self) -> None:
        self.graphs("hyperdag", ".hdag")

    def test_stg(self) -> None:
        self.graphs("stg", ".stg")

    def test_wfformat(self) -> None:
        self.graphs("wfformat", ".json")

    def test_json_graph(self) -> None:
        self.graphs("json_graph", ".json")

    def test_tasks_rec(self) -> None:
        self.graphs("tasks_rec", ".rec")

    def test_placement(self) -> None:
        """What strategy placed reads; a third each of StarPU's two and our own."""
        for seed in sorted((SEEDS / "placement").iterdir()):
            self.mutate("placement", seed.suffix, [seed.read_bytes()],
                        lambda path: ["simulate", "cholesky:n=2,deps=true", "gpus:k=2,memory=500MB", "--strategies",
                                      f"placed:placement={path}", "--replicates", "1", "--jobs", "1"],
                        count=(COUNT + 2) // 3)

    def test_dot(self) -> None:
        self.graphs("dot", ".dot")

    def test_gunzip(self) -> None:
        """Files that gzip packed, as any format may be."""
        self.graphs("gunzip", ".mtx.gz")

    def test_platform(self) -> None:
        self.mutate("platform", ".toml", [file.read_bytes() for file in sorted((SEEDS / "platform").iterdir())],
                    lambda path: ["simulate", "gemm2d:n=3,tile=8,k=8", path, "--strategies", "random",
                                  "--replicates", "1", "--jobs", "1"])

    def test_performance_model(self) -> None:
        seeds = [file.read_bytes() for file in sorted((SEEDS / "performance_model").iterdir())]
        self.mutate("performance_model", ".perfmodel", seeds,
                    lambda path: ["simulate", "cholesky:n=4,tile=16,deps=true", f"gpus:k=2,times=GEMM:cuda@{path}",
                                  "--strategies", "dmdas", "--replicates", "1", "--jobs", "1"])

    def test_bus_sampling(self) -> None:
        """One of the three files is mutated, the others are whole."""
        whole = {file.suffix: file.read_bytes() for file in (Path(SOURCE) / "docs" / "examples" / "bus").iterdir()}
        for ending, seed in sorted(whole.items()):
            for other, text in whole.items():
                Path(os.path.join(self.folder, "mutated" + other)).write_bytes(text)
            self.mutate("bus_sampling", ending, [seed],
                        lambda path: ["simulate", "gemm2d:n=3", f"starpu:path={path}", "--strategies", "eager",
                                      "--replicates", "1", "--jobs", "1"], count=(COUNT + 2) // 3)

    def test_study(self) -> None:
        self.mutate("study", ".toml", [file.read_bytes() for file in sorted((SEEDS / "toml").iterdir())],
                    lambda path: ["sweep", path, "-o", "rows.csv", "--jobs", "1"], may_run_long=True)

    def test_rows(self) -> None:
        """A CSV file that a sweep finds in the place where it is to write."""
        study = os.path.join(self.folder, "study.toml")
        Path(study).write_text("workload = 'outer:n=4'\nplatform = ['homogeneous:p=2', 'uniform:p=2,lo=1,hi=2']\n"
                               "strategies = ['random']\nmodels = ['refined']\nreplicates = 2\n")
        rows = self.made("rows.csv", "sweep", study, "-o")
        self.mutate("rows", ".csv", [rows, *(file.read_bytes() for file in sorted((SEEDS / "csv").iterdir()))],
                    lambda path: ["sweep", study, "-o", path, "--jobs", "1"])

    def test_decisions(self) -> None:
        question = ("simulate", "gemm2d:n=3,tile=8,k=8", "gpus:k=2,memory=4data", "--replicates", "1", "--jobs", "1")
        seeds = [self.made(f"{name}.json", *question, "--strategies", name, "--record") for name in ("eager", "darts")]
        for updates in ("ordered", "commute", "reduce"):
            writes = (f"cholesky:n=4,tile=8,deps=true,updates={updates}", "gpus:k=2,memory=4data,cpus=1,cpu_gflops=500,peers=24GB/s")
            seeds.append(self.made(f"{updates}.json", "simulate", *writes, *question[3:], "--strategies", "eager",
                                   "--record"))
        self.mutate("decisions", ".json", seeds, lambda path: ["replay", path, "--backend", "sim"])


if __name__ == "__main__":
    unittest.main()
