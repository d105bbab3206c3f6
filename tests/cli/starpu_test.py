"""damocles-starpu, and damocles --backend starpu: the real program on the real runtime, on small sizes.
Without StarPU they are skipped (tests/cli/execution_test.py has what is said then). How fast anything was is not asked: the machine may be busy."""

import csv
import io
import json
import math
import os
import subprocess
import unittest

from program import PROGRAM, InFolder, damocles

STARPU = os.path.join(os.path.dirname(PROGRAM), "damocles-starpu")
REASON = "damocles-starpu was not built: StarPU is not installed (libstarpu-dev), or sanitizers are on"
if not os.path.exists(STARPU):
    print(REASON)  # by which ctest knows


def starpu(*words: str, cwd: str | None = None, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([STARPU, *words], cwd=cwd, capture_output=True, text=True, check=False, timeout=600,
                          env={**os.environ, **environment})


class Program(InFolder):
    def setUp(self) -> None:
        super().setUp()
        if not os.path.exists(STARPU):
            self.skipTest(REASON)

    def rows(self, *words: str) -> dict[tuple[str, str], dict]:
        """By scheduler and whose it is. Nothing is left in the folder for temporary files, nor at home."""
        home, scratch = self.path("home"), self.path("scratch")
        os.makedirs(home, exist_ok=True)
        os.makedirs(scratch, exist_ok=True)
        run = starpu(*words, "--format", "json", HOME=home, TMPDIR=scratch)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(os.listdir(home) + os.listdir(scratch), [])
        return {(row["scheduler"], row["of"]): row for row in json.loads(run.stdout)["rows"]}


class Strategies(Program):
    def test_of_both_houses_factorise(self) -> None:
        for workload in ("cholesky:n=5,tile=16,deps=true", "lu:n=4,tile=16,deps=true,precision=double",
                         "lu:n=4,tile=16,deps=true,updates=commute"):
            rows = self.rows(workload, "--strategies", "eager,lws,dmda,darts", "--policies", "eager,lws,dmda")
            self.assertEqual(len(rows), 7)
            for row in rows.values():
                self.assertEqual(row["failure"], "")
                self.assertIn("right: L", row["verification"])
                self.assertEqual((row["loads"], row["home_MB"]), (0, 0))  # all workers at home: nothing moves
                self.assertGreater(row["gflops"], 0)

    def test_of_both_houses_multiply(self) -> None:
        for workload in ("gemm2d:n=5,tile=16,k=32", "gemm3d:n=3,tile=16", "gemm3d:n=3,tile=16,c=yes"):
            rows = self.rows(workload, "--strategies", "eager,darts,panel-streaming", "--policies", "eager,ws")
            for row in rows.values():
                self.assertIn("right: every number", row["verification"])

    def test_that_wait_keep_to_the_graph(self) -> None:
        # Checksums: whoever read an old version, or one that was not written to its end, has another.
        for workload in ("cholesky:n=5,tile=8,deps=true", "stencil:n=3,steps=3,tile=8", "layered:n=4,layers=4,tile=8"):
            rows = self.rows(workload, "--compute", "checksum", "--strategies", "eager,heft,dmdas", "--policies", "none",
                             "--workers", "3")
            for row in rows.values():
                self.assertIn("right", row["verification"])


class LimitedMemory(Program):
    def test_eager_loads_what_least_recently_used_does(self) -> None:
        # 8 x 8 tasks row by row, room for 4 data items: each row of A once, each column of B for every row.
        rows = self.rows("gemm2d:n=8,tile=32,k=64,order=row", "--workers", "1", "--memory", "4data",
                         "--strategies", "eager", "--policies", "eager")
        for row in rows.values():
            self.assertEqual((row["loads"], row["simulated_loads"]), (8 + 8 * 8, 8 + 8 * 8))

    def test_an_order_made_for_little_memory_loads_fewer(self) -> None:
        # The order does not depend on time. What StarPU prefetches and evicts does, by a few data items.
        # (darts is not asked: it lives by its own eviction, and StarPU 1.3 evicts the least recently used.)
        loads = math.inf
        for _ in range(10):
            rows = self.rows("gemm2d:n=12,tile=32,k=64", "--workers", "1", "--memory", "10data",
                             "--strategies", "panel-streaming", "--policies", "eager")
            worst = rows["eager", "starpu"]["loads"]
            self.assertEqual(worst, 12 + 12 * 12)
            loads = min(loads, rows["panel-streaming", "damocles"]["loads"])
            if loads < worst / 2:
                break
        self.assertLess(loads, worst / 2)

    def test_cores_at_home_and_one_that_is_not_factorise(self) -> None:
        rows = self.rows("cholesky:n=5,tile=32,deps=true", "--workers", "3", "--memory", "12data",
                         "--strategies", "eager,dmda,heteroprio", "--policies", "eager,dmda")
        for row in rows.values():
            self.assertIn("right: L L^T", row["verification"])

    def test_temporary_data_do_not_come_home(self) -> None:
        # Both houses: the last of a chain of tasks reads Y, which then is temporary unless the file says otherwise.
        for lifetime, home_mb in ((None, 0), ({"temporary": False}, 5), ({"home": "early"}, 5)):
            graph = {"damocles": 1,
                     "data": [{"bytes": 1_000_000}, {"bytes": 3_000_000}, {"bytes": 5_000_000, **(lifetime or {})}],
                     "tasks": [{"reads": [0], "writes": [1], "flops": 1e6}, {"reads": [1], "writes": [2], "flops": 1e6},
                               {"reads": [2], "flops": 1e6}]}
            with open(self.path("chain.json"), "w", encoding="utf-8") as file:
                json.dump(graph, file)
            rows = self.rows(f"file:path={self.path('chain.json')}", "--workers", "1", "--memory", "9MB",
                             "--compute", "checksum", "--strategies", "eager", "--policies", "eager")
            for row in rows.values():
                self.assertEqual((row["loads"], row["home_MB"]), (1, home_mb), lifetime)
                self.assertIn("right", row["verification"])

    def test_a_run_that_stands_still_is_one_line(self) -> None:
        run = starpu("gemm2d:n=8,tile=256,k=256", "--workers", "1", "--memory", "4data", "--strategies", "eager",
                     "--policies", "none", "--standstill", "1us")
        self.assertEqual(run.returncode, 1, run)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertIn("StarPU stood still", run.stderr)


class Refusals(Program):
    def refuse(self, words: tuple[str, ...], *says: str) -> None:
        run = starpu(*words)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in says:
            self.assertIn(part, run.stderr)

    def test_name_what_would_be_right(self) -> None:
        gemm = "gemm2d:n=3,tile=8,k=8"
        self.refuse((gemm, "--policies", "eagre"), "did you mean 'eager'?")
        self.refuse((gemm, "--strategies", "dart"), "did you mean 'darts'?")
        self.refuse((gemm, "--workers", "0"), "--workers '0'", "from 1 to")
        self.refuse((gemm, "--format", "csv"), "unknown format 'csv'", "json")
        self.refuse((gemm, "--standstill", "soon"), "give a time, as 60s")
        self.refuse((gemm, "--workers", "1", "--memory", "1data", "--policies", "none"), "give memory=2data or more")
        self.refuse((gemm, "--strategies", "none", "--policies", "none"), "nothing to run")
        self.refuse((gemm, "--compute", "factorise"), "is no factorisation")
        self.refuse((gemm, "--workers", "40"), "CPU workers")


class Backend(Program):
    def test_compares_in_the_table_of_the_others(self) -> None:
        words = ("gemm2d:n=6,tile=16,k=16", "gpus:k=1,memory=4data,gflops=10,bandwidth=10GB/s", "--strategies",
                 "eager,darts", "--replicates", "2", "--quiet")
        run = damocles("compare", *words, "--backend", "starpu", "--format", "csv", cwd=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stderr)
        rows = [row for row in csv.DictReader(io.StringIO(run.stdout)) if row["source"] == "executed"]
        self.assertEqual([(row["strategy"], row["model"], row["status"]) for row in rows],
                         [(name, "starpu", "ok") for name in ("eager", "eager", "darts", "darts")])
        for row in rows[:2]:
            self.assertEqual(float(row["loads"]), 6 + 6 * 6)

        table = damocles("compare", *words, "--backend", "starpu", cwd=self.folder)
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertIn("executed on starpu", table.stdout)
        self.assertIn("StarPU 1.", table.stdout)

    def test_refuses_a_trace_of_what_starpu_does(self) -> None:
        for command in ("run", "compare"):
            done = damocles(command, "gemm2d:n=3,tile=8,k=8", "gpus:k=1,memory=9data", "--strategies", "eager",
                            "--backend", "starpu", "--trace", "t.json", cwd=self.folder)
            self.assertEqual((done.returncode, os.path.exists(self.path("t.json"))), (2, False), done)
            self.assertIn("backend starpu moves the data itself and tells none", done.stderr)

    def test_refuses_what_starpu_cannot_be(self) -> None:
        for platform, option, says in (("gpus:k=9,memory=4data", (), "a memory of their own"),
                                       ("homogeneous:p=2", (), "give gpus:k=1,memory="),
                                       ("gpus:k=1,memory=4data", ("--pace", "1ms"), "--pace is for --backend host")):
            run = damocles("run", "gemm2d:n=3,tile=8,k=8", platform, "--strategies", "eager", "--backend", "starpu", *option)
            self.assertEqual((run.returncode, run.stdout), (2, ""), run)
            self.assertIn(says, run.stderr)
        run = damocles("calibrate", "gemm2d:n=3,tile=8,k=8", "--processors", "1", "--memory", "4data", "--backend", "starpu")
        self.assertEqual(run.returncode, 2, run)
        self.assertIn("use --backend host", run.stderr)


if __name__ == "__main__":
    unittest.main()
