"""Every command x workload family x platform form, with all strategies, one, or none named: each
answers, or refuses in one line. Families, forms and commands come from the program's own lists."""

import concurrent.futures
import glob
import os
import re
import subprocess
import unittest

from program import SOURCE, InFolder, damocles

EXAMPLES = f"{SOURCE}/docs/examples"
# What stands in forms for numbers: the cheapest that are valid everywhere.
SIZES = {"N": "3", "M": "3", "K": "2", "S": "2", "P": "2", "L": "2", "H": "3"}


def listed(topic: str) -> list[tuple[str, str]]:
    """The rows of a list: what stands first, and the rest."""
    lines = damocles("list", topic, "--markdown").stdout.splitlines()[2:]
    return [(first.strip(), rest) for _, first, rest in (line.split("|", 2) for line in lines)]


def with_sizes(form: str) -> str:
    return re.sub(r"=([A-Z])\b", lambda found: "=" + SIZES[found[1]], form)


def workloads() -> list[str]:
    result = []
    for form, meaning in listed("workloads"):
        if "FILE" in form:
            files = sorted(glob.glob(f"{EXAMPLES}/*"))
            # 1 kB and 1 GF where the file says no bytes and flops.
            result += [form.replace("FILE", file) + ",bytes=1kB,flops=1GF" for file in files
                       if file.endswith((".mtx", ".hgr", ".json", ".dot", "tasks.rec")) and "placement" not in file]
            continue
        spec = with_sizes(form) + (",tile=8" if "tile=" in meaning else "")
        result.append(spec)
        if "deps=true" in meaning:
            result.append(spec + ",deps=true")
    return result


def platforms() -> list[str]:
    result = []
    for form, meaning in listed("platforms"):
        if form == "FILE.toml":
            result += sorted(glob.glob(f"{EXAMPLES}/*.toml"))
        elif form.startswith("starpu:"):
            result += [f"starpu:path={file}" for file in sorted(glob.glob(f"{EXAMPLES}/bus/*.config"))]
        else:
            result.append(with_sizes(form))
            if "cpus=" in meaning:
                result.append(with_sizes(form) + ",cpus=2,cpu_gflops=40")
    return result


def commands_that_ask() -> list[tuple[str, str]]:
    """Commands that take a workload, most of them a platform too, with their pages."""
    page = damocles("--help").stdout
    names = re.findall(r"^  (\w+)", page[page.index("COMMANDS"):page.index("OPTIONS")], re.MULTILINE)
    pages = [(name, damocles("help", name).stdout) for name in names]
    return [(name, text) for name, text in pages if re.search(r"damocles \w+ WORKLOAD", text)]


class EveryRequest(InFolder):
    def setUp(self) -> None:
        super().setUp()
        self.names = [name for name, _ in listed("strategies")]

    def strategy_words(self, page: str, case: int) -> list[str]:
        """All strategies, one of them, or none named, in turn."""
        option = "--strategies" if "--strategies" in page else "--strategy" if "--strategy" in page else ""
        if not option or case % 3 == 0:
            return []
        if case % 3 == 1 and option == "--strategies":
            return [option, "all"]
        return [option, self.names[case // 3 % len(self.names)]]

    def words(self, command: str, page: str, workload: str, platform: str, case: int) -> list[str]:
        words = [command, workload, *([platform] if platform else ["-o", "-"]), *self.strategy_words(page, case)]
        for option, value in (("--replicates", "1"), ("--jobs", "1"), ("--compute", "empty"), ("--instants", "3"),
                              ("--format", "csv"), ("--time", "1ms"), ("--repeats", "0")):
            # compare computes with --backend alone.
            if f"  {option} " in page and (option != "--compute" or command == "run"):
                words += [option, value]
        return words

    def check(self, words: list[str]) -> str:
        """What is wrong with the answer, or nothing."""
        try:
            done = damocles(*words, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return f"{words}: it does not end"
        lines = done.stderr.splitlines()
        if not all(line.startswith("damocles: ") for line in lines):
            return f"{words}: {done.stderr}"
        if done.returncode == 2:
            return "" if len(lines) == 1 and not done.stdout else f"{words}: not one line: {done.stderr}{done.stdout}"
        if done.returncode != 0:
            return f"{words}: status {done.returncode}: {done.stderr}"
        return "" if len(done.stdout.splitlines()) > 1 else f"{words}: an empty table: {done.stderr}"

    def check_all(self, requests: list[list[str]]) -> None:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrong = [text for text in pool.map(self.check, requests) if text]
        self.assertEqual(wrong, [], f"{len(wrong)} of {len(requests)}")

    def test_commands_answer_or_refuse_in_one_line(self) -> None:
        commands = commands_that_ask()
        self.assertLessEqual({"simulate", "predict", "run", "compare", "beta", "trajectory", "export", "calibrate"},
                             {name for name, _ in commands})
        requests = []
        asked, on = workloads(), platforms()
        for c, (command, page) in enumerate(commands):
            for i, workload in enumerate(asked):
                for j, platform in enumerate(on if "PLATFORM" in page else [""]):
                    requests.append(self.words(command, page, workload, platform, c + i + j * 4))
        self.check_all(requests)

    def test_sweeps_keep_a_row_for_every_request(self) -> None:
        # Files of platforms may name kinds of tasks, which other workloads have not.
        asked, on = workloads(), [platform for platform in platforms() if not platform.endswith(".toml")]
        text = f"workload = {asked}\nplatform = {on}\nstrategies = 'all'\nreplicates = 1\n"
        done = damocles("sweep", self.path("all.toml", text), "-o", "-", "--jobs", "2", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = done.stdout.splitlines()[1:]
        self.assertGreaterEqual(len(rows), len(asked) * len(on))
        self.assertTrue(any("no strategy supports" in row for row in rows))


if __name__ == "__main__":
    unittest.main()
