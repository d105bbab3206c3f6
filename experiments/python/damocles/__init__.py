"""Damocles in Python: predict, simulate and compare data-aware schedulers, and write your own.

    import damocles
    rows = damocles.simulate("gemm2d:n=50", "gpus:k=2,memory=500MB", "darts,dmdar,eager")
    rows.df

The words, the columns and the messages are those of the command line; see docs/howto/python.md.
"""

from ._damocles import Candidates, InvalidInput, Infeasible, NoProgress, Run, __version__
from .commands import beta, compare, explain, load_plugin, predict, recommend, simulate, sweep, trace
from .engine import Engine
from .graphs import write_graph
from .records import Answer, Event, Record, Records, Trace
from .specs import Platform, Workload
from .strategies import eviction, strategy

__all__ = ["Answer", "Candidates", "Engine", "Event", "Infeasible", "InvalidInput", "NoProgress", "Platform", "Record",
           "Records", "Run", "Trace", "Workload", "__version__", "beta", "compare", "eviction", "explain", "load_plugin",
           "predict", "recommend", "simulate", "strategy", "sweep", "trace", "write_graph"]  # fmt: skip

for _public in (Candidates, Infeasible, InvalidInput, NoProgress, Run):
    _public.__module__ = "damocles"  # where users find it
