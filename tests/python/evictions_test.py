"""Eviction policies written in Python: as those in C++, and checked."""

import unittest

import damocles

GEMM, GPUS = "gemm2d:n=10", "gpus:k=2,memory=8data"
CHOLESKY = "cholesky:n=8,deps=true"


@damocles.eviction("longest-ago")
class LongestAgo:
    """The data item touched longest ago, as lru."""

    def __init__(self, workers, data):
        pass

    def victim(self, worker, candidates):
        return candidates[0]


@damocles.eviction("farthest-use")
class FarthestUse:
    """The data item that is read last, or never, as belady."""

    def __init__(self, workers, data):
        pass

    def victim(self, worker, candidates):
        return max(candidates, key=candidates.next_use)


def one_run(strategy, workload=GEMM, platform=GPUS):
    return damocles.simulate(workload, platform, strategy, replicates=1)[0]


def policy(name, answer):
    """A policy whose victim is answer(worker, candidates)."""

    @damocles.eviction(name)
    class Policy:
        def __init__(self, workers, data):
            pass

        def victim(self, worker, candidates):
            return answer(worker, candidates)

    return Policy


class Evictions(unittest.TestCase):
    def test_are_those_of_the_same_policy_in_cpp(self) -> None:
        for mine, theirs in (("longest-ago", "lru"), ("farthest-use", "belady")):
            for workload, platform, strategy in ((GEMM, GPUS, "eager"), (GEMM, GPUS, "hfp"), (CHOLESKY, GPUS, "dmdas")):
                ours, other = (damocles.simulate(workload, platform, f"{strategy}:eviction={name}", replicates=2)
                               for name in (mine, theirs))  # fmt: skip
                self.assertEqual([row.eviction for row in ours], [mine] * 2)
                for column in ("loads", "evictions", "makespan_s"):
                    self.assertEqual([row[column] for row in ours], [row[column] for row in other], (mine, strategy))

    def test_serve_strategies_in_python_too(self) -> None:
        @damocles.strategy("first-to-last")
        class FirstToLast:
            eviction = "longest-ago"

            def __init__(self, run):
                self.open = iter(range(run.tasks))

            def request(self, worker):
                return next(self.open, None)

        mine, lru = one_run(FirstToLast), one_run("first-to-last:eviction=lru")
        self.assertEqual((mine.eviction, mine.loads), ("longest-ago", lru.loads))

    def test_are_told_of_events(self) -> None:
        told = {"loaded": 0, "used": 0, "evicted": 0}

        @damocles.eviction("counting")
        class Counting(LongestAgo):
            def on_loaded(self, worker, data):
                told["loaded"] += 1

            def on_used(self, worker, data):
                told["used"] += 1

            def on_evicted(self, worker, data):
                told["evicted"] += 1

        row = one_run("eager:eviction=counting")
        self.assertEqual(told, {"loaded": row.loads, "used": 2 * row.tasks, "evicted": row.evictions})

    def test_draw_random_numbers_that_the_seed_repeats(self) -> None:
        policy("any", lambda worker, candidates: candidates[candidates.random_below(len(candidates))])
        self.assertEqual(one_run("eager:eviction=any"), one_run("eager:eviction=any"))

    def test_are_listed_in_refusals_and_swept(self) -> None:
        with self.assertRaisesRegex(damocles.InvalidInput, "did you mean 'longest-ago'"):
            one_run("eager:eviction=longest-agoo")
        rows = damocles.sweep(GEMM, GPUS, "eager:eviction={policy}", vary={"policy": ["lru", "longest-ago"]}, replicates=1)
        self.assertEqual(rows[0].loads, rows[1].loads)


class Answers(unittest.TestCase):
    def test_that_are_no_candidate_end_the_run(self) -> None:
        for answer, shown in ((10**6, "1000000"), (-1, "-1")):
            policy("wrong", lambda worker, candidates, answer=answer: answer)
            with self.assertRaisesRegex(damocles.NoProgress, f"eviction policy 'wrong' answered {shown}, which is not a"):
                one_run("eager:eviction=wrong")
        policy("wrong", lambda worker, candidates: None)
        with self.assertRaises(TypeError):
            one_run("eager:eviction=wrong")

    def test_exceptions_arrive_as_themselves(self) -> None:
        policy("broken", lambda worker, candidates: candidates[len(candidates)])
        with self.assertRaisesRegex(IndexError, "fewer candidates"):
            one_run("eager:eviction=broken")

    def test_candidates_are_refused_after_the_question(self) -> None:
        kept = []
        policy("keeping", lambda worker, candidates: kept.append(candidates) or candidates[-1])
        one_run("eager:eviction=keeping")
        for ask in (kept[0].next_use, kept[0].buffered_uses):
            with self.assertRaisesRegex(damocles.NoProgress, "from within victim"):
                ask(kept[0][0])


class Registration(unittest.TestCase):
    def test_refuses_what_cannot_be_a_policy(self) -> None:
        class Nothing:
            pass

        class Wrong(LongestAgo):
            def on_load(self, worker, data):
                pass

        for name, cls, why in (("lru", LongestAgo, "'lru' is one of damocles' own"), ("Mine", LongestAgo, "lower-case letters"),
                               ("mine", Nothing, r"no method victim\(self"), ("mine", Wrong, "did you mean 'on_loaded'")):  # fmt: skip
            with self.assertRaisesRegex(damocles.InvalidInput, why):
                damocles.eviction(name)(cls)

    def test_of_objects_without_a_method_to_call_ends_in_an_exception(self) -> None:
        class Taken(LongestAgo):
            def __init__(self, workers, data): self.victim = None

        class Other:
            def __new__(cls, workers, data): return 5
            def victim(self, worker, candidates): return None

        for cls, text in ((Taken, "victim of its object is None, which is no method"),
                          (Other, r"its object 5 has no method victim\(self")):  # fmt: skip
            damocles.eviction("odd")(cls)
            with self.assertRaisesRegex(damocles.InvalidInput, text):
                one_run("eager:eviction=odd")

    def test_again_replaces_the_class(self) -> None:
        policy("again", lambda worker, candidates: candidates[0])
        first = one_run("eager:eviction=again").loads
        policy("again", lambda worker, candidates: candidates[-1])
        self.assertNotEqual(one_run("eager:eviction=again").loads, first)


if __name__ == "__main__":
    unittest.main()
