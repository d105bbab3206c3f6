"""The cuda device on a fake GPU of known rates (fake.hpp): timed_test.py PROGRAM. A stream waits for what the host
queues late; where the host keeps ahead, a run takes as long as simulated, whatever the fake computes on."""

import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()

TILE, INNER = 16, 256  # results are small beside data
INNER_OF_LARGE_RESULTS = 32  # half as large as data
TASK_S = 0.02
HEARD_AFTER_S = 0.006  # far more than a host takes, so that one that does not keep ahead is found
STRATEGIES = "panel-streaming,dmdar,hfp,eager,darts"


def compared(n: int, memory: int, load_s: float, inner: int = INNER, gpus: int = 2) -> dict[str, dict[str, dict]]:
    """Rows by strategy, and there by source."""
    bus = TILE * inner * 4 / load_s
    rate = 2 * TILE**2 * inner / TASK_S
    platform = (f"gpus:k={gpus},gflops={rate / 1e9:.9f},bandwidth={bus}B/s,link={bus}B/s,latency=0s,bus=fifo,jitter=off,"
                f"memory={memory}data")
    # Two processors have 64 of the GPU's 132 multiprocessors each.
    whole = rate * 132 / 64 if gpus == 2 else rate
    rates = {"DAMOCLES_FAKE_FLOPS_PER_S": f"{whole}", "DAMOCLES_FAKE_BYTES_PER_S": f"{bus}",
             "DAMOCLES_FAKE_HEARD_AFTER_S": f"{HEARD_AFTER_S}"}
    done = subprocess.run(
        [PROGRAM, "compare", f"gemm2d:n={n},tile={TILE},k={inner}", platform, "--backend", "cuda", "--strategies",
         STRATEGIES, "--replicates", "1", "--format", "json"],
        env={**os.environ, **rates}, text=True, capture_output=True, timeout=600)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    rows: dict[str, dict[str, dict]] = {}
    for record in json.loads(done.stdout)["records"]:
        rows.setdefault(record["strategy"], {})[record["source"]] = record
    return rows


class Timed(unittest.TestCase):
    def test_tasks_follow_one_another(self) -> None:
        """50 tasks a processor, and data enough for the next one while one runs."""
        for strategy, rows in compared(n=10, memory=12, load_s=0.008).items():
            simulated, executed = (rows[source]["makespan_s"] for source in ("simulated", "executed"))
            self.assertLess(abs(executed / simulated - 1), 0.05, f"{strategy}: {executed} s for {simulated} s")

    def test_copies_follow_one_another(self) -> None:
        """Little memory and a slow bus: it is what a run takes, and the tasks after the last copy."""
        for strategy, rows in compared(n=8, memory=6, load_s=0.04).items():
            executed = rows["executed"]
            copies_s = executed["loads"] * 0.04
            self.assertGreaterEqual(executed["makespan_s"], copies_s, strategy)
            if strategy in ("eager", "dmdar"):  # they have something to load until the end
                self.assertLess(executed["makespan_s"], 1.05 * copies_s + 4 * TASK_S, strategy)

    def test_results_take_as_long_on_their_way_as_simulated(self) -> None:
        """It is results that a run waits for: each travels for 30 ms, and a task takes 20."""
        for strategy, rows in compared(n=8, memory=12, load_s=0.06, inner=INNER_OF_LARGE_RESULTS, gpus=1).items():
            simulated, executed = (rows[source]["makespan_s"] for source in ("simulated", "executed"))
            self.assertGreater(simulated, 60 * 0.03, strategy)
            self.assertLess(abs(executed / simulated - 1), 0.08, f"{strategy}: {executed} s for {simulated} s")


if __name__ == "__main__":
    unittest.main()
