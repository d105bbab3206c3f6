"""Ten thousand damaged files: each is drawn or refused in one printable line, never a traceback.

Mutations are made of sound files by a fixed seed. All go through reading and planning; every 100th
that is still sound is drawn (layout and text included, but no file written), as drawing takes
a thousand times as long.
"""

from __future__ import annotations

import io
import json
import random
import tempfile
import unittest
from pathlib import Path

import blocks
import general
import matplotlib
import pictures
import results
import sample_results
import sample_traces
import style
import thresholds
import traces
import trajectories
import trajectories_test
import words
from errors import PlotError
from wish import Wish

MUTATIONS = 10_000
DRAWN_EVERY = 100
TOKENS = (
    b"nan", b"inf", b"-inf", b"1e308", b"-1e308", b"1e-320", b"0", b"-1", b"", b",", b'"', b"\n",
    b"\r", b"\x00", b"\x07", b"\x1b[31m", b"\xff\xfe", b"$", b"$x^$", b"\\frac{", b"_", b"%", b"|",
    "\u202e".encode(), "\u2028".encode(), "漢😀".encode(), b"failed", b"ok", b":", b"=", b"n=", b"p=2",
    b"99999999999999999999999999", b"0x10", b"1_000", b"{", b"}", b"[", b"]", b"null", b"true",
    b'"ts":', b'\\ud800', b"predicted", b"executed", b"gpus:k=1,memory=1e999MB", b"A" * 3000,
)  # fmt: skip
WISHES = (
    Wish(), Wish(), Wish(), Wish(x="n"), Wish(x="strategy", y=("loads", "makespan_s")),
    Wish(log="xy"), Wish(log="y", facet="strategy"), Wish(where=("strategy=darts,dmdar",)),
    Wish(x="memory"), Wish(y=("gflops",)), Wish(facet="platform"), Wish(where=("n>4", "seed!=7")),
    Wish(x="status", y=("replicate",), log=""), Wish(size=(3.0, 2.0), title="$a_b$ \\x"),
)  # fmt: skip


def study() -> list[sample_results.Cells]:
    """A few rows of limited and of unlimited memory, a failed one among them."""
    rows = list(sample_results.limited(("darts", "dmdar"), ("gemm2d:n=3", "gemm2d:n=5"),
                                       sample_results.GPU.format(500)))  # fmt: skip
    rows[1] |= {"status": "failed"}
    rows += sample_results.point("outer", 10, 4, "uniform:p=4,lo=1,hi=9", 3.0,
                                 ("random", "dynamic-2phases"), 2, ("refined",))  # fmt: skip
    return rows


def mutated(content: bytes, draw: random.Random) -> bytes:
    """The file with one to four places changed."""
    data = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(6)
        if kind == 0:
            data[at : at + 1] = bytes([draw.randrange(256)])
        elif kind == 1:
            del data[at : at + draw.randint(1, 40)]
        elif kind == 2:
            data[at:at] = draw.choice(TOKENS)
        elif kind == 3:  # a whole cell or value
            ends = [data.find(mark, at) for mark in (b",", b"\n", b":", b"}")]
            end = min((one for one in ends if one >= 0), default=len(data))
            data[at:end] = draw.choice(TOKENS)
        elif kind == 4:  # a part again elsewhere
            part = data[at : at + draw.randint(1, 200)]
            to = draw.randrange(len(data) + 1)
            data[to:to] = part
        else:
            data = data[:at] if draw.random() < 0.2 else data
    return bytes(data)


class DamagedFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def attack(self, name: str, content: bytes, count: int, plan, draw) -> None:  # noqa: ANN001
        """Mutates, plans, now and then draws; counts how it went."""
        source = random.Random(name)
        path = self.folder / name
        sound = refused = 0
        for i in range(count):
            data = mutated(content, source)
            path.write_bytes(data)
            wish = source.choice(WISHES)
            try:
                plan(path, wish)
                sound += 1
                if sound % DRAWN_EVERY == 1:
                    self.laid_out(draw(path, wish))
            except PlotError as error:
                refused += 1
                said = words.sentence(str(error))
                self.assertTrue(said.isprintable(), said)
                self.assertLessEqual(len(said), words.MOST_SAID)
            except Exception as error:
                raise AssertionError(f"mutation {i} of {name}, {wish}: {data!r}") from error
        self.assertGreater(sound, count / 50)  # else nothing but reading was tried
        self.assertGreater(refused, count / 50)

    def laid_out(self, figure: matplotlib.figure.Figure) -> None:
        """As it would be saved, at a resolution that costs little."""
        figure.savefig(io.BytesIO(), format="png", dpi=20)

    def run(self, result: unittest.TestResult | None = None) -> unittest.TestResult | None:
        with matplotlib.rc_context(style.RC):
            return super().run(result)

    def plan_rows(self, path: Path, wish: Wish) -> None:
        header, _ = results.table(path)
        if thresholds.is_header(header) or "quantity" in header:
            raise PlotError("of another kind now")
        general.plan(pictures.kept(results.read_all([path]), wish), wish)

    def draw_rows(self, path: Path, wish: Wish):  # noqa: ANN202
        return pictures.of_files([path], wish)[0]

    def plan_blocks(self, path: Path, _: Wish) -> None:
        for run in traces.read(path):
            blocks.grid(run)

    def test_csv(self) -> None:
        path = sample_results.write(self.folder / "a.csv", study())
        self.attack("study.csv", path.read_bytes(), MUTATIONS // 2, self.plan_rows, self.draw_rows)

    def test_json(self) -> None:
        records = [{key: one.get(key) or None for key in sample_results.COLUMNS} for one in study()]
        content = json.dumps({"command": "compare", "records": records}).encode()
        self.attack("study.json", content, MUTATIONS // 5, self.plan_rows, self.draw_rows)

    def test_thresholds(self) -> None:
        content = (b"model,beta,volume_ratio,phase1_fraction,beta_homogeneous,"
                   b"volume_ratio_at_beta_homogeneous,status,curve\n"
                   b"paper,4.17,2.12,0.98,4.2,2.13,ok,\nrefined,,,,,,no minimum,1:2 2:3\n"
                   b"ode,4.1,2.15,0.98,4.1,2.15,ok,3:2.5 4:2.2 5:2.4\n")  # fmt: skip
        self.attack("beta.csv", content, MUTATIONS // 10, lambda path, _: thresholds.read([path]),
                    lambda path, _: thresholds.figure(thresholds.read([path])))  # fmt: skip

    def test_trajectories(self) -> None:
        self.attack("t.csv", trajectories_test.sample().encode(), MUTATIONS // 10,
                    lambda path, _: trajectories.read(path),
                    lambda path, _: trajectories.figure(trajectories.read(path)))  # fmt: skip

    def test_traces(self) -> None:
        path = sample_traces.write(self.folder / "a.json", [sample_traces.about()],
                                   sample_traces.small())  # fmt: skip
        self.attack("t.json", path.read_bytes(), MUTATIONS // 10,
                    lambda path, _: traces.read(path),
                    lambda path, _: pictures.of_traces([path], Wish())[0])  # fmt: skip
        for what, plan in (("grid", self.plan_blocks), ("memory", lambda path, _: traces.read(path))):
            self.attack("t.json", path.read_bytes(), MUTATIONS // 10, plan,
                        lambda path, _, what=what: pictures.of_traces([path], Wish(), what)[0])  # fmt: skip

    def test_paper_figures(self) -> None:
        for stem in ("hpdc14.fig6", "hpdc14.fig4", "hpdc14.fig7", "hpdc14.fig2", "ipdps22.fig3-4"):
            rows = sample_results.figures()[stem][::7]
            path = sample_results.write(self.folder / "a.csv", rows)
            self.attack(f"{stem}.csv", path.read_bytes(), MUTATIONS // 50,
                        lambda path, _: results.read(path).having("volume_ratio"),
                        lambda path, _: pictures.of_files([path], Wish())[0])  # fmt: skip


if __name__ == "__main__":
    unittest.main()
