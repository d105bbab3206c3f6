#!/usr/bin/env python3
"""Random mutants of the C++ sources: which of them do the tests not notice?

    tests/mutation/mutate.py --room experiments --count 50 --seed 1

Copies the tree to build-mutants/tree, builds it once, and for each mutant compiles the one file (at
-O1), links the room's tests and runs them, the quick ones first; who survives meets the tests further
on: golden rows, the rooms above, the program itself. Each fate is a line of the report (JSON). A
survivor that no test could tell from the original belongs into equivalent.tsv, with the reason.
"""

import argparse
import collections
import csv
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# What sees a room's mutants, in this order: test executables, and labels of ctest.
SEEN_BY = {
    "models": ("models", "golden", "strategies", "sim", "experiments", "ode", "gpu", "cli"),
    "orders": ("orders", "golden", "strategies", "ode", "sim", "experiments", "cli"),
    "strategies": ("strategies", "golden", "sim", "experiments", "gpu", "cli"),
    "sim": ("sim", "golden", "strategies", "experiments", "cli"),
    "ode": ("ode", "golden", "experiments", "cli"),
    "gpu": ("gpu", "experiments", "cli"),
    "experiments": ("experiments", "golden", "cli"),
}
LABELS = ("golden", "cli")
ROOMS = tuple(SEEN_BY)

Mutant = collections.namedtuple("Mutant", "path line kind before after")


# --- where a line can be changed, and into what ---------------------------------------------------

RELATIONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
             "==": ("!=",), "!=": ("==",)}
ARITHMETIC = {"+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",),
              "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",)}
LOGIC = {"&&": ("||",), "||": ("&&",)}


def blanked(line: str) -> str:
    """The line with strings, characters and comments as blanks of the same length."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: " " * len(found[0]), line)
    line = re.sub(r"'(?:[^'\\]|\\.)+'", lambda found: " " * len(found[0]), line)
    return re.sub(r"//.*", lambda found: " " * len(found[0]), line)


def operators(code: str, table: dict, kind: str):
    """clang-format puts blanks around what has two operands, and none around template brackets."""
    for found in re.finditer(r"(?<= )(\S+)(?= |$)", code):
        for other in table.get(found[1], ()):
            yield kind, found.start(1), found.end(1), other


def constants(code: str):
    for found in re.finditer(r"(?<![\w.'])(\d+(?:\.\d+)?)(?=[UuLl]*\b)(?![\w'.]*['.e])", code):
        value = found[1]
        for step in (1, -1):
            if "." in value:
                yield "constant", found.start(1), found.end(1), f"{float(value) + step:g}" + (
                    "" if "." in f"{float(value) + step:g}" else ".0")
            elif int(value) + step >= 0:
                yield "constant", found.start(1), found.end(1), str(int(value) + step)


def conditions(code: str):
    found = re.search(r"\b(?:if|while) \((.*)\)(?: \{| \S.*;|)$", code.rstrip())
    if found and "=" not in re.sub(r"[=!<>]=", "", found[1]) and balanced(found[1]):
        yield "condition", found.start(1), found.end(1), f"!({{0}})"


def balanced(code: str) -> bool:
    depth = 0
    for letter in code:
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0:
            return False
    return depth == 0


def negations(code: str):
    for found in re.finditer(r"!(?=[\w(])", code):
        yield "negation", found.start(), found.end(), ""


DECLARES = re.compile(r"^\s*(return|throw|using|const|static|constexpr|auto|case|break|continue|else|"
                      r"if|for|while|do|delete|co_|typedef|friend|explicit|virtual|\[\[|}|#|public|"
                      r"private|template|namespace|struct|class|enum|switch|default)\b")


def statements(code: str, before: str):
    """A call or an assignment that fills its line, where another statement could stand."""
    if DECLARES.match(code) or not before.rstrip().endswith((";", "{", "}", ")", ":")):
        return
    text = code.strip()
    call = re.fullmatch(r"(?:\(void\)|static_cast<void>\()?[\w.:\->\[\]()*+ ]*\w\(.*\);", text)
    assigned = re.fullmatch(r"[\w.:\->\[\]()*]+ (?:[-+*/|&]?=) .*;", text)
    counted = re.fullmatch(r"(?:\+\+|--)[\w.\->\[\]()]+;", text)
    if (call and not re.match(r"[\w:<>]+ \w+\(", text) or assigned or counted) and balanced(text[:-1]):
        start = len(code) - len(code.lstrip())
        yield "statement", start, len(code.rstrip()), ";"


def swaps(code: str):
    word = r"[\w.\->:\[\]]+"
    for found in re.finditer(rf"(?<=[\w>]\()({word}), ({word})(?=[,)])", code):
        either_way = code[:found.start()].endswith(("std::max(", "std::min("))
        if found[1] != found[2] and not either_way:
            yield "arguments", found.start(), found.end(), f"{found[2]}, {found[1]}"


def returns(code: str):
    found = re.fullmatch(r"\s*(?:if \(.*\) )?return (.+);\s*", code)
    if not found:
        return
    if found[1] in ("true", "false"):
        yield "return", found.start(1), found.end(1), "false" if found[1] == "true" else "true"
    elif found[1] not in ("{}", "*this") and balanced(found[1]):
        yield "return", found.start(1), found.end(1), "{}"


def mutants_of(path: pathlib.Path, name: str):
    lines = path.read_text(encoding="utf-8").splitlines()
    code = [blanked(line) for line in lines]
    for at, here in enumerate(code):
        if not here.strip() or here.lstrip().startswith(("#", "template", "static_assert", "using")):
            continue
        before = next((line for line in reversed(code[:at]) if line.strip()), "")
        found = [*operators(here, RELATIONS, "relation"), *operators(here, ARITHMETIC, "arithmetic"),
                 *operators(here, LOGIC, "logic"), *constants(here), *conditions(here),
                 *negations(here), *statements(here, before), *swaps(here), *returns(here)]
        for kind, start, end, other in found:
            line = lines[at]
            changed = line[:start] + other.replace("{0}", line[start:end]) + line[end:]
            if kind == "arguments":  # strings are blanks in `here`
                if blanked(line[start:end]) != line[start:end]:
                    continue
            yield Mutant(name, at + 1, kind, line, changed)


def draw(tree: pathlib.Path, room: str, count: int, seed: int, only: str | None) -> list[Mutant]:
    """`count` mutants: first what kind of change, each as likely, then where."""
    by_kind: dict[str, list[Mutant]] = {}
    for path in sorted((tree / room).rglob("*.cpp")):
        name = str(path.relative_to(tree))
        if "/cuda/" in name or name.endswith("/main.cpp") or (only and not re.search(only, name)):
            continue
        for mutant in mutants_of(path, name):
            by_kind.setdefault(mutant.kind, []).append(mutant)
    rng = random.Random(f"{room} {seed}")
    for several in by_kind.values():
        rng.shuffle(several)
    drawn: list[Mutant] = []
    places = set()
    while len(drawn) < count and any(by_kind.values()):
        kind = rng.choice(sorted(kind for kind, left in by_kind.items() if left))
        mutant = by_kind[kind].pop()
        if (mutant.path, mutant.line) not in places:  # one a line
            places.add((mutant.path, mutant.line))
            drawn.append(mutant)
    return drawn


# --- building and testing -------------------------------------------------------------------------


def run(words: list[str], limit_s: float, **more) -> tuple[int, str]:
    """Exit status and output; -1 where the time limit ended it, with all it started."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", start_new_session=True, **more) as child:
        try:
            text, _ = child.communicate(timeout=limit_s)
            return child.returncode, text
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return -1, "time limit"


class Tree:
    """A copy of the sources with a build of its own."""

    def __init__(self, folder: pathlib.Path, jobs: int) -> None:
        self.source, self.build, self.jobs = folder / "tree", folder / "tree" / "build", jobs
        self.source.mkdir(parents=True, exist_ok=True)
        wanted = subprocess.run(["git", "-C", ROOT, "ls-files", "-coz", "--exclude-standard"],
                                capture_output=True, text=True, check=True).stdout.split("\0")
        for name in filter(None, wanted):
            here, there = ROOT / name, self.source / name
            if not here.is_file():
                continue
            there.parent.mkdir(parents=True, exist_ok=True)
            if not there.is_file() or there.read_bytes() != here.read_bytes():
                shutil.copy(here, there)
        keep = set(wanted)
        for top in self.source.iterdir():  # what has gone since
            for path in [] if top == self.build else [top, *top.rglob("*")]:
                if path.is_file() and str(path.relative_to(self.source)) not in keep:
                    path.unlink()
        linker = ["-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"] if shutil.which("ld.lld") else []
        subprocess.run(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                        "-DCMAKE_BUILD_TYPE=Release", "-DDAMOCLES_WERROR=ON",
                        "-DDAMOCLES_BENCH=OFF", "-DDAMOCLES_UNITY=OFF", *linker], stdout=subprocess.DEVNULL, check=True)
        self.slow: dict[str, str] = {}
        with open(self.build / "compile_commands.json", encoding="utf-8") as file:
            self.commands = {command["file"]: command for command in json.load(file)}

    def compile(self, source: pathlib.Path, to: pathlib.Path) -> tuple[int, str]:
        """As the build does, but at -O1 and without warnings."""
        command = self.commands[str(source)]
        words = [word for word in shlex.split(command["command"])
                 if pathlib.Path(word).name != "ccache" and word not in ("-O3", "-Werror")]
        words[words.index("-o") + 1] = str(to)
        return run([*words, "-O1", "-w"], 600, cwd=command["directory"])

    def object_of(self, source: pathlib.Path) -> pathlib.Path:
        command = self.commands[str(source)]
        words = shlex.split(command["command"])
        return pathlib.Path(command["directory"]) / words[words.index("-o") + 1]

    def make(self, *targets: str, limit_s: float = 3600) -> tuple[int, str]:
        return run(["cmake", "--build", str(self.build), "-j", str(self.jobs), "--target", *targets],
                   limit_s)

    def target(self, stage: str) -> str:
        return "damocles" if stage in LABELS else f"damocles_{stage}_tests"

    def executable(self, stage: str) -> str:
        room = "experiments" if stage in LABELS else "tests"
        return str(self.build / room / self.target(stage))

    def link(self, stage: str) -> tuple[int, str]:
        """Anew, whatever the times of its objects say."""
        pathlib.Path(self.executable(stage)).unlink(missing_ok=True)
        return self.make(self.target(stage))

    def learn(self, stage: str) -> float:
        """Runs a stage on the unchanged tree: it passes, and these are its slow suites."""
        began = time.monotonic()
        if stage in LABELS:
            status, text = self.ctest(stage, 1200)
        else:
            times = self.build / f"{stage}.json"
            status, text = run([self.executable(stage), "--gtest_brief=1",
                                f"--gtest_output=json:{times}"], 1200, cwd=self.build)
            suites = {}
            for suite in json.loads(times.read_text())["testsuites"]:
                suites[suite["name"]] = float(suite["time"].rstrip("s"))
            slow = [name for name, took in suites.items() if took > 0.3]
            self.slow[stage] = ":".join(f"{name}.*" for name in slow)
        if status != 0:
            sys.exit(f"{stage} fails on the unchanged tree:\n{text[-3000:]}")
        return time.monotonic() - began

    def ctest(self, label: str, limit_s: float) -> tuple[int, str]:
        return run(["ctest", "--test-dir", str(self.build), "-L", f"^{label}$", "-E", "gpu.suite",
                    "--stop-on-failure", "-j", str(self.jobs)], limit_s)

    def test(self, stage: str, limit_s: float) -> tuple[int, str]:
        if stage in LABELS:
            return self.ctest(stage, limit_s)
        filters = [f"-{self.slow[stage]}", self.slow[stage]] if self.slow[stage] else ["*"]
        for chosen in filters:
            status, text = run([self.executable(stage), "--gtest_brief=1", "--gtest_fail_fast",
                                f"--gtest_filter={chosen}"], limit_s, cwd=self.build)
            if status != 0:
                return status, text
        return 0, ""


class Kept:
    """A file to be put back. The build sees no change in what has its old time."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path, self.bytes, self.stat = path, path.read_bytes(), path.stat()

    def back_in_time(self) -> None:
        if self.path.exists():
            os.utime(self.path, ns=(self.stat.st_atime_ns, self.stat.st_mtime_ns))

    def restore(self) -> None:
        self.path.write_bytes(self.bytes)
        self.back_in_time()


def killer(stage: str, status: int, text: str) -> str:
    if status == -1:
        return f"{stage}: time limit"
    found = (re.search(r"\[  FAILED  \] (\S+)", text) or re.search(r"- (\S+) \(Failed\)", text) or
             re.search(r"Test #\d+: (\S+) \.*\*+", text))
    return f"{stage}: {found[1] if found else f'status {status}'}"


def fate_of(tree: Tree, mutant: Mutant, room: str, limits: dict[str, float]) -> tuple[str, str]:
    """killed, survived or does not compile; and by what."""
    path = tree.source / mutant.path
    object_file = tree.object_of(path)
    kept = [Kept(path), Kept(object_file)]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[mutant.line - 1] = mutant.after + "\n"
    path.write_text("".join(lines), encoding="utf-8")
    try:
        status, text = tree.compile(path, object_file)
        for file in kept:
            file.back_in_time()
        if status != 0:
            found = re.search(r"error: .*", text)
            return "does not compile", found[0][:150] if found else text[-150:]
        for stage in SEEN_BY[room]:
            if stage not in limits:
                continue
            status, text = tree.link(stage)
            if status != 0:  # the build asks test programs for their tests
                return "killed", f"{stage}: does not start"
            status, text = tree.test(stage, limits[stage])
            if status != 0:
                return "killed", killer(stage, status, text)
        return "survived", ""
    finally:
        for file in kept:
            file.restore()


# --- the report -----------------------------------------------------------------------------------


def equivalents() -> dict[tuple[str, str, str], str]:
    with open(HERE / "equivalent.tsv", encoding="utf-8", newline="") as file:
        return {(row["path"], row["before"], row["after"]): row["reason"]
                for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


def summary(fates: list[dict]) -> str:
    known = equivalents()
    lines = []
    totals = collections.Counter()
    for room in ROOMS:
        counted = collections.Counter()
        for fate in (fate for fate in fates if fate["path"].startswith(room + "/")):
            same = (fate["path"], fate["before"].strip(), fate["after"].strip()) in known
            counted["equivalent" if same and fate["fate"] == "survived" else fate["fate"]] += 1
        if not counted:
            continue
        totals.update(counted)
        lines.append(line_of(room, counted))
    return "\n".join([*lines, line_of("all", totals)])


def line_of(room: str, counted: collections.Counter) -> str:
    decided = counted["killed"] + counted["survived"]
    share = f"{100 * counted['killed'] / decided:.1f} %" if decided else "-"
    return (f"{room:12} {counted['killed']:4} killed {counted['survived']:4} survived "
            f"{counted['equivalent']:4} equivalent {counted['does not compile']:4} do not compile: {share}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--room", action="append", choices=ROOMS, help="default: all")
    parser.add_argument("--count", type=int, default=20, help="mutants of each room (default 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="regular expression a file's path must match")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build-mutants",
                        help="of the copy and its build (default build-mutants)")
    parser.add_argument("--report", type=pathlib.Path, help="JSON lines (default FOLDER/report.jsonl)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--skip", action="append", default=[], metavar="STAGE",
                        help="tests that do not take part, as cli, which takes long; --again asks them")
    parser.add_argument("--list", action="store_true", help="only print the mutants")
    parser.add_argument("--again", type=pathlib.Path, help="the survivors of this report, once more")
    parser.add_argument("--summary", type=pathlib.Path, nargs="+", help="only the score of these reports")
    asked = parser.parse_args()
    if asked.summary:
        print(summary([json.loads(line) for path in asked.summary for line in path.open()]))
        return
    rooms = asked.room or list(ROOMS)
    if asked.list:
        for room in rooms:
            for mutant in draw(ROOT, room, asked.count, asked.seed, asked.only):
                print(f"{mutant.path}:{mutant.line}: {mutant.kind}\n-{mutant.before}\n+{mutant.after}")
        return
    tree = Tree(asked.folder, asked.jobs)
    drawn = [(room, mutant) for room in rooms
             for mutant in draw(tree.source, room, asked.count, asked.seed, asked.only)]
    if asked.again:
        drawn = survivors_of(asked.again, tree)
    stages = sorted({stage for room, _ in drawn for stage in SEEN_BY[room]} - set(asked.skip))
    for stage in stages:  # one of an earlier run may still be of a mutant
        pathlib.Path(tree.executable(stage)).unlink(missing_ok=True)
    status, text = tree.make(*{tree.target(stage) for stage in stages})
    if status != 0:
        sys.exit(text[-3000:])
    limits = {stage: 20 + 4 * tree.learn(stage) for stage in stages}
    print({stage: round(limit) for stage, limit in limits.items()}, flush=True)
    report = asked.report or asked.folder / "report.jsonl"
    fates = []
    with report.open("a", encoding="utf-8") as file:
        for room, mutant in drawn:
            began = time.monotonic()
            known = (mutant.path, mutant.before.strip(), mutant.after.strip()) in equivalents()
            fate, by = ("survived", "equivalent.tsv") if known else fate_of(tree, mutant, room, limits)
            fates.append({**mutant._asdict(), "fate": fate, "by": by, "seed": asked.seed,
                          "took_s": round(time.monotonic() - began, 1)})
            file.write(json.dumps(fates[-1]) + "\n")
            file.flush()
            print(f"{fate:16} {mutant.path}:{mutant.line} {mutant.kind} ({by})", flush=True)
    print(summary(fates))


def survivors_of(report: pathlib.Path, tree: Tree) -> list[tuple[str, Mutant]]:
    """Those whose line still stands, wherever it now is."""
    found = []
    for fate in map(json.loads, report.open()):
        if fate["fate"] != "survived" or not (tree.source / fate["path"]).is_file():
            continue
        lines = (tree.source / fate["path"]).read_text(encoding="utf-8").splitlines()
        at = [i + 1 for i, line in enumerate(lines) if line == fate["before"]]
        if at:
            nearest = min(at, key=lambda i: abs(i - fate["line"]))
            found.append((fate["path"].split("/")[0],
                          Mutant(fate["path"], nearest, fate["kind"], fate["before"], fate["after"])))
    return found


if __name__ == "__main__":
    main()
