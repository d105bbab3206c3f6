"""Damocles in Python: predict, simulate and compare data-aware schedulers, and write your own.

    import damocles
    rows = damocles.simulate("gemm2d:n=50", "gpus:k=2,memory=500MB", "darts,dmdar,eager")
    rows.df

The words, the columns and the messages are those of the command line; see docs/howto/python.md.
"""

from ._damocles import InvalidInput, Infeasible, NoProgress, Run, __version__
from .commands import beta, compare, explain, predict, recommend, simulate, trace
from .graphs import write_graph
from .records import Answer, Event, Record, Records, Trace
from .specs import Platform, Workload
from .strategies import strategy

__all__ = ["Answer", "Event", "Infeasible", "InvalidInput", "NoProgress", "Platform", "Record", "Records", "Run", "Trace",
           "Workload", "__version__", "beta", "compare", "explain", "predict", "recommend", "simulate", "strategy", "trace",
           "write_graph"]  # fmt: skip

for _public in (Infeasible, InvalidInput, NoProgress, Run):
    _public.__module__ = "damocles"  # where users find it
