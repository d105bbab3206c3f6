"""What `./damocles docs` adds to mkdocs: titles for the names of files, lines that break well, sub- and superscripts
of formulas, search from the disk."""

import posixpath
import re
from pathlib import Path
from typing import Any


def on_page_markdown(markdown: str, page: Any, files: Any, **_: Any) -> str:
    """[terms.md](terms.md) helps on GitHub; on the site the text is the title in the navigation."""
    def titled(link: "re.Match[str]") -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_path), link[1]))
        return f"[*{files.get_file_from_path(target).page.title}*]({link[1]})"
    return re.sub(r"\[\w+\.md\]\((\S+\.md)\)", titled, markdown)


# x_k, rs_k, dL_k, C_ij, ε_D, Σ_{i<d}: a name of one letter (or rs) with an index of one or two.
INDEX = "[A-Za-zα-ω0-9]{1,2}(?![A-Za-zα-ω0-9_])"
SUBSCRIPT = re.compile(r"(?<!\w)(d?rs|d?[^\W\d_]|[∑∏∫])_(?:\{([^{}]*)\}|(" + INDEX + "))")
# e^(−β rs_k), x^d, N^3, e^{ε_D}: what stands in brackets may hold brackets of its own.
SUPERSCRIPT = re.compile(r"\^(?:\(((?:[^()]|\([^()]*\))*)\)|\{([^{}]*)\}|([−-]?[\w.]*\w))")


def typeset(text: str) -> str:
    """Text without tags, with sub- and superscripts in place of _ and ^."""
    text = SUBSCRIPT.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", text)
    return SUPERSCRIPT.sub(lambda found: f"<sup>{next(part for part in found.groups() if part)}</sup>", text)


def typeset_outside_code(html: str) -> str:
    pieces = re.split(r"(<code>.*?</code>|<[^>]*>)", html, flags=re.S)
    return "".join(piece if piece.startswith("<") else typeset(piece) for piece in pieces)


def typeset_block(html: str) -> str:
    return "".join(piece if piece.startswith("<") else typeset(piece) for piece in re.split(r"(<[^>]*>)", html))


def is_formula(block: str) -> bool:
    """Whether a block of code is one, and no command, output or program."""
    return re.search(r"[βτΣΠε√≤−]", block) is not None and re.search(r"damocles|python|[$] |//|─|–", block) is None


def on_page_content(html: str, **_: Any) -> str:
    """Lines do not end between a number and %, within an option or a cell of one word, but at the commas of long code."""
    def cell(found: "re.Match[str]") -> str:
        text = re.sub(r"<[^>]*>", "", found[2])
        kind = "text" if len(text) > 40 else "" if re.search(r"\s", text) else "unbroken"
        return f'<td class="{kind}"{found[1]}>{found[2]}</td>' if kind else found[0]

    def code(found: "re.Match[str]") -> str:
        text = re.sub(r"(?<![\w-])--[a-z-]+", r'<span class="unbroken">\g<0></span>', found[1])
        return f'<code class="long">{text.replace(",", ",<wbr>")}</code>' if len(found[1]) > 40 else f"<code>{text}</code>"

    def outside_blocks(part: str) -> str:
        part = re.sub(r"(?<=\d) %", "\u00a0%", typeset_outside_code(part))
        return re.sub(r"<code>(.*?)</code>", code, re.sub(r"<td([^>]*)>(.*?)</td>", cell, part, flags=re.S), flags=re.S)

    parts = re.split(r"(<pre.*?</pre>)", html, flags=re.S)
    return "".join(outside_blocks(part) if not part.startswith("<pre") else
                   typeset_block(part) if is_formula(part) else part for part in parts)


def on_post_page(output: str, **_: Any) -> str:
    """Loads site.js before the theme's script, which asks for the index and starts the worker."""
    return re.sub(r'<script src="([^"]*)assets/javascripts/bundle', r'<script src="\1site.js"></script>\n      \g<0>', output)


def on_post_build(config: Any, **_: Any) -> None:
    folder = Path(config["site_dir"], "search")
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"searchIndex = {index};\n", encoding="utf-8")
