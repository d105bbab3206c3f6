"""Strategies written in Python: as those in C++, checked, replaced, and stopped by what they raise."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
import unittest
import weakref

import damocles
from program import EXTENDED, csv_rows, interrupted_after, same

GEMM, GPUS = "gemm2d:n=10", "gpus:k=2,memory=8data"
CHOLESKY = "cholesky:n=8,deps=true"


@damocles.strategy("newest-first")
class NewestFirst:
    """Tasks in the reverse order of submission, as tests/extension/strategy.cpp."""

    def __init__(self, run):
        self.open = run.tasks

    def request(self, worker):
        if self.open > 0:
            self.open -= 1
            return self.open


@damocles.strategy("first-come")
class FirstCome:
    """Tasks in the order in which they become ready, as eager."""

    def __init__(self, run):
        self.ready = []

    def on_ready(self, task):
        self.ready.append(task)

    def request(self, worker):
        return self.ready.pop(0) if self.ready else None


def one_run(strategy, workload=GEMM, platform=GPUS):
    return damocles.simulate(workload, platform, strategy, replicates=1)[0]


class Runs(unittest.TestCase):
    def test_are_those_of_the_same_strategy_in_cpp(self) -> None:
        for workload, platform in ((GEMM, GPUS), ("sparse2d:n=20,density=0.2", "gpus:k=3,memory=9data"),
                                   ("outer:n=20", "uniform:p=5,lo=10,hi=100")):  # fmt: skip
            words = (workload, platform, "--strategies", "newest-first", "--replicates", "4")
            same(self, damocles.simulate(workload, platform, NewestFirst, replicates=4),
                 csv_rows("simulate", *words, program=EXTENDED))  # fmt: skip

    def test_with_dependencies_are_too(self) -> None:
        mine, eager = one_run("first-come", CHOLESKY), one_run("eager", CHOLESKY)
        self.assertEqual({**mine, "strategy": "eager"}, eager)

    def test_are_compared_with_others(self) -> None:
        records = damocles.compare(GEMM, GPUS, "newest-first,darts", replicates=2)
        self.assertEqual({record.strategy for record in records}, {"newest-first", "darts"})

    def test_are_explained_and_recommended(self) -> None:
        self.assertEqual(damocles.explain(GEMM, GPUS, NewestFirst)["runs"][0]["strategy"], "newest-first")
        self.assertIn("newest-first", damocles.recommend(GEMM, GPUS, "newest-first,eager").text)

    def test_are_swept_beside_others(self) -> None:
        records = damocles.sweep("gemm2d:n=4", "gpus:k=2,memory=6data", [NewestFirst, "eager"], vary={"n": [4, 5]},
                                 replicates=1)  # fmt: skip
        self.assertEqual([record.strategy for record in records], ["newest-first", "eager"] * 2)
        self.assertEqual(records[2], one_run(NewestFirst, "gemm2d:n=5", "gpus:k=2,memory=6data"))

    def test_are_kept_in_no_store_as_their_class_may_change(self) -> None:
        for call in (lambda: damocles.simulate(GEMM, GPUS, NewestFirst, store="none.db"),
                     lambda: damocles.simulate(GEMM, GPUS, "all", store="none.db"),
                     lambda: damocles.sweep(GEMM, GPUS, NewestFirst, vary={"n": [2]}, store="none.db")):  # fmt: skip
            with self.assertRaisesRegex(damocles.InvalidInput, "keeps no rows of what is written in Python"):
                call()
        self.assertFalse(os.path.exists("none.db"))

    def test_of_all_strategies_are_with_them(self) -> None:
        # In a process of its own: other tests register strategies that fail.
        words = ("import damocles", "@damocles.strategy('one-by-one')", "class OneByOne:",
                 "    def __init__(self, run): self.open = list(range(run.tasks))",
                 "    def request(self, worker): return self.open.pop() if self.open else None",
                 f"print(*(row.strategy for row in damocles.simulate('{GEMM}', '{GPUS}', 'all', replicates=1)))")  # fmt: skip
        made = subprocess.run([sys.executable, "-c", "\n".join(words)], capture_output=True, text=True, check=True)
        self.assertIn("one-by-one", made.stdout.split())
        self.assertIn("darts", made.stdout.split())

    def test_are_told_of_events(self) -> None:
        told = []

        @damocles.strategy("told")
        class Told(NewestFirst):
            def on_loaded(self, worker, data): told.append(("loaded", worker, data))
            def on_arrived(self, worker, data): told.append(("arrived", worker, data))
            def on_evicted(self, worker, data): told.append(("evicted", worker, data))
            def on_started(self, worker, task): told.append(("started", worker, task))
            def on_finished(self, worker, task): told.append(("finished", worker, task))

        record = one_run(Told)
        count = {name: sum(1 for event in told if event[0] == name) for name in
                 ("loaded", "arrived", "evicted", "started", "finished")}  # fmt: skip
        self.assertEqual((count["loaded"], count["arrived"]), (record.loads, record.loads))
        self.assertEqual(count["evicted"], record.evictions)
        self.assertEqual((count["started"], count["finished"]), (100, 100))

    def test_see_the_run(self) -> None:
        seen = {}

        @damocles.strategy("seeing")
        class Seeing(NewestFirst):
            options = {"depth": "a text for the test"}

            def __init__(self, run):
                super().__init__(run)
                seen.update(tasks=run.tasks, data=run.data, workers=run.workers, inputs=run.inputs(11),
                            missing=run.missing(0, 11), holds=run.holds(0, 1), bytes=run.bytes(0), options=run.options,
                            seconds=run.seconds(0, 0), name=run.task_name(11), draw=run.random_below(1000), run=run)  # fmt: skip

        damocles.simulate(GEMM, GPUS, "seeing:depth=3", replicates=1)
        first = seen.pop("draw")
        self.assertGreater(seen.pop("seconds"), 0)
        run = seen.pop("run")
        self.assertEqual(seen, {"tasks": 100, "data": 20, "workers": 2, "inputs": [1, 11], "missing": [1, 11], "holds": False,
                                "bytes": 14745600, "options": {"depth": "3"}, "name": seen["name"]})  # fmt: skip
        with self.assertRaisesRegex(damocles.NoProgress, "the run has ended"):
            run.tasks
        damocles.simulate(GEMM, GPUS, "seeing:depth=3", replicates=1)
        self.assertEqual(seen["draw"], first)

    def test_on_cores_and_gpus_need_the_attribute(self) -> None:
        mixed = "gpus:k=1,memory=500MB,cpus=2,cpu_gflops=40"
        with self.assertRaisesRegex(damocles.Infeasible, "mixed CPU/GPU platforms"):
            one_run("newest-first", GEMM, mixed)
        seconds = []

        @damocles.strategy("mixed")
        class Mixed(NewestFirst):
            heterogeneous = True

            def __init__(self, run):
                super().__init__(run)
                seconds.extend(run.seconds(worker, 0) for worker in range(run.workers))

        self.assertEqual(one_run(Mixed, GEMM, mixed).status, "ok")
        self.assertEqual(len(set(seconds)), 2)  # the GPU's, and that of each core

    def test_may_grant_several_tasks_and_wake_workers(self) -> None:
        @damocles.strategy("waking")
        class Waking:
            """Gives all work to worker 0 first; worker 1 is woken when 50 tasks are left."""

            def __init__(self, run):
                self.run, self.open = run, list(range(run.tasks))

            def request(self, worker):
                if worker == 1 and len(self.open) > 50:
                    return None
                batch = [self.open.pop() for _ in range(min(2, len(self.open)))]
                if len(self.open) == 50:
                    self.run.wake()
                return batch

        self.assertEqual(one_run(Waking).status, "ok")


class Registration(unittest.TestCase):
    def test_again_replaces_the_class(self) -> None:
        order = []
        for step in (0, -1):
            @damocles.strategy("cell")
            class Cell:
                def __init__(self, run):
                    self.open = list(range(run.tasks))

                def request(self, worker, step=step):
                    return self.open.pop(step) if self.open else None

            order.append(one_run("cell"))
        self.assertEqual({**order[0], "strategy": "eager"}, one_run("eager"))
        self.assertEqual({**order[1], "strategy": "newest-first"}, one_run("newest-first"))

    def test_keeps_no_object_of_a_run(self) -> None:
        made = []

        @damocles.strategy("kept")
        class Kept(NewestFirst):
            def __init__(self, run):
                super().__init__(run)
                made.append(weakref.ref(self))

        damocles.simulate(GEMM, GPUS, Kept, replicates=3)
        gc.collect()
        self.assertEqual([one() for one in made], [None] * 3)

    def refused(self, text: str, name: str, cls: type) -> None:
        with self.assertRaisesRegex(damocles.InvalidInput, text):
            damocles.strategy(name)(cls)

    def test_refuses_what_cannot_be_a_strategy(self) -> None:
        self.refused("strategy 'darts' is one of damocles' own", "darts", NewestFirst)
        self.refused("lower-case letters", "My:Strategy", NewestFirst)
        self.refused("no method request", "nothing", type("Nothing", (), {}))
        self.refused("unknown event of strategy 'typo' 'on_finish'; did you mean 'on_finished'", "typo",
                     type("Typo", (NewestFirst,), {"on_finish": lambda self, worker, task: None}))  # fmt: skip
        self.refused("unknown eviction", "evicts", type("Evicts", (NewestFirst,), {"eviction": "oldest"}))

    def test_refuses_attributes_of_another_type(self) -> None:
        self.refused(r"strategy 'typed': its attribute options is \['depth'\]; write names of options", "typed",
                     type("Typed", (NewestFirst,), {"options": ["depth"]}))  # fmt: skip
        self.refused("its attribute eviction is 3; write the name of an eviction policy", "typed",
                     type("Typed", (NewestFirst,), {"eviction": 3}))  # fmt: skip

    def test_of_objects_without_a_method_to_call_ends_in_an_exception(self) -> None:
        class Raises:
            def __get__(self, one, of=None):
                if one is None: return self
                raise ValueError("not now")

        def taken(value):
            def init(self, run): self.request = value
            return {"__init__": init, "request": lambda self, worker: None}

        for body, kind, text in (
                (taken(None), damocles.InvalidInput, "request of its object is None, which is no method"),
                (taken(7), damocles.InvalidInput, "request of its object is 7, which is no method; a field"),
                ({"__init__": lambda self, run: None, "request": Raises()}, ValueError, "not now"),
                ({"__init__": lambda self, run: None, "request": lambda self: None}, TypeError, "positional argument"),
                ({"__init__": lambda self: None, "request": lambda self, worker: None}, TypeError, "argument"),
                ({"__new__": lambda cls, run: 5, "request": lambda self, worker: None}, damocles.InvalidInput,
                 r"its object 5 has no method request\(self, worker\)"),
                ({"request": 3, "__init__": lambda self, run: None}, damocles.InvalidInput, "request.* is 3, which is no method"),
                ({**taken(None), "request": property(lambda self: 1 / 0), "__init__": lambda self, run: None},
                 ZeroDivisionError, "division"),
        ):  # fmt: skip
            with self.subTest(text=text), self.assertRaisesRegex(kind, text):
                one_run(damocles.strategy("odd")(type("Odd", (), body)))
        self.refused("no method request", "odd", type("Odd", (), {"request": None}))

    def test_is_refused_while_a_command_runs(self) -> None:
        @damocles.strategy("nested")
        class Nested(NewestFirst):
            def request(self, worker):
                return damocles.simulate(GEMM, GPUS, "eager")

        with self.assertRaisesRegex(RuntimeError, "is running in this thread"):
            one_run(Nested)

    def test_is_for_simulations(self) -> None:
        for call in (damocles.run, damocles.trajectory):
            with self.assertRaisesRegex(damocles.InvalidInput, "'newest-first' is written in Python, which"):
                call(GEMM, GPUS, "newest-first")


class Answers(unittest.TestCase):
    def answering(self, answer) -> None:
        @damocles.strategy("answering")
        class Answering:
            def __init__(self, run): pass
            def request(self, worker): return answer

        one_run("answering")

    def test_that_are_wrong_end_the_run(self) -> None:
        for answer, kind, text in (
                (100, damocles.NoProgress, r"strategy 'answering' answered 100: .* give one from 0 to 99"),
                (-1, damocles.NoProgress, "answered -1"),
                (2**70, damocles.NoProgress, "no such task"),
                ([3, 3], damocles.NoProgress, "answered 3: it was granted before"),
                (1.5, damocles.NoProgress, "answered 1.5: return a task, tasks, or None"),
                ("07", TypeError, "str"),
                (None, damocles.NoProgress, "granted|stopped|progress"),
        ):  # fmt: skip
            with self.subTest(answer=answer), self.assertRaisesRegex(kind, text):
                self.answering(answer)

    def test_of_tasks_that_wait_end_the_run(self) -> None:
        @damocles.strategy("hasty")
        class Hasty(NewestFirst):
            def on_ready(self, task): pass

        with self.assertRaisesRegex(damocles.NoProgress, "waits for another task"):
            one_run(Hasty, CHOLESKY)

    def test_of_strategies_without_on_ready_need_no_dependencies(self) -> None:
        with self.assertRaisesRegex(damocles.Infeasible, "does not support task dependencies"):
            one_run("newest-first", CHOLESKY)


class Exceptions(unittest.TestCase):
    def test_arrive_as_themselves_with_their_traceback(self) -> None:
        class Mine(Exception):
            pass

        for method in ("__init__", "request", "on_finished", "on_ready"):
            def fails(self, *words):
                raise Mine("from the strategy")

            damocles.strategy("failing")(type("Failing", (FirstCome,), {method: fails}))
            with self.subTest(method=method):
                try:
                    one_run("failing", CHOLESKY)
                    self.fail("nothing was raised")
                except Mine as error:  # assertRaises would clear the traceback
                    self.assertEqual(traceback.extract_tb(error.__traceback__)[-1].name, "fails")
                    self.assertEqual(error.args, ("from the strategy",))

    def test_of_ctrl_c_end_the_run(self) -> None:
        asked = []

        @damocles.strategy("interrupted")
        class Interrupted(NewestFirst):
            def request(self, worker):
                asked.append(worker)
                if len(asked) == 20:
                    signal.raise_signal(signal.SIGINT)
                return super().request(worker)

        with self.assertRaises(KeyboardInterrupt):
            damocles.simulate("gemm2d:n=100", GPUS, "interrupted")
        self.assertEqual(len(asked), 20)

    def test_of_ctrl_c_end_the_run_of_any_strategy(self) -> None:
        for strategies in ("eager,newest-first", "newest-first"):
            began = time.process_time()
            with self.subTest(strategies=strategies), self.assertRaises(KeyboardInterrupt), interrupted_after(0.2):
                damocles.simulate("gemm2d:n=1500", GPUS, strategies, replicates=100)
            self.assertLess(time.process_time() - began, 30)  # all of it takes minutes


class Cost(unittest.TestCase):
    def test_of_a_callback_is_below_a_microsecond(self) -> None:
        @damocles.strategy("told-nothing")
        class ToldNothing(NewestFirst):
            def on_started(self, worker, task): pass
            def on_finished(self, worker, task): pass

        def seconds(strategy) -> float:
            began = time.process_time()
            one_run(strategy, "gemm2d:n=300", "gpus:k=1,memory=100data")
            return time.process_time() - began

        # In turn, so that both have the same machine.
        pairs = [(seconds(ToldNothing), seconds(NewestFirst)) for _ in range(7)]
        told, alone = (min(times) for times in zip(*pairs))
        self.assertLess((told - alone) / (2 * 300**2), 1e-6)


class Threads(unittest.TestCase):
    def test_of_a_run_are_the_one_that_asked(self) -> None:
        seen = set()

        @damocles.strategy("threads")
        class Threads(NewestFirst):
            def request(self, worker):
                seen.add(threading.get_ident())
                return super().request(worker)

        damocles.simulate(GEMM, GPUS, "threads,eager,darts", replicates=4)
        self.assertEqual(seen, {threading.get_ident()})

    def test_wait_their_turn(self) -> None:
        expected = damocles.simulate(GEMM, GPUS, "eager,darts")
        answers: list = []

        def ask() -> None:
            for strategies in ("eager,darts", "newest-first"):
                answers.append(damocles.simulate(GEMM, GPUS, strategies))

        asking = [threading.Thread(target=ask) for _ in range(6)]
        for one in asking:
            one.start()
        for one in asking:
            one.join()
        self.assertEqual(len(answers), 12)
        self.assertEqual(sum(answer == expected for answer in answers), 6)

    def test_of_their_own_are_refused(self) -> None:
        with self.assertRaisesRegex(damocles.InvalidInput, "--jobs 2: what is written in Python runs on one thread"):
            damocles.simulate(GEMM, GPUS, "newest-first", jobs=2)


if __name__ == "__main__":
    unittest.main()
