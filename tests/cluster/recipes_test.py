"""The recipes of docs/howto/cluster.md, as they stand there, make the rows of one machine.

DAMOCLES_PROGRAM is the program. A recipe whose tool is missing fails; `.ci/full cluster` installs them all. Those of
Slurm need root.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from one_node_slurm import OneNodeSlurm, wait_until

PROGRAM = Path(os.environ["DAMOCLES_PROGRAM"]).resolve()
PAGE = (Path(__file__).resolve().parents[2] / "docs/howto/cluster.md").read_text(encoding="utf-8")


def blocks(heading: str) -> list[str]:
    """The texts in code blocks of a section of the page."""
    section = re.split(r"^## ", PAGE, flags=re.MULTILINE)
    text = next(one for one in section if one.startswith(f"{heading}\n"))
    return re.findall(r"^```\w+\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def study() -> str:
    return re.search(r"study\.toml <<'END'\n(.*?)END\n", PAGE, flags=re.DOTALL)[1]


class RecipeTest(unittest.TestCase):
    """A study, a program in the path, and the rows that one machine makes of it."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "study.toml").write_text(study(), encoding="utf-8")
        self.environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}  # fmt: skip
        self.run_here("damocles", "sweep", "study.toml", "-o", "one.csv", "--quiet")

    def run_here(self, *words: str) -> None:
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def expect_the_rows_of_one_machine(self, store: str = "study.db") -> None:
        self.run_here("damocles", "query", store, "-o", "many.csv")
        self.assertEqual((self.folder / "many.csv").read_bytes(), (self.folder / "one.csv").read_bytes())

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")


class Recipes(RecipeTest):
    def test_gnu_parallel(self) -> None:
        self.run_here("bash", "-ec", blocks("GNU parallel")[0])
        self.expect_the_rows_of_one_machine()

    def test_snakemake(self) -> None:
        self.write("Snakefile", blocks("Snakemake")[0])
        self.run_here("snakemake", "--cores", "2")
        self.expect_the_rows_of_one_machine()

    def test_dask(self) -> None:
        self.write("dask_sweep.py", blocks("Dask")[0])
        self.run_here("/usr/bin/python3", "dask_sweep.py")
        self.expect_the_rows_of_one_machine()


class SlurmRecipes(RecipeTest):
    def setUp(self) -> None:
        super().setUp()
        self.slurm = OneNodeSlurm(cpus=65)  # the recipes ask for as many
        self.addCleanup(self.slurm.stop)
        self.slurm.start()
        self.slurm.environment.update({key: self.environment[key] for key in self.environment if key.startswith(("PATH", "OMPI"))})

    def submit(self, script: str, *options: str) -> str:
        """The number of the job."""
        self.write("job.sh", script)
        return self.slurm.run("sbatch", "--parsable", *options, "job.sh", cwd=str(self.folder)).strip()

    def test_an_array(self) -> None:
        array, merge = blocks("A Slurm array")
        self.submit(array, "--wait")
        self.run_here("bash", "-ec", merge)
        self.expect_the_rows_of_one_machine()

    def test_an_array_that_was_cancelled_goes_on(self) -> None:
        array, merge = blocks("A Slurm array")
        job = self.submit(array)
        wait_until(lambda: list(self.folder.glob("part*.db")), "a store of the array")
        self.slurm.run("scancel", job)
        wait_until(lambda: not self.slurm.run("squeue", "--noheader"), "the end of the array")
        self.submit(array, "--wait")
        self.run_here("bash", "-ec", merge)
        self.expect_the_rows_of_one_machine()

    def test_mpirun_in_a_job(self) -> None:
        self.submit(next(one for one in blocks("mpirun") if "SBATCH" in one), "--wait")
        self.expect_the_rows_of_one_machine()

    def test_srun(self) -> None:
        command = re.search(r"`(srun --mpi=pmix damocles [^`]*)`", PAGE)[1]
        self.submit(f"#!/bin/bash\n#SBATCH --ntasks=4\n{command}\n", "--wait")
        self.expect_the_rows_of_one_machine()


if __name__ == "__main__":
    unittest.main()
