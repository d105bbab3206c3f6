"""Reading result files, the grammar of names, means and spreads."""

from __future__ import annotations

import math
import tempfile
import unittest
from pathlib import Path

import sample_results
from errors import PlotError
from means import summarise
from results import Row, read
from spec import Spec, quantity


def row(source: str, ratio: float, **numbers: float) -> Row:
    """A row with a volume ratio and perhaps more numbers."""
    texts = {"source": source, "strategy": "random"}
    return Row(2, texts, {"volume_ratio": ratio, **numbers})


class TakesNamesApart(unittest.TestCase):
    def test_options(self) -> None:
        spec = Spec.parse("uniform:p=20,lo=10,hi=100")

        self.assertEqual(spec, Spec("uniform", (), {"p": "20", "lo": "10", "hi": "100"}))
        self.assertEqual(spec.number("hi"), 100)
        self.assertIsNone(spec.number("h"))

    def test_positional_values(self) -> None:
        self.assertEqual(Spec.parse("speeds:80,100").kind(), "speeds:80,100")
        self.assertEqual(Spec.parse("random"), Spec("random"))

    def test_quantities(self) -> None:
        self.assertEqual(quantity("500MB"), (500.0, "MB"))
        self.assertEqual(quantity("1.5e3"), (1500.0, ""))
        self.assertIsNone(quantity("auto"))


class Summarises(unittest.TestCase):
    def test_replicates_by_the_sample_standard_deviation(self) -> None:
        point = summarise([row("simulated", value) for value in (1.0, 2.0, 3.0)])

        self.assertEqual((point.mean, point.sd, point.n), (2.0, 1.0, 3))

    def test_one_run_without_a_spread(self) -> None:
        self.assertIsNone(summarise([row("simulated", 2.0)]).sd)

    def test_a_summary_by_its_own_spread(self) -> None:
        point = summarise([row("simulated", 2.0, n=10, sd=0.5)])

        self.assertEqual((point.mean, point.n), (2.0, 10))
        self.assertAlmostEqual(point.sd or 0, 0.5)

    def test_two_summaries_as_their_runs_together(self) -> None:
        # runs 1, 2, 3 and 5, 7: mean 3.6, squares of deviations 23.2
        point = summarise(
            [row("simulated", 2.0, n=3, sd=1.0), row("simulated", 6.0, n=2, sd=math.sqrt(2))]
        )

        self.assertAlmostEqual(point.mean, 3.6)
        self.assertAlmostEqual(point.sd or 0, math.sqrt(23.2 / 4))

    def test_a_prediction_over_draws_by_both_variances(self) -> None:
        # within: 0.3^2; between draws: variance of 1.0 and 1.8 is 0.32
        point = summarise([row("predicted", 1.0, sd=0.3), row("predicted", 1.8, sd=0.3)])

        self.assertAlmostEqual(point.sd or 0, math.sqrt(0.09 + 0.32))

    def test_a_prediction_without_a_band(self) -> None:
        self.assertIsNone(summarise([row("predicted", 1.0), row("predicted", 1.8)]).sd)


class RefusesFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "runs.csv"

    def check(self, content: str | bytes, *words: str) -> None:
        """The error about a file of this content holds these words, in one line."""
        data = content if isinstance(content, bytes) else content.encode()
        self.file.write_bytes(data)

        with self.assertRaises(PlotError) as caught:
            read(self.file)

        for word in (str(self.file), *words):
            self.assertIn(word, str(caught.exception))

    HEADER = "source,model,strategy,workload,platform,volume_ratio\n"
    LINE = 'simulated,,random,outer:n=9,"uniform:p=2,lo=1,hi=2",2.5\n'

    def test_a_sound_file_is_read(self) -> None:
        self.file.write_text(self.HEADER + self.LINE)

        self.assertEqual(read(self.file).rows[0].ratio, 2.5)

    def test_missing(self) -> None:
        with self.assertRaisesRegex(PlotError, "cannot read .*: No such file"):
            read(self.file)

    def test_empty(self) -> None:
        self.check("", "is empty", "must name the columns")

    def test_header_only(self) -> None:
        self.check(self.HEADER, "no rows")

    def test_missing_columns(self) -> None:
        self.check("source,model,strategy\na,b,c\n", ":1:", "'workload', 'platform'")

    def test_foreign_columns(self) -> None:
        self.check("x,y\n1,2\n", ":1:", "not a result file")

    def test_a_column_twice(self) -> None:
        self.check(self.HEADER.strip() + ",source\n", "'source' appears twice")

    def test_json(self) -> None:
        self.check('{"records": []}', "has no records")
        self.check('{"rows": []}', "JSON", "--format json")
        self.check('{"traceEvents": []}', "a trace", "plot gantt")
        self.check('{"records": [{"source": [1]}]}', "record 1", "neither a text nor a number")
        self.check("[" * 100_000, "nested too deeply")

    def test_binary(self) -> None:
        self.check(b"\x89PNG\xff\xfe\x00", "not a text")

    def test_a_malformed_number_by_its_line(self) -> None:
        self.check(self.HEADER + self.LINE + self.LINE.replace("2.5", "2,5"), ":3:", "7 fields")
        self.check(self.HEADER + self.LINE + self.LINE.replace("2.5", "2.5x"), ":3:", "'2.5x'")
        self.check(self.HEADER + self.LINE.replace("2.5", "nan"), ":2:", "'nan'")

    def test_unquoted_commas(self) -> None:
        self.check(self.HEADER + self.LINE.replace('"', ""), ":2:", "double quotes")

    def test_an_empty_strategy(self) -> None:
        self.check(self.HEADER + self.LINE.replace("random", ""), ":2:", "'strategy' is empty")

    def test_nothing_to_draw(self) -> None:
        self.file.write_text(self.HEADER + self.LINE.replace("2.5", ""))

        with self.assertRaisesRegex(PlotError, "none of its 1 rows has a volume_ratio"):
            read(self.file).having("volume_ratio")

    def test_broken_metadata(self) -> None:
        self.file.write_text(self.HEADER + self.LINE)
        for text, word in (("{", "not JSON"), ("[]", "must be a JSON object")):
            self.file.with_name("runs.meta.json").write_text(text)
            with self.assertRaisesRegex(PlotError, f"runs.meta.json: {word}"):
                read(self.file)

    def test_rows_without_a_ratio_are_counted(self) -> None:
        rows = [sample_results.cells("simulated", "random", "outer:n=9", "homogeneous:p=2", 2.0)]
        sample_results.write(self.file, rows + [rows[0] | {"volume_ratio": ""}])

        self.assertEqual(read(self.file).having("volume_ratio").left_out, 1)


if __name__ == "__main__":
    unittest.main()
