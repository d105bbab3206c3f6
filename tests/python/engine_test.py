"""Runs step by step: as the same run of a strategy, cloned, searched, and stopped by what is wrong."""

import copy
import gc
import random
import threading
import unittest

import damocles
from program import interrupted_after

GEMM, GPUS = "gemm2d:n=10", "gpus:k=2,memory=8data"
CHOLESKY = "cholesky:n=8,deps=true"
NAME = {"strategy": ""}  # what differs between the same run of two names


def eagerly(engine):
    """The first open task, until the run is done."""
    while not engine.done:
        engine.grant(engine.open[0])
    return engine


def at_random(engine, draws):
    while not engine.done:
        engine.grant(draws.choice(engine.open))
    return engine


def row(workload, platform, strategy):
    return damocles.simulate(workload, platform, strategy, replicates=1)[0]


class Steps(unittest.TestCase):
    def test_with_the_decisions_of_a_strategy_give_its_row(self) -> None:
        for workload, platform in ((GEMM, GPUS), (CHOLESKY, "gpus:k=3,memory=12data,depth=4"),
                                   (CHOLESKY, "gpus:k=1,memory=500MB,cpus=2,cpu_gflops=40")):  # fmt: skip
            for eviction in ("lru", "fifo", "random"):
                engine = eagerly(damocles.Engine(workload, platform, eviction=eviction))
                expected = row(workload, platform, f"eager:eviction={eviction}")
                with self.subTest(workload=workload, eviction=eviction):
                    self.assertEqual({**engine.trace.record, **NAME}, {**expected, **NAME})
                    self.assertEqual((engine.loads, engine.time_s, engine.evictions, engine.bytes_loaded),
                                     (expected.loads, expected.makespan_s, expected.evictions, expected.bytes_loaded))  # fmt: skip

    def test_give_the_events_of_that_run(self) -> None:
        engine = eagerly(damocles.Engine(damocles.Workload.gemm2d(10), damocles.Platform.gpus(2, memory="8data"), seed=7))
        expected = damocles.trace(GEMM, GPUS, "eager", seed=7)
        self.assertEqual(engine.trace.events.tolist(), expected.events.tolist())
        self.assertEqual(engine.trace.record.strategy, "engine")

    def test_tell_what_is_where(self) -> None:
        engine = damocles.Engine(GEMM, GPUS)
        self.assertEqual((engine.worker, engine.time_s, engine.loads, engine.done), (0, 0.0, 0, False))
        self.assertEqual(engine.open, list(range(100)))
        while engine.time_s == 0:
            engine.grant(engine.open[0])
        worker = engine.worker
        there = set(engine.resident(worker)) | set(engine.loading(worker))
        self.assertEqual(there, {data for data in range(engine.run.data) if engine.run.holds(worker, data)})
        self.assertTrue(engine.assigned(worker))
        self.assertFalse(set(engine.assigned(0) + engine.assigned(1)) & set(engine.open))

    def test_show_what_strategies_see(self) -> None:
        engine = damocles.Engine(GEMM, GPUS)
        run = engine.run
        self.assertIsInstance(run, damocles.Run)
        self.assertEqual((run.tasks, run.inputs(11), run.missing(0, 11)), (100, [1, 11], [1, 11]))
        eagerly(engine)
        with self.assertRaisesRegex(damocles.NoProgress, "the run has ended"):
            run.tasks
        with self.assertRaisesRegex(damocles.NoProgress, "the run is done"):
            engine.run

    def test_take_several_tasks_hints_and_nothing(self) -> None:
        engine = damocles.Engine(GEMM, GPUS)
        engine.grant([0, 1, 2], loads=[5])
        engine.grant(range(3, 6))
        self.assertEqual(engine.open, list(range(6, 100)))
        engine.run.wake()
        engine.grant()
        eagerly(engine)
        self.assertEqual(sum(engine.trace.events["kind"] == damocles.Event.task_started), 100)


class Clones(unittest.TestCase):
    def test_go_on_by_themselves(self) -> None:
        for make in (damocles.Engine.clone, copy.copy, copy.deepcopy):
            engine = damocles.Engine(CHOLESKY, GPUS)
            for _ in range(20):
                engine.grant(engine.open[0])
            clone = make(engine)
            self.assertIsInstance(clone, damocles.Engine)
            self.assertEqual((clone.time_s, clone.worker, clone.open), (engine.time_s, engine.worker, engine.open))
            at_random(clone, random.Random(1))
            self.assertFalse(engine.done)
            eagerly(engine)
            self.assertEqual(engine.trace.record.makespan_s, row(CHOLESKY, GPUS, "eager").makespan_s)
            self.assertNotEqual(clone.trace.record.makespan_s, engine.trace.record.makespan_s)

    def test_outlive_what_they_were_made_of(self) -> None:
        engine = damocles.Engine(GEMM, GPUS)
        engine.grant(0)
        clone = engine.clone()
        del engine
        gc.collect()
        self.assertTrue(eagerly(clone).done)
        self.assertEqual(clone.clone().trace.record, clone.trace.record)

    def test_draw_the_same_random_numbers(self) -> None:
        engine = damocles.Engine(GEMM, GPUS)
        engine.run.random()
        clone = engine.clone()
        self.assertEqual(clone.run.random(), engine.run.random())

    def test_search_for_fewer_loads(self) -> None:
        # A beam of four: each goes on with three of the tasks that lack the fewest data items.
        def choices(engine):
            missing = {task: len(engine.run.missing(engine.worker, task)) for task in engine.open}
            least = min(missing.values())
            return [task for task in engine.open if missing[task] == least]

        draws = random.Random(1)
        beam = [damocles.Engine("gemm2d:n=6", "gpus:k=1,memory=5data")]
        while not beam[0].done:
            following = []
            for engine in beam:
                for task in draws.sample(choices(engine), min(3, len(choices(engine)))):
                    one = engine.clone()
                    one.grant(task)
                    following.append(one)
            beam = sorted(following, key=lambda one: one.loads)[:4]
        self.assertLess(beam[0].loads, row("gemm2d:n=6", "gpus:k=1,memory=5data", "eager").loads)


class Mistakes(unittest.TestCase):
    def test_in_a_grant_change_nothing(self) -> None:
        engine = damocles.Engine(CHOLESKY, GPUS)
        for wrong, kind, text in ((1, damocles.InvalidInput, "task 1 .* is not open"), (9999, damocles.InvalidInput, "no task 9999"),
                                  (-1, damocles.InvalidInput, "no task -1"), ([0, 0], damocles.InvalidInput, "stands twice"),
                                  (1.5, TypeError, "float"), ("07", TypeError, "str")):  # fmt: skip
            with self.subTest(wrong=wrong), self.assertRaisesRegex(kind, text):
                engine.grant(wrong)
        with self.assertRaisesRegex(damocles.InvalidInput, "no data item 9999"):
            engine.grant(0, loads=9999)
        with self.assertRaisesRegex(IndexError, "there is no worker 2; the run has 2"):
            engine.resident(2)
        with self.assertRaisesRegex(damocles.NoProgress, "the run is not done"):
            engine.trace
        eagerly(engine)
        self.assertEqual(engine.trace.record.makespan_s, row(CHOLESKY, GPUS, "eager").makespan_s)

    def test_in_the_words_are_refused(self) -> None:
        for words, text in ((("gem2d:n=4", GPUS), "gem2d"), ((GEMM, "uniform:p=5,lo=10,hi=100"), "with limited memory"),
                            ((GEMM, "gpus:k=1,memory=1data"), "memory")):  # fmt: skip
            with self.subTest(words=words), self.assertRaisesRegex(damocles.InvalidInput, text):
                damocles.Engine(*words)
        with self.assertRaisesRegex(damocles.InvalidInput, "unknown eviction"):
            damocles.Engine(GEMM, GPUS, eviction="oldest")

    def test_of_granting_nothing_end_the_run(self) -> None:
        engine = damocles.Engine(GEMM, GPUS)
        with self.assertRaisesRegex(damocles.NoProgress, "ran 0 of 100 tasks"):
            while True:
                engine.grant()
        for question in (lambda: engine.worker, engine.grant, engine.clone, lambda: engine.loads):
            with self.assertRaisesRegex(damocles.NoProgress, "the run has ended with an error"):
                question()


class Policies(unittest.TestCase):
    def test_in_python_choose_what_leaves(self) -> None:
        @damocles.eviction("engine-oldest")
        class Oldest:
            def __init__(self, workers, data):
                pass

            def victim(self, worker, candidates):
                return candidates[0]

        engine = damocles.Engine(GEMM, GPUS, eviction="engine-oldest")
        for _ in range(50):
            engine.grant(engine.open[0])
        for one in (engine.clone(), engine):
            self.assertEqual(eagerly(one).trace.record.loads, row(GEMM, GPUS, "eager").loads)

    def test_that_raise_end_the_run_with_their_exception(self) -> None:
        class Mine(Exception):
            pass

        @damocles.eviction("engine-failing")
        class Failing:
            def __init__(self, workers, data):
                pass

            def victim(self, worker, candidates):
                raise Mine("from the policy")

        engine = damocles.Engine(GEMM, GPUS, eviction="engine-failing")
        with self.assertRaisesRegex(Mine, "from the policy"):
            eagerly(engine)
        with self.assertRaisesRegex(damocles.NoProgress, "ended with an error"):
            engine.open

    def test_may_not_step_the_engine_that_asks_them(self) -> None:
        engines = []

        @damocles.eviction("engine-stepping")
        class Stepping:
            def __init__(self, workers, data):
                pass

            def victim(self, worker, candidates):
                engines[0].grant(engines[0].open[0])

        engines.append(damocles.Engine(GEMM, GPUS, eviction="engine-stepping"))
        with self.assertRaisesRegex(RuntimeError, "the engine is at work"):
            eagerly(engines[0])

    def test_that_do_not_repeat_themselves_have_no_clones(self) -> None:
        draws = random.Random(1)

        @damocles.eviction("engine-fickle")
        class Fickle:
            def __init__(self, workers, data):
                pass

            def victim(self, worker, candidates):
                return draws.choice(list(candidates))

        engine = damocles.Engine(GEMM, GPUS, eviction="engine-fickle")
        for _ in range(80):
            engine.grant(engine.open[0])
        with self.assertRaisesRegex(damocles.NoProgress, "the clone came to another state"):
            engine.clone()
        self.assertTrue(eagerly(engine).done)

    def test_may_be_deep(self) -> None:
        @damocles.eviction("engine-deep")
        class Deep:
            def __init__(self, workers, data):
                pass

            def victim(self, worker, candidates):
                def down(left):
                    return max([left], key=lambda one: down(one - 1) if one else 0)

                down(200)
                return candidates[0]

        engine = eagerly(damocles.Engine(GEMM, GPUS, eviction="engine-deep"))
        self.assertEqual(engine.loads, row(GEMM, GPUS, "eager").loads)


class Interruptions(unittest.TestCase):
    def test_by_ctrl_c_end_a_long_step(self) -> None:
        engine = damocles.Engine("gemm2d:n=1500", GPUS)
        with self.assertRaises(KeyboardInterrupt), interrupted_after(0.05):
            engine.grant(range(1500**2))
        with self.assertRaisesRegex(damocles.NoProgress, "ended with an error"):
            engine.worker

    def test_of_other_threads_are_refused(self) -> None:
        engine = damocles.Engine("gemm2d:n=300", GPUS)
        refused = []
        stepping = threading.Thread(target=lambda: engine.grant(range(300**2)))
        stepping.start()
        while stepping.is_alive() and not refused:
            try:
                _ = engine.time_s
            except RuntimeError as error:
                refused.append(str(error))
        stepping.join()
        self.assertTrue(engine.done)
        self.assertTrue(all("the engine is at work" in text for text in refused), refused)

    def test_by_other_commands_do_no_harm(self) -> None:
        engine = damocles.Engine(GEMM, GPUS)
        while not engine.done:
            engine.grant(engine.open[0])
            if engine.open and len(engine.open) % 40 == 0:
                row(GEMM, GPUS, "darts")
        self.assertEqual(engine.loads, row(GEMM, GPUS, "eager").loads)


if __name__ == "__main__":
    unittest.main()
