"""Several sources of a room may be compiled as one (DAMOCLES_UNITY). What is in their unnamed namespaces
then meets: a name that a header has too would be hidden in its companions without a word, and calls would
choose among the functions of several files. So such names are of one file of a room alone."""

import collections
import os
import re
import unittest
from pathlib import Path

ROOT = Path(os.environ["DAMOCLES_SOURCE"])
ROOMS = ("models", "orders", "strategies", "ode", "sim", "gpu", "experiments")  # each includes from those before

# What a line that begins a declaration declares.
DECLARATIONS = [re.compile(pattern) for pattern in (
    r"(?:struct|class|enum class|enum) (?:\[\[\w+\]\] )?(\w+)",
    r"using (\w+) =",
    r"(?:inline |static )*(?:constexpr|const)\b[^=({]*?\b(\w+)(?:\[\])?(?: =|\{|;)",
    r"(?!using|struct|class|enum|namespace|return|template|static_assert|else)"
    r"[\[\]\w:<>,&*\s]+?[\s&*>](\w+)\(")]


def declared(lines: list[str]) -> set[str]:
    names = set()
    for line in lines:
        if line.startswith((" ", "}", "#", "/")):
            continue
        line = re.sub(r"^template <[^>]*>\s*", "", line)
        found = next(filter(None, (pattern.match(line) for pattern in DECLARATIONS)), None)
        if found:
            names.add(found[1])
    return names


def of_unnamed_namespace(path: Path) -> list[str]:
    """Its lines; none of a file with a namespace of its own."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if any(re.match(r"namespace damocles::\w+ \{", line) for line in lines):
        return []
    inside, part = False, []
    for line in lines:
        inside = line == "namespace {" or (inside and line != "}  // namespace")
        part += [line] if inside else []
    return part


class Names(unittest.TestCase):
    def test_the_patterns_see_what_they_should(self) -> None:
        self.assertEqual(
            declared(["double f(int x) {", "  int inner(1);", "struct S {", "constexpr int most = 3;", "using I = int;",
                      "template <typename T> const T* g(T t) {", "const std::vector<int>& h() {", "std::string name[] = {}"]),
            {"f", "S", "most", "I", "g", "h"})

    def aliases_of_one_meaning(self, room: str) -> set[str]:
        """Lines of several files that say the same of the same name: they may meet."""
        meanings = collections.defaultdict(set)
        for path in (ROOT / room).rglob("*.cpp"):
            for line in of_unnamed_namespace(path):
                if alias := re.match(r"using (\w+) =.*;$", line):
                    meanings[alias[1]].add(line)
        return {line for lines in meanings.values() if len(lines) == 1 for line in lines}

    def test_are_of_one_file_alone(self) -> None:
        visible: dict[str, str] = {}
        checked = 0
        for room in ROOMS:
            for path in sorted((ROOT / room).rglob("*.hpp")):
                if "cuda" not in path.parts:
                    text = path.read_text(encoding="utf-8").splitlines()
                    visible.update((name, str(path.relative_to(ROOT))) for name in declared(text))
            owners = collections.defaultdict(list)
            aliases = self.aliases_of_one_meaning(room)
            for line in aliases:
                owners[declared([line]).pop()].append(f"files that say {line}")
            for path in sorted((ROOT / room).rglob("*.cpp")):
                lines = of_unnamed_namespace(path)
                for name in declared([line for line in lines if line not in aliases]):
                    owners[name].append(str(path.relative_to(ROOT)))
                    self.assertFalse(name in visible, f"{path.relative_to(ROOT)} hides what {visible.get(name)} declares")
                    checked += 1
            for name, files in owners.items():
                self.assertEqual(len(files), 1, f"'{name}' is in the unnamed namespaces of {files}")
        self.assertGreater(checked, 500)


class QuestionsAndJobs(unittest.TestCase):
    """Are filled by name: two numbers of a question in the wrong order would be another question."""

    POSITIONAL = re.compile(r"(?<!struct )\b(?:Experiment|Job)(?: \w+)?\s*\{\s*[^.}\s]"
                            r"|\{\s*Workload::\w+\([^{};]*\bScenario::")  # fmt: skip

    def test_the_pattern_sees_what_it_should(self) -> None:
        for text in ("Experiment q{Workload::outer(2, 2), s, {}};", "return Job{key, run};",
                     "return {Workload::parse(text), Scenario::parse(other), {}};"):  # fmt: skip
            self.assertRegex(text, self.POSITIONAL)
        for text in ("struct Experiment {\n  Workload workload;", "Experiment q{.workload = w};", "Job{}",
                     "std::vector{Workload::outer(2, 2), Workload::outer(3, 3)}"):  # fmt: skip
            self.assertNotRegex(text, self.POSITIONAL)

    def test_are_filled_by_name(self) -> None:
        for room in ("experiments", "tests"):
            for path in (ROOT / room).rglob("*.[ch]pp"):
                found = self.POSITIONAL.search(path.read_text(encoding="utf-8"))
                self.assertIsNone(found, f"{path.relative_to(ROOT)}: {found and found[0]}")


class DataItems(unittest.TestCase):
    """English counts data items, blocks or tiles, not data."""

    TEXTS = (".cpp", ".hpp", ".cu", ".py", ".txt", ".cmake", ".sh", ".md", ".toml")
    COUNTED = re.compile(
        r"(?<![\w.-])(?:(?:a|one|each|every|another|single)|(?:an?|one|each|every|any|another|such) (?:evicted|evictable|new|"
        r"resident|streamed|common|written|shared|temporary|missing|loaded|other))"
        r" data(?![-_\w(]|\.\w| =| (?:items?|vertex|vertices|sets?|structures?|dependenc\w+|transfers?|movement|blocks?|races?)\b)"
        r"|\bdatas\b", re.IGNORECASE)  # fmt: skip

    # Columns of words: a phrase goes on below, beside other columns. The words come from sources that are read here.
    TABLES = ROOT / "tests/golden/sessions/list.txt"

    def counted(self, text: str) -> list[str]:
        """Where a text counts data, a comment or literal of several lines read as one."""
        one_line = re.sub(r'\s*"?\s*\n\s*(?:///?<?|#|\*|")?\s*', " ", text)
        return [one_line[max(0, found.start() - 30):found.end() + 30] for found in self.COUNTED.finditer(one_line)]

    def test_the_pattern_sees_what_it_should(self) -> None:
        for text in ("loads a " + "data.", "each\n  /// " + "data that", 'an evicted "\n    "data may', "Another " + "data's size", "dat" + "as"):
            self.assertEqual(len(self.counted(text)), 1, text)
        for text in ("a data item", "one " + "data\n// item", "a data-aware policy", "each with data of its own", "graph.data()", "a data set"):
            self.assertEqual(self.counted(text), [], text)

    def test_are_what_is_counted(self) -> None:
        looked_at = 0
        for place in (*ROOMS, "plots", "tests", "docs", "cmake", "CMakeLists.txt", "README.md", "CHANGELOG.md",
                      "CONTRIBUTING.md"):
            files = [ROOT / place] if (ROOT / place).is_file() else sorted((ROOT / place).rglob("*"))
            for path in files:
                if path.suffix in self.TEXTS and path.is_file() and path != self.TABLES:
                    looked_at += 1
                    self.assertEqual(self.counted(path.read_text(encoding="utf-8")), [], path.relative_to(ROOT))
        self.assertGreater(looked_at, 1000)


if __name__ == "__main__":
    unittest.main()
