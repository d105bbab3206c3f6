"""Sentences of README and docs stay short: docs/studies/long_sentences.py lists those that do not."""

import importlib.util
import pathlib
import unittest

from program import SOURCE

LONG_AT_MOST = 0


def script():  # noqa: ANN201 (a module)
    path = pathlib.Path(SOURCE, "docs", "studies", "long_sentences.py")
    spec = importlib.util.spec_from_file_location("long_sentences", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Prose(unittest.TestCase):
    def test_few_sentences_are_long(self) -> None:
        prose = script()
        found = [f"{page.relative_to(SOURCE)}:{line}: {count} words: {text}"
                 for page in prose.pages() for count, line, text in prose.long_sentences(page)]  # fmt: skip
        self.assertLessEqual(len(found), LONG_AT_MOST, "\n".join(found))

    def test_counts_words_of_sentences_only(self) -> None:
        prose = script()
        text = ("# A title\n\nOne two. Three `a b c` [four](x.md)!\nFive e.g. six.\n\n- An item\n  goes on.\n\n"
                "| a | b |\n\n    code here\n\n```\nmore\n```\n")  # fmt: skip
        found = [one for _, paragraph in prose.paragraphs(text) for one in prose.sentences(paragraph)]
        self.assertEqual([prose.words(one) for one in found], [2, 3, 3, 4])

    def test_a_colon_ends_no_sentence(self) -> None:
        prose = script()
        self.assertEqual(len(prose.sentences("One: two; three. Four")), 2)


if __name__ == "__main__":
    unittest.main()
