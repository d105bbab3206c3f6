"""replay: recorded decisions run again, elsewhere too, and recordings that cannot be followed."""

import json
import unittest

from executed import GEMM, GPUS, OUTER, Execution, rows
from program import damocles


class Replay(Execution):
    def test_simulated_executed_simulated_loads_the_same(self) -> None:
        question = (GEMM, GPUS, "--strategies", "darts")
        first = self.rows("simulate", *question, "--replicates", "1", "--record", "a.json")[0]
        on_host = self.rows("replay", "a.json", "--backend", "host")[0]
        in_sim = self.rows("replay", "a.json", "--backend", "sim")[0]
        for column in ("loads", "bytes_loaded", "strategy", "eviction", "workload", "platform", "seed"):
            self.assertEqual({first[column]}, {on_host[column], in_sim[column]}, column)
        self.assertEqual(first["makespan_s"], in_sim["makespan_s"])
        self.assertEqual((on_host["source"], on_host["status"]), ("executed", "ok"))

        executed = self.rows("run", *question, "--record", "b.json")[0]
        again = self.rows("replay", "b.json", "--backend", "sim")[0]
        self.assertEqual(executed["bytes_loaded"], again["bytes_loaded"])

    def test_times_that_a_recording_does_not_hold_are_left_out(self) -> None:
        """Of a platform on which more takes time than loads and tasks, volumes alone come again."""
        for more in ("writeback=true", "request=1ms", "decision=1ms"):
            platform = f"gpus:k=2,memory=6data,{more}"
            first = self.rows("simulate", GEMM, platform, "--strategies", "eager", "--replicates", "1",
                              "--record", "a.json")[0]
            again = self.rows("replay", "a.json", "--backend", "sim")[0]
            self.assertEqual(first["loads"], again["loads"])
            for column in ("makespan_s", "makespan_ratio", "gflops", "busy_fraction"):
                self.assertNotEqual(first[column], "")
                self.assertEqual(again[column], "", column)
            table = self.answer("replay", "a.json", "--backend", "sim", "--format", "table")
            self.assertIn(f"times are left out: on '{platform}' ", table)

    def test_unlimited_memory_too(self) -> None:
        first = self.rows("simulate", *OUTER, "--strategies", "dynamic", "--replicates", "1",
                                 "--record", "a.json")[0]
        table = self.answer("replay", "a.json", "--format", "table")
        loads = float(first["loads"])
        self.assertIn(f"recorded (simulated): {loads:g} loads; replayed: {loads:g} loads, the same on "
                      "every processor", table)
        self.refuse(("replay", "a.json", "--backend", "sim"), ["limited memory only", "--backend host"])

    def test_a_recording_is_of_replicate_0_and_changes_no_row(self) -> None:
        question = ("simulate", GEMM, GPUS, "--strategies", "random", "--replicates", "3",
                    "--format", "csv")
        plain = self.answer(*question)
        self.assertEqual(self.answer(*question, "--record", "a.json"), plain)
        recording = json.loads(self.read("a.json"))
        self.assertEqual(recording["replicate"], 0)
        started = [entry for entry in recording["decisions"] if entry[0] == "load"]
        self.assertEqual(len(started), float(rows(plain)[0]["loads"]))
        self.assertEqual(len(started), recording["loads"])

    def test_tasks_that_wait_and_write_too(self) -> None:
        """On links, several buses and cores; what tasks reduce or take turns on."""
        for workload in ("cholesky:n=5,tile=8,deps=true", "cholesky:n=5,tile=8,deps=true,updates=reduce",
                         "cholesky:n=5,tile=8,deps=true,updates=commute", "stencil:n=3,steps=3,tile=8"):
            for platform in ("gpus:k=3,memory=6data,peers=24GB/s,writeback=true", "gpus:k=2,memory=6data,buses=2",
                             "gpus:k=2,memory=6data,cpus=2,cpu_gflops=2000"):
                with self.subTest(workload=workload, platform=platform):
                    first = self.rows("simulate", workload, platform, "--strategies", "dmdas", "--replicates", "1",
                                      "--record", "a.json")[0]
                    in_sim = self.rows("replay", "a.json", "--backend", "sim", "--trace", "t.json")[0]
                    on_host = self.rows("replay", "a.json", "--backend", "host")[0]
                    for column in ("loads", "bytes_loaded", "strategy", "workload", "platform", "evictions",
                                   "invalidations", "loads_first", "loads_after_eviction",
                                   "loads_after_invalidation"):
                        self.assertEqual({first[column]}, {in_sim[column], on_host[column]}, column)
                    for column in ("makespan_s", "makespan_lower_bound_s", "busy_fraction"):
                        self.assertEqual(first[column], in_sim[column], column)
                    self.assertEqual(on_host["status"], "ok")
        self.rows("run", workload, platform, "--strategies", "dmdas", "--record", "b.json")
        executed = json.loads(self.read("b.json"))
        again = self.rows("replay", "b.json", "--backend", "sim")[0]
        self.assertEqual(float(again["loads"]), executed["loads"])

    def test_refuses_files_that_changed_since_the_recording(self) -> None:
        """A recording knows what was in the files, not only how they are called."""
        graph = {"damocles": 1, "data": [{"name": "a", "bytes": 8}],
                 "tasks": [{"name": "t", "reads": ["a"], "flops": 1e6}]}
        self.path("graph.json", json.dumps(graph))
        question = ("file:path=graph.json", "gpus:k=1,memory=1MB", "--strategies", "eager", "--replicates", "1")
        self.answer("simulate", *question, "--record", "r.json")
        recording = json.loads(self.read("r.json"))
        self.assertRegex(recording["inputs"], "^workload=[0-9a-f]{32}$")
        self.assertEqual(self.rows("replay", "r.json", "--backend", "sim")[0]["bytes_loaded"], "8")

        graph["data"][0]["bytes"] *= 500
        self.path("graph.json", json.dumps(graph))
        for backend in ("sim", "host"):
            self.refuse(("replay", "r.json", "--backend", backend),
                        ["recording 'r.json': workload 'file:path=graph.json' was recorded with another file",
                         recording["inputs"].split("=")[1], "put that file back, or record the run again"])
        del recording["inputs"]
        self.path("r.json", json.dumps(recording))
        self.refuse(("replay", "r.json", "--backend", "sim"), ["its digest was none, now it is "])
        recording["inputs"] = "graph"
        self.path("r.json", json.dumps(recording))
        self.refuse(("replay", "r.json", "--backend", "sim"), ["recording 'r.json': "])

    def test_recordings_that_leave_out_units_are_read_in_base_units(self) -> None:
        """As versions took them that did not ask for units."""
        words = ("simulate", "gemm2d:n=4,tile=8", "gpus:k=1,memory=6data,bandwidth=12GB/s", "--strategies", "eager")
        first = self.rows(*words, "--replicates", "1", "--record", "a.json")[0]
        recorded = self.read("a.json")
        with open(self.path("a.json"), "w", encoding="utf-8") as file:
            file.write(recorded.replace("12GB/s", "12000000000"))
        again = self.rows("replay", "a.json", "--backend", "sim")[0]
        self.assertEqual(again["makespan_s"], first["makespan_s"])

    def test_decisions_of_tasks_that_write_are_refused_where_they_cannot_be(self) -> None:
        self.answer("simulate", "cholesky:n=4,tile=8,deps=true", "gpus:k=2,memory=4data", "--strategies", "eager",
                    "--replicates", "1", "--record", "good.json")
        good = json.loads(self.read("good.json"))
        decisions = good["decisions"]

        def first(word: str, processor: object = None) -> int:
            return next(number for number, entry in enumerate(decisions)
                        if entry[0] == word and processor in (None, entry[1]))

        def instead(number: int, *entries: list) -> list:
            return decisions[:number] + list(entries) + decisions[number + 1:]

        task, back = first("task"), first("return")
        leaves = next(number for number, entry in enumerate(decisions) if entry[0] == "evict"
                      and ["returned", *entry[1:]] in decisions[:number])
        # Evicted though it has not returned; nobody loads it before that.
        gone = next(number for number, (word, *what) in enumerate(decisions) if word == "evict"
                    and ["returned", *what] in decisions[:number] and not any(
                        entry[0] == "load" and entry[2] == what[1]
                        for entry in decisions[decisions.index(["returned", *what]):number]))
        kept = [entry for entry in decisions[:gone] if entry not in (
            ["return", *decisions[gone][1:]], ["returned", *decisions[gone][1:]])] + decisions[gone:]
        cases = [
            (instead(task, ["task", decisions[task][1], 19]), ["it waits for task SYRK(3,2), which has not ended"]),
            (instead(task, ["task", decisions[task][1], 20]), ["no such task"]),
            (instead(task, decisions[task], decisions[task]), ["the task has started before"]),
            (instead(task), ["it does not run"]),
            ([entry for entry in decisions if entry[0] not in ("task", "done")], ["host memory holds the data as it is now"]),
            (kept, ["the data is nowhere else as it is now, and has not returned"]),
            (instead(leaves, decisions[leaves], decisions[leaves]), ["the data item is not there"]),
            (instead(back), ["it is not on its way to host memory"]),
            (instead(0, ["load", 0, decisions[0][2], 1]), ["there is no link from GPU1"]),
            (instead(0, ["drop", 0, 0]), ["the data item is not there"]),
        ]
        for changed, says in cases:
            self.path("bad.json", json.dumps({**good, "decisions": changed}))
            for backend in ("host", "sim"):
                with self.subTest(says=says, backend=backend):
                    self.refuse(("replay", "bad.json", "--backend", backend), ["'bad.json'", *says])
        waits = json.dumps({**good, "workload": "cholesky:n=4,tile=8,deps=true", "platform": "homogeneous:p=2"})
        self.path("bad.json", waits)
        self.refuse(("replay", "bad.json"), ["which are supported only on platforms of limited memory"])

    def test_what_cannot_be_carried_out_is_refused(self) -> None:
        self.answer("simulate", GEMM, GPUS, "--strategies", "darts", "--replicates", "1", "--record",
                    "good.json")
        good = self.read("good.json")

        def edited(**changes: object) -> str:
            return json.dumps({**json.loads(good), **changes})

        decisions = json.loads(good)["decisions"]
        loads = [number for number, entry in enumerate(decisions) if entry[0] == "load"]
        tasks = [number for number, entry in enumerate(decisions) if entry[0] == "task"]

        def instead(number: int, *entries: list) -> str:
            return edited(decisions=decisions[:number] + list(entries) + decisions[number + 1:])

        cases = [
            ("", ["invalid or truncated JSON"]),
            ("xx", ["invalid or truncated JSON"]),
            (good[:len(good) // 2], ["invalid or truncated JSON", "--record FILE"]),
            ("[]", ["is not a recording; write one with `damocles simulate ... --record FILE`"]),
            ('{"damocles": 1, "tasks": []}', ["is not a recording; write one with `damocles simulate ... --record FILE`"]),
            (edited(strategy=7), ['"strategy" must be a text']),
            (edited(source="\x1b[2Jexecuted"), ['"source" must be simulated or executed']),
            (edited(loads=999), ['"loads" is 999, but', "decisions load"]),
            (edited(seed=-1), ['"seed" must be a whole number']),
            (edited(decisions={}), ['"decisions" must be a list']),
            (edited(decisions=[]), ["never start task GEMM(0,0)"]),
            (edited(strategy="drats"), ["unknown strategy 'drats'", "did you mean 'darts'"]),
            (edited(workload="gem2d:n=6"), ["unknown workload 'gem2d'", "did you mean 'gemm2d'"]),
            (edited(platform="gpus:k=3,memory=4data"), ["2 processors, but its platform", "has 3"]),
            (edited(platform="gpus:k=2,memory=2data"), ["more than 512 bytes would be in memory"]),
            (instead(0, ["lod", 0, 1]), ["decision 0 must be", '["lod",0,1]']),
            (instead(0, ["load", 0]), ["decision 0 must be"]),
            (instead(0, ["load", 0, -1]), ["decision 0 must be"]),
            (instead(0, ["load", 2 ** 32, 1]), ["decision 0 must be"]),
            (instead(0, ["load", 2, 1]), ["decision 0", "no such processor"]),
            (instead(0, ["load", 0, 12]), ["decision 0", "no such data item"]),
            (instead(0, ["task", 0, 36]), ["decision 0", "no such task"]),
            (instead(0, ["evict", 0, 1]), ["decision 0", "not there"]),
            (instead(0, ["task", 0, 0]), ["decision 0", "of GEMM(0,0) on GPU0", "input A(0) is not there"]),
            (instead(loads[0], decisions[loads[0]], decisions[loads[0]]), ["there already"]),
            (instead(loads[0]), ["no such load is on its way"]),
            (instead(tasks[0], decisions[tasks[0]], decisions[tasks[0]]), ["started before"]),
            (instead(tasks[0]), ["it does not run"]),
        ]
        for text, says in cases:
            self.path("bad.json", text)
            for backend in ("host", "sim"):
                with self.subTest(says=says, backend=backend):
                    self.refuse(("replay", "bad.json", "--backend", backend, "-o", "rows.csv"),
                                ["'bad.json'", *says])
        self.assertEqual(self.files(), ["bad.json", "good.json"])

    def test_options_are_checked_before_anything_runs(self) -> None:
        self.answer("simulate", GEMM, GPUS, "--strategies", "darts", "--replicates", "1", "--record",
                    "a.json")
        for words, says in ((("--backend", "sum"), ["unknown backend 'sum'", "valid: sim, host, cuda"]),
                            (("--backend", "hots"), ["did you mean 'host'"]),
                            (("--backend", "sim", "--pace", "1ms"), ["--pace is for runs on real memory"]),
                            (("--backend", "sim", "--verify", "none"), ["--verify is for runs on real"]),
                            (("--pace", "0"), ["--pace '0'"]),
                            (("--depth", "2"), ["--depth", "damocles replay --help"]),
                            (("--trace", "t.csv"), ["unknown ending"]),
                            (("--trace", "no/t.json"), ["folder 'no' does not exist"]),
                            (("-o", "no/r.csv"), ["folder 'no' does not exist"]),
                            (("--format", "xml"), ["unknown format 'xml'"])):
            with self.subTest(words=words):
                self.refuse(("replay", "a.json", *words), says)
        self.assertEqual(self.files(), ["a.json"])


if __name__ == "__main__":
    unittest.main()
