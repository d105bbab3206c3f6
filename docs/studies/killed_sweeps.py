#!/usr/bin/env python3
"""A sweep that is killed again and again ends with the bytes of one that was not (docs/howto/cluster.md).

10 000 rows are made once without a kill, as a CSV file. Then they are made again into a CSV file, into a store,
and into a store by the ranks of an MPI job, each killed (SIGKILL) at random times, and exported. The seed gives
the times, as shares of the time of the first sweep. Of an MPI job a random rank is killed.

Usage: python3 docs/studies/killed_sweeps.py [--kills 20] [--ranks 8] [--seed 1] [--program build/experiments/damocles]
"""

import argparse
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

STUDY = """workload = "outer:n={n}"
platform = "uniform:p={p},lo=10,hi=100"
strategies = ["random", "sorted", "dynamic", "dynamic-2phases"]
replicates = 250
[vary]
n = [60, 80]
p = "10:50:10"
"""  # 2 x 5 settings, 4 strategies, 250 replicates
ROWS = 10_000
MPI = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Sweep:
    """One way to make the rows: into which file, and on how many ranks (0: without mpirun)."""

    def __init__(self, program: str, folder: str, option: str, file: str, ranks: int) -> None:
        self.program, self.folder, self.file, self.ranks = program, folder, file, ranks
        self.words = [program, "sweep", "study.toml", option, file, "--quiet"]

    def start(self) -> subprocess.Popen:
        words = self.words
        if self.ranks > 0:
            script = 'echo $$ > "pid.$OMPI_COMM_WORLD_RANK"; exec "$@"'
            words = ["mpirun", "--oversubscribe", "-n", str(self.ranks), "sh", "-c", script, "sh", *words]
        return subprocess.Popen(words, cwd=self.folder, env=MPI, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, run: subprocess.Popen, rank: int) -> None:
        """An MPI job ends when a rank is killed."""
        process = run.pid
        if self.ranks > 0:
            try:
                with open(os.path.join(self.folder, f"pid.{rank}"), encoding="utf-8") as file:
                    process = int(file.read())
            except (OSError, ValueError):
                pass  # it has not started: mpirun goes
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
        run.wait()

    def finish(self) -> None:
        if self.start().wait() != 0:
            sys.exit(f"the sweep into {self.file} failed")

    def remove(self) -> None:
        for name in glob.glob(os.path.join(self.folder, glob.escape(self.file) + "*")) + glob.glob(os.path.join(self.folder, "pid.*")):
            os.remove(name)

    def rows(self) -> bytes:
        """The result as CSV."""
        if self.file.endswith(".csv"):
            with open(os.path.join(self.folder, self.file), "rb") as file:
                return file.read()
        return subprocess.run([self.program, "query", self.file, "--format", "csv"], cwd=self.folder,
                              capture_output=True, check=True).stdout

    def killed(self, kills: int, seconds: float, dice: random.Random) -> tuple[int, int]:
        """Kills so often, and lets it end. Begins anew where the sweep ended before. How many were killed, and how many begun."""
        done, begun = 0, 1
        while done < kills:
            run = self.start()
            try:
                run.wait(dice.uniform(0, seconds / 5))
                self.remove()
                begun += 1
            except subprocess.TimeoutExpired:
                self.kill(run, dice.randrange(max(self.ranks, 1)))
                done += 1
        self.finish()
        return done, begun


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--kills", type=int, default=20)
    asked.add_argument("--ranks", type=int, default=8)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--program", default="build/experiments/damocles")
    options = asked.parse_args()
    program = os.path.abspath(options.program)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "study.toml"), "w", encoding="utf-8") as file:
            file.write(STUDY)
        whole = Sweep(program, folder, "-o", "whole.csv", 0)
        began = time.monotonic()
        whole.finish()
        seconds = time.monotonic() - began
        expected = whole.rows()
        assert expected.count(b"\n") == ROWS + 1, expected.count(b"\n")
        print(f"{ROWS} rows, {len(expected)} bytes, {seconds:.1f} s")
        differ = 0
        for name, option, file, ranks, kills in (("CSV file", "-o", "cut.csv", 0, options.kills),
                                                 ("store", "--store", "cut.db", 0, options.kills),
                                                 (f"store, {options.ranks} ranks", "--store", "ranks.db", options.ranks, 0),
                                                 (f"store, {options.ranks} ranks", "--store", "killed.db", options.ranks, options.kills)):
            sweep = Sweep(program, folder, option, file, ranks)
            began = time.monotonic()
            done, begun = sweep.killed(kills, seconds, random.Random(options.seed))
            same = sweep.rows() == expected
            differ += not same
            print(f"{name}: killed {done} times in {begun} sweeps, {time.monotonic() - began:.1f} s: "
                  f"{'the same bytes' if same else 'OTHER BYTES'}", flush=True)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
