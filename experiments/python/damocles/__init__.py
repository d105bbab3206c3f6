"""Damocles in Python: predict, simulate and compare data-aware schedulers, and write your own.

    import damocles
    rows = damocles.simulate("gemm2d:n=50", "gpus:k=2,memory=500MB", "darts,dmdar,eager")
    rows.df

The words, the columns and the messages are those of the command line; see docs/howto/python.md.
"""

from ._import import check as _check

_check()

from ._damocles import Candidates, InvalidInput, Infeasible, NoProgress, Run, __version__  # noqa: E402
from .commands import beta, compare, explain, load_plugin, predict, recommend, simulate, sweep, trace  # noqa: E402
from .engine import Engine  # noqa: E402
from .files import cite, merge, query, report, run, trajectory  # noqa: E402
from .files import list_names as list  # noqa: E402
from .graphs import write_graph, write_matrix  # noqa: E402
from .records import Answer, Event, Record, Records, Trace  # noqa: E402
from .specs import Platform, Workload  # noqa: E402
from .strategies import eviction, strategy  # noqa: E402

# Not `list`: `from damocles import *` leaves Python's own.
__all__ = ["Answer", "Candidates", "Engine", "Event", "Infeasible", "InvalidInput", "NoProgress", "Platform", "Record",
           "Records", "Run", "Trace", "Workload", "__version__", "beta", "cite", "compare", "eviction", "explain",
           "load_plugin", "merge", "predict", "query", "recommend", "report", "run", "simulate", "strategy", "sweep", "trace",
           "trajectory", "write_graph", "write_matrix"]  # fmt: skip

for _public in (Candidates, Infeasible, InvalidInput, NoProgress, Run):
    _public.__module__ = "damocles"  # where users find it
