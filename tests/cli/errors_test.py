"""Bad input: one line that says what is wrong and what would be right, exit 2, nothing written."""

import os
import stat
import subprocess
import unittest

from program import PROGRAM, SOURCE, InFolder, damocles

SMALL = ("outer:n=4", "homogeneous:p=2")

GPUS = ("gemm2d:n=4", "gpus:k=2")


def eager(workload: str, platform: str, options: str = "") -> tuple[str, ...]:
    return ("simulate", workload, platform, "--strategies", "eager" + options)


def run(*options: str, says: list[str]) -> tuple[tuple[str, ...], list[str]]:
    """An executed run of one strategy with these options, and what the one line must say."""
    alone = () if "--strategies" in options else ("--strategies", "eager")
    return ("run", "gemm2d:n=4,tile=8,k=8", "gpus:k=2,memory=4data", *alone, *options), says


# What is asked, and what the one line must say.
REFUSED = [
    (eager("gemm2d:n=4", "gpus:k=2,bandwidth=1GB/s+2GB/s+3GB/s"), ["3 buses", "2 GPUs", "one a bus"]),
    (eager("gemm2d:n=4", "gpus:k=4,peers=0-1:9GB/s,routes=0-1-2-3"),
     ["route 0-1-2-3", "GPUs 1 and 2 and between GPUs 2 and 3", "peers=1-2:24GB/s+2-3:24GB/s"]),
    (eager("cholesky:n=4,deps=true,updates=comute", "gpus:k=2"), ["did you mean 'commute'?"]),
    (eager("gemm2d:n=4", "gpus:k=1,cpus=1,cpu_gflops=9,power=300W"),
     ["GPU0 has a power of 300 W, but CPU0 has none", "cpu_power=10W"]),
    (("simulate", "stencil:n=4,steps=3", "homogeneous:p=2"),
     ["here (4", " are made for limited memory, ", " do not support task dependencies, ",
      "1 needs a file, placement=FILE); give a platform of limited memory, as gpus:k=2,memory=500MB"]),
    run("--backend", "starpu", "--trace", "t.json", says=["--trace", "events", "backend starpu", "--backend host"]),
    run("--backend", "starpu", "--record", "d.json", says=["--record", "events", "backend starpu", "--backend host"]),
    (("measured", "ipdps22.fig10"), ["unknown figure of the measurements 'ipdps22.fig10'", "ipdps22.fig8"]),
    (("measured", "--gpus", "9"), ["unknown number of GPUs measured: '9'", "valid: 1, 2, 3, 4"]),
    (("measured", "--strategies", "darts"), ["unknown strategy of the measurements 'darts'", "DARTS+LUF"]),
    (("measured", "--sessions", "mine"), ["unknown session 'mine'", "published"]),
    (("measured", "ipdps22.fig8", "--gpus", "1"), ["no measurement matches all filters"]),
    (("measured", ""), ["unknown figure of the measurements ''", "valid: ipdps22.fig3-4, ipdps22.fig5-7"]),
    (("measured", "--gpus", ""), ["unknown number of GPUs measured: ''"]),
    (("measured", "--strategies", ""), ["unknown strategy of the measurements ''"]),
    (("measured", "--strategies", "EAGER,"), ["unknown strategy of the measurements ''"]),
    (("measured", "--sessions", ""), ["unknown session ''"]),
    (("measured", "--peer", "--gpus", "1"), ["--peer is one table", "leave out FIGURE"]),
    (("measured", "--replicates", "0"), ["--replicates '0'", "from 1 to 1000"]),
    (("query", "a" * 300 + ".db"), ["a.db' cannot be used: File name too long; give another name"]),
    (("merge", "a" * 300 + ".db", "--store", "b.db"), ["a.db' cannot be used: File name too long"]),
    (("simulate", *SMALL, "--seed", "1", "--seed", "2"), ["--seed is given 2 times; give it once"]),
    (("simulate", "outer:n=4", "uniform:p=37,80,120"), ["'80' is not key=value; keys are: p, lo"]),
    (("reproduce", "fig6"), ["unknown claim 'fig6'; did you mean 'hpdc14.fig6'"]),
    (("simulte",), ["unknown command 'simulte'", "did you mean 'simulate'"]),
    (("simulate",), ["missing WORKLOAD"]),
    (("simulate", "outer:n=4"), ["missing PLATFORM"]),
    (("simulate", *SMALL, "--bogus"), ["--bogus", "damocles simulate --help"]),
    (("simulate", "outr:n=4", SMALL[1]), ["unknown workload 'outr'", "did you mean 'outer'"]),
    (("simulate", "outer", SMALL[1]), ["needs n", "outer:n=100"]),
    (("simulate", "outer:", SMALL[1]), ["an option is empty", "write key=value"]),
    (("simulate", "", SMALL[1]), ["has no name"]),
    (("simulate", "outer:n=0", SMALL[1]), ["n must be a whole number from 1"]),
    (("simulate", "outer:n=-3", SMALL[1]), ["n must be a whole number from 1"]),
    (("simulate", "outer:n=nan", SMALL[1]), ["n must be a whole number"]),
    (("simulate", "outer:n=1e3", SMALL[1]), ["n must be a whole number"]),
    (("simulate", "outer:n=4,n=5", SMALL[1]), ["gives 'n' twice"]),
    (("simulate", "outer:n=4,q=5", SMALL[1]), ["'q'", "valid: n, m"]),
    (("simulate", "outer:4", SMALL[1]), ["'4' is not key=value"]),
    (("simulate", "matrix:n=20000", SMALL[1]), ["more than 2^40 tasks"]),
    (("simulate", "matrix:n=2147483648", SMALL[1]), ["more than 2^40 tasks"]),
    (("simulate", "matrix:n=99999999999999999999", SMALL[1]), ["n must be a whole number"]),
    (("simulate", SMALL[0], "homogenous:p=2"), ["did you mean 'homogeneous'"]),
    (("simulate", SMALL[0], "homogeneous"), ["needs p"]),
    (("simulate", SMALL[0], "homogeneous:p=0"), ["p must be a whole number from 1"]),
    (("simulate", SMALL[0], "uniform:p=2,lo=1"), ["needs lo and hi"]),
    (("simulate", SMALL[0], "uniform:p=2,lo=5,hi=1"), ["lo=5 is above hi=1; give lo <= hi"]),
    (("simulate", SMALL[0], "uniform:p=2,lo=nan,hi=1"), ["lo must be a number"]),
    (("simulate", SMALL[0], "uniform:p=2,lo=-1,hi=1"), ["lo must be a number"]),
    (("simulate", SMALL[0], "speeds:1,inf"), ["'inf' must be a number of tasks per second"]),
    (("simulate", SMALL[0], "speeds:1,0"), ["'0' must be a number of tasks per second"]),
    (("simulate", SMALL[0], "nowhere.toml"), ["cannot open", "'nowhere.toml': no such file"]),
    (("simulate", *SMALL, "--strategies", "dynamc"), ["did you mean 'dynamic'"]),
    (("simulate", *SMALL, "--strategies", "random:x=1"), ["'x'", "valid: eviction, buffer, patient"]),
    (("simulate", *SMALL, "--strategies", "dynamic-2phases:beta=-1"), ["beta must be auto or a number, at least 0"]),
    (("simulate", *SMALL, "--strategies", "dynamic-2phases:beta=1,tasks-left=2"),
     ["beta or tasks-left, not both"]),
    (("simulate", *SMALL, "--strategies", "RandomMatrix"), ["write 'RandomOuter'"]),
    (("simulate", "matrix:n=4", SMALL[1], "--strategies", "static-columns"),
     ["defined for the outer product only"]),
    (("simulate", *SMALL, "--strategies", "static-cuboids"), ["for the matrix product only"]),
    (("simulate", *SMALL, "--strategies", "hybrid:error=1"), ["error must be a number"]),
    (("simulate", *SMALL, "--strategies", "hybrid:share=most"), ["share must be auto or a number from 0 to 1, not 'most'"]),
    (("simulate", *SMALL, "--strategies", "hybrid:zones=cuboids"), ["auto or columns or nrrp"]),
    (("simulate", *SMALL, "--replicates", "0"), ["--replicates '0'", "from 1"]),
    (("simulate", *SMALL, "--seed", "-1"), ["--seed '-1'"]),
    (("simulate", *SMALL, "--jobs", "many"), ["--jobs 'many'"]),
    (("simulate", *SMALL, "--format", "xml"), ["unknown format 'xml'", "table, csv, json"]),
    (("simulate", *SMALL, "-o", "/nowhere/x.csv"), ["folder '/nowhere' does not exist"]),
    (("simulate", *SMALL, "-o", "/proc/x.csv"), ["/proc/x.csv"]),
    (("simulate", *SMALL, "-o", "/tmp"), ["is a folder"]),
    (("simulate", *SMALL, "--trace", "t.json"), ["requires exactly one strategy, not"]),
    (("simulate", *SMALL, "--strategies", "random,sorted", "--trace", "t.json"),
     ["requires exactly one strategy, not 2", "--strategies NAME"]),
    (("simulate", *SMALL, "--strategies", "random", "--trace", "t.csv"),
     ["'t.csv'", "unknown ending", ".json", ".paje"]),
    (("simulate", *SMALL, "--strategies", "random", "--trace", "no/t.json"), ["'no' does not exist"]),
    (("simulate", "outer:n=5000", SMALL[1], "--strategies", "random", "--trace", "t.json"),
     ["25000000 tasks", "trace at most 2000000"]),
    (("beta", *SMALL, "--model", "papr"), ["did you mean 'paper'"]),
    (("beta", "gemm3d:n=4", SMALL[1]), ["`damocles beta` needs a grid of tasks, which 'gemm3d:n=4' is not", "gemm3d with c=yes"]),
    (("compare", *GPUS, "--model", "refined"), ["model refined assumes unlimited memory", "'gpus:k=2' limits it", "give --model all"]),
    (("predict", *SMALL, "--model", ""), ["model"]),
    (("list", "strategi"), ["did you mean 'strategies'"]),
    (("list", "claims", "--all"), ["--all shows every list", "'claims'"]),
    (("list", "strategies", "dart"), ["unknown strategy 'dart'", "did you mean 'darts'?"]),
    (("list", "strategy", "drats"), ["unknown strategy 'drats'", "did you mean 'darts'?"]),
    (eager(*GPUS, ":eviction=lur"), ["unknown eviction policy 'lur'", "belady, chosen, fifo, lru, lru-clean, luf, random"]),
    (eager("gemm2d:n=4,order=diagonal", GPUS[1]), ["order must be row or random, not 'diagonal'"]),
    (eager("gemm3d:n=4,c=maybe", GPUS[1]), ["c must be no, yes, later", "'maybe'"]),
    (eager("cholesky:n=1001,deps=false", GPUS[1]), ["n must be a whole number from 1 to 1000"]),
    (eager("sparse2d:n=4,density=2", GPUS[1]), ["density must be a number from 1e-09 to 1"]),
    (eager("gemm2d:n=1000000", GPUS[1]), ["too many to write out as a graph"]),
    (eager("outer:n=4", GPUS[1]), ["'outer:n=4' has no bytes and flops", "use gemm2d"]),
    (eager("matrix:n=4", GPUS[1]), ["'matrix:n=4' has no bytes and flops", "gemm3d:c=yes"]),
    (eager(GPUS[0], "gpus:memory=500Mb"), ["memory 500Mb has the unknown unit 'Mb'; did you mean 500MB?"]),
    (eager(GPUS[0], "gpus:memory=0data"), ["memory must be a whole number from 1", "not '0'"]),
    (eager(GPUS[0], "gpus:bandwidth=12GB"), ["bandwidth must be a rate in bytes per second, such as 12GB/s"]),
    (eager(GPUS[0], "gpus:latency=fast"), ["latency must be a time, such as 10us, not 'fast'"]),
    (eager(GPUS[0], "gpus:gflops=0"), ["gflops must be a number of GFlop/s above 0, such as 13253, not '0'"]),
    (eager(GPUS[0], "gpus:bus=fare"), ["bus must be fair or fifo, not 'fare'"]),
    (eager(GPUS[0], "gpus:depth=0"), ["depth must be a whole number from 1"]),
    (eager(GPUS[0], "gpus:writeback=1"), ["writeback must be true, false, traffic, or a number as 3outputs, not '1'"]),
    (eager(GPUS[0], "gpus:k=0"), ["'gpus:k=0': k=0 is possible only with CPU cores; give k=1 or more, or add cpus=8"]),
    (eager(GPUS[0], "gpus:p=2"), ["'p'", "`damocles list gpus` shows all"]),
    (eager(GPUS[0], "gpus:memroy=1GB"), ["did you mean 'memory'? `damocles list gpus` shows all"]),
    (eager(GPUS[0], "gpus:preset=v10"), ["unknown preset 'v10'", "did you mean 'v100'"]),
    (eager(GPUS[0], "gpus:memory=1data"),
     ["task GEMM(0,0) of 'gemm2d:n=4' reads 29.5 MB", "GPU0 has 14.7 MB", "give memory=2data or more"]),
    (eager(GPUS[0], "gpus:memory=2data,writeback=true"),
     ["task GEMM(0,0) of 'gemm2d:n=4' reads and writes 33.2 MB"]),
    (("simulate", *GPUS, "--strategies", "darts:choice=best"), ["choice", "paper", "'best'"]),
    (("simulate", *GPUS, "--strategies", "hfp:flip=1"), ["flip must be true or false, not '1'"]),
    (("simulate", *GPUS, "--strategies", "eager:buffer=full"),
     ["strategy 'eager:buffer=full'", "buffer must be taken or ready, not 'full'"]),
    (("simulate", "cholesky:n=4,deps=false", GPUS[1], "--strategies", "dynamic"),
     ["strategy 'dynamic' on 'cholesky:n=4,deps=false'", "it needs a grid of tasks"]),
    run("--backend", "cdua", says=["unknown backend 'cdua'", "did you mean 'cuda'", "host"]),
    run("--backend", "", says=["unknown backend ''"]),
    *(run("--pace", time, says=[f"--pace '{time}'", "a time above 0 and up to 1h, as 1ms"])
      for time in ("0", "abc", "-1ms", "nan", "inf", "2h", "1MB")),
    *(run("--tile", size, says=[f"--tile '{size}'", "from 1 to 1000000"])
      for size in ("0", "-1", "1e3", "1000001", "x")),
    run("--inner", "0", says=["--inner '0'", "from 1 to 1000000"]),
    run("--depth", "0", says=["--depth '0'", "from 1 to 1000000"]),
    run("--verify", "no", says=["unknown --verify 'no'", "auto, full, freivalds, none"]),
    run("--compute", "prod", says=["unknown compute 'prod'", "did you mean 'product'"]),
    run("--precision", "fp64", says=["unknown precision 'fp64'", "single, double, tf32, bf16, fp16"]),
    run("--sms", "8,16", says=["--sms is for --backend cuda", "use --pace"]),
    run("--backend", "cuda", "--sms", "8,x", says=["--sms 'x'", "from 1 to 4096"]),
    run("--backend", "cuda", "--pace", "1ms", says=["--pace is for --backend host"]),
    run("--replicates", "0", says=["--replicates '0'"]),
    run("--record", "no/r.json", says=["'no/r.json'", "folder 'no' does not exist", "create it"]),
    run("--details", "no/d.json", says=["folder 'no' does not exist"]),
    run("--details", "/tmp", says=["is a folder"]),
    run("--trace", "no/t.json", says=["folder 'no' does not exist"]),
    run("--trace", "t.csv", says=["unknown ending"]),
    run("-o", "no/r.csv", says=["folder 'no' does not exist"]),
    run("--format", "xml", says=["unknown format 'xml'"]),
    run("--strategies", "eager,random", "--record", "r.json",
        says=["--record requires exactly one strategy, not 2", "--strategies NAME"]),
    (("run", *GPUS, "--record", "r.json"), ["--record requires exactly one strategy, not"]),
    (("run", *GPUS, "--bogus"), ["--bogus", "damocles run --help"]),
    (("run", "outer:n=4", "gpus:k=2,memory=4data"), ["'outer:n=4' has no bytes", "use gemm2d"]),
    (("run", "gemm2d:n=4,tile=8,k=8", "gpus:k=2,memory=1data", "--strategies", "eager"),
     ["task GEMM(0,0) of 'gemm2d:n=4,tile=8,k=8' reads 512 B", "give memory=2data or more"]),
    (("run", "gemm2d:n=4,tile=8,k=8", "gpus:k=2,memory=2data,writeback=true", "--strategies",
      "eager"), ["reads 512 B", "512 B are for outputs on their way back", "give memory=4data or more"]),
    (("run", "cholesky:n=4,deps=false", "gpus:k=2", "--strategies", "eager", "--compute", "product"),
     ["no product of matrices", "checksum or empty"]),
    (("run", f"file:path={SOURCE}/docs/examples/tasks.rec", "homogeneous:p=2", "--strategies",
      "eager"),
     ["2 dependencies between tasks", "are supported only on platforms of limited memory", "deps=ignore"]),
    (("run", "cholesky:n=8,tile=8,deps=true", "homogeneous:p=2", "--strategies", "eager"),
     ["252 dependencies between tasks", "gpus:k=2,memory=500MB"]),
    (("simulate", "cholesky:n=3,updates=commute,deps=false", "gpus:k=2", "--strategies", "eager"),
     ["updates=commute with deps=false", "leave one out"]),
    (("simulate", "cholesky:n=3,deps=true,updates=sum", "gpus:k=2", "--strategies", "eager"),
     ["unknown updates 'sum'; valid: ordered, commute, reduce"]),
    (("simulate", "lu:n=3,home=early,deps=false", "gpus:k=2", "--strategies", "eager"),
     ["home=early with deps=false", "leave one out"]),
    (("simulate", "lu:n=3,deps=true,home=soon", "gpus:k=2", "--strategies", "eager"),
     ["home must be end or early, not 'soon'"]),
    (("simulate", "cholesky:n=3,deps=true", "gpus:k=2", "--strategies", "panel-streaming"),
     ["it does not support task dependencies; ", " strategies do, e.g. darts, dmdas, heft"]),
    (("run", "product.json", "gpus:k=2"), ["'product.json'", "write file:path=product.json"]),
    (("replay",), ["missing FILE", "damocles replay --help"]),
    (("replay", "nowhere.json"), ["cannot open recording 'nowhere.json': no such file", "--record FILE"]),
    (("replay", "/tmp"), ["recording '/tmp' is a folder"]),
    (("calibrate",), ["missing WORKLOAD"]),
    (("calibrate", "gemm2d:n=4", "--processors", "0"), ["--processors '0'", "from 1 to 4096"]),
    (("calibrate", "gemm2d:n=4", "--memory", "much"), ["memory must be a size", "'much'"]),
    (("calibrate", "gemm2d:n=4", "--time", "0"), ["--time '0'", "up to 60s, as 200ms"]),
    (("calibrate", "gemm2d:n=4", "--time", "fast"), ["--time 'fast'"]),
    (("calibrate", "gemm2d:n=4", "--repeats", "many"), ["--repeats 'many'", "from 0 to 1000"]),
    (("calibrate", "gemm2d:n=4", "--strategies", "egaer"), ["did you mean 'eager'"]),
    (("calibrate", "gemm2d:n=4", "--held-out", "dynamc"), ["did you mean 'dynamic'"]),
    (("calibrate", "gemm2d:n=4", "--strategies", "hfp,eager", "--held-out", "eager"),
     ["--held-out 'eager'", "take it out of --strategies"]),
    (("calibrate", "gemm2d:n=4", "--held-out", "eager,darts,random"), ["name others with --strategies"]),
    (("calibrate", "gemm2d:n=4,tile=16,k=16", "--memory", "1data", "--time", "1ms"), ["memory"]),
    (("calibrate", "gemm2d:n=4", "--pace", "1ms"), ["--pace", "damocles calibrate --help"]),
    (("calibrate", "gemm2d:n=4", "--backend", "hots"), ["did you mean 'host'"]),
    (("calibrate", "gemm2d:n=4", "-o", "no/here.toml"), ["folder 'no' does not exist"]),
    (("calibrate", "cholesky:n=4,tile=8,deps=false"), ["no product of matrices", "calibrate with gemm2d"]),
    (("compare", *SMALL, "--pace", "1ms"), ["--pace requires --backend host; see"]),
    (("compare", *SMALL, "--backend", "hots"), ["did you mean 'host'"]),
    (("compare", *SMALL, "--backend", "host", "--pace", "0"), ["--pace '0'"]),
    (("sweep", "nowhere.toml"), ["cannot open", "'nowhere.toml': no such file"]),
    (("simulate", *SMALL, "-o", "x.xlsx"), ["-o 'x.xlsx': cannot write .xlsx files here",
                                            "end the name in .csv or .json or .txt or .jsonl or .md or .tex, or say --format"]),
    (("beta", *SMALL, "-o", "x.dat"), ["cannot write .dat files"]),
    (("compare", *SMALL, "-o", "x.pdf"), ["cannot write .pdf files"]),
    (("beta", *SMALL, "--format", "latex"), ["--format latex: this command writes table, csv or json"]),
    (("simulate", *SMALL, "--sort", "makespan"), ["unknown column 'makespan'", "did you mean"]),
    (("simulate", *SMALL, "--sort", "strategy"), ["this column holds words; give one of numbers"]),
    (("simulate", *SMALL, "--columns", "strategy,lods"), ["unknown column 'lods'; did you mean 'loads'?"]),
    (("simulate", *SMALL, "--top", "0"), ["--top '0'"]),
    (("simulate", *SMALL, "--format", "csv", "--columns", "lods"), ["unknown column 'lods'"]),
    (("compare", *SMALL, "--backend", "host", "--top", "3"), ["--top is not for compare --backend"]),
    (("trajectory", *SMALL, "-o", "x.json"), ["cannot write .json files", "end the name in .csv"]),
    (("sweep", f"{SOURCE}/docs/studies/panels.toml", "-o", "x.json"), ["cannot write .json files", "end the name in .csv"]),
    (("calibrate", "gemm2d:n=4", "-o", "x.csv"), ["cannot write .csv files", "end the name in .toml"]),
    (("measured", "-o", "x.md"), ["cannot write .md files"]),
    (("measured", "--markdown", "-o", "x.csv"), ["cannot write .csv files", "end the name in .md or .txt"]),
    (("measured", "--markdown", "--format", "csv"), ["--markdown is a format of its own"]),
    (("simulate", *SMALL, "--replicates", "1000000", "--strategies", "random,dynamic"),
     ["more than 1000000 rows are asked for", "fewer replicates"]),
    (("predict", "outer:n=9", "uniform:p=2,lo=1,hi=2", "--replicates", "600000", "--strategies", "dynamic",
      "--model", "exact,refined"), ["more than 1000000 rows are asked for"]),
    (("simulate", "outer:n=1001", SMALL[1], "--strategies", "random", "--record", "x.json"),
     ["1002001 tasks", "record at most 1000000"]),
    (("trajectory", *SMALL, "--instants", "100000", "--replicates", "101"), ["take too much memory", "fewer"]),
    (("trajectory", "outer:n=3", "uniform:p=1000000,lo=1,hi=2", "--replicates", "11"), ["fewer replicates"]),
    (("run", "outer:n=3", "homogeneous:p=4097", "--strategies", "random"), ["at most 4096"]),
    (("run", "outer:n=3", "speeds:1e-15,1", "--strategies", "random", "--pace", "1ms"),
     ["about 5e+11 s", "more than the 2592000 s of a month", "smaller --pace"]),
    (("simulate", "gemm2d:n=4", "gpus:gflops=1e308"), ["gflops must be at most 1e+18"]),
    (("simulate", "gemm2d:n=4", "gpus:memory=18446744073709551615B"), ["memory must be at most 1e+18"]),
    (("sweep", f"{SOURCE}/docs/studies/panels.toml", "--jobs", "4097"), ["--jobs '4097'", "from 0 to 4096"]),
    run("--details", "x.csv", says=["--details 'x.csv'", "end the name in .json"]),
    run("--record", "x.csv", says=["--record 'x.csv'", "end the name in .json"]),
    (("plot",), ["missing RESULTS", "damocles plot --help"]),
    (("plot", "nowhere.csv"), ["cannot open", "'nowhere.csv': no such file"]),
    (("plot", "gantt"), ["missing TRACE", "damocles plot gantt --help"]),
    (("plot", "gantt", "nowhere.json"), ["cannot open trace 'nowhere.json': no such file", "--trace"]),
    (("reproduce", "hpdc14.fig6", "-o", "/dev/null/results"),
     ["cannot create the folder '/dev/null/results': Not a directory", "give another with -o FOLDER"]),
    (("simulate", "gemm2d:n=4", "gpus:k=1", "memory=1GB"),
     ["unexpected argument 'memory=1GB'; write gpus:k=1,memory=1GB; see"]),
    (("simulate", "gemm2d", "n=5", "gpus:k=1"), ["unexpected argument 'n=5'; write gemm2d:n=5; see"]),
    (("simulate", *SMALL, "n=5", "--quiet", "m=3"), ["unexpected argument 'n=5'; write homogeneous:p=2,n=5"]),
    (("simulate", *GPUS, "--quiet", "k=1"), ["unexpected argument 'k=1'; join keys with commas"]),
    (("simulate", GPUS[0], "--eviction", "lru", GPUS[1]),
     ["unknown option '--eviction'; write it with the strategy, as dmdar:eviction=lru; see"]),
    (("simulate", *GPUS, "--tasks-left=3"), ["write it with the strategy, as dynamic-2phases:tasks-left=3; see"]),
    (("simulate", *GPUS, "--memory"), ["write it with the platform, as gpus:memory=VALUE; see"]),
    (("plot", "x.csv", "--eviction", "lru"), ["unknown option '--eviction'; see"]),
    (("simulate", *GPUS, "--strategies"), ["--strategies needs a value: LIST; see"]),
    (("simulate", *GPUS, "--seed="), ["--seed needs a value: N; see"]),
    (("simulate", *GPUS, "--strategies", "eager,,darts"), ["empty name in the list 'eager,,darts'"]),
    (("simulate", *GPUS, "--strategies", "eager,"), ["empty name in the list 'eager,'; take out its comma"]),
    (("simulate", *SMALL, "more"), ["unexpected argument 'more'; see"]),
    (("simulate", "gemm2d:n=4", "gpus=k=1"), ["platform 'gpus=k=1': write a colon after the name: gpus:k=1"]),
    (("simulate", "outer:n=10", "p=37"), ["platform 'p=37': options stand behind a name; write NAME:p=37 (`damocles list platforms`)"]),
    (("simulate", "outer:n=10", "uniform:p=37,80,120"), ["platform 'uniform:p=37,80,120': '80' is not key=value"]),
    (("simulate", "gemm2d,n=20", "gpus:k=1"), ["workload 'gemm2d,n=20': write a colon after the name: gemm2d:n=20"]),
    (eager("gemm2d:n=4", "gpus:k=1:memory=5data"), ["separate keys with commas: k=1,memory=5data"]),
    (eager(*GPUS, ":eviction=belady:buffer=ready"), ["separate keys with commas: eviction=belady,buffer=ready"]),
    (("simulate", *SMALL, "--format", "csv", "-o", "x.json"), ["-o 'x.json' is not a name for --format csv"]),
    (("simulate", "file:path=.", "gpus:k=1"), ["'.' is a folder; give a task graph file"]),
    (("predict", "cholesky:n=4,deps=true", "homogeneous:p=3"),
     ["models support no dependencies", "'cholesky:n=4,deps=true'", "use `damocles simulate` on gpus:k=2"]),
    (("beta", "stencil:n=4,steps=2", "homogeneous:p=3"), ["models support no dependencies", "use `damocles simulate`"]),
    (("simulate", "cholesky:n=4,deps=true", "homogeneous:p=3", "--strategies", "random"),
     ["supported only on platforms of limited memory"]),
    (("simulate", *SMALL, "--policy", "dmdas"), ["unknown option '--policy'; did you mean --strategies? see `damocles"]),
    (("simulate", *SMALL, "--sched=dmdas"), ["did you mean --strategies?"]),
    (("simulate", *SMALL, "-s", "dmdas"), ["did you mean --strategies?"]),
    (("simulate", *SMALL, "-r", "3"), ["did you mean --replicates?"]),
    (("simulate", *SMALL, "--Seeds", "3"), ["did you mean --seed?"]),
    (("trajectory", *SMALL, "--policy", "dynamic"), ["did you mean --strategy?"]),
    (("simulate", *SMALL, "--strategies", "Dmdas"), ["unknown strategy 'Dmdas'", "did you mean 'dmdas'?"]),
    (("simulate", *SMALL, "--strategies", "HEFT"), ["did you mean 'heft'?"]),
    (("reproduce", "hpdc14.fig99"), ["unknown claim 'hpdc14.fig99'; hpdc14 has beta-agnostic, ", ", fig6, "]),
    (("plot", "out/hpdc14.fig3.csv"), ["no such file", "`damocles reproduce CLAIM` writes one, of hpdc14.", ", hpdc14.fig6, "]),
    (("plot", "hpdc14.fig6"), ["no such file", "; `damocles reproduce hpdc14.fig6` writes it"]),
    (("plot", "a" * 300 + ".csv"), ["aaa", "cannot be used: File name too long; give another name"]),
    (("simulate", "outer:n=9", "uniform:p=4,heterogeneity=0.5"), ["'uniform' has no option 'heterogeneity'; did you mean 'spread'?"]),
    (("simulate", "outer:n=9", "homogeneous:p=4,heterogeneity=0.5"), ["; speeds differ by spread=, as in uniform:p=20,mean=100,spread=0.5"]),
    (("simulate", *GPUS, "--heterogeneity", "1"), ["unknown option '--heterogeneity'; speeds differ by spread="]),
    (("sweep", "outer:n=9", "uniform:p=4", "--vary", "heterogeneity=0,1"), ["did you mean 'spread'?"]),
    (("recommend", *GPUS, "--vary", "heterogeneity=0,1"), ["has an option heterogeneity; speeds differ by spread="]),
    (("reproduce", "HPDC14"), ["unknown claim 'HPDC14'; did you mean the paper 'hpdc14'? `damocles list claims` shows all"]),
    (("reproduce", "HPDC14.fig6"), ["did you mean 'hpdc14.fig6'?"]),
]

# Where a result goes, other than into a file of its own.
class Outputs(InFolder):
    RUN = ("simulate", *SMALL, "--strategies", "random", "--replicates", "1")

    def test_a_pipe_is_written_and_stays_one(self) -> None:
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True)
        done = damocles(*self.RUN, "-o", pipe)
        said, _ = reader.communicate(timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(said.startswith("source,"), said)
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
        self.assertEqual(os.listdir(self.folder), ["pipe"])

    def test_a_link_stays_and_its_file_is_written(self) -> None:
        for target in ("there.csv", "not_yet.csv"):
            self.path("there.csv", "old")
            link = self.path("link_to_" + target)
            os.symlink(target, link)
            self.assertEqual(damocles(*self.RUN, "-o", link).returncode, 0)
            self.assertEqual(os.readlink(link), target)
            with open(self.path(target), encoding="utf-8") as file:
                self.assertTrue(file.read().startswith("source,"))

    def test_links_in_a_circle_are_refused(self) -> None:
        os.symlink("b", self.path("a"))
        os.symlink("a", self.path("b"))
        done = damocles(*self.RUN, "-o", self.path("a"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("too many symbolic links", done.stderr)

    def test_a_full_disk_is_said(self) -> None:
        link = self.path("full")  # a link, so that a mistake here costs no device
        os.symlink("/dev/full", link)
        done = subprocess.run([PROGRAM, *self.RUN, "-o", link], capture_output=True, text=True, check=False,
                              env={**os.environ, "TMPDIR": self.folder})
        self.assertEqual(done.returncode, 1)
        self.assertIn("full' cannot be written: No space left on device", done.stderr)
        self.assertEqual(os.readlink(link), "/dev/full")
        self.assertTrue(stat.S_ISCHR(os.stat(link).st_mode))

    def test_a_full_or_closed_standard_output_is_said(self) -> None:
        for words in (self.RUN, ("list",), ("--help",), ("measured", "ipdps22.fig3-4", "--strategies", "EAGER",
                                                          "--replicates", "1")):
            for close in (False, True):
                with self.subTest(words=words, close=close), open("/dev/full", "w", encoding="utf-8") as full:
                    done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True,
                                          check=False, env={**os.environ, "TMPDIR": self.folder},
                                          preexec_fn=(lambda: os.close(1)) if close else None)
                    self.assertEqual(done.returncode, 1)
                    self.assertRegex(done.stderr, "^damocles: .*(No space left on device|Bad file descriptor)\n$")


TOML = [
    ("simulate", "processors = 3", ["neither [[processors]] nor [[gpus]]"]),
    ("simulate", "[[processors]]\nspeed = 1\nspeed = 2", ["line 3"]),
    ("simulate", "[[processors]]\nspeed = 1\n[[gpus]]\ncount = 1", ["has both [[processors]]", "keep one of them"]),
    ("simulate", "[[gpu]]\ncount = 1", ["unknown key", "did you mean 'gpus'?"]),
    ("simulate", "[[processors]]\nspeed = 'fast'", ["speed must be a number of tasks per second"]),
    ("simulate", "[[processors]]\ncount = 2", ["line 1", "[[processors]] has no speed; write speed = 100"]),
    ("simulate", "[[gpus]]\ncount = 2\n[[links]]\nbetween = [0, 3]\nbandwidth = '1GB/s'",
     ["line 4: there is no GPU 3; the platform has GPUs 0 to 1"]),
    ("simulate", "# a\n[[gpus]\nmemory = '1GB'", ["line 2: '[[gpus]' lacks its ]]; write [[gpus]]"]),
    ("simulate", "[[gpus]]\nmemory = \"1GB\ncount = 2", ["line 2: a string is not closed; end it with \""]),
    ("simulate", "[[gpus]]\nmemory = 1GB", ["line 2: 'memory = 1GB' is not valid", "memory = \"1GB\""]),
    ("simulate", "[[processors]]\nspeed = 1\ncount = 0", ["count must be a whole number"]),
    ("simulate", "[[processors]]\nsped = 1", ["line 2", "'sped'", "did you mean 'speed'"]),
    ("simulate", "[[gpus]]\nmemory = '500 apples'", ["line 2", "memory must be a size"]),
    ("simulate", "[[gpus]]\nmemory = 500", ["line 2", "memory 500 has no unit; did you mean 500MB?"]),
    ("sweep", "workload = 'gemm2d:n=4'\nplatform = 'gpus:memory={memory}'\n[vary]\nmemory = [500, 1000]",
     ["sweep file '", "memory 500 has no unit; did you mean 500MB?"]),
    ("simulate", "[[gpus]]\nmemroy = '500MB'", ["line 2", "did you mean 'memory'"]),
    ("simulate", "[bus]\nsharing = 'unfair'\n[[gpus]]\ncount = 1", ["line 2", "fair or fifo"]),
    ("simulate", "[bus]\ndepth = 2", ["no [[gpus]] table"]),
    ("sweep", "workload = 'outer:n=4'", ["has no platform"]),
    ("sweep", "workload = [", ["line 1"]),
    ("sweep", "workload = []\nplatform = 'homogeneous:p=2'", ["line 1", "list is empty"]),
    ("sweep", "workload = 'outer:n={n}'\nplatform = 'homogeneous:p=2'", ["'{n}' is not a variable; add n = [50, 100] under [vary]"]),
    ("sweep", "wrkload = 'outer:n=4'", ["line 1", "did you mean 'workload'"]),
    ("sweep", "workload = 'outer:n=4'\nplatform = 'homogeneous:p=2'\nreplicates = -1",
     ["replicates '-1'"]),
    ("sweep", "workload = 'outer:n=4'\nplatform = 'homogeneous:p=2'\nmodels = 'magic'",
     ["bad.toml'", "unknown model 'magic'"]),
    ("sweep", "workload = '4'\nplatform = 'homogeneous:p=2'", ["sweep file '", "unknown workload '4'"]),
    ("sweep", "workload = 'outer:n={q}'\nplatform = 'homogeneous:p=2'", ["sweep file '", "'{q}'"]),
]


class Errors(InFolder):
    def refuse(self, words: tuple[str, ...], says: list[str]) -> None:
        run = damocles(*words, cwd=self.folder)
        self.assertEqual(run.returncode, 2, run)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("damocles: "), run.stderr)
        for part in says:
            self.assertIn(part, run.stderr)

    def test_bad_words_are_refused_in_one_line(self) -> None:
        for words, says in REFUSED:
            with self.subTest(words=words):
                self.refuse(words, says)
        self.assertEqual(os.listdir(self.folder), [])

    def test_bad_files_are_refused_with_their_place(self) -> None:
        for command, text, says in TOML:
            with self.subTest(text=text):
                path = self.path("bad.toml", text)
                words = (command, path) if command == "sweep" else (command, "outer:n=4", path)
                self.refuse(words, says)
        self.assertEqual(os.listdir(self.folder), ["bad.toml"])

    def test_a_sweep_of_another_kind_of_file_asks_for_toml(self) -> None:
        self.refuse(("sweep", self.path("d.json", '{"workload": "outer:n=4"}')),
                    ["d.json', line 1: ", "; give a TOML file as `damocles sweep --help` shows"])

    def test_a_result_file_of_something_else_is_not_overwritten(self) -> None:
        spec = self.path("s.toml", "workload = 'outer:n=4'\nplatform = 'homogeneous:p=2'\n")
        other = self.path("s.csv", "name,value\na,1\n")
        self.refuse(("sweep", spec), ["s.csv", "line 1", "'name'"])
        with open(other, encoding="utf-8") as file:
            self.assertEqual(file.read(), "name,value\na,1\n")


if __name__ == "__main__":
    unittest.main()
