"""What the general plot takes for its x axis and its lines."""

from __future__ import annotations

import unittest
from collections.abc import Iterable

import axis
import columns
from results import Row


def row(workload: str, platform: str, strategy: str, eviction: str = "", **numbers: float) -> Row:
    """A simulated row."""
    texts = {"source": "simulated", "strategy": strategy, "workload": workload,
             "platform": platform, "eviction": eviction}  # fmt: skip
    return Row(2, texts, {"volume_ratio": 2.0, **numbers})


def platforms(texts: Iterable[str], strategy: str = "random") -> list[Row]:
    """One row per platform."""
    return [row("outer:n=9", text, strategy) for text in texts]


class Chooses(unittest.TestCase):
    def test_nothing_where_nothing_varies(self) -> None:
        self.assertEqual(axis.choose(platforms(["homogeneous:p=2"] * 3)).x, "")

    def test_the_parameter_that_varies(self) -> None:
        rows = platforms(f"uniform:p={p},lo=1,hi=9" for p in (2, 4))

        choice = axis.choose(rows)

        self.assertEqual((choice.x, choice.splits, choice.numeric), ("platform p", (), True))
        self.assertEqual([choice.value(one) for one in rows], [2.0, 4.0])

    def test_heterogeneity_of_a_platform_is_the_mean_of_its_draws_and_0_where_speeds_are_equal(self) -> None:
        rows = [row("outer:n=9", "uniform:p=2,mean=9,spread=0", "random"),
                *(row("outer:n=9", "uniform:p=2,mean=9,spread=0.5", "random", heterogeneity=h)
                  for h in (0.25, 0.5))]  # fmt: skip

        choice = axis.named(rows, columns.find(rows, "heterogeneity"))

        self.assertEqual([choice.value(one) for one in rows], [0.0, 0.375, 0.375])
        self.assertEqual(choice.splits, ())

    def test_not_the_counts_that_follow_from_it(self) -> None:
        rows = [row(f"outer:n={n}", "homogeneous:p=2", "random", tasks=n * n) for n in (3, 9)]

        self.assertEqual(axis.choose(rows).x, "workload n")

    def test_beta_and_leaves_other_strategies_level(self) -> None:
        rows = [row("outer:n=9", "homogeneous:p=2", f"dynamic-2phases:beta={b}", beta=b)
                for b in (1, 2)] + platforms(["homogeneous:p=2"])  # fmt: skip

        choice = axis.choose(rows)

        self.assertEqual([choice.value(one) for one in rows], [1.0, 2.0, None])

    def test_not_a_beta_that_follows_the_platform(self) -> None:
        rows = [row("outer:n=9", f"homogeneous:p={p}", "dynamic-2phases:beta=auto", beta=p / 9)
                for p in (2, 4, 8)]  # fmt: skip

        choice = axis.choose(rows)

        self.assertEqual((choice.x, choice.splits), ("platform p", ()))

    def test_one_and_splits_lines_by_the_other(self) -> None:
        rows = [row(f"outer:n={n}", f"homogeneous:p={p}", "random")
                for n in (5, 9) for p in (2, 4, 8)]  # fmt: skip

        choice = axis.choose(rows)

        self.assertEqual((choice.x, choice.splits), ("platform p", ("workload n",)))
        self.assertEqual(choice.suffix(rows[0]), ", n=5")
        self.assertEqual(len({choice.key(one) for one in rows}), 2)

    def test_quantities_in_the_first_ones_unit(self) -> None:
        rows = platforms(f"gpus:k=1,memory={size}" for size in ("500MB", "1GB"))

        choice = axis.choose(rows)

        self.assertEqual(choice.label(), "platform memory [MB]")
        self.assertEqual([choice.value(one) for one in rows], [500.0, 1000.0])

    def test_names_where_there_is_no_number(self) -> None:
        rows = platforms(("unif.1:p=3", "speeds:1,2,3"))

        choice = axis.choose(rows)

        self.assertEqual((choice.x, choice.numeric), ("platform", False))
        self.assertEqual([choice.value(one) for one in rows], ["unif.1", "speeds:1,2,3"])

    def test_lines_by_eviction_and_never_by_seed(self) -> None:
        rows = [row(f"gemm2d:n=9,order=random,seed={seed}", "gpus:k=1", "eager", eviction)
                for seed in (1, 2) for eviction in ("lru", "luf")]  # fmt: skip

        choice = axis.choose(rows)

        self.assertEqual(choice.x, "")
        self.assertEqual(len({choice.key(one) for one in rows}), 2)


if __name__ == "__main__":
    unittest.main()
