"""Changes to a file as nobody would make them, all but by chance."""

import random
import re

NUMBERS = [b"0", b"-1", b"1", b"255", b"65536", b"2147483648", b"4294967295", b"4294967296",
           b"9223372036854775808", b"18446744073709551615", b"18446744073709551616", b"1e308", b"1e-308", b"1e309",
           b"-0", b"nan", b"inf", b"0x10", b"1" * 400, b"0." + b"0" * 300 + b"1"]
WORDS = [b"\x00", b"\xff\xfe", b"\x1b[2J", "\u202e".encode(), b"\r\n", b"\n\n", b'"', b"'", b'""', b"\\", b"\\u0000",
         b"{", b"}", b"[", b"]", b"[[", b"]]", b",", b":", b"=", b"%", b"#", b"null", b"true", b"{}", b"[]", b"\xef\xbb\xbf"]


def mutated(text: bytes, others: list[bytes], draw: random.Random) -> bytes:
    """The text after one to five changes, each of a kind drawn anew."""
    for _ in range(draw.choice([1, 1, 2, 3, 5])):
        at = draw.randrange(len(text) + 1)
        end = min(len(text), at + draw.choice([1, 1, 4, 20, 200]))
        kind = draw.randrange(10)
        if kind == 0 and text:  # a bit
            at = min(at, len(text) - 1)
            text = text[:at] + bytes([text[at] ^ 1 << draw.randrange(8)]) + text[at + 1:]
        elif kind == 1:  # a piece less
            text = text[:at] + text[end:]
        elif kind == 2:  # the rest less
            text = text[:at]
        elif kind == 3:  # a piece again and again
            text = text[:at] + text[at:end] * draw.choice([2, 2, 10, 1000]) + text[end:]
        elif kind == 4:  # a piece of another file
            other = draw.choice(others)
            begin = draw.randrange(len(other) + 1)
            text = text[:at] + other[begin:begin + draw.choice([1, 10, 100])] + text[at:]
        elif kind in (5, 6):  # another number
            found = list(re.finditer(rb"[-+]?\d+(\.\d+)?", text))
            if found:
                one = draw.choice(found)
                text = text[:one.start()] + draw.choice(NUMBERS) + text[one.end():]
        elif kind == 7:  # two words change places
            found = list(re.finditer(rb"[^\s,:=\[\]{}\"']+", text))
            if len(found) > 1:
                one, two = sorted(draw.sample(found, 2), key=lambda match: match.start())
                text = (text[:one.start()] + two[0] + text[one.end():two.start()] + one[0] + text[two.end():])
        elif kind == 8:  # a word that hurts
            text = text[:at] + draw.choice(WORDS) * draw.choice([1, 1, 1, 100, 20_000]) + text[at:]
        else:  # a line moved
            lines = text.split(b"\n")
            line = lines.pop(draw.randrange(len(lines)))
            lines.insert(draw.randrange(len(lines) + 1), line)
            text = b"\n".join(lines)
    return text
