"""Task graphs of one's own: lists of tasks and networkx graphs, as files that the program reads too."""

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from .specs import Workload

_ACCESSES = ("reads", "writes", "commutes", "reduces")


def write_graph(path: Any, tasks: Any, data: "Mapping[Any, int] | None" = None) -> Workload:
    """Write a task graph as a file of the program's JSON, and return it as a workload.

    `tasks` are dicts with the keys of that format, in the order of submission: reads, writes, commutes and reduces list
    data items, after lists tasks; name, kind, flops, priority, output_bytes. `data` gives the bytes of data items.
    Instead of tasks it may be a networkx.DiGraph: its nodes are tasks with such attributes, an edge says that its head
    waits for its tail, and the attribute bytes of the edge is the size of what passes.
    """
    sizes = {str(name): size for name, size in (data or {}).items()}
    if hasattr(tasks, "edges"):
        tasks = _tasks_of(tasks, sizes)
    written = [{key: _names(value) if key in (*_ACCESSES, "after") else value for key, value in task.items()}
               for task in tasks]  # fmt: skip
    for name in (name for task in written for access in _ACCESSES for name in task.get(access, ())):
        sizes.setdefault(name, None)
    items = [{"name": name} if size is None else {"name": name, "bytes": size} for name, size in sizes.items()]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"damocles": 1, "data": items, "tasks": written}, file)
    return Workload.file(path=os.fspath(path), format="json")


def _names(values: "Iterable[Any]") -> "list[str]":
    return [str(value) for value in values]


def _tasks_of(graph: Any, sizes: "dict[str, int | None]") -> "list[dict]":
    """The nodes of a networkx graph; adds the data items of its edges to `sizes`."""
    tasks = {node: {"name": str(node), **attributes} for node, attributes in graph.nodes(data=True)}
    for tail, head, edge in graph.edges(data=True):
        if "bytes" not in edge:
            _add(tasks[head], "after", tail)
            continue
        item = str(edge.get("data", f"{tail}->{head}"))
        sizes[item] = edge["bytes"]
        _add(tasks[tail], "writes", item)
        _add(tasks[head], "reads", item)
    return list(tasks.values())


def _add(task: dict, key: str, value: Any) -> None:
    names = [*task.get(key, ())]
    task[key] = names if value in names else [*names, value]
