"""Which block of a product or a factorisation each task of a trace computes, and when.

The name of a task tells: `GEMM(i,j)`, `GEMM(i,j,k)`, `TRSM(i,k)`, `SYRK(i,k)`, `POTRF(k)`; so do
names as `C00`, `C_0_1`, `C[0,1]`, where those of all tasks fill a grid. Where tasks have no such
names, their numbers do, in the order of submission of the workload. A stencil,
`JACOBI(i,j,s)`, has a row for each cell and a column for each step; layers of tasks, `T(l,i)`, a
row for each layer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from errors import PlotError
from spec import Spec
from traces import Run, Span
from words import elided

MOST_SIDE = 5000  # blocks
NAME = re.compile(r"([A-Za-z_]+) ?\((\d{1,9})(?:,(\d{1,9}))?(?:,(\d{1,9}))?\)")
JACOBI = re.compile(r"JACOBI\((\d{1,4}),(\d{1,4}),(\d{1,6})\)")
INDEXED = re.compile(r"([A-Za-z_]*?)_?(?:(\d)(\d)|[\[(]?(\d{1,4})[,_](\d{1,4})[\])]?)")
DIAGONAL = ("POTRF", "GETRF")
KINDS = ("task", "T", "GEMM", "TRSM", "SYRK", *DIAGONAL)
NUMBERED = ("outer", "gemm2d", "matrix", "gemm3d", "cholesky", "lu")
Block = tuple[int, int]


class Step(NamedTuple):
    """A task on a block."""

    start: float
    end: float
    processor: int


@dataclass
class Grid:
    """The blocks of one run: how many rows and columns, and what was done on each, in order."""

    rows: int
    columns: int
    steps: dict[Block, list[Step]]
    row: str = "row i"  # what the axes say
    column: str = "column j"


def grid(run: Run) -> Grid:
    """The blocks of a run. Raises PlotError where its tasks are of no grid of blocks."""
    tasks = [(task, place) for place, one in enumerate(run.processors) for task in one.tasks]
    if not tasks:
        raise PlotError(f"{_of(run)}: no task ran, so there is no block to draw")
    stencil = _stencil(run, [task for task, _ in tasks])
    numbered = stencil
    if stencil is None and any(_block_by_name(task) is None for task, _ in tasks):
        indexed = _indexed([task for task, _ in tasks])
        numbered = indexed if indexed is not None else _numbered(run)
    steps: dict[Block, list[Step]] = {}
    for task, place in tasks:
        block = _block_by_name(task) if numbered is None else numbered.get(task.number)
        if block is None or max(block) >= MOST_SIDE:
            raise PlotError(f"{_of(run)}: task '{elided(task.name, 40)}' is outside of its grid")
        steps.setdefault(block, []).append(Step(task.start, task.end, place))
    for some in steps.values():
        some.sort()
    sides = [1 + max(block[side] for block in steps) for side in (0, 1)]
    words = ("cell, row by row", "step") if stencil is not None else (
        ("layer", "task of the layer") if _is_layered(run) else ("row i", "column j"))  # fmt: skip
    return Grid(sides[0], sides[1], steps, *words)


def _is_layered(run: Run) -> bool:
    return Spec.parse(run.text("workload")).name == "layered"


def _stencil(run: Run, tasks: list[Span]) -> dict[int, Block] | None:
    """The cell and step of each task, by number; nothing where some task is of no stencil."""
    matches = [JACOBI.fullmatch(task.name) for task in tasks]
    cells = [tuple(map(int, match.groups())) for match in matches if match]
    if len(cells) < len(tasks):
        return None
    side = 1 + max(j for _, j, _ in cells)
    return {task.number: (i * side + j, step) for task, (i, j, step) in zip(tasks, cells)}


def _indexed(tasks: list[Span]) -> dict[int, Block] | None:
    """The block of each task by the digits of its name, by number; nothing where names differ in
    more than their digits, or their digits leave out a block."""
    matches = [INDEXED.fullmatch(task.name) for task in tasks]
    found = [match for match in matches if match]
    if len(found) < len(tasks) or len({match[1] for match in found}) > 1:
        return None
    blocks = [(int(match[2] or match[4]), int(match[3] or match[5])) for match in found]
    rows, columns = (sorted({block[side] for block in blocks}) for side in (0, 1))
    whole = len(set(blocks)) == len(rows) * len(columns)
    if not whole or any(one != list(range(one[0], one[-1] + 1)) for one in (rows, columns)):
        return None
    return {task.number: (i - rows[0], j - columns[0]) for task, (i, j) in zip(tasks, blocks)}


def _of(run: Run) -> str:
    return elided(run.text("workload") or "trace", 80)


def _block_by_name(task: Span) -> Block | None:
    """The block that a task writes; nothing where its name does not say it."""
    match = NAME.fullmatch(task.name)
    if not match or match[1] not in KINDS:
        return None
    i, j = int(match[2]), match[3]
    if j is None:
        return (i, i) if match[1] in DIAGONAL else None
    return (i, i) if match[1] == "SYRK" else (i, int(j))


def _numbered(run: Run) -> dict[int, Block]:
    """The block of each task, by number: of workloads whose order of submission is known."""
    workload = Spec.parse(run.text("workload"))
    sides = {key: _side(workload, key) for key in "nmk"}
    n = sides["n"]
    if workload.name not in NUMBERED or n is None or workload.options.get("order", "") != "":
        raise PlotError(
            f"{_of(run)}: its tasks tell no block (i,j); `plot grid` draws products (outer, matrix, "
            "gemm2d, gemm3d), cholesky, lu, stencil and layered, in the order of submission, and "
            "tasks named as GEMM(5,2), POTRF(3) or C52; `plot gantt` draws any trace"
        )
    rows = sides["m"] or n
    blocks: Iterator[Block]
    if workload.name in ("cholesky", "lu"):
        blocks = _cholesky(n) if workload.name == "cholesky" else _lu(n)
    else:
        deep = (sides["k"] or n) if workload.name in ("matrix", "gemm3d") else 1
        blocks = ((i, j) for i in range(rows) for j in range(n) for _ in range(deep))
    last = max(task.number for one in run.processors for task in one.tasks)
    return dict(zip(range(last + 1), blocks))


def _side(workload: Spec, key: str) -> int | None:
    value = workload.number(key)
    if value is None or not 1 <= value <= MOST_SIDE:
        return None
    return round(value)


def _cholesky(n: int) -> Iterator[Block]:
    for k in range(n):
        yield k, k
        yield from ((i, k) for i in range(k + 1, n))
        for i in range(k + 1, n):
            yield i, i
            yield from ((i, j) for j in range(k + 1, i))


def _lu(n: int) -> Iterator[Block]:
    for k in range(n):
        yield k, k
        yield from ((k, j) for j in range(k + 1, n))
        yield from ((i, k) for i in range(k + 1, n))
        yield from ((i, j) for i in range(k + 1, n) for j in range(k + 1, n))
