"""Task graphs of one's own: lists of tasks, networkx graphs and SciPy matrices, as files that the program reads too."""

import json
import math
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from . import _damocles
from .specs import Workload

_REFERENCES = ("reads", "writes", "commutes", "reduces", "after")  # lists of names
_TASK = ("name", "kind", *_REFERENCES, "flops", "output_bytes", "priority")
_EDGE = ("bytes", "data")
_CORE_FLOPS_PER_S = 40e9  # of the usual core, in whose seconds weights are


def write_graph(path: Any, tasks: Any, data: "Mapping[Any, int] | None" = None) -> Workload:
    """Write a task graph as a file of the program's JSON, whole or not at all, and return it as a workload.

    `tasks` are dicts with the keys of that format, in the order of submission: reads, writes, commutes and reduces list
    data items, after lists tasks; name, kind, flops, priority, output_bytes. `data` gives the bytes of data items.

    Instead of tasks it may be a networkx DiGraph or MultiDiGraph: its nodes are tasks with such attributes, and an edge
    says that its head waits for its tail. An edge with the attribute bytes or data is a data item that the tail writes
    and the head reads: edges of one tail with the same `data` pass one item. A node without flops has those of its
    `weight`, seconds on a core of 40 GFlop/s. A warning names the other attributes, which are not read.
    """
    sizes = {str(name): size for name, size in (data or {}).items()}
    if hasattr(tasks, "edges") and hasattr(tasks, "nodes"):
        items, written = _Network(tasks, sizes).items_and_tasks()
    else:
        items = list(sizes.items())
        written = [_task(task, f"task {index}") for index, task in enumerate(tasks)]
    known = {name for name, _ in items}
    for name in (name for task in written for key in _REFERENCES[:-1] for name in task.get(key, ())):
        if isinstance(name, str) and name not in known:
            known.add(name)
            items.append((name, None))
    listed = [{"name": name} if size is None else {"name": name, "bytes": _plain(size, f"data item '{name}': its size")}
              for name, size in items]  # fmt: skip
    return _written(path, "json", '{"damocles": 1,\n "data": [%s],\n "tasks": [%s]}\n' % (_lines(listed), _lines(written)))


def write_matrix(path: Any, matrix: Any) -> Workload:
    """Write a SciPy sparse matrix as a file of Matrix Market, and return it as a workload: a row is a task, which reads
    the data item of each column where it has an entry, whatever its value."""
    if not hasattr(matrix, "tocsr"):
        raise _damocles.InvalidInput(f"write_matrix: {_shown(matrix)} is no sparse matrix; give one of scipy.sparse")
    entries = matrix.tocsr().tocoo()  # each once
    lines = [f"{row + 1} {column + 1}" for row, column in zip(entries.row.tolist(), entries.col.tolist())]
    header = "%%MatrixMarket matrix coordinate pattern general"
    rows, columns = matrix.shape
    return _written(path, "mtx", "\n".join([header, f"{rows} {columns} {len(lines)}", *lines, ""]))


def _written(path: Any, file_format: str, text: str) -> Workload:
    path = os.fspath(path)
    _damocles.write_graph(path, "." + file_format, text)
    return Workload.file(path=path, format=file_format)


class _Network:
    """A networkx graph as tasks and data items. Tasks keep the order in which the graph has its nodes. `after` says what
    each edge says, and comes before that order; a circle is refused by the program."""

    def __init__(self, graph: Any, sizes: "dict[str, Any]") -> None:
        if not graph.is_directed():
            raise _damocles.InvalidInput("write_graph: an undirected graph says of no task which one comes first; give a "
                                         "networkx.DiGraph")  # fmt: skip
        self._sizes = sizes
        self._nodes = dict(graph.nodes(data=True))
        self._edges = list(graph.edges(data=True))
        self._foreign: "set[str]" = set()

    def items_and_tasks(self) -> "tuple[list[tuple[str, Any]], list[dict]]":
        tasks = {node: self._task_of(node) for node in self._nodes}
        index = {node: place for place, node in enumerate(tasks)}
        items: "dict[Any, tuple[str, Any]]" = {}
        for number, (tail, head, edge) in enumerate(self._edges):
            self._foreign.update(f"{name} (of edges)" for name in edge if name not in _EDGE)
            size = _plain(edge.get("bytes"), f"edge {tail} -> {head}: bytes", none=True)
            _add(tasks[head], "after", index[tail])
            if edge.get("data") is None and not size:  # without bytes, or with 0: only an order
                continue
            item = self._passed(items, number, size)
            _add(tasks[tail], "writes", item)
            _add(tasks[head], "reads", item)
        if self._foreign:
            warnings.warn(f"write_graph: not read: {', '.join(sorted(self._foreign))}; of nodes {', '.join(_TASK)} and weight "
                          f"are, and of edges {', '.join(_EDGE)}", stacklevel=4)  # fmt: skip
        place = {item: number for number, item in enumerate(items)}
        for task in tasks.values():
            for key in filter(task.__contains__, ("reads", "writes")):
                task[key] = [place.get(item, item) for item in task[key]]
            if "after" in task:
                task["after"] = list(task["after"])
        names = {name for name, _ in items.values()}
        return [*items.values(), *((name, size) for name, size in self._sizes.items() if name not in names)], list(tasks.values())

    def _passed(self, items: "dict[Any, tuple[str, Any]]", number: int, size: Any) -> Any:
        """The key of the data item that an edge passes: that of the tail with this name, or one of the edge alone."""
        tail, head, edge = self._edges[number]
        if edge.get("data") is None:
            items[number,] = (f"{tail}->{head}", size)
            return (number,)
        name = str(edge["data"])
        key = (tail, name)
        before = items.get(key, (name, self._sizes.get(name)))[1]
        if size is not None and before is not None and size != before:
            raise _damocles.InvalidInput(f"write_graph: data item '{name}' of task '{tail}' has {before} and {size} bytes; "
                                         "write one size")  # fmt: skip
        items[key] = (name, before if size is None else size)
        return key

    def _task_of(self, node: Any) -> dict:
        attributes = {"name": str(node), **self._nodes[node]}
        weight = attributes.pop("weight", None)
        self._foreign.update(f"{name} (of nodes)" for name in attributes if name not in _TASK)
        task = _task({name: value for name, value in attributes.items() if name in _TASK}, f"task '{node}'")
        if weight is not None and "flops" not in task:
            task["flops"] = _plain(weight, f"task '{node}': weight") * _CORE_FLOPS_PER_S
        return task


def _task(task: Any, what: str) -> dict:
    """The task with names as texts and numbers as JSON has them; the program checks what it says."""
    if not isinstance(task, Mapping):
        raise _damocles.InvalidInput(f"write_graph: {what} is {_shown(task)}; write a dict, such as "
                                     '{"reads": ["A"], "flops": 1e9}')  # fmt: skip
    what = f"task '{task['name']}'" if "name" in task else what
    return {str(key): _names(value, f"{what}: {key}") if key in _REFERENCES else _plain(value, f"{what}: {key}")
            for key, value in task.items()}  # fmt: skip


def _names(values: Any, what: str) -> "list[str]":
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise _damocles.InvalidInput(f"write_graph: {what} is {_shown(values)}; write a list of names, such as "
                                     f"[{_shown(values)}]")  # fmt: skip
    return [str(value) for value in values]


def _plain(value: Any, what: str, none: bool = False) -> Any:
    """A value of Python or NumPy as JSON has it."""
    if none and value is None:
        return None
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)  # 1e6 bytes
    if isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise _damocles.InvalidInput(f"write_graph: {what} is {_shown(value)}; write a number")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:56]}..."


def _lines(objects: "list[dict]") -> str:
    """Each on a line of its own, which messages name."""
    return ",".join("\n  " + json.dumps(one) for one in objects)


def _add(task: dict, key: str, value: Any) -> None:
    names = task.setdefault(key, {})
    if not isinstance(names, dict):  # those that the node gives itself
        names = task[key] = dict.fromkeys(names)
    names[value] = None
