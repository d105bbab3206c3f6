"""What the program prints, to the letter: each file of sessions/ is a list of commands (`$ damocles
...`), each with its output. `cmake --build build --target golden` writes the outputs anew.

    sessions_test.py PROGRAM [--write]
"""

import difflib
import pathlib
import shlex
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "sessions"
PROMPT = "$ damocles"


def session(program: str, commands: list[str]) -> str:
    text = ""
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            words = shlex.split(command[len(PROMPT):])
            run = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, check=False)
            text += f"{command}\n{run.stdout}{run.stderr}"
            text += f"[exit {run.returncode}]\n\n" if run.returncode else "\n"
    version = subprocess.run([program, "version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return text.replace(f'"version": "{version}"', '"version": "VERSION"')


def main() -> None:
    program = sys.argv[1]
    for path in sorted(FOLDER.glob("*.txt")):
        stored = path.read_text(encoding="utf-8")
        ours = session(program, [line for line in stored.splitlines() if line.startswith(PROMPT)])
        if "--write" in sys.argv:
            path.write_text(ours, encoding="utf-8")
        elif ours != stored:
            lines = difflib.unified_diff(stored.splitlines(), ours.splitlines(), path.name, "now", lineterm="")
            sys.exit("\n".join(lines) + "\nIf it is meant: cmake --build build --target golden")


if __name__ == "__main__":
    main()
