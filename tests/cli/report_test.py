"""report: one page that loads nothing, whose numbers are the command line's, and what it refuses.

Where Chromium is there, the page is opened and used: filtered, sorted, zoomed, played.
"""

import html
import json
import re
import subprocess
import unittest

from browser import the_browser
from executed import Execution, rows
from program import damocles

GEMM = ("gemm2d:n=6", "gpus:k=2,memory=5data")
MOST_BEFORE_DATA = 150_000  # bytes
HOSTILE = "</script><script>window.broken = 1</script>\"'<!--<b>&amp;"

BEFORE = """<script>
window.wrongs = [];
window.addEventListener("error", (event) => window.wrongs.push(event.message));
</script>"""
AFTER = """<script>
const outcome = {};
try { (() => { %s })(); } catch (error) { window.wrongs.push(String(error)); }
outcome.wrongs = window.wrongs;
const told = document.createElement("pre");
told.id = "outcome";
told.textContent = JSON.stringify(outcome);
document.body.append(told);
</script>"""


# A window is at least 500 pixels wide; a frame may be narrower, and the page in it knows no other width.
FRAME = """<body style="margin: 0"><iframe width="%d" height="2000" style="border: 0" srcdoc="%s"
  onload="document.body.append(this.contentDocument.getElementById('outcome'))"></iframe>"""


class Report(Execution):
    def page(self, *files: str, title: str = "") -> str:
        self.answer("report", *files, "-o", "r.html", *(("--title", title) if title else ()))
        return self.read("r.html")

    def data(self, page: str) -> dict:
        block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
        assert block is not None
        return json.loads(block[1])

    def used(self, page: str, script: str, width: int = 1280) -> dict:
        """What the script puts into `outcome`, in a browser that shows the page."""
        browser = the_browser()
        if browser is None:
            self.skipTest("no browser: install chromium")
        page = page.replace("<head>", "<head>" + BEFORE)
        page = page.replace("</body>", AFTER % f"outcome.width = window.innerWidth; {script}" + "</body>")
        if width < 500:
            page = FRAME % (width, html.escape(page))
        outcome = json.loads(browser.shows(self.path("used.html", page), max(width, 500)))
        self.assertEqual((outcome["wrongs"], outcome["width"]), ([], width))
        return outcome

    FILES: dict[str, str] = {}  # made once, as the search for beta takes seconds

    def written(self) -> "tuple[str, ...]":
        names = ("rows.csv", "run.json", "trace.json", "why.json", "beta.csv")
        if not self.FILES:
            self.answer("simulate", *GEMM, "--strategies", "eager,darts", "--replicates", "3", "-o", "rows.csv")
            self.answer("simulate", *GEMM, "--strategies", "eager", "--record", "run.json")
            self.answer("simulate", "cholesky:n=4,deps=true", GEMM[1], "--strategies", "lws", "--trace", "trace.json")
            self.answer("explain", *GEMM, "--strategies", "eager,darts", "--no-what-if", "-o", "why.json")
            self.answer("beta", "outer:n=30", "homogeneous:p=5", "-o", "beta.csv")
            self.FILES.update({name: self.read(name) for name in names})
        for name in names:
            self.path(name, self.FILES[name])
        return names

    def test_is_one_file_that_loads_nothing(self) -> None:
        page = self.page(*self.written())
        self.assertNotRegex(page, r'(src|href)="(?!#)')
        for address in re.findall(r"https?://[^\s\"')]+", page):
            self.assertRegex(address, r"^https://github\.com/leeoniya/uPlot|^http://www\.w3\.org/2000/svg", address)
        self.assertNotIn("@import", page)
        self.assertNotRegex(page, r"\b(fetch|XMLHttpRequest|WebSocket|importScripts)\(")

    def test_is_small_before_its_data(self) -> None:
        page = self.page(self.path("one.csv", "source,strategy,workload,platform,loads\nsimulated,a,b,c,1\n"))
        self.assertLess(len(page.encode()), MOST_BEFORE_DATA)

    def test_numbers_are_those_of_the_command_line(self) -> None:
        self.written()
        report = self.data(self.page("rows.csv", "run.json", "why.json"))
        (table,) = report["tables"]
        shown = [dict(zip(table["header"], row)) for row in table["rows"]]
        self.assertEqual(shown, [{name: row.get(name, "") for name in table["header"]} for row in rows(self.read("rows.csv"))])
        (run,) = report["runs"]
        own = json.loads(self.answer("explain", "run.json", "--format", "json"))["runs"][0]
        del own["critical_path"]["links"]
        self.assertEqual(run["explanation"]["runs"][0], own)
        self.assertEqual(run["makespan_s"], own["makespan_s"])
        self.assertEqual(sum(one["copies_made"] for one in run["processors"]), own["loads"]["loads"])
        self.assertEqual(sum(one["tasks_run"] for one in run["processors"]), 36)
        self.assertEqual([one["loads"][-1] for one in run["processors"]], [one["copies_made"] for one in run["processors"]])
        self.assertEqual(report["explanations"], [json.loads(self.read("why.json"))])

    def test_memory_never_holds_more_than_there_is(self) -> None:
        self.written()
        (run,) = self.data(self.page("run.json"))["runs"]
        for one in run["processors"]:
            self.assertLessEqual(max(one["resident"]), one["memory_bytes"])
            self.assertGreater(max(one["resident"]), 0)
            self.assertLessEqual(max(one["in_use"]), max(one["resident"]))

    def test_an_executed_run_shows_the_times_that_were_measured(self) -> None:
        row = self.rows("run", "gemm2d:n=8,tile=16,k=16", "gpus:k=2,memory=6data", "--strategies", "eager", "--record", "e.json")[0]
        makespan_s = float(row["makespan_s"])
        (run,) = self.data(self.page("e.json"))["runs"]
        self.assertEqual((run["source"], run["times"], run["makespan_s"]), ("executed", "measured", makespan_s))
        self.assertIsNone(run["makespan_lower_bound_s"])
        why = run["explanation"]["runs"][0]
        self.assertEqual((why["times"], why["makespan_s"]), ("measured", makespan_s))
        for one in run["processors"]:
            starts = [sum(one["tasks"][:3 * k + 1:3]) for k in range(one["tasks_run"])]
            ends = [start + length for start, length in zip(starts, one["tasks"][1::3], strict=True)]
            self.assertTrue(all(end <= start + 1 for end, start in zip(ends, starts[1:])), one["name"])
            self.assertLessEqual(max(ends) * run["tick_s"], makespan_s + run["tick_s"])
        self.assertIn("measured when the run was executed", self.answer("explain", "e.json").replace("\n", " "))
        older = json.loads(self.read("e.json"))
        del older["times_ns"], older["makespan_s"]
        self.path("older.json", json.dumps(older))
        (again,) = self.data(self.page("older.json"))["runs"]
        self.assertEqual((again["source"], again["times"]), ("executed", "simulated"))
        self.assertIn("has no measured times", self.answer("explain", "older.json").replace("\n", " "))

    def test_two_runs_stand_on_one_axis_and_are_compared(self) -> None:
        asked = ("gemm2d:n=8,tile=16,k=16", "gpus:k=2,memory=6data", "--replicates", "1")
        for name in ("eager", "darts"):
            self.answer("simulate", *asked, "--strategies", name, "--record", f"{name}.json")
        self.answer("run", *asked, "--strategies", "eager", "--record", "e.json")
        page = self.page("eager.json", "darts.json")
        report = self.data(page)
        slow, fast = sorted(report["runs"], key=lambda run: -run["makespan_s"])
        self.assertRegex(report["summary"][-1], rf"^{slow['strategy']} takes [\d.e-]+ s, [\d.]+ times as long as {fast['strategy']} "
                                                r"with [\d.e-]+ s \(simulated\); they make \d+ and \d+ loads\.$")
        apart = self.data(self.page("eager.json", "e.json"))
        self.assertIn("are not compared by time, as one has measured times", apart["summary"][-1])
        told = self.used(page, """
            const { runs } = JSON.parse(document.getElementById("data").textContent);
            outcome.ends = runs.map((run) => new Gantt(run, endOfAxis(run, runs)).end * run.tick_s);
            outcome.titles = [...document.querySelectorAll("h3")].map((one) => one.textContent).filter((text) => text.startsWith("Gantt"));
        """)
        for end in told["ends"]:
            self.assertAlmostEqual(end, slow["makespan_s"], delta=1e-9)
        self.assertEqual(told["titles"], ["Gantt chart, simulated times"] * 2)

    def test_a_summary_has_a_column_of_runs_and_no_mean_twice(self) -> None:
        self.answer("simulate", *GEMM, "--strategies", "eager,random", "--replicates", "3", "-o", "rows.csv")
        (table,) = self.data(self.page("rows.csv"))["tables"]
        header = table["means"]["header"]
        self.assertEqual([row[header.index("runs")] for row in table["means"]["rows"]], ["3", "3"])
        self.assertFalse({"n", "mean"} & set(header))

    def test_measured_times_stand_apart_from_simulated_ones(self) -> None:
        mixed = "source,strategy,workload,platform,replicate,loads,makespan_s,makespan_ratio\n" + "".join(
            f"{source},{name},w,p,0,{loads},{time},{ratio}\n" for source, name, loads, time, ratio in
            (("simulated", "a", 5, 0.001, 2), ("simulated", "b", 6, 0.002, 4), ("executed", "a", 5, 7.5, ""), ("executed", "b", 6, 9.5, "")))  # fmt: skip
        told = self.used(self.page(self.path("mixed.csv", mixed)),
                         "outcome.titles = [...document.querySelectorAll('h3')].map((one) => one.textContent);")
        self.assertEqual(told["titles"][:3], ["Makespan, simulated", "Makespan, executed", "Loads"])

    def test_a_trace_has_the_run_of_its_recording(self) -> None:
        """But for the explanation and the bounds, which a trace does not have."""
        question = ("simulate", *GEMM, "--strategies", "darts", "--replicates", "1")
        self.answer(*question, "--record", "d.json")
        self.answer(*question, "--trace", "t.json")
        recorded, traced = self.data(self.page("d.json", "t.json"))["runs"]
        for mine, theirs in zip(recorded["processors"], traced["processors"], strict=True):
            self.assertEqual(mine["name"], theirs["name"])
            self.assertEqual(mine["loads"], theirs["loads"])
            self.assertEqual(mine["resident"], theirs["resident"])
            self.assertEqual(len(mine["tasks"]), len(theirs["tasks"]))
            self.assertEqual(mine["evictions"][1::3], theirs["evictions"][1::3])
        self.assertEqual(recorded["task_names"], traced["task_names"])
        self.assertEqual(recorded["data_names"], traced["data_names"])

    def test_reads_results_in_every_format(self) -> None:
        question = ("simulate", *GEMM, "--strategies", "eager,lws", "--replicates", "1")
        for name in ("r.csv", "r.json", "r.jsonl"):
            self.answer(*question, "-o", name)
        tables = self.data(self.page("r.csv", "r.json", "r.jsonl"))["tables"]
        for table in tables:
            places = [table["header"].index(name) for name in ("strategy", "loads", "status")]
            cells = [[row[place] for place in places] for row in table["rows"]]
            self.assertEqual([(one[0], float(one[1]), one[2]) for one in cells],
                             [("eager", float(cells[0][1]), "ok"), ("lws", float(cells[1][1]), "ok")], table["file"])

    def test_means_are_those_of_summaries(self) -> None:
        self.written()
        (table,) = self.data(self.page("rows.csv"))["tables"]
        means = [dict(zip(table["means"]["header"], row)) for row in table["means"]["rows"]]
        rows_there = self.rows("simulate", *GEMM, "--strategies", "eager,darts", "--replicates", "3", "--summary")
        for row in rows_there:
            self.assertEqual(row.pop("mean"), row["volume_ratio"])
            row["runs"] = row.pop("n")
        self.assertEqual(means, rows_there)
        self.answer("simulate", *GEMM, "--strategies", "eager,darts", "--replicates", "1", "-o", "once.csv")
        self.assertIsNone(self.data(self.page("once.csv"))["tables"][0]["means"])

    def test_bounds_are_those_above_a_table(self) -> None:
        for request in (("outer:n=20", "homogeneous:p=4"), ("gemm2d:n=8", "gpus:k=2,memory=6data")):
            asked = ("simulate", *request, "--strategies", "random,sorted" if "outer" in request[0] else "eager,dmdar")
            heading = re.sub(r"\s+", " ", self.answer(*asked, "--replicates", "1"))
            bound = re.search(r"(balanced bound|lower bound)s?: ([\d.]+) loads", heading)
            assert bound is not None, heading
            self.answer(*asked, "--replicates", "1", "-o", "b.csv")
            told = self.used(self.page("b.csv"), """
                const records = recordsOf(JSON.parse(document.getElementById("data").textContent).tables[0]);
                outcome.bound = boundOf(records, "loads");
            """)
            self.assertEqual((told["bound"]["words"], f"{told['bound']['y']:.6g}"), bound.groups())

    def test_axes_know_every_unit(self) -> None:
        lines = "".join(f"simulated,eager,w,gpus:memory={size},{i}\n" for i, size in enumerate(("1TiB", "2GB", "500MB")))
        page = self.page(self.path("units.csv", "source,strategy,workload,platform,loads\n" + lines))
        told = self.used(page, """
            const records = recordsOf(JSON.parse(document.getElementById("data").textContent).tables[0]);
            outcome.axis = axisOf(varyingOptions(records));
            outcome.others = ["7.1TF/s", "3us", "300W", "35data", "12"].map(quantityOf);
        """)
        self.assertEqual((told["axis"]["numbers"], told["axis"]["unit"]), ([2**40, 2e9, 5e8], "B"))
        self.assertEqual([(round(one["value"], 9), one["unit"]) for one in told["others"]],
                         [(7.1e12, "F/s"), (3e-6, "s"), (300, "W"), (35, "data"), (12, "")])

    def test_commands_that_make_the_rows_again_are_safe_to_paste(self) -> None:
        header = "source,model,strategy,workload,platform,seed,replicate,loads\n"
        odd = "w:path=a b;touch pwned", "it's $(touch pwned) `touch pwned`", 'p "q" \\ *'
        quoted = [one.replace('"', '""') for one in odd]
        self.path("odd.csv", header + "".join(f'simulated,,"{quoted[1]}","{quoted[0]}","{quoted[2]}",3,{i},1\n' for i in (0, 1)))
        self.answer("simulate", *GEMM, "--strategies", "eager,darts", "--replicates", "3", "--count-decision-time", "-o", "rows.csv")
        self.answer("run", "gemm2d:n=3,tile=8,k=8", "gpus:k=1,memory=4data", "--strategies", "eager", "--quiet", "-o", "run.csv")
        self.answer("predict", "outer:n=20", "homogeneous:p=4", "--strategies", "dynamic,sorted", "-o", "model.csv")
        read = "outcome.text = document.querySelector('#provenance details').textContent;" \
               "outcome.lines = document.querySelector('#provenance pre').textContent;"
        told = self.used(self.page("odd.csv"), read)
        shell = subprocess.run(["sh", "-c", f"damocles() {{ printf '%s\\0' \"$@\"; }}; {told['lines']}"], cwd=self.folder,
                               capture_output=True, text=True, check=True)
        self.assertEqual(shell.stdout.split("\0")[:-1], ["simulate", odd[0], odd[2], "--strategies", odd[1], "--seed", "3", "--replicates", "2"])
        self.assertNotIn("pwned", self.files())
        self.assertNotIn("not repeated", told["text"])
        told = self.used(self.page("rows.csv", "run.csv", "model.csv"), read)
        self.assertEqual(told["lines"].split("\n")[0], f"damocles simulate {' '.join(GEMM)} --strategies eager,darts --seed 1 --replicates 3")
        self.assertIn("such as --count-decision-time, --backend, --tile, --depth, are not repeated", told["text"])
        predicted = [line.split() for line in told["lines"].split("\n") if " predict " in line]
        again = [row for line in predicted for row in self.rows(*line[1:])]

        def results(found: "list[dict[str, str]]") -> "list[tuple[str, ...]]":
            return sorted(tuple(row.get(name, "") for name in ("model", "strategy", "workload", "platform", "loads", "sd")) for row in found)

        self.assertEqual(results(again), results(rows(self.read("model.csv"))))

    def test_what_terms_mean_is_what_explain_says(self) -> None:
        self.written()
        told = self.used(self.page("why.json"), """
            const table = document.querySelector("#explanation0 table");
            outcome.rows = [...table.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
        """)
        text = re.sub(r" +", " ", self.answer("explain", *GEMM, "--strategies", "eager", "--no-what-if"))
        self.assertGreater(len(told["rows"]), 2)
        for name, loads, _, meaning in told["rows"][:-1]:
            self.assertRegex(text, rf"(?m)^{name} {loads} [\d.]+ {re.escape(meaning)}$")

    def test_summary_says_what_is_best(self) -> None:
        self.written()
        summary = self.data(self.page("rows.csv", "beta.csv"))["summary"]
        self.assertRegex(summary[0], r"^rows\.csv: gemm2d:n=6 on gpus:k=2,memory=5data: best: \w+, ")
        self.assertRegex(summary[-1], r"^beta\.csv: outer:n=30 on homogeneous:p=5: use beta=[\d.]+ with dynamic-2phases\.$")

    def test_hostile_names_are_only_names(self) -> None:
        quoted = HOSTILE.replace('"', '""')
        name = self.path("odd.csv", "source,strategy,workload,platform,loads\n"
                         + "".join(f'simulated,"{quoted}{i}",w,p,{i}\n' for i in (1, 2)))
        page = self.page(name, title=HOSTILE)
        self.assertEqual(page.count("</script>"), len(re.findall(r"<script[ >]", page)))
        told = self.used(page, "outcome.broken = window.broken || 0; outcome.title = document.querySelector('h1').textContent;"
                               "outcome.cell = document.querySelector('tbody td').textContent;")
        self.assertEqual(told["broken"], 0)
        self.assertEqual(told["title"], HOSTILE)
        self.assertEqual(told["cell"], HOSTILE + "1")

    def test_tables_filter_and_sort(self) -> None:
        self.written()
        told = self.used(self.page("rows.csv"), """
            const section = document.getElementById("table0");
            const rows = () => [...section.querySelectorAll("tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent));
            const head = () => [...section.querySelectorAll("thead th")];
            outcome.means = rows();
            for (const select of section.querySelectorAll("select")) {
              if ([...select.options].some((option) => option.value === "all")) { select.value = "all"; select.dispatchEvent(new Event("change")); }
            }
            outcome.every = rows().length;
            const filter = section.querySelector("input[type=search]");
            filter.value = "strategy=darts replicate<2";
            filter.dispatchEvent(new Event("input"));
            outcome.filtered = rows().length;
            outcome.count = section.querySelector("[role=status]").textContent;
            outcome.said = {};
            for (const text of ["strategy = eager, darts", "replicate>=1, replicate<2", "load>1", "loads>many", "loads>", "dar"]) {
              filter.value = text;
              filter.dispatchEvent(new Event("input"));
              outcome.said[text] = section.querySelector("[role=status]").textContent.split(":")[0] + filter.getAttribute("aria-invalid");
            }
            filter.value = "";
            filter.dispatchEvent(new Event("input"));
            const place = head().findIndex((cell) => cell.textContent.startsWith("makespan_s"));
            head()[place].querySelector("button").click();
            outcome.up = rows().map((row) => Number(row[place]));
            head()[place].querySelector("button").click();
            outcome.down = rows().map((row) => Number(row[place]));
            outcome.order = head()[place].getAttribute("aria-sort");
        """)
        self.assertEqual(len(told["means"]), 2)
        self.assertEqual((told["every"], told["filtered"], told["count"]), (6, 2, "2 of 6 rows"))
        self.assertEqual(told["said"], {
            "strategy = eager, darts": "6 rowsfalse", "replicate>=1, replicate<2": "2 of 6 rowsfalse", "dar": "3 of 6 rowsfalse",
            "load>1": "no column 'load'; did you mean loads?true", "loads>many": "'many' is not a numbertrue",
            "loads>": "'loads>' has no valuetrue"})  # fmt: skip
        self.assertEqual(told["up"], sorted(told["up"]))
        self.assertEqual(told["down"], sorted(told["up"], reverse=True))
        self.assertEqual(told["order"], "descending")
        real = sorted(float(row["makespan_s"]) for row in rows(self.read("rows.csv")))
        for shown, value in zip(told["up"], real, strict=True):
            self.assertAlmostEqual(shown, value, delta=1e-5 * value)

    def test_gantt_zooms_and_tells_what_is_under_the_pointer(self) -> None:
        self.written()
        told = self.used(self.page("run.json"), """
            const run = JSON.parse(document.getElementById("data").textContent).runs[0];
            const gantt = new Gantt(run);
            document.body.append(gantt.element);
            gantt.draw();
            const row = run.processors[1];
            const x = gantt.pixelOf(row.task.start[0] + row.task.length[0] / 2);
            outcome.text = gantt.textAt({ x, y: gantt.layout().row + 8 });
            outcome.task = run.task_names[row.task.name[0]];
            const key = (name) => gantt.canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, cancelable: true }));
            const width = () => (gantt.view.to - gantt.view.from) / run.ticks;
            outcome.widths = [width()];
            for (const name of ["+", "+", "ArrowRight", "0"]) { key(name); outcome.widths.push(width()); }
            key("n");
            key("ArrowDown");
            outcome.said = gantt.said.textContent;
            const pixels = gantt.canvas.getContext("2d").getImageData(0, 0, gantt.canvas.width, gantt.canvas.height).data;
            outcome.painted = pixels.some((value) => value > 0);
            outcome.ends = row.task.start.length > 0 ? (row.task.start.at(-1) + row.task.length.at(-1)) * run.tick_s : 0;
        """)
        self.assertTrue(told["text"].startswith(f"GPU1: {told['task']}\nfrom "), told["text"])
        self.assertEqual(told["widths"], [1, 0.5, 0.25, 0.25, 1])
        self.assertTrue(told["said"].startswith(f"GPU1: {told['task']}, from "), told["said"])
        self.assertTrue(told["painted"])

    def path_of(self, run: dict) -> "list[dict]":
        """The links of the critical path as the page draws them, under explain's names."""
        numbers = run["path"]["drawn"]
        links, now = [], 0
        for at in range(0, len(numbers), 5):
            since, length, row, kind, name = numbers[at:at + 5]
            now += since
            links.append({"kind": ("task", "task on core", "transfer", "write-back")[kind],
                          "start": now, "end": now + length, "row": row,
                          "name": run["task_names" if kind < 2 else "data_names"][name]})
        return links

    def activities(self, run: dict) -> "set[tuple]":
        """Tasks and transfers that the chart draws: row, whether a task, start, length, name."""
        found = set()
        for place, row in enumerate(run["processors"]):
            for key, width, names in (("tasks", 3, "task_names"), ("copies", 4, "data_names")):
                now = 0
                for at in range(0, len(row[key]), width):
                    now += row[key][at]
                    found.add((place, key == "tasks", now, row[key][at + 1], run[names][row[key][at + 2]]))
        return found

    def test_critical_path_is_that_of_explain_and_outlines_what_is_drawn(self) -> None:
        met = set()
        for asked in ((*GEMM, "--strategies", "darts"),
                      ("cholesky:n=8,deps=true,tile=960", "gpus:k=2,memory=200MB", "--strategies", "dmdas"),
                      ("cholesky:n=6,deps=true", "gpus:k=1,memory=12data,cpus=3", "--strategies", "dmda"),
                      ("lu:n=5,deps=true", "gpus:k=3,memory=9data,peers=20GB/s", "--strategies", "lws")):
            self.answer("simulate", *asked, "--replicates", "1", "--record", "p.json")
            (run,) = self.data(self.page("p.json"))["runs"]
            (own,) = json.loads(self.answer("explain", "p.json", "--format", "json"))["runs"]
            links = self.path_of(run)
            path = own["critical_path"]["links"]
            self.assertEqual(run["path"]["links"], len(path))
            drawn = self.activities(run)
            for mine, theirs in zip(links, path, strict=True):
                self.assertEqual((mine["kind"], run["processors"][mine["row"]]["name"], mine["name"]),
                                 (theirs["kind"], theirs["processor"], theirs["name"]))
                # In ticks, each rounded by at most half of one.
                self.assertAlmostEqual(mine["start"] * run["tick_s"], theirs["start_s"], delta=run["tick_s"])
                self.assertAlmostEqual(mine["end"] * run["tick_s"], theirs["end_s"], delta=run["tick_s"])
                met.add(mine["kind"])
                if mine["kind"] != "write-back":
                    self.assertIn((mine["row"], mine["kind"] != "transfer", mine["start"], mine["end"] - mine["start"], mine["name"]), drawn)
        self.assertEqual(met, {"task", "task on core", "transfer", "write-back"})

    def test_a_long_critical_path_is_drawn_in_part(self) -> None:
        """Of each ten-thousandth of the run the longest link, so that no long one is missing."""
        self.answer("simulate", "gemm2d:n=110", "gpus:k=1,memory=500MB", "--strategies", "eager", "--replicates", "1", "--record", "p.json")
        (run,) = self.data(self.page("p.json"))["runs"]
        (own,) = json.loads(self.answer("explain", "p.json", "--format", "json"))["runs"]
        path = own["critical_path"]["links"]
        self.assertGreater(len(path), 10_000)
        longest: "dict[int, float]" = {}
        for link in path:
            slice_ = min(int(link["start_s"] / (run["makespan_s"] / 10_000)), 9_999)
            longest[slice_] = max(longest.get(slice_, 0), link["end_s"] - link["start_s"])
        links = self.path_of(run)
        self.assertEqual(len(links), len(longest))
        for link, length in zip(links, longest.values(), strict=True):
            self.assertAlmostEqual((link["end"] - link["start"]) * run["tick_s"], length, delta=run["tick_s"])
        told = self.used(self.page("p.json"), "outcome.text = document.getElementById('run0').textContent;")
        self.assertIn(f"in each ten-thousandth of the run, {len(links)} of {len(path)}.", told["text"])

    def test_critical_path_can_be_shown_hidden_and_read(self) -> None:
        self.answer("simulate", "cholesky:n=8,deps=true,tile=960", "gpus:k=2,memory=200MB", "--strategies", "dmdas", "--replicates", "1",
                    "--record", "p.json", "--trace", "t.json")
        page = self.page("p.json", "t.json")
        sums = self.data(page)["runs"][0]["explanation"]["runs"][0]["critical_path"]
        told = self.used(page, """
            const runs = JSON.parse(document.getElementById("data").textContent).runs;
            const gantt = new Gantt(runs[0]);
            document.body.append(gantt.element);
            gantt.draw();
            const inked = () => { // pixels of the ink's colour where no name of a processor stands
              const left = Math.ceil(gantt.layout().names * devicePixelRatio);
              const { data } = gantt.canvas.getContext("2d").getImageData(left, 0, gantt.canvas.width - left, gantt.canvas.height);
              let count = 0;
              for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && data[i] < 60 && data[i + 1] < 60 && data[i + 2] < 60) count++;
              return count;
            };
            const key = (name) => gantt.canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, cancelable: true }));
            outcome.checked = [gantt.path.checked];
            outcome.inked = [inked()];
            for (let i = 0; i < 2; i++) { key("c"); outcome.checked.push(gantt.path.checked); outcome.inked.push(inked()); }
            const path = runs[0].unpackedPath;
            const size = gantt.layout();
            outcome.hints = [];
            for (let i = 0; i < path.count; i++) {
              gantt.show(path.start[i] - path.length[i], path.start[i] + 2 * path.length[i]);
              const box = boxOfLink(gantt, path, i, size);
              outcome.hints.push([path.kind[i], gantt.textAt({ x: box.x + box.width / 2, y: box.y + box.height / 2 })]);
            }
            const other = [...runs[0].processors[1].task.start.keys()].find((i) => !isOnPath(path, 1, true, runs[0].processors[1].task.start[i], runs[0].processors[1].task.name[i]));
            outcome.other = gantt.taskText(1, other);
            outcome.sentence = gantt.element.textContent;
            const traced = new Gantt(runs[1]);
            outcome.traced = [traced.path, traced.element.textContent.includes("critical path")];
        """)
        self.assertEqual(told["checked"], [True, False, True])
        self.assertEqual(told["inked"][1], 0)
        self.assertGreater(told["inked"][0], 1000)
        self.assertEqual(told["inked"][0], told["inked"][2])
        for kind, text in told["hints"]:
            self.assertTrue(text.endswith("\non the critical path"), text)
            self.assertIn(("\nfrom ", "\nfrom ", "loads ", "back to host memory\n")[kind], text)
        self.assertNotIn("critical path", told["other"])
        self.assertIn(f"the chain of {len(told['hints'])} links that the end of the run waited for: tasks ", told["sentence"])
        self.assertIn(f"({100 * sums['write_back_s'] / self.data(page)['runs'][0]['makespan_s']:.1f}\u00a0%)", told["sentence"])
        self.assertEqual(told["traced"], [None, False])

    def test_grid_plays_step_by_step(self) -> None:
        self.written()
        told = self.used(self.page("run.json", "trace.json"), """
            const slider = document.querySelector("#run0 input[type=range]");
            const said = [...document.querySelectorAll("#run0 [role=status]")].pop();
            outcome.steps = slider.max;
            slider.value = "1";
            slider.dispatchEvent(new Event("input"));
            outcome.first = said.textContent;
            [...document.querySelectorAll("#run0 button")].find((one) => one.textContent === "›").click();
            outcome.second = said.textContent;
            outcome.cholesky = document.querySelector("#run1 input[type=range]").max;
        """)
        self.assertEqual((told["steps"], told["cholesky"]), ("36", "20"))
        self.assertRegex(told["first"], r"^step 1 of 36: GEMM\(\d,\d\) on GPU\d at .*; GPU0 holds \d+ loaded data items?$")
        self.assertTrue(told["second"].startswith("step 2 of 36: "), told["second"])

    def test_is_narrow_on_narrow_screens_and_has_two_themes(self) -> None:
        page = self.page(*self.written())
        told = self.used(page, """
            outcome.wide = document.documentElement.scrollWidth > window.innerWidth;
            outcome.cut = [...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > window.innerWidth + 0.5 &&
              !one.closest(".scroll")).map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 40)}`);
            outcome.scrolled = [...document.querySelectorAll("table.plain")].filter((one) => one.offsetWidth > one.parentElement.clientWidth)
              .map((one) => one.caption.textContent);
            const paper = () => getComputedStyle(document.body).backgroundColor;
            outcome.papers = [paper()];
            document.querySelector("header button").click();
            outcome.papers.push(paper());
            outcome.ready = document.documentElement.dataset.ready;
            outcome.unnamed = [...document.querySelectorAll("button, input, select, canvas[tabindex]")].filter((one) =>
              !one.textContent && !one.getAttribute("aria-label") && !one.closest("label") && !one.labels?.length).length;
        """, width=400)
        self.assertEqual((told["wide"], told["cut"], told["scrolled"]), (False, [], []))
        self.assertNotEqual(*told["papers"])
        self.assertEqual((told["ready"], told["unnamed"]), ("yes", 0))

    def test_many_rows_and_long_runs_are_shown_in_part(self) -> None:
        lines = "".join(f"simulated,s{i % 40},w:n={i // 40},p,{i}\n" for i in range(10_000))
        self.path("many.csv", "source,strategy,workload,platform,loads\n" + lines)
        self.answer("simulate", "gemm2d:n=300", "gpus:k=2,memory=500MB", "--strategies", "eager", "--replicates", "1",
                    "--record", "long.json")
        page = self.page("many.csv", "long.json")
        (run,) = self.data(page)["runs"]
        self.assertFalse(run["whole"])
        self.assertEqual(sum(one["tasks_run"] for one in run["processors"]), 90_000)
        told = self.used(page, "outcome.rows = document.querySelectorAll('#table0 .scroll tbody tr').length;"
                               "outcome.count = document.querySelector('#table0 [role=status]').textContent;")
        self.assertEqual((told["rows"], told["count"]), (25, "10000 rows"))

    def test_of_a_recording_of_unlimited_memory_asks_for_a_trace(self) -> None:
        asked = ("outer:n=4", "homogeneous:p=2", "--strategies", "random", "--seed", "3")
        self.answer("simulate", *asked, "--replicates", "1", "--record", "u.json")
        self.refuse(("report", "u.json", "-o", "u.html"),
                    ["recording 'u.json'", "unlimited memory", f"`damocles simulate {' '.join(asked)} --trace trace.json`"])
        self.answer("simulate", *asked, "--trace", "trace.json")
        (run,) = self.data(self.page("trace.json"))["runs"]
        self.assertEqual(run["strategy"], "random")

    def test_what_was_changed_by_hand_is_refused(self) -> None:
        self.answer("simulate", *GEMM, "--strategies", "darts", "--trace", "t.json")
        self.answer("explain", *GEMM, "--strategies", "darts", "--no-what-if", "-o", "why.json")
        for kind, file in (("trace", "t.json"), ("explanation", "why.json")):
            written = json.loads(self.read(file))
            self.page(self.path("laid_out.json", self.read(file).replace('":', '" :\n ')))
            del written["digest"]
            self.page(self.path("older.json", json.dumps(written)))
            for before, after in (("darts", "eager"), ("{", '{"more": 1, '), ('"seed": 1', '"seed": 2'), ('"seed":1', '"seed":2'), ("0.00", "0.10")):
                changed = self.read(file).replace(before, after, 1)
                if changed == self.read(file):
                    continue
                run = damocles("report", self.path("changed.json", changed), "-o", "r.html", cwd=self.folder)
                self.assertEqual(run.returncode, 2, (kind, before))
                self.assertRegex(run.stderr, f"^damocles: {kind} '.*changed.json' was changed since damocles wrote it", (kind, before))

    def test_refuses_what_it_cannot_show(self) -> None:
        self.written()
        self.path("empty.csv", "")
        self.path("odd.csv", "strategy,lods\na,1\n")
        self.path("ragged.csv", "strategy,loads\na,1,2\n")
        self.path("odd.json", '{"some": "thing"}')
        self.path("odd2.json", '[1, 2]')
        self.path("new.json", '{"damocles": "dream", "runs": []}')
        self.path("torn.json", '{"records": [')
        self.path("trace2.json", '{"traceEvents": []}')
        self.path("trace3.json", '{"traceEvents": [{"pid": "x"}], "otherData": {"runs": []}}')
        self.path("why2.json", '{"damocles": "explanation", "runs": [{}]}')
        for words, says in (
            ((), ["give result files"]),
            (("rows.csv",), ["-o report.html"]),
            (("rows.csv", "-o", "r.pdf"), ["'r.pdf'", ".html"]),
            (("no.csv", "-o", "r.html"), ["'no.csv'", "no such file"]),
            (("empty.csv", "-o", "r.html"), ["'empty.csv'", "empty"]),
            (("odd.csv", "-o", "r.html"), ["lods", "loads"]),
            (("ragged.csv", "-o", "r.html"), ["ragged.csv:2: 3 values, but the header has 2 columns; write one value for each column"]),
            (("odd.json", "-o", "r.html"), ["odd.json", "'some'"]),
            (("new.json", "-o", "r.html"), ["'new.json' is of the unknown kind 'dream'; known are 'decisions' and 'explanation'"]),
            (("odd2.json", "-o", "r.html"), ["'odd2.json' is no JSON of Damocles; give results"]),
            (("torn.json", "-o", "r.html"), ["'torn.json' is no JSON; give"]),
            (("trace2.json", "-o", "r.html"), ["trace 'trace2.json'", "--trace x.json"]),
            (("trace3.json", "-o", "r.html"), ["trace 'trace3.json'", "--trace x.json"]),
            (("why2.json", "-o", "r.html"), ["'why2.json'", "findings"]),
            (("rows.csv", "-o", "no/r.html"), ["no"]),
        ):
            self.refuse(("report", *words), says)
        self.assertNotIn("r.html", self.files())


if __name__ == "__main__":
    unittest.main()
