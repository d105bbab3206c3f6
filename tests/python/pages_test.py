"""The programs of docs/howto/python.md run, and print what the page shows."""

import contextlib
import io
import os
import re
import unittest
from pathlib import Path

PAGE = Path(os.environ["DAMOCLES_SOURCE"], "docs", "howto", "python.md")
PROGRAM = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.M | re.S)


class Page(unittest.TestCase):
    def test_programs_print_what_it_shows(self) -> None:
        programs = PROGRAM.findall(PAGE.read_text(encoding="utf-8"))
        self.assertEqual(len(programs), 4)
        for program, shown in programs:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(program, str(PAGE), "exec"), {})
            self.assertEqual(printed.getvalue(), shown)


if __name__ == "__main__":
    unittest.main()
