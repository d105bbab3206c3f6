"""What the program costs, beside tests/budgets.toml: instructions of requests, and its size. Neither depends on how busy or
how fast the machine is; only the program's own code counts, so that the libraries do not matter."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

from program import PROGRAM, SOURCE

FILE = os.path.join(SOURCE, "tests", "budgets.toml")
GROWTH = 0.02  # that is allowed
TO_RAISE = ("A change that needs more says in its commit why it does, and writes the new number into tests/budgets.toml.\n"
            "`cmake --build build --target budgets` lowers the numbers of what takes less now, and raises none.")


def counted(profile: str, program: str) -> int:
    """The instructions in the code of the program and its parts, of a profile that callgrind wrote."""
    names: dict[str, str] = {}
    count, here, of_callee = 0, False, False
    with open(profile, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if named := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?$", line):
                called, number, name = named.groups()
                if name:
                    names[number] = name
                if not called:
                    here = names[number] == program or os.path.basename(names[number]).startswith("damocles_")
            elif line.startswith("calls="):
                of_callee = True  # the next line has what the call took, which is counted where it was spent
            elif line[0] in "+-*0123456789":
                if here and not of_callee:
                    count += int(line.split()[1])
                of_callee = False
    return count


def instructions(request: str, program: str = PROGRAM) -> int:
    """How many the program takes for the request."""
    program = os.path.realpath(program)
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        fixed = ["setarch", "-R"]  # the same addresses each time
        if subprocess.run([*fixed, "true"], capture_output=True, check=False).returncode != 0:
            fixed = []
        done = subprocess.run([*fixed, "valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", "--dump-line=no",
                               program, *request.split()], cwd=folder, capture_output=True, text=True, check=False,
                              timeout=600, env={"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C.UTF-8"})
        if done.returncode != 0:
            raise AssertionError(f"{request}: exit status {done.returncode}\n{done.stderr}")
        return counted(profile, program)


def budgets() -> dict:
    with open(FILE, "rb") as file:
        return tomllib.load(file)


def why_not(tool: str) -> str:
    """Why the numbers say nothing here, or nothing."""
    here, there = os.environ.get("DAMOCLES_BUILD", "another build"), budgets()["build"]
    if here != there:
        return f"the budgets are of another build: {there}; this is {here}"
    return "" if shutil.which(tool) else f"{tool} is not installed"


def program_bytes(program: str = PROGRAM) -> int:
    """Code and constants of the program."""
    table = subprocess.run(["size", program], capture_output=True, text=True, check=True).stdout
    return int(table.splitlines()[1].split()[0])


class Budgets(unittest.TestCase):
    def test_no_request_takes_more_instructions_than_its_budget(self) -> None:
        if why := why_not("valgrind"):
            self.skipTest(why)
        grown = []
        for request, budget in budgets()["instructions"].items():
            count = instructions(request)
            print(f"{count / budget - 1:+8.2%} {count:>13} {request}", file=sys.stderr)
            if count > budget * (1 + GROWTH):
                grown.append(f"{count / budget - 1:+.1%}: damocles {request}\n  {count} instructions, budget {budget}")
        if grown:
            self.fail("more instructions than tests/budgets.toml allows:\n" + "\n".join(grown) + "\n" + TO_RAISE)

    def test_the_program_is_no_larger_than_its_budget(self) -> None:
        if why := why_not("size"):
            self.skipTest(why)
        self.assertLessEqual(program_bytes(), budgets()["program_bytes"] * (1 + GROWTH), TO_RAISE)


def lower_budgets() -> None:
    """Writes the numbers of what costs less than its budget."""
    if why := why_not("valgrind") or why_not("size"):
        sys.exit(f"nothing written: {why}")
    with open(FILE, encoding="utf-8") as file:
        text = file.read()
    costs = {f'"{request}"': (instructions(request), budget) for request, budget in budgets()["instructions"].items()}
    costs["program_bytes"] = (program_bytes(), budgets()["program_bytes"])
    for name, (count, budget) in costs.items():
        print(f"{count / budget - 1:+8.2%} {count:>13} {name}")
        if count < budget:
            text = text.replace(f"{name} = {budget}\n", f"{name} = {count}\n")
    with open(FILE, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    lower_budgets()
