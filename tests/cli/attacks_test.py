"""Files, streams and machines that would make the program crash, hang or destroy something."""

import os
import socket
import subprocess
import time
import unicodedata
import unittest

from program import PROGRAM, SOURCE, InFolder, damocles

GEMM = "gemm2d:n=3,tile=8,k=8"
QUESTION = (GEMM, "gpus:k=2,memory=4data", "--strategies", "eager", "--replicates", "1")


def is_printable_line(text: str) -> bool:
    """One line that moves no cursor, wipes no screen and turns no writing."""
    hidden = ("Cc", "Cs", "Zl", "Zp")
    turning = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return (text.endswith("\n") and not any(unicodedata.category(c) in hidden or c in turning
                                            for c in text[:-1]) and len(text) < 6000)


class Attack(InFolder):
    def refused(self, *words: str, says: str, status: int = 2, within_s: float = 20) -> None:
        start = time.monotonic()
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=60)
        self.assertLess(time.monotonic() - start, within_s)
        text = done.stderr.decode("utf-8")
        self.assertEqual((done.returncode, done.stdout), (status, b""), done)
        self.assertTrue(is_printable_line(text), done.stderr)
        self.assertIn(says, text)

    def readers(self, path: str) -> list[tuple[str, ...]]:
        """The commands that read a file of this name, in place of each kind of file."""
        return [("simulate", "outer:n=4", path), ("sweep", path), ("replay", path),
                ("simulate", f"file:path={path}", "gpus:k=1", "--strategies", "eager")]


class Readers(Attack):
    def named(self, name: str) -> list[str]:
        """The same file under each ending that some reader wants."""
        return [self.path(name + ending) for ending in (".toml", ".json", ".mtx", ".hgr", ".rec")]

    def each_reads(self, make: "callable", says: str) -> None:
        for path in self.named("x"):
            make(path)
            for words in self.readers(path):
                if path.endswith(".toml") != (words[0] in ("sweep", "simulate") and "file:" not in words[1]):
                    continue
                if words[0] == "replay" and not path.endswith(".json"):
                    continue
                with self.subTest(words=words):
                    self.refused(*words, says=says)
            os.remove(path) if not os.path.isdir(path) else os.rmdir(path)

    def test_a_folder_is_refused(self) -> None:
        self.each_reads(os.mkdir, "is a folder")

    def test_a_device_is_refused_unread(self) -> None:
        self.each_reads(lambda path: os.symlink("/dev/zero", path), "is a device")

    def test_a_socket_is_refused(self) -> None:
        def make(path: str) -> None:
            with socket.socket(socket.AF_UNIX) as made:
                made.bind(path)
        self.each_reads(make, "is a socket")

    def test_a_pipe_that_nobody_writes_does_not_hang(self) -> None:
        pipe = self.path("x.toml")
        os.mkfifo(pipe)
        self.refused("simulate", "outer:n=4", pipe, says="is a pipe, which is read only once")
        self.refused("sweep", pipe, says="is a pipe into which nobody writes")

    def test_a_pipe_with_a_writer_is_read_where_a_file_is_read_once(self) -> None:
        study = "workload = 'outer:n=4'\nplatform = 'homogeneous:p=2'\nreplicates = 1\n"
        done = subprocess.run(["bash", "-c", f"{PROGRAM} sweep <(sleep 0.2; cat study.txt) -o rows.csv"],
                              cwd=os.path.dirname(self.path("study.txt", study)), capture_output=True,
                              text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rows in rows.csv", done.stdout)
        endless = subprocess.run(["bash", "-c", f"{PROGRAM} sweep <(yes)"], cwd=self.folder,
                                 capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(endless.returncode, 2)
        self.assertIn("is larger than 1 MB", endless.stderr)

    def test_a_file_without_end_is_refused_by_its_size(self) -> None:
        path = self.path("x.toml")
        with open(path, "wb") as file:
            file.truncate(10**12)  # of holes
        self.refused("simulate", "outer:n=4", path, says="is larger than 1 MB, the most that is read")
        os.rename(path, self.path("x.mtx"))
        self.refused(*self.readers(self.path("x.mtx"))[3], says="is larger than 4 GB")
        os.rename(self.path("x.mtx"), self.path("x.json"))
        self.refused("replay", self.path("x.json"), says="is larger than 1 GB")

    def test_a_name_that_is_none_is_refused(self) -> None:
        self.refused("simulate", "outer:n=4", "x" * 5000 + ".toml", says="File name too long")
        self.refused("sweep", "x" * 300, says="File name too long")
        self.refused("replay", "", says="has no name")
        self.refused("simulate", "file:path=" + "x" * 300 + ".mtx", "gpus:k=1", says="File name too long")

    def test_a_name_with_a_nul_is_refused(self) -> None:
        study = self.path("s.toml", 'workload = "file:path=x.mtx\\u0000.mtx"\nplatform = "gpus:k=1"\n')
        self.refused("sweep", study, says="'x.mtx\\x00.mtx' has a NUL in its name")
        study = self.path("t.toml", 'workload = "outer:n=4"\nplatform = "a\\u0000.toml"\n')
        self.refused("sweep", study, says="'a\\x00.toml' has a NUL in its name")

    def test_what_nests_deeply_is_refused(self) -> None:
        many = 50_000
        for text, says in ((".".join(["a"] * many) + " = 1", "a key of more than 16 parts"),
                           ("[" + ".".join(["a"] * many) + "]", "a key of more than 16 parts"),
                           ("a = " + "[" * many, "lists and tables more than 16 deep"),
                           ("a = " + "{a=" * many, "lists and tables more than 16 deep")):
            path = self.path("x.toml", text)
            self.refused("simulate", "outer:n=4", path, says=says)
            self.refused("sweep", path, says=says)
        for text in ("[" * 1_000_000, '{"damocles": "decisions", "decisions": [' + "[" * 1_000_000,
                     '{"a":' * 500_000):
            self.refused("replay", self.path("x.json", text), says="more than 3 deep")
            self.refused(*self.readers(self.path("x.json", text))[3], says="file '")

    def test_many_processors_are_refused_before_they_take_the_memory(self) -> None:
        table = "[[processors]]\nspeed = 1\ncount = 1000000\n"
        self.refused("simulate", "outer:n=4", self.path("x.toml", table * 20_000), says="more than 1000000")

    def test_long_words_are_read_in_linear_time(self) -> None:
        long = "1" * 900_000
        for text in (f"[[gpus]]\nmemory = '{long}e'", f"[[gpus]]\nmemory = '{long}MB'",
                     f"[[gpus]]\nlink = '{'1e' * 400_000}'", f"{long} = 1", f"[bus]\n{long} = 1"):
            self.refused("simulate", GEMM, self.path("x.toml", text), says="x.toml", within_s=5)
        names = '{"damocles": 1, "data": [{"name": "A"}], "tasks": [{"reads": ["%s"]}]}' % (long * 5)
        self.refused(*self.readers(self.path("x.json", names))[3], says="no data has that name", within_s=5)


class Messages(Attack):
    def test_control_characters_are_escaped(self) -> None:
        for word, shown in (("\x1b[2J", "\\x1b[2J"), ("a\rb", "a\\x0db"), ("\u202ecsv", "\\u{202e}csv"),
                            ("\u009b31m", "\\u{9b}31m"), ("a\nb", "a b")):
            self.refused("simulate", word, "homogeneous:p=2", says=shown)
            self.refused("simulate", "outer:n=4", "homogeneous:p=2", "--strategies", word, says=shown)
            self.refused("simulate", "outer:n=4", "homogeneous:p=2", "--seed", word, says=shown)

    def test_bytes_that_are_no_utf8_are_escaped(self) -> None:
        done = subprocess.run([PROGRAM, "simulate", b"caf\xe9\xff", "homogeneous:p=2"], capture_output=True,
                              check=False, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"'caf\\xe9\\xff'", done.stderr)

    def test_long_ones_are_cut(self) -> None:
        self.refused("simulate", "x" * 100_000, "homogeneous:p=2", says="xxx [...] ")
        self.refused("simulate", "outer:n=4", "homogeneous:p=2", "--" + "x" * 100_000, says="--help")


class ClosedStreams(Attack):
    def run_without(self, *streams: int, words: tuple[str, ...]) -> subprocess.CompletedProcess:
        def close() -> None:
            for stream in streams:
                os.close(stream)
        return subprocess.run([PROGRAM, *words], cwd=self.folder, check=False, timeout=60,
                              stdin=None if 0 in streams else subprocess.DEVNULL,
                              stdout=None if 1 in streams else subprocess.PIPE,
                              stderr=None if 2 in streams else subprocess.PIPE, preexec_fn=close)

    def test_a_closed_error_stream_ends_nothing(self) -> None:
        for words, status in ((("simulate", *QUESTION), 0), (("simulate", "x", "y"), 2),
                              (("run", "outer:n=40", "homogeneous:p=1", "--pace", "1ms", "--strategies",
                                "dynamic", "--replicates", "1"), 0)):
            with self.subTest(words=words):
                self.assertEqual(self.run_without(2, words=words).returncode, status)

    def test_no_file_takes_the_place_of_a_closed_stream(self) -> None:
        for streams in ((0,), (2,), (0, 2), (0, 1, 2)):
            with self.subTest(streams=streams):
                done = self.run_without(*streams, words=("simulate", *QUESTION, "-o", "rows.csv",
                                                         "--trace", "t.json"))
                self.assertEqual(done.returncode, 0)
                with open(self.path("rows.csv"), encoding="utf-8") as file:
                    self.assertTrue(file.read().startswith("source,"))
                os.remove(self.path("rows.csv"))


if __name__ == "__main__":
    unittest.main()
