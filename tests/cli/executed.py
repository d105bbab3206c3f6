"""What the tests of commands that execute share: a folder, requests, and what they answer."""

import os

from program import InFolder, damocles, rows, without_notes

GEMM = "gemm2d:n=6,tile=8,k=8"
GPUS = "gpus:k=2,memory=4data"
OUTER = ("outer:n=8", "uniform:p=3,lo=10,hi=100")


class Execution(InFolder):
    def answer(self, *words: str) -> str:
        run = damocles(*words, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(without_notes(run.stderr), "")
        return run.stdout

    def rows(self, *words: str) -> list[dict[str, str]]:
        return rows(self.answer(*words, *(() if "--format" in words else ("--format", "csv"))))

    def refuse(self, words: tuple[str, ...], says: list[str], status: int = 2) -> None:
        run = damocles(*words, cwd=self.folder)
        self.assertEqual(run.returncode, status, run)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertTrue(run.stderr.startswith("damocles: "), run.stderr)
        for part in says:
            self.assertIn(part, run.stderr)

    def read(self, name: str) -> str:
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def files(self) -> list[str]:
        return sorted(os.listdir(self.folder))
