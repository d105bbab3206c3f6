"""Parts of the program that a first build leaves out: what needs none, and who is asked for one."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest

from program import PROGRAM, SOURCE

RECORDING = os.path.join(SOURCE, "docs", "examples", "tasks.rec")

# What needs no part: README's first command, a sweep, the pages of help.
ALONE = [
    "simulate gemm2d:n=6 gpus:k=2,memory=5data --strategies darts,dmdar,eager --replicates 2",
    "simulate cholesky:n=4 gpus:k=2,memory=5data --replicates 1",
    f"simulate file:path={RECORDING} gpus:k=1,memory=4data --strategies dmdas,lws",
    "simulate outer:n=9 homogeneous:p=3 --strategies dynamic,sorted,dynamic-2phases:beta=2 --replicates 2",
    "sweep gemm2d:n=4 gpus:k=2 --vary memory=4data,5data --strategies eager",
    "list strategies",
    "list strategies darts",
    "list",
    "--help",
]
ASKING = {
    "prediction": ["predict outer:n=9 homogeneous:p=3", "compare outer:n=9 homogeneous:p=3", "help beta",
                   "trajectory outer:n=9 homogeneous:p=3", "recommend gemm2d:n=4 gpus:k=1", "list models", "list --all",
                   "simulate outer:n=9 homogeneous:p=3 --strategies dynamic-2phases",
                   "sweep outer:n=9 homogeneous:p=3 --vary n=9 --strategies dynamic --model ode",
                   "list claims", "reproduce hpdc14.fig1"],
    "execution": ["run outer:n=4 homogeneous:p=2", "replay a.json", "calibrate outer:n=4", "list backends",
                  "run outer:n=4 homogeneous:p=2 --backend mpi"],
    "reports": ["explain gemm2d:n=4 gpus:k=1", "report a.csv -o a.html"],
}


class Parts(unittest.TestCase):
    """The program as a first build leaves it: without modules."""

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = shutil.copy(PROGRAM, os.path.join(self.folder, "damocles"))
        self.script = os.path.join(self.folder, "script")
        with open(self.script, "w", encoding="utf-8") as script:
            script.write('#!/bin/sh\necho builds $DAMOCLES_PARTS "for $*${DAMOCLES_SCRIPT:+, with a script}"\n')
        os.chmod(self.script, stat.S_IRWXU)

    def run_program(self, words: str, **environment: str) -> subprocess.CompletedProcess:
        given = {name: value for name, value in os.environ.items() if not name.startswith("DAMOCLES_")}
        return subprocess.run([self.program, *words.split()], capture_output=True, text=True, cwd=self.folder,
                              env=given | environment, check=False)

    def test_are_not_needed_by_what_a_first_build_is_for(self):
        for words in ALONE:
            with self.subTest(words):
                done = self.run_program(words, DAMOCLES_SCRIPT=self.script)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("builds", done.stdout)

    def test_are_built_by_the_script_that_started_the_program(self):
        for part, requests in ASKING.items():
            for words in requests:
                with self.subTest(words):
                    done = self.run_program(words, DAMOCLES_SCRIPT=self.script)
                    self.assertEqual((done.stdout, done.stderr), (f"builds {part} for {words}\n", ""))

    def test_are_asked_for_once(self):
        done = self.run_program("list claims", DAMOCLES_SCRIPT=self.script, DAMOCLES_PARTS="execution")
        self.assertEqual(done.stdout, "builds execution prediction for list claims\n")
        done = self.run_program("list claims", DAMOCLES_SCRIPT=self.script, DAMOCLES_PARTS="execution prediction")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_are_named_where_no_script_started_the_program(self):
        for environment in {}, {"DAMOCLES_SCRIPT": self.script, "OMPI_COMM_WORLD_SIZE": "1"}:
            done = self.run_program("run outer:n=4 homogeneous:p=2", **environment)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, "damocles: the command 'run' is of a part that is not built yet, execution; `cmake --build "
                             "build --target damocles_execution_module` builds it, and so does the script ./damocles with these words\n")


if __name__ == "__main__":
    unittest.main()
