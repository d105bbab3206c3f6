"""--backend mpi: strategies executed on the ranks of an MPI job."""

import json
import os
import shutil
import subprocess
import unittest

from executed import Execution
from program import PROGRAM, rows, without_lines

# Of Open MPI, which refuses root and more ranks than cores else; others do not know these. It turns bindings
# off, as the ranks share few cores.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}  # fmt: skip
GEMM = ("gemm2d:n=6,tile=16,k=16", "gpus:k=2,memory=10data")
CHOLESKY = ("cholesky:n=5,tile=16,deps=true", "gpus:k=4,memory=9data,peers=10GB/s,writeback=true")


class WithoutRanks(Execution):
    def test_the_message_says_how_to_start_it(self) -> None:
        self.refuse(("run", *GEMM, "--strategies", "eager", "--backend", "mpi"), ["mpi"])


@unittest.skipIf(shutil.which("mpirun") is None, "mpirun is not installed")
class OnRanks(Execution):
    def ranks(self, count: int, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(["mpirun", "-n", str(count), PROGRAM, *words], cwd=self.folder, env=ENVIRONMENT, text=True,
                              capture_output=True, check=False, timeout=600)  # fmt: skip

    def rows_on(self, count: int, command: str, *words: str) -> list[dict[str, str]]:
        """The rows that a command writes, all runs verified."""
        done = self.ranks(count, command, *words, "--backend", "mpi", "-o", "rows.csv", "--quiet")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(without_lines(done.stderr, "note: "), "")
        self.assertEqual(done.stdout, "")
        table = rows(self.read("rows.csv"))
        for row in table:
            if row["source"] == "executed":
                self.assertEqual((row["model"], row["status"]), ("mpi", "ok"))
        return table

    def means(self, table: list[dict[str, str]], column: str) -> dict[tuple[str, str], float]:
        """Of simulated and executed rows, by source and strategy."""
        values: dict[tuple[str, str], list[float]] = {}
        for row in table:
            if row["source"] != "predicted":
                values.setdefault((row["source"], row["strategy"]), []).append(float(row[column]))
        return {key: sum(all_) / len(all_) for key, all_ in values.items()}

    def test_dynamic_strategies_move_what_is_predicted(self) -> None:
        for count, workload, pace in ((2, "outer:n=6", "1ms"), (5, "outer:n=12", "10ms"), (9, "matrix:n=5", "15ms"), (16, "outer:n=14", "25ms")):
            with self.subTest(ranks=count, workload=workload):
                table = self.rows_on(count, "compare", workload, f"uniform:p={count - 1},lo=50,hi=100", "--strategies", "dynamic-2phases",
                                     "--pace", pace, "--replicates", "1")  # fmt: skip
                loads = self.means(table, "loads")
                # Who asks first depends on time, and a busy machine changes the speeds. So there is much room.
                ratio = loads["executed", "dynamic-2phases"] / loads["simulated", "dynamic-2phases"]
                self.assertTrue(0.5 < ratio < 2, ratio)

    def test_a_static_order_moves_what_is_simulated(self) -> None:
        table = self.rows_on(4, "compare", "outer:n=8", "uniform:p=3,lo=10,hi=100", "--strategies", "static-columns", "--replicates", "2")
        loads = self.means(table, "loads")
        self.assertEqual(loads["executed", "static-columns"], loads["simulated", "static-columns"])

    def test_recorded_decisions_move_the_same_bytes(self) -> None:
        for (workload, platform), strategy, count in ((GEMM, "darts", 3), (CHOLESKY, "heft", 5), (CHOLESKY, "dmdar", 5)):
            with self.subTest(workload=workload, strategy=strategy):
                self.answer("simulate", workload, platform, "--strategies", strategy, "--record", "run.json", "--replicates", "1",
                            "-o", "simulated.csv", "--quiet")
                simulated = rows(self.read("simulated.csv"))[0]
                done = self.ranks(count, "replay", "run.json", "--backend", "mpi", "-o", "rows.csv")
                self.assertEqual(done.returncode, 0, done)
                row = rows(self.read("rows.csv"))[0]
                self.assertEqual((row["model"], row["status"]), ("mpi", "ok"))
                for column in ("loads", "bytes_loaded", "evictions") + (("bytes_written",) if "writeback" in platform else ()):
                    self.assertEqual(row[column], simulated[column], column)

    def test_its_own_decisions_are_verified_and_counted_by_events(self) -> None:
        for (workload, platform), strategies, count in ((GEMM, ("darts",), 3), (CHOLESKY, ("heft", "darts"), 5),
                                                        (("gemm3d:n=3,tile=16", "gpus:k=2,memory=20data"), ("dmdar",), 3)):  # fmt: skip
            for strategy in strategies:
                with self.subTest(workload=workload, strategy=strategy):
                    row = self.rows_on(count, "run", workload, platform, "--strategies", strategy, "--record", "run.json")[0]
                    started = [entry for entry in json.loads(self.read("run.json"))["decisions"] if entry[0] in ("load", "peer")]
                    self.assertEqual(len(started), float(row["loads"]))
                    again = rows(self.answer("replay", "run.json", "--backend", "sim", "--format", "csv"))[0]
                    self.assertEqual(again["bytes_loaded"], row["bytes_loaded"])

    def test_what_is_wrong_is_said_once_and_ends_all_ranks(self) -> None:
        for count, words, says in ((3, ("run", *GEMM, "--strategies", "egger"), "unknown strategy 'egger'"),
                                   (3, ("run", "gemm2d:n=8", "--strategy"), "damocles: "),
                                   (2, ("run", *GEMM, "--strategies", "eager"), "write mpirun -n 3 damocles ..."),
                                   (3, ("run", *GEMM, "--strategies", "eager", "--no-throttle"), "--no-throttle is for --backend host"),
                                   (3, ("run", *GEMM, "--strategies", "eager", "-o", "none/x.csv"), "folder 'none' does not exist")):
            with self.subTest(words=words):
                done = self.ranks(count, *words, "--backend", "mpi")
                self.assertEqual(done.returncode, 2, done)
                self.assertEqual(done.stderr.count("damocles: "), 1, done.stderr)
                self.assertIn(says, done.stderr)
        self.assertEqual(self.files(), [])

    def test_a_rank_without_memory_fails_the_run(self) -> None:
        words = (PROGRAM, "run", "gemm2d:m=1,n=4,tile=1024,k=8192", "gpus:k=1,memory=160MiB", "--strategies", "eager", "--backend", "mpi")
        done = subprocess.run(["mpirun", "-n", "1", *words, ":", "-n", "1", "env", "DAMOCLES_HOST_MEMORY=1MB", *words], cwd=self.folder,
                              env=ENVIRONMENT, text=True, capture_output=True, check=False, timeout=600)  # fmt: skip
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stderr.count("damocles: "), 1, done.stderr)
        self.assertRegex(done.stderr, r"damocles: rank 1 on \S+: .*memory")


if __name__ == "__main__":
    unittest.main()
