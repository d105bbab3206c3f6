"""Task graphs of one's own: what write_graph() writes is what the lists, networkx graphs and matrices say."""

import json
import os
import random
import tempfile
import unittest
import warnings
from typing import Any, Iterable

import damocles
from program import csv_rows, same

MEGABYTES = "gpus:k=2,memory=8MB"


class Pairs(list):
    """Nodes or edges of a networkx graph, as far as the package asks."""

    def __call__(self, data: bool) -> "Pairs":
        return self


class Digraph:
    """As a networkx.MultiDiGraph."""

    def __init__(self, nodes: Iterable, edges: Iterable, directed: bool = True) -> None:
        self.nodes, self.edges, self._directed = Pairs(nodes), Pairs(edges), directed

    def is_directed(self) -> bool:
        return self._directed


class Integer:
    """As an integer of NumPy."""

    shape = ()

    def __init__(self, value: int) -> None:
        self._value = value

    def item(self) -> int:
        return self._value


def tasks_of(names: Iterable) -> "list[tuple[Any, dict]]":
    return [(name, {"flops": 1e9}) for name in names]


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "graph.json")

    def written(self) -> "dict[str, Any]":
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)

    def order(self, workload: damocles.Workload, strategy: str = "eager") -> "list[int]":
        """The tasks as they started."""
        events = damocles.trace(workload, MEGABYTES, strategy).events
        return events["id"][events["kind"] == damocles.Event.task_started].tolist()


class Lists(InFolder):
    def test_of_tasks_are_those_that_the_program_reads(self) -> None:
        workload = damocles.write_graph(self.path, [{"name": "x", "reads": ["A"], "writes": ["B"], "flops": 1e9},
                                                    {"name": "y", "reads": ["B", "C"], "flops": Integer(2 * 10**9)}],
                                        {"A": Integer(1000), "B": 2000, "C": 3000.0})  # fmt: skip
        records = damocles.simulate(workload, MEGABYTES, "dmdas", replicates=1)
        self.assertEqual((records[0].tasks, records[0].data), (2, 3))
        same(self, records, csv_rows("simulate", str(workload), MEGABYTES, "--strategies", "dmdas", "--replicates", "1"))

    def test_that_are_wrong_are_refused_and_leave_the_file(self) -> None:
        damocles.write_graph(self.path, [{"flops": 1e9}])
        before = self.written()
        for tasks, data, text in (
                ([{"reads": "tile1", "flops": 1e9}], None, r"task 0: reads is 'tile1'; write a list of names, such as \['tile1'\]"),
                ([{"reads": {"a": 1}}], None, "write a list of names"),
                ([{"reads": 3}], None, "write a list of names"),
                ([{"name": "a"}, {"name": "b", "flops": object()}], None, "task 'b': flops is <object.*write a number"),
                ([{"flops": float("nan")}], None, "flops is nan"),
                ([{"flops": 1e9, "reads": ["A"]}], {"A": "big"}, "big"),
                (["a"], None, "task 0 is 'a'; write a dict"),
                ([{"name": "a", "after": ["b"]}], None, "b"),
        ):  # fmt: skip
            with self.subTest(tasks=tasks), self.assertRaisesRegex(damocles.InvalidInput, text):
                damocles.write_graph(self.path, tasks, data)
            self.assertEqual(self.written(), before)

    def test_have_files_of_any_name(self) -> None:
        for name in ("a,b.json", "a, b.json", "a,tile=3.json", 'a"b.json', " a.json", "a=b.json", "ä.json"):
            path = os.path.join(self.folder, name)
            workload = damocles.write_graph(path, [{"reads": ["A"], "flops": 1e9}], {"A": 1000})
            with self.subTest(name=name):
                record = damocles.simulate(workload, MEGABYTES, "eager", replicates=1)[0]
                self.assertEqual((record.tasks, record.workload), (1, str(workload)))
                same(self, damocles.simulate(record.workload, MEGABYTES, "eager", replicates=1), csv_rows(
                    "simulate", record.workload, MEGABYTES, "--strategies", "eager", "--replicates", "1"))  # fmt: skip


class Networks(InFolder):
    def test_have_their_edges_as_dependencies(self) -> None:
        graph = Digraph([("a", {"flops": 1e9}), ("b", {"flops": 1e9, "reads": ["input"]}), ("c", {"flops": 1e9})],
                        [("a", "b", {"bytes": 1000000}), ("a", "c", {})])  # fmt: skip
        workload = damocles.write_graph(self.path, graph, {"input": 5000})
        self.assertEqual(self.order(workload)[0], 0)
        self.assertEqual(damocles.simulate(workload, MEGABYTES, "eager", replicates=1)[0].data, 2)

    def test_may_name_their_nodes_in_any_order(self) -> None:
        rng = random.Random(1)
        for size in (None, 10**5):
            names = list(range(60))
            rng.shuffle(names)
            edges = [(*sorted(rng.sample(range(60), 2)), {} if size is None else {"bytes": size}) for _ in range(150)]
            workload = damocles.write_graph(self.path, Digraph(tasks_of(names), edges))
            for strategy in ("eager", "dmdas", "heft"):
                place = {names[task]: at for at, task in enumerate(self.order(workload, strategy))}
                with self.subTest(size=size, strategy=strategy):
                    self.assertEqual([(tail, head) for tail, head, _ in edges if place[tail] > place[head]], [])

    def test_keep_parallel_edges_apart(self) -> None:
        graph = Digraph(tasks_of("ab"), [("a", "b", {"bytes": Integer(10)}), ("a", "b", {"bytes": 20})])
        record = damocles.simulate(damocles.write_graph(self.path, graph), MEGABYTES, "eager", replicates=1)[0]
        self.assertEqual(record.data, 2)
        self.assertEqual(sorted(item["bytes"] for item in self.written()["data"]), [10, 20])

    def test_pass_one_item_to_several_tasks(self) -> None:
        graph = Digraph(tasks_of("xyz"), [("x", "y", {"data": "out", "bytes": 10}), ("x", "z", {"data": "out"})])
        damocles.write_graph(self.path, graph)
        self.assertEqual([item["bytes"] for item in self.written()["data"]], [10])

    def test_have_weights_as_seconds(self) -> None:
        graph = Digraph([("a", {"weight": 3}), ("b", {"weight": 5.0})], [("a", "b", {})])
        damocles.write_graph(self.path, graph)
        self.assertEqual([task["flops"] for task in self.written()["tasks"]], [3 * 40e9, 5 * 40e9])

    def test_name_what_is_not_read(self) -> None:
        graph = Digraph([("a", {"flops": 1e9, "pos": (0, 1)}), ("b", {"flops": 1e9})], [("a", "b", {"color": "red"})])
        with self.assertWarnsRegex(UserWarning, r"not read: color \(of edges\), pos \(of nodes\)"):
            damocles.write_graph(self.path, graph)

    def test_that_say_no_order_are_refused(self) -> None:
        for graph, text in (
                (Digraph(tasks_of("ab"), [("b", "a", {})], directed=False), "undirected graph.*networkx.DiGraph"),
                (Digraph(tasks_of("ab"), [("b", "a", {}), ("a", "b", {})]), "circle|cycle|itself|wait"),
                (Digraph(tasks_of("ab"), [("b", "a", {"bytes": 1}), ("a", "b", {"bytes": 1})]), "circle|cycle|itself|wait"),
                (Digraph(tasks_of("a"), [("a", "a", {})]), "circle|cycle|itself|wait"),
                (Digraph(tasks_of("xyz"), [("x", "y", {"data": "out", "bytes": 10}), ("x", "z", {"data": "out", "bytes": 20})]),
                 "data item 'out' of task 'x' has 10 and 20 bytes; write one size"),
                (Digraph(tasks_of("ab"), [("a", "b", {"bytes": "many"})]), "many"),
        ):  # fmt: skip
            with self.subTest(text=text), self.assertRaisesRegex(damocles.InvalidInput, text):
                damocles.write_graph(self.path, graph)
            self.assertFalse(os.path.exists(self.path))

    def test_of_networkx_itself(self) -> None:
        try:
            import networkx
        except ImportError:
            self.skipTest("networkx is not installed (python3-networkx)")
        graph = networkx.MultiDiGraph()
        graph.add_nodes_from(["late", "early"], weight=1)
        graph.add_edge("early", "late", bytes=10)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            workload = damocles.write_graph(self.path, graph)
        self.assertEqual(self.order(workload), [1, 0])


if __name__ == "__main__":
    unittest.main()
